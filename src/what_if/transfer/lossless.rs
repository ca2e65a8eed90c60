//! A transfer without losses, in whole rounds: slow start until link or receiver hold it, then at their rate.

use super::{Job, Parts};
use crate::error::{Error, Result};

/// Rounds that a transfer may take: beyond, its size or its window is a slip.
const MOST_ROUNDS: f64 = 1e15;

/// Packets per round trip that link and receiver let through, infinity for no limit.
pub(super) fn ceiling(job: &Job) -> f64 {
    job.link
        .map_or(f64::INFINITY, |rate| rate * job.rtt)
        .min(job.window.unwrap_or(f64::INFINITY))
}

/// Packets per second in the long run.
pub(super) fn long_run(job: &Job) -> Option<f64> {
    let ceiling = ceiling(job);
    ceiling.is_finite().then_some(ceiling / job.rtt)
}

/// Rounding of a power.
const SLACK: f64 = 1e-14;

/// The smallest n ≥ 0 with w₁(γⁿ − 1)/(γ − 1) ≥ packets. The logarithm only guesses: the sum decides.
fn rounds_for(packets: f64, first: f64, growth: f64) -> f64 {
    let sent = |n: f64| first * (growth.powf(n) - 1.0) / (growth - 1.0);
    let mut n = ((packets * (growth - 1.0) / first + 1.0).ln() / growth.ln())
        .round()
        .max(0.0);
    while n > 0.0 && sent(n - 1.0) >= packets * (1.0 - SLACK) {
        n -= 1.0;
    }
    while sent(n) < packets * (1.0 - SLACK) {
        n += 1.0;
    }
    n
}

/// Handshake, then rounds of w₁, γw₁, γ²w₁, ... until a round fills the link (or meets the receiver's window), then the rest at
/// that rate; the last packets of all take their time at the link. From the first packet of the handshake to the last
/// acknowledgement.
pub(super) fn time(job: &Job) -> Result<Parts> {
    let (rtt, growth, size) = (job.rtt, job.growth, job.packets);
    let ceiling = ceiling(job);
    let first = job.first.min(job.window.unwrap_or(f64::INFINITY));
    let on_link = |packets: f64| job.link.map_or(0.0, |rate| packets / rate);
    // Whole rounds below the ceiling, and what they send.
    let free = if ceiling.is_infinite() {
        f64::INFINITY
    } else if first >= ceiling {
        0.0
    } else {
        ((ceiling / first).ln() / growth.ln() - 1e-12).ceil()
    };
    let sent = |rounds: f64| first * (growth.powf(rounds) - 1.0) / (growth - 1.0);
    let needed = rounds_for(size, first, growth);
    let (rounds, slow_packets, last) = if needed <= free {
        (needed, size, size - sent(needed - 1.0))
    } else {
        let slow = sent(free);
        let rest = size - slow;
        let full = job.link.is_some_and(|rate| rate * rtt <= ceiling);
        if full {
            // The link never idles again.
            (free + 1.0, slow, rest)
        } else {
            let more = (rest / ceiling - 1e-12).ceil().max(1.0);
            (free + more, slow, rest - (more - 1.0) * ceiling)
        }
    };
    if rounds > MOST_ROUNDS {
        return Err(Error::NoAnswer(format!(
            "more than {MOST_ROUNDS:e} round trips would be needed"
        )));
    }
    let slow_rounds = rounds.min(free);
    Ok(Parts {
        handshake: job.handshake * rtt,
        slow_start: slow_rounds * rtt + if needed <= free { on_link(last) } else { 0.0 },
        recovery: 0.0,
        steady: if needed <= free {
            0.0
        } else {
            (rounds - slow_rounds) * rtt + on_link(last)
        },
        acknowledgement: 0.0,
        slow_packets,
        capped: needed > free,
        rounds: Some(rounds),
    })
}
