//! What the figures of experiments are put together from.

use crate::error::{Error, Result};
use crate::experiments::Spread;
use crate::figures::{Axis, Panel, Scale, Series, Stroke};

/// Ends most captions.
pub(in crate::figures) const BARS: &str =
    "Means of seeds 1 to 10; bars from the smallest to the largest.";

macro_rules! runs {
    () => {
        "Fluid runs with natural losses: while the buffer is full each flow meets losses in proportion to its rate."
    };
}

macro_rules! background {
    () => {
        "Background: web transfers of 20 % of the capacity, 25 TCP flows of at most 64 packets, long-lived TCP flows, RTTs of 40 to 150 ms from the seed; no traffic in the other direction."
    };
}

/// The network that the experiments share.
pub(in crate::figures) const NETWORK: &str = concat!(
    runs!(),
    " Buffer: capacity × 20 ms, the round trip over the bottleneck link. ",
    background!()
);

/// That network where the buffer is what is varied.
pub(in crate::figures) const NETWORK_BUT_BUFFER: &str = concat!(runs!(), " ", background!());

/// Smallest and largest of what the curves and their bars show.
pub(in crate::figures) fn ends(curves: &[Curve]) -> (f64, f64) {
    let spreads = || curves.iter().flat_map(|curve| &curve.points);
    (
        spreads().fold(f64::INFINITY, |least, (_, y)| least.min(y.least)),
        spreads().fold(f64::NEG_INFINITY, |most, (_, y)| most.max(y.most)),
    )
}

/// A line over means with its bars.
pub(in crate::figures) struct Curve {
    pub label: String,
    pub points: Vec<(f64, Spread)>,
}

impl Curve {
    /// The spread over seeds of a number at each place.
    pub fn new(
        label: impl Into<String>,
        points: impl IntoIterator<Item = (f64, Vec<f64>)>,
    ) -> Result<Self> {
        let label = label.into();
        let points = points
            .into_iter()
            .map(|(x, values)| {
                let spread = Spread::of(values).ok_or_else(|| {
                    Error::NoAnswer(format!("a run of `{label}` at {x} gave no number"))
                })?;
                Ok((x, spread))
            })
            .collect::<Result<_>>()?;
        Ok(Self { label, points })
    }

    fn line(&self) -> Series {
        series(
            &self.label,
            Stroke::Line,
            self.points.iter().map(|(x, y)| (*x, y.mean)).collect(),
        )
    }

    fn bars(&self) -> Series {
        let ends = |(x, y): &(f64, Spread)| [(*x, y.least), (*x, y.most)];
        let points = self.points.iter().flat_map(ends).collect();
        series(&self.label, Stroke::Spread, points)
    }
}

/// Lines, then `others`, then the lines' bars: colours belong to places, and bars take none.
pub(in crate::figures) fn together(curves: &[Curve], others: Vec<Series>) -> Vec<Series> {
    let lines = curves.iter().map(Curve::line);
    let bars = curves.iter().map(Curve::bars);
    lines.chain(others).chain(bars).collect()
}

pub(in crate::figures) fn series(label: &str, stroke: Stroke, points: Vec<(f64, f64)>) -> Series {
    Series {
        label: label.to_owned(),
        stroke,
        points,
    }
}

pub(in crate::figures) fn linear(title: &str, range: (f64, f64)) -> Axis {
    axis(title, Scale::Linear, range)
}

pub(in crate::figures) fn logarithmic(title: &str, range: (f64, f64)) -> Axis {
    axis(title, Scale::Log, range)
}

fn axis(title: &str, scale: Scale, range: (f64, f64)) -> Axis {
    Axis {
        title: title.to_owned(),
        scale,
        range,
    }
}

pub(in crate::figures) fn panel(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel {
        title: title.to_owned(),
        x,
        y,
        series,
        marks: Vec::new(),
    }
}
