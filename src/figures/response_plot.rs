//! Response functions against the loss rate, on logarithmic axes unless asked otherwise: the shape that papers and users ask for.

use super::figure::{Axis, DISTINCT, Figure, Panel, Scale, Series, Stroke};
use super::range::range_of;
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction};
use crate::units::{LossRate, Seconds};
use crate::what_if::Context;

/// Samples a decade; enough that a kink is drawn as one.
const PER_DECADE: f64 = 40.0;

/// Steps on a linear axis of loss rates, besides those on a logarithmic one.
const STEPS: i32 = 200;

/// What the vertical axis shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// Packets per round trip.
    Window,
    /// Packets per second, which needs a round trip.
    Rate,
    /// A rate in another unit.
    RateIn {
        /// What is counted per second, such as `Mbit`.
        unit: &'static str,
        /// What a packet per second is in it.
        per_packet: f64,
    },
}

impl Quantity {
    fn title(self) -> String {
        match self {
            Self::Window => "Window (packets per round trip)".into(),
            Self::Rate => "Rate (packets per second)".into(),
            Self::RateIn { unit, .. } => format!("Rate ({unit}/s)"),
        }
    }

    /// What a window becomes over a round trip.
    fn of_window(self, rtt: Option<Seconds>) -> Result<f64> {
        let per_packet = match self {
            Self::Window => return Ok(1.0),
            Self::Rate => 1.0,
            Self::RateIn { per_packet, .. } => per_packet,
        };
        match rtt {
            Some(rtt) => Ok(per_packet / rtt.value()),
            None => Err(Error::Arguments(
                "a rate needs a round trip: give one with --rtt, such as --rtt 100ms".into(),
            )),
        }
    }
}

/// What is written on a figure.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// File stem.
    pub name: &'a str,
    /// On top.
    pub title: &'a str,
    /// Below.
    pub caption: &'a str,
}

/// What of the plane is shown, and how.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Loss rates, the smaller first.
    pub loss: (f64, f64),
    /// The vertical range; `None` for one around the curves.
    pub vertical: Option<(f64, f64)>,
    /// What the vertical axis shows.
    pub quantity: Quantity,
    /// Scales of the horizontal and the vertical axis.
    pub scales: [Scale; 2],
}

impl View {
    /// Both axes logarithmic, the vertical one around the curves.
    #[must_use]
    pub fn of(loss: (f64, f64), quantity: Quantity) -> Self {
        Self {
            loss,
            vertical: None,
            quantity,
            scales: [Scale::Log; 2],
        }
    }
}

/// Samples of a curve over a range of loss rates.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// Loss rate and window. Where there is no answer between two answers, a point without a number breaks the line.
    pub points: Vec<(f64, f64)>,
    /// At how many of the loss rates asked there is no answer.
    pub missing: usize,
    /// Why not, at the first of them.
    pub reason: Option<String>,
}

impl Sampled {
    /// Whether there is any answer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// One curve: a name for the legend and a law's closed form (`None`: its default; a law without any is drawn by its epochs).
#[derive(Debug, Clone)]
pub struct Curve {
    /// What the legend says.
    pub label: String,
    /// The law.
    pub law: Selected,
    /// The form.
    pub form: Option<&'static str>,
    /// The path it is asked about.
    pub path: Path,
}

impl Curve {
    /// A curve of a law's form.
    ///
    /// # Errors
    /// Those of [`Selected::parse`].
    pub fn new(label: &str, spec: &str, form: Option<&'static str>) -> Result<Self> {
        Ok(Self {
            label: label.to_owned(),
            law: Selected::parse(spec)?,
            form,
            path: Path::default(),
        })
    }

    fn function(&self) -> Result<Box<dyn ResponseFunction>> {
        let mut forms = self.law.algorithm.closed(&self.law.setting);
        if let Some(name) = self.form {
            forms.retain(|form| form.form() == name);
        }
        if let Some(form) = forms.into_iter().next() {
            return Ok(form);
        }
        let mut why = format!("{} has no closed form to draw", self.law.spec());
        // A law of one's own has none at all: the first road that answers is drawn.
        if self.form.is_none() && self.law.algorithm.forms().is_empty() {
            let context = Context {
                path: self.path,
                ..Context::default()
            };
            for road in &context.roads {
                for chosen in road.functions(&self.law, &context)? {
                    match chosen.function {
                        Ok(function) => return Ok(function),
                        Err(reason) => why = format!("{}: {reason}", self.law.spec()),
                    }
                }
            }
        }
        Err(Error::NoAnswer(why))
    }

