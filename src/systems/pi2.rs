//! PI2: a linear controller of the queueing delay whose output is squared for Reno, and coupled to scalable flows as it is.

use super::common::{ControlLoop, Equilibrium, Form, Group, Plane, System};
use super::pie::DelayControl;
use crate::error::{Error, Result};
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};
use std::f64::consts::{FRAC_PI_2, SQRT_2};

/// The loop.
pub(super) struct Pi2;

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
        "p",
        "p'",
        0.1,
        Bounds::open(0.0, 1.0),
        "",
        "output of the controller at equilibrium; Reno is dropped with p'^2, scalable flows are marked with k p'",
    ),
    Parameter::number(
        "alpha",
        "α",
        41.0 / 256.0,
        Bounds::open(0.0, 1e6),
        "1/s",
        "gain on the delay's error at each update",
    ),
    Parameter::number(
        "beta",
        "β",
        819.0 / 256.0,
        Bounds::open(0.0, 1e6),
        "1/s",
        "gain on the delay's change between updates",
    ),
    Parameter::quantity(
        "update",
        "T_u",
        0.016,
        Bounds::open(0.0, 1e3),
        Kind::Time,
        "time between updates",
    ),
    Parameter::number(
        "k",
        "k",
        2.0,
        Bounds::open(0.0, 1e3),
        "",
        "coupling to scalable flows",
    ),
];

static PRESETS: [Preset; 2] = [
    Preset {
        name: "linux",
        source: "linux sch_dualpi2.c",
        note: Some("alpha = 41/256, beta = 819/256"),
        values: &[],
    },
    Preset {
        name: "round",
        source: "rfc9332",
        note: Some("alpha/T_u = 10, beta = 3.2"),
        values: &[("alpha", 0.16), ("beta", 3.2)],
    },
];

static FORMS: [Form; 4] = [
    Form {
        name: "reno",
        source: "derived",
        meaning: "Reno dropped with p'^2, its window with one pole at sqrt(2) p'/R",
    },
    Form {
        name: "reno-mgt",
        source: "derived",
        meaning: "the same with the window's own delay, as in the model of Misra, Gong and Towsley",
    },
    Form {
        name: "scalable",
        source: "derived",
        meaning: "flows that a mark makes fall by half a packet, marked with k p'",
    },
    Form {
        name: "scalable-low",
        source: "derived",
        meaning: "the same with the window's pole undelayed",
    },
];

static EXPLANATION: Explanation = Explanation {
    summary: "Squaring the controller's output takes the load out of Reno's loop gain, so that no table is needed.",
    equations: &[
        Equation {
            formula: "C(s) = beta + alpha/(s T_u)",
            source: "deschepper2016",
            meaning: "the controller",
        },
        Equation {
            formula: "L(s) = C(s) (sqrt 2/R) e^(-s R)/((s + sqrt 2 p'/R)(s + 1/R))",
            source: "derived",
            meaning: "Reno; reno-mgt has s + (1 + e^(-s R))/(R W), W = sqrt 2/p'",
        },
        Equation {
            formula: "L(s) = C(s) (k/(2R)) e^(-s R)/((s + (k p'/2R) e^(-s R))(s + 1/R))",
            source: "derived",
            meaning: "scalable flows, W = 2/(k p')",
        },
    ],
    ranges: &["the queue neither empties nor overflows; updates much shorter than the round trip"],
    caveats: &[
        "a margin of 10 dB at a round trip of 100 ms, as a kernel comment has it, is not what this loop gives at small p'",
    ],
};

impl System for Pi2 {
    fn name(&self) -> &'static str {
        "pi2"
    }
    fn title(&self) -> &'static str {
        "Reno or scalable flows with PI2"
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
        &["deschepper2016", "rfc9332", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("p", 1e-3, 1.0 - 1e-9, true),
            y: ("rtt", 5e-3, 1.0, true),
            curve: None,
        }
    }
    fn build(
        &self,
        setting: &Setting,
        form: &'static str,
        _groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>> {
        let (r, p, k) = (setting.get("rtt"), setting.get("p"), setting.get("k"));
        let marked = k * p;
        let (drive, pole, late, window) = match form {
            "reno-mgt" => {
                let half = p / (SQRT_2 * r);
                (SQRT_2 / r, half, half, SQRT_2 / p)
            }
            "scalable" => (k / (2.0 * r), 0.0, marked / (2.0 * r), 2.0 / marked),
            "scalable-low" => (k / (2.0 * r), marked / (2.0 * r), 0.0, 2.0 / marked),
            _ => (SQRT_2 / r, SQRT_2 * p / r, 0.0, SQRT_2 / p),
        };
        let scalable = form.starts_with("scalable");
        if scalable && marked >= 1.0 {
            return Err(Error::Arguments(format!(
                "k p' = {marked} is no marking probability: give p below 1/k = {}",
                1.0 / k
            )));
        }
        debug_assert!(late * r < FRAC_PI_2, "the open loop is stable");
        Ok(Box::new(DelayControl {
            rtt: r,
            straight: setting.get("beta"),
            integral: setting.get("alpha") / setting.get("update"),
            drive,
            pole,
            late,
            equilibrium: Equilibrium::default()
                .with("loss", if scalable { marked } else { p * p })
                .with("window_pkt", window)
                .with("rtt_s", r),
        }))
    }
}
