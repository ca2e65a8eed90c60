//! Ordinary differential equations to nearly full precision, with events: Gragg's modified midpoint rule
//! extrapolated in h² (Bulirsch and Stoer, Numerische Mathematik 8, 1966; Hairer, Nørsett and Wanner, Solving
//! Ordinary Differential Equations I, II.9). Made for right-hand sides that are smooth between the zeros of known
//! switch functions; each step ends at such a zero, found on the solution itself.

use super::root;
use crate::error::{Error, Result};

/// A piecewise smooth autonomous system.
pub trait System {
    /// Writes the rate of change of `x` into `dx`.
    fn rate(&self, x: &[f64], dx: &mut [f64]);
    /// Appends the switch functions at `x`: always the same number of them, in the same order.
    fn switches(&self, x: &[f64], out: &mut Vec<f64>);
}

/// What the caller wants after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here.
    Stop,
}

/// Midpoint steps in each column of the extrapolation table.
const COLUMNS: [usize; 8] = [2, 4, 6, 8, 10, 12, 14, 16];

/// (n/m)² − 1 for the midpoint steps n of column k and m of column k − 1 − j, at `[k][j]`.
const SPREADS: [[f64; COLUMNS.len()]; COLUMNS.len()] = {
    let mut spreads = [[0.0; COLUMNS.len()]; COLUMNS.len()];
    let mut k = 0;
    while k < COLUMNS.len() {
        let mut j = 0;
        while j < k {
            let ratio = COLUMNS[k] as f64 / COLUMNS[k - 1 - j] as f64;
            spreads[k][j] = ratio * ratio - 1.0;
            j += 1;
        }
        k += 1;
    }
    spreads
};

/// Share of the time so far below which a step need not converge.
const NEGLIGIBLE: f64 = 1e-13;

/// How far apart, in units of what rounding makes of a rate, the last two columns may stay.
const ROUNDING: f64 = 32.0;

/// Steps after which the integration gives up.
const MOST_STEPS: usize = 200_000;

/// Integrates `system` from `x` (changed in place) until `after` says stop. `after` sees the state after every step and the
/// switch that ended it, if one did; `first` is the first step tried. The local error of each component is held near
/// `tolerance` times its **change** over the step (or a few units in the last place), so that a slow approach to a large
/// value keeps its digits; steps are summed with compensation.
///
/// # Errors
/// [`Error::Numeric`] if the step shrinks to nothing, the budget of steps is used up or a value is not finite.
pub fn integrate(
    system: &dyn System,
    x: &mut [f64],
    first: f64,
    tolerance: f64,
    mut after: impl FnMut(f64, &[f64], Option<usize>) -> Result<Flow>,
) -> Result<f64> {
    let mut work = Workspace::new(x.len());
    let mut time = 0.0;
    let mut step = first;
    let (mut signs, mut now) = (Vec::new(), Vec::new());
    system.switches(x, &mut signs);
    let mut crossed = Vec::new();
    for _ in 0..MOST_STEPS {
        // A step that reaches far over a switch mixes two formulas, and its table may agree on a wrong answer. Come near
        // first: at most a quarter beyond where the tangent meets the next switch.
        let (ahead, least) = work.tangent(system, x, step, &signs);
        if step > 1.25 * ahead && step > least {
            step = (1.1 * ahead).max(least);
        }
        let effort = match work.attempt(system, x, step, tolerance) {
            Some(effort) => effort,
            // A component that hovers about zero never agrees with itself to its last digits. Over so short a step what
            // the table has is good enough.
            None if step <= NEGLIGIBLE * time && work.is_finite() => COLUMNS.len(),
            None => {
                step *= 0.25;
                if step < 1e-280 {
                    return Err(Error::Numeric {
                        method: "extrapolation",
                        detail: format!("the step fell to {step:e} at time {time}"),
                    });
                }
                continue;
            }
        };
        now.clear();
        system.switches(&work.result, &mut now);
        crossed.clear();
        crossed.extend((0..now.len().min(signs.len())).filter(|&i| crosses(signs[i], now[i])));
        let mut event = None;
        let mut taken = step;
        for &which in &crossed {
            // An earlier event may have shortened the step to before this one.
            let at = work.locate(system, x, taken, tolerance, which, signs[which])?;
            if let Some(at) = at.filter(|at| event.is_none() || *at < taken) {
                (event, taken) = (Some(which), at);
            }
        }
        let good = event.is_none()
            || work.attempt(system, x, taken, tolerance).is_some()
            || (taken <= NEGLIGIBLE * time && work.is_finite());
        if !good {
            // The formula beyond the zero disturbs the table: approach it in a smaller step first.
            step = 0.5 * taken;
            if step < 1e-280 {
                return Err(Error::Numeric {
                    method: "extrapolation",
                    detail: format!("the step before an event fell to {step:e} at time {time}"),
                });
            }
            continue;
        }
        work.advance(x);
        time += taken;
        if x.iter().any(|v| !v.is_finite()) {
            return Err(Error::Numeric {
                method: "extrapolation",
                detail: format!("the state at time {time} is not finite"),
            });
        }
        if after(time, x, event)? == Flow::Stop {
            return Ok(time);
        }
        // What happened may have changed the system.
        signs.clear();
        system.switches(x, &mut signs);
        if event.is_none() || effort <= 2 {
            step *= match effort {
                0..=2 => 6.0,
                3 | 4 => 2.0,
                5 | 6 => 1.2,
                _ => 0.7,
            };
        }
    }
    Err(Error::Numeric {
        method: "extrapolation",
        detail: format!("{MOST_STEPS} steps were not enough; time {time}"),
    })
}

