//! Figures 10 and 11: how fast two newcomers get their share.

use super::{Protocol, Router, Setup};
use crate::error::Result;
use crate::fluid::simulate;
use rand::RngExt;

/// Four flows with a round trip of 100 ms at 2.5 Gbit/s, two of which start between 0 and 60 s and two between 100 and 160 s; 600 s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// Network, background, times.
    pub setup: Setup,
    /// The protocol of the four.
    pub protocol: Protocol,
}

impl Convergence {
    /// Seconds of a slice.
    pub const SLICE: f64 = 50.0;

    /// The paper's experiment.
    #[must_use]
    pub const fn new(protocol: Protocol, router: Router) -> Self {
        Self {
            setup: Setup {
                measure_from: 100.0,
                slices: 10,
                ..Setup::new(2.5e9, router)
            },
            protocol,
        }
    }

    /// Middle of each slice, seconds.
    #[must_use]
    pub fn times(&self) -> Vec<f64> {
        let width = (self.setup.duration - self.setup.measure_from) / self.setup.slices as f64;
        (0..self.setup.slices)
            .map(|k| self.setup.measure_from + (k as f64 + 0.5) * width)
            .collect()
    }

    /// Runs it: Jain's index (Σr)²/(4 Σr²) of the four in each slice.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<Vec<f64>> {
        let mut rng = Setup::random(seed, 4);
        let flows = [0.0, 0.0, 100.0, 100.0]
            .iter()
            .map(|from| self.protocol.flow(0.1, from + 60.0 * rng.random::<f64>()))
            .collect::<Result<Vec<_>>>()?;
        let count = flows.len();
        let summary = simulate(&self.setup.scenario(flows, seed)?, &mut ())?;
        let four = &summary.flows[..count];
        Ok((0..self.setup.slices)
            .map(|k| {
                let rates = four.iter().map(|flow| flow.rates.get(k).copied());
                let (sum, square) = rates
                    .flatten()
                    .fold((0.0, 0.0), |(sum, square), r| (sum + r, square + r * r));
                if square > 0.0 {
                    sum * sum / (count as f64 * square)
                } else {
                    0.0
                }
            })
            .collect())
    }
}
