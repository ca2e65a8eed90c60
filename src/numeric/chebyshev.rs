//! A smooth function on an interval as a sum of Chebyshev polynomials through its extremal points (Clenshaw and Curtis,
//! Numerische Mathematik 2, 1960; Trefethen, Approximation Theory and Approximation Practice, 2013, chapters 3, 4 and 8).

use std::f64::consts::PI;

/// A polynomial on [−1, 1] in Chebyshev's basis.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    coefficients: Vec<f64>,
}

/// The `n` + 1 points cos(jπ/n), from 1 down to −1. Every other one of 2n is one of n.
///
/// ```
/// use cwnd::numeric::chebyshev::points;
/// assert_eq!(points(2).collect::<Vec<_>>(), [1.0, 0.0, -1.0]);
/// ```
pub fn points(n: usize) -> impl Iterator<Item = f64> {
    // As a sine the points are exactly symmetric about 0.
    (0..=n).map(move |j| (PI * (n as f64 - 2.0 * j as f64) / (2.0 * n as f64)).sin())
}

impl Series {
    /// The polynomial of degree n through n + 1 values at [`points`], n at least 1.
    ///
    /// ```
    /// use cwnd::numeric::chebyshev::{Series, points};
    /// let values: Vec<f64> = points(16).map(f64::exp).collect();
    /// let series = Series::through(&values);
    /// let (value, slope) = series.at(0.3);
    /// assert!((value - 0.3f64.exp()).abs() < 1e-15 && (slope - 0.3f64.exp()).abs() < 1e-13);
    /// assert!(series.tail() < 1e-15);
    /// ```
    #[must_use]
    pub fn through(values: &[f64]) -> Self {
        let n = values.len() - 1;
        let halved = |j: usize| if j == 0 || j == n { 0.5 } else { 1.0 };
        let coefficients = (0..=n)
            .map(|k| {
                let sum: f64 = values
                    .iter()
                    .enumerate()
                    .map(|(j, value)| {
                        halved(j) * value * (PI * ((j * k) % (2 * n)) as f64 / n as f64).cos()
                    })
                    .sum();
                2.0 / n as f64 * halved(k) * sum
            })
            .collect();
        Self { coefficients }
    }

    /// Value and derivative at `t` (Clenshaw's recurrence and its derivative).
    #[must_use]
    pub fn at(&self, t: f64) -> (f64, f64) {
        let (mut one, mut two) = (0.0, 0.0);
        let (mut slope_one, mut slope_two) = (0.0, 0.0);
        for c in self.coefficients[1..].iter().rev() {
            let slope = 2.0 * one + 2.0 * t * slope_one - slope_two;
            (slope_two, slope_one) = (slope_one, slope);
            let value = c + 2.0 * t * one - two;
            (two, one) = (one, value);
        }
        (
            self.coefficients[0] + t * one - two,
            one + t * slope_one - slope_two,
        )
    }

    /// About the size of what the series leaves out: the last coefficient, or a tenth of the one before it, as half of them
    /// vanish for an even or odd function.
    #[must_use]
    pub fn tail(&self) -> f64 {
        let n = self.coefficients.len() - 1;
        let last = |back: usize| self.coefficients[n - back].abs();
        last(0).max(0.1 * last(1))
    }
}
