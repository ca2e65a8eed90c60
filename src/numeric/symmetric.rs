//! Eigenvalues and eigenvectors of symmetric matrices, and linear equations.

use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Eigenvalues of a symmetric matrix (its lower triangle counts), the largest first, each with its unit eigenvector.
///
/// ```
/// use cwnd::numeric::symmetric::eigen;
/// let pairs = eigen(2, |i, j| if i == j { 2.0 } else { 1.0 });
/// assert!((pairs[0].0 - 3.0).abs() < 1e-14 && (pairs[1].0 - 1.0).abs() < 1e-14);
/// ```
#[must_use]
pub fn eigen(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<(f64, Vec<f64>)> {
    let found = SymmetricEigen::new(DMatrix::from_fn(n, n, entry));
    let mut pairs: Vec<(f64, Vec<f64>)> = found
        .eigenvalues
        .iter()
        .zip(found.eigenvectors.column_iter())
        .map(|(&value, vector)| (value, vector.iter().copied().collect()))
        .collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

/// Solves the linear equations with this matrix and right-hand side.
///
/// # Errors
/// [`Error::Numeric`] if the matrix is singular.
pub fn solve(n: usize, entry: impl Fn(usize, usize) -> f64, right: &[f64]) -> Result<Vec<f64>> {
    DMatrix::from_fn(n, n, entry)
        .lu()
        .solve(&DVector::from_column_slice(right))
        .map(|x| x.iter().copied().collect())
        .ok_or(Error::Numeric {
            method: "Gaussian elimination",
            detail: "the matrix is singular".into(),
        })
}

/// The eigenvalues of the n × n matrix whose element in row i and column j is `f(i, j)` = `f(j, i)`, increasing.
///
/// ```
/// use cwnd::numeric::symmetric::eigenvalues;
/// let found = eigenvalues(2, |i, j| if i == j { 2.0 } else { 1.0 });
/// assert!((found[0] - 1.0).abs() < 1e-15 && (found[1] - 3.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn eigenvalues(n: usize, f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let pairs = eigen(n, f);
    pairs.into_iter().rev().map(|(value, _)| value).collect()
}
