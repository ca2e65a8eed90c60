//! x'(t) = A₀·x(t) + Σ A_k·x(t − τ_k).

use super::super::Complex;
use super::super::dde::{History, Lag, Problem};
use nalgebra::{DMatrix, DVector};
use std::cell::RefCell;

/// A linear system with constant delays, states numbered from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearDelaySystem {
    pub(super) dimension: usize,
    pub(super) terms: Vec<Term>,
}

/// One delay with its matrix; the first term has delay 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub delay: f64,
    pub matrix: DMatrix<f64>,
}

/// The same system as a problem of the delay solver.
#[derive(Debug)]
pub struct Run<'a> {
    system: &'a LinearDelaySystem,
    then: RefCell<Vec<f64>>,
}

impl LinearDelaySystem {
    /// x' = 0 with `dimension` states.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        let matrix = DMatrix::zeros(dimension, dimension);
        Self {
            dimension,
            terms: vec![Term { delay: 0.0, matrix }],
        }
    }

    /// Adds `value`·x_from(t − delay) to x_to'. States beyond the dimension are left out.
    #[must_use]
    pub fn with(mut self, to: usize, from: usize, delay: f64, value: f64) -> Self {
        let dimension = self.dimension;
        let at = self
            .terms
            .iter()
            .position(|term| term.delay == delay)
            .unwrap_or_else(|| {
                let matrix = DMatrix::zeros(dimension, dimension);
                self.terms.push(Term { delay, matrix });
                self.terms.len() - 1
            });
        if let Some(slot) = self
            .terms
            .get_mut(at)
            .and_then(|term| term.matrix.get_mut((to, from)))
        {
            *slot += value;
        }
        self
    }

    /// Number of states.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The longest delay, s.
    #[must_use]
    pub fn longest_delay(&self) -> f64 {
        self.terms.iter().map(|term| term.delay).fold(0.0, f64::max)
    }

    /// Δ(s) = s·I − A₀ − Σ A_k·e^(−sτ_k).
    pub(super) fn matrix(&self, s: Complex<f64>) -> DMatrix<Complex<f64>> {
        let mut out = DMatrix::identity(self.dimension, self.dimension) * s;
        for term in &self.terms {
            let factor = (-s * term.delay).exp();
            out -= term.matrix.map(|x| factor * x);
        }
        out
    }

    /// dΔ/ds.
    pub(super) fn slope(&self, s: Complex<f64>) -> DMatrix<Complex<f64>> {
        let mut out = DMatrix::identity(self.dimension, self.dimension);
        for term in self.terms.iter().filter(|term| term.delay > 0.0) {
            let factor = (-s * term.delay).exp() * term.delay;
            out += term.matrix.map(|x| factor * x);
        }
        out
    }

    /// det Δ(s), whose zeros are the roots.
    #[must_use]
    pub fn characteristic(&self, s: Complex<f64>) -> Complex<f64> {
        self.matrix(s).lu().determinant()
    }

    /// A bound of |s| for every root with Re s ≥ `real`: the sum of the norms of what is delayed.
    pub(super) fn radius(&self, real: f64) -> f64 {
        self.terms
            .iter()
            .map(|term| norm(&term.matrix) * (-real * term.delay).exp())
            .sum()
    }

    /// The same roots in states scaled so that no matrix is lopsided.
    pub(super) fn balanced(&self) -> Self {
        let mut sum = DMatrix::zeros(self.dimension, self.dimension);
        for term in &self.terms {
            sum += term.matrix.abs();
        }
        let scale: DVector<f64> = nalgebra::linalg::balancing::balance_parlett_reinsch(&mut sum);
        let mut out = self.clone();
        for term in &mut out.terms {
            for i in 0..self.dimension {
                for j in 0..self.dimension {
                    term.matrix[(i, j)] *= scale[j] / scale[i];
                }
            }
        }
        out
    }

    /// The system for the delay solver.
    #[must_use]
    pub fn run(&self) -> Run<'_> {
        Run {
            system: self,
            then: RefCell::new(vec![0.0; self.dimension]),
        }
    }
}

/// The smallest of three norms.
fn norm(matrix: &DMatrix<f64>) -> f64 {
    let columns = matrix
        .column_iter()
        .map(|c| c.abs().sum())
        .fold(0.0, f64::max);
    let rows = matrix.row_iter().map(|r| r.abs().sum()).fold(0.0, f64::max);
    matrix.norm().min(columns).min(rows)
}

impl Problem for Run<'_> {
    fn dimension(&self) -> usize {
        self.system.dimension
    }

    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        dx.fill(0.0);
        let mut then = self.then.borrow_mut();
        for term in &self.system.terms {
            if term.delay == 0.0 {
                then.copy_from_slice(x);
            } else {
                history.fill(0, t - term.delay, &mut then);
            }
            for (j, x) in then.iter().enumerate() {
                for (i, slope) in dx.iter_mut().enumerate() {
                    *slope += term.matrix[(i, j)] * x;
                }
            }
        }
    }

    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        self.system.longest_delay()
    }

    fn lags(&self) -> Vec<Lag> {
        let delays = self.system.terms.iter().map(|term| term.delay);
        delays.filter(|d| *d > 0.0).map(Lag::constant).collect()
    }
}
