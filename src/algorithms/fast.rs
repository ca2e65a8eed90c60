//! FAST TCP: the window moves towards one that keeps α packets in the queues of its path.

use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Kind,
    Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw,
};
use std::f64::consts::LN_2;

/// FAST TCP.
pub struct Fast;

const PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "alpha",
        "α",
        200.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "packets that the flow keeps in the queues of its path",
    ),
    Parameter::number(
        "gamma",
        "γ",
        0.5,
        Bounds::open(0.0, 2.0),
        "",
        "share of the way to the target window taken in a round trip",
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

const PRESETS: &[Preset] = &[Preset {
    name: "paper",
    source: "jin2004",
    note: Some(
        "gamma as in its ns-2 model; alpha has no default there and must suit the link: 200 is an assumption for 0.1 to 1 Gbit/s",
    ),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "FAST compares the round trip with the shortest one seen and moves its window, once a round trip, the share gamma of the way to the one that \
              keeps alpha packets in the queues of the path. Its price is queueing delay: in equilibrium its rate is alpha over the delay, whatever the round trip. \
              A loss halves the window.",
    equations: &[
        Equation {
            formula: "w = min{2w, (1-gamma) w + gamma ((base_rtt/rtt) w + alpha)}",
            source: "jin2004 section IV",
            meaning: "once a round trip; in a fluid w' = min(ln 2 w, gamma (alpha - x q))/R with q the queueing delay seen and x = w/R",
        },
        Equation {
            formula: "x = alpha/q",
            source: "derived: w' = 0",
            meaning: "equilibrium: maximises the sum of alpha log x, weighted proportional fairness, without round trips",
        },
        Equation {
            formula: "q = sum of alpha/C, x_i = alpha_i C/sum of alpha",
            source: "derived: one link",
            meaning: "N flows leave a standing queue of N alpha packets",
        },
        Equation {
            formula: "sum over i of alpha/(q_n - q_(i-1)) = C",
            source: "derived: the i-th flow takes the queue that it found for part of its base round trip",
            meaning: "flows that start one by one: for two q C/alpha = 2.618034, shares 0.382 and 0.618, the newest the richest",
        },
        Equation {
            formula: "w' = kappa (1 - p/U'(x)), kappa = gamma alpha, U' = alpha/x",
            source: "derived: jin2004, common flow-level form",
            meaning: "per round trip; p is the queueing delay",
        },
    ],
    ranges: &[
        "buffers larger than the sum of all alphas; else it runs into losses, which halve it",
        "gamma up to 1 approaches the equilibrium without overshoot; the discrete update is stable below 2",
    ],
    caveats: &[
        "the cap of doubling is unconfirmed; ns-2's average of the round trip, its dead band and its multiplicative increase are not modelled",
        "there is no slow start: while queues are empty the window doubles until it gains gamma alpha packets a round trip",
        "a round trip that is taken for too long (base_error) shifts rates to alpha/(q - error)",
        "conclusions about stability depend on the link's model: static (self-clocked) or integrating; here it integrates",
        "answers to delay, not to loss: it has no response to p",
    ],
};

impl Algorithm for Fast {
    fn name(&self) -> &'static str {
        "fast"
    }
    fn title(&self) -> &'static str {
        "FAST TCP"
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
        &["jin2004", "wei2006"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            alpha: setting.get("alpha"),
            gamma: setting.get("gamma"),
            base_error: setting.get("base_error"),
        }))
    }
}

struct Law {
    alpha: f64,
    gamma: f64,
    base_error: f64,
}

impl Law {
    /// Packets of its own that it believes to be waiting.
    fn backlog(&self, window: f64, seen: &Feedback) -> f64 {
        let delay = (seen.rtt - seen.base_rtt - self.base_error).max(0.0);
        window * delay / seen.rtt
    }
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let wanted = self.gamma * (self.alpha - self.backlog(x[0], seen));
        dx[0] = wanted.min(LN_2 * x[0]) / seen.rtt;
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
    /// There is none.
    fn slow_start_ends(&self, _x: &[f64], _seen: &Feedback) -> f64 {
        0.0
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        if self.backlog(x[0], seen) < self.alpha {
            "less than alpha packets queued"
        } else {
            "alpha packets queued"
        }
    }
    fn source(&self) -> &'static str {
        "jin2004"
    }
}

impl ClosedForms for Fast {
    fn forms(&self) -> &'static [FormInfo] {
        &[]
    }
    fn closed(&self, _setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        Vec::new()
    }
}
