//! Flows that share one bottleneck: who gets what, and what a longer round trip costs.

mod answers;
mod closed;
mod run;
mod share;
mod unfairness;

pub use answers::{ConvergenceAnswer, ShareAnswer, ShareFlow};
pub use run::Pace;
pub use share::{ShareQuery, SharingFlow, share};
pub use unfairness::{UnfairnessAnswer, UnfairnessQuery, unfairness};

use super::PacketSize;
use super::throughput::Buffer;
use crate::algorithms::Selected;
use crate::analysis::SharedLink;
use crate::error::Result;
use crate::units::BitRate;

/// Flows of one kind.
#[derive(Debug, Clone)]
pub struct Contender {
    /// The law.
    pub law: Selected,
    /// Whether `fast_convergence` was given; if not, runs of several flows switch it on.
    pub said: bool,
    /// Round trip without the queue, seconds.
    pub rtt_s: f64,
    /// How many.
    pub count: usize,
    /// When they start in a run, seconds.
    pub start_s: f64,
    /// When they stop in a run, seconds.
    pub stop_s: Option<f64>,
    /// Packets that each of them sends in a run, if not endless.
    pub size_pkt: Option<f64>,
}

impl Contender {
    /// One endless flow from the start.
    #[must_use]
    pub fn new(law: Selected, rtt_s: f64) -> Self {
        Self {
            law,
            said: false,
            rtt_s,
            count: 1,
            start_s: 0.0,
            stop_s: None,
            size_pkt: None,
        }
    }
}

/// The bottleneck of a question.
#[derive(Debug, Clone)]
pub struct Narrow {
    /// Capacity on the wire.
    pub link: BitRate,
    /// The buffer; a multiple of `bdp` is of capacity times the mean base round trip of the flows.
    pub buffer: Buffer,
    /// The queue as typed, `KIND[:key=value,...]`.
    pub queue: String,
}

impl Narrow {
    fn capacity(&self, size: PacketSize) -> f64 {
        self.link.value() / (8.0 * size.packet.value())
    }

    /// Capacity times the mean base round trip, packets.
    fn pipe(&self, flows: &[Contender], size: PacketSize) -> f64 {
        let count: f64 = flows.iter().map(|f| f.count as f64).sum();
        let sum: f64 = flows.iter().map(|f| f.count as f64 * f.rtt_s).sum();
        self.capacity(size) * sum / count
    }

    /// In packets and packets per second.
    fn shared(&self, flows: &[Contender], size: PacketSize) -> SharedLink {
        let capacity = self.capacity(size);
        let buffer = match self.buffer {
            Buffer::Bytes(bytes) => bytes / size.packet.value(),
            Buffer::Packets(packets) => packets,
            Buffer::Time(seconds) => seconds * capacity,
            Buffer::Bdp(share) => share * self.pipe(flows, size),
        };
        SharedLink { capacity, buffer }
    }

    fn is_drop_tail(&self) -> bool {
        self.queue.trim() == DROP_TAIL
    }
}

/// The queue that drops only what does not fit.
pub const DROP_TAIL: &str = "drop-tail";

/// With several flows fast convergence is on in a run unless somebody said otherwise: without it laws that have it never share.
fn for_run(flow: &Contender, several: bool) -> Result<(Selected, bool)> {
    const KEY: &str = "fast_convergence";
    let mut law = flow.law.clone();
    let has = law.algorithm.parameters().iter().any(|p| p.key == KEY);
    if several && has && !flow.said && !law.setting.on(KEY) {
        law.setting.set(KEY, "1")?;
        return Ok((law, true));
    }
    Ok((law, false))
}
