//! The equations between events.

use super::carried::Said;
use super::forecast::Forecast;
use super::lags::distinct;
use super::levels::Ahead;
use super::live::{Live, LiveFlow, Phase};
use super::meter::Meter;
use super::observe::Event;
use super::plan::{Mode, Plan};
use super::scenario::{Begin, Process, Scenario};
use super::surfaces::Surface;
use super::transfers::Room;
use super::view::View;
use crate::model::{Cause as Why, Side, WindowLaw};
use crate::numeric::dde::{Cause, Direction, Effect, Foreseen, History, Lag, Now, Piece, Problem};
use std::cell::{Cell, RefCell};
use std::f64::consts::LN_2;
use std::ops::Range;

/// Room to work in.
#[derive(Default)]
pub(super) struct Work {
    pub view: View,
    pub switches: Vec<f64>,
    pub block: Vec<f64>,
}

/// A run as a delay problem.
pub(super) struct System<'a> {
    pub plan: &'a Plan,
    pub scenario: &'a Scenario,
    pub live: Live,
    pub room: Room,
    pub forecast: Forecast,
    pub meter: Meter<'a>,
    /// The time up to which the solution stands.
    pub stands: f64,
    pub surfaces: Vec<Surface>,
    /// Levels that flows may reach.
    pub levels: Vec<(Ahead, usize)>,
    /// Whether some of them are formulas of laws or queues.
    pub formulas: bool,
    /// Whether all of them are about links.
    pub link_surfaces: bool,
    pub work: RefCell<Work>,
    /// Reads of the past that many flows share: for each link the time and the drop probability then.
    pub past_drops: RefCell<Vec<(f64, f64)>>,
    /// What links said to senders at a past moment, for each link.
    pub said: RefCell<Vec<Said>>,
    pub initial: Vec<f64>,
    /// The earliest past times that the present step and the one before it read to know what links let out. They never fall back.
    pub read: Cell<f64>,
    pub read_before: f64,
    /// What happened since the observer last looked, if it wants to know.
    pub events: Option<&'a RefCell<Vec<Event>>>,
    /// Loss events of each flow in the measured time, and when it was complete.
    pub counts: &'a RefCell<Vec<(u64, Option<f64>)>>,
}

/// More delays than this are not tracked: every jump of every flow would come back through each of them, and a step would end
/// there. Error control alone then finds the kinks.
const MOST_LAGS: usize = 8;

impl<'a> System<'a> {
    pub fn new(
        plan: &'a Plan,
        scenario: &'a Scenario,
        room: Room,
        events: Option<&'a RefCell<Vec<Event>>>,
        counts: &'a RefCell<Vec<(u64, Option<f64>)>>,
    ) -> Self {
        let mut system = Self {
            plan,
            scenario,
            live: Live::new(plan, scenario),
            room,
            forecast: Forecast::default(),
            meter: Meter::new(plan, scenario),
            stands: 0.0,
            surfaces: Vec::new(),
            levels: Vec::new(),
            formulas: false,
            link_surfaces: false,
            work: RefCell::default(),
            past_drops: RefCell::new(vec![(f64::NAN, 0.0); plan.links.len()]),
            said: RefCell::new(plan.links.iter().map(|_| Said::nothing()).collect()),
            initial: plan.initial(scenario),
            read: Cell::new(f64::INFINITY),
            read_before: f64::INFINITY,
            events,
            counts,
        };
        let mut x = system.initial.clone();
        for f in 0..plan.flows.len() {
            if scenario.flows[f].start <= 0.0 {
                system.begin(f, &mut x);
            }
        }
        let mut work = system.work.take();
        plan.look(&x, Some(&system.live.modes), None, &mut work.view);
        for (l, link) in plan.links.iter().enumerate() {
            let over = work.view.links[l].entering > link.capacity;
            system.live.modes[l] = match x[link.at] {
                q if q >= link.buffer && over => {
                    // Nothing crosses a surface where a run starts beyond it.
                    if scenario.losses.sync != super::Sync::Natural {
                        system.live.links[l].again = 0.0;
                    }
                    Mode::Full
                }
                q if q > 0.0 || (over && link.buffer > 0.0) => {
                    let arrival = work.view.links[l].arrival;
                    Mode::Filling(link.side(link.own(&x), q, arrival))
                }
                _ => Mode::Empty,
            };
        }
        if scenario.losses.process == Process::MeanField {
            plan.look(&x, Some(&system.live.modes), None, &mut work.view);
            system.leave_slow_start_beyond(&mut x, &work.view);
        }
        system.live.sort_out();
        system.list_surfaces(&x, &mut work);
        system.formulas = system.surfaces.iter().any(|surface| {
            matches!(
                surface,
                Surface::Discipline(_) | Surface::Law(_) | Surface::Threshold(_)
            )
        });
        system.link_surfaces = system.surfaces.iter().all(|surface| {
            matches!(
                surface,
                Surface::Capacity(_) | Surface::Emptied(_) | Surface::Filled(_)
            )
        });
        system.work = RefCell::new(work);
        system.initial = x;
        system
    }

