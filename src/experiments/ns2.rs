//! Two flows at a drop-tail link as the packet simulator ns-2 saw them, and the same in a fluid.
//!
//! 100 Mbit/s, a buffer of 333 packets of 1500 bytes, four TCP flows in the background with a window of 20 packets and round trips
//! of 14 to 84 ms, all starting within 5 s, measured from 100 to 300 s. The simulator runs the Linux kernel's laws of about
//! 2.6.16; what differs from our laws is set by their parameters as far as these go.

use super::bic2004::PACKET_BITS;
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::fluid::{Begin, Flow, Losses, Run, Scenario, Sync, simulate};
use crate::network::{DropTail, Link};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;

/// What the simulator measured; its first line tells how.
const MEASURED: &str = include_str!("data/ns2-rtt-unfairness.csv");

/// The kernel's name of a law, and ours with the kernel's constants.
const LAWS: [(&str, &str); 5] = [
    ("reno", "reno"),
    ("highspeed", "highspeed"),
    ("scalable", "scalable"),
    ("bic", "bic:smax=16,smin=0.2,beta=0.2,fast_convergence=1"),
    ("cubic", "cubic:beta=0.8,fast_convergence=1"),
];

/// One run of the simulator.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The kernel's name of the law of both flows.
    pub law: &'static str,
    /// Round trips without queues, seconds.
    pub rtts: [f64; 2],
    /// Mbit/s.
    pub rates: [f64; 2],
}

/// Every run of the simulator.
///
/// # Errors
/// [`Error::Malformed`] if the table is broken.
pub fn measured() -> Result<Vec<Measured>> {
    let lines = MEASURED.lines().filter(|line| !line.starts_with('#'));
    lines
        .skip(1)
        .map(|line| {
            let fields: Vec<&'static str> = line.split(',').collect();
            let broken = || Error::malformed("row of the table", line, "five fields");
            let number = |at: usize| -> Result<f64> {
                let field = fields.get(at).ok_or_else(broken)?;
                field.trim().parse().map_err(|_| broken())
            };
            Ok(Measured {
                law: fields.first().copied().ok_or_else(broken)?,
                rtts: [1e-3 * number(1)?, 1e-3 * number(2)?],
                rates: [number(3)?, number(4)?],
            })
        })
        .collect()
}

impl Measured {
    /// Share of the first flow in what both got.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.rates[0] / (self.rates[0] + self.rates[1])
    }

    /// The same network in a fluid, where these lose when the buffer is full.
    ///
    /// # Errors
    /// None for the laws of the table.
    pub fn scenario(&self, sync: Sync, seed: u64) -> Result<Scenario> {
        let known = LAWS.iter().find(|(name, _)| *name == self.law);
        let (_, spec) = known
            .ok_or_else(|| Error::unknown("law", self.law, LAWS.iter().map(|(name, _)| *name)))?;
        let law = |spec: &str| -> Result<Arc<dyn crate::model::WindowLaw>> {
            Ok(Arc::from(Selected::parse(spec)?.law()?))
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x5851_F42D_4C95_7F2D));
        let mut between = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
        let mut flows = Vec::new();
        for rtt in self.rtts {
            flows.push(Flow {
                start: between(0.1, 5.0),
                begin: Begin::SlowStart(2.0),
                ..Flow::new(self.law, law(spec)?, vec![0], rtt)
            });
        }
        for _ in 0..4 {
            let rtt = 2.0 * (between(0.005, 0.04) + 0.002);
            flows.push(Flow {
                start: between(0.0, 5.0),
                begin: Begin::SlowStart(2.0),
                receive_window: Some(20.0),
                ..Flow::new("background", law("reno")?, vec![0], rtt)
            });
        }
        Ok(Scenario {
            links: vec![Link {
                name: "bottleneck".into(),
                capacity: 100e6 / PACKET_BITS,
                buffer: 333.0,
                delay: 0.0,
                initial_queue: 0.0,
                queue: Arc::new(DropTail),
            }],
            flows,
            losses: Losses {
                sync,
                timeout_below: 4.0,
                ..Losses::default()
            },
            run: Run {
                duration: 300.0,
                measure_from: 100.0,
                seed,
                tolerance: 1e-4,
                ..Run::default()
            },
        })
    }

    /// What a fluid gives the two flows, Mbit/s.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn fluid(&self, sync: Sync, seed: u64) -> Result<[f64; 2]> {
        let summary = simulate(&self.scenario(sync, seed)?, &mut ())?;
        Ok([0, 1].map(|f| summary.flows[f].rate * PACKET_BITS * 1e-6))
    }
}
