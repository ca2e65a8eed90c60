//! The flows and the link that they share.

use crate::error::{Error, Result};
use crate::model::WindowLaw;

/// Flows of one kind.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// The law.
    pub law: &'a dyn WindowLaw,
    /// Round trip without the queue, seconds.
    pub base_rtt: f64,
    /// How many such flows; they stay equal.
    pub count: f64,
}

/// The link that the flows share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedLink {
    /// Packets per second.
    pub capacity: f64,
    /// Packets that the drop-tail buffer holds; 0 for none.
    pub buffer: f64,
}

impl SharedLink {
    /// Queueing delay behind the full buffer, seconds.
    #[must_use]
    pub fn full_delay(&self) -> f64 {
        self.buffer / self.capacity
    }
}

/// Checks that the flows and the link can be asked about.
///
/// # Errors
/// One sentence about what cannot.
pub fn check(members: &[Member<'_>], link: SharedLink) -> Result<()> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if members.is_empty() {
        return Err(Error::Arguments(
            "there is no flow: give at least one".into(),
        ));
    }
    if !(positive(link.capacity) && link.buffer >= 0.0 && link.buffer.is_finite()) {
        return Err(Error::out_of_range(
            "the link",
            format!(
                "{} packets/s with a buffer of {} packets",
                link.capacity, link.buffer
            ),
            "a capacity above 0 and a finite buffer of 0 or more",
        ));
    }
    for member in members {
        if !positive(member.base_rtt) {
            return Err(Error::out_of_range(
                "the round trip",
                format!("{} s", member.base_rtt),
                "more than 0",
            ));
        }
        if !positive(member.count) {
            return Err(Error::out_of_range(
                "the number of flows",
                member.count,
                "1 or more",
            ));
        }
        let pipe = link.capacity * member.base_rtt + link.buffer;
        if pipe < 1.0 {
            return Err(Error::out_of_range(
                "the capacity",
                format!(
                    "{} packets/s, {} packets in the pipe and the buffer of a round trip of {} s",
                    link.capacity, pipe, member.base_rtt
                ),
                "at least one packet per round trip",
            ));
        }
    }
    let flows: f64 = members.iter().map(|m| m.count).sum();
    let demand: f64 = members
        .iter()
        .map(|m| m.count / (m.base_rtt + link.full_delay()))
        .sum();
    if demand > link.capacity {
        return Err(Error::out_of_range(
            "the number of flows",
            format!("{flows}"),
            format!(
                "as many as have room for one packet each: {} packets/s carry about {} of them",
                link.capacity,
                (flows * link.capacity / demand).floor()
            ),
        ));
    }
    Ok(())
}
