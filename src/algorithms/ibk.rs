//! Increase by K: K packets a round trip instead of one, switched on for long paths only.

use crate::model::{
    ADDITIVE_FORMS, Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback,
    FormInfo, Kind, Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw, additive_forms,
};

/// IBK: cwnd += K/cwnd for each acknowledgement, half the window at a loss.
pub struct IncreaseByK;

const PARAMETERS: &[Parameter] = &[Parameter {
    key: "k",
    symbol: "K",
    default: 4.0,
    bounds: Bounds::open(0.0, 1e9),
    kind: Kind::Number,
    unit: "packets per round trip",
    meaning: "additive increase",
}];

const PRESETS: &[Preset] = &[Preset {
    name: "slides",
    source: "obanaik2002",
    note: Some("K = 4, as in the slides' simulations"),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "Increase by K policy: K packets a round trip. Meant to be switched on for connections with long round trips only; the bias against long paths stays, its size changes by sqrt(K) or K.",
    equations: &[
        Equation {
            formula: "cwnd += K/cwnd for each acknowledgement; cwnd = cwnd/2 at a loss",
            source: "henderson1998",
            meaning: "the law; R is the whole round trip, queueing included",
        },
        Equation {
            formula: "W = sqrt(3 K/(2 p))",
            source: "derived from floyd2000 with K in place of a",
            meaning: "one loss every 1/p packets; form `periodic`. Independent losses: 1.3098 in place of sqrt(3/2), form `random`; mean-field: sqrt(2)",
        },
        Equation {
            formula: "x = sqrt(3 K/(2 p))/R, x ~ K/R^2",
            source: "derived",
            meaning: "rate x of equal loss rates, and share of flows that all lose at the same moments (the RTT exponents -1 and -2)",
        },
    ],
    ranges: &["no timeouts: p up to about 0.01", "K = 1 is standard TCP"],
    caveats: &[
        "every packet of a round trip beyond what the path holds is lost: about K more losses per event, and K times as many events",
    ],
};

const REGIME: &str = "additive increase";
const SOURCE: &str = "henderson1998";

impl Algorithm for IncreaseByK {
    fn name(&self) -> &'static str {
        "ibk"
    }
    fn title(&self) -> &'static str {
        "Increase by K (IBK)"
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
            k: setting.get("k"),
        }))
    }
}

struct Law {
    k: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, _x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        // K packets a round trip.
        dx[0] = self.k / seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            0.5 * x[0]
        };
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        REGIME
    }
    fn source(&self) -> &'static str {
        SOURCE
    }
}

impl ClosedForms for IncreaseByK {
    fn forms(&self) -> &'static [FormInfo] {
        ADDITIVE_FORMS
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let k = setting.get("k");
        additive_forms(move |_| Ok(k), 0.0, REGIME, SOURCE)
    }
}
