//! Breaking points: where they come from and when each lag meets them.
//!
//! A *discontinuity* of order `m` is a time at which the `m`-th derivative of the solution jumps
//! (order 0: the state itself). When the deviated argument of a lag passes a discontinuity of
//! order `m`, the right-hand side has one of the same order, so the solution gets one of order
//! `m + 1` at that time: a *breaking point*. A step across one loses the order of the method, so
//! the solver ends a step there; beyond the order of the method they do no harm.
//!
//! For a constant lag the breaking point is known in advance. For a lag that depends on the state
//! it is a sign change of (deviated argument − discontinuity), found on the dense output of a
//! trial step, which is then made again to end there (A. Feldstein, K. W. Neves, *High order
//! methods for state-dependent delay differential equations with nonsmooth solutions*, SIAM J.
//! Numer. Anal. 21 (1984) 844–863; N. Guglielmi, E. Hairer, *Computing breaking points in implicit
//! delay differential equations*, Adv. Comput. Math. 29 (2008) 229–247).

use super::history::slack;
use std::collections::VecDeque;
use std::ops::Range;

/// A time at which a derivative of the solution jumps.
#[derive(Debug, Clone, PartialEq)]
pub struct Discontinuity {
    /// When.
    pub time: f64,
    /// The lowest derivative that jumps: 0 for the state itself.
    pub order: u8,
    /// The components it jumps in; the others are taken to be one order smoother.
    pub components: Range<usize>,
}

impl Discontinuity {
    /// The one made by a jump from `before` to `after`, if they differ.
    pub(super) fn between(time: f64, before: &[f64], after: &[f64]) -> Option<Self> {
        let differ = |i: &usize| before[*i].to_bits() != after[*i].to_bits();
        let first = (0..before.len()).find(differ)?;
        let last = (0..before.len()).rfind(differ)?;
        Some(Self {
            time,
            order: 0,
            components: first..last + 1,
        })
    }
}

/// A lag: a path by which the past of some components drives the equations of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Lag {
    constant: Option<f64>,
    reads: Range<usize>,
    drives: Range<usize>,
}

impl Lag {
    /// The argument `t − delay`, with a `delay` > 0 in the unit of time.
    #[must_use]
    pub fn constant(delay: f64) -> Self {
        Self {
            constant: Some(delay),
            reads: 0..usize::MAX,
            drives: 0..usize::MAX,
        }
    }

    /// The argument given by [`Problem::argument`](super::Problem::argument), which may depend on
    /// time, state and history.
    #[must_use]
    pub fn deviated() -> Self {
        Self {
            constant: None,
            ..Self::constant(0.0)
        }
    }

    /// The components read through this lag (default: all). With many lags this is what keeps a
    /// jump of one component from being tracked through all of them.
    #[must_use]
    pub fn reads(mut self, components: Range<usize>) -> Self {
        self.reads = components;
        self
    }

    /// The components whose equations use what is read (default: all).
    #[must_use]
    pub fn drives(mut self, components: Range<usize>) -> Self {
        self.drives = components;
        self
    }

    /// The delay, if it is constant.
    #[must_use]
    pub fn delay(&self) -> Option<f64> {
        self.constant
    }

    /// The order of what this lag brings along from `point`.
    fn order_of(&self, point: &Discontinuity) -> u8 {
        let (a, b) = (&self.reads, &point.components);
        let touched = a.start.max(b.start) < a.end.min(b.end);
        point.order.saturating_add(u8::from(!touched))
    }
}

/// The interval between two tracked discontinuities in which the argument of a lag lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Branch {
    pub low: f64,
    pub high: f64,
}

