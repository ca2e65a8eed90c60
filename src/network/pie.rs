//! PIE (RFC 8033), as a fluid: PI control of the queueing delay, with a gain that follows the drop probability.
//!
//! ```text
//! p += s(p) (alpha (τ − target) + beta (τ − τ_old))   every T
//! p' = s(p) (alpha (τ − target)/T + beta τ')           as a fluid, τ = q/C
//! s(p) = 1/2048, 1/512, 1/128, 1/32, 1/8, 1/2, 1 below 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1 and above
//! ```
//!
//! From p = 0.1 on it grows by at most 0.02 in T; above 250 ms it grows by another 0.02; while the queue is empty it
//! shrinks by 1/64 in T (the kernel's rule; the RFC's is 0.98); nothing is dropped while τ is less than half its target and p below 0.2. The
//! burst allowance of 150 ms after idleness and the spacing of drops are not modelled. The whole arrival rate enters the queue unless `carried=1`.
//! Then, while p < 0.2, arrivals between C and C/(1 − p) hold the queue at half the target: packets are dropped just as often as
//! keeps it there, and p moves by the distance from the target alone. Likewise p may be held at 0.2 below that queue.

use super::pi::{CARRIED, inside, slope};
use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, Values, within};
use crate::error::Result;
use std::sync::Arc;

/// Control of a delay by a proportional and an integral term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayControl {
    /// Queueing delay that is aimed at, seconds.
    pub target: f64,
    /// Gain of the delay's distance from its target in an update, per second.
    pub alpha: f64,
    /// Gain of the delay's change, per second.
    pub beta: f64,
    /// Seconds between updates.
    pub update: f64,
    /// Dropped packets never enter the queue.
    pub carried: bool,
}

/// PIE.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pie(pub DelayControl);

impl Default for Pie {
    fn default() -> Self {
        Self(DelayControl {
            target: 0.015,
            alpha: 0.125,
            beta: 1.25,
            update: 0.015,
            carried: false,
        })
    }
}

pub(super) const TARGET: Key = Key {
    name: "target",
    unit: Unit::Time,
    meaning: "queueing delay that is aimed at",
};
pub(super) const ALPHA: Key = Key {
    name: "alpha",
    unit: Unit::Number,
    meaning: "gain of the distance from the target, Hz",
};
pub(super) const BETA: Key = Key {
    name: "beta",
    unit: Unit::Number,
    meaning: "gain of the change, Hz",
};
pub(super) const UPDATE: Key = Key {
    name: "update",
    unit: Unit::Time,
    meaning: "time between updates",
};

impl DelayControl {
    /// From values of the grammar, with `preset` for what is left out.
    pub(super) fn from_values(values: &Values<'_>, preset: Self) -> Result<Self> {
        let positive = |key: &str, default: f64| {
            let value = values(key).unwrap_or(default);
            within(key, value, value > 0.0 && value < 1e6, "more than 0")
        };
        Ok(Self {
            target: positive("target", preset.target)?,
            alpha: positive("alpha", preset.alpha)?,
            beta: positive("beta", preset.beta)?,
            update: positive("update", preset.update)?,
            carried: values("carried").unwrap_or(0.0) > 0.5,
        })
    }

    /// The controller's rate per second, while packets are dropped with probability `drop`.
    pub(super) fn rate(&self, now: &Situation<'_>, drop: f64) -> f64 {
        let delay = now.queue.max(0.0) / now.capacity;
        self.alpha * (delay - self.target) / self.update
            + self.beta * slope(now, drop, self.carried) / now.capacity
    }
}

/// Probabilities below which the gain is smaller, and by what.
const TABLE: [(f64, f64); 6] = [
    (1e-6, 1.0 / 2048.0),
    (1e-5, 1.0 / 512.0),
    (1e-4, 1.0 / 128.0),
    (1e-3, 1.0 / 32.0),
    (1e-2, 1.0 / 8.0),
    (0.1, 1.0 / 2.0),
];
/// Above this probability a step is limited.
const HIGH: f64 = 0.1;
/// The limit of a step, and the step on top above `LONG` seconds of delay.
const STEP: f64 = 0.02;
const LONG: f64 = 0.25;
/// What is kept in an update while the queue is empty.
const IDLE: f64 = 63.0 / 64.0;
/// Below this probability short queues are spared.
const SPARED: f64 = 0.2;
/// Relative distance from the threshold that counts as on it: rounding.
const ON: f64 = 1e-9;

