//! Control loops: XCP's region, Nyquist's and Bode's plots of its default, and the queue under RED on both sides of its
//! boundary.

use super::figure::{Axis, Figure, Mark, Panel, Scale, Series, Stroke};
use super::loop_plot::{bode, nyquist, region};
use crate::error::{Error, Result};
use crate::numeric::characteristic::boundaries;
use crate::systems::Chosen;

fn named(mut figure: Figure, name: &str, title: &str, caption: &str) -> Figure {
    figure.name = name.into();
    figure.title = title.into();
    figure.caption = caption.into();
    figure
}

/// β at which the projected model turns unstable, by its rate of growth.
fn projected(alpha: f64, range: (f64, f64)) -> Result<f64> {
    let chosen = Chosen::parse("xcp:rtt=1s", Some("projected"), &[])?.with("alpha", alpha)?;
    let rate = |beta: f64| {
        let looped = chosen.with("beta", beta)?.build()?;
        looped.run(200.0, 0).map(|found| found.rate)
    };
    boundaries(&rate, &[range.0, range.1], 1e-4)?
        .first()
        .map(|crossing| crossing.value)
        .ok_or_else(|| Error::NoAnswer(format!("no boundary at alpha = {alpha}")))
}

pub(super) fn xcp_region() -> Result<Figure> {
    let mut figure = region(&Chosen::parse("xcp", None, &[])?)?;
    let mut points = Vec::new();
    for (alpha, low, high) in [
        (1.0, 0.85, 1.05),
        (1.1, 0.65, 0.85),
        (1.2, 0.53, 0.65),
        (1.3, 0.4, 0.5),
        (1.4, 0.27, 0.33),
        (1.5, 0.12, 0.17),
    ] {
        points.push((alpha, projected(alpha, (low, high))?));
    }
    let panel = &mut figure.panels[0];
    panel.x = Axis {
        title: "α (share of the spare bandwidth)".into(),
        scale: Scale::Linear,
        range: (0.0, 1.6),
    };
    panel.y = Axis {
        title: "β (share of the standing queue)".into(),
        scale: Scale::Linear,
        range: (0.0, 1.0),
    };
    if let [exact, theorem, ..] = panel.series.as_mut_slice() {
        exact.label = "exact boundary of the linear model (stable below)".into();
        theorem.label = "theorem 1: β = √2 α², α < π/(4√2)".into();
        exact.points.insert(0, (0.0, 0.0));
        exact.points.push((std::f64::consts::FRAC_PI_2, 0.0));
    }
    panel.series.push(Series {
        label: "queue never negative, by the integrator (stable below)".into(),
        stroke: Stroke::Points,
        points,
    });
    let limit = std::f64::consts::PI / (4.0 * std::f64::consts::SQRT_2);
    panel.marks = vec![
        Mark {
            at: (0.4, 0.226),
            text: "default (0.4, 0.226)".into(),
        },
        Mark {
            at: (limit, std::f64::consts::SQRT_2 * limit * limit),
            text: "the curve ends on the boundary: α = 0.5554".into(),
        },
        Mark {
            at: (0.948_166, 0.549_774),
            text: "largest β = 0.5498 at α = 0.9482".into(),
        },
    ];
    Ok(named(
        figure,
        "xcp2002-region",
        "XCP: where its two gains are stable",
        "Katabi, Handley and Rohrs 2002, theorem 1, and the whole region of the same linear model: 0 < α < π/2, 0 < β < u² cos u with u sin u = α, \
         independent of delay, capacity and number of flows. The theorem's curve is exact where it ends, and sufficient before. A queue that \
         cannot be negative moves the boundary: up at α = 1.3 and below (out of the picture below α = 1), down at α = 1.4 and above.",
    ))
}

pub(super) fn xcp_nyquist() -> Result<Figure> {
    let figure = nyquist(&Chosen::parse("xcp", None, &[])?)?;
    Ok(named(
        figure,
        "xcp2002-nyquist",
        "XCP: Nyquist's curve of the default",
        "L(iω) = (α iωd + β) e^(−iωd)/(iωd)² with α = 0.4, β = 0.226, d = 100 ms, ω > 0 (Katabi, Handley and Rohrs 2002, appendix B). Two poles \
         at zero bring the curve in from the left; it passes −1 on the stable side, at 12.6°. Another delay leaves the curve as it is: frequencies scale with 1/d.",
    ))
}

pub(super) fn xcp_bode() -> Result<Figure> {
    let figure = bode(&Chosen::parse("xcp", None, &[])?)?;
    Ok(named(
        figure,
        "xcp2002-bode",
        "XCP: Bode's plot of the default",
        "α = 0.4, β = 0.226, d = 100 ms (Katabi, Handley and Rohrs 2002, appendix B). The gain is 1 at 5.655 rad/s, where the phase is 12.62° short \
         of −180°; the phase reaches −180° where the gain is 1/2.43.",
    ))
}

pub(super) fn red_queue() -> Result<Figure> {
    let until = 60.0;
    let run = |slope: f64| -> Result<Vec<(f64, f64)>> {
        let chosen = Chosen::parse("red@instantaneous", Some("nonlinear"), &[])?;
        let trace = chosen.with("slope", slope)?.build()?.trace(until, 0.01)?;
        Ok(trace.into_iter().map(|[t, _, queue]| (t, queue)).collect())
    };
    let (below, above) = (run(1.75e-4)?, run(1.90e-4)?);
    let all = || below.iter().chain(&above).map(|(_, queue)| *queue);
    let range = (
        (all().fold(f64::INFINITY, f64::min) / 10.0).floor() * 10.0 - 10.0,
        (all().fold(0.0, f64::max) / 10.0).ceil() * 10.0 + 10.0,
    );
    let panel = |title: &str, points: Vec<(f64, f64)>| Panel {
        title: title.into(),
        x: Axis {
            title: "time (s)".into(),
            scale: Scale::Linear,
            range: (0.0, until),
        },
        y: Axis {
            title: "queue (packets)".into(),
            scale: Scale::Linear,
            range,
        },
        series: vec![Series {
            label: "queue".into(),
            stroke: Stroke::Line,
            points,
        }],
        marks: Vec::new(),
    };
    Ok(Figure {
        name: "red-boundary".into(),
        title: "Reno with RED: the queue on both sides of the boundary".into(),
        caption: "Nonlinear model of Misra, Gong and Towsley 2000 without averaging, C = 3750 packets/s, N = 60, R = 246 ms at rest, min 132 packets, \
                  the delay that of the queue; started with windows 1 % above their rest. The full linearisation's critical slope is 1.8217e-4 per packet \
                  (Hollot's plant: 1.8600e-4, Low's: 1.8422e-4)."
            .into(),
        panels: vec![
            panel("Below: slope 1.75e-4 per packet", below),
            panel("Above: slope 1.90e-4 per packet", above),
        ],
    })
}
