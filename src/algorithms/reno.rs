//! Standard TCP (Reno) in congestion avoidance: one packet more each round trip, half the window at a loss.

use crate::model::whole_packets::{UNSETTLED, add_one_every, floor_div, recovering, whole};
use crate::model::{
    AdditiveTooth, Algorithm, Bounds, Cause, ClosedForms, ClosedSawtooth, Equation, Explanation,
    Feedback, FormInfo, Formula, Kind, LossModel, Parameter, PowerLaw, Preset, Price, Response,
    ResponseFunction, Setting, Sights, WindowLaw,
};
use crate::numeric::decay::moment_product;
use std::f64::consts::PI;

/// Standard TCP.
pub struct Reno;

const PARAMETERS: &[Parameter] = &[Parameter {
    key: "ack_every",
    symbol: "b",
    default: 1.0,
    bounds: Bounds::closed(1.0, 1000.0),
    kind: Kind::Number,
    unit: "packets",
    meaning: "packets that one acknowledgement stands for (2 with delayed acknowledgements)",
}];

const PRESETS: &[Preset] = &[
    Preset {
        name: "rfc",
        source: "rfc5681 section 3.1",
        note: None,
        values: &[],
    },
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_cong.c",
        note: Some(
            "whole packets, packets counted instead of acknowledgements, a round trip of recovery after each loss: road `ack`; closed forms are the fluid's",
        ),
        values: &[],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "Standard TCP in congestion avoidance. The window grows by one packet a round trip and is halved at a loss event, \
              so it falls with the square root of the loss rate.",
    equations: &[
        Equation {
            formula: "cwnd += 1/cwnd for each acknowledgement",
            source: "rfc5681 eq. 3",
            meaning: "congestion avoidance",
        },
        Equation {
            formula: "cwnd = cwnd/2 at a loss event",
            source: "rfc5681 eq. 4",
            meaning: "fast recovery, without its round trips",
        },
        Equation {
            formula: "W = sqrt(3/(2 b p)) = 1.2247/sqrt(b p); peak sqrt(8/(3 b p))",
            source: "mathis1997",
            meaning: "one loss every 1/p packets; form `periodic`",
        },
        Equation {
            formula: "W = 1.3098/sqrt(b p)",
            source: "derived: product over discounted exponential gaps",
            meaning: "independent losses, time average, small p; form `random`",
        },
        Equation {
            formula: "W = sqrt(2/(b p))",
            source: "misra2000",
            meaning: "equilibrium of the mean-field equation; form `mean-field`",
        },
        Equation {
            formula: "W = (3/4)(sqrt(1 + 8/(3p)) - 1)",
            source: "derived: whole windows W/2, W/2+1, ..., W",
            meaning: "the window a whole number in each round, b = 1; form `discrete`",
        },
    ],
    ranges: &[
        "p up to about 0.01: above it retransmission timeouts rule and every form here is too high",
        "no receiver window or link limit",
    ],
    caveats: &[
        "1.2247, 1.3098 and 1.4142 are all right, each under its own loss model; RFC tables use 1.2",
    ],
};

const REGIME: &str = "congestion avoidance";

impl Algorithm for Reno {
    fn name(&self) -> &'static str {
        "reno"
    }
    fn other_names(&self) -> &'static [&'static str] {
        &["newreno", "tcp"]
    }
    fn title(&self) -> &'static str {
        "Standard TCP (Reno)"
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
        &["rfc5681", "mathis1997", "misra2000", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        let ack_every = setting.get("ack_every");
        Some(if counts_packets(setting) {
            Box::new(Linux { ack_every })
        } else {
            Box::new(Law { ack_every })
        })
    }
}

/// Linux counts the packets that an acknowledgement stands for, so that delayed acknowledgements change nothing.
fn counts_packets(setting: &Setting) -> bool {
    setting.preset().name == "linux"
}

