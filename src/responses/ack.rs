//! The `ack` road: the law applied one acknowledgement at a time, with periodic or independent random losses.
//!
//! The mean window is packets per round, where an acknowledgement is `ack_every`/window of a round. The answer carries the
//! half-width of its 95 % interval from 32 batch means; the run stops when that is small enough, or says that its budget
//! was too small.

use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, LossModel, Path, Response, ResponseFunction, WindowLaw};
use crate::numeric::root;
use crate::numeric::statistics::{BATCHES, batch_means, lag_one};
use crate::units::{LossRate, Packets};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cell::Cell;

/// How a run is made and when it stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Half-width of the 95 % interval, relative to the mean, at which the run stops.
    pub precision: f64,
    /// Acknowledgements after which it gives up.
    pub budget: u64,
    /// Seed of the random losses.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            precision: 0.01,
            budget: 100_000_000,
            seed: 1,
        }
    }
}

/// A law driven by acknowledgements.
pub struct Ack {
    law: Box<dyn WindowLaw>,
    losses: LossModel,
    effort: Effort,
}

/// Losses that are forgotten before measuring begins.
const WARM_UP: u64 = 100;
/// Losses in a batch at first.
const FIRST_BATCH: u64 = 25;
/// Correlation of neighbouring batch means above which the batches are still too short.
const CORRELATED: f64 = 0.4;

/// Epochs in a block of the search for a cycle of a law that carries something over from epoch to epoch.
const REPEATED_BLOCK: usize = 20;
/// Share of the window that may be left to come when that search ends.
const REPEATED: f64 = 1e-8;

/// Changes of direction after which what is left is ripple.
const MOST_TURNS: usize = 10;

/// A flow on its way: state, clock in rounds and counters.
struct Run<'a> {
    law: &'a dyn WindowLaw,
    seen: Feedback,
    x: Vec<f64>,
    scratch: Vec<f64>,
    acks: u64,
}

/// What a number of epochs added up to.
#[derive(Default, Clone, Copy)]
struct Sum {
    packets: f64,
    rounds: f64,
    peaks: f64,
    losses: f64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.packets += other.packets;
        self.rounds += other.rounds;
        self.peaks += other.peaks;
        self.losses += other.losses;
    }
}

impl<'a> Run<'a> {
    fn new(law: &'a dyn WindowLaw, seen: Feedback, window: f64) -> Self {
        let places = law.states().len();
        let mut x = vec![0.0; places];
        law.steady(window, &seen.delivering(window), &mut x);
        Self {
            law,
            seen,
            x,
            scratch: vec![0.0; places],
            acks: 0,
        }
    }

    /// `acks` acknowledgements, then a loss.
    fn epoch(&mut self, acks: u64) -> Sum {
        let rounds = self
            .law
            .on_acks(acks, &mut self.x, &self.seen, &mut self.scratch);
        self.acks += acks;
        let sum = Sum {
            packets: acks as f64 * self.law.ack_every(),
            rounds,
            peaks: self.x[0],
            losses: 1.0,
        };
        self.lose();
        sum
    }

    fn lose(&mut self) {
        let seen = self.seen.delivering(self.x[0]);
        self.law.decrease(&mut self.x, &seen, Cause::Loss);
    }
}

impl Ack {
    /// The road for this law, with losses [`LossModel::Periodic`] or [`LossModel::Random`].
    #[must_use]
    pub fn new(law: Box<dyn WindowLaw>, losses: LossModel, effort: Effort) -> Self {
        Self {
            law,
            losses,
            effort,
        }
    }

