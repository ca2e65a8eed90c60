//! Tables 1 to 3 and the utilisation: two high-speed flows, 40 ms and a multiple of it.

use super::{Protocol, Router, Setup};
use crate::error::Result;
use crate::fluid::{Scenario, simulate};
use rand::RngExt;

/// Two flows of one protocol, starting in the first tenth of the run, over the background with two long-lived TCP flows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Network, background, times.
    pub setup: Setup,
    /// The protocol of both flows.
    pub protocol: Protocol,
    /// Round trips of both flows without queues, seconds.
    pub rtts: [f64; 2],
}

/// What they got.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// Bits per second.
    pub rates: [f64; 2],
    /// The first over the second.
    pub ratio: f64,
    /// Share of the capacity used by all.
    pub utilisation: f64,
    /// Seconds of waiting in the mean queue.
    pub wait: f64,
}

impl Pair {
    /// The paper's experiment: 40 ms and `inverse` times that.
    #[must_use]
    pub const fn new(protocol: Protocol, capacity_bps: f64, router: Router, inverse: f64) -> Self {
        let setup = Setup::new(capacity_bps, router);
        Self {
            setup: Setup {
                long_lived: 2,
                ..setup
            },
            protocol,
            rtts: [0.04, 0.04 * inverse],
        }
    }

    /// The whole scenario.
    ///
    /// # Errors
    /// None for the paper's numbers.
    pub fn scenario(&self, seed: u64) -> Result<Scenario> {
        let mut rng = Setup::random(seed, 1);
        let mut start = || 0.1 * self.setup.duration * rng.random::<f64>();
        let flows = self
            .rtts
            .iter()
            .map(|rtt| self.protocol.flow(*rtt, start()))
            .collect::<Result<_>>()?;
        self.setup.scenario(flows, seed)
    }

    /// Runs it.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<Shares> {
        let scenario = self.scenario(seed)?;
        let summary = simulate(&scenario, &mut ())?;
        let rates = [0, 1].map(|f| summary.flows[f].rate * super::PACKET_BITS);
        let link = &summary.links[0];
        Ok(Shares {
            rates,
            ratio: rates[0] / rates[1],
            utilisation: link.utilisation,
            wait: link.queue_mean / self.setup.capacity(),
        })
    }
}
