//! CUBIC's sawtooth over a drop-tail buffer in closed form: the concave half of the cubic, or the Reno-friendly line.

use super::Constants;
use crate::error::{Error, Result};
use crate::model::{AdditiveTooth, ClosedSawtooth, Tooth, tooth::check};

/// The constants, and the AIMD that rules at short round trips and small windows.
pub(super) struct CubicTooth {
    constants: Constants,
    friendly: AdditiveTooth,
}

impl CubicTooth {
    pub(super) fn new(constants: Constants) -> Self {
        Self {
            friendly: AdditiveTooth {
                a: constants.alpha(),
                kept: constants.beta,
                regime: "Reno-friendly",
            },
            constants,
        }
    }
}

impl ClosedSawtooth for CubicTooth {
    /// With b = buffer/pipe and β(1+b) < 1: `U = 1 − (1−β)(1+b)/4 + b − (3/4) b ∛(b/((1−β)(1+b)))`, mean queue
    /// `(3/4) b ∛(b/((1−β)(1+b)))` pipes; else the link is always busy and the mean queue `(1+b)(3+β)/4 − 1` pipes.
    fn tooth(&self, pipe: f64, buffer: f64, base_rtt: f64) -> Result<Tooth> {
        check(pipe, buffer)?;
        let Constants { c, beta, .. } = self.constants;
        let removed = 1.0 - beta;
        let b = buffer / pipe;
        let full = 1.0 + b;
        let k2 = (removed * (pipe + buffer) / c).powf(2.0 / 3.0);
        let friendly = |rtt: f64| self.friendly.a / (c * rtt);
        // W_est rises by α a round trip: fastest while there is no queue, slowest while the buffer is full.
        if k2 < friendly(base_rtt * full) / 3.0 {
            return self.friendly.tooth(pipe, buffer, base_rtt);
        }
        if k2 < friendly(base_rtt) {
            return Err(Error::NoAnswer(
                "partly cubic, partly Reno-friendly: no closed form of the sawtooth; see the road `epoch`".into(),
            ));
        }
        let (utilisation, queue) = if beta * full < 1.0 {
            let queue = 0.75 * b * (b / (removed * full)).cbrt();
            (1.0 - 0.25 * removed * full + b - queue, queue)
        } else {
            (1.0, 0.25 * full * (3.0 + beta) - 1.0)
        };
        Ok(Tooth {
            low: beta * (pipe + buffer),
            utilisation,
            queue: queue * pipe,
            seconds: k2.sqrt(),
            regime: "cubic",
            source: "derived: the concave half of W_cubic, rfc9438 section 4.2",
        })
    }
}