/// A sign change, counting a zero as the side that is being entered.
fn crosses(before: f64, after: f64) -> bool {
    (before < 0.0 && after >= 0.0) || (before > 0.0 && after <= 0.0)
}

struct Workspace {
    /// The state after the last attempt.
    result: Vec<f64>,
    /// Its change over the step.
    change: Vec<f64>,
    /// What rounding has withheld from the state so far.
    carry: Vec<f64>,
    /// A row of extrapolations for each component.
    table: Vec<[f64; COLUMNS.len()]>,
    previous: Vec<f64>,
    current: Vec<f64>,
    stage: Vec<f64>,
    slope: Vec<f64>,
    start_slope: Vec<f64>,
    probe: Vec<f64>,
    /// How far apart the last two columns of the last attempt are.
    apart: Vec<f64>,
    /// Length of the last attempt from here, and what it came to.
    done: Option<(f64, Option<usize>)>,
}

impl Workspace {
    fn new(n: usize) -> Self {
        let zero = vec![0.0; n];
        Self {
            result: zero.clone(),
            change: zero.clone(),
            carry: zero.clone(),
            table: vec![[0.0; COLUMNS.len()]; n],
            previous: zero.clone(),
            current: zero.clone(),
            stage: zero.clone(),
            slope: zero.clone(),
            start_slope: zero.clone(),
            probe: Vec::new(),
            apart: zero,
            done: None,
        }
    }

    /// Whether the last attempt came to numbers.
    fn is_finite(&self) -> bool {
        self.result.iter().all(|value| value.is_finite())
    }

    /// Adds the last attempt's change to `x`, keeping what rounding withholds.
    fn advance(&mut self, x: &mut [f64]) {
        self.done = None;
        for (i, place) in x.iter_mut().enumerate() {
            let wanted = self.change[i] + self.carry[i];
            let sum = *place + wanted;
            self.carry[i] = wanted - (sum - *place);
            *place = sum;
        }
    }

    /// The shortest step that changes the state by more than its rounding.
    fn least(&self, x: &[f64]) -> f64 {
        let times = x
            .iter()
            .zip(&self.start_slope)
            .filter(|(_, slope)| **slope != 0.0)
            .map(|(x, slope)| (x / slope).abs());
        8.0 * f64::EPSILON * times.fold(f64::INFINITY, f64::min)
    }

    /// One step of size `h` from `x`, whose slope is at hand, into `self.result`; the column at which it converged, or `None`.
    fn attempt(&mut self, system: &dyn System, x: &[f64], h: f64, tolerance: f64) -> Option<usize> {
        if let Some((length, found)) = self.done
            && length == h
        {
            return found;
        }
        let found = self.extrapolate(system, x, h, tolerance);
        self.done = Some((h, found));
        found
    }

    fn extrapolate(
        &mut self,
        system: &dyn System,
        x: &[f64],
        h: f64,
        tolerance: f64,
    ) -> Option<usize> {
        let mut best = f64::INFINITY;
        for (k, &n) in COLUMNS.iter().enumerate() {
            self.midpoint(system, x, h, n);
            // Aitken–Neville in (1/n)²: table[j] holds the extrapolation through the last j + 1 columns.
            let mut error = 0.0f64;
            for (i, &start) in x.iter().enumerate() {
                let row = &mut self.table[i];
                let mut value = self.current[i];
                for (place, spread) in row.iter_mut().zip(&SPREADS[k][..k]) {
                    let kept = *place;
                    *place = value;
                    value += (value - kept) / spread;
                }
                let difference = if k == 0 {
                    f64::INFINITY
                } else {
                    (value - row[k - 1]).abs()
                };
                row[k] = value;
                self.change[i] = value;
                self.result[i] = start + (value + self.carry[i]);
                self.apart[i] = difference;
                if difference > 0.0 {
                    let allowed =
                        (tolerance * value.abs()).max(4.0 * f64::EPSILON * self.result[i].abs());
                    error = error.max(difference / allowed.max(f64::MIN_POSITIVE));
                }
            }
            if error.is_nan() {
                return None;
            }
            if k >= 1 && error <= 1.0 {
                return Some(k);
            }
            if k >= 4 && error > 1e3 * best {
                return None;
            }
            best = best.min(error);
        }
        // Of no use to a shorter step, so the next one may be longer.
        self.is_rounding(system, x, h, tolerance).then_some(4)
    }

