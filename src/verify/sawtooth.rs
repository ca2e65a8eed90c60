//! The epoch road: against closed forms where they are exact, against independently solved sawteeth, and where roads differ
//! by how much and why.

use super::closed::{form, window};
use super::data::{self, rows};
use super::{Check, Tolerance, law};
use crate::error::{Error, Result};
use crate::model::{Path, Response, ResponseFunction};
use crate::responses::epoch::Epoch;
use crate::units::{LossRate, Packets};

pub(super) fn epoch_on(path: &Path, spec: &str, p: f64) -> Result<Response> {
    Epoch::new(law(spec)?).respond(LossRate::new(p)?, path)
}

fn epoch(spec: &str, p: f64) -> Result<Response> {
    epoch_on(&Path::default(), spec, p)
}

pub(super) fn one_regime() -> Result<Vec<Check>> {
    let everywhere: &[f64] = &[1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3];
    let cases: &[(&str, &str, &[f64])] = &[
        ("reno", "periodic", everywhere),
        ("reno:ack_every=2", "periodic", everywhere),
        ("aimd", "periodic", everywhere),
        ("aimd:a=0.2,b=0.125", "periodic", everywhere),
        ("aimd:a=1,b=0.9", "periodic", everywhere),
        ("aimd:a=5,b=0.01,ack_every=2", "periodic", everywhere),
        (
            "scalable",
            "mean",
            &[1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 4.375e-3],
        ),
        ("scalable:low_window=0,a=0.02,b=0.5", "mean", everywhere),
        (
            "bic",
            "per-ack",
            &[
                1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 1.0916e-4, 1.1e-4, 3e-4, 1e-3,
                3e-3, 5.7e-3,
            ],
        ),
        ("bic:low_window=0", "per-ack", &[1e-2, 3e-2, 0.1, 0.3]),
        (
            "bic:low_window=0,smax=8,smin=1,beta=0.25",
            "per-ack",
            &[1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1],
        ),
    ];
    let reason = "one regime: the same law, integrated and solved; what is left is rounding of the window against steps of Smin";
    let mut checks = Vec::new();
    for &(spec, name, losses) in cases {
        // A law with a low window is compared with its own formula, not with the one joined to standard TCP.
        let own = match spec {
            "scalable" | "bic" => format!("{spec}:low_window=0"),
            _ => spec.to_owned(),
        };
        for &p in losses {
            let closed = form(&own, name)?.respond(LossRate::new(p)?, &Path::default())?;
            let exact = epoch(spec, p);
            let source = format!("closed form `{name}`: {}", closed.source);
            checks.push(Check::new(
                "epoch",
                format!("{spec} p={p:e} window"),
                closed.window.value(),
                source.clone(),
                exact.clone().map(|a| a.window.value()),
                Tolerance::Relative(1e-10),
                reason,
            ));
            if let Some(slope) = closed.slope {
                let got = exact.clone().map(|a| a.slope.unwrap_or(0.0));
                checks.push(Check::new("epoch", format!("{spec} p={p:e} slope"), slope, source.clone(), got, Tolerance::Absolute(2e-5), "the epoch's slope is a difference quotient over 2e-4 in the logarithm; near a regime boundary its curvature jumps"));
            }
            if let Some(peak) = closed.peak {
                let got = exact.map(|a| a.peak.map_or(0.0, Packets::value));
                checks.push(Check::new(
                    "epoch",
                    format!("{spec} p={p:e} peak"),
                    peak.value(),
                    source,
                    got,
                    Tolerance::Relative(1e-10),
                    reason,
                ));
            }
        }
    }
    Ok(checks)
}

pub(super) fn reference() -> Result<Vec<Check>> {
    let source = "mpmath, 40 digits: the law integrated in pieces";
    let reason = "15 printed digits, and rounding of the window against steps of Smin";
    let mut checks = Vec::new();
    let mut push = |spec: &str, p: f64, row: &data::Row| -> Result<()> {
        let exact = epoch(spec, p);
        let expected = row.number("window_pkt")?;
        checks.push(Check::new(
            "sawtooth",
            format!("{spec} p={p:.4e} window"),
            expected,
            source,
            exact.clone().map(|a| a.window.value()),
            Tolerance::Relative(1e-10),
            reason,
        ));
        let got = exact.map(|a| a.peak.map_or(0.0, Packets::value));
        checks.push(Check::new(
            "sawtooth",
            format!("{spec} p={p:.4e} peak"),
            row.number("peak_pkt")?,
            source,
            got,
            Tolerance::Relative(1e-10),
            reason,
        ));
        Ok(())
    };
    for (spec, table) in [("bic", data::BIC_EPOCH), ("scalable", data::SCALABLE_EPOCH)] {
        // Where two sawteeth repeat themselves the road answers with the larger and names the other.
        let rows = rows(table)?;
        for (i, row) in rows.iter().enumerate() {
            let p = row.number("loss")?;
            let larger = |other: &data::Row| {
                Ok::<bool, Error>(
                    other.number("loss")? == p
                        && other.number("window_pkt")? > row.number("window_pkt")?,
                )
            };
            let mut beaten = false;
            for (j, other) in rows.iter().enumerate() {
                beaten |= i != j && larger(other)?;
            }
            if !beaten {
                push(spec, p, row)?;
            }
        }
    }
    for row in rows(data::HIGHSPEED_EPOCH)? {
        if row.text("clamp") == "both" {
            push("highspeed", row.number("loss")?, &row)?;
        }
    }
    Ok(checks)
}