    /// The largest window that one periodic epoch of `acks` acknowledgements maps to itself: bracket from above, then Brent.
    /// The closed loop alone would not find it: CUBIC and BIC approach theirs more slowly than any power of the epochs.
    fn fixed_window(&self, acks: u64, seen: Feedback) -> Result<(f64, u64)> {
        let used = Cell::new(0u64);
        let drift = |ln_w: f64| -> Result<f64> {
            used.set(used.get() + acks);
            if used.get() > self.effort.budget {
                return Err(self.exhausted("while looking for the window that repeats itself"));
            }
            let mut run = Run::new(self.law.as_ref(), seen, ln_w.exp());
            run.lose();
            self.law.on_acks(acks, &mut run.x, &seen, &mut run.scratch);
            Ok(run.x[0].ln() - ln_w)
        };
        let mut high = (2.0 * acks as f64 * self.law.ack_every()).ln().max(1.0);
        while drift(high)? > 0.0 {
            high += 0.5;
        }
        let mut low = high;
        while drift(low)? < 0.0 {
            (high, low) = (low, low - 0.3);
            if low < -20.0 {
                return Err(Error::NoAnswer(
                    "no window repeats itself at this loss rate".into(),
                ));
            }
        }
        Ok((root::brent(&drift, low, high, 1e-12)?.exp(), used.get()))
    }

    fn exhausted(&self, when: &str) -> Error {
        Error::NoAnswer(format!(
            "the budget of {} acknowledgements was used up {when}: raise --budget or the loss rate",
            self.effort.budget
        ))
    }

