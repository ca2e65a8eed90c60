//! Tables of the RFCs about CUBIC and TFRC, and of the throughput formula with timeouts.

use super::closed::{form, on};
use super::data::{self, rows};
use super::{Check, Tolerance};
use crate::error::Result;
use crate::model::Path;
use crate::units::{LossRate, Packets, Seconds};

const PRINTED: &str = "half a unit of the last printed digit";
/// Rounding of a product next to half a unit, as a share of it.
const SLACK: f64 = 1.0 + 1e-9;

/// The round trip behind all these tables.
fn path() -> Path {
    Path::with_rtt(Seconds::new(0.1))
}

fn window(spec: &str, name: &str, p: f64) -> Result<f64> {
    on(&path(), spec, name, p).map(|answer| answer.window.value())
}

pub(super) fn rfc9438() -> Result<Vec<Check>> {
    let reno = "mathis@rfc-tables";
    let mut checks = Vec::new();
    let columns = [
        ("reno", reno, ""),
        ("highspeed", "highspeed", "printed"),
        ("cubic_c0.04", "cubic@rfc9438-tables:c=0.04", ""),
        ("cubic_c0.4", "cubic@rfc9438-tables", ""),
        ("cubic_c4", "cubic@rfc9438-tables:c=4", ""),
    ];
    for row in rows(data::RFC9438_TABLE1)? {
        let p = row.number("loss")?;
        for (column, spec, name) in columns {
            let answer = on(&path(), spec, name, p);
            let joined = answer.as_ref().is_ok_and(|a| a.regime == "standard TCP");
            let got = if joined {
                window(reno, "", p)
            } else {
                answer.map(|a| a.window.value())
            };
            checks.push(Check::new(
                "rfc9438",
                format!("{spec} p={p:e} rounded half up"),
                row.number(column)?,
                "RFC 9438 table 1",
                got.map(|w| (w + 0.5).floor()),
                Tolerance::Absolute(0.0),
                if joined {
                    "whole packets; where HighSpeed joins standard TCP the table has its own 1.2/sqrt(p), this form sqrt(1.5/p)"
                } else {
                    "whole packets, rounded half up"
                },
            ));
        }
    }
    for row in rows(data::RFC9438_TABLE3)? {
        let mbps = row.number("mbps")?;
        // The table prints the window to one decimal: 8.3 is 1 Mbit/s times 0.1 s over 12000 bit.
        let w = mbps * 1e6 * 0.1 / 12_000.0;
        for (column, spec, name) in [
            ("reno", reno, ""),
            ("highspeed", "highspeed", "printed"),
            ("cubic", "cubic@rfc9438-tables", ""),
        ] {
            // HighSpeed is standard TCP up to 38 packets.
            let joined = column == "highspeed" && w < 38.0;
            let (spec, name) = if joined { (reno, "") } else { (spec, name) };
            let (expected, half) = row.printed(column)?;
            checks.push(Check::new(
                "rfc9438",
                format!("{column}: {spec} at {mbps} Mbit/s, loss rate needed"),
                expected,
                "RFC 9438 table 3",
                form(spec, name)?
                    .loss_for(Packets::new(w), &path())
                    .map(LossRate::value),
                Tolerance::Absolute(2.0 * half * SLACK),
                if joined {
                    "one unit of the last digit; up to 38 packets HighSpeed is the table's standard TCP, 1.2/sqrt(p)"
                } else {
                    "one unit of the last digit: the columns of Reno and HighSpeed are cut, that of CUBIC is rounded"
                },
            ));
        }
    }
    Ok(checks)
}

pub(super) fn tfrc() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let mut exact = 0;
    for row in rows(data::RFC4828_TABLE1)? {
        let p = row.number("loss")?;
        for segment in [14.0, 536.0, 1460.0] {
            let rate = |name| window("tfrc", name, p).map(|w| w / 0.1 * (segment + 40.0) / 1000.0);
            let (expected, half) = row.printed(&format!("kBps_{segment}B"))?;
            exact += usize::from((rate("equation")? - expected).abs() <= half * SLACK);
            checks.push(Check::new(
                "tfrc",
                format!("segments of {segment} B, p={p}: kB/s with 40 B of headers"),
                expected,
                "RFC 4828 table 1",
                rate("rfc4828"),
                Tolerance::Absolute(half * SLACK),
                PRINTED,
            ));
        }
    }
    checks.push(Check::new(
        "tfrc",
        "cells of RFC 4828 table 1 that the exact constants give".into(),
        14.0,
        "independent calculation",
        Ok(exact as f64),
        Tolerance::Absolute(0.0),
        "a count: the table does tell 0.816 and 7.34 from sqrt(2/3) and 12 sqrt(3/8)",
    ));
    for row in rows(data::RFC3714_APPENDIX)? {
        let (p, timeout) = (row.number("loss")?, row.number("timeout_rtts")?);
        let rto = format!("rto={}ms", 100.0 * timeout);
        // TFRC's equation is PFTK's approximation without min(1, .).
        let (spec, name) = if row.text("minimum") == "yes" {
            (format!("pftk:{rto}"), "approximate")
        } else {
            (format!("tfrc:{rto}"), "equation")
        };
        let (expected, half) = row.printed("window_pkt")?;
        let (unit, off) = (2.0 * half, row.number("off")?);
        let cut = window(&spec, name, p).map(|w| (w / unit + 1e-9).floor() * unit);
        checks.push(Check::new(
            "tfrc",
            format!("{spec} {name} p={p}, cut"),
            expected,
            "RFC 3714 appendix, Eq(1)",
            cut,
            Tolerance::Absolute(unit * (off + 1e-6)),
            if off > 0.0 {
                "at a timeout of ten round trips the RFC prints .23 and .0046 where its own formula gives .243 and .00486"
            } else if row.text("minimum") == "yes" {
                "cut to the printed digits, so equal"
            } else {
                "cut to the printed digits, so equal; this row was computed without min(1, .), its neighbours with it"
            },
        ));
    }
    for row in rows(data::LINUX_TFRC)? {
        let p = row.number("loss")?;
        checks.push(Check::new(
            "tfrc",
            format!("10^6 f({p}), cut"),
            row.number("millionths")?,
            "linux net/dccp/ccids/lib/tfrc_equation.c",
            window("tfrc", "equation", p).map(|w| (1e6 / w).floor()),
            Tolerance::Absolute(0.0),
            "whole millionths, cut",
        ));
    }
    Ok(checks)
}

pub(super) fn pftk() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for row in rows(data::PFTK_TABLE)? {
        let (spec, name) = (row.text("law"), row.text("form"));
        let (expected, half) = row.printed("rate_pps")?;
        checks.push(Check::new(
            "pftk",
            format!("{spec} {name} p={}: packets a second", row.text("loss")),
            expected,
            "independent calculation",
            window(spec, name, row.number("loss")?).map(|w| w / 0.1),
            Tolerance::Absolute(half * SLACK),
            PRINTED,
        ));
    }
    checks.push(Check::new(
        "pftk",
        "pftk:full=0 at p=1e-2 is the form `approximate`".into(),
        window("pftk", "approximate", 1e-2)?,
        "identity",
        window("pftk:full=0", "", 1e-2),
        Tolerance::Absolute(0.0),
        "only the order of the forms changes",
    ));
    Ok(checks)
}
