//! From a number to a share of an axis: zero at its lower end, one at its upper.

use super::refusal;
use crate::error::Result;
use crate::figures::figure::{Axis, Scale};

/// Shares beyond this many lengths of the axis are all alike: far outside, but still a number.
const FAR: f64 = 1e9;

/// A checked axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ruler {
    pub scale: Scale,
    /// Both ends, on a logarithmic axis their base-10 logarithms.
    pub low: f64,
    pub high: f64,
}

impl Ruler {
    /// Checks an axis; `whose` names it in the refusal.
    pub fn new(axis: &Axis, whose: &str) -> Result<Self> {
        let (from, to) = axis.range;
        if !from.is_finite() || !to.is_finite() {
            return refusal(format!(
                "{whose} has a range that is not finite: {from} to {to}"
            ));
        }
        if from >= to {
            return refusal(format!(
                "{whose} needs a range whose first end is below its second, not {from:?} to {to:?}"
            ));
        }
        let (low, high) = match axis.scale {
            Scale::Linear | Scale::Names(_) => (from, to),
            Scale::Log if from <= 0.0 => {
                return refusal(format!(
                    "{whose} is logarithmic and needs a positive range, not {from:?} to {to:?}"
                ));
            }
            Scale::Log => (from.log10(), to.log10()),
        };
        let span = high - low;
        let enough = 1e-9 * low.abs().max(high.abs());
        if span <= enough || !(1e-290..1e290).contains(&span) {
            return refusal(format!(
                "{whose} has a range that is too narrow or too wide to draw: {from:?} to {to:?}"
            ));
        }
        Ok(Self {
            scale: axis.scale,
            low,
            high,
        })
    }

    /// Where a number stands; nothing if it has no place on any axis of this scale.
    pub fn share(&self, number: f64) -> Option<f64> {
        let mapped = match self.scale {
            Scale::Linear | Scale::Names(_) => number,
            Scale::Log if number > 0.0 => number.log10(),
            Scale::Log => return None,
        };
        if !number.is_finite() {
            return None;
        }
        Some(self.share_of_mapped(mapped).clamp(-FAR, FAR))
    }

    /// Where a number stands whose logarithm, on a logarithmic axis, was taken already.
    pub fn share_of_mapped(&self, mapped: f64) -> f64 {
        // Halves keep the difference of the largest numbers finite.
        (mapped / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
    }

    pub fn span(&self) -> f64 {
        self.high - self.low
    }
}

/// Both axes of a panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plane {
    pub x: Ruler,
    pub y: Ruler,
}

impl Plane {
    /// Both shares of a point.
    pub fn shares(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x.share(x)?, self.y.share(y)?))
    }
}
