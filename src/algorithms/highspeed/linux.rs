//! The Linux kernel's HighSpeed TCP: the rows of RFC 3649's table 12, whole packets, decreases in 256ths. Rules of
//! net/ipv4/tcp_highspeed.c in this file's own words.

use crate::model::whole_packets::{UNSETTLED, floor_div, recovering, whole};
use crate::model::{Cause, Feedback, WindowLaw};
use std::sync::OnceLock;

/// Rows that the kernel's file has: all of table 12 but its last.
const ROWS: usize = 72;
/// Up to here RFC 3649's appendix program looks for rows.
const LAST_WINDOW: u32 = 100_000;

/// One row: up to `window` packets the increase is the row's number, and a loss removes `removed`/256.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    window: f64,
    removed: f64,
}

/// The table, made once by the RFC's program (appendix B): a row wherever a(w) has risen by more than 1.
fn table() -> &'static [Row] {
    static TABLE: OnceLock<Vec<Row>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let tilt = (0.1 - 0.5) / (83_000f64 / 38.0).ln();
        let mut rows = Vec::with_capacity(ROWS);
        let mut last = 0.0;
        for window in 38..=LAST_WINDOW {
            let w = f64::from(window);
            let b = 0.5 + tilt * (w / 38.0).ln();
            let a = if window == 38 {
                1.0
            } else {
                w * w * 2.0 * b / ((2.0 - b) * w.powf(1.2) * 12.8)
            };
            if (window == 38 || a > last + 1.0) && rows.len() < ROWS {
                last = a;
                rows.push(Row {
                    window: w,
                    removed: (256.0 * b).floor(),
                });
            }
        }
        rows
    })
}

const STATES: &[&str] = &["window", "counter", "held"];
const COUNTER: usize = 1;
const HELD: usize = 2;

/// The law.
pub(super) struct Law {
    rows: &'static [Row],
}

impl Law {
    pub(super) fn new() -> Self {
        Self { rows: table() }
    }

    /// The first row whose window is not exceeded, or the last.
    fn row(&self, cwnd: f64) -> usize {
        self.rows
            .partition_point(|row| row.window < cwnd)
            .min(self.rows.len() - 1)
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
        let removed = self.rows[self.row(x[0])].removed;
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            (x[0] - floor_div(x[0] * removed, 256.0)).max(2.0)
        };
        x[HELD] = x[0];
        x[COUNTER] = 0.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = whole(window);
    }
    fn on_ack(&self, x: &mut [f64], _seen: &Feedback, _scratch: &mut [f64]) {
        if recovering(1.0, x, HELD) {
            return;
        }
        x[COUNTER] += self.row(x[0]) as f64 + 1.0;
        if x[COUNTER] >= x[0] {
            x[COUNTER] -= x[0];
            x[0] += 1.0;
        }
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "whole packets"
    }
    fn source(&self) -> &'static str {
        "linux net/ipv4/tcp_highspeed.c"
    }
    fn unsettled(&self) -> Option<&'static str> {
        Some(UNSETTLED)
    }
}
