//! Experiments of Katabi, Handley and Rohrs 2002 and of their slides, as fluid runs.
//!
//! Packets of 1000 bytes, buffers of one bandwidth-delay product. Traffic in the other direction (the papers' 50 flows both ways) has a
//! link, queue and router of its own; acknowledgements of 40 bytes wait there and take their part of it.
//! Standard TCP stands beside XCP over a drop-tail buffer of the same size.

use super::dumbbell::{Course, both_ways, dumbbell, flow, law, link};
use crate::error::Result;
pub use crate::fluid::LinkSummary;
use crate::fluid::{Begin, Flow, Run, Summary, Transfers, simulate};
use crate::units::Bytes;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Bytes of a packet.
pub const PACKET: f64 = 1000.0;

/// What an acknowledgement takes of a link, packets.
const ACK: f64 = Flow::ACK_BYTES / PACKET;

/// Packets per second of a link of so many Mbit/s.
#[must_use]
pub fn capacity(megabits: f64) -> f64 {
    megabits * 1e6 / (8.0 * PACKET)
}

/// A sender with the queue that it is run over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// What it is called in a legend.
    pub name: &'static str,
    /// The law.
    pub law: &'static str,
    /// The queue.
    pub queue: &'static str,
}

/// XCP over its router.
pub const XCP: Protocol = Protocol {
    name: "XCP",
    law: "xcp",
    queue: "xcp",
};

/// Standard TCP over drop tail.
pub const TCP: Protocol = Protocol {
    name: "TCP, drop tail",
    law: "reno",
    queue: "drop-tail",
};

/// Standard TCP over random early detection with ns-2's automatic settings, which the paper compares with.
pub const TCP_RED: Protocol = Protocol {
    name: "TCP, RED",
    law: "reno",
    queue: "red",
};

impl Protocol {
    /// How its flows begin: with one packet, in slow start if it has that.
    const BEGIN: Begin = Begin::SlowStart(1.0);

    fn flows(self, rtts: &[f64]) -> Result<Vec<Flow>> {
        let law = law(self.law)?;
        let flows = rtts.iter();
        Ok(flows
            .map(|rtt| flow(self.name, &law, *rtt, Self::BEGIN))
            .collect())
    }

    fn link(self, capacity: f64, buffer: f64) -> Result<crate::network::Link> {
        link(self.queue, capacity, buffer, Bytes::new(PACKET))
    }
}

/// A bottleneck with flows that never end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bulk {
    /// Who sends.
    pub protocol: Protocol,
    /// Packets per second.
    pub capacity: f64,
    /// Seconds.
    pub rtt: f64,
    /// How many flows.
    pub flows: usize,
    /// How many send in the other direction.
    pub back: usize,
    /// Round trips that pass before measuring begins, and those that are measured.
    pub rounds: (f64, f64),
}

impl Bulk {
    /// Fifty flows one way, measured from the 20th round trip for 280.
    #[must_use]
    pub fn new(protocol: Protocol, megabits: f64, rtt: f64) -> Self {
        Self {
            protocol,
            capacity: capacity(megabits),
            rtt,
            flows: 50,
            back: 0,
            rounds: (20.0, 280.0),
        }
    }

    /// The slides' fifty flows in both directions.
    #[must_use]
    pub fn both_ways(protocol: Protocol, megabits: f64, rtt: f64) -> Self {
        Self {
            back: 50,
            ..Self::new(protocol, megabits, rtt)
        }
    }

    /// Packets that fit into bandwidth x delay.
    #[must_use]
    pub fn pipe(&self) -> f64 {
        self.capacity * self.rtt
    }

    /// Whether one packet of each flow fits into bandwidth x delay.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.pipe() >= self.flows as f64
    }

    /// What the link did. Flows begin one after the other in the first round trip.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self) -> Result<LinkSummary> {
        let flows = |count: usize| -> Result<Vec<Flow>> {
            let mut flows = self.protocol.flows(&vec![self.rtt; count])?;
            for (k, flow) in flows.iter_mut().enumerate() {
                flow.start = self.rtt * k as f64 / count as f64;
            }
            Ok(flows)
        };
        let run = Run {
            duration: (self.rounds.0 + self.rounds.1) * self.rtt,
            measure_from: self.rounds.0 * self.rtt,
            tolerance: 1e-4,
            ..Run::default()
        };
        let link = self.protocol.link(self.capacity, self.pipe())?;
        let scenario = if self.back == 0 {
            dumbbell(link, flows(self.flows)?, run)
        } else {
            both_ways(link, flows(self.flows)?, flows(self.back)?, ACK, run)
        };
        let mut summary = simulate(&scenario, &mut ())?;
        Ok(summary.links.remove(0))
    }
}