struct Law {
    ack_every: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, _x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        dx[0] = 1.0 / (self.ack_every * seen.rtt);
    }
    fn increase_all(&self, _x: &[f64], seen: &Sights<'_>, dx: &mut [f64]) {
        let packets = self.ack_every.recip();
        for (dx, pace) in dx.iter_mut().zip(seen.pace) {
            *dx = packets * pace;
        }
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            0.5 * x[0]
        };
    }
    fn ack_every(&self) -> f64 {
        self.ack_every
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        REGIME
    }
    fn source(&self) -> &'static str {
        "rfc5681 section 3.1"
    }
}

/// The kernel's rules: a counter adds a packet for every window acknowledged.
struct Linux {
    ack_every: f64,
}

const COUNTER: usize = 1;
const HELD: usize = 2;

impl WindowLaw for Linux {
    fn states(&self) -> &'static [&'static str] {
        &["window", "counter", "held"]
    }
    /// None: the rules are for each acknowledgement.
    fn increase(&self, _x: &[f64], _seen: &Feedback, dx: &mut [f64]) {
        dx.fill(0.0);
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            floor_div(x[0], 2.0).max(2.0)
        };
        x[HELD] = x[0];
        x[COUNTER] = 0.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = whole(window);
    }
    fn on_ack(&self, x: &mut [f64], _seen: &Feedback, _scratch: &mut [f64]) {
        if !recovering(self.ack_every, x, HELD) {
            add_one_every(x[0], self.ack_every, x, COUNTER);
        }
    }
    fn ack_every(&self) -> f64 {
        self.ack_every
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "whole packets"
    }
    fn source(&self) -> &'static str {
        "linux net/ipv4/tcp_cong.c"
    }
    fn unsettled(&self) -> Option<&'static str> {
        Some(UNSETTLED)
    }
}

impl ClosedForms for Reno {
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
                meaning: "independent losses, time average, small p",
            },
            FormInfo {
                name: "mean-field",
                loss_model: LossModel::MeanField,
                meaning: "equilibrium of the mean-field equation",
            },
            FormInfo {
                name: "discrete",
                loss_model: LossModel::Periodic,
                meaning: "periodic losses, whole windows (every packet acknowledged)",
            },
        ]
    }

    fn sawtooth(&self, setting: &Setting) -> Option<Box<dyn ClosedSawtooth>> {
        (!counts_packets(setting)).then(|| {
            Box::new(AdditiveTooth {
                a: 1.0 / setting.get("ack_every"),
                kept: 0.5,
                regime: REGIME,
            }) as Box<dyn ClosedSawtooth>
        })
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let ack_every = if counts_packets(setting) {
            1.0
        } else {
            setting.get("ack_every")
        };
        let power = PowerLaw {
            a: 1.0 / ack_every,
            k: 0.0,
            b: 0.5,
        };
        // E[U^(-1/2)] with q = (1-b)² = 1/4.
        let random = (2.0 / ack_every).sqrt() / (PI.sqrt() * moment_product(0.25, -0.5));
        let mut forms = vec![
            Formula::new("periodic", LossModel::Periodic, move |p, _| {
                Ok(
                    Response::closed(power.window(p), 0.5, 0.0, REGIME, "mathis1997")
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
            .with_inverse(move |w, _| Ok(power.mean_field(1.0).powi(2) / (w * w)))
            .boxed(),
        ];
        if ack_every == 1.0 {
            forms.push(
                Formula::new("discrete", LossModel::Periodic, |p, _| {
                    // (3/4)(sqrt(1 + 8/(3p)) - 1), without cancellation.
                    let x = 8.0 / (3.0 * p);
                    let root = (1.0 + x).sqrt();
                    let slope = 0.5 * x / (root * (root - 1.0));
                    Ok(Response::closed(
                        0.75 * x / (root + 1.0),
                        slope,
                        0.0,
                        REGIME,
                        "derived from rfc5681 section 3.1",
                    )
                    .with_peak(x / (root + 1.0)))
                })
                .boxed(),
            );
        }
        forms
    }
}
