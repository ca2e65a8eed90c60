//! Short ways to write axes, series and panels.

use super::figure::{Axis, Panel, Scale, Series, Stroke};

pub(super) fn line(label: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series {
        label: label.into(),
        stroke: Stroke::Line,
        points,
    }
}

pub(super) fn dots(label: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series {
        stroke: Stroke::Points,
        ..line(label, points)
    }
}

pub(super) fn linear(title: &str, range: (f64, f64)) -> Axis {
    Axis {
        title: title.to_owned(),
        scale: Scale::Linear,
        range,
    }
}

pub(super) fn logarithmic(title: &str, range: (f64, f64)) -> Axis {
    Axis {
        scale: Scale::Log,
        ..linear(title, range)
    }
}

pub(super) fn panel(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel {
        title: title.to_owned(),
        x,
        y,
        series,
        marks: Vec::new(),
    }
}

/// The largest vertical value, for the range of an axis; 1 if there is none.
pub(super) fn most(series: &[Series]) -> f64 {
    let points = series.iter().flat_map(|s| s.points.iter().map(|(_, y)| *y));
    let most = points.fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}
