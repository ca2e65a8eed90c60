//! FAST over one bottleneck: w' = (γ/T)(α − x·q), under a static link, an integrating link, or as the discrete map.

use super::common::{
    Bound, ControlLoop, Equilibrium, Form, Group, OpenLoopFacts, Plane, Quantity, System, capacity,
    flows,
};
use crate::error::{Error, Result};
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::{LinearDelaySystem, ScalarDelay};
use crate::numeric::root::brent;
use crate::numeric::symmetric;
use std::f64::consts::PI;

/// The loop.
pub(super) struct Fast;

static PARAMETERS: [Parameter; 5] = [
    Parameter::number(
        "gamma",
        "γ",
        0.5,
        Bounds::open(0.0, 1e3),
        "",
        "share of the way to its target that a window goes in a round trip",
    ),
    Parameter::number(
        "alpha",
        "α",
        100.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "packets that a flow keeps in the queue",
    ),
    capacity(10_000.0),
    flows(1.0),
    Parameter::quantity(
        "rtt",
        "d",
        0.1,
        Bounds::closed(1e-9, 1e6),
        Kind::Time,
        "round trip without queues",
    ),
];

static PRESETS: [Preset; 1] = [Preset {
    name: "jin2004",
    source: "jin2004",
    note: None,
    values: &[],
}];

pub(super) static FORMS: [Form; 3] = [
    Form {
        name: "static",
        source: "derived",
        meaning: "the queue is what the windows do not leave in flight, seen one round trip late",
    },
    Form {
        name: "integrator",
        source: "derived",
        meaning: "the queue integrates arrivals less capacity, seen one round trip late",
    },
    Form {
        name: "discrete",
        source: "derived",
        meaning: "one update of every window at a time over the static link, without further delay",
    },
];

static EXPLANATION: Explanation = Explanation {
    summary: "Every flow moves its window towards the one that keeps alpha packets in the queue. What is published about its stability hangs on the model of the link, so each is offered.",
    equations: &[
        Equation {
            formula: "w' = (gamma/T)(alpha - x q),  x = w/T,  T = d + q",
            source: "jin2004",
            meaning: "the law in a fluid, in each round trip",
        },
        Equation {
            formula: "z/gamma + theta + (1 - theta) e^(-z) = 0,  z = s T, theta = q/T",
            source: "derived",
            meaning: "static link: stable iff gamma < u/((1 - theta) sin u), cos u = -theta/(1 - theta); always from theta = 1/2 on",
        },
        Equation {
            formula: "z/gamma + theta + (1 - theta) e^(-z)/(1 + z) = 0",
            source: "derived",
            meaning: "integrating link",
        },
        Equation {
            formula: "L(s) = sum_i gamma (w_i d_i/T_i^2) e^(-s T_i)/(s T_i + gamma theta_i) v_i,  v_i = (1/T_i)/sum_k (w_k/T_k^2)",
            source: "derived",
            meaning: "flows that differ, static link: det(1 + L) - 1, for the queue is one number",
        },
        Equation {
            formula: "J = diag(1 - gamma + gamma d_i/T_i) - gamma u v',  u_i = w_i d_i/T_i^2",
            source: "derived",
            meaning: "the discrete map: eigenvalues real, in [1 - gamma, max(1 - gamma + gamma d_i/T_i)), so stable for 0 < gamma < 2",
        },
    ],
    ranges: &["one bottleneck with a queue; base round trips known exactly"],
    caveats: &[
        "the static link makes gamma <= 1 stable at any delay, the integrating link allows up to 1.135 when the queue is short",
        "the cap of doubling, the multiplicative increase and the filter of the round trip are left out",
    ],
};

impl System for Fast {
    fn name(&self) -> &'static str {
        "fast"
    }
    fn title(&self) -> &'static str {
        "FAST TCP over one bottleneck"
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
        &["jin2004", "wang2005", "jacobsson2009"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("alpha", 1.0, 3000.0, true),
            y: ("gamma", 0.05, 20.0, true),
            curve: None,
        }
    }
    fn takes_groups(&self) -> bool {
        true
    }
    fn build(
        &self,
        setting: &Setting,
        form: &'static str,
        groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        let alpha = setting.get("alpha");
        let own = [Group {
            base_rtt: setting.get("rtt"),
            alpha: None,
            count: setting.get("flows"),
        }];
        let groups = if groups.is_empty() { &own[..] } else { groups };
        let link = WindowLoop::new(
            setting.get("gamma"),
            setting.get("capacity"),
            groups
                .iter()
                .map(|g| (g.base_rtt, g.alpha.unwrap_or(alpha), g.count)),
            form,
        )?;
        Ok(Box::new(link))
    }
}

/// Windows that each keep some packets in one queue; Vegas, its sign softened, is one too.
pub(super) struct WindowLoop {
    gamma: f64,
    capacity: f64,
    queue: f64,
    form: &'static str,
    flows: Vec<Member>,
    /// What an owner adds.
    pub remarks: Vec<String>,
    /// The paper's statement.
    pub paper: Option<Bound>,
    /// The width of a softened sign, whose inverse γ is.
    pub width: Option<f64>,
}

