//! Figure 2: how much loss is synchronised, against bandwidth.

use super::{LossLog, PROTOCOLS, Router, Setup};
use crate::analysis::synchronisation::{mean_gap, ratio};
use crate::error::Result;
use crate::fluid::{Flow, simulate};

/// Twenty HSTCP flows with round trips from 40 to 150 ms, evenly spread, starting in the first tenth of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Synchronisation {
    /// Network, background, times.
    pub setup: Setup,
    /// How many flows.
    pub flows: usize,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Synchrony {
    /// Seconds between two loss events of a flow.
    pub mean_gap: f64,
    /// Share of the intervals with losses in which at least a quarter, and at least half, of the flows lose.
    pub ratios: [f64; 2],
    /// Share of the capacity used.
    pub utilisation: f64,
}

impl Synchronisation {
    /// The paper's thresholds.
    pub const THRESHOLDS: [f64; 2] = [0.25, 0.5];

    /// The paper's experiment at this capacity.
    #[must_use]
    pub const fn new(capacity_bps: f64, router: Router) -> Self {
        Self {
            setup: Setup::new(capacity_bps, router),
            flows: 20,
        }
    }

    /// The high-speed flows.
    ///
    /// # Errors
    /// None.
    pub fn flows(&self, seed: u64) -> Result<Vec<Flow>> {
        use rand::RngExt;
        let mut rng = Setup::random(seed, 2);
        let last = self.flows.max(2) as f64 - 1.0;
        (0..self.flows)
            .map(|k| {
                let rtt = 0.04 + 0.11 * k as f64 / last;
                PROTOCOLS[1].flow(rtt, 0.1 * self.setup.duration * rng.random::<f64>())
            })
            .collect()
    }

    /// Runs it. The measurement interval is a tenth of the mean time between two loss events of a flow.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<Synchrony> {
        let setup = &self.setup;
        let scenario = setup.scenario(self.flows(seed)?, seed)?;
        let mut log = LossLog::new(self.flows, setup.measure_from);
        let summary = simulate(&scenario, &mut log)?;
        let gap = mean_gap(&log.times).unwrap_or(f64::NAN);
        let span = (setup.measure_from, setup.duration);
        Ok(Synchrony {
            mean_gap: gap,
            ratios: Self::THRESHOLDS
                .map(|threshold| ratio(&log.times, span, 0.1 * gap, threshold).unwrap_or(0.0)),
            utilisation: summary.links[0].utilisation,
        })
    }
}
