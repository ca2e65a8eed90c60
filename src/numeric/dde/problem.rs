//! What a delay problem has to say about itself.

use super::agenda::Agenda;
use super::discontinuity::{Discontinuity, Lag};
use super::history::{History, slack};
use super::piece::{Foreseen, Piece};
use std::ops::Range;

/// A system `x'(t) = f(t, x(t), x(α₁(t, x)), x(α₂(t, x)), …)` with events and jumps.
///
/// Only [`dimension`](Self::dimension), [`rhs`](Self::rhs) and
/// [`longest_delay`](Self::longest_delay) are required: a smooth problem with a smooth past is
/// solved without naming its lags. Naming them lets the solver step onto the breaking points.
///
/// The right-hand side may be piecewise: keep the mode in the problem, and change it in
/// [`react`](Self::react) only.
pub trait Problem {
    /// Number of state components, at least one.
    fn dimension(&self) -> usize;

    /// Write `x'` into `dx`; called once per stage for the whole state.
    ///
    /// `t` is in the unit of time the problem chose, `x` and `dx` have `dimension` entries, and
    /// `history` gives the state at any time between `t − longest_delay` and `t`.
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]);

    /// An upper bound of every delay that will be asked for until the end of the next step, given
    /// that the solution is at `(t, x)`; asked after each step. Steps older than this are let go.
    /// `f64::INFINITY` keeps everything.
    fn longest_delay(&self, t: f64, x: &[f64]) -> f64;

    /// The state at the start. On entry `x` holds the past solution there; changing it makes a
    /// jump at the start.
    fn initial(&self, _t: f64, _x: &mut [f64]) {}

    /// The lags whose breaking points are to be tracked, numbered from 0. Asked once.
    fn lags(&self) -> Vec<Lag> {
        Vec::new()
    }

    /// The deviated argument (a past *time*) of lag `lag`, if it is [`Lag::deviated`].
    fn argument(&self, _lag: usize, _t: f64, _x: &[f64], _history: &History<'_>) -> f64 {
        f64::NAN
    }

    /// Where the given past is not smooth, other than at the start. Asked once.
    fn past_discontinuities(&self) -> Vec<Discontinuity> {
        Vec::new()
    }

    /// One direction per event, numbered from 0. Asked once.
    fn events(&self) -> Vec<Direction> {
        Vec::new()
    }

    /// Write the event functions into `g`, one per event: event `j` happens when `g[j]` reaches
    /// zero in its direction. NaN disarms an event for as long as it lasts; an event armed again
    /// starts on whatever side `g[j]` is then on.
    fn surfaces(&self, _t: f64, _x: &[f64], _history: &History<'_>, _g: &mut [f64]) {}

    /// The components that [`surfaces`](Self::surfaces) looks at in the present modes; the others may be stale when it is called.
    fn looks_at(&self) -> Range<usize> {
        0..self.dimension()
    }

    /// Reactions scheduled in advance, as `(time, tag)`. Asked once.
    fn scheduled(&self) -> Vec<(f64, usize)> {
        Vec::new()
    }

    /// Look at a step that has just been made, before anything has happened in it, and say through
    /// `ahead` what of one's own happens in it: events that are no sign changes of a function of the
    /// state, such as an integral along the solution that reaches a level. Each comes back as
    /// [`Cause::Foreseen`] at its time, in order with all other events, unless a reaction before it
    /// ends the step.
    fn foresee(&mut self, _step: &Piece<'_>, _ahead: &mut Foreseen<'_>) {}

    /// The solution over `piece` stands: called for every part of every step, in order, without
    /// gaps; before the reactions at its end, except those to what was foreseen for that time.
    fn passed(&mut self, _piece: &Piece<'_>) {}

    /// React to an event or a scheduled time: change the state in `now.x`, change modes in
    /// `self`, schedule more. Says what was changed.
    fn react(&mut self, _cause: Cause, _now: &mut Now<'_>) -> Effect {
        Effect::Jump
    }
}

/// Which crossings of zero are events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From negative to zero or positive.
    Rising,
    /// From positive to zero or negative.
    Falling,
    /// Either.
    Both,
}

/// Why [`Problem::react`] is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The event of this number has happened.
    Event(usize),
    /// A scheduled time has come; the tag given when it was scheduled.
    Scheduled(usize),
    /// What was foreseen in this step happens; its tag.
    Foreseen(usize),
}

/// What a reaction changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// At most the state. If the state is left exactly as it was, nothing has happened: not even
    /// the sequence of steps changes.
    Jump,
    /// The modes of the right-hand side, and perhaps the state.
    Switch,
    /// Whatever it was, the integration ends here.
    Stop,
}

/// The instant at which a reaction runs.
pub struct Now<'a> {
    /// The time.
    pub t: f64,
    /// The state, to be changed at will: what is left here is the right limit at `t`, while the
    /// history keeps the left limit.
    pub x: &'a mut [f64],
    pub(super) history: History<'a>,
    pub(super) agenda: &'a mut Agenda,
    pub(super) ahead: &'a mut Agenda,
    pub(super) reach: f64,
}

impl<'a> Now<'a> {
    /// The solution up to now, before the jump.
    #[must_use]
    pub fn history(&self) -> History<'a> {
        self.history
    }

    /// Whether `time` has come, as the solver sees it: times closer than rounding are one instant, and what is scheduled a
    /// little later in it is handed out now.
    #[must_use]
    pub fn is_due(&self, time: f64) -> bool {
        time <= self.t + slack(self.t)
    }

    /// Have [`Problem::react`] called with `Cause::Scheduled(tag)` at `time`, which may be now but
    /// not earlier.
    pub fn schedule(&mut self, time: f64, tag: usize) {
        self.agenda.add(time, tag);
    }

    /// Add to what is foreseen in the present step; later than its end is not heard. Unlike a
    /// scheduled time it does not end the step.
    pub fn foresee(&mut self, time: f64, tag: usize) {
        if time <= self.reach {
            self.ahead.add(time.max(self.t), tag);
        }
    }
}
