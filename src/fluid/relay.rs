//! A queue that is held at a threshold. Where the drop probability jumps from 0 to p there and dropped packets never enter,
//! arrivals between C and C/(1 − p) fill the queue below the threshold and drain it above: the exact solution (Filippov's)
//! stays on it, and packets are dropped with the probability 1 − C/arrivals that keeps it there. Following the crossings one
//! by one instead would take infinitely many of them.

use super::plan::{LinkPlan, Mode};
use super::system::System;
use crate::numeric::dde::Now;

/// Relative distance from the threshold that counts as on it.
const ON: f64 = 1e-9;

impl LinkPlan {
    /// Its queue's own states, of the whole state.
    pub fn own<'a>(&self, x: &'a [f64]) -> &'a [f64] {
        &x[self.at + 1..self.at + 1 + self.own]
    }

    /// The queue at which its drop probability jumps now, and to what ([`Queue::relay`](crate::network::Queue::relay)).
    pub fn relay(&self, own: &[f64]) -> Option<(f64, f64)> {
        self.queue.relay(own, self.capacity)
    }

    /// How far inside the range that holds the queue the arrivals are, packets per second; negative outside.
    pub fn room(&self, own: &[f64], arrival: f64) -> f64 {
        self.relay(own).map_or(f64::NEG_INFINITY, |(_, p)| {
            (arrival - self.capacity).min(self.capacity - arrival * (1.0 - p))
        })
    }

    /// Whether a queue of this length is held.
    pub fn holds(&self, own: &[f64], queue: f64, arrival: f64) -> bool {
        self.relay(own)
            .is_some_and(|(at, _)| (queue - at).abs() <= ON * at)
            && self.room(own, arrival) > 0.0
    }

    /// The drop probability that holds it.
    pub fn holding(&self, own: &[f64], arrival: f64) -> f64 {
        let most = self.relay(own).map_or(0.0, |(_, p)| p);
        if arrival > self.capacity {
            (1.0 - self.capacity / arrival).min(most)
        } else {
            0.0
        }
    }
}

impl System<'_> {
    /// The queue of link `l` meets a formula of its discipline: it may be its threshold.
    pub(super) fn meet_relay(&mut self, l: usize, now: &mut Now<'_>) {
        let link = &self.plan.links[l];
        let own = link.own(now.x);
        let Some((at, _)) = link.relay(own) else {
            return;
        };
        if self.live.modes[l] != Mode::Filling {
            return;
        }
        let arrival = self.arrival(l, now);
        if link.holds(own, now.x[link.at], arrival) {
            now.x[link.at] = at;
            self.live.modes[l] = Mode::Held;
        }
    }
}
