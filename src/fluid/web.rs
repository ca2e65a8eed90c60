//! Web-like load: many short transfers as one rate over time.
//!
//! Transfers arrive as a Poisson process; their sizes follow a Pareto distribution between two bounds; each is sent at its own
//! access rate whatever happens (short transfers are over before they have learned of a loss). Their number in progress is that
//! of an M/G/∞ queue, whose heavy-tailed service makes the load vary over many time scales (Crovella and Bestavros 1997). The sum is
//! averaged over short intervals, so that a run meets a step for each interval and not one for each transfer.

use super::scenario::Sender;
use crate::error::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Short transfers, as plain data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Web {
    /// Packets per second on average.
    pub rate: f64,
    /// Packets of the smallest transfer.
    pub least: f64,
    /// Packets of the largest transfer.
    pub largest: f64,
    /// Exponent of the sizes' distribution: P(size > s) falls as s^−shape.
    pub shape: f64,
    /// Packets per second of one transfer.
    pub access: f64,
    /// Seconds over which the sum is averaged.
    pub interval: f64,
}

/// Transfers and intervals beyond which a run is refused.
const MOST: f64 = 1e8;

impl Web {
    /// Transfers of 2 to 10 000 packets with shape 1.2, 9.8 packets on average, each at `access` packets per second, averaged over
    /// tenths of a second.
    #[must_use]
    pub const fn new(rate: f64, access: f64) -> Self {
        Self {
            rate,
            least: 2.0,
            largest: 10_000.0,
            shape: 1.2,
            access,
            interval: 0.1,
        }
    }

    /// Packets of a transfer on average.
    ///
    /// ```
    /// let web = cwnd::fluid::Web::new(1000.0, 100.0);
    /// assert!((web.mean_size() - 9.8157).abs() < 1e-3);
    /// ```
    #[must_use]
    pub fn mean_size(&self) -> f64 {
        let (k, low, high) = (self.shape, self.least, self.largest);
        let all = 1.0 - (low / high).powf(k);
        let part = if (k - 1.0).abs() < 1e-9 {
            (high / low).ln()
        } else {
            (1.0 - (low / high).powf(k - 1.0)) / (k - 1.0)
        };
        k * low * part / all
    }

    /// Checks the numbers for a run that lasts `duration` seconds.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for one that cannot be, [`Error::Arguments`] for a load with more than 10⁸ transfers or intervals.
    pub fn check(&self, duration: f64) -> Result<()> {
        let good = |what: &str, value: f64, good: bool, allowed: &str| {
            if good && value.is_finite() {
                Ok(())
            } else {
                Err(Error::out_of_range(
                    format!("the {what} of a web load"),
                    value,
                    allowed,
                ))
            }
        };
        good(
            "rate (packets/s)",
            self.rate,
            self.rate > 0.0,
            "more than 0",
        )?;
        good(
            "least transfer (packets)",
            self.least,
            self.least > 0.0,
            "more than 0",
        )?;
        good(
            "largest transfer (packets)",
            self.largest,
            self.largest > self.least,
            "more than the least transfer",
        )?;
        good(
            "shape",
            self.shape,
            self.shape > 0.0 && self.shape <= 100.0,
            "more than 0 and at most 100",
        )?;
        good(
            "access rate (packets/s)",
            self.access,
            self.access > 0.0,
            "more than 0",
        )?;
        good(
            "interval (s)",
            self.interval,
            self.interval > 0.0,
            "more than 0",
        )?;
        let transfers = self.rate / self.mean_size() * (duration + self.largest / self.access);
        let busy = self.rate * duration / self.access / self.interval;
        let most = transfers.max(duration / self.interval).max(busy);
        if most > MOST {
            return Err(Error::Arguments(format!(
                "a web load with {most:.2e} transfers or intervals in a run: at most {MOST:.0e}; take larger transfers or longer intervals"
            )));
        }
        Ok(())
    }

    /// The load from time 0 to `duration` seconds, drawn from the seed; `number` tells loads of one run apart.
    ///
    /// # Errors
    /// Those of [`Web::check`].
    pub fn over(&self, duration: f64, seed: u64, number: u64) -> Result<Sender> {
        self.check(duration)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            seed.wrapping_mul(0xA076_1D64_78BD_642F)
                .wrapping_add(number),
        );
        let bins = (duration / self.interval).ceil() as usize;
        let mut packets = vec![0.0; bins];
        let each = self.mean_size() / self.rate;
        let tail = 1.0 - (self.least / self.largest).powf(self.shape);
        // Transfers that began before the run and are still going on.
        let mut from = -self.largest / self.access;
        loop {
            from -= each * (-rng.random::<f64>()).ln_1p();
            if from >= duration {
                break;
            }
            let size = self.least * (1.0 - tail * rng.random::<f64>()).powf(-1.0 / self.shape);
            let to = (from + size / self.access).min(duration);
            if to <= 0.0 {
                continue;
            }
            let (first, mut start) = ((from.max(0.0) / self.interval) as usize, from.max(0.0));
            for (bin, sum) in packets.iter_mut().enumerate().skip(first) {
                let end = ((bin + 1) as f64 * self.interval).min(to);
                *sum += self.access * (end - start).max(0.0);
                start = end;
                if end >= to {
                    break;
                }
            }
        }
        // The number of intervals, a quotient rounded up, may be one too many by rounding.
        let steps = packets
            .iter()
            .enumerate()
            .map(|(bin, sum)| (bin as f64 * self.interval, sum))
            .filter(|(from, _)| *from < duration)
            .map(|(from, sum)| (from, sum / self.interval.min(duration - from)));
        Ok(Sender::Changing(steps.collect()))
    }
}
