//! Control loops: numbers worked apart, and the three roads beside each other.

use super::{Check, Tolerance, data};
use crate::error::{Error, Result};
use crate::numeric::Complex;
use crate::numeric::characteristic::{LinearDelaySystem, ScalarDelay, rightmost};
use crate::systems::flow_level::FLOW_LEVEL;
use crate::systems::{Chosen, Group, Quantity};
use crate::what_if::stability::{Patience, StabilityAnswer, Way, stability};

/// The three flows of the example with heterogeneous round trips.
const THREE: [Group; 3] = [
    Group {
        base_rtt: 0.05,
        alpha: Some(100.0),
        count: 1.0,
    },
    Group {
        base_rtt: 0.1,
        alpha: Some(100.0),
        count: 1.0,
    },
    Group {
        base_rtt: 0.2,
        alpha: Some(200.0),
        count: 1.0,
    },
];

fn missing(key: &str, answer: &StabilityAnswer) -> Error {
    let reason = answer.reason.clone().unwrap_or_default();
    Error::NoAnswer(format!("{key} has no value: {reason}"))
}

/// The number under a key of the reference data.
fn field(chosen: &Chosen, answer: &StabilityAnswer, key: &str) -> Result<f64> {
    let found = match key {
        "phase_margin_deg" => answer.phase_margin_deg,
        "gain_margin" => answer.gain_margin,
        "delay_margin_rtts" => answer.delay_margin_rtts,
        "crossover_rad_s" => answer.crossover_rad_s,
        "phase_crossover_rad_s" => answer.phase_crossovers_rad_s.first().copied(),
        "dominant_root.re" => answer.dominant_root.map(|s| s.re),
        "dominant_root.im" => answer.dominant_root.map(|s| s.im),
        "second_root.re" => {
            let system = chosen.build()?.delay_system();
            let system = system.ok_or_else(|| missing(key, answer))?;
            rightmost(&system, 2)?.get(1).map(|root| root.value.re)
        }
        "bound.exact.limit" => answer.bound.exact.as_ref().and_then(|b| b.limit),
        "bound.paper.limit" => answer.bound.paper.as_ref().and_then(|b| b.limit),
        _ => match key.split_once('.') {
            Some(("equilibrium", name)) => answer.equilibrium.get(name),
            Some(("eigenvalue", place)) => place
                .parse::<usize>()
                .ok()
                .and_then(|n| answer.eigenvalues.get(n.checked_sub(1)?).copied()),
            _ => None,
        },
    };
    found.ok_or_else(|| missing(key, answer))
}

pub(super) fn numbers() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for row in data::rows(data::CONTROL_LOOPS)? {
        let (what, spec, form) = (row.text("what"), row.text("spec"), row.text("form"));
        let (road, key) = (row.text("road"), row.text("key"));
        let groups: &[Group] = if form == "discrete" { &THREE } else { &[] };
        let chosen = Chosen::parse(spec, Some(form), groups)?;
        let reply = stability(&chosen, &Way::parse(road)?, None, &Patience::default())?;
        let answer = reply
            .answers
            .first()
            .ok_or_else(|| Error::NoAnswer("no answer".into()))?;
        checks.push(Check::new(
            "loops",
            format!("{what}: {spec}, form {form}, {key}"),
            row.number("expected")?,
            "independent calculation with 40 digits",
            field(&chosen, answer, key),
            Tolerance::Relative(1e-9),
            "thirteen digits are given; double precision places roots to 1e-9 as is asked",
        ));
    }
    let rates = Chosen::parse("fast", None, &THREE)?.build()?.equilibrium();
    let rates = rates.0.iter().find(|(key, _)| *key == "rates_pps");
    if let Some((_, Quantity::Each(rates))) = rates {
        for (got, expected) in rates.iter().zip([2500.0, 2500.0, 5000.0]) {
            checks.push(Check::new(
                "loops",
                "F2: rates of three FAST flows over 10000 packets/s".into(),
                expected,
                "x = alpha C/sum alpha",
                Ok(*got),
                Tolerance::Relative(1e-12),
                "rounding",
            ));
        }
    }
    checks.extend(flow_level());
    checks.extend(super::fast_map::checks()?);
    Ok(checks)
}

