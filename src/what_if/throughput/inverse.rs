//! The question backwards: which value of an input gives a rate, and which change of it makes another limit the active one.

use super::conditions::{Buffer, Conditions, INPUTS, Input};
use super::limits::{Limit, Model, active};
use crate::error::{Error, Result};
use crate::units::significant;
use serde::Serialize;

/// An input asked for by the rate it shall give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// The input.
    pub input: Input,
    /// Bits per second of all streams together.
    pub bps: f64,
    /// Whether that is payload, or everything on the wire.
    pub payload: bool,
}

impl Wanted {
    /// A rate of this kind, in words.
    fn says(&self, bps: f64) -> String {
        let (scale, prefix) = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
            .into_iter()
            .find(|(scale, _)| bps >= *scale)
            .unwrap_or((1.0, ""));
        let kind = if self.payload {
            "of payload"
        } else {
            "on the wire"
        };
        format!("{} {prefix}bit/s {kind}", significant(bps / scale, 6))
    }
}

/// The value of an input that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solved {
    /// Its name.
    pub input: &'static str,
    /// The largest round trip or loss rate, the smallest of any other input, that still gives the rate.
    pub value: Option<f64>,
    /// Unit of the value.
    pub unit: &'static str,
    /// The next whole number, for what is counted.
    pub whole: Option<f64>,
    /// What a careful reader should know.
    pub note: Option<String>,
}

impl Solved {
    pub(super) fn none(input: Input) -> Self {
        Self {
            input: input.name(),
            value: None,
            unit: input.unit(),
            whole: None,
            note: None,
        }
    }
}

/// The nearest change of one input that makes another limit the active one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// Name of the input.
    pub input: &'static str,
    /// Factor by which it must change.
    pub factor: Option<f64>,
    /// Its value then.
    pub value: Option<f64>,
    /// Unit of the value.
    pub unit: &'static str,
    /// The limit that takes over.
    pub then: Option<&'static str>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// Share by which the best that a path allows may miss the rate asked for by rounding, and then stands for it.
const SLACK: f64 = 1e-12;
/// Steps in the logarithm, and their number on each side, of the search for another active limit: a factor of 10⁶.
const STEP: f64 = 0.1;
const STEPS: u32 = 139;

fn rate(model: &Model, at: &Conditions, wanted: &Wanted) -> Result<(f64, &'static str)> {
    let limits = model.limits(at, false)?;
    let limit = active(&limits).ok_or_else(|| {
        let reasons: Vec<&str> = limits.iter().filter_map(|l| l.reason.as_deref()).collect();
        Error::NoAnswer(format!("no limit has a value: {}", reasons.join("; ")))
    })?;
    let bps = if wanted.payload {
        limit.goodput_bps
    } else {
        limit.rate_bps
    };
    Ok((bps.unwrap_or(f64::INFINITY), limit.name))
}

