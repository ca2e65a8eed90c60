//! The throughput formula of Padhye, Firoiu, Towsley and Kurose: standard TCP with timeouts. A formula, not a law.

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, ClosedForms, Equation, Explanation, FormInfo, Formula, Kind, LossModel,
    Parameter, Path, Preset, Price, Response, ResponseFunction, Setting, WindowLaw, invert,
};
use crate::numeric::dual::{Dual64, DualNum, elasticity, variable};
use crate::units::{LossRate, Packets, Seconds, significant};

/// PFTK.
pub struct Pftk;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "rto",
        symbol: "T0",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1e6),
        kind: Kind::Time,
        unit: "s",
        meaning: "first retransmission timeout; 0 means four round trips",
    },
    Parameter {
        key: "ack_every",
        symbol: "b",
        default: 1.0,
        bounds: Bounds::closed(1.0, 1000.0),
        kind: Kind::Number,
        unit: "packets",
        meaning: "packets that one acknowledgement stands for (2 with delayed acknowledgements)",
    },
    Parameter {
        key: "receive_window",
        symbol: "Wmax",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1e12),
        kind: Kind::Number,
        unit: "packets",
        meaning: "receiver's window; 0 means no limit",
    },
    Parameter {
        key: "full",
        symbol: "",
        default: 1.0,
        bounds: Bounds::closed(0.0, 1.0),
        kind: Kind::Switch,
        unit: "",
        meaning: "the full model (1) or its approximation (0) as the default form",
    },
];

const PRESETS: &[Preset] = &[Preset {
    name: "paper",
    source: "padhye1998",
    note: Some(
        "the layout of the full formula is unconfirmed; its parts are derived again, and the approximation is RFC 3714's equation 1",
    ),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "PFTK gives the rate of a standard TCP flow with fast retransmit and with timeouts, when the losses of one round trip come together. \
              It holds where the square-root law has long failed, up to large loss rates.",
    equations: &[
        Equation {
            formula: "E[W] = (2+b)/(3b) + sqrt(8(1-p)/(3bp) + ((2+b)/(3b))^2)",
            source: "padhye1998",
            meaning: "mean window at a loss, without the receiver's limit",
        },
        Equation {
            formula: "Q(w) = min(1, (1-(1-p)^3)(1+(1-p)^3(1-(1-p)^(w-3)))/(1-(1-p)^w)); 1 for w <= 3",
            source: "padhye1998",
            meaning: "chance that a loss ends in a timeout",
        },
        Equation {
            formula: "f(p) = 1 + p + 2p^2 + 4p^3 + 8p^4 + 16p^5 + 32p^6",
            source: "padhye1998",
            meaning: "exponential backoff of the timer",
        },
        Equation {
            formula: "B = ((1-p)/p + E[W] + Q/(1-p))/(RTT (b E[W]/2 + 1) + Q T0 f(p)/(1-p))",
            source: "padhye1998",
            meaning: "packets sent per second, E[W] < Wmax; form `full`",
        },
        Equation {
            formula: "B = ((1-p)/p + Wmax + Q/(1-p))/(RTT (b Wmax/8 + (1-p)/(p Wmax) + 2) + Q T0 f(p)/(1-p)), Q = Q(Wmax)",
            source: "padhye1998",
            meaning: "the same with the receiver's limit",
        },
        Equation {
            formula: "numerator (1-p)/p + E[W]/2 + Q (with the limit Wmax/2)",
            source: "padhye1998",
            meaning: "packets received per second; form `throughput`",
        },
        Equation {
            formula: "B = min(Wmax/RTT, 1/(RTT sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p (1 + 32p^2)))",
            source: "rfc3714 eq. 1",
            meaning: "form `approximate`",
        },
    ],
    ranges: &["0 < p < 1; windows here are rate times round trip"],
    caveats: &[
        "full and approximate differ by a factor of 2 at p = 0.2 and 3 above 0.3 (timeout four round trips); below 0.02 by 1 %",
        "with a receive window and ack_every other than 2 the full formula jumps where E[W] meets it, by (2-b)/4 of a round trip: of two loss rates with the same window the inverse gives the larger",
        "published corrections to the full model exist and are not taken up here",
        "some rows of RFC 3714's appendix are computed without the min(1, .): it mixes both",
    ],
};

impl Algorithm for Pftk {
    fn name(&self) -> &'static str {
        "pftk"
    }
    fn title(&self) -> &'static str {
        "PFTK"
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
        &["padhye1998", "rfc3714"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, _setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        None
    }
}

