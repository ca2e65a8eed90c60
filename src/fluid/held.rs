//! A law that is held at a switch. Where it grows below the switch and shrinks above it, the exact solution (Filippov's)
//! stays there and moves as the switch moves; following the crossings one by one would take infinitely many of them.

use super::live::Phase;
use super::surfaces::Surface;
use super::system::System;
use crate::numeric::dde::Now;

impl System<'_> {
    /// Flow `f` meets the switch in place `number` of the list: it may be held there, or come free.
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
        let block = &now.x[flow.at..flow.at + flow.places];
        let mut unused = vec![0.0; flow.places];
        self.live.flows[f].held = law.held(block, &seen, rtt_rate, &mut unused) > 0.0;
    }
}
