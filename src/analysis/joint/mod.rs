//! Flows that share one drop-tail buffer and lose all at the same moment, through the two verbs of their laws only.
//!
//! Between losses the windows grow as the laws' `increase` says. The queue is what does not fit into the pipes: the
//! common delay τ is 0 while Σ W/R ≤ C and else solves Σ W/(R + τ) = C. The buffer is full, and every flow loses, when τ
//! reaches B/C. A buffer of 0 is a bufferless link: all lose when Σ W/R = C.

mod members;
mod stretch;

pub use members::{Member, SharedLink, check};

use crate::error::{Error, Result};
use crate::model::{Cause, Feedback};
use crate::numeric::ode::{self, Flow};
use std::cell::RefCell;
use stretch::{Stretch, Watch};

/// Tolerance of each integration step, relative to the change over it.
const TOLERANCE: f64 = 1e-13;
/// Steps that end at switches, in one epoch, beyond which the windows slide along one.
const MOST_SWITCHES: usize = 4000;
/// Epochs in which what a law carries must settle.
const MOST_CARRIED: usize = 300;
/// Seconds after which a window that is not back never will be.
const FOREVER: f64 = 1e60;

/// Sums over an epoch for one member: ∫W/(R+τ), ∫1/(R+τ) and ∫W over time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub packets: f64,
    pub rounds: f64,
    pub window: f64,
}

/// One epoch from loss to loss.
pub(super) struct Lapse {
    /// For each member, the time at which its window is back at its peak (or the time of the next loss).
    pub back: Vec<f64>,
    pub sums: Vec<Sums>,
    /// The laws' states at the end, one after the other.
    pub state: Vec<f64>,
    /// The common delay at the end.
    pub delay: f64,
}

/// When a stretch of growth ends.
#[derive(Clone, Copy)]
enum Until<'a> {
    /// When the next window is back at its peak.
    Back(&'a [f64]),
    /// When the buffer is full.
    Full,
    /// After this many seconds.
    Time(f64),
}

pub(super) struct Joint<'a> {
    members: &'a [Member<'a>],
    link: SharedLink,
    /// A constant delay instead of the queue's.
    pub fixed: Option<f64>,
    /// First place of each member's state.
    at: Vec<usize>,
    /// Places of all states.
    places: usize,
}

