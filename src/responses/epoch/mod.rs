//! The `epoch` road: the law integrated from one loss to the next, exactly 1/p packets apart, and the window at which
//! that repeats itself.
//!
//! For a trial peak W the epoch starts with what a loss leaves of W and lasts until the window is back at W. It has sent
//! Y(W) packets in N(W) rounds; the fixed point is Y(W) = 1/p, found by Brent's method in ln W, and the mean window is
//! (1/p)/N. Asking when the window is *back* is well conditioned where asking what the window *is* after 1/p packets is not:
//! CUBIC and BIC map a window to itself with slope 1 at their fixed point. What a law carries over from epoch to epoch (a
//! measured bandwidth) is solved for inside, at each trial peak: it must come back too.
//!
//! Y and N depend on W alone, so that one set of epochs answers for every loss rate on a path: they are integrated at fixed
//! peaks, a polynomial goes through them where they are smooth, and the fixed point is found on it (`piece`). [`Epoch::cycles`]
//! shoots at every question anew.

use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, LossModel, Path, Response, ResponseFunction, WindowLaw};
use crate::numeric::fixed_point::{Change, fixed_point};
use crate::numeric::ode::{self, Flow};
use crate::numeric::root;
use crate::units::{LossRate, Packets};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

mod piece;
mod table;

use table::Table;

/// Tolerance of each integration step, relative to the change over it.
const TOLERANCE: f64 = 1e-14;
/// Relative change over an epoch below which what a law carries over has come back.
const REPEATED: f64 = 1e-13;
/// Relative distance from its peak at which a window that stands still there counts as back.
const BACK: f64 = 1e-11;
/// Step in ln W of the search for solutions.
const STRIDE: f64 = 0.3;
/// Blur of an epoch beyond which there is no answer.
const BLURRED: f64 = 1e-6;
/// Integration steps after which an epoch is too long to be followed: where a law forgets far faster than its epoch lasts, or
/// its rules change to and fro, steps stay short.
const MOST_STEPS: usize = 50_000;
/// Paths whose epochs are kept. The next one clears them all, which costs time and changes no digit.
const MOST_PATHS: usize = 4096;

/// The exact periodic response of a window law.
pub struct Epoch {
    law: Box<dyn WindowLaw>,
    /// By the bits of round trip and base round trip.
    tables: RwLock<HashMap<(u64, u64), Arc<Table>>>,
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
    /// Share of the epoch that one unit in the last place of the window stands for: what its digits are worth.
    pub blur: f64,
    /// Regimes passed through, in order.
    pub regimes: Vec<&'static str>,
    /// The law's state just before the loss.
    pub state: Vec<f64>,
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
        let seen = self.seen.delivering(x[0]);
        self.law.increase(&x[..self.places], &seen, state);
        sent[0] = x[0] / self.seen.rtt;
    }

    fn switches(&self, x: &[f64], out: &mut Vec<f64>) {
        out.push(x[0] - self.peak);
        let seen = self.seen.delivering(x[0]);
        self.law.switches(&x[..self.places], &seen, out);
    }
}

impl Epoch {
    /// The road for this law.
    #[must_use]
    pub fn new(law: Box<dyn WindowLaw>) -> Self {
        Self {
            law,
            tables: RwLock::default(),
        }
    }

    /// The epoch whose peak is `peak` packets on a path with this feedback.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] if the window never comes back, [`Error::Numeric`] if the integration fails.
    pub fn cycle(&self, peak: f64, seen: &Feedback) -> Result<Cycle> {
        let found = self.repeating(peak, seen);
        match self.law.fault(found.is_ok()) {
            Some(why) => Err(Error::NoAnswer(why)),
            None => found,
        }
    }

