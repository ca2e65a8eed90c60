//! Compound TCP (Tan, Song, Zhang and Sridharan): standard TCP plus a delay-based window that grows as a power of the
//! whole window and gives way once the backlog reaches gamma packets.

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Formula,
    LossModel, Parameter, Path, PowerLaw, Preset, Price, Response, ResponseFunction, STANDARD_TCP,
    Setting, Side, WindowLaw, join,
};
use crate::numeric::root;

/// Compound TCP.
pub struct Compound;

/// The regime below the knee where beta is not standard TCP's.
const BELOW_THE_KNEE: &str = "standard TCP's growth, beta removed";

const PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "alpha",
        "α",
        0.125,
        Bounds::open(0.0, 1e3),
        "packets per round trip",
        "increase at a window of one packet",
    ),
    Parameter::number(
        "beta",
        "β",
        0.5,
        // Above a half the part that Reno governs would fall by more than Reno's own halving leaves it.
        Bounds::closed(1e-6, 0.5),
        "",
        "fraction of the window REMOVED by a loss",
    ),
    Parameter::number(
        "k",
        "k",
        0.75,
        Bounds::closed(0.0, 0.999),
        "",
        "how the increase depends on the window: alpha win^k",
    ),
    Parameter::number(
        "gamma",
        "γ",
        30.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "backlog from which the delay-based window shrinks",
    ),
    Parameter::number(
        "zeta",
        "ζ",
        1.0,
        Bounds::open(0.0, 1e9),
        "",
        "how fast it shrinks: zeta times the backlog a round trip",
    ),
];

const PRESETS: &[Preset] = &[Preset {
    name: "paper",
    source: "tan2006",
    note: Some(
        "alpha, k, gamma, zeta and the halving as the authors' Linux code of 2006 has them; the paper's own details are unconfirmed",
    ),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "Compound TCP sends cwnd + dwnd: cwnd is standard TCP's, dwnd fills up the growth to alpha win^k a round trip while the queue is short and \
              empties when the backlog reaches gamma packets, so that only standard TCP is left in a long queue.",
    equations: &[
        Equation {
            formula: "win = cwnd + dwnd; cwnd += 1/win for each acknowledgement; backlog = win (1 - baseRTT/RTT)",
            source: "tan2006",
            meaning: "the law",
        },
        Equation {
            formula: "each round trip: dwnd += max(alpha win^k - 1, 0) if backlog < gamma, else dwnd = max(dwnd - zeta backlog, 0)",
            source: "tan2006",
            meaning: "the law; unconfirmed in detail",
        },
        Equation {
            formula: "loss: win = (1 - beta) win, cwnd = cwnd/2, dwnd the rest, at least 0",
            source: "tan2006",
            meaning: "the law",
        },
        Equation {
            formula: "W = 0.2553/p^0.8",
            source: "derived: power-law growth alpha win^k",
            meaning: "backlog below gamma; exponent 1/(2 - k); form `periodic`",
        },
        Equation {
            formula: "Wg = gamma/(1 - baseRTT/RTT): 1/p = Y1 + (N - N1) Wg",
            source: "derived: the window is held at Wg while dwnd gives way to cwnd",
            meaning: "growth from (1 - beta) Wg to Wg takes N1 rounds and Y1 packets; form `periodic` on a path with a queue",
        },
        Equation {
            formula: "W = (alpha/(beta p))^(1/(2 - k))",
            source: "derived",
            meaning: "mean-field equilibrium without a queue; form `mean-field`",
        },
    ],
    ranges: &[
        "exact where the whole sawtooth lies above alpha^(-1/k) = 16 packets (p up to 3.5e-3) and the backlog stays below gamma",
        "no timeouts: p up to about 0.01",
    ],
    caveats: &[
        "beta is the fraction removed",
        "k = 0.8 would match HighSpeed TCP; the code takes 0.75",
        "on a path with a queue the round trip is held fixed: the answer says where gamma limits the window, not how the flow fills its own queue",
        "held at the backlog gamma, peaks of different epochs are all the same window: the road `epoch`, which looks for the peak that repeats itself, has no answer there",
    ],
};

impl Algorithm for Compound {
    fn name(&self) -> &'static str {
        "compound"
    }
    fn other_names(&self) -> &'static [&'static str] {
        &["ctcp"]
    }
    fn title(&self) -> &'static str {
        "Compound TCP"
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
        &["tan2006"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        let (gamma, zeta) = (setting.get("gamma"), setting.get("zeta"));
        if gamma * zeta < 1.0 {
            return Err(Error::Arguments(format!(
                "`gamma={gamma}` times `zeta={zeta}` is less than 1, so the delay-based window would never give way: make it at least 1"
            )));
        }
        Ok(())
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law(Constants::of(setting))))
    }
}

#[derive(Debug, Clone, Copy)]
struct Constants {
    power: PowerLaw,
    gamma: f64,
    zeta: f64,
}

