//! Means of correlated samples and their confidence intervals.

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
