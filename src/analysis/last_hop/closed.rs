//! The closed expression for a law that adds `a` packets per round trip, `a` taken at the round trip of a full buffer. The
//! window climbs from what a decrease leaves, `w`, to `W`, where a loss is noticed; the climb sends `(W² − w²)/(2a)` packets, and `W`
//! more are sent while it recovers. With D drops at each event the loss fraction is
//!
//! ```math
//! D / ((W² − w²)/(2a) + W),     for halving   D / (3 W²/(8a) + W)
//! ```
//!
//! Rule 3 tells D and W as well. The first drop comes when P + 1 packets are outstanding, P the pipe; it is noticed with the third
//! packet sent after it, and for P + 2 acknowledgements until then the window grows on, from P + 1 and what the last acknowledgement
//! added beyond it (0 to a/(P+1)): `W = √((P+1+s)² + 2a(P+2))`. Each whole packet that it gains is one more drop: `D = ⌊W⌋ − P`, averaged
//! over s. Where W passes a whole number within that spread the run decides for one of the two.
//!
//! Without selective acknowledgements two losses halve the window twice, and more wait for the timer: the time then includes RTO and
//! slow start. Unless it is given, RTO is here the larger of 1 s and the round trip of a full buffer: the deviation of the round trip, of
//! which rule 5 adds four, is left out (the run and the smooth recurrence have it).

use super::{DUPLICATES, LEAST_RTO, LastHop, Toll, left, limited, seen};
use crate::error::{Error, Result};
use crate::model::{Cause, WindowLaw};

/// Packets that the law adds per round trip with the buffer full.
///
/// # Errors
/// [`Error::NoAnswer`] for a law whose growth depends on its window, or that does not grow.
fn increase(law: &dyn WindowLaw, hop: &LastHop) -> Result<f64> {
    let full = hop.pipe() + 1.0;
    let rtt = hop.rtt(full);
    let at = |window: f64| {
        let seen = seen(hop, full, rtt);
        let mut x = vec![0.0; law.states().len()];
        let mut dx = x.clone();
        law.settle(full, &mut x);
        law.decrease(&mut x, &seen, Cause::Loss);
        x[0] = window;
        law.increase(&x, &seen, &mut dx);
        dx[0] * rtt
    };
    let (a, low) = (at(full), at(0.75 * full));
    if !(a > 0.0 && a.is_finite()) {
        Err(Error::NoAnswer(
            "the law does not grow with the buffer full: the expression needs growth".into(),
        ))
    } else if (a - low).abs() > 1e-9 * a {
        Err(Error::NoAnswer(
            "the law's growth depends on its window: the expression needs a constant one; see the roads `epoch` and `ack`".into(),
        ))
    } else {
        Ok(a)
    }
}

/// Packets sent and seconds of one event, the packets' mean round trip, and how it ends.
struct Cycle {
    sent: f64,
    seconds: f64,
    rtt: f64,
    mended: bool,
    /// Where the climb begins.
    low: f64,
}

