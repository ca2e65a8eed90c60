//! Closed forms against many-digit arithmetic.

use super::data::{self, rows};
use super::{Check, Tolerance};
use crate::algorithms::{ALGORITHMS, Selected};
use crate::error::{Error, Result};
use crate::model::{Path, Response, ResponseFunction, Setting};
use crate::numeric::lambert::{omega, w0};
use crate::units::{LossRate, Packets, Seconds};

/// A form of a law by name; the law's default for an empty name.
pub(super) fn form(spec: &str, name: &str) -> Result<Box<dyn ResponseFunction>> {
    let law = Selected::parse(spec)?;
    let forms = law.algorithm.closed(&law.setting);
    forms
        .into_iter()
        .find(|form| name.is_empty() || form.form() == name)
        .ok_or_else(|| {
            Error::unknown(
                "form",
                name,
                law.algorithm.forms().iter().map(|info| info.name),
            )
        })
}

/// What a form answers at a loss rate, on a path.
pub(super) fn on(path: &Path, spec: &str, name: &str, p: f64) -> Result<Response> {
    form(spec, name)?.respond(LossRate::new(p)?, path)
}

/// What a form answers at a loss rate, where no round trip matters.
pub(super) fn at(spec: &str, name: &str, p: f64) -> Result<Response> {
    on(&Path::default(), spec, name, p)
}

pub(super) fn window(spec: &str, name: &str, p: f64) -> Result<f64> {
    at(spec, name, p).map(|answer| answer.window.value())
}

pub(super) fn lambert() -> Result<Vec<Check>> {
    let reason = "a few units in the last place of the function and of its argument";
    let mut checks = Vec::new();
    for row in rows(data::LAMBERT)? {
        let x = row.number("x")?;
        checks.push(Check::new(
            "lambert",
            format!("W0({x:e})"),
            row.number("w0")?,
            "mpmath, 60 digits",
            Ok(w0(x)),
            Tolerance::Relative(1e-14),
            reason,
        ));
    }
    for row in rows(data::LAMBERT_LN)? {
        let x = row.number("ln_x")?;
        // Below 2 the exponential is taken first, and its relative error is |x| units in the last place.
        let tolerance = if x < 0.0 {
            1e-14 + 3e-16 * x.abs()
        } else {
            1e-14
        };
        checks.push(Check::new(
            "lambert",
            format!("W0(e^{x})"),
            row.number("w")?,
            "mpmath, 60 digits",
            Ok(omega(x)),
            Tolerance::Relative(tolerance),
            reason,
        ));
    }
    Ok(checks)
}

pub(super) fn closed_forms() -> Result<Vec<Check>> {
    let reason = "rounding of a formula whose condition is mild";
    let source = "mpmath, 60 digits";
    let mut checks = Vec::new();
    for row in rows(data::CLOSED_FORMS)? {
        let (spec, name) = (row.text("law"), row.text("form"));
        let path = if row.text("rtt_s").is_empty() {
            Path::default()
        } else {
            Path::with_rtt(Seconds::new(row.number("rtt_s")?))
        };
        let answer = form(spec, name)
            .and_then(|form| form.respond(LossRate::new(row.number("loss")?)?, &path));
        let place = format!("{spec} {name} p={}", row.text("loss"));
        let got = answer.clone().map(|a| a.window.value());
        checks.push(Check::new(
            "closed-forms",
            format!("{place} window"),
            row.number("window_pkt")?,
            source,
            got,
            Tolerance::Relative(1e-13),
            reason,
        ));
        if !row.text("peak_pkt").is_empty() {
            let got = answer.and_then(|a| {
                a.peak
                    .map(Packets::value)
                    .ok_or_else(|| Error::NoAnswer("no peak".into()))
            });
            checks.push(Check::new(
                "closed-forms",
                format!("{place} peak"),
                row.number("peak_pkt")?,
                source,
                got,
                Tolerance::Relative(1e-13),
                reason,
            ));
        }
    }
    Ok(checks)
}

