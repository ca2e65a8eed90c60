//! The router of XCP (Katabi, Handley and Rohrs 2002), as a fluid: an efficiency controller that steers the whole traffic, and a
//! fairness controller that divides the change among the flows that listen.
//!
//! ```text
//! φ = α (C − y) − β Q/d           change of the whole rate in an interval d
//! h = max(0, γ y − |φ|)           shuffled on top (equation 2), or γ y (appendices A and B)
//! x_i' = [ (h + φ⁺) w_i/Σw − (h + φ⁻) x_i/Σx ]/d
//! ```
//!
//! d is the mean round trip of the flows, each counted w times; w is 1 unless a flow pays a price. A positive change is divided
//! equally, a negative one in proportion to the rates: what equations 4 to 9 write into packets adds up to these sums over a
//! flow's packets of an interval. The paper's Q is the least queue of the last interval, so that a burst within one round trip does not
//! count; a fluid has no such bursts, and its Q is its queue, as in the paper's own fluid model (equations 15 and 16). Traffic that does not listen counts in y only.

use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, within};
use std::sync::Arc;

/// The parameters of the router.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct XcpRouter {
    /// Share of the spare capacity given out in an interval.
    pub alpha: f64,
    /// Share of the queue drained in an interval.
    pub beta: f64,
    /// Share of the traffic taken and given anew in an interval.
    pub gamma: f64,
    /// Shuffle γ y whatever φ is.
    pub full_shuffle: bool,
}

impl Default for XcpRouter {
    fn default() -> Self {
        Self {
            alpha: 0.4,
            beta: 0.226,
            gamma: 0.1,
            full_shuffle: false,
        }
    }
}

const KEYS: &[Key] = &[
    Key {
        name: "alpha",
        unit: Unit::Number,
        meaning: "share of the spare capacity given out in a round trip",
    },
    Key {
        name: "beta",
        unit: Unit::Number,
        meaning: "share of the queue drained in a round trip",
    },
    Key {
        name: "gamma",
        unit: Unit::Number,
        meaning: "share of the traffic taken and given anew in a round trip",
    },
    Key {
        name: "full_shuffle",
        unit: Unit::Switch,
        meaning: "shuffle gamma y whatever phi is (appendices A and B) instead of max(0, gamma y - |phi|) (equation 2)",
    },
];

impl XcpRouter {
    pub(super) const KIND: Kind = Kind {
        name: "xcp",
        meaning: "XCP's router: explicit feedback to the flows that listen",
        keys: KEYS,
        build: |values, _| {
            let preset = XcpRouter::default();
            let positive = |key: &str, default: f64, most: f64| {
                let value = values(key).unwrap_or(default);
                within(
                    key,
                    value,
                    value > 0.0 && value <= most,
                    &format!("more than 0 and at most {most}"),
                )
            };
            Ok(Arc::new(XcpRouter {
                alpha: positive("alpha", preset.alpha, 2.0)?,
                beta: positive("beta", preset.beta, 10.0)?,
                gamma: positive("gamma", preset.gamma, 1.0)?,
                full_shuffle: values("full_shuffle").unwrap_or(0.0) > 0.5,
            }))
        },
    };

    /// φ and h, packets per second and interval: what the whole traffic of `y` packets per second is told to change, and what is
    /// shuffled on top, at this capacity (packets per second) with a queue that takes `wait` intervals to serve.
    ///
    /// ```
    /// use cwnd::network::XcpRouter;
    /// let (phi, shuffled) = XcpRouter::default().steer(95.0, 100.0, 0.0);
    /// assert!((phi - 2.0).abs() < 1e-12 && (shuffled - 7.5).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn steer(&self, y: f64, capacity: f64, wait: f64) -> (f64, f64) {
        let phi = self.alpha * (capacity - y) - self.beta * wait * capacity;
        let shuffled = if self.full_shuffle {
            self.gamma * y
        } else {
            (self.gamma * y - phi.abs()).max(0.0)
        };
        (phi, shuffled)
    }
}

impl Queue for XcpRouter {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn carries(&self) -> bool {
        true
    }
    fn explicit(&self) -> bool {
        true
    }
    /// Nothing but feedback, and that travels: see [`Queue::signals`].
    fn signal(&self, _own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        Signal::default()
    }
    fn signals(&self, _own: &[f64], now: &Situation<'_>, out: &mut Vec<Signal>) {
        let (mut weights, mut rates, mut trips) = (0.0, 0.0, 0.0);
        for flow in now.flows {
            if flow.window > 0.0 && flow.weight > 0.0 {
                weights += flow.weight;
                rates += flow.rate;
                trips += flow.weight * flow.rtt;
            }
        }
        let d = trips / weights;
        let (phi, shuffled) = if weights > 0.0 {
            self.steer(now.arrival, now.capacity, now.queue / (now.capacity * d))
        } else {
            (0.0, 0.0)
        };
        let gain = (shuffled + phi.max(0.0)) / (weights * d);
        let cut = (shuffled + (-phi).max(0.0)) / (rates * d);
        out.extend(now.flows.iter().map(|flow| {
            let listens = flow.window > 0.0 && flow.weight > 0.0;
            Signal {
                explicit: if listens {
                    gain * flow.weight - cut * flow.rate
                } else {
                    0.0
                },
                ..Signal::default()
            }
        }));
    }
}
