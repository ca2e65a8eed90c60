//! Breaking points of the lags that depend on the state: sign changes of
//! (deviated argument − discontinuity) on the dense output.

use super::discontinuity::Branch;
use super::history::Side;
use super::problem::Problem;
use super::stepper::{Known, Span, Stepper};

/// A lag that meets a discontinuity.
pub(super) struct Crossing {
    pub lag: usize,
    /// When: after the start of the step, or at it.
    pub time: f64,
    /// Whether the argument grows through it.
    pub forward: bool,
}

/// How near an argument must come to a discontinuity to have arrived.
fn tolerance(t: f64, argument: f64) -> f64 {
    64.0 * f64::EPSILON * t.abs().max(argument.abs())
}

/// Which edge of its branch the argument is beyond: the edge, and whether it is the upper one.
fn beyond(branch: Branch, t: f64, argument: f64) -> Option<(f64, bool)> {
    let near = tolerance(t, argument);
    if argument > branch.high + near {
        Some((branch.high, true))
    } else if argument < branch.low - near {
        Some((branch.low, false))
    } else {
        None
    }
}

/// The first crossing in the trial step just made, looked for in `samples` places. `x` is work
/// space for one state.
pub(super) fn first<P: Problem + ?Sized>(
    problem: &P,
    known: &Known<'_>,
    stepper: &Stepper,
    span: Span,
    samples: usize,
    x: &mut [f64],
) -> Option<Crossing> {
    let tracker = &known.tracker;
    let awaited = |lag: &usize| {
        tracker.lags()[*lag].delay().is_none() && tracker.branches()[*lag] != Branch::default()
    };
    let samples = samples.max(1);
    let start = (0..tracker.lags().len()).find(awaited)?;
    let mut from = span.from;
    for m in 1..=samples {
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let fraction = m as f64 / samples as f64;
        let mut to = if m == samples {
            span.to
        } else {
            span.from + (span.to - span.from) * fraction
        };
        let mut found = None;
        stepper.state(to, x);
        for lag in (start..tracker.lags().len()).filter(awaited) {
            let at_end = argument(problem, known, stepper, lag, to, x);
            let Some((edge, forward)) = beyond(tracker.branches()[lag], to, at_end) else {
                continue;
            };
            let mut miss = |t: f64| {
                stepper.state(t, x);
                argument(problem, known, stepper, lag, t, x) - edge
            };
            let at_start = miss(from);
            to = root((from, at_start), (to, at_end - edge), miss);
            stepper.state(to, x);
            found = Some(Crossing {
                lag,
                time: to,
                forward,
            });
        }
        if found.is_some() {
            return found;
        }
        from = to;
    }
    None
}

/// The argument of `lag` at `(t, x)` inside the trial step.
fn argument<P: Problem + ?Sized>(
    problem: &P,
    known: &Known<'_>,
    stepper: &Stepper,
    lag: usize,
    t: f64,
    x: &[f64],
) -> f64 {
    let history = known.at(t, Side::Inside, Some(&stepper.segment));
    problem.argument(lag, t, x, &history)
}

/// Move every deviated lag whose argument has arrived at a discontinuity at `(t, x)`, the end of
/// an accepted step, past it; whether there was one.
pub(super) fn land<P: Problem + ?Sized>(
    problem: &P,
    known: &mut Known<'_>,
    t: f64,
    x: &[f64],
) -> bool {
    let mut landed = false;
    for lag in 0..known.tracker.lags().len() {
        let branch = known.tracker.branches()[lag];
        if known.tracker.lags()[lag].delay().is_some() || branch == Branch::default() {
            continue;
        }
        let argument = problem.argument(lag, t, x, &known.at(t, Side::Left, None));
        let near = tolerance(t, argument);
        loop {
            let branch = known.tracker.branches()[lag];
            let forward = argument >= branch.high - near;
            if !forward && argument >= branch.low - near {
                break;
            }
            match known.tracker.cross(lag, t, forward) {
                Some(image) => known.tracker.add(image),
                None => break,
            }
            landed = true;
        }
    }
    landed
}

/// A zero between `a` and `b`, to rounding, by the Illinois method; `a` if there is no sign change.
fn root(
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    f: impl FnMut(f64) -> f64,
) -> f64 {
    let mut f = f;
    if fa * fb > 0.0 {
        return a;
    }
    let width = 2.0 * f64::EPSILON * a.abs().max(b.abs());
    for round in 1..100 {
        if (b - a).abs() <= width || fb == 0.0 {
            break;
        }
        let m = if round % 4 == 0 {
            0.5 * (a + b)
        } else {
            b - fb * (b - a) / (fb - fa)
        };
        let fm = f(m);
        if fm * fb <= 0.0 {
            (a, fa) = (b, fb);
        } else {
            fa *= 0.5;
        }
        (b, fb) = (m, fm);
    }
    b
}
