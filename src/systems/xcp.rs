//! XCP's efficiency controller over one link: φ = α·d·S − β·Q every round trip d.

use super::common::{Bound, ControlLoop, Equilibrium, Form, Group, OpenLoopFacts, Plane, System};
use crate::error::{Error, Result};
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::LinearDelaySystem;
use crate::numeric::dde::{Cause, Direction, Effect, History, Lag, Now, Options, Problem, solve};
use crate::numeric::growth::{Growth, Watched, growth};
use crate::numeric::root::brent;
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// The loop.
pub(super) struct Xcp;

static PARAMETERS: [Parameter; 4] = [
    Parameter::number(
        "alpha",
        "α",
        0.4,
        Bounds::open(0.0, 1e6),
        "",
        "share of the spare bandwidth handed out in a round trip",
    ),
    Parameter::number(
        "beta",
        "β",
        0.226,
        Bounds::open(0.0, 1e6),
        "",
        "share of the standing queue taken back in a round trip",
    ),
    Parameter::number(
        "gamma",
        "γ",
        0.1,
        Bounds::open(0.0, 1.0),
        "",
        "share of the traffic shuffled between flows in a round trip",
    ),
    Parameter::quantity(
        "rtt",
        "d",
        0.1,
        Bounds::closed(1e-9, 1e6),
        Kind::Time,
        "round trip, and interval of the controller",
    ),
];

static PRESETS: [Preset; 1] = [Preset {
    name: "katabi2002",
    source: "katabi2002",
    note: None,
    values: &[],
}];

static FORMS: [Form; 2] = [
    Form {
        name: "linear",
        source: "katabi2002 eqs. 15-16",
        meaning: "the paper's linear model, in which the queue may be negative",
    },
    Form {
        name: "projected",
        source: "katabi2002 eqs. 15-16",
        meaning: "the queue stays at zero until the arrival rate exceeds the capacity: no margins, for it is not linear at rest",
    },
];

static EXPLANATION: Explanation = Explanation {
    summary: "The router hands out alpha of the spare bandwidth and takes back beta of the standing queue in every round trip. Neither the capacity nor the number of flows enters the loop.",
    equations: &[
        Equation {
            formula: "q' = y - c,  y' = -(alpha/d)(y(t-d) - c) - (beta/d^2) q(t-d)",
            source: "katabi2002 eqs. 15-16",
            meaning: "aggregate rate y and queue q",
        },
        Equation {
            formula: "L(s) = (alpha s d + beta) e^(-s d)/(s d)^2",
            source: "katabi2002 appendix B",
            meaning: "open loop",
        },
        Equation {
            formula: "0 < alpha < pi/(4 sqrt 2), beta = alpha^2 sqrt 2",
            source: "katabi2002 theorem 1",
            meaning: "stable at every delay, capacity and number of flows; on this curve the limit is exact",
        },
        Equation {
            formula: "0 < alpha < pi/2, 0 < beta < u^2 cos u with u sin u = alpha",
            source: "derived",
            meaning: "the whole region, necessary and sufficient",
        },
    ],
    ranges: &["equal, constant round trips; a loop over one link"],
    caveats: &[
        "the paper's pair has a phase margin of 12.6 degrees only",
        "the queue cannot be negative, and at rest it is zero: the projected model's region is far larger below alpha = 1.3 and smaller above 1.4",
    ],
};

/// β* = u²·cos u with u·sin u = α; `None` from α = π/2 on.
fn largest_beta(alpha: f64) -> Option<f64> {
    if alpha >= FRAC_PI_2 {
        return None;
    }
    let u = brent(&|u: f64| Ok(u * u.sin() - alpha), 0.0, FRAC_PI_2, 0.0).ok()?;
    Some(u * u * u.cos())
}

/// The paper's curve.
fn theorem(alpha: f64) -> Option<f64> {
    (alpha <= PI / (4.0 * SQRT_2)).then_some(alpha * alpha * SQRT_2)
}

impl System for Xcp {
    fn name(&self) -> &'static str {
        "xcp"
    }
    fn title(&self) -> &'static str {
        "XCP, efficiency controller"
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
        &["katabi2002"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("alpha", 0.02, 1.56, false),
            y: ("beta", 1e-3, 0.7, false),
            curve: Some((
                "theorem 1: beta = sqrt(2) alpha^2, alpha < pi/(4 sqrt 2)",
                theorem,
            )),
        }
    }
    fn build(
        &self,
        setting: &Setting,
        form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        Ok(Box::new(Loop {
            alpha: setting.get("alpha"),
            beta: setting.get("beta"),
            gamma: setting.get("gamma"),
            rtt: setting.get("rtt"),
            projected: form == "projected",
        }))
    }
}

#[derive(Clone, Copy)]
struct Loop {
    alpha: f64,
    beta: f64,
    gamma: f64,
    rtt: f64,
    projected: bool,
}

