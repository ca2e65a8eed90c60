//! What a longer round trip costs: exponents, the synchronised equilibrium without and with a queue.

use super::data::{self, rows};
use super::{Check, Tolerance, law};
use crate::algorithms::Selected;
use crate::analysis::rtt_unfairness::{
    Equilibrium, Responding, Shared, equilibria, exponents, response_equilibrium,
};
use crate::analysis::{Member, SharedLink};
use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction, WindowLaw};
use crate::numeric::root;
use crate::units::{LossRate, Packets, Seconds};

fn form(spec: &str, name: &str) -> Result<Box<dyn ResponseFunction>> {
    let selected = Selected::parse(spec)?;
    selected
        .algorithm
        .closed(&selected.setting)
        .into_iter()
        .find(|f| f.form() == name)
        .ok_or_else(|| Error::NoAnswer(format!("no form `{name}`")))
}

/// Exponents as the theory prints them: law, form, RTT, loss rate, synchronised and independent.
const EXPONENTS: &[(&str, &str, f64, f64, &str, &str)] = &[
    ("reno", "periodic", 0.1, 1e-5, "2", "1"),
    ("aimd", "periodic", 0.1, 1e-5, "2", "1"),
    ("highspeed", "line", 0.1, 1e-6, "6.05", "1"),
    ("highspeed", "printed", 0.1, 1e-6, "6.06", "1"),
    ("highspeed@draft2002", "printed", 0.1, 1e-6, "5.56", "1"),
    ("highspeed@draft2002", "line", 0.1, 1e-6, "5.583", "1"),
    ("compound", "periodic", 0.1, 1e-5, "5", "1"),
    ("cubic", "periodic", 0.1, 1e-6, "1", "0.25"),
    ("cubic", "periodic", 0.01, 1e-3, "2", "1"),
    ("htcp", "periodic", 0.1, 1e-5, "2", ""),
    ("htcp", "periodic", 0.1, 1e-7, "2", ""),
    ("htcp:rtt_scaling=1", "periodic", 0.1, 1e-5, "1", ""),
    ("htcp:rtt_scaling=1", "periodic", 0.1, 1e-7, "1", ""),
];

pub(super) fn exponent_table() -> Result<Vec<Check>> {
    const GROUP: &str = "rtt-exponents";
    let source = "xu2004 section III; floyd2002, rfc3649 and rfc9438 through (1-e)/(1-d)";
    let mut checks = Vec::new();
    for &(spec, name, rtt, p, together, alone) in EXPONENTS {
        let path = Path::with_rtt(Seconds::new(rtt));
        let found = exponents(&form(spec, name)?.respond(LossRate::new(p)?, &path)?);
        for (what, printed, got) in [
            ("synchronised", together, found.clone().map(|f| f.0.value())),
            ("independent", alone, found.map(|f| f.1.value())),
        ] {
            if !printed.is_empty() {
                checks.push(Check::new(
                    GROUP,
                    format!("{spec} {name} RTT={rtt} p={p:e}: {what} exponent"),
                    printed.parse().unwrap_or(f64::NAN),
                    source,
                    got,
                    Tolerance::Absolute(data::half_unit(printed).min(5e-3)),
                    "half a unit of the last printed digit, at most 0.005",
                ));
            }
        }
    }
    let path = Path::with_rtt(Seconds::new(0.1));
    let endless = form("scalable", "mean")?.respond(LossRate::new(1e-5)?, &path)?;
    checks.push(Check::new(
        GROUP,
        "scalable mean: one over the synchronised exponent".into(),
        0.0,
        "xu2004 section III: infinite",
        exponents(&endless).map(|f| 1.0 / f.0.value()),
        Tolerance::Absolute(0.0),
        "the slope is 1 exactly",
    ));
    for row in rows(data::BIC_EXPONENTS)? {
        let peak = row.number("w_max")?;
        for (name, column) in [("per-round", "per_round"), ("per-ack", "per_ack")] {
            let function = form("bic:low_window=0", name)?;
            let (expected, unit) = row.printed(column)?;
            checks.push(Check::new(
                GROUP,
                format!("bic {name} at a peak of {peak} packets"),
                expected,
                "independent calculation",
                at_peak(function.as_ref(), peak),
                Tolerance::Absolute(unit * (1.0 + 1e-9)),
                "half a unit of the last printed digit",
            ));
        }
    }
    Ok(checks)
}

/// The synchronised exponent where the peak window is `peak`.
fn at_peak(function: &dyn ResponseFunction, peak: f64) -> Result<f64> {
    let path = Path::with_rtt(Seconds::new(0.1));
    let at = |ln_p: f64| function.respond(LossRate::new(ln_p.exp())?, &path);
    let excess = |ln_p: f64| -> Result<f64> {
        Ok((at(ln_p)?.peak.map_or(f64::NAN, Packets::value) / peak).ln())
    };
    let ln_p = root::brent(&excess, -40.0, -3.0, 0.0)?;
    Ok(exponents(&at(ln_p)?)?.0.value())
}

pub(super) fn equilibrium(
    specs: &[&str],
    rtts: &[f64],
    link: SharedLink,
) -> Result<Vec<Equilibrium>> {
    let laws: Vec<Box<dyn WindowLaw>> = specs.iter().map(|s| law(s)).collect::<Result<_>>()?;
    let members: Vec<Member<'_>> = laws
        .iter()
        .zip(rtts)
        .map(|(law, &base_rtt)| Member {
            law: law.as_ref(),
            base_rtt,
            count: 1.0,
        })
        .collect();
    equilibria(&members, link)
}

