//! Easy RED: its regimes by formula and through the integrator, each under its own model of the flows.
//!
//! All flows are equal and losses are a continuous stream, so N flows at a link are one flow at an N-th of it.

use super::closed::form;
use super::{Check, Tolerance, law};
use crate::analysis::threshold_drop::{HalvingPlant, Regime, ThresholdDrop};
use crate::error::{Error, Result};
use crate::fluid::{
    Begin, Flow, Lapse, Losses, Observer, Process, Run, Sample, Scenario, Summary, simulate,
};
use crate::network::{EasyRed, GentleRed, Link, Queue, Red, Situation, parse_queue};
use crate::units::Bytes;
use std::sync::Arc;

const CAPACITY: f64 = 3750.0;
const BASE: f64 = 0.2;
const MIN: f64 = 200.0;
const P: f64 = 0.01;
const SOURCE: &str = "independent calculation";

/// Which packets clock growth, and whether dropped ones enter the queue.
#[derive(Clone, Copy)]
struct Model {
    name: &'static str,
    acknowledged: bool,
    carried: bool,
}

const LOW: Model = Model {
    name: "Low's law, carried load",
    acknowledged: true,
    carried: true,
};
const MISRA: Model = Model {
    name: "Misra, Gong and Towsley's",
    acknowledged: false,
    carried: false,
};
const MISRA_CARRIED: Model = Model {
    name: "Misra, Gong and Towsley's, carried load",
    acknowledged: false,
    carried: true,
};

impl Model {
    fn regime(self, flows: f64, buffer: f64) -> Result<Regime> {
        let flow = if self.acknowledged {
            form("kelly", "")?
        } else {
            form("reno", "mean-field")?
        };
        ThresholdDrop {
            flows,
            capacity: CAPACITY,
            base_rtt: BASE,
            threshold: MIN,
            probability: P,
            buffer,
            carried: self.carried,
        }
        .regime(flow.as_ref())
    }
}

/// The queue over time: share above the threshold, extremes, mean drop probability.
#[derive(Default)]
struct Watch {
    from: f64,
    threshold: f64,
    seen: Vec<f64>,
}

impl Observer for Watch {
    fn every(&self) -> Option<f64> {
        Some(1e-3)
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        if sample.time >= self.from {
            self.seen.push(sample.queues[0]);
        }
    }
}

impl Watch {
    fn duty(&self) -> f64 {
        let above = self.seen.iter().filter(|q| **q >= self.threshold).count();
        above as f64 / self.seen.len() as f64
    }
    fn least(&self) -> f64 {
        self.seen.iter().copied().fold(f64::INFINITY, f64::min)
    }
    fn most(&self) -> f64 {
        self.seen.iter().copied().fold(0.0, f64::max)
    }
    fn mean(&self) -> f64 {
        self.seen.iter().sum::<f64>() / self.seen.len() as f64
    }
}

/// One flow for all: its share of the link, and the queue in its own packets.
fn run(model: Model, flows: f64, buffer: f64, reaction: Lapse) -> Result<(Watch, Summary)> {
    let law = law("reno")?;
    let threshold = MIN / flows;
    let mut watch = Watch {
        from: 200.0,
        threshold,
        ..Watch::default()
    };
    let summary = simulate(
        &Scenario {
            links: vec![Link {
                name: "link".into(),
                capacity: CAPACITY / flows,
                buffer: buffer / flows,
                delay: 0.0,
                initial_queue: 0.0,
                queue: Arc::new(EasyRed {
                    min: threshold,
                    p: P,
                    carried: model.carried,
                }),
            }],
            flows: vec![Flow {
                begin: Begin::Growing(CAPACITY * BASE / flows),
                start: f64::NEG_INFINITY,
                ..Flow::new("reno", law.into(), vec![0], BASE)
            }],
            losses: Losses {
                process: Process::MeanField,
                reaction,
                acknowledged_growth: model.acknowledged,
                least_window: 0.0,
                ..Losses::default()
            },
            run: Run {
                duration: 300.0,
                measure_from: watch.from,
                ..Run::default()
            },
        },
        &mut watch,
    )?;
    for q in &mut watch.seen {
        *q *= flows;
    }
    watch.threshold = MIN;
    Ok((watch, summary))
}

