//! Where a parameter changes the verdict, by each road.

use super::answer::{Edge, dominant, longest_delay};
use super::{Patience, Way};
use crate::error::{Error, Result};
use crate::numeric::Complex;
use crate::numeric::characteristic::{Axis, boundaries};
use crate::numeric::margins::OpenLoop;
use crate::systems::{Chosen, ControlLoop};
use serde::Serialize;

/// A parameter and its ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// The key.
    pub parameter: String,
    /// Smaller end.
    pub from: f64,
    /// Larger end.
    pub to: f64,
}

/// Places looked at between the ends; two changes between neighbours are not seen.
const PLACES: usize = 33;

impl Sweep {
    /// Reads `PARAMETER=A..B`, both in the parameter's own unit.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Unknown`] for a key that the loop does not have, whatever its value says.
    pub fn parse(chosen: &Chosen, text: &str) -> Result<Self> {
        let bad = || Error::malformed("sweep", text, "PARAMETER=A..B, such as beta=0.1..0.6");
        let (key, range) = text.split_once('=').ok_or_else(bad)?;
        let (from, to) = range.split_once("..").ok_or_else(bad)?;
        let key = key.trim();
        let parameters = chosen.system.parameters();
        let parameter = parameters
            .iter()
            .find(|p| p.key == key)
            .ok_or_else(|| Error::unknown("key", key, parameters.iter().map(|p| p.key)))?;
        let (a, b) = (parameter.parse(from)?, parameter.parse(to)?);
        if a == b {
            return Err(Error::malformed("sweep", text, "two different ends"));
        }
        Ok(Self {
            parameter: key.to_owned(),
            from: a.min(b),
            to: a.max(b),
        })
    }
}

/// The number that is negative where the road says stable.
fn excess(looped: &dyn ControlLoop, way: Way, patience: &Patience) -> Result<f64> {
    match way {
        Way::Margin => {
            let facts = looped
                .open_loop()
                .ok_or_else(|| Error::NoAnswer("no open loop L(s)".into()))?;
            let transfer = |s: Complex<f64>| looped.transfer(s);
            let open = OpenLoop {
                transfer: &transfer,
                dead_time: longest_delay(looped),
                unstable_poles: facts.unstable_poles,
                poles_at_zero: facts.poles_at_zero,
            };
            Ok(if open.count()? == 0 { -1.0 } else { 1.0 })
        }
        Way::Root => match looped.map() {
            Some(map) => Ok(map.iter().map(|x| x.abs()).fold(0.0, f64::max) - 1.0),
            None => dominant(looped).map(|(root, _)| root.value.re),
        },
        Way::Fluid => looped.run(patience.round_trips, 0).map(|found| found.rate),
    }
}

/// Every change of the verdict between the ends: by roots and by Nyquist's criterion to rounding, by the integrator's rate of
/// growth to 1e-6 of the value.
///
/// # Errors
/// What the loop says about values that do not go together.
pub fn edges(chosen: &Chosen, way: Way, sweep: &Sweep, patience: &Patience) -> Result<Vec<Edge>> {
    let axis = if sweep.from > 0.0 {
        Axis::Log
    } else {
        Axis::Linear
    };
    let measure = |x: f64| {
        let looped = chosen.with(&sweep.parameter, x)?.build()?;
        excess(looped.as_ref(), way, patience)
    };
    let tolerance = match way {
        Way::Fluid => 1e-6,
        Way::Margin | Way::Root => 1e-13,
    };
    let measure: &dyn Fn(f64) -> Result<f64> = match way {
        // On the boundary itself the curve passes through −1, and counts as either.
        Way::Margin => &|x| match measure(x) {
            Err(Error::Numeric { .. }) => Ok(1.0),
            other => other,
        },
        Way::Root | Way::Fluid => &measure,
    };
    let grid = axis.spread(sweep.from, sweep.to, PLACES);
    Ok(boundaries(measure, &grid, tolerance)?
        .into_iter()
        .map(|crossing| Edge {
            value: crossing.value,
            stable_below: crossing.stable_below,
        })
        .collect())
}