pub(super) fn differ() -> Result<Vec<Check>> {
    let ratio = |a: Result<f64>, b: Result<f64>| Ok(a? / b?);
    let exact = |spec: &str, p: f64| epoch(spec, p).map(|answer| answer.window.value());
    let mut checks = Vec::new();
    let mut push =
        |what: String, expected: f64, got: Result<f64>, tolerance: f64, reason: &'static str| {
            checks.push(Check::new(
                "roads-differ",
                what,
                expected,
                "independent calculation",
                got,
                Tolerance::Absolute(tolerance),
                reason,
            ));
        };
    let halving = "one halving a round in the paper's analysis, e^(-1/2) a round in its pseudo-code; printed to 0.1 %";
    for (p, percent) in [
        (1e-3, 17.9),
        (10f64.powf(-3.5), 19.95),
        (1e-4, 20.0),
        (10f64.powf(-4.5), 13.8),
        (1e-5, 8.3),
        (1e-6, 2.6),
        (1e-7, 0.8),
    ] {
        push(
            format!("bic per-round over epoch, p={p:.3e}, percent"),
            percent,
            ratio(window("bic", "per-round", p), exact("bic", p)).map(|r| 100.0 * (r - 1.0)),
            0.05,
            halving,
        );
    }
    let frozen = "RFC 3649 freezes a(w), b(w) at the mean window; along the sawtooth they vary; printed to 0.001";
    for (p, expected) in [
        (1e-3, 1.053),
        (10f64.powf(-3.5), 0.998),
        (1e-4, 0.999),
        (10f64.powf(-4.5), 0.999),
        (1e-5, 0.999),
        (1e-6, 0.996),
    ] {
        let line = 0.12 / p.powf(0.835);
        push(
            format!("highspeed epoch over 0.12/p^0.835, p={p:.3e}"),
            expected,
            exact("highspeed", p).map(|w| w / line),
            5e-4,
            frozen,
        );
    }
    push(
        "highspeed epoch over line, p=1e-7".into(),
        81_804.369 / 83_981.04,
        ratio(
            exact("highspeed", 1e-7),
            window("highspeed", "printed", 1e-7),
        ),
        1e-6,
        "the sawtooth reaches above High_Window, where a and b are held; with nothing held it would be 83285/83981",
    );
    let jump = "the closed form joins standard TCP at the crossing, while the law keeps its own rules down to low_window and jumps there";
    push(
        "bic epoch over closed, p=1e-2".into(),
        13.873_467_226 / 12.247_448_714,
        ratio(exact("bic", 1e-2), window("bic", "per-ack", 1e-2)),
        1e-9,
        jump,
    );
    push(
        "scalable epoch over closed, p=1e-2".into(),
        16.176_940_886_7 / 12.247_448_714,
        ratio(exact("scalable", 1e-2), window("scalable", "mean", 1e-2)),
        1e-9,
        jump,
    );
    push(
        "reno random over periodic".into(),
        1.309_833_274_658 / 1.224_744_871_392,
        ratio(
            window("reno", "random", 1e-4),
            window("reno", "periodic", 1e-4),
        ),
        1e-11,
        "loss models: independent losses against one every 1/p packets",
    );
    push(
        "reno mean-field over periodic".into(),
        1.154_700_538,
        ratio(
            window("reno", "mean-field", 1e-4),
            window("reno", "periodic", 1e-4),
        ),
        1e-9,
        "loss models: the mean-field equilibrium ignores the sawtooth, 2/sqrt(3)",
    );
    push(
        "scalable peak over mean".into(),
        0.08 / 0.074_888_757,
        ratio(
            window("scalable", "peak", 1e-4),
            window("scalable", "mean", 1e-4),
        ),
        1e-8,
        "the window before a loss against the mean over rounds",
    );
    push(
        "bic fractional over per-round, p=1e-3".into(),
        80.276_7 / 82.994_2,
        ratio(
            window("bic", "fractional", 1e-3),
            window("bic", "per-round", 1e-3),
        ),
        2e-6,
        "a real number of halvings in eq. 4-5 against whole rounds with the last one cut",
    );
    Ok(checks)
}