pub(super) fn easy_red() -> Result<Vec<Check>> {
    let mut checks = drop_curves()?;
    let mut push =
        |what: String, expected: f64, source: &'static str, got: Result<f64>, tolerance, reason| {
            checks.push(Check::new(
                "easy-red", what, expected, source, got, tolerance, reason,
            ));
        };
    let queue = |regime: Result<Regime>| match regime? {
        Regime::Constant { queue } => Ok(queue),
        other => Err(Error::NoAnswer(format!("another regime: {other:?}"))),
    };
    // Constant: N = 90.
    for (model, expected) in [(LOW, 503.75), (MISRA, 522.79), (MISRA_CARRIED, 510.06)] {
        push(
            format!("{}, N = 90: queue by formula, packets", model.name),
            expected,
            SOURCE,
            queue(model.regime(90.0, f64::INFINITY)),
            Tolerance::Absolute(5e-3),
            "half a unit of the last digit given",
        );
        push(
            format!("{}, N = 90: queue in the integrator, packets", model.name),
            queue(model.regime(90.0, f64::INFINITY))?,
            "formula",
            run(model, 90.0, f64::INFINITY, Lapse::rounds(1.0)).map(|(watch, _)| watch.mean()),
            Tolerance::Relative(1e-5),
            "an equilibrium, approached for 200 s; tolerance 1e-6 of the run",
        );
    }
    // Chatter: N = 60.
    let chatter = |regime: Result<Regime>| match regime? {
        Regime::Chatter { required, duty } => Ok((required, duty)),
        other => Err(Error::NoAnswer(format!("another regime: {other:?}"))),
    };
    let offered = Model {
        carried: false,
        ..LOW
    };
    push(
        "Low's law, N = 60: drop probability required at the threshold".into(),
        0.00791,
        SOURCE,
        chatter(offered.regime(60.0, f64::INFINITY)).map(|(required, _)| required),
        Tolerance::Absolute(5e-6),
        "half a unit of the last digit given",
    );
    for (model, duty) in [(LOW, 0.752), (MISRA, 0.766)] {
        let (watch, summary) = run(model, 60.0, f64::INFINITY, Lapse::rounds(1.0))?;
        push(
            format!(
                "{}, N = 60: share of the time above the threshold",
                model.name
            ),
            duty,
            SOURCE,
            Ok(watch.duty()),
            Tolerance::Absolute(0.012),
            "0.752 or 0.766 are given, without the model that each belongs to in full",
        );
        push(
            format!(
                "{}, N = 60: integrator steps for 300 s, thousands",
                model.name
            ),
            0.0,
            "cost",
            Ok(summary.steps as f64 * 1e-3),
            Tolerance::Absolute(100.0),
            "some 250 swings through the threshold, a step ending at each crossing: no storm of events",
        );
    }
    let (watch, _) = run(LOW, 60.0, f64::INFINITY, Lapse::rounds(1.0))?;
    for (what, expected, got) in [
        ("least queue, packets", 189.5, watch.least()),
        ("largest queue, packets", 250.9, watch.most()),
        (
            "mean drop probability, thousandths",
            7.54,
            1e3 * P * watch.duty(),
        ),
    ] {
        push(
            format!("Low's law, carried load, N = 60: {what}"),
            expected,
            SOURCE,
            Ok(got),
            Tolerance::Relative(0.02),
            "a run with a fixed step elsewhere",
        );
    }
    // Few flows: the swing empties the queue.
    let (watch, summary) = run(LOW, 10.0, f64::INFINITY, Lapse::rounds(1.0))?;
    push(
        "Low's law, carried load, N = 10: least queue, packets".into(),
        0.0,
        SOURCE,
        Ok(watch.least()),
        Tolerance::Absolute(1e-9),
        "the queue runs empty",
    );
    push(
        "Low's law, carried load, N = 10: utilisation".into(),
        0.969,
        SOURCE,
        Ok(summary.links[0].utilisation),
        Tolerance::Absolute(0.01),
        "a run with a fixed step elsewhere; it does not say over which time",
    );
    limit_cycle(&mut push)?;
    held(&mut push)?;
    tail(&mut push)?;
    Ok(checks)
}

type Push<'a> = &'a mut dyn FnMut(String, f64, &'static str, Result<f64>, Tolerance, &'static str);

/// Half of the time above: N = 47.62, the describing function of a relay.
fn limit_cycle(push: Push<'_>) -> Result<()> {
    let loss = 0.5 * P;
    let window = (2.0 * (1.0 - loss) / loss).sqrt();
    let rtt = BASE + MIN / CAPACITY;
    let flows = 47.62;
    let (omega, amplitude) = HalvingPlant {
        flows,
        rtt,
        window,
        loss,
    }
    .relay_cycle(P)?;
    for (what, expected, got, half) in [
        ("frequency, rad/s", 3.667, omega, 5e-4),
        ("amplitude, packets", 47.5, amplitude, 0.05),
    ] {
        push(
            format!("limit cycle by the describing function, N = 47.62: {what}"),
            expected,
            SOURCE,
            Ok(got),
            Tolerance::Absolute(half),
            "half a unit of the last digit given",
        );
    }
    let (watch, _) = run(LOW, flows, f64::INFINITY, Lapse::rounds(1.0))?;
    push(
        "limit cycle in the integrator, Low's law, carried load, N = 47.62: half of peak to peak, packets".into(),
        43.4,
        SOURCE,
        Ok(0.5 * (watch.most() - watch.least())),
        Tolerance::Relative(0.05),
        "a run with a fixed step elsewhere",
    );
    Ok(())
}

