//! Reno under a proportional-integral controller of the queue, as Hollot designs it.

use super::common::{
    Bound, ControlLoop, Equilibrium, Form, Group, Linearisation, OpenLoopFacts, Plane, System,
    TcpQueue, capacity, flows,
};
use super::red::LINEARISED;
use crate::error::Result;
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::LinearDelaySystem;

/// The loop.
pub(super) struct Pi;

static PARAMETERS: [Parameter; 7] = [
    capacity(3750.0),
    flows(60.0),
    Parameter::quantity(
        "rtt",
        "R",
        0.246,
        Bounds::closed(1e-9, 1e6),
        Kind::Time,
        "round trip at equilibrium, queue included",
    ),
    Parameter::number(
        "k",
        "K",
        9.64e-6,
        Bounds::open(0.0, 1e6),
        "1/(packet s)",
        "integral gain",
    ),
    Parameter::number(
        "z",
        "z",
        0.53,
        Bounds::open(0.0, 1e6),
        "rad/s",
        "zero of the controller",
    ),
    Parameter::number(
        "target",
        "q_ref",
        50.0,
        Bounds::closed(0.0, 1e12),
        "packets",
        "queue aimed at",
    ),
    Parameter::number(
        "sampling",
        "f_s",
        160.0,
        Bounds::open(0.0, 1e9),
        "1/s",
        "updates a second, for the coefficients a and b of the discrete controller",
    ),
];

static PRESETS: [Preset; 1] = [Preset {
    name: "hollot2001",
    source: "hollot2001",
    note: Some(
        "k = 9.64e-6 is unconfirmed; it and the zero give the confirmed coefficients a = 1.822e-5, b = 1.816e-5 at 160 Hz",
    ),
    values: &[],
}];

static FORMS: [Form; 3] = [LINEARISED[1], LINEARISED[0], LINEARISED[2]];

static EXPLANATION: Explanation = Explanation {
    summary: "The drop probability follows the queue's error and its integral, so that the queue rests at its target whatever the load.",
    equations: &[
        Equation {
            formula: "C(s) = K (s/z + 1)/s",
            source: "hollot2001",
            meaning: "the controller, its zero on the window's pole 2N/(R^2 C)",
        },
        Equation {
            formula: "K = w_g |j beta + 1| (2N)^2/(R C)^3,  beta = w_g R",
            source: "hollot2001",
            meaning: "design for a crossover at w_g; phase margin 90 - (180/pi)(beta + arctan beta) degrees, positive for beta < 0.860334",
        },
        Equation {
            formula: "p += a (q - q_ref) - b (q_old - q_ref),  a = K/z + K/(2 f_s),  b = K/z - K/(2 f_s)",
            source: "hollot2001",
            meaning: "the same at f_s updates a second (bilinear)",
        },
    ],
    ranges: &["Reno in congestion avoidance; a queue that neither empties nor overflows"],
    caveats: &["a - b = K/f_s: the same a and b at another f_s are another controller"],
};

impl System for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }
    fn title(&self) -> &'static str {
        "Reno with a PI controller"
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
        &["hollot2001", "misra2000", "low2002red"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("rtt", 0.03, 1.0, true),
            y: ("k", 1e-8, 1e-1, true),
            curve: None,
        }
    }
    fn build(
        &self,
        setting: &Setting,
        form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        let out = Loop {
            tcp: TcpQueue {
                capacity: setting.get("capacity"),
                flows: setting.get("flows"),
                rtt: setting.get("rtt"),
                form: Linearisation::named(form),
            },
            gain: setting.get("k"),
            zero: setting.get("z"),
            target: setting.get("target"),
            sampling: setting.get("sampling"),
        };
        out.tcp.check()?;
        Ok(Box::new(out))
    }
}

struct Loop {
    tcp: TcpQueue,
    gain: f64,
    zero: f64,
    target: f64,
    sampling: f64,
}

impl ControlLoop for Loop {
    fn equilibrium(&self) -> Equilibrium {
        let (straight, half) = (self.gain / self.zero, 0.5 * self.gain / self.sampling);
        Equilibrium::default()
            .with("window_pkt", self.tcp.window())
            .with("loss", self.tcp.loss())
            .with("queue_pkt", self.target)
            .with("rtt_s", self.tcp.rtt)
            .with("discrete_a", straight + half)
            .with("discrete_b", straight - half)
    }
    fn rtt(&self) -> f64 {
        self.tcp.rtt
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        Some(OpenLoopFacts {
            unstable_poles: 0,
            poles_at_zero: 1,
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        self.tcp.plant(s) * (s / self.zero + 1.0) * self.gain / s
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        // State 2 is the integral of the queue's error, in units of packets times R.
        let r = self.tcp.rtt;
        let marking = [(1, self.gain / self.zero), (2, self.gain * r)];
        Some(self.tcp.closed(3, &marking).with(2, 1, 0.0, 1.0 / r))
    }
    fn published_bound(&self) -> Option<Bound> {
        // The crossover of the loop with the window's pole cancelled: w√(w² + 1/R²) = (K/z)C²/2N.
        let TcpQueue {
            capacity: c,
            flows: n,
            rtt: r,
            ..
        } = self.tcp;
        let drive = self.gain / self.zero * c * c / (2.0 * n);
        let corner = 1.0 / (r * r);
        let beta = r * (0.5 * (corner.hypot(2.0 * drive) - corner)).sqrt();
        Some(Bound {
            parameter: "beta",
            given: Some(beta),
            limit: Some(0.85),
            holds: Some(beta < 0.85),
            statement: "beta = w_g R in (0, 0.85), w_g the crossover with the window's pole cancelled; the exact end is 0.860334; its wording is unconfirmed".into(),
            source: "hollot2001",
            confirmed: false,
        })
    }
    fn gain(&self) -> Option<(&'static str, f64)> {
        Some(("k", self.gain))
    }
}
