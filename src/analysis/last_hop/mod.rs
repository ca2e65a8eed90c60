//! One flow over a slow last hop with a buffer of a few packets: how much it loses, and what it still delivers. Three roads: a run
//! packet by packet ([`run()`]), a recurrence in real numbers ([`epoch()`]), and a closed expression ([`expression()`]). All see the law
//! through its two verbs only.
//!
//! The rule that they follow, since the number of packets dropped at each loss event depends on it:
//!
//! 1. The link serves first come, first served, one packet in 1/μ seconds; `buffer` packets may wait besides the one being
//!    served; a packet that finds them all taken is dropped. A packet that leaves just when another arrives makes room
//!    for it. The acknowledgement of a served packet arrives `delay` seconds after it was served.
//! 2. The sender keeps ⌊window⌋ packets outstanding, at most the receiver's window. What is served makes room packet by packet. Once
//!    every `ack_every` packets (one, unless the law says otherwise) the law advances by one `on_ack` with the smoothed round
//!    trip (RFC 6298), or slow start by one packet: a receiver that acknowledges every second packet slows growth down and sends no bursts here.
//! 3. A packet counts as lost when one sent at least three packets later is acknowledged (RFC 6675). Losses of packets sent before the
//!    last decrease belong to the same event. From a decrease until everything sent before it is accounted for the
//!    window stands still. No decrease leaves less than two packets (RFC 5681, equation 4).
//! 4. Recovery with selective acknowledgements ([`Repair::Sack`]) mends any number of losses in one event, with one
//!    decrease. Fast recovery without them ([`Repair::FastRecovery`]) mends one loss, and two if the window is at least ten packets: after the first
//!    retransmission W/2 − 2 new packets can be sent, and the second needs three duplicate acknowledgements from them; each
//!    of the two halves the window. Three losses and more wait for the retransmission timer, as Fall and Floyd 1996
//!    found in simulation.
//! 5. The timer runs out RTO = max(1 s, SRTT + 4 RTTVAR) after the loss is noticed, or after the last acknowledgement if it cannot be
//!    noticed; then slow start from one packet to what the law's decrease leaves of the window. Only what was lost is sent
//!    again. A retransmission is a packet like any other, and may be lost.

mod closed;
mod epoch;
mod run;

pub use closed::{expression, overflow};
pub use epoch::epoch;
pub use run::{Effort, Moment, run};

use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, WindowLaw};

/// How losses of one event are mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repair {
    /// Fast recovery of RFC 5681, without selective acknowledgements.
    #[default]
    FastRecovery,
    /// Selective acknowledgements.
    Sack,
}

impl Repair {
    /// Every way, by its word on the command line.
    pub const ALL: [Self; 2] = [Self::FastRecovery, Self::Sack];

    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FastRecovery => "fast-recovery",
            Self::Sack => "sack",
        }
    }

    /// Whether this many losses at a window of this many packets are mended without the timer.
    #[must_use]
    pub fn mends(self, losses: u64, window: f64) -> bool {
        match self {
            Self::Sack => true,
            Self::FastRecovery => losses <= 1 || (losses == 2 && window >= 10.0),
        }
    }

    /// How often the window is decreased for an event that is mended.
    fn decreases(self, losses: u64) -> u64 {
        match self {
            Self::Sack => 1,
            Self::FastRecovery => losses,
        }
    }
}

/// Losses are noticed by this many later packets acknowledged.
pub const DUPLICATES: u64 = 3;
/// No decrease leaves fewer packets.
pub const LEAST_WINDOW: f64 = 2.0;
/// The shortest retransmission timer, seconds.
pub const LEAST_RTO: f64 = 1.0;
/// The longest retransmission timer that is taken, seconds: RFC 6298 lets implementations stop at 60 s, and the clock of a run of
/// thousands of hours still tells packets apart.
pub const LONGEST_RTO: f64 = 3600.0;

/// The last hop and what sits behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LastHop {
    /// Packets per second that the link serves.
    pub capacity: f64,
    /// Round trip without queue and without the packet's own time on the link, seconds.
    pub delay: f64,
    /// Packets that may wait besides the one being served.
    pub buffer: u64,
    /// Packets that the receiver allows, if it limits.
    pub receive_window: Option<u64>,
    /// How losses are mended.
    pub repair: Repair,
    /// A retransmission timer of this many seconds, at most [`LONGEST_RTO`], in place of rule 5's.
    pub rto: Option<f64>,
}

/// Packets beyond which a path is refused: what is asked here is about slow links.
const MOST_PACKETS: f64 = 1e6;

