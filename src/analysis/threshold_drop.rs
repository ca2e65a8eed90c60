//! Many equal flows over a queue that drops with one probability above a threshold of its length: in which of its regimes it
//! settles, and how fast and far the queue swings where it does not.

use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction};
use crate::numeric::root;
use crate::units::{LossRate, Seconds};
use std::f64::consts::PI;

/// The link, its queue and its flows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdDrop {
    /// Flows, all with the same round trip.
    pub flows: f64,
    /// Packets per second served.
    pub capacity: f64,
    /// Round trip without the queue, seconds.
    pub base_rtt: f64,
    /// Queue from which on packets are dropped.
    pub threshold: f64,
    /// Drop probability there and above.
    pub probability: f64,
    /// Packets that fit into the queue; infinity for no limit.
    pub buffer: f64,
    /// Dropped packets never enter the queue.
    pub carried: bool,
}

/// Where the queue settles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Regime {
    /// The drop probability is more than the flows need at the threshold: the queue swings about it.
    Chatter {
        /// Drop probability that would hold the queue at the threshold.
        required: f64,
        /// Share of the time above the threshold that gives this on average.
        duty: f64,
    },
    /// The queue stands above the threshold, and every packet meets the same drop probability.
    Constant {
        /// Packets waiting.
        queue: f64,
    },
    /// The buffer is too small for that queue: what does not fit is dropped besides.
    TailDrop {
        /// Drop probability, both kinds together, that fills the link with a full buffer.
        required: f64,
    },
}

impl ThresholdDrop {
    fn path(&self, queue: f64) -> Path {
        Path {
            rtt: Some(Seconds::new(self.base_rtt + queue / self.capacity)),
            base_rtt: Some(Seconds::new(self.base_rtt)),
        }
    }

    /// ln(offered or carried load/capacity) at this drop probability and queue.
    fn load(&self, flow: &dyn ResponseFunction, p: f64, queue: f64) -> Result<f64> {
        let window = flow.respond(LossRate::new(p)?, &self.path(queue))?.window;
        let kept = if self.carried { 1.0 - p } else { 1.0 };
        let pipe = self.capacity * self.base_rtt + queue;
        Ok((self.flows * window.value() * kept / pipe).ln())
    }

    /// The drop probability at which the flows just fill the link with this queue.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] if none between 1e-15 and 1/2 does; errors of the response function pass through.
    pub fn required(&self, flow: &dyn ResponseFunction, queue: f64) -> Result<f64> {
        let (low, high) = (1e-15f64.ln(), 0.5f64.ln());
        let load = |ln_p: f64| self.load(flow, ln_p.exp(), queue);
        if load(low)? < 0.0 || load(high)? > 0.0 {
            return Err(Error::NoAnswer(
                "no drop probability between 1e-15 and 0.5 makes these flows fill this link".into(),
            ));
        }
        Ok(root::brent(&load, low, high, 0.0)?.exp())
    }

    /// The regime for flows with this response function, whose loss model names the model of the whole.
    ///
    /// # Errors
    /// Those of [`required`](Self::required).
    pub fn regime(&self, flow: &dyn ResponseFunction) -> Result<Regime> {
        let required = self.required(flow, self.threshold)?;
        if required < self.probability {
            return Ok(Regime::Chatter {
                required,
                duty: required / self.probability,
            });
        }
        let load = |queue: f64| self.load(flow, self.probability, queue);
        if self.buffer.is_finite() && load(self.buffer)? > 0.0 {
            return Ok(Regime::TailDrop {
                required: self.required(flow, self.buffer)?,
            });
        }
        let mut high = 2.0 * self.threshold + self.capacity * self.base_rtt;
        while load(high)? > 0.0 {
            high *= 2.0;
        }
        Ok(Regime::Constant {
            queue: root::brent(&load, self.threshold, high, 0.0)?,
        })
    }
}

/// The queue's answer to a small change of the drop probability about an equilibrium with a window of w packets and a loss
/// rate p, for a law that halves its window (Low and others 2002, from W' = x(1 − p)/W − x p W/2 one round trip later):
///
/// Here as gain and lag, which is all that a describing function asks for; the linearisation `low` of the control loop `red` is the same
/// plant as a transfer function and a delay system, and a test holds one against the other.
///
/// ```text
/// P(s) = (N/(R² p)) e^(−sR)/((s + pW/R)(s + 1/R))
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalvingPlant {
    /// Flows.
    pub flows: f64,
    /// Round trip, seconds.
    pub rtt: f64,
    /// Window, packets.
    pub window: f64,
    /// Loss rate.
    pub loss: f64,
}

impl HalvingPlant {
    /// Packets of queue for a unit of drop probability at `omega` rad/s.
    #[must_use]
    pub fn gain(&self, omega: f64) -> f64 {
        let slow = self.loss * self.window / self.rtt;
        self.flows
            / (self.rtt * self.rtt * self.loss)
            / (omega.hypot(slow) * omega.hypot(1.0 / self.rtt))
    }

    /// How far the queue lags behind, rad.
    #[must_use]
    pub fn lag(&self, omega: f64) -> f64 {
        let slow = self.loss * self.window / self.rtt;
        (omega / slow).atan() + (omega * self.rtt).atan() + omega * self.rtt
    }

    /// Frequency (rad/s) and amplitude (packets) of the queue under a drop probability that jumps between 0 and
    /// `probability`, by the describing function of a relay, `(4/π)(probability/2)/A`: right as far as the swing is a sine, and
    /// the drops are on for half of the time.
    ///
    /// # Errors
    /// [`Error::Numeric`] if no frequency lags by half a turn.
    ///
    /// ```
    /// use cwnd::analysis::threshold_drop::HalvingPlant;
    /// let loss = 0.005f64;
    /// let plant = HalvingPlant { flows: 47.62, rtt: 0.2 + 200.0 / 3750.0, window: (2.0 * (1.0 - loss) / loss).sqrt(), loss };
    /// let (omega, amplitude) = plant.relay_cycle(0.01)?;
    /// assert!((omega - 3.667).abs() < 1e-3 && (amplitude - 47.5).abs() < 0.05);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn relay_cycle(&self, probability: f64) -> Result<(f64, f64)> {
        let excess = |omega: f64| Ok(self.lag(omega) - PI);
        let omega = root::brent(&excess, 0.0, PI / self.rtt, 0.0)?;
        Ok((omega, 4.0 / PI * 0.5 * probability * self.gain(omega)))
    }
}
