//! The solution so far, and the handle through which a problem reads it.

use super::discontinuity::Branch;
use super::error::Error;
use super::segment::Segment;
use std::cell::Cell;
use std::collections::VecDeque;

/// The given solution before the start: `past(i, t)` is component `i` at a time `t ≤ start`.
///
/// It is also asked a little beyond the start (at most one step) when a delayed argument that
/// depends on the state overshoots inside a trial step: let the formula simply continue.
pub type Past<'a> = dyn Fn(usize, f64) -> f64 + 'a;

/// From which side a stage looks at a point where the history has two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// At the end of a step: arguments arrive from the left.
    Left,
    /// Inside a step.
    Inside,
    /// At the start of a step: arguments leave to the right.
    Right,
}

/// How far times may differ and still be the same: a few units in the last place of `scale`.
#[inline]
pub(super) fn slack(scale: f64) -> f64 {
    8.0 * f64::EPSILON * scale.abs()
}

/// The accepted steps, oldest first, back to the longest delay.
#[derive(Debug)]
pub(super) struct Store {
    begin: f64,
    segments: VecDeque<Segment>,
    spare: Vec<Segment>,
    dimension: usize,
}

impl Store {
    pub fn new(dimension: usize, begin: f64) -> Self {
        Self {
            begin,
            segments: VecDeque::new(),
            spare: Vec::new(),
            dimension,
        }
    }

    /// Number of steps kept.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// The time the kept solution has reached.
    pub fn end(&self) -> f64 {
        self.segments.back().map_or(self.begin, |last| last.end)
    }

    pub fn last(&self) -> Option<&Segment> {
        self.segments.back()
    }

    pub fn last_mut(&mut self) -> Option<&mut Segment> {
        self.segments.back_mut()
    }

    /// The earliest time that can be read: what came before the kept steps has been let go, unless nothing has.
    fn kept_from(&self) -> f64 {
        match self.segments.front() {
            Some(first) if first.start > self.begin => first.start,
            _ => f64::NEG_INFINITY,
        }
    }

    /// Append `segment`, leaving a recycled one in its place.
    pub fn push(&mut self, segment: &mut Segment) {
        let blank = self.spare.pop();
        let blank = blank.unwrap_or_else(|| Segment::empty(self.dimension));
        self.segments.push_back(std::mem::replace(segment, blank));
    }

    /// Take the last step back, leaving `segment` for later use.
    pub fn take_last(&mut self, segment: &mut Segment) {
        if let Some(last) = self.segments.pop_back() {
            self.spare.push(std::mem::replace(segment, last));
        }
    }

    /// Let go of every step that ended before `cutoff`, except the last one.
    pub fn prune(&mut self, cutoff: f64) {
        while self.segments.len() > 1 && self.segments[0].end < cutoff {
            self.spare.extend(self.segments.pop_front());
        }
    }

    /// The step that holds `key`: `Ok(None)` before the start, `Err` if it has been let go.
    fn find(&self, key: f64, hint: &Cell<usize>) -> Result<Option<&Segment>, f64> {
        if key < self.begin {
            return Ok(None);
        }
        let (Some(first), Some(last)) = (self.segments.front(), self.segments.back()) else {
            return Ok(None);
        };
        if key < first.start {
            return Err(first.start);
        }
        for guess in [hint.get(), hint.get() + 1] {
            if let Some(segment) = self.segments.get(guess)
                && segment.start <= key
                && key < segment.end
            {
                hint.set(guess);
                return Ok(Some(segment));
            }
        }
        if last.start <= key {
            hint.set(self.segments.len() - 1);
            return Ok(Some(last));
        }
        let found = self.segments.partition_point(|s| s.start <= key) - 1;
        hint.set(found);
        Ok(self.segments.get(found))
    }
}

/// What the reads of one stage told the solver.
#[derive(Debug)]
pub(super) struct Probe {
    hint: Cell<usize>,
    fault: Cell<Option<Error>>,
    overlap: Cell<bool>,
    shortest: Cell<f64>,
}

impl Probe {
    pub fn new() -> Self {
        Self {
            hint: Cell::new(0),
            fault: Cell::new(None),
            overlap: Cell::new(false),
            shortest: Cell::new(f64::INFINITY),
        }
    }

    /// Forget everything but the shortcut.
    pub fn reset(&self) {
        self.fault.set(None);
        self.overlap.set(false);
        self.shortest.set(f64::INFINITY);
    }

    /// Whether a read fell into the step that is being made.
    pub fn overlapped(&self) -> bool {
        self.overlap.get()
    }

    /// The shortest delay read since the last reset.
    pub fn shortest(&self) -> f64 {
        self.shortest.get()
    }

    /// The first fault since the last reset, if any; clears it.
    pub fn fault(&self) -> Option<Error> {
        self.fault.take()
    }

    fn blame(&self, error: Error) {
        let first = self.fault.take().unwrap_or(error);
        self.fault.set(Some(first));
    }
}

