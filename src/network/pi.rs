//! The PI controller (Hollot, Misra, Towsley and Gong 2001), as a fluid: the drop probability follows the queue's distance from its target
//! and the queue's slope.
//!
//! ```text
//! p += a (q − target) − b (q_old − target)   every 1/w seconds
//! p' = (a − b) w (q − target) + (a + b)/2 q'  as a fluid
//! ```
//!
//! The second line is the controller K (s/z + 1)/s whose bilinear discretisation at the rate w the first is: K = (a − b) w,
//! K/z = (a + b)/2. p stays between 0 and 1. The whole arrival rate enters the queue unless `carried=1`, as in RED here.

use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, within};
use std::sync::Arc;

/// The parameters of the controller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pi {
    /// Queue that is aimed at, packets.
    pub target: f64,
    /// Weight of the present queue.
    pub a: f64,
    /// Weight of the queue before.
    pub b: f64,
    /// Samples per second.
    pub w: f64,
    /// Dropped packets never enter the queue.
    pub carried: bool,
}

impl Default for Pi {
    /// The paper's example, for 3750 packets/s, 60 flows and 246 ms, and ns-2's target.
    fn default() -> Self {
        Self {
            target: 50.0,
            a: 1.822e-5,
            b: 1.816e-5,
            w: 160.0,
            carried: false,
        }
    }
}

pub(super) const CARRIED: Key = Key {
    name: "carried",
    unit: Unit::Switch,
    meaning: "dropped packets never enter the queue",
};

impl Pi {
    pub(super) const KIND: Kind = Kind {
        name: "pi",
        meaning: "proportional-integral control of the queue",
        keys: &[
            Key {
                name: "target",
                unit: Unit::Packets,
                meaning: "queue that is aimed at",
            },
            Key {
                name: "a",
                unit: Unit::Number,
                meaning: "weight of the present queue",
            },
            Key {
                name: "b",
                unit: Unit::Number,
                meaning: "weight of the queue before, less than a",
            },
            Key {
                name: "w",
                unit: Unit::Number,
                meaning: "samples per second",
            },
            CARRIED,
        ],
        build: |values, _| {
            let preset = Pi::default();
            let positive = |key: &str, default: f64| {
                let value = values(key).unwrap_or(default);
                within(key, value, value > 0.0 && value < 1e12, "more than 0")
            };
            let a = positive("a", preset.a)?;
            let b = values("b").unwrap_or(preset.b * a / preset.a);
            Ok(Arc::new(Pi {
                target: positive("target", preset.target)?,
                a,
                b: within("b", b, b > 0.0 && b < a, "more than 0 and less than a")?,
                w: positive("w", preset.w)?,
                carried: values("carried").unwrap_or(0.0) > 0.5,
            }))
        },
    };
}

/// The slope of the queue, packets per second, when packets are dropped with this probability.
pub(super) fn slope(now: &Situation<'_>, drop: f64, carried: bool) -> f64 {
    let entering = now.arrival * if carried { 1.0 - drop } else { 1.0 };
    let slope = entering - now.capacity;
    let held = (now.queue <= 0.0 && slope < 0.0) || (now.queue >= now.buffer && slope > 0.0);
    if held { 0.0 } else { slope }
}

/// `rate`, unless it would take `p` out of 0 to 1.
pub(super) fn inside(p: f64, rate: f64) -> f64 {
    if (p <= 0.0 && rate < 0.0) || (p >= 1.0 && rate > 0.0) {
        0.0
    } else {
        rate
    }
}

impl Queue for Pi {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn states(&self) -> &'static [&'static str] {
        &["p"]
    }
    fn evolve(&self, own: &[f64], now: &Situation<'_>, rates: &mut [f64]) {
        let p = own[0].clamp(0.0, 1.0);
        let moved = slope(now, p, self.carried);
        let rate = (self.a - self.b) * self.w * (now.queue - self.target)
            + 0.5 * (self.a + self.b) * moved;
        rates[0] = inside(own[0], rate);
    }
    fn signal(&self, own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        Signal {
            drop: own[0].clamp(0.0, 1.0),
            ..Signal::default()
        }
    }
    fn drops_before_entering(&self) -> bool {
        self.carried
    }
}
