//! Whole-packet presets beside what a packet simulator and a kernel did.
//!
//! Compound and Illinois are not among them: they have no preset in whole packets, and what the simulator's Illinois takes
//! for queueing delay on a path without a queue is its own rounding.

use super::closed::on;
use super::data::{self, rows};
use super::runs::run_on;
use super::{Check, Tolerance};
use crate::error::Result;
use crate::model::{LossModel, Path};
use crate::responses::ack::Effort;
use crate::units::Seconds;

const EFFORT: Effort = Effort {
    precision: 0.002,
    budget: 2_000_000_000,
    seed: 1,
};

/// One measured window.
struct Measured {
    law: String,
    p: f64,
    path: Path,
    window: f64,
}

impl Measured {
    fn run(&self, spec: &str) -> Result<f64> {
        run_on(&self.path, spec, LossModel::Periodic, self.p, EFFORT)
    }
}

fn measured(table: &str, rtt: &str, window: &str) -> Result<Vec<Measured>> {
    rows(table)?
        .iter()
        .map(|row| {
            Ok(Measured {
                law: row.text("law").to_owned(),
                p: row.number("loss")?,
                path: Path {
                    rtt: Some(Seconds::new(row.number(rtt)? / 1e3)),
                    base_rtt: Some(Seconds::new(0.1)),
                },
                window: row.number(window)?,
            })
        })
        .collect()
}

const SIMULATOR: &str = "ns-2.35 TCP/Linux, one flow, one loss every 1/p packets";

/// A simulated law and the preset that stands for it.
struct Simulated {
    law: &'static str,
    preset: &'static str,
    /// The least tolerance of a point.
    least: f64,
    worst: f64,
    median: f64,
    reason: &'static str,
}

const RECOVERY: &str = "one to two round trips of recovery in each epoch, of which the preset has one, and a packet of the window";

const SIMULATED: &[Simulated] = &[
    Simulated {
        law: "reno",
        preset: "reno@linux",
        least: 0.0,
        worst: 0.07,
        median: 0.03,
        reason: RECOVERY,
    },
    Simulated {
        law: "highspeed",
        preset: "highspeed@linux",
        least: 0.0,
        worst: 0.06,
        median: 0.02,
        reason: RECOVERY,
    },
    Simulated {
        law: "scalable",
        preset: "scalable@linux:a=0.0196078431372549",
        least: 0.0,
        worst: 0.12,
        median: 0.1,
        reason: "recovery of one to two round trips, and a packet; ns-2 has an older kernel, one packet for every 51 acknowledged",
    },
    Simulated {
        law: "bic",
        preset: "bic@linux",
        least: 0.1,
        worst: 0.08,
        median: 0.04,
        reason: "a band of windows repeats itself, up to 8 packets wide in the smooth part, and where in it a flow stays is its history",
    },
    Simulated {
        law: "cubic",
        preset: "cubic@linux:beta=0.8",
        least: 0.1,
        worst: 0.13,
        median: 0.04,
        reason: "ns-2 has an older kernel: kept 819/1024, another scale, a largest increment; and a band of windows repeats itself",
    },
    Simulated {
        law: "htcp",
        preset: "htcp@linux",
        least: 0.0,
        worst: 0.14,
        median: 0.04,
        reason: RECOVERY,
    },
];

pub(super) fn ns2() -> Result<Vec<Check>> {
    // The table rounds its loss rates; what the simulator did is in another column.
    let mut points = measured(data::NS2_PERIODIC, "rtt_ms", "packets_per_rtt")?;
    for (point, row) in points.iter_mut().zip(rows(data::NS2_PERIODIC)?) {
        point.p = row.number("effective_loss")?;
    }
    let (mut checks, mut all) = (Vec::new(), Vec::new());
    for simulated in SIMULATED {
        let spec = simulated.preset;
        let mut errors = Vec::new();
        for point in points.iter().filter(|point| point.law == simulated.law) {
            let rounds = 1.0 / (point.p * point.window);
            let tolerance = (1.5 / rounds + 0.75 / point.window).max(simulated.least);
            let check = Check::new(
                "ns2",
                format!("{spec} p={:e}", point.p),
                point.window,
                SIMULATOR,
                point.run(spec),
                Tolerance::Relative(tolerance),
                simulated.reason,
            );
            errors.push(check.difference.unwrap_or(f64::INFINITY));
            checks.push(check);
        }
        checks.extend(summary(
            spec,
            &mut errors,
            (simulated.worst, simulated.median),
        ));
        all.extend(errors);
    }
    checks.extend(summary("all presets", &mut all, (0.14, 0.03)));
    Ok(checks)
}

/// The worst and the median error of a preset's points.
fn summary(spec: &str, errors: &mut [f64], (worst, median): (f64, f64)) -> [Check; 2] {
    errors.sort_by(f64::total_cmp);
    let n = errors.len();
    let middle = f64::midpoint(errors[(n - 1) / 2], errors[n / 2]);
    [("worst", errors[n - 1], worst), ("median", middle, median)].map(|(word, error, limit)| {
        Check::new(
            "ns2",
            format!("{spec}: {word} error of {n} points, {:.1} %", 100.0 * error),
            0.0,
            SIMULATOR,
            Ok(error),
            Tolerance::Absolute(limit),
            "a summary of the points above: as they stand, rounded up",
        )
    })
}

pub(super) fn kernel() -> Result<Vec<Check>> {
    let source = "Linux 6.18, one flow, one loss every 1/p packets";
    let mut checks = Vec::new();
    for point in measured(data::LINUX_PERIODIC, "mean_rtt_ms", "window_pkt")? {
        let p = point.p;
        let mut push = |what: String, expected: f64, got, tolerance, reason| {
            checks.push(Check::new(
                "kernel", what, expected, source, got, tolerance, reason,
            ));
        };
        let (tolerance, reason) = if point.law == "reno" {
            (
                0.01f64.max(0.6 / point.window),
                "recovery and whole windows are in the preset; one packet of the peak is what remains",
            )
        } else {
            (
                0.08,
                "whole packets give a band of windows that repeat themselves, and where in it a flow stays is its history",
            )
        };
        // Shares below the two forms, as they stand: 8.3, 5.01, 2.8, 2.0 % and 13.8, 8.1, 4.6, 3.1 %.
        let (whole, fluid) = match p {
            p if p > 3e-3 => (0.09, 0.14),
            p if p > 1e-3 => (0.051, 0.085),
            _ => (0.03, 0.05),
        };
        push(
            format!("{}@linux p={p:e} by acknowledgements", point.law),
            point.window,
            point.run(&format!("{}@linux", point.law)),
            Tolerance::Relative(tolerance),
            reason,
        );
        if point.law == "reno" {
            for (form, share) in [("discrete", whole), ("periodic", fluid)] {
                push(
                    format!("measured window over reno {form} p={p:e}"),
                    1.0,
                    on(&point.path, "reno", form, p).map(|a| point.window / a.window.value()),
                    Tolerance::Absolute(share),
                    "a round trip of recovery in each epoch, 1/(p W) of them, and for `periodic` half a packet of whole windows too: \
                     both are in reno@linux",
                );
            }
        }
    }
    Ok(checks)
}
