//! Adaptive RED (Floyd, Gummadi and Shenker 2001): RED whose `max_p` is steered so that the average queue stays in the
//! middle of the band from min to max.
//!
//! Every half second max_p grows by min(0.01, max_p/4) while the average is above the target band
//! [min + 0.4 (max − min), min + 0.6 (max − min)] and max_p ≤ 0.5, and shrinks by the factor 0.9 while it is below and
//! max_p ≥ 0.01 (or another bottom). The fluid takes the same steps continuously: max_p' = min(0.01, max_p/4)/0.5 s above,
//! max_p ln 0.9/0.5 s below. Within one percent of its ends max_p slows down in proportion to what is left, so that it comes to rest
//! there: a rate that broke off at the end would be switched on and off without end.

use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, within};
use super::red::{self, Red};
use std::sync::Arc;

/// RED that steers its own `max_p`.
#[derive(Debug, Clone, Copy)]
pub struct AdaptiveRed {
    /// RED's own parameters; [`Red::max_p`] is where it starts.
    pub red: Red,
    /// Below this `max_p` does not shrink.
    pub bottom: f64,
}

/// Seconds between two adaptations.
const INTERVAL: f64 = 0.5;
/// Largest step up.
const ALPHA: f64 = 0.01;
/// Factor of a step down.
const BETA: f64 = 0.9;
/// Above this max_p does not grow.
const TOP: f64 = 0.5;
/// Below this max_p does not shrink, unless told otherwise.
const BOTTOM: f64 = 0.01;

/// Share of an end of max_p within which it slows down.
const LANDING: f64 = 0.01;

/// Factor of the rate at this distance from an end.
fn landing(left: f64, end: f64) -> f64 {
    (left / (LANDING * end)).clamp(0.0, 1.0)
}

const KEYS: &[Key] = &{
    let mut keys = [Key {
        name: "bottom",
        unit: Unit::Number,
        meaning: "max_p does not shrink below it",
    }; red::KEYS.len() + 1];
    let mut place = 0;
    while place < red::KEYS.len() {
        keys[place] = red::KEYS[place];
        place += 1;
    }
    keys
};

impl AdaptiveRed {
    pub(super) const KIND: Kind = Kind {
        name: "adaptive-red",
        meaning: "random early detection that steers max_p",
        keys: KEYS,
        build: |values, capacity| {
            let bottom = values("bottom").unwrap_or(BOTTOM);
            let red = Red::from_values(values, capacity)?;
            let good = bottom > 0.0 && bottom <= TOP;
            let bottom = within("bottom", bottom, good, "more than 0 and at most 0.5")?;
            Ok(Arc::new(AdaptiveRed { red, bottom }))
        },
    };

    fn band(&self) -> (f64, f64) {
        let width = self.red.max - self.red.min;
        (self.red.min + 0.4 * width, self.red.min + 0.6 * width)
    }
}

impl Queue for AdaptiveRed {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn states(&self) -> &'static [&'static str] {
        &["average", "max_p"]
    }
    fn start(&self, queue: f64, own: &mut [f64]) {
        own[0] = queue;
        own[1] = self.red.max_p;
    }
    fn evolve(&self, own: &[f64], now: &Situation<'_>, rates: &mut [f64]) {
        let (average, max_p) = (own[0], own[1]);
        let (low, high) = self.band();
        rates[0] = self.red.averaging_rate(now.capacity) * (now.queue - average);
        rates[1] = if average > high && max_p <= TOP {
            ALPHA.min(0.25 * max_p) / INTERVAL * landing(TOP - max_p, TOP)
        } else if average < low && max_p >= self.bottom {
            max_p * BETA.ln() / INTERVAL * landing(max_p - self.bottom, self.bottom)
        } else {
            0.0
        };
    }
    fn signal(&self, own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        Signal {
            drop: self.red.probability(own[0], own[1].clamp(0.0, 1.0)),
            ..Signal::default()
        }
    }
    fn drops_before_entering(&self) -> bool {
        self.red.carried
    }
    fn switches(&self, own: &[f64], now: &Situation<'_>, out: &mut Vec<f64>) {
        self.red.switches(own, now, out);
        let (low, high) = self.band();
        out.extend([
            own[0] - low,
            own[0] - high,
            own[1] - (1.0 - LANDING) * TOP,
            own[1] - (1.0 + LANDING) * self.bottom,
            own[1] - 4.0 * ALPHA,
        ]);
    }
}