impl ControlLoop for Loop {
    fn equilibrium(&self) -> Equilibrium {
        Equilibrium::default()
            .with("utilisation", 1.0)
            .with("queue_pkt", 0.0)
            .with("fairness_time_s", self.rtt / self.gamma)
            .with("least_utilisation", self.alpha / (self.alpha + self.gamma))
    }
    fn rtt(&self) -> f64 {
        self.rtt
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        (!self.projected).then_some(OpenLoopFacts {
            unstable_poles: 0,
            poles_at_zero: 2,
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        let z = s * self.rtt;
        (z * self.alpha + self.beta) * (-z).exp() / (z * z)
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        // State 0 is y − c, state 1 the queue, in units of c and c·d.
        let d = self.rtt;
        (!self.projected).then(|| {
            LinearDelaySystem::new(2)
                .with(0, 0, d, -self.alpha / d)
                .with(0, 1, d, -self.beta / d)
                .with(1, 0, 0.0, 1.0 / d)
        })
    }
    fn published_bound(&self) -> Option<Bound> {
        let limit = PI / (4.0 * SQRT_2);
        let curve = self.alpha * self.alpha * SQRT_2;
        let on_curve = (self.beta - curve).abs() <= 0.005 * curve;
        Some(Bound {
            parameter: "alpha",
            given: Some(self.alpha),
            limit: Some(limit),
            holds: on_curve.then_some(self.alpha < limit),
            statement: format!(
                "alpha < pi/(4 sqrt 2) on the curve beta = alpha^2 sqrt 2 (here {curve:.6}{})",
                if on_curve {
                    ""
                } else {
                    ": off the curve the theorem says nothing"
                }
            ),
            source: "katabi2002 theorem 1",
            confirmed: true,
        })
    }
    fn exact_bound(&self) -> Option<Bound> {
        if self.projected {
            return None;
        }
        let limit = largest_beta(self.alpha);
        Some(Bound {
            parameter: "beta",
            given: Some(self.beta),
            limit,
            holds: Some(limit.is_some_and(|most| self.beta < most)),
            statement: if limit.is_some() {
                "beta < u^2 cos u with u sin u = alpha".into()
            } else {
                "unstable at every beta: alpha >= pi/2".into()
            },
            source: "derived",
            confirmed: true,
        })
    }
    fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.projected {
            out.push("the queue stays at zero until arrivals exceed the capacity: no linear model holds at rest, so only the integrator answers".into());
        } else {
            out.push("the linear model lets the queue be negative; with an empty queue that stays empty (form projected) the region is another one".into());
        }
        out
    }
    fn runs(&self) -> &'static str {
        if self.projected {
            "the projected model, queue never negative"
        } else {
            "the linear delay system"
        }
    }
    fn trace(&self, seconds: f64, share: f64) -> Result<Vec<[f64; 3]>> {
        if !self.projected {
            return Err(Error::NoAnswer(
                "form projected has the model to run".into(),
            ));
        }
        let mut model = Projected {
            alpha: self.alpha,
            beta: self.beta,
            empty: share <= 0.0,
        };
        let mut out = vec![[0.0, 1.0 + share, 0.0]];
        let past = |i: usize, _: f64| if i == 0 { share } else { 0.0 };
        let until = seconds / self.rtt;
        let options = Options::new(0.0, 1e-11);
        solve(&mut model, &past, (0.0, until), &options, |step| {
            let (a, b) = (step.start(), step.end());
            // Steps along polynomials are long; two hundred places in a round trip draw any curve.
            let places = (200.0 * (b - a)).ceil();
            for i in 1..=places as u32 {
                let t = a + (b - a) * f64::from(i) / places;
                out.push([t * self.rtt, 1.0 + step.state(0, t), step.state(1, t)]);
            }
        })
        .map_err(|error| Error::Numeric {
            method: "the delay solver",
            detail: error.to_string(),
        })?;
        Ok(out)
    }
    fn run(&self, round_trips: f64, doublings: u32) -> Result<Growth> {
        let watched = Watched {
            component: 0,
            rest: 0.0,
            size: 1.0,
            floor: 1e-6,
            ceiling: 1e6,
            time: round_trips,
            doublings,
        };
        let options = Options::new(0.0, 1e-9);
        let found = if self.projected {
            // A cycle may take all but a thousandth of a disturbance, so that only a run far down has enough cycles to tell. Any multiple of
            // a solution is one, so that errors are held relative to it.
            let options = Options::new(1e-8, 1e-130);
            let watched = Watched {
                floor: 1e-100,
                ..watched
            };
            let start = Projected {
                alpha: self.alpha,
                beta: self.beta,
                empty: false,
            };
            growth(&|| start, &|_, _| 1.0, &watched, &options)?
        } else {
            let unit = Self { rtt: 1.0, ..*self };
            let system = unit
                .delay_system()
                .ok_or_else(|| Error::NoAnswer("not a system of delay equations".into()))?;
            growth(&|| system.run(), &|_, _| 1.0, &watched, &options)?
        };
        Ok(Growth {
            rate: found.rate / self.rtt,
            time: found.time * self.rtt,
            ..found
        })
    }
}

/// y − c and the queue in units of c and c·d, time in units of d; the queue waits at zero while y < c.
#[derive(Debug, Clone, Copy)]
struct Projected {
    alpha: f64,
    beta: f64,
    empty: bool,
}

impl Problem for Projected {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        dx[0] = -self.alpha * history.state(0, t - 1.0) - self.beta * history.state(1, t - 1.0);
        dx[1] = if self.empty { 0.0 } else { x[0] };
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        1.0
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::constant(1.0)]
    }
    fn events(&self) -> Vec<Direction> {
        vec![Direction::Falling, Direction::Rising]
    }
    fn surfaces(&self, _t: f64, x: &[f64], _history: &History<'_>, g: &mut [f64]) {
        g[0] = if self.empty { f64::NAN } else { x[1] };
        g[1] = if self.empty { x[0] } else { f64::NAN };
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        self.empty = cause == Cause::Event(0);
        if self.empty {
            now.x[1] = 0.0;
        }
        Effect::Switch
    }
}
