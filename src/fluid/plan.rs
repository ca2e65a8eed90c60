//! Where everything lies in the state vector, and the algebra that needs nothing but a state: round trips, rates,
//! arrivals, drop probabilities.
//!
//! First the blocks of the flows, one after the other: the law's own places, window first. Then a counter, if the run needs it, one
//! place a flow: packets since the last periodic loss. Then two counters for each flow that meets links later than it sends: packets
//! lost, and packets that its last link took in. Then the links: its queue, the queue's own states, and, where packets meet it later
//! than they are sent, three counters: packets offered, refused before they took room, and dropped. (What arrives there may jump inside a
//! step; elsewhere these are integrated on the dense output.) A flow that is not sending has window 0, so that its past needs no
//! further record.

use super::group::{Group, groups};
use super::lapse::Lapse;
use super::passage::{Onward, row};
use super::scenario::{Begin, Process, Scenario, Sender};
use super::sync::Sync;
use crate::error::Result;
use crate::model::{Feedback, Price, Side, WindowLaw};
use crate::network::{Hop, Link, Queue, Signal, route_and_back};
use crate::numeric::dde::{History, Tolerance};
use std::sync::Arc;

/// Place of a counter that the run does not need.
const NOWHERE: usize = usize::MAX;

/// A flow's place and path.
pub(super) struct FlowPlan {
    /// Its place in the list.
    pub number: usize,
    /// Place of its window (or of its rate, for constant-rate traffic).
    pub at: usize,
    /// Length of its block.
    pub places: usize,
    pub law: Option<Arc<dyn WindowLaw>>,
    /// As the law sees it.
    pub base_rtt: f64,
    /// Round trip without the queues of this network.
    pub still: f64,
    pub hops: Vec<Hop>,
    /// For each hop whether the link before it says what arrives.
    pub fed: Vec<bool>,
    /// First place of its arrivals in a view, if it meets links later than it sends.
    pub reach: usize,
    /// Places of its counters of packets lost and taken in by the last link, if it meets links later than it sends.
    pub counters: Option<usize>,
    /// Links that its acknowledgements cross, and what of a packet one takes there.
    pub back: Vec<Hop>,
    pub ack: f64,
    /// For each hop the flow's place in the list of its link.
    pub spots: Vec<usize>,
    /// Its part where a router divides by weights.
    pub weight: f64,
    /// Whether a link on its path says something that travels back to it.
    pub listens: bool,
    /// The law shrinks of itself or under a stream of losses, but not below this; 0 for no such floor.
    pub floor: f64,
    /// The link, if there is exactly one and it meets packets, and those on the way back acknowledgements, as they are sent.
    pub only: Option<usize>,
}

/// A link's place.
pub(super) struct LinkPlan {
    pub at: usize,
    pub own: usize,
    pub capacity: f64,
    /// Seconds to serve a packet.
    per_packet: f64,
    pub buffer: f64,
    pub queue: Arc<dyn Queue>,
    /// Flows that cross it, with their forward delays.
    pub flows: Vec<(usize, f64)>,
    /// Those of them that it feeds to another link.
    pub onward: Vec<Onward>,
    /// Flows whose acknowledgements cross it, with the time from the sender to here, and what one takes.
    pub acks: Vec<(usize, f64, f64)>,
    /// Places of its three counters (offered, refused, dropped), if packets meet it later than they are sent.
    pub counters: Option<usize>,
    pub reads_flows: bool,
    pub drops_before_entering: bool,
    /// What the queue always tells.
    pub constant: Option<Signal>,
    /// Whether it says something to senders that travels with the packets.
    pub carries: bool,
}

impl FlowPlan {
    /// Whether it meets links later than it sends, or behind another.
    pub fn later(&self) -> bool {
        self.hops.len() > 1 || self.hops.iter().any(|hop| hop.forward > 0.0)
    }
}

impl LinkPlan {
    /// Queueing delay. A trial step may look below an empty queue before the event there cuts it off; a round trip
    /// that could come out negative would let the step pass for a good one.
    #[inline]
    pub fn wait(&self, queue: f64) -> f64 {
        queue.max(0.0) * self.per_packet
    }

