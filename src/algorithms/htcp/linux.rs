//! The Linux kernel's H-TCP: whole packets, ticks of a millisecond, increase and decrease in 128ths. Rules of
//! net/ipv4/tcp_htcp.c in this file's own words.

use super::Constants;
use crate::model::whole_packets::{UNSETTLED, floor_div, recovering, whole};
use crate::model::{Cause, Feedback, WindowLaw};

/// Ticks a second (HZ).
const TICKS: f64 = 1000.0;
/// A round trip up to this many ticks never adapts its backoff.
const SHORT: f64 = 10.0;
/// Fractions kept, in 128ths.
const LEAST_KEPT: f64 = 64.0;
const MOST_KEPT: f64 = 102.0;

const STATES: &[&str] = &["window", "counter", "age", "alpha", "kept", "held"];
const COUNTER: usize = 1;
/// Seconds since recovery ended.
const AGE: usize = 2;
/// Increase in 128ths of a packet.
const ALPHA: usize = 3;
const KEPT: usize = 4;
const HELD: usize = 5;

/// The law.
pub(super) struct Law(pub(super) Constants);

impl Law {
    fn update_alpha(&self, x: &mut [f64], seen: &Feedback) {
        let late = (x[AGE] * TICKS).floor() - TICKS;
        let mut factor = 1.0;
        if late > 0.0 {
            let half = floor_div(late, 2.0);
            factor += floor_div(10.0 * late + floor_div(half * half, TICKS), TICKS);
        }
        let shortest = (seen.base_rtt * TICKS).floor();
        if self.0.scaled && shortest > 0.0 {
            let scale = floor_div(TICKS * 8.0, 10.0 * shortest).clamp(4.0, 80.0);
            factor = floor_div(factor * 8.0, scale).max(1.0);
        }
        x[ALPHA] = 2.0 * factor * (128.0 - x[KEPT]);
    }

    fn update_kept(&self, x: &mut [f64], seen: &Feedback) {
        let shortest = (seen.base_rtt * TICKS).floor();
        x[KEPT] = if !self.0.adaptive {
            (128.0 * self.0.beta).floor().max(1.0)
        } else if shortest > SHORT {
            floor_div(128.0 * shortest, (seen.rtt * TICKS).floor()).clamp(LEAST_KEPT, MOST_KEPT)
        } else {
            LEAST_KEPT
        };
    }
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        STATES
    }
    /// None: the rules are for each acknowledgement.
    fn increase(&self, _x: &[f64], _seen: &Feedback, dx: &mut [f64]) {
        dx.fill(0.0);
    }
    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: Cause) {
        self.update_kept(x, seen);
        // The increase still belongs to the moment of the loss; it is renewed with the next packet added.
        self.update_alpha(x, seen);
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            floor_div(x[0] * x[KEPT], 128.0).max(2.0)
        };
        x[HELD] = x[0];
        x[COUNTER] = 0.0;
        x[AGE] = 0.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = whole(window);
        x[ALPHA] = 128.0;
        x[KEPT] = LEAST_KEPT;
    }
    fn on_ack(&self, x: &mut [f64], seen: &Feedback, _scratch: &mut [f64]) {
        if recovering(self.0.ack_every, x, HELD) {
            return;
        }
        x[AGE] += self.0.ack_every * seen.rtt / x[0];
        if floor_div(x[COUNTER] * x[ALPHA], 128.0) >= x[0] {
            x[0] += 1.0;
            x[COUNTER] = 0.0;
            self.update_alpha(x, seen);
        } else {
            x[COUNTER] += self.0.ack_every;
        }
    }
    fn ack_every(&self) -> f64 {
        self.0.ack_every
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "whole packets"
    }
    fn source(&self) -> &'static str {
        "linux net/ipv4/tcp_htcp.c"
    }
    fn unsettled(&self) -> Option<&'static str> {
        Some(UNSETTLED)
    }
}
