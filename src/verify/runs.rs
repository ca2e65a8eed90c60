//! Runs one acknowledgement at a time.

use super::closed::window;
use super::{Check, Tolerance};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{LossModel, Path, ResponseFunction};
use crate::responses::ack::{Ack, Effort};
use crate::units::LossRate;

fn run(spec: &str, losses: LossModel, p: f64, effort: Effort) -> Result<f64> {
    let selected = Selected::parse(spec)?;
    let law = selected
        .algorithm
        .law(&selected.setting)
        .ok_or_else(|| Error::NoAnswer("a formula, not a law".into()))?;
    Ack::new(law, losses, effort)
        .respond(LossRate::new(p)?, &Path::default())
        .map(|answer| answer.window.value())
}

pub(super) fn ack() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    // Half a percent is two standard errors of these runs (half-width of the 95 % interval 0.4 %).
    let effort = Effort {
        precision: 0.004,
        budget: 2_000_000_000,
        seed: 1,
    };
    for (spec, constant) in [("reno", 1.309_833), ("aimd:a=1,b=0.125", 2.782_642)] {
        let got = run(spec, LossModel::Random, 1e-4, effort).map(|w| w * 1e-2);
        checks.push(Check::new(
            "ack",
            format!("{spec} random losses p=1e-4, sqrt(p) W"),
            constant,
            "gamma product, independent calculation",
            got,
            Tolerance::Relative(5e-3),
            "sampling: the run stops when the half-width of its 95 % interval is 0.4 %",
        ));
    }
    let periodic = Effort::default();
    for p in [1e-3, 3e-4, 1e-4, 1e-5, 1e-6] {
        let got = run("bic", LossModel::Periodic, p, periodic);
        checks.push(Check::new(
            "ack",
            format!("bic periodic losses p={p:e}"),
            window("bic", "per-ack", p)?,
            "closed form `per-ack`",
            got,
            Tolerance::Relative(3e-3),
            "whole acknowledgements against a continuous law: 0.27 % at 1e-3, less below",
        ));
    }
    // A packet-level closed loop written independently in C.
    for (p, expected, tolerance) in [
        (1e-3, 70.5695, 1e-3),
        (1e-4, 546.460, 2e-4),
        (1e-5, 3367.886, 2e-5),
        (1e-6, 13_763.456, 5e-6),
    ] {
        let got = run("bic:low_window=0", LossModel::Periodic, p, periodic);
        checks.push(Check::new("ack", format!("bic periodic losses p={p:e} against another program"), expected, "independent C program, one acknowledgement at a time", got, Tolerance::Relative(tolerance), "that program stays where it was started, at the continuous law's window; this road finds the window that whole acknowledgements repeat"));
    }
    for p in [1e-2, 1e-3, 1e-4, 1e-5] {
        let got = run("reno", LossModel::Periodic, p, periodic);
        checks.push(Check::new("ack", format!("reno periodic losses p={p:e}"), window("reno", "periodic", p)?, "closed form `periodic`", got, Tolerance::Relative(0.3 * p.sqrt()), "growth of 1/W taken at each acknowledgement lags by about half a packet in a window of 1.2/sqrt(p)"));
    }
    Ok(checks)
}
