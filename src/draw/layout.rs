//! Shares out the picture: title, panels, legend, caption.

use super::legend::Legend;
use super::panel::Prepared;
use super::refusal;
use super::scene::{Anchor, Colour, Frame, Scene};
use super::style::{INK, SOFT};
use super::typeface::Typeface;
use crate::error::Result;
use crate::figures::figure::Figure;

const MARGIN: f64 = 18.0;
const MOST_PANELS: usize = 12;
const MOST_HEIGHT: f64 = 3000.0;
/// A legend wider than this stands below the axes.
const MOST_LEGEND: f64 = 250.0;
const COLUMN_GAP: f64 = 22.0;
const ROW_GAP: f64 = 16.0;

/// A block of centred or left-set lines.
pub(super) struct Block {
    lines: Vec<String>,
    size: f64,
    line: f64,
    colour: Colour,
}

impl Block {
    pub fn new(text: &str, face: &Typeface, size: f64, room: f64, colour: Colour) -> Self {
        Self {
            lines: face.wrap(text, size, room),
            size,
            line: (size * 1.35).round(),
            colour,
        }
    }

    /// The height with the space after it; nothing for an empty block.
    pub fn height(&self, after: f64) -> f64 {
        if self.lines.is_empty() {
            return 0.0;
        }
        self.lines.iter().map(|_| self.line).sum::<f64>() + after
    }

    pub fn draw(&self, x: f64, top: f64, anchor: Anchor, scene: &mut Scene) {
        let mut baseline = top + 0.5 * self.line + 0.36 * self.size;
        for line in &self.lines {
            scene.text((x, baseline), line, self.size, self.colour, anchor);
            baseline += self.line;
        }
    }
}

/// How many panels side by side, and how large the picture is made for them.
struct Plan {
    columns: usize,
    width: f64,
    panel_height: f64,
}

impl Plan {
    fn new(panels: usize) -> Self {
        let (columns, width, panel_height) = match panels {
            0 | 1 => (1, 900.0, 430.0),
            2 | 4 => (2, 1060.0, 340.0),
            _ => (3, 1380.0, 320.0),
        };
        Self {
            columns,
            width,
            panel_height,
        }
    }
}

/// Lays a figure out.
pub(super) fn arrange(figure: &Figure, face: &Typeface) -> Result<Scene> {
    if figure.panels.is_empty() {
        return refusal(format!("the figure {} has no panel", named(figure)));
    }
    if figure.panels.len() > MOST_PANELS {
        return refusal(format!(
            "the figure {} has {} panels, more than {MOST_PANELS}",
            named(figure),
            figure.panels.len()
        ));
    }
    let panels = prepared(figure)?;
    let plan = Plan::new(panels.len());
    let inner = plan.width - 2.0 * MARGIN;
    let mut scene = Scene {
        width: plan.width,
        ..Scene::default()
    };

    let title = Block::new(&figure.title, face, 16.5, inner, INK);
    title.draw(plan.width / 2.0, MARGIN - 4.0, Anchor::Middle, &mut scene);
    let mut y = MARGIN - 4.0 + title.height(10.0);

    let aside = Legend::new(figure, face, MOST_LEGEND, 1);
    let beside = panels.len() == 1
        && !aside.is_empty()
        && aside.height() <= plan.panel_height
        && single_lines(figure, face);
    let legend_room = if beside { aside.width() + 20.0 } else { 0.0 };

    // All panels get the same room around their axes, so that these are of one size and aligned.
    let slots = repeated(plan.columns, COLUMN_GAP) - COLUMN_GAP;
    let slot = (inner - legend_room - slots) / repeated(plan.columns, 1.0);
    let largest = |of: &dyn Fn(&Prepared<'_>) -> f64| panels.iter().map(of).fold(0.0, f64::max);
    let left = largest(&|panel| panel.left(plan.panel_height, face));
    let guess = (slot - left - 20.0).max(50.0);
    let right = largest(&|panel| panel.right(guess, face));
    let width = (slot - left - right).max(50.0);
    let below = largest(&|panel| panel.below(width, face));
    let titles = figure
        .panels
        .iter()
        .map(|panel| Block::new(&panel.title, face, 13.0, width, INK));
    let titles: Vec<Block> = titles.collect();
    let above = titles
        .iter()
        .map(|block| block.height(6.0))
        .fold(8.0, f64::max);

    for (row, heads) in panels.chunks(plan.columns).zip(titles.chunks(plan.columns)) {
        let mut x = MARGIN;
        for (panel, head) in row.iter().zip(heads) {
            let frame = Frame {
                left: (x + left).round(),
                top: (y + above).round(),
                right: (x + left + width).round(),
                bottom: (y + above + plan.panel_height).round(),
            };
            let top = frame.top - head.height(6.0);
            let middle = f64::midpoint(frame.left, frame.right);
            head.draw(middle, top, Anchor::Middle, &mut scene);
            panel.draw(&frame, face, &mut scene);
            if beside {
                aside.draw((frame.right + right + 14.0, frame.top + 2.0), &mut scene);
            }
            x += slot + COLUMN_GAP;
        }
        y += above + plan.panel_height + below + ROW_GAP;
    }

    if !beside {
        let legend = Legend::new(figure, face, inner - 20.0, 6);
        if !legend.is_empty() {
            legend.draw(((plan.width - legend.width()) / 2.0, y), &mut scene);
            y += legend.height() + 14.0;
        }
    }
    let caption = Block::new(&figure.caption, face, 10.7, inner, SOFT);
    caption.draw(MARGIN, y, Anchor::Start, &mut scene);
    y += caption.height(0.0) + 12.0;

    if y > MOST_HEIGHT {
        return refusal(format!(
            "the figure {} would be too tall: its words take too many lines",
            named(figure)
        ));
    }
    scene.height = y.ceil();
    Ok(scene)
}

/// Whether every legend entry fits on one line beside the axes.
fn single_lines(figure: &Figure, face: &Typeface) -> bool {
    let wide = Legend::new(figure, face, f64::INFINITY, 1);
    wide.width() <= MOST_LEGEND
}

fn prepared(figure: &Figure) -> Result<Vec<Prepared<'_>>> {
    let several = figure.panels.len() > 1;
    let panels = figure.panels.iter().enumerate().map(|(index, panel)| {
        let whose = if several {
            format!("panel {} of {}", index + 1, named(figure))
        } else {
            named(figure).to_owned()
        };
        Prepared::new(panel, &whose)
    });
    panels.collect()
}

fn named(figure: &Figure) -> &str {
    if figure.name.is_empty() {
        "without a name"
    } else {
        &figure.name
    }
}

/// A length so many times.
fn repeated(times: usize, length: f64) -> f64 {
    (0..times).map(|_| length).sum()
}
