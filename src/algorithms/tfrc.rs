//! TFRC's throughput equation (RFC 5348): the rate that a flow without a window of its own takes. A formula, not a law.

use crate::error::Result;
use crate::model::{
    Algorithm, Bounds, ClosedForms, Equation, Explanation, FormInfo, Formula, Kind, LossModel,
    Parameter, Preset, Price, Response, ResponseFunction, Setting, WindowLaw,
};
use crate::numeric::dual::{Dual64, DualNum, elasticity, variable};

/// TFRC.
pub struct Tfrc;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "rto",
        symbol: "t_RTO",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1e6),
        kind: Kind::Time,
        unit: "s",
        meaning: "retransmission timeout; 0 means four round trips, as recommended",
    },
    Parameter {
        key: "ack_every",
        symbol: "b",
        default: 1.0,
        bounds: Bounds::closed(1.0, 1000.0),
        kind: Kind::Number,
        unit: "packets",
        meaning: "packets that one acknowledgement of a TCP flow stands for; 1 recommended",
    },
];

const PRESETS: &[Preset] = &[Preset {
    name: "rfc5348",
    source: "rfc5348 section 3.1",
    note: None,
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "TFRC sends at the rate that this equation gives for the loss event rate it measures, so that it takes as much as a standard TCP flow would, \
              but smoothly. The equation is PFTK's approximation without its min(1, .).",
    equations: &[
        Equation {
            formula: "X = s/(R sqrt(2bp/3) + t_RTO (3 sqrt(3bp/8)) p (1 + 32p^2))",
            source: "rfc5348 section 3.1",
            meaning: "bytes a second for segments of s bytes; the window here is X R/s; form `equation`",
        },
        Equation {
            formula: "X = s/(R (0.816 sqrt(p) + 7.34 sqrt(p) p (1 + 32p^2)))",
            source: "rfc4828 table 1",
            meaning: "the rounded constants behind RFC 4828's tables, b = 1 and t_RTO = 4R; form `rfc4828`",
        },
    ],
    ranges: &["0 < p < 1"],
    caveats: &[
        "there is no min(1, .): above p = 8/27 (b = 1) the equation is below PFTK's approximation",
        "RFC 4828's tables count 40 bytes of headers with each segment; with the exact constants only 14 of table 1's 39 cells come out as printed",
        "the Linux table of this function is floor(10^6 f(p)), f the denominator over R",
    ],
};

impl Algorithm for Tfrc {
    fn name(&self) -> &'static str {
        "tfrc"
    }
    fn title(&self) -> &'static str {
        "TFRC"
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
        &["rfc5348", "rfc4828", "padhye1998"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, _setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        None
    }
}

const REGIME: &str = "throughput equation";

/// The denominator over R: `first`·√p + `second`·√p·p·(1 + 32p²).
fn rounds(p: Dual64, first: f64, second: f64) -> Dual64 {
    p.sqrt() * (p * (p * p * 32.0 + 1.0) * second + first)
}

impl ClosedForms for Tfrc {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "equation",
                loss_model: LossModel::Correlated,
                meaning: "the equation with exact constants",
            },
            FormInfo {
                name: "rfc4828",
                loss_model: LossModel::Correlated,
                meaning: "the rounded constants of RFC 4828's tables; only for unchanged parameters",
            },
        ]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let (rto, b) = (setting.get("rto"), setting.get("ack_every"));
        let answer = move |p: f64, first: f64, second: f64, fixed: bool, source: &'static str| {
            let y = rounds(variable(p), first, second);
            // Of a timeout in seconds only the second term depends on the round trip.
            let rtt_exponent = if fixed {
                1.0 - first * p.sqrt() / y.re
            } else {
                0.0
            };
            Response::closed(1.0 / y.re, elasticity(y, p), rtt_exponent, REGIME, source)
        };
        let mut forms = vec![
            Formula::new("equation", LossModel::Correlated, move |p, path| {
                let t0: Result<f64> = if rto > 0.0 {
                    path.rtt_seconds().map(|rtt| rto / rtt)
                } else {
                    Ok(4.0)
                };
                let second = 3.0 * (3.0 * b / 8.0).sqrt() * t0?;
                Ok(answer(
                    p,
                    (2.0 * b / 3.0).sqrt(),
                    second,
                    rto > 0.0,
                    "rfc5348 section 3.1",
                ))
            })
            .boxed(),
        ];
        if rto == 0.0 && b == 1.0 {
            forms.push(
                Formula::new("rfc4828", LossModel::Correlated, move |p, _| {
                    Ok(answer(p, 0.816, 7.34, false, "rfc4828 table 1"))
                })
                .boxed(),
            );
        }
        forms
    }
}
