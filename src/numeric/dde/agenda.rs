//! Times at which something has been arranged to happen.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A scheduled reaction; earlier times first, then in the order they were added.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time: f64,
    sequence: usize,
    tag: usize,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_time = self.time.total_cmp(&other.time);
        by_time.then(self.sequence.cmp(&other.sequence))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// The scheduled reactions that have not run.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    entries: BinaryHeap<Reverse<Entry>>,
    added: usize,
}

impl Agenda {
    pub fn add(&mut self, time: f64, tag: usize) {
        self.entries.push(Reverse(Entry {
            time,
            sequence: self.added,
            tag,
        }));
        self.added += 1;
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The next scheduled time, infinity if there is none. NaN comes out as a time in the past.
    pub fn next(&self) -> f64 {
        self.entries.peek().map_or(f64::INFINITY, |Reverse(entry)| {
            if entry.time.is_nan() {
                f64::NEG_INFINITY
            } else {
                entry.time
            }
        })
    }

    /// Take the next reaction if its time is at most `t`.
    pub fn due(&mut self, t: f64) -> Option<(f64, usize)> {
        if self.next() > t {
            return None;
        }
        let Reverse(entry) = self.entries.pop()?;
        Some((entry.time, entry.tag))
    }
}
