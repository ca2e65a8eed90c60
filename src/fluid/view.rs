//! What follows from a state at one moment: round trips, rates, arrivals, drop probabilities. This is evaluated more often than
//! anything else, so flows that cross one link at once, or none, are evaluated side by side.

use super::group::Group;
use super::passage::Passages;
use super::plan::{FlowPlan, LinkPlan, Mode, Plan};
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
    /// What is not lost: told apart, as nearly all may be lost.
    pub kept: f64,
    mark: f64,
    explicit: f64,
    /// Packets delivered now per packet sent now: a queue gives out what it serves, each flow its share of what arrives.
    pub passed: f64,
}

/// What follows from a state at one moment for a link.
#[derive(Clone, Copy, Default)]
pub(super) struct AtLink {
    /// Packets per second that arrive.
    pub arrival: f64,
    /// Packets per second that ask for room in the queue.
    pub entering: f64,
    /// Packets per second that it sends on.
    pub served: f64,
    /// Drop probability by overflow.
    pub tail: f64,
    /// Signal of a queue that treats all flows alike.
    pub signal: Signal,
    pub effect: Effect,
}

/// What follows from a state at one moment.
#[derive(Default, Clone)]
pub(super) struct View {
    pub rtt: Vec<f64>,
    /// Round trips per second.
    pub pace: Vec<f64>,
    pub rate: Vec<f64>,
    /// One for each link, and one behind them for what crosses no link.
    pub links: Vec<AtLink>,
    /// What arrives at each link of its path of a flow that meets links later than it sends, packets per second.
    pub reach: Vec<f64>,
    pub passages: Passages,
    /// For queues that read the flows, what crosses; else empty. In the order of [`LinkPlan::flows`].
    crossing: Vec<Vec<Crossing>>,
}

