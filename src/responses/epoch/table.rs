//! The epochs of a law on a path, met once and kept: peaks a fixed stride apart in ln W, and what lies between them.

use super::piece::{Piece, Point, Site, Solution};
use super::{Epoch, STRIDE};
use crate::error::{Error, Result};
use crate::model::Feedback;
use crate::units::significant;
use std::sync::OnceLock;

/// Peaks kept side by side.
const BLOCK: usize = 16;
/// The smallest and largest ln W that a search looks at; the smallest may be overshot by its last step.
const SEARCHED: (f64, f64) = (-30.0, 300.0);
/// Strides by which the smallest may be overshot.
const OVERSHOT: i64 = 256;

/// By how much, in ln Y, packets may still grow within a stride of a law whose rounds grow with its window.
const NEAR: f64 = 4.0 * STRIDE;

/// Of one path.
#[derive(Debug)]
pub(super) struct Table {
    seen: Feedback,
    /// Between two windows where the decrease jumps, the largest windows first.
    stretches: Vec<Stretch>,
}

#[derive(Debug)]
struct Stretch {
    bottom: f64,
    top: f64,
    first: i64,
    last: i64,
    blocks: Vec<OnceLock<Box<[Cell]>>>,
}

/// A peak, and what lies between it and the next.
#[derive(Debug)]
struct Cell {
    point: Point,
    piece: OnceLock<Piece>,
    /// Where the point has no epoch and the next has: the smallest peak between them that has.
    edge: OnceLock<Point>,
}

impl Table {
    pub fn new(epoch: &Epoch, seen: Feedback) -> Self {
        // Between two windows where the decrease jumps, Y(W) is continuous and grows with W.
        let mut edges = vec![f64::NEG_INFINITY];
        edges.extend(epoch.law.thresholds().iter().map(|w| w.ln()));
        edges.push(f64::INFINITY);
        let stretches = edges
            .windows(2)
            .rev()
            // Clear of the edges by more than the rounding of exp and ln.
            .map(|pair| Stretch::new(pair[0] + 1e-14, pair[1] - 1e-14))
            // What ends below all windows that are searched holds none.
            .filter(|stretch| stretch.first < stretch.last)
            .collect();
        Self { seen, stretches }
    }

    /// Every periodic solution with `packets` packets from loss to loss, the largest window first.
    pub fn solutions(&self, epoch: &Epoch, packets: f64) -> Result<Vec<Solution>> {
        let at = Site {
            epoch,
            seen: &self.seen,
        };
        let mut all = Vec::new();
        for stretch in &self.stretches {
            let mut found = Vec::new();
            stretch.search(at, packets, &mut found)?;
            all.extend(found.into_iter().rev());
        }
        Ok(all)
    }
}

/// Whether an epoch has no end that can be met, in contrast to one that the law does not have.
fn is_too_long(error: &Error) -> bool {
    matches!(error, Error::Numeric { .. })
}

impl Stretch {
    fn new(bottom: f64, top: f64) -> Self {
        let stride = |x: f64| (x / STRIDE).clamp(-1e6, 1e6);
        let least = stride(SEARCHED.0).floor() as i64 - OVERSHOT;
        let first = (stride(bottom).floor() as i64).max(least);
        let last = stride(top.min(SEARCHED.1)).ceil() as i64;
        let count = (last - first + 1).max(0) as usize;
        Self {
            bottom,
            top,
            first,
            last,
            blocks: (0..count.div_ceil(BLOCK))
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    fn cell(&self, number: i64) -> &Cell {
        let place = (number - self.first) as usize;
        let block = self.blocks[place / BLOCK].get_or_init(|| {
            let start = number - (place % BLOCK) as i64;
            let point = |k: i64| ((start + k) as f64 * STRIDE).clamp(self.bottom, self.top);
            (0..BLOCK as i64)
                .map(|k| Cell {
                    point: Point::new(point(k)),
                    piece: OnceLock::new(),
                    edge: OnceLock::new(),
                })
                .collect()
        });
        &block[place % BLOCK]
    }

    /// Walks down to an epoch that is too short, or to a window that has none, then up in strides until one round alone
    /// would be too long; every change of sign on the way holds a solution (HighSpeed with corners of one's own has three).
    /// An epoch that cannot be followed to its end is too long: the walk up ends at it once it has come past 1/p packets.
    fn search(&self, at: Site<'_>, packets: f64, found: &mut Vec<Solution>) -> Result<()> {
        let target = packets.ln();
        let guess = 0.5 * (8.0 / 3.0 * packets).ln();
        let excess = |number: i64| {
            let sample = self.cell(number).point.sample(at);
            sample.map(|sample| sample.packets - target)
        };
        let mut number = ((guess / STRIDE).floor() as i64).clamp(self.first, self.last);
        let mut reach = 1;
        while number > self.first
            && self.cell(number).point.ln_peak > SEARCHED.0
            && match excess(number) {
                Ok(value) => value > 0.0,
                Err(error) => is_too_long(&error),
            }
        {
            number = (number - reach).max(self.first);
            reach *= 2;
        }
        let highest = (2.0 * packets).ln().max(guess + 1.0);
        let mut here = excess(number);
        let mut without = None;
        while number < self.last {
            let cell = self.cell(number);
            let may_end = here.as_ref().map_or(true, |value| *value >= 0.0);
            if cell.point.ln_peak >= highest && may_end {
                break;
            }
            let next = &self.cell(number + 1).point;
            let there = excess(number + 1);
            match (&here, &there) {
                (Ok(_), Ok(_)) => at.solve(packets, (&cell.point, next), &cell.piece, found)?,
                (Err(_), Ok(_)) => {
                    let edge = cell.edge.get_or_init(|| at.edge(&cell.point, next));
                    at.solve(packets, (edge, next), &cell.piece, found)?;
                }
                (Ok(value), Err(error)) if is_too_long(error) => {
                    if *value < 0.0 {
                        // What is asked for may still end before what cannot be followed.
                        if *value > -NEAR {
                            let edge = cell.edge.get_or_init(|| at.last(&cell.point, next));
                            at.solve(packets, (&cell.point, edge), &cell.piece, found)?;
                        }
                        if found.is_empty() {
                            return Err(Error::NoAnswer(format!(
                                "no epoch of {} packets could be followed to its end ({error}); see the road `closed`",
                                significant(packets, 6)
                            )));
                        }
                    }
                    return Ok(());
                }
                // Small windows may have no epoch; above one that has, all must.
                (Ok(_), Err(error)) => return Err(error.clone()),
                (Err(error), Err(_)) => without = without.or_else(|| Some(error.clone())),
            }
            number += 1;
            here = there;
        }
        match (found.is_empty(), without.or(here.err())) {
            (true, Some(error)) => Err(error),
            _ => Ok(()),
        }
    }
}
