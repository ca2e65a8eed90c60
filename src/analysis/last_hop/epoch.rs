//! One loss epoch after the other, acknowledgement by acknowledgement, with a window and a queue that are real numbers: no packets,
//! no ties, no phase. The law sees the smoothed round trip as rule 2 makes it, so that a law whose growth depends on the
//! round trip reacts to the queue as late as it does in the run.

use super::{DUPLICATES, LEAST_RTO, LEAST_WINDOW, LastHop, Toll, left, limited, seen};
use crate::error::{Error, Result};
use crate::model::{Cause, WindowLaw};
use std::collections::VecDeque;

/// Epochs that are forgotten, and epochs that are averaged: some laws alternate between two or three.
const WARM_UP: usize = 40;
const MEASURED: usize = 60;
/// Acknowledgements of one epoch after which it is given up.
const LONGEST: usize = 3_000_000;

#[derive(Default)]
struct Sum {
    epochs: f64,
    sent: f64,
    served: f64,
    drops: f64,
    peaks: f64,
    seconds: f64,
    rtts: f64,
    timeouts: f64,
}

/// The answer of the smooth recurrence.
///
/// # Errors
/// What [`LastHop::check`] says; [`Error::NoAnswer`] for a law that does not fill the pipe.
pub fn epoch(law: &dyn WindowLaw, hop: &LastHop) -> Result<Toll> {
    hop.check()?;
    if let Some(toll) = limited(hop) {
        return Ok(toll);
    }
    let pipe = hop.pipe();
    let allowed = hop
        .receive_window
        .map_or(f64::INFINITY, |window| window as f64);
    let full = pipe / hop.capacity;
    let places = law.states().len();
    let mut scratch = vec![0.0; places];
    let mut x = vec![0.0; places];
    law.settle(pipe + 1.0, &mut x);
    law.decrease(&mut x, &seen(hop, pipe, full), Cause::Loss);
    let (mut srtt, mut deviation) = (full, 0.5 * full);
    let mut sum = Sum::default();
    // Windows of the last round trip, oldest first: what is acknowledged now was sent at the first of them.
    let mut flight: VecDeque<f64> = VecDeque::new();
    // Where slow start ends, while it lasts.
    let mut threshold = None;
    // Packets acknowledged since the law last moved.
    let mut due = 0.0;
    for number in 0..WARM_UP + MEASURED {
        let (mut acks, mut seconds, mut rtts) = (0usize, 0.0, 0.0);
        let mut after = 0.0;
        flight.clear();
        // The climb, and then a pipe and two packets more: the third packet after the first drop tells of it.
        while after < pipe + DUPLICATES as f64 - 1.0 {
            let window = x[0].min(allowed);
            let outstanding = window.min(pipe);
            flight.push_back(window);
            while flight.len() as f64 > outstanding.max(1.0) {
                flight.pop_front();
            }
            let sample = hop.rtt(flight.front().copied().unwrap_or(window));
            deviation += 0.25 * ((sample - srtt).abs() - deviation);
            srtt += 0.125 * (sample - srtt);
            seconds += hop.rtt(window) / outstanding.max(1.0);
            rtts += sample;
            if window >= pipe + 1.0 {
                after += 1.0;
            }
            due += 1.0;
            if due >= law.ack_every() {
                due -= law.ack_every();
                match threshold {
                    Some(end) if x[0] < end => x[0] += 1.0,
                    _ => {
                        threshold = None;
                        law.on_ack(&mut x, &seen(hop, window, srtt), &mut scratch);
                    }
                }
            }
            acks += 1;
            if acks > LONGEST {
                return Err(Error::NoAnswer(format!(
                    "the law does not fill the path within {LONGEST} acknowledgements"
                )));
            }
        }
        let peak = x[0].min(allowed);
        let drops = (peak.floor() - pipe).max(1.0);
        let mended = hop.repair.mends(drops as u64, peak);
        let sent = acks as f64 + peak;
        let served = acks as f64 + pipe;
        rtts += pipe * full;
        let told = seen(hop, peak, srtt);
        if mended {
            seconds += full;
            for _ in 0..hop.repair.decreases(drops as u64) {
                law.decrease(&mut x, &told, Cause::Loss);
            }
            x[0] = x[0].max(LEAST_WINDOW);
        } else {
            // What is outstanding drains while the timer runs.
            seconds += hop
                .rto
                .unwrap_or((srtt + 4.0 * deviation).max(LEAST_RTO))
                .max(full);
            threshold = Some(left(law, hop, peak, 1));
            law.decrease(&mut x, &told, Cause::Timeout);
            x[0] = 1.0;
        }
        if number >= WARM_UP {
            sum.epochs += 1.0;
            sum.sent += sent;
            sum.served += served;
            sum.drops += drops;
            sum.peaks += peak;
            sum.seconds += seconds;
            sum.rtts += rtts;
            sum.timeouts += f64::from(u8::from(!mended));
        }
    }
    let rate = ((sum.sent - sum.drops) / sum.seconds).min(hop.capacity);
    Ok(Toll {
        loss_fraction: sum.drops / sum.sent,
        drops_per_event: Some(sum.drops / sum.epochs),
        events_per_hour: 3600.0 * sum.epochs / sum.seconds,
        timeouts: Some(sum.timeouts / sum.epochs),
        peak: Some(sum.peaks / sum.epochs),
        rate,
        utilisation: rate / hop.capacity,
        rtt: sum.rtts / sum.served,
    })
}
