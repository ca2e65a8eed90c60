//! One trial step: the stages, the error estimate, the polynomial through the step.

use super::discontinuity::Tracker;
use super::error::Error;
use super::history::Past;
use super::history::{History, Probe, Side, Store};
use super::interpolant;
use super::options::{Options, Overlap, Tolerance};
use super::problem::Problem;
use super::segment::Segment;
use super::tableau::{A, C, STAGES};

/// A step that overlaps its own delays is iterated only if it is this many times longer than the
/// shortest of them; else it is cheaper to stay below it. (An iterated step costs 3 to 5 times an
/// explicit one.)
pub(super) const WORTH_ITERATING: f64 = 4.0;
/// With fewer components than this they are taken one by one.
pub(super) const FEW: usize = 8;
/// Iterations of an overlapping step before it is made shorter.
const ITERATIONS: usize = 12;
/// How far the iteration may be from its limit, in units of the tolerance.
const SETTLED: f64 = 1e-2;
/// Everything about the past: where reads are answered from.
pub(super) struct Known<'a> {
    pub past: &'a Past<'a>,
    pub store: Store,
    pub tracker: Tracker,
    pub probe: Probe,
}

impl Known<'_> {
    pub fn at<'b>(&'b self, now: f64, side: Side, current: Option<&'b Segment>) -> History<'b> {
        History {
            store: &self.store,
            past: self.past,
            branches: self.tracker.branches(),
            probe: &self.probe,
            current,
            now,
            side,
        }
    }
}

/// Where a step starts and ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub from: f64,
    pub to: f64,
}

/// What came of a trial step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trial {
    /// The stages stand; the error estimate in units of the tolerance.
    Done(f64),
    /// The step overlaps a delay it should not overlap: try this length.
    Shorten(f64),
    /// The iteration over the overlap did not settle.
    Unsettled,
}

/// Work space for one step of `n` components.
pub(super) struct Stepper {
    /// Slopes of the stages.
    pub(super) k: [Vec<f64>; STAGES],
    extra: [Vec<f64>; 2],
    pub(super) stage: Vec<f64>,
    /// The state at the end of the step.
    pub end: Vec<f64>,
    /// The polynomial of the step.
    pub segment: Segment,
    /// What an overlapping step uses for itself until it knows better.
    pub(super) guess: Segment,
    /// Whether the last kept step may be continued as a first guess.
    pub(super) smooth: bool,
    /// The shortest delay read in the last trial.
    pub shortest: f64,
    pub evaluations: usize,
    pub iterations: usize,
}