impl Constants {
    fn of(setting: &Setting) -> Self {
        Self {
            power: PowerLaw {
                a: setting.get("alpha"),
                k: setting.get("k"),
                b: setting.get("beta"),
            },
            gamma: setting.get("gamma"),
            zeta: setting.get("zeta"),
        }
    }

    /// Packets per round trip while the backlog is short.
    fn growth(&self, w: f64) -> f64 {
        (self.power.a * w.powf(self.power.k)).max(1.0)
    }

    /// The window above which growth is more than standard TCP's.
    fn knee(&self) -> f64 {
        if self.power.k == 0.0 {
            if self.power.a > 1.0 {
                0.0
            } else {
                f64::INFINITY
            }
        } else {
            self.power.a.powf(-1.0 / self.power.k)
        }
    }

    /// The window whose backlog is gamma; infinite without a queue.
    fn limit(&self, rtt: f64, base_rtt: f64) -> f64 {
        let queued = 1.0 - base_rtt / rtt;
        if queued > 0.0 {
            self.gamma / queued
        } else {
            f64::INFINITY
        }
    }

    /// Rounds and packets of the growth from one window to another.
    fn climb(&self, from: f64, to: f64) -> (f64, f64) {
        let PowerLaw { a, k, .. } = self.power;
        let knee = self.knee().max(from).min(to);
        let slow = knee - from;
        let over = |power: f64| (to.powf(power) - knee.powf(power)) / (a * power);
        (
            slow + over(1.0 - k),
            0.5 * slow * (knee + from) + over(2.0 - k),
        )
    }

    /// The larger of power-law growth's response and that of the growth below the knee: a packet a round trip, beta removed.
    fn joined(&self, own: Response, p: f64) -> Response {
        let below = PowerLaw {
            b: self.power.b,
            ..STANDARD_TCP
        };
        if below == STANDARD_TCP {
            return join(own, p, 0.0);
        }
        let window = below.window(p);
        if own.window.value() >= window {
            return own;
        }
        let source = "derived: aimd, one packet a round trip and beta removed";
        Response::closed(window, 0.5, 0.0, BELOW_THE_KNEE, source).with_peak(below.peak(p))
    }

    /// The answer once growth has met the window `limit`, or `None` if it does not at this loss rate.
    fn limited(&self, p: f64, limit: f64) -> Result<Option<Response>> {
        let packets = 1.0 / p;
        let (rounds, sent) = self.climb((1.0 - self.power.b) * limit, limit);
        if packets <= sent {
            return Ok(None);
        }
        let answer = |n: f64, slope: f64, regime: &'static str, peak: f64| {
            Response::closed(packets / n, slope, 0.0, regime, "derived from tan2006")
                .with_peak(peak)
        };
        // cwnd grows by one a round from half of what it was: its peak is 2N.
        let n = rounds + (packets - sent) / limit;
        if 2.0 * n <= limit {
            return Ok(Some(answer(
                n,
                1.0 - packets / (n * limit),
                "held at the backlog gamma",
                limit,
            )));
        }
        if self.power.b != 0.5 {
            return Err(Error::NoAnswer(
                "standard TCP's part alone exceeds the backlog gamma here: worked out for beta = 0.5 only".into(),
            ));
        }
        let standard = STANDARD_TCP.peak(p);
        if standard >= 2.0 * limit {
            return Ok(Some(answer(
                0.5 * standard,
                0.5,
                "standard TCP, backlog above gamma",
                standard,
            )));
        }
        // From N by growth to the limit, held there until cwnd arrives, then standard TCP to 2N.
        let total = |n: f64| {
            let (rounds, sent) = self.climb(n, limit);
            sent + (limit - n - rounds) * limit + 0.5 * (2.0 * n - limit) * (2.0 * n + limit)
        };
        let excess = |n: f64| Ok(total(n) / packets - 1.0);
        let n = root::brent(
            &excess,
            0.5 * limit * (1.0 - 1e-12),
            limit * (1.0 + 1e-12),
            0.0,
        )?;
        let growth = self.growth(n);
        let rise = 4.0 * n - limit + (limit - n) / growth;
        Ok(Some(answer(
            n,
            1.0 - packets / (n * rise),
            "held at the backlog gamma, then standard TCP",
            2.0 * n,
        )))
    }
}

/// Width of the band above the limit in which the window is held, relative: the limit of a window that steps back and
/// forth over it faster and faster.
const HELD: f64 = 1e-9;
const DWND: usize = 1;

