//! CUBIC: a cubic of the time since the last loss, never slower than an AIMD flow of the same decrease.
//! RFC 9438's law, the original paper's constants and the Linux kernel's integer arithmetic.

mod closed;
mod law;
mod linux;
mod sawtooth;

use crate::model::{
    Algorithm, Bounds, ClosedForms, ClosedSawtooth, Equation, Explanation, FormInfo, Kind,
    Parameter, Preset, Price, ResponseFunction, Setting, WindowLaw,
};

/// CUBIC.
pub struct Cubic;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "c",
        symbol: "C",
        default: 0.4,
        bounds: Bounds::open(0.0, 1e6),
        kind: Kind::Number,
        unit: "packets per cubic second",
        meaning: "steepness of the cubic",
    },
    Parameter {
        key: "beta",
        symbol: "β_cubic",
        default: 0.7,
        bounds: Bounds::open(0.0, 1.0),
        kind: Kind::Number,
        unit: "",
        meaning: "fraction of the window KEPT at a loss",
    },
    Parameter {
        key: "fast_convergence",
        symbol: "",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1.0),
        kind: Kind::Switch,
        unit: "",
        meaning: "after a loss below Wmax aim lower; off for a single flow, on for several",
    },
    Parameter {
        key: "ack_every",
        symbol: "b",
        default: 1.0,
        bounds: Bounds::closed(1.0, 1000.0),
        kind: Kind::Number,
        unit: "packets",
        meaning: "packets that one acknowledgement stands for; only the road `ack` depends on it",
    },
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "rfc9438",
        source: "rfc9438 sections 4.1-4.7",
        note: None,
        values: &[],
    },
    Preset {
        name: "rfc9438-tables",
        source: "rfc9438 section 5, tables 1-3",
        note: Some(
            "form `periodic` with Reno's branch at the rounded 1.2/sqrt(p) behind the RFC's tables; the law is `rfc9438`'s",
        ),
        values: &[],
    },
    Preset {
        name: "hrx08",
        source: "ha2008",
        note: Some(
            "unconfirmed: C = 0.4 and 0.2 removed are derived from the constant 1.17; the paper's text was not seen",
        ),
        values: &[("beta", 0.8)],
    },
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_cubic.c",
        note: Some(
            "the kernel's integer rules (1000 ticks a second), defined for each acknowledgement: road `ack`",
        ),
        values: &[
            ("c", 410.0 / 1024.0),
            ("beta", 717.0 / 1024.0),
            ("fast_convergence", 1.0),
        ],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "CUBIC's window is a cubic of the time since the last loss that is flat at the window where that loss happened. It counts seconds, so \
              flows with different round trips that lose together share alike. Where an AIMD flow with the same decrease would be faster, it follows that one.",
    equations: &[
        Equation {
            formula: "W_cubic(t) = C (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch)/C)",
            source: "rfc9438 section 4.2",
            meaning: "t in seconds since the congestion avoidance stage began",
        },
        Equation {
            formula: "target = clamp(W_cubic(t + RTT), cwnd, 1.5 cwnd); cwnd += (target - cwnd)/cwnd for each acknowledgement",
            source: "rfc9438 sections 4.2, 4.4, 4.5",
            meaning: "the law on the road `ack`; `epoch` takes cwnd = W_cubic(t)",
        },
        Equation {
            formula: "W_est += alpha segments_acked/cwnd, alpha = 3 (1 - beta)/(1 + beta), 1 once W_est >= cwnd_prior; cwnd = W_est where W_cubic(t) < W_est",
            source: "rfc9438 section 4.3",
            meaning: "Reno-friendly region",
        },
        Equation {
            formula: "loss: W_max = cwnd (with fast convergence cwnd (1 + beta)/2 if cwnd < W_max); cwnd = beta cwnd",
            source: "rfc9438 sections 4.6, 4.7",
            meaning: "the law",
        },
        Equation {
            formula: "W = (C (3 + beta)/(4 (1 - beta)))^(1/4) (RTT/p)^(3/4) = 1.0538 (RTT/p)^(3/4)",
            source: "rfc9438 section 5",
            meaning: "form `periodic`, cubic region; Reno-friendly sqrt(3/2)/sqrt(p); the larger of the two",
        },
        Equation {
            formula: "W_cubic - W_est = C t (t^2 - 3 K t + 3 K^2 - q), q = alpha/(C RTT)",
            source: "derived",
            meaning: "form `inside-epoch`: K^2 >= q all cubic, K^2 <= q/3 all W_est, between them one crossing at t = (3 K - sqrt(4 q - 3 K^2))/2 and the epoch ends at K^3/q",
        },
        Equation {
            formula: "W = 1.3004 (C/0.4)^(1/4) (RTT/p)^(3/4)",
            source: "derived: Monte Carlo over the chain of windows at losses",
            meaning: "independent losses, beta 0.7; 1.1839 with fast convergence; beta 0.8: 1.4927 and 1.3682; form `random`",
        },
        Equation {
            formula: "W = (C/(1 - beta))^(1/4) (RTT/p)^(3/4)",
            source: "derived: fixed point of the mean-field equations",
            meaning: "form `mean-field`, cubic region alone",
        },
    ],
    ranges: &[
        "pure cubic: p <= 0.4629 RTT^3 (RTT in seconds); Reno-friendly all through: p >= 13.6 RTT^3; between them form `inside-epoch` is exact and up to 4 % above `periodic`",
        "no timeouts: p up to about 0.01",
    ],
    caveats: &[
        "beta is the fraction kept; the original paper writes beta for the fraction removed",
        "the RFC's tables use 1.2/sqrt(p) for Reno and every digit of (3.7 C/1.2)^(1/4): the printed 1.054 does not reproduce them (preset `rfc9438-tables`)",
        "periodic losses: the map from one peak to the next has slope 1 at its fixed point, so runs started elsewhere stay 1 to 2 % off for thousands of losses",
        "the RFC's rule for each acknowledgement runs 2 C RTT^3 below the plateau; on a triple root that lengthens the epoch by 0.596 RTT, so the road `ack` stands 0.447 RTT/K below the cubic (0.8 % at p = 1e-4, RTT 0.1 s)",
        "fast convergence jumps exactly at that fixed point: a single flow settles 2 to 5 % low; it is off by default",
        "random-loss constants are Monte Carlo estimates, 1.3004 +- 0.0003; the published constant is unconfirmed here",
        "Linux keeps 717/1024 and has C = 410/1024, constant 1.0543; its whole-packet arithmetic stands up to 18 % above `periodic`: preset `linux`",
    ],
};

