//! What a flow lost at a past moment, read from the history: the delayed term of mean-field losses.

use super::passage::Passages;
use super::plan::Plan;
use super::system::System;
use crate::network::Situation;
use crate::numeric::dde::History;

impl System<'_> {
    /// Packets per second that flow `f` lost of what it sent `delay` before the time `t`, each where and when it met a link. What
    /// meets a link only after `t` is lost as what arrives there now.
    pub(super) fn past_loss(&self, f: usize, t: f64, delay: f64, history: &History<'_>) -> f64 {
        let plan = self.plan;
        let flow = &plan.flows[f];
        let sent = t - delay;
        let rate = plan.past_rate(flow, sent, history);
        let (mut lost, mut now) = (plan.added(), 0.0);
        // Of what was sent, what came as far as here, and when.
        let (mut left, mut met) = (1.0, sent);
        for (number, hop) in flow.hops.iter().enumerate() {
            if flow.fed[number] {
                let before = &flow.hops[number - 1];
                let link = &plan.links[before.link];
                if met <= t {
                    met += link.wait(history.state(link.at, met)) + hop.forward - before.forward;
                }
            } else {
                (left, met) = (1.0, sent + hop.forward);
            }
            if met > t {
                let drop = self.past_drop(hop.link, f, t, history);
                if drop > 0.0 {
                    let found = &mut Passages::default();
                    now += drop * plan.arrived(flow, number, t, history, found);
                }
            } else if rate > 0.0 {
                let drop = self.past_drop(hop.link, f, met, history);
                lost += left * drop;
                left *= 1.0 - drop;
            }
        }
        rate * lost + now
    }

    /// The drop probability of link `l` for flow `f` at the past time `s`. Flows with the same delay share it.
    fn past_drop(&self, l: usize, f: usize, s: f64, history: &History<'_>) -> f64 {
        let link = &self.plan.links[l];
        let shared = !link.queue.reads_flows();
        if shared
            && let Some((time, drop)) = self.past_drops.borrow().get(l)
            && time.to_bits() == s.to_bits()
        {
            return *drop;
        }
        let drop = drop_then(self.plan, l, f, s, history, self.plan.natural);
        if shared && let Some(slot) = self.past_drops.borrow_mut().get_mut(l) {
            *slot = (s, drop);
        }
        drop
    }
}

fn drop_then(plan: &Plan, l: usize, f: usize, s: f64, history: &History<'_>, natural: bool) -> f64 {
    let link = &plan.links[l];
    let mut own = vec![0.0; link.own];
    history.fill(link.at + 1, s, &mut own);
    let queue = history.state(link.at, s);
    let full = natural && queue >= link.buffer * (1.0 - 1e-12);
    let reads_flows = link.queue.reads_flows();
    let mut crossing = Vec::new();
    let mut arrival = 0.0;
    if full || reads_flows || link.relay(&own).is_some() {
        if reads_flows {
            arrival = plan.crossed(l, s, history, &mut Vec::new(), &mut crossing);
        } else {
            arrival = plan.arrived_in_all(l, s, history, &mut Passages::default());
        }
    }
    let place = link.flows.iter().position(|(g, _)| *g == f).unwrap_or(0);
    let now = Situation {
        capacity: link.capacity,
        buffer: link.buffer,
        queue,
        arrival,
        flows: &crossing,
    };
    let drop = if link.holds(&own, queue, arrival) {
        link.holding(&own, arrival)
    } else {
        link.queue.signal(&own, &now, place).drop
    };
    let entering = if link.queue.drops_before_entering() {
        arrival * (1.0 - drop)
    } else {
        arrival
    };
    let tail = if full && entering > link.capacity {
        1.0 - link.capacity / entering
    } else {
        0.0
    };
    drop + tail - drop * tail
}
