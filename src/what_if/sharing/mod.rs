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

use super::throughput::Buffer;
use super::{Context, PacketSize};
use crate::algorithms::Selected;
use crate::analysis::SharedLink;
use crate::analysis::rtt_unfairness::{Equilibrium, Responding, Shared, response_equilibrium};
use crate::error::Result;
use crate::fluid::Sync;
use crate::model::LossModel;
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

/// Whether losses of this kind hit all flows at once; else each packet is lost with the same probability.
fn hits_all(model: LossModel) -> bool {
    matches!(
        model,
        LossModel::Periodic | LossModel::Frozen | LossModel::Synchronized
    )
}

const EQUALLY: &str = "the same loss rate for all";
const SAME_LOSS: &str = "derived: the same loss rate for all";
const MEAN_WINDOWS: &str = "the mean windows fill the link";

/// Who loses in a run.
fn at_an_overflow(sync: Sync) -> String {
    let who = match sync {
        Sync::All => "all flows".to_owned(),
        Sync::One => "the flow with the highest rate".into(),
        Sync::Share(share) => format!("a share of {share} of the flows"),
        Sync::Natural => "flows by their rates (natural)".into(),
    };
    format!("an overflow hits {who}")
}

/// A note where who loses was said and a road cannot heed it.
fn sync_note(sync: Sync, context: &Context) -> Option<String> {
    let deaf = matches!(sync, Sync::One | Sync::Share(_))
        && context.roads.iter().any(|road| road.name != "fluid");
    deaf.then(|| format!("`--sync {}` counts on the road `fluid` only", sync.name()))
}

/// What is to be said of an equilibrium whose mean queue is open: where it was taken, and what `said` of the other end.
fn pinned(
    found: &Equilibrium,
    flows: &[Responding<'_>],
    link: SharedLink,
    shared: Shared,
    said: &dyn Fn(&Equilibrium) -> String,
) -> Result<Option<String>> {
    if !found.queue_mean.is_nan() {
        return Ok(None);
    }
    let empty = SharedLink {
        buffer: 0.0,
        ..link
    };
    let other = match response_equilibrium(flows, empty, shared) {
        Ok((other, _)) => said(&other),
        Err(error) => format!("there is none: {}", super::reason_of(error)?),
    };
    Ok(Some(format!(
        "any mean queue up to the buffer agrees with that: taken is a full buffer, where drop-tail loses; with an empty queue {other}"
    )))
}

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
