//! Vegas over one bottleneck, its sign softened over a width so that it has a slope.

use super::common::{ControlLoop, Form, Group, Plane, System, capacity, flows};
use super::fast::{FORMS, WindowLoop};
use crate::error::{Error, Result};
use crate::model::{Bounds, Equation, Explanation, Kind, Parameter, Preset, Setting};

/// The loop.
pub(super) struct Vegas;

static PARAMETERS: [Parameter; 6] = [
    Parameter::number(
        "alpha",
        "α",
        2.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "fewer in the queue make the window grow",
    ),
    Parameter::number(
        "beta",
        "β",
        2.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "more in the queue make the window shrink",
    ),
    Parameter::number(
        "width",
        "δ",
        1.0,
        Bounds::open(0.0, 1e9),
        "packets",
        "error over which the step of one packet is reached; the paper's sign has width 0",
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

static PRESETS: [Preset; 2] = [
    Preset {
        name: "point",
        source: "low2002",
        note: Some("alpha = beta, so that the equilibrium is one point"),
        values: &[],
    },
    Preset {
        name: "linux",
        source: "linux tcp_vegas.c",
        note: None,
        values: &[("alpha", 2.0), ("beta", 4.0)],
    },
];

static EXPLANATION: Explanation = Explanation {
    summary: "Once a round trip the window moves by one packet towards keeping between alpha and beta packets in the queue. With its sign softened over a width it is FAST with gamma = 1/width.",
    equations: &[
        Equation {
            formula: "w' = (1/T) sgn(alpha - x q)",
            source: "brakmo1995",
            meaning: "the law in a fluid, alpha = beta",
        },
        Equation {
            formula: "w' = (1/T) (alpha - x q)/delta for |alpha - x q| < delta",
            source: "derived",
            meaning: "softened over delta packets: the linear model of FAST with gamma = 1/delta",
        },
    ],
    ranges: &["one bottleneck; base round trips known exactly; alpha in packets"],
    caveats: &[
        "the sign itself has an infinite slope: with any delay its equilibrium is left for a cycle of about a packet",
        "between alpha < beta nothing corrects the window: every queue from N alpha to N beta packets is an equilibrium",
        "alpha is packets in code and packets per second in the duality paper",
    ],
};

impl System for Vegas {
    fn name(&self) -> &'static str {
        "vegas"
    }
    fn title(&self) -> &'static str {
        "Vegas over one bottleneck, softened"
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
        &["brakmo1995", "low2002", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn plane(&self) -> Plane {
        Plane {
            x: ("rtt", 1e-3, 1.0, true),
            y: ("width", 0.05, 5.0, true),
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
        let (alpha, beta, width) = (
            setting.get("alpha"),
            setting.get("beta"),
            setting.get("width"),
        );
        if beta < alpha {
            return Err(Error::out_of_range(
                "the parameter `beta`",
                format!("`{beta}`"),
                format!("alpha = {alpha} or more"),
            ));
        }
        if beta > alpha {
            return Err(Error::NoAnswer(format!(
                "between alpha = {alpha} and beta = {beta} packets nothing corrects the window: every queue from N alpha to N beta is an equilibrium, neither left nor approached; give alpha = beta for a point"
            )));
        }
        let own = [Group {
            base_rtt: setting.get("rtt"),
            alpha: None,
            count: setting.get("flows"),
        }];
        let groups = if groups.is_empty() { &own[..] } else { groups };
        let mut link = WindowLoop::new(
            1.0 / width,
            setting.get("capacity"),
            groups
                .iter()
                .map(|g| (g.base_rtt, g.alpha.unwrap_or(alpha), g.count)),
            form,
        )?;
        link.paper = None;
        link.width = Some(width);
        link.remarks.push(format!(
            "the sign of Vegas is softened over {width} packets: FAST with gamma = {}; the sign itself is left for a cycle at any delay",
            1.0 / width
        ));
        Ok(Box::new(link))
    }
}
