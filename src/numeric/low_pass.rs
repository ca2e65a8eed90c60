//! A first-order low-pass filter on samples that come at irregular times: `1/(1 + τ s)` by Tustin's rule, with a time
//! step of its own for each sample,
//!
//! ```text
//! a = (2τ − Δ)/(2τ + Δ),   y ← a y + (1 − a) (u + u′)/2,
//! ```
//!
//! u the sample, u′ the one before, Δ the time between them. A constant passes unchanged whatever the times (gain 1 at
//! frequency 0). Where nothing comes for `τ/m` a sample of 0 is put in, so that the output falls while a source is silent and
//! no step is longer than the sampling theorem allows for `m ≥ 2`.

use std::f64::consts::PI;

/// The filter and what it remembers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LowPass {
    /// Time constant τ, seconds: the cut-off is 1/τ rad/s.
    pub tau: f64,
    /// Longest time between two samples.
    pub longest: f64,
    /// What comes out.
    pub output: f64,
    /// The sample before.
    pub last: f64,
}

/// Parts of τ after which a missing sample counts as 0.
pub const PARTS: f64 = 2.0;

impl LowPass {
    /// A filter that has seen `level` for ever; `tau` more than 0.
    #[must_use]
    pub fn at(tau: f64, level: f64) -> Self {
        Self {
            tau,
            longest: tau / PARTS,
            output: level,
            last: level,
        }
    }

    /// One sample, `interval` after the one before it.
    ///
    /// ```
    /// use cwnd::numeric::low_pass::LowPass;
    /// let mut filter = LowPass::at(0.5, 0.0);
    /// filter.sample(100.0, 0.1);
    /// // a = 0.9/1.1, and half of the step counts: 100 (1 − a)/2.
    /// assert!((filter.output - 100.0 / 11.0).abs() < 1e-12);
    /// ```
    pub fn sample(&mut self, value: f64, interval: f64) {
        let kept = (2.0 * self.tau - interval) / (2.0 * self.tau + interval);
        self.output = kept * self.output + (1.0 - kept) * 0.5 * (value + self.last);
        self.last = value;
    }

    /// Silence of this length: zeros for every whole longest interval in it. What is left of it belongs to the next sample.
    #[must_use]
    pub fn silence(&mut self, length: f64) -> f64 {
        let mut left = length;
        // After so many zeros nothing is left in double precision.
        let mut most = 2_000;
        while left > self.longest && most > 0 {
            self.sample(0.0, self.longest);
            left -= self.longest;
            most -= 1;
        }
        left.min(self.longest)
    }

    /// `amount` arrives `interval` after the arrival before it: a sample of amount/interval, after the zeros that the pause
    /// before it calls for.
    ///
    /// ```
    /// use cwnd::numeric::low_pass::LowPass;
    /// let mut filter = LowPass::at(0.5, 0.0);
    /// for _ in 0..1000 {
    ///     filter.arrival(1.0, 0.01);
    /// }
    /// assert!((filter.output - 100.0).abs() < 1e-6);
    /// ```
    pub fn arrival(&mut self, amount: f64, interval: f64) {
        if interval > 0.0 {
            let left = self.silence(interval);
            self.sample(amount / interval, left);
        }
    }

    /// Gain and phase (rad) at `omega` rad/s for samples `interval` apart: those of 1/(1 + jτΩ) with
    /// Ω = (2/Δ) tan(ωΔ/2), which is what Tustin's rule makes of the analogue filter's frequency axis.
    #[must_use]
    pub fn response(tau: f64, interval: f64, omega: f64) -> (f64, f64) {
        let half = 0.5 * omega * interval;
        if half >= 0.5 * PI {
            return (0.0, -0.5 * PI);
        }
        let warped = tau * 2.0 / interval * half.tan();
        (1.0 / warped.hypot(1.0), -warped.atan())
    }
}