impl Stepper {
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            k: std::array::from_fn(|_| zeros()),
            extra: [zeros(), zeros()],
            stage: zeros(),
            end: zeros(),
            segment: Segment::empty(n),
            guess: Segment::empty(n),
            smooth: false,
            shortest: f64::INFINITY,
            evaluations: 0,
            iterations: 0,
        }
    }

    /// The state at `t` in the trial step just made.
    pub fn state(&self, t: f64, x: &mut [f64]) {
        if t >= self.segment.end {
            x.copy_from_slice(&self.end);
        } else {
            self.segment.fill(0, t, x);
        }
    }

    /// The slope at the start of the coming step.
    pub fn slope(&self) -> &[f64] {
        &self.k[0]
    }

    /// Start from `x` at `t` where something is broken: evaluate the slope to the right of it.
    pub fn restart<P: Problem + ?Sized>(
        &mut self,
        problem: &P,
        known: &Known<'_>,
        t: f64,
        x: &[f64],
    ) -> Result<(), Error> {
        self.smooth = false;
        self.guess.line(t, t + 1.0, x, None);
        known.probe.reset();
        let history = known.at(t, Side::Right, Some(&self.guess));
        problem.rhs(t, x, &history, &mut self.k[0]);
        self.evaluations += 1;
        self.shortest = known.probe.shortest();
        verdict(known, t, &self.k[0])
    }

    /// The last stage of the accepted step is the first of the next.
    pub fn carry_on(&mut self) {
        self.smooth = true;
        self.k.swap(0, STAGES - 1);
    }

    /// Evaluate the slope at `t` for the state `x + h·slope` and return its distance from the
    /// slope, the largest over the components in units of the tolerance; for the first step.
    pub fn curvature<P: Problem + ?Sized>(
        &mut self,
        problem: &P,
        known: &Known<'_>,
        (t, h): (f64, f64),
        x: &[f64],
        options: &Options,
    ) -> Option<f64> {
        for (i, s) in self.stage.iter_mut().enumerate() {
            *s = x[i] + h * self.k[0][i];
        }
        self.guess.line(t, t + h, x, Some(&self.k[0]));
        let history = known.at(t + h, Side::Inside, Some(&self.guess));
        problem.rhs(t + h, &self.stage, &history, &mut self.k[1]);
        self.evaluations += 1;
        verdict(known, t + h, &self.k[1]).ok()?;
        let difference = (0..x.len()).map(|i| {
            (self.k[1][i] - self.k[0][i]).abs() / options.allowed(i, x[i], x[i]).max(1e-300)
        });
        Some(difference.fold(0.0, f64::max) / h)
    }

    /// Try the step `span` from `x`: stages, end, error estimate, polynomial of order 4.
    ///
    /// # Errors
    /// What the right-hand side did wrong; a shorter step may help.
    pub fn trial<P: Problem + ?Sized>(
        &mut self,
        problem: &P,
        known: &Known<'_>,
        span: Span,
        x: &[f64],
        options: &Options,
    ) -> Result<Trial, Error> {
        let Span { from, to } = span;
        let h = to - from;
        self.set_out(known, span, x);
        let mut own_guess = !self.smooth;
        let mut last_change = f64::INFINITY;
        for round in 0..ITERATIONS {
            self.stages(problem, known, span, x, own_guess)?;
            self.shortest = known.probe.shortest();
            self.segment.span(from, to);
            interpolant::fourth(&mut self.segment, h, (x, &self.end), &self.k);
            if !known.probe.overlapped() {
                return Ok(Trial::Done(self.error(h, x, options)));
            }
            let forbidden = options.overlap == Overlap::Forbid;
            if round == 0 && (forbidden || h < WORTH_ITERATING * self.shortest) {
                return Ok(Trial::Shorten(self.shortest.max(0.2 * h).min(0.9 * h)));
            }
            self.iterations += 1;
            let change = if round == 0 {
                f64::INFINITY
            } else {
                self.change(x, options)
            };
            let rate = if round < 2 {
                1.0
            } else {
                (change / last_change).max(0.01)
            };
            if change <= SETTLED || (rate < 0.5 && change * rate <= SETTLED) {
                return Ok(Trial::Done(self.error(h, x, options)));
            }
            if !change.is_finite() && round > 0 || (round > 2 && rate > 0.9) {
                return Ok(Trial::Unsettled);
            }
            last_change = change;
            std::mem::swap(&mut self.guess, &mut self.segment);
            own_guess = true;
        }
        Ok(Trial::Unsettled)
    }

    /// Prepare a trial.
    pub(super) fn set_out(&mut self, known: &Known<'_>, span: Span, x: &[f64]) {
        known.probe.reset();
        if !self.smooth {
            self.guess.line(span.from, span.to, x, Some(&self.k[0]));
        }
    }

    fn stages<P: Problem + ?Sized>(
        &mut self,
        problem: &P,
        known: &Known<'_>,
        Span { from, to }: Span,
        x: &[f64],
        own_guess: bool,
    ) -> Result<(), Error> {
        let h = to - from;
        let last = known.store.last();
        let current = if own_guess { Some(&self.guess) } else { last };
        for s in 1..STAGES {
            let (before, after) = self.k.split_at_mut(s);
            let stage = if s == STAGES - 1 {
                &mut self.end
            } else {
                &mut self.stage
            };
            combine(stage, x, h, &A[s], before);
            let (t, side) = if C[s] < 1.0 {
                (from + C[s] * h, Side::Inside)
            } else {
                (to, Side::Left)
            };
            let history = known.at(t, side, current);
            problem.rhs(t, stage, &history, &mut after[0]);
            self.evaluations += 1;
            verdict(known, t, &after[0])?;
        }
        Ok(())
    }

    /// The largest error over the components in units of the tolerance.
    fn error(&mut self, h: f64, x: &[f64], options: &Options) -> f64 {
        // The last stage is over, so its place is free.
        let (x, room) = ((x, &self.end[..]), &mut self.stage[..]);
        if let (Tolerance::All(absolute), Tolerance::All(relative)) =
            (&options.absolute, &options.relative)
        {
            let allowed = |_: usize, a: f64, b: f64| {
                let (a, b) = (a.abs(), b.abs());
                absolute + relative * if a > b { a } else { b }
            };
            interpolant::worst_error(h, x, &self.k, room, allowed)
        } else {
            let allowed = |i: usize, a: f64, b: f64| options.allowed(i, a, b);
            interpolant::worst_error(h, x, &self.k, room, allowed)
        }
    }

    /// How far the polynomial moved in the last iteration, in units of the tolerance.
    fn change(&self, x: &[f64], options: &Options) -> f64 {
        let new = self.segment.coefficients.iter();
        let old = self.guess.coefficients.iter();
        let mut worst = 0.0_f64;
        for (i, (new, old)) in new.zip(old).enumerate() {
            let moved: f64 = new.iter().zip(old).map(|(a, b)| (a - b).abs()).sum();
            if moved > 0.0 {
                worst = worst.max(moved / options.allowed(i, x[i], self.end[i]));
            }
        }
        worst
    }

    /// Raise the polynomial of an accepted step to order 5.
    ///
    /// # Errors
    /// What the right-hand side did wrong at the two points.
    pub fn refine<P: Problem + ?Sized>(
        &mut self,
        problem: &P,
        known: &Known<'_>,
        Span { from, to }: Span,
    ) -> Result<(), Error> {
        let h = to - from;
        for (theta, slope) in interpolant::EXTRA.into_iter().zip(&mut self.extra) {
            let t = from + theta * h;
            self.segment.fill(0, t, &mut self.stage);
            let history = known.at(t, Side::Inside, Some(&self.segment));
            problem.rhs(t, &self.stage, &history, slope);
            self.evaluations += 1;
            verdict(known, t, slope)?;
        }
        interpolant::fifth(&mut self.segment, h, &self.extra);
        Ok(())
    }
}

