//! H-TCP (Leith and Shorten): an AIMD flow whose increase is a polynomial of the time since its last loss.

mod closed;
mod linux;

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Kind,
    Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw,
};

/// H-TCP.
pub struct Htcp;

const fn switch(key: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        key,
        symbol: "",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1.0),
        kind: Kind::Switch,
        unit: "",
        meaning,
    }
}

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "beta",
        symbol: "β",
        default: 0.5,
        bounds: Bounds::open(0.0, 1.0),
        kind: Kind::Number,
        unit: "",
        meaning: "fraction of the window KEPT at a loss, without adaptive backoff",
    },
    switch(
        "adaptive_backoff",
        "keep base round trip over round trip, within 0.5 to 0.8, instead of beta",
    ),
    switch(
        "rtt_scaling",
        "multiply the increase by RTT/0.1 s, within 0.1 to 2",
    ),
    Parameter {
        key: "ack_every",
        symbol: "b",
        default: 1.0,
        bounds: Bounds::closed(1.0, 1000.0),
        kind: Kind::Number,
        unit: "packets",
        meaning: "packets that one acknowledgement stands for; packets are counted, so only the road `ack` depends on it",
    },
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "paper",
        source: "leith2004",
        note: Some(
            "rules as the implementations in FreeBSD and Linux have them, FreeBSD's defaults; the paper's own text was not seen",
        ),
        values: &[],
    },
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_htcp.c",
        note: Some(
            "the kernel's integer rules (1000 ticks a second), defined for each acknowledgement: road `ack`; its bandwidth switch is left out, it never acts on a steady flow",
        ),
        values: &[("adaptive_backoff", 1.0), ("rtt_scaling", 1.0)],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "H-TCP is standard TCP for the first second after a loss; from then on its increase grows with the time since the loss. The time, not the window, \
              sets the increase, so flows that lose together converge. Optionally it keeps as much of the window as the queue allows and scales with the round trip.",
    equations: &[
        Equation {
            formula: "alpha_raw(t) = 1 for t <= 1 s, 1 + 10 (t - 1) + ((t - 1)/2)^2 after",
            source: "leith2004",
            meaning: "t in seconds since the last loss",
        },
        Equation {
            formula: "cwnd += 2 (1 - beta) alpha_raw/cwnd for each packet acknowledged; cwnd = beta cwnd at a loss",
            source: "leith2004",
            meaning: "the law; beta = clamp(RTTmin/RTTmax, 0.5, 0.8) with adaptive backoff; times RTT/0.1 s with RTT scaling",
        },
        Equation {
            formula: "A(T) = T + 5 (T-1)^2 + (T-1)^3/12, B(T) = T^2/2 + 5 (T-1)^3/3 + (T-1)^4/48 (T <= 1: T and T^2/2)",
            source: "derived",
            meaning: "integral of alpha_raw, and the integral of that",
        },
        Equation {
            formula: "1/p = (2/(RTT U)) (beta A T + (1 - beta) B), Wmax = 2 A/U, W = RTT/(p T)",
            source: "derived",
            meaning: "exact periodic response in the parameter T; U = RTT, or 0.1 s with RTT scaling; form `periodic`",
        },
    ],
    ranges: &[
        "exact at every loss rate; standard TCP's sqrt((1 + beta)/p) for p >= RTT^2/(1 + beta)",
        "no timeouts: p up to about 0.01",
    ],
    caveats: &[
        "beta is the fraction kept",
        "the power laws 1.882 RTT^(1/3)/p^(2/3) and 0.568 RTT^(1/2)/p^(3/4) (beta 0.5) are limits; neither is accurate alone for p above 1e-10 at 0.1 s",
        "the mean-field equilibrium is 50 % too high: there is no such form",
        "without RTT scaling the RTT exponent is 2d - 1 and flows that lose together share as RTT^-2; with it d, and they share as RTT^-1",
        "adaptive backoff takes the path's base round trip over its round trip, as if that were the round trip at the loss",
    ],
};

impl Algorithm for Htcp {
    fn name(&self) -> &'static str {
        "htcp"
    }
    fn title(&self) -> &'static str {
        "H-TCP"
    }
    fn price(&self) -> Price {
        Price::Loss
    }
    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }
    fn presets(&self) -> &'static [Preset] {
        PRESETS
    }
    fn references(&self) -> &'static [&'static str] {
        &["leith2004", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        let beta = setting.get("beta");
        if setting.on("adaptive_backoff") && beta.to_bits() != 0.5f64.to_bits() {
            return Err(Error::Arguments(format!(
                "`beta={beta}` has no effect with adaptive_backoff=1: give one of the two"
            )));
        }
        Ok(())
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        let constants = Constants::of(setting);
        Some(if setting.preset().name == "linux" {
            Box::new(linux::Law(constants))
        } else {
            Box::new(Law(constants))
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Constants {
    beta: f64,
    adaptive: bool,
    scaled: bool,
    ack_every: f64,
}

impl Constants {
    fn of(setting: &Setting) -> Self {
        Self {
            beta: setting.get("beta"),
            adaptive: setting.on("adaptive_backoff"),
            scaled: setting.on("rtt_scaling"),
            ack_every: setting.get("ack_every"),
        }
    }

    /// The fraction kept at a loss.
    fn kept(&self, rtt: f64, base_rtt: f64) -> f64 {
        if self.adaptive {
            (base_rtt / rtt).clamp(0.5, 0.8)
        } else {
            self.beta
        }
    }

    /// What the increase is multiplied by.
    fn scale(&self, rtt: f64) -> f64 {
        if self.scaled {
            (rtt / 0.1).clamp(0.1, 2.0)
        } else {
            1.0
        }
    }
}

/// Packets per round trip, `age` seconds after the last loss, before beta and the round trip come in.
fn alpha_raw(age: f64) -> f64 {
    let late = (age - 1.0).max(0.0);
    1.0 + 10.0 * late + 0.25 * late * late
}

const AGE: usize = 1;
const KEPT: usize = 2;

struct Law(Constants);

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window", "age", "kept"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let alpha = 2.0 * (1.0 - x[KEPT]) * alpha_raw(x[AGE]) * self.0.scale(seen.rtt);
        dx[0] = alpha / seen.rtt;
        dx[AGE] = 1.0;
        dx[KEPT] = 0.0;
    }
    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: Cause) {
        x[KEPT] = self.0.kept(seen.rtt, seen.base_rtt);
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            x[KEPT] * x[0]
        };
        x[AGE] = 0.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = window;
        x[KEPT] = self.0.beta;
    }
    fn switches(&self, x: &[f64], _seen: &Feedback, out: &mut Vec<f64>) {
        out.push(x[AGE] - 1.0);
    }
    fn ack_every(&self) -> f64 {
        self.0.ack_every
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, x: &[f64], _seen: &Feedback) -> &'static str {
        if x[AGE] < 1.0 {
            "first second"
        } else {
            "high speed"
        }
    }
    fn source(&self) -> &'static str {
        "leith2004"
    }
}

impl ClosedForms for Htcp {
    fn forms(&self) -> &'static [FormInfo] {
        closed::FORMS
    }
    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        closed::forms(Constants::of(setting))
    }
}
