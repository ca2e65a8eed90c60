//! The synchronised-loss equilibrium: windows that all come back to where they were in the same time.

use super::branches::{Branches, Found, Side};
use crate::analysis::joint::{Joint, Member, SharedLink, check};
use crate::error::{Error, Result};
use crate::model::Price;
use crate::numeric::newton::newton;

/// What a flow of one member gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Window just before a loss, packets.
    pub peak: f64,
    /// Packets per second, averaged over time.
    pub rate: f64,
    /// Packets per round trip, averaged over rounds.
    pub window: f64,
    /// Round trips from loss to loss.
    pub rounds: f64,
    /// Loss events per packet.
    pub loss: f64,
}

/// Flows that lose all together, every window back at its peak in the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// Seconds from loss to loss.
    pub seconds: f64,
    /// One for each member, in their order.
    pub parts: Vec<Part>,
    /// Share of the capacity that is used.
    pub utilisation: f64,
    /// Mean queue over time, packets.
    pub queue_mean: f64,
    /// Queue exceeded 5 % of the time, packets.
    pub queue_p95: f64,
}

impl Equilibrium {
    /// Rate of the first member's flows over the second's.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] for fewer than two members.
    pub fn ratio(&self) -> Result<f64> {
        match self.parts.as_slice() {
            [first, second, ..] => Ok(first.rate / second.rate),
            _ => Err(Error::NoAnswer("a ratio needs two flows".into())),
        }
    }
}

/// The equilibria of these flows on this link when every loss hits all of them, the one with the largest windows first.
/// There may be several where a law's decrease jumps at a window (Scalable's and BIC's low window).
///
/// Solved for the peaks W: after a loss at them all flows grow together over the common queue; W is an equilibrium if all are
/// back at the same moment and Σ W/(R + B/C) = C. Only `increase`, `decrease` and `settle` of the laws are used.
///
/// # Errors
/// [`Error::OutOfRange`] or [`Error::Arguments`] for flows and links that make no sense (no flow, less than one packet per
/// round trip, more flows than packets in pipe and buffer); [`Error::NoAnswer`] where there is no equilibrium: a flow starves
/// because its epoch is longer than the others' whatever its window or has no packet to lose in it, the split of flows whose epochs do not depend on
/// the window is arbitrary, or a law has no growth between losses.
///
/// ```
/// use cwnd::{algorithms::Selected, analysis::{Member, SharedLink, rtt_unfairness::equilibria}};
/// let reno = Selected::parse("reno")?;
/// let law = reno.law()?;
/// let flow = |base_rtt| Member { law: law.as_ref(), base_rtt, count: 1.0 };
/// let link = SharedLink { capacity: 1e5, buffer: 0.0 };
/// let found = equilibria(&[flow(0.04), flow(0.12)], link)?;
/// // The square of the inverse ratio of round trips.
/// assert!((found[0].ratio()? - 9.0).abs() < 1e-9);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn equilibria(members: &[Member<'_>], link: SharedLink) -> Result<Vec<Equilibrium>> {
    check(members, link)?;
    for member in members {
        if member.law.price() != Price::Loss {
            return Err(Error::NoAnswer(
                "a law that does not answer to loss has no time from loss to loss: see the road `fluid`".into(),
            ));
        }
        // Fast convergence and rules in whole packets: nothing repeats itself.
        if let Some(reason) = member.law.unsettled() {
            return Err(Error::NoAnswer(reason.into()));
        }
    }
    let mut delay = 0.5 * link.full_delay();
    let mut found: Vec<Equilibrium> = Vec::new();
    let mut problem = None;
    for side in [Side::Largest, Side::Smallest] {
        // The first guess takes half the full delay, the second the mean delay of the first.
        for pass in 0..2 {
            match guess(members, link, delay, side).and_then(|peaks| polish(members, link, &peaks))
            {
                Ok(equilibrium) => {
                    let new = found.iter().all(|other| {
                        let pairs = other.parts.iter().zip(&equilibrium.parts);
                        pairs
                            .clone()
                            .any(|(a, b)| (a.peak / b.peak).ln().abs() > 1e-6)
                    });
                    if new {
                        found.push(equilibrium);
                    }
                    break;
                }
                Err(error @ (Error::NoAnswer(_) | Error::Numeric { .. })) => {
                    problem.get_or_insert(error);
                    if link.buffer == 0.0 || pass == 1 {
                        break;
                    }
                    delay *= 0.5;
                }
                Err(other) => return Err(other),
            }
        }
    }
    if found.is_empty() {
        return Err(problem.unwrap_or_else(|| Error::NoAnswer("no equilibrium was found".into())));
    }
    found.sort_by(|a, b| {
        let least = |e: &Equilibrium| e.parts.iter().map(|p| p.peak).fold(f64::INFINITY, f64::min);
        least(b).total_cmp(&least(a))
    });
    Ok(found)
}

