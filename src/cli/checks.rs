//! The checks: expected with its source, got, difference, tolerance and its reason.

use super::args::{OutputArgs, ThreadArgs, VerifyArgs};
use super::emit::{deliver, machine, table};
use super::{Outcome, left_out, meaning};
use crate::error::Result;
use crate::units::significant;
use crate::verify::{self, Check};
use crate::what_if::{Envelope, parallel};
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// One line of progress on standard error, when that is a terminal.
pub(super) fn progress(quiet: bool, line: &str) {
    let mut err = std::io::stderr().lock();
    if !quiet && err.is_terminal() {
        let _ = writeln!(err, "{line}");
    }
}

#[derive(Serialize)]
struct VerifyQuery {
    verb: &'static str,
    group: &'static str,
    meaning: &'static str,
}

fn number(x: f64) -> String {
    significant(x, 9)
}

fn check_row(check: &Check) -> Vec<String> {
    vec![
        if check.passed {
            "  ok".into()
        } else {
            "  FAILED".into()
        },
        check.what.clone(),
        number(check.expected),
        check
            .got
            .map_or_else(|| check.failure.clone().unwrap_or_default(), number),
        check
            .difference
            .map_or_else(|| "-".into(), |d| significant(d, 2)),
        format!(
            "{}{}",
            significant(check.tolerance, 2),
            if check.relative { " rel" } else { "" }
        ),
        check.source.clone(),
    ]
}

/// Checks printed of a long group; its worst and every failure always are.
const SHOWN: usize = 12;

fn group_text(group: &verify::Group, checks: &[Check]) -> String {
    let failed = checks.iter().filter(|check| !check.passed).count();
    let mut out = format!(
        "{}: {} checks, {} passed, {failed} failed: {}\n",
        group.name,
        checks.len(),
        checks.len() - failed,
        group.meaning
    );
    let strain = |check: &Check| {
        check.difference.map_or(f64::INFINITY, |d| {
            if check.tolerance > 0.0 {
                d / check.tolerance
            } else if d > 0.0 {
                f64::INFINITY
            } else {
                0.0
            }
        })
    };
    let mut order: Vec<&Check> = checks.iter().collect();
    if checks.len() > SHOWN {
        order.sort_by(|a, b| strain(b).total_cmp(&strain(a)));
        order.truncate(failed.max(SHOWN));
        out += &format!(
            "  the {} nearest to their tolerance (--format csv prints all):\n",
            order.len()
        );
    }
    out += &table(
        &[
            "",
            "what",
            "expected",
            "got",
            "difference",
            "tolerance",
            "source",
        ],
        &[false, false, true, true, true, true, false],
        order.iter().map(|c| check_row(c)).collect(),
    );
    let mut reasons: Vec<&str> = Vec::new();
    for check in checks {
        if !reasons.contains(&check.reason) {
            reasons.push(check.reason);
        }
    }
    for reason in reasons {
        out += &format!("  tolerance: {reason}\n");
    }
    out
}

/// Runs groups of checks and prints them.
pub(super) fn run_checks(
    names: &[String],
    slow: bool,
    threads: &ThreadArgs,
    output: &OutputArgs,
) -> Result<Outcome> {
    let groups = verify::select(names, slow)?;
    let (mut text, mut envelopes) = (String::new(), Vec::new());
    let (mut total, mut failed) = (0, 0);
    let run = |group: &&'static verify::Group| {
        progress(
            output.quiet,
            &format!("checking {}: {}", group.name, group.meaning),
        );
        (group.run)()
    };
    let done = parallel::with(meaning::threads(threads)?, || parallel::map(&groups, run))?;
    for (group, checks) in groups.into_iter().zip(done) {
        let checks = checks?;
        total += checks.len();
        failed += checks.iter().filter(|check| !check.passed).count();
        text += &group_text(group, &checks);
        text.push('\n');
        envelopes.push(Envelope::new(
            VerifyQuery {
                verb: "verify",
                group: group.name,
                meaning: group.meaning,
            },
            checks,
        ));
    }
    text += &format!(
        "{total} checks: {} passed, {failed} failed\n",
        total - failed
    );
    if names.is_empty() && !slow {
        let left = verify::GROUPS.iter().filter(|group| group.slow);
        if let Some(line) = left_out("checks", "runs", left.map(|group| group.name)) {
            text += &(line + "\n");
        }
    }
    let delivered = match machine(&envelopes, output)? {
        Some(data) => deliver(&data, output)?,
        None => deliver(&text, output)?,
    };
    Ok(if failed > 0 {
        Outcome::Failed
    } else {
        delivered
    })
}

pub(super) fn verify(args: &VerifyArgs) -> Result<Outcome> {
    run_checks(&args.names, args.slow, &args.threads, &args.output)
}
