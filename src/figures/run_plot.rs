//! Windows and queues of a run over time.

use super::figure::{Axis, Figure, Panel, Scale, Series, Stroke};
use super::response_plot::Words;

/// A line over time with its label.
type Line = (String, Vec<(f64, f64)>);

/// Windows above one another, queues beside them; without links only windows.
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
    let mut panels = vec![panel(title("Windows"), "window (packets)", windows, until)];
    if several {
        panels.push(panel(title("Queues"), "queue (packets)", queues, until));
    }
    Figure {
        name: words.name.to_owned(),
        title: words.title.to_owned(),
        caption: words.caption.to_owned(),
        panels,
    }
}

fn panel(title: String, quantity: &str, lines: Vec<Line>, until: f64) -> Panel {
    let most = lines
        .iter()
        .flat_map(|(_, points)| points.iter().map(|(_, y)| *y))
        .fold(0.0, f64::max);
    Panel {
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
    }
}