    /// Puts flow `f` into its first state.
    pub fn begin(&mut self, f: usize, x: &mut [f64]) {
        let (plan, flow) = (self.plan, &self.scenario.flows[f]);
        self.live.flows[f].begin(flow);
        plan.begin(&plan.flows[f], flow.begin, x);
        if let Some(rate) = flow.sender.rate_at(flow.start) {
            x[plan.flows[f].at] = rate;
        }
        let window = plan.flows[f].at;
        let cap = flow.receive_window.unwrap_or(f64::INFINITY);
        // A window that starts beyond the receiver's never crosses it.
        x[window] = x[window].min(cap);
        if let (Begin::SlowStart(_), Some(law)) = (flow.begin, &plan.flows[f].law) {
            let at = &plan.flows[f];
            let mut seen = crate::model::Feedback::quiet(plan.rtt(at, x));
            seen.base_rtt = at.base_rtt;
            if law.slow_start_ends(&x[at.at..at.at + at.places], &seen) >= 0.0 {
                self.live.flows[f].phase = Phase::Growing;
            }
        }
        if let (Begin::AfterLoss(_), Some(law)) = (flow.begin, &plan.flows[f].law) {
            let at = &plan.flows[f];
            let seen = plan.beginning(at, x[at.at], x);
            law.decrease(&mut x[at.at..at.at + at.places], &seen, Why::Loss);
        }
        let live = &mut self.live.flows[f];
        live.capped = x[window] >= cap;
        if live.capped
            && live.phase == Phase::SlowStart
            && self.scenario.losses.process == Process::MeanField
        {
            live.phase = Phase::Growing;
        }
        live.floored = x[window] <= plan.flows[f].floor;
    }

