//! RFC 9438's window law: the larger of W_cubic and W_est.

use super::{Constants, Rules, UNSETTLED};
use crate::model::{Cause, Feedback, WindowLaw};

/// Places of the state. `k` is K; `friendly` is how far W_est has grown since the loss, `prior` the window before it.
const STATES: &[&str] = &["window", "w_max", "k", "age", "friendly", "prior"];
const W_MAX: usize = 1;
const K: usize = 2;
const AGE: usize = 3;
const FRIENDLY: usize = 4;
const PRIOR: usize = 5;

/// The plateau is a triple root: a window that rounding carries to W_max meets it 1e-5 of K too early. A K shorter by this
/// leaves the window the same distance short of W_max at age K, where `switches` ends the step.
const SHORT: f64 = 1.0 - 1e-13;

/// The law with its constants.
pub(super) struct Law {
    constants: Constants,
    alpha: f64,
}

impl Law {
    pub(super) fn new(constants: Constants) -> Self {
        Self {
            alpha: constants.alpha(),
            constants,
        }
    }

    /// Increase of W_est per round trip. RFC 9438 turns to Reno's once W_est is back at the window before the loss.
    fn friendly_rate(&self, x: &[f64]) -> f64 {
        if self.constants.rules != Rules::Hrx08 && self.friendly_gap(x) >= 0.0 {
            1.0
        } else {
            self.alpha
        }
    }

    /// W_est − cwnd_prior.
    fn friendly_gap(&self, x: &[f64]) -> f64 {
        x[FRIENDLY] - (1.0 - self.constants.beta) * x[PRIOR]
    }

    /// (W_cubic − W_est)/age; its limit at age 0. Both start from the same window, so its sign says which is larger
    /// without the difference of two large numbers.
    fn lead(&self, x: &[f64], rtt: f64) -> f64 {
        let (k, age) = (x[K], x[AGE]);
        let cubic = self.constants.c * (age * (age - 3.0 * k) + 3.0 * k * k);
        let friendly = if age > 0.0 {
            x[FRIENDLY] / age
        } else {
            self.friendly_rate(x) / rtt
        };
        cubic - friendly
    }

    fn cubic(&self, x: &[f64], age: f64) -> f64 {
        x[W_MAX] + self.constants.c * (age - x[K]).powi(3)
    }
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        STATES
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let friendly = self.friendly_rate(x) / seen.rtt;
        dx.fill(0.0);
        dx[0] = if self.lead(x, seen.rtt) >= 0.0 {
            3.0 * self.constants.c * (x[AGE] - x[K]).powi(2)
        } else {
            friendly
        };
        dx[AGE] = 1.0;
        dx[FRIENDLY] = friendly;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        let (cwnd, w_max) = (x[0], x[W_MAX]);
        let Constants { c, beta, fast, .. } = self.constants;
        if why == Cause::Timeout {
            // RFC 9438 section 4.8: K = 0 and W_max = cwnd in the stage after it.
            self.settle(1.0, x);
            x[PRIOR] = cwnd;
            return;
        }
        x[W_MAX] = if fast && cwnd < w_max {
            cwnd * (1.0 + beta) / 2.0
        } else {
            cwnd
        };
        x[0] = beta * cwnd;
        x[K] = SHORT * ((x[W_MAX] - x[0]).max(0.0) / c).cbrt();
        x[AGE] = 0.0;
        x[FRIENDLY] = 0.0;
        x[PRIOR] = cwnd;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = window;
        x[W_MAX] = window;
        x[PRIOR] = window / self.constants.beta;
    }
    fn jumps(&self, x: &[f64], out: &mut Vec<f64>) {
        if self.constants.fast {
            out.push(x[W_MAX]);
        }
    }
    fn switches(&self, x: &[f64], seen: &Feedback, out: &mut Vec<f64>) {
        // The plateau is one: W_cubic − W_max has a triple root there, on which no window can be located.
        out.extend([x[AGE] - x[K], self.lead(x, seen.rtt), self.friendly_gap(x)]);
    }
    /// The RFC's rule: towards W_cubic one round trip ahead, or W_est where that is larger than W_cubic now.
    fn on_ack(&self, x: &mut [f64], seen: &Feedback, _scratch: &mut [f64]) {
        let cwnd = x[0];
        let rounds = self.constants.ack_every / cwnd;
        x[AGE] += rounds * seen.rtt;
        x[FRIENDLY] += self.friendly_rate(x) * rounds;
        let friendly = x[FRIENDLY] + self.constants.beta * x[PRIOR];
        if self.cubic(x, x[AGE]) < friendly {
            x[0] = friendly;
        } else {
            let target = self.cubic(x, x[AGE] + seen.rtt).clamp(cwnd, 1.5 * cwnd);
            x[0] += (target - cwnd) / cwnd;
        }
    }
    fn ack_every(&self) -> f64 {
        self.constants.ack_every
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        if self.lead(x, seen.rtt) < 0.0 {
            "Reno-friendly"
        } else if x[AGE] < x[K] {
            "concave cubic"
        } else {
            "convex cubic"
        }
    }
    fn source(&self) -> &'static str {
        if self.constants.rules == Rules::Hrx08 {
            "ha2008"
        } else {
            "rfc9438 section 4"
        }
    }
    fn unsettled(&self) -> Option<&'static str> {
        self.constants.fast.then_some(UNSETTLED)
    }
}
