//! Response functions against the loss rate, on logarithmic axes: the shape that papers and users ask for.

use super::{Axis, Figure, Panel, Scale, Series, Stroke};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction};
use crate::units::{LossRate, Seconds};
use crate::what_if::Context;

/// Samples a decade; enough that a kink is drawn as one.
const PER_DECADE: f64 = 40.0;

/// What the vertical axis shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Packets per round trip.
    Window,
    /// Packets per second, which needs a round trip.
    Rate,
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

    /// Samples over a range of loss rates; places where the form has no answer are left out.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the law needs a round trip that the path lacks.
    pub fn sample(&self, loss: (f64, f64)) -> Result<Vec<(f64, f64)>> {
        let function = self.function()?;
        let decades = (loss.1 / loss.0).log10();
        let count = (decades * PER_DECADE).ceil().max(2.0);
        let mut points = Vec::new();
        for i in 0..=count as usize {
            let p = loss.0 * 10f64.powf(decades * i as f64 / count);
            match function.respond(LossRate::new(p.clamp(loss.0, loss.1))?, &self.path) {
                Ok(answer) => points.push((p, answer.window.value())),
                Err(Error::NoAnswer(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(points)
    }
}

/// A log–log figure of curves over a range of loss rates. The vertical range is whole decades around the curves unless given.
///
/// # Errors
/// Those of the curves; [`Error::Arguments`] for a rate without a round trip.
pub fn response_plot(
    words: Words,
    curves: &[Curve],
    loss: (f64, f64),
    vertical: Option<(f64, f64)>,
    quantity: Quantity,
) -> Result<Figure> {
    let mut series = Vec::new();
    for curve in curves {
        let scale = match (quantity, curve.path.rtt.map(Seconds::value)) {
            (Quantity::Window, _) => 1.0,
            (Quantity::Rate, Some(rtt)) => 1.0 / rtt,
            (Quantity::Rate, None) => {
                return Err(Error::Arguments(
                    "a rate needs a round trip: give one with --rtt, such as --rtt 100ms".into(),
                ));
            }
        };
        let points = curve
            .sample(loss)?
            .into_iter()
            .map(|(p, w)| (p, w * scale))
            .collect();
        series.push(Series {
            label: curve.label.clone(),
            stroke: Stroke::Line,
            points,
        });
    }
    let all = || {
        series
            .iter()
            .flat_map(|s| s.points.iter().map(|point| point.1))
    };
    let (least, most) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(0.0, f64::max),
    );
    if most <= 0.0 {
        return Err(Error::NoAnswer(
            "none of the laws has an answer in this range of loss rates".into(),
        ));
    }
    let decades = (
        10f64.powf(least.log10().floor()),
        10f64.powf(most.log10().ceil().max(least.log10().floor() + 1.0)),
    );
    let y_title = match quantity {
        Quantity::Window => "Window (packets per round trip)",
        Quantity::Rate => "Rate (packets per second)",
    };
    Ok(Figure {
        name: words.name.to_owned(),
        title: words.title.to_owned(),
        caption: words.caption.to_owned(),
        panels: vec![Panel {
            title: String::new(),
            x: Axis {
                title: "Loss events per packet, p".into(),
                scale: Scale::Log,
                range: loss,
            },
            y: Axis {
                title: y_title.into(),
                scale: Scale::Log,
                range: vertical.unwrap_or(decades),
            },
            series,
            marks: Vec::new(),
        }],
    })
}
