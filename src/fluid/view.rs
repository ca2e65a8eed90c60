//! What follows from a state at one moment: round trips, rates, arrivals, drop probabilities. This is evaluated more often than
//! anything else, so flows that cross one link at once, or none, are evaluated side by side.

use super::plan::{FlowPlan, Group, LinkPlan, Mode, Plan};
use crate::model::{Feedback, Sights};
use crate::network::{Crossing, Hop, Signal, Situation};
use crate::numeric::dde::History;

/// What a link does to a flow, for queues that treat all flows alike.
#[derive(Clone, Copy, Default)]
pub(super) struct Effect {
    wait: f64,
    /// Share of packets lost in ways that are drawn, and in all.
    pub drawn: f64,
    pub lost: f64,
    mark: f64,
    explicit: f64,
    /// Packets delivered now per packet sent now: a queue gives out what it serves, each flow its share of what arrives.
    passed: f64,
}

/// What follows from a state at one moment.
#[derive(Default, Clone)]
pub(super) struct View {
    pub rtt: Vec<f64>,
    /// Round trips per second.
    pub pace: Vec<f64>,
    pub rate: Vec<f64>,
    pub arrival: Vec<f64>,
    /// Packets per second that ask for room in the queue.
    pub entering: Vec<f64>,
    /// Drop probability by overflow.
    pub tail: Vec<f64>,
    /// Signal of a queue that treats all flows alike.
    pub signal: Vec<Signal>,
    pub effect: Vec<Effect>,
    /// For queues that read the flows, what crosses; else empty. In the order of [`LinkPlan::flows`].
    crossing: Vec<Vec<Crossing>>,
}

impl View {
    fn fit(&mut self, flows: usize, links: usize) {
        for list in [&mut self.rtt, &mut self.pace, &mut self.rate] {
            list.resize(flows, 0.0);
        }
        // The last one takes what crosses no link.
        let whole = Effect {
            passed: 1.0,
            ..Effect::default()
        };
        self.effect.resize(links + 1, whole);
        self.arrival.resize(links + 1, 0.0);
        self.entering.resize(links, 0.0);
        self.tail.resize(links, 0.0);
        self.signal.resize(links, Signal::default());
        self.crossing.resize(links, Vec::new());
    }
}

