//! Reno before a drop-tail buffer so small that its loss is a function of the load: p = (y/C)^B.

use super::common::{Bound, ControlLoop, Equilibrium, Form, Group, OpenLoopFacts, Plane, System};
use crate::error::Result;
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::{LinearDelaySystem, ScalarDelay};

/// The loop.
pub(super) struct SmallBuffer;

static PARAMETERS: [Parameter; 3] = [
    Parameter::number(
        "buffer",
        "B",
        20.0,
        Bounds::open(0.0, 1e6),
        "packets",
        "buffer",
    ),
    Parameter::number(
        "window",
        "W",
        20.0,
        Bounds {
            low: std::f64::consts::SQRT_2,
            high: 1e12,
            closed: false,
        },
        "packets",
        "window at equilibrium",
    ),
    Parameter::quantity(
        "rtt",
        "R",
        0.1,
        Bounds::closed(1e-9, 1e6),
        Kind::Time,
        "round trip",
    ),
];

static PRESETS: [Preset; 1] = [Preset {
    name: "rate",
    source: "derived",
    note: None,
    values: &[],
}];

static FORMS: [Form; 1] = [Form {
    name: "linear",
    source: "derived",
    meaning: "the window linearised; the load acts at once on the loss",
}];

static EXPLANATION: Explanation = Explanation {
    summary: "With a buffer of some packets and many flows the loss follows the load within a round trip. Large windows make the loop stable, large buffers unstable.",
    equations: &[
        Equation {
            formula: "p = (y/C)^B,  W^2 p = 2",
            source: "derived",
            meaning: "loss of a link with B places, and Reno's equilibrium",
        },
        Equation {
            formula: "dW' = -(2/(R W)) dW - (B/(R W)) dW(t-R)",
            source: "derived",
            meaning: "the loop",
        },
        Equation {
            formula: "stable iff B <= 2 or sqrt(B^2 - 4)/W < arccos(-2/B)",
            source: "derived",
            meaning: "about W > 2B/pi for large B; B = 10: 5.5288",
        },
    ],
    ranges: &["many flows, a buffer of some tens of packets"],
    caveats: &["the loss of a link with B places is (y/C)^B only below its capacity"],
};

impl System for SmallBuffer {
    fn name(&self) -> &'static str {
        "small-buffer"
    }
    fn title(&self) -> &'static str {
        "Reno before a small drop-tail buffer"
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
        &["hayes1950"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("buffer", 2.2, 100.0, true),
            y: ("window", 1.5, 200.0, true),
            curve: None,
        }
    }
    fn build(
        &self,
        setting: &Setting,
        _form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        Ok(Box::new(Loop {
            buffer: setting.get("buffer"),
            window: setting.get("window"),
            rtt: setting.get("rtt"),
        }))
    }
}

struct Loop {
    buffer: f64,
    window: f64,
    rtt: f64,
}

impl ControlLoop for Loop {
    fn equilibrium(&self) -> Equilibrium {
        let loss = 2.0 / (self.window * self.window);
        Equilibrium::default()
            .with("window_pkt", self.window)
            .with("loss", loss)
            .with("utilisation", loss.powf(1.0 / self.buffer))
    }
    fn rtt(&self) -> f64 {
        self.rtt
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        Some(OpenLoopFacts {
            unstable_poles: 0,
            poles_at_zero: 0,
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        let unit = 1.0 / (self.rtt * self.window);
        (-s * self.rtt).exp() * (self.buffer * unit) / (s + 2.0 * unit)
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        let ScalarDelay { a, b, delay } = self.scalar()?;
        Some(
            LinearDelaySystem::new(1)
                .with(0, 0, 0.0, -a)
                .with(0, 0, delay, -b),
        )
    }
    fn scalar(&self) -> Option<ScalarDelay> {
        let unit = 1.0 / (self.rtt * self.window);
        Some(ScalarDelay {
            a: 2.0 * unit,
            b: self.buffer * unit,
            delay: self.rtt,
        })
    }
    fn exact_bound(&self) -> Option<Bound> {
        let b = self.buffer;
        let limit = (b > 2.0).then(|| (b * b - 4.0).sqrt() / (-2.0 / b).acos());
        Some(Bound {
            parameter: "window",
            given: Some(self.window),
            limit,
            holds: Some(limit.is_none_or(|least| self.window > least)),
            statement: if limit.is_some() {
                "W > sqrt(B^2 - 4)/arccos(-2/B)".into()
            } else {
                "stable at every window: B <= 2".into()
            },
            source: "derived",
            confirmed: true,
        })
    }
    fn gain(&self) -> Option<(&'static str, f64)> {
        None
    }
}