/// The formula's letters.
#[derive(Debug, Clone, Copy)]
struct Constants {
    rto: f64,
    b: f64,
    w_max: f64,
}

/// 1 − (1−p)^x.
fn any_lost(p: Dual64, x: Dual64) -> Dual64 {
    -(x * (-p).ln_1p()).exp_m1()
}

fn at_most_one(x: Dual64) -> Dual64 {
    if x < 1.0 { x } else { Dual64::from_re(1.0) }
}

/// Q(w).
fn timeout_chance(p: Dual64, w: Dual64) -> Dual64 {
    if w <= 3.0 {
        return Dual64::from_re(1.0);
    }
    let lost = any_lost(p, Dual64::from_re(3.0));
    let kept = -lost + 1.0;
    at_most_one(lost * (kept * any_lost(p, w - 3.0) + 1.0) / any_lost(p, w))
}

/// f(p).
fn backoff(p: Dual64) -> Dual64 {
    [16.0, 8.0, 4.0, 2.0, 1.0, 1.0]
        .iter()
        .fold(Dual64::from_re(32.0), |sum, &c| sum * p + c)
}

impl Constants {
    fn of(setting: &Setting) -> Self {
        let receive_window = setting.get("receive_window");
        Self {
            rto: setting.get("rto"),
            b: setting.get("ack_every"),
            w_max: if receive_window > 0.0 {
                receive_window
            } else {
                f64::INFINITY
            },
        }
    }

    /// T0 in round trips; only a timeout in seconds needs the path's.
    fn timeout(&self, path: &Path) -> Result<f64> {
        if self.rto > 0.0 {
            Ok(self.rto / path.rtt_seconds()?)
        } else {
            Ok(4.0)
        }
    }

    /// E[W].
    fn mean_at_loss(&self, p: Dual64) -> Dual64 {
        let b = self.b;
        let half = (2.0 + b) / (3.0 * b);
        ((-p + 1.0) / p * (8.0 / (3.0 * b)) + half * half).sqrt() + half
    }

    /// The full model, packets per round trip sent (or received) with the timeout `t0` in round trips.
    fn full(&self, p: Dual64, t0: Dual64, received: bool) -> (Dual64, bool) {
        let limited = self.mean_at_loss(p) >= self.w_max;
        (self.full_within(p, t0, received, limited), limited)
    }

    /// The same by the formula with the receiver's limit or by that without, whichever holds here.
    fn full_within(&self, p: Dual64, t0: Dual64, received: bool, limited: bool) -> Dual64 {
        let b = self.b;
        let kept = -p + 1.0;
        let unlimited = self.mean_at_loss(p);
        let (w, rounds) = if limited {
            let w = Dual64::from_re(self.w_max);
            (w, w * (b / 8.0) + kept / (p * w) + 2.0)
        } else {
            (unlimited, unlimited * (0.5 * b) + 1.0)
        };
        let q = timeout_chance(p, w);
        let packets = if received {
            kept / p + w * 0.5 + q
        } else {
            kept / p + w + q / kept
        };
        packets / (rounds + q * t0 * backoff(p) / kept)
    }

