//! What happens in and after a step: events, scheduled times, the reactions to them.

use super::discontinuity::Discontinuity;
use super::error::Error;
use super::history::{Side, slack};
use super::piece::{Foreseen, Piece};
use super::problem::{Cause, Effect, Now, Problem};
use super::solver::Solver;
use super::stepper::Span;

impl<P: Problem + ?Sized> Solver<'_, P> {
    /// Move to the end of the step just kept, or to the first event in it that changes anything;
    /// whether anything changed there.
    pub(super) fn events(&mut self, end: f64) -> Result<bool, Error> {
        let start = self.t;
        let (mut from, mut told, mut until) = (start, start, end);
        self.look_ahead(start, end);
        if self.coarse {
            self.watch.keep();
            if self.crossed(start, end, end).is_none() && self.ahead.next() > end {
                self.go(end, end);
                self.passed(start);
                self.tell(start, end);
                return Ok(false);
            }
            // Something happens: once more on a better polynomial.
            self.watch.exchange();
            self.raise(start, end);
            self.look_ahead(start, end);
        }
        loop {
            self.watch.keep();
            let found = self.crossed(from, until, end);
            let limit = found.unwrap_or(until);
            let mut cut = false;
            while self.ahead.next() < limit || (found.is_none() && self.ahead.next() <= limit) {
                // The event functions stand where they stood until it is known that nothing changed.
                self.watch.exchange();
                self.go(self.ahead.next().max(self.t), end);
                self.passed(start);
                if self.happen(false)? {
                    self.tell(told, self.t);
                    return Ok(true);
                }
                cut = self.agenda.next() < limit;
                if cut {
                    break;
                }
                self.watch.exchange();
            }
            if cut {
                until = self.agenda.next();
                continue;
            }
            let Some(at) = found else {
                break;
            };
            self.go(at, end);
            self.passed(start);
            self.tell(told, at);
            if self.happen(false)? {
                return Ok(true);
            }
            if self.agenda.next() < until {
                until = self.agenda.next();
            }
            (from, told) = (at, at);
        }
        self.go(until, end);
        self.passed(start);
        self.tell(told, until);
        Ok(until < end)
    }

    /// Raise the polynomial of the step just kept to order 5. Where the right-hand side does not allow that it stays as it is.
    fn raise(&mut self, from: f64, to: f64) {
        self.coarse = false;
        self.known.store.take_last(&mut self.stepper.segment);
        let span = Span { from, to };
        let (problem, known) = (&*self.problem, &self.known);
        if self.stepper.refine(problem, known, span).is_err() {
            known.probe.reset();
        }
        self.known.store.push(&mut self.stepper.segment);
    }

    /// Let the problem say what it foresees in the step just kept.
    fn look_ahead(&mut self, from: f64, to: f64) {
        self.ahead.clear();
        self.reach = to;
        if let Some(segment) = self.known.store.last() {
            let piece = Piece {
                from,
                to,
                segment,
                known: &self.known,
            };
            let ahead = &mut self.ahead;
            self.problem
                .foresee(&piece, &mut Foreseen { ahead, from, to });
        }
    }

    /// Tell the problem what stands.
    fn tell(&mut self, from: f64, to: f64) {
        if let Some(segment) = self.known.store.last()
            && to > from
        {
            self.problem.passed(&Piece {
                from,
                to,
                segment,
                known: &self.known,
            });
        }
    }

    /// The first time in `(from, until]` at which an event function is met.
    fn crossed(&mut self, from: f64, until: f64, end: f64) -> Option<f64> {
        if self.watch.is_empty() {
            return None;
        }
        let (problem, known) = (&*self.problem, &self.known);
        let (x, last) = (&mut self.x, &self.stepper.end);
        let segment = known.store.last()?;
        let looked_at = problem.looks_at();
        self.watch.first(
            from,
            until,
            self.options.samples,
            self.options.parts.event_location,
            |t, g| {
                let side = if t >= end {
                    x[looked_at.clone()].copy_from_slice(&last[looked_at.clone()]);
                    Side::Left
                } else {
                    segment.fill(looked_at.start, t, &mut x[looked_at.clone()]);
                    Side::Inside
                };
                problem.surfaces(t, x, &known.at(t, side, None), g);
            },
        )
    }

    /// Put time and state at `t` inside the step just kept, of which nothing later counts.
    fn go(&mut self, t: f64, end: f64) {
        self.t = t;
        if let Some(segment) = self.known.store.last_mut() {
            segment.end = t;
            if t < end {
                segment.fill(0, t, &mut self.x);
                return;
            }
        }
        self.x.copy_from_slice(&self.stepper.end);
    }

    fn passed(&mut self, start: f64) {
        if self.t > start {
            self.restless = 0;
        }
    }

    /// Let everything happen that happens now: the events in the batch, what is scheduled, and
    /// what these bring about at the same time; whether anything changed. With `look`, something
    /// is broken here, so events are looked at from the right even if nothing is in the batch.
    pub(super) fn happen(&mut self, mut look: bool) -> Result<bool, Error> {
        let mut changed = false;
        loop {
            self.before.copy_from_slice(&self.x);
            let mut switched = false;
            let batch = std::mem::take(&mut self.watch.batch);
            self.cost.events += batch.len();
            for &event in &batch {
                switched |= self.react(Cause::Event(event))?;
            }
            self.watch.batch = batch;
            self.watch.batch.clear();
            let reach = self.t + slack(self.t);
            while let Some((time, tag)) = self.agenda.due(reach) {
                if time.is_nan() || time < self.t - slack(self.t) {
                    return Err(Error::ScheduledInPast {
                        t: self.t,
                        asked: time,
                    });
                }
                switched |= self.react(Cause::Scheduled(tag))?;
            }
            while let Some((_, tag)) = self.ahead.due(reach) {
                switched |= self.react(Cause::Foreseen(tag))?;
            }
            let broken = self.broken(switched);
            changed |= broken | self.stopped;
            if self.stopped || !(broken || look) || self.watch.is_empty() {
                return Ok(changed);
            }
            look = false;
            let history = self.known.at(self.t, Side::Right, None);
            let values = &mut self.watch.values;
            self.problem.surfaces(self.t, &self.x, &history, values);
            self.watch.settle();
            if self.watch.batch.is_empty() {
                return Ok(changed);
            }
        }
    }

    /// Run one reaction; whether it switched modes.
    fn react(&mut self, cause: Cause) -> Result<bool, Error> {
        self.restless += 1;
        let most = 1000 + 100 * self.x.len();
        if self.restless > most {
            return Err(Error::EventStorm {
                t: self.t,
                fired: most,
            });
        }
        let history = self.known.at(self.t, Side::Right, None);
        let mut now = Now {
            t: self.t,
            x: &mut self.x,
            history,
            agenda: &mut self.agenda,
            ahead: &mut self.ahead,
            reach: self.reach,
        };
        let effect = self.problem.react(cause, &mut now);
        self.stopped |= effect == Effect::Stop;
        Ok(effect == Effect::Switch)
    }

    /// Record what the reactions broke; whether they broke anything.
    fn broken(&mut self, switched: bool) -> bool {
        let jump = Discontinuity::between(self.t, &self.before, &self.x);
        let jumped = jump.is_some();
        if !self.options.parts.both_limits
            && let Some(segment) = self.known.store.last_mut()
        {
            for (i, (after, before)) in self.x.iter().zip(&self.before).enumerate() {
                segment.tilt(i, after - before);
            }
        }
        if let Some(jump) = jump {
            self.known.tracker.add(jump);
        }
        if switched {
            self.known.tracker.add(Discontinuity {
                time: self.t,
                order: 1,
                components: 0..self.x.len(),
            });
        }
        jumped || switched
    }
}
