//! Numbers that papers and RFCs print.

use super::closed::{at, form, window};
use super::data::{self, half_unit, rows};
use super::{Check, Tolerance, law};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, Path, WindowLaw};
use crate::units::{LossRate, Packets};
use crate::what_if::{Context, Meeting, crossover, find_road};

const PRINTED: &str = "half a unit of the last printed digit";

/// Packets per round trip that a law of one state adds at a window.
fn growth(law: &dyn WindowLaw, w: f64) -> f64 {
    let mut dx = vec![0.0; law.states().len()];
    let mut x = dx.clone();
    law.settle(w, &mut x);
    law.increase(&x, &Feedback::quiet(1.0), &mut dx);
    dx[0]
}

/// Fraction that a loss removes at a window.
fn removed(law: &dyn WindowLaw, w: f64) -> f64 {
    let mut x = vec![0.0; law.states().len()];
    law.settle(w, &mut x);
    law.decrease(&mut x, &Feedback::quiet(1.0), Cause::Loss);
    1.0 - x[0] / w
}

/// The first point at which two laws meet, between two loss rates.
fn meets(a: &str, b: &str, form: Option<&str>, from: f64, to: f64) -> Result<Meeting> {
    let pair = [&Selected::parse(a)?, &Selected::parse(b)?];
    let context = Context {
        roads: vec![find_road("closed")?],
        form: form.map(str::to_owned),
        ..Context::default()
    };
    let reply = crossover(pair, (LossRate::new(from)?, LossRate::new(to)?), &context)?;
    reply
        .answers
        .first()
        .and_then(|answer| answer.points.as_ref()?.first().copied())
        .ok_or_else(|| Error::NoAnswer("no crossover".into()))
}

pub(super) fn rfc3649() -> Result<Vec<Check>> {
    let highspeed = law("highspeed")?;
    let source = "RFC 3649 table 12";
    let mut checks = Vec::new();
    for row in rows(data::RFC3649_TABLE12)? {
        let w = row.number("window_pkt")?;
        let a = growth(highspeed.as_ref(), w).floor();
        checks.push(Check::new(
            "rfc3649",
            format!("a({w})"),
            row.number("a")?,
            source,
            Ok(a),
            Tolerance::Absolute(0.0),
            "whole packets, truncated as the table's program does",
        ));
        let (b, unit) = row.printed("b")?;
        checks.push(Check::new(
            "rfc3649",
            format!("b({w})"),
            b,
            source,
            Ok(removed(highspeed.as_ref(), w)),
            Tolerance::Absolute(unit + 1e-12),
            PRINTED,
        ));
    }
    let more = [
        (
            "a(83000)",
            70.0,
            "RFC 3649 table 12",
            Ok(growth(highspeed.as_ref(), 83_000.0).floor()),
            0.0,
            "truncated as the table's program does",
        ),
        (
            "a(8333)",
            26.0,
            "RFC 3649 table 9",
            Ok(growth(highspeed.as_ref(), 8333.0).floor()),
            0.0,
            "floor lookup of table 12",
        ),
        (
            "b(83000)",
            0.1,
            "RFC 3649 section 5",
            Ok(removed(highspeed.as_ref(), 83_000.0)),
            1e-12,
            "a parameter",
        ),
        (
            "S",
            0.834_823_6,
            "independent calculation: -S = ln(83000/38)/ln(1e4)",
            at("highspeed", "line", 1e-5).map(|answer| answer.slope.unwrap_or(0.0)),
            5e-8,
            "printed digits",
        ),
        (
            "W at p=1e-7",
            83_981.0,
            "RFC 3649 table 3",
            window("highspeed", "printed", 1e-7),
            0.5,
            PRINTED,
        ),
        (
            "W at p=1e-5",
            1795.0,
            "RFC 3649 table 3",
            window("highspeed", "printed", 1e-5),
            0.5,
            PRINTED,
        ),
        (
            "W at p=1e-4",
            263.0,
            "RFC 3649 table 3",
            window("highspeed", "printed", 1e-4),
            0.5,
            PRINTED,
        ),
        (
            "W at p=1e-6",
            12_279.0,
            "RFC 3649 table 3",
            window("highspeed", "printed", 1e-6).map(f64::floor),
            0.0,
            "truncated in the table; RFC 9438 prints 12280",
        ),
        (
            "p at 10 Gbit/s",
            1.01e-7,
            "RFC 9438 table 3, with one more digit",
            form("highspeed", "printed")?
                .loss_for(Packets::new(1e10 / 12_000.0 * 0.1), &Path::default())
                .map(LossRate::value),
            5e-10,
            PRINTED,
        ),
    ];
    for (what, expected, source, got, tolerance, reason) in more {
        checks.push(Check::new(
            "rfc3649",
            what.into(),
            expected,
            source,
            got,
            Tolerance::Absolute(tolerance),
            reason,
        ));
    }
    let crossings = [
        ("highspeed", "loss", 9.74e-4, 5e-7),
        ("highspeed", "window", 39.25, 5e-3),
        ("highspeed@draft2002", "window", 31.0, 1.6),
    ];
    for (spec, what, expected, tolerance) in crossings {
        let got = meets(spec, "reno", None, 1e-7, 1e-1).map(|point| {
            if what == "loss" {
                point.loss
            } else {
                point.window_pkt
            }
        });
        let reason = if spec == "highspeed" {
            "printed digits"
        } else {
            "the paper's round number; with 1.2/sqrt(p) the crossing is at 30.9, with sqrt(1.5/p) at 32.4"
        };
        let source = if spec == "highspeed" {
            "independent calculation: 0.12/p^0.835 = sqrt(1.5/p)"
        } else {
            "xu2004 section VI-B3: HSTCP crosses TCP at window 31"
        };
        checks.push(Check::new(
            "rfc3649",
            format!("{spec} meets reno: {what}"),
            expected,
            source,
            got,
            Tolerance::Absolute(tolerance),
            reason,
        ));
    }
    Ok(checks)
}

