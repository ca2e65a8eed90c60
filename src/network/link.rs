//! A link: how fast it serves, how much it holds, how long it is.

use super::Queue;
use crate::error::{Error, Result};
use std::sync::Arc;

/// A link with the queue in front of it.
#[derive(Debug, Clone)]
pub struct Link {
    /// Its name in messages and answers.
    pub name: String,
    /// Packets per second that it serves.
    pub capacity: f64,
    /// Packets that it holds at most, infinity for no limit; 0 is a bufferless link, which loses packets as soon as more
    /// arrive than it serves.
    pub buffer: f64,
    /// One-way propagation delay, seconds; part of the base round trip of the flows that cross it.
    pub delay: f64,
    /// Packets in the queue at the start.
    pub initial_queue: f64,
    /// What decides who is dropped.
    pub queue: Arc<dyn Queue>,
}

impl Link {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a capacity, buffer, delay or initial queue that cannot be.
    pub fn check(&self) -> Result<()> {
        let whose = |what: &str| format!("the {what} of the link `{}`", self.name);
        if !(self.capacity > 0.0 && self.capacity.is_finite()) {
            return Err(Error::out_of_range(
                whose("capacity"),
                format!("{} packets/s", self.capacity),
                "more than 0",
            ));
        }
        if self.buffer.is_nan() || self.buffer < 0.0 {
            return Err(Error::out_of_range(
                whose("buffer"),
                format!("{} packets", self.buffer),
                "0 (bufferless) or more",
            ));
        }
        if !(self.delay >= 0.0 && self.delay.is_finite()) {
            return Err(Error::out_of_range(
                whose("delay"),
                format!("{} s", self.delay),
                "0 or more",
            ));
        }
        if !(self.initial_queue >= 0.0 && self.initial_queue <= self.buffer) {
            return Err(Error::out_of_range(
                whose("initial queue"),
                format!("{} packets", self.initial_queue),
                format!("0 to the buffer of {} packets", self.buffer),
            ));
        }
        Ok(())
    }
}