    /// Samples over a range of loss rates, evenly spaced on a logarithmic axis, and on a linear one besides if asked.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the law needs a round trip that the path lacks; [`Error::NoAnswer`] if it has no closed form and
    /// no epochs.
    pub fn sample(&self, loss: (f64, f64), scale: Scale) -> Result<Sampled> {
        let function = self.function()?;
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut missing, mut reason) = (0, None);
        for p in places(loss, scale) {
            match function.respond(LossRate::new(p.clamp(loss.0, loss.1))?, &self.path) {
                Ok(answer) => points.push((p, answer.window.value())),
                Err(Error::NoAnswer(why)) => {
                    missing += 1;
                    reason.get_or_insert(why);
                    if points.last().is_some_and(|(_, w)| w.is_finite()) {
                        points.push((p, f64::NAN));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if points.last().is_some_and(|(_, w)| w.is_nan()) {
            points.pop();
        }
        Ok(Sampled {
            points,
            missing,
            reason,
        })
    }
}

/// Loss rates that are asked, from the smallest to the largest.
fn places(loss: (f64, f64), scale: Scale) -> Vec<f64> {
    let decades = (loss.1 / loss.0).log10();
    let count = (decades * PER_DECADE).ceil().max(2.0);
    let mut places: Vec<f64> = (0..=count as usize)
        .map(|i| loss.0 * 10f64.powf(decades * i as f64 / count))
        .collect();
    if scale == Scale::Linear {
        let step = (loss.1 - loss.0) / f64::from(STEPS);
        places.extend((1..STEPS).map(|i| loss.0 + f64::from(i) * step));
        places.sort_by(f64::total_cmp);
    }
    places
}

/// A figure and what should be known about it, one sentence each, which its caption says too.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The figure.
    pub figure: Figure,
    /// Curves that are not there or have gaps, and samples outside.
    pub notes: Vec<String>,
}

/// A figure of curves over a range of loss rates, measured samples laid over them. A curve without an answer is left out, and
/// so is a sample outside the range; the notes say which.
///
/// # Errors
/// Those of the curves; [`Error::NoAnswer`] with their reasons if none has an answer; [`Error::Arguments`] for a rate without
/// a round trip.
pub fn response_plot(
    words: Words,
    curves: &[Curve],
    samples: Vec<Series>,
    view: View,
) -> Result<Drawn> {
    let mut series = Vec::new();
    let mut notes = Vec::new();
    for curve in curves {
        let factor = view.quantity.of_window(curve.path.rtt)?;
        let sampled = match curve.sample(view.loss, view.scales[0]) {
            Ok(sampled) => sampled,
            Err(Error::NoAnswer(why)) if curves.len() > 1 => Sampled {
                points: Vec::new(),
                missing: 1,
                reason: Some(why),
            },
            Err(error) => return Err(error),
        };
        if let Some(why) = &sampled.reason {
            let lack = if sampled.is_empty() {
                "no curve"
            } else {
                "no answer in a part of the range"
            };
            notes.push(format!(
                "{}: {lack}: {}",
                curve.label,
                why.trim_end_matches('.')
            ));
        }
        if sampled.is_empty() {
            continue;
        }
        let scaled = |(p, w): (f64, f64)| (p, w * factor);
        series.push(Series {
            label: curve.label.clone(),
            stroke: Stroke::Line,
            points: sampled.points.into_iter().map(scaled).collect(),
        });
    }
    if series.is_empty() {
        return Err(Error::NoAnswer(notes.join("; ")));
    }
    if series.len() > DISTINCT {
        notes.push(format!(
            "{} curves: colours and dashes repeat after {DISTINCT}",
            series.len()
        ));
    }
    let (inside, outside) = within(samples, view.loss);
    series.extend(inside);
    if outside > 0 {
        let (are, samples) = if outside == 1 {
            ("lies", "sample")
        } else {
            ("lie", "samples")
        };
        notes.push(format!(
            "{outside} measured {samples} {are} outside the range of loss rates"
        ));
    }
    let all = || {
        let points = series.iter().flat_map(|s| &s.points);
        points.map(|point| point.1).filter(|y| y.is_finite())
    };
    let (least, most) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(0.0, f64::max),
    );
    let axis = |title: &str, at: usize, range| Axis {
        title: title.to_owned(),
        scale: view.scales[at],
        range,
    };
    let panel = Panel {
        title: String::new(),
        x: axis("Loss events per packet, p", 0, view.loss),
        y: axis(
            &view.quantity.title(),
            1,
            view.vertical
                .unwrap_or_else(|| range_of(view.scales[1], least, most)),
        ),
        series,
        marks: Vec::new(),
    };
    let caption = notes
        .iter()
        .fold(words.caption.to_owned(), |caption, note| {
            format!("{caption} {note}.")
        });
    Ok(Drawn {
        figure: Figure {
            name: words.name.to_owned(),
            title: words.title.to_owned(),
            caption,
            panels: vec![panel],
        },
        notes,
    })
}

/// The samples within a range of loss rates, and how many are not.
fn within(samples: Vec<Series>, loss: (f64, f64)) -> (Vec<Series>, usize) {
    let range = loss.0 * (1.0 - 1e-9)..=loss.1 * (1.0 + 1e-9);
    let mut outside = 0;
    let mut inside = samples;
    for series in &mut inside {
        let all = series.points.len();
        series.points.retain(|(p, _)| range.contains(p));
        outside += all - series.points.len();
    }
    inside.retain(|series| !series.points.is_empty());
    (inside, outside)
}