/// The price at which each law rests, and what it makes of the price.
fn flow_level() -> Vec<Check> {
    let mut checks = Vec::new();
    for law in &FLOW_LEVEL {
        for (w, rtt) in [(100.0, 0.1), (5000.0, 0.05)] {
            let alpha = 200.0;
            let price = (law.marginal_utility)(w, rtt, alpha);
            let (expected, source) = match law.response {
                Some((constant, exponent)) => (
                    constant / f64::powf(price, exponent),
                    "constant/p^exponent, FAST slides",
                ),
                None => (alpha * rtt / price, "x = alpha/q"),
            };
            let response = law.response.is_some();
            checks.push(Check::new(
                "loops",
                format!("F1: {} rests at {w} packets where U'(x) is the price", law.name),
                expected,
                source,
                Ok(w),
                Tolerance::Relative(if response { 1e-3 } else { 1e-12 }),
                "the constants are printed with three digits (0.120 is 0.119965, 1.225 is 1.224745)",
            ));
            let still = law.slope(w, rtt, alpha, price);
            checks.push(Check::new(
                "loops",
                format!("F1: {} at that price: slope of the window", law.name),
                0.0,
                "equilibrium",
                Ok(still
                    .abs()
                    .min(if law.sign_only { 0.0 } else { f64::INFINITY })),
                Tolerance::Absolute(1e-9),
                "rounding; of a sign at its zero nothing is asked",
            ));
            let dearer = law.slope(w, rtt, alpha, 2.0 * price);
            checks.push(Check::new(
                "loops",
                format!("F1: {} at twice that price: slope over -kappa", law.name),
                1.0,
                "1 - 2 = -1",
                Ok(-dearer / (law.kappa)(w, rtt, alpha)),
                Tolerance::Relative(1e-12),
                "rounding",
            ));
        }
    }
    checks
}

/// Loops of every kind, on both sides of their boundaries.
const LOOPS: &[(&str, &str)] = &[
    ("xcp", "linear"),
    ("xcp:beta=0.35", "linear"),
    ("xcp:alpha=1.2,beta=0.4", "linear"),
    ("xcp:alpha=1.7,beta=0.1", "linear"),
    ("fast", "static"),
    ("fast:gamma=2", "static"),
    ("fast:gamma=1,flows=5", "integrator"),
    ("fast:gamma=1.6", "integrator"),
    ("vegas", "static"),
    ("vegas:width=0.5", "integrator"),
    ("red", "mgt"),
    ("red", "low"),
    ("red:weight=0.002", "mgt"),
    ("red@instantaneous", "mgt"),
    ("red@instantaneous:slope=2e-4", "hollot"),
    ("red@low2002", "low"),
    ("red@low2002:propagation=100ms", "low"),
    ("pi", "hollot"),
    ("pi:k=1e-4", "mgt"),
    ("pie", "low"),
    ("pie:rtt=50ms", "low"),
    ("pi2", "reno"),
    ("pi2:rtt=200ms", "reno-mgt"),
    ("pi2", "scalable"),
    ("small-buffer", "linear"),
    ("small-buffer:window=10", "linear"),
    ("scalar:a=-0.5,b=0.8", "linear"),
    ("scalar:b=2", "linear"),
    ("scalar:a=1,b=-2", "linear"),
];

