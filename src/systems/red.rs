//! Reno under RED: three linearisations of the window, a low pass of the queue, and a slope.

use super::common::{
    Bound, ControlLoop, Equilibrium, Form, Group, Linearisation, OpenLoopFacts, Plane, System,
    TcpQueue, capacity, flows,
};
use crate::error::{Error, Result};
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::LinearDelaySystem;
use crate::numeric::dde::{History, Lag, Options, Problem, solve};
use crate::numeric::growth::{Growth, Watched, growth};
use crate::numeric::root::brent;

/// The loop.
pub(super) struct Red;

static PARAMETERS: [Parameter; 7] = [
    capacity(3750.0),
    flows(60.0),
    Parameter::quantity(
        "rtt",
        "R",
        0.246,
        Bounds::closed(1e-9, 1e6),
        Kind::Time,
        "round trip at equilibrium, queue included; not used with a propagation",
    ),
    Parameter::quantity(
        "propagation",
        "Tp",
        0.0,
        Bounds::closed(0.0, 1e6),
        Kind::Time,
        "round trip without queues, from which the equilibrium follows; 0: rtt says it",
    ),
    Parameter::number(
        "min",
        "min",
        132.0,
        Bounds::closed(0.0, 1e12),
        "packets",
        "queue from which packets are dropped",
    ),
    Parameter::number(
        "slope",
        "L",
        1.86e-4,
        Bounds::open(0.0, 1e3),
        "1/packet",
        "drop probability for each packet of average queue beyond min",
    ),
    Parameter::number(
        "weight",
        "w",
        1.333_332_444_444_839_5e-6,
        Bounds {
            low: 1e-15,
            high: 1.0,
            closed: true,
        },
        "",
        "weight of an arrival in the average queue; 1: no averaging",
    ),
];

static PRESETS: [Preset; 3] = [
    Preset {
        name: "hollot2001",
        source: "hollot2001red",
        note: Some(
            "slope 1.86e-4 and weight (pole at 0.005 rad/s) are unconfirmed; capacity, flows and round trip are confirmed",
        ),
        values: &[],
    },
    Preset {
        name: "instantaneous",
        source: "misra2000",
        note: Some("the same without averaging"),
        values: &[("weight", 1.0), ("slope", 1.8e-4)],
    },
    Preset {
        name: "low2002",
        source: "low2002red",
        note: Some(
            "parameter values unconfirmed; use form low, and propagation between 20 and 100 ms",
        ),
        values: &[
            ("capacity", 9000.0),
            ("flows", 50.0),
            ("propagation", 0.04),
            ("min", 50.0),
            ("slope", 2e-4),
            ("weight", 1e-4),
        ],
    },
];

pub(super) const LINEARISED: [Form; 3] = [
    Form {
        name: "mgt",
        source: "misra2000",
        meaning: "every term of the model of Misra, Gong and Towsley, its inner delays included",
    },
    Form {
        name: "hollot",
        source: "hollot2001red",
        meaning: "Hollot's: the window's own delay and the queue's effect on the round trip dropped",
    },
    Form {
        name: "low",
        source: "low2002red",
        meaning: "Low's model, in which those terms cancel at equilibrium",
    },
];

static FORMS: [Form; 4] = [
    LINEARISED[0],
    LINEARISED[1],
    LINEARISED[2],
    Form {
        name: "nonlinear",
        source: "misra2000",
        meaning: "margins and roots as mgt; the integrator runs the nonlinear model, its delay that of the queue",
    },
];

static EXPLANATION: Explanation = Explanation {
    summary: "Reno's window and a queue that drops packets with a probability proportional to its average length beyond a threshold.",
    equations: &[
        Equation {
            formula: "W' = 1/R - W W(t-R)/(2 R(t-R)) p(t-R),  q' = N W/R - C,  R = Tp + q/C",
            source: "misra2000",
            meaning: "the model; at rest W = RC/N and W^2 p = 2",
        },
        Equation {
            formula: "P(s) = (C^2/2N) e^(-s R)/((s + 2N/(R^2 C))(s + 1/R))",
            source: "hollot2001red",
            meaning: "Hollot's plant from p to -q",
        },
        Equation {
            formula: "P(s) = (N/(R^2 p)) e^(-s R)/((s + p W/R)(s + 1/R)),  p = 2/(2 + W^2)",
            source: "derived",
            meaning: "Low's plant",
        },
        Equation {
            formula: "C(s) = L K/(s + K),  K = -C ln(1 - w)",
            source: "hollot2001red",
            meaning: "the average and the slope",
        },
        Equation {
            formula: "L (R C)^3/(2 N)^2 <= sqrt(w_g^2/K^2 + 1),  w_g = min(2N/(R^2 C), 1/R)/10",
            source: "hollot2001red (unconfirmed)",
            meaning: "sufficient, and 42 times below the exact slope in its own example",
        },
    ],
    ranges: &[
        "Reno in congestion avoidance with fast recovery; a queue that neither empties nor overflows",
    ],
    caveats: &[
        "Hollot's plant puts the critical slope without averaging 2.1 % above that of the full linearisation, Low's 1.1 %",
        "averaging with a pole of 1 to 10 rad/s lowers the critical slope",
    ],
};

