//! What a transfer meets: every input of the question, each of which may be missing.

use super::super::PacketSize;
use crate::error::{Error, Result};
use crate::units::{BitRate, Bytes, LossRate, Seconds};

/// A buffer as somebody may state it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Buffer {
    /// Bytes on the wire.
    Bytes(f64),
    /// Packets.
    Packets(f64),
    /// Time that the link takes to empty it, seconds.
    Time(f64),
    /// Products of bandwidth and base round trip.
    Bdp(f64),
}

impl Buffer {
    fn amount(self) -> f64 {
        match self {
            Self::Bytes(x) | Self::Packets(x) | Self::Time(x) | Self::Bdp(x) => x,
        }
    }

    fn of(self, x: f64) -> Self {
        match self {
            Self::Bytes(_) => Self::Bytes(x),
            Self::Packets(_) => Self::Packets(x),
            Self::Time(_) => Self::Time(x),
            Self::Bdp(_) => Self::Bdp(x),
        }
    }
}

/// A receiver's window that passes pipe and buffer by no more than this share of them is one that fits, rounded.
const FITS: f64 = 1e-12;

/// Every input. What is `None` does not limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// Round trip, queues included, except the buffer's if there is one and no base round trip; only a question about it goes without.
    pub rtt: Option<Seconds>,
    /// Round trip without queues; `None` means equal to `rtt`.
    pub base_rtt: Option<Seconds>,
    /// Capacity of the narrowest link, on the wire.
    pub link: Option<BitRate>,
    /// Loss events per packet.
    pub loss: Option<LossRate>,
    /// Receiver's window of each stream, payload.
    pub receive_window: Option<Bytes>,
    /// Parallel streams.
    pub streams: f64,
    /// Drop-tail buffer before the link.
    pub buffer: Option<Buffer>,
    /// Whether all streams lose at the same moments; otherwise one at a time.
    pub together: bool,
    /// Packet and payload.
    pub size: PacketSize,
    /// First retransmission timeout; `None` means four round trips.
    pub rto: Option<Seconds>,
}

impl Conditions {
    pub(super) fn rtt_s(&self) -> Result<f64> {
        self.rtt.map(Seconds::value).ok_or_else(|| {
            Error::Arguments("a rate needs a round trip, which is never assumed: give one with --rtt, such as --rtt 100ms, or --one-way-delay".into())
        })
    }

    /// The round trip without queues.
    pub(super) fn base_s(&self) -> Result<f64> {
        self.base_rtt
            .map_or_else(|| self.rtt_s(), |t| Ok(t.value()))
    }

    /// Bandwidth times base round trip, bytes.
    pub(super) fn bdp_bytes(&self) -> Result<Option<f64>> {
        let base = self.base_s()?;
        Ok(self.link.map(|link| link.value() * base / 8.0))
    }

    /// What pipe and buffer hold of one stream, packets; `None` without a link.
    pub(super) fn held(&self) -> Result<Option<(f64, f64)>> {
        let share = self.size.packet.value() * self.streams;
        let buffer = self.buffer_bytes()?.unwrap_or(0.0);
        Ok(self.bdp_bytes()?.map(|bdp| (bdp / share, buffer / share)))
    }

    /// The receiver's window and the pipe of one stream, packets, if that window keeps the buffer from overflowing.
    pub(super) fn spared(&self) -> Result<Option<(f64, f64)>> {
        let (Some((pipe, buffer)), Some(window)) = (self.held()?, self.receive_window) else {
            return Ok(None);
        };
        let window = window.value() / self.size.mss.value();
        Ok((window <= (pipe + buffer) * (1.0 + FITS)).then_some((window, pipe)))
    }

    pub(super) fn buffer_bytes(&self) -> Result<Option<f64>> {
        let Some(buffer) = self.buffer else {
            return Ok(None);
        };
        let bdp = self.bdp_bytes()?;
        Ok(match buffer {
            Buffer::Bytes(bytes) => Some(bytes),
            Buffer::Packets(count) => Some(count * self.size.packet.value()),
            Buffer::Time(seconds) => self.link.map(|link| link.value() * seconds / 8.0),
            Buffer::Bdp(share) => bdp.map(|bdp| bdp * share),
        })
    }
}

/// One of the inputs that can be changed or asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Round trip.
    Rtt,
    /// Loss events per packet.
    Loss,
    /// Receiver's window.
    ReceiveWindow,
    /// Parallel streams.
    Streams,
    /// Capacity.
    Link,
    /// Buffer.
    Buffer,
}

/// Every input, in the order in which answers list them.
pub const INPUTS: &[Input] = &[
    Input::Rtt,
    Input::Loss,
    Input::ReceiveWindow,
    Input::Streams,
    Input::Link,
    Input::Buffer,
];

