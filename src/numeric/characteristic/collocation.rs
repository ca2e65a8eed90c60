//! The rightmost roots of a linear delay system: the solution over one delay is a polynomial through Chebyshev's points, the
//! generator of the flow becomes a matrix, and its eigenvalues approach the roots faster than any power of the number of points
//! (Breda, Maset and Vermiglio, SIAM Journal on Scientific Computing 27, 2005). Newton's method on det Δ(s) does the rest.

use super::super::Complex;
use super::{LinearDelaySystem, Root};
use crate::error::{Error, Result};
use nalgebra::{DMatrix, DVector, Schur};
use std::f64::consts::PI;

/// The largest matrix whose eigenvalues are asked for.
const LARGEST: usize = 480;

/// The `count` roots farthest to the right, from the right, of each conjugate pair the upper one.
///
/// # Errors
/// [`Error::Numeric`] if the roots lie so far from zero, measured in the inverse of the longest delay, that no matrix of a
/// reasonable size resolves them.
///
/// ```
/// use cwnd::numeric::characteristic::{LinearDelaySystem, rightmost};
/// let system = LinearDelaySystem::new(1).with(0, 0, 1.0, -std::f64::consts::FRAC_PI_2);
/// let roots = rightmost(&system, 1)?;
/// assert!(roots[0].value.re.abs() < 1e-14);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn rightmost(system: &LinearDelaySystem, count: usize) -> Result<Vec<Root>> {
    let system = system.balanced();
    let n = system.dimension;
    if n == 0 || count == 0 {
        return Ok(Vec::new());
    }
    let longest = system.longest_delay();
    if longest == 0.0 {
        let matrix = system.terms[0].matrix.clone();
        let unit = 1.0 / matrix.norm().max(f64::MIN_POSITIVE);
        return Ok(polished(&system, eigenvalues(matrix)?, count, unit));
    }
    let mut points = 24usize.max((1.5 * system.radius(0.0) * longest).min(1e4) as usize + 12);
    let mut before: Option<Vec<Root>> = None;
    while n * (points + 1) <= LARGEST.max(25 * n) {
        let found = polished(
            &system,
            eigenvalues(generator(&system, points, longest))?,
            count,
            longest,
        );
        // Roots as far right as the first lie within this radius; the polynomial must resolve it.
        let enough = found
            .first()
            .map(|first| 1.2 * system.radius(first.value.re.min(0.0)) * longest + 8.0)
            .is_some_and(|need| points as f64 >= need.min(200.0));
        let same = before
            .as_ref()
            .is_some_and(|before| agree(before, &found, longest));
        if enough && same && found.len() >= count.min(n) {
            return Ok(found);
        }
        before = Some(found);
        points += points / 3;
    }
    Err(Error::Numeric {
        method: "Chebyshev collocation",
        detail: format!(
            "the system's rates are up to {:.3e} in units of its inverse delay, more than {LARGEST} unknowns resolve",
            system.radius(0.0) * longest
        ),
    })
}

fn agree(before: &[Root], now: &[Root], unit: f64) -> bool {
    before.len() == now.len()
        && before.iter().zip(now).all(|(x, y)| {
            (x.value - y.value).norm() * unit
                <= 1e-9 * (1.0 + y.value.norm() * unit) + 4.0 * (x.doubt + y.doubt) * unit
        })
}

fn eigenvalues(matrix: DMatrix<f64>) -> Result<Vec<Complex<f64>>> {
    let limit = 200 * matrix.nrows().max(10);
    let schur = Schur::try_new(matrix, f64::EPSILON, limit).ok_or(Error::Numeric {
        method: "Schur's decomposition",
        detail: format!("{limit} steps were not enough"),
    })?;
    Ok(schur.complex_eigenvalues().iter().copied().collect())
}

/// The generator collocated in Chebyshev's extremal points of [−longest, 0], node by node from 0 backwards.
fn generator(system: &LinearDelaySystem, points: usize, longest: f64) -> DMatrix<f64> {
    let n = system.dimension;
    let nodes: Vec<f64> = (0..=points)
        .map(|j| 0.5 * longest * ((PI * j as f64 / points as f64).cos() - 1.0))
        .collect();
    let mut out = DMatrix::zeros(n * (points + 1), n * (points + 1));
    for term in &system.terms {
        for (j, weight) in lagrange(&nodes, -term.delay).into_iter().enumerate() {
            let mut block = out.view_mut((0, n * j), (n, n));
            block += &term.matrix * weight;
        }
    }
    for i in 1..=points {
        let mut diagonal = 0.0;
        for j in 0..=points {
            if i == j {
                continue;
            }
            let slope = barycentric(j, points) / barycentric(i, points) / (nodes[i] - nodes[j]);
            diagonal -= slope;
            for c in 0..n {
                out[(n * i + c, n * j + c)] = slope;
            }
        }
        for c in 0..n {
            out[(n * i + c, n * i + c)] = diagonal;
        }
    }
    out
}

/// Weights of the barycentric formula in Chebyshev's extremal points.
fn barycentric(j: usize, points: usize) -> f64 {
    let sign = if j.is_multiple_of(2) { 1.0 } else { -1.0 };
    if j == 0 || j == points {
        0.5 * sign
    } else {
        sign
    }
}

