//! Unfairness from response functions: exponents, and the equilibrium with one of them for each flow.

use super::equilibrium::{Equilibrium, Part};
use crate::analysis::joint::SharedLink;
use crate::error::{Error, Result};
use crate::model::{Path, Response, ResponseFunction};
use crate::numeric::root;
use crate::units::{LossRate, Packets, Seconds};

/// How a rate ratio follows from a ratio of round trips: (RTT2/RTT1)^exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exponent {
    /// The exponent.
    Finite(f64),
    /// The slope is 1: whatever the round trips, the longer path starves.
    Infinite,
}

impl Exponent {
    /// As a number.
    #[must_use]
    pub const fn value(self) -> f64 {
        match self {
            Self::Finite(x) => x,
            Self::Infinite => f64::INFINITY,
        }
    }
}

/// Slopes nearer to 1 than this count as 1: they come from differences.
const ONE: f64 = 1e-9;

/// `(1−e)/(1−d)`, the exponent under losses that hit all flows at once: epochs last equally long, so N·RTT is equal, and
/// along R = c·RTT^e/p^d that makes rates go as RTT^(−(1−e)/(1−d)). For a law whose window does not depend on the round
/// trip e = 0 and it is 1/(1−d). Local where d depends on the window.
///
/// ```
/// use cwnd::analysis::rtt_unfairness::synchronised;
/// assert_eq!(synchronised(0.5, 0.0).value(), 2.0);
/// assert!((synchronised(0.82, 0.0).value() - 5.56).abs() < 5e-3);
/// assert_eq!(synchronised(1.0, 0.0).value(), f64::INFINITY);
/// assert_eq!(synchronised(0.75, 0.75).value(), 1.0);
/// ```
#[must_use]
pub fn synchronised(slope: f64, rtt_exponent: f64) -> Exponent {
    let rest = 1.0 - slope;
    if rest <= ONE {
        Exponent::Infinite
    } else {
        Exponent::Finite((1.0 - rtt_exponent) / rest)
    }
}

/// `1−e`, the exponent under losses that hit each packet of every flow with the same probability.
#[must_use]
pub fn independent(rtt_exponent: f64) -> Exponent {
    Exponent::Finite(1.0 - rtt_exponent)
}

/// Both exponents of a response.
///
/// # Errors
/// [`Error::NoAnswer`] if the response carries no slope or no RTT exponent.
pub fn exponents(response: &Response) -> Result<(Exponent, Exponent)> {
    match (response.slope, response.rtt_exponent) {
        (Some(d), Some(e)) => Ok((synchronised(d, e), independent(e))),
        _ => Err(Error::NoAnswer(
            "this road gives no slope and no RTT exponent".into(),
        )),
    }
}

/// Flows of one kind with their response function.
#[derive(Clone, Copy)]
pub struct Responding<'a> {
    /// The response function.
    pub function: &'a dyn ResponseFunction,
    /// Round trip without the queue, seconds.
    pub base_rtt: f64,
    /// How many such flows.
    pub count: f64,
}

/// What two flows have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shared {
    /// The time from loss to loss: every loss hits all.
    Epoch,
    /// The loss rate: a packet is lost with the same probability whoever sends it, as under RED.
    Loss,
}

/// A root that misses what is asked for by more, relatively, lies on a jump.
const JUMP: f64 = 1e-6;

/// Range of ln p that is searched.
const RANGE: (f64, f64) = (-70.0, -1e-6);

struct Answer {
    window: f64,
    peak: Option<f64>,
    p: f64,
}

