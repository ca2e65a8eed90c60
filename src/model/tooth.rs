//! The sawtooth of a flow over a drop-tail buffer in closed form.

use crate::error::{Error, Result};

/// What a closed form says about the sawtooth of one flow that alone fills a link and its buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tooth {
    /// Window just after a loss, packets: from the pipe on the link never idles.
    pub low: f64,
    /// Share of the capacity that is used.
    pub utilisation: f64,
    /// Mean queue over time, packets.
    pub queue: f64,
    /// Seconds from loss to loss.
    pub seconds: f64,
    /// Part of the law that rules.
    pub regime: &'static str,
    /// Where the formula is from.
    pub source: &'static str,
}

/// A law whose sawtooth over a drop-tail buffer has a closed form.
pub trait ClosedSawtooth {
    /// The sawtooth over `pipe` packets (capacity times base round trip) and `buffer` packets, with a base round trip of
    /// `base_rtt` seconds. n equal flows that lose together are each a flow with an n-th of both.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] where the form does not hold.
    fn tooth(&self, pipe: f64, buffer: f64, base_rtt: f64) -> Result<Tooth>;
}

/// a packets a round trip, the fraction β kept at a loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdditiveTooth {
    /// Packets per round trip.
    pub a: f64,
    /// β, the fraction **kept**.
    pub kept: f64,
    /// Part of the law that it stands for.
    pub regime: &'static str,
}

impl ClosedSawtooth for AdditiveTooth {
    /// With b = buffer/pipe: below β(1+b) = 1 the link idles after a loss and
    /// `U = (1+b)²(1−β²)/(2(1−β(1+b)) + (1+b)² − 1)`; from there on it is always busy.
    ///
    /// ```
    /// use cwnd::model::{AdditiveTooth, ClosedSawtooth};
    /// let reno = AdditiveTooth { a: 1.0, kept: 0.5, regime: "" };
    /// let tooth = reno.tooth(1000.0, 250.0, 0.1)?;
    /// assert!((tooth.utilisation - 0.892_857_142_857).abs() < 1e-12);
    /// // A buffer of the pipe: the queue is 5/9 of the pipe.
    /// assert!((reno.tooth(1000.0, 1000.0, 0.1)?.queue - 5000.0 / 9.0).abs() < 1e-9);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    fn tooth(&self, pipe: f64, buffer: f64, base_rtt: f64) -> Result<Tooth> {
        let Self { a, kept, regime } = *self;
        check(pipe, buffer)?;
        let full = 1.0 + buffer / pipe;
        let low = kept * full;
        let (utilisation, queue, rounds) = if low < 1.0 {
            // In units of the pipe: (1 − βF) base round trips below it, ((F² − 1)/2) above.
            let time = 1.0 - low + 0.5 * (full * full - 1.0);
            (
                0.5 * full * full * (1.0 - kept * kept) / time,
                ((full.powi(3) - 1.0) / 3.0 - 0.5 * (full * full - 1.0)) / time,
                time,
            )
        } else {
            let square = 1.0 - kept * kept;
            (
                1.0,
                2.0 * full * (1.0 - kept.powi(3)) / (3.0 * square) - 1.0,
                0.5 * square * full * full,
            )
        };
        Ok(Tooth {
            low: low * pipe,
            utilisation,
            queue: queue * pipe,
            seconds: rounds * pipe * base_rtt / a,
            regime,
            source: "derived: additive growth a round trip, round trips as long as pipe and queue",
        })
    }
}

/// Refuses what is no pipe.
///
/// # Errors
/// [`Error::NoAnswer`] for less than two packets in pipe and buffer.
pub fn check(pipe: f64, buffer: f64) -> Result<()> {
    if pipe > 0.0 && buffer >= 0.0 && (2.0..1e15).contains(&(pipe + buffer)) {
        Ok(())
    } else {
        Err(Error::NoAnswer(format!(
            "{} packets in pipe and buffer: no sawtooth",
            crate::units::significant(pipe + buffer, 6)
        )))
    }
}