impl Default for Branch {
    fn default() -> Self {
        Self {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }
}

/// Which discontinuities are known, and which one each lag meets next.
#[derive(Debug)]
pub(super) struct Tracker {
    lags: Vec<Lag>,
    known: VecDeque<Discontinuity>,
    /// How many were dropped from the front of `known`.
    dropped: usize,
    /// Per lag, the number of discontinuities (dropped ones included) it has passed.
    passed: Vec<usize>,
    branches: Vec<Branch>,
    highest: u8,
}

impl Tracker {
    /// With the points that are known from the start, in any order.
    pub fn new(lags: Vec<Lag>, mut points: Vec<Discontinuity>, highest: u8) -> Self {
        points.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self {
            passed: vec![0; lags.len()],
            branches: vec![Branch::default(); lags.len()],
            known: points.into(),
            dropped: 0,
            highest,
            lags,
        }
    }

    pub fn lags(&self) -> &[Lag] {
        &self.lags
    }

    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Number of discontinuities remembered.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Put lag `lag` where its argument is at the start.
    pub fn place(&mut self, lag: usize, argument: f64) {
        let tolerance = slack(argument);
        self.passed[lag] = self
            .known
            .partition_point(|d| d.time <= argument + tolerance)
            + self.dropped;
        self.seek(lag);
    }

    /// Set the branch of `lag` from what it has passed, skipping what is too smooth to matter.
    fn seek(&mut self, lag: usize) {
        let matters = |d: &&Discontinuity| self.lags[lag].order_of(d) < self.highest;
        let split = self.passed[lag].saturating_sub(self.dropped);
        let split = split.min(self.known.len());
        let high = self.known.iter().skip(split).find(matters);
        let low = self.known.iter().take(split).rev().find(matters);
        self.branches[lag] = Branch {
            low: low.map_or(f64::NEG_INFINITY, |d| d.time),
            high: high.map_or(f64::INFINITY, |d| d.time),
        };
    }

    /// Remember a discontinuity at the current time, the latest of all.
    pub fn add(&mut self, new: Discontinuity) {
        if new.order >= self.highest {
            return;
        }
        match self.known.back_mut() {
            Some(last) if new.time - last.time <= slack(new.time) => {
                last.order = last.order.min(new.order);
                let (a, b) = (&last.components, &new.components);
                last.components = a.start.min(b.start)..a.end.max(b.end);
            }
            _ => self.known.push_back(new),
        }
        for lag in 0..self.lags.len() {
            if self.branches[lag].high == f64::INFINITY {
                self.seek(lag);
            }
        }
    }

    /// The earliest breaking point of the constant lags, strictly after `t`.
    pub fn ahead(&self, t: f64) -> f64 {
        let lags = self.lags.iter().zip(&self.branches);
        lags.filter_map(|(lag, branch)| Some(branch.high + lag.constant?))
            .filter(|&target| target > t + slack(target))
            .fold(f64::INFINITY, f64::min)
    }

    /// Move `lag` past its next discontinuity (or back over the last one) at time `t`; the image.
    pub fn cross(&mut self, lag: usize, t: f64, forward: bool) -> Option<Discontinuity> {
        let Branch { low, high } = self.branches[lag];
        let edge = if forward { high } else { low };
        let index = self.known.partition_point(|d| d.time < edge);
        let order = self.lags[lag].order_of(self.known.get(index)?) + 1;
        self.passed[lag] = self.dropped + index + usize::from(forward);
        self.seek(lag);
        Some(Discontinuity {
            time: t,
            order,
            components: self.lags[lag].drives.clone(),
        })
    }

    /// Move every constant lag whose breaking point is `t` past it; whether there was one.
    pub fn land(&mut self, t: f64) -> bool {
        let mut landed = false;
        for lag in 0..self.lags.len() {
            let Some(delay) = self.lags[lag].constant else {
                continue;
            };
            loop {
                let target = self.branches[lag].high + delay;
                if target == f64::INFINITY || target > t + slack(target) {
                    break;
                }
                let image = self.cross(lag, t, true);
                landed = true;
                if let Some(image) = image
                    && delay > slack(t)
                {
                    self.add(image);
                }
            }
        }
        landed
    }

    /// Forget what happened before `cutoff`, which no lag reaches back to.
    pub fn prune(&mut self, cutoff: f64) {
        while self.known.len() > 1 && self.known[0].time < cutoff {
            self.known.pop_front();
            self.dropped += 1;
        }
    }
}
