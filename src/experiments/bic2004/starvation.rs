//! Figure 3: ten Scalable flows, two of them with twice the round trip.

use super::{PROTOCOLS, Router, Setup};
use crate::error::Result;
use crate::fluid::{Flow, Observer, Sample, Scenario, simulate};
use rand::RngExt;

/// Ten STCP flows at 2.4 Gbit/s, drop tail, starting at different times in the first tenth of the run: eight at 80 ms, two at 160 ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Starvation {
    /// Network, background, times.
    pub setup: Setup,
}

/// Their windows over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Starved {
    /// Seconds.
    pub times: Vec<f64>,
    /// Packets, for each flow.
    pub windows: Vec<Vec<f64>>,
}

/// Flows with the shorter round trip, and all.
const SHORT: usize = 8;
const ALL: usize = 10;

impl Observer for Starved {
    fn every(&self) -> Option<f64> {
        Some(1.0)
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        self.times.push(sample.time);
        self.windows.resize(ALL, Vec::new());
        for (kept, window) in self.windows.iter_mut().zip(sample.windows) {
            kept.push(*window);
        }
    }
}

impl Starved {
    /// Mean window of the flows with the shorter and with the longer round trip at each time.
    #[must_use]
    pub fn means(&self) -> [Vec<f64>; 2] {
        let mean = |flows: std::ops::Range<usize>| -> Vec<f64> {
            let count = flows.len() as f64;
            let windows = self.windows.get(flows).unwrap_or_default();
            let at = |k: usize| windows.iter().map(|w| w[k]).sum::<f64>() / count;
            (0..self.times.len()).map(at).collect()
        };
        [mean(0..SHORT), mean(SHORT..ALL)]
    }
}

impl Default for Starvation {
    fn default() -> Self {
        Self {
            setup: Setup::new(2.4e9, Router::DropTail),
        }
    }
}

impl Starvation {
    /// The whole scenario.
    ///
    /// # Errors
    /// None.
    pub fn scenario(&self, seed: u64) -> Result<Scenario> {
        let mut rng = Setup::random(seed, 5);
        let flows: Vec<Flow> = (0..ALL)
            .map(|k| {
                let rtt = if k < SHORT { 0.08 } else { 0.16 };
                PROTOCOLS[2].flow(rtt, 0.1 * self.setup.duration * rng.random::<f64>())
            })
            .collect::<Result<_>>()?;
        self.setup.scenario(flows, seed)
    }

    /// Runs it.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<Starved> {
        let mut watched = Starved::default();
        simulate(&self.scenario(seed)?, &mut watched)?;
        Ok(watched)
    }
}