impl System for Red {
    fn name(&self) -> &'static str {
        "red"
    }
    fn title(&self) -> &'static str {
        "Reno with RED"
    }
    fn parameters(&self) -> &'static [Parameter] {
        &PARAMETERS
    }
    fn presets(&self) -> &'static [Preset] {
        &PRESETS
    }
    fn forms(&self) -> &'static [Form] {
        &FORMS
    }
    fn references(&self) -> &'static [&'static str] {
        &["misra2000", "hollot2001red", "low2002red"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("flows", 10.0, 300.0, true),
            y: ("slope", 1e-6, 1.0, true),
            curve: None,
        }
    }
    fn build(
        &self,
        setting: &Setting,
        form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        let weight = setting.get("weight");
        let capacity = setting.get("capacity");
        let mut out = Loop {
            tcp: TcpQueue {
                capacity,
                flows: setting.get("flows"),
                rtt: setting.get("rtt"),
                form: Linearisation::named(form),
            },
            slope: setting.get("slope"),
            min: setting.get("min"),
            pole: (weight < 1.0).then(|| -capacity * (-weight).ln_1p()),
            nonlinear: form == "nonlinear",
        };
        let propagation = setting.get("propagation");
        if propagation > 0.0 {
            out.tcp.rtt = propagation + out.settle(propagation)? / capacity;
        }
        out.tcp.check()?;
        Ok(Box::new(out))
    }
}

#[derive(Clone, Copy)]
struct Loop {
    tcp: TcpQueue,
    slope: f64,
    min: f64,
    pole: Option<f64>,
    nonlinear: bool,
}

impl Loop {
    /// The queue at which the drops of RED are those that the flows need.
    fn settle(&self, propagation: f64) -> Result<f64> {
        let excess = |q: f64| {
            let at = TcpQueue {
                rtt: propagation + q / self.tcp.capacity,
                ..self.tcp
            };
            Ok(self.slope * (q - self.min) - at.loss().min(10.0))
        };
        brent(&excess, self.min, self.min + 11.0 / self.slope, 0.0)
    }

    fn queue(&self) -> f64 {
        self.min + self.tcp.loss() / self.slope
    }
}

