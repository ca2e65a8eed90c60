//! A law that is held at a switch. Where it grows below the switch and shrinks above it, the exact solution (Filippov's)
//! stays there and moves as the switch moves; following the crossings one by one would take infinitely many of them. While it is not
//! held it goes by the equations of its side, so that a step does not see both.

use super::live::Phase;
use super::surfaces::Surface;
use super::system::System;
use crate::model::Side;
use crate::numeric::dde::Now;

/// Relative distance from the switch below which a flow keeps the side that was last said.
const NEAR: f64 = 1e-7;

impl System<'_> {
    /// Flow `f` meets the switch in place `number` of the list: it may be held there, or come free, to the side to which it then moves.
    pub(super) fn meet_switch(&mut self, f: usize, number: usize, now: &mut Now<'_>) {
        let flow = &self.plan.flows[f];
        let Some(law) = &flow.law else { return };
        let before = self.surfaces[..number].iter().rev();
        let switch = before.take_while(|s| **s == Surface::Law(f)).count();
        let live = &self.live.flows[f];
        if !(live.held || (live.phase == Phase::Growing && law.holds_at(switch))) {
            return;
        }
        let (seen, rtt_rate) = self.seen_now(f, now);
        let states = &now.x[flow.at..flow.at + flow.places];
        let (held, side) = law.meets(states, &seen, rtt_rate);
        let live = &mut self.live.flows[f];
        (live.held, live.side) = (held, side);
    }

    /// Lets every flow that can be held, and is not near its switch, be on the side where its state is.
    pub(super) fn take_sides(&mut self, now: &Now<'_>) {
        if self.plan.holding.is_empty() {
            return;
        }
        let mut work = self.work.borrow_mut();
        let history = now.history();
        let past = Some((now.t, &history));
        let (plan, modes) = (self.plan, Some(&self.live.modes[..]));
        plan.look(now.x, modes, past, &mut work.view);
        self.forget_said();
        for &f in &plan.holding {
            let flow = &plan.flows[f];
            let Some(law) = &flow.law else { continue };
            if !self.live.flows[f].has_begun() {
                continue;
            }
            let seen = self.feedback(f, now.x, &work.view, past);
            let gap = law.beyond(&now.x[flow.at..flow.at + flow.places], &seen);
            let live = &mut self.live.flows[f];
            live.side = if gap < -NEAR {
                Side::Below
            } else if gap > NEAR {
                Side::Above
            } else {
                live.side
            };
        }
    }
}
