//! Where roots cross the imaginary axis as a parameter moves, and the curve of such places in a plane of two parameters.

use super::super::Complex;
use super::super::root::brent;
use crate::error::{Error, Result};

/// How a parameter is spread between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Equal differences.
    Linear,
    /// Equal ratios; both ends positive.
    Log,
}

impl Axis {
    /// `count` ≥ 2 values from `a` to `b`, both ends exactly.
    #[must_use]
    pub fn spread(self, a: f64, b: f64, count: usize) -> Vec<f64> {
        let last = count.max(2) - 1;
        (0..=last)
            .map(|i| match i {
                0 => a,
                i if i == last => b,
                i => {
                    let share = i as f64 / last as f64;
                    match self {
                        Self::Linear => a + (b - a) * share,
                        Self::Log => a * (b / a).powf(share),
                    }
                }
            })
            .collect()
    }
}

/// A value of the parameter at which stability changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The value.
    pub value: f64,
    /// Whether it is stable on the side of smaller values.
    pub stable_below: bool,
}

/// Every change of sign of `excess` between neighbours of `grid` (increasing), each found to `tolerance` of its value by Brent's method. `excess`
/// is negative where stable: the real part of the rightmost root, or a measured rate of growth. What lies between two
/// neighbours twice is not seen.
///
/// # Errors
/// What `excess` says.
pub fn boundaries(
    excess: &dyn Fn(f64) -> Result<f64>,
    grid: &[f64],
    tolerance: f64,
) -> Result<Vec<Crossing>> {
    let values = grid
        .iter()
        .map(|x| excess(*x))
        .collect::<Result<Vec<f64>>>()?;
    let mut out = Vec::new();
    for (x, y) in grid.windows(2).zip(values.windows(2)) {
        let (&[a, b], &[from, to]) = (x, y) else {
            continue;
        };
        if (from < 0.0) == (to < 0.0) {
            continue;
        }
        let within = tolerance * a.abs().max(b.abs());
        out.push(Crossing {
            value: brent(excess, a, b, within)?,
            stable_below: from < 0.0,
        });
    }
    Ok(out)
}

/// Follows a Hopf boundary: for each of `xs` the pair (ω, y) with f(ω, x, y) = 0, where f is the characteristic function at
/// s = iω, by Newton's method from a straight line through the last two. Ends early, with what it has, where the curve turns
/// back or leaves ω > 0.
///
/// # Errors
/// [`Error::Numeric`] if not even the first place is found.
///
/// ```
/// use cwnd::numeric::{Complex, characteristic::follow};
/// // s + x + y·e^(−s): on the boundary y = ω/sin ω, x = −ω/tan ω; at x = 0, ω = y = π/2.
/// let f = |w: f64, x: f64, y: f64| Complex::new(x, w) + Complex::new(0.0, -w).exp() * y;
/// let curve = follow(&f, (1.6, 1.6), &[0.0, 0.1])?;
/// assert!((curve[0].1 - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn follow(
    f: &dyn Fn(f64, f64, f64) -> Complex<f64>,
    start: (f64, f64),
    xs: &[f64],
) -> Result<Vec<(f64, f64, f64)>> {
    let mut out: Vec<(f64, f64, f64)> = Vec::new();
    for &x in xs {
        let guess = match out.as_slice() {
            [] => start,
            [.., (x0, w0, y0), (x1, w1, y1)] if x1 != x0 => {
                let share = (x - x1) / (x1 - x0);
                (w1 + share * (w1 - w0), y1 + share * (y1 - y0))
            }
            [.., (_, w, y)] => (*w, *y),
        };
        match newton(f, x, guess) {
            Some((w, y)) if w > 0.0 => out.push((x, w, y)),
            _ => break,
        }
    }
    if out.is_empty() {
        return Err(Error::Numeric {
            method: "following the boundary",
            detail: format!("no boundary near ({}, {})", start.0, start.1),
        });
    }
    Ok(out)
}

/// Two real equations in two unknowns, the slopes by central differences.
fn newton(
    f: &dyn Fn(f64, f64, f64) -> Complex<f64>,
    x: f64,
    (mut w, mut y): (f64, f64),
) -> Option<(f64, f64)> {
    for _ in 0..40 {
        let value = f(w, x, y);
        let (hw, hy) = (1e-6 * w.abs().max(1e-6), 1e-6 * y.abs().max(1e-12));
        let by_w = (f(w + hw, x, y) - f(w - hw, x, y)) / (2.0 * hw);
        let by_y = (f(w, x, y + hy) - f(w, x, y - hy)) / (2.0 * hy);
        let det = by_w.re * by_y.im - by_w.im * by_y.re;
        let step_w = (value.re * by_y.im - value.im * by_y.re) / det;
        let step_y = (by_w.re * value.im - by_w.im * value.re) / det;
        if !(step_w.is_finite() && step_y.is_finite()) {
            return None;
        }
        // No farther than half way to another sign.
        let whole = (step_w.abs() / (0.5 * w.abs() + 1e-300)).max(1.0);
        w -= step_w / whole;
        y -= step_y / whole;
        if step_w.abs() <= 1e-13 * w.abs() && step_y.abs() <= 1e-12 * y.abs() {
            return Some((w, y));
        }
    }
    None
}
