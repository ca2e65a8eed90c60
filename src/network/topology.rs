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
    if !(base_rtt > 0.0 && base_rtt.is_finite()) {
        return Err(Error::out_of_range(
            "the round trip",
            format!("{base_rtt} s"),
            "more than 0",
        ));
    }
    let mut hops: Vec<Hop> = Vec::with_capacity(path.len());
    let mut forward = 0.0;
    for &at in path {
        let link = links.get(at).ok_or_else(|| {
            Error::Arguments(format!(
                "link number {at} does not exist: there are {}",
                links.len()
            ))
        })?;
        if hops.iter().any(|hop| hop.link == at) {
            return Err(Error::Arguments(format!(
                "the link `{}` is on the path twice: a flow crosses a link once",
                link.name
            )));
        }
        hops.push(Hop { link: at, forward });
        forward += link.delay;
    }
    // There and back over the same links; rounding of a sum of delays is no reason to refuse.
    let least = 2.0 * forward;
    if base_rtt < least * (1.0 - 1e-12) {
        return Err(Error::out_of_range(
            "the round trip",
            format!("{base_rtt} s"),
            format!("at least {least} s, the delay of its links there and back"),
        ));
    }
    Ok(Route { hops, base_rtt })
}
