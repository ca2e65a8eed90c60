//! Every packet is dropped with the same probability, whatever the queue.

use super::queue::{Key, Kind, Queue, Signal, Situation, Unit, within};
use std::sync::Arc;

/// A lossy link: drop tail with a constant drop probability on top.
#[derive(Debug, Clone, Copy)]
pub struct ConstantLoss {
    /// Probability that a packet is dropped.
    pub p: f64,
}

impl ConstantLoss {
    pub(super) const KIND: Kind = Kind {
        name: "constant-loss",
        meaning: "drops every packet with the same probability",
        keys: &[Key {
            name: "p",
            unit: Unit::Number,
            meaning: "drop probability",
        }],
        build: |values, _| {
            let p = values("p").unwrap_or(0.0);
            let p = within("p", p, (0.0..1.0).contains(&p), "0 or more and less than 1")?;
            Ok(Arc::new(ConstantLoss { p }))
        },
    };
}

impl Queue for ConstantLoss {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn signal(&self, _own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        Signal {
            drop: self.p,
            ..Signal::default()
        }
    }
    fn constant(&self) -> Option<Signal> {
        Some(Signal {
            drop: self.p,
            ..Signal::default()
        })
    }
}
