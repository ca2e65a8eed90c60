//! Boundaries of control loops by bisecting the integrator's rate of growth, and XCP's start.

use super::{Check, Tolerance};
use crate::error::{Error, Result};
use crate::numeric::characteristic::{boundaries as changes, rightmost};
use crate::systems::Chosen;

const GROUP: &str = "loop-boundaries";

/// Where the run's rate of growth changes its sign between `from` and `to`.
fn by_run(
    spec: &str,
    form: &str,
    key: &str,
    (from, to): (f64, f64),
    round_trips: f64,
) -> Result<f64> {
    let chosen = Chosen::parse(spec, Some(form), &[])?;
    let rate = |x: f64| {
        let looped = chosen.with(key, x)?.build()?;
        looped.run(round_trips, 0).map(|found| found.rate)
    };
    changes(&rate, &[from, to], 1e-6)?
        .first()
        .map(|crossing| crossing.value)
        .ok_or_else(|| Error::NoAnswer(format!("no boundary between {from} and {to}")))
}

const LINEAR: &str =
    "asked for; the rate of growth changes by more than 1e-5 of the round trip within it";

/// One boundary of a linear model against its closed form.
fn linear(spec: &str, form: &str, key: &str, expected: f64) -> Check {
    Check::new(
        GROUP,
        format!("{spec}, form {form}: boundary in {key} by runs of 200 round trips"),
        expected,
        "analytic boundary, independent calculation",
        by_run(spec, form, key, (0.97 * expected, 1.03 * expected), 200.0),
        Tolerance::Relative(1e-4),
        LINEAR,
    )
}

fn projected(alpha: f64, expected: f64) -> Check {
    let spec = format!("xcp:alpha={alpha},rtt=1s");
    let range = (0.9 * expected, 1.1 * expected);
    Check::new(
        GROUP,
        format!("{spec}, form projected: boundary in beta by runs of 400 round trips"),
        expected,
        "independent integration with fixed steps, 400 to 1600 in a round trip",
        by_run(&spec, "projected", "beta", range, 400.0),
        Tolerance::Relative(0.01),
        "asked for; the reference is given to three or four digits",
    )
}

pub(super) fn boundaries() -> Result<Vec<Check>> {
    let mut checks = vec![
        linear("xcp:rtt=1s", "linear", "beta", 0.340_926_353_251),
        linear("scalar", "linear", "b", std::f64::consts::FRAC_PI_2),
        linear("scalar:a=1", "linear", "b", 2.261_826_334_1),
        linear("pi", "hollot", "k", 9.64e-6 * 8.794_943_985_358),
        linear("red@instantaneous", "mgt", "slope", 1.821_694_345_185e-4),
        linear("red@instantaneous", "hollot", "slope", 1.860_013_280_735e-4),
        linear("small-buffer", "linear", "window", 11.909_144_508_05),
        projected(1.4, 0.3017),
    ];
    checks.push(Check::new(
        GROUP,
        "red@instantaneous, form nonlinear: boundary in slope".into(),
        1.821_694_345_185e-4,
        "the full linearisation's, independent calculation",
        by_run(
            "red@instantaneous",
            "nonlinear",
            "slope",
            (1.76e-4, 1.88e-4),
            200.0,
        ),
        Tolerance::Relative(5e-3),
        "asked for; runs this near the equilibrium agree to 1e-4",
    ));
    checks.extend(along_xcp());
    checks.extend(edges()?);
    checks.extend(start()?);
    Ok(checks)
}

/// XCP from an idle link.
fn start() -> Result<Vec<Check>> {
    let trace = Chosen::parse("xcp:rtt=1s", Some("projected"), &[])?
        .build()?
        .trace(40.0, -1.0)?;
    let first = |level: f64| -> Result<f64> {
        trace
            .windows(2)
            .find_map(|pair| {
                let &[[t0, y0, _], [t1, y1, _]] = pair else {
                    return None;
                };
                (y0 < level && y1 >= level).then(|| t0 + (t1 - t0) * (level - y0) / (y1 - y0))
            })
            .ok_or_else(|| Error::NoAnswer(format!("the rate never reaches {level}")))
    };
    let most = |place: usize| trace.iter().map(|x| x[place]).fold(0.0, f64::max);
    let source = "independent integration with fixed steps";
    let printed = "half a unit of the last digit printed, and the reference's own steps";
    Ok([
        (
            "90 % of the capacity after, round trips",
            3.087,
            first(0.9),
            1e-3,
        ),
        (
            "95 % of the capacity after, round trips",
            3.718,
            first(0.95),
            1e-3,
        ),
        ("the capacity after, round trips", 6.379, first(1.0), 2e-3),
        (
            "overshoot of the rate, of the capacity",
            7.1e-4,
            Ok(most(1) - 1.0),
            5e-6,
        ),
        (
            "highest queue, of capacity times round trip",
            1.37e-3,
            Ok(most(2)),
            5e-6,
        ),
    ]
    .into_iter()
    .map(|(what, expected, got, tolerance)| {
        Check::new(
            GROUP,
            format!("XCP from an idle link, form projected: {what}"),
            expected,
            source,
            got,
            Tolerance::Absolute(tolerance),
            printed,
        )
    })
    .collect())
}

