//! TCP-Illinois (Liu, Başar and Srikant) at a frozen queueing delay: an AIMD flow whose two numbers follow from that delay.

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Formula,
    Kind, LossModel, Parameter, Path, PowerLaw, Preset, Price, Response, ResponseFunction, Setting,
    WindowLaw,
};

/// TCP-Illinois.
pub struct Illinois;

const FRACTION: Bounds = Bounds::open(0.0, 1.0);

const PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "alpha_min",
        "α_min",
        0.3,
        Bounds::open(0.0, 1e6),
        "packets per round trip",
        "least increase",
    ),
    Parameter::number(
        "alpha_max",
        "α_max",
        10.0,
        Bounds::open(0.0, 1e6),
        "packets per round trip",
        "largest increase, more than alpha_min",
    ),
    Parameter::number(
        "beta_min",
        "β_min",
        0.125,
        FRACTION,
        "",
        "least fraction of the window REMOVED by a loss",
    ),
    Parameter::number(
        "beta_max",
        "β_max",
        0.5,
        FRACTION,
        "",
        "largest fraction of the window REMOVED by a loss",
    ),
    Parameter::number(
        "d1",
        "d1/dm",
        0.01,
        FRACTION,
        "of max_delay",
        "delay up to which the increase is alpha_max",
    ),
    Parameter::number(
        "d2",
        "d2/dm",
        0.1,
        FRACTION,
        "of max_delay",
        "delay up to which the decrease is beta_min",
    ),
    Parameter::number(
        "d3",
        "d3/dm",
        0.8,
        FRACTION,
        "of max_delay",
        "delay from which the decrease is beta_max",
    ),
    Parameter::number(
        "win_thresh",
        "W_thresh",
        15.0,
        Bounds::closed(0.0, 1e9),
        "packets",
        "below this window standard TCP; 0 switches that off",
    ),
    Parameter {
        key: "max_delay",
        symbol: "dm",
        default: 0.0,
        bounds: Bounds::closed(0.0, 1e6),
        kind: Kind::Time,
        unit: "s",
        meaning: "largest queueing delay seen; 0 takes any queue for the longest one",
    },
];

const PRESETS: &[Preset] = &[Preset {
    name: "linux-constants",
    source: "linux net/ipv4/tcp_illinois.c",
    note: Some(
        "the paper's curves with the kernel's constants; that the paper itself has these and a window threshold of 10 is unconfirmed",
    ),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "TCP-Illinois takes losses as its signal and the queueing delay as a hint how far away the next one is: with no queue it grows by ten packets \
              a round trip and gives up an eighth, with a full one it grows by 0.3 and gives up half. At a frozen delay it is an AIMD flow.",
    equations: &[
        Equation {
            formula: "alpha(d) = alpha_max for d <= d1, k1/(k2 + d) above; k1 = (dm - d1) alpha_min alpha_max/(alpha_max - alpha_min), k2 = (dm - d1) alpha_min/(alpha_max - alpha_min) - d1",
            source: "liu2006, as linux net/ipv4/tcp_illinois.c has it",
            meaning: "packets per round trip; d is the queueing delay, dm the largest one",
        },
        Equation {
            formula: "beta(d) = beta_min for d <= d2, beta_max for d >= d3, a straight line between",
            source: "liu2006, as linux net/ipv4/tcp_illinois.c has it",
            meaning: "fraction removed by a loss",
        },
        Equation {
            formula: "W = sqrt(alpha (2 - beta)/(2 beta p))",
            source: "derived: AIMD(alpha, beta)",
            meaning: "at a frozen delay; 8.660/sqrt(p) without a queue, 0.671/sqrt(p) with a full one; form `periodic`",
        },
    ],
    ranges: &[
        "windows above win_thresh; below it the law is standard TCP",
        "the delay stands still: with a queue of one's own the fluid integrator is needed",
    ],
    caveats: &[
        "beta is the fraction removed",
        "with a long queue the response is below standard TCP's, so it is not joined with it; increase and decrease jump at win_thresh",
        "the form of the curves was read in the kernel; that the paper prints them so is unconfirmed",
        "the kernel waits for five round trips of low delay before it returns to alpha_max: at a frozen delay that does not matter",
    ],
};

impl Algorithm for Illinois {
    fn name(&self) -> &'static str {
        "illinois"
    }
    fn title(&self) -> &'static str {
        "TCP-Illinois"
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
        &["liu2006", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        for (low, high) in [
            ("alpha_min", "alpha_max"),
            ("beta_min", "beta_max"),
            ("d2", "d3"),
        ] {
            if setting.get(low) >= setting.get(high) {
                return Err(Error::Arguments(format!(
                    "`{low}={}` must be less than `{high}={}`",
                    setting.get(low),
                    setting.get(high)
                )));
            }
        }
        Ok(())
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            curves: Curves::of(setting),
            win_thresh: setting.get("win_thresh"),
        }))
    }
}

