//! A queue that is held at a threshold. Where the drop probability jumps from 0 to p there and dropped packets never enter,
//! arrivals between C and C/(1 − p) fill the queue below the threshold and drain it above: the exact solution (Filippov's)
//! stays on it, and packets are dropped with the probability 1 − C/arrivals that keeps it there. Following the crossings one
//! by one instead would take infinitely many of them.

use super::plan::{LinkPlan, Mode};
use super::system::System;
use crate::model::Side;
use crate::network::leaves_room;
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
        let relay = self.queue.relay(own, self.capacity);
        relay.filter(|(at, _)| leaves_room(*at, self.buffer))
    }

    /// How fast the queue fills just below the jump, and drains just above it, packets per second.
    fn towards(&self, p: f64, arrival: f64) -> (f64, f64) {
        (arrival - self.capacity, self.capacity - arrival * (1.0 - p))
    }

    /// How far inside the range that holds the queue the arrivals are, packets per second; negative outside.
    pub fn room(&self, own: &[f64], arrival: f64) -> f64 {
        self.relay(own).map_or(f64::NEG_INFINITY, |(_, p)| {
            let (fills, drains) = self.towards(p, arrival);
            fills.min(drains)
        })
    }

    /// Whether a queue of this length is held.
    pub fn holds(&self, own: &[f64], queue: f64, arrival: f64) -> bool {
        self.relay(own)
            .is_some_and(|(at, _)| (queue - at).abs() <= ON * at)
            && self.room(own, arrival) > 0.0
    }

    /// The side of the jump on which a free queue of this length is, or to which it goes from the jump itself.
    pub fn side(&self, own: &[f64], queue: f64, arrival: f64) -> Side {
        let Some((at, p)) = self.relay(own) else {
            return Side::Free;
        };
        let below = if (queue - at).abs() <= ON * at {
            let (fills, drains) = self.towards(p, arrival);
            fills < drains
        } else {
            queue < at
        };
        if below { Side::Below } else { Side::Above }
    }

    /// What its discipline is told of a queue of this length: one on the side where it is, beyond what counts as on the jump.
    pub fn on_its_side(&self, own: &[f64], queue: f64, mode: Mode) -> f64 {
        let Mode::Filling(side @ (Side::Below | Side::Above)) = mode else {
            return queue;
        };
        self.relay(own).map_or(queue, |(at, _)| match side {
            Side::Below => queue.min(at * (1.0 - 2.0 * ON)),
            _ => queue.max(at * (1.0 + 2.0 * ON)),
        })
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
        if !self.live.modes[l].fills() {
            return;
        }
        let arrival = self.arrival(l, now);
        let link = &self.plan.links[l];
        let own = link.own(now.x);
        match link.relay(own) {
            Some((at, _)) if link.holds(own, now.x[link.at], arrival) => {
                now.x[link.at] = at;
                self.live.modes[l] = Mode::Held;
            }
            _ => self.live.modes[l] = Mode::Filling(link.side(own, now.x[link.at], arrival)),
        }
    }

    /// The mode of link `l` whose queue begins to move.
    pub(super) fn filling(&self, l: usize, now: &Now<'_>) -> Mode {
        let link = &self.plan.links[l];
        let arrival = self.arrival(l, now);
        Mode::Filling(link.side(link.own(now.x), now.x[link.at], arrival))
    }
}
