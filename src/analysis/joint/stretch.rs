//! Growth between two events, and whose window is back at its peak when it ends.

use super::{Joint, Until};
use crate::numeric::ode;
use std::cell::RefCell;

/// Relative distance from its peak at which a window that stands still there counts as back.
const BACK: f64 = 1e-11;

/// Growth without a loss, some windows standing still.
pub(super) struct Stretch<'a> {
    pub joint: &'a Joint<'a>,
    pub until: Until<'a>,
    pub still: Vec<bool>,
    pub scratch: RefCell<Vec<f64>>,
}

impl Stretch<'_> {
    /// Number of switches that are not a law's own.
    fn own(&self) -> usize {
        self.joint.members.len() + 2
    }
}

impl ode::System for Stretch<'_> {
    fn rate(&self, x: &[f64], dx: &mut [f64]) {
        let joint = self.joint;
        let delay = joint.delay(x);
        let (states, sums) = dx.split_at_mut(joint.places);
        for (i, member) in joint.members.iter().enumerate() {
            let own = joint.at[i]..joint.end(i);
            let seen = joint.seen(i, x[own.start], delay);
            if self.still[i] {
                states[own.clone()].fill(0.0);
            } else {
                member
                    .law
                    .increase(&x[own.clone()], &seen, &mut states[own.clone()]);
            }
            sums[3 * i] = seen.delivery_rate;
            sums[3 * i + 1] = 1.0 / seen.rtt;
            sums[3 * i + 2] = x[own.start];
        }
        sums[3 * joint.members.len()] = 1.0;
    }

    fn switches(&self, x: &[f64], out: &mut Vec<f64>) {
        let joint = self.joint;
        for (i, &at) in joint.at.iter().enumerate() {
            out.push(match self.until {
                Until::Back(peaks) if !self.still[i] => x[at] - peaks[i],
                _ => -1.0,
            });
        }
        out.push(match self.until {
            Until::Back(_) => -1.0,
            Until::Full => joint.overfull(x),
            Until::Time(seconds) => x[joint.places + 3 * joint.members.len()] - seconds,
        });
        // Where the queue begins.
        out.push(if joint.fixed.is_none() && joint.link.buffer > 0.0 {
            joint.demand(x, 0.0).0 / joint.link.capacity - 1.0
        } else {
            -1.0
        });
        let delay = joint.delay(x);
        for (i, member) in joint.members.iter().enumerate() {
            let own = joint.at[i]..joint.end(i);
            member
                .law
                .switches(&x[own.clone()], &joint.seen(i, x[own.start], delay), out);
        }
    }
}

/// Notices who is back: whose window has met its peak, or stands before it at a switch of its law (CUBIC's plateau).
pub(super) struct Watch<'a> {
    stretch: &'a Stretch<'a>,
    before: Vec<f64>,
    now: Vec<f64>,
    /// Number of switches of each law.
    counts: Vec<usize>,
}

impl<'a> Watch<'a> {
    pub fn new(stretch: &'a Stretch<'a>, x: &[f64]) -> Self {
        let joint = stretch.joint;
        let mut out = Vec::new();
        let counts = (0..joint.members.len())
            .map(|i| {
                let own = joint.at[i]..joint.end(i);
                out.clear();
                joint.members[i].law.switches(
                    &x[own.clone()],
                    &joint.seen(i, x[own.start], joint.delay(x)),
                    &mut out,
                );
                out.len()
            })
            .collect();
        let mut before = Vec::new();
        ode::System::switches(stretch, x, &mut before);
        Self {
            stretch,
            before,
            now: Vec::new(),
            counts,
        }
    }

    /// Whether the event is a switch at which its law is then held.
    pub fn holds(&self, x: &[f64], event: usize) -> bool {
        let joint = self.stretch.joint;
        let mut first = self.stretch.own();
        for (i, (member, &count)) in joint.members.iter().zip(&self.counts).enumerate() {
            if (first..first + count).contains(&event) {
                let own = joint.at[i]..joint.end(i);
                let seen = joint.seen(i, x[own.start], joint.delay(x));
                return member.law.holds_at(event - first)
                    && member.law.meets(&x[own], &seen, 0.0).0;
            }
            first += count;
        }
        false
    }

    pub fn look(&mut self, x: &[f64], event: Option<usize>, home: &mut Vec<usize>) -> bool {
        let joint = self.stretch.joint;
        self.now.clear();
        ode::System::switches(self.stretch, x, &mut self.now);
        let mut first = self.stretch.own();
        let done = match self.stretch.until {
            Until::Full | Until::Time(_) => event == Some(joint.members.len()),
            Until::Back(peaks) => {
                for (i, &peak) in peaks.iter().enumerate() {
                    let range = first..first + self.counts[i];
                    first = range.end;
                    if self.stretch.still[i] {
                        continue;
                    }
                    let own = joint.at[i]..joint.end(i);
                    let short = peak - x[own.start];
                    let turned = range
                        .clone()
                        .any(|k| self.before[k] * self.now[k] <= 0.0 && self.before[k] != 0.0);
                    if event == Some(i) || short <= 0.0 {
                        home.push(i);
                    } else if turned && short < BACK * peak {
                        let mut rates = self.stretch.scratch.borrow_mut();
                        let rates = &mut rates[own.clone()];
                        let seen = joint.seen(i, x[own.start], joint.delay(x));
                        joint.members[i].law.increase(&x[own.clone()], &seen, rates);
                        let time = x[joint.places + 3 * joint.members.len()];
                        if short > 1e3 * time * rates[0] || short <= 4.0 * f64::EPSILON * peak {
                            home.push(i);
                        }
                    }
                }
                !home.is_empty()
            }
        };
        std::mem::swap(&mut self.before, &mut self.now);
        done
    }
}
