//! Drop tail: nothing is dropped until the buffer is full.

use super::queue::{Kind, Queue, Signal, Situation};
use std::sync::Arc;

/// A queue that drops only what does not fit.
#[derive(Debug, Clone, Copy)]
pub struct DropTail;

impl DropTail {
    pub(super) const KIND: Kind = Kind {
        name: "drop-tail",
        meaning: "drops what does not fit into the buffer",
        keys: &[],
        build: |_, _| Ok(Arc::new(DropTail)),
    };
}

impl Queue for DropTail {
    fn name(&self) -> &'static str {
        Self::KIND.name
    }
    fn constant(&self) -> Option<Signal> {
        Some(Signal::default())
    }
    fn signal(&self, _own: &[f64], _now: &Situation<'_>, _flow: usize) -> Signal {
        Signal::default()
    }
}