    /// What the link is doing, told from the state.
    pub fn told(&self, x: &[f64], arrival: f64) -> Mode {
        let queue = x[self.at];
        if self.holds(self.own(x), queue, arrival) {
            Mode::Held
        } else if queue >= self.buffer * (1.0 - 1e-12) {
            Mode::Full
        } else if queue > 0.0 {
            Mode::Filling(Side::Free)
        } else {
            Mode::Empty
        }
    }
}

/// The static part of a run.
pub(super) struct Plan {
    pub flows: Vec<FlowPlan>,
    pub links: Vec<LinkPlan>,
    pub groups: Vec<Group>,
    /// The group of each flow.
    pub group_of: Vec<usize>,
    /// Round trips of the flows without the queues of this network.
    pub still: Vec<f64>,
    /// Round trips of the flows as their laws see them without queues.
    pub base_rtt: Vec<f64>,
    pub dimension: usize,
    /// Flows whose law can be held at a switch.
    pub holding: Vec<usize>,
    /// Whether any flow listens to what travels with the packets.
    pub anyone_listens: bool,
    /// The longest time after which a sender is told what it did.
    pub longest_carried: f64,
    /// The longest time from a sender to a link.
    pub longest_forward: f64,
    /// The links, none before one that feeds it.
    pub order: Vec<usize>,
    /// Places for arrivals of flows that meet links later than they send.
    pub reaches: usize,
    /// First place of the packets sent since the last periodic loss.
    sent: usize,
    /// First place of the packets sent and not lost.
    kept: usize,
    /// Whether losses other than periodic ones are drawn.
    pub draws: bool,
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
    Filling(Side),
    /// The buffer is full (or there is none and more arrives than is served).
    Full,
    /// The queue stays at a threshold of its discipline.
    Held,
}

impl Mode {
    /// Whether the queue is between nothing and the buffer, and free to move.
    pub fn fills(self) -> bool {
        matches!(self, Self::Filling(_))
    }
}

