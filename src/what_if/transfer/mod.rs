//! How long does a transfer of so many bytes take? Handshake, slow start, link, receiver, losses.

mod cardwell;
mod inputs;
mod lossless;
mod runs;

pub use inputs::{TransferInputs, acknowledged};

use super::timeouts::timeouts_note;
use super::{Context, Envelope, LawName, find_road, reason_of};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{LossModel, Path};
use crate::units::{BitRate, Bytes, LossRate};
use inputs::{check, job};
use serde::Serialize;
use std::sync::Arc;

/// Every road to the time of a transfer, with what it is.
pub const TRANSFER_ROADS: &[(&str, &str)] = &[
    (
        "rounds",
        "slow start in whole rounds, no losses: a lower bound for whole rounds",
    ),
    (
        "cardwell",
        "mean time with random losses, Cardwell, Savage and Anderson 2000",
    ),
    (
        "fluid",
        "the fluid integrator: slow start, queue, losses as events; the mean of 64 seeded runs if there are losses",
    ),
];

/// The same in packets and seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Job {
    packets: f64,
    rtt: f64,
    link: Option<f64>,
    window: Option<f64>,
    loss: Option<f64>,
    first: f64,
    handshake: f64,
    growth: f64,
    ack_every: f64,
    rto: f64,
    syn_timeout: f64,
    delayed_ack: f64,
    probe: bool,
}

/// Where the time goes, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Parts {
    handshake: f64,
    slow_start: f64,
    recovery: f64,
    steady: f64,
    acknowledgement: f64,
    /// Packets of the slow start.
    slow_packets: f64,
    /// Whether slow start met the link or the receiver's window.
    capped: bool,
    /// Round trips of data, where they are whole.
    rounds: Option<f64>,
}

