//! Gentle RED: RED whose drop probability climbs from `max_p` at `max` to 1 at twice `max` instead of jumping there.

use super::queue::{Key, Kind, Queue, Signal, Situation};
use super::red::{KEYS, Red};
use std::sync::Arc;

/// RED with [`Red::gentle`] on, under a name of its own: the slides compare it with RED that jumps.
#[derive(Debug, Clone, Copy)]
pub struct GentleRed(pub Red);

const GENTLE_KEYS: &[Key] = &[KEYS[0], KEYS[1], KEYS[2], KEYS[3], KEYS[5]];

impl GentleRed {
    pub(super) const KIND: Kind = Kind {
        name: "gentle-red",
        meaning: "random early detection, climbing to 1 between max and 2 max",
        keys: GENTLE_KEYS,
        build: |values, capacity| {
            Ok(Arc::new(GentleRed(Red {
                gentle: true,
                ..Red::from_values(values, capacity)?
            })))
        },
    };
}

impl Queue for GentleRed {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn states(&self) -> &'static [&'static str] {
        self.0.states()
    }
    fn start(&self, queue: f64, own: &mut [f64]) {
        self.0.start(queue, own);
    }
    fn evolve(&self, own: &[f64], now: &Situation<'_>, rates: &mut [f64]) {
        self.0.evolve(own, now, rates);
    }
    fn signal(&self, own: &[f64], now: &Situation<'_>, flow: usize) -> Signal {
        self.0.signal(own, now, flow)
    }
    fn drops_before_entering(&self) -> bool {
        self.0.carried
    }
    fn switches(&self, own: &[f64], now: &Situation<'_>, out: &mut Vec<f64>) {
        self.0.switches(own, now, out);
    }
}
