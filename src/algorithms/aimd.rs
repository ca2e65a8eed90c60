//! Additive increase, multiplicative decrease with free constants.

use crate::model::{
    AdditiveTooth, Algorithm, Bounds, Cause, ClosedForms, ClosedSawtooth, Equation, Explanation,
    Feedback, FormInfo, Formula, Kind, LossModel, Parameter, PowerLaw, Preset, Price, Response,
    ResponseFunction, Setting, WindowLaw,
};
use crate::numeric::decay::moment_product;
use std::f64::consts::PI;

/// AIMD(a, b): +a packets a round trip, W → (1−b)·W at a loss.
pub struct Aimd;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "a",
        symbol: "α",
        default: 32.0,
        bounds: Bounds::open(0.0, 1e9),
        kind: Kind::Number,
        unit: "packets per round trip",
        meaning: "additive increase",
    },
    Parameter {
        key: "b",
        symbol: "β",
        default: 0.125,
        bounds: Bounds::open(0.0, 1.0),
        kind: Kind::Number,
        unit: "",
        meaning: "fraction of the window removed by a loss",
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

const PRESETS: &[Preset] = &[Preset {
    name: "bic2004",
    source: "xu2004 section V",
    note: Some("AIMD(32, 0.125), the curve that the BIC paper compares with"),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "Additive increase by a packets a round trip, multiplicative decrease by the fraction b. \
              Standard TCP is a = 1, b = 1/2; a TCP-friendly pair obeys a = 3b/(2-b).",
    equations: &[
        Equation {
            formula: "cwnd += a/cwnd for each acknowledgement; cwnd = (1-b) cwnd at a loss",
            source: "chiu1989",
            meaning: "the law",
        },
        Equation {
            formula: "W = sqrt(a(2-b)/(2 b p)); peak sqrt(2a/(p b (2-b)))",
            source: "floyd2000",
            meaning: "one loss every 1/p packets; form `periodic`",
        },
        Equation {
            formula: "W = sqrt(2a/p)/E[U^(-1/2)], E[U^s] = Gamma(1+s) prod_{n>=1} (1-q^(n+s))/(1-q^n), q = (1-b)^2",
            source: "derived: U is the discounted sum of exponential gaps between losses",
            meaning: "independent losses, time average, small p; form `random`",
        },
        Equation {
            formula: "W = sqrt(a/(b p))",
            source: "misra2000",
            meaning: "equilibrium of the mean-field equation; form `mean-field`",
        },
    ],
    ranges: &[
        "no timeouts: p up to about 0.01",
        "form `random`: p up to about 1e-3 (the product is the limit of small p)",
    ],
    caveats: &[
        "b is the fraction removed; RFC 9438 and the Linux kernel write beta for the fraction kept",
    ],
};

const REGIME: &str = "additive increase";

impl Algorithm for Aimd {
    fn name(&self) -> &'static str {
        "aimd"
    }
    fn title(&self) -> &'static str {
        "AIMD(a, b)"
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
        &["chiu1989", "floyd2000", "misra2000", "xu2004"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            a: setting.get("a"),
            b: setting.get("b"),
            ack_every: setting.get("ack_every"),
        }))
    }
}

struct Law {
    a: f64,
    b: f64,
    ack_every: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, _x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        dx[0] = self.a / (self.ack_every * seen.rtt);
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            (1.0 - self.b) * x[0]
        };
    }
    fn ack_every(&self) -> f64 {
        self.ack_every
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        REGIME
    }
    fn source(&self) -> &'static str {
        "chiu1989"
    }
}

impl ClosedForms for Aimd {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "periodic",
                loss_model: LossModel::Periodic,
                meaning: "one loss every 1/p packets",
            },
            FormInfo {
                name: "random",
                loss_model: LossModel::Random,
                meaning: "independent losses, time average, small p, any b",
            },
            FormInfo {
                name: "mean-field",
                loss_model: LossModel::MeanField,
                meaning: "equilibrium of the mean-field equation",
            },
        ]
    }

    fn sawtooth(&self, setting: &Setting) -> Option<Box<dyn ClosedSawtooth>> {
        Some(Box::new(AdditiveTooth {
            a: setting.get("a") / setting.get("ack_every"),
            kept: 1.0 - setting.get("b"),
            regime: REGIME,
        }))
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let b = setting.get("b");
        let power = PowerLaw {
            a: setting.get("a") / setting.get("ack_every"),
            k: 0.0,
            b,
        };
        let random = (2.0 * power.a).sqrt() / (PI.sqrt() * moment_product((1.0 - b).powi(2), -0.5));
        vec![
            Formula::new("periodic", LossModel::Periodic, move |p, _| {
                Ok(
                    Response::closed(power.window(p), 0.5, 0.0, REGIME, "floyd2000")
                        .with_peak(power.peak(p)),
                )
            })
            .with_inverse(move |w, _| Ok(power.loss_for(w)))
            .boxed(),
            Formula::new("random", LossModel::Random, move |p, _| {
                Ok(Response::closed(
                    random / p.sqrt(),
                    0.5,
                    0.0,
                    REGIME,
                    "derived: product over discounted exponential gaps",
                ))
            })
            .with_inverse(move |w, _| Ok((random / w).powi(2)))
            .boxed(),
            Formula::new("mean-field", LossModel::MeanField, move |p, _| {
                Ok(Response::closed(
                    power.mean_field(p),
                    0.5,
                    0.0,
                    REGIME,
                    "misra2000",
                ))
            })
            .with_inverse(move |w, _| Ok(power.a / (b * w * w)))
            .boxed(),
        ]
    }
}
