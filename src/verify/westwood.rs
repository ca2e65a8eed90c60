//! Westwood: its closed forms against many digits and the numbers worked apart, its law by every road, how it stands beside
//! standard TCP.

use super::closed::on;
use super::data::{self, rows};
use super::sawtooth::epoch_on;
use super::{Check, Tolerance, law};
use crate::error::{Error, Result};
use crate::fluid::{
    self, Begin, FINEST, Flow, Lapse, Losses, Process, Run, Scenario, Settled, Start, simulate,
};
use crate::model::{LossModel, Path, Response, ResponseFunction, WindowLaw};
use crate::network::{DropTail, Link};
use crate::responses::ack::{Ack, Effort};
use crate::units::{LossRate, Packets, Seconds};
use std::sync::Arc;

fn path(rtt: f64, base_rtt: f64) -> Path {
    Path {
        rtt: Some(Seconds::new(rtt)),
        base_rtt: Some(Seconds::new(base_rtt)),
    }
}

fn window(path: &Path, spec: &str, form: &str, p: f64) -> Result<f64> {
    on(path, spec, form, p).map(|answer| answer.window.value())
}

pub(super) fn closed_forms() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for row in rows(data::WESTWOOD)? {
        let (spec, form) = (row.text("law").to_owned(), row.text("form").to_owned());
        let (rtt, base, p) = (
            row.number("rtt_s")?,
            row.number("base_rtt_s")?,
            row.number("loss")?,
        );
        let answer = on(&path(rtt, base), &spec, &form, p);
        let place = format!("{spec} {form} p={p:e} RTT={rtt} base={base}");
        let mut push = |what: &str, expected: f64, got: Result<f64>| {
            checks.push(Check::new(
                "westwood-forms",
                format!("{place} {what}"),
                expected,
                "mpmath, 40 digits, from the equations that the form solves",
                got,
                Tolerance::Relative(2e-13),
                "rounding: of exp(z^2) up to z = 5 in the Gaussian tail, of 1 - base/RTT elsewhere",
            ));
        };
        push(
            "window",
            row.number("window_pkt")?,
            answer.clone().map(|a| a.window.value()),
        );
        if !row.text("peak_pkt").is_empty() {
            let peak = |a: Response| a.peak.map_or(f64::NAN, Packets::value);
            push("peak", row.number("peak_pkt")?, answer.map(peak));
        }
    }
    Ok(checks)
}

pub(super) fn numbers() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let here = path(0.2, 0.15);
    let mut push = |what: String, expected: f64, half_unit: f64, got: Result<f64>| {
        checks.push(Check::new(
            "westwood",
            what,
            expected,
            "independent calculation",
            got,
            Tolerance::Absolute(half_unit),
            "half a unit of the last digit given",
        ));
    };
    for (what, spec, form, expected, half) in [
        (
            "estimate = rate",
            "westwood",
            "conservation",
            316.06961,
            5e-6,
        ),
        ("Kelly's Reno", "kelly", "equilibrium", 223.49497, 5e-6),
        (
            "B = 100",
            "westwood:bandwidth=100",
            "given-bandwidth",
            199.92306,
            5e-6,
        ),
        (
            "B = 100, exact",
            "westwood:bandwidth=100",
            "renewal",
            177.4610,
            5e-5,
        ),
    ] {
        let rate = window(&here, spec, form, 1e-3).map(|w| w / 0.2);
        push(
            format!("p=1e-3, R=0.2 s, Rm=0.15 s, {what}: packets/s"),
            expected,
            half,
            rate,
        );
    }
    for (rho, y, ratio) in [
        (0.0, 0.79788, 0.798),
        (0.25, 0.95600, 0.828),
        (0.5, 1.22401, 0.866),
        (0.75, 1.83254, 0.916),
        (0.9, 3.03350, 0.959),
        (0.95, 4.37257, 0.978),
    ] {
        // A base round trip of zero is none: the smallest that keeps all digits stands for it.
        let there = path(1.0, if rho > 0.0 { rho } else { 1e-12 });
        let exact = window(&there, "westwood", "self-consistent", 1e-6).map(|w| w * 1e-3);
        push(format!("y at Rm/R = {rho}"), y, 5e-6, exact.clone());
        let mean_field = (1.0 / (1.0 - rho)).sqrt();
        push(
            format!("y over the mean-field constant at Rm/R = {rho}"),
            ratio,
            5e-4,
            exact.map(|y| y / mean_field),
        );
    }
    standing(&mut checks)?;
    roads(&mut checks)?;
    random(&mut checks)?;
    mean_field(&mut checks)?;
    drained(&mut checks)?;
    Ok(checks)
}