/// The value at `x` of each Lagrange polynomial.
fn lagrange(nodes: &[f64], x: f64) -> Vec<f64> {
    if let Some(hit) = nodes.iter().position(|node| *node == x) {
        return (0..nodes.len())
            .map(|j| if j == hit { 1.0 } else { 0.0 })
            .collect();
    }
    let terms: Vec<f64> = nodes
        .iter()
        .enumerate()
        .map(|(j, node)| barycentric(j, nodes.len() - 1) / (x - node))
        .collect();
    let sum: f64 = terms.iter().sum();
    terms.iter().map(|term| term / sum).collect()
}

/// The eigenvalues that Newton's method takes to a root nearby, as roots from the right, each once.
fn polished(
    system: &LinearDelaySystem,
    mut guesses: Vec<Complex<f64>>,
    count: usize,
    unit: f64,
) -> Vec<Root> {
    guesses.retain(|s| s.im >= -1e-9 / unit);
    guesses.sort_by(|x, y| y.re.total_cmp(&x.re));
    let mut found: Vec<Root> = Vec::new();
    for guess in guesses.into_iter().take(4 * count + 8) {
        let Some(root) = newton(system, guess, unit) else {
            continue;
        };
        let same = |other: &&Root| {
            let near = 1e-8 * (1.0 / unit + root.value.norm()) + 4.0 * (root.doubt + other.doubt);
            (other.value - root.value).norm() <= near
        };
        if !found.iter().any(|other| same(&other)) {
            found.push(root);
        }
    }
    found.sort_by(|x, y| y.value.re.total_cmp(&x.value.re));
    found.truncate(count);
    found
}

/// Newton's method on det Δ(s): the step is −1/tr(Δ⁻¹Δ').
fn newton(system: &LinearDelaySystem, guess: Complex<f64>, unit: f64) -> Option<Root> {
    let mut s = guess;
    let mut smallest = f64::INFINITY;
    let near = 0.1 * (1.0 / unit + guess.norm());
    for _ in 0..40 {
        let Some(solved) = system.matrix(s).lu().solve(&system.slope(s)) else {
            smallest = 0.0;
            break;
        };
        let step = solved.trace().inv();
        let size = step.norm();
        if !size.is_finite() {
            return None;
        }
        // Steps that no longer shrink are rounding.
        if size >= smallest && size <= 1e-7 * (1.0 / unit + s.norm()) {
            break;
        }
        s -= step;
        smallest = smallest.min(size);
        if size <= f64::EPSILON * s.norm() {
            break;
        }
        if (s - guess).norm() > near {
            return None;
        }
    }
    if smallest > 1e-6 * (1.0 / unit + s.norm()) {
        return None;
    }
    if s.im.abs() <= 4.0 * f64::EPSILON * s.norm() {
        s.im = 0.0;
    }
    // Beside a double root the steps shrink by halves, and what is left is as long as the last one.
    let left = if smallest > 1e-11 / unit {
        2.0 * smallest
    } else {
        0.0
    };
    let doubt = doubt(system, s).max(left);
    // A real root that rounding has put beside the axis.
    if s.im.abs() <= 4.0 * doubt {
        s.im = 0.0;
    }
    Some(Root::new(Complex::new(s.re, s.im.abs()), doubt, unit))
}

/// First-order perturbation: the rounding of Δ over |uᴴΔ'v|, u and v the unit vectors that Δ nearly annihilates.
fn doubt(system: &LinearDelaySystem, s: Complex<f64>) -> f64 {
    let mut noise = s.norm();
    for term in &system.terms {
        noise += term.matrix.norm() * (-s.re * term.delay).exp() * (1.0 + s.norm() * term.delay);
    }
    noise *= f64::EPSILON;
    let slope = system.slope(s);
    if system.dimension == 1 {
        let size = slope[(0, 0)].norm();
        return (noise / size).min((noise / slope_scale(system, s)).sqrt());
    }
    let matrix = system.matrix(s + Complex::new(noise, noise));
    let start = DVector::from_fn(system.dimension, |i, _| {
        Complex::new(1.0 + 0.37 * i as f64, 0.21)
    });
    let settle = |matrix: DMatrix<Complex<f64>>| {
        let lu = matrix.lu();
        let mut v = start.clone();
        for _ in 0..3 {
            let next = lu.solve(&v)?;
            let size = next.norm();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            v = next / Complex::new(size, 0.0);
        }
        Some(v)
    };
    let (Some(v), Some(u)) = (settle(matrix.clone()), settle(matrix.adjoint())) else {
        return noise;
    };
    let size = u.dotc(&(&slope * v)).norm();
    (noise / size).min((noise / slope_scale(system, s)).sqrt())
}

/// How fast dΔ/ds changes: the scale of a double root's square-root law.
fn slope_scale(system: &LinearDelaySystem, s: Complex<f64>) -> f64 {
    let bend: f64 = system
        .terms
        .iter()
        .map(|term| term.matrix.norm() * term.delay * term.delay * (-s.re * term.delay).exp())
        .sum();
    bend.max(1.0 / (s.norm() + f64::MIN_POSITIVE).max(1e-300))
}
