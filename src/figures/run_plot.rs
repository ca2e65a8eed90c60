//! Windows and queues of a run over time.

use super::figure::{Axis, Figure, Panel, Scale, Series, Stroke};
use super::response_plot::Words;
use crate::units::significant;

/// A line over time with its label.
type Line = (String, Vec<(f64, f64)>);

/// Which share of the run is its beginning.
const OPENING: f64 = 0.15;
/// A beginning that is this many times as high as the rest leaves the frame.
const HIGH: f64 = 1.5;

/// Windows above one another, queues beside them; without links only windows. The overshoot of a beginning that would
/// press all else to the bottom leaves the frame, and the caption says so.
#[must_use]
pub fn run_plot(words: Words<'_>, windows: Vec<Line>, queues: Vec<Line>, until: f64) -> Figure {
    let several = !queues.is_empty();
    let title = |text: &str| {
        if several {
            text.to_owned()
        } else {
            String::new()
        }
    };
    let mut caption = words.caption.to_owned();
    let mut add = |name: &str, quantity: &str, lines| {
        let (panel, overshoot) = panel(title(name), quantity, lines, until);
        if let Some(most) = overshoot {
            caption += &format!(
                " {name} at the beginning, up to {} packets, leave the frame.",
                significant(most, 4)
            );
        }
        panel
    };
    let mut panels = vec![add("Windows", "window (packets)", windows)];
    if several {
        panels.push(add("Queues", "queue (packets)", queues));
    }
    Figure {
        name: words.name.to_owned(),
        title: words.title.to_owned(),
        caption,
        panels,
    }
}

/// A panel and, if it is cut, the largest number.
fn panel(title: String, quantity: &str, lines: Vec<Line>, until: f64) -> (Panel, Option<f64>) {
    let largest = |from: f64| {
        let points = lines.iter().flat_map(|(_, points)| points);
        let there = points.filter(|(time, _)| *time >= from).map(|(_, y)| *y);
        there.fold(0.0, f64::max)
    };
    let (all, later) = (largest(0.0), largest(OPENING * until));
    let cut = later > 0.0 && all > HIGH * later;
    let most = if cut { later } else { all };
    let panel = Panel {
        title,
        x: Axis {
            title: "time (s)".into(),
            scale: Scale::Linear,
            range: (0.0, until),
        },
        y: Axis {
            title: quantity.to_owned(),
            scale: Scale::Linear,
            range: (0.0, if most > 0.0 { 1.05 * most } else { 1.0 }),
        },
        series: lines
            .into_iter()
            .map(|(label, points)| Series {
                label,
                stroke: Stroke::Line,
                points,
            })
            .collect(),
        marks: Vec::new(),
    };
    (panel, cut.then_some(all))
}
