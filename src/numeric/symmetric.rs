//! Eigenvalues of real symmetric matrices.

use nalgebra::{DMatrix, SymmetricEigen};

/// The eigenvalues of the n × n matrix whose element in row i and column j is `f(i, j)` = `f(j, i)`, increasing.
///
/// ```
/// use cwnd::numeric::symmetric::eigenvalues;
/// let found = eigenvalues(2, |i, j| if i == j { 2.0 } else { 1.0 });
/// assert!((found[0] - 1.0).abs() < 1e-15 && (found[1] - 3.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn eigenvalues(n: usize, f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let matrix = DMatrix::from_fn(n, n, f);
    let mut out: Vec<f64> = SymmetricEigen::new(matrix)
        .eigenvalues
        .iter()
        .copied()
        .collect();
    out.sort_by(f64::total_cmp);
    out
}
