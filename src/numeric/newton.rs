//! Systems of equations by Newton's method with differences for derivatives and steps that are shortened until the
//! residual falls.

use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector};

/// Step of the difference quotients, absolute: unknowns are logarithms or of the order of one.
const NUDGE: f64 = 1e-6;
/// Longest step of an unknown.
const STRIDE: f64 = 1.0;
/// Steps after which the method gives up.
const MOST_STEPS: usize = 100;
/// Halvings of a step before it counts as useless.
const HALVINGS: usize = 40;

/// Writes the residuals at its first argument into its second.
pub type Equations<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<()> + 'a;

/// Solves `f(x) = 0` from the guess in `x`, changed in place, until a step moves no unknown by more than `tolerance` or the
/// residual no longer falls; returns the largest residual left. `f` fills its second argument, as long as `x`.
///
/// # Errors
/// [`Error::Numeric`] for a singular matrix or a residual that does not fall below 1e-6; errors of `f` at the guess pass
/// through, elsewhere they shorten the step.
///
/// ```
/// use cwnd::numeric::newton::newton;
/// let mut x = [1.0, 1.0];
/// newton(&mut |x, out| { out[0] = x[0] * x[1] - 2.0; out[1] = x[0] - 2.0 * x[1]; Ok(()) }, &mut x, 1e-14)?;
/// assert!((x[0] - 2.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn newton(f: &mut Equations<'_>, x: &mut [f64], tolerance: f64) -> Result<f64> {
    let n = x.len();
    let size = |r: &[f64]| r.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let failed = |detail: String| Error::Numeric {
        method: "Newton's method",
        detail,
    };
    let (mut here, mut there) = (vec![0.0; n], vec![0.0; n]);
    let mut trial = vec![0.0; n];
    f(x, &mut here)?;
    for _ in 0..MOST_STEPS {
        let residual = size(&here);
        if residual == 0.0 {
            break;
        }
        let mut matrix = DMatrix::zeros(n, n);
        for column in 0..n {
            trial.copy_from_slice(x);
            // Towards the side on which there is an answer.
            let mut nudge = NUDGE;
            trial[column] = x[column] + nudge;
            if f(&trial, &mut there).is_err() {
                nudge = -NUDGE;
                trial[column] = x[column] + nudge;
                f(&trial, &mut there)?;
            }
            for row in 0..n {
                matrix[(row, column)] = (there[row] - here[row]) / nudge;
            }
        }
        let right = DVector::from_column_slice(&here);
        let Some(step) = matrix.lu().solve(&right) else {
            return Err(failed("the equations do not determine the unknowns".into()));
        };
        let longest = step.amax();
        if !longest.is_finite() {
            return Err(failed("a step is not finite".into()));
        }
        let mut share = (STRIDE / longest).min(1.0);
        let mut better = false;
        for _ in 0..HALVINGS {
            for (place, (from, move_by)) in trial.iter_mut().zip(x.iter().zip(step.iter())) {
                *place = from - share * move_by;
            }
            if f(&trial, &mut there).is_ok() && size(&there) < residual {
                better = true;
                break;
            }
            share *= 0.5;
        }
        if !better {
            break;
        }
        x.copy_from_slice(&trial);
        std::mem::swap(&mut here, &mut there);
        if share * longest <= tolerance {
            break;
        }
    }
    let left = size(&here);
    if left < 1e-6 {
        Ok(left)
    } else {
        Err(failed(format!("a residual of {left:e} is left")))
    }
}
