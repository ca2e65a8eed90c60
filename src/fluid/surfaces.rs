//! The surfaces at which events happen, and how far the state is from each.

use super::levels::Ahead;
use super::live::Phase;
use super::plan::Mode;
use super::scenario::{Begin, Process};
use super::system::{System, Work};
use super::view::View;
use crate::model::Price;
use crate::numeric::dde::History;

/// What reaches zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surface {
    /// Packets that ask for room against the capacity.
    Capacity(usize),
    /// A queue against nothing.
    Emptied(usize),
    /// A queue against the buffer.
    Filled(usize),
    /// A formula of a queue.
    Discipline(usize),
    /// Slow start against the end that its law or a continuous stream of losses sets it.
    Threshold(usize),
    /// The window against the least one, or, while it stands there, against a hair more.
    Floor(usize),
    /// A window that stands at the receiver's, against a hair less.
    Uncapped(usize),
    /// A formula of a law.
    Law(usize),
}

/// Packets beyond its ends at which a queue is taken to have met them. One that leaves an end by rounding alone, and turns, would
/// else begin on the far side and never meet it again.
const SPECK: f64 = 1e-9;

/// How far above the least window, or below the receiver's, a flow stands when it has left it.
const HAIR: f64 = 1e-6;

impl System<'_> {
    /// Lists the surfaces of the run.
    pub(super) fn list_surfaces(&mut self, x: &[f64], work: &mut Work) {
        let (plan, list) = (self.plan, &mut self.surfaces);
        for (l, link) in plan.links.iter().enumerate() {
            list.extend([
                Surface::Capacity(l),
                Surface::Emptied(l),
                Surface::Filled(l),
            ]);
            let own = &x[link.at + 1..link.at + 1 + link.own];
            work.switches.clear();
            let seen = plan.seen_by(l, x, &work.view);
            link.queue.switches(own, &seen, &mut work.switches);
            list.extend(work.switches.iter().map(|_| Surface::Discipline(l)));
        }
        for (f, flow) in plan.flows.iter().enumerate() {
            let given = &self.scenario.flows[f];
            if given.size.is_some() {
                self.levels.push((Ahead::Complete, f));
            }
            let Some(law) = &flow.law else { continue };
            if plan.periodic() {
                self.levels.push((Ahead::Periodic, f));
            }
            let timeouts = self.scenario.losses.timeout_below > 0.0;
            if timeouts {
                self.levels.push((Ahead::Threshold, f));
            }
            let slow = timeouts || matches!(given.begin, Begin::SlowStart(_));
            if slow && (plan.process == Process::MeanField || law.price() != Price::Loss) {
                list.push(Surface::Threshold(f));
            }
            if given.receive_window.is_some() {
                self.levels.push((Ahead::Cap, f));
                list.push(Surface::Uncapped(f));
            }
            if flow.floor > 0.0 {
                list.push(Surface::Floor(f));
            }
            work.switches.clear();
            let block = &x[flow.at..flow.at + flow.places];
            let mut seen = plan.feedback(f, x, &work.view);
            seen.explicit = 0.0;
            law.switches(block, &seen, &mut work.switches);
            list.extend(work.switches.iter().map(|_| Surface::Law(f)));
        }
    }

    /// Whether in the present modes the surfaces are about nothing but queues.
    pub(super) fn only_queues(&self) -> bool {
        let filling = || self.live.modes.iter().all(|mode| mode.fills());
        self.link_surfaces && self.plan.process != Process::MeanField && filling()
    }

    /// How far queues are from the ends of their buffers, where nothing else counts.
    fn queue_heights(&self, x: &[f64], g: &mut [f64]) {
        let (threes, _) = g.as_chunks_mut::<3>();
        for (link, [capacity, emptied, filled]) in self.plan.links.iter().zip(threes) {
            let queue = x[link.at];
            *capacity = f64::NAN;
            *emptied = queue + SPECK;
            *filled = queue - link.buffer - SPECK;
            if link.buffer == f64::INFINITY {
                *filled = f64::NAN;
            }
        }
    }

    /// How far each surface is from being met.
    pub(super) fn heights(&self, t: f64, x: &[f64], history: &History<'_>, g: &mut [f64]) {
        if self.only_queues() {
            self.queue_heights(x, g);
            return;
        }
        let mut work = self.work.borrow_mut();
        let Work { view, switches, .. } = &mut *work;
        let plan = self.plan;
        let mean_field = plan.process == Process::MeanField;
        if self.formulas || mean_field || self.live.modes.iter().any(|mode| !mode.fills()) {
            plan.look(x, Some(&self.live.modes), Some((t, history)), view);
            self.forget_said();
        }
        let mut place = 0;
        while let (Some(surface), Some(slot)) = (self.surfaces.get(place), g.get_mut(place)) {
            *slot = match *surface {
                Surface::Capacity(l) => match self.live.modes[l] {
                    Mode::Filling(_) => f64::NAN,
                    Mode::Held => plan.links[l].room(plan.links[l].own(x), view.links[l].arrival),
                    _ => view.links[l].entering - plan.links[l].capacity,
                },
                Surface::Emptied(l) => match self.live.modes[l] {
                    Mode::Filling(_) => x[plan.links[l].at] + SPECK,
                    _ => f64::NAN,
                },
                Surface::Filled(l) => match self.live.modes[l] {
                    Mode::Filling(_) if plan.links[l].buffer.is_finite() => {
                        x[plan.links[l].at] - plan.links[l].buffer - SPECK
                    }
                    _ => f64::NAN,
                },
                Surface::Threshold(f) => match self.live.flows[f].phase {
                    Phase::SlowStart if mean_field => self.losses_a_round(f, x, view) - 1.0,
                    Phase::SlowStart => {
                        let flow = &plan.flows[f];
                        let block = &x[flow.at..flow.at + flow.places];
                        let ends = flow.law.as_ref().map_or(f64::NEG_INFINITY, |law| {
                            law.slow_start_ends(block, &plan.feedback(f, x, view))
                        });
                        if ends.is_finite() { ends } else { f64::NAN }
                    }
                    _ => f64::NAN,
                },
                Surface::Floor(f) => {
                    let (live, flow) = (&self.live.flows[f], &plan.flows[f]);
                    match (live.reacts(), live.floored) {
                        (false, _) => f64::NAN,
                        (_, false) => x[flow.at] - flow.floor,
                        (_, true) => flow.floor * (1.0 + HAIR) - x[flow.at],
                    }
                }
                Surface::Uncapped(f) => {
                    let (live, flow) = (&self.live.flows[f], &self.scenario.flows[f]);
                    let cap = flow.receive_window.filter(|_| live.capped && live.reacts());
                    cap.map_or(f64::NAN, |cap| x[plan.flows[f].at] - cap * (1.0 - HAIR))
                }
                Surface::Discipline(_) | Surface::Law(_) => {
                    place += self.formulas(place, x, view, Some((t, history)), switches, g);
                    continue;
                }
            };
            place += 1;
        }
    }

    /// Writes the switch functions of a law or a queue, which stand together in the list; how many there are.
    fn formulas(
        &self,
        place: usize,
        x: &[f64],
        view: &View,
        past: Option<(f64, &History<'_>)>,
        switches: &mut Vec<f64>,
        g: &mut [f64],
    ) -> usize {
        let surface = self.surfaces[place];
        let plan = self.plan;
        let count = self.surfaces[place..]
            .iter()
            .take_while(|other| **other == surface)
            .count();
        switches.clear();
        match surface {
            // A queue that is held stands on its threshold.
            Surface::Discipline(l) if self.live.modes[l] == Mode::Held => {}
            Surface::Discipline(l) => {
                let link = &plan.links[l];
                let own = &x[link.at + 1..link.at + 1 + link.own];
                link.queue
                    .switches(own, &plan.seen_by(l, x, view), switches);
            }
            Surface::Law(f) if self.live.flows[f].phase == Phase::Growing => {
                let flow = &plan.flows[f];
                if let Some(law) = &flow.law {
                    let block = &x[flow.at..flow.at + flow.places];
                    let seen = self.feedback(f, x, view, past);
                    if self.live.flows[f].held {
                        let rate = plan.rtt_rate(flow, &self.live.modes, view);
                        let mut unused = vec![0.0; flow.places];
                        switches.push(law.held(block, &seen, rate, &mut unused));
                    } else {
                        law.switches(block, &seen, switches);
                    }
                }
            }
            _ => {}
        }
        switches.resize(count, f64::NAN);
        g[place..place + count].copy_from_slice(switches);
        count
    }
}