    /// Whether rounding alone keeps the last two columns apart: a rate that is a small difference of large numbers is worth no
    /// more digits than what one unit in the last place of the state makes of it, and a shorter step would only make it worse.
    /// Of the two sides the quieter one counts: on the other a formula may change.
    fn is_rounding(&mut self, system: &dyn System, x: &[f64], h: f64, tolerance: f64) -> bool {
        let mut noise = vec![f64::INFINITY; x.len()];
        for side in [1.0 + f64::EPSILON, 1.0 - f64::EPSILON] {
            for (place, x) in self.stage.iter_mut().zip(x) {
                *place = x * side;
            }
            system.rate(&self.stage, &mut self.slope);
            for (i, noise) in noise.iter_mut().enumerate() {
                *noise = noise.min((self.slope[i] - self.start_slope[i]).abs());
            }
        }
        (0..x.len()).all(|i| {
            let allowed = (tolerance * self.change[i].abs())
                .max(4.0 * f64::EPSILON * self.result[i].abs())
                .max(ROUNDING * h * noise[i]);
            self.apart[i] <= allowed
        })
    }

    /// The change over `h` by Gragg's modified midpoint rule with `n` substeps, without smoothing, into `self.current`.
    fn midpoint(&mut self, system: &dyn System, x: &[f64], h: f64, n: usize) {
        let dt = h / n as f64;
        self.previous.fill(0.0);
        for (place, slope) in self.current.iter_mut().zip(&self.start_slope) {
            *place = dt * slope;
        }
        for _ in 1..n {
            for (i, place) in self.stage.iter_mut().enumerate() {
                *place = x[i] + self.current[i];
            }
            system.rate(&self.stage, &mut self.slope);
            for i in 0..x.len() {
                let next = self.previous[i] + 2.0 * dt * self.slope[i];
                self.previous[i] = self.current[i];
                self.current[i] = next;
            }
        }
    }

    /// When the tangent at `x` meets the first switch, and the shortest step that changes the state by more than its rounding.
    fn tangent(&mut self, system: &dyn System, x: &[f64], h: f64, signs: &[f64]) -> (f64, f64) {
        system.rate(x, &mut self.start_slope);
        let little = 1e-3 * h;
        for (i, place) in self.stage.iter_mut().enumerate() {
            *place = x[i] + little * self.start_slope[i];
        }
        self.probe.clear();
        system.switches(&self.stage, &mut self.probe);
        let meets = signs
            .iter()
            .zip(&self.probe)
            .map(|(here, there)| here * little / (here - there));
        (
            meets
                .filter(|time| *time > 0.0)
                .fold(f64::INFINITY, f64::min),
            self.least(x),
        )
    }

    /// The length of the step, at most `h`, at whose end switch `which` has just left the sign `before`; `None` if it still
    /// has that sign at `h`.
    fn locate(
        &mut self,
        system: &dyn System,
        x: &[f64],
        h: f64,
        tolerance: f64,
        which: usize,
        before: f64,
    ) -> Result<Option<f64>> {
        let cell = std::cell::RefCell::new((self, Vec::new()));
        let value = |length: f64| -> Result<f64> {
            if length == 0.0 {
                return Ok(before);
            }
            let (work, out) = &mut *cell.borrow_mut();
            // Beyond the zero the formula changes and the table may not converge; its sign still serves.
            let _ = work.attempt(system, x, length, tolerance);
            out.clear();
            system.switches(&work.result, out);
            Ok(out[which])
        };
        if !crosses(before, value(h)?) {
            return Ok(None);
        }
        let near = root::brent(&value, 0.0, h, 0.0)?;
        // Step over the zero, so that the next step starts on the new side.
        let mut nudge = f64::EPSILON * near.max(f64::MIN_POSITIVE);
        let mut at = near;
        for _ in 0..200 {
            if at >= h || crosses(before, value(at)?) {
                return Ok(Some(at.min(h)));
            }
            at = near + nudge;
            nudge *= 2.0;
        }
        Ok(Some(h))
    }
}
