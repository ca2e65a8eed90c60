//! Marks and explicit feedback on their way to the sender: what it learns now is what the link said when the packet that
//! is acknowledged now passed there, one return trip ago.
//!
//! The return trip is the round trip without queues less the way to the link: packets wait before they pass, and the
//! queues that answer so keep theirs short. Links on the way back add what an acknowledgement waits there.

use super::lags::distinct;
use super::passage::Passages;
use super::plan::Plan;
use super::system::System;
use crate::model::Feedback;
use crate::network::{Crossing, Signal, Situation};
use crate::numeric::dde::History;

/// What a link said at a past moment to everyone who crosses it. Flows with the same return trip share it.
pub(super) struct Said {
    time: f64,
    own: Vec<f64>,
    state: Vec<f64>,
    crossing: Vec<Crossing>,
    signals: Vec<Signal>,
}

impl Said {
    /// Nothing yet.
    pub fn nothing() -> Self {
        Self {
            time: f64::NAN,
            own: Vec::new(),
            state: Vec::new(),
            crossing: Vec::new(),
            signals: Vec::new(),
        }
    }
}

impl Plan {
    /// What crossed link `l` at the past time `s`, and how much in all.
    pub(super) fn crossed(
        &self,
        l: usize,
        s: f64,
        history: &History<'_>,
        state: &mut Vec<f64>,
        out: &mut Vec<Crossing>,
    ) -> f64 {
        out.clear();
        let mut arrival = 0.0;
        let all = &self.links[l];
        let first = |(f, there): &(usize, f64)| {
            let flow = &self.flows[*f];
            *there == 0.0 && !flow.fed[flow.number_of(l)]
        };
        if all.flows.iter().all(first) && all.acks.iter().all(|(_, there, _)| *there == 0.0) {
            // All read the same moment: the windows and the links in one go.
            let links = self.links.first().map_or(0, |link| link.at);
            let last = self.flows.last().map_or(0, |flow| flow.at + flow.places);
            state.resize(self.dimension, 0.0);
            history.fill(0, s, &mut state[..last]);
            history.fill(links, s, &mut state[links..]);
            for &(f, _) in &self.links[l].flows {
                let flow = &self.flows[f];
                let (window, rtt) = (state[flow.at], self.rtt(flow, state));
                let rate = Self::rate(flow, window, rtt);
                arrival += rate;
                let weight = flow.weight;
                out.push(Crossing {
                    window,
                    rtt,
                    rate,
                    weight,
                });
            }
            for &(f, _, ack) in &all.acks {
                let flow = &self.flows[f];
                arrival += ack * Self::rate(flow, state[flow.at], self.rtt(flow, state));
            }
            return arrival;
        }
        let mut found = Passages::default();
        for &(f, forward) in &self.links[l].flows {
            let flow = &self.flows[f];
            let sent = self.past_rate(flow, s - forward, history);
            let window = history.state(flow.at, s - forward);
            let rate = self.arrived(flow, flow.number_of(l), s, history, &mut found);
            arrival += rate;
            out.push(Crossing {
                window,
                rtt: if sent > 0.0 {
                    window / sent
                } else {
                    flow.still
                },
                rate,
                weight: flow.weight,
            });
        }
        arrival + self.past_acks(l, s, history)
    }

    /// What acknowledgements took of link `l` at the past time `s`, packets per second.
    pub(super) fn past_acks(&self, l: usize, s: f64, history: &History<'_>) -> f64 {
        let acks = self.links[l].acks.iter();
        acks.map(|&(f, there, ack)| ack * self.past_rate(&self.flows[f], s - there, history))
            .sum()
    }

    /// Delays with which links that say something to senders act on what those sent, while no acknowledgement waits.
    pub(super) fn carried_lags(&self) -> Vec<f64> {
        let mut lags = Vec::new();
        for link in self.links.iter().filter(|link| link.carries) {
            for &(f, forward) in &link.flows {
                let back = self.flows[f].still - forward;
                if self.flows[f].listens {
                    lags.extend(link.flows.iter().map(|(_, there)| back + there));
                }
            }
        }
        distinct(&mut lags);
        lags
    }
}

impl System<'_> {
    /// What the network tells flow `f` now; `past` is the present time and what came before.
    #[inline]
    pub(super) fn feedback(
        &self,
        f: usize,
        x: &[f64],
        view: &super::view::View,
        past: Option<(f64, &History<'_>)>,
    ) -> Feedback {
        let mut seen = self.plan.feedback(f, x, view);
        if self.plan.flows[f].listens {
            self.hear(f, x, past, &mut seen);
        }
        seen
    }

    fn hear(&self, f: usize, x: &[f64], past: Option<(f64, &History<'_>)>, seen: &mut Feedback) {
        let plan = self.plan;
        let flow = &plan.flows[f];
        let trip = flow.still + plan.wait_back(flow, x);
        let mut explicit = f64::INFINITY;
        let mut unmarked = 1.0;
        for (hop, &spot) in flow.hops.iter().zip(&flow.spots) {
            if !plan.links[hop.link].carries {
                continue;
            }
            let Some((t, history)) = past else {
                explicit = 0.0;
                continue;
            };
            let said = self.said(hop.link, spot, t - (trip - hop.forward), history);
            unmarked *= 1.0 - said.mark;
            explicit = explicit.min(said.explicit);
        }
        seen.marking = 1.0 - unmarked;
        seen.explicit = if explicit.is_finite() { explicit } else { 0.0 };
    }

    /// What link `l` said at the past time `s` to the flow in place `spot` of its list; nothing if that had no packet there.
    fn said(&self, l: usize, spot: usize, s: f64, history: &History<'_>) -> Signal {
        let mut all = self.said.borrow_mut();
        let Some(said) = all.get_mut(l) else {
            return Signal::default();
        };
        if said.time.to_bits() != s.to_bits() {
            let (plan, link) = (self.plan, &self.plan.links[l]);
            said.time = s;
            said.own.resize(link.own, 0.0);
            history.fill(link.at + 1, s, &mut said.own);
            let arrival = plan.crossed(l, s, history, &mut said.state, &mut said.crossing);
            let now = Situation {
                capacity: link.capacity,
                buffer: link.buffer,
                queue: history.state(link.at, s).max(0.0),
                arrival,
                flows: &said.crossing,
            };
            said.signals.clear();
            link.queue.signals(&said.own, &now, &mut said.signals);
        }
        match (said.crossing.get(spot), said.signals.get(spot)) {
            (Some(there), Some(signal)) if there.window > 0.0 => *signal,
            _ => Signal::default(),
        }
    }

    /// What was read belongs to one evaluation: a trial step may come back to a time with another past.
    #[inline]
    pub(super) fn forget_said(&self) {
        if self.plan.anyone_listens {
            for said in self.said.borrow_mut().iter_mut() {
                said.time = f64::NAN;
            }
        }
    }
}
