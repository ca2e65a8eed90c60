//! The scaled complementary error function, `erfcx(x) = exp(x²) erfc(x)`: what is left of a Gaussian tail once its exponential
//! is taken off, so that neither overflows nor vanishes.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Beyond this the continued fraction is used: exp(x²) magnifies the rounding of x² less than 25 times below it.
const FAR: f64 = 5.0;
/// Levels of the continued fraction; at [`FAR`] forty leave less than rounding.
const LEVELS: u32 = 60;

/// `exp(x²) erfc(x)` for `x ≥ 0`, to a few units in the last place times 1 + x² below 5 and to rounding beyond
/// (Abramowitz and Stegun 7.1.14).
///
/// ```
/// use cwnd::numeric::error_function::erfcx;
/// assert!((erfcx(0.5) - 0.615_690_344_192_925_9).abs() < 1e-15);
/// assert!((erfcx(1e6) * 1e6 * std::f64::consts::PI.sqrt() - 1.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn erfcx(x: f64) -> f64 {
    if x < FAR {
        return (x * x).exp() * libm::erfc(x);
    }
    // sqrt(π) erfcx(x) = 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))), from the far end.
    let mut below = x;
    for level in (1..=LEVELS).rev() {
        below = x + 0.5 * f64::from(level) / below;
    }
    1.0 / (PI.sqrt() * below)
}

/// `φ(z)/Q(z)`: density over tail of the standard normal distribution (the inverse Mills ratio), for `z ≥ 0`.
///
/// ```
/// use cwnd::numeric::error_function::inverse_mills;
/// assert!((inverse_mills(0.0) - 0.797_884_560_802_865_4).abs() < 1e-15);
/// ```
#[must_use]
pub fn inverse_mills(z: f64) -> f64 {
    (2.0 / PI).sqrt() / erfcx(z * FRAC_1_SQRT_2)
}