impl Plan {
    pub fn new(scenario: &Scenario) -> Result<Self> {
        let losses = &scenario.losses;
        let periodic = losses.process == Process::Periodic && losses.rate > 0.0;
        let natural = losses.sync == Sync::Natural;
        // What a stream of losses takes is no decrease that ends at the least window.
        let shrinks = losses.process == Process::MeanField;
        let sized = scenario.flows.iter().any(|flow| flow.size.is_some());
        let drops = !scenario.links.is_empty();
        let random =
            losses.process != Process::MeanField && ((losses.rate > 0.0 && !periodic) || drops);
        let mut routes = Vec::with_capacity(scenario.flows.len());
        for flow in &scenario.flows {
            routes.push(route_and_back(
                &scenario.links,
                &flow.path,
                &flow.return_path,
                flow.base_rtt,
            )?);
        }
        let mut at = 0;
        let mut flows = Vec::with_capacity(routes.len());
        for (number, (flow, route)) in scenario.flows.iter().zip(routes).enumerate() {
            let law = match &flow.sender {
                Sender::Law(law) => Some(Arc::clone(law)),
                Sender::Constant(_) | Sender::Changing(_) => None,
            };
            let places = law.as_ref().map_or(1, |law| law.states().len());
            let only = match route.hops.as_slice() {
                [Hop { link, forward: 0.0 }] if at_once(&route.back) => Some(*link),
                _ => None,
            };
            flows.push(FlowPlan {
                number,
                at,
                places,
                base_rtt: route.base_rtt,
                still: route.base_rtt + flow.standing_delay,
                weight: law.as_ref().map_or(0.0, |law| law.weight()),
                floor: match &law {
                    Some(law) if shrinks || law.price() != Price::Loss => losses.floor(flow),
                    _ => 0.0,
                },
                listens: law
                    .as_ref()
                    .is_some_and(|law| matches!(law.price(), Price::Mark | Price::Explicit))
                    && carried(&route.hops, scenario),
                spots: Vec::with_capacity(route.hops.len()),
                counters: None,
                fed: Vec::new(),
                reach: 0,
                hops: route.hops,
                back: route.back,
                ack: flow.ack_size,
                law,
                only,
            });
            at += places;
        }
        let mut counters = |wanted: bool| {
            at += if wanted { flows.len() } else { 0 };
            if wanted { at - flows.len() } else { NOWHERE }
        };
        let (sent, kept) = (counters(periodic), counters(sized));
        let paths = flows.iter().map(|flow| &flow.hops[..]);
        let (fed, order) = row(scenario.links.len(), paths);
        let mut reaches = 0;
        for (flow, fed) in flows.iter_mut().zip(fed) {
            flow.fed = fed;
            if flow.later() {
                flow.counters = Some(at);
                at += 2;
                flow.reach = reaches;
                reaches += flow.hops.len();
            }
        }
        let links: Vec<LinkPlan> = scenario
            .links
            .iter()
            .enumerate()
            .map(|(number, link)| link_plan(number, link, &flows, &mut at))
            .collect();
        for (f, flow) in flows.iter_mut().enumerate() {
            flow.spots.extend(flow.hops.iter().map(|hop| {
                let crossing = &links[hop.link].flows;
                // They stand in the order of the flows.
                crossing.partition_point(|(other, _)| *other < f)
            }));
        }
        let groups = groups(&flows, &links);
        let mut group_of = vec![0; flows.len()];
        for (number, group) in groups.iter().enumerate() {
            group_of[group.flows.clone()].fill(number);
        }
        let mut plan = Self {
            holding: (flows.iter().filter(|flow| can_be_held(flow)))
                .map(|flow| flow.number)
                .collect(),
            anyone_listens: flows.iter().any(|flow| flow.listens),
            longest_carried: 0.0,
            longest_forward: (flows.iter())
                .flat_map(|flow| flow.hops.iter().chain(&flow.back))
                .map(|hop| hop.forward)
                .fold(0.0, f64::max),
            still: flows.iter().map(|flow| flow.still).collect(),
            base_rtt: flows.iter().map(|flow| flow.base_rtt).collect(),
            flows,
            links,
            groups,
            group_of,
            dimension: at,
            order,
            reaches,
            sent,
            kept,
            draws: random,
            process: losses.process,
            natural,
            rate: losses.rate,
        };
        plan.longest_carried = plan.carried_lags().last().copied().unwrap_or(0.0);
        Ok(plan)
    }

    /// The absolute tolerance of the states: `local` of each one's own scale.
    pub fn scaled(&self, local: f64) -> Tolerance {
        let scales = |link: &LinkPlan| link.queue.scales();
        if self
            .links
            .iter()
            .all(|link| scales(link).iter().all(|scale| *scale == 1.0))
        {
            return local.into();
        }
        let mut absolute = vec![local; self.dimension];
        for link in &self.links {
            for (place, scale) in scales(link).into_iter().enumerate() {
                absolute[link.at + 1 + place] *= scale;
            }
        }
        absolute.into()
    }

    /// Whether anything depends on the past.
    pub fn reads_past(&self, reaction: Lapse) -> bool {
        self.longest_forward > 0.0
            || self.reaches > 0
            || self.anyone_listens
            || (self.process == Process::MeanField && reaction != Lapse::NONE)
    }

