//! Random early detection (Floyd and Jacobson 1993), as a fluid: the average queue follows the queue, and the drop
//! probability rises with the average.
//!
//! ```text
//! x' = K (q − x),  K = −C ln(1 − weight)
//! p = 0                              x < min
//!     max_p (x − min)/(max − min)    min ≤ x < max
//!     max_p + (1 − max_p)(x/max − 1) max ≤ x < 2 max, gentle; 1 otherwise
//! ```
//!
//! K is the rate of the exponential average that is taken at each packet of a busy link. The count between drops, which real
//! implementations use to space them evenly, is not modelled: it would change the drop rate (by 2 or by 2/3), and fluid models use
//! p. As in Misra, Gong and Towsley (2000) the whole arrival rate enters the queue unless `carried=1`.

use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, Values, within};
use crate::error::{Error, Result};
use std::sync::Arc;

/// The parameters of RED.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Red {
    /// Average queue below which nothing is dropped, packets.
    pub min: f64,
    /// Average queue at which the drop probability is `max_p`, packets.
    pub max: f64,
    /// Drop probability at `max`.
    pub max_p: f64,
    /// Weight of a new sample in the average, one sample a packet.
    pub weight: f64,
    /// Above `max` the probability climbs to 1 at 2 `max` instead of jumping there.
    pub gentle: bool,
    /// Dropped packets never enter the queue.
    pub carried: bool,
}

pub(super) const KEYS: &[Key] = &[
    Key {
        name: "min",
        unit: Unit::Packets,
        meaning: "average queue below which nothing is dropped",
    },
    Key {
        name: "max",
        unit: Unit::Packets,
        meaning: "average queue at which max_p is reached",
    },
    Key {
        name: "max_p",
        unit: Unit::Number,
        meaning: "drop probability at max",
    },
    Key {
        name: "weight",
        unit: Unit::Number,
        meaning: "weight of a packet in the average queue",
    },
    Key {
        name: "gentle",
        unit: Unit::Switch,
        meaning: "climb to 1 between max and 2 max",
    },
    Key {
        name: "carried",
        unit: Unit::Switch,
        meaning: "dropped packets never enter the queue",
    },
];

impl Red {
    pub(super) const KIND: Kind = Kind {
        name: "red",
        meaning: "random early detection on the average queue",
        keys: KEYS,
        build: |values, capacity| Ok(Arc::new(Red::from_values(values, capacity)?)),
    };

    /// From values of the grammar; ns-2's automatic settings for what is left out: min = max(5, 5 ms of the link/2),
    /// max = 3 min, max_p = 0.1, weight = 1 − exp(−1/C), gentle.
    pub(super) fn from_values(values: &Values<'_>, capacity: f64) -> Result<Self> {
        let min = values("min").unwrap_or_else(|| (0.0025 * capacity).max(5.0));
        let max = values("max").unwrap_or(3.0 * min);
        if max <= min {
            return Err(Error::Arguments(format!(
                "RED's `min` of {min} packets is not less than its `max` of {max} packets: min must be less than max"
            )));
        }
        let max_p = values("max_p").unwrap_or(0.1);
        let weight = values("weight").unwrap_or_else(|| -(-1.0 / capacity).exp_m1());
        Ok(Self {
            min,
            max,
            max_p: within(
                "max_p",
                max_p,
                max_p > 0.0 && max_p <= 1.0,
                "more than 0 and at most 1",
            )?,
            weight: within(
                "weight",
                weight,
                weight > 0.0 && weight < 1.0,
                "more than 0 and less than 1",
            )?,
            gentle: values("gentle").unwrap_or(1.0) > 0.5,
            carried: values("carried").unwrap_or(0.0) > 0.5,
        })
    }

    /// The drop probability at an average queue of `x` packets.
    ///
    /// ```
    /// use cwnd::network::Red;
    /// let red = Red { min: 30.0, max: 90.0, max_p: 0.1, weight: 0.002, gentle: true, carried: false };
    /// assert!((red.probability(60.0, 0.1) - 0.05).abs() < 1e-15);
    /// assert!((red.probability(135.0, 0.1) - 0.55).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn probability(&self, x: f64, max_p: f64) -> f64 {
        if x < self.min {
            0.0
        } else if x < self.max {
            max_p * (x - self.min) / (self.max - self.min)
        } else if self.gentle && x < 2.0 * self.max {
            max_p + (1.0 - max_p) * (x / self.max - 1.0)
        } else {
            1.0
        }
    }

    /// K of the average, per second.
    #[must_use]
    pub fn averaging_rate(&self, capacity: f64) -> f64 {
        -capacity * (-self.weight).ln_1p()
    }
}

impl Queue for Red {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn states(&self) -> &'static [&'static str] {
        &["average"]
    }
    fn start(&self, queue: f64, own: &mut [f64]) {
        own[0] = queue;
    }
    fn evolve(&self, own: &[f64], now: &Situation<'_>, rates: &mut [f64]) {
        rates[0] = self.averaging_rate(now.capacity) * (now.queue - own[0]);
    }
    fn signal(&self, own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        Signal {
            drop: self.probability(own[0], self.max_p),
            ..Signal::default()
        }
    }
    fn drops_before_entering(&self) -> bool {
        self.carried
    }
    fn switches(&self, own: &[f64], _now: &Situation<'_>, out: &mut Vec<f64>) {
        out.extend([
            own[0] - self.min,
            own[0] - self.max,
            own[0] - 2.0 * self.max,
        ]);
    }
}
