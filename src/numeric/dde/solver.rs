//! The loop: choose a step, make it, find what happens in it, let it happen.

use super::agenda::Agenda;
use super::breaking::{self, Crossing};
use super::brief;
use super::control::Controller;
use super::error::Error;
use super::event::Watch;
use super::history::{Past, slack};
use super::options::{Interpolant, Options, Overlap};
use super::problem::Problem;
use super::step::{Cost, Solution, Step};
use super::stepper::{Known, Span, Stepper, Trial, WORTH_ITERATING};

/// Times a step is made again to end at a breaking point before it is taken as it is.
const LANDINGS: usize = 12;

/// After every such part of the budget the pace since the last look is looked at, and a run that would need `HOPELESS` times the
/// budget for the rest at that pace is given up.
const LOOK_AHEAD: usize = 50;
const HOPELESS: f64 = 50.0;

/// Solve `problem` from `span.0` to `span.1`, given its `past` up to `span.0`.
///
/// `past(i, t)` is component `i` at `t ≤ span.0`, and the state at the start unless
/// [`Problem::initial`] changes it. `observe` is called with every accepted step, in order, and
/// can evaluate the solution anywhere inside; it does not influence the steps.
///
/// # Errors
/// An [`Error`] with its numbers: a bad argument; a right-hand side that is not finite or asks for
/// what is not there; a step that becomes too small; too many steps.
pub fn solve<P: Problem + ?Sized>(
    problem: &mut P,
    past: &Past<'_>,
    span: (f64, f64),
    options: &Options,
    mut observe: impl FnMut(&Step<'_>),
) -> Result<Solution, Error> {
    let mut solver = Solver::new(problem, past, span, options)?;
    while solver.t < solver.until && !solver.stopped {
        let end = solver.advance()?;
        solver.conclude(end, &mut observe)?;
    }
    Ok(solver.finish())
}

/// The state of an integration.
pub(super) struct Solver<'a, P: ?Sized> {
    pub problem: &'a mut P,
    pub options: &'a Options,
    pub known: Known<'a>,
    pub stepper: Stepper,
    pub watch: Watch,
    pub agenda: Agenda,
    /// What the problem foresaw in the present step.
    pub ahead: Agenda,
    /// The end of that step.
    pub reach: f64,
    pub cost: Cost,
    pub t: f64,
    pub x: Vec<f64>,
    /// The state before a reaction.
    pub before: Vec<f64>,
    pub stopped: bool,
    /// Reactions since time last passed.
    pub restless: usize,
    pub controller: Controller,
    /// When the pace was last looked at.
    pub looked: f64,
    pub until: f64,
    pub step: f64,
    /// Whether the polynomial of the last step may still be raised to order 5.
    pub coarse: bool,
    /// Steps of this length may be brief ones.
    pub brief: f64,
    pub attempts: usize,
}

