//! PI2 (De Schepper, Bondarenko, Tsang and Briscoe 2016; coupled in RFC 9332), as a fluid: PI control of the queueing delay whose output is
//! squared for senders whose rate goes as 1/√p.
//!
//! ```text
//! p' += alpha (τ − target) + beta (τ − τ_old)   every T (here p' is the controller's own variable)
//! drop p'², mark for scalable senders min(1, k p')
//! ```
//!
//! Defaults are those of RFC 9332, rounded as there; the kernel's are 41/256 and 819/256. The whole arrival rate enters the queue unless `carried=1`.

use super::pi::{CARRIED, inside};
use super::pie::{ALPHA, BETA, DelayControl, TARGET, UPDATE};
use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, within};
use std::sync::Arc;

/// PI2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pi2 {
    /// The controller.
    pub control: DelayControl,
    /// Marks for scalable senders per unit of its variable.
    pub coupling: f64,
}

impl Default for Pi2 {
    fn default() -> Self {
        Self {
            control: DelayControl {
                target: 0.015,
                alpha: 0.16,
                beta: 3.2,
                update: 0.016,
                carried: false,
            },
            coupling: 2.0,
        }
    }
}

impl Pi2 {
    pub(super) const KIND: Kind = Kind {
        name: "pi2",
        meaning: "PI control of the queueing delay, output squared",
        keys: &[
            TARGET,
            ALPHA,
            BETA,
            UPDATE,
            Key {
                name: "k",
                unit: Unit::Number,
                meaning: "marks for scalable senders per unit of the controller's variable",
            },
            CARRIED,
        ],
        build: |values, _| {
            let preset = Pi2::default();
            let k = values("k").unwrap_or(preset.coupling);
            Ok(Arc::new(Pi2 {
                control: DelayControl::from_values(values, preset.control)?,
                coupling: within("k", k, k > 0.0 && k < 1e6, "more than 0")?,
            }))
        },
    };
}

impl Queue for Pi2 {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn states(&self) -> &'static [&'static str] {
        &["p"]
    }
    fn evolve(&self, own: &[f64], now: &Situation<'_>, rates: &mut [f64]) {
        let p = own[0].clamp(0.0, 1.0);
        rates[0] = inside(own[0], self.control.rate(now, p * p));
    }
    fn carries(&self) -> bool {
        true
    }
    fn signal(&self, own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        let p = own[0].clamp(0.0, 1.0);
        Signal {
            drop: p * p,
            mark: (self.coupling * p).min(1.0),
            ..Signal::default()
        }
    }
    fn drops_before_entering(&self) -> bool {
        self.control.carried
    }
}