/// With an immediate reaction and dropped packets kept out the threshold attracts: the queue is held on it.
fn held(push: Push<'_>) -> Result<()> {
    let (watch, summary) = run(LOW, 60.0, f64::INFINITY, Lapse::NONE)?;
    for (what, got) in [("least", watch.least()), ("largest", watch.most())] {
        push(
            format!("held on the threshold, N = 60, immediate reaction: {what} queue, packets"),
            MIN,
            "the sliding solution",
            Ok(got),
            Tolerance::Relative(1e-9),
            "the queue stands on the threshold exactly",
        );
    }
    let regime = LOW.regime(60.0, f64::INFINITY)?;
    let Regime::Chatter { required, .. } = regime else {
        return Err(Error::NoAnswer(format!("another regime: {regime:?}")));
    };
    push(
        "held on the threshold, N = 60, immediate reaction: dropped of offered".into(),
        required,
        "drop probability required at the threshold, by formula",
        Ok(summary.links[0].drop_fraction),
        Tolerance::Relative(1e-5),
        "tolerance 1e-6 of the run",
    );
    push(
        "held on the threshold: integrator steps for 300 s".into(),
        0.0,
        "cost",
        Ok(summary.steps as f64),
        Tolerance::Absolute(20_000.0),
        "no chatter: the steps of a smooth solution",
    );
    Ok(())
}

/// A buffer below the constant regime's queue: tail drop on top.
fn tail(push: Push<'_>) -> Result<()> {
    let buffer = 300.0;
    let regime = MISRA_CARRIED.regime(90.0, buffer)?;
    let Regime::TailDrop { required } = regime else {
        return Err(Error::NoAnswer(format!("another regime: {regime:?}")));
    };
    let (watch, summary) = run(MISRA_CARRIED, 90.0, buffer, Lapse::NONE)?;
    push(
        "tail drop, N = 90, buffer 300 packets: queue, packets".into(),
        buffer,
        "formula",
        Ok(watch.mean()),
        Tolerance::Relative(1e-6),
        "the buffer stays full",
    );
    push(
        "tail drop, N = 90, buffer 300 packets: dropped of offered".into(),
        required,
        "drop probability that fills the link with a full buffer, by formula",
        Ok(summary.links[0].drop_fraction),
        Tolerance::Relative(1e-5),
        "an equilibrium; tolerance 1e-6 of the run",
    );
    Ok(())
}

/// The drop curves of the slides' figure: RED, its gentle form, and Easy RED.
fn drop_curves() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let red = Red {
        min: 30.0,
        max: 90.0,
        max_p: 0.1,
        weight: 0.002,
        gentle: false,
        carried: false,
    };
    let easy = parse_queue("easy-red:min=30pkt,p=0.01", 8333.0, Bytes::new(1500.0))?;
    let kinds: [(&str, Arc<dyn Queue>); 3] = [
        ("RED", Arc::new(red)),
        (
            "Gentle RED",
            Arc::new(GentleRed(Red {
                gentle: true,
                ..red
            })),
        ),
        ("Easy RED", easy),
    ];
    let table = [
        (29.0, [0.0, 0.0, 0.0]),
        (30.0, [0.0, 0.0, 0.01]),
        (60.0, [0.05, 0.05, 0.01]),
        (89.0, [0.1 * 59.0 / 60.0, 0.1 * 59.0 / 60.0, 0.01]),
        (90.0, [1.0, 0.1, 0.01]),
        (135.0, [1.0, 0.55, 0.01]),
        (180.0, [1.0, 1.0, 0.01]),
    ];
    for (queue, expected) in table {
        for ((name, kind), expected) in kinds.iter().zip(expected) {
            let own = vec![queue; kind.states().len()];
            let now = Situation {
                capacity: 8333.0,
                buffer: 500.0,
                queue,
                arrival: 8000.0,
                flows: &[],
            };
            checks.push(Check::new(
                "easy-red",
                format!("{name}: drop probability at {queue} packets"),
                expected,
                "the rule, by hand",
                Ok(kind.signal(&own, &now, 0).drop),
                Tolerance::Absolute(1e-15),
                "rounding",
            ));
        }
    }
    Ok(checks)
}
