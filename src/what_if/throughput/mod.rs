//! What a transfer gets on a path: each limit, the active one, what would move it, and the question backwards.

mod conditions;
mod inverse;
mod limits;

pub use conditions::{Buffer, Conditions, INPUTS, Input};
pub use inverse::{Move, Solved, Wanted};
pub use limits::{Limit, TIMEOUTS_LIMIT};

use super::{Context, Envelope, LawName};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::units::{LossRate, Seconds};
use limits::{Model, active};
use serde::Serialize;

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct ThroughputQuery {
    /// `throughput`.
    pub verb: &'static str,
    /// The law.
    #[serde(flatten)]
    pub law: LawName,
    /// Round trip, seconds.
    pub rtt_s: Option<f64>,
    /// Round trip without queues, seconds.
    pub base_rtt_s: Option<f64>,
    /// Capacity on the wire.
    pub link_bps: Option<f64>,
    /// Loss events per packet.
    pub loss: Option<f64>,
    /// Receiver's window of each stream, payload.
    pub receive_window_bytes: Option<f64>,
    /// Parallel streams.
    pub streams: f64,
    /// Drop-tail buffer, bytes on the wire; `None` too where it hangs on what is asked for.
    pub buffer_bytes: Option<f64>,
    /// Retransmission timeout, seconds; `None` means four round trips.
    pub rto_s: Option<f64>,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
    /// The input asked for, if one is.
    pub solve: Option<&'static str>,
    /// Rate on the wire that it shall give.
    pub wanted_rate_bps: Option<f64>,
    /// Rate of payload that it shall give.
    pub wanted_goodput_bps: Option<f64>,
}

/// The answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct ThroughputAnswer {
    /// Name of the smallest limit.
    pub active: Option<&'static str>,
    /// All streams together, on the wire.
    pub rate_bps: Option<f64>,
    /// All streams together, payload.
    pub goodput_bps: Option<f64>,
    /// One stream, on the wire.
    pub stream_rate_bps: Option<f64>,
    /// One stream, payload.
    pub stream_goodput_bps: Option<f64>,
    /// Packets per round trip of one stream.
    pub window_pkt: Option<f64>,
    /// Capacity times base round trip, bytes.
    pub bdp_bytes: Option<f64>,
    /// Delay behind a full buffer, seconds.
    pub queueing_delay_s: Option<f64>,
    /// Loss events of all streams an hour at the active limit.
    pub loss_events_per_hour: Option<f64>,
    /// The input that was asked for.
    pub solved: Option<Solved>,
    /// Each limit by itself.
    pub limits: Vec<Limit>,
    /// For each input, the nearest change that makes another limit the active one.
    pub moves: Vec<Move>,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Which limit is a transfer up against? With `wanted`, which value of one input gives a rate?
///
/// # Errors
/// [`Error::Arguments`] for a missing round trip, for no limit at all, or for an input that is both given and asked for.
pub fn throughput(
    law: &Selected,
    at: &Conditions,
    wanted: Option<Wanted>,
    context: &Context,
) -> Result<Envelope<ThroughputQuery, ThroughputAnswer>> {
    let model = Model::new(law, at.rto, context)?;
    let query = query(law, at, wanted.as_ref())?;
    let nothing = at.link.is_none() && at.loss.is_none() && at.receive_window.is_none();
    let asked = |input: Input| wanted.as_ref().is_some_and(|wanted| wanted.input == input);
    let adds = asked(Input::Link) || asked(Input::Loss) || asked(Input::ReceiveWindow);
    if nothing && !adds {
        return Err(Error::Arguments(
            "nothing limits this transfer: give at least one of --link, --loss and --receive-window"
                .into(),
        ));
    }
    if at.buffer.is_some() && at.link.is_none() && !asked(Input::Link)
        || at.link.is_none() && asked(Input::Buffer)
    {
        return Err(Error::Arguments(
            "a buffer needs the link that it stands before: give --link, such as --link 1Gbit/s"
                .into(),
        ));
    }
    let answer = match wanted {
        None => {
            let mut answer = answer(&model, at)?;
            let missing = answer.reason.into_iter().chain([NOT_SOLVED.to_owned()]);
            answer.reason = Some(missing.collect::<Vec<_>>().join("; "));
            answer
        }
        Some(wanted) => {
            let found = match inverse::solve(&model, at, &wanted) {
                Ok(found) => Ok(found),
                Err(error) => Err(super::reason_of(error)?),
            };
            match found {
                Ok((solved, at)) => ThroughputAnswer {
                    solved: Some(solved),
                    ..answer(&model, &at)?
                },
                Err(reason) => ThroughputAnswer {
                    reason: Some(reason),
                    solved: Some(Solved::none(wanted.input)),
                    ..blank()
                },
            }
        }
    };
    Ok(Envelope::new(query, vec![answer]))
}