fn first(found: Result<Vec<Equilibrium>>) -> Result<Equilibrium> {
    found?
        .into_iter()
        .next()
        .ok_or_else(|| Error::NoAnswer("no equilibrium".into()))
}

pub(super) fn synchronised() -> Result<Vec<Check>> {
    const GROUP: &str = "synchronised-ratios";
    let mut checks = Vec::new();
    for row in rows(data::SYNCHRONISED_RATIOS)? {
        let spec = row.text("law");
        let link = SharedLink {
            capacity: row.number("rate_bps")? / 12_000.0,
            buffer: 0.0,
        };
        let rtts = [row.number("near_s")?, row.number("far_s")?];
        let (expected, unit) = row.printed("ratio")?;
        let run = row.text("how") == "run";
        checks.push(Check::new(
            GROUP,
            format!(
                "{spec} at {} Gbit/s, {} and {} ms, no queue: epoch equilibrium",
                row.number("rate_bps")? / 1e9,
                1e3 * rtts[0],
                1e3 * rtts[1]
            ),
            expected,
            if run {
                "independent event-driven fluid"
            } else {
                "independent epoch equilibrium"
            },
            first(equilibrium(&[spec, spec], &rtts, link)).and_then(|e| e.ratio()),
            if run {
                Tolerance::Relative((unit / expected).max(1e-3))
            } else {
                Tolerance::Absolute(unit * (1.0 + 1e-9))
            },
            if run {
                "the printed digits of a run with a fixed step: up to 8e-4 where three digits are printed"
            } else {
                "half a unit of the last printed digit"
            },
        ));
    }
    let per_round = form("bic", "per-round")?;
    let flow = |base_rtt: f64| Responding {
        function: per_round.as_ref(),
        base_rtt,
        count: 1.0,
    };
    for (rate, far, what, expected, unit) in [
        (2.5e9, 0.12, "ratio", 42.52, 5e-3),
        (2.5e9, 0.12, "first peak", 8147.4, 0.05),
        (2.5e9, 0.12, "second peak", 557.9, 0.05),
        (2.5e9, 0.12, "seconds", 1.779, 5e-4),
        (1e10, 0.12, "ratio", 11.28, 5e-3),
        (1e10, 0.24, "ratio", 69.1, 0.05),
    ] {
        let link = SharedLink {
            capacity: rate / 12_000.0,
            buffer: 0.0,
        };
        let found = response_equilibrium(&[flow(0.04), flow(far)], link, Shared::Epoch);
        checks.push(Check::new(
            GROUP,
            format!(
                "bic per-round at {} Gbit/s, 40 and {} ms, no queue: {what}",
                rate / 1e9,
                1e3 * far
            ),
            expected,
            "independent epoch equilibrium",
            found.and_then(|(e, _)| match what {
                "ratio" => e.ratio(),
                "first peak" => Ok(e.parts[0].peak),
                "second peak" => Ok(e.parts[1].peak),
                _ => Ok(e.seconds),
            }),
            Tolerance::Absolute(unit * (1.0 + 1e-9)),
            "half a unit of the last printed digit",
        ));
    }
    for (spec, what) in [
        (
            "scalable:low_window=0",
            "pure multiplicative increase: the longer path starves, no equilibrium",
        ),
        (
            "scalable:low_window=0",
            "the same round trip twice: any split repeats itself, no equilibrium",
        ),
    ] {
        let rtts = if what.starts_with("pure") {
            [0.04, 0.12]
        } else {
            [0.04, 0.04]
        };
        let link = SharedLink {
            capacity: 2e5,
            buffer: 0.0,
        };
        let got = match equilibrium(&[spec, spec], &rtts, link) {
            Err(Error::NoAnswer(_)) => Ok(0.0),
            other => other.map(|all| all.len() as f64),
        };
        checks.push(Check::new(
            GROUP,
            format!("{spec}: {what}"),
            0.0,
            "xu2004 section III",
            got,
            Tolerance::Absolute(0.0),
            "a count of equilibria",
        ));
    }
    Ok(checks)
}

pub(super) fn with_queue() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for row in rows(data::QUEUE_EQUILIBRIA)? {
        let specs: Vec<&str> = row.text("laws").split(' ').collect();
        let rtts: Vec<f64> = row
            .text("rtts_s")
            .split(' ')
            .map(|t| t.parse().unwrap_or(f64::NAN))
            .collect();
        let link = SharedLink {
            capacity: row.number("capacity_pps")?,
            buffer: row.number("buffer_pkt")?,
        };
        let found = first(equilibrium(&specs, &rtts, link));
        let mut push = |what: &str, expected: f64, got: Result<f64>| {
            checks.push(Check::new(
                "queue-equilibria",
                format!("{} at {} s over {} packets: {what}", row.text("laws"), row.text("rtts_s"), link.buffer),
                expected,
                "scipy, the synchronised map iterated",
                got,
                Tolerance::Relative(2e-7),
                "printed to eight digits, and an integrator's tolerance of 1e-11 over tens of epochs",
            ));
        };
        push(
            "seconds from loss to loss",
            row.number("seconds")?,
            found.clone().map(|e| e.seconds),
        );
        push(
            "first rate",
            row.number("rate1_pps")?,
            found.clone().map(|e| e.parts[0].rate),
        );
        push(
            "second rate",
            row.number("rate2_pps")?,
            found.clone().map(|e| e.parts[1].rate),
        );
        push(
            "utilisation",
            row.number("utilisation")?,
            found.map(|e| e.utilisation),
        );
    }
    Ok(checks)
}
