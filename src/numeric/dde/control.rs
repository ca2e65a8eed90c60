//! How long the next step should be.
//!
//! The controller is proportional-integral: K. Gustafsson, *Control theoretic techniques for
//! stepsize selection in explicit Runge–Kutta methods*, ACM Trans. Math. Softw. 17 (1991) 533–554,
//! with the constants of Hairer's `DOPRI5` (Hairer, Nørsett, Wanner, *Solving ODE I*, IV.2).

/// Weight of the previous error.
const BETA: f64 = 0.04;
/// Exponent of the present error.
const ALPHA: f64 = 0.2 - 0.75 * BETA;
const SAFETY: f64 = 0.9;
/// The least error that is remembered.
const LEAST: f64 = 1e-4;
const SHRINK: f64 = 0.2;
const GROW: f64 = 10.0;

/// The memory of the controller.
#[derive(Debug)]
pub(super) struct Controller {
    /// Logarithm of the previous error.
    previous: f64,
    rejected: bool,
}

impl Controller {
    pub fn new() -> Self {
        Self {
            previous: LEAST.ln(),
            rejected: false,
        }
    }

    /// By what to multiply the step after an accepted one of error `error` (1 is the tolerance).
    pub fn accepted(&mut self, error: f64) -> f64 {
        let error = error.max(1e-30).ln();
        let factor = SAFETY * (BETA * self.previous - ALPHA * error).exp();
        self.previous = error.max(LEAST.ln());
        let most = if self.rejected { 1.0 } else { GROW };
        self.rejected = false;
        factor.clamp(SHRINK, most)
    }

    /// By what to multiply the step after a rejected one.
    pub fn rejected(&mut self, error: f64) -> f64 {
        self.rejected = true;
        (SAFETY / error.powf(ALPHA)).clamp(SHRINK, SAFETY)
    }
}

/// The first step from the sizes of the state `x`, its slope `f` and its curvature, each the
/// largest component in units of the tolerance (Hairer, Nørsett, Wanner, II.4): first half, the
/// length of an explicit Euler step.
pub(super) fn euler_step(x: f64, f: f64) -> f64 {
    if x < 1e-5 || f < 1e-5 {
        1e-6
    } else {
        0.01 * x / f
    }
}

/// Second half: the step given the `euler` step, the slope and the curvature.
pub(super) fn first_step(euler: f64, f: f64, curvature: f64) -> f64 {
    let most = f.max(curvature);
    let step = if most <= 1e-15 {
        (euler * 1e-3).max(1e-6)
    } else {
        (0.01 / most).powf(0.2)
    };
    step.min(100.0 * euler)
}
