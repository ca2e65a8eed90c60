//! The `fluid` road: the response function of a law, as the integrator finds it on a bare path without a queue.
//!
//! Losses come one every 1/p packets, counted from the loss itself, or at random; the flow reacts at once and to every
//! one, so that the answer is comparable with the other roads. Under periodic losses the run starts where the epoch
//! logic finds the law's fixed point (both see only the law's two verbs) and averages over whole epochs: CUBIC and BIC map a
//! window to itself with slope 1 there and would come to it more slowly than any power of the epochs.

use super::lapse::Lapse;
use super::observe::{Event, Observer, What};
use super::run::simulate;
use super::scenario::{Begin, FINEST, Flow, Losses, Process, Run, Scenario, Sender};
use super::sync::Sync;
use crate::error::{Error, Result};
use crate::model::{Feedback, LossModel, Path, Response, ResponseFunction, WindowLaw};
use crate::numeric::statistics::{BATCHES, batch_means, lag_one};
use crate::responses::epoch::Epoch;
use crate::units::{LossRate, Packets};
use std::sync::Arc;

/// How a run is made and when it stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Half-width of the 95 % interval, relative to the mean, at which a run with random losses stops.
    pub precision: f64,
    /// Steps of the integrator after which it gives up.
    pub budget: u64,
    /// Seed of random losses.
    pub seed: u64,
    /// Tolerance of the integrator.
    pub tolerance: f64,
    /// Epochs that are forgotten, under periodic losses.
    pub warm_up: usize,
    /// Epochs that are averaged over, under periodic losses.
    pub epochs: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            precision: 0.01,
            budget: 100_000_000,
            seed: 1,
            tolerance: FINEST,
            warm_up: 0,
            epochs: 4,
        }
    }
}

/// Where a run with periodic losses starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// At the fixed point that the epoch logic finds.
    FixedPoint,
    /// After a loss at the fixed point's peak times this.
    Beside(f64),
}

/// A law in the integrator.
pub struct Settled {
    law: Arc<dyn WindowLaw>,
    epoch: Epoch,
    losses: LossModel,
    effort: Effort,
    start: Start,
}

/// Times and windows of the losses.
#[derive(Default)]
struct Losing(Vec<(f64, f64)>);

impl Observer for Losing {
    fn wants_events(&self) -> bool {
        true
    }
    fn event(&mut self, event: &Event) {
        if event.what == What::Loss {
            self.0.push((event.time, event.before));
        }
    }
}

/// A law behind a shared pointer, for the epoch logic; with a state at a loss, one that begins with what that state carries over.
struct Shared(Arc<dyn WindowLaw>, Option<Vec<f64>>);

impl WindowLaw for Shared {
    fn states(&self) -> &'static [&'static str] {
        self.0.states()
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        self.0.increase(x, seen, dx);
    }
    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: crate::model::Cause) {
        self.0.decrease(x, seen, why);
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        self.0.settle(window, x);
    }
    fn steady(&self, window: f64, seen: &Feedback, x: &mut [f64]) {
        self.0.steady(window, seen, x);
        if let Some(state) = &self.1 {
            for &place in self.0.carried() {
                x[place] = state[place];
            }
        }
    }
    fn carried(&self) -> &'static [usize] {
        self.0.carried()
    }
    fn measure(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        self.0.measure(x, seen, dx);
    }
    fn switches(&self, x: &[f64], seen: &Feedback, out: &mut Vec<f64>) {
        self.0.switches(x, seen, out);
    }
    fn thresholds(&self) -> Vec<f64> {
        self.0.thresholds()
    }
    fn jumps(&self, x: &[f64], out: &mut Vec<f64>) {
        self.0.jumps(x, out);
    }
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        self.0.regime(x, seen)
    }
    fn source(&self) -> &'static str {
        self.0.source()
    }
}

impl Settled {
    /// The road for this law, with losses [`LossModel::Periodic`] or [`LossModel::Random`].
    #[must_use]
    pub fn new(law: Arc<dyn WindowLaw>, losses: LossModel, effort: Effort, start: Start) -> Self {
        Self {
            epoch: Epoch::new(Box::new(Shared(Arc::clone(&law), None))),
            law,
            losses,
            effort,
            start,
        }
    }

    fn scenario(&self, p: f64, process: Process, seen: &Feedback, begin: Begin) -> Scenario {
        Scenario {
            links: Vec::new(),
            flows: vec![Flow {
                sender: Sender::Law(Arc::clone(&self.law)),
                standing_delay: seen.rtt - seen.base_rtt,
                begin,
                ..Flow::new("", Arc::clone(&self.law), Vec::new(), seen.base_rtt)
            }],
            losses: Losses {
                rate: p,
                process,
                sync: Sync::Natural,
                reaction: Lapse::NONE,
                refractory: Lapse::NONE,
                recovery: Lapse::NONE,
                least_window: 0.0,
                ..Losses::default()
            },
            run: Run {
                seed: self.effort.seed,
                tolerance: self.effort.tolerance,
                budget: usize::try_from(self.effort.budget).unwrap_or(usize::MAX),
                ..Run::default()
            },
        }
    }

