//! Congestion avoidance with a normalised interval of time: the window grows by one packet every NIT, whatever the round trip.

use crate::model::{
    ADDITIVE_FORMS, Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback,
    FormInfo, Kind, Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw, additive_forms,
};

/// CANIT: cwnd += (R/NIT)/cwnd for each acknowledgement, half the window at a loss.
pub struct Canit;

const PARAMETERS: &[Parameter] = &[Parameter {
    key: "nit",
    symbol: "NIT",
    default: 0.03,
    bounds: Bounds::open(0.0, 1e6),
    kind: Kind::Time,
    unit: "s",
    meaning: "time in which every flow's window grows by one packet",
}];

const PRESETS: &[Preset] = &[Preset {
    name: "slides",
    source: "obanaik2002",
    note: Some("NIT = 30 ms, called optimum in the slides"),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "Congestion Avoidance with Normalized Interval of Time: every flow's window grows by one packet each NIT seconds instead of each round trip. The bias against long paths shrinks; slow links with a large queueing delay are overrun.",
    equations: &[
        Equation {
            formula: "cwnd += (R/NIT)/cwnd for each acknowledgement; cwnd = cwnd/2 at a loss",
            source: "benaboud2001",
            meaning: "the law; R is the whole round trip, queueing included",
        },
        Equation {
            formula: "W = sqrt(3 R/(2 NIT p))",
            source: "derived from floyd2000 with R/NIT in place of a",
            meaning: "one loss every 1/p packets; form `periodic`. Independent losses: 1.3098 in place of sqrt(3/2), form `random`; mean-field: sqrt(2)",
        },
        Equation {
            formula: "x = sqrt(3/(2 NIT R p)), x ~ 1/(NIT R)",
            source: "derived",
            meaning: "rate x of equal loss rates, and share of flows that all lose at the same moments (the RTT exponents -1/2 and -1)",
        },
    ],
    ranges: &[
        "no timeouts: p up to about 0.01",
        "slower than standard TCP for R < NIT",
    ],
    caveats: &[
        "NIT is a time: nit=30ms",
        "on a slow link the round trip is mostly queue, so a larger buffer makes the policy more aggressive: see `last-hop`",
    ],
};

const REGIME: &str = "additive increase";
const SOURCE: &str = "benaboud2001";

impl Algorithm for Canit {
    fn name(&self) -> &'static str {
        "canit"
    }
    fn title(&self) -> &'static str {
        "CANIT"
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
        &["benaboud2001", "obanaik2002", "floyd2000"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            nit: setting.get("nit"),
        }))
    }
}

struct Law {
    nit: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, _x: &[f64], _seen: &Feedback, dx: &mut [f64]) {
        // R/NIT packets a round trip.
        dx[0] = 1.0 / self.nit;
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

impl ClosedForms for Canit {
    fn forms(&self) -> &'static [FormInfo] {
        ADDITIVE_FORMS
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let nit = setting.get("nit");
        additive_forms(
            move |path| Ok(path.rtt_seconds()? / nit),
            0.5,
            REGIME,
            SOURCE,
        )
    }
}
