//! Reno's window and a queue, linearised at their equilibrium, from the marking probability to the queue.

use crate::error::{Error, Result};
use crate::numeric::Complex;
use crate::numeric::characteristic::LinearDelaySystem;

/// Whose linearisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Linearisation {
    /// Every term of Misra, Gong and Towsley's model, its inner delays included.
    Full,
    /// Hollot's: the delayed window and the queue's effect on the round trip dropped.
    Hollot,
    /// Low's model, in which those terms cancel.
    Low,
}

/// N flows of round trip R over a link of capacity C. δW is state 0, δq state 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct TcpQueue {
    /// C, packets/s.
    pub capacity: f64,
    /// N.
    pub flows: f64,
    /// R, s.
    pub rtt: f64,
    /// Which terms.
    pub form: Linearisation,
}

impl Linearisation {
    /// By the form's name; the first unless named.
    pub fn named(form: &str) -> Self {
        match form {
            "hollot" => Self::Hollot,
            "low" => Self::Low,
            _ => Self::Full,
        }
    }
}

impl TcpQueue {
    /// W₀ = RC/N.
    pub fn window(&self) -> f64 {
        self.rtt * self.capacity / self.flows
    }

    /// p₀: W²p = 2, with Low's carried load W² = 2(1 − p)/p.
    pub fn loss(&self) -> f64 {
        let w = self.window();
        match self.form {
            Linearisation::Low => 2.0 / (2.0 + w * w),
            Linearisation::Full | Linearisation::Hollot => 2.0 / (w * w),
        }
    }

    /// Refuses flows that are too many.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the equilibrium needs a drop probability of one or more.
    pub fn check(&self) -> Result<()> {
        let loss = self.loss();
        if loss < 1.0 {
            Ok(())
        } else {
            Err(Error::Arguments(format!(
                "the equilibrium needs a drop probability of {loss:.4}: the flows are too many for this capacity and round trip (W = RC/N = {:.4} packets, more than sqrt 2 is needed)",
                self.window()
            )))
        }
    }

    /// Coefficients of δW' = −own·δW − then·δW(t−R) − waits·(δq − δq(t−R)) − marks·δp(t−R).
    fn coefficients(&self) -> (f64, f64, f64, f64) {
        let Self {
            capacity: c,
            flows: n,
            rtt: r,
            form,
        } = *self;
        match form {
            Linearisation::Full => {
                let own = n / (r * r * c);
                (own, own, 1.0 / (r * r * c), r * c * c / (2.0 * n * n))
            }
            Linearisation::Hollot => (2.0 * n / (r * r * c), 0.0, 0.0, r * c * c / (2.0 * n * n)),
            Linearisation::Low => {
                let p = self.loss();
                (p * self.window() / r, 0.0, 0.0, 1.0 / (r * p))
            }
        }
    }

    /// −δq/δp.
    pub fn plant(&self, s: Complex<f64>) -> Complex<f64> {
        let (own, then, waits, marks) = self.coefficients();
        let late = (-s * self.rtt).exp();
        let (fill, drain) = (self.flows / self.rtt, 1.0 / self.rtt);
        let window = s + own + late * then;
        late * marks * fill
            / (window * (s + drain) + (Complex::new(1.0, 0.0) - late) * (waits * fill))
    }

    /// The states W and q of a system of `dimension` states, closed by δp = Σ weight·x_state.
    pub fn closed(&self, dimension: usize, marking: &[(usize, f64)]) -> LinearDelaySystem {
        let (own, then, waits, marks) = self.coefficients();
        let r = self.rtt;
        let mut system = LinearDelaySystem::new(dimension)
            .with(0, 0, 0.0, -own)
            .with(1, 0, 0.0, self.flows / r)
            .with(1, 1, 0.0, -1.0 / r);
        if then != 0.0 {
            system = system.with(0, 0, r, -then);
        }
        if waits != 0.0 {
            system = system.with(0, 1, 0.0, -waits).with(0, 1, r, waits);
        }
        for (state, weight) in marking {
            system = system.with(0, *state, r, -marks * weight);
        }
        system
    }
}
