//! Boundaries of control loops by bisecting the integrator's rate of growth, and XCP's start.

use super::{Check, Tolerance};
use crate::error::{Error, Result};
use crate::numeric::characteristic::boundaries as changes;
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
