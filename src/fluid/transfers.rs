//! Transfers that come one after the other to a few places.
//!
//! A flow that waits or is over is integrated like one that sends. With a flow for each of many short transfers nearly all of them wait or are
//! over at any time; here a transfer begins in the first place that is free, and leaves it free again when it is over and
//! nothing of it is under way any more.

use super::observe::What;
use super::run::run;
use super::scenario::{Flow, Scenario};
use super::system::System;
use super::{Lapse, Summary};
use crate::error::{Error, Result};
use crate::numeric::dde::{Effect, Now};

/// Transfers of one law on one path.
#[derive(Debug, Clone)]
pub struct Transfers {
    /// What each is like; its start, stop and size say nothing.
    pub like: Flow,
    /// When each begins (seconds, ascending) and its packets.
    pub sizes: Vec<(f64, f64)>,
}

/// Places beyond which a run is refused.
const MOST_PLACES: usize = 100_000;

impl Transfers {
    /// Runs a scenario with these transfers besides its own flows, in as many places as it takes: the smallest of 64, 128, 256, ... that
    /// is enough. In the summary each place follows the scenario's flows as one flow.
    ///
    /// # Errors
    /// Those of [`simulate`](super::simulate); [`Error::OutOfRange`] for a start or size that cannot be; [`Error::NoAnswer`] if more than
    /// 100 000 places would be needed.
    pub fn simulate(&self, scenario: &Scenario) -> Result<Summary> {
        let duration = scenario.run.duration;
        for &(start, size) in &self.sizes {
            if !((0.0..duration).contains(&start) && size > 0.0 && size.is_finite()) {
                return Err(Error::out_of_range(
                    "a transfer",
                    format!("{size} packets at {start} s"),
                    "more than 0 packets, at 0 s or later and before the end of the run",
                ));
            }
        }
        let like = Flow {
            start: 0.0,
            stop: None,
            size: Some(1.0),
            ..self.like.clone()
        };
        scenario.check()?;
        scenario.check_flow(&like)?;
        let waiting = Flow {
            start: f64::INFINITY,
            ..like
        };
        let own = scenario.flows.len();
        let mut places = 64;
        loop {
            let mut full = scenario.clone();
            full.flows
                .extend(std::iter::repeat_n(waiting.clone(), places));
            let room = Room {
                first: own,
                free_from: vec![f64::NEG_INFINITY; places],
                sizes: self.sizes.clone(),
                short: false,
            };
            // A run that stops for want of places is made again with more.
            if let Some(summary) = run(&full, room, &mut ())? {
                return Ok(summary);
            }
            places *= 2;
            if places > MOST_PLACES {
                return Err(Error::NoAnswer(format!(
                    "more than {MOST_PLACES} transfers at once"
                )));
            }
        }
    }
}

/// The places of a run for transfers, and what comes to them.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The first place among the flows.
    pub first: usize,
    /// When each is free.
    pub free_from: Vec<f64>,
    pub sizes: Vec<(f64, f64)>,
    /// Whether one found no place.
    pub short: bool,
}

impl System<'_> {
    /// Transfer `number` begins.
    pub(super) fn arrive(&mut self, number: usize, now: &mut Now<'_>) -> Effect {
        let room = &mut self.room;
        let free = room.free_from.iter().position(|from| *from <= now.t);
        let (Some(place), Some(&(_, size))) = (free, room.sizes.get(number)) else {
            room.short = true;
            return Effect::Stop;
        };
        room.free_from[place] = f64::INFINITY;
        let f = room.first + place;
        self.live.renew(f, size, now.t);
        let flow = &self.plan.flows[f];
        now.x[self.plan.kept(flow)] = 0.0;
        if self.plan.periodic() {
            now.x[self.plan.sent(flow)] = 0.0;
        }
        self.begin(f, now.x);
        let window = now.x[self.plan.flows[f].at];
        self.note(now.t, What::Start, f, 0.0, window);
        self.come_back(f, now);
        Effect::Switch
    }

    /// Flow `f` is over: if it was in a place for transfers, that is free when no packet, answer or reaction is under way any more.
    pub(super) fn leave(&mut self, f: usize, now: &Now<'_>) {
        let Some(place) = f.checked_sub(self.room.first) else {
            return;
        };
        let (plan, losses) = (self.plan, &self.scenario.losses);
        let flow = &plan.flows[f];
        let wait = |hops| plan.most_wait(flow, hops, now.x);
        let longest = flow.still + wait(&flow.hops) + wait(&flow.back);
        let of = |lapse: Lapse| lapse.of(longest);
        let rest = of(losses.reaction).max(of(losses.refractory)).max(longest);
        if let Some(free) = self.room.free_from.get_mut(place) {
            *free = now.t + rest.max(of(losses.recovery));
        }
    }
}
