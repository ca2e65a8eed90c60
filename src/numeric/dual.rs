//! Numbers that carry one derivative, so that the slope of a long formula is exact and written once (forward-mode
//! differentiation; Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).

pub use num_dual::{Dual64, DualNum};

/// The variable itself.
///
/// ```
/// use cwnd::numeric::dual::{DualNum, variable};
/// let x = variable(3.0);
/// let y = (x * x + 7.0).sqrt();
/// assert_eq!((y.re, y.eps), (4.0, 0.75));
/// ```
#[must_use]
pub fn variable(value: f64) -> Dual64 {
    Dual64::from_re(value).derivative()
}

/// d ln y/d ln x, for a variable x of value `at`.
#[must_use]
pub fn elasticity(y: Dual64, at: f64) -> f64 {
    y.eps * at / y.re
}