impl Parts {
    fn total(&self) -> f64 {
        self.handshake + self.slow_start + self.recovery + self.steady + self.acknowledgement
    }
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct TransferQuery {
    /// `transfer`.
    pub verb: &'static str,
    /// The law after slow start.
    #[serde(flatten)]
    pub law: LawName,
    /// Payload, bytes.
    pub size_bytes: f64,
    /// The same in packets, the last one perhaps not full.
    pub packets: f64,
    /// Round trip, seconds.
    pub rtt_s: f64,
    /// Capacity on the wire.
    pub link_bps: Option<f64>,
    /// Loss events per packet.
    pub loss: Option<f64>,
    /// Receiver's window, payload.
    pub receive_window_bytes: Option<f64>,
    /// First window, packets.
    pub initial_window_pkt: f64,
    /// Factor by which slow start grows in a round trip.
    pub growth: f64,
    /// Round trips before the first packet of data.
    pub handshake_rounds: f64,
    /// First retransmission timeout, seconds.
    pub rto_s: f64,
    /// Timeout of the handshake's first packet, seconds.
    pub syn_timeout_s: f64,
    /// Delay of a lone acknowledgement, seconds.
    pub delayed_ack_s: f64,
    /// Whether losses are repaired without timeouts.
    pub tail_loss_probe: bool,
    /// Share of the long-run rate that a size is asked for.
    pub share: Option<f64>,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// One road's answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct TransferAnswer {
    /// The road.
    pub road: &'static str,
    /// From the first packet of the handshake to the last acknowledgement, seconds.
    pub time_s: Option<f64>,
    /// Half-width of its 95 % interval, where it is the mean of runs.
    pub ci_s: Option<f64>,
    /// Payload over that time.
    pub goodput_bps: Option<f64>,
    /// Of the time: the handshake.
    pub handshake_s: Option<f64>,
    /// Of the time: slow start, to its first loss or its end; all of the transfer by the road `fluid`.
    pub slow_start_s: Option<f64>,
    /// Of the time: the repair of the loss that ends slow start.
    pub recovery_s: Option<f64>,
    /// Of the time: what is left then, at the steady rate.
    pub steady_s: Option<f64>,
    /// Of the time: the receiver's delayed acknowledgement.
    pub delayed_ack_s: Option<f64>,
    /// Packets of slow start.
    pub slow_start_pkt: Option<f64>,
    /// Round trips of data.
    pub rounds: Option<f64>,
    /// Payload per second of a transfer without end.
    pub long_run_goodput_bps: Option<f64>,
    /// Smallest payload whose goodput is the share asked for of the long-run one, bytes.
    pub size_for_share_bytes: Option<f64>,
    /// How losses arrive, in slow start and then in the steady state; `none` for a time without losses.
    pub loss_model: Option<String>,
    /// What holds the transfer at its end: slow start itself, or the limit that the rest meets.
    pub regime: Option<&'static str>,
    /// Reference key and equation.
    pub source: Option<String>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Asks each road how long a transfer takes. `law` takes over after slow start; `None` is standard TCP with timeouts. With
/// `share`, also which size reaches that share of the long-run rate.
///
/// # Errors
/// [`Error::OutOfRange`] for an input that no transfer can have, [`Error::Unknown`] for a road.
///
/// ```
/// use cwnd::{units::{Bytes, Seconds}, what_if::{PacketSize, transfer::{TransferInputs, transfer}}};
/// let inputs = TransferInputs::new(Bytes::new(100_000.0), Seconds::new(0.1));
/// let reply = transfer(None, &inputs, None, &["rounds"], 1)?;
/// // 69 packets: 10, 20, 39 in three rounds behind one of handshake.
/// assert!((reply.answers[0].time_s.unwrap() - 0.4).abs() < 1e-12);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn transfer(
    law: Option<&Selected>,
    at: &TransferInputs,
    share: Option<f64>,
    roads: &[&str],
    seed: u64,
) -> Result<Envelope<TransferQuery, TransferAnswer>> {
    check(at, share)?;
    let job = job(at);
    let named = law.map_or_else(Selected::standard, |law| Ok(law.clone()))?;
    let mut answers = Vec::new();
    for road in roads {
        let (road, _) = TRANSFER_ROADS
            .iter()
            .find(|(name, _)| name == road)
            .ok_or_else(|| Error::unknown("road", road, TRANSFER_ROADS.iter().map(|r| r.0)))?;
        let answer = match ask(road, law, &named, at, &job, share, seed) {
            Ok(answer) => answer,
            Err(error) => TransferAnswer {
                reason: Some(reason_of(error)?),
                ..blank(road)
            },
        };
        answers.push(answer);
    }
    let query = TransferQuery {
        verb: "transfer",
        law: (&named).into(),
        size_bytes: at.bytes.value(),
        packets: job.packets,
        rtt_s: job.rtt,
        link_bps: at.link.map(BitRate::value),
        loss: job.loss,
        receive_window_bytes: at.receive_window.map(Bytes::value),
        initial_window_pkt: job.first,
        growth: job.growth,
        handshake_rounds: job.handshake,
        rto_s: job.rto,
        syn_timeout_s: job.syn_timeout,
        delayed_ack_s: job.delayed_ack,
        tail_loss_probe: job.probe,
        share,
        packet_bytes: at.size.packet.value(),
        mss_bytes: at.size.mss.value(),
    };
    let mut reply = Envelope::new(query, answers);
    // Only losses make the law take over.
    if let (Some(law), Some(_)) = (law, job.loss) {
        let own = acknowledged(law);
        if own != job.ack_every {
            reply.notes.push(format!(
                "slow start counts {} packets for each acknowledgement, {} after it {own}",
                job.ack_every,
                law.spec()
            ));
        }
    }
    Ok(reply)
}

fn blank(road: &'static str) -> TransferAnswer {
    TransferAnswer {
        road,
        time_s: None,
        ci_s: None,
        goodput_bps: None,
        handshake_s: None,
        slow_start_s: None,
        recovery_s: None,
        steady_s: None,
        delayed_ack_s: None,
        slow_start_pkt: None,
        rounds: None,
        long_run_goodput_bps: None,
        size_for_share_bytes: None,
        loss_model: None,
        regime: None,
        source: None,
        note: None,
        reason: None,
    }
}

/// The rate after slow start.
struct Steady {
    /// Packets per second.
    rate: f64,
    /// Whether link or receiver hold it rather than losses.
    held: bool,
    loss_model: &'static str,
    source: String,
    note: Option<String>,
}

/// No losses at all, as an answer's loss model.
const LOSSLESS: &str = "none";

/// A named law's default closed form, or the model's own.
fn steady(law: Option<&Selected>, at: &TransferInputs, job: &Job) -> Result<Steady> {
    let ceiling = lossless::ceiling(job) / job.rtt;
    let Some(p) = job.loss else {
        return Ok(Steady {
            rate: ceiling,
            held: true,
            loss_model: LOSSLESS,
            source: "no losses".into(),
            note: None,
        });
    };
    let Some(law) = law else {
        return Ok(Steady {
            rate: cardwell::steady_rate(job, p),
            held: cardwell::steady_window(job, p) >= lossless::ceiling(job),
            loss_model: LossModel::Correlated.name(),
            source: "padhye1998".into(),
            note: None,
        });
    };
    let context = Context::default();
    let chosen = find_road("closed")?.functions(law, &context)?;
    let function = match chosen.into_iter().next().map(|chosen| chosen.function) {
        Some(Ok(function)) => function,
        Some(Err(reason)) => return Err(Error::NoAnswer(reason)),
        None => {
            return Err(Error::NoAnswer(
                "no closed form of this law is known".into(),
            ));
        }
    };
    let found = function.respond(LossRate::new(p)?, &Path::with_rtt(at.rtt))?;
    let note = timeouts_note(
        [(p, function.loss_model().name())],
        &format!(
            "the steady rate of {} leaves them out and is too high",
            law.spec()
        ),
    );
    let rate = found.window.value() / job.rtt;
    Ok(Steady {
        rate: rate.min(ceiling),
        held: rate >= ceiling,
        loss_model: function.loss_model().name(),
        source: found.source.to_string(),
        note,
    })
}

/// What holds a transfer of these parts at its end: `held` if link or receiver would in the long run.
fn regime(parts: &Parts, job: &Job, held: bool) -> &'static str {
    if parts.steady > 0.0 && !held {
        "losses"
    } else if parts.steady == 0.0 && !parts.capped {
        "slow start"
    } else if job
        .link
        .is_some_and(|link| link * job.rtt <= lossless::ceiling(job))
    {
        "link"
    } else {
        "receive window"
    }
}

