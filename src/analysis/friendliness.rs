//! What a law leaves to standard TCP, or to any other law: where their response functions cross, and how much of their
//! rate it takes from flows that share a link with it.

use super::joint::{Member, SharedLink};
use super::rtt_unfairness::{Equilibrium, equilibria};
use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction};
use crate::numeric::root;
use crate::units::LossRate;

/// Where two responses are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Loss events per packet.
    pub loss: f64,
    /// The common window, packets.
    pub window: f64,
}

/// Steps of the search, a decade.
const PER_DECADE: f64 = 20.0;

/// Crossings of two responses for loss rates between `least` and `most`, the largest loss rate first: above such a loss
/// rate one of them is the more modest, below it the other.
///
/// # Errors
/// [`Error::OutOfRange`] unless 0 < least < most < 1; errors of the responses other than [`Error::NoAnswer`] pass through.
pub fn crossings(
    one: &dyn ResponseFunction,
    other: &dyn ResponseFunction,
    path: &Path,
    least: f64,
    most: f64,
) -> Result<Vec<Crossing>> {
    if !(least > 0.0 && least < most && most < 1.0) {
        return Err(Error::out_of_range(
            "the range of loss rates",
            format!("{least} to {most}"),
            "two different loss rates between 0 and 1",
        ));
    }
    let lead = |ln_p: f64| -> Result<f64> {
        let p = LossRate::new(ln_p.exp())?;
        let window = |f: &dyn ResponseFunction| f.respond(p, path).map(|r| r.window.value());
        Ok((window(one)? / window(other)?).ln())
    };
    let (low, high) = (least.ln(), most.ln());
    let steps = ((high - low) / 10f64.ln() * PER_DECADE).ceil().max(1.0);
    let mut found = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for k in 0..=steps as usize {
        let x = high - (high - low) * k as f64 / steps;
        let now = match lead(x) {
            Ok(value) => Some((x, value)),
            Err(Error::NoAnswer(_)) => None,
            Err(other) => return Err(other),
        };
        if let (Some((x0, y0)), Some((x1, y1))) = (before, now)
            && y0 * y1 < 0.0
        {
            let ln_p = root::brent(&lead, x1, x0, 0.0)?;
            // A jump from one side to the other is no crossing.
            if lead(ln_p)?.abs() < 1e-9 {
                let p = ln_p.exp();
                found.push(Crossing {
                    loss: p,
                    window: one.respond(LossRate::new(p)?, path)?.window.value(),
                });
            }
        }
        before = now;
    }
    Ok(found)
}

/// What flows lose to others.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// Packets per second of each kind of old flow beside others of its own.
    pub before: Vec<f64>,
    /// The same beside the newcomers.
    pub after: Vec<f64>,
    /// Share of all that the old flows had which they have no longer, `1 − Σ after/Σ before`; negative if they gain.
    pub share: f64,
}

/// What `old` flows lose when `new` flows share the link with them instead of as many flows of the first old law with the same
/// round trips, under losses that hit all.
///
/// # Errors
/// Those of [`equilibria`]; [`Error::Arguments`] without old flows.
pub fn taken(old: &[Member<'_>], new: &[Member<'_>], link: SharedLink) -> Result<Taken> {
    let Some(first) = old.first() else {
        return Err(Error::Arguments(
            "there is no flow to take from: give at least one".into(),
        ));
    };
    let ideal: Vec<Member<'_>> = new
        .iter()
        .map(|member| Member {
            law: first.law,
            ..*member
        })
        .collect();
    let rates = |others: &[Member<'_>]| -> Result<Vec<f64>> {
        let all: Vec<Member<'_>> = old.iter().chain(others).copied().collect();
        let found = equilibria(&all, link)?;
        let best: &Equilibrium = found
            .first()
            .ok_or_else(|| Error::NoAnswer("no equilibrium".into()))?;
        Ok(best.parts.iter().take(old.len()).map(|p| p.rate).collect())
    };
    let (before, after) = (rates(&ideal)?, rates(new)?);
    let sum = |rates: &[f64]| -> f64 { rates.iter().zip(old).map(|(r, m)| r * m.count).sum() };
    Ok(Taken {
        share: 1.0 - sum(&after) / sum(&before),
        before,
        after,
    })
}