/// `out = x + h Σ weights[j] k[j]`.
pub(super) fn combine(out: &mut [f64], x: &[f64], h: f64, weights: &[f64], k: &[Vec<f64>]) {
    let w: [f64; STAGES - 1] = std::array::from_fn(|j| h * weights[j]);
    let [u, v, p, q, r, s] = w;
    match k {
        [a] => each(out, x, [a], [u]),
        [a, b] => each(out, x, [a, b], [u, v]),
        [a, b, c] => each(out, x, [a, b, c], [u, v, p]),
        [a, b, c, d] => each(out, x, [a, b, c, d], [u, v, p, q]),
        [a, b, c, d, e] => each(out, x, [a, b, c, d, e], [u, v, p, q, r]),
        [a, _, c, d, e, f] => each(out, x, [a, c, d, e, f], [u, p, q, r, s]),
        _ => out.copy_from_slice(x),
    }
}

/// `out[i] = x[i] + Σ weights[j] k[j][i]`; cut to one length first, so that it runs several places at a time.
#[inline]
fn each<const N: usize>(out: &mut [f64], x: &[f64], k: [&Vec<f64>; N], weights: [f64; N]) {
    let n = out.len();
    let x = &x[..n];
    if n < FEW {
        // One by one: a pair would have to wait for the slopes just written one by one.
        for (i, (out, x)) in out.iter_mut().zip(x).enumerate() {
            let mut sum = weights[0] * k[0][i];
            for j in 1..N {
                sum += weights[j] * k[j][i];
            }
            *out = x + sum;
        }
        return;
    }
    let k: [&[f64]; N] = std::array::from_fn(|j| &k[j][..n]);
    for i in 0..n {
        let mut sum = weights[0] * k[0][i];
        for j in 1..N {
            sum += weights[j] * k[j][i];
        }
        out[i] = x[i] + sum;
    }
}

/// Whether the slope `dx` just evaluated at `t` is usable.
#[inline]
pub(super) fn verdict(known: &Known<'_>, t: f64, dx: &[f64]) -> Result<(), Error> {
    if let Some(fault) = known.probe.fault() {
        return Err(fault);
    }
    // Without a branch for each place, where there are many: nearly always all are.
    if dx.len() >= FEW && all_finite(dx) {
        return Ok(());
    }
    match dx.iter().position(|slope| !slope.is_finite()) {
        Some(component) => Err(Error::NonFinite {
            t,
            component,
            value: dx[component],
        }),
        None => Ok(()),
    }
}

/// Whether all are finite: 0 times one that is not is not 0. In four strands, so that it runs several places at a time.
#[inline]
fn all_finite(values: &[f64]) -> bool {
    let chunks = values.chunks_exact(4);
    let mut strands = [0.0; 4];
    for (strand, value) in strands.iter_mut().zip(chunks.remainder()) {
        *strand = 0.0 * value;
    }
    for chunk in chunks {
        for (strand, value) in strands.iter_mut().zip(chunk) {
            *strand += 0.0 * value;
        }
    }
    strands.iter().sum::<f64>() == 0.0
}

/// The largest of these, infinity if one is no number.
pub(super) fn worst(ratios: &[f64]) -> f64 {
    let (mut worst, mut total) = ([0.0_f64; 4], [0.0_f64; 4]);
    for four in ratios.chunks(4) {
        for ((worst, total), &ratio) in worst.iter_mut().zip(&mut total).zip(four) {
            *total += ratio;
            *worst = if ratio > *worst { ratio } else { *worst };
        }
    }
    if total.iter().any(|total| total.is_nan()) {
        return f64::INFINITY;
    }
    worst[0].max(worst[1]).max(worst[2]).max(worst[3])
}
