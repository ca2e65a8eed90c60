//! Where everything lies in the state vector, and the algebra that needs nothing but a state: round trips, rates,
//! arrivals, drop probabilities.
//!
//! A flow takes one block: the law's own places, window first, then counters as far as the run needs them (packets since the last
//! periodic loss, the integral of the loss intensity since the last loss, packets lost). A link takes its queue, the queue's own
//! states, and three counters: packets offered, refused before they took room, and dropped. A flow that is not sending has
//! window 0, so that its past needs no further record.

use super::scenario::{Begin, Process, Scenario, Sender, Sync};
use crate::error::Result;
use crate::model::{Feedback, WindowLaw};
use crate::network::{Crossing, Hop, Link, Queue, Signal, Situation, route};
use crate::numeric::dde::History;
use std::sync::Arc;

/// Place of a counter that the run does not need.
const NOWHERE: usize = usize::MAX;

/// A flow's place and path.
pub(super) struct FlowPlan {
    /// Place of its window (or of its rate, for constant-rate traffic).
    pub at: usize,
    /// Length of the law's part of the block.
    pub places: usize,
    pub law: Option<Arc<dyn WindowLaw>>,
    /// As the law sees it.
    pub base_rtt: f64,
    /// Round trip without the queues of this network.
    pub still: f64,
    pub hops: Vec<Hop>,
    /// The link, if there is exactly one and it meets packets as they are sent.
    only: usize,
}

/// A link's place.
pub(super) struct LinkPlan {
    pub at: usize,
    pub own: usize,
    pub capacity: f64,
    pub buffer: f64,
    pub queue: Arc<dyn Queue>,
    /// Flows that cross it, with their forward delays.
    pub flows: Vec<(usize, f64)>,
    delayed: bool,
    reads_flows: bool,
}

impl LinkPlan {
    /// Queueing delay. A trial step may look below an empty queue before the event there cuts it off; a round trip
    /// that could come out negative would let the step pass for a good one.
    #[inline]
    pub fn wait(&self, queue: f64) -> f64 {
        queue.max(0.0) / self.capacity
    }

    /// Places of the three counters: offered, refused, dropped.
    pub fn counters(&self) -> usize {
        self.at + 1 + self.own
    }
}

/// The static part of a run.
pub(super) struct Plan {
    pub flows: Vec<FlowPlan>,
    pub links: Vec<LinkPlan>,
    pub dimension: usize,
    /// Offsets of the counters behind the law's places.
    sent: usize,
    hazard: usize,
    lost: usize,
    pub process: Process,
    pub natural: bool,
    pub rate: f64,
}

/// What a link is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// No queue: it serves whatever arrives.
    Empty,
    /// A queue between nothing and the buffer.
    Filling,
    /// The buffer is full (or there is none and more arrives than is served).
    Full,
}

/// What follows from a state at one moment.
#[derive(Default, Clone)]
pub(super) struct View {
    pub rtt: Vec<f64>,
    pub rate: Vec<f64>,
    pub arrival: Vec<f64>,
    /// Packets per second that ask for room in the queue.
    pub entering: Vec<f64>,
    /// Drop probability by overflow.
    pub tail: Vec<f64>,
    /// Signal of a queue that treats all flows alike.
    pub signal: Vec<Signal>,
    /// For queues that read the flows, what crosses; else empty. In the order of [`LinkPlan::flows`].
    crossing: Vec<Vec<Crossing>>,
}

