//! The master formula of power-law growth: a·W^k packets per round trip between losses, W → (1−b)·W at a loss, one loss
//! every 1/p packets. AIMD is k = 0, multiplicative increase k = 1; many laws fall back to one of them.

/// Growth a·W^k (0 ≤ k ≤ 1) and decrease b (the fraction **removed**, 0 < b < 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLaw {
    /// Packets per round trip at a window of one packet.
    pub a: f64,
    /// How growth depends on the window.
    pub k: f64,
    /// Fraction removed by a loss.
    pub b: f64,
}

/// Standard TCP in congestion avoidance: one packet per round trip, half the window at a loss.
pub const STANDARD_TCP: PowerLaw = PowerLaw {
    a: 1.0,
    k: 0.0,
    b: 0.5,
};

impl PowerLaw {
    /// 1 − (1−b)^m without cancellation for small b.
    fn removed(&self, m: f64) -> f64 {
        -(m * (-self.b).ln_1p()).exp_m1()
    }

    /// d: how fast the window falls with the loss rate, 1/(2−k).
    #[must_use]
    pub fn slope(&self) -> f64 {
        1.0 / (2.0 - self.k)
    }

    /// The window just before a periodic loss, `[(2−k)·a/(p·(1−(1−b)^(2−k)))]^(1/(2−k))`.
    #[must_use]
    pub fn peak(&self, p: f64) -> f64 {
        self.root((2.0 - self.k) * self.a / (p * self.removed(2.0 - self.k)))
    }

    /// Packets per round under periodic losses, (1/p)/N.
    ///
    /// ```
    /// use cwnd::model::STANDARD_TCP;
    /// // Mathis et al. 1997: sqrt(3/2)/sqrt(p).
    /// assert!((STANDARD_TCP.window(1e-4) - 122.474487).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn window(&self, p: f64) -> f64 {
        if self.k == 1.0 {
            return self.a / (p * -(-self.b).ln_1p());
        }
        if self.k == 0.0 {
            return (self.a * (2.0 - self.b) / (2.0 * self.b * p)).sqrt();
        }
        let rest = 1.0 - self.k;
        let rounds = self.peak(p).powf(rest) * self.removed(rest) / (self.a * rest);
        1.0 / (p * rounds)
    }

    /// The equilibrium of the mean-field equation, `(a/(b·p))^(1/(2−k))`.
    #[must_use]
    pub fn mean_field(&self, p: f64) -> f64 {
        self.root(self.a / (self.b * p))
    }

    /// The loss rate at which the periodic window is `w`.
    #[must_use]
    pub fn loss_for(&self, w: f64) -> f64 {
        (self.window(1.0) / w).powf(2.0 - self.k)
    }

    fn root(&self, x: f64) -> f64 {
        if self.k == 0.0 {
            x.sqrt()
        } else if self.k == 1.0 {
            x
        } else {
            x.powf(self.slope())
        }
    }
}
