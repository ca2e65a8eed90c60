//! Runs of the integrator for tests.
#![allow(dead_code)]

use cwnd::algorithms::Selected;
use cwnd::fluid::{
    Begin, Event, Flow, Lapse, Losses, Observer, Run, Sample, Scenario, Summary, What, simulate,
};
use cwnd::model::WindowLaw;
use cwnd::network::{DropTail, Link};
use std::sync::Arc;

pub fn law(spec: &str) -> Arc<dyn WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap().into()
}

pub fn link(capacity: f64, buffer: f64) -> Link {
    Link {
        name: "link".into(),
        capacity,
        buffer,
        delay: 0.0,
        initial_queue: 0.0,
        queue: Arc::new(DropTail),
    }
}

/// Flows of these laws with these round trips at one link, in congestion avoidance.
pub fn at_link(link: Link, flows: &[(&str, f64)], losses: Losses, run: Run) -> Scenario {
    Scenario {
        links: vec![link],
        flows: flows
            .iter()
            .map(|(spec, rtt)| Flow {
                begin: Begin::Growing(10.0),
                ..Flow::new(*spec, law(spec), vec![0], *rtt)
            })
            .collect(),
        losses,
        run,
    }
}

pub fn until(duration: f64) -> Run {
    Run {
        duration,
        ..Run::default()
    }
}

pub fn run(scenario: &Scenario) -> Summary {
    simulate(scenario, &mut ()).unwrap()
}

/// Keeps everything.
#[derive(Default)]
pub struct Tape {
    pub every: Option<f64>,
    pub samples: Vec<(f64, Vec<f64>, Vec<f64>)>,
    pub events: Vec<Event>,
}

impl Observer for Tape {
    fn every(&self) -> Option<f64> {
        self.every
    }
    fn wants_events(&self) -> bool {
        true
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        self.samples
            .push((sample.time, sample.windows.to_vec(), sample.queues.to_vec()));
    }
    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
}

pub fn tape(scenario: &Scenario, every: f64) -> (Summary, Tape) {
    let mut tape = Tape {
        every: Some(every),
        ..Tape::default()
    };
    (simulate(scenario, &mut tape).unwrap(), tape)
}

pub fn of(tape: &Tape, what: What) -> Vec<Event> {
    let events = tape.events.iter();
    events.filter(|event| event.what == what).copied().collect()
}

#[track_caller]
pub fn close(got: f64, want: f64, relative: f64) {
    assert!(
        (got - want).abs() <= relative * want.abs(),
        "{got} is not {want} within {relative:e}"
    );
}

pub fn natural() -> Scenario {
    at_link(
        link(2000.0, 60.0),
        &[
            ("reno", 0.04),
            ("reno", 0.12),
            ("bic", 0.08),
            ("highspeed", 0.05),
        ],
        Losses {
            rate: 1e-4,
            recovery: Lapse::rounds(1.0),
            timeout_below: 4.0,
            ..Losses::default()
        },
        until(60.0),
    )
}