impl View {
    #[cold]
    fn fit(&mut self, flows: usize, links: usize, reaches: usize) {
        self.reach.resize(reaches, 0.0);
        for list in [&mut self.rtt, &mut self.pace, &mut self.rate] {
            list.resize(flows, 0.0);
        }
        self.links.resize(links + 1, AtLink::default());
        if let Some(none) = self.links.last_mut() {
            (none.effect.kept, none.effect.passed) = (1.0, 1.0);
        }
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
            view.fit(self.flows.len(), self.links.len(), self.reaches);
        }
        for (at, link) in view.links.iter_mut().zip(&self.links) {
            at.effect.wait = link.wait(x[link.at]);
            at.arrival = 0.0;
        }
        for group in &self.groups {
            if group.whole {
                let sum = self.look_together(group, x, view);
                view.links[group.link].arrival += sum;
                for &link in &group.back {
                    view.links[link].arrival += group.ack * sum;
                }
            } else {
                for f in group.flows.clone() {
                    self.look_along(f, x, past, view);
                }
            }
        }
        if self.reaches > 0 {
            view.passages.forget();
        }
        for &l in &self.order {
            let link = &self.links[l];
            let signal = match link.constant {
                Some(signal) => signal,
                None => self.ask(l, x, modes, view),
            };
            let at = &mut view.links[l];
            let mode = match modes {
                Some(modes) => modes[l],
                None => link.told(x, at.arrival),
            };
            at.meet(link, x, signal, mode, self.natural);
            if !link.onward.is_empty() {
                self.pass_on(l, x, past, view);
            }
        }
    }

    /// What the queue of link `l` tells the first of its flows.
    #[inline(never)]
    fn ask(&self, l: usize, x: &[f64], modes: Option<&[Mode]>, view: &mut View) -> Signal {
        let link = &self.links[l];
        let mut crossing = std::mem::take(&mut view.crossing[l]);
        if link.reads_flows {
            crossing.clear();
            crossing.extend(link.flows.iter().map(|&(f, _)| Crossing {
                window: x[self.flows[f].at],
                rtt: view.rtt[f],
                rate: self.arriving(f, l, view),
                weight: self.flows[f].weight,
            }));
        }
        let mut now = Self::situation(link, x, view.links[l].arrival, &crossing);
        let own = link.own(x);
        if let Some(modes) = modes {
            now.queue = link.on_its_side(own, now.queue, modes[l]);
        }
        let signal = link.queue.signal(own, &now, 0);
        view.crossing[l] = crossing;
        signal
    }

    /// Round trips and rates of a group; the sum of the rates.
    #[inline]
    fn look_together(&self, group: &Group, x: &[f64], view: &mut View) -> f64 {
        let back = group.back.iter().map(|&link| view.links[link].effect.wait);
        let wait = back.fold(view.links[group.link].effect.wait, |sum, wait| sum + wait);
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
        strided(group.places, still, wait, blocks, (rtt, pace, rate))
    }

    /// Round trip and rate of a flow that crosses several links, or meets them later.
    #[inline(never)]
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
        for (number, hop) in flow.hops.iter().enumerate() {
            if flow.fed[number] {
                // By the link before it.
                continue;
            }
            let arriving = then(hop);
            view.links[hop.link].arrival += arriving;
            if flow.later() {
                view.reach[flow.reach + number] = arriving;
            }
        }
        for hop in &flow.back {
            view.links[hop.link].arrival += flow.ack * then(hop);
        }
        (view.rtt[f], view.pace[f], view.rate[f]) = (rtt, 1.0 / rtt, rate);
    }

    /// How fast the round trip of a flow changes, seconds per second.
    pub fn rtt_rate(&self, flow: &FlowPlan, modes: &[Mode], view: &View) -> f64 {
        let filling = flow
            .hops
            .iter()
            .chain(&flow.back)
            .filter(|hop| modes[hop.link].fills());
        filling
            .map(|hop| view.links[hop.link].entering / self.links[hop.link].capacity - 1.0)
            .sum()
    }

    /// What the network tells the flows of a group.
    pub fn sights<'a>(&'a self, group: &Group, view: &'a View) -> Sights<'a> {
        let effect = &view.links[group.link].effect;
        Sights {
            rtt: &view.rtt[group.flows.clone()],
            base_rtt: &self.base_rtt[group.flows.clone()],
            pace: &view.pace[group.flows.clone()],
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
        Self::situation(&self.links[l], x, view.links[l].arrival, &view.crossing[l])
    }

    /// Packets per second of flow `f` that arrive at link `l` of its path.
    fn arriving(&self, f: usize, l: usize, view: &View) -> f64 {
        let flow = &self.flows[f];
        if flow.later() {
            view.reach[flow.reach + flow.number_of(l)]
        } else {
            view.rate[f]
        }
    }

    /// What the link of `hop` tells flow `f`.
    fn signal(&self, f: usize, hop: &Hop, x: &[f64], view: &View) -> Signal {
        let link = &self.links[hop.link];
        if !link.reads_flows {
            return view.links[hop.link].signal;
        }
        let place = link.flows.partition_point(|(flow, _)| *flow < f);
        let own = &x[link.at + 1..link.at + 1 + link.own];
        link.queue
            .signal(own, &self.seen_by(hop.link, x, view), place)
    }

    /// Packets per second that flow `f` loses on the link of `hop` as the queue decides and, with `tail`, by overflow.
    pub fn loss_at(&self, f: usize, hop: &Hop, x: &[f64], view: &View, tail: bool) -> f64 {
        let drop = if self.links[hop.link].reads_flows {
            self.signal(f, hop, x, view).drop
        } else {
            view.links[hop.link].signal.drop
        };
        let tail = if tail { view.links[hop.link].tail } else { 0.0 };
        let p = drop + tail - drop * tail;
        if p == 0.0 {
            0.0
        } else {
            p * self.arriving(f, hop.link, view)
        }
    }

    /// Packets per second that flow `f` loses in all; with `drawn`, those of which its losses are drawn: without those that `sync`
    /// decides on, and the scenario's own by what is sent.
    #[inline]
    pub fn loss_rate(&self, f: usize, x: &[f64], view: &View, drawn: bool) -> f64 {
        let group = &self.groups[self.group_of[f]];
        if drawn && group.whole {
            return self.share_drawn(group, view) * view.rate[f];
        }
        let tail = !drawn || self.natural;
        let mut lost = if drawn {
            self.added() * view.rate[f]
        } else {
            self.rate * self.let_through(f, x, view)
        };
        for hop in &self.flows[f].hops {
            lost += self.loss_at(f, hop, x, view, tail);
        }
        lost
    }

    /// Packets per second of flow `f` that the last link on its path takes in and does not drop. Of these the scenario's own losses
    /// are taken, so that no packet is lost twice.
    fn let_through(&self, f: usize, x: &[f64], view: &View) -> f64 {
        self.flows[f].hops.last().map_or(view.rate[f], |hop| {
            let lost = self.loss_at(f, hop, x, view, true);
            (self.arriving(f, hop.link, view) - lost).max(0.0)
        })
    }

    /// Packets per second of flow `f` that the last link on its path takes in, to be delivered.
    pub fn delivered(&self, f: usize, x: &[f64], view: &View) -> f64 {
        (1.0 - self.rate) * self.let_through(f, x, view)
    }

    /// Share of the packets of a group that are lost in ways that are drawn.
    pub fn share_drawn(&self, group: &Group, view: &View) -> f64 {
        self.added() + view.links[group.link].effect.drawn
    }

    /// Share of the packets of a group that are not lost.
    pub fn share_kept(&self, group: &Group, view: &View) -> f64 {
        view.links[group.link].effect.kept * (1.0 - self.rate)
    }

    /// What the network tells flow `f`.
    #[inline]
    pub fn feedback(&self, f: usize, x: &[f64], view: &View) -> Feedback {
        let group = &self.groups[self.group_of[f]];
        if group.whole {
            let effect = &view.links[group.link].effect;
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
            delivery_rate: (1.0 - self.added())
                * flow.hops.last().map_or(view.rate[f], |hop| {
                    self.arriving(f, hop.link, view) * view.links[hop.link].effect.passed
                }),
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
        }
        seen
    }
}

