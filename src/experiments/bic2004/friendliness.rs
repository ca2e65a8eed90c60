//! Figure 9: who gets how much beside standard TCP.

use super::{PACKET_BITS, Protocol, Router, Setup};
use crate::error::Result;
use crate::fluid::simulate;
use rand::RngExt;

/// Four high-speed flows and four long-lived TCP flows over the background. The paper gives neither numbers nor round trips; both
/// kinds have round trips drawn from 40 to 150 ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friendliness {
    /// Network, background, times.
    pub setup: Setup,
    /// The protocol of the high-speed flows.
    pub protocol: Protocol,
}

/// Shares of the capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classes {
    /// Web traffic and small TCP flows.
    pub background: f64,
    /// Long-lived TCP flows.
    pub long_lived: f64,
    /// High-speed flows.
    pub high_speed: f64,
    /// Nobody's.
    pub unused: f64,
}

/// High-speed flows, and as many long-lived TCP flows.
const FLOWS: usize = 4;

impl Friendliness {
    /// The capacities of the figure, bits per second.
    pub const CAPACITIES: [f64; 4] = [20e6, 100e6, 500e6, 2.5e9];

    /// The paper's experiment at this capacity.
    #[must_use]
    pub const fn new(protocol: Protocol, capacity_bps: f64, router: Router) -> Self {
        Self {
            setup: Setup {
                long_lived: FLOWS,
                ..Setup::new(capacity_bps, router)
            },
            protocol,
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<Classes> {
        let setup = &self.setup;
        let mut rng = Setup::random(seed, 3);
        let flows = (0..FLOWS)
            .map(|_| {
                let rtt = 0.04 + 0.11 * rng.random::<f64>();
                self.protocol
                    .flow(rtt, 0.05 * setup.duration * rng.random::<f64>())
            })
            .collect::<Result<_>>()?;
        let summary = simulate(&setup.scenario(flows, seed)?, &mut ())?;
        let share = |range: std::ops::Range<usize>| -> f64 {
            let rates = summary.flows.get(range).unwrap_or_default();
            rates.iter().map(|flow| flow.rate).sum::<f64>() * PACKET_BITS / setup.capacity_bps
        };
        let long_lived = setup.long_lived_at(FLOWS);
        let (high_speed, background) =
            (share(0..FLOWS), share(long_lived.end..summary.flows.len()));
        let long_lived = share(long_lived);
        Ok(Classes {
            background,
            long_lived,
            high_speed,
            unused: 1.0 - background - long_lived - high_speed,
        })
    }
}