fn ask(
    road: &'static str,
    law: Option<&Selected>,
    named: &Selected,
    at: &TransferInputs,
    job: &Job,
    share: Option<f64>,
    seed: u64,
) -> Result<TransferAnswer> {
    let payload = 8.0 * at.size.mss.value();
    let finish = |parts: &Parts, ci: Option<f64>| {
        let split = road != "fluid";
        TransferAnswer {
            time_s: Some(parts.total()),
            ci_s: ci,
            goodput_bps: Some(8.0 * at.bytes.value() / parts.total()),
            handshake_s: Some(parts.handshake),
            slow_start_s: split.then_some(parts.slow_start),
            recovery_s: split.then_some(parts.recovery),
            steady_s: split.then_some(parts.steady),
            delayed_ack_s: split.then_some(parts.acknowledgement),
            slow_start_pkt: split.then_some(parts.slow_packets),
            rounds: parts.rounds,
            ..blank(road)
        }
    };
    let reached = |out: &mut TransferAnswer,
                   rate: Option<f64>,
                   time: &dyn Fn(&Job) -> Result<f64>| {
        out.long_run_goodput_bps = rate.map(|rate| rate * payload);
        match (rate, share) {
            (None, _) => out.reason = Some("nothing limits this transfer in the long run".into()),
            (Some(rate), Some(share)) => match size_for(job, share * rate, time) {
                Ok(packets) => out.size_for_share_bytes = Some(packets * at.size.mss.value()),
                Err(error) => out.reason = Some(reason_of(error)?),
            },
            (Some(_), None) => out.reason = Some("no --share given".into()),
        }
        let reason = out.reason.take();
        out.reason = Some(reason.map_or(ONE.to_owned(), |reason| format!("{reason}; {ONE}")));
        Ok::<(), Error>(())
    };
    match road {
        "rounds" => {
            let parts = lossless::time(job)?;
            let mut out = finish(&parts, None);
            out.loss_model = Some(LOSSLESS.into());
            out.regime = Some(regime(&parts, job, true));
            out.source = Some("derived: rounds of slow start, then the ceiling".into());
            out.note = job
                .loss
                .map(|_| "the time without the losses: a lower bound for whole rounds".into());
            reached(&mut out, lossless::long_run(job), &|job| {
                Ok(lossless::time(job)?.total())
            })?;
            Ok(out)
        }
        "cardwell" => {
            let Steady {
                rate,
                held,
                loss_model,
                source,
                note,
            } = steady(law, at, job)?;
            let parts = cardwell::time(job, rate)?;
            let mut out = finish(&parts, None);
            out.loss_model = Some(match job.loss {
                Some(_) => format!("{}, then {loss_model}", LossModel::Random.name()),
                None => loss_model.into(),
            });
            out.regime = Some(regime(&parts, job, held));
            out.source = Some(format!("cardwell2000 eq. 25, steady rate: {source}"));
            let mut remarks = vec![NOT_WHOLE];
            if job.link.is_some() {
                remarks.push("the link counts as a window of capacity times round trip: no queue");
            }
            if job.probe {
                remarks.push("no timeouts: every loss is repaired in a round trip");
            }
            let abrupt = cardwell::abrupt(job, &parts, rate);
            remarks.extend(abrupt.as_deref().into_iter().chain(note.as_deref()));
            out.note = Some(remarks.join("; "));
            let limit = rate.is_finite().then_some(rate);
            reached(&mut out, limit, &|job| {
                Ok(cardwell::time(job, rate)?.total())
            })?;
            out.reason = out
                .reason
                .map(|reason| format!("{reason}; no whole rounds"));
            Ok(out)
        }
        _ => {
            let Some(window_law) = named.algorithm.law(&named.setting) else {
                return Err(Error::NoAnswer(
                    "a formula, not a law: nothing to integrate".into(),
                ));
            };
            let law: Arc<dyn crate::model::WindowLaw> = window_law.into();
            let mean = runs::time(job, &law, runs::guess(job)?, seed)?;
            let mut out = finish(&mean.parts, mean.half);
            out.loss_model = Some(
                job.loss
                    .map_or(LOSSLESS, |_| LossModel::Random.name())
                    .into(),
            );
            out.source = Some(format!("fluid: slow start, then {}", law.source()));
            let near = "a fluid and whole rounds differ by less than a round trip";
            let mut note = match job.loss {
                Some(_) => format!(
                    "mean of {} runs and its 95 % interval, {} losses; {near}",
                    runs::RUNS,
                    LossModel::Random.name()
                ),
                None => near.into(),
            };
            let mut reason =
                "the integrator has no whole rounds, does not split its time, so no regime, nor go on for ever"
                    .to_owned();
            for (text, more) in [(&mut note, mean.note.as_deref()), (&mut reason, mean.alike)] {
                *text += &more.map_or_else(String::new, |more| format!("; {more}"));
            }
            out.note = Some(note);
            out.reason = Some(reason);
            Ok(out)
        }
    }
}

