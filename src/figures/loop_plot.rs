//! Pictures of a control loop: Nyquist's curve, Bode's plot, the region in which it is stable.

use super::figure::{Axis, Figure, Mark, Panel, Scale, Series, Stroke};
use crate::error::{Error, Result};
use crate::numeric::Complex;
use crate::numeric::characteristic::{Axis as Spacing, boundaries, follow, rightmost};
use crate::numeric::margins::{Margins, OpenLoop, Place};
use crate::systems::{Chosen, ControlLoop};
use crate::units::significant;
use std::f64::consts::PI;

fn axis(title: &str, scale: Scale, range: (f64, f64)) -> Axis {
    Axis {
        title: title.into(),
        scale,
        range,
    }
}

fn line(label: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series {
        label: label.into(),
        stroke: Stroke::Line,
        points,
    }
}

/// The loop in words.
fn words(chosen: &Chosen) -> String {
    let values: Vec<String> = chosen
        .setting
        .iter()
        .map(|(p, value)| format!("{} {}{}", p.key, significant(value, 6), p.kind.suffix()))
        .collect();
    format!(
        "{}, form {}: {}.",
        chosen.system.title(),
        chosen.form.name,
        values.join(", ")
    )
}

/// The walk along the frequencies and the margins.
fn walked(looped: &dyn ControlLoop) -> Result<(Vec<Place>, Margins)> {
    let facts = looped
        .open_loop()
        .ok_or_else(|| Error::NoAnswer("this form has no open loop L(s) to draw".into()))?;
    let transfer = |s: Complex<f64>| looped.transfer(s);
    let open = OpenLoop {
        transfer: &transfer,
        dead_time: looped.rtt(),
        unstable_poles: facts.unstable_poles,
        poles_at_zero: facts.poles_at_zero,
    };
    Ok((open.walk()?, open.margins()?))
}

/// Places close enough together to look like a curve, thinned where they crowd.
fn nyquist_curve(walk: &[Place], looped: &dyn ControlLoop, reach: f64) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    for pair in walk.windows(2) {
        let [from, to] = pair else { continue };
        if from.gain > 4.0 * reach && to.gain > 4.0 * reach || from.gain < 0.03 {
            continue;
        }
        let steps = 24;
        for i in 0..steps {
            let omega = from.omega * (to.omega / from.omega).powf(f64::from(i) / f64::from(steps));
            let value = looped.transfer(Complex::new(0.0, omega));
            let far = out
                .last()
                .is_none_or(|(x, y)| (value.re - x).hypot(value.im - y) > 2e-3 * reach);
            if far {
                out.push((value.re, value.im));
            }
        }
    }
    out
}

/// L(iω) about −1, with the unit circle.
///
/// # Errors
/// [`Error::NoAnswer`] for a form without an open loop.
pub fn nyquist(chosen: &Chosen) -> Result<Figure> {
    let looped = chosen.build()?;
    let (walk, margins) = walked(looped.as_ref())?;
    let circle = (0..=180)
        .map(|i| {
            let (sin, cos) = (PI * f64::from(i) / 90.0).sin_cos();
            (cos, sin)
        })
        .collect();
    let mut marks = vec![Mark {
        at: (-1.0, 0.0),
        text: "−1".into(),
    }];
    for place in margins.gain_crossovers.iter().take(2) {
        let spare = (place.phase + PI).to_degrees();
        marks.push(Mark {
            at: (
                place.gain * place.phase.cos(),
                place.gain * place.phase.sin(),
            ),
            text: format!(
                "|L| = 1 at {} rad/s, {}° from −180°",
                significant(place.omega, 4),
                significant(spare, 4)
            ),
        });
    }
    if let Some(place) = margins.phase_crossovers.first().filter(|p| p.gain > 0.02) {
        marks.push(Mark {
            at: (-place.gain, 0.0),
            text: format!("|L| = 1/{}", significant(1.0 / place.gain, 4)),
        });
    }
    let curve = nyquist_curve(&walk, looped.as_ref(), 2.4);
    Ok(Figure {
        name: "nyquist".into(),
        title: format!("Nyquist's curve: {}", chosen.system.title()),
        caption: format!(
            "{} L(iω) for ω > 0. The closed loop is {}: {} roots to the right.",
            words(chosen),
            if margins.stable { "stable" } else { "unstable" },
            margins.unstable_roots
        ),
        panels: vec![Panel {
            title: String::new(),
            x: axis("Re L", Scale::Linear, (-2.4, 1.2)),
            y: axis("Im L", Scale::Linear, (-1.15, 1.15)),
            series: vec![line("L(iω)", curve), line("|L| = 1", circle)],
            marks,
        }],
    })
}

