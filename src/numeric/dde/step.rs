//! What an observer sees, and what is left at the end.

use super::segment::Segment;

/// An accepted step, shown to the observer. Looking at it does not influence the steps.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    pub(super) segment: &'a Segment,
}

impl Step<'_> {
    /// When the step started.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.segment.start
    }

    /// When the step ended: the start of the next one. If the state jumps there, this step has
    /// the value before the jump and the next one the value after it.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.segment.end
    }

    /// Component `i` at `t` between `start` and `end`.
    #[must_use]
    pub fn state(&self, i: usize, t: f64) -> f64 {
        self.segment.value(i, t)
    }

    /// Components `first..first + out.len()` at `t` between `start` and `end`.
    pub fn fill(&self, first: usize, t: f64, out: &mut [f64]) {
        self.segment.fill(first, t, out);
    }

    /// Those of the increasing `times` that belong to this step: after its start, up to its end.
    #[must_use]
    pub fn own<'b>(&self, times: &'b [f64]) -> &'b [f64] {
        let from = times.partition_point(|&t| t <= self.start());
        let to = times.partition_point(|&t| t <= self.end());
        &times[from..to.max(from)]
    }
}

/// The end of an integration.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The time reached: the end asked for, or where a reaction said stop.
    pub t: f64,
    /// The state there, after any jump.
    pub x: Vec<f64>,
    /// Whether a reaction said stop.
    pub stopped: bool,
    /// What it cost.
    pub cost: Cost,
}

/// Counts of what an integration did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps that make up the solution.
    pub accepted: usize,
    /// Steps refused by the error test, or for a fault of the right-hand side.
    pub rejected: usize,
    /// Steps made again to end at a breaking point, or to overlap no delay.
    pub repeated: usize,
    /// Evaluations of the right-hand side.
    pub evaluations: usize,
    /// Iterations of steps that overlap a delay.
    pub iterations: usize,
    /// Events that happened.
    pub events: usize,
    /// Breaking points stepped onto.
    pub breaking_points: usize,
    /// Most steps kept at once.
    pub kept_steps: usize,
    /// Most discontinuities remembered at once.
    pub kept_discontinuities: usize,
}
