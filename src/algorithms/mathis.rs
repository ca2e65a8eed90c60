//! The square-root law of Mathis et al. with any constant: a formula, not a law.

use crate::model::{
    Algorithm, Bounds, ClosedForms, Equation, Explanation, FormInfo, Formula, Kind, LossModel,
    Parameter, Preset, Price, Response, ResponseFunction, Setting, WindowLaw,
};

/// C/√(b·p).
pub struct Mathis;

/// sqrt(3/2).
const PERIODIC: f64 = 1.224_744_871_391_589;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "c",
        symbol: "C",
        default: PERIODIC,
        bounds: Bounds::open(0.0, 100.0),
        kind: Kind::Number,
        unit: "",
        meaning: "constant of the square-root law with every packet acknowledged",
    },
    Parameter {
        key: "ack_every",
        symbol: "b",
        default: 1.0,
        bounds: Bounds::closed(1.0, 1000.0),
        kind: Kind::Number,
        unit: "packets",
        meaning: "packets that one acknowledgement stands for",
    },
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "periodic",
        source: "mathis1997",
        note: None,
        values: &[],
    },
    Preset {
        name: "random",
        source: "derived: product over discounted exponential gaps",
        note: Some("independent losses; the constant is derived to all digits"),
        values: &[("c", 1.309_833_274_657_579_7)],
    },
    Preset {
        name: "rfc-tables",
        source: "rfc3649 section 3",
        note: Some("the rounded constant behind the tables of RFC 3649, 5166, 8312 and 9438"),
        values: &[("c", 1.2)],
    },
    Preset {
        name: "rfc9332",
        source: "rfc9332 eq. 5",
        note: None,
        values: &[("c", 1.22)],
    },
    Preset {
        name: "simple",
        source: "derived: the law with its constant left out",
        note: Some("C = 1, often used for estimates by hand"),
        values: &[("c", 1.0)],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "The macroscopic square-root law: rate = (MSS/RTT) C/sqrt(p). The constant C carries the loss model; the program's default is sqrt(3/2).",
    equations: &[Equation {
        formula: "W = C/sqrt(b p)",
        source: "mathis1997",
        meaning: "packets per round trip",
    }],
    ranges: &[
        "p up to about 0.01: above it retransmission timeouts rule",
        "no receiver window or link limit",
    ],
    caveats: &[
        "C = 1.2247 periodic, 1.3098 random, 1.4142 mean-field; with delayed acknowledgements 0.866, 0.926, 1.0 (set ack_every=2, not C)",
        "that the paper itself prints 1.22, 0.87, 1.31 and 0.93 is unconfirmed here; the values are derived",
    ],
};

impl Algorithm for Mathis {
    fn name(&self) -> &'static str {
        "mathis"
    }
    fn title(&self) -> &'static str {
        "Square-root law"
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
        &["mathis1997", "rfc3649", "rfc9332"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, _setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        None
    }
}

impl ClosedForms for Mathis {
    fn forms(&self) -> &'static [FormInfo] {
        &[FormInfo {
            name: "square-root",
            loss_model: LossModel::Periodic,
            meaning: "C/sqrt(b p); the loss model is whatever C was derived under",
        }]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let model = if setting.preset().name == "random" {
            LossModel::Random
        } else {
            LossModel::Periodic
        };
        let c = setting.get("c") / setting.get("ack_every").sqrt();
        vec![
            Formula::new("square-root", model, move |p, _| {
                Ok(Response::closed(
                    c / p.sqrt(),
                    0.5,
                    0.0,
                    "square-root law",
                    "mathis1997",
                ))
            })
            .with_inverse(move |w, _| Ok((c / w).powi(2)))
            .boxed(),
        ]
    }
}