pub(super) fn roads() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let verdict = |flag: Option<bool>| {
        flag.map(f64::from)
            .ok_or_else(|| Error::NoAnswer("no verdict".into()))
    };
    for (spec, form) in LOOPS {
        let chosen = Chosen::parse(spec, Some(form), &[])?;
        let reply = stability(&chosen, &Way::ALL, None, &Patience::default())?;
        let [margin, root, fluid] = reply.answers.as_slice() else {
            return Err(Error::NoAnswer("three answers were asked for".into()));
        };
        let Some(expected) = root.stable.map(f64::from) else {
            return Err(missing("stable", root));
        };
        for other in [margin, fluid] {
            checks.push(Check::new(
                "loop-roads",
                format!(
                    "{spec}, form {form}: stable (1) or not (0), road {}",
                    other.road
                ),
                expected,
                "sign of the dominant root",
                verdict(other.stable),
                Tolerance::Absolute(0.0),
                "the same verdict",
            ));
        }
        let looped = chosen.build()?;
        if let Some(s) = root.dominant_root {
            // 1 + L vanishes at a root of the delay system: two ways of writing one loop.
            let s = Complex::new(s.re, s.im);
            let near = looped.transfer(s * Complex::new(1.0 + 1e-6, 0.0));
            let left = (looped.transfer(s) + 1.0).norm() / (near + 1.0).norm();
            let hidden = left.is_nan() || (looped.transfer(s) + 1.0).norm() > 0.1;
            checks.push(Check::new(
                "loop-roads",
                format!("{spec}, form {form}: 1 + L at the root, beside a millionth away"),
                0.0,
                "a root of the loop",
                Ok(if hidden { difference_mode(&chosen, s) } else { left }),
                Tolerance::Absolute(1e-3),
                "the root holds to 1e-9 or better; where flows are equal their differences are roots that L does not show",
            ));
        }
    }
    for (i, (a, b, delay)) in scalars().into_iter().enumerate() {
        let equation = ScalarDelay { a, b, delay };
        let Some(exact) = equation.rightmost() else {
            continue;
        };
        let system = LinearDelaySystem::new(1)
            .with(0, 0, 0.0, -a)
            .with(0, 0, delay, -b);
        let found = rightmost(&system, 1).map(|roots| roots[0]);
        let off = found.map(|root| (root.value - exact.value).norm() * delay);
        let place = format!("a = {a:.3}, b = {b:.3}, tau = {delay:.3}");
        checks.push(Check::new(
            "loop-roads",
            format!("scalar {i}: {place}: collocation less Lambert's W, in 1/tau"),
            0.0,
            "Lambert's W",
            off,
            Tolerance::Absolute(1e-10),
            "ten digits, away from the double root",
        ));
    }
    for (a, delay) in [(0.0, 1.0), (0.5, 1.0), (-0.3, 2.0)] {
        let b = 1.0 / (std::f64::consts::E * delay * f64::exp(a * delay));
        let system = LinearDelaySystem::new(1)
            .with(0, 0, 0.0, -a)
            .with(0, 0, delay, -b);
        let lambert = ScalarDelay { a, b, delay }.rightmost();
        let both = rightmost(&system, 1).map(|roots| {
            f64::from(roots[0].nearly_double) + f64::from(lambert.is_some_and(|r| r.nearly_double))
        });
        checks.push(Check::new(
            "loop-roads",
            format!("double root, a = {a}, tau = {delay}: roads that say so"),
            2.0,
            "b tau e^(a tau) = 1/e",
            both,
            Tolerance::Absolute(0.0),
            "both",
        ));
    }
    Ok(checks)
}

/// A root that only the difference of two equal flows has: its own rate, as the relative distance from it.
fn difference_mode(chosen: &Chosen, s: Complex<f64>) -> f64 {
    let Ok(looped) = chosen.build() else {
        return f64::INFINITY;
    };
    // The open loop has a pole there, so that 1/L vanishes.
    let pole = (looped.transfer(s * Complex::new(1.0 + 1e-9, 0.0)))
        .inv()
        .norm();
    let beside = (looped.transfer(s * Complex::new(1.0 + 1e-4, 0.0)))
        .inv()
        .norm();
    pole / beside
}

/// Places over the plane, none near the double root.
fn scalars() -> Vec<(f64, f64, f64)> {
    let mut out = Vec::new();
    for i in 0..9 {
        for j in 0..9 {
            let (a, b) = (0.7 * f64::from(i) - 2.6, 0.9 * f64::from(j) - 3.3);
            let delay = 0.3 + 0.2 * f64::from((i + j) % 5);
            let near = (b * delay * f64::exp(a * delay) - 1.0 / std::f64::consts::E).abs();
            if near > 1e-3 && b != 0.0 {
                out.push((a, b, delay));
            }
        }
    }
    out
}