/// The past as the right-hand side sees it at one instant.
///
/// A read that cannot be answered (later than now, older than what is kept) returns NaN and the
/// solver reports it, with its numbers, as an [`Error`].
#[derive(Clone, Copy)]
pub struct History<'a> {
    pub(super) store: &'a Store,
    pub(super) past: &'a Past<'a>,
    pub(super) branches: &'a [Branch],
    pub(super) probe: &'a Probe,
    /// What to use for the step in progress.
    pub(super) current: Option<&'a Segment>,
    pub(super) now: f64,
    pub(super) side: Side,
}

/// Where a value is to be read.
#[derive(Clone, Copy)]
enum Place<'a> {
    Past,
    Step(&'a Segment),
    Nowhere,
}

impl<'a> History<'a> {
    /// The time of the stage that reads: no argument may be later.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The earliest time that can be read, from either side; minus infinity while nothing of the past has been let go.
    #[must_use]
    pub fn kept_from(&self) -> f64 {
        self.store.kept_from() + 2.0 * slack(self.now.abs())
    }

    /// Component `i` at the past time `t`.
    ///
    /// At a jump this is the value after it, except to the last stage of a step that ends where
    /// `t` reaches the jump, which sees the value before it.
    #[must_use]
    pub fn state(&self, i: usize, t: f64) -> f64 {
        self.value(self.place(t, self.side), i, t)
    }

    /// Component `i` just before the past time `t`: at a jump, the value before it.
    #[must_use]
    pub fn state_before(&self, i: usize, t: f64) -> f64 {
        self.value(self.place(t, Side::Left), i, t)
    }

    /// Components `first..first + out.len()` at the past time `t`.
    pub fn fill(&self, first: usize, t: f64, out: &mut [f64]) {
        self.values(self.place(t, self.side), first, t, out);
    }

    /// The same history read along lag `lag`: an argument that overshoots the discontinuity this
    /// lag is approaching, inside a stage, still reads the smooth continuation of the side it
    /// comes from. Needed (only) by state-dependent lags that meet jumps.
    #[must_use]
    pub fn along(&self, lag: usize) -> Along<'a> {
        Along {
            history: *self,
            branch: self.branches.get(lag).copied().unwrap_or_default(),
        }
    }

    fn place(&self, t: f64, side: Side) -> Place<'a> {
        let tolerance = slack(self.now.abs().max(t.abs()));
        let key = match side {
            Side::Left => t - tolerance,
            Side::Inside => t,
            Side::Right => t + tolerance,
        };
        self.place_by(t, key, tolerance)
    }

    /// Find the step of `key` for an argument `t`.
    fn place_by(&self, t: f64, key: f64, tolerance: f64) -> Place<'a> {
        let delay = self.now - t;
        if delay < self.probe.shortest.get() {
            self.probe.shortest.set(delay.max(0.0));
        }
        if delay.is_nan() || delay < -tolerance {
            self.probe.blame(Error::InFuture {
                t: self.now,
                asked: t,
            });
            return Place::Nowhere;
        }
        let end = self.store.end();
        if key >= end
            && let Some(current) = self.current
        {
            if t > end + tolerance {
                self.probe.overlap.set(true);
            }
            return Place::Step(current);
        }
        match self.store.find(key, &self.probe.hint) {
            Ok(Some(segment)) => Place::Step(segment),
            Ok(None) => Place::Past,
            Err(kept_from) => {
                self.probe.blame(Error::BeforeHistory {
                    t: self.now,
                    asked: t,
                    kept_from,
                });
                Place::Nowhere
            }
        }
    }

    #[inline]
    fn value(&self, place: Place<'_>, i: usize, t: f64) -> f64 {
        match place {
            Place::Step(segment) => segment.value(i, t),
            Place::Past => (self.past)(i, t),
            Place::Nowhere => f64::NAN,
        }
    }

    fn values(&self, place: Place<'_>, first: usize, t: f64, out: &mut [f64]) {
        match place {
            Place::Step(segment) => segment.fill(first, t, out),
            Place::Past => {
                for (j, x) in out.iter_mut().enumerate() {
                    *x = (self.past)(first + j, t);
                }
            }
            Place::Nowhere => out.fill(f64::NAN),
        }
    }
}

/// A [`History`] read along one declared lag; made by [`History::along`].
#[derive(Clone, Copy)]
pub struct Along<'a> {
    history: History<'a>,
    branch: Branch,
}

impl Along<'_> {
    /// Component `i` at the lag's argument `t`.
    #[must_use]
    pub fn state(&self, i: usize, t: f64) -> f64 {
        self.history.value(self.place(t), i, t)
    }

    /// Components `first..first + out.len()` at the lag's argument `t`.
    pub fn fill(&self, first: usize, t: f64, out: &mut [f64]) {
        self.history.values(self.place(t), first, t, out);
    }

    fn place(&self, t: f64) -> Place<'_> {
        let history = &self.history;
        let Branch { low, high } = self.branch;
        let scale = history.now.abs().max(t.abs());
        let tolerance = slack(scale);
        if t + tolerance >= high {
            return history.place_by(t, high - slack(scale.max(high.abs())), tolerance);
        }
        if t - tolerance <= low {
            return history.place_by(t, low + slack(scale.max(low.abs())), tolerance);
        }
        history.place_by(t, t, tolerance)
    }
}