impl<P: Problem + ?Sized> Solver<'_, P> {
    /// Evaluate the slope again where something is broken.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.stepper
            .restart(&*self.problem, &self.known, self.t, &self.x)
    }

    /// The shortest step worth the name at the present time.
    fn shortest_step(&self) -> f64 {
        let scale = self.t.abs().max(f64::MIN_POSITIVE / f64::EPSILON);
        16.0 * f64::EPSILON * scale
    }

    /// Whether the end is out of reach by far at the pace since this was last asked.
    fn hopeless(&mut self) -> bool {
        let since = std::mem::replace(&mut self.looked, self.t);
        #[expect(clippy::cast_precision_loss, reason = "counts of steps")]
        let made = (self.options.budget / LOOK_AHEAD) as f64;
        #[expect(clippy::cast_precision_loss, reason = "counts of steps")]
        let budget = self.options.budget as f64;
        self.attempts > 1000 && made * (self.until - self.t) > HOPELESS * budget * (self.t - since)
    }

    /// Another step is tried. A burst of events makes brief ones, whose pace says nothing about the rest.
    fn count_attempt(&mut self, brief: bool) -> Result<(), Error> {
        let look = (self.options.budget / LOOK_AHEAD).max(1);
        let spent = self.attempts >= self.options.budget;
        self.attempts += usize::from(!spent);
        if spent || (!brief && self.attempts.is_multiple_of(look) && self.hopeless()) {
            return Err(Error::StepBudget {
                t: self.t,
                steps: self.attempts,
            });
        }
        Ok(())
    }

    /// Where the next step should end, and whether that is nearer than the error would allow.
    fn target(&self, barrier: f64) -> (f64, bool) {
        let mut h = self.step.min(self.options.longest_step);
        let shortest = self.stepper.shortest;
        let tight = match self.options.overlap {
            Overlap::Forbid => true,
            Overlap::Iterate => h < WORTH_ITERATING * shortest,
        };
        if tight && shortest > self.shortest_step() {
            h = h.min(shortest);
        }
        let left = barrier - self.t;
        if h >= 0.999 * left {
            (barrier, h > 1.001 * left)
        } else if h > 0.5 * left && self.options.fixed_step.is_none() {
            (self.t + 0.5 * left, true)
        } else {
            (self.t + h, h < self.step)
        }
    }

    /// Make one accepted step and keep it; where it ends. The state is not moved yet.
    fn advance(&mut self) -> Result<f64, Error> {
        let barrier = self
            .until
            .min(self.agenda.next())
            .min(self.known.tracker.ahead(self.t));
        let (mut to, mut limited) = self.target(barrier);
        if limited && to - self.t <= self.brief {
            self.count_attempt(true)?;
            if self.in_brief(to)? {
                return Ok(to);
            }
        }
        let mut landings = 0;
        loop {
            self.count_attempt(false)?;
            let span = Span { from: self.t, to };
            let h = to - self.t;
            let trial =
                self.stepper
                    .trial(&*self.problem, &self.known, span, &self.x, self.options);
            let (shorter, trouble) = match trial {
                Err(fault) => {
                    self.cost.rejected += 1;
                    (0.25 * h, fault)
                }
                Ok(Trial::Shorten(shorter)) if shorter >= self.shortest_step() => {
                    self.cost.repeated += 1;
                    limited = true;
                    to = self.t + shorter;
                    continue;
                }
                Ok(Trial::Shorten(shorter)) => (shorter, self.vanishing(h)),
                Ok(Trial::Unsettled) => {
                    self.cost.rejected += 1;
                    (0.5 * h, self.vanishing(h))
                }
                Ok(Trial::Done(error)) => {
                    let fits = error <= 1.0 || self.options.fixed_step.is_some();
                    let shorter = if fits {
                        h
                    } else {
                        h * self.controller.rejected(error)
                    };
                    if landings < LANDINGS
                        && let Some(breaking) = self.crossing(span, fits)?
                        && breaking <= self.t + shorter
                    {
                        landings += 1;
                        self.cost.repeated += 1;
                        limited = fits;
                        to = breaking;
                        continue;
                    }
                    if fits {
                        match self.accept(span, error, limited) {
                            Ok(()) => return Ok(to),
                            Err(fault) => {
                                self.cost.rejected += 1;
                                (0.25 * h, fault)
                            }
                        }
                    } else {
                        self.cost.rejected += 1;
                        let trouble = Error::StepTooSmall {
                            t: self.t,
                            step: h,
                            error,
                        };
                        (shorter, trouble)
                    }
                }
            };
            if shorter.is_nan() || shorter < self.shortest_step() {
                return Err(trouble);
            }
            limited = false;
            self.step = shorter;
            to = self.t + shorter;
        }
    }

    /// Make the step up to `to`, which is shorter than it need be, a brief one, if that is good enough.
    fn in_brief(&mut self, to: f64) -> Result<bool, Error> {
        if self.options.fixed_step.is_some() {
            return Ok(false);
        }
        let span = Span { from: self.t, to };
        let h = to - self.t;
        let (stepper, known) = (&mut self.stepper, &self.known);
        let made = stepper.brief(&*self.problem, known, span, &self.x, self.options);
        let error = made.ok().flatten().unwrap_or(f64::INFINITY);
        // The error grows as h³.
        let fitting = 0.9 * (brief::BOUND / error.max(1e-30)).cbrt();
        if error > brief::BOUND || self.crossing(span, true)?.is_some() {
            self.brief = h * fitting.clamp(0.1, 0.9);
            self.cost.rejected += 1;
            return Ok(false);
        }
        self.brief = h * fitting.max(1.0);
        self.coarse = false;
        self.known.store.push(&mut self.stepper.segment);
        self.cost.accepted += 1;
        Ok(true)
    }

    fn vanishing(&self, step: f64) -> Error {
        Error::VanishingDelay {
            t: self.t,
            delay: self.stepper.shortest,
            step,
        }
    }

    /// Where the trial step should end instead, if a deviated lag meets a discontinuity in it.
    fn crossing(&mut self, span: Span, fits: bool) -> Result<Option<f64>, Error> {
        if !self.options.parts.breaking_points {
            return Ok(None);
        }
        let scratch = &mut self.before;
        let found = breaking::first(
            &*self.problem,
            &self.known,
            &self.stepper,
            span,
            self.options.samples,
            scratch,
        );
        if let Some(fault) = self.known.probe.fault()
            && fits
        {
            return Err(fault);
        }
        let Some(Crossing { lag, time, forward }) = found else {
            return Ok(None);
        };
        if time - self.t > self.shortest_step() {
            return Ok(Some(time));
        }
        if let Some(image) = self.known.tracker.cross(lag, self.t, forward) {
            self.known.tracker.add(image);
        }
        self.restart()?;
        Ok(Some(span.to))
    }

    fn accept(&mut self, span: Span, error: f64, limited: bool) -> Result<(), Error> {
        if self.options.interpolant == Interpolant::Fifth {
            self.stepper.refine(&*self.problem, &self.known, span)?;
        }
        self.coarse = self.options.interpolant == Interpolant::FifthAtEvents;
        self.known.store.push(&mut self.stepper.segment);
        if self.options.fixed_step.is_none() {
            let proposed = (span.to - span.from) * self.controller.accepted(error);
            self.step = if limited {
                proposed.max(self.step)
            } else {
                proposed
            };
        }
        self.cost.accepted += 1;
        Ok(())
    }

    /// After a step up to `end`: events, breaking points, scheduled times; the observer; the
    /// pruning of the history.
    fn conclude(&mut self, end: f64, observe: &mut impl FnMut(&Step<'_>)) -> Result<(), Error> {
        let mut broken = self.events(end)?;
        let whole = self.t >= end;
        if whole && !broken {
            self.stepper.carry_on();
        }
        let landed = whole && self.land();
        broken |= landed;
        if let Some(segment) = self.known.store.last() {
            observe(&Step { segment });
        }
        let due = self.agenda.next() <= self.t + slack(self.t);
        if !self.stopped && (due || landed) {
            broken |= self.happen(landed)?;
        }
        if let Some(fault) = self.known.probe.fault() {
            return Err(fault);
        }
        if broken && !self.stopped {
            self.restart()?;
        }
        self.forget()
    }

    /// Whether a breaking point was reached at the end of a step.
    fn land(&mut self) -> bool {
        if !self.options.parts.breaking_points {
            return false;
        }
        let constant = self.known.tracker.land(self.t);
        let deviated = breaking::land(&*self.problem, &mut self.known, self.t, &self.stepper.end);
        if constant || deviated {
            self.cost.breaking_points += 1;
        }
        constant || deviated
    }

    /// Let go of the past beyond the longest delay.
    fn forget(&mut self) -> Result<(), Error> {
        let bound = self.problem.longest_delay(self.t, &self.x);
        if bound.is_nan() || bound < 0.0 {
            return Err(Error::BadArgument {
                what: "the longest delay",
                value: bound,
            });
        }
        self.cost.kept_steps = self.cost.kept_steps.max(self.known.store.len());
        let points = self.known.tracker.len();
        self.cost.kept_discontinuities = self.cost.kept_discontinuities.max(points);
        let cutoff = self.t - bound;
        let cutoff = cutoff - 2.0 * slack(self.t.abs().max(cutoff.abs()));
        self.known.store.prune(cutoff);
        self.known.tracker.prune(cutoff);
        Ok(())
    }

    fn finish(mut self) -> Solution {
        self.cost.evaluations = self.stepper.evaluations;
        self.cost.iterations = self.stepper.iterations;
        Solution {
            t: self.t,
            x: self.x,
            stopped: self.stopped,
            cost: self.cost,
        }
    }
}
