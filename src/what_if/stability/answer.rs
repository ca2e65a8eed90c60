//! One answer for each road.

use super::Patience;
use crate::error::{Error, Result};
use crate::numeric::Complex;
use crate::numeric::characteristic::{Root, rightmost};
use crate::numeric::margins::{Margins, OpenLoop};
use crate::systems::{BothBounds, Bound, ControlLoop, Equilibrium};
use serde::Serialize;

/// A root in the complex plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComplexRoot {
    /// Real part, 1/s: negative for decay.
    pub re: f64,
    /// Imaginary part, rad/s, of a pair the positive one.
    pub im: f64,
}

/// Where stability changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Edge {
    /// The parameter there.
    pub value: f64,
    /// Whether smaller values are stable.
    pub stable_below: bool,
}

/// The verdict of one road. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StabilityAnswer {
    /// `margin`, `root` or `fluid`.
    pub road: &'static str,
    /// The linearisation or link model.
    pub form: &'static str,
    /// Whether it settles after a disturbance.
    pub stable: Option<bool>,
    /// Degrees between the phase and −180 at the crossover nearest to it; negative when unstable.
    pub phase_margin_deg: Option<f64>,
    /// The nearest factor of the gain at which stability changes.
    pub gain_margin: Option<f64>,
    /// Extra delay, in round trips of the loop, that ends stability; negative: what has to go.
    pub delay_margin_rtts: Option<f64>,
    /// The highest frequency at which the gain is 1.
    pub crossover_rad_s: Option<f64>,
    /// Every frequency at which the gain is 1.
    pub gain_crossovers_rad_s: Vec<f64>,
    /// The first frequencies at which the loop is negative real, while its gain is more than 0.001; at most eight.
    pub phase_crossovers_rad_s: Vec<f64>,
    /// Roots to the right of the imaginary axis.
    pub unstable_roots: Option<usize>,
    /// The root farthest to the right.
    pub dominant_root: Option<ComplexRoot>,
    /// Whether another root is so near that double precision does not place it to ten digits.
    pub nearly_double: Option<bool>,
    /// Eigenvalues of a map from one update to the next.
    pub eigenvalues: Vec<f64>,
    /// Measured rate of growth, 1/s.
    pub growth_per_s: Option<f64>,
    /// Length of the run that decided, s.
    pub run_s: Option<f64>,
    /// The paper's bound and the exact one.
    pub bound: BothBounds,
    /// Where it rests.
    pub equilibrium: Equilibrium,
    /// Where the swept parameter changes the verdict.
    pub boundaries: Option<Vec<Edge>>,
    /// Where the form comes from.
    pub source: Option<&'static str>,
    /// What to know about it.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

impl StabilityAnswer {
    pub(super) fn add_reason(&mut self, more: &str) {
        self.reason = Some(match self.reason.take() {
            None => more.to_owned(),
            Some(text) => format!("{text}; {more}"),
        });
    }

    fn without(reason: &str) -> Self {
        Self {
            reason: Some(reason.to_owned()),
            ..Self::default()
        }
    }
}

const NO_LOOP: &str = "no open loop L(s): not linear at rest, or a map";
const AT_MARGIN: &str = "roots are the road root's, growth the road fluid's";
const AT_ROOT: &str = "margins are the road margin's, growth the road fluid's";
const AT_FLUID: &str = "margins are the road margin's, roots the road root's";

/// Margins of the loop, or `None` where it is no L(s).
pub(super) fn margins(looped: &dyn ControlLoop) -> Option<Result<Margins>> {
    let facts = looped.open_loop()?;
    let transfer = |s: Complex<f64>| looped.transfer(s);
    let open = OpenLoop {
        transfer: &transfer,
        dead_time: longest_delay(looped),
        unstable_poles: facts.unstable_poles,
        poles_at_zero: facts.poles_at_zero,
    };
    Some(open.margins())
}

/// The longest delay of the loop, s.
pub(super) fn longest_delay(looped: &dyn ControlLoop) -> f64 {
    looped
        .delay_system()
        .map_or_else(|| looped.rtt(), |system| system.longest_delay())
}