impl<'a> Joint<'a> {
    pub fn new(members: &'a [Member<'a>], link: SharedLink) -> Self {
        let mut at = Vec::with_capacity(members.len());
        let mut places = 0;
        for member in members {
            at.push(places);
            places += member.law.states().len();
        }
        Self {
            members,
            link,
            fixed: None,
            at,
            places,
        }
    }

    fn end(&self, i: usize) -> usize {
        self.at.get(i + 1).copied().unwrap_or(self.places)
    }

    /// Σ n W/(R + τ) and its slope in τ.
    fn demand(&self, x: &[f64], delay: f64) -> (f64, f64) {
        let mut sum = (0.0, 0.0);
        for (member, &at) in self.members.iter().zip(&self.at) {
            let rtt = member.base_rtt + delay;
            let rate = member.count * x[at] / rtt;
            sum = (sum.0 + rate, sum.1 - rate / rtt);
        }
        sum
    }

    /// Share of the full buffer's capacity to carry that these windows ask for, less one: 0 when the buffer is full.
    pub fn overfull(&self, x: &[f64]) -> f64 {
        self.demand(x, self.link.full_delay()).0 / self.link.capacity - 1.0
    }

    /// The delay that the queue has settled at behind these windows.
    fn delay(&self, x: &[f64]) -> f64 {
        if let Some(fixed) = self.fixed {
            return fixed;
        }
        let capacity = self.link.capacity;
        if self.link.buffer == 0.0 || self.demand(x, 0.0).0 <= capacity {
            return 0.0;
        }
        // Demand falls and is convex in the delay: Newton's method from below never passes the root.
        let windows: f64 = self
            .members
            .iter()
            .zip(&self.at)
            .map(|(m, &at)| m.count * x[at])
            .sum();
        let longest = self.members.iter().map(|m| m.base_rtt).fold(0.0, f64::max);
        let mut delay = (windows / capacity - longest).max(0.0);
        for _ in 0..60 {
            let (demand, slope) = self.demand(x, delay);
            let step = (capacity - demand) / slope;
            delay += step;
            if step.abs() <= 1e-16 * (delay + longest) {
                break;
            }
        }
        delay.max(0.0)
    }

    fn seen(&self, i: usize, window: f64, delay: f64) -> Feedback {
        let member = &self.members[i];
        let rtt = member.base_rtt + delay;
        Feedback {
            base_rtt: member.base_rtt,
            delivery_rate: window / rtt,
            ..Feedback::quiet(rtt)
        }
    }

    /// The states of flows in a steady state that meet a loss with these windows.
    pub fn settled(&self, peaks: &[f64]) -> Vec<f64> {
        let delay = self.fixed.unwrap_or_else(|| self.link.full_delay());
        let mut state = vec![0.0; self.places];
        for (i, (member, &peak)) in self.members.iter().zip(peaks).enumerate() {
            let seen = self.seen(i, peak, delay);
            let own = &mut state[self.at[i]..self.end(i)];
            member.law.steady(peak, &seen, own);
        }
        state
    }

    /// The states at a loss, with what is carried from epoch to epoch left in `state`.
    pub fn repeat(&self, settled: &[f64], state: &mut Vec<f64>) {
        let mut out = settled.to_vec();
        for (member, &at) in self.members.iter().zip(&self.at) {
            for place in member.law.carried() {
                out[at + place] = state[at + place];
            }
        }
        *state = out;
    }

    /// The windows in these states.
    pub fn windows(&self, state: &[f64]) -> Vec<f64> {
        self.at.iter().map(|&at| state[at]).collect()
    }

    /// What a loss of all leaves.
    pub fn lose(&self, state: &mut [f64]) -> Result<()> {
        let delay = self.fixed.unwrap_or_else(|| self.link.full_delay());
        for (i, member) in self.members.iter().enumerate() {
            let own = &mut state[self.at[i]..self.end(i)];
            let peak = own[0];
            let seen = self.seen(i, peak, delay);
            member.law.decrease(own, &seen, Cause::Loss);
            let mut rates = vec![0.0; own.len()];
            member.law.increase(own, &seen, &mut rates);
            if own[0] >= peak {
                return Err(Error::NoAnswer(format!(
                    "a loss at a window of {peak} packets leaves the window as it is"
                )));
            }
            if rates[0].is_nan() || rates[0] <= 0.0 {
                return Err(Error::NoAnswer(
                    "the window does not grow between losses: a law defined for each acknowledgement only"
                        .into(),
                ));
            }
        }
        Ok(())
    }

    /// From a loss at these peaks until every window is back; a window that is back waits there for the others. What a law
    /// carries from epoch to epoch (a measured bandwidth) is what repeats itself.
    pub fn until_back(&self, peaks: &[f64]) -> Result<Lapse> {
        let carried: Vec<usize> = self
            .members
            .iter()
            .zip(&self.at)
            .flat_map(|(member, &at)| member.law.carried().iter().map(move |place| at + place))
            .collect();
        let settled = self.settled(peaks);
        let mut state = settled.clone();
        for _ in 0..MOST_CARRIED {
            let started: Vec<f64> = carried.iter().map(|&place| state[place]).collect();
            self.lose(&mut state)?;
            let lapse = self.grow(state, Until::Back(peaks))?;
            let moved = carried
                .iter()
                .zip(&started)
                .any(|(&place, before)| (lapse.state[place] - before).abs() > 1e-12 * before.abs());
            if !moved {
                return Ok(lapse);
            }
            state = lapse.state;
            self.repeat(&settled, &mut state);
        }
        Err(Error::NoAnswer(
            "what the law remembers from loss to loss does not settle".into(),
        ))
    }

    /// From after a loss until the buffer is full.
    pub fn until_full(&self, state: Vec<f64>) -> Result<Lapse> {
        self.grow(state, Until::Full)
    }

    /// From after a loss for so long.
    pub fn for_seconds(&self, state: Vec<f64>, seconds: f64) -> Result<Lapse> {
        self.grow(state, Until::Time(seconds))
    }

    fn grow(&self, mut x: Vec<f64>, until: Until<'_>) -> Result<Lapse> {
        let n = self.members.len();
        x.truncate(self.places);
        x.resize(self.places + 3 * n + 1, 0.0);
        let mut back = vec![f64::INFINITY; n];
        let (mut total, mut turns) = (0.0, 0);
        let shortest = self
            .members
            .iter()
            .map(|m| m.base_rtt)
            .fold(f64::INFINITY, f64::min);
        loop {
            let stretch = Stretch {
                joint: self,
                until,
                still: back.iter().map(|t| t.is_finite()).collect(),
                scratch: RefCell::new(vec![0.0; self.places]),
            };
            let mut watch = Watch::new(&stretch, &x);
            let mut home: Vec<usize> = Vec::new();
            total += ode::integrate(
                &stretch,
                &mut x,
                0.01 * shortest,
                TOLERANCE,
                |time, x, event| {
                    let done = watch.look(x, event, &mut home);
                    turns += usize::from(event.is_some());
                    if turns > MOST_SWITCHES || event.is_some_and(|event| watch.holds(x, event)) {
                        return Err(Error::NoAnswer("a rule of a law holds its window at a switch, which no solution between switches follows: the road `fluid` does".into()));
                    }
                    if total + time > FOREVER {
                        return Err(Error::NoAnswer(
                            "a window does not come back to its peak".into(),
                        ));
                    }
                    Ok(if done { Flow::Stop } else { Flow::Continue })
                },
            )?;
            match until {
                Until::Back(_) => {
                    for i in home {
                        back[i] = total;
                    }
                    if back.iter().all(|t| t.is_finite()) {
                        break;
                    }
                }
                Until::Full | Until::Time(_) => {
                    back.fill(total);
                    break;
                }
            }
        }
        let delay = self.delay(&x);
        let sums = (0..n)
            .map(|i| {
                let at = self.places + 3 * i;
                Sums {
                    packets: x[at],
                    rounds: x[at + 1],
                    window: x[at + 2],
                }
            })
            .collect();
        x.truncate(self.places);
        Ok(Lapse {
            back,
            sums,
            state: x,
            delay,
        })
    }
}
