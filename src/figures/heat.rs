//! A heat map as plain data: one colour for each place of a grid.

use super::Axis;

/// What the colours stand for.
#[derive(Debug, Clone, PartialEq)]
pub enum Shades {
    /// Numbers along an axis.
    Numbers(Axis),
    /// Words; the value of a cell is the place in this list.
    Words {
        /// What the words are.
        title: String,
        /// The words.
        words: Vec<String>,
    },
}

/// A grid of cells over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// File stem.
    pub name: String,
    /// Printed on top.
    pub title: String,
    /// Printed below.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The colours.
    pub z: Shades,
    /// Edges of the columns in the horizontal axis' unit, ascending: one more than columns.
    pub columns: Vec<f64>,
    /// Edges of the rows in the vertical axis' unit, ascending: one more than rows.
    pub rows: Vec<f64>,
    /// Cells, the lowest row first, from left to right; `None` where there is no answer.
    pub cells: Vec<Option<f64>>,
}

impl HeatMap {
    /// Every text of the map that others than this program may have written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let shades = match &self.z {
            Shades::Numbers(axis) => vec![&axis.title],
            Shades::Words { title, words } => words.iter().chain([title]).collect(),
        };
        let rest = [&self.title, &self.caption, &self.x.title, &self.y.title];
        shades.into_iter().chain(rest).map(String::as_str)
    }
}