struct Law(Constants);

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window", "dwnd"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        self.increase_beside(Side::Free, x, seen, dx);
    }
    fn increase_beside(&self, side: Side, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let limit = self.0.limit(seen.rtt, seen.base_rtt);
        let (win, dwnd) = (x[0], x[DWND]);
        let below = match side {
            Side::Below => true,
            Side::Above => false,
            Side::Free => win < limit,
        };
        let (total, delayed) = if below {
            let growth = self.0.growth(win);
            (growth, growth - 1.0)
        } else if dwnd <= 0.0 {
            (1.0, 0.0)
        } else if side == Side::Free && win < limit * (1.0 + HELD) {
            (0.0, -1.0)
        } else {
            let shrink = self.0.zeta * win * (1.0 - seen.base_rtt / seen.rtt);
            (1.0 - shrink, -shrink)
        };
        dx[0] = total / seen.rtt;
        dx[DWND] = delayed / seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        if why == Cause::Timeout {
            self.settle(1.0, x);
            return;
        }
        let half = 0.5 * (x[0] - x[DWND]);
        x[0] = ((1.0 - self.0.power.b) * x[0]).max(half);
        x[DWND] = x[0] - half;
    }
    fn switches(&self, x: &[f64], seen: &Feedback, out: &mut Vec<f64>) {
        let limit = self.0.limit(seen.rtt, seen.base_rtt);
        out.push(self.0.power.a * x[0].powf(self.0.power.k) - 1.0);
        // The backlog against gamma rather than the window against its limit, which is out of reach until there is a queue: a step may
        // see from afar what comes.
        let backlog = x[0] * (1.0 - seen.base_rtt / seen.rtt);
        // What is left of the delay window matters only beside a backlog; alone it may hover about zero.
        let left = if limit.is_finite() { x[DWND] } else { 1.0 };
        let gamma = self.0.gamma;
        out.extend([backlog - gamma, backlog - gamma * (1.0 + HELD), left]);
    }
    fn beyond(&self, x: &[f64], seen: &Feedback) -> f64 {
        x[0] / self.0.limit(seen.rtt, seen.base_rtt) - 1.0
    }
    fn holds_at(&self, switch: usize) -> bool {
        switch == 1 || switch == 2
    }
    /// At the backlog gamma the window follows the limit, which moves with the round trip: cwnd grows on, dwnd gives way.
    fn held(&self, x: &[f64], seen: &Feedback, rtt_rate: f64, dx: &mut [f64]) -> f64 {
        let limit = self.0.limit(seen.rtt, seen.base_rtt);
        if !limit.is_finite() {
            return -1.0;
        }
        let queued = 1.0 - seen.base_rtt / seen.rtt;
        // Packets per round trip.
        let follow = -limit * seen.base_rtt / (seen.rtt * queued) * rtt_rate;
        dx[0] = follow / seen.rtt;
        dx[DWND] = (follow - 1.0) / seen.rtt;
        let growth = self.0.growth(x[0]);
        let shrink = 1.0 - self.0.zeta * self.0.gamma;
        (growth - follow).min(follow - shrink).min(x[DWND])
    }
    fn on_ack(&self, x: &mut [f64], seen: &Feedback, scratch: &mut [f64]) {
        self.increase(x, seen, scratch);
        let dt = seen.rtt / x[0];
        for (place, rate) in x.iter_mut().zip(scratch.iter()) {
            *place += rate * dt;
        }
        if x[DWND] < 0.0 {
            x[0] -= x[DWND];
            x[DWND] = 0.0;
        }
    }
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        if x[0] >= self.0.limit(seen.rtt, seen.base_rtt) {
            if x[DWND] > 0.0 {
                "held at the backlog gamma"
            } else {
                "standard TCP, backlog above gamma"
            }
        } else if x[0] < self.0.knee() {
            if self.0.power.b == 0.5 {
                "standard TCP"
            } else {
                BELOW_THE_KNEE
            }
        } else {
            "compound"
        }
    }
    fn source(&self) -> &'static str {
        "tan2006"
    }
}

/// The path's limit on the window.
fn limit_of(k: &Constants, path: &Path) -> f64 {
    match (path.rtt, path.base_rtt) {
        (Some(rtt), Some(base)) => k.limit(rtt.value(), base.value()),
        _ => f64::INFINITY,
    }
}

impl ClosedForms for Compound {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "periodic",
                loss_model: LossModel::Periodic,
                meaning: "power-law growth joined with a packet a round trip (standard TCP at beta = 0.5); held where the path's backlog reaches gamma",
            },
            FormInfo {
                name: "mean-field",
                loss_model: LossModel::MeanField,
                meaning: "mean-field equilibrium without a queue; never joined",
            },
        ]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let k = Constants::of(setting);
        let own = move |window: f64| {
            Response::closed(
                window,
                k.power.slope(),
                0.0,
                "compound",
                "derived from tan2006",
            )
        };
        vec![
            Formula::new("periodic", LossModel::Periodic, move |p, path| {
                let limit = limit_of(&k, path);
                if limit.is_finite()
                    && let Some(limited) = k.limited(p, limit)?
                {
                    return Ok(limited);
                }
                Ok(k.joined(own(k.power.window(p)).with_peak(k.power.peak(p)), p))
            })
            .boxed(),
            Formula::new("mean-field", LossModel::MeanField, move |p, path| {
                let (window, limit) = (k.power.mean_field(p), limit_of(&k, path));
                if window > limit {
                    return Err(Error::NoAnswer(format!(
                        "the backlog reaches gamma at a window of {limit} packets: see the form `periodic`"
                    )));
                }
                Ok(own(window))
            })
            .boxed(),
        ]
    }
}