impl Responding<'_> {
    fn at(&self, ln_p: f64, delay: f64) -> Result<Answer> {
        let p = ln_p.exp();
        let rtt = self.base_rtt + delay;
        let path = Path {
            rtt: Some(Seconds::new(rtt)),
            base_rtt: Some(Seconds::new(self.base_rtt)),
        };
        let response = self.function.respond(LossRate::new(p)?, &path)?;
        Ok(Answer {
            window: response.window.value(),
            peak: response.peak.map(Packets::value),
            p,
        })
    }

    /// The point of the response whose epoch lasts `seconds`: (1/p)/R(p) round trips.
    fn lasting(&self, seconds: f64, delay: f64) -> Result<Answer> {
        let rtt = self.base_rtt + delay;
        let excess = |ln_p: f64| -> Result<f64> {
            let answer = self.at(ln_p, delay)?;
            Ok((rtt / (answer.p * answer.window * seconds)).ln())
        };
        let (low, mut high) = RANGE;
        if matches!(excess(high), Err(Error::NoAnswer(_))) {
            // The form ends before: its shortest epoch is at the largest loss rate with an answer.
            let mut answered = low;
            while high - answered > 1e-12 * answered.abs() {
                let middle = f64::midpoint(answered, high);
                match excess(middle) {
                    Ok(_) => answered = middle,
                    Err(Error::NoAnswer(_)) => high = middle,
                    Err(other) => return Err(other),
                }
            }
            high = answered;
        }
        if excess(high)? > 0.0 {
            return Err(Error::NoAnswer(format!(
                "no equilibrium: the flows with a round trip of {} s starve; no epoch of theirs is as short as {} s",
                self.base_rtt,
                crate::units::significant(seconds, 6)
            )));
        }
        if excess(low)? < 0.0 {
            return Err(Error::NoAnswer(
                "no equilibrium: the epoch of this response does not grow with the window".into(),
            ));
        }
        let ln_p = root::brent(&excess, low, high, 0.0)?;
        if excess(ln_p)?.abs() > JUMP {
            // The epoch jumps over the wanted length.
            return Err(Error::NoAnswer(format!(
                "no equilibrium: no epoch of the flows with a round trip of {} s lasts {} s",
                self.base_rtt,
                crate::units::significant(seconds, 6)
            )));
        }
        self.at(ln_p, delay)
    }
}

