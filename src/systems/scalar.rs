//! x' = −a·x − b·x(t − τ): the loop that every other one resembles, and the one whose roots are known.

use super::common::{Bound, ControlLoop, Equilibrium, Form, Group, OpenLoopFacts, Plane, System};
use crate::error::Result;
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::{LinearDelaySystem, ScalarDelay};

/// The scalar delay equation.
pub(super) struct Scalar;

const RATES: Bounds = Bounds::closed(-1e9, 1e9);

static PARAMETERS: [Parameter; 3] = [
    Parameter::number(
        "a",
        "a",
        0.0,
        RATES,
        "1/s",
        "rate at which x follows itself at once",
    ),
    Parameter::number(
        "b",
        "b",
        1.0,
        RATES,
        "1/s",
        "rate at which x follows its past",
    ),
    Parameter::quantity(
        "tau",
        "τ",
        1.0,
        Bounds::closed(0.0, 1e9),
        Kind::Time,
        "delay",
    ),
];

static PRESETS: [Preset; 1] = [Preset {
    name: "hayes1950",
    source: "hayes1950",
    note: None,
    values: &[],
}];

static FORMS: [Form; 1] = [Form {
    name: "linear",
    source: "hayes1950",
    meaning: "the equation itself",
}];

static EXPLANATION: Explanation = Explanation {
    summary: "One state that answers to itself now and one delay ago. Its characteristic equation is solved by Lambert's W, branch by branch.",
    equations: &[
        Equation {
            formula: "x'(t) = -a x(t) - b x(t - tau)",
            source: "hayes1950",
            meaning: "the loop",
        },
        Equation {
            formula: "s = -a + W_k(-b tau e^(a tau))/tau",
            source: "corless1996",
            meaning: "every root, one for each branch k; the principal branch is the rightmost",
        },
        Equation {
            formula: "stable iff a + b > 0 and (b <= |a| or tau < arccos(-a/b)/sqrt(b^2 - a^2))",
            source: "hayes1950",
            meaning: "necessary and sufficient",
        },
    ],
    ranges: &["every real a and b, every tau >= 0"],
    caveats: &[
        "at b tau e^(a tau) = 1/e two roots coincide, and double precision places them to half its digits only",
    ],
};

impl System for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }
    fn title(&self) -> &'static str {
        "Scalar delay equation"
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
        &["hayes1950", "corless1996"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("a", -0.95, 3.0, false),
            y: ("b", 0.0, 5.0, false),
            curve: Some(("independent of the delay below: b = a", |a| {
                (a > 0.0).then_some(a)
            })),
        }
    }
    fn build(
        &self,
        setting: &Setting,
        _form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        Ok(Box::new(Equation1(ScalarDelay {
            a: setting.get("a"),
            b: setting.get("b"),
            delay: setting.get("tau"),
        })))
    }
}

struct Equation1(ScalarDelay);

impl ControlLoop for Equation1 {
    fn equilibrium(&self) -> Equilibrium {
        Equilibrium::default().with("x", 0.0)
    }
    fn rtt(&self) -> f64 {
        if self.0.delay > 0.0 {
            self.0.delay
        } else {
            // Without a delay the loop's own time.
            1.0 / (self.0.a.abs() + self.0.b.abs()).max(f64::MIN_POSITIVE.sqrt())
        }
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        Some(OpenLoopFacts {
            unstable_poles: usize::from(self.0.a < 0.0),
            poles_at_zero: usize::from(self.0.a == 0.0),
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        (-s * self.0.delay).exp() * self.0.b / (s + self.0.a)
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        let ScalarDelay { a, b, delay } = self.0;
        Some(
            LinearDelaySystem::new(1)
                .with(0, 0, 0.0, -a)
                .with(0, 0, delay, -b),
        )
    }
    fn scalar(&self) -> Option<ScalarDelay> {
        Some(self.0)
    }
    fn published_bound(&self) -> Option<Bound> {
        Some(self.bound())
    }
    fn exact_bound(&self) -> Option<Bound> {
        Some(self.bound())
    }
    fn gain(&self) -> Option<(&'static str, f64)> {
        Some(("b", self.0.b))
    }
}

impl Equation1 {
    fn bound(&self) -> Bound {
        Bound {
            parameter: "tau",
            given: Some(self.0.delay),
            limit: self.0.critical_delay(),
            holds: Some(self.0.is_stable()),
            statement: if self.0.a + self.0.b <= 0.0 {
                "unstable at every delay: a + b <= 0".into()
            } else if self.0.critical_delay().is_none() {
                "stable at every delay: b <= a and a + b > 0".into()
            } else {
                "tau < arccos(-a/b)/sqrt(b^2 - a^2)".into()
            },
            source: "hayes1950",
            confirmed: true,
        }
    }
}