impl Plan {
    pub fn new(scenario: &Scenario) -> Result<Self> {
        let losses = &scenario.losses;
        let periodic = losses.process == Process::Periodic && losses.rate > 0.0;
        let natural = losses.sync == Sync::Natural;
        let sized = scenario.flows.iter().any(|flow| flow.size.is_some());
        let drops = !scenario.links.is_empty();
        let random =
            losses.process != Process::MeanField && ((losses.rate > 0.0 && !periodic) || drops);
        let mut routes = Vec::with_capacity(scenario.flows.len());
        for flow in &scenario.flows {
            routes.push(route(&scenario.links, &flow.path, flow.base_rtt)?);
        }
        let delayed = routes
            .iter()
            .any(|route| route.hops.iter().any(|hop| hop.forward > 0.0));
        let mut counters = 0;
        let mut counter = |wanted: bool| {
            if wanted {
                counters += 1;
                counters - 1
            } else {
                NOWHERE
            }
        };
        let (sent, hazard, lost) = (
            counter(periodic || sized),
            counter(random),
            counter(delayed),
        );
        let mut at = 0;
        let mut flows = Vec::with_capacity(routes.len());
        for (flow, route) in scenario.flows.iter().zip(routes) {
            let law = match &flow.sender {
                Sender::Law(law) => Some(Arc::clone(law)),
                Sender::Constant(_) => None,
            };
            let places = law.as_ref().map_or(1, |law| law.states().len());
            let only = match route.hops.as_slice() {
                [Hop { link, forward: 0.0 }] => *link,
                _ => NOWHERE,
            };
            flows.push(FlowPlan {
                at,
                places,
                law,
                base_rtt: route.base_rtt,
                still: route.base_rtt + flow.standing_delay,
                hops: route.hops,
                only,
            });
            at += places + counters;
        }
        let links = scenario
            .links
            .iter()
            .enumerate()
            .map(|(number, link)| link_plan(number, link, &flows, &mut at))
            .collect();
        Ok(Self {
            flows,
            links,
            dimension: at,
            sent,
            hazard,
            lost,
            process: losses.process,
            natural,
            rate: losses.rate,
        })
    }

    /// Whether losses other than periodic ones are drawn.
    pub fn draws(&self) -> bool {
        self.hazard != NOWHERE
    }
    /// Whether packets sent are counted in the state.
    pub fn counts_sent(&self) -> bool {
        self.sent != NOWHERE
    }
    /// Whether packets lost are counted in the state: where links meet packets later than they are sent.
    pub fn counts_lost(&self) -> bool {
        self.lost != NOWHERE
    }
    /// Whether periodic losses are on.
    pub fn periodic(&self) -> bool {
        self.process == Process::Periodic && self.rate > 0.0
    }
    pub fn sent(&self, flow: &FlowPlan) -> usize {
        flow.at + flow.places + self.sent
    }
    pub fn hazard(&self, flow: &FlowPlan) -> usize {
        flow.at + flow.places + self.hazard
    }
    pub fn lost(&self, flow: &FlowPlan) -> usize {
        flow.at + flow.places + self.lost
    }

    /// Losses per packet that the scenario adds as a stream or point process.
    pub fn added(&self) -> f64 {
        if self.process == Process::Periodic {
            0.0
        } else {
            self.rate
        }
    }

    /// The state at the start, before any flow has started.
    pub fn initial(&self, scenario: &Scenario) -> Vec<f64> {
        let mut x = vec![0.0; self.dimension];
        for (plan, link) in self.links.iter().zip(&scenario.links) {
            x[plan.at] = link.initial_queue;
            let own = plan.at + 1..plan.at + 1 + plan.own;
            plan.queue.start(link.initial_queue, &mut x[own]);
        }
        x
    }

    /// The law's state at the beginning of a flow.
    pub fn begin(flow: &FlowPlan, begin: Begin, x: &mut [f64]) {
        let (Begin::SlowStart(window) | Begin::Growing(window) | Begin::AfterLoss(window)) = begin;
        let block = &mut x[flow.at..flow.at + flow.places];
        match &flow.law {
            Some(law) => law.settle(window, block),
            None => block[0] = window,
        }
    }

    /// The round trip of a flow in this state.
    pub fn rtt(&self, flow: &FlowPlan, x: &[f64]) -> f64 {
        flow.still
            + flow
                .hops
                .iter()
                .map(|hop| {
                    let link = &self.links[hop.link];
                    link.wait(x[link.at])
                })
                .sum::<f64>()
    }

    /// Packets per second that a flow sends with this window (or state) and round trip.
    #[inline]
    pub fn rate(flow: &FlowPlan, window: f64, rtt: f64) -> f64 {
        if flow.law.is_some() {
            window / rtt
        } else {
            window
        }
    }

    /// The rate at which a flow sent at the past time `s`.
    pub fn past_rate(&self, flow: &FlowPlan, s: f64, history: &History<'_>) -> f64 {
        let mut rtt = flow.still;
        for hop in &flow.hops {
            let link = &self.links[hop.link];
            rtt += history.state(link.at, s) / link.capacity;
        }
        Self::rate(flow, history.state(flow.at, s), rtt)
    }

