//! The `epoch` road: the law integrated from one loss to the next, exactly 1/p packets apart, and the window at which
//! that repeats itself.
//!
//! For a trial peak W the epoch starts with what a loss leaves of W and lasts until the window is back at W. It has sent
//! Y(W) packets in N(W) rounds; the fixed point is Y(W) = 1/p, found by Brent's method in ln W, and the mean window is
//! (1/p)/N. Asking when the window is *back* is well conditioned where asking what the window *is* after 1/p packets is not:
//! CUBIC and BIC map a window to itself with slope 1 at their fixed point.

use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, LossModel, Path, Response, ResponseFunction, WindowLaw};
use crate::numeric::ode::{self, Flow};
use crate::numeric::root;
use crate::units::{LossRate, Packets};

/// Tolerance of each integration step, relative to the change over it.
const TOLERANCE: f64 = 1e-14;
/// Relative distance at which a window counts as back at its peak when a switch of the law ends the step there.
const BACK: f64 = 1e-11;
/// Step in ln W, or in ln RTT, of the difference quotients behind slope and RTT exponent.
const NUDGE: f64 = 1e-4;

/// The exact periodic response of a window law.
pub struct Epoch {
    law: Box<dyn WindowLaw>,
}

/// One epoch from loss to loss.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Window just before the loss.
    pub peak: f64,
    /// Packets sent.
    pub packets: f64,
    /// Round trips.
    pub rounds: f64,
    /// Regimes passed through, in order.
    pub regimes: Vec<&'static str>,
}

struct Growth<'a> {
    law: &'a dyn WindowLaw,
    seen: Feedback,
    peak: f64,
    places: usize,
}

impl ode::System for Growth<'_> {
    fn rate(&self, x: &[f64], dx: &mut [f64]) {
        let (state, sent) = dx.split_at_mut(self.places);
        self.law.increase(&x[..self.places], &self.seen, state);
        sent[0] = x[0] / self.seen.rtt;
    }

    fn switches(&self, x: &[f64], out: &mut Vec<f64>) {
        out.push(x[0] - self.peak);
        self.law.switches(&x[..self.places], &self.seen, out);
    }
}

impl Epoch {
    /// The road for this law.
    #[must_use]
    pub fn new(law: Box<dyn WindowLaw>) -> Self {
        Self { law }
    }

    /// The epoch whose peak is `peak` packets on a path with this feedback.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] if the window never comes back, [`Error::Numeric`] if the integration fails.
    pub fn cycle(&self, peak: f64, seen: &Feedback) -> Result<Cycle> {
        let law = self.law.as_ref();
        let places = law.states().len();
        let mut x = vec![0.0; places + 1];
        law.settle(peak, &mut x[..places]);
        law.decrease(&mut x[..places], seen, Cause::Loss);
        if x[0] >= peak {
            return Err(Error::NoAnswer(format!(
                "a loss at a window of {peak} packets leaves the window as it is"
            )));
        }
        let growth = Growth {
            law,
            seen: *seen,
            peak,
            places,
        };
        let mut regimes = vec![law.regime(&x[..places], seen)];
        let rounds_to_start = 0.01 * (peak - x[0]).max(1e-3);
        let time = ode::integrate(
            &growth,
            &mut x,
            rounds_to_start.min(1.0) * seen.rtt,
            TOLERANCE,
            |time, x, event| {
                // The return itself is switch 0; at a switch of the law the window may stand at its peak to rounding.
                if event == Some(0) || (event.is_some() && (x[0] / peak - 1.0).abs() < BACK) {
                    return Ok(Flow::Stop);
                }
                let regime = law.regime(&x[..places], seen);
                if regimes.last() != Some(&regime) {
                    regimes.push(regime);
                }
                if time / seen.rtt > 1e18 {
                    return Err(Error::NoAnswer(format!(
                        "the window does not come back to {peak} packets within 1e18 round trips"
                    )));
                }
                Ok(Flow::Continue)
            },
        )?;
        Ok(Cycle {
            peak,
            packets: x[places],
            rounds: time / seen.rtt,
            regimes,
        })
    }