/// Why a formula's time has no interval.
const ONE: &str = "one time, no mean of runs, so no interval";
/// Why the continuous formula may be below the road `rounds`: it is used below one round too. Without losses, slow start
/// that doubles and a link filled within a fraction 1 - f of a round: f + 2 - 2^f, at most 2 - 1/ln 2 - log2(ln 2) = 1.0861.
const NOT_WHOLE: &str =
    "rounds are not whole here: without losses up to 1.09 round trips less than `rounds`";

/// Packets up to which a size is looked for.
const LARGEST: f64 = 1e15;

/// The smallest number of packets whose mean rate is `rate` packets per second: first by steps of a hundredth, for whole
/// rounds make the rate go up and down, then by halving the step.
fn size_for(job: &Job, rate: f64, time: &dyn Fn(&Job) -> Result<f64>) -> Result<f64> {
    let reaches =
        |packets: f64| -> Result<bool> { Ok(packets >= rate * time(&Job { packets, ..*job })?) };
    let (mut low, mut high) = (0.0, 1.0);
    while !reaches(high)? {
        if high > LARGEST {
            return Err(Error::NoAnswer(format!(
                "no size up to {LARGEST:e} packets reaches that share"
            )));
        }
        (low, high) = (high, (high * 1.01).ceil());
    }
    while high - low > 1.0 {
        let middle = f64::midpoint(low, high).floor();
        if reaches(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}