/// XCP at the ends of its parameters.
fn edges() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    // data/made-by/xcp_edges.py
    let source = "independent calculation with 40 digits";
    for (alpha, beta) in [
        (0.001, 9.996_665_888_636_15e-4),
        (0.01, 9.966_588_635_294_211e-3),
        (1.55, 4.919_991_586_424_304e-2),
        (1.57, 1.961_641_463_476_13e-3),
    ] {
        let bound = Chosen::parse(&format!("xcp:alpha={alpha},rtt=1s"), None, &[])?
            .build()?
            .exact_bound();
        let limit = bound.and_then(|bound| bound.limit);
        checks.push(Check::new(
            GROUP,
            format!("xcp:alpha={alpha}, form linear: largest beta, u^2 cos u"),
            beta,
            source,
            limit.ok_or_else(|| Error::NoAnswer("no bound".into())),
            Tolerance::Relative(1e-11),
            "u is found to rounding; near pi/2 its cosine keeps twelve digits",
        ));
    }
    for (alpha, beta, root) in [
        (1.6, 1e-6, 1.311_384_936_165_11e-2),
        (1.57, 5e-4, -2.689_548_387_815_38e-4),
        (0.001, 5e-4, -2.500_833_379_572_08e-4),
        (1.6, 10.0, 1.183_042_691_120_23),
        (5.0, 40.0, 1.956_831_925_821_689),
        (0.4, 1000.0, 3.917_071_902_093_617),
    ] {
        let spec = format!("xcp:alpha={alpha},beta={beta},rtt=1s");
        let system = Chosen::parse(&spec, None, &[])?.build()?.delay_system();
        let system = system.ok_or_else(|| Error::NoAnswer("no delay system".into()))?;
        let first = rightmost(&system, 1)?.first().map(|root| root.value.re);
        checks.push(Check::new(
            GROUP,
            format!("{spec}, form linear: real part of the dominant root"),
            root,
            source,
            first.ok_or_else(|| Error::NoAnswer("no root".into())),
            Tolerance::Absolute(1e-11),
            "double precision places roots of this size to 1e-12",
        ));
    }
    // A queue that cannot be negative: beta far beyond the linear model's bound, and short of it.
    for (alpha, beta, rate) in [
        (0.4, 0.5, -0.581_67),
        (0.4, 1.0, -0.569_17),
        (0.4, 10.0, -0.472_04),
        (0.4, 1000.0, -0.116_70),
        (0.6, 1.0, -0.205_38),
        (1.0, 0.5, -0.095_887),
    ] {
        let spec = format!("xcp:alpha={alpha},beta={beta},rtt=1s");
        let looped = Chosen::parse(&spec, Some("projected"), &[])?.build()?;
        checks.push(Check::new(
            GROUP,
            format!("{spec}, form projected: rate of growth, 1/s"),
            rate,
            "independent integration with fixed steps, 200 to 800 in a round trip: crests of ten cycles",
            looped.run(200.0, 0).map(|found| found.rate),
            Tolerance::Relative(2e-4),
            "the references with 400 and 800 steps differ by 3e-5",
        ));
    }
    // alpha = 1/e is the last without an oscillation of an empty queue; pi/2 the last that is stable at any beta.
    for (alpha, beta, stable) in [
        (0.4, 2500.0, true),
        (0.367, 40_000.0, true),
        (1.6, 1e-3, false),
        (1.6, 10.0, false),
    ] {
        let spec = format!("xcp:alpha={alpha},beta={beta},rtt=1s");
        let looped = Chosen::parse(&spec, Some("projected"), &[])?.build()?;
        checks.push(Check::new(
            GROUP,
            format!("{spec}, form projected: sign of the rate of growth"),
            if stable { -1.0 } else { 1.0 },
            "independent integration with fixed steps; x' = -alpha x(t - 1) is unstable from pi/2 on",
            looped.run(400.0, 0).map(|found| found.rate.signum()),
            Tolerance::Absolute(0.0),
            "a sign",
        ));
    }
    Ok(checks)
}

/// Along the boundary of XCP's linear and projected models.
fn along_xcp() -> Vec<Check> {
    let exact = [
        (0.1, 0.096_586_263_897),
        (0.2, 0.186_000_727_841),
        (0.3, 0.267_669_178_656),
        (0.5, 0.404_993_649_233),
        (0.6, 0.458_949_186_726),
        (0.8, 0.531_857_835_831),
        (1.0, 0.547_351_889_757),
        (1.2, 0.485_311_892_221),
        (1.4, 0.307_943_028_067),
        (1.5, 0.152_190_142_014),
    ];
    let mut checks: Vec<Check> = exact
        .into_iter()
        .map(|(alpha, beta)| {
            let spec = format!("xcp:alpha={alpha},rtt=1s");
            linear(&spec, "linear", "beta", beta)
        })
        .collect();
    for (alpha, beta) in [
        (0.6, 6.12),
        (0.8, 1.755),
        (1.0, 0.951),
        (1.2, 0.5885),
        (1.3, 0.4448),
        (1.5, 0.1428),
    ] {
        checks.push(projected(alpha, beta));
    }
    checks
}
