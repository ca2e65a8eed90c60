//! Binary increase congestion control (Xu, Harfoush and Rhee, INFOCOM 2004), with every closed form of the paper and the
//! two that its own rules imply: the epoch in whole rounds and the pseudo-code taken for each acknowledgement.

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, Cause, Equation, Explanation, Feedback, Kind, Parameter, Preset, Price,
    Setting, WindowLaw,
};

mod closed;
mod linux;

/// BIC.
pub struct Bic;

const PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "smax",
        "Smax",
        32.0,
        Bounds::open(0.0, 1e9),
        "packets per round trip",
        "largest increment",
    ),
    Parameter::number(
        "smin",
        "Smin",
        0.01,
        Bounds::open(0.0, 1e9),
        "packets per round trip",
        "smallest increment, at most smax",
    ),
    Parameter::number(
        "beta",
        "β",
        0.125,
        Bounds::open(0.0, 1.0),
        "",
        "fraction of the window REMOVED by a loss",
    ),
    Parameter::number(
        "low_window",
        "low_window",
        14.0,
        Bounds::closed(0.0, 1e9),
        "packets",
        "below this window standard TCP; 0 switches that off",
    ),
    Parameter {
        key: "fast_convergence",
        symbol: "",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1.0),
        kind: Kind::Switch,
        unit: "",
        meaning: "after a loss below Wmax aim lower; off for a single flow, on for several",
    },
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "paper",
        source: "xu2004 section VI",
        note: None,
        values: &[],
    },
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_bic.c",
        note: Some(
            "another law: a quarter of the distance, smax 16, B/smin = 20 round trips near Wmax, kept 819/1024; whole packets, road `ack` only",
        ),
        values: &[
            ("smax", 16.0),
            ("smin", 0.2),
            ("beta", 205.0 / 1024.0),
            ("fast_convergence", 1.0),
        ],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "BIC searches for the window at which the last loss happened: additive increase by Smax a round trip while it is far away, \
              halving the distance when it is near (binary search), down to steps of Smin. A loss removes the fraction beta.",
    equations: &[
        Equation {
            formula: "cwnd < low_window: standard TCP",
            source: "xu2004 section VI-A",
            meaning: "growth 1/cwnd an acknowledgement, half at a loss",
        },
        Equation {
            formula: "cwnd += clamp(|Wmax - cwnd|/2, Smin, Smax)/cwnd for each acknowledgement (above Wmax without the half)",
            source: "xu2004 section VI-A, pseudo-code",
            meaning: "the law",
        },
        Equation {
            formula: "loss: Wmax = cwnd (with fast convergence cwnd(2-beta)/2 if cwnd < Wmax); cwnd = (1-beta) cwnd",
            source: "xu2004 section VI-A, pseudo-code",
            meaning: "the law",
        },
        Equation {
            formula: "Wmax = (-B + sqrt(B^2 + 4A(C + 1/p)))/(2A), A = beta(2-beta)/(2 Smax), B = log2(Smax/Smin) + (2-beta)/2, C = Smax - Smin",
            source: "xu2004 eq. 4",
            meaning: "beta Wmax > 2 Smax; one halving a round; forms `per-round`, `printed`",
        },
        Equation {
            formula: "R = (2-beta)(1/p)/(sqrt(B^2 + 4A(C + 1/p)) + (1-beta)B + beta(2-beta)/2)",
            source: "xu2004 eq. 5",
            meaning: "packets per round trip, beta Wmax > 2 Smax",
        },
        Equation {
            formula: "Wmax = ln 2/(p W0(4 beta ln2 e^(-2 beta ln2)/(p Smin))), R = (1/p)/(log2(beta Wmax/Smin) + 2)",
            source: "xu2004 section VI-B1, LambertW form",
            meaning: "beta Wmax <= 2 Smax, Smin dropped against 1/p; form `printed`. Form `per-round` keeps 1/p - Smin",
        },
        Equation {
            formula: "R = sqrt(Smax (2-beta)/(2 beta p))",
            source: "xu2004 eq. 6",
            meaning: "limit beta Wmax >> 2 Smax, AIMD(Smax, beta); form `large-window`",
        },
        Equation {
            formula: "R = Wmax",
            source: "xu2004 eq. 7",
            meaning: "limit 2 beta << log2(beta Wmax/Smin) + 2; form `small-window`",
        },
        Equation {
            formula: "beta W <= 2 Smax: W = y/(2 W0(beta e^(1-beta) y/(4 Smin))), y = 1/p - 2 Smin, N = 2 ln(beta W/(2 Smin)) + 2",
            source: "derived from the pseudo-code",
            meaning: "form `per-ack`, binary search",
        },
        Equation {
            formula: "beta W <= 2 Smin: W = sqrt(Smin/(p beta (1 - beta/2))), N = beta W/Smin",
            source: "derived from the pseudo-code",
            meaning: "form `per-ack`, minimum increment",
        },
        Equation {
            formula: "beta Wmax < Smin: beta (1 - beta) Wmax^2/Smin + Wmax = 1/p, N = 1 + beta Wmax/Smin",
            source: "derived: eq. 3 continued below one step",
            meaning: "form `per-round`, minimum increment; outside the paper's formulas",
        },
        Equation {
            formula: "beta W > 2 Smax: 1/p = A W^2 + 2 ln(Smax/Smin) W - 2(Smax - Smin), N = beta W/Smax + 2 ln(Smax/Smin)",
            source: "derived from the pseudo-code",
            meaning: "form `per-ack`, additive increase",
        },
    ],
    ranges: &[
        "eq. 4-5: beta Wmax > 2 Smax, p < 1.357e-4 by default (per-acknowledgement form: 1.092e-4)",
        "form `per-ack` is exact where the whole sawtooth lies above low_window: p up to 5.7e-3 by default",
        "windows below low_window: standard TCP; every form but the two limits joins it at the crossing unless low_window = 0",
    ],
    caveats: &[
        "eq. 4-5 and the LambertW form halve the distance once a round; the paper's own pseudo-code re-evaluates it at every acknowledgement, which closes the distance by e^(-1/2) a round: the published formulas are up to 20 % too high near p = 1e-4 (18 % at 1e-3, 8 % at 1e-5, 0.25 % at 1e-8)",
        "the printed LambertW form drops Smin: at the regime boundary its peak jumps by 1.2e-6 and its mean by 1.2e-7; `per-round` keeps Smin",
        "in whole rounds no solution exists at some loss rates (9.57e-4 to 1.039e-3 ...): form `fractional` cuts the last round, form `whole-rounds` takes the longest epoch with at most 1/p packets",
        "beta is the fraction removed, 0.125; a transcript of the paper that lost the digit 1 prints 0.25, which contradicts its 94 % utilisation",
        "the Linux kernel's BIC is another law: B = 4, Smax = 16, kept fraction 0.8 (preset `linux`); no closed form of it is known",
        "a mean-field equation of BIC is degenerate (28 packets at p = 1e-4 instead of 546): there is no such form",
        "the decrease jumps at low_window: two periodic solutions coexist for p between 0.0136 and 0.043",
    ],
};