/// The paper's bound and the exact one, which where no closed form is known is the gain times its margin.
pub(super) fn bounds(looped: &dyn ControlLoop) -> BothBounds {
    let exact = looped.exact_bound().or_else(|| {
        let (parameter, given) = looped.gain()?;
        let margins = margins(looped)?.ok()?;
        let limit = margins.gain_margin.map(|factor| given * factor);
        Some(Bound {
            parameter,
            given: Some(given),
            limit,
            holds: Some(margins.stable),
            statement: "the gain at which Nyquist's curve passes through -1".into(),
            source: "derived",
            confirmed: true,
        })
    });
    BothBounds {
        paper: looped.published_bound(),
        exact,
    }
}

pub(super) fn margin(looped: &dyn ControlLoop) -> StabilityAnswer {
    let found = match margins(looped) {
        None => return StabilityAnswer::without(NO_LOOP),
        Some(Err(error)) => return StabilityAnswer::without(&error.to_string()),
        Some(Ok(found)) => found,
    };
    let rtt = looped.rtt();
    let mut reasons = found.reasons;
    reasons.push(AT_MARGIN.into());
    StabilityAnswer {
        stable: Some(found.stable),
        phase_margin_deg: found.phase_margin.map(f64::to_degrees),
        gain_margin: found.gain_margin,
        delay_margin_rtts: found.delay_margin.map(|s| s / rtt),
        crossover_rad_s: found.gain_crossovers.last().map(|place| place.omega),
        gain_crossovers_rad_s: found.gain_crossovers.iter().map(|p| p.omega).collect(),
        phase_crossovers_rad_s: found
            .phase_crossovers
            .iter()
            .map(|p| p.omega)
            .take(8)
            .collect(),
        unstable_roots: Some(found.unstable_roots),
        reason: Some(reasons.join("; ")),
        ..StabilityAnswer::default()
    }
}

/// The root farthest to the right: by Lambert's W where the loop is one scalar equation, else by collocation.
pub(super) fn dominant(looped: &dyn ControlLoop) -> Result<(Root, &'static str)> {
    if let Some(root) = looped.scalar().and_then(|scalar| scalar.rightmost()) {
        return Ok((root, "by Lambert's W"));
    }
    let system = looped
        .delay_system()
        .ok_or_else(|| Error::NoAnswer(NO_LOOP.into()))?;
    rightmost(&system, 1)?
        .first()
        .map(|root| (*root, "by collocation and Newton's method"))
        .ok_or_else(|| Error::NoAnswer("no root was found".into()))
}

pub(super) fn root(looped: &dyn ControlLoop) -> StabilityAnswer {
    if let Some(eigenvalues) = looped.map() {
        let largest = eigenvalues.iter().map(|x| x.abs()).fold(0.0, f64::max);
        return StabilityAnswer {
            stable: Some(largest < 1.0),
            eigenvalues,
            reason: Some(format!("{AT_ROOT}; a map has eigenvalues, no root")),
            ..StabilityAnswer::default()
        };
    }
    match dominant(looped) {
        Err(error) => StabilityAnswer::without(&error.to_string()),
        Ok((root, how)) => StabilityAnswer {
            stable: Some(root.value.re < 0.0),
            dominant_root: Some(ComplexRoot {
                re: root.value.re,
                im: root.value.im,
            }),
            nearly_double: Some(root.nearly_double),
            note: Some(if root.nearly_double {
                format!("{how}; two roots all but coincide: half the digits hold")
            } else {
                how.to_owned()
            }),
            reason: Some(AT_ROOT.into()),
            ..StabilityAnswer::default()
        },
    }
}

pub(super) fn fluid(looped: &dyn ControlLoop, patience: &Patience) -> StabilityAnswer {
    match looped.run(patience.round_trips, patience.doublings) {
        Err(error) => StabilityAnswer::without(&error.to_string()),
        Ok(found) => {
            let mut out = StabilityAnswer {
                stable: found.decided.then_some(found.rate < 0.0),
                growth_per_s: Some(found.rate),
                run_s: Some(found.time),
                note: Some(looped.runs().to_owned()),
                reason: Some(AT_FLUID.into()),
                ..StabilityAnswer::default()
            };
            if !found.decided {
                out.add_reason(&format!(
                    "neither growth nor decay stood out in a run of {} s",
                    found.time
                ));
            }
            out
        }
    }
}
