//! A time that may be counted in round trips.

use crate::error::{Error, Result};

/// A time as round trips plus seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lapse {
    /// Round trips of the flow, as it sees them then.
    pub rounds: f64,
    /// Seconds.
    pub seconds: f64,
}

impl Lapse {
    /// No time.
    pub const NONE: Self = Self::rounds(0.0);

    /// So many round trips.
    #[must_use]
    pub const fn rounds(rounds: f64) -> Self {
        Self {
            rounds,
            seconds: 0.0,
        }
    }

    /// So many seconds.
    #[must_use]
    pub const fn seconds(seconds: f64) -> Self {
        Self {
            rounds: 0.0,
            seconds,
        }
    }

    /// In seconds, for this round trip.
    #[must_use]
    pub fn of(self, rtt: f64) -> f64 {
        self.rounds * rtt + self.seconds
    }

    pub(super) fn check(self, what: &str) -> Result<()> {
        if self.rounds >= 0.0 && self.seconds >= 0.0 && self.of(1.0).is_finite() {
            Ok(())
        } else {
            Err(Error::out_of_range(
                what,
                format!("{} round trips and {} s", self.rounds, self.seconds),
                "0 or more",
            ))
        }
    }
}