    /// The largest loss rate at which the full model gives this window. Each of its two formulas falls with p; where E[W] meets
    /// the receiver's limit the value jumps, upwards with p for b < 2.
    fn loss_of_full(&self, window: f64, t0: f64, received: bool) -> Result<f64> {
        let by = |limited: bool| {
            let t0 = Dual64::from_re(t0);
            let at = |p: LossRate| {
                let p = Dual64::from_re(p.value());
                Ok(self.full_within(p, t0, received, limited).re)
            };
            invert(at, Packets::new(window)).map(LossRate::value)
        };
        let limited = |p: f64| self.mean_at_loss(Dual64::from_re(p)).re >= self.w_max;
        match by(false) {
            Ok(p) if !limited(p) => Ok(p),
            free => {
                let p = by(true)?;
                if limited(p) {
                    return Ok(p);
                }
                Err(free.err().unwrap_or_else(|| {
                    Error::NoAnswer(format!(
                        "no loss rate gives a window of {} packets: the formula jumps over it where E[W] meets the receive window",
                        significant(window, 6)
                    ))
                }))
            }
        }
    }

    /// The approximation.
    fn approximate(&self, p: Dual64, t0: Dual64) -> (Dual64, bool) {
        let timeout = at_most_one((p * (3.0 * self.b / 8.0)).sqrt() * 3.0);
        let rounds = (p * (2.0 * self.b / 3.0)).sqrt() + t0 * timeout * p * (p * p * 32.0 + 1.0);
        let rate = rounds.recip();
        if rate >= self.w_max {
            (Dual64::from_re(self.w_max), true)
        } else {
            (rate, false)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Which {
    Full,
    Throughput,
    Approximate,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Throughput => "throughput",
            Self::Approximate => "approximate",
        }
    }
}

fn form(k: Constants, which: Which) -> Box<dyn ResponseFunction> {
    let formula = Formula::new(which.name(), LossModel::Correlated, move |p, path| {
        let t0 = k.timeout(path)?;
        let value = |p: Dual64, t0: Dual64| match which {
            Which::Full => k.full(p, t0, false),
            Which::Throughput => k.full(p, t0, true),
            Which::Approximate => k.approximate(p, t0),
        };
        let (by_loss, limited) = value(variable(p), Dual64::from_re(t0));
        // A timeout in seconds is shorter in longer round trips.
        let rtt_exponent = if k.rto > 0.0 {
            -elasticity(value(Dual64::from_re(p), variable(t0)).0, t0)
        } else {
            0.0
        };
        let regime = if limited {
            "receive window"
        } else {
            "fast retransmit and timeouts"
        };
        let source = if which == Which::Approximate {
            "rfc3714 eq. 1"
        } else {
            "padhye1998"
        };
        Ok(Response::closed(
            by_loss.re,
            -elasticity(by_loss, p),
            rtt_exponent,
            regime,
            source,
        ))
    });
    if which == Which::Approximate || k.w_max == f64::INFINITY {
        return formula.boxed();
    }
    formula
        .with_inverse(move |window, path| {
            k.loss_of_full(window, k.timeout(path)?, which == Which::Throughput)
        })
        .boxed()
}

impl ClosedForms for Pftk {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "full",
                loss_model: LossModel::Correlated,
                meaning: "the full model, packets sent",
            },
            FormInfo {
                name: "throughput",
                loss_model: LossModel::Correlated,
                meaning: "the full model, packets that arrive",
            },
            FormInfo {
                name: "approximate",
                loss_model: LossModel::Correlated,
                meaning: "the approximation in one line, packets sent",
            },
        ]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let k = Constants::of(setting);
        let order = if setting.on("full") {
            [Which::Full, Which::Throughput, Which::Approximate]
        } else {
            [Which::Approximate, Which::Full, Which::Throughput]
        };
        order.into_iter().map(|which| form(k, which)).collect()
    }

    fn timeouts(&self, rto: Option<Seconds>, ack_every: f64) -> Option<Box<dyn ResponseFunction>> {
        let constants = Constants {
            rto: rto.map_or(0.0, Seconds::value),
            b: ack_every,
            w_max: f64::INFINITY,
        };
        Some(form(constants, Which::Full))
    }
}