/// One event with `drops` drops that is noticed at a window of `peak` packets.
fn cycle(law: &dyn WindowLaw, hop: &LastHop, a: f64, drops: f64, peak: f64) -> Cycle {
    let (pipe, busy, base) = (hop.pipe(), hop.busy(), hop.base_rtt());
    let losses = drops.round() as u64;
    let mended = hop.repair.mends(losses, peak);
    let times = if mended {
        hop.repair.decreases(losses)
    } else {
        1
    };
    let low = left(law, hop, peak, times);
    // Packets, seconds and the packets' round trips of a stretch of the climb in which the round trip is R, or w/μ.
    let packets = |from: f64, to: f64| (to * to - from * from) / (2.0 * a);
    let cubes = |from: f64, to: f64| (to.powi(3) - from.powi(3)) / (3.0 * a * hop.capacity);
    let full = pipe / hop.capacity;
    let (mut seconds, mut spent) = (0.0, 0.0);
    let ends = [low, busy.clamp(low, peak), pipe.clamp(low, peak), peak];
    for (place, pair) in ends.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let (time, rtts) = match place {
            0 => (base * (to - from) / a, base * packets(from, to)),
            1 => (packets(from, to) / hop.capacity, cubes(from, to)),
            _ => (full * (to - from) / a, full * packets(from, to)),
        };
        seconds += time;
        spent += rtts;
    }
    // Recovery: what is outstanding and not dropped is served.
    let climbed = packets(low, peak);
    let mut sent = climbed + peak;
    seconds += full;
    if !mended {
        // What is outstanding drains while the timer runs.
        seconds += hop.rto.unwrap_or(full.max(LEAST_RTO)).max(full) - full;
        // Slow start: 1, 2, 4, ... packets a round up to where the climb begins.
        sent += low - 1.0;
        seconds += low.log2().max(0.0) * base;
    }
    Cycle {
        sent,
        seconds,
        rtt: (spent + peak * full) / (climbed + peak),
        mended,
        low,
    }
}

/// The expression for given drops per event and window at the loss.
///
/// # Errors
/// What [`LastHop::check`] says; [`Error::NoAnswer`] for a law without a constant increase.
pub fn overflow(law: &dyn WindowLaw, hop: &LastHop, drops: f64, peak: f64) -> Result<f64> {
    hop.check()?;
    let a = increase(law, hop)?;
    Ok(drops / cycle(law, hop, a, drops, peak).sent)
}

/// The whole answer by the closed expression, D and W predicted.
///
/// # Errors
/// What [`LastHop::check`] says; [`Error::NoAnswer`] for a law without a constant increase.
pub fn expression(law: &dyn WindowLaw, hop: &LastHop) -> Result<Toll> {
    hop.check()?;
    if let Some(toll) = limited(hop) {
        return Ok(toll);
    }
    let a = increase(law, hop)?;
    let pipe = hop.pipe();
    let allowed = hop
        .receive_window
        .map_or(f64::INFINITY, |window| window as f64);
    // The window passes P + 1 somewhere within the growth of one acknowledgement.
    let step = a / (pipe + 1.0);
    let reach = |past: f64| {
        ((pipe + 1.0 + past).powi(2) + 2.0 * a * (pipe + DUPLICATES as f64 - 1.0)).sqrt()
    };
    let (least, most) = (reach(0.0).min(allowed), reach(step).min(allowed));
    let peak = 0.5 * (least + most);
    let drops = (whole(least, most) - pipe).max(1.0);
    let cycle = cycle(law, hop, a, drops, peak);
    if cycle.low > pipe + 1.0 {
        return Err(Error::NoAnswer(
            "the window outgrows the path within one round trip, and what a decrease leaves of it overfills the path at once: see the roads `epoch` and `ack`".into(),
        ));
    }
    let rate = ((cycle.sent - drops) / cycle.seconds).min(hop.capacity);
    Ok(Toll {
        loss_fraction: drops / cycle.sent,
        drops_per_event: Some(drops),
        events_per_hour: 3600.0 / cycle.seconds,
        timeouts: Some(if cycle.mended { 0.0 } else { 1.0 }),
        peak: Some(peak),
        rate,
        utilisation: rate / hop.capacity,
        rtt: cycle.rtt,
    })
}

/// Mean of ⌊x⌋ for x spread evenly between `from` and `to`.
fn whole(from: f64, to: f64) -> f64 {
    // ∫⌊x⌋ from 0 to x is n(n − 1)/2 + n (x − n) with n = ⌊x⌋.
    let sum = |x: f64| {
        let n = x.floor();
        n * (n - 1.0) / 2.0 + n * (x - n)
    };
    if to > from {
        (sum(to) - sum(from)) / (to - from)
    } else {
        from.floor()
    }
}
