//! Who loses: a loss event of one flow, and the choice of losers when a buffer overflows.

use super::observe::What;
use super::plan::Mode;
use super::sync::Sync;
use super::system::System;
use crate::numeric::dde::Now;
use rand::RngExt;

impl System<'_> {
    /// Flow `f` loses a packet `forward` seconds after it was sent. It reacts one return delay later, and losses until
    /// the end of the refractory time belong to the same event. Whether it has reacted at once.
    pub(super) fn lose(&mut self, f: usize, forward: f64, now: &mut Now<'_>) -> bool {
        let live = &self.live.flows[f];
        if self.live.chances.blind(f) || !live.reacts() {
            return false;
        }
        let rtt = self.rtt(f, now.x);
        let losses = self.scenario.losses;
        if now.t >= self.scenario.run.measure_from {
            self.counts.borrow_mut()[f].0 += 1;
        }
        let window = now.x[self.plan.flows[f].at];
        self.note(now.t, What::Loss, f, window, window);
        let refractory = losses.refractory.of(rtt);
        if refractory > 0.0 {
            self.look_away(f, now.t + refractory, now);
        }
        let delay = losses.reaction.of(rtt);
        self.schedule_reaction(
            f,
            if delay > 0.0 {
                (delay - forward).max(0.0)
            } else {
                0.0
            },
            now,
        )
    }

    /// Seconds from sending to where a drawn loss happened: drawn among the links of the path by what each takes.
    pub(super) fn where_lost(&mut self, f: usize, now: &Now<'_>) -> f64 {
        let plan = self.plan;
        let flow = &plan.flows[f];
        if !flow.later() {
            return 0.0;
        }
        let mut work = self.work.borrow_mut();
        let history = now.history();
        let past = Some((now.t, &history));
        plan.look(now.x, Some(&self.live.modes), past, &mut work.view);
        let view = &work.view;
        let total = plan.loss_rate(f, now.x, view, true);
        let mut left = self.live.flows[f].uniform() * total - plan.added() * view.rate[f];
        for (number, hop) in flow.hops.iter().enumerate() {
            if left < 0.0 {
                break;
            }
            left -= plan.loss_at(f, hop, now.x, view, plan.natural);
            if left < 0.0 {
                return plan.age(f, number, now.t, &history);
            }
        }
        0.0
    }

    /// The buffer of link `l` is full: takes losers as `sync` says, and again while it stays full, as
    /// soon as the first of them has had a round trip to react. Flows whose last loss is still being reacted to do not lose again.
    pub(super) fn overflow(&mut self, l: usize, now: &mut Now<'_>) {
        let plan = self.plan;
        let mut senders: Vec<(usize, f64)> = plan.links[l]
            .flows
            .iter()
            .copied()
            .filter(|(f, _)| self.live.flows[*f].reacts())
            .collect();
        match self.scenario.losses.sync {
            Sync::All => {}
            Sync::One => {
                let rate = |f: usize| now.x[plan.flows[f].at] / self.rtt(f, now.x);
                let best = senders
                    .iter()
                    .copied()
                    .max_by(|(f, _), (g, _)| rate(*f).total_cmp(&rate(*g)).then(g.cmp(f)));
                senders = best.into_iter().collect();
            }
            Sync::Share(share) => {
                let wanted = ((share * senders.len() as f64).round() as usize).max(1);
                // The first steps of a Fisher-Yates shuffle.
                for k in 0..wanted.min(senders.len()) {
                    let other = self.live.links[l].rng.random_range(k..senders.len());
                    senders.swap(k, other);
                }
                senders.truncate(wanted);
            }
            Sync::Natural => senders.clear(),
        }
        // A window that doubles does not wait for the round trip of others.
        let slow = plan.links[l].flows.iter().map(|(f, _)| *f);
        let slow = slow.filter(|f| self.live.flows[*f].is_slow());
        let mut soonest = slow
            .map(|f| self.rtt(f, now.x))
            .fold(f64::INFINITY, f64::min);
        for (f, _) in senders {
            soonest = soonest.min(self.rtt(f, now.x));
            let number = plan.flows[f].number_of(l);
            let forward = plan.age(f, number, now.t, &now.history());
            self.lose(f, forward, now);
        }
        if soonest.is_finite() {
            self.look_again(l, now.t + soonest, now);
        }
    }

    /// Flow `f` can lose again. A full link on its way that had nobody to take losers from takes them when its packets get there.
    pub(super) fn come_back(&mut self, f: usize, now: &mut Now<'_>) {
        let plan = self.plan;
        if self.scenario.losses.sync == Sync::Natural || !self.live.flows[f].reacts() {
            return;
        }
        for (number, hop) in plan.flows[f].hops.iter().enumerate() {
            if self.live.modes[hop.link] == Mode::Full && self.live.links[hop.link].again.is_nan() {
                let there = plan.age(f, number, now.t, &now.history());
                self.look_again(hop.link, now.t + there, now);
            }
        }
    }
}
