//! What happens at events: links change their mode, flows start, lose, react, recover and end.

use super::levels::Ahead;
use super::live::Phase;
use super::observe::{Event, What};
use super::plan::Mode;
use super::scenario::{Process, Sender};
use super::surfaces::Surface;
use super::sync::Sync;
use super::system::System;
use super::view::View;
use crate::model::{Cause as Why, Feedback};
use crate::numeric::dde::{Effect, Now};

/// What can be scheduled; a tag is the number of the flow or link times [`KINDS`] plus this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Start,
    Stop,
    React,
    /// Losses count again.
    See,
    /// The window moves again after a recovery.
    Resume,
    /// Sending begins again after a timeout.
    Retransmit,
    /// Losers are taken again if the buffer is still full.
    Again,
    /// Traffic that does not answer changes its rate.
    Change,
    /// A transfer begins in one of the places for them.
    Arrive,
}

const KINDS: usize = 9;

fn tag(task: Task, number: usize) -> usize {
    number * KINDS + task as usize
}

const TASKS: [Task; KINDS] = [
    Task::Start,
    Task::Stop,
    Task::React,
    Task::See,
    Task::Resume,
    Task::Retransmit,
    Task::Again,
    Task::Change,
    Task::Arrive,
];

impl System<'_> {
    /// What is known to happen beforehand.
    pub(super) fn agenda(&self) -> Vec<(f64, usize)> {
        let mut agenda = Vec::new();
        for (l, link) in self.live.links.iter().enumerate() {
            if link.again <= 0.0 {
                agenda.push((0.0, tag(Task::Again, l)));
            }
        }
        for (f, flow) in self.scenario.flows.iter().enumerate() {
            if flow.start > 0.0 && flow.start < f64::INFINITY {
                agenda.push((flow.start, tag(Task::Start, f)));
            }
            if let Some(stop) = flow.stop {
                agenda.push((stop, tag(Task::Stop, f)));
            }
            if let Sender::Changing(steps) = &flow.sender {
                let later = steps.iter().filter(|(from, _)| *from > flow.start.max(0.0));
                agenda.extend(later.map(|(from, _)| (*from, tag(Task::Change, f))));
            }
        }
        let transfers = self.room.sizes.iter().enumerate();
        agenda.extend(transfers.map(|(k, (start, _))| (*start, tag(Task::Arrive, k))));
        agenda
    }

    pub(super) fn note(&self, time: f64, what: What, whose: usize, before: f64, after: f64) {
        if let Some(events) = self.events {
            events.borrow_mut().push(Event {
                time,
                what,
                whose,
                before,
                after,
            });
        }
    }

    /// The round trip of flow `f` now.
    pub(super) fn rtt(&self, f: usize, x: &[f64]) -> f64 {
        self.plan.rtt(&self.plan.flows[f], x)
    }

    pub(super) fn happened(&mut self, number: usize, now: &mut Now<'_>) -> Effect {
        let surface = self.surfaces[number];
        match surface {
            Surface::Law(f) => self.meet_switch(f, number, now),
            Surface::Discipline(l) => self.meet_relay(l, now),
            Surface::Capacity(l) | Surface::Emptied(l) | Surface::Filled(l) => {
                self.link_event(l, surface, now);
            }
            Surface::Threshold(f) => self.leave_slow_start(f, now.x),
            Surface::Floor(f) => {
                let live = &mut self.live.flows[f];
                live.floored = !live.floored;
                if live.floored {
                    now.x[self.plan.flows[f].at] = self.plan.flows[f].floor;
                }
            }
            Surface::Uncapped(f) => self.live.flows[f].capped = false,
        }
        Effect::Switch
    }

    /// What was foreseen happens.
    pub(super) fn foreseen(&mut self, kind: Ahead, f: usize, now: &mut Now<'_>) -> Effect {
        let flow = &self.plan.flows[f];
        match kind {
            Ahead::Drawn => return self.drawn(f, now),
            Ahead::Periodic => {
                // Counted from the loss itself, not from the reaction to it.
                let sent = self.plan.sent(flow);
                now.x[sent] = 0.0;
                self.lose(f, 0.0, now);
            }
            Ahead::Complete => {
                if self.counts.borrow()[f].1.is_none() {
                    self.counts.borrow_mut()[f].1 = Some(now.t);
                }
                self.end(f, now);
            }
            Ahead::Threshold => self.leave_slow_start(f, now.x),
            Ahead::Cap => {
                let stream = self.scenario.losses.process == Process::MeanField;
                if stream && self.live.flows[f].phase == Phase::SlowStart {
                    // Losses come as a stream that slow start does not answer to, and with no event that ends it.
                    self.leave_slow_start(f, now.x);
                }
                let cap = self.scenario.flows[f].receive_window;
                now.x[flow.at] = cap.unwrap_or(now.x[flow.at]);
                self.live.flows[f].capped = true;
            }
        }
        Effect::Switch
    }

    /// A drawn loss of flow `f` happens.
    pub(super) fn drawn(&mut self, f: usize, now: &mut Now<'_>) -> Effect {
        let chances = &self.live.chances;
        if chances.since[f] > self.stands || chances.till[f] < f64::INFINITY {
            // Losses that are reacted to already.
            return Effect::Jump;
        }
        let draw = self.live.flows[f].draw();
        let forward = self.where_lost(f, now);
        let reacted = self.lose(f, forward, now);
        let chances = &mut self.live.chances;
        chances.left[f] = draw;
        if chances.till[f] == f64::INFINITY {
            // Losses still count: what is integrated before this one is taken off where the whole piece is.
            chances.left[f] += self.forecast.between(f, self.stands, now.t);
            if let Some(next) = self.forecast.next(f, now.t, draw) {
                now.foresee(next, Ahead::Drawn.tag(f));
            }
        } else {
            chances.since[f] = f64::INFINITY;
        }
        if reacted {
            Effect::Switch
        } else {
            Effect::Jump
        }
    }

    pub(super) fn due(&mut self, number: usize, now: &mut Now<'_>) -> Effect {
        let (task, who) = (TASKS[number % KINDS], number / KINDS);
        match task {
            Task::Start => {
                self.begin(who, now.x);
                let window = now.x[self.plan.flows[who].at];
                self.note(now.t, What::Start, who, 0.0, window);
                self.come_back(who, now);
            }
            Task::Arrive => return self.arrive(who, now),
            Task::Stop => self.end(who, now),
            Task::Change => {
                let rate = self.scenario.flows[who].sender.rate_at(now.t);
                if let (Phase::Steady, Some(rate)) = (self.live.flows[who].phase, rate) {
                    now.x[self.plan.flows[who].at] = rate;
                }
            }
            Task::React => self.react_to_loss(who, now),
            Task::See => {
                let live = &mut self.live.flows[who];
                if self.live.chances.blind(who) && now.is_due(live.blind_until) {
                    self.live.chances.since[who] = now.t;
                    self.live.chances.till[who] = f64::INFINITY;
                } else {
                    return Effect::Jump;
                }
            }
            Task::Resume => {
                let live = &mut self.live.flows[who];
                // A later reaction may have begun a rest of its own.
                if live.phase == Phase::Recovering && now.is_due(live.rests_until) {
                    live.phase = Phase::Growing;
                } else {
                    return Effect::Jump;
                }
            }
            Task::Retransmit => {
                let live = &mut self.live.flows[who];
                if live.phase == Phase::Silent {
                    live.phase = Phase::SlowStart;
                    live.floored = live.kept <= self.plan.flows[who].floor;
                    now.x[self.plan.flows[who].at] = live.kept;
                    self.come_back(who, now);
                }
            }
            Task::Again => {
                let again = &mut self.live.links[who].again;
                if !now.is_due(*again) {
                    return Effect::Jump;
                }
                // Once: a time that was asked for earlier and comes later is not this one.
                *again = f64::NAN;
                if self.live.modes[who] != Mode::Full {
                    return Effect::Jump;
                }
                // What was due in this instant may have relieved the link already.
                self.settle_link(who, now);
                if self.live.modes[who] == Mode::Full {
                    self.overflow(who, now);
                    self.settle_link(who, now);
                }
            }
        }
        Effect::Switch
    }

    /// A link meets its capacity, runs empty or runs full.
    fn link_event(&mut self, l: usize, surface: Surface, now: &mut Now<'_>) {
        let link = &self.plan.links[l];
        let (at, buffer) = (link.at, link.buffer);
        // A reaction in the same instant may have carried a link back over its surface: then nothing has happened.
        let over = self.excess(l, now);
        let slack = 1e-12 * link.capacity;
        match (surface, self.live.modes[l]) {
            (Surface::Emptied(_), Mode::Filling(_)) => now.x[at] = 0.0,
            (Surface::Filled(_), Mode::Filling(_)) => {
                now.x[at] = buffer;
                self.fill(l, now);
            }
            (Surface::Capacity(_), Mode::Empty) if over >= -slack => {
                if buffer == 0.0 {
                    self.fill(l, now);
                } else {
                    self.live.modes[l] = self.filling(l, now);
                }
            }
            (Surface::Capacity(_), Mode::Held)
                if link.room(link.own(now.x), self.arrival(l, now)) <= slack =>
            {
                self.live.modes[l] = self.filling(l, now);
            }
            (Surface::Capacity(_), Mode::Full) if over <= slack => {
                self.live.modes[l] = if buffer > 0.0 {
                    self.filling(l, now)
                } else {
                    Mode::Empty
                };
            }
            _ => {}
        }
        self.settle_link(l, now);
    }

    /// Packets per second that arrive at link `l` now.
    pub(super) fn arrival(&self, l: usize, now: &Now<'_>) -> f64 {
        self.excess(l, now);
        self.work.borrow().view.links[l].arrival
    }

    /// Packets per second that ask for room on link `l` now beyond its capacity.
    fn excess(&self, l: usize, now: &Now<'_>) -> f64 {
        let mut work = self.work.borrow_mut();
        let history = now.history();
        self.plan.look(
            now.x,
            Some(&self.live.modes),
            Some((now.t, &history)),
            &mut work.view,
        );
        work.view.links[l].entering - self.plan.links[l].capacity
    }

    fn fill(&mut self, l: usize, now: &mut Now<'_>) {
        self.live.modes[l] = Mode::Full;
        let queue = now.x[self.plan.links[l].at];
        self.note(now.t, What::Full, l, queue, queue);
        if self.scenario.losses.sync != Sync::Natural {
            self.overflow(l, now);
        }
    }

    /// Brings the mode of a link into line with what arrives now: reactions in the same instant may have undone what
    /// changed it, and a surface that was disarmed until now does not notice.
    fn settle_link(&mut self, l: usize, now: &Now<'_>) {
        let link = &self.plan.links[l];
        let (over, queue) = (self.excess(l, now), now.x[link.at]);
        // Equality is where a surface is met: what the event said stands.
        let slack = 1e-12 * link.capacity;
        self.live.modes[l] = match self.live.modes[l] {
            Mode::Full if over < -slack && link.buffer > 0.0 => self.filling(l, now),
            Mode::Full if over < -slack => Mode::Empty,
            Mode::Filling(_) if queue <= 0.0 && over < 0.0 => {
                self.note(now.t, What::Empty, l, 0.0, 0.0);
                Mode::Empty
            }
            mode => mode,
        };
    }

    /// A flow ends.
    fn end(&mut self, f: usize, now: &mut Now<'_>) {
        if self.live.flows[f].phase == Phase::Done {
            return;
        }
        self.live.flows[f].phase = Phase::Done;
        let flow = &self.plan.flows[f];
        let before = now.x[flow.at];
        now.x[flow.at..flow.at + flow.places].fill(0.0);
        self.note(now.t, What::End, f, before, 0.0);
        self.leave(f, now);
    }

    /// Slow start ends without a loss: the law takes over at this window.
    fn leave_slow_start(&mut self, f: usize, x: &mut [f64]) {
        self.live.flows[f].phase = Phase::Growing;
        let flow = &self.plan.flows[f];
        if let Some(law) = &flow.law {
            let window = x[flow.at];
            let seen = self.plan.beginning(flow, window, x);
            law.steady(window, &seen, &mut x[flow.at..flow.at + flow.places]);
        }
    }

    /// Flows that begin, or are put, beyond the loss of a packet a round trip, with which a stream of losses ends slow start: they never
    /// cross it. `view` is of the state `x`.
    pub(super) fn leave_slow_start_beyond(&mut self, x: &mut [f64], view: &View) {
        for f in 0..self.plan.flows.len() {
            if self.live.flows[f].is_slow() && self.losses_a_round(f, x, view) >= 1.0 {
                self.leave_slow_start(f, x);
            }
        }
    }

    /// Packets of flow `f` that a round trip of its loses.
    pub(super) fn losses_a_round(&self, f: usize, x: &[f64], view: &View) -> f64 {
        self.plan.loss_rate(f, x, view, true) * view.rtt[f]
    }

    /// Schedules what follows a loss event; whether it has happened at once.
    pub(super) fn schedule_reaction(&mut self, f: usize, delay: f64, now: &mut Now<'_>) -> bool {
        if delay > 0.0 {
            now.schedule(now.t + delay, tag(Task::React, f));
            return false;
        }
        self.react_to_loss(f, now);
        true
    }

    /// Losses of flow `f` belong to the present event until `until`.
    pub(super) fn look_away(&mut self, f: usize, until: f64, now: &mut Now<'_>) {
        let live = &mut self.live.flows[f];
        if until > now.t && until > live.blind_until {
            live.blind_until = until;
            let till = &mut self.live.chances.till[f];
            *till = till.min(now.t);
            now.schedule(until, tag(Task::See, f));
        }
    }

    /// Schedules the next losers of a link that may still be full then.
    pub(super) fn look_again(&mut self, l: usize, at: f64, now: &mut Now<'_>) {
        self.live.links[l].again = at;
        now.schedule(at, tag(Task::Again, l));
    }

    /// What the network tells flow `f` now, and how fast its round trip changes, seconds per second.
    pub(super) fn seen_now(&self, f: usize, now: &Now<'_>) -> (Feedback, f64) {
        let plan = self.plan;
        let flow = &plan.flows[f];
        if flow.hops.is_empty() && flow.back.is_empty() {
            let seen = Feedback {
                base_rtt: flow.base_rtt,
                delivery_rate: now.x[flow.at] / flow.still * (1.0 - plan.added()),
                ..Feedback::quiet(flow.still)
            };
            return (seen, 0.0);
        }
        let mut work = self.work.borrow_mut();
        let history = now.history();
        let past = Some((now.t, &history));
        plan.look(now.x, Some(&self.live.modes), past, &mut work.view);
        self.forget_said();
        (
            self.feedback(f, now.x, &work.view, past),
            plan.rtt_rate(flow, &self.live.modes, &work.view),
        )
    }

    /// The law's decrease, or a timeout.
    fn react_to_loss(&mut self, f: usize, now: &mut Now<'_>) {
        if !self.live.flows[f].reacts() {
            return;
        }
        let plan = self.plan;
        let flow = &plan.flows[f];
        let Some(law) = &flow.law else { return };
        let losses = self.scenario.losses;
        let seen = self.seen_now(f, now).0;
        let block = &mut now.x[flow.at..flow.at + flow.places];
        let before = block[0];
        let floor = losses.floor(&self.scenario.flows[f]);
        let live = &mut self.live.flows[f];
        live.capped = false;
        live.held = false;
        if before < losses.timeout_below {
            // The threshold is what a loss without timeout would have left.
            let mut left = block.to_vec();
            law.decrease(&mut left, &seen, Why::Loss);
            live.threshold = left[0].max(2.0);
            law.decrease(block, &seen, Why::Timeout);
            live.kept = block[0].max(floor);
            let silence = losses.rto.of(seen.rtt);
            if silence > 0.0 {
                block[0] = 0.0;
                live.phase = Phase::Silent;
                now.schedule(now.t + silence, tag(Task::Retransmit, f));
            } else {
                block[0] = live.kept;
                live.phase = Phase::SlowStart;
            }
            let until = now.t + silence;
            self.note(now.t, What::Timeout, f, before, self.live.flows[f].kept);
            self.look_away(f, until, now);
            return;
        }
        law.decrease(block, &seen, Why::Loss);
        block[0] = block[0].max(floor.min(before));
        let after = block[0];
        live.floored = after <= flow.floor;
        live.phase = Phase::Growing;
        let recovery = losses.recovery.of(seen.rtt);
        if recovery > 0.0 {
            let until = now.t + recovery;
            live.phase = Phase::Recovering;
            live.rests_until = until;
            now.schedule(until, tag(Task::Resume, f));
            self.look_away(f, until, now);
        }
        self.note(now.t, What::Reaction, f, before, after);
    }
}
