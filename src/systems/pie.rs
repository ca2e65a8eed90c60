//! Reno under PIE: a proportional-integral controller of the queueing delay, its gains scaled by a table.

use super::common::{ControlLoop, Equilibrium, Form, Group, OpenLoopFacts, Plane, System};
use crate::error::Result;
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::LinearDelaySystem;

/// The loop.
pub(super) struct Pie;

static PARAMETERS: [Parameter; 6] = [
    Parameter::quantity(
        "rtt",
        "R",
        0.1,
        Bounds::closed(1e-9, 1e6),
        Kind::Time,
        "round trip at equilibrium, queue included",
    ),
    Parameter::number(
        "loss",
        "p",
        0.01,
        Bounds::open(0.0, 1.0),
        "",
        "drop probability at equilibrium",
    ),
    Parameter::number(
        "alpha",
        "α",
        0.125,
        Bounds::open(0.0, 1e6),
        "1/s",
        "gain on the delay's error at each update",
    ),
    Parameter::number(
        "beta",
        "β",
        1.25,
        Bounds::open(0.0, 1e6),
        "1/s",
        "gain on the delay's change between updates",
    ),
    Parameter::quantity(
        "update",
        "T_u",
        0.015,
        Bounds::open(0.0, 1e3),
        Kind::Time,
        "time between updates",
    ),
    Parameter {
        key: "scaled",
        symbol: "",
        default: 1.0,
        bounds: Bounds::closed(0.0, 1.0),
        kind: Kind::Switch,
        unit: "",
        meaning: "both gains scaled down at small p by the table",
    },
];

static PRESETS: [Preset; 1] = [Preset {
    name: "rfc8033",
    source: "rfc8033",
    note: None,
    values: &[],
}];

static FORMS: [Form; 1] = [Form {
    name: "low",
    source: "derived",
    meaning: "Reno's window with one pole at sqrt(2p)/R, large windows",
}];

static EXPLANATION: Explanation = Explanation {
    summary: "The drop probability follows the queueing delay's error and its change; because Reno's loop gain grows as p^(-1/2), a table scales both gains with p.",
    equations: &[
        Equation {
            formula: "p += alpha (tau - tau_ref) + beta (tau - tau_old) every T_u, both scaled",
            source: "rfc8033",
            meaning: "the controller: C(s) = beta + alpha/(s T_u)",
        },
        Equation {
            formula: "L(s) = C(s) (1/(R sqrt(2p))) e^(-s R)/((s + sqrt(2p)/R)(s + 1/R))",
            source: "derived",
            meaning: "the loop; neither capacity nor the number of flows enters it but through p",
        },
        Equation {
            formula: "scale: 1/2, 1/8, 1/32, 1/128, 1/512, 1/2048 for p < 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6",
            source: "rfc8033",
            meaning: "the table, in effect from each value downwards",
        },
    ],
    ranges: &[
        "the queue neither empties nor overflows; no bound on the step of p; updates much shorter than the round trip",
    ],
    caveats: &[
        "at R = 100 ms the defaults are unstable below p of about 3e-3, and just above a step of the table",
    ],
};

impl System for Pie {
    fn name(&self) -> &'static str {
        "pie"
    }
    fn title(&self) -> &'static str {
        "Reno with PIE"
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
        &["rfc8033"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("loss", 1e-6, 0.5, true),
            y: ("rtt", 5e-3, 1.0, true),
            curve: None,
        }
    }
    fn build(
        &self,
        setting: &Setting,
        _form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        let loss = setting.get("loss");
        let scale = if setting.on("scaled") {
            scale(loss)
        } else {
            1.0
        };
        let (r, root) = (setting.get("rtt"), (2.0 * loss).sqrt());
        Ok(Box::new(DelayControl {
            rtt: r,
            straight: setting.get("beta") * scale,
            integral: setting.get("alpha") * scale / setting.get("update"),
            drive: 1.0 / (r * root),
            pole: root / r,
            late: 0.0,
            equilibrium: Equilibrium::default()
                .with("loss", loss)
                .with("window_pkt", 2.0 / root)
                .with("rtt_s", r)
                .with("gain_scale", scale),
        }))
    }
}

/// What the table leaves of both gains at p.
fn scale(p: f64) -> f64 {
    [0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]
        .into_iter()
        .zip([2.0, 8.0, 32.0, 128.0, 512.0, 2048.0])
        .filter(|(below, _)| p < *below)
        .map(|(_, divisor)| 1.0 / divisor)
        .fold(1.0, f64::min)
}

/// A proportional-integral controller of the queueing delay over a window with one pole, `pole` + `late`·e^(−sR).
pub(super) struct DelayControl {
    pub rtt: f64,
    /// Proportional gain, 1/s.
    pub straight: f64,
    /// Integral gain, 1/s².
    pub integral: f64,
    /// How fast the queueing delay's growth falls with the controller's output, before both poles.
    pub drive: f64,
    pub pole: f64,
    pub late: f64,
    pub equilibrium: Equilibrium,
}

impl ControlLoop for DelayControl {
    fn equilibrium(&self) -> Equilibrium {
        self.equilibrium.clone()
    }
    fn rtt(&self) -> f64 {
        self.rtt
    }
    fn open_loop(&self) -> Option<OpenLoopFacts> {
        Some(OpenLoopFacts {
            unstable_poles: 0,
            poles_at_zero: 1,
        })
    }
    fn transfer(&self, s: Complex<f64>) -> Complex<f64> {
        let late = (-s * self.rtt).exp();
        let control = Complex::new(self.straight, 0.0) + self.integral / s;
        control * self.drive * late / ((s + self.pole + late * self.late) * (s + 1.0 / self.rtt))
    }
    fn delay_system(&self) -> Option<LinearDelaySystem> {
        // State 0 the relative window over R, 1 the queueing delay, 2 its integral in units of R.
        let r = self.rtt;
        let mut system = LinearDelaySystem::new(3)
            .with(0, 0, 0.0, -self.pole)
            .with(0, 1, r, -self.drive * self.straight)
            .with(0, 2, r, -self.drive * self.integral * r)
            .with(1, 0, 0.0, 1.0)
            .with(1, 1, 0.0, -1.0 / r)
            .with(2, 1, 0.0, 1.0 / r);
        if self.late != 0.0 {
            system = system.with(0, 0, r, -self.late);
        }
        Some(system)
    }
    fn gain(&self) -> Option<(&'static str, f64)> {
        Some(("gain_factor", 1.0))
    }
}