    /// Runs epochs whose lengths `next` draws until the interval is narrow enough.
    fn measure(
        &self,
        mut run: Run<'_>,
        warm_up: u64,
        mut next: impl FnMut() -> u64,
    ) -> Result<Response> {
        let step = |run: &mut Run<'_>, next: &mut dyn FnMut() -> u64| -> Result<Sum> {
            let acks = next();
            if run.acks.saturating_add(acks) > self.effort.budget {
                return Err(self.exhausted("before the interval was narrow enough"));
            }
            Ok(run.epoch(acks))
        };
        for _ in 0..warm_up {
            step(&mut run, &mut next)?;
        }
        let mut batches: Vec<Sum> = Vec::with_capacity(BATCHES);
        let mut length = if self.losses == LossModel::Periodic {
            1
        } else {
            FIRST_BATCH
        };
        loop {
            while batches.len() < BATCHES {
                let mut batch = Sum::default();
                for _ in 0..length {
                    batch.add(step(&mut run, &mut next)?);
                }
                batches.push(batch);
            }
            // The window is packets over rounds; its batches are of equal packets on average, so rounds per packet are averaged.
            let mut rounds = [0.0; BATCHES];
            let mut total = Sum::default();
            for (slot, batch) in rounds.iter_mut().zip(&batches) {
                total.add(*batch);
                *slot = batch.rounds;
            }
            let window = total.packets / total.rounds;
            for (slot, batch) in rounds.iter_mut().zip(&batches) {
                // Linearised ratio: the deviation of a batch from the common ratio, in units of the window.
                *slot = (batch.packets - window * batch.rounds) / (total.rounds / BATCHES as f64);
            }
            let (_, half) = batch_means(&rounds);
            // Periodic losses repeat themselves; what is left is rounding.
            let half = if half < 1e-9 * window { 0.0 } else { half };
            if half <= self.effort.precision * window
                && (lag_one(&rounds) < CORRELATED || half == 0.0)
            {
                return Ok(Response {
                    window: Packets::new(window),
                    peak: Some(Packets::new(total.peaks / total.losses)),
                    slope: None,
                    rtt_exponent: None,
                    ci: Some(Packets::new(half)),
                    regime: format!("{} losses", total.losses).into(),
                    source: self.law.source().into(),
                    note: Some("peak is the mean window at a loss".into()),
                });
            }
            batches = batches
                .chunks(2)
                .map(|pair| {
                    pair.iter().fold(Sum::default(), |mut sum, batch| {
                        sum.add(*batch);
                        sum
                    })
                })
                .collect();
            length *= 2;
        }
    }

    fn periodic(&self, p: f64, seen: Feedback) -> Result<Response> {
        let spacing = 1.0 / (p * self.law.ack_every());
        let whole = spacing.round().max(1.0) as u64;
        let mut losses = 0.0;
        let mut next = move || {
            let before = (losses * spacing).round();
            losses += 1.0;
            ((losses * spacing).round() - before) as u64
        };
        if !self.law.carried().is_empty() {
            // The root p of standard TCP's window is near enough to begin with.
            let mut run = Run::new(self.law.as_ref(), seen, (1.5 / p).sqrt());
            run.lose();
            self.repeat(&mut run, whole, &mut next)?;
            return self.measure(run, 0, next);
        }
        let (window, used) = self.fixed_window(whole, seen)?;
        // A law without a stable fixed point (fast convergence) is started a hair off it, or it would stand on the edge.
        let start = if self.law.unsettled().is_some() {
            window * (1.0 + 1e-9)
        } else {
            window
        };
        let mut run = Run::new(self.law.as_ref(), seen, start);
        run.acks = used;
        run.lose();
        // Such a law needs time to fall into its cycle.
        self.measure(
            run,
            if self.law.unsettled().is_some() {
                400
            } else {
                4
            },
            next,
        )
    }

    /// Epochs until blocks of them, each about as long as what the law remembers, repeat themselves: what is left to come,
    /// by Aitken's rule, is below [`REPEATED`] of the window.
    fn repeat(&self, run: &mut Run<'_>, acks: u64, next: &mut dyn FnMut() -> u64) -> Result<()> {
        let (mut before, mut change) = (f64::NAN, f64::NAN);
        let mut turns = 0;
        loop {
            let mut block = Sum::default();
            for _ in 0..REPEATED_BLOCK {
                if run.acks.saturating_add(acks) > self.effort.budget {
                    return Err(self.exhausted("before the epochs repeated themselves"));
                }
                block.add(run.epoch(next()));
            }
            let window = block.packets / block.rounds;
            let moved = window - before;
            // Samples that are not in step with the losses leave a ripple, which does not end but turns.
            turns += usize::from(moved * change < 0.0);
            let left = moved * moved / (change - moved).abs();
            if moved.abs() <= 1e-12 * window || left <= REPEATED * window || turns > MOST_TURNS {
                return Ok(());
            }
            (before, change) = (window, moved);
        }
    }

    fn random(&self, p: f64, seen: Feedback) -> Result<Response> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.effort.seed);
        let run = Run::new(self.law.as_ref(), seen, 1.0);
        let k = self.law.ack_every();
        // Acknowledgements up to and including the one whose packets contain the next loss: geometric, by inversion.
        let kept = k * (-p).ln_1p();
        let next = move || {
            let u: f64 = 1.0 - rng.random::<f64>();
            (u.ln() / kept).ceil().clamp(1.0, 1e18) as u64
        };
        self.measure(run, WARM_UP, next)
    }
}

impl ResponseFunction for Ack {
    fn form(&self) -> &'static str {
        "law"
    }

    fn loss_model(&self) -> LossModel {
        self.losses
    }

    fn respond(&self, p: LossRate, path: &Path) -> Result<Response> {
        self.law.price().must_be_loss()?;
        let seen = path.feedback(self.law.as_ref())?;
        let answer = match self.losses {
            LossModel::Periodic => self.periodic(p.value(), seen),
            LossModel::Random => self.random(p.value(), seen),
            other => Err(Error::NoAnswer(format!(
                "losses on this road are periodic or random, not {}",
                other.name()
            ))),
        };
        match self.law.fault(answer.is_ok()) {
            Some(why) => Err(Error::NoAnswer(why)),
            None => answer,
        }
    }

    fn loss_for(&self, _window: Packets, _path: &Path) -> Result<LossRate> {
        Err(Error::NoAnswer(
            "a run for every trial loss rate would be needed: this road does not invert".into(),
        ))
    }
}