/// Peaks near an equilibrium, with the common delay held constant: one time T for all, Σ W(T)/(R + B/C) = C.
fn guess(members: &[Member<'_>], link: SharedLink, delay: f64, side: Side) -> Result<Vec<f64>> {
    let tables: Vec<Branches> = members
        .iter()
        .map(|member| Branches::new(*member, link, delay))
        .collect::<Result<_>>()?;
    let mut sides = vec![side; members.len()];
    // A jump over the solution without an equilibrium in it is met once for each member at most.
    for _ in 0..=members.len() {
        let (below, above) = bracket(members, link, &tables, &sides);
        let windows = |time: f64| -> Vec<f64> {
            tables
                .iter()
                .zip(&sides)
                .map(|(table, side)| match table.window(time, *side) {
                    Found::At(x) | Found::Whole(x) => x.exp(),
                    Found::Starved => 0.0,
                })
                .collect()
        };
        let (low, high) = (windows(below), windows(above));
        let jumpers: Vec<usize> = (0..members.len())
            .filter(|&i| high[i] > low[i] * (1.0 + 1e-6))
            .collect();
        let load = |i: usize, w: f64| {
            members[i].count * w / (members[i].base_rtt + link.full_delay()) / link.capacity
        };
        let mut peaks = low.clone();
        match jumpers.as_slice() {
            [] => {}
            [one] => {
                let others: f64 = (0..members.len())
                    .filter(|i| i != one)
                    .map(|i| load(i, low[i]))
                    .sum();
                peaks[*one] = (1.0 - others) / load(*one, 1.0);
                if !tables[*one].holds(peaks[*one].ln(), above) {
                    sides[*one] = match sides[*one] {
                        Side::Largest => Side::Smallest,
                        Side::Smallest => Side::Largest,
                    };
                    continue;
                }
            }
            [first, ..] => {
                let alike = jumpers.iter().all(|&i| {
                    tables[i].holds(high[i].ln().min(low[i].max(1e-2).ln() + 0.1), above)
                });
                return Err(Error::NoAnswer(if alike {
                    format!(
                        "any split between these flows repeats itself: the epoch of {} s does not depend on their windows",
                        crate::units::significant(above.exp(), 6)
                    )
                } else {
                    format!(
                        "no equilibrium was found: the time from loss to loss jumps with the window of flow {} and another",
                        first + 1
                    )
                }));
            }
        }
        if let Some(i) = (0..members.len()).find(|&i| peaks[i] == 0.0) {
            return Err(Error::NoAnswer(format!(
                "no equilibrium: the flows with a round trip of {} s starve; their window needs at least {} s to come back from a loss, and the others leave them {} s",
                members[i].base_rtt,
                crate::units::significant(tables[i].range().0.exp(), 6),
                crate::units::significant(above.exp(), 6)
            )));
        }
        return Ok(peaks);
    }
    Err(Error::NoAnswer(
        "no equilibrium: a rule of a law jumps, and no windows repeat themselves".into(),
    ))
}

/// Two neighbouring times (logarithms) between which the flows come to fill the link.
fn bracket(
    members: &[Member<'_>],
    link: SharedLink,
    tables: &[Branches],
    sides: &[Side],
) -> (f64, f64) {
    let fills = |time: f64| {
        let mut load = 0.0;
        for ((member, table), side) in members.iter().zip(tables).zip(sides) {
            load += match table.window(time, *side) {
                Found::At(x) => member.count * x.exp() / (member.base_rtt + link.full_delay()),
                Found::Starved => 0.0,
                Found::Whole(_) => return true,
            };
        }
        load >= link.capacity
    };
    let ranges = tables.iter().map(Branches::range);
    let (mut low, mut high) = ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (a, b)| {
        (l.min(a), h.max(b))
    });
    (low, high) = (low - 1e-6, high + 1e-6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if fills(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}

/// The exact equilibrium next to these peaks, over the moving queue.
fn polish(members: &[Member<'_>], link: SharedLink, near: &[f64]) -> Result<Equilibrium> {
    let joint = Joint::new(members, link);
    let mut x: Vec<f64> = near.iter().map(|w| w.ln()).collect();
    let state = |x: &[f64]| joint.settled(&x.iter().map(|v| v.exp()).collect::<Vec<_>>());
    let mut residual = |x: &[f64], out: &mut [f64]| -> Result<()> {
        let peaks: Vec<f64> = x.iter().map(|v| v.exp()).collect();
        let lapse = joint.until_back(&peaks)?;
        out[0] = joint.overfull(&state(x)).ln_1p();
        for (out, back) in out.iter_mut().zip(&lapse.back).skip(1) {
            *out = (back / lapse.back[0]).ln();
        }
        Ok(())
    };
    newton(&mut residual, &mut x, 1e-13)?;
    let peaks: Vec<f64> = x.iter().map(|v| v.exp()).collect();
    let lapse = joint.until_back(&peaks)?;
    let seconds = lapse.back.iter().copied().fold(0.0, f64::max);
    for (member, sums) in members.iter().zip(&lapse.sums) {
        // A loss is a packet: with less than one from loss to loss there is none to lose.
        if sums.packets <= 1.0 {
            return Err(Error::NoAnswer(format!(
                "no equilibrium: the flows with a round trip of {} s starve; from loss to loss, {} s, each would send {} packets, and a loss is one at least",
                member.base_rtt,
                crate::units::significant(seconds, 6),
                crate::units::significant(sums.packets, 6)
            )));
        }
    }
    let (mut delivered, mut queued) = (0.0, 0.0);
    let parts = members
        .iter()
        .zip(&peaks)
        .zip(&lapse.sums)
        .map(|((member, &peak), sums)| {
            delivered += member.count * sums.packets;
            queued += member.count * (sums.window - member.base_rtt * sums.packets);
            Part {
                peak,
                rate: sums.packets / seconds,
                window: sums.packets / sums.rounds,
                rounds: sums.rounds,
                loss: 1.0 / sums.packets,
            }
        })
        .collect();
    // Windows do not fall between losses, so neither does the queue.
    let queue_p95 = if link.buffer > 0.0 {
        let mut after = lapse.state.clone();
        let at_loss = joint.settled(&peaks);
        joint.repeat(&at_loss, &mut after);
        joint.lose(&mut after)?;
        joint.for_seconds(after, 0.95 * seconds)?.delay * link.capacity
    } else {
        0.0
    };
    Ok(Equilibrium {
        seconds,
        parts,
        utilisation: (delivered / (link.capacity * seconds)).min(1.0),
        queue_mean: if link.buffer > 0.0 {
            (queued / seconds).max(0.0)
        } else {
            0.0
        },
        queue_p95,
    })
}