/// The equilibrium of flows that follow response functions, and whether every one had a peak window.
///
/// With peaks and epochs of the same length the link is full at a loss, Σ peak/(R + B/C) = C. The mean delay τ is constant in
/// it: 0 while Σ W/R ≤ C for the mean windows, else what makes Σ W/(R + τ) = C, at most B/C.
///
/// Without peaks, or with the same loss rate for all, the mean windows fill the link, Σ W/(R + τ) = C, and every τ from 0 to
/// B/C has such an equilibrium: the mean queue is undetermined (NaN). Taken is τ = B/C, the only queue at which a drop-tail
/// buffer loses. The other end of the range is the same call with a buffer of 0.
///
/// # Errors
/// [`Error::NoAnswer`] where there is none; errors of the response functions pass through.
pub fn response_equilibrium(
    flows: &[Responding<'_>],
    link: SharedLink,
    shared: Shared,
) -> Result<(Equilibrium, bool)> {
    let full = link.full_delay();
    let mut delay = full;
    let (mut common, mut answers) = fill(flows, link, shared, delay)?;
    let peaked = answers.iter().all(|a| a.peak.is_some());
    let settled = shared == Shared::Epoch && peaked;
    if settled && full > 0.0 {
        delay = mean_delay(flows, link, shared)?;
        (common, answers) = fill(flows, link, shared, delay)?;
    }
    let parts: Vec<Part> = flows
        .iter()
        .zip(&answers)
        .map(|(flow, a)| Part {
            peak: a.peak.unwrap_or(f64::NAN),
            rate: a.window / (flow.base_rtt + delay),
            window: a.window,
            rounds: 1.0 / (a.p * a.window),
            loss: a.p,
        })
        .collect();
    let carried: f64 = flows
        .iter()
        .zip(&parts)
        .map(|(flow, part)| flow.count * part.rate)
        .sum();
    let seconds = match shared {
        Shared::Epoch => common.exp(),
        Shared::Loss => f64::NAN,
    };
    Ok((
        Equilibrium {
            seconds,
            parts,
            utilisation: (carried / link.capacity).min(1.0),
            queue_mean: if settled || full == 0.0 {
                delay * link.capacity
            } else {
                f64::NAN
            },
            queue_p95: f64::NAN,
        },
        peaked,
    ))
}

/// The mean delay that flows with peak windows make: the one that their mean windows, which it decides, put there.
fn mean_delay(flows: &[Responding<'_>], link: SharedLink, shared: Shared) -> Result<f64> {
    let full = link.full_delay();
    let wanted = |delay: f64| -> Result<f64> {
        let (_, answers) = fill(flows, link, shared, delay)?;
        let carried = |extra: f64| -> f64 {
            flows
                .iter()
                .zip(&answers)
                .map(|(flow, a)| flow.count * a.window / (flow.base_rtt + extra))
                .sum::<f64>()
                / link.capacity
        };
        if carried(0.0) <= 1.0 {
            Ok(0.0)
        } else if carried(full) >= 1.0 {
            Ok(full)
        } else {
            root::brent(&|tau| Ok(carried(tau) - 1.0), 0.0, full, 0.0)
        }
    };
    // What the delay makes of itself falls with it, so that its fixed point is the one root.
    let excess = |tau: f64| -> Result<f64> { Ok(wanted(tau)? - tau) };
    if excess(0.0)? <= 0.0 {
        Ok(0.0)
    } else if excess(full)? >= 0.0 {
        Ok(full)
    } else {
        root::brent(&excess, 0.0, full, 1e-14 * full)
    }
}

/// With this constant delay: the common time or loss rate (a logarithm) at which the flows fill the link.
fn fill(
    flows: &[Responding<'_>],
    link: SharedLink,
    shared: Shared,
    delay: f64,
) -> Result<(f64, Vec<Answer>)> {
    let answers = |common: f64| -> Result<Vec<Answer>> {
        flows
            .iter()
            .map(|flow| match shared {
                Shared::Epoch => flow.lasting(common.exp(), delay),
                Shared::Loss => flow.at(common, delay),
            })
            .collect()
    };
    let excess = |common: f64| -> Result<f64> {
        let answers = answers(common)?;
        let peaked = shared == Shared::Epoch && answers.iter().all(|a| a.peak.is_some());
        let (load, rtt) = if peaked {
            (true, link.full_delay())
        } else {
            (false, delay)
        };
        let sum: f64 = flows
            .iter()
            .zip(&answers)
            .map(|(flow, a)| {
                let w = if load {
                    a.peak.unwrap_or(a.window)
                } else {
                    a.window
                };
                flow.count * w / (flow.base_rtt + rtt)
            })
            .sum();
        Ok((sum / link.capacity).ln())
    };
    // Longer epochs and smaller loss rates carry more.
    let (sign, start, least, most) = match shared {
        Shared::Epoch => {
            let longest = flows.iter().map(|f| f.base_rtt).fold(0.0, f64::max);
            (1.0, (10.0 * (longest + delay)).ln(), -30.0, 60.0)
        }
        Shared::Loss => (-1.0, -9.0, RANGE.0, RANGE.1),
    };
    // A response may end before it fills the link: start where there are answers, widen only as far as there are.
    let (mut at, mut problem) = (start, None);
    let first = loop {
        match excess(at) {
            Ok(value) => break value,
            Err(error @ Error::NoAnswer(_)) => {
                at += sign;
                if !(least..=most).contains(&at) {
                    return Err(error);
                }
            }
            Err(other) => return Err(other),
        }
    };
    let mut reach = 1.0;
    let mut walk = |from: f64, up: bool| -> Result<Option<f64>> {
        let mut at = from;
        loop {
            let next = if up {
                at + sign * reach
            } else {
                at - sign * reach
            };
            let next = next.clamp(least, most);
            match excess(next) {
                Ok(value) if (value >= 0.0) == up => return Ok(Some(next)),
                Ok(_) => at = next,
                Err(error @ Error::NoAnswer(_)) => {
                    problem = Some(error);
                    reach *= 0.25;
                    if reach < 1e-6 {
                        return Ok(None);
                    }
                    continue;
                }
                Err(other) => return Err(other),
            }
            if next <= least || next >= most {
                return Ok(None);
            }
        }
    };
    let Some(other) = walk(at, first < 0.0)? else {
        return Err(problem.unwrap_or_else(|| {
            Error::NoAnswer("no equilibrium: these flows do not fill the link".into())
        }));
    };
    let common = root::brent(&excess, at.min(other), at.max(other), 0.0)?;
    if excess(common)?.abs() > JUMP {
        return Err(Error::NoAnswer(
            "no equilibrium: the windows jump past what fills the link, as those of a form in whole rounds do, whose epochs last equally long over a range of windows"
                .into(),
        ));
    }
    Ok((common, answers(common)?))
}