impl Pie {
    pub(super) const KIND: Kind = Kind {
        name: "pie",
        meaning: "PI control of the queueing delay, gain by a table",
        keys: &[TARGET, ALPHA, BETA, UPDATE, CARRIED],
        build: |values, _| {
            let preset = Pie::default().0;
            Ok(Arc::new(Pie(DelayControl::from_values(values, preset)?)))
        },
    };

    /// The factor of the gain at a drop probability.
    ///
    /// ```
    /// assert_eq!(cwnd::network::Pie::factor(0.02), 0.5);
    /// assert_eq!(cwnd::network::Pie::factor(0.5), 1.0);
    /// ```
    #[must_use]
    pub fn factor(p: f64) -> f64 {
        TABLE
            .iter()
            .find(|(below, _)| p < *below)
            .map_or(1.0, |(_, factor)| *factor)
    }

    /// The queue up to which packets are spared.
    fn threshold(&self, capacity: f64) -> f64 {
        0.5 * self.0.target * capacity
    }

    /// The drop probability that keeps p at 0.2, where one below the threshold would rise for want of drops and one above
    /// fall by them: the queue then moves so that both terms cancel.
    fn pinned(&self, p: f64, now: &Situation<'_>) -> Option<f64> {
        let DelayControl {
            target,
            alpha,
            beta,
            update,
            carried,
        } = self.0;
        let on = carried && (p - SPARED).abs() <= ON && now.arrival > 0.0;
        if !on || now.queue <= 0.0 || now.queue >= self.threshold(now.capacity) {
            return None;
        }
        let slope = alpha * (target * now.capacity - now.queue) / update / beta;
        let drop = 1.0 - (now.capacity + slope) / now.arrival;
        (0.0 < drop && drop < p).then_some(drop)
    }

    fn drop(&self, own: &[f64], now: &Situation<'_>) -> f64 {
        let p = own[0].clamp(0.0, 1.0);
        let threshold = self.threshold(now.capacity);
        if let Some(drop) = self.pinned(p, now) {
            drop
        } else if p >= SPARED {
            p
        } else if self.0.carried && (now.queue - threshold).abs() <= ON * threshold {
            // On the jump whatever between its ends keeps the queue there.
            (1.0 - now.capacity / now.arrival.max(now.capacity)).min(p)
        } else if now.queue < threshold {
            0.0
        } else {
            p
        }
    }
}

impl Queue for Pie {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn states(&self) -> &'static [&'static str] {
        &["p"]
    }
    fn evolve(&self, own: &[f64], now: &Situation<'_>, rates: &mut [f64]) {
        let p = own[0].clamp(0.0, 1.0);
        let step = STEP / self.0.update;
        if now.queue <= 0.0 {
            rates[0] = p * IDLE.ln() / self.0.update;
            return;
        }
        if self.pinned(p, now).is_some() {
            rates[0] = 0.0;
            return;
        }
        let mut rate = Self::factor(p) * self.0.rate(now, self.drop(own, now));
        if p >= HIGH {
            rate = rate.min(step);
        }
        if now.queue > LONG * now.capacity {
            rate += step;
        }
        rates[0] = inside(own[0], rate);
    }
    fn signal(&self, own: &[f64], now: &Situation<'_>, _flow: usize) -> Signal {
        Signal {
            drop: self.drop(own, now),
            ..Signal::default()
        }
    }
    fn drops_before_entering(&self) -> bool {
        self.0.carried
    }
    /// Where the gain first changes: down there p grows in proportion to itself.
    fn scales(&self) -> Vec<f64> {
        vec![TABLE[0].0]
    }
    fn relay(&self, own: &[f64], capacity: f64) -> Option<(f64, f64)> {
        let p = own[0].clamp(0.0, 1.0);
        (self.0.carried && p < SPARED).then(|| (self.threshold(capacity), p))
    }
    fn switches(&self, own: &[f64], now: &Situation<'_>, out: &mut Vec<f64>) {
        out.extend(TABLE.map(|(p, _)| own[0] - p));
        out.extend([
            own[0] - SPARED,
            now.queue - self.threshold(now.capacity),
            now.queue - LONG * now.capacity,
        ]);
    }
}
