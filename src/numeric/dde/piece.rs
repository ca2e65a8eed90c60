//! A part of an accepted step, as the problem itself sees it.

use super::agenda::Agenda;
use super::history::{History, Side};
use super::segment::Segment;
use super::stepper::Known;

/// The solution from one time to another inside one step.
pub struct Piece<'a> {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) segment: &'a Segment,
    pub(super) known: &'a Known<'a>,
}

impl<'a> Piece<'a> {
    /// Where it starts.
    #[must_use]
    pub fn from(&self) -> f64 {
        self.from
    }

    /// Where it ends.
    #[must_use]
    pub fn to(&self) -> f64 {
        self.to
    }

    /// Component `i` at `t` between `from` and `to`.
    #[must_use]
    pub fn state(&self, i: usize, t: f64) -> f64 {
        self.segment.value(i, t)
    }

    /// Components `first..first + out.len()` at `t` between `from` and `to`.
    pub fn fill(&self, first: usize, t: f64, out: &mut [f64]) {
        self.segment.fill(first, t, out);
    }

    /// The whole state at three times at once.
    pub fn fill_three(&self, times: [f64; 3], out: &mut [Vec<f64>; 3]) {
        self.segment.fill_three(times, out);
    }

    /// The solution as it is seen from `t` between `from` and `to`.
    #[must_use]
    pub fn history(&self, t: f64) -> History<'a> {
        self.known.at(t, Side::Inside, Some(self.segment))
    }
}

/// Where to say what happens in a step.
pub struct Foreseen<'a> {
    pub(super) ahead: &'a mut Agenda,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Foreseen<'_> {
    /// `tag` happens at `time`; outside the step nothing is noted.
    pub fn add(&mut self, time: f64, tag: usize) {
        if time >= self.from && time <= self.to {
            self.ahead.add(time, tag);
        }
    }
}