impl Algorithm for Bic {
    fn name(&self) -> &'static str {
        "bic"
    }
    fn title(&self) -> &'static str {
        "BIC"
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
        &["xu2004", "corless1996", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        let (smin, smax) = (setting.get("smin"), setting.get("smax"));
        if smin > smax {
            return Err(Error::Arguments(format!(
                "`smin={smin}` is more than `smax={smax}`: smin must be at most smax"
            )));
        }
        Ok(())
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        if setting.preset().name == "linux" {
            return Some(Box::new(linux::Law::of(setting)));
        }
        Some(Box::new(Law {
            smax: setting.get("smax"),
            smin: setting.get("smin"),
            b: setting.get("beta"),
            low_window: setting.get("low_window"),
            fast: setting.on("fast_convergence"),
        }))
    }
}

struct Law {
    smax: f64,
    smin: f64,
    b: f64,
    low_window: f64,
    fast: bool,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window", "w_max"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let (cwnd, w_max) = (x[0], x[1]);
        let Self { smax, smin, .. } = *self;
        let bic_inc = if cwnd < self.low_window {
            1.0
        } else if cwnd < w_max {
            ((w_max - cwnd) / 2.0).clamp(smin, smax)
        } else {
            (cwnd - w_max).clamp(smin, smax)
        };
        dx[0] = bic_inc / seen.rtt;
        dx[1] = 0.0;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        let (cwnd, w_max) = (x[0], x[1]);
        let b = self.b;
        if why == Cause::Timeout {
            x[0] = 1.0;
            x[1] = cwnd;
        } else if cwnd < self.low_window {
            x[0] = 0.5 * cwnd;
        } else {
            x[1] = if self.fast && cwnd < w_max {
                cwnd * (2.0 - b) / 2.0
            } else {
                cwnd
            };
            x[0] = (1.0 - b) * cwnd;
        }
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x[0] = window;
        x[1] = window;
    }
    fn switches(&self, x: &[f64], _seen: &Feedback, out: &mut Vec<f64>) {
        let gap = x[1] - x[0];
        let Self { smax, smin, .. } = *self;
        out.extend([
            x[0] - self.low_window,
            gap - 2.0 * smax,
            gap - 2.0 * smin,
            gap,
            gap + smin,
            gap + smax,
        ]);
    }
    fn jumps(&self, x: &[f64], out: &mut Vec<f64>) {
        out.extend(self.thresholds());
        if self.fast {
            out.push(x[1]);
        }
    }
    fn thresholds(&self) -> Vec<f64> {
        if self.low_window > 0.0 {
            vec![self.low_window]
        } else {
            Vec::new()
        }
    }
    fn regime(&self, x: &[f64], _seen: &Feedback) -> &'static str {
        let gap = x[1] - x[0];
        let Self { smax, smin, .. } = *self;
        if x[0] < self.low_window {
            "standard TCP"
        } else if gap > 2.0 * smax || gap < -smax {
            "additive increase"
        } else if gap > 2.0 * smin {
            "binary search"
        } else if gap > -smin {
            "minimum increment"
        } else {
            "slow start past Wmax"
        }
    }
    fn source(&self) -> &'static str {
        "xu2004 section VI-A, pseudo-code"
    }
    fn unsettled(&self) -> Option<&'static str> {
        self.fast.then_some(UNSETTLED)
    }
}

/// Why a flow alone does not settle.
const UNSETTLED: &str = "with fast convergence a single flow has no stable periodic solution: set fast_convergence=0, or use --road ack";
