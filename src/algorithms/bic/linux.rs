//! The Linux kernel's BIC: whole packets, a quarter of the distance instead of half, a smooth part near Wmax. Rules of
//! net/ipv4/tcp_bic.c in this file's own words.

use crate::model::whole_packets::{UNSETTLED, add_one_every, floor_div, recovering, whole};
use crate::model::{Cause, Feedback, Setting, WindowLaw};

/// The distance to Wmax is divided by this (B).
const DIVISOR: f64 = 4.0;

/// Packets to an acknowledgement as the kernel estimates them, in 16ths: it starts at 2, and whole-number averaging sticks at
/// 31/16 when every packet is acknowledged. The window so grows nearly twice as fast as the rule without it.
const ACK_RATIO: f64 = 31.0;

const STATES: &[&str] = &["window", "counter", "w_max", "held"];
const COUNTER: usize = 1;
const W_MAX: usize = 2;
const HELD: usize = 3;

/// The law.
pub(super) struct Law {
    max_increment: f64,
    /// Round trips that B packets take near Wmax.
    smooth_part: f64,
    /// Fraction kept in 1024ths.
    kept: f64,
    low_window: f64,
    fast: bool,
}

impl Law {
    pub(super) fn of(setting: &Setting) -> Self {
        Self {
            max_increment: setting.get("smax").round().max(1.0),
            smooth_part: (DIVISOR / setting.get("smin")).round().max(1.0),
            kept: (1024.0 * (1.0 - setting.get("beta")))
                .round()
                .clamp(1.0, 1023.0),
            low_window: setting.get("low_window").round(),
            fast: setting.on("fast_convergence"),
        }
    }

    /// Packets acknowledged for each packet added.
    fn every(&self, cwnd: f64, w_max: f64) -> f64 {
        let smooth = floor_div(cwnd * self.smooth_part, DIVISOR);
        let linear = floor_div(cwnd, self.max_increment);
        let every = if cwnd <= self.low_window {
            cwnd
        } else if cwnd < w_max {
            let distance = floor_div(w_max - cwnd, DIVISOR);
            if distance > self.max_increment {
                linear
            } else if distance <= 1.0 {
                smooth
            } else {
                floor_div(cwnd, distance)
            }
        } else if cwnd < w_max + DIVISOR {
            smooth
        } else if cwnd < w_max + self.max_increment * (DIVISOR - 1.0) {
            floor_div(cwnd * (DIVISOR - 1.0), cwnd - w_max)
        } else {
            linear
        };
        floor_div(every * 16.0, ACK_RATIO).max(1.0)
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
            floor_div(cwnd * (1024.0 + self.kept), 2048.0)
        } else {
            cwnd
        };
        x[0] = if cwnd <= self.low_window {
            floor_div(cwnd, 2.0)
        } else {
            floor_div(cwnd * self.kept, 1024.0)
        }
        .max(2.0);
        if why == Cause::Timeout {
            (x[0], x[W_MAX]) = (1.0, 0.0);
        }
        x[HELD] = x[0];
        x[COUNTER] = 0.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = whole(window);
        x[W_MAX] = x[0];
    }
    fn on_ack(&self, x: &mut [f64], _seen: &Feedback, _scratch: &mut [f64]) {
        if !recovering(1.0, x, HELD) {
            add_one_every(self.every(x[0], x[W_MAX]), 1.0, x, COUNTER);
        }
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "whole packets"
    }
    fn source(&self) -> &'static str {
        "linux net/ipv4/tcp_bic.c"
    }
    fn unsettled(&self) -> Option<&'static str> {
        Some(UNSETTLED)
    }
}
