//! A vector that does not change any more, by Broyden's method started as plain iteration. In one dimension it is the secant
//! method; a linear problem in n dimensions is solved in 2n steps (Gay, SIAM Journal on Numerical Analysis 16, 1979).

use crate::error::{Error, Result};

/// Evaluations after which the method gives up.
const MOST_EVALUATIONS: usize = 200;
/// Size of a step, relative, below which a residual that no longer shrinks is rounding.
const FINE: f64 = 1e-6;

/// What a state would change by.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// For each place, over a span of 1.
    pub rates: Vec<f64>,
    /// The span that plain iteration would go.
    pub span: f64,
}

/// Moves `x` to where `change` has no rates, until no step moves a place by more than `tolerance` of its size or rounding is met.
/// Rates instead of differences keep the method from an edge at which the span, and with it every difference, goes to zero. Where
/// a step leads to a place at which `change` has no value, half of it is tried.
///
/// # Errors
/// An error of `change` at the starting point; [`Error::Numeric`] if it does not converge.
///
/// ```
/// use cwnd::numeric::fixed_point::{Change, fixed_point};
/// let mut x = [1.0, 0.0];
/// let mut change = |x: &[f64]| Ok(Change { rates: vec![x[1].cos() - x[0], 0.5 * x[0] - x[1]], span: 1.0 });
/// fixed_point(&mut change, &mut x, 1e-14)?;
/// assert!((x[0] - (0.5 * x[0]).cos()).abs() < 1e-13);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn fixed_point(
    change: &mut dyn FnMut(&[f64]) -> Result<Change>,
    x: &mut [f64],
    tolerance: f64,
) -> Result<()> {
    let n = x.len();
    let Change { rates, span } = change(x)?;
    let mut f = rates;
    // The inverse of minus the Jacobian; that of plain iteration to begin with.
    let mut inverse: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| if i == j { span } else { 0.0 }).collect())
        .collect();
    for _ in 0..MOST_EVALUATIONS {
        let mut step: Vec<f64> = inverse.iter().map(|row| dot(row, &f)).collect();
        if small(&step, x, tolerance) {
            return Ok(());
        }
        let mut next = sum(x, &step);
        let mut value = change(&next);
        let mut halved = 0;
        while matches!(value, Err(Error::NoAnswer(_))) && halved < 40 {
            for s in &mut step {
                *s *= 0.5;
            }
            next = sum(x, &step);
            value = change(&next);
            halved += 1;
        }
        let f_next = value?.rates;
        if small(&step, x, FINE) && norm(&f_next) >= norm(&f) {
            return Ok(());
        }
        // Sherman and Morrison: the inverse that maps the change of -f to the step.
        let fell: Vec<f64> = f.iter().zip(&f_next).map(|(a, b)| a - b).collect();
        let image: Vec<f64> = inverse.iter().map(|row| dot(row, &fell)).collect();
        let scale = dot(&step, &image);
        if scale != 0.0 {
            let row: Vec<f64> = (0..n)
                .map(|j| (0..n).map(|i| step[i] * inverse[i][j]).sum::<f64>() / scale)
                .collect();
            for (line, (step, image)) in inverse.iter_mut().zip(step.iter().zip(&image)) {
                for (place, r) in line.iter_mut().zip(&row) {
                    *place += (step - image) * r;
                }
            }
        }
        x.copy_from_slice(&next);
        f = f_next;
    }
    Err(Error::Numeric {
        method: "Broyden's method",
        detail: format!("no fixed point within {MOST_EVALUATIONS} evaluations"),
    })
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn small(step: &[f64], x: &[f64], share: f64) -> bool {
    step.iter().zip(x).all(|(s, x)| s.abs() <= share * x.abs())
}

fn norm(f: &[f64]) -> f64 {
    f.iter().fold(0.0, |most, x| most.max(x.abs()))
}
