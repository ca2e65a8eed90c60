//! Before the first step: what is asked of the problem once, and how long that step should be.

use super::agenda::Agenda;
use super::control::{Controller, euler_step, first_step};
use super::discontinuity::{Discontinuity, Tracker};
use super::error::Error;
use super::event::Watch;
use super::history::{Past, Probe, Side, Store};
use super::options::Options;
use super::problem::Problem;
use super::solver::Solver;
use super::step::Cost;
use super::stepper::{Known, Stepper};
use super::tableau::ORDER;

impl<'a, P: Problem + ?Sized> Solver<'a, P> {
    pub(super) fn new(
        problem: &'a mut P,
        past: &'a Past<'a>,
        (t, until): (f64, f64),
        options: &'a Options,
    ) -> Result<Self, Error> {
        let n = problem.dimension();
        let bad = |what, value| Err(Error::BadArgument { what, value });
        if n == 0 {
            return bad("the dimension", 0.0);
        }
        if !t.is_finite() {
            return bad("the start", t);
        }
        if !until.is_finite() || until < t {
            return bad("the end", until);
        }
        options.check(n)?;
        let lags = problem.lags();
        for delay in lags.iter().filter_map(super::Lag::delay) {
            if !delay.is_finite() || delay < 0.0 {
                return bad("a constant delay", delay);
            }
        }
        let mut x: Vec<f64> = (0..n).map(|i| past(i, t)).collect();
        let before = x.clone();
        problem.initial(t, &mut x);
        let mut points = problem.past_discontinuities();
        points.push(
            Discontinuity::between(t, &before, &x).unwrap_or(Discontinuity {
                time: t,
                order: 1,
                components: 0..n,
            }),
        );
        let highest = if options.parts.breaking_points {
            options.highest_order.min(ORDER)
        } else {
            0
        };
        let watch = Watch::new(problem.events());
        let mut agenda = Agenda::default();
        for (time, tag) in problem.scheduled() {
            agenda.add(time, tag);
        }
        let mut solver = Self {
            problem,
            options,
            known: Known {
                past,
                store: Store::new(n, t),
                tracker: Tracker::new(lags, points, highest),
                probe: Probe::new(),
            },
            stepper: Stepper::new(n),
            watch,
            agenda,
            ahead: Agenda::default(),
            reach: f64::NEG_INFINITY,
            cost: Cost::default(),
            t,
            x,
            before,
            stopped: false,
            restless: 0,
            controller: Controller::new(),
            looked: t,
            until,
            step: 0.0,
            coarse: false,
            brief: f64::INFINITY,
            attempts: 0,
        };
        solver.start()?;
        Ok(solver)
    }

    fn start(&mut self) -> Result<(), Error> {
        for lag in 0..self.known.tracker.lags().len() {
            let argument = match self.known.tracker.lags()[lag].delay() {
                Some(delay) => self.t - delay,
                None => self.argument(lag, self.t),
            };
            self.known.tracker.place(lag, argument);
        }
        self.happen(true)?;
        if let Some(fault) = self.known.probe.fault() {
            return Err(fault);
        }
        self.restart()?;
        self.step = match self.options.fixed_step.or(self.options.first_step) {
            Some(step) => step,
            None => self.guess_step(),
        };
        Ok(())
    }

    /// The deviated argument of `lag` for the state reached.
    fn argument(&self, lag: usize, t: f64) -> f64 {
        let history = self.known.at(t, Side::Right, None);
        self.problem.argument(lag, t, &self.x, &history)
    }

    /// The first step, by Hairer's algorithm.
    fn guess_step(&mut self) -> f64 {
        let options = self.options;
        let size = |values: &[f64], x: &[f64]| {
            let scaled = values.iter().enumerate();
            scaled
                .map(|(i, v)| v.abs() / options.allowed(i, x[i], x[i]).max(1e-300))
                .fold(0.0, f64::max)
        };
        let f = size(self.stepper.slope(), &self.x);
        let euler = euler_step(size(&self.x, &self.x), f)
            .min(options.longest_step)
            .min(self.until - self.t);
        let curvature = self.stepper.curvature(
            &*self.problem,
            &self.known,
            (self.t, euler),
            &self.x,
            options,
        );
        match curvature {
            Some(curvature) if euler > 0.0 => first_step(euler, f, curvature),
            _ => euler,
        }
    }
}