impl Plan {
    /// Everything that follows from the state `x`. `modes` are those of the links; without them they are told from the
    /// state. `history` is needed where links meet packets later than they are sent.
    pub fn look(
        &self,
        x: &[f64],
        modes: Option<&[Mode]>,
        past: Option<(f64, &History<'_>)>,
        view: &mut View,
    ) {
        if view.rtt.len() != self.flows.len() {
            view.fit(self.flows.len(), self.links.len());
        }
        for (effect, link) in view.effect.iter_mut().zip(&self.links) {
            effect.wait = link.wait(x[link.at]);
        }
        view.arrival.fill(0.0);
        for group in &self.groups {
            if group.whole {
                let sum = self.look_together(group, x, view);
                view.arrival[group.link] += sum;
                for &link in &group.back {
                    view.arrival[link] += group.ack * sum;
                }
            } else {
                for f in group.flows.clone() {
                    self.look_along(f, x, past, view);
                }
            }
        }
        for (l, link) in self.links.iter().enumerate() {
            let arrival = view.arrival[l];
            let mut signal = match link.constant {
                Some(signal) => signal,
                None => self.ask(l, x, past, view),
            };
            let held = match modes {
                Some(modes) => modes[l] == Mode::Held,
                None => link.holds(link.own(x), x[link.at], arrival),
            };
            if held {
                signal.drop = link.holding(link.own(x), arrival);
            }
            let entering = if link.drops_before_entering {
                arrival * (1.0 - signal.drop)
            } else {
                arrival
            };
            let full = match modes {
                Some(modes) => modes[l] == Mode::Full,
                None => x[link.at] >= link.buffer * (1.0 - 1e-12),
            };
            let busy = match modes {
                Some(modes) => modes[l] != Mode::Empty,
                None => x[link.at] > 0.0 || full,
            };
            view.tail[l] = if full && entering > link.capacity {
                1.0 - link.capacity / entering
            } else {
                0.0
            };
            view.entering[l] = entering;
            view.signal[l] = signal;
            let (drop, tail) = (signal.drop, view.tail[l]);
            let lost = drop + tail - drop * tail;
            view.effect[l] = Effect {
                wait: view.effect[l].wait,
                drawn: if self.natural { lost } else { drop },
                lost,
                mark: signal.mark,
                explicit: signal.explicit,
                passed: (1.0 - drop) * served(busy, link.capacity, entering),
            };
        }
    }

    /// What the queue of link `l` tells the first of its flows.
    fn ask(
        &self,
        l: usize,
        x: &[f64],
        past: Option<(f64, &History<'_>)>,
        view: &mut View,
    ) -> Signal {
        let link = &self.links[l];
        let mut crossing = std::mem::take(&mut view.crossing[l]);
        if link.reads_flows {
            crossing.clear();
            crossing.extend(link.flows.iter().map(|&(f, forward)| Crossing {
                window: x[self.flows[f].at],
                rtt: view.rtt[f],
                rate: self.rate_at(f, forward, past, view),
                weight: self.flows[f].weight,
            }));
        }
        let now = Self::situation(link, x, view.arrival[l], &crossing);
        let own = &x[link.at + 1..link.at + 1 + link.own];
        let signal = link.queue.signal(own, &now, 0);
        view.crossing[l] = crossing;
        signal
    }

    /// Round trips and rates of a group; the sum of the rates.
    #[inline]
    fn look_together(&self, group: &Group, x: &[f64], view: &mut View) -> f64 {
        let back = group.back.iter().map(|&link| view.effect[link].wait);
        let wait = back.fold(view.effect[group.link].wait, |sum, wait| sum + wait);
        let range = group.flows.clone();
        let still = &self.still[range.clone()];
        let (rtt, pace) = (&mut view.rtt[range.clone()], &mut view.pace[range.clone()]);
        let rate = &mut view.rate[range];
        let blocks = &x[group.blocks.clone()];
        if group.law.is_none() {
            rates(still, wait, blocks, rtt, pace, rate);
            rate.copy_from_slice(blocks);
            return blocks.iter().sum();
        }
        if group.places == 1 {
            return rates(still, wait, blocks, rtt, pace, rate);
        }
        let mut sum = 0.0;
        let outs = rtt.iter_mut().zip(pace.iter_mut()).zip(rate.iter_mut());
        let windows = blocks.iter().step_by(group.places);
        for (((rtt, pace), rate), (still, window)) in outs.zip(still.iter().zip(windows)) {
            *rtt = still + wait;
            *pace = 1.0 / *rtt;
            *rate = window * *pace;
            sum += *rate;
        }
        sum
    }

    /// Round trip and rate of a flow that crosses several links, or meets them later.
    fn look_along(&self, f: usize, x: &[f64], past: Option<(f64, &History<'_>)>, view: &mut View) {
        let flow = &self.flows[f];
        let rtt = self.rtt(flow, x);
        let rate = Self::rate(flow, x[flow.at], rtt);
        let then = |hop: &Hop| match past {
            Some((now, history)) if hop.forward > 0.0 => {
                self.past_rate(flow, now - hop.forward, history)
            }
            _ => rate,
        };
        for hop in &flow.hops {
            view.arrival[hop.link] += then(hop);
        }
        for hop in &flow.back {
            view.arrival[hop.link] += flow.ack * then(hop);
        }
        (view.rtt[f], view.pace[f], view.rate[f]) = (rtt, 1.0 / rtt, rate);
    }

    /// How fast the round trip of a flow changes, seconds per second.
    pub fn rtt_rate(&self, flow: &FlowPlan, modes: &[Mode], view: &View) -> f64 {
        let filling = flow
            .hops
            .iter()
            .chain(&flow.back)
            .filter(|hop| modes[hop.link] == Mode::Filling);
        filling
            .map(|hop| view.entering[hop.link] / self.links[hop.link].capacity - 1.0)
            .sum()
    }

    /// What the network tells the flows of a group.
    pub fn sights<'a>(&'a self, group: &Group, view: &'a View) -> Sights<'a> {
        let effect = &view.effect[group.link];
        Sights {
            rtt: &view.rtt[group.flows.clone()],
            base_rtt: &self.base_rtt[group.flows.clone()],
            rate: &view.rate[group.flows.clone()],
            delivered: effect.passed * (1.0 - self.added()),
            marking: effect.mark,
            explicit: effect.explicit,
        }
    }

    fn situation<'a>(
        link: &LinkPlan,
        x: &[f64],
        arrival: f64,
        flows: &'a [Crossing],
    ) -> Situation<'a> {
        Situation {
            capacity: link.capacity,
            buffer: link.buffer,
            queue: x[link.at],
            arrival,
            flows,
        }
    }

    /// What a link sees, for its queue's own equations and switches.
    pub fn seen_by<'a>(&self, l: usize, x: &[f64], view: &'a View) -> Situation<'a> {
        Self::situation(&self.links[l], x, view.arrival[l], &view.crossing[l])
    }

    fn rate_at(
        &self,
        f: usize,
        forward: f64,
        past: Option<(f64, &History<'_>)>,
        view: &View,
    ) -> f64 {
        match past {
            Some((now, history)) if forward > 0.0 => {
                self.past_rate(&self.flows[f], now - forward, history)
            }
            _ => view.rate[f],
        }
    }

    /// What the link of `hop` tells flow `f`.
    fn signal(&self, f: usize, hop: &Hop, x: &[f64], view: &View) -> Signal {
        let link = &self.links[hop.link];
        if !link.reads_flows {
            return view.signal[hop.link];
        }
        let place = link.flows.partition_point(|(flow, _)| *flow < f);
        let own = &x[link.at + 1..link.at + 1 + link.own];
        link.queue
            .signal(own, &self.seen_by(hop.link, x, view), place)
    }

    /// Packets per second that flow `f` loses on the link of `hop` as the queue decides and, with `tail`, by overflow.
    pub fn loss_at(
        &self,
        f: usize,
        hop: &Hop,
        x: &[f64],
        past: Option<(f64, &History<'_>)>,
        view: &View,
        tail: bool,
    ) -> f64 {
        let drop = if self.links[hop.link].reads_flows {
            self.signal(f, hop, x, view).drop
        } else {
            view.signal[hop.link].drop
        };
        let tail = if tail { view.tail[hop.link] } else { 0.0 };
        let p = drop + tail - drop * tail;
        if p == 0.0 {
            0.0
        } else {
            p * self.rate_at(f, hop.forward, past, view)
        }
    }

    /// Packets per second that flow `f` loses in all; with `drawn`, without those that `sync` decides on.
    #[inline]
    pub fn loss_rate(
        &self,
        f: usize,
        x: &[f64],
        past: Option<(f64, &History<'_>)>,
        view: &View,
        drawn: bool,
    ) -> f64 {
        let base = if drawn { self.added() } else { self.rate };
        let group = &self.groups[self.group_of[f]];
        if group.whole {
            let effect = &view.effect[group.link];
            return (base + if drawn { effect.drawn } else { effect.lost }) * view.rate[f];
        }
        let tail = !drawn || self.natural;
        let mut lost = base * view.rate[f];
        for hop in &self.flows[f].hops {
            lost += self.loss_at(f, hop, x, past, view, tail);
        }
        lost
    }

    /// Share of the packets of a group that are lost in ways that are drawn.
    pub fn share_drawn(&self, group: &Group, view: &View) -> f64 {
        self.added() + view.effect[group.link].drawn
    }

    /// Share of the packets of a group that are lost.
    pub fn share_lost(&self, group: &Group, view: &View) -> f64 {
        self.rate + view.effect[group.link].lost
    }

    /// What the network tells flow `f`.
    #[inline]
    pub fn feedback(&self, f: usize, x: &[f64], view: &View) -> Feedback {
        let group = &self.groups[self.group_of[f]];
        if group.whole {
            let effect = &view.effect[group.link];
            return Feedback {
                rtt: view.rtt[f],
                base_rtt: self.flows[f].base_rtt,
                marking: effect.mark,
                explicit: effect.explicit,
                delivery_rate: view.rate[f] * effect.passed * (1.0 - self.added()),
            };
        }
        self.feedback_along(f, x, view)
    }

    fn feedback_along(&self, f: usize, x: &[f64], view: &View) -> Feedback {
        let flow = &self.flows[f];
        let mut seen = Feedback {
            base_rtt: flow.base_rtt,
            delivery_rate: view.rate[f] * (1.0 - self.added()),
            ..Feedback::quiet(view.rtt[f])
        };
        for (number, hop) in flow.hops.iter().enumerate() {
            let signal = self.signal(f, hop, x, view);
            seen.marking += signal.mark - seen.marking * signal.mark;
            seen.explicit = if number == 0 {
                signal.explicit
            } else {
                seen.explicit.min(signal.explicit)
            };
            seen.delivery_rate *= view.effect[hop.link].passed;
        }
        seen
    }
}

/// Packets that leave a link per packet that enters it: all of them if nothing waits, else what the link serves.
#[inline]
fn served(busy: bool, capacity: f64, entering: f64) -> f64 {
    if busy && entering > 0.0 {
        capacity / entering
    } else {
        1.0
    }
}

/// Round trips, round trips per second and rates of flows whose `windows` lie side by side; the sum of the rates, in
/// four strands that do not wait for each other.
#[inline(never)]
fn rates(
    still: &[f64],
    wait: f64,
    windows: &[f64],
    rtt: &mut [f64],
    pace: &mut [f64],
    rate: &mut [f64],
) -> f64 {
    for ((rtt, pace), still) in rtt.iter_mut().zip(pace.iter_mut()).zip(still) {
        *rtt = still + wait;
        *pace = 1.0 / *rtt;
    }
    for ((rate, pace), window) in rate.iter_mut().zip(pace.iter()).zip(windows) {
        *rate = window * pace;
    }
    let mut strands = [0.0; 4];
    let chunks = rate.chunks_exact(4);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (strand, rate) in strands.iter_mut().zip(chunk) {
            *strand += rate;
        }
    }
    (strands[0] + strands[1]) + (strands[2] + strands[3]) + rest
}
