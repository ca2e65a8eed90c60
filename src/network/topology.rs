//! Paths: which links a flow crosses, and when.

use super::Link;
use crate::error::{Error, Result};

/// One link on a flow's path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hop {
    /// Place of the link in the list of links.
    pub link: usize,
    /// Seconds from the sender to this link.
    pub forward: f64,
}

/// A flow's way over the links.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Route {
    /// Links in order.
    pub hops: Vec<Hop>,
    /// Links that the acknowledgements cross, in order; `forward` counts from the sender there too.
    pub back: Vec<Hop>,
    /// Round trip without queues, seconds.
    pub base_rtt: f64,
}

/// The route of a flow with this base round trip over the links of `path`, in order. The flow enters the first link at
/// once and each further one after the propagation delays of those before it; what the links leave of the round trip
/// is the way back.
///
/// # Errors
/// [`Error::OutOfRange`] for a round trip that is not positive or shorter than its links there and back,
/// [`Error::Arguments`] for a link that is on the path twice or does not exist.
pub fn route(links: &[Link], path: &[usize], base_rtt: f64) -> Result<Route> {
    route_and_back(links, path, &[], base_rtt)
}

/// The same with the links that the acknowledgements cross on their way back, in order. They enter the first one after the propagation
/// delays of the links of `path`, and each further one after those of the links before it; what all these links leave of the round
/// trip lies behind the last one. Without links on the way back this is [`route`].
///
/// # Errors
/// Those of [`route`]; [`Error::Arguments`] for a link that is on both ways: a link carries one direction.
pub fn route_and_back(
    links: &[Link],
    path: &[usize],
    back: &[usize],
    base_rtt: f64,
) -> Result<Route> {
    if !(base_rtt > 0.0 && base_rtt.is_finite()) {
        return Err(Error::out_of_range(
            "the round trip",
            format!("{base_rtt} s"),
            "more than 0",
        ));
    }
    let mut hops: Vec<Hop> = Vec::with_capacity(path.len() + back.len());
    let mut forward = 0.0;
    for (place, &at) in path.iter().chain(back).enumerate() {
        let link = links.get(at).ok_or_else(|| {
            Error::Arguments(format!(
                "link number {at} does not exist: there are {}",
                links.len()
            ))
        })?;
        if let Some(before) = hops.iter().position(|hop| hop.link == at) {
            return Err(crossed_twice(
                &link.name,
                before < path.len(),
                place < path.len(),
            ));
        }
        hops.push(Hop { link: at, forward });
        forward += link.delay;
    }
    let back_hops = hops.split_off(path.len());
    // There and back, over the same links unless others are named; rounding of a sum of delays is no reason to refuse.
    let least = if back.is_empty() {
        2.0 * forward
    } else {
        forward
    };
    if base_rtt < least * (1.0 - 1e-12) {
        return Err(Error::out_of_range(
            "the round trip",
            format!("{base_rtt} s"),
            format!("at least {least} s, the delay of its links there and back"),
        ));
    }
    Ok(Route {
        hops,
        back: back_hops,
        base_rtt,
    })
}

/// A link that a flow crosses for the second time, for people; whether it crosses it on its path the first and the second time.
#[must_use]
pub fn crossed_twice(name: &str, first: bool, second: bool) -> Error {
    Error::Arguments(match (first, second) {
        (true, true) => {
            format!("the link `{name}` is on the path twice: a flow crosses a link once")
        }
        (false, false) => format!(
            "the link `{name}` is on the return path twice: acknowledgements cross a link once"
        ),
        _ => format!(
            "the link `{name}` is on the path and on the return path: a link carries one direction"
        ),
    })
}
