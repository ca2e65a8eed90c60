//! Easy RED (Grieco and Mascolo 2002): the same drop probability whenever the queue itself, not its average, has reached a
//! threshold.
//!
//! ```text
//! p(q) = 0   q < min
//!        p   q ≥ min
//! ```
//!
//! Two parameters; what does not fit into the buffer is dropped besides, and nothing else where the threshold leaves no room in it. As in Misra, Gong and Towsley (2000) the whole arrival
//! rate enters the queue unless `carried=1`. Then the jump of p makes the queue's own speed jump, and where arrivals lie
//! between C and C/(1 − p) the queue is held at the threshold: packets are dropped just as often as keeps it there.

use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, leaves_room, within};
use std::sync::Arc;

/// The parameters of Easy RED.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EasyRed {
    /// Queue from which on packets are dropped, packets.
    pub min: f64,
    /// Drop probability there and above.
    pub p: f64,
    /// Dropped packets never enter the queue.
    pub carried: bool,
}

impl EasyRed {
    pub(super) const KIND: Kind = Kind {
        name: "easy-red",
        meaning: "one drop probability above a threshold of the queue itself",
        keys: &[
            Key {
                name: "min",
                unit: Unit::Packets,
                meaning: "queue from which on packets are dropped",
            },
            Key {
                name: "p",
                unit: Unit::Number,
                meaning: "drop probability there and above",
            },
            Key {
                name: "carried",
                unit: Unit::Switch,
                meaning: "dropped packets never enter the queue",
            },
        ],
        build: |values, capacity| {
            // The slides' drop probability; they leave the threshold open: RED's automatic one.
            let min = values("min").unwrap_or_else(|| (0.0025 * capacity).max(5.0));
            let p = values("p").unwrap_or(0.01);
            Ok(Arc::new(EasyRed {
                min: within("min", min, min > 0.0, "more than 0")?,
                p: within("p", p, p > 0.0 && p < 1.0, "more than 0 and less than 1")?,
                carried: values("carried").unwrap_or(0.0) > 0.5,
            }))
        },
    };

    /// The drop probability at a queue of `q` packets.
    ///
    /// ```
    /// use cwnd::network::EasyRed;
    /// let queue = EasyRed { min: 200.0, p: 0.01, carried: false };
    /// assert_eq!((queue.probability(199.0), queue.probability(200.0)), (0.0, 0.01));
    /// ```
    #[must_use]
    pub fn probability(&self, q: f64) -> f64 {
        if q < self.min { 0.0 } else { self.p }
    }
}

impl Queue for EasyRed {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn signal(&self, _own: &[f64], now: &Situation<'_>, _flow: usize) -> Signal {
        let drop = if leaves_room(self.min, now.buffer) {
            self.probability(now.queue)
        } else {
            0.0
        };
        Signal {
            drop,
            ..Signal::default()
        }
    }
    fn drops_before_entering(&self) -> bool {
        self.carried
    }
    fn relay(&self, _own: &[f64], _capacity: f64) -> Option<(f64, f64)> {
        self.carried.then_some((self.min, self.p))
    }
    fn switches(&self, _own: &[f64], now: &Situation<'_>, out: &mut Vec<f64>) {
        out.push(now.queue - self.min);
    }
}
