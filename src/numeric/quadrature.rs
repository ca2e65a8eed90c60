//! Gauss–Legendre quadrature, its nodes as eigenvalues of the Jacobi matrix (Golub and Welsch, Mathematics of
//! Computation 23, 1969), polished by one Newton step on the Legendre polynomial.

use nalgebra::{DMatrix, SymmetricEigen};

/// Nodes and weights on [−1, 1].
#[derive(Debug, Clone)]
pub struct GaussLegendre {
    nodes: Vec<(f64, f64)>,
}

impl GaussLegendre {
    /// The rule with `n` points (at least 2), exact for polynomials of degree 2n − 1.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let n = n.max(2);
        let jacobi = DMatrix::from_fn(n, n, |i, j| {
            if i.abs_diff(j) == 1 {
                let k = i.max(j) as f64;
                k / (4.0 * k * k - 1.0).sqrt()
            } else {
                0.0
            }
        });
        let mut nodes: Vec<(f64, f64)> = SymmetricEigen::new(jacobi)
            .eigenvalues
            .iter()
            .map(|&x| {
                let (value, slope) = legendre(n, x);
                let x = x - value / slope;
                let (_, slope) = legendre(n, x);
                (x, 2.0 / ((1.0 - x * x) * slope * slope))
            })
            .collect();
        nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { nodes }
    }

    /// ∫ f from `a` to `b`.
    ///
    /// ```
    /// use cwnd::numeric::quadrature::GaussLegendre;
    /// let rule = GaussLegendre::new(12);
    /// assert!((rule.integrate(0.0, 1.0, f64::exp) - 1f64.exp_m1()).abs() < 1e-15);
    /// ```
    pub fn integrate(&self, a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        half * self
            .nodes
            .iter()
            .map(|&(x, weight)| weight * f(middle + half * x))
            .sum::<f64>()
    }
}

/// The Legendre polynomial of degree `n` and its derivative inside (−1, 1).
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut now) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, now) = (now, ((2.0 * k - 1.0) * x * now - (k - 1.0) * before) / k);
    }
    (now, n as f64 * (x * now - before) / (x * x - 1.0))
}
