//! What a question about a transfer says.

use super::super::PacketSize;
use super::Job;
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::units::{BitRate, Bytes, LossRate, Packets, Seconds};
use std::fmt::Display;

/// Every input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransferInputs {
    /// Payload to transfer.
    pub bytes: Bytes,
    /// Round trip.
    pub rtt: Seconds,
    /// Capacity of the narrowest link, on the wire.
    pub link: Option<BitRate>,
    /// Loss events per packet.
    pub loss: Option<LossRate>,
    /// Receiver's window, payload.
    pub receive_window: Option<Bytes>,
    /// First window, packets; `None` is RFC 6928's: ten packets, fewer if they are longer than 1460 B.
    pub initial_window: Option<Packets>,
    /// Round trips before the first packet of data: TCP 1, TCP with TLS 1.3 2, QUIC 1, its 0-RTT 0.
    pub handshake: f64,
    /// Packets for each acknowledgement: slow start grows by 1 + 1/`ack_every` a round trip.
    pub ack_every: f64,
    /// First retransmission timeout; `None` means four round trips, at least 1 s as RFC 6298 has it.
    pub rto: Option<Seconds>,
    /// Timeout of the handshake's first packet.
    pub syn_timeout: Seconds,
    /// How long the receiver delays the acknowledgement of a lone packet; seconds.
    pub delayed_ack: f64,
    /// Whether every loss is repaired without a timeout (RACK and tail loss probes, RFC 8985).
    pub probe: bool,
    /// Packet and payload.
    pub size: PacketSize,
}

/// RFC 6298 section 2.4.
const LEAST_RTO: f64 = 1.0;
/// RFC 6928: min(10 MSS, max(2 MSS, 14600 B)), in packets.
fn rfc6928(mss: f64) -> f64 {
    10f64.min((14_600.0 / mss).max(2.0))
}

pub(super) fn job(at: &TransferInputs) -> Job {
    let (packet, mss) = (at.size.packet.value(), at.size.mss.value());
    let rtt = at.rtt.value();
    Job {
        packets: (at.bytes.value() / mss).ceil().max(1.0),
        rtt,
        link: at.link.map(|link| link.value() / (8.0 * packet)),
        window: at.receive_window.map(|bytes| bytes.value() / mss),
        loss: at.loss.map(LossRate::value),
        first: at
            .initial_window
            .map_or_else(|| rfc6928(mss), Packets::value),
        handshake: at.handshake,
        growth: 1.0 + 1.0 / at.ack_every,
        ack_every: at.ack_every,
        rto: at
            .rto
            .map_or_else(|| (4.0 * rtt).max(LEAST_RTO), Seconds::value),
        syn_timeout: at.syn_timeout.value(),
        delayed_ack: at.delayed_ack,
        probe: at.probe,
    }
}

impl TransferInputs {
    /// Payload and round trip; one round trip of handshake, every packet acknowledged, no link, losses or receiver's window.
    #[must_use]
    pub fn new(bytes: Bytes, rtt: Seconds) -> Self {
        Self {
            bytes,
            rtt,
            link: None,
            loss: None,
            receive_window: None,
            initial_window: None,
            handshake: 1.0,
            ack_every: 1.0,
            rto: None,
            syn_timeout: Seconds::new(LEAST_RTO),
            delayed_ack: 0.0,
            probe: false,
            size: PacketSize::default(),
        }
    }
}

/// Packets for each acknowledgement that a law or formula counts.
#[must_use]
pub fn acknowledged(law: &Selected) -> f64 {
    const KEY: &str = "ack_every";
    if law.algorithm.parameters().iter().any(|p| p.key == KEY) {
        return law.setting.get(KEY);
    }
    let verbs = law.algorithm.law(&law.setting);
    verbs.map_or(1.0, |law| law.ack_every())
}

/// Refuses what no transfer can have.
pub(super) fn check(at: &TransferInputs, share: Option<f64>) -> Result<()> {
    fn within(what: &str, x: impl Display, good: bool, allowed: &str) -> Result<()> {
        if good {
            Ok(())
        } else {
            Err(Error::out_of_range(what, x, allowed))
        }
    }
    let whole = |x: f64, most: f64| x.fract() == 0.0 && (0.0..=most).contains(&x);
    let h = at.handshake;
    within("the handshake", h, whole(h, 100.0), "0 to 100 round trips")?;
    let b = at.ack_every;
    let good = (1.0..=1000.0).contains(&b);
    within("the packets for each acknowledgement", b, good, "1 to 1000")?;
    let first = at.initial_window.map_or(1.0, Packets::value);
    let good = (1.0..=1e9).contains(&first);
    within("the initial window", first, good, "1 to 1e9 packets")?;
    if let Some(window) = at.receive_window {
        let (window, mss) = (window.value(), at.size.mss.value());
        within(
            "the receive window",
            Bytes::new(window),
            window >= mss,
            "one packet's payload or more",
        )?;
    }
    if let Some(share) = share {
        let good = share > 0.0 && share < 1.0;
        within(
            "the share of the long-run rate",
            share,
            good,
            "more than 0 and less than 1",
        )?;
    }
    Ok(())
}
