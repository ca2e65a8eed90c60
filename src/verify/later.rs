//! The later laws: their closed forms against many-digit arithmetic, and their epochs against their closed forms.

use super::closed::{form, on};
use super::data::{self, rows};
use super::sawtooth::epoch_on;
use super::{Check, Tolerance};
use crate::error::{Error, Result};
use crate::model::{Path, Response};
use crate::units::{LossRate, Packets, Seconds};

/// A path by its round trip and, where it has a queue, its base round trip.
fn path(rtt: f64, base_rtt: Option<f64>) -> Path {
    Path {
        rtt: Some(Seconds::new(rtt)),
        base_rtt: base_rtt.map(Seconds::new),
    }
}

/// How the reference file writes a law and its path, in this crate's words.
fn translate(row: &data::Row) -> Result<(String, Path)> {
    let law = row.text("law");
    if law.strip_prefix("illinois:delay=").is_some() {
        let text = law.trim_start_matches("illinois:delay=");
        let fraction: f64 = text.parse().map_err(|_| {
            Error::malformed("delay in the reference data", text, "a decimal number")
        })?;
        // A base round trip so short that the difference of the two keeps the digits of the delay.
        let (base, most) = (2f64.powi(-40), 0.125);
        let queued = path(base + fraction * most, Some(base));
        return Ok(("illinois:max_delay=0.125s".into(), queued));
    }
    let spec = law
        .replace(",rto_rtts=4", "")
        .replace("rto_s=1", "rto=1s")
        .replace("max_window", "receive_window");
    let own = if row.text("rtt_s").is_empty() {
        Path::default()
    } else {
        path(row.number("rtt_s")?, None)
    };
    Ok((spec, own))
}

/// Whether an answer's regime is the one that the reference file names.
fn same_regime(answer: &str, reference: &str) -> bool {
    match reference {
        "" => true,
        "both" => answer == "cubic, then Reno-friendly",
        "reno" if answer == "standard TCP" => true,
        regime => answer.eq_ignore_ascii_case(regime),
    }
}

pub(super) fn closed_forms() -> Result<Vec<Check>> {
    let source = "mpmath, 60 digits";
    let reason = "rounding of powers over 16 decades, and of a root in K or T, of which the window is the cube";
    let mut checks = Vec::new();
    let mut misnamed = 0;
    for row in rows(data::CLOSED_FORMS_MODERN)? {
        let (spec, path) = translate(&row)?;
        let name = row.text("form");
        let answer = on(&path, &spec, name, row.number("loss")?);
        let place = format!(
            "{} {name} p={} RTT={}",
            row.text("law"),
            row.text("loss"),
            row.text("rtt_s")
        );
        misnamed += usize::from(
            answer
                .as_ref()
                .is_ok_and(|a| !same_regime(&a.regime, row.text("regime"))),
        );
        let mut push = |what: &str, expected: f64, got: Result<f64>| {
            checks.push(Check::new(
                "modern-forms",
                format!("{place} {what}"),
                expected,
                source,
                got,
                Tolerance::Relative(1e-13),
                reason,
            ));
        };
        let got = answer.clone().map(|a| a.window.value());
        push("window", row.number("window_pkt")?, got);
        if !row.text("peak_pkt").is_empty() {
            let got = answer.and_then(|a| {
                a.peak
                    .map(Packets::value)
                    .ok_or_else(|| Error::NoAnswer("no peak".into()))
            });
            push("peak", row.number("peak_pkt")?, got);
        }
    }
    checks.push(Check::new(
        "modern-forms",
        "answers in another regime than the reference's".into(),
        0.0,
        source,
        Ok(misnamed as f64),
        Tolerance::Absolute(0.0),
        "a count",
    ));
    Ok(checks)
}

