//! The sawtooth of a flow that alone fills a link with a drop-tail buffer: its window climbs from what a loss leaves of it
//! until the pipe and the buffer are full again. The round trip is the base round trip until the window meets the pipe, and
//! grows with the queue behind it, so a law that adds a packet a round trip slows down there.

use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, Side, WindowLaw};
use crate::numeric::ode::{self, Flow};
use std::cell::Cell;

/// Tolerance of each integration step, relative to the change over it.
const TOLERANCE: f64 = 1e-13;
/// Relative distance from its peak at which a window that stands still there counts as back.
const BACK: f64 = 1e-11;
/// Growth per round trip that differs by less than this share over the sawtooth is additive.
const ADDITIVE: f64 = 1e-9;

/// A link as one flow sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bottleneck {
    /// Capacity times base round trip, packets.
    pub pipe: f64,
    /// Packets that the buffer holds.
    pub buffer: f64,
    /// Round trip without the queue, seconds.
    pub base_rtt: f64,
}

/// One sawtooth, from loss to loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sawtooth {
    /// Window just before the loss, packets: pipe and buffer.
    pub peak: f64,
    /// Share of the window that the loss leaves.
    pub kept: f64,
    /// Share of the capacity that is used.
    pub utilisation: f64,
    /// Time until the window is back, seconds.
    pub seconds: f64,
    /// Round trips until the window is back.
    pub rounds: f64,
    /// Mean queue over time, packets.
    pub queue: f64,
    /// Packets delivered from loss to loss.
    pub packets: f64,
    /// Whether the window grows by the same number of packets in every round trip.
    pub additive: bool,
}

impl Sawtooth {
    /// Packets per round trip: those of one sawtooth over its round trips, which are longer with the queue.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.packets / self.rounds
    }

    /// Utilisation of a link without buffer by `flows` flows of an additive law that lose one at a time, evenly spaced:
    /// `1 − 1/(1 + n(1+β)/(1−β))`, β the fraction kept.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] for a law that does not grow by a constant.
    pub fn one_at_a_time(&self, flows: f64) -> Result<f64> {
        if self.additive {
            Ok(1.0 - 1.0 / (1.0 + flows * (1.0 + self.kept) / (1.0 - self.kept)))
        } else {
            Err(Error::NoAnswer(
                "losses one stream at a time have a formula for additive increase only".into(),
            ))
        }
    }
}

struct Climb<'a> {
    law: &'a dyn WindowLaw,
    link: Bottleneck,
    places: usize,
    /// Whether the law is held at one of its switches. A flow alone sets the round trip that its switch depends on, so that it
    /// stands still there.
    held: Cell<bool>,
    /// The side of that switch to which it came free, until it is away from it.
    side: Cell<Side>,
}

/// Relative distance from the switch up to which it keeps that side.
const NEAR: f64 = 1e-7;

/// Switches of a climb that come before those of its law.
const OWN_SWITCHES: usize = 2;

impl Climb<'_> {
    fn seen(&self, window: f64) -> Feedback {
        let Bottleneck { pipe, base_rtt, .. } = self.link;
        Feedback {
            base_rtt,
            delivery_rate: window.min(pipe) / base_rtt,
            ..Feedback::quiet(base_rtt * (window / pipe).max(1.0))
        }
    }

    /// How far a state at a switch of its law is from coming free; 0 or less if it is not held.
    fn free_in(&self, x: &[f64]) -> f64 {
        let mut unused = vec![0.0; self.places];
        let state = &x[..self.places];
        self.law.held(state, &self.seen(x[0]), 0.0, &mut unused)
    }

    /// Holds the law at the switch that it meets, or lets it go, to the side to which it then moves.
    fn meet(&self, event: Option<usize>, x: &[f64]) {
        let state = &x[..self.places];
        if self.law.beyond(state, &self.seen(x[0])).abs() > NEAR {
            self.side.set(Side::Free);
        }
        let Some(switch) = event.and_then(|event| event.checked_sub(OWN_SWITCHES)) else {
            return;
        };
        if !(self.held.get() || self.law.holds_at(switch)) {
            return;
        }
        let (held, side) = self.law.meets(state, &self.seen(x[0]), 0.0);
        self.held.set(held);
        self.side.set(side);
    }

    /// Packets that the window grows by in a round trip.
    fn growth(&self, x: &[f64], dx: &mut [f64]) -> f64 {
        let seen = self.seen(x[0]);
        self.law.increase(&x[..self.places], &seen, dx);
        dx[0] * seen.rtt
    }
}

