//! Constant-rate increase: the window grows by c R² packets a round trip, so that every flow's rate grows alike.

use crate::model::{
    ADDITIVE_FORMS, Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback,
    FormInfo, Kind, Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw, additive_forms,
};

/// CR: cwnd += c R²/cwnd for each acknowledgement, half the window at a loss.
pub struct ConstantRate;

const PARAMETERS: &[Parameter] = &[Parameter {
    key: "c",
    symbol: "c",
    default: 10.0,
    bounds: Bounds::open(0.0, 1e9),
    kind: Kind::Number,
    unit: "packets per second squared",
    meaning: "growth of the rate, the same for every round trip",
}];

const PRESETS: &[Preset] = &[Preset {
    name: "slides",
    source: "obanaik2002",
    note: Some("c = 10, as in the slides' simulations"),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "Constant Rate policy: the rate of every flow grows by c packets per second each second, whatever its round trip. It removes the bias against long paths, and probes long thin paths far harder than they can bear.",
    equations: &[
        Equation {
            formula: "cwnd += c R^2/cwnd for each acknowledgement; cwnd = cwnd/2 at a loss",
            source: "henderson1998",
            meaning: "the law; R is the whole round trip, queueing included",
        },
        Equation {
            formula: "W = sqrt(3 c R^2/(2 p))",
            source: "derived from floyd2000 with c R^2 in place of a",
            meaning: "one loss every 1/p packets; form `periodic`. Independent losses: 1.3098 in place of sqrt(3/2), form `random`; mean-field: sqrt(2)",
        },
        Equation {
            formula: "x = sqrt(3 c/(2 p)), x ~ c",
            source: "derived",
            meaning: "rate x of equal loss rates, and share of flows that all lose at the same moments (the RTT exponents 0 and 0)",
        },
    ],
    ranges: &[
        "no timeouts: p up to about 0.01",
        "slower than standard TCP for R < 1/sqrt(c), 0.316 s with the default",
    ],
    caveats: &[
        "the slides' sentence on throughput counts the growth of the rate per second; the acknowledgement rule is c R^2/cwnd, not divided by the round trip again",
        "on a slow link the round trip is mostly queue, so a larger buffer makes the policy more aggressive: see `last-hop`",
    ],
};

const REGIME: &str = "additive increase";
const SOURCE: &str = "henderson1998";

impl Algorithm for ConstantRate {
    fn name(&self) -> &'static str {
        "cr"
    }
    fn title(&self) -> &'static str {
        "Constant Rate (CR)"
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
        &["henderson1998", "obanaik2002", "floyd2000"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            c: setting.get("c"),
        }))
    }
}

struct Law {
    c: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, _x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        // c R² packets a round trip.
        dx[0] = self.c * seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            0.5 * x[0]
        };
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        REGIME
    }
    fn source(&self) -> &'static str {
        SOURCE
    }
}

impl ClosedForms for ConstantRate {
    fn forms(&self) -> &'static [FormInfo] {
        ADDITIVE_FORMS
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let c = setting.get("c");
        additive_forms(
            move |path| Ok(c * path.rtt_seconds()?.powi(2)),
            1.0,
            REGIME,
            SOURCE,
        )
    }
}
