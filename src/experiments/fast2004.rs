//! Experiments of the FAST slides (Jin, Wei and Low, March 2004) as fluid runs: 800 Mbit/s of Dummynet, Linux senders.
//!
//! The slides leave open, and stand here as assumptions: packets of 1500 bytes, a drop-tail buffer of 2000 packets, FAST with α = 100 packets
//! (14 flows keep 1400 queued, less than the buffer) and the true round trip without queues; the times at which flows come and go; which 29 of
//! the combinations of flows and delays were run. Losses by overflow are natural: each flow meets them in proportion to its rate.

use super::dumbbell::{Course, dumbbell, flow, law, link};
use crate::error::Result;
use crate::fluid::{Begin, Run, Summary, simulate};
use crate::units::Bytes;

/// Bytes of a packet.
pub const PACKET: f64 = 1500.0;
/// Packets per second of the slides' 800 Mbit/s.
pub const CAPACITY: f64 = 800e6 / (8.0 * PACKET);
/// Packets that the buffer holds, an assumption.
pub const BUFFER: f64 = 2000.0;

/// A sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// What it is called in a legend.
    pub name: &'static str,
    /// The law.
    pub law: &'static str,
}

/// The four senders of the slides.
pub const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        name: "FAST",
        law: "fast:alpha=100",
    },
    Protocol {
        name: "HSTCP",
        law: "highspeed",
    },
    Protocol {
        name: "STCP",
        law: "scalable",
    },
    Protocol {
        name: "Reno",
        law: "reno",
    },
];

/// Seconds of the slides' 30 minutes.
pub const SHARING: f64 = 1800.0;

/// When flow `k` of `n` comes and when it goes: they come one after the other in the first 40 % of the half hour and go in the
/// order in which they came in its last 40 %; the last one stays to the end.
#[must_use]
pub fn stay(k: usize, n: usize) -> (f64, Option<f64>) {
    let step = 0.4 * SHARING / n as f64;
    let leaves = 0.6 * SHARING + step * (k + 1) as f64;
    (step * k as f64, (k + 1 < n).then_some(leaves))
}

/// Flows that come and go over 120 ms.
///
/// # Errors
/// Those of the integrator.
pub fn sharing(protocol: Protocol, count: usize, every: f64) -> Result<(Course, Summary)> {
    let law = law(protocol.law)?;
    let flows = (0..count)
        .map(|k| {
            let mut flow = flow(protocol.name, &law, 0.12, Begin::SlowStart(10.0));
            (flow.start, flow.stop) = stay(k, count);
            flow
        })
        .collect();
    let mut course = Course::new(every, CAPACITY);
    let run = Run {
        duration: SHARING,
        tolerance: 1e-4,
        ..Run::default()
    };
    let link = link("drop-tail", CAPACITY, BUFFER, Bytes::new(PACKET))?;
    let summary = simulate(&dumbbell(link, flows, run), &mut course)?;
    Ok((course, summary))
}

/// The 29 combinations of flows and round trips (seconds), an assumption: 1, 2, 4, 6, 8, 11 and 14 flows at 50, 100, 150 and 200 ms, and the
/// sharing experiment's 3 flows at 120 ms.
#[must_use]
pub fn combinations() -> Vec<(usize, f64)> {
    let flows = [1, 2, 4, 6, 8, 11, 14];
    let mut out: Vec<(usize, f64)> = [0.05, 0.1, 0.15, 0.2]
        .iter()
        .flat_map(|rtt| flows.map(|n| (n, *rtt)))
        .collect();
    out.push((3, 0.12));
    out
}

/// What the slides read off a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Packets of bandwidth x delay for each flow.
    pub window: f64,
    /// Packets per second of all flows over the capacity.
    pub utilisation: f64,
    /// Jain's index of the rates.
    pub jain: f64,
    /// Standard deviation of a flow's rate over ten-second intervals, relative to its mean, averaged over the flows.
    pub swing: f64,
}

/// A run of `count` flows, each begun 10 seconds after the one before it (an assumption), for 10 minutes, of which the last 5 are
/// measured.
///
/// # Errors
/// Those of the integrator.
pub fn judge(protocol: Protocol, count: usize, rtt: f64) -> Result<Verdict> {
    let law = law(protocol.law)?;
    let flows = (0..count)
        .map(|k| crate::fluid::Flow {
            start: 10.0 * k as f64,
            ..flow(protocol.name, &law, rtt, Begin::SlowStart(10.0))
        })
        .collect();
    let run = Run {
        duration: 600.0,
        measure_from: 300.0,
        slices: 30,
        tolerance: 1e-4,
        ..Run::default()
    };
    let link = link("drop-tail", CAPACITY, BUFFER, Bytes::new(PACKET))?;
    let summary = simulate(&dumbbell(link, flows, run), &mut ())?;
    let swing = |rates: &[f64]| {
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        let square = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
        (square / (n - 1.0)).sqrt() / mean
    };
    let swings = summary.flows.iter().map(|flow| swing(&flow.rates));
    Ok(Verdict {
        window: CAPACITY * rtt / count as f64,
        utilisation: summary.flows.iter().map(|flow| flow.rate).sum::<f64>() / CAPACITY,
        jain: summary.jain.unwrap_or(0.0),
        swing: swings.sum::<f64>() / count as f64,
    })
}

/// Utilisation of `count` FAST flows, 1 Gbit/s of path for each and 180 ms (assumptions), over so many seconds from their start.
///
/// # Errors
/// Those of the integrator.
pub fn long_haul(count: usize, seconds: f64) -> Result<f64> {
    let law = law("fast:alpha=200")?;
    let flows = (0..count)
        .map(|_| flow("FAST", &law, 0.18, Begin::SlowStart(10.0)))
        .collect();
    let capacity = count as f64 * 1e9 / (8.0 * PACKET);
    let run = Run {
        duration: seconds,
        tolerance: 1e-4,
        ..Run::default()
    };
    let buffer = 0.5 * capacity * 0.18;
    let link = link("drop-tail", capacity, buffer, Bytes::new(PACKET))?;
    let summary = simulate(&dumbbell(link, flows, run), &mut ())?;
    Ok(summary.links[0].utilisation)
}
