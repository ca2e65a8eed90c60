//! Packets lost in an overflow against the last increment: what binary search saves.

use super::{PROTOCOLS, Protocol, Router, Setup};
use crate::error::Result;
use crate::fluid::{Event, Observer, Sample, What, simulate};
use crate::numeric::quadrature::GaussLegendre;

/// One flow of 100 ms alone at a drop-tail link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overflow {
    /// Network and times.
    pub setup: Setup,
    /// The flow's protocol.
    pub protocol: Protocol,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overflowing {
    /// Packets by which the window grew in the round trip before a loss, on average over loss events.
    pub increment: f64,
    /// Packets lost in one loss event, on average.
    pub lost: f64,
    /// Loss events measured.
    pub events: u64,
}

const RTT: f64 = 0.1;

struct Growth {
    from: f64,
    /// Round trip with a full buffer.
    rtt: f64,
    every: f64,
    windows: Vec<f64>,
    reacted: f64,
    sum: f64,
    count: f64,
}

impl Observer for Growth {
    fn every(&self) -> Option<f64> {
        Some(self.every)
    }
    fn wants_events(&self) -> bool {
        true
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        self.windows.push(sample.windows[0]);
    }
    fn event(&mut self, event: &Event) {
        if event.what == What::Reaction {
            self.reacted = event.time;
        }
        let before = event.time - self.rtt;
        if event.what != What::Loss || event.time < self.from || before < self.reacted {
            return;
        }
        // The window a round trip ago, between two samples.
        let place = before / self.every;
        let (low, part) = (place.floor() as usize, place.fract());
        if let (Some(one), Some(other)) = (self.windows.get(low), self.windows.get(low + 1)) {
            self.sum += event.before - (one + part * (other - one));
            self.count += 1.0;
        }
    }
}

impl Overflow {
    /// The capacities measured, bits per second.
    pub const CAPACITIES: [f64; 5] = [20e6, 100e6, 500e6, 1e9, 2.5e9];

    /// The protocols measured: the paper's, and BIC without fast convergence, which lets a lone flow come back to its maximum.
    pub const PROTOCOLS: [Protocol; 5] = [
        PROTOCOLS[0],
        PROTOCOLS[1],
        PROTOCOLS[2],
        PROTOCOLS[3],
        Protocol {
            name: "BIC without fast convergence",
            spec: "bic:smax=32,smin=0.01,beta=0.125,fast_convergence=0",
        },
    ];

    /// This protocol at this capacity.
    #[must_use]
    pub const fn new(protocol: Protocol, capacity_bps: f64) -> Self {
        Self {
            setup: Setup::new(capacity_bps, Router::DropTail).alone(),
            protocol,
        }
    }

    /// Runs it; `None` if fewer than two loss events fell into the measured time.
    ///
    /// # Errors
    /// Those of the integrator.
    pub fn run(&self, seed: u64) -> Result<Option<Overflowing>> {
        let setup = &self.setup;
        let scenario = setup.scenario(vec![self.protocol.flow(RTT, 0.0)?], seed)?;
        let mut growth = Growth {
            from: setup.measure_from,
            rtt: RTT + setup.buffer_s,
            every: 0.005,
            windows: Vec::new(),
            reacted: f64::NEG_INFINITY,
            sum: 0.0,
            count: 0.0,
        };
        let summary = simulate(&scenario, &mut growth)?;
        let flow = &summary.flows[0];
        Ok((growth.count >= 2.0).then(|| Overflowing {
            increment: growth.sum / growth.count,
            lost: flow.lost / flow.loss_events as f64,
            events: flow.loss_events,
        }))
    }
}

/// Packets that one flow loses in an overflow while its window grows by `increment` = a packets a round trip of constant
/// length R: `1 + 3a/2 + ∫₀^∞ exp(−u − u²/2a) du`, which is 3a/2 + 2 for large a and 1 for small.
///
/// A queue that grows with the window gains a/R packets a second, so that the excess when the buffer is full, at s = 0 round
/// trips, is a (1 + s)/R. The first loss comes with that intensity: one packet is lost on average until then, and its mean
/// time is ∫ exp(−a s − a s²/2) ds. One more round trip passes until the sender has reacted, in which a (s + 3/2) are lost.
///
/// ```
/// use cwnd::experiments::bic2004::lost_in_overflow;
/// // The integral is √(πa/2) exp(a/2) erfc √(a/2).
/// assert!((lost_in_overflow(32.0) - 49.971_301).abs() < 1e-5);
/// assert!((lost_in_overflow(1.0) - 3.155_680).abs() < 1e-5);
/// assert!((lost_in_overflow(0.01) - 1.130_926).abs() < 1e-5);
/// ```
#[must_use]
pub fn lost_in_overflow(increment: f64) -> f64 {
    let a = increment;
    // Beyond the end the integrand is less than exp(−40).
    let end = (80.0 * a).sqrt().min(40.0);
    let rule = GaussLegendre::new(64);
    1.0 + 1.5 * a + rule.integrate(0.0, end, |u| (-u - 0.5 * u * u / a).exp())
}