impl ControlLoop for Loop {
    fn equilibrium(&self) -> Equilibrium {
        let queue = self.queue();
        Equilibrium::default()
            .with("window_pkt", self.tcp.window())
            .with("loss", self.tcp.loss())
            .with("queue_pkt", queue)
            .with("rtt_s", self.tcp.rtt)
            .with("propagation_s", self.tcp.rtt - queue / self.tcp.capacity)
            .with("averaging_rad_s", self.pole.unwrap_or(f64::INFINITY))
    }
    fn rtt(&self) -> f64 {
        self.tcp.rtt
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        Some(OpenLoopFacts {
            unstable_poles: 0,
            poles_at_zero: 0,
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        let average = self
            .pole
            .map_or(Complex::new(1.0, 0.0), |k| (s / k + 1.0).inv());
        self.tcp.plant(s) * average * self.slope
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        Some(match self.pole {
            None => self.tcp.closed(2, &[(1, self.slope)]),
            Some(k) => self
                .tcp
                .closed(3, &[(2, self.slope)])
                .with(2, 1, 0.0, k)
                .with(2, 2, 0.0, -k),
        })
    }
    fn published_bound(&self) -> Option<Bound> {
        let TcpQueue {
            capacity: c,
            flows: n,
            rtt: r,
            ..
        } = self.tcp;
        let k = self.pole?;
        let wg = 0.1 * (2.0 * n / (r * r * c)).min(1.0 / r);
        let limit = (wg * wg / (k * k) + 1.0).sqrt() * (2.0 * n).powi(2) / (r * c).powi(3);
        Some(Bound {
            parameter: "slope",
            given: Some(self.slope),
            limit: Some(limit),
            holds: Some(self.slope <= limit),
            statement: "sufficient: slope (R C)^3/(2 N)^2 <= sqrt(w_g^2/K^2 + 1), w_g = min(2N/(R^2 C), 1/R)/10; its wording is unconfirmed".into(),
            source: "hollot2001red proposition 1",
            confirmed: false,
        })
    }
    fn gain(&self) -> Option<(&'static str, f64)> {
        Some(("slope", self.slope))
    }
    fn notes(&self) -> Vec<String> {
        let left = self.tcp.rtt - self.queue() / self.tcp.capacity;
        (left < 0.0)
            .then(|| {
                format!(
                    "a queue of {:.4} packets is more than the whole round trip holds: min or slope does not fit the round trip",
                    self.queue()
                )
            })
            .into_iter()
            .collect()
    }
    fn runs(&self) -> &'static str {
        if self.nonlinear {
            "the nonlinear model, from a ten-thousandth of its window off its equilibrium"
        } else {
            "the linear delay system"
        }
    }
    fn run(&self, round_trips: f64, doublings: u32) -> Result<Growth> {
        let watch = |rest: f64, size: f64, ceiling: f64| Watched {
            component: 0,
            rest,
            size,
            floor: 1e-6,
            ceiling,
            time: round_trips * self.tcp.rtt,
            doublings,
        };
        if !self.nonlinear {
            let system = self
                .delay_system()
                .ok_or_else(|| Error::NoAnswer("not a system of delay equations".into()))?;
            return growth(
                &|| system.run(),
                &|_, _| 1.0,
                &watch(0.0, 1.0, 1e6),
                &Options::new(0.0, 1e-11),
            );
        }
        let (model, rest) = self.model()?;
        // Small enough that the model is as good as linear, and cut off long before it is not.
        let off = 1e-4 * rest[0];
        growth(
            &|| model,
            &|i, _| if i == 0 { rest[0] + off } else { rest[i] },
            &watch(rest[0], off, 30.0),
            &Options::new(0.0, 1e-10),
        )
    }
    fn trace(&self, seconds: f64, share: f64) -> Result<Vec<[f64; 3]>> {
        if !self.nonlinear {
            return Err(Error::NoAnswer(
                "form nonlinear has the model to run".into(),
            ));
        }
        let (mut model, rest) = self.model()?;
        let mut out = vec![[0.0, (1.0 + share) * rest[0], rest[1]]];
        let past = |i: usize, _: f64| {
            if i == 0 {
                (1.0 + share) * rest[0]
            } else {
                rest[i]
            }
        };
        let options = Options::new(0.0, 1e-8);
        solve(&mut model, &past, (0.0, seconds), &options, |step| {
            let (a, b) = (step.start(), step.end());
            for i in 1..=4 {
                let t = a + (b - a) * f64::from(i) / 4.0;
                out.push([t, step.state(0, t), step.state(1, t)]);
            }
        })
        .map_err(|error| Error::Numeric {
            method: "the delay solver",
            detail: error.to_string(),
        })?;
        Ok(out)
    }
}

impl Loop {
    /// The nonlinear model and its rest.
    fn model(&self) -> Result<(Model, [f64; 3])> {
        let (window, queue) = (self.tcp.window(), self.queue());
        let propagation = self.tcp.rtt - queue / self.tcp.capacity;
        if propagation <= 0.0 {
            return Err(Error::NoAnswer(
                "no propagation is left of this round trip".into(),
            ));
        }
        let model = Model {
            red: *self,
            propagation,
        };
        Ok((model, [window, queue, queue]))
    }
}

/// W, q and the average of q. The delay is the round trip that the queue now gives.
#[derive(Clone, Copy)]
struct Model {
    red: Loop,
    propagation: f64,
}

impl Model {
    fn trip(&self, q: f64) -> f64 {
        self.propagation + q / self.red.tcp.capacity
    }
}

impl Problem for Model {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        let r = self.trip(x[1]);
        let past = t - r;
        let (w, q) = (history.state(0, past), history.state(1, past));
        let seen = if self.red.pole.is_some() {
            history.state(2, past)
        } else {
            q
        };
        let p = self.red.slope * (seen - self.red.min).max(0.0);
        dx[0] = 1.0 / r - x[0] * w / (2.0 * self.trip(q)) * p;
        dx[1] = self.red.tcp.flows * x[0] / r - self.red.tcp.capacity;
        dx[2] = self.red.pole.unwrap_or(0.0) * (x[1] - x[2]);
    }
    fn longest_delay(&self, _t: f64, x: &[f64]) -> f64 {
        4.0 * self.trip(x[1].max(0.0)) + 4.0 * self.red.tcp.rtt
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::deviated()]
    }
    fn argument(&self, _lag: usize, t: f64, x: &[f64], _history: &History<'_>) -> f64 {
        t - self.trip(x[1])
    }
}