pub(super) fn epochs() -> Result<Vec<Check>> {
    let mut checks = numbers()?;
    let losses: &[f64] = &[3e-3, 1e-3, 3.3e-4, 1e-4, 2.7e-5, 1e-6, 3e-8, 1e-9];
    // The whole sawtooth above 16 packets.
    let compound: &[f64] = &[3.5e-3, 3e-3, 1e-3, 3.3e-4, 1e-4, 2.7e-5, 1e-6, 3e-8, 1e-9];
    let steep: &[f64] = &[1e-3, 3.3e-4, 1e-4, 2.7e-5, 1e-6, 3e-8, 1e-9];
    // The cubic is ahead of the Reno-friendly window in the whole epoch.
    let cubic: &[f64] = &[3e-4, 1e-4, 2.7e-5, 1e-6, 3e-8, 1e-9];
    let cases: &[(&str, &str, &[f64], &[f64])] = &[
        ("cubic", "periodic", &[0.1, 0.2], cubic),
        ("cubic", "inside-epoch", &[0.01, 0.1, 1.0], losses),
        ("cubic:beta=0.8,c=4", "inside-epoch", &[0.03, 0.2], losses),
        ("cubic@hrx08", "inside-epoch", &[0.1], losses),
        ("htcp", "periodic", &[0.005, 0.1, 0.4], losses),
        (
            "htcp:adaptive_backoff=1,rtt_scaling=1",
            "periodic",
            &[0.005, 0.1, 0.4],
            losses,
        ),
        ("htcp:beta=0.7", "periodic", &[0.1], losses),
        ("compound", "periodic", &[0.1], compound),
        (
            "compound:k=0.8,alpha=0.2,beta=0.3",
            "periodic",
            &[0.1],
            losses,
        ),
        ("illinois", "periodic", &[0.1], steep),
    ];
    let reason = "one regime: the same law, integrated and solved";
    for &(spec, name, rtts, losses) in cases {
        for &rtt in rtts {
            let path = path(rtt, None);
            for &p in losses {
                let closed = form(spec, name)?.respond(LossRate::new(p)?, &path)?;
                let exact = epoch_on(&path, spec, p);
                let mut push = |what: &str, expected: f64, got: Result<f64>, tolerance, reason| {
                    checks.push(Check::new(
                        "epoch-modern",
                        format!("{spec} {name} RTT={rtt} p={p:e} {what}"),
                        expected,
                        format!("closed form `{name}`: {}", closed.source),
                        got,
                        tolerance,
                        reason,
                    ));
                };
                push(
                    "window",
                    closed.window.value(),
                    exact.clone().map(|a| a.window.value()),
                    Tolerance::Relative(1e-10),
                    reason,
                );
                let peak = |a: &Response| a.peak.map_or(0.0, Packets::value);
                push(
                    "peak",
                    peak(&closed),
                    exact.as_ref().map(peak).map_err(Clone::clone),
                    Tolerance::Relative(1e-9),
                    "where the window is flat its peak moves more than its mean",
                );
                for (what, expected, got) in [
                    ("slope", closed.slope, exact.clone().map(|a| a.slope)),
                    (
                        "RTT exponent",
                        closed.rtt_exponent,
                        exact.map(|a| a.rtt_exponent),
                    ),
                ] {
                    push(
                        what,
                        expected.unwrap_or(0.0),
                        got.map(|value| value.unwrap_or(f64::NAN)),
                        Tolerance::Absolute(1e-5),
                        "the epoch's is a difference quotient over 2e-4 in the logarithm",
                    );
                }
            }
        }
    }
    Ok(checks)
}

/// Means of later laws, to the digits printed.
fn numbers() -> Result<Vec<Check>> {
    rows(data::LATER_LAWS)?
        .iter()
        .map(|row| {
            let base = row.text("base_rtt_s");
            let base = if base.is_empty() {
                None
            } else {
                Some(row.number("base_rtt_s")?)
            };
            let (spec, name) = (row.text("law"), row.text("form"));
            let answer = on(
                &path(row.number("rtt_s")?, base),
                spec,
                name,
                row.number("loss")?,
            );
            let (expected, unit) = row.printed("window_pkt")?;
            Ok(Check::new(
                "epoch-modern",
                format!(
                    "{spec} {name} RTT={} p={} as printed",
                    row.text("rtt_s"),
                    row.text("loss")
                ),
                expected,
                "independent calculation",
                answer.map(|a| a.window.value()),
                Tolerance::Absolute(unit * (1.0 + 1e-9)),
                "half a unit of the last printed digit",
            ))
        })
        .collect()
}