/// The value of the input that gives the rate, and the conditions with it.
pub(super) fn solve(
    model: &Model,
    at: &Conditions,
    wanted: &Wanted,
) -> Result<(Solved, Conditions)> {
    let input = wanted.input;
    let with = |x: f64| input.set(at, x);
    let (low, high) = input.range();
    let (worst, mut best) = if input.hinders() {
        (high, low)
    } else {
        (low, high)
    };
    let (mut most, mut name) = rate(model, &with(best)?, wanted)?;
    // Where the receiver's window still fits nothing is lost: that may be more than the end of the range gives.
    if let Some(fits) = input.just_fits(at)? {
        let (rate, limit) = rate(model, &with(fits)?, wanted)?;
        let reaches = rate >= wanted.bps * (1.0 - SLACK);
        if reaches || rate > most {
            (best, most, name) = (fits, rate, limit);
        }
    }
    let goal = if most >= wanted.bps * (1.0 - SLACK) {
        wanted.bps.min(most)
    } else {
        wanted.bps
    };
    let reached = |x: f64| -> Result<bool> { Ok(rate(model, &with(x)?, wanted)?.0 >= goal) };
    if most < goal {
        return Err(Error::NoAnswer(format!(
            "no {} gives {}: the limit {name} allows {} at most",
            input.name(),
            wanted.says(wanted.bps),
            wanted.says(most)
        )));
    }
    let x = if input == Input::Buffer && reached(0.0)? {
        0.0
    } else if reached(worst)? {
        return Err(Error::NoAnswer(format!(
            "every {} gives {}: it does not limit this transfer",
            input.name(),
            wanted.says(wanted.bps)
        )));
    } else {
        let (mut bad, mut good) = (worst.ln(), best.ln());
        loop {
            let middle = 0.5 * (bad + good);
            if middle == bad || middle == good {
                break good.exp();
            }
            if reached(middle.exp())? {
                good = middle;
            } else {
                bad = middle;
            }
        }
    };
    let mut found = with(x)?;
    if let (Input::Buffer, Some(bytes)) = (input, found.buffer_bytes()?) {
        let mut bytes = bytes;
        found.buffer = Some(Buffer::Bytes(bytes));
        // Turning products of bandwidth and round trip into bytes may round it below what is asked for.
        for _ in 0..8 {
            if bytes == 0.0 || rate(model, &found, wanted)?.0 >= goal {
                break;
            }
            bytes *= 1.0 + 2.0 * f64::EPSILON;
            found.buffer = Some(Buffer::Bytes(bytes));
        }
    }
    let value = input.value(&found)?;
    let got = rate(model, &found, wanted)?.0;
    let note = (got > wanted.bps * (1.0 + 1e-9)).then(|| {
        format!(
            "the rate jumps here, or is held by this value already: {}",
            wanted.says(got)
        )
    });
    let whole = match input {
        Input::Streams => value.map(|n| (n - 1e-9 * n).ceil().max(1.0)),
        _ => None,
    };
    Ok((
        Solved {
            value,
            whole,
            note,
            ..Solved::none(input)
        },
        found,
    ))
}

/// For each input that is given, the nearest change that makes another limit the active one.
pub(super) fn moves(model: &Model, at: &Conditions, now: &'static str) -> Result<Vec<Move>> {
    let mut out = Vec::new();
    for input in INPUTS {
        let Some(value) = input.value(at)? else {
            continue;
        };
        let mut entry = Move {
            input: input.name(),
            factor: None,
            value: None,
            unit: input.unit(),
            then: None,
            reason: Some(
                "no change of it by up to a factor of 1e6 makes another limit active".into(),
            ),
        };
        if let Some((factor, then)) = nearest(model, at, *input, now)? {
            entry.factor = Some(factor);
            entry.value = Some(value * factor);
            entry.then = Some(then);
            entry.reason = None;
        }
        out.push(entry);
    }
    Ok(out)
}

/// The factor nearest to 1, and the limit behind it.
fn nearest(
    model: &Model,
    at: &Conditions,
    input: Input,
    now: &'static str,
) -> Result<Option<(f64, &'static str)>> {
    let other = |ln_factor: f64| -> Result<Option<&'static str>> {
        let Some(changed) = input.scaled(at, ln_factor.exp()) else {
            return Ok(None);
        };
        let limits = model.limits(&changed, false)?;
        // A limit that has lost its value has not given way to another, unless it is a buffer that no longer overflows.
        let gone = |limit: &Limit| limit.name == now && limit.rate_bps.is_none();
        if limits.iter().any(gone) && !(now == "buffer" && changed.spared()?.is_some()) {
            return Ok(None);
        }
        Ok(active(&limits)
            .map(|limit| limit.name)
            .filter(|name| *name != now))
    };
    for step in 1..=STEPS {
        let mut found: Option<(f64, &'static str)> = None;
        for side in [-1.0, 1.0] {
            let (mut near, mut far) = (
                side * STEP * f64::from(step - 1),
                side * STEP * f64::from(step),
            );
            let Some(mut name) = other(far)? else {
                continue;
            };
            for _ in 0..60 {
                let middle = 0.5 * (near + far);
                match other(middle)? {
                    Some(closer) => (far, name) = (middle, closer),
                    None => near = middle,
                }
            }
            if found.is_none_or(|(ln_factor, _)| far.abs() < ln_factor.abs()) {
                found = Some((far, name));
            }
        }
        if let Some((ln_factor, name)) = found {
            return Ok(Some((ln_factor.exp(), name)));
        }
    }
    Ok(None)
}