    /// Everything that follows from the state `x`. `modes` are those of the links; without them they are told from the
    /// state. `history` is needed where links meet packets later than they are sent.
    pub fn look(
        &self,
        x: &[f64],
        modes: Option<&[Mode]>,
        past: Option<(f64, &History<'_>)>,
        view: &mut View,
    ) {
        view.rtt.resize(self.flows.len(), 0.0);
        view.rate.resize(self.flows.len(), 0.0);
        view.arrival.clear();
        view.arrival.resize(self.links.len(), 0.0);
        for (i, flow) in self.flows.iter().enumerate() {
            let (rtt, rate);
            if flow.only == NOWHERE {
                rtt = self.rtt(flow, x);
                rate = Self::rate(flow, x[flow.at], rtt);
                for hop in &flow.hops {
                    view.arrival[hop.link] += match past {
                        Some((now, history)) if hop.forward > 0.0 => {
                            self.past_rate(flow, now - hop.forward, history)
                        }
                        _ => rate,
                    };
                }
            } else {
                let link = &self.links[flow.only];
                rtt = flow.still + link.wait(x[link.at]);
                rate = Self::rate(flow, x[flow.at], rtt);
                view.arrival[flow.only] += rate;
            }
            view.rtt[i] = rtt;
            view.rate[i] = rate;
        }
        view.entering.resize(self.links.len(), 0.0);
        view.tail.resize(self.links.len(), 0.0);
        view.signal.resize(self.links.len(), Signal::default());
        view.crossing.resize(self.links.len(), Vec::new());
        for (l, link) in self.links.iter().enumerate() {
            let arrival = view.arrival[l];
            let mut crossing = std::mem::take(&mut view.crossing[l]);
            if link.reads_flows {
                crossing.clear();
                crossing.extend(link.flows.iter().map(|&(f, forward)| Crossing {
                    window: x[self.flows[f].at],
                    rtt: view.rtt[f],
                    rate: self.rate_at(f, forward, past, view),
                }));
            }
            let now = Self::situation(link, x, arrival, &crossing);
            let own = &x[link.at + 1..link.at + 1 + link.own];
            let signal = link.queue.signal(own, &now, 0);
            let entering = if link.queue.drops_before_entering() {
                arrival * (1.0 - signal.drop)
            } else {
                arrival
            };
            let full = match modes {
                Some(modes) => modes[l] == Mode::Full,
                None => x[link.at] >= link.buffer * (1.0 - 1e-12),
            };
            view.tail[l] = if full && entering > link.capacity {
                1.0 - link.capacity / entering
            } else {
                0.0
            };
            view.entering[l] = entering;
            view.signal[l] = signal;
            view.crossing[l] = crossing;
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
        let place = link
            .flows
            .iter()
            .position(|(flow, _)| *flow == f)
            .unwrap_or(0);
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
        let tail = !drawn || self.natural;
        let base = if drawn { self.added() } else { self.rate };
        let mut lost = base * view.rate[f];
        for hop in &self.flows[f].hops {
            lost += self.loss_at(f, hop, x, past, view, tail);
        }
        lost
    }

    /// What the network tells flow `f`.
    pub fn feedback(&self, f: usize, x: &[f64], view: &View) -> Feedback {
        let flow = &self.flows[f];
        let mut seen = Feedback {
            base_rtt: flow.base_rtt,
            delivery_rate: view.rate[f],
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
            seen.delivery_rate *= (1.0 - signal.drop) * (1.0 - view.tail[hop.link]);
        }
        seen
    }
}

fn link_plan(number: usize, link: &Link, flows: &[FlowPlan], at: &mut usize) -> LinkPlan {
    let own = link.queue.states().len();
    let crossing: Vec<(usize, f64)> = flows
        .iter()
        .enumerate()
        .flat_map(|(f, flow)| {
            flow.hops
                .iter()
                .filter(move |hop| hop.link == number)
                .map(move |hop| (f, hop.forward))
        })
        .collect();
    let plan = LinkPlan {
        at: *at,
        own,
        capacity: link.capacity,
        buffer: link.buffer,
        queue: Arc::clone(&link.queue),
        delayed: crossing.iter().any(|(_, forward)| *forward > 0.0),
        flows: crossing,
        reads_flows: link.queue.reads_flows(),
    };
    *at += 1 + own + 3;
    plan
}

impl Plan {
    /// Forward delays, with the places they read and the places they drive.
    pub fn forward_lags(&self) -> Vec<(f64, std::ops::Range<usize>, usize)> {
        let links = self.links.iter().filter(|link| link.delayed);
        links
            .flat_map(|link| {
                link.flows
                    .iter()
                    .filter(|(_, d)| *d > 0.0)
                    .map(|&(f, d)| (d, self.flows[f].at..self.flows[f].at + 1, link.at))
            })
            .collect()
    }
}
