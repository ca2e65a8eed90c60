//! Progress with time left, on standard error when that is a terminal.

use crate::cli::emit::duration;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(super) struct Progress {
    shown: bool,
    total: u64,
    done: AtomicU64,
    start: Instant,
    last: Mutex<Instant>,
}

impl Progress {
    /// For `total` points still to do.
    pub fn new(total: u64, quiet: bool) -> Self {
        let now = Instant::now();
        Self {
            shown: !quiet && std::io::stderr().is_terminal(),
            total,
            done: AtomicU64::new(0),
            start: now,
            last: Mutex::new(now),
        }
    }

    /// So many points more are done.
    pub fn add(&self, points: u64) {
        let done = self.done.fetch_add(points, Ordering::Relaxed) + points;
        if !self.shown {
            return;
        }
        // Whoever does not get the lock leaves it to the one who has it.
        if let Ok(mut last) = self.last.try_lock()
            && last.elapsed() > Duration::from_millis(200)
        {
            *last = Instant::now();
            let share = done as f64 / self.total.max(1) as f64;
            let left = self.start.elapsed().as_secs_f64() * (1.0 - share) / share;
            line(&format!(
                "{:.0} %: {done} of {} points, {} left",
                100.0 * share,
                self.total,
                duration(Some(left.ceil()))
            ));
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if self.shown {
            line("");
        }
    }
}

/// Replaces the line.
fn line(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "\r\x1b[K{text}");
    let _ = err.flush();
}