/// Beside Kelly's Reno: the ratio, and how both depend on round trip and loss.
fn standing(checks: &mut Vec<Check>) -> Result<()> {
    let exact = Tolerance::Relative(1e-12);
    for (rtt, base) in [(0.2, 0.15), (0.2, 0.1), (0.2, 0.05), (0.05, 0.049)] {
        let there = path(rtt, base);
        let ratio = |p: f64| -> Result<f64> {
            Ok(window(&there, "westwood", "", p)? / window(&there, "kelly", "", p)?)
        };
        for p in [1e-5, 1e-2] {
            checks.push(Check::new(
                "westwood",
                format!("rate over Kelly's Reno, R={rtt} s, Rm={base} s, p={p:e}"),
                (rtt / (2.0 * (rtt - base))).sqrt(),
                "sqrt(R/(2 Tq))",
                ratio(p),
                exact,
                "rounding of R - Rm",
            ));
        }
    }
    // ln rate over ln RTT between round trips of 30 and 300 ms.
    let exponent = |spec: &str, base: &dyn Fn(f64) -> f64| -> Result<f64> {
        let rate = |rtt: f64| window(&path(rtt, base(rtt)), spec, "", 1e-4).map(|w| w / rtt);
        Ok((rate(0.3)? / rate(0.03)?).ln() / 10f64.ln())
    };
    let common = |rtt: f64| rtt - 0.02;
    let share = |rtt: f64| 0.8 * rtt;
    for (what, expected, got) in [
        ("Westwood, common Tq", -0.5, exponent("westwood", &common)),
        (
            "Westwood, Tq proportional to R",
            -1.0,
            exponent("westwood", &share),
        ),
        ("Kelly's Reno", -1.0, exponent("kelly", &common)),
    ] {
        checks.push(Check::new(
            "westwood",
            format!("RTT exponent of the rate: {what}"),
            expected,
            "1/sqrt(R Tq) and 1/R",
            got,
            Tolerance::Absolute(1e-12),
            "rounding",
        ));
    }
    Ok(())
}

/// Epoch, fluid and acknowledgement roads against the closed form under periodic losses.
fn roads(checks: &mut Vec<Check>) -> Result<()> {
    for spec in [
        "westwood",
        "westwood:tau=5s",
        "westwood@westwood-plus",
        "westwood:bandwidth=100",
    ] {
        for (rtt, base) in [(0.2, 0.15), (0.1, 0.05), (0.02, 0.016)] {
            let there = path(rtt, base);
            for p in [1e-2, 1e-3, 1e-4] {
                let closed = on(&there, spec, "periodic", p)?;
                let epoch = epoch_on(&there, spec, p);
                let place = format!("{spec} R={rtt} Rm={base} p={p:e}");
                let mut push = |what: &str, expected: f64, got: Result<f64>, tolerance, reason| {
                    checks.push(Check::new(
                        "westwood",
                        format!("{place} {what}"),
                        expected,
                        "closed form `periodic`",
                        got,
                        tolerance,
                        reason,
                    ));
                };
                let peak = |a: &Response| a.peak.map_or(f64::NAN, Packets::value);
                push(
                    "epoch window",
                    closed.window.value(),
                    epoch.clone().map(|a| a.window.value()),
                    Tolerance::Relative(1e-10),
                    "the estimate solved for in closed form, and by epochs that repeat themselves",
                );
                push(
                    "epoch peak",
                    peak(&closed),
                    epoch.clone().map(|a| peak(&a)),
                    Tolerance::Relative(1e-10),
                    "the estimate solved for in closed form, and by epochs that repeat themselves",
                );
                for (what, expected, got) in [
                    ("epoch slope", closed.slope, epoch.clone().map(|a| a.slope)),
                    (
                        "epoch RTT exponent",
                        closed.rtt_exponent,
                        epoch.map(|a| a.rtt_exponent),
                    ),
                ] {
                    push(
                        what,
                        expected.unwrap_or(f64::NAN),
                        got.map(|value| value.unwrap_or(f64::NAN)),
                        Tolerance::Absolute(1e-5),
                        "the epoch's is a difference quotient",
                    );
                }
                let fluid = Settled::new(
                    law(spec)?.into(),
                    LossModel::Periodic,
                    fluid::Effort::default(),
                    Start::FixedPoint,
                )
                .respond(LossRate::new(p)?, &there);
                push(
                    "fluid window",
                    closed.window.value(),
                    fluid.map(|a| a.window.value()),
                    Tolerance::Relative(1e-8),
                    "the integrator's local tolerance is 1e-12",
                );
                let ack = Ack::new(law(spec)?, LossModel::Periodic, Effort::default())
                    .respond(LossRate::new(p)?, &there);
                push(
                    "ack window",
                    closed.window.value(),
                    ack.map(|a| a.window.value()),
                    Tolerance::Relative(0.2 / (closed.window.value() * (1.0 - base / rtt))),
                    "whole acknowledgements, and whole samples of the estimate, are a fifth of a packet or less in the part of the window that a loss takes",
                );
            }
        }
    }
    Ok(())
}