    /// The epoch that comes back to its peak with everything that the law carries over.
    fn repeating(&self, peak: f64, seen: &Feedback) -> Result<Cycle> {
        let law = self.law.as_ref();
        let carried = law.carried();
        let mut at_loss = vec![0.0; law.states().len()];
        law.steady(peak, &seen.delivering(peak), &mut at_loss);
        if carried.is_empty() {
            return self.climb(&at_loss, seen);
        }
        let mut memory: Vec<f64> = carried.iter().map(|&place| at_loss[place]).collect();
        let with = |memory: &[f64]| {
            let mut start = at_loss.clone();
            for (&place, value) in carried.iter().zip(memory) {
                start[place] = *value;
            }
            self.climb(&start, seen)
        };
        let mut again = |memory: &[f64]| -> Result<Change> {
            let cycle = with(memory)?;
            let change = |(&place, before): (&usize, &f64)| cycle.state[place] - before;
            Ok(Change {
                rates: carried
                    .iter()
                    .zip(memory)
                    .map(|pair| change(pair) / cycle.rounds)
                    .collect(),
                span: cycle.rounds,
            })
        };
        fixed_point(&mut again, &mut memory, REPEATED)?;
        with(&memory)
    }

    /// One epoch after a loss in this state, until the window is back.
    fn climb(&self, at_loss: &[f64], seen: &Feedback) -> Result<Cycle> {
        let law = self.law.as_ref();
        let (places, peak) = (at_loss.len(), at_loss[0]);
        let mut x = at_loss.to_vec();
        x.push(0.0);
        law.decrease(&mut x[..places], &seen.delivering(peak), Cause::Loss);
        if x[0] >= peak {
            return Err(Error::NoAnswer(format!(
                "a loss at a window of {peak} packets leaves the window as it is"
            )));
        }
        let (mut rates, mut blur) = (vec![0.0; places], 0.0f64);
        let growth = Growth {
            law,
            seen: *seen,
            peak,
            places,
        };
        let mut regimes = vec![law.regime(&x[..places], &seen.delivering(x[0]))];
        let mut steps = 0;
        let rounds_to_start = 0.01 * (peak - x[0]).max(1e-3);
        let time = ode::integrate(
            &growth,
            &mut x,
            rounds_to_start.min(1.0) * seen.rtt,
            TOLERANCE,
            |time, x, event| {
                // The return itself is switch 0. A plateau (CUBIC's) is met at a switch of the law where the window stands at its
                // peak to rounding and hardly moves: it would not get there for a thousand epochs.
                let mut pace = |x: &[f64]| {
                    law.increase(&x[..places], &seen.delivering(x[0]), &mut rates);
                    rates[0]
                };
                if event == Some(0) {
                    blur = f64::EPSILON * peak / (pace(x) * time);
                    return Ok(Flow::Stop);
                }
                let short = peak - x[0];
                if event.is_some()
                    && short < BACK * peak
                    && (short > 1e3 * time * pace(x) || short <= 4.0 * f64::EPSILON * peak)
                {
                    return Ok(Flow::Stop);
                }
                let regime = law.regime(&x[..places], &seen.delivering(x[0]));
                if regimes.last() != Some(&regime) {
                    regimes.push(regime);
                }
                steps += 1;
                if steps > MOST_STEPS {
                    return Err(Error::Numeric {
                        method: "following an epoch",
                        detail: format!(
                            "{MOST_STEPS} steps after a loss at a window of {} packets it has sent {} packets in {} round trips and is not over: the law forgets far faster, or its rules change to and fro",
                            crate::units::significant(peak, 6),
                            crate::units::significant(x[places], 6),
                            crate::units::significant(time / seen.rtt, 6)
                        ),
                    });
                }
                if time / seen.rtt > 1e60 {
                    return Err(Error::NoAnswer(format!(
                        "the window does not come back to {peak} packets within 1e60 round trips"
                    )));
                }
                Ok(Flow::Continue)
            },
        )?;
        if blur.is_nan() || blur >= BLURRED {
            return Err(Error::NoAnswer("the window's last digit is coarser than the law's steps near the peak: double precision does not carry this epoch".into()));
        }
        Ok(Cycle {
            peak,
            packets: x[places],
            rounds: time / seen.rtt,
            blur,
            regimes,
            state: x[..places].to_vec(),
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
            // Walk down to an epoch that is too short, then up in steps until one round alone would be too long; every
            // change of sign on the way holds a solution (HighSpeed with corners of one's own has three).
            let mut low = inside(guess);
            let mut reach = STRIDE;
            while low > bottom && low > -30.0 && excess(low)? > 0.0 {
                (low, reach) = (inside(low - reach), reach * 2.0);
            }
            let last = (2.0 * packets).ln().max(guess + 1.0);
            let (mut x, mut value) = (low, excess(low)?);
            let mut here = Vec::new();
            while x < top && x < 300.0 && (x < last || value < 0.0) {
                let next = (x + STRIDE).min(top);
                let then = excess(next)?;
                // A zero at the near end counts, one at the far end waits for the next step.
                if (value <= 0.0 && then > 0.0) || (value >= 0.0 && then < 0.0) {
                    let cycle = self.cycle(root::brent(&excess, x, next, 0.0)?.exp(), seen)?;
                    // A window that is held for a while before it grows on makes Y(W) jump: no root there.
                    if (cycle.packets / packets - 1.0).abs() < 1e-6 {
                        here.push(cycle);
                    }
                }
                (x, value) = (next, then);
            }
            found.extend(here.into_iter().rev());
        }
        Ok(found)
    }

    /// d ln N/d ln Y along the response, by three-point differences in ln W towards larger windows, so that a kink gets
    /// its slope towards smaller loss rates; backwards only where the decrease jumps just above. Of steps from 1e-3 to
    /// 1e-9 the one whose value changes least with the step balances curvature against rounding.
    fn rounds_slope(&self, cycle: &Cycle, seen: &Feedback) -> Result<f64> {
        let above = self
            .law
            .thresholds()
            .into_iter()
            .filter(|&t| t > cycle.peak)
            .fold(f64::INFINITY, f64::min);
        let quotient = |size: f64| -> Result<f64> {
            let h = if cycle.peak * (2.0 * size).exp() >= above {
                -size
            } else {
                size
            };
            let (one, two) = (
                self.cycle(cycle.peak * h.exp(), seen)?,
                self.cycle(cycle.peak * (2.0 * h).exp(), seen)?,
            );
            let rise =
                |f: fn(&Cycle) -> f64| 4.0 * (f(&one) / f(cycle)).ln() - (f(&two) / f(cycle)).ln();
            Ok(rise(|c| c.rounds) / rise(|c| c.packets))
        };
        let mut before = quotient(1e-3)?;
        let mut best = (f64::INFINITY, before);
        for exponent in 4..=9 {
            let now = quotient(10f64.powi(-exponent))?;
            let change = (now - before).abs();
            // Of two steps that agree the longer one carries less rounding.
            if change < best.0 {
                best = (change, if exponent > 6 { before } else { now });
            }
            before = now;
        }
        Ok(best.1)
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
        self.law.price().must_be_loss()?;
        if let Some(why) = self.law.unsettled() {
            return Err(Error::NoAnswer(why.into()));
        }
        // A law that does not count seconds is integrated in round trips: the same digits on every path.
        let path = match path.base_rtt {
            None if !self.law.needs_rtt() => &Path::default(),
            _ => path,
        };
        let seen = path.feedback(self.law.as_ref())?;
        let packets = 1.0 / p.value();
        let all = self.table(seen).solutions(self, packets)?;
        let Some(found) = all.first() else {
            return Err(Error::NoAnswer("no periodic solution: a rule of the law jumps, and no window repeats itself at this loss rate".into()));
        };
        let note = (all.len() > 1).then(|| {
            let others: Vec<String> = all.iter().skip(1).map(|one| crate::units::significant(packets / one.rounds, 6)).collect();
            format!("the decrease rule jumps here: another periodic solution has a mean window of {} packets", others.join(", "))
        });
        Ok(Response {
            window: Packets::new(packets / found.rounds),
            peak: Some(Packets::new(found.peak)),
            slope: Some(1.0 - found.rounds_slope),
            rtt_exponent: Some(found.rtt_exponent),
            ci: None,
            regime: found.regime.clone(),
            source: self.law.source().into(),
            note: note.map(Into::into),
        })
    }
}

impl Epoch {
    /// The epochs met so far on this path.
    fn table(&self, seen: Feedback) -> Arc<Table> {
        let key = (seen.rtt.to_bits(), seen.base_rtt.to_bits());
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = known.get(&key) {
            return Arc::clone(table);
        }
        drop(known);
        let mut known = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_PATHS {
            known.clear();
        }
        let table = known
            .entry(key)
            .or_insert_with(|| Arc::new(Table::new(self, seen)));
        Arc::clone(table)
    }
}
