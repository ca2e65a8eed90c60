//! Scalable TCP: multiplicative increase, multiplicative decrease, standard TCP below its low window.

use crate::model::whole_packets::{UNSETTLED, add_one_every, floor_div, recovering, whole};
use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Formula,
    Kind, LossModel, Parameter, PowerLaw, Preset, Price, Response, ResponseFunction, Setting,
    WindowLaw, join,
};

/// Scalable TCP.
pub struct Scalable;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "a",
        symbol: "a",
        default: 0.01,
        bounds: Bounds::open(0.0, 1.0),
        kind: Kind::Number,
        unit: "packets per acknowledgement",
        meaning: "increase",
    },
    Parameter {
        key: "b",
        symbol: "b",
        default: 0.125,
        bounds: Bounds::open(0.0, 1.0),
        kind: Kind::Number,
        unit: "",
        meaning: "fraction of the window removed by a loss",
    },
    Parameter {
        key: "low_window",
        symbol: "lwnd",
        default: 16.0,
        bounds: Bounds::closed(0.0, 1e9),
        kind: Kind::Number,
        unit: "packets",
        meaning: "below this window standard TCP; 0 switches that off",
    },
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "paper",
        source: "kelly2003",
        note: Some(
            "a and b as RFC 3649 section 8 and the BIC paper quote them; the low window of 16 is the BIC paper's",
        ),
        values: &[],
    },
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_scalable.c",
        note: Some(
            "whole packets: one for every 100 acknowledged (older kernels 50: a=0.02), for every window below that; road `ack`; closed forms are the fluid's",
        ),
        values: &[("low_window", 0.0)],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "Scalable TCP adds a hundredth of a packet for each acknowledgement, so its window grows by 1 % a round trip, and removes an eighth at a loss. \
              The number of round trips between losses does not depend on the window.",
    equations: &[
        Equation {
            formula: "cwnd += a for each acknowledgement; cwnd = (1-b) cwnd at a loss",
            source: "kelly2003",
            meaning: "the law above low_window; standard TCP below",
        },
        Equation {
            formula: "W = a/(p ln(1/(1-b))) = 0.0749/p",
            source: "derived: growth a of ln W a round, ln(1-b) a loss",
            meaning: "mean per round, for any stationary loss process; form `mean`",
        },
        Equation {
            formula: "W = a/(b p) = 0.08/p",
            source: "derived: growth a W against losses b W p W",
            meaning: "window before a periodic loss, mean per packet, mean-field equilibrium; form `peak`",
        },
    ],
    ranges: &[
        "exact where the whole sawtooth lies above low_window: p up to (1-b) a/(b low_window), 4.375e-3 by default",
        "no timeouts: p up to about 0.01",
    ],
    caveats: &[
        "0.075/p and 0.08/p are both right: mean and peak; RFC 3649 table 11 uses 0.038/p for Scalable TCP, which is neither",
        "with delayed acknowledgements a is 0.005",
        "that Kelly's own text has the low window of 16 and the curve 0.08/p is unconfirmed here; 16 is in the BIC paper",
        "the decrease jumps at low_window (an eighth above, half below): two periodic solutions coexist for p between 0.0104 and 0.0335",
    ],
};

impl Algorithm for Scalable {
    fn name(&self) -> &'static str {
        "scalable"
    }
    fn title(&self) -> &'static str {
        "Scalable TCP"
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
        &["kelly2003", "rfc3649", "xu2004", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        if setting.preset().name == "linux" {
            return Some(Box::new(Linux {
                every: (1.0 / setting.get("a")).round(),
                removed: setting.get("b"),
            }));
        }
        Some(Box::new(Law {
            a: setting.get("a"),
            b: setting.get("b"),
            low_window: setting.get("low_window"),
        }))
    }
}

struct Law {
    a: f64,
    b: f64,
    low_window: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let per_round = if x[0] < self.low_window {
            1.0
        } else {
            self.a * x[0]
        };
        dx[0] = per_round / seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = match why {
            Cause::Timeout => 1.0,
            _ if x[0] < self.low_window => 0.5 * x[0],
            _ => (1.0 - self.b) * x[0],
        };
    }
    fn switches(&self, x: &[f64], _seen: &Feedback, out: &mut Vec<f64>) {
        out.push(x[0] - self.low_window);
    }
    fn thresholds(&self) -> Vec<f64> {
        if self.low_window > 0.0 {
            vec![self.low_window]
        } else {
            Vec::new()
        }
    }
    fn regime(&self, x: &[f64], _seen: &Feedback) -> &'static str {
        if x[0] < self.low_window {
            "standard TCP"
        } else {
            "multiplicative increase"
        }
    }
    fn source(&self) -> &'static str {
        "kelly2003"
    }
}

/// The kernel's rules: a counter adds a packet for every `every` acknowledged, or for every window if that is less.
struct Linux {
    every: f64,
    removed: f64,
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
            (x[0] - floor_div(x[0] * self.removed, 1.0)).max(2.0)
        };
        x[HELD] = x[0];
        x[COUNTER] = 0.0;
    }
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = whole(window);
    }
    fn on_ack(&self, x: &mut [f64], _seen: &Feedback, _scratch: &mut [f64]) {
        if !recovering(1.0, x, HELD) {
            add_one_every(x[0].min(self.every), 1.0, x, COUNTER);
        }
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "whole packets"
    }
    fn source(&self) -> &'static str {
        "linux net/ipv4/tcp_scalable.c"
    }
    fn unsettled(&self) -> Option<&'static str> {
        Some(UNSETTLED)
    }
}

impl ClosedForms for Scalable {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "mean",
                loss_model: LossModel::Periodic,
                meaning: "mean per round, a/(p ln(1/(1-b))); the same for any stationary losses",
            },
            FormInfo {
                name: "peak",
                loss_model: LossModel::MeanField,
                meaning: "a/(b p): mean-field equilibrium, mean per packet, window before a periodic loss",
            },
        ]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let power = PowerLaw {
            a: setting.get("a"),
            k: 1.0,
            b: setting.get("b"),
        };
        let low_window = setting.get("low_window");
        let joined = move |own: Response, p: f64| {
            if low_window > 0.0 {
                join(own, p, low_window)
            } else {
                own
            }
        };
        let regime = "multiplicative increase";
        vec![
            Formula::new("mean", LossModel::Periodic, move |p, _| {
                let own = Response::closed(
                    power.window(p),
                    1.0,
                    0.0,
                    regime,
                    "kelly2003, averaged over a round",
                );
                Ok(joined(own.with_peak(power.peak(p)), p))
            })
            .boxed(),
            Formula::new("peak", LossModel::MeanField, move |p, _| {
                let own = Response::closed(power.mean_field(p), 1.0, 0.0, regime, "derived: a/(b p)");
                let answer = joined(own, p);
                if answer.regime == regime {
                    return Ok(answer);
                }
                let periodic = "standard TCP's window here is that of periodic losses, sqrt(3/(2p)); its mean field would be sqrt(2/p)";
                let note = answer.note.as_ref().map_or_else(
                    || periodic.to_owned(),
                    |note| format!("{periodic}; {note}"),
                );
                Ok(answer.with_note(note))
            })
            .boxed(),
        ]
    }
}