/// Gain and phase over frequency.
///
/// # Errors
/// [`Error::NoAnswer`] for a form without an open loop.
pub fn bode(chosen: &Chosen) -> Result<Figure> {
    let looped = chosen.build()?;
    let (walk, margins) = walked(looped.as_ref())?;
    let centre = margins
        .gain_crossovers
        .first()
        .or(margins.phase_crossovers.first())
        .map_or(1.0 / looped.rtt(), |place| place.omega);
    let range = (centre / 100.0, centre * 30.0);
    let inside: Vec<&Place> = walk
        .iter()
        .filter(|p| p.omega >= 0.5 * range.0 && p.omega <= 2.0 * range.1)
        .collect();
    let transfer = |omega: f64| looped.transfer(Complex::new(0.0, omega));
    // Between two places of the walk the phase is known to less than a turn.
    let mut gain = Vec::new();
    let mut phase = Vec::new();
    for pair in inside.windows(2) {
        let [from, to] = pair else { continue };
        let steps = (((to.omega / from.omega).ln() / 0.02).ceil() as usize).max(1);
        for i in 0..steps {
            let omega = from.omega * (to.omega / from.omega).powf(i as f64 / steps as f64);
            let value = transfer(omega);
            let near = from.phase + (to.phase - from.phase) * i as f64 / steps as f64;
            let turns = ((near - value.arg()) / (2.0 * PI)).round();
            gain.push((omega, value.norm()));
            phase.push((omega, (value.arg() + 2.0 * PI * turns).to_degrees()));
        }
    }
    let level = |value: f64| vec![(range.0, value), (range.1, value)];
    let mut gain_marks = Vec::new();
    let mut phase_marks = Vec::new();
    for place in margins.gain_crossovers.iter().take(2) {
        gain_marks.push(Mark {
            at: (place.omega, 1.0),
            text: format!("{} rad/s", significant(place.omega, 4)),
        });
        phase_marks.push(Mark {
            at: (place.omega, place.phase.to_degrees()),
            text: format!(
                "{}° from −180°",
                significant((place.phase + PI).to_degrees(), 4)
            ),
        });
    }
    if let Some(place) = margins.phase_crossovers.first() {
        gain_marks.push(Mark {
            at: (place.omega, place.gain),
            text: format!("1/{}", significant(1.0 / place.gain, 4)),
        });
    }
    Ok(Figure {
        name: "bode".into(),
        title: format!("Bode's plot: {}", chosen.system.title()),
        caption: format!(
            "{} Marked: where the gain is 1 and its distance from −180°, and the gain where the phase is −180°.",
            words(chosen)
        ),
        panels: vec![
            Panel {
                title: "Gain".into(),
                x: axis("frequency (rad/s)", Scale::Log, range),
                y: axis("|L|", Scale::Log, (1e-2, 1e2)),
                series: vec![line("|L|", gain), line("1", level(1.0))],
                marks: gain_marks,
            },
            Panel {
                title: "Phase".into(),
                x: axis("frequency (rad/s)", Scale::Log, range),
                y: axis("phase (degrees)", Scale::Linear, (-360.0, 0.0)),
                series: vec![line("arg L", phase), line("−180°", level(-180.0))],
                marks: phase_marks,
            },
        ],
    })
}

