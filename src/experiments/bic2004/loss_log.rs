//! What is watched during a run.

use crate::fluid::{Event, Observer, What};

/// Times of the loss events of the first flows.
#[derive(Debug, Clone, Default)]
pub struct LossLog {
    /// Seconds, ascending, for each of the flows watched.
    pub times: Vec<Vec<f64>>,
    from: f64,
}

impl LossLog {
    /// Watches the first `flows` from `from` seconds on.
    #[must_use]
    pub fn new(flows: usize, from: f64) -> Self {
        Self {
            times: vec![Vec::new(); flows],
            from,
        }
    }
}

impl Observer for LossLog {
    fn wants_events(&self) -> bool {
        true
    }
    fn event(&mut self, event: &Event) {
        if event.what == What::Loss
            && event.time >= self.from
            && let Some(times) = self.times.get_mut(event.whose)
        {
            times.push(event.time);
        }
    }
}
