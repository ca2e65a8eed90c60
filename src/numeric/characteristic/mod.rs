//! Roots of the characteristic equations of linear delay systems, and where they cross the imaginary axis.
//!
//! Three roads to one root: Lambert's W for one state with one delay ([`ScalarDelay`], exact), eigenvalues of a collocated
//! system for any number of states and delays ([`rightmost`]), and a run of the delay solver
//! ([`super::growth`]).

mod boundary;
mod collocation;
mod scalar;
mod system;

pub use boundary::{Axis, Crossing, boundaries, follow};
pub use collocation::rightmost;
pub use scalar::ScalarDelay;
pub use system::{LinearDelaySystem, Run};

use super::Complex;

/// A root of a characteristic equation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// Where it is, 1/s.
    pub value: Complex<f64>,
    /// How far rounding may have moved it, 1/s.
    pub doubt: f64,
    /// Whether another root is so near that double precision does not place them to ten digits.
    pub nearly_double: bool,
}

impl Root {
    /// A root with its doubt; `unit` is the longest delay, in which it is measured.
    fn new(value: Complex<f64>, doubt: f64, unit: f64) -> Self {
        Self {
            value,
            doubt,
            nearly_double: doubt * unit > NEARLY_DOUBLE,
        }
    }
}

/// Doubt, in units of the inverse longest delay, from which two roots count as one: well-separated roots have a doubt of
/// some 1e-15, and a doubt beyond this could reach the tenth decimal.
const NEARLY_DOUBLE: f64 = 1e-11;
