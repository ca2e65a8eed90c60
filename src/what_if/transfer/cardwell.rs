//! The mean time of a transfer with random losses: Cardwell, Savage and Anderson 2000, whose equation numbers stand below.
//!
//! Its steady rate is Padhye et al.'s model as Cardwell prints it, written out here apart from the formula `pftk` of
//! `algorithms`: two readings of the same pages, which a test holds together.

use super::lossless::ceiling;
use super::{Job, Parts};
use crate::error::{Error, Result};
use crate::units::significant;

/// 1 − (1−p)^n.
fn any_lost(p: f64, n: f64) -> f64 {
    -(n * (-p).ln_1p()).exp_m1()
}

/// Eq. 17: chance that a loss in a window of `w` packets ends in a timeout.
pub(super) fn timeout_chance(p: f64, w: f64) -> f64 {
    if w <= 3.0 {
        return 1.0;
    }
    let three = any_lost(p, 3.0);
    ((1.0 + (1.0 - three) * any_lost(p, w - 3.0)) * three / any_lost(p, w)).min(1.0)
}

/// Eq. 18, 19: mean length of a sequence of timeouts, seconds.
fn timeouts(p: f64, rto: f64) -> f64 {
    let backoff = [16.0, 8.0, 4.0, 2.0, 1.0, 1.0]
        .iter()
        .fold(32.0, |sum, c| sum * p + c);
    backoff * rto / (1.0 - p)
}

/// Eq. 22: mean window at a loss if neither link nor receiver hold it, packets.
pub(super) fn steady_window(job: &Job, p: f64) -> f64 {
    let b = job.ack_every;
    let half = (2.0 + b) / (3.0 * b);
    half + (8.0 * (1.0 - p) / (3.0 * b * p) + half * half).sqrt()
}

/// Eq. 22, 23: packets delivered per second in the long run at loss rate p > 0, by Padhye et al.'s model as Cardwell prints it.
pub(super) fn steady_rate(job: &Job, p: f64) -> f64 {
    let (b, most) = (job.ack_every, ceiling(job));
    let window = steady_window(job, p);
    let chance = |w: f64| {
        if job.probe { 0.0 } else { timeout_chance(p, w) }
    };
    let (w, rounds) = if window < most {
        (window, 0.5 * b * window + 1.0)
    } else {
        (most, b * most / 8.0 + (1.0 - p) / (p * most) + 2.0)
    };
    let q = chance(w);
    let packets = (1.0 - p) / p + 0.5 * w + q;
    let rate = packets / (job.rtt * rounds + q * timeouts(p, job.rto));
    job.link.map_or(rate, |link| rate.min(link))
}

/// Eq. 4: a handshake of `handshake` round trips, whose first packets are lost like any other and sent again after
/// `syn_timeout`, doubled each time.
pub(super) fn handshake(job: &Job) -> Result<f64> {
    let p = job.loss.unwrap_or(0.0);
    if job.handshake == 0.0 {
        return Ok(0.0);
    }
    if p >= 0.5 {
        return Err(Error::NoAnswer(
            "at loss rates of one half and more the mean time of a handshake with exponential back-off has no limit".into(),
        ));
    }
    let tries = (1.0 - p) / (1.0 - 2.0 * p) - 1.0;
    Ok(job.handshake * job.rtt + 2.0 * job.syn_timeout * tries)
}

/// What the rest misses that takes the long-run rate at once, if it is far from what slow start leaves and few losses follow to bring them
/// together.
pub(super) fn abrupt(job: &Job, parts: &Parts, steady: f64) -> Option<String> {
    /// Losses after which the window has forgotten where it began: each halving halves what is left of the start.
    const FORGOTTEN: f64 = 10.0;
    /// Windows within this share of each other are near.
    const NEAR: f64 = 0.25;
    let p = job.loss.filter(|_| parts.steady > 0.0)?;
    let losses = (job.packets - parts.slow_packets) * p;
    let peak = (parts.slow_packets * (job.growth - 1.0) + job.first) / job.growth;
    let (left, long) = (0.5 * peak.min(ceiling(job)), steady * job.rtt);
    let apart = (left / long - 1.0).abs() > NEAR;
    (apart && losses < FORGOTTEN).then(|| {
        format!(
            "after its first loss the rest has the long-run window of {} packets at once, where half of slow start's is {}, and only {} more losses follow: this time is {}, see `fluid`",
            significant(long, 3),
            significant(left, 3),
            significant(losses, 2),
            if left > long { "too long" } else { "too short" }
        )
    })
}

/// Eq. 25. `steady` is the rate of the rest, packets per second: [`steady_rate`], or another law's.
pub(super) fn time(job: &Job, steady: f64) -> Result<Parts> {
    let (rtt, growth, size) = (job.rtt, job.growth, job.packets);
    let p = job.loss.unwrap_or(0.0);
    let most = ceiling(job);
    let first = job.first.min(most);
    // Eq. 5: packets of the first slow start, the one that is lost among them.
    let slow = if p > 0.0 {
        (any_lost(p, size) * (1.0 - p) / p + 1.0).min(size)
    } else {
        size
    };
    // Eq. 11, 15.
    let window = slow * (growth - 1.0) / growth + first / growth;
    let rounds = if window <= most {
        (slow * (growth - 1.0) / first + 1.0).ln() / growth.ln()
    } else {
        (most / first).ln() / growth.ln()
            + 1.0
            + (slow - (growth * most - first) / (growth - 1.0)) / most
    };
    // Eq. 16 to 20.
    let recovery = if p > 0.0 {
        let q = if job.probe {
            0.0
        } else {
            timeout_chance(p, window.min(most))
        };
        any_lost(p, size) * (q * timeouts(p, job.rto) + (1.0 - q) * rtt)
    } else {
        0.0
    };
    // Eq. 21, 24.
    let rest = size - slow;
    Ok(Parts {
        handshake: handshake(job)?,
        slow_start: rounds * rtt,
        recovery,
        steady: if rest > 0.0 { rest / steady } else { 0.0 },
        acknowledgement: job.delayed_ack,
        slow_packets: slow,
        capped: window > most,
        rounds: None,
    })
}