fn query(law: &Selected, at: &Conditions, wanted: Option<&Wanted>) -> Result<ThroughputQuery> {
    if let Some(wanted) = wanted
        && wanted.input != Input::Streams
        && wanted.input.value(at).is_ok_and(|value| value.is_some())
    {
        return Err(Error::Arguments(format!(
            "--{0} is both given and asked for: leave out --{0} or --solve {0}",
            wanted.input.name()
        )));
    }
    let solves_rtt = wanted.is_some_and(|wanted| wanted.input == Input::Rtt);
    if !solves_rtt {
        at.rtt_s()?;
    }
    Ok(ThroughputQuery {
        verb: "throughput",
        law: law.into(),
        rtt_s: at.rtt.map(Seconds::value),
        base_rtt_s: at.base_rtt.map(Seconds::value),
        link_bps: Input::Link.value(at)?,
        loss: at.loss.map(LossRate::value),
        receive_window_bytes: Input::ReceiveWindow.value(at)?,
        streams: at.streams,
        buffer_bytes: if solves_rtt { None } else { at.buffer_bytes()? },
        rto_s: at.rto.map(Seconds::value),
        packet_bytes: at.size.packet.value(),
        mss_bytes: at.size.mss.value(),
        solve: wanted.map(|wanted| wanted.input.name()),
        wanted_rate_bps: wanted.and_then(|w| (!w.payload).then_some(w.bps)),
        wanted_goodput_bps: wanted.and_then(|w| w.payload.then_some(w.bps)),
    })
}

/// Why no input is solved for.
const NOT_SOLVED: &str = "no --solve given";

fn blank() -> ThroughputAnswer {
    ThroughputAnswer {
        active: None,
        rate_bps: None,
        goodput_bps: None,
        stream_rate_bps: None,
        stream_goodput_bps: None,
        window_pkt: None,
        bdp_bytes: None,
        queueing_delay_s: None,
        loss_events_per_hour: None,
        solved: None,
        limits: Vec::new(),
        moves: Vec::new(),
        reason: None,
    }
}

fn answer(model: &Model, at: &Conditions) -> Result<ThroughputAnswer> {
    let limits = model.limits(at, true)?;
    let mut missing = Vec::new();
    let mut out = ThroughputAnswer {
        bdp_bytes: at.bdp_bytes()?,
        ..blank()
    };
    if out.bdp_bytes.is_none() {
        missing.push("no --link given, so no product of bandwidth and round trip");
    }
    out.queueing_delay_s = at
        .buffer_bytes()?
        .and_then(|bytes| at.link.map(|link| 8.0 * bytes / link.value()));
    if out.queueing_delay_s.is_none() {
        missing.push("no --buffer given, so no queueing delay");
    }
    if let Some(limit) = active(&limits) {
        out.active = Some(limit.name);
        out.rate_bps = limit.rate_bps;
        out.goodput_bps = limit.goodput_bps;
        out.stream_rate_bps = limit.stream_rate_bps;
        out.stream_goodput_bps = limit.stream_goodput_bps;
        out.window_pkt = limit.window_pkt;
        let recovery = limits.iter().find_map(|limit| limit.recovery_s);
        let packets = limit
            .rate_bps
            .map(|rate| rate / (8.0 * at.size.packet.value()));
        out.loss_events_per_hour = match (at.loss, packets, recovery) {
            (Some(loss), Some(packets), _) => Some(3600.0 * packets * loss.value()),
            // Nothing overflows.
            (None, ..) if at.spared()?.is_some() => Some(0.0),
            // The link's own losses: one for each stream in every sawtooth.
            (None, _, Some(seconds)) if at.together && matches!(limit.name, "link" | "buffer") => {
                Some(3600.0 * at.streams / seconds)
            }
            _ => None,
        };
        if out.loss_events_per_hour.is_none() {
            missing.push("no --loss given and no sawtooth at the link, so no losses to count");
        }
        out.moves = inverse::moves(model, at, limit.name)?;
    } else {
        missing.push("no limit has a value");
    }
    out.limits = limits;
    out.reason = (!missing.is_empty()).then(|| missing.join("; "));
    Ok(out)
}
