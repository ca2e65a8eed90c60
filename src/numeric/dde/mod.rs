//! Delay differential equations, by the method of steps, with events and jumps.
//!
//! The solution of `x'(t) = f(t, x(t), x(α(t, x(t))))` needs its own past. A delay method is
//! therefore an ordinary Runge–Kutta method (Dormand–Prince 5(4)) plus a [`History`]: the given
//! past before the start, and the polynomial of every step after it. The ideas, one to a file:
//!
//! - a [`Problem`] says what the equations are, which [`Lag`]s they have, which [`Direction`]al
//!   events, and how it reacts to them;
//! - the history keeps both limits of a jump, and only as much past as the longest delay;
//! - a [`Discontinuity`] of the solution comes back through every lag one order smoother, and steps
//!   end there (*breaking points*), also for lags that depend on the state;
//! - a step may be longer than a delay: then it needs its own result, and is iterated to
//!   convergence ([`Overlap`]);
//! - events are found on the polynomial of the step, the earliest first, to rounding;
//! - the continuous extension has order 5 ([`Interpolant`]), so delayed values and states at events
//!   are as accurate as the steps.
//!
//! Error control: the local error of every component (maximum norm, so that one flow among 10⁴ is
//! not averaged away) is kept below `absolute + relative·|x|`. The global error is of that size
//! times the growth of the problem. Error control does not see the errors of the interpolant, which
//! are of the same order in the step.
//!
//! Sources: A. Bellen, M. Zennaro, *Numerical Methods for Delay Differential Equations* (2003); and
//! the papers named in the files.
//!
//! ```
//! use cwnd::numeric::dde::{History, Lag, Options, Problem, solve};
//!
//! /// x'(t) = −x(t − 1)
//! struct Linear;
//! impl Problem for Linear {
//!     fn dimension(&self) -> usize { 1 }
//!     fn rhs(&self, t: f64, _x: &[f64], history: &History<'_>, dx: &mut [f64]) {
//!         dx[0] = -history.state(0, t - 1.0);
//!     }
//!     fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 { 1.0 }
//!     fn lags(&self) -> Vec<Lag> { vec![Lag::constant(1.0)] }
//! }
//!
//! let end = solve(&mut Linear, &|_, _| 1.0, (0.0, 2.0), &Options::default(), |_| {})?;
//! assert!((end.x[0] + 0.5).abs() < 1e-12);
//! # Ok::<(), cwnd::numeric::dde::Error>(())
//! ```

mod agenda;
mod breaking;
mod brief;
mod control;
mod discontinuity;
mod error;
mod event;
mod happening;
mod history;
mod interpolant;
mod options;
mod piece;
mod problem;
mod segment;
mod solver;
mod start;
mod step;
mod stepper;
mod tableau;

pub use discontinuity::{Discontinuity, Lag};
pub use error::Error;
pub use history::{Along, History, Past};
pub use options::{Interpolant, Options, Overlap, Parts, Tolerance};
pub use piece::{Foreseen, Piece};
pub use problem::{Cause, Direction, Effect, Now, Problem};
pub use solver::solve;
pub use step::{Cost, Solution, Step};