/// Which source's rules a setting follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    Rfc9438,
    Tables,
    Hrx08,
    Linux,
}

impl Rules {
    fn of(setting: &Setting) -> Self {
        match setting.preset().name {
            "rfc9438-tables" => Self::Tables,
            "hrx08" => Self::Hrx08,
            "linux" => Self::Linux,
            _ => Self::Rfc9438,
        }
    }
}

/// The letters of RFC 9438.
#[derive(Debug, Clone, Copy)]
struct Constants {
    c: f64,
    beta: f64,
    fast: bool,
    ack_every: f64,
    rules: Rules,
}

impl Constants {
    fn of(setting: &Setting) -> Self {
        Self {
            c: setting.get("c"),
            beta: setting.get("beta"),
            fast: setting.on("fast_convergence"),
            ack_every: setting.get("ack_every"),
            rules: Rules::of(setting),
        }
    }

    /// α_cubic = 3·(1−β)/(1+β): the AIMD increase with Reno's mean window.
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }
}

const UNSETTLED: &str = "with fast convergence a single flow has no stable periodic solution: set fast_convergence=0, or use --road ack";

impl Algorithm for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }
    fn title(&self) -> &'static str {
        "CUBIC"
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
        &["rfc9438", "rfc8312", "ha2008", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        let constants = Constants::of(setting);
        Some(match constants.rules {
            Rules::Linux => Box::new(linux::Law::new(constants)),
            _ => Box::new(law::Law::new(constants)),
        })
    }
}

impl ClosedForms for Cubic {
    fn forms(&self) -> &'static [FormInfo] {
        closed::FORMS
    }
    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        closed::forms(Constants::of(setting))
    }
    fn sawtooth(&self, setting: &Setting) -> Option<Box<dyn ClosedSawtooth>> {
        let constants = Constants::of(setting);
        // Whole packets, and windows that fast convergence keeps moving, have none.
        (constants.rules != Rules::Linux && !constants.fast)
            .then(|| Box::new(sawtooth::CubicTooth::new(constants)) as Box<dyn ClosedSawtooth>)
    }
}
