//! What a control loop is: data about it, and its two faces, the open loop and the delay system.

mod tcp;

pub(super) use tcp::{Linearisation, TcpQueue};

use crate::error::{Error, Result};
use crate::model::{Bounds, Explanation, Kind, Parameter, Preset, Setting};
use crate::numeric::Complex;
use crate::numeric::characteristic::{LinearDelaySystem, ScalarDelay};
use crate::numeric::dde::Options;
use crate::numeric::growth::{Growth, Watched, growth};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// The capacity of a link.
pub(super) const fn capacity(default: f64) -> Parameter {
    Parameter::quantity(
        "capacity",
        "C",
        default,
        Bounds::open(0.0, 1e15),
        Kind::PacketRate,
        "capacity of the link",
    )
}

/// How many equal flows.
pub(super) const fn flows(default: f64) -> Parameter {
    Parameter::number(
        "flows",
        "N",
        default,
        Bounds::closed(1.0, 1e9),
        "",
        "equal flows",
    )
}

/// One number of an equilibrium: its key ends in its unit.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// One value for the loop.
    One(f64),
    /// One value for each group of flows, in their order.
    Each(Vec<f64>),
    /// No value.
    Missing,
}

/// Where the loop rests, as keys and values in reading order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Equilibrium(pub Vec<(&'static str, Quantity)>);

impl Equilibrium {
    /// Adds one number; what is not finite has no value.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: f64) -> Self {
        let quantity = if value.is_finite() {
            Quantity::One(value)
        } else {
            Quantity::Missing
        };
        self.0.push((key, quantity));
        self
    }

    /// The number under `key`, if there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<f64> {
        self.0.iter().find_map(|(name, quantity)| match quantity {
            Quantity::One(value) if *name == key => Some(*value),
            _ => None,
        })
    }
}

impl Serialize for Equilibrium {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, quantity) in &self.0 {
            match quantity {
                Quantity::One(value) => map.serialize_entry(key, value)?,
                Quantity::Each(values) => map.serialize_entry(key, values)?,
                Quantity::Missing => map.serialize_entry(key, &None::<f64>)?,
            }
        }
        map.end()
    }
}

/// A limit of one parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bound {
    /// What is limited: a parameter's key, or a quantity made of parameters.
    pub parameter: &'static str,
    /// Its value in this loop.
    pub given: Option<f64>,
    /// Its limit; `None` if there is none, or if the paper gives no number.
    pub limit: Option<f64>,
    /// Whether this loop keeps within it; `None` where the statement does not apply.
    pub holds: Option<bool>,
    /// The condition in words and letters.
    pub statement: String,
    /// Where it stands.
    pub source: &'static str,
    /// Whether the wording has been read in its source, or in a second one; an unconfirmed bound is nobody's word.
    pub confirmed: bool,
}

/// The paper's bound and the exact one.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BothBounds {
    /// As the paper states it.
    pub paper: Option<Bound>,
    /// Necessary and sufficient for the form asked about.
    pub exact: Option<Bound>,
}

/// A linearisation or a link model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The word on the command line.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it is, in one phrase.
    pub meaning: &'static str,
}

/// Equal flows among others that differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// Round trip without queues, s.
    pub base_rtt: f64,
    /// Packets that each of them keeps in the queue; `None` takes the loop's.
    pub alpha: Option<f64>,
    /// How many they are.
    pub count: f64,
}

