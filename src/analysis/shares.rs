//! What a mix of flows makes of one bottleneck: the buffer that a utilisation needs, matrices of flows that are additive,
//! and a queue that drops before it is full.

use super::convergence::Aimd;
use super::joint::{Joint, Member, SharedLink};
use super::rtt_unfairness::{Equilibrium, Part, Responding};
use super::sawtooth::{Bottleneck, sawtooth};
use crate::error::{Error, Result};
use crate::model::Path;
use crate::numeric::root;
use crate::units::{LossRate, Seconds};

/// Pipes to which a buffer is tried.
const MOST_PIPES: f64 = 1e4;
/// Where a queue stands the load is the capacity; a root that misses it by more lies on a jump.
const JUMP: f64 = 1e-6;
/// A utilisation this near to 1 is 1.
const BUSY: f64 = 1e-9;

/// The smallest buffer (packets) at which `utilisation` of a buffer reaches `target`; 0 if none is needed. `pipe` is the
/// scale, packets. A utilisation comes near 1 with slope 0: for a buffer that keeps the link busy ask for 1 of what a loss
/// leaves of the windows, [`left_by_a_loss`].
///
/// # Errors
/// [`Error::OutOfRange`] for a target outside (0, 1]; [`Error::NoAnswer`] if no buffer up to ten thousand pipes is enough, with
/// the last reason why there was no utilisation if there was none.
///
/// ```
/// use cwnd::{analysis::shares::buffer_for, model::{AdditiveTooth, ClosedSawtooth}};
/// let reno = AdditiveTooth { a: 1.0, kept: 0.5, regime: "" };
/// let buffer = buffer_for(0.95, 1000.0, &|b| Ok(reno.tooth(1000.0, b, 0.1)?.utilisation))?;
/// assert!((buffer - 431.0).abs() < 0.5);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn buffer_for(target: f64, pipe: f64, utilisation: &dyn Fn(f64) -> Result<f64>) -> Result<f64> {
    if !(target > 0.0 && target <= 1.0) {
        return Err(Error::out_of_range(
            "the utilisation",
            target,
            "more than 0 and at most 100 %",
        ));
    }
    let wanted = target.min(1.0 - BUSY);
    let short = |buffer: f64| -> Result<f64> { Ok(utilisation(buffer)? - wanted) };
    match short(0.0) {
        Ok(value) if value >= 0.0 => return Ok(0.0),
        Ok(_) | Err(Error::NoAnswer(_) | Error::Numeric { .. }) => {}
        Err(other) => return Err(other),
    }
    let (mut low, mut high) = (0.0, 0.01 * pipe);
    loop {
        match short(high) {
            Ok(value) if value >= 0.0 => break,
            Ok(_) => low = high,
            Err(error) if high * 2.0 > MOST_PIPES * pipe => return Err(error),
            Err(Error::NoAnswer(_) | Error::Numeric { .. }) => {}
            Err(other) => return Err(other),
        }
        high *= 2.0;
        if high > MOST_PIPES * pipe {
            return Err(Error::NoAnswer(format!(
                "no buffer up to {MOST_PIPES} times the pipe uses {} % of the link",
                100.0 * target
            )));
        }
    }
    root::brent(&short, low, high, 1e-12 * pipe)
}

/// The flow as an additive law at this peak window: what it grows by in a second and what a loss leaves. `None` if its
/// growth is not the same in every round trip there.
#[must_use]
pub fn as_additive(member: &Member<'_>, peak: f64) -> Option<Aimd> {
    let tooth = sawtooth(
        member.law,
        Bottleneck {
            pipe: peak,
            buffer: 0.0,
            base_rtt: member.base_rtt,
        },
    )
    .ok()?;
    tooth.additive.then(|| Aimd {
        growth: (1.0 - tooth.kept) * peak / tooth.seconds,
        kept: tooth.kept,
    })
}

/// What a loss of all leaves of the windows in an equilibrium, as a share of the capacity without a queue: from 1 on the link
/// never idles.
///
/// # Errors
/// Those of the flows' growth from loss to loss.
pub fn left_by_a_loss(
    members: &[Member<'_>],
    link: SharedLink,
    found: &Equilibrium,
) -> Result<f64> {
    let joint = Joint::new(members, link);
    let peaks: Vec<f64> = found.parts.iter().map(|part| part.peak).collect();
    let mut after = joint.until_back(&peaks)?.state;
    joint.repeat(&joint.settled(&peaks), &mut after);
    joint.lose(&mut after)?;
    let load: f64 = members
        .iter()
        .zip(joint.windows(&after))
        .map(|(member, window)| member.count * window / member.base_rtt)
        .sum();
    Ok(load / link.capacity)
}

/// Flows that follow response functions over a queue that drops every packet with a probability of its own, `drop` of a
/// standing queue in packets: the queue q at which Σ W(drop(q))/(R + q/C) = C. The same loss rate for all makes rates go
/// nearly as the inverse of the round trip.
///
/// # Errors
/// [`Error::NoAnswer`] if the flows do not fill the link or no queue holds them; errors of the responses pass through.
pub fn early_drop(
    flows: &[Responding<'_>],
    capacity: f64,
    buffer: f64,
    drop: &dyn Fn(f64) -> f64,
) -> Result<Equilibrium> {
    let parts = |queue: f64| -> Result<Option<Vec<Part>>> {
        let p = drop(queue);
        // Nothing dropped: windows grow without end.
        if p <= 0.0 {
            return Ok(None);
        }
        let loss = LossRate::new(p.min(1.0 - 1e-9))?;
        flows
            .iter()
            .map(|flow| {
                let rtt = flow.base_rtt + queue / capacity;
                let path = Path {
                    rtt: Some(Seconds::new(rtt)),
                    base_rtt: Some(Seconds::new(flow.base_rtt)),
                };
                let window = flow.function.respond(loss, &path)?.window.value();
                Ok(Part {
                    peak: f64::NAN,
                    rate: window / rtt,
                    window,
                    rounds: 1.0 / (p * window),
                    loss: p,
                })
            })
            .collect::<Result<Vec<Part>>>()
            .map(Some)
    };
    let carried = |parts: &[Part]| -> f64 {
        flows
            .iter()
            .zip(parts)
            .map(|(flow, part)| flow.count * part.rate)
            .sum::<f64>()
            / capacity
    };
    let excess = |queue: f64| -> Result<f64> {
        Ok(parts(queue)?.map_or(100.0, |parts| carried(&parts).ln()))
    };
    if excess(buffer)? > 0.0 {
        return Err(Error::NoAnswer(
            "the queue runs full before it drops enough: losses are those of a full buffer".into(),
        ));
    }
    let queue = if excess(0.0)? <= 0.0 {
        0.0
    } else {
        root::brent(&excess, 0.0, buffer, 0.0)?
    };
    let standing = parts(queue)?.filter(|parts| queue == 0.0 || carried(parts).ln().abs() < JUMP);
    let Some(parts) = standing else {
        return Err(Error::NoAnswer(format!(
            "no standing queue: the probability jumps at {} packets, from less than fills the link to more",
            crate::units::significant(queue, 6)
        )));
    };
    Ok(Equilibrium {
        seconds: f64::NAN,
        utilisation: carried(&parts).min(1.0),
        parts,
        queue_mean: queue,
        queue_p95: f64::NAN,
    })
}