/// Equal flows at rest.
struct Member {
    base: f64,
    alpha: f64,
    count: f64,
    rtt: f64,
    window: f64,
}

impl WindowLoop {
    /// With flows of base round trip, packets kept in the queue, and number; γ as gain on `alpha - x q` in a round trip.
    pub fn new(
        gamma: f64,
        capacity: f64,
        flows: impl Iterator<Item = (f64, f64, f64)> + Clone,
        form: &'static str,
    ) -> Result<Self> {
        let queue = flows.clone().map(|(_, alpha, n)| n * alpha).sum::<f64>() / capacity;
        let flows: Vec<Member> = flows
            .map(|(base, alpha, count)| Member {
                base,
                alpha,
                count,
                rtt: base + queue,
                window: alpha / queue * (base + queue),
            })
            .collect();
        if !(queue.is_finite() && queue > 0.0) {
            return Err(Error::Arguments(
                "flows that keep packets in the queue are needed".into(),
            ));
        }
        let statement = match form {
            "integrator" => (
                "linearly stable on one bottleneck for any distribution of round trips, under a link model between the two offered here",
                "jacobsson2009 abstract",
            ),
            _ => (
                "the discrete model over the static link is locally stable when all flows have the same delay, however large",
                "wang2005 abstract",
            ),
        };
        Ok(Self {
            gamma,
            capacity,
            queue,
            form,
            flows,
            remarks: Vec::new(),
            paper: Some(Bound {
                parameter: "gamma",
                given: Some(gamma),
                limit: None,
                holds: None,
                statement: statement.0.into(),
                source: statement.1,
                confirmed: true,
            }),
            width: None,
        })
    }

    /// θ = q/T of flows that are all equal.
    fn theta(&self) -> Option<f64> {
        let first = self.flows.first()?;
        let equal = |m: &Member| m.base == first.base && m.alpha == first.alpha;
        self.flows.iter().all(equal).then(|| self.queue / first.rtt)
    }

    fn integrates(&self) -> bool {
        self.form == "integrator"
    }

    /// Σ w/T² over all flows.
    fn stiffness(&self) -> f64 {
        let each = self
            .flows
            .iter()
            .map(|m| m.count * m.window / (m.rtt * m.rtt));
        each.sum()
    }

    /// The largest stable γ for equal flows of this θ; `None` if every γ is stable.
    fn largest(&self, theta: f64) -> Option<f64> {
        if self.integrates() {
            largest_integrating(theta)
        } else {
            largest_static(theta)
        }
    }
}

/// γ = u/((1 − θ)·sin u), cos u = −θ/(1 − θ); `None` from θ = 1/2 on, where every γ is stable.
fn largest_static(theta: f64) -> Option<f64> {
    (theta < 0.5).then(|| {
        let u = (-theta / (1.0 - theta)).acos();
        u / ((1.0 - theta) * u.sin())
    })
}

/// The smallest γ with z = iu on the axis: (1 + iu)(iu/γ + θ) = −(1 − θ)e^(−iu). Imaginary part u/γ + θu = (1 − θ) sin u, real part
/// θ − u²/γ = −(1 − θ) cos u, so that θ(1 + u²) = (1 − θ)(u·sin u − cos u).
fn largest_integrating(theta: f64) -> Option<f64> {
    let level = |u: f64| (1.0 - theta) * (u * u.sin() - u.cos()) - theta * (1.0 + u * u);
    let gamma = |u: f64| {
        let rate = (1.0 - theta) * u.sin() / u - theta;
        (rate > 0.0).then(|| 1.0 / rate)
    };
    let steps = 2000;
    let at = |i: u32| 2.0 * PI * f64::from(i) / f64::from(steps);
    (1..steps)
        .filter(|i| (level(at(*i)) > 0.0) != (level(at(i + 1)) > 0.0))
        .filter_map(|i| brent(&|u| Ok(level(u)), at(i), at(i + 1), 0.0).ok())
        .filter_map(gamma)
        .reduce(f64::min)
}