impl LastHop {
    /// Checks that the numbers make sense together.
    ///
    /// # Errors
    /// One sentence about what does not.
    pub fn check(&self) -> Result<()> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(self.capacity) {
            return Err(Error::out_of_range(
                "the link's capacity",
                format!("{} packets/s", self.capacity),
                "more than 0",
            ));
        }
        if !(self.delay >= 0.0 && self.delay.is_finite()) {
            return Err(Error::out_of_range(
                "the round trip",
                format!("{} s", self.delay),
                "0 or more",
            ));
        }
        if self.pipe() > MOST_PACKETS {
            return Err(Error::out_of_range(
                "what path and buffer hold",
                format!("{} packets", self.pipe()),
                format!("at most {MOST_PACKETS} packets: this is a question about slow links"),
            ));
        }
        if self.receive_window == Some(0) {
            return Err(Error::out_of_range(
                "the receive window",
                "0 packets",
                "at least one packet",
            ));
        }
        if let Some(rto) = self.rto
            && !(rto > 0.0 && rto <= LONGEST_RTO)
        {
            return Err(Error::out_of_range(
                "the retransmission timer",
                format!("{rto} s"),
                format!("more than 0, at most {LONGEST_RTO} s"),
            ));
        }
        Ok(())
    }

    /// Packets that path, server and buffer hold: one more outstanding is dropped. Acknowledgements come one service time apart, so the
    /// wire holds a whole number.
    #[must_use]
    pub fn pipe(&self) -> f64 {
        (self.capacity * self.delay * (1.0 + 1e-12)).floor() + self.buffer as f64 + 1.0
    }

    /// Packets outstanding that keep the link busy.
    #[must_use]
    pub fn busy(&self) -> f64 {
        self.capacity * self.delay + 1.0
    }

    /// Round trip of a packet that finds nobody waiting, seconds.
    #[must_use]
    pub fn base_rtt(&self) -> f64 {
        self.delay + 1.0 / self.capacity
    }

    /// Round trip with this many packets outstanding, seconds.
    #[must_use]
    pub fn rtt(&self, window: f64) -> f64 {
        (window.min(self.pipe()) / self.capacity).max(self.base_rtt())
    }

    /// Whether the receiver keeps the sender from ever filling the buffer.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.receive_window
            .is_some_and(|window| window as f64 <= self.pipe())
    }
}

/// What a flow gets and loses. All numbers are of the long run, after the first loss events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Toll {
    /// Packets dropped, as a share of packets sent.
    pub loss_fraction: f64,
    /// Packets dropped at each loss event; `None` without losses.
    pub drops_per_event: Option<f64>,
    /// Loss events per hour.
    pub events_per_hour: f64,
    /// Share of loss events that wait for the retransmission timer; `None` without losses.
    pub timeouts: Option<f64>,
    /// Mean window when a loss is noticed, packets; `None` without losses.
    pub peak: Option<f64>,
    /// Packets served per second: each carries its data for the first time.
    pub rate: f64,
    /// Share of the link's time that it serves.
    pub utilisation: f64,
    /// Mean round trip of the packets served, seconds.
    pub rtt: f64,
}

/// What the law is told with this many packets outstanding.
fn seen(hop: &LastHop, window: f64, rtt: f64) -> Feedback {
    Feedback {
        base_rtt: hop.base_rtt(),
        delivery_rate: (window / rtt).min(hop.capacity),
        ..Feedback::quiet(rtt)
    }
}

/// What `times` decreases leave of a window that met its loss at `window`.
fn left(law: &dyn WindowLaw, hop: &LastHop, window: f64, times: u64) -> f64 {
    let seen = seen(hop, window, hop.rtt(window));
    let mut x = vec![0.0; law.states().len()];
    law.settle(window, &mut x);
    for _ in 0..times {
        law.decrease(&mut x, &seen, Cause::Loss);
    }
    x[0].max(LEAST_WINDOW).min(window)
}

/// What a flow gets whose receiver keeps it from filling the buffer: nothing is lost, and both roads in real numbers say the same. The run
/// packet by packet checks it.
fn limited(hop: &LastHop) -> Option<Toll> {
    let window = hop.receive_window.filter(|_| hop.fits())? as f64;
    let rtt = hop.rtt(window);
    let rate = (window / rtt).min(hop.capacity);
    Some(Toll {
        loss_fraction: 0.0,
        drops_per_event: None,
        events_per_hour: 0.0,
        timeouts: None,
        peak: None,
        rate,
        utilisation: rate / hop.capacity,
        rtt,
    })
}