    /// Whether packets that are not lost are counted in the state: some flow has a size.
    pub fn counts_kept(&self) -> bool {
        self.kept != NOWHERE
    }
    /// The place of the packets of a flow that were sent and not lost.
    pub fn kept(&self, flow: &FlowPlan) -> usize {
        self.kept + flow.number
    }
    /// Whether periodic losses are on.
    pub fn periodic(&self) -> bool {
        self.process == Process::Periodic && self.rate > 0.0
    }
    pub fn sent(&self, flow: &FlowPlan) -> usize {
        self.sent + flow.number
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
    pub fn begin(&self, flow: &FlowPlan, begin: Begin, x: &mut [f64]) {
        let (Begin::SlowStart(window) | Begin::Growing(window) | Begin::AfterLoss(window)) = begin;
        let seen = self.beginning(flow, window, x);
        let block = &mut x[flow.at..flow.at + flow.places];
        match &flow.law {
            Some(law) => law.steady(window, &seen, block),
            None => block[0] = window,
        }
    }

    /// What a flow sees that begins with this window: its round trip, and everything delivered.
    pub fn beginning(&self, flow: &FlowPlan, window: f64, x: &[f64]) -> Feedback {
        Feedback {
            base_rtt: flow.base_rtt,
            ..Feedback::quiet(self.rtt(flow, x)).delivering(window)
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
            + self.wait_back(flow, x)
    }

    /// How long an acknowledgement of a flow waits on its way, in this state.
    pub fn wait_back(&self, flow: &FlowPlan, x: &[f64]) -> f64 {
        let links = flow.back.iter().map(|hop| &self.links[hop.link]);
        links.map(|link| link.wait(x[link.at])).sum()
    }

    /// The longest that a flow may wait at these links until the next step ends. A queue without limit may shorten while its old
    /// length is still asked for.
    pub fn most_wait(&self, flow: &FlowPlan, hops: &[Hop], x: &[f64]) -> f64 {
        let wait = |hop: &Hop| {
            let link = &self.links[hop.link];
            let most = if link.buffer.is_finite() {
                link.buffer
            } else {
                2.0 * x[link.at] + link.capacity * flow.still
            };
            most / link.capacity
        };
        hops.iter().map(wait).sum()
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
        for hop in flow.hops.iter().chain(&flow.back) {
            let link = &self.links[hop.link];
            rtt += link.wait(history.state(link.at, s));
        }
        Self::rate(flow, history.state(flow.at, s), rtt)
    }
}

/// Whether acknowledgements meet these links as the packets are sent.
pub(super) fn at_once(back: &[Hop]) -> bool {
    back.iter().all(|hop| hop.forward == 0.0)
}

/// Whether the law of a flow has a switch at which it can be held.
fn can_be_held(flow: &FlowPlan) -> bool {
    let mut switches = Vec::new();
    flow.law.as_ref().is_some_and(|law| {
        let mut state = vec![0.0; flow.places];
        let seen = Feedback::quiet(flow.still);
        law.steady(2.0, &seen, &mut state);
        law.switches(&state, &seen, &mut switches);
        (0..switches.len()).any(|switch| law.holds_at(switch))
    })
}

fn carried(hops: &[Hop], scenario: &Scenario) -> bool {
    hops.iter()
        .any(|hop| scenario.links[hop.link].queue.carries())
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
    let acks = flows.iter().enumerate().flat_map(|(f, flow)| {
        let here = flow.back.iter().filter(move |hop| hop.link == number);
        here.map(move |hop| (f, hop.forward, flow.ack))
    });
    let acks: Vec<(usize, f64, f64)> = acks.collect();
    let counted = crossing.iter().any(|(f, _)| flows[*f].later())
        || acks.iter().any(|(_, there, _)| *there > 0.0);
    let onward = flows.iter().enumerate().flat_map(|(f, flow)| {
        let next = (1..flow.hops.len()).filter(|&k| flow.fed[k] && flow.hops[k - 1].link == number);
        next.map(move |k| Onward {
            flow: f,
            number: k,
            delay: flow.hops[k].forward - flow.hops[k - 1].forward,
        })
    });
    let onward = onward.collect();
    let plan = LinkPlan {
        at: *at,
        own,
        counters: counted.then_some(*at + 1 + own),
        capacity: link.capacity,
        per_packet: link.capacity.recip(),
        buffer: link.buffer,
        queue: Arc::clone(&link.queue),
        flows: crossing,
        onward,
        acks,
        reads_flows: link.queue.reads_flows(),
        drops_before_entering: link.queue.drops_before_entering(),
        constant: link.queue.constant(),
        carries: link.queue.carries(),
    };
    *at += 1 + own + if counted { 3 } else { 0 };
    plan
}
