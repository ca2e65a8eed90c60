//! What does a flow lose, and still get, over a slow last hop with a buffer of a few packets? And what would help?

use super::{Envelope, LawName, PacketSize, reason_of};
use crate::algorithms::Selected;
use crate::analysis::last_hop::{self, Effort, LastHop, Toll};
use crate::error::{Error, Result};
use crate::model::WindowLaw;
use crate::units::significant;
use serde::Serialize;
use std::cell::OnceCell;

/// Roads to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HopRoad {
    /// The expression for a constant increase.
    Closed,
    /// Acknowledgement by acknowledgement with a window that is a real number.
    Epoch,
    /// Packet by packet.
    Ack,
}

impl HopRoad {
    /// Every road.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Epoch, Self::Ack];

    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Epoch => "epoch",
            Self::Ack => "ack",
        }
    }

    /// The road called `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the list.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|road| road.name() == name)
            .ok_or_else(|| Error::unknown("road", name, Self::ALL.map(Self::name)))
    }

    fn source(self) -> &'static str {
        match self {
            Self::Closed => {
                "derived: drops per event over packets per event, rules of rfc6675, rfc5681 and fall1996; the timer taken as the larger of 1 s and the round trip of a full buffer"
            }
            Self::Epoch => {
                "derived: the same rules acknowledgement by acknowledgement, window a real number"
            }
            Self::Ack => "the same rules packet by packet",
        }
    }
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct LastHopQuery {
    /// `last-hop`.
    pub verb: &'static str,
    /// The law.
    #[serde(flatten)]
    pub law: LawName,
    /// Round trip without queue and without the packet's own time on the link, seconds.
    pub rtt_s: f64,
    /// Capacity on the wire.
    pub link_bps: f64,
    /// Packets that may wait besides the one being served.
    pub buffer_pkt: u64,
    /// Packets that the receiver allows.
    pub receive_window_pkt: Option<u64>,
    /// How losses are mended.
    pub repair: &'static str,
    /// Retransmission timer, seconds; `None` means that of RFC 6298.
    pub rto_s: Option<f64>,
    /// Packets that path, server and buffer hold.
    pub pipe_pkt: f64,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// One road's answer, as asked or with one remedy.
#[derive(Debug, Clone, Serialize)]
pub struct LastHopAnswer {
    /// The road.
    pub road: &'static str,
    /// What was changed; `None` for the question as asked.
    pub remedy: Option<String>,
    /// Packets dropped, as a share of packets sent.
    pub loss_fraction: Option<f64>,
    /// Packets dropped at each loss event.
    pub drops_per_event: Option<f64>,
    /// Share of loss events that wait for the retransmission timer.
    pub timeouts: Option<f64>,
    /// Loss events per hour.
    pub events_per_hour: Option<f64>,
    /// Mean window when a loss is noticed, packets.
    pub peak_pkt: Option<f64>,
    /// Packets served, in bits on the wire.
    pub rate_bps: Option<f64>,
    /// Payload delivered.
    pub goodput_bps: Option<f64>,
    /// Share of the link's time that it serves.
    pub utilisation: Option<f64>,
    /// Mean round trip, seconds.
    pub mean_rtt_s: Option<f64>,
    /// How losses arise.
    pub loss_model: &'static str,
    /// What decides how much is lost.
    pub regime: Option<&'static str>,
    /// Where it comes from.
    pub source: &'static str,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// What is asked besides law and hop.
#[derive(Debug, Clone)]
pub struct HopOptions {
    /// Packet and payload.
    pub size: PacketSize,
    /// Roads.
    pub roads: Vec<HopRoad>,
    /// Whether the remedies are answered too.
    pub remedies: bool,
    /// Length of the run packet by packet.
    pub effort: Effort,
}

/// Loss, drops and goodput of a law over a slow last hop.
///
/// # Errors
/// [`Error::Arguments`] for a formula that is not a law, and what [`LastHop::check`] says.
pub fn last_hop(
    law: &Selected,
    hop: &LastHop,
    options: &HopOptions,
) -> Result<Envelope<LastHopQuery, LastHopAnswer>> {
    hop.check()?;
    let verbs = law.law()?;
    let size = options.size;
    let query = LastHopQuery {
        verb: "last-hop",
        law: law.into(),
        rtt_s: hop.delay,
        link_bps: hop.capacity * 8.0 * size.packet.value(),
        buffer_pkt: hop.buffer,
        receive_window_pkt: hop.receive_window,
        repair: hop.repair.name(),
        rto_s: hop.rto,
        pipe_pkt: hop.pipe(),
        packet_bytes: size.packet.value(),
        mss_bytes: size.mss.value(),
    };
    let standard = Selected::standard()?;
    let plain = standard.law()?;
    let mut cases = vec![Case::new(None, *hop, verbs.as_ref())];
    if options.remedies {
        let larger = LastHop {
            buffer: 4 * hop.buffer.max(1),
            ..*hop
        };
        let limited = LastHop {
            receive_window: Some(hop.pipe() as u64),
            ..*hop
        };
        cases.push(Case::new(
            Some(format!("buffer {}pkt", larger.buffer)),
            larger,
            verbs.as_ref(),
        ));
        cases.push(Case::new(
            Some(format!("receive window {}pkt", hop.pipe())),
            limited,
            verbs.as_ref(),
        ));
    }
    let other = Case::new(
        Some(format!("{} instead", standard.spec())),
        *hop,
        plain.as_ref(),
    );
    let differs = law.spec() != standard.spec();
    let instead = (options.remedies && differs).then_some(&other);
    let mut answers = Vec::new();
    for case in cases.iter().chain(instead) {
        for road in &options.roads {
            answers.push(answer(*road, case, options)?);
        }
    }
    let mut reply = Envelope::new(query, answers);
    reply.notes.push(
        "the round trip is without queue and without the packet's own time on the link".into(),
    );
    if let (Some(own), true) = (cases.first(), differs) {
        reply.notes.extend(advice(
            (&law.spec(), own),
            (&standard.spec(), &other),
            options.effort,
        ));
    }
    Ok(reply)
}

/// The question as asked, or with one remedy.
struct Case<'a> {
    remedy: Option<String>,
    hop: LastHop,
    law: &'a dyn WindowLaw,
    /// The run packet by packet, which answers and advice share.
    ran: OnceCell<Result<Toll>>,
}

impl<'a> Case<'a> {
    fn new(remedy: Option<String>, hop: LastHop, law: &'a dyn WindowLaw) -> Self {
        Self {
            remedy,
            hop,
            law,
            ran: OnceCell::new(),
        }
    }

    fn toll(&self, road: HopRoad, effort: Effort) -> Result<Toll> {
        match road {
            HopRoad::Closed => last_hop::expression(self.law, &self.hop),
            HopRoad::Epoch => last_hop::epoch(self.law, &self.hop),
            HopRoad::Ack => self
                .ran
                .get_or_init(|| last_hop::run(self.law, &self.hop, effort, &mut |_| {}))
                .clone(),
        }
    }
}

/// What decides how much is lost.
fn regime(toll: &Toll) -> &'static str {
    match toll.timeouts {
        None => "limited by the receiver",
        Some(0.0) => "losses mended without the timer",
        Some(1.0) => "every loss event waits for the timer",
        Some(_) => "some loss events wait for the timer",
    }
}

