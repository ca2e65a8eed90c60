//! TCP Vegas: one packet more or less a round trip, to keep between α and β packets in the queues of the path.

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Kind,
    Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw,
};

/// TCP Vegas.
pub struct Vegas;

const PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "alpha",
        "α",
        2.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "packets queued below which the window grows",
    ),
    Parameter::number(
        "beta",
        "β",
        4.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "packets queued above which the window shrinks; not less than alpha",
    ),
    Parameter::number(
        "gamma",
        "γ",
        1.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "packets queued at which slow start ends",
    ),
    Parameter {
        key: "base_error",
        symbol: "ε",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1e6),
        kind: Kind::Time,
        unit: "s",
        meaning: "by how much the sender takes its round trip without queues for longer than it is",
    },
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_vegas.c",
        note: Some("alpha 2, beta 4, gamma 1 packets"),
        values: &[],
    },
    Preset {
        name: "paper",
        source: "brakmo1995",
        note: Some("alpha 1, beta 3, gamma 1 packets; that these are the paper's is unconfirmed"),
        values: &[("alpha", 1.0), ("beta", 3.0)],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "Vegas estimates how many of its packets wait in queues, from the difference between the rate without queues and the actual one, and once a round trip \
              adds a packet if there are fewer than alpha, removes one if there are more than beta. Its price is queueing delay. A loss halves the window.",
    equations: &[
        Equation {
            formula: "diff = (w/base_rtt - w/rtt) base_rtt = w q/R",
            source: "brakmo1995 section 3.2",
            meaning: "packets waiting, q the queueing delay seen",
        },
        Equation {
            formula: "w += 1 if diff < alpha, w -= 1 if diff > beta, each round trip",
            source: "brakmo1995 section 3.2",
            meaning: "the law; in a fluid the step is a ramp over a tenth of a packet",
        },
        Equation {
            formula: "x = alpha/q",
            source: "low2002, with alpha in packets",
            meaning: "equilibrium for alpha = beta: weighted proportional fairness, without round trips",
        },
    ],
    ranges: &["buffers larger than the sum of all betas; else it runs into losses, which halve it"],
    caveats: &[
        "alpha is in packets here and in kernels; the duality paper's alpha is a rate, so that its utility is alpha d log x",
        "with alpha < beta any x q between them is an equilibrium: shares depend on the start",
        "slow start doubles every round trip here, every other in the paper",
        "answers to delay, not to loss: it has no response to p",
    ],
};

impl Algorithm for Vegas {
    fn name(&self) -> &'static str {
        "vegas"
    }
    fn title(&self) -> &'static str {
        "TCP Vegas"
    }
    fn price(&self) -> Price {
        Price::Delay
    }
    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }
    fn presets(&self) -> &'static [Preset] {
        PRESETS
    }
    fn references(&self) -> &'static [&'static str] {
        &["brakmo1995", "low2002", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        let (alpha, beta) = (setting.get("alpha"), setting.get("beta"));
        if beta < alpha {
            return Err(Error::Arguments(format!(
                "Vegas' `beta` of {beta} packets is less than its `alpha` of {alpha} packets: beta must not be less than alpha"
            )));
        }
        Ok(())
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            alpha: setting.get("alpha"),
            beta: setting.get("beta"),
            gamma: setting.get("gamma"),
            base_error: setting.get("base_error"),
        }))
    }
}

/// Packets over which the step from growing to standing still is spread: a fluid that slides along a jump has no rate there.
const RAMP: f64 = 0.1;

struct Law {
    alpha: f64,
    beta: f64,
    gamma: f64,
    base_error: f64,
}

impl Law {
    /// Packets of its own that it believes to be waiting.
    fn diff(&self, window: f64, seen: &Feedback) -> f64 {
        let delay = (seen.rtt - seen.base_rtt - self.base_error).max(0.0);
        window * delay / seen.rtt
    }
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let diff = self.diff(x[0], seen);
        let up = ((self.alpha - diff) / RAMP).clamp(0.0, 1.0);
        let down = ((diff - self.beta) / RAMP).clamp(0.0, 1.0);
        dx[0] = (up - down) / seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = match why {
            Cause::Timeout => 1.0,
            _ => 0.5 * x[0],
        };
    }
    fn price(&self) -> Price {
        Price::Delay
    }
    fn slow_start_ends(&self, x: &[f64], seen: &Feedback) -> f64 {
        self.diff(x[0], seen) - self.gamma
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        let diff = self.diff(x[0], seen);
        if diff < self.alpha {
            "fewer than alpha packets queued"
        } else if diff > self.beta {
            "more than beta packets queued"
        } else {
            "between alpha and beta packets queued"
        }
    }
    fn source(&self) -> &'static str {
        "brakmo1995"
    }
}

impl ClosedForms for Vegas {
    fn forms(&self) -> &'static [FormInfo] {
        &[]
    }
    fn closed(&self, _setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        Vec::new()
    }
}