/// α(d) and β(d).
#[derive(Debug, Clone, Copy)]
struct Curves {
    alpha: (f64, f64),
    beta: (f64, f64),
    d1: f64,
    d2: f64,
    d3: f64,
    max_delay: f64,
}

impl Curves {
    fn of(setting: &Setting) -> Self {
        Self {
            alpha: (setting.get("alpha_min"), setting.get("alpha_max")),
            beta: (setting.get("beta_min"), setting.get("beta_max")),
            d1: setting.get("d1"),
            d2: setting.get("d2"),
            d3: setting.get("d3"),
            max_delay: setting.get("max_delay"),
        }
    }

    /// The queueing delay as a fraction of the largest; without a largest any delay is all of it.
    fn fraction(&self, delay: f64) -> f64 {
        if delay <= 0.0 {
            0.0
        } else if self.max_delay > 0.0 {
            (delay / self.max_delay).min(1.0)
        } else {
            1.0
        }
    }

    fn alpha(&self, fraction: f64) -> f64 {
        let (least, most) = self.alpha;
        if fraction <= self.d1 {
            return most;
        }
        // k1/(k2 + d) with both sides divided by dm·alpha_min/(alpha_max − alpha_min).
        let room = 1.0 - self.d1;
        room * most / (room + (fraction - self.d1) * (most - least) / least)
    }

    fn beta(&self, fraction: f64) -> f64 {
        let (least, most) = self.beta;
        let way = ((fraction - self.d2) / (self.d3 - self.d2)).clamp(0.0, 1.0);
        least + (most - least) * way
    }

    fn power(&self, fraction: f64) -> PowerLaw {
        PowerLaw {
            a: self.alpha(fraction),
            k: 0.0,
            b: self.beta(fraction),
        }
    }
}

struct Law {
    curves: Curves,
    win_thresh: f64,
}

impl Law {
    fn power(&self, window: f64, seen: &Feedback) -> PowerLaw {
        if window < self.win_thresh {
            crate::model::STANDARD_TCP
        } else {
            self.curves
                .power(self.curves.fraction(seen.rtt - seen.base_rtt))
        }
    }
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        dx[0] = self.power(x[0], seen).a / seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            (1.0 - self.power(x[0], seen).b) * x[0]
        };
    }
    fn switches(&self, x: &[f64], _seen: &Feedback, out: &mut Vec<f64>) {
        out.push(x[0] - self.win_thresh);
    }
    fn thresholds(&self) -> Vec<f64> {
        if self.win_thresh > 0.0 {
            vec![self.win_thresh]
        } else {
            Vec::new()
        }
    }
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        if x[0] < self.win_thresh {
            return "standard TCP";
        }
        regime(&self.curves, self.curves.fraction(seen.rtt - seen.base_rtt))
    }
    fn source(&self) -> &'static str {
        "liu2006"
    }
}

fn regime(curves: &Curves, fraction: f64) -> &'static str {
    if fraction <= curves.d1 {
        "low delay"
    } else if fraction < curves.d3 {
        "rising delay"
    } else if curves.max_delay > 0.0 {
        "high delay"
    } else {
        "high delay: without max_delay any queue is the longest"
    }
}

/// The path's queueing delay in seconds.
fn delay(path: &Path) -> f64 {
    match (path.rtt, path.base_rtt) {
        (Some(rtt), Some(base)) => (rtt.value() - base.value()).max(0.0),
        _ => 0.0,
    }
}

impl ClosedForms for Illinois {
    fn forms(&self) -> &'static [FormInfo] {
        &[FormInfo {
            name: "periodic",
            loss_model: LossModel::Periodic,
            meaning: "AIMD at the path's queueing delay, held fixed; not joined with standard TCP",
        }]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let curves = Curves::of(setting);
        let win_thresh = setting.get("win_thresh");
        let power = move |path: &Path| {
            let fraction = curves.fraction(delay(path));
            (curves.power(fraction), regime(&curves, fraction))
        };
        vec![
            Formula::new("periodic", LossModel::Periodic, move |p, path| {
                let (power, regime) = power(path);
                let peak = power.peak(p);
                let response = Response::closed(
                    power.window(p),
                    0.5,
                    0.0,
                    regime,
                    "derived from liu2006: AIMD at a frozen delay",
                )
                .with_peak(peak);
                Ok(if peak < win_thresh {
                    response.with_note(format!("below a window of {win_thresh} packets the law itself is standard TCP: see the road `epoch`"))
                } else {
                    response
                })
            })
            .with_inverse(move |w, path| Ok(power(path).0.loss_for(w)))
            .boxed(),
        ]
    }
}