fn answer(road: HopRoad, case: &Case<'_>, options: &HopOptions) -> Result<LastHopAnswer> {
    let (toll, reason) = match case.toll(road, options.effort) {
        Ok(toll) => (Some(toll), None),
        Err(error) => (None, Some(reason_of(error)?)),
    };
    let bits = |bytes: f64| toll.map(|toll| toll.rate * 8.0 * bytes);
    let quiet = toll.is_some_and(|toll| toll.drops_per_event.is_none());
    Ok(LastHopAnswer {
        road: road.name(),
        remedy: case.remedy.clone(),
        loss_fraction: toll.map(|toll| toll.loss_fraction),
        drops_per_event: toll.and_then(|toll| toll.drops_per_event),
        timeouts: toll.and_then(|toll| toll.timeouts),
        events_per_hour: toll.map(|toll| toll.events_per_hour),
        peak_pkt: toll.and_then(|toll| toll.peak),
        rate_bps: bits(options.size.packet.value()),
        goodput_bps: bits(options.size.mss.value()),
        utilisation: toll.map(|toll| toll.utilisation),
        mean_rtt_s: toll.map(|toll| toll.rtt),
        loss_model: "overflow of the buffer",
        regime: toll.as_ref().map(regime),
        source: road.source(),
        reason: reason.or_else(|| quiet.then(|| "no loss event".to_owned())),
    })
}

/// Loss that is this many times that of standard TCP counts as harm.
const HARMFUL: f64 = 2.0;

/// Whether a policy should be on for this path: its run packet by packet beside that of standard TCP.
fn advice(
    (name, case): (&str, &Case<'_>),
    (other, plain): (&str, &Case<'_>),
    effort: Effort,
) -> Option<String> {
    let own = case.toll(HopRoad::Ack, effort).ok()?;
    let standard = plain.toll(HopRoad::Ack, effort).ok()?;
    let percent = |x: f64| format!("{} %", significant(100.0 * x, 3));
    let figures = format!(
        "{name} loses {} of its packets and uses {} of the link, {other} {} and {}",
        percent(own.loss_fraction),
        percent(own.utilisation),
        percent(standard.loss_fraction),
        percent(standard.utilisation),
    );
    let slower = own.rate < 0.995 * standard.rate;
    let lossier = own.loss_fraction > HARMFUL * standard.loss_fraction.max(1e-6);
    Some(if slower || lossier {
        format!("advice: leave {name} off on this path: {figures}")
    } else if own.rate > 1.005 * standard.rate {
        format!("advice: {name} may be on for this path: {figures}")
    } else {
        format!("advice: {name} gains nothing on this path and does little harm: {figures}")
    })
}
