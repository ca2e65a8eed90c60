//! The slides' scene: N connections over one 100 Mbit/s link, round trips from 250/N to 250 ms, in the fluid.

use crate::algorithms::Selected;
use crate::error::Result;
use crate::fluid::{Flow, Losses, Run, Scenario, Summary, simulate};
use crate::model::WindowLaw;
use crate::network::{Link, parse_queue};
use crate::units::Bytes;
use crate::what_if::parallel::map;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;

/// Packets of 1500 B per second at 100 Mbit/s.
pub(super) const CAPACITY: f64 = 1e8 / 12_000.0;
/// Packet on the wire, bits.
pub(super) const PACKET_BITS: f64 = 12_000.0;
/// Runs last this long; what happens before `FROM` is not measured, as in the ns-2 reference.
pub(super) const UNTIL: f64 = 120.0;
pub(super) const FROM: f64 = 40.0;
/// What is the same in every such picture.
pub(super) const SCENE: &str = "Fluid: 100 Mbit/s, packets of 1500 B, RTTs i·250/N ms without queues (at least 3 ms), slow start at a random time in 0 to 5 s, \
                                measured from 40 to 120 s, mean of seeds 1 to 10. A full buffer takes packets from each flow at random in proportion to its rate; a flow reacts one \
                                round trip later and once per round trip; nothing is fitted.";

/// The law of that name.
pub(super) fn law(spec: &str) -> Result<Arc<dyn WindowLaw>> {
    Ok(Arc::from(Selected::parse(spec)?.law()?))
}

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Senders {
    Westwood,
    Reno,
    /// Reno and Westwood by turns, Reno with the shortest round trip.
    Mixed,
}

impl Senders {
    fn spec(self, i: usize) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Mixed if i.is_multiple_of(2) => "reno",
            Self::Westwood | Self::Mixed => "westwood",
        }
    }
}

/// One scene.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub senders: Senders,
    pub count: usize,
    /// Packets.
    pub buffer: f64,
    /// In the grammar of queues.
    pub queue: String,
}

impl Scene {
    pub fn drop_tail(senders: Senders, count: usize, buffer: f64) -> Self {
        Self {
            senders,
            count,
            buffer,
            queue: "drop-tail".into(),
        }
    }

    /// One run.
    pub fn run(&self, seed: u64) -> Result<Summary> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let laws = [law("reno")?, law("westwood")?];
        let flows = (0..self.count).map(|i| {
            let rtt = (0.25 * (i + 1) as f64 / self.count as f64).max(0.003);
            let spec = self.senders.spec(i);
            let law = &laws[usize::from(spec != "reno")];
            Flow {
                start: 5.0 * rng.random::<f64>(),
                ..Flow::new(spec, Arc::clone(law), vec![0], rtt)
            }
        });
        simulate(
            &Scenario {
                flows: flows.collect(),
                links: vec![Link {
                    name: "link".into(),
                    capacity: CAPACITY,
                    buffer: self.buffer,
                    delay: 0.0,
                    initial_queue: 0.0,
                    queue: parse_queue(&self.queue, CAPACITY, Bytes::new(1500.0))?,
                }],
                losses: Losses::default(),
                run: Run {
                    duration: UNTIL,
                    measure_from: FROM,
                    seed,
                    // Losses are drawn: between them a thousandth is enough.
                    tolerance: 1e-3,
                    ..Run::default()
                },
            },
            &mut (),
        )
    }

    /// Means of Jain's index and of a flow's mean rate in Mbit/s.
    fn means(&self, seed_runs: &[Result<Summary>]) -> Result<(f64, f64)> {
        let (mut jain, mut rate) = (0.0, 0.0);
        for run in seed_runs {
            let summary = run.as_ref().map_err(Clone::clone)?;
            jain += summary.jain.unwrap_or(0.0);
            let sum: f64 = summary.flows.iter().map(|flow| flow.rate).sum();
            rate += sum / self.count as f64 * PACKET_BITS * 1e-6;
        }
        let runs = seed_runs.len() as f64;
        Ok((jain / runs, rate / runs))
    }
}

/// Seeds that are averaged over.
const SEEDS: usize = 10;

/// Jain's index and mean rate (Mbit/s) of each scene, means over its seeds.
pub(super) fn measure(scenes: &[Scene]) -> Result<Vec<(f64, f64)>> {
    let jobs: Vec<(usize, u64)> = (0..scenes.len())
        .flat_map(|scene| (1..=SEEDS as u64).map(move |seed| (scene, seed)))
        .collect();
    let runs = map(&jobs, |&(scene, seed)| scenes[scene].run(seed));
    let per_scene = runs.chunks(SEEDS);
    per_scene
        .zip(scenes)
        .map(|(runs, scene)| scene.means(runs))
        .collect()
}