/// Branches of the boundary: places (x, y) of the plane with a root on the imaginary axis.
///
/// # Errors
/// [`Error::NoAnswer`] for a form without a delay system.
pub fn boundary(chosen: &Chosen) -> Result<Vec<Vec<(f64, f64)>>> {
    let plane = chosen.system.plane();
    let spacing = |log: bool| if log { Spacing::Log } else { Spacing::Linear };
    let (kx, x0, x1, xlog) = plane.x;
    let (ky, y0, y1, ylog) = plane.y;
    let system = |x: f64, y: f64| {
        chosen
            .with(kx, x)?
            .with(ky, y)?
            .build()?
            .delay_system()
            .ok_or_else(|| Error::NoAnswer("this form has no delay system to draw".into()))
    };
    let value = |w: f64, x: f64, y: f64| {
        system(x, y).map_or(Complex::new(f64::NAN, f64::NAN), |found| {
            found.characteristic(Complex::new(0.0, w))
        })
    };
    let xs = spacing(xlog).spread(x0, x1, 121);
    let mut out = Vec::new();
    // From the first place at which a boundary is met in either direction.
    for start in [60, 30, 90, 10, 110, 2, 118] {
        let x = xs[start];
        let excess = |y: f64| rightmost(&system(x, y)?, 1).map(|roots| roots[0].value.re);
        let met = boundaries(&excess, &spacing(ylog).spread(y0, y1, 25), 1e-9)?;
        for crossing in &met {
            let roots = rightmost(&system(x, crossing.value)?, 1)?;
            let guess = (roots[0].value.im, crossing.value);
            if guess.0 <= 0.0 {
                continue;
            }
            let left: Vec<f64> = xs[..=start].iter().rev().copied().collect();
            let mut branch: Vec<(f64, f64)> = follow(&value, guess, &left)?
                .into_iter()
                .map(|(x, _, y)| (x, y))
                .collect();
            branch.reverse();
            branch.extend(
                follow(&value, guess, &xs[start..])?
                    .into_iter()
                    .skip(1)
                    .map(|(x, _, y)| (x, y)),
            );
            out.push(branch);
        }
        if !met.is_empty() {
            break;
        }
    }
    Ok(out)
}

/// Where the loop is stable, in the plane of its two main parameters.
///
/// # Errors
/// [`Error::NoAnswer`] for a form without a delay system.
pub fn region(chosen: &Chosen) -> Result<Figure> {
    let plane = chosen.system.plane();
    let title = |key: &str| {
        chosen
            .system
            .parameters()
            .iter()
            .find(|p| p.key == key)
            .map_or(key.to_owned(), |p| {
                if p.unit.is_empty() {
                    key.to_owned()
                } else {
                    format!("{key} ({})", p.unit)
                }
            })
    };
    let scale = |log: bool| if log { Scale::Log } else { Scale::Linear };
    let branches = boundary(chosen)?;
    let mut series: Vec<Series> = branches
        .into_iter()
        .map(|branch| line("boundary: a pair of roots on the imaginary axis", branch))
        .collect();
    if let Some((label, curve)) = plane.curve {
        let points = Spacing::Linear
            .spread(plane.x.1, plane.x.2, 2001)
            .into_iter()
            .filter_map(|x| curve(x).map(|y| (x, y)))
            .collect();
        series.push(line(label, points));
    }
    let at = (chosen.setting.get(plane.x.0), chosen.setting.get(plane.y.0));
    let inside = |v: f64, low: f64, high: f64| v >= low && v <= high;
    let marks = if inside(at.0, plane.x.1, plane.x.2) && inside(at.1, plane.y.1, plane.y.2) {
        vec![Mark {
            at,
            text: format!("({}, {})", significant(at.0, 4), significant(at.1, 4)),
        }]
    } else {
        Vec::new()
    };
    Ok(Figure {
        name: "region".into(),
        title: format!("Where it is stable: {}", chosen.system.title()),
        caption: format!(
            "{} The two parameters of the axes move, the others stay. On the boundary a pair of roots stands on the imaginary axis.",
            words(chosen)
        ),
        panels: vec![Panel {
            title: String::new(),
            x: axis(&title(plane.x.0), scale(plane.x.3), (plane.x.1, plane.x.2)),
            y: axis(&title(plane.y.0), scale(plane.y.3), (plane.y.1, plane.y.2)),
            series,
            marks,
        }],
    })
}