impl Input {
    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rtt => "rtt",
            Self::Loss => "loss",
            Self::ReceiveWindow => "receive-window",
            Self::Streams => "streams",
            Self::Link => "link",
            Self::Buffer => "buffer",
        }
    }

    /// The unit of its number in answers.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Rtt => "s",
            Self::Loss | Self::Streams => "1",
            Self::ReceiveWindow | Self::Buffer => "B",
            Self::Link => "bit/s",
        }
    }

    /// The input called `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the list.
    pub fn find(name: &str) -> Result<Self> {
        INPUTS
            .iter()
            .find(|input| input.name() == name)
            .copied()
            .ok_or_else(|| Error::unknown("input", name, INPUTS.iter().map(|i| i.name())))
    }

    /// Whether more of it slows a transfer down.
    pub(super) const fn hinders(self) -> bool {
        matches!(self, Self::Rtt | Self::Loss)
    }

    /// The range in which it is searched; a buffer's is in products of bandwidth and round trip.
    pub(super) const fn range(self) -> (f64, f64) {
        match self {
            Self::Rtt | Self::Streams => (1e-9, 1e9),
            Self::Loss => (1e-30, 0.999_999),
            Self::ReceiveWindow | Self::Link => (1e-3, 1e18),
            Self::Buffer => (1e-9, 1e6),
        }
    }

    /// Its value in bytes, seconds and so on.
    ///
    /// # Errors
    /// Those of a missing round trip.
    pub fn value(self, at: &Conditions) -> Result<Option<f64>> {
        Ok(match self {
            Self::Rtt => at.rtt.map(Seconds::value),
            Self::Loss => at.loss.map(LossRate::value),
            Self::ReceiveWindow => at.receive_window.map(Bytes::value),
            Self::Streams => Some(at.streams),
            Self::Link => at.link.map(BitRate::value),
            Self::Buffer => at.buffer_bytes()?,
        })
    }

    /// The value of this input where the receiver's window just fits into pipe and buffer. Beyond it losses begin, so that more of the input
    /// may give less. `None` if there is none, or if the rate only rises through it.
    pub(super) fn just_fits(self, at: &Conditions) -> Result<Option<f64>> {
        if at.link.is_none() || at.buffer.is_none() {
            return Ok(None);
        }
        let mss = at.size.mss.value();
        let allowed = at.receive_window.map(|window| window.value() / mss);
        let fit = match self {
            Self::ReceiveWindow => at.held()?.map(|(pipe, buffer)| (pipe + buffer) * mss),
            Self::Streams => {
                let one = Conditions {
                    streams: 1.0,
                    ..*at
                };
                let most = one.held()?.map(|(pipe, buffer)| pipe + buffer);
                most.zip(allowed)
                    .map(|(most, window)| (most * (1.0 + FITS) / window).floor())
                    .filter(|streams| *streams >= 1.0)
            }
            Self::Rtt if at.base_rtt.is_none() => {
                let second = self.set(at, 1.0)?;
                let (pipe, buffer) = second.held()?.unwrap_or((0.0, 0.0));
                // Pipe, and a buffer in products of bandwidth and round trip, grow with the round trip.
                let fit = allowed.map(|window| match at.buffer {
                    Some(Buffer::Bdp(_)) => window / (pipe + buffer),
                    _ => (window - buffer) / pipe,
                });
                fit.filter(|rtt| *rtt > 0.0)
            }
            _ => None,
        };
        let (low, high) = self.range();
        Ok(fit.filter(|x| (low..high).contains(x)))
    }

    /// The same conditions with this input set; a buffer keeps its unit, or is in products of bandwidth and round trip.
    pub(super) fn set(self, at: &Conditions, x: f64) -> Result<Conditions> {
        let mut out = *at;
        match self {
            Self::Rtt => out.rtt = Some(Seconds::new(x)),
            Self::Loss => out.loss = Some(LossRate::new(x)?),
            Self::ReceiveWindow => out.receive_window = Some(Bytes::new(x)),
            Self::Streams => out.streams = x,
            Self::Link => out.link = Some(BitRate::new(x)),
            Self::Buffer => out.buffer = Some(at.buffer.unwrap_or(Buffer::Bdp(x)).of(x)),
        }
        Ok(out)
    }

    /// The same conditions with this input `factor` times as large, a base round trip together with the round trip; `None`
    /// if it is not given, is 0 or would leave its range.
    pub(super) fn scaled(self, at: &Conditions, factor: f64) -> Option<Conditions> {
        let now = match self {
            Self::Buffer => at.buffer.map(Buffer::amount),
            _ => self.value(at).ok().flatten(),
        }?;
        let then = now * factor;
        let possible = match self {
            Self::Loss => (1e-100..1.0).contains(&then),
            Self::Streams => then >= 1.0,
            _ => then > 0.0 && then.is_finite(),
        };
        let mut out = possible.then(|| self.set(at, then).ok())??;
        if self == Self::Rtt {
            out.base_rtt = at.base_rtt.map(|t| Seconds::new(t.value() * factor));
        }
        Some(out)
    }
}
