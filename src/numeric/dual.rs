//! Numbers that carry one derivative, so that the slope of a long formula is exact and written once (forward-mode
//! differentiation; Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value and its derivative.
///
/// ```
/// use cwnd::numeric::dual::Dual;
/// let x = Dual::variable(3.0);
/// let y = (x * x + Dual::from(7.0)).sqrt();
/// assert_eq!((y.value, y.slope), (4.0, 0.75));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// Its derivative.
    pub slope: f64,
}

impl Dual {
    /// The variable itself.
    #[must_use]
    pub const fn variable(value: f64) -> Self {
        Self { value, slope: 1.0 }
    }

    fn chain(self, value: f64, derivative: f64) -> Self {
        Self {
            value,
            slope: derivative * self.slope,
        }
    }

    /// Square root.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root)
    }

    /// e^x.
    #[must_use]
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }

    /// e^x − 1.
    #[must_use]
    pub fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }

    /// ln(1 + x).
    #[must_use]
    pub fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), 1.0 / (1.0 + self.value))
    }

    /// The smaller of the two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other.value < self.value {
            other
        } else {
            self
        }
    }

    /// d ln y/d ln x, for a variable x of value `at`.
    #[must_use]
    pub fn elasticity(self, at: f64) -> f64 {
        self.slope * at / self.value
    }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Self { value, slope: 0.0 }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            slope: self.slope + other.slope,
        }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            slope: -self.slope,
        }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            slope: self.slope * other.value + self.value * other.slope,
        }
    }
}

impl Mul<Dual> for f64 {
    type Output = Dual;
    fn mul(self, other: Dual) -> Dual {
        Dual {
            value: self * other.value,
            slope: self * other.slope,
        }
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self {
            value,
            slope: (self.slope - value * other.slope) / other.value,
        }
    }
}