/// The constants behind a square root: sqrt(p) times the window at a small loss rate.
pub(super) fn constants() -> Result<Vec<Check>> {
    let table = [
        ("aimd:a=1,b=0.5", "random", 1.309_833_274_658),
        ("aimd:a=1,b=0.5", "periodic", 1.224_744_871_392),
        ("aimd:a=1,b=0.5", "mean-field", std::f64::consts::SQRT_2),
        ("aimd:a=1,b=0.3", "random", 1.750_759),
        ("aimd:a=1,b=0.3", "periodic", 1.683_251),
        ("aimd:a=1,b=0.25", "random", 1.932_684),
        ("aimd:a=1,b=0.25", "periodic", 1.870_829),
        ("aimd:a=1,b=0.125", "random", 2.782_642),
        ("aimd:a=1,b=0.125", "periodic", 2.738_613),
        ("aimd:a=32,b=0.125", "periodic", 15.491_933),
        ("aimd:a=32,b=0.25", "periodic", 10.583_005),
        ("aimd:a=32,b=0.25", "mean-field", 11.313_71),
        ("reno", "random", 1.309_833_274_658),
        ("aimd", "periodic", 15.491_933),
        ("mathis", "square-root", 1.224_744_871_392),
        ("mathis@rfc-tables", "square-root", 1.2),
        ("mathis@rfc9332", "square-root", 1.22),
        ("mathis@simple", "square-root", 1.0),
        ("mathis@random", "square-root", 1.309_833_274_658),
    ];
    let reason = "constants are given with six digits or more, windows with four decimals";
    let mut checks: Vec<Check> = table
        .iter()
        .map(|&(spec, name, constant)| {
            let got = window(spec, name, 1e-4).map(|w| w * 1e-2);
            Check::new(
                "constants",
                format!("{spec} {name} sqrt(p) W"),
                constant,
                "independent calculation (gamma product, simulation of 2e6 losses)",
                got,
                Tolerance::Relative(1e-6),
                reason,
            )
        })
        .collect();
    for (p, w) in [(1e-2, 11.5204), (1e-3, 37.9871), (1e-4, 121.7268)] {
        checks.push(Check::new(
            "constants",
            format!("reno discrete p={p:e}"),
            w,
            "independent calculation (whole windows)",
            window("reno", "discrete", p),
            Tolerance::Absolute(5e-5),
            reason,
        ));
    }
    for (p, w) in [(1e-7, 748_887.0), (1e-4, 748.887)] {
        checks.push(Check::new(
            "constants",
            format!("scalable mean p={p:e}"),
            w,
            "independent calculation: a/ln(1/(1-b)) = 0.0748887",
            window("scalable", "mean", p),
            Tolerance::Relative(1e-6),
            reason,
        ));
    }
    Ok(checks)
}

/// Every default form of every law at its default values: window to loss and back.
pub(super) fn inverse() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let quiet = Path::with_rtt(Seconds::new(0.1));
    let queued = Path {
        base_rtt: Some(Seconds::new(0.075)),
        ..quiet
    };
    for algorithm in ALGORITHMS {
        for preset in algorithm.presets() {
            let setting = Setting::of(algorithm.parameters(), preset);
            let Some(form) = algorithm.closed(&setting).into_iter().next() else {
                continue;
            };
            // A form may need a queueing delay.
            let path = match form.respond(LossRate::new(1e-4)?, &quiet) {
                Err(Error::NoAnswer(_)) => queued,
                _ => quiet,
            };
            for p in [3e-10, 2e-7, 4e-5, 3e-3, 0.02, 0.09] {
                let got = form
                    .respond(LossRate::new(p)?, &path)
                    .and_then(|answer| form.loss_for(answer.window, &path))
                    .map(LossRate::value);
                checks.push(Check::new(
                    "inverse",
                    format!(
                        "{}@{} {} p={p:e} to window and back",
                        algorithm.name(),
                        preset.name,
                        form.form()
                    ),
                    p,
                    "identity",
                    got,
                    Tolerance::Relative(1e-12),
                    "rounding of the window, divided by the slope",
                ));
            }
        }
    }
    Ok(checks)
}
