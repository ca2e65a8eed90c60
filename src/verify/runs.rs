//! Runs one acknowledgement at a time.

use super::closed::{on, window};
use super::{Check, Tolerance, law};
use crate::error::Result;
use crate::model::{LossModel, Path, ResponseFunction};
use crate::responses::ack::{Ack, Effort};
use crate::units::{LossRate, Packets, Seconds};

/// The window of a run on a path.
pub(super) fn run_on(
    path: &Path,
    spec: &str,
    losses: LossModel,
    p: f64,
    effort: Effort,
) -> Result<f64> {
    Ack::new(law(spec)?, losses, effort)
        .respond(LossRate::new(p)?, path)
        .map(|answer| answer.window.value())
}

fn run(spec: &str, losses: LossModel, p: f64, effort: Effort) -> Result<f64> {
    run_on(&Path::default(), spec, losses, p, effort)
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

pub(super) fn ack_modern() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    // Towards W_cubic one round trip R ahead the window is W_cubic + (R²/2)·W'' − 2·C·R³ near the plateau, back at W_max
    // at x round trips past K, x³ + 3x − 2 = 0. With (K + x·R)·K³ fixed the mean falls by (3/4)·x·R/K.
    for (p, rtt) in [(1e-4, 0.1), (1e-5, 0.1), (1e-5, 0.05)] {
        let path = Path::with_rtt(Seconds::new(rtt));
        let exact = on(&path, "cubic", "inside-epoch", p)?;
        let rounds = (0.3 * exact.peak.map_or(0.0, Packets::value) / 0.4).cbrt() / rtt;
        let got = run_on(&path, "cubic", LossModel::Periodic, p, Effort::default());
        checks.push(Check::new(
            "ack-modern",
            format!("cubic periodic losses p={p:e} RTT {rtt} s: share below the cubic, in RTT/K"),
            0.75 * 0.596_072,
            "derived from rfc9438 section 4.4: target one round trip ahead, 0.447 RTT/K to first order",
            got.map(|w| (1.0 - w / exact.window.value()) * rounds),
            Tolerance::Absolute((2.0 / rounds).max(0.05 * 0.447)),
            "next orders: 2 (RTT/K)^2, and a twentieth for whole acknowledgements",
        ));
    }
    let (p, rtt) = (1e-3, 0.2);
    let effort = Effort {
        precision: 0.004,
        budget: 2_000_000_000,
        seed: 1,
    };
    let path = Path::with_rtt(Seconds::new(rtt));
    let got = run_on(&path, "cubic", LossModel::Random, p, effort);
    checks.push(Check::new(
        "ack-modern",
        format!("cubic random losses p={p:e} RTT {rtt} s, (p/RTT)^0.75 W"),
        1.3004,
        "independent Monte Carlo over the chain of windows at losses",
        got.map(|w| w * (p / rtt).powf(0.75)),
        Tolerance::Absolute(0.007),
        "0.005 of sampling (95 % half-width 0.4 %) and 0.002 of epochs of only 18 round trips: four times as many losses give \
         1.2983 +- 0.0018",
    ));
    Ok(checks)
}
