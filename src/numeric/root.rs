//! Roots of functions of one variable, by Brent's method (Brent, Algorithms for Minimization Without Derivatives,
//! 1973, chapter 4): never slower than bisection by more than a constant factor, superlinear on smooth functions.

use crate::error::{Error, Result};

/// Evaluations after which the method gives up; bisection alone would need about 1100 for any two doubles.
const MOST_EVALUATIONS: usize = 2_000;

/// A root of `f` between `a` and `b`, where `f` has opposite signs (signs are compared, never multiplied: a product
/// underflows). The answer is within `tolerance` plus four units in the last place of a sign change.
///
/// # Errors
/// [`Error::Numeric`] if the signs do not differ or a value is not finite; errors of `f` pass through.
///
/// ```
/// use cwnd::numeric::root::brent;
/// let root = brent(&|x: f64| Ok(x * x - 2.0), 0.0, 2.0, 0.0)?;
/// assert!((root - 2f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn brent(f: &dyn Fn(f64) -> Result<f64>, a: f64, b: f64, tolerance: f64) -> Result<f64> {
    let (mut a, mut b) = (a, b);
    let (mut fa, mut fb) = (f(a)?, f(b)?);
    if fa == 0.0 {
        return Ok(a);
    }
    if fb == 0.0 {
        return Ok(b);
    }
    if !(fa.is_finite() && fb.is_finite()) || (fa > 0.0) == (fb > 0.0) {
        return Err(Error::Numeric {
            method: "Brent's method",
            detail: format!("no sign change between {a} (value {fa}) and {b} (value {fb})"),
        });
    }
    let (mut c, mut fc) = (a, fa);
    let mut step = b - a;
    let mut previous = step;
    for _ in 0..MOST_EVALUATIONS {
        if fc.abs() < fb.abs() {
            (a, b, c) = (b, c, b);
            (fa, fb, fc) = (fb, fc, fb);
        }
        let within = 2.0 * f64::EPSILON * b.abs() + 0.5 * tolerance;
        let half = 0.5 * (c - b);
        if half.abs() <= within || fb == 0.0 {
            return Ok(b);
        }
        if previous.abs() < within || fa.abs() <= fb.abs() {
            (step, previous) = (half, half);
        } else {
            let s = fb / fa;
            let (mut p, mut q) = if a == c {
                (2.0 * half * s, 1.0 - s)
            } else {
                let (q, r) = (fa / fc, fb / fc);
                (
                    s * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0)),
                    (q - 1.0) * (r - 1.0) * (s - 1.0),
                )
            };
            if p > 0.0 {
                q = -q;
            }
            p = p.abs();
            if 2.0 * p < (3.0 * half * q - (within * q).abs()).min((previous * q).abs()) {
                (previous, step) = (step, p / q);
            } else {
                (step, previous) = (half, half);
            }
        }
        (a, fa) = (b, fb);
        b += if step.abs() > within {
            step
        } else {
            within.copysign(half)
        };
        fb = f(b)?;
        if !fb.is_finite() {
            return Err(Error::Numeric {
                method: "Brent's method",
                detail: format!("the value at {b} is {fb}"),
            });
        }
        if (fb > 0.0) == (fc > 0.0) {
            (c, fc) = (a, fa);
            step = b - a;
            previous = step;
        }
    }
    Err(Error::Numeric {
        method: "Brent's method",
        detail: format!("{MOST_EVALUATIONS} evaluations were not enough near {b}"),
    })
}