    fn periodic(&self, p: f64, seen: &Feedback) -> Result<Response> {
        if let Some(why) = self.law.unsettled() {
            return Err(Error::NoAnswer(why.into()));
        }
        let cycles = self.epoch.cycles(1.0 / p, seen)?;
        let cycle = cycles.first().ok_or_else(|| {
            Error::NoAnswer("no periodic solution: the decrease rule jumps, and no window repeats itself at this loss rate".into())
        })?;
        let aside = match self.start {
            Start::FixedPoint => 1.0,
            Start::Beside(factor) => factor,
        };
        let begin = Begin::AfterLoss(cycle.peak * aside);
        let mut scenario = self.scenario(p, Process::Periodic, seen, begin);
        if !self.law.carried().is_empty() {
            let primed = Shared(Arc::clone(&self.law), Some(cycle.state.clone()));
            scenario.flows[0].sender = Sender::Law(Arc::new(primed));
        }
        // Half an epoch more than is used, so that the last loss is inside; beside the fixed point epochs differ a little.
        let epochs = self.effort.warm_up + self.effort.epochs;
        let spare = if self.start == Start::FixedPoint {
            0.5
        } else {
            2.5
        };
        scenario.run.duration = (epochs as f64 + spare) * cycle.rounds * seen.rtt * aside.max(1.0);
        let mut losing = Losing(vec![(0.0, cycle.peak * aside)]);
        simulate(&scenario, &mut losing).map_err(as_no_answer)?;
        let last = losing.0.len() - 1;
        let count = self.effort.epochs.clamp(1, last.max(1));
        if last < count {
            return Err(Error::NoAnswer(
                "too few losses happened while the run lasted".into(),
            ));
        }
        let rounds = (losing.0[last].0 - losing.0[last - count].0) / seen.rtt;
        Ok(Response {
            window: Packets::new(count as f64 / p / rounds),
            peak: Some(Packets::new(losing.0[last].1)),
            slope: None,
            rtt_exponent: None,
            ci: None,
            regime: cycle.regimes.join(", then ").into(),
            source: self.law.source().into(),
            note: None,
        })
    }

    fn random(&self, p: f64, seen: &Feedback) -> Result<Response> {
        // Where it starts does not matter: it is forgotten. The square-root law says how long an epoch is, roughly.
        let guess = self
            .epoch
            .cycles(1.0 / p, seen)
            .ok()
            .and_then(|cycles| cycles.first().map(|c| (c.peak, c.rounds)));
        let (peak, rounds) = guess.unwrap_or(((1.5 / p).sqrt(), (1.0 / p).sqrt()));
        let mut epochs = 25.0 * BATCHES as f64;
        let mut used = 0_u64;
        loop {
            let mut scenario = self.scenario(p, Process::Random, seen, Begin::AfterLoss(peak));
            let epoch = rounds * seen.rtt;
            scenario.run.measure_from = 100.0 * epoch;
            scenario.run.duration = (100.0 + epochs) * epoch;
            scenario.run.slices = BATCHES;
            // Losses are exact whatever the tolerance; a window between them need not be better than the interval.
            scenario.run.tolerance = self.effort.tolerance.max(1e-6);
            let left = self.effort.budget.saturating_sub(used);
            scenario.run.budget = usize::try_from(left).unwrap_or(usize::MAX);
            let summary = simulate(&scenario, &mut ()).map_err(as_no_answer)?;
            used += summary.steps as u64;
            let flow = &summary.flows[0];
            let mut batches = [0.0; BATCHES];
            for (batch, rate) in batches.iter_mut().zip(&flow.rates) {
                // Delivered rates leave out what was lost; the window is what was sent.
                *batch = rate * seen.rtt / (1.0 - p);
            }
            let (mean, half) = batch_means(&batches);
            if half <= self.effort.precision * mean && lag_one(&batches) < 0.4 {
                return Ok(Response {
                    window: Packets::new(mean),
                    peak: None,
                    slope: None,
                    rtt_exponent: None,
                    ci: Some(Packets::new(half)),
                    regime: format!("{} losses", flow.loss_events).into(),
                    source: self.law.source().into(),
                    note: None,
                });
            }
            epochs *= 2.0;
        }
    }
}

/// A run that fails has no answer here; that is no reason to give up on the other roads.
fn as_no_answer(error: Error) -> Error {
    match error {
        Error::Numeric { .. } => Error::NoAnswer(error.to_string()),
        other => other,
    }
}

impl ResponseFunction for Settled {
    fn form(&self) -> &'static str {
        "law"
    }

    fn loss_model(&self) -> LossModel {
        self.losses
    }

    fn respond(&self, p: LossRate, path: &Path) -> Result<Response> {
        self.law.price().must_be_loss()?;
        let seen = path.feedback(self.law.as_ref())?;
        match self.losses {
            LossModel::Periodic => self.periodic(p.value(), &seen),
            LossModel::Random => self.random(p.value(), &seen),
            other => Err(Error::NoAnswer(format!(
                "losses on this road are periodic or random, not {}",
                other.name()
            ))),
        }
    }

    fn loss_for(&self, _window: Packets, _path: &Path) -> Result<LossRate> {
        Err(Error::NoAnswer(
            "a run for every trial loss rate would be needed: this road does not invert".into(),
        ))
    }
}