/// Flows that begin and end together beside ten that stay, and ten that stay in the other direction: 100 Mbit/s and 40 ms.
///
/// # Errors
/// Those of the integrator.
pub fn step(protocol: Protocol, extra: usize, every: f64) -> Result<Course> {
    let capacity = capacity(100.0);
    let rtt = 0.04;
    let mut flows = protocol.flows(&vec![rtt; STAYING + extra])?;
    for flow in &mut flows[STAYING..] {
        flow.start = STEP.0;
        flow.stop = Some(STEP.1);
    }
    let link = protocol.link(capacity, capacity * rtt)?;
    let back = protocol.flows(&[rtt; STAYING])?;
    let mut course = Course {
        watched: Some(flows.len()),
        ack_size: ACK,
        ..Course::new(every, capacity)
    };
    let run = Run {
        duration: STEP.2,
        tolerance: 1e-4,
        ..Run::default()
    };
    simulate(&both_ways(link, flows, back, ACK, run), &mut course)?;
    Ok(course)
}

/// Flows that stay, in [`step`].
pub const STAYING: usize = 10;
/// When the others begin and end, and when the run ends, seconds.
pub const STEP: (f64, f64, f64) = (4.0, 8.0, 12.0);

/// Rates (packets per second) of 30 flows with these round trips on 30 Mbit/s, over 120 s after 60 s.
///
/// # Errors
/// Those of the integrator.
pub fn shares(protocol: Protocol, rtts: &[f64]) -> Result<Summary> {
    let capacity = capacity(30.0);
    let mean = rtts.iter().sum::<f64>() / rtts.len() as f64;
    let link = protocol.link(capacity, capacity * mean)?;
    let run = Run {
        duration: 180.0,
        measure_from: 60.0,
        tolerance: 1e-4,
        ..Run::default()
    };
    simulate(&dumbbell(link, protocol.flows(rtts)?, run), &mut ())
}

/// Five flows that begin two seconds apart on 45 Mbit/s with 40 ms.
///
/// # Errors
/// Those of the integrator.
pub fn convergence(protocol: Protocol, until: f64, every: f64) -> Result<Course> {
    let capacity = capacity(45.0);
    let mut flows = protocol.flows(&[0.04; 5])?;
    for (k, flow) in flows.iter_mut().enumerate() {
        flow.start = 2.0 * k as f64;
    }
    let link = protocol.link(capacity, capacity * 0.04)?;
    let mut course = Course::new(every, capacity);
    let run = Run {
        duration: until,
        tolerance: 1e-4,
        ..Run::default()
    };
    simulate(&dumbbell(link, flows, run), &mut course)?;
    Ok(course)
}

/// Short transfers beside 50 flows that stay: 150 Mbit/s, 80 ms, Poisson arrivals, Pareto sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Web {
    /// Who sends.
    pub protocol: Protocol,
    /// Transfers per second.
    pub arrivals: f64,
    /// Seconds of the run; the second half is measured.
    pub duration: f64,
}

impl Web {
    /// Packets of a transfer on average, and the exponent of their distribution.
    pub const SIZES: (f64, f64) = (30.0, 1.35);
    /// Flows that stay.
    pub const STAYING: usize = 50;

    /// What the link did.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<LinkSummary> {
        let (capacity, rtt) = (capacity(150.0), 0.08);
        let flows = self.protocol.flows(&[rtt; Self::STAYING])?;
        let mut transfers = Transfers {
            like: self.protocol.flows(&[rtt])?.remove(0),
            sizes: Vec::new(),
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mean, shape) = Self::SIZES;
        let least = mean * (shape - 1.0) / shape;
        let mut time = 0.0;
        loop {
            time -= (-rng.random::<f64>()).ln_1p() / self.arrivals;
            if time >= self.duration {
                break;
            }
            // No transfer is sent in less than a packet.
            let size = (least * (1.0 - rng.random::<f64>()).powf(-1.0 / shape)).max(1.0);
            transfers.sizes.push((time, size));
        }
        let run = Run {
            duration: self.duration,
            measure_from: 0.5 * self.duration,
            tolerance: 1e-2,
            ..Run::default()
        };
        let link = self.protocol.link(capacity, capacity * rtt)?;
        let mut summary = transfers.simulate(&dumbbell(link, flows, run))?;
        Ok(summary.links.remove(0))
    }
}
