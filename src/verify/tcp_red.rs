//! TCP with RED, the model of Misra, Gong and Towsley (SIGCOMM 2000) with Hollot's constant delay: as a bare delay system, and
//! through the integrator's rooms.

use super::{Check, Tolerance, law};
use crate::error::{Error, Result};
use crate::fluid::{
    Begin, FINEST, Flow, Lapse, Losses, Observer, Process, Run, Sample, Scenario, simulate,
};
use crate::network::{Link, Red};
use crate::numeric::dde::{History, Lag, Options, Problem, solve};
use std::sync::Arc;

const FLOWS: usize = 60;
const CAPACITY: f64 = 3750.0;
const PROPAGATION: f64 = 0.2;
const DELAY: f64 = 0.246;
const AVERAGING: f64 = 0.5;
const MIN: f64 = 132.0;

/// W' = 1/R(q) − W·W(t−R0)/(2R(q(t−R0)))·L·(x(t−R0) − min), q' = N·W/R(q) − C, x' = K(q − x), with nothing clamped.
struct Bare {
    slope: f64,
}

fn rtt(q: f64) -> f64 {
    PROPAGATION + q / CAPACITY
}

impl Problem for Bare {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        let mut then = [0.0; 3];
        history.fill(0, t - DELAY, &mut then);
        let [w, q, average] = then;
        let p = self.slope * (average - MIN);
        dx[0] = 1.0 / rtt(x[1]) - x[0] * w / (2.0 * rtt(q)) * p;
        dx[1] = FLOWS as f64 * x[0] / rtt(x[1]) - CAPACITY;
        dx[2] = AVERAGING * (x[1] - x[2]);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        DELAY
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::constant(DELAY)]
    }
}

fn bare(slope: f64, past: [f64; 3], until: f64) -> Result<Vec<f64>> {
    // Absolute, so that every component is held to it, the queue of hundreds of packets too.
    let options = Options::new(0.0, 1e-11);
    solve(
        &mut Bare { slope },
        &|i, _| past[i],
        (0.0, until),
        &options,
        |_| {},
    )
    .map(|solution| solution.x)
    .map_err(|error| Error::Numeric {
        method: "the delay solver",
        detail: error.to_string(),
    })
}

/// Window and queue at one time.
struct At {
    time: f64,
    seen: Option<(f64, f64)>,
}

impl Observer for At {
    fn every(&self) -> Option<f64> {
        Some(self.time)
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        if sample.time > 0.0 {
            self.seen = Some((sample.windows[0], sample.queues[0]));
        }
    }
}

/// The same through links, queues and flows: window and queue at `until`.
fn rooms(slope: f64, window: f64, queue: f64, until: f64) -> Result<(f64, f64)> {
    let law = Arc::from(law("reno")?);
    let red = Red {
        min: MIN,
        max: MIN + 0.5 / slope,
        max_p: 0.5,
        weight: -(-AVERAGING / CAPACITY).exp_m1(),
        gentle: true,
        carried: false,
    };
    let scenario = Scenario {
        links: vec![Link {
            name: "link".into(),
            capacity: CAPACITY,
            buffer: f64::INFINITY,
            delay: 0.0,
            initial_queue: queue,
            queue: Arc::new(red),
        }],
        flows: (0..FLOWS)
            .map(|_| Flow {
                start: f64::NEG_INFINITY,
                begin: Begin::Growing(window),
                ..Flow::new("reno", Arc::clone(&law), vec![0], PROPAGATION)
            })
            .collect(),
        losses: Losses {
            process: Process::MeanField,
            reaction: Lapse::seconds(DELAY),
            ..Losses::default()
        },
        run: Run {
            duration: until,
            tolerance: FINEST,
            ..Run::default()
        },
    };
    let mut at = At {
        time: until,
        seen: None,
    };
    simulate(&scenario, &mut at)?;
    at.seen
        .ok_or_else(|| Error::NoAnswer("no sample at the end".into()))
}

pub(super) fn tcp_red() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let end = bare(1.86e-4, [10.0, 150.0, 150.0], 100.0);
    for (place, name, expected) in [
        (0, "W", 20.848_511_180),
        (1, "q", 374.631_759_575),
        (2, "x", 132.356_658_769),
    ] {
        checks.push(Check::new(
            "tcp-red",
            format!("bare, L = 1.86e-4, {name}(100 s)"),
            expected,
            "independent calculation",
            end.clone().map(|x| x[place]),
            Tolerance::Absolute(1e-9),
            "nine decimals are given",
        ));
    }
    // Damped, and far from an empty queue and from min, so that nothing is projected or clamped.
    let reason = "the same equations, integrated twice with local tolerances of 1e-11 and 1e-12";
    for time in [2.0, 5.0, 10.0, 20.0, 40.0] {
        let alone = bare(1e-4, [17.0, 215.0, 215.0], time)?;
        let whole = rooms(1e-4, 17.0, 215.0, time);
        let got = [whole.clone().map(|(w, _)| w), whole.map(|(_, q)| q)];
        for ((name, expected), got) in [("W", alone[0]), ("q", alone[1])].into_iter().zip(got) {
            checks.push(Check::new(
                "tcp-red",
                format!("rooms against bare, L = 1e-4, {name}({time} s)"),
                expected,
                "bare delay system",
                got,
                Tolerance::Relative(1e-9),
                reason,
            ));
        }
    }
    checks.push(Check::new(
        "tcp-red",
        "rooms, L = 1.86e-4, queue never negative, no drops below min: W(100 s)".into(),
        12.79,
        "independent calculation with q >= 0 and p >= 0",
        rooms(1.86e-4, 10.0, 150.0, 100.0).map(|(w, _)| w),
        Tolerance::Absolute(5e-3),
        "two decimals are given",
    ));
    Ok(checks)
}