    /// Every periodic solution with `packets` packets from loss to loss, the largest window first.
    ///
    /// # Errors
    /// Those of [`Epoch::cycle`].
    pub fn cycles(&self, packets: f64, seen: &Feedback) -> Result<Vec<Cycle>> {
        let excess = |ln_peak: f64| -> Result<f64> {
            Ok((self.cycle(ln_peak.exp(), seen)?.packets / packets).ln())
        };
        // Between two windows where the decrease jumps, Y(W) is continuous and grows with W.
        let mut edges = vec![f64::NEG_INFINITY];
        edges.extend(self.law.thresholds().iter().map(|w| w.ln()));
        edges.push(f64::INFINITY);
        let guess = 0.5 * (8.0 / 3.0 * packets).ln();
        let mut found = Vec::new();
        for pair in edges.windows(2).rev() {
            let (bottom, top) = (pair[0], pair[1]);
            // Clear of the edges by more than the rounding of exp and ln.
            let (bottom, top) = (bottom + 1e-14, top - 1e-14);
            let inside = |x: f64| x.clamp(bottom, top);
            let (mut low, mut high) = (inside(guess), inside(guess));
            let mut reach = 0.5;
            while low > bottom && low > -30.0 && excess(low)? > 0.0 {
                (low, reach) = (inside(low - reach), reach * 2.0);
            }
            reach = 0.5;
            while high < top && high < 100.0 && excess(high)? < 0.0 {
                (high, reach) = (inside(high + reach), reach * 2.0);
            }
            if excess(low)? <= 0.0 && excess(high)? >= 0.0 {
                let cycle = self.cycle(root::brent(&excess, low, high, 0.0)?.exp(), seen)?;
                // A window that is held for a while before it grows on makes Y(W) jump: no root there.
                if (cycle.packets / packets - 1.0).abs() < 1e-6 {
                    found.push(cycle);
                }
            }
        }
        Ok(found)
    }

    /// d ln N/d ln Y along the response, by a three-point difference in ln W towards larger windows, so that a kink gets
    /// its slope towards smaller loss rates; backwards only where the decrease jumps just above.
    fn rounds_slope(&self, cycle: &Cycle, seen: &Feedback) -> Result<f64> {
        let far = cycle.peak * (2.0 * NUDGE).exp();
        let jumps = self
            .law
            .thresholds()
            .iter()
            .any(|&t| cycle.peak < t && t <= far);
        let h = if jumps { -NUDGE } else { NUDGE };
        let (one, two) = (
            self.cycle(cycle.peak * h.exp(), seen)?,
            self.cycle(cycle.peak * (2.0 * h).exp(), seen)?,
        );
        let rise =
            |f: fn(&Cycle) -> f64| 4.0 * (f(&one) / f(cycle)).ln() - (f(&two) / f(cycle)).ln();
        Ok(rise(|c| c.rounds) / rise(|c| c.packets))
    }
}

impl ResponseFunction for Epoch {
    fn form(&self) -> &'static str {
        "law"
    }

    fn loss_model(&self) -> LossModel {
        LossModel::Periodic
    }

    fn respond(&self, p: LossRate, path: &Path) -> Result<Response> {
        if let Some(why) = self.law.unsettled() {
            return Err(Error::NoAnswer(why.into()));
        }
        let seen = path.feedback(self.law.as_ref())?;
        let packets = 1.0 / p.value();
        let all = self.cycles(packets, &seen)?;
        let Some(cycle) = all.first() else {
            return Err(Error::NoAnswer("no periodic solution: a rule of the law jumps, and no window repeats itself at this loss rate".into()));
        };
        let mean = |c: &Cycle| c.packets / c.rounds;
        let rtt_exponent = if self.law.needs_rtt() {
            let at = |factor: f64| -> Result<f64> {
                let seen = Feedback {
                    rtt: seen.rtt * factor,
                    base_rtt: seen.base_rtt * factor,
                    ..seen
                };
                self.cycles(packets, &seen)?
                    .first()
                    .map(mean)
                    .ok_or_else(|| Error::NoAnswer("no periodic solution nearby".into()))
            };
            (at(NUDGE.exp())? / at((-NUDGE).exp())?).ln() / (2.0 * NUDGE)
        } else {
            0.0
        };
        let note = (all.len() > 1).then(|| {
            let others: Vec<String> = all.iter().skip(1).map(|c| crate::units::significant(mean(c), 6)).collect();
            format!("the decrease rule jumps here: another periodic solution has a mean window of {} packets", others.join(", "))
        });
        Ok(Response {
            window: Packets::new(packets / cycle.rounds),
            peak: Some(Packets::new(cycle.peak)),
            slope: Some(1.0 - self.rounds_slope(cycle, &seen)?),
            rtt_exponent: Some(rtt_exponent),
            ci: None,
            regime: cycle.regimes.join(", then ").into(),
            source: self.law.source().into(),
            note: note.map(Into::into),
        })
    }
}
