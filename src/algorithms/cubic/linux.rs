//! The Linux kernel's CUBIC: whole packets, ticks of a millisecond, fixed-point cubic. Rules of net/ipv4/tcp_cubic.c as they
//! stand since version 4.1 (packets, not acknowledgements, are counted), described in this file's own words.

use super::Constants;
use crate::model::whole_packets::{UNSETTLED, add_one_every, floor_div, recovering, whole};
use crate::model::{Cause, Feedback, WindowLaw};

/// Ticks a second (HZ).
const TICKS: f64 = 1000.0;
/// Units of the cubic's clock a second (2^BICTCP_HZ).
const CLOCK: f64 = 1024.0;
/// A window and its divisor are looked at again after this many ticks without a change (HZ/32).
const REFRESH: f64 = 31.0;

const STATES: &[&str] = &[
    "window",
    "counter",
    "w_max",
    "now",
    "started",
    "origin",
    "k",
    "every",
    "acked",
    "friendly",
    "last_window",
    "last_time",
    "held",
];
const COUNTER: usize = 1;
const W_MAX: usize = 2;
/// Seconds since recovery ended.
const NOW: usize = 3;
/// Tick at which the epoch began, −1 before its first acknowledgement.
const STARTED: usize = 4;
const ORIGIN: usize = 5;
/// K in clock units.
const K: usize = 6;
/// Packets acknowledged for each packet added.
const EVERY: usize = 7;
/// Packets acknowledged that the Reno-friendly window has not used yet.
const ACKED: usize = 8;
const FRIENDLY: usize = 9;
const LAST_WINDOW: usize = 10;
const LAST_TIME: usize = 11;
const HELD: usize = 12;

/// The law with its fixed-point constants.
pub(super) struct Law {
    /// β in 1024ths.
    beta: f64,
    /// C in 1024ths.
    scale: f64,
    /// Eighths of a window that the Reno-friendly window needs for one packet.
    friendly_scale: f64,
    fast: bool,
    ack_every: f64,
}

impl Law {
    pub(super) fn new(constants: Constants) -> Self {
        let beta = (constants.beta * 1024.0).round().clamp(1.0, 1023.0);
        Self {
            beta,
            scale: (constants.c * 1024.0).round().max(1.0),
            friendly_scale: floor_div(floor_div(8.0 * (1024.0 + beta), 3.0), 1024.0 - beta),
            fast: constants.fast,
            ack_every: constants.ack_every,
        }
    }

    /// Writes into `x` how many packets must be acknowledged for the next one.
    fn update(&self, x: &mut [f64], delay: f64) {
        let cwnd = x[0];
        let tick = (x[NOW] * TICKS).floor();
        x[ACKED] += self.ack_every;
        let started = x[STARTED] >= 0.0;
        if started && x[LAST_WINDOW] == cwnd && tick - x[LAST_TIME] <= REFRESH {
            return;
        }
        if !started || tick != x[LAST_TIME] {
            x[LAST_WINDOW] = cwnd;
            x[LAST_TIME] = tick;
            if !started {
                x[STARTED] = tick;
                x[ACKED] = self.ack_every;
                x[FRIENDLY] = cwnd;
                if x[W_MAX] <= cwnd {
                    (x[K], x[ORIGIN]) = (0.0, cwnd);
                } else {
                    // 2^40/(C·1024) per packet; the kernel's table is within 0.2 % of the whole cube root.
                    let factor = floor_div(1024f64.powi(4), self.scale);
                    x[K] = (factor * (x[W_MAX] - cwnd)).cbrt().floor();
                    x[ORIGIN] = x[W_MAX];
                }
            }
            self.divisor(x, tick, delay);
        }
        self.friendliness(x);
    }

    /// Towards the cubic one base round trip ahead, in whole packets.
    fn divisor(&self, x: &mut [f64], tick: f64, delay: f64) {
        let cwnd = x[0];
        let ahead = tick - x[STARTED] + (delay * TICKS).floor();
        let offset = floor_div(ahead * CLOCK, TICKS) - x[K];
        let cube = floor_div(self.scale * offset.abs().powi(3), 1024.0 * CLOCK.powi(3));
        let target = x[ORIGIN] + cube.copysign(offset);
        x[EVERY] = if target > cwnd {
            floor_div(cwnd, target - cwnd)
        } else {
            100.0 * cwnd
        };
    }

    fn friendliness(&self, x: &mut [f64]) {
        let cwnd = x[0];
        let packets = floor_div(cwnd * self.friendly_scale, 8.0).max(1.0);
        while x[ACKED] > packets {
            x[ACKED] -= packets;
            x[FRIENDLY] += 1.0;
        }
        if x[FRIENDLY] > cwnd {
            x[EVERY] = x[EVERY].min(floor_div(cwnd, x[FRIENDLY] - cwnd));
        }
        x[EVERY] = x[EVERY].max(2.0);
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
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        let cwnd = x[0];
        x[W_MAX] = if self.fast && cwnd < x[W_MAX] {
            floor_div(cwnd * (1024.0 + self.beta), 2048.0)
        } else {
            cwnd
        };
        x[0] = floor_div(cwnd * self.beta, 1024.0).max(2.0);
        if why == Cause::Timeout {
            (x[0], x[W_MAX]) = (1.0, 0.0);
        }
        x[COUNTER] = 0.0;
        x[HELD] = x[0];
        x[NOW] = 0.0;
        x[STARTED] = -1.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = whole(window);
        x[W_MAX] = x[0];
        x[STARTED] = -1.0;
    }
    fn on_ack(&self, x: &mut [f64], seen: &Feedback, _scratch: &mut [f64]) {
        if recovering(self.ack_every, x, HELD) {
            return;
        }
        x[NOW] += self.ack_every * seen.rtt / x[0];
        self.update(x, seen.base_rtt);
        let every = x[EVERY];
        add_one_every(every, self.ack_every, x, COUNTER);
    }
    fn ack_every(&self) -> f64 {
        self.ack_every
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "whole packets"
    }
    fn source(&self) -> &'static str {
        "linux net/ipv4/tcp_cubic.c"
    }
    fn unsettled(&self) -> Option<&'static str> {
        Some(UNSETTLED)
    }
}
