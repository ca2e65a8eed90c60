//! A run: a scenario in, a summary out.

use super::meter::Summary;
use super::observe::{Event, Observer, Sample};
use super::plan::Plan;
use super::scenario::{Run, Scenario, Sender};
use super::system::System;
use super::transfers::Room;
use super::view::View;
use crate::error::{Error, Result};
use crate::numeric::dde::{self, Interpolant, Options, Step, solve};
use std::cell::RefCell;

/// What a step may be off, as a part of the tolerance of the run: errors of single steps add up, and an event passes on those
/// of the steps before it.
const LOCAL: f64 = 0.01;

/// Runs a scenario; `observer` may watch it.
///
/// # Errors
/// Those of [`Scenario::check`]; [`Error::Numeric`] if the integration fails or exhausts its budget of steps.
///
/// ```
/// use cwnd::{algorithms::Selected, fluid::{Flow, Losses, Run, Scenario, Process, simulate}};
/// let reno = Selected::parse("reno")?;
/// let law = reno.law()?;
/// let summary = simulate(&Scenario {
///     links: vec![],
///     flows: vec![Flow::new("reno", law.into(), vec![], 0.1)],
///     losses: Losses { rate: 1e-4, process: Process::Periodic, ..Losses::default() },
///     run: Run { duration: 1000.0, measure_from: 200.0, ..Run::default() },
/// }, &mut ())?;
/// // sqrt(3/2)/sqrt(p) with an immediate reaction; one round trip later the window stands a little higher.
/// assert!((summary.flows[0].window.unwrap() / 122.47 - 1.0).abs() < 0.02);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn simulate(scenario: &Scenario, observer: &mut dyn Observer) -> Result<Summary> {
    scenario.check()?;
    let room = Room {
        first: usize::MAX,
        ..Room::default()
    };
    let summary = run(scenario, room, observer)?;
    summary.ok_or_else(|| Error::NoAnswer("the run was stopped".into()))
}

/// Runs a scenario that has been checked, with room for transfers; `None` if the room does not do.
pub(super) fn run(
    scenario: &Scenario,
    room: Room,
    observer: &mut dyn Observer,
) -> Result<Option<Summary>> {
    let plan = Plan::new(scenario)?;
    let events = RefCell::new(Vec::new());
    let counts = RefCell::new(vec![(0, None); plan.flows.len()]);
    let wanted = observer.wants_events().then_some(&events);
    let mut system = System::new(&plan, scenario, room, wanted, &counts);
    let mut before = plan.initial(scenario);
    for (place, flow) in plan.flows.iter().zip(&scenario.flows) {
        if flow.start < 0.0 {
            plan.begin(place, flow.begin, &mut before);
            if let Some(rate) = flow.sender.rate_at(flow.start) {
                before[place.at] = rate;
            }
        }
    }
    let past = |place: usize, _t: f64| before[place];
    let mut watcher = Watcher::new(&plan, &events, observer);
    let run = &scenario.run;
    let local = LOCAL * run.tolerance;
    let options = Options {
        budget: run.budget,
        longest_step: system.longest_step(),
        interpolant: if plan.reads_past(scenario.losses.reaction) {
            Interpolant::Fifth
        } else {
            Interpolant::FifthAtEvents
        },
        ..Options::new(local, plan.scaled(local))
    };
    let solution = solve(&mut system, &past, (0.0, run.duration), &options, |step| {
        watcher.look(*step);
    });
    for flow in &scenario.flows {
        if let Sender::Law(law) = &flow.sender
            && let Some(why) = law.fault(solution.is_ok())
        {
            return Err(Error::NoAnswer(why));
        }
    }
    let solution = solution.map_err(|error| failure(&error, run))?;
    watcher.drain();
    let counts = counts.borrow();
    if system.room.short {
        return Ok(None);
    }
    let summary = system.meter.summary(&counts, solution.cost.accepted);
    if summary.flows.iter().any(|flow| !flow.rate.is_finite()) {
        return Err(Error::Numeric {
            method: "the fluid integrator",
            detail: "windows grew beyond all numbers".into(),
        });
    }
    Ok(Some(summary))
}

/// What went wrong, for people.
fn failure(error: &dde::Error, run: &Run) -> Error {
    let duration = run.duration;
    let detail = match error {
        dde::Error::StepBudget { t, steps } if *steps < run.budget => format!(
            "after {steps} steps the run was at {t} s of {duration} s: at this pace its budget of {} steps ends long before; raise `budget`, or run for less time or at a coarser tolerance",
            run.budget
        ),
        dde::Error::StepBudget { t, steps } => format!(
            "the budget of {steps} steps was used up at {t} s of {duration} s: raise `budget`, or run for less time or at a coarser tolerance"
        ),
        dde::Error::StepTooSmall { .. } => {
            format!("{error}: try a coarser `tolerance`")
        }
        other => other.to_string(),
    };
    Error::Numeric {
        method: "the fluid integrator",
        detail,
    }
}

/// Hands samples and events on.
struct Watcher<'a> {
    plan: &'a Plan,
    events: &'a RefCell<Vec<Event>>,
    observer: &'a mut dyn Observer,
    every: Option<f64>,
    next: u64,
    x: Vec<f64>,
    view: View,
    windows: Vec<f64>,
    queues: Vec<f64>,
    steps: u64,
}

impl<'a> Watcher<'a> {
    fn new(
        plan: &'a Plan,
        events: &'a RefCell<Vec<Event>>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let every = observer.every().filter(|every| *every > 0.0);
        Self {
            plan,
            events,
            every,
            observer,
            next: 0,
            x: vec![0.0; plan.dimension],
            view: View::default(),
            windows: vec![0.0; plan.flows.len()],
            queues: vec![0.0; plan.links.len()],
            steps: 0,
        }
    }

    fn look(&mut self, step: Step<'_>) {
        self.steps += 1;
        if self.steps.is_multiple_of(1024) {
            self.observer.progress(step.end());
        }
        if let Some(every) = self.every {
            loop {
                let time = self.next as f64 * every;
                if time > step.end() {
                    break;
                }
                step.fill(0, time.max(step.start()), &mut self.x);
                self.plan.look(&self.x, None, None, &mut self.view);
                for ((window, flow), (rtt, rate)) in self
                    .windows
                    .iter_mut()
                    .zip(&self.plan.flows)
                    .zip(self.view.rtt.iter().zip(&self.view.rate))
                {
                    *window = if flow.law.is_some() {
                        self.x[flow.at]
                    } else {
                        rate * rtt
                    };
                }
                for (queue, link) in self.queues.iter_mut().zip(&self.plan.links) {
                    *queue = self.x[link.at].max(0.0);
                }
                self.observer.sample(&Sample {
                    time,
                    windows: &self.windows,
                    rates: &self.view.rate,
                    queues: &self.queues,
                });
                self.next += 1;
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        for event in self.events.borrow_mut().drain(..) {
            self.observer.event(&event);
        }
    }
}

impl Sender {
    /// Whether it has a window.
    #[must_use]
    pub fn has_window(&self) -> bool {
        matches!(self, Self::Law(_))
    }
}