impl ControlLoop for WindowLoop {
    fn equilibrium(&self) -> Equilibrium {
        let each = |f: &dyn Fn(&Member) -> f64| Quantity::Each(self.flows.iter().map(f).collect());
        let mut out = Equilibrium::default()
            .with("queueing_delay_s", self.queue)
            .with("queue_pkt", self.queue * self.capacity);
        out.0.push(("rates_pps", each(&|m| m.window / m.rtt)));
        out.0.push(("windows_pkt", each(&|m| m.window)));
        out.0.push(("rtts_s", each(&|m| m.rtt)));
        out
    }
    fn rtt(&self) -> f64 {
        self.flows.iter().map(|m| m.rtt).fold(0.0, f64::max)
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        (self.form != "discrete").then_some(OpenLoopFacts {
            unstable_poles: 0,
            poles_at_zero: 0,
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        let stiffness = self.stiffness();
        let link = if self.integrates() {
            s * self.capacity + stiffness
        } else {
            Complex::new(stiffness, 0.0)
        };
        self.flows
            .iter()
            .map(|m| {
                let seen = self.gamma * m.window * m.base / (m.rtt * m.rtt);
                let own = s * m.rtt + self.gamma * self.queue / m.rtt;
                (-s * m.rtt).exp() * (m.count * seen / m.rtt) / (own * link)
            })
            .sum()
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        if self.form == "discrete" {
            return None;
        }
        // One state for the window of each group, one more for the difference of two of its flows, and the queue.
        let n = self.flows.len();
        let twins: Vec<usize> = (0..n).filter(|i| self.flows[*i].count > 1.0).collect();
        let queue = n + twins.len();
        let stiffness = self.stiffness();
        let mut system = LinearDelaySystem::new(queue + usize::from(self.integrates()));
        for (i, m) in self.flows.iter().enumerate() {
            let own = self.gamma * self.queue / (m.rtt * m.rtt);
            let seen = self.gamma * m.window * m.base / (m.rtt * m.rtt * m.rtt);
            system = system.with(i, i, 0.0, -own);
            if let Some(place) = twins.iter().position(|twin| *twin == i) {
                system = system.with(n + place, n + place, 0.0, -own);
            }
            if self.integrates() {
                system = system.with(i, queue, m.rtt, -seen / self.capacity).with(
                    queue,
                    i,
                    0.0,
                    m.count / m.rtt,
                );
            } else {
                for (j, other) in self.flows.iter().enumerate() {
                    let pushes = other.count / other.rtt / stiffness;
                    system = system.with(i, j, m.rtt, -seen * pushes);
                }
            }
        }
        if self.integrates() {
            system = system.with(queue, queue, 0.0, -stiffness / self.capacity);
        }
        Some(system)
    }
    fn scalar(&self) -> Option<ScalarDelay> {
        let [only] = self.flows.as_slice() else {
            return None;
        };
        (self.form == "static" && only.count == 1.0).then(|| {
            let theta = self.queue / only.rtt;
            ScalarDelay {
                a: self.gamma * theta / only.rtt,
                b: self.gamma * (1.0 - theta) / only.rtt,
                delay: only.rtt,
            }
        })
    }
    fn map(&self) -> Option<Vec<f64>> {
        if self.form != "discrete" {
            return None;
        }
        // diag − γuv' is similar to the symmetric diag − γ√(uv)√(uv)'; equal flows enter as one, and their differences as
        // one more eigenvalue of each group.
        let stiffness = self.stiffness();
        let n = self.flows.len();
        let diagonal: Vec<f64> = self
            .flows
            .iter()
            .map(|m| 1.0 - self.gamma + self.gamma * m.base / m.rtt)
            .collect();
        let root: Vec<f64> = self
            .flows
            .iter()
            .map(|m| {
                let u = m.window * m.base / (m.rtt * m.rtt);
                (u * m.count / m.rtt / stiffness).sqrt()
            })
            .collect();
        let mut out = symmetric::eigenvalues(n, |i, j| {
            let own = if i == j { diagonal[i] } else { 0.0 };
            own - self.gamma * root[i] * root[j]
        });
        for (m, own) in self.flows.iter().zip(&diagonal) {
            if m.count > 1.0 {
                out.push(*own);
            }
        }
        out.sort_by(f64::total_cmp);
        Some(out)
    }
    fn published_bound(&self) -> Option<Bound> {
        self.paper.clone()
    }
    fn exact_bound(&self) -> Option<Bound> {
        let name = |most: Option<f64>| match self.width {
            Some(width) => ("width", width, most.map(f64::recip)),
            None => ("gamma", self.gamma, most),
        };
        if self.form == "discrete" {
            let (parameter, given, limit) = name(Some(2.0));
            return Some(Bound {
                parameter,
                given: Some(given),
                limit,
                holds: Some(self.gamma < 2.0),
                statement: "gamma < 2 is enough for any flows; necessary where the eigenvalue 1 - gamma is one of the map's (equal flows)".into(),
                source: "derived",
                confirmed: true,
            });
        }
        let limit = self.largest(self.theta()?);
        let (parameter, given, named) = name(limit);
        Some(Bound {
            parameter,
            given: Some(given),
            limit: named,
            holds: Some(limit.is_none_or(|most| self.gamma < most)),
            statement: match (limit, self.integrates()) {
                (None, _) => "stable at every gamma, for so long a queue".into(),
                (_, true) => "1/gamma > (1 - theta) sin u/u - theta, theta (1 + u^2) = (1 - theta)(u sin u - cos u)".into(),
                (_, false) => "gamma < u/((1 - theta) sin u), cos u = -theta/(1 - theta)".into(),
            },
            source: "derived",
            confirmed: true,
        })
    }
    fn gain(&self) -> Option<(&'static str, f64)> {
        None
    }
    fn notes(&self) -> Vec<String> {
        self.remarks.clone()
    }
}