pub(super) fn bic_table() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let columns = [
        ("paper", "bic:low_window=0", "printed"),
        ("fluid", "bic:low_window=0", "per-ack"),
        ("latched", "bic:low_window=0", "whole-rounds"),
        ("eq6", "bic", "large-window"),
    ];
    let source = "independent calculation (50 digits, and 5000 windows by iteration)";
    for row in rows(data::BIC_TABLE)? {
        let p = row.number("loss")?;
        for (column, spec, name) in columns {
            let (expected, unit) = row.printed(column)?;
            checks.push(Check::new(
                "bic-table",
                format!("{spec} {name} p={p:.4e}"),
                expected,
                source,
                window(spec, name, p),
                Tolerance::Absolute(unit * 1.000_001),
                PRINTED,
            ));
        }
        if !row.text("paper_peak").is_empty() {
            let (expected, unit) = row.printed("paper_peak")?;
            let got = at("bic:low_window=0", "printed", p).and_then(|answer| {
                answer
                    .peak
                    .map(Packets::value)
                    .ok_or_else(|| Error::NoAnswer("no peak".into()))
            });
            checks.push(Check::new(
                "bic-table",
                format!("bic printed Wmax p={p:.4e}"),
                expected,
                source,
                got,
                Tolerance::Absolute(unit * 6.0),
                "three units of the last printed digit: 60 digits give 667.62930 where 667.62933 is printed, and 3783.69360 is cut, not rounded",
            ));
        }
    }
    // Slopes of section 7.4: rising in the binary-search regime, a kink at p_b, falling beyond.
    let slopes = [
        (0.1, "0.816"),
        (1e-2, "0.864"),
        (1e-3, "0.893"),
        (1e-4, "0.853"),
        (1e-6, "0.547"),
        (1e-7, "0.515"),
        (1e-8, "0.505"),
    ];
    for (p, printed) in slopes {
        let expected: f64 = printed.parse().unwrap_or(0.0);
        let got = at("bic:low_window=0", "per-round", p).map(|answer| answer.slope.unwrap_or(0.0));
        checks.push(Check::new(
            "bic-table",
            format!("bic per-round slope p={p:e}"),
            expected,
            "independent calculation",
            got,
            Tolerance::Absolute(half_unit(printed) * 1.01),
            PRINTED,
        ));
    }
    Ok(checks)
}

