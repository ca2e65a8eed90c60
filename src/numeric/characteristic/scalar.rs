//! s + a + b·e^(−sτ) = 0, the characteristic equation of x' = −a·x − b·x(t − τ): every root by a branch of Lambert's W, and
//! stability by Hayes's conditions (Journal of the London Mathematical Society 25, 1950).

use super::super::Complex;
use super::Root;
use std::f64::consts::TAU;

/// x' = −a·x − b·x(t − τ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalarDelay {
    /// a, 1/s.
    pub a: f64,
    /// b, 1/s.
    pub b: f64,
    /// τ ≥ 0, s.
    pub delay: f64,
}

impl ScalarDelay {
    /// The root of branch `k`: s = −a + W_k(−bτ·e^(aτ))/τ. `None` where the branch has none: b = 0 or τ = 0 leave one root.
    ///
    /// ```
    /// use cwnd::numeric::characteristic::ScalarDelay;
    /// // x' = −(π/2)·x(t − 1) swings for ever: s = iπ/2.
    /// let equation = ScalarDelay { a: 0.0, b: std::f64::consts::FRAC_PI_2, delay: 1.0 };
    /// let root = equation.root(0).unwrap().value;
    /// assert!(root.re.abs() < 1e-15 && (root.im - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn root(&self, k: i32) -> Option<Root> {
        let (a, b) = (self.a * self.delay, self.b * self.delay);
        if self.delay == 0.0 {
            return (k == 0).then(|| {
                let doubt = 2.0 * f64::EPSILON * (self.a.abs() + self.b.abs());
                Root::new(Complex::new(-self.a - self.b, 0.0), doubt, 0.0)
            });
        }
        if b == 0.0 {
            return (k == 0).then(|| Root::new(Complex::new(-self.a, 0.0), 0.0, 0.0));
        }
        let z = -b * a.exp();
        let w = if z != 0.0 && z.abs() < 1e300 {
            let (re, im) = lambert_w::lambert_w(k, z, 0.0, f64::EPSILON);
            Complex::new(re, im)
        } else {
            // Too large or too small for a double: W + ln W = ln z + 2πik.
            let turns = TAU * f64::from(k) + if b > 0.0 { TAU / 2.0 } else { 0.0 };
            of_logarithm(Complex::new(b.abs().ln() + a, turns), k == 0)
        };
        let (w, doubt) = self.polish(w);
        let value = (w - a) / self.delay;
        Some(Root::new(value, doubt / self.delay, self.delay))
    }

    /// The root farthest to the right, that of the principal branch.
    #[must_use]
    pub fn rightmost(&self) -> Option<Root> {
        self.root(0).map(|root| Root {
            value: Complex::new(root.value.re, root.value.im.abs()),
            ..root
        })
    }

    /// The roots of the branches −`depth`..=`depth`, each once, from the right.
    #[must_use]
    pub fn roots(&self, depth: i32) -> Vec<Root> {
        let mut found: Vec<Root> = (-depth..=depth).filter_map(|k| self.root(k)).collect();
        found.sort_by(|x, y| {
            y.value
                .re
                .total_cmp(&x.value.re)
                .then(y.value.im.total_cmp(&x.value.im))
        });
        found
    }

    /// Whether every root lies to the left of the imaginary axis.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.a + self.b > 0.0 && self.critical_delay().is_none_or(|most| self.delay < most)
    }

    /// The delay at which a pair of roots reaches the imaginary axis: arccos(−a/b)/√(b² − a²) for b > |a|. `None` if no
    /// delay moves a root across it.
    #[must_use]
    pub fn critical_delay(&self) -> Option<f64> {
        let (a, b) = (self.a, self.b);
        (b > a.abs()).then(|| (-a / b).acos() / ((b - a) * (b + a)).sqrt())
    }

    /// Newton's method on w + bτ·e^(aτ − w) in the scaled unknown w = (s + a)τ, and how far rounding leaves it off.
    fn polish(&self, mut w: Complex<f64>) -> (Complex<f64>, f64) {
        let (a, b) = (self.a * self.delay, self.b * self.delay);
        let term = |w: Complex<f64>| (Complex::new(a, 0.0) - w).exp() * b;
        for _ in 0..4 {
            let delayed = term(w);
            let slope = Complex::new(1.0, 0.0) - delayed;
            let step = (w + delayed) / slope;
            // Near a double root the quotient is noise: what the branch gave is better.
            if !step.re.is_finite() || !step.im.is_finite() || step.norm() > 1e-4 * (1.0 + w.norm())
            {
                break;
            }
            w -= step;
        }
        let delayed = term(w);
        let slope = (Complex::new(1.0, 0.0) - delayed).norm();
        // The exponent a − w carries the rounding of a and w into the delayed term.
        let noise = f64::EPSILON * (w.norm() + delayed.norm() * (1.0 + a.abs() + w.norm()));
        (w, (noise / slope).min(noise.sqrt()))
    }
}

/// w + ln w = z for |z| large, the principal branch of W or another, by Newton's method from z − ln z.
fn of_logarithm(z: Complex<f64>, principal: bool) -> Complex<f64> {
    if principal && z.re < -40.0 {
        return z.exp(); // W is its argument to the last digit
    }
    let mut w = { z - z.ln() };
    for _ in 0..20 {
        let step = (w + w.ln() - z) * w / (w + 1.0);
        w -= step;
        if step.norm() <= f64::EPSILON * w.norm() {
            break;
        }
    }
    w
}
