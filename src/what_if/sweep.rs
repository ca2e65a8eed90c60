//! A grid over the inputs of a question: which point has which values, in a fixed order.

use crate::error::{Error, Result};

/// Most points of one sweep.
pub const MOST_POINTS: u64 = 1_000_000_000_000;

/// What a column shows for one value of an input.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A number in the base unit of its kind.
    Number(f64),
    /// Text as written.
    Word(String),
}

/// One value of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What the verb gets; several for an input that may be repeated.
    pub texts: Vec<String>,
    /// What the column shows.
    pub cell: Cell,
}

/// An input that changes from point to point.
#[derive(Debug, Clone, PartialEq)]
pub struct Swept {
    /// Its name: a flag without its dashes, or a name that other inputs use in braces.
    pub name: String,
    /// Name of its column, which ends in its unit.
    pub column: String,
    /// Its values in order.
    pub values: Vec<Value>,
}

/// Inputs that change together: one alone, or several of the same length zipped.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The inputs.
    pub inputs: Vec<Swept>,
}

impl Axis {
    /// How many values it runs through.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inputs.first().map_or(1, |input| input.values.len())
    }

    /// Whether it has no values; a sweep file cannot make such an axis.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A whole sweep as plain data. Points are numbered from 0; the last axis changes fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The verb that answers every point.
    pub verb: String,
    /// Inputs that stay as they are.
    pub fixed: Vec<(String, Vec<String>)>,
    /// Inputs that change.
    pub axes: Vec<Axis>,
    /// Keys of the answer that are wanted, `None` for all.
    pub columns: Option<Vec<String>>,
}

impl Sweep {
    /// Number of points.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] beyond [`MOST_POINTS`].
    pub fn points(&self) -> Result<u64> {
        self.axes
            .iter()
            .try_fold(1u64, |product, axis| product.checked_mul(axis.len() as u64))
            .filter(|points| *points <= MOST_POINTS)
            .ok_or_else(|| {
                Error::out_of_range(
                    "the number of points",
                    "the product of all lists",
                    format!("at most {MOST_POINTS}"),
                )
            })
    }

    /// Place on each axis of a point.
    pub fn places(&self, point: u64, out: &mut Vec<usize>) {
        out.clear();
        out.resize(self.axes.len(), 0);
        let mut rest = point;
        for (place, axis) in out.iter_mut().zip(&self.axes).rev() {
            let length = axis.len() as u64;
            *place = (rest % length) as usize;
            rest /= length;
        }
    }

    /// Every input that changes, with its axis.
    pub fn swept(&self) -> impl Iterator<Item = (usize, &Swept)> {
        self.axes
            .iter()
            .enumerate()
            .flat_map(|(at, axis)| axis.inputs.iter().map(move |input| (at, input)))
    }
}

/// The seed of a point: the same for the same point whatever the order, the shard or the number of threads, and below 2^53
/// so that every reader of the output keeps it whole (Steele, Lea and Flood's SplitMix64 of the point's number).
///
/// ```
/// use cwnd::what_if::sweep::seed;
/// assert_ne!(seed(0), seed(1));
/// // The generator's first output from the state 0, without its lowest 11 bits.
/// assert_eq!(seed(0), 0xE220_A839_7B1D_CDAF >> 11);
/// ```
#[must_use]
pub fn seed(point: u64) -> u64 {
    let mut z = point.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) >> 11
}