pub(super) fn bic_claims() -> Result<Vec<Check>> {
    let ten_gigabit = Packets::new(1e10 / 12_000.0 * 0.1);
    let utilisation = |spec: &str, p: f64| {
        at(spec, "", p).and_then(|answer| {
            answer
                .peak
                .map(|peak| answer.window.value() / peak.value())
                .ok_or_else(|| Error::NoAnswer("no peak".into()))
        })
    };
    let bears = |spec: &str, name: &str| {
        form(spec, name)?
            .loss_for(ten_gigabit, &Path::default())
            .map(LossRate::value)
    };
    let round = "the paper's round number";
    let table = [
        (
            "bic meets reno: window",
            14.0,
            "xu2004 section VI-B3: crosses TCP at window 14",
            meets("bic", "reno", None, 1e-7, 1e-1).map(|m| m.window_pkt),
            Tolerance::Absolute(0.5),
            "the paper's whole number; 14.28 by eq. 4-5's family with sqrt(1.5/p), 13.61 with 1.2/sqrt(p)",
        ),
        (
            "bic meets reno: loss",
            7.36e-3,
            "independent calculation: per-round form = sqrt(1.5/p)",
            meets("bic", "reno", None, 1e-7, 1e-1).map(|m| m.loss),
            Tolerance::Absolute(5e-6),
            PRINTED,
        ),
        (
            "bic large-window: p at 10 Gbit/s",
            3.5e-8,
            "xu2004 section I",
            bears("bic", "large-window"),
            Tolerance::Absolute(5e-10),
            PRINTED,
        ),
        (
            "bic large-window: p at 10 Gbit/s, more digits",
            3.456e-8,
            "independent calculation from eq. 6",
            bears("bic", "large-window"),
            Tolerance::Absolute(5e-12),
            PRINTED,
        ),
        (
            "bic per-round: p at 10 Gbit/s",
            3.342e-8,
            "independent calculation from eq. 5",
            bears("bic", "per-round"),
            Tolerance::Absolute(5e-12),
            PRINTED,
        ),
        (
            "bic utilisation without buffer",
            0.94,
            "xu2004 section VI-B3: approximately 94 %",
            utilisation("bic", 1e-9),
            Tolerance::Absolute(5e-3),
            "printed as a whole percentage; the limit of large windows is 1 - beta/2 = 0.9375",
        ),
        (
            "scalable utilisation without buffer",
            0.94,
            "xu2004 section IX: around 94 %",
            utilisation("scalable", 1e-5),
            Tolerance::Absolute(5e-3),
            "printed as a whole percentage; beta/ln(1/(1-beta)) = 0.936",
        ),
        (
            "reno utilisation without buffer",
            0.75,
            "xu2004 section IX",
            utilisation("reno", 1e-9),
            Tolerance::Absolute(1e-12),
            "exactly 1 - 1/4",
        ),
        (
            "regime boundary p_b of the per-round form",
            1.356_914e-4,
            "independent calculation: Wmax = 2 Smax/beta = 512",
            form("bic", "small-window")?
                .loss_for(Packets::new(512.0), &Path::default())
                .map(LossRate::value),
            Tolerance::Absolute(5e-11),
            PRINTED,
        ),
        (
            "highspeed at p=1e-7",
            83_333.0,
            "xu2004 section I: 10 Gbit/s at 1e-7",
            window("highspeed", "printed", 1e-7),
            Tolerance::Relative(0.01),
            round,
        ),
        (
            "bic large-window over per-round at p=1e-5",
            1.34,
            "independent calculation; `meets AIMD around p=1e-5` (xu2004 section VI-B3) is loose: AIMD still stands 34 % above",
            window("bic", "large-window", 1e-5)
                .and_then(|limit| Ok(limit / window("bic", "per-round", 1e-5)?)),
            Tolerance::Absolute(5e-3),
            PRINTED,
        ),
    ];
    Ok(table
        .into_iter()
        .map(|(what, expected, source, got, tolerance, reason)| {
            Check::new(
                "bic-claims",
                what.into(),
                expected,
                source,
                got,
                tolerance,
                reason,
            )
        })
        .collect())
}