/// Independent losses, one acknowledgement at a time.
fn random(checks: &mut Vec<Check>) -> Result<()> {
    let there = path(0.2, 0.15);
    let effort = Effort {
        precision: 0.005,
        budget: 1_000_000_000,
        ..Effort::default()
    };
    let run = |spec: &str, p: f64| -> Result<f64> {
        Ack::new(law(spec)?, LossModel::Random, effort)
            .respond(LossRate::new(p)?, &there)
            .map(|a| a.window.value() / 0.2)
    };
    checks.push(Check::new(
        "westwood",
        "independent losses p=1e-3, B = 100: packets/s, ack road".into(),
        177.55,
        "independent Monte Carlo, 2e6 acknowledgements",
        run("westwood:bandwidth=100", 1e-3),
        Tolerance::Relative(1e-2),
        "sampling of both: the run's 95 % half-width is 0.5 %",
    ));
    // A filter over 30 losses stands for one that gives the mean.
    let slow = run("westwood:tau=100s", 1e-3);
    let exact = window(&there, "westwood", "self-consistent", 1e-3)? / 0.2;
    checks.push(Check::new(
        "westwood",
        "independent losses p=1e-3, slow filter: packets/s, ack road".into(),
        exact,
        "closed form `self-consistent`",
        slow.clone(),
        Tolerance::Relative(1e-2),
        "sampling: the run's 95 % half-width is 0.5 %",
    ));
    checks.push(Check::new(
        "westwood",
        "independent losses p=1e-3, slow filter: packets/s, ack road, beside another Monte Carlo"
            .into(),
        292.7,
        "independent Monte Carlo",
        slow,
        Tolerance::Relative(0.02),
        "sampling of both: that run lies 1 % above the exact 289.75 itself",
    ));
    Ok(())
}

fn alone(spec: &str, losses: Losses, run: Run) -> Result<f64> {
    let summary = simulate(
        &Scenario {
            links: Vec::new(),
            flows: vec![Flow {
                begin: Begin::Growing(20.0),
                standing_delay: 0.05,
                ..Flow::new(spec, law(spec)?.into(), Vec::new(), 0.15)
            }],
            losses,
            run,
        },
        &mut (),
    )?;
    let window = summary.flows.first().and_then(|flow| flow.window);
    window.ok_or_else(|| Error::NoAnswer("no window".into()))
}

/// The integrator's mean-field stream of losses: the slides' equation with growth 1/R instead of (1-p)/R.
fn mean_field(checks: &mut Vec<Check>) -> Result<()> {
    for (p, reaction) in [(1e-2, Lapse::NONE), (1e-3, Lapse::rounds(1.0))] {
        let losses = Losses {
            rate: p,
            process: Process::MeanField,
            reaction,
            ..Losses::default()
        };
        let run = Run {
            duration: 2000.0,
            measure_from: 1900.0,
            tolerance: FINEST,
            ..Run::default()
        };
        let delivered = window(&path(0.2, 0.15), "westwood", "delivered", p)?;
        let got = alone("westwood", losses, run);
        checks.push(Check::new(
            "westwood",
            format!(
                "mean-field losses p={p:e}, reaction after {} round trips, growth on all packets",
                reaction.rounds
            ),
            delivered / (1.0 - p).sqrt(),
            "1 = p W (W - rho (1-p) W): form `delivered` without its (1-p) of growth",
            got,
            Tolerance::Relative(1e-9),
            "an equilibrium, approached for 1900 s",
        ));
    }
    Ok(())
}

/// One flow over a first-in first-out buffer: a loss drains the queue exactly, whatever the buffer.
fn drained(checks: &mut Vec<Check>) -> Result<()> {
    let (capacity, base) = (1000.0, 0.1);
    let flow_law: Arc<dyn WindowLaw> = law("westwood")?.into();
    for buffer in [20.0, 100.0, 300.0] {
        let summary = simulate(
            &Scenario {
                links: vec![Link {
                    name: "link".into(),
                    capacity,
                    buffer,
                    delay: 0.0,
                    initial_queue: 0.0,
                    queue: Arc::new(DropTail),
                }],
                flows: vec![Flow {
                    begin: Begin::Growing(capacity * base),
                    ..Flow::new("westwood", Arc::clone(&flow_law), vec![0], base)
                }],
                losses: Losses {
                    sync: fluid::Sync::All,
                    ..Losses::default()
                },
                run: Run {
                    duration: 400.0,
                    measure_from: 100.0,
                    ..Run::default()
                },
            },
            &mut (),
        );
        checks.push(Check::new(
            "westwood",
            format!("one flow, pipe 100 packets, buffer {buffer} packets: utilisation"),
            1.0,
            "B = C, so a loss leaves C Rm: the queue drains and no further",
            summary.map(|s| s.links[0].utilisation),
            Tolerance::Absolute(1e-6),
            "the tolerance of the run",
        ));
    }
    Ok(())
}