impl AtLink {
    /// Packets per second offered, refused before they take room, and dropped.
    #[inline]
    pub fn counts(&self) -> [f64; 3] {
        [
            self.arrival,
            self.arrival - self.entering * (1.0 - self.tail),
            self.arrival * self.effect.lost,
        ]
    }

    /// What follows from what arrives.
    #[inline]
    fn meet(&mut self, link: &LinkPlan, x: &[f64], mut signal: Signal, mode: Mode, natural: bool) {
        let arrival = self.arrival;
        if mode == Mode::Held {
            signal.drop = link.holding(link.own(x), arrival);
        }
        let drop = signal.drop;
        let entering = if link.drops_before_entering {
            arrival * (1.0 - drop)
        } else {
            arrival
        };
        // Packets that leave per packet that enters: all of them if nothing waits, else what the link serves.
        let served = if mode != Mode::Empty && entering > 0.0 {
            link.capacity / entering
        } else {
            1.0
        };
        let (tail, taken) = if mode == Mode::Full && entering > link.capacity {
            (1.0 - served, served)
        } else {
            (0.0, 1.0)
        };
        let lost = drop + tail - drop * tail;
        self.entering = entering;
        self.served = if mode == Mode::Empty {
            entering.min(link.capacity)
        } else {
            link.capacity
        };
        self.tail = tail;
        self.signal = signal;
        self.effect = Effect {
            wait: self.effect.wait,
            drawn: if natural { lost } else { drop },
            lost,
            kept: (1.0 - drop) * taken,
            mark: signal.mark,
            explicit: signal.explicit,
            passed: (1.0 - drop) * served,
        };
    }
}

/// Round trips, round trips per second and rates of flows whose `windows` lie side by side; the sum of the rates, in
/// four strands that do not wait for each other.
#[inline]
fn rates(
    still: &[f64],
    wait: f64,
    windows: &[f64],
    rtt: &mut [f64],
    pace: &mut [f64],
    rate: &mut [f64],
) -> f64 {
    let n = rate.len();
    let (stills, still) = still[..n].as_chunks::<4>();
    let (blocks, windows) = windows[..n].as_chunks::<4>();
    let (trips, rtt) = rtt[..n].as_chunks_mut::<4>();
    let (paces, pace) = pace[..n].as_chunks_mut::<4>();
    let (rates, rate) = rate.as_chunks_mut::<4>();
    let mut strands = [0.0; 4];
    let fours = stills.iter().zip(blocks);
    let outs = trips.iter_mut().zip(paces).zip(rates);
    for ((still, windows), ((rtt, pace), rate)) in fours.zip(outs) {
        for k in 0..4 {
            rtt[k] = still[k] + wait;
        }
        for k in 0..4 {
            pace[k] = 1.0 / rtt[k];
        }
        for k in 0..4 {
            rate[k] = windows[k] * pace[k];
        }
        for k in 0..4 {
            strands[k] += rate[k];
        }
    }
    let mut rest = 0.0;
    let singles = still.iter().zip(windows);
    let outs = rtt.iter_mut().zip(pace).zip(rate);
    for ((still, window), ((rtt, pace), rate)) in singles.zip(outs) {
        *rtt = still + wait;
        *pace = 1.0 / *rtt;
        *rate = window * *pace;
        rest += *rate;
    }
    (strands[0] + strands[1]) + (strands[2] + strands[3]) + rest
}

/// The same for flows whose windows lie `places` apart.
#[inline(never)]
fn strided(
    places: usize,
    still: &[f64],
    wait: f64,
    blocks: &[f64],
    (rtt, pace, rate): (&mut [f64], &mut [f64], &mut [f64]),
) -> f64 {
    let mut sum = 0.0;
    let outs = rtt.iter_mut().zip(pace.iter_mut()).zip(rate.iter_mut());
    let windows = blocks.iter().step_by(places);
    for (((rtt, pace), rate), (still, window)) in outs.zip(still.iter().zip(windows)) {
        *rtt = still + wait;
        *pace = 1.0 / *rtt;
        *rate = window * *pace;
        sum += *rate;
    }
    sum
}
