//! Means of samples, correlated or not, lines through points, and their confidence intervals; Jain's index.

use super::quadrature::GaussLegendre;
use super::root;
use crate::error::{Error, Result};

/// 97.5 % quantile of Student's t for 31 degrees of freedom (32 batches).
const T_31: f64 = 2.039_513_446_396_408;

/// Number of batches that [`batch_means`] uses.
pub const BATCHES: usize = 32;

/// Mean and half-width of its 95 % confidence interval from the means of [`BATCHES`] consecutive batches of equal
/// length, each long against the correlation time.
#[must_use]
pub fn batch_means(means: &[f64; BATCHES]) -> (f64, f64) {
    let n = BATCHES as f64;
    let mean = means.iter().sum::<f64>() / n;
    let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, T_31 * (variance / n).sqrt())
}

/// Correlation of each batch mean with the next; near zero when batches are long enough to be independent.
#[must_use]
pub fn lag_one(means: &[f64; BATCHES]) -> f64 {
    let mean = means.iter().sum::<f64>() / BATCHES as f64;
    let total: f64 = means.iter().map(|m| (m - mean).powi(2)).sum();
    let along: f64 = means
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum();
    if total > 0.0 { along / total } else { 0.0 }
}

/// Mean of independent samples and half-width of its 95 % confidence interval by Student's t; `None` for a single one, which
/// says nothing of its spread.
///
/// # Errors
/// [`Error::OutOfRange`] without samples.
///
/// ```
/// use cwnd::numeric::statistics::mean_with_interval;
/// let (mean, half) = mean_with_interval(&[1.0, 2.0, 3.0])?;
/// // t is 4.302653 with two degrees of freedom, the standard error 1/sqrt 3.
/// assert!(mean == 2.0 && (half.unwrap() - 4.302_653 / 3f64.sqrt()).abs() < 1e-6);
/// assert_eq!(mean_with_interval(&[7.0])?, (7.0, None));
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn mean_with_interval(samples: &[f64]) -> Result<(f64, Option<f64>)> {
    if samples.is_empty() {
        return Err(Error::out_of_range("the number of samples", 0, "1 or more"));
    }
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    if samples.len() == 1 {
        return Ok((mean, None));
    }
    let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Ok((
        mean,
        Some(t_quantile(0.975, n - 1.0)? * (variance / n).sqrt()),
    ))
}

/// Jain's index `(Σx)²/(n Σx²)`: 1 if all get the same, k/n if k of n share equally and the others get nothing. `None` for no
/// flows, and for rates that are all zero: 0/0 is no statement about fairness. (Jain, Chiu and Hawe 1984.)
///
/// ```
/// use cwnd::numeric::statistics::jain;
/// assert_eq!(jain(&[1.0, 1.0, 0.0, 0.0]), Some(0.5));
/// assert_eq!(jain(&[0.0, 0.0]), None);
/// ```
#[must_use]
pub fn jain(rates: &[f64]) -> Option<f64> {
    // Divided by the largest first: squares of very large or small rates leave the range of numbers.
    let largest = rates.iter().copied().fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), rate| {
        let x = rate / largest;
        (sum + x, squares + x * x)
    });
    Some(sum * sum / (rates.len() as f64 * squares))
}

/// A straight line by least squares, with standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Value at zero.
    pub intercept: f64,
    /// Its standard error.
    pub intercept_error: f64,
    /// Slope.
    pub slope: f64,
    /// Its standard error.
    pub slope_error: f64,
    /// Root mean square of the residuals.
    pub rms: f64,
}

/// The line through `points` with the least squares in y; `None` for fewer than three points or one x only.
#[must_use]
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let n = points.len() as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / n;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / n;
    let along: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let spread = along / (n * (1.0 + mean_x * mean_x));
    if points.len() < 3 || spread.is_nan() || spread < 1e-24 {
        return None;
    }
    let cross: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let slope = cross / along;
    let intercept = mean_y - slope * mean_x;
    let rest: f64 = points
        .iter()
        .map(|p| (p.1 - mean_y - slope * (p.0 - mean_x)).powi(2))
        .sum();
    let variance = rest / (n - 2.0);
    Some(Line {
        intercept,
        intercept_error: (variance * (1.0 / n + mean_x * mean_x / along)).sqrt(),
        slope,
        slope_error: (variance / along).sqrt(),
        rms: (rest / n).sqrt(),
    })
}

/// Quantile of Student's t for a probability between one half and one: with t = √ν·tan θ the distribution is the integral of
/// cos^(ν−1) θ.
///
/// # Errors
/// [`Error::OutOfRange`] for another probability or less than one degree of freedom.
pub fn t_quantile(probability: f64, freedom: f64) -> Result<f64> {
    if !(0.5..1.0).contains(&probability) || !(1.0..1e9).contains(&freedom) {
        return Err(Error::out_of_range(
            "the quantile of Student's t",
            format!("{probability} with {freedom} degrees of freedom"),
            "a probability from 0.5 to 1 and from 1 to 1e9 degrees of freedom",
        ));
    }
    let rule = GaussLegendre::new(64);
    let end = std::f64::consts::FRAC_PI_2.min(12.0 / freedom.sqrt());
    let below = |angle: f64| rule.integrate(0.0, angle, |x| x.cos().powf(freedom - 1.0));
    let whole = below(end);
    let excess = |angle: f64| Ok(0.5 + 0.5 * below(angle) / whole - probability);
    let angle = root::brent(&excess, 0.0, end, 0.0)?;
    Ok(freedom.sqrt() * angle.tan())
}