    /// The longest step that cannot overlook a formula of a law. A law whose growth is the same before and after a slow stretch
    /// (BIC far below and far above its target) looks smooth to a step that is longer than the stretch, so a step of
    /// a run with such laws is at most one round trip: they count their growth in rounds.
    pub fn longest_step(&self) -> f64 {
        self.surfaces
            .iter()
            .filter_map(|surface| match surface {
                Surface::Law(f) => Some(self.plan.flows[*f].still),
                _ => None,
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// A window stands still: its law only measures.
    fn stand(&self, f: usize, x: &[f64], view: &View, own: &mut [f64]) {
        let flow = &self.plan.flows[f];
        if flow.places == 1 {
            // A law that remembers nothing has nothing to measure.
            own[0] = 0.0;
            return;
        }
        own.fill(0.0);
        if let Some(law) = &flow.law
            && self.live.flows[f].has_begun()
        {
            let states = &x[flow.at..flow.at + flow.places];
            law.measure(states, &self.plan.feedback(f, x, view), own);
        }
    }

    fn links(&self, x: &[f64], view: &View, dx: &mut [f64]) {
        let links = self.plan.links.iter().zip(&view.links);
        for (l, (link, at)) in links.enumerate() {
            dx[link.at] = if self.live.modes[l].fills() {
                at.entering - link.capacity
            } else {
                0.0
            };
            if link.own > 0 {
                let own = link.at + 1..link.at + 1 + link.own;
                let mut seen = self.plan.seen_by(l, x, view);
                seen.queue = link.on_its_side(link.own(x), seen.queue, self.live.modes[l]);
                link.queue.evolve(&x[own.clone()], &seen, &mut dx[own]);
            }
            if let Some(counters) = link.counters {
                dx[counters..counters + 3].copy_from_slice(&at.counts());
            }
        }
    }
}

impl Problem for System<'_> {
    fn dimension(&self) -> usize {
        self.plan.dimension
    }

    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        let mut work = self.work.borrow_mut();
        let Work { view, block, .. } = &mut *work;
        let (plan, losses) = (self.plan, &self.scenario.losses);
        let past = Some((t, history));
        plan.look(x, Some(&self.live.modes), past, view);
        if plan.reaches > 0 {
            self.read.set(self.read.get().min(view.passages.oldest));
        }
        self.forget_said();
        self.links(x, view, dx);
        let mean_field = losses.process == Process::MeanField;
        if mean_field {
            self.past_drops.borrow_mut().fill((f64::NAN, 0.0));
        }
        for group in &plan.groups {
            let own = &mut dx[group.blocks.clone()];
            let states = &x[group.blocks.clone()];
            match &group.law {
                None => own.fill(0.0),
                Some(law) if group.listens => {
                    for f in group.flows.clone() {
                        let flow = &plan.flows[f];
                        let place = flow.at - group.blocks.start;
                        let block = place..place + flow.places;
                        if !self.live.flows[f].has_begun() {
                            // Among the irregular ones below.
                            continue;
                        }
                        let seen = self.feedback(f, x, view, past);
                        law.increase(&states[block.clone()], &seen, &mut own[block]);
                    }
                }
                Some(law) if group.whole => {
                    law.increase_all(states, &plan.sights(group, view), own);
                }
                Some(law) => law.increase(states, &plan.feedback(group.flows.start, x, view), own),
            }
        }
        for &f in &self.live.irregular {
            let (flow, live) = (&plan.flows[f], &self.live.flows[f]);
            let own = &mut dx[flow.at..flow.at + flow.places];
            if let Some(law) = &flow.law
                && (live.held || live.side != Side::Free)
            {
                let seen = self.feedback(f, x, view, past);
                let states = &x[flow.at..flow.at + flow.places];
                if live.held {
                    let rate = plan.rtt_rate(flow, &self.live.modes, view);
                    law.held(states, &seen, rate, own);
                } else {
                    law.increase_beside(live.side, states, &seen, own);
                }
            }
            if live.phase == Phase::Growing {
                continue;
            }
            self.stand(f, x, view, own);
            if live.phase == Phase::SlowStart && !live.capped {
                own[0] = opening(flow.law.as_deref()) * view.rate[f];
            }
        }
        if mean_field {
            self.stream(t, x, history, view, block, dx);
        }
        // Whether a window stands at a limit is up to all that moves it, a stream of losses included.
        for &f in &self.live.irregular {
            let (flow, live) = (&plan.flows[f], &self.live.flows[f]);
            let own = &mut dx[flow.at..flow.at + flow.places];
            let stands = (live.capped && own[0] > 0.0) || (live.floored && own[0] < 0.0);
            if live.phase == Phase::Growing && stands {
                self.stand(f, x, view, own);
            }
        }
        if plan.reaches > 0 {
            for (f, flow) in plan.flows.iter().enumerate() {
                if let Some(counters) = flow.counters {
                    dx[counters] = plan.loss_rate(f, x, view, false);
                    dx[counters + 1] = plan.delivered(f, x, view);
                }
            }
        }
        if plan.periodic() {
            let first = plan.sent(&plan.flows[0]);
            dx[first..first + plan.flows.len()].copy_from_slice(&view.rate);
        }
        if plan.counts_kept() {
            for (f, flow) in plan.flows.iter().enumerate() {
                // What meets a link later is lost then, and may be more than is sent now.
                dx[plan.kept(flow)] = view.rate[f] - plan.loss_rate(f, x, view, false);
            }
        }
    }

    fn longest_delay(&self, t: f64, x: &[f64]) -> f64 {
        let plan = self.plan;
        let mut longest = plan.longest_forward.max(plan.longest_carried);
        let losses = &self.scenario.losses;
        if losses.process == Process::MeanField && losses.reaction != super::Lapse::NONE {
            for flow in &plan.flows {
                let there = plan.most_wait(flow, &flow.hops, x);
                let rtt = flow.still + there + plan.most_wait(flow, &flow.back, x);
                // What others sent to where this flow's packets were lost.
                let sent = losses.reaction.of(rtt).max(plan.longest_forward);
                longest = longest.max(sent + plan.longest_forward);
            }
        }
        let read = self.read.get().min(self.read_before);
        if read < f64::INFINITY {
            // A search for when a packet came in may read before that.
            longest = longest.max(2.0 * (t - read));
        }
        if plan.reaches > 0 {
            let waits = plan.flows.iter().map(|flow| match flow.hops.as_slice() {
                [before @ .., last] => last.forward + plan.most_wait(flow, before, x),
                [] => 0.0,
            });
            longest += waits.fold(0.0, f64::max) * (1.0 + 1e-5);
        }
        for flow in &plan.flows {
            if flow.listens && !flow.back.is_empty() {
                // What was said to this flow, about what others had sent before.
                let trip = flow.still + plan.most_wait(flow, &flow.back, x);
                longest = longest.max(trip + plan.longest_forward);
            }
        }
        longest
    }

    fn initial(&self, _t: f64, x: &mut [f64]) {
        x.copy_from_slice(&self.initial);
    }

    fn lags(&self) -> Vec<Lag> {
        let plan = self.plan;
        let forward = plan.forward_lags();
        let sized = self.scenario.flows.iter().any(|flow| flow.size.is_some());
        let mut lags: Vec<Lag> = if forward.len() > MOST_LAGS && sized {
            // A short transfer may be over before a step looks at the link that it comes to: one delay for all that share it.
            let mut delays: Vec<f64> = forward.into_iter().map(|(delay, ..)| delay).collect();
            distinct(&mut delays);
            delays.into_iter().map(Lag::constant).collect()
        } else {
            (forward.into_iter())
                .map(|(delay, reads, drives)| {
                    Lag::constant(delay).reads(reads).drives(drives..drives + 1)
                })
                .collect()
        };
        lags.extend(plan.carried_lags().into_iter().map(Lag::constant));
        let losses = &self.scenario.losses;
        let fixed = losses.reaction.rounds == 0.0 && losses.reaction.seconds > 0.0;
        if losses.process == Process::MeanField && fixed {
            lags.extend(
                plan.loss_lags(losses.reaction.seconds)
                    .into_iter()
                    .map(Lag::constant),
            );
        }
        // Transfers begin and end all the time, each a small part of the whole.
        if lags.len() > MOST_LAGS || !self.room.sizes.is_empty() {
            lags.clear();
        }
        lags
    }

    fn events(&self) -> Vec<Direction> {
        self.surfaces
            .iter()
            .map(|surface| match surface {
                Surface::Capacity(_) | Surface::Discipline(_) | Surface::Law(_) => Direction::Both,
                Surface::Emptied(_) | Surface::Floor(_) | Surface::Uncapped(_) => {
                    Direction::Falling
                }
                _ => Direction::Rising,
            })
            .collect()
    }

    fn surfaces(&self, t: f64, x: &[f64], history: &History<'_>, g: &mut [f64]) {
        self.heights(t, x, history, g);
    }

    fn looks_at(&self) -> Range<usize> {
        let plan = self.plan;
        match plan.links.first() {
            Some(link) if self.only_queues() => link.at..plan.dimension,
            _ => 0..plan.dimension,
        }
    }

    fn scheduled(&self) -> Vec<(f64, usize)> {
        self.agenda()
    }

    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        let effect = match cause {
            Cause::Event(number) => self.happened(number, now),
            Cause::Scheduled(tag) => self.due(tag, now),
            Cause::Foreseen(tag) => {
                let (kind, flow) = Ahead::read(tag);
                self.foreseen(kind, flow, now)
            }
        };
        if effect == Effect::Switch {
            let mean_field = self.scenario.losses.process == Process::MeanField;
            if mean_field && self.live.flows.iter().any(LiveFlow::is_slow) {
                let mut work = self.work.take();
                let history = now.history();
                let past = Some((now.t, &history));
                self.plan
                    .look(now.x, Some(&self.live.modes), past, &mut work.view);
                self.leave_slow_start_beyond(now.x, &work.view);
                self.work = RefCell::new(work);
            }
            self.take_sides(now);
            self.live.sort_out();
        }
        effect
    }

    fn foresee(&mut self, step: &Piece<'_>, ahead: &mut Foreseen<'_>) {
        self.read_before = self.read.replace(f64::INFINITY);
        self.forecast.search(self.plan, &self.live, step, ahead);
        self.find_levels(step, ahead);
    }

    fn passed(&mut self, piece: &Piece<'_>) {
        self.forecast.settle(self.plan, &mut self.live, piece);
        self.meter.add(piece, &mut self.forecast);
        self.stands = piece.to();
    }
}

/// What slow start adds to the window for a packet acknowledged, on the average of a round trip that it makes 1 + 1/b times as large: b is the
/// packets that an acknowledgement stands for.
fn opening(law: Option<&dyn WindowLaw>) -> f64 {
    let every = law.map_or(1.0, WindowLaw::ack_every);
    if every == 1.0 {
        LN_2
    } else {
        every.recip().ln_1p()
    }
}
