//! What a law leaves to standard TCP, or to any other law: how much of their rate it takes from flows that share a link with it.

use super::joint::{Member, SharedLink};
use super::rtt_unfairness::{Equilibrium, equilibria};
use crate::error::{Error, Result};

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
