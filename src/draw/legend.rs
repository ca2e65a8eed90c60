//! The legend: which samples with which words, and where they stand outside the axes.

use super::dash::dashes;
use super::scene::{Anchor, Place, Scene};
use super::style::{INK, Look, place_of};
use super::typeface::Typeface;
use crate::figures::figure::{Figure, Stroke};

const SIZE: f64 = 12.2;
const LINE: f64 = 16.0;
const BETWEEN: f64 = 5.0;
const SAMPLE: f64 = 46.0;
const SPACE: f64 = 8.0;
const COLUMN_GAP: f64 = 26.0;

/// One sample with its words.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    place: usize,
    label: String,
    line: bool,
    points: bool,
}

/// The entries of a figure, laid into columns.
pub(super) struct Legend {
    entries: Vec<(Entry, Vec<String>)>,
    columns: usize,
    column_width: f64,
}

impl Legend {
    /// Collects the entries of all panels and lays them into as many columns as `room` has space
    /// for, but not more than `most`.
    pub fn new(figure: &Figure, face: &Typeface, room: f64, most: usize) -> Self {
        let entries = entries(figure);
        let words = (room - SAMPLE - SPACE).max(40.0);
        let entries: Vec<(Entry, Vec<String>)> = entries
            .into_iter()
            .map(|entry| {
                let lines = face.wrap(&entry.label, SIZE, words);
                (entry, lines)
            })
            .collect();
        let widest = entries
            .iter()
            .flat_map(|(_, lines)| lines)
            .map(|line| face.width(line, SIZE))
            .fold(0.0, f64::max);
        let column_width = SAMPLE + SPACE + widest;
        let mut columns = 1;
        let mut taken = column_width;
        while columns < most.min(entries.len()) && taken + COLUMN_GAP + column_width <= room {
            columns += 1;
            taken += COLUMN_GAP + column_width;
        }
        // As few columns as the number of rows allows, so that the rows are evenly filled.
        let rows = entries.len().div_ceil(columns).max(1);
        let columns = entries.len().div_ceil(rows).max(1);
        Self {
            entries,
            columns,
            column_width,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn width(&self) -> f64 {
        (0..self.columns).fold(-COLUMN_GAP, |sum, _| sum + COLUMN_GAP + self.column_width)
    }

    pub fn height(&self) -> f64 {
        self.rows().map(row_height).sum::<f64>() - BETWEEN
    }

    /// Draws the legend with its upper left corner at a place.
    pub fn draw(&self, (left, top): Place, scene: &mut Scene) {
        let mut y = top;
        for row in self.rows() {
            let mut x = left;
            for (entry, lines) in row {
                let middle = y + LINE / 2.0;
                entry.sample((x, middle), scene);
                let mut baseline = middle + 0.36 * SIZE;
                for line in lines {
                    let at = (x + SAMPLE + SPACE, baseline);
                    scene.text(at, line, SIZE, INK, Anchor::Start);
                    baseline += LINE;
                }
                x += self.column_width + COLUMN_GAP;
            }
            y += row_height(row);
        }
    }

    fn rows(&self) -> impl Iterator<Item = &[(Entry, Vec<String>)]> {
        self.entries.chunks(self.columns.max(1))
    }
}

impl Entry {
    fn sample(&self, (x, y): Place, scene: &mut Scene) {
        let look = Look::of(self.place);
        if self.line {
            for dash in dashes(&[(x, y), (x + SAMPLE, y)], look.dash) {
                scene.stroke(dash, look.width, look.colour);
            }
        }
        if self.points {
            look.mark((x + SAMPLE / 2.0, y), scene);
        }
    }
}

fn row_height(row: &[(Entry, Vec<String>)]) -> f64 {
    let most = row
        .iter()
        .map(|(_, lines)| lines.iter().map(|_| LINE).sum())
        .fold(LINE, f64::max);
    most + BETWEEN
}

/// One entry for each place in the panels' lists of series, or several if the panels call the same
/// place by different names; series without a name have none. If any place has several, all entries
/// that are not in every panel say in which they are.
fn entries(figure: &Figure) -> Vec<Entry> {
    let longest = figure.panels.iter().map(|panel| panel.series.len()).max();
    let mut places: Vec<Vec<(Entry, Vec<String>)>> = Vec::new();
    for place in 0..longest.unwrap_or(0) {
        let mut here: Vec<(Entry, Vec<String>)> = Vec::new();
        for (number, panel) in figure.panels.iter().enumerate() {
            let Some(series) = panel.series.get(place) else {
                continue;
            };
            if series.label.is_empty() || series.stroke == Stroke::Spread {
                continue;
            }
            let joined = series.stroke == Stroke::Line;
            let name = short_name(&panel.title, number);
            let known = here
                .iter_mut()
                .find(|(known, _)| known.label == series.label);
            if let Some((known, names)) = known {
                known.line |= joined;
                known.points |= !joined;
                names.push(name);
                continue;
            }
            let entry = Entry {
                place: place_of(&panel.series, place),
                label: series.label.clone(),
                line: joined,
                points: !joined,
            };
            here.push((entry, vec![name]));
        }
        places.push(here);
    }
    let ambiguous = places.iter().any(|here| here.len() > 1);
    let named = |(mut entry, names): (Entry, Vec<String>)| {
        if ambiguous && names.len() < figure.panels.len() {
            entry.label = format!("{} – {}", entry.label, names.join(", "));
        }
        entry
    };
    places.into_iter().flatten().map(named).collect()
}

/// How the legend calls a panel: by the letter that its title begins with, `(a)`, or by its title.
fn short_name(title: &str, number: usize) -> String {
    let first = title.split(' ').next().unwrap_or_default();
    if title.is_empty() {
        format!("panel {}", number + 1)
    } else if first.starts_with('(') && first.ends_with(')') {
        first.to_owned()
    } else {
        title.to_owned()
    }
}