impl ode::System for Climb<'_> {
    fn rate(&self, x: &[f64], dx: &mut [f64]) {
        let seen = self.seen(x[0]);
        let (state, sums) = dx.split_at_mut(self.places);
        if self.held.get() {
            self.law.held(&x[..self.places], &seen, 0.0, state);
        } else {
            let side = self.side.get();
            self.law
                .increase_beside(side, &x[..self.places], &seen, state);
        }
        sums[0] = 1.0 / seen.rtt;
        sums[1] = seen.delivery_rate;
        // The queue is what of it is not in the pipe: its own sum would start at zero at a kink, where no relative tolerance holds.
        sums[2] = x[0];
    }

    fn switches(&self, x: &[f64], out: &mut Vec<f64>) {
        let Bottleneck { pipe, buffer, .. } = self.link;
        out.extend([x[0] - (pipe + buffer), x[0] - pipe]);
        self.law.switches(&x[..self.places], &self.seen(x[0]), out);
        if self.held.get() {
            // Nothing happens but that it comes free.
            out[OWN_SWITCHES..].fill(1.0);
            out[OWN_SWITCHES] = self.free_in(x);
        }
    }
}

/// The sawtooth of `law` on this link.
///
/// # Errors
/// [`Error::NoAnswer`] where the law has none: a pipe of less than two packets, a law defined for each acknowledgement only, a
/// loss that leaves the window as it is, a window that never comes back.
pub fn sawtooth(law: &dyn WindowLaw, link: Bottleneck) -> Result<Sawtooth> {
    let none = |reason: &str| Err(Error::NoAnswer(reason.to_owned()));
    if let Some(reason) = law.unsettled() {
        return none(reason);
    }
    let peak = link.pipe + link.buffer;
    if !(link.pipe > 0.0 && (2.0..1e15).contains(&peak)) {
        return none(
            "pipe and buffer hold less than two packets, or more than double precision counts: no sawtooth",
        );
    }
    let places = law.states().len();
    let climb = Climb {
        law,
        link,
        places,
        held: Cell::new(false),
        side: Cell::new(Side::Free),
    };
    let mut x = vec![0.0; places + 3];
    law.steady(peak, &climb.seen(peak), &mut x[..places]);
    law.decrease(&mut x[..places], &climb.seen(peak), Cause::Loss);
    let kept = x[0] / peak;
    if kept >= 1.0 {
        return none("a loss leaves the window as it is");
    }
    let mut rates = vec![0.0; places];
    let first = climb.growth(&x, &mut rates);
    if first.is_nan() || first < 0.0 {
        return none("the window does not grow after a loss");
    }
    let (mut least, mut most) = (first, first);
    let step = 0.01 * (peak - x[0]).clamp(1e-3, 100.0) * link.base_rtt;
    let seconds = ode::integrate(&climb, &mut x, step, TOLERANCE, |time, x, event| {
        climb.meet(event, x);
        let growth = climb.growth(x, &mut rates);
        (least, most) = (least.min(growth), most.max(growth));
        let short = peak - x[0];
        // A plateau is met at a switch of the law, where the window stands at its peak to rounding and hardly moves.
        let stands = short < BACK * peak
            && (short > 1e3 * time * rates[0] || short <= 4.0 * f64::EPSILON * peak);
        if event == Some(0) || (event.is_some() && stands) {
            return Ok(Flow::Stop);
        }
        if time / link.base_rtt > 1e60 {
            return Err(Error::NoAnswer("the window does not come back".into()));
        }
        Ok(Flow::Continue)
    })?;
    let busy = kept * peak >= link.pipe;
    let used = x[places + 1] * link.base_rtt / (link.pipe * seconds);
    Ok(Sawtooth {
        peak,
        kept,
        utilisation: if busy { 1.0 } else { used.min(1.0) },
        seconds,
        rounds: x[places],
        queue: ((x[places + 2] - x[places + 1] * link.base_rtt) / seconds).max(0.0),
        packets: x[places + 1],
        additive: most - least <= ADDITIVE * most,
    })
}