/// Two parameters and their ranges, for a picture of where the loop is stable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// The parameter drawn to the right, its range, and whether its axis is logarithmic.
    pub x: (&'static str, f64, f64, bool),
    /// The parameter drawn upwards.
    pub y: (&'static str, f64, f64, bool),
    /// A curve that the paper draws.
    pub curve: Option<Curve>,
}

/// A curve in a plane of parameters: its label, and y for an x, `None` beyond its end.
pub type Curve = (&'static str, fn(f64) -> Option<f64>);

/// What Nyquist's criterion must know besides L(s).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenLoopFacts {
    /// Poles to the right of the imaginary axis.
    pub unstable_poles: usize,
    /// Poles at zero.
    pub poles_at_zero: usize,
}

/// A loop in the list.
pub trait System: Sync {
    /// The name on the command line.
    fn name(&self) -> &'static str;
    /// The name in prose.
    fn title(&self) -> &'static str;
    /// Its parameters.
    fn parameters(&self) -> &'static [Parameter];
    /// Its presets, the default first.
    fn presets(&self) -> &'static [Preset];
    /// Its forms, the default first.
    fn forms(&self) -> &'static [Form];
    /// Keys of the works it rests on.
    fn references(&self) -> &'static [&'static str];
    /// Equations, ranges and traps.
    fn explanation(&self) -> &'static Explanation;
    /// Two parameters for a picture of its region.
    fn plane(&self) -> Plane;
    /// Whether its flows may differ.
    fn takes_groups(&self) -> bool {
        false
    }
    /// The loop for these values.
    ///
    /// # Errors
    /// One sentence about values that do not go together.
    fn build(
        &self,
        setting: &Setting,
        form: &'static str,
        groups: &[Group],
    ) -> Result<Box<dyn ControlLoop>>;
}

/// A loop with its values. Times in seconds, queues and windows in packets.
pub trait ControlLoop {
    /// Where it rests.
    fn equilibrium(&self) -> Equilibrium;
    /// The round trip in which delay margins are counted, s.
    fn rtt(&self) -> f64;
    /// What Nyquist's criterion must know; `None` for a loop that is no L(s).
    fn open_loop(&self) -> Option<OpenLoopFacts>;
    /// L(s) for negative feedback, delays included; where flows differ det(1 + L) − 1.
    fn transfer(&self, s: Complex<f64>) -> Complex<f64>;
    /// The loop as x' = A₀·x + Σ A_k·x(t − τ_k), or `None` for one that is not linear at rest.
    fn delay_system(&self) -> Option<LinearDelaySystem>;
    /// The same as one scalar equation, where it is one.
    fn scalar(&self) -> Option<ScalarDelay> {
        None
    }
    /// Eigenvalues of the loop as a map from one update to the next, where it is one.
    fn map(&self) -> Option<Vec<f64>> {
        None
    }
    /// What the paper says.
    fn published_bound(&self) -> Option<Bound> {
        None
    }
    /// The exact bound in closed form; `None` leaves it to the gain margin of [`gain`](Self::gain).
    fn exact_bound(&self) -> Option<Bound> {
        None
    }
    /// A parameter proportional to L, with its value; `gain_factor` 1 where only several together are.
    fn gain(&self) -> Option<(&'static str, f64)> {
        None
    }
    /// What holds for every answer about this loop.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// What `run` integrates, in a few words.
    fn runs(&self) -> &'static str {
        "the linear delay system"
    }
    /// A run of the nonlinear model with its first state (window, arrival rate) off its equilibrium by `share` of it, as time in
    /// s, first state and queue in the equilibrium's units, for loops that have one.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] for a loop without one, [`Error::Numeric`] if the solver stops.
    fn trace(&self, _seconds: f64, _share: f64) -> Result<Vec<[f64; 3]>> {
        Err(Error::NoAnswer("no nonlinear model to run".into()))
    }
    /// The integrator's verdict from a run of `round_trips`, doubled up to `doublings` times while its halves disagree.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] for a loop without a delay system, [`Error::Numeric`] if the solver stops.
    fn run(&self, round_trips: f64, doublings: u32) -> Result<Growth> {
        let system = self
            .delay_system()
            .ok_or_else(|| Error::NoAnswer("not a system of delay equations".into()))?;
        growth(
            &|| system.run(),
            &|_, _| 1.0,
            &Watched {
                component: 0,
                rest: 0.0,
                size: 1.0,
                floor: 1e-8,
                ceiling: 1e6,
                time: round_trips * self.rtt(),
                doublings,
            },
            &Options::new(0.0, 1e-11),
        )
    }
}
