//! Whether a run of the delay solver grows or decays, and how fast, from the crests of one component about its resting value.

use super::dde::{self, Cause, Direction, Effect, History, Lag, Now, Options, Problem, solve};
use crate::error::{Error, Result};

/// What is watched, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Watched {
    /// The component.
    pub component: usize,
    /// Its resting value.
    pub rest: f64,
    /// The size of the first disturbance, in the component's unit; crests between `floor` and `ceiling` times this count.
    pub size: f64,
    /// Crests below this share of `size` are rounding and count no more.
    pub floor: f64,
    /// Once a crest exceeds this share of `size`, later ones count no more.
    pub ceiling: f64,
    /// The first length of the run, s.
    pub time: f64,
    /// How often the length may be doubled while the two halves of a run disagree.
    pub doublings: u32,
}

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Rate at which crests grow, 1/s; negative for decay.
    pub rate: f64,
    /// The length of the run that decided, s.
    pub time: f64,
    /// Whether both halves of the run's crests say the same.
    pub decided: bool,
}

/// Samples inside one step of the solver.
const SAMPLES: usize = 8;

/// The rate at which `problem` leaves or approaches its resting state, from the given past. `problem` is made anew for every
/// length of the run.
///
/// # Errors
/// [`Error::Numeric`] if the solver stops without growth being the cause.
pub fn growth<P: Problem>(
    make: &dyn Fn() -> P,
    past: &dyn Fn(usize, f64) -> f64,
    watched: &Watched,
    options: &Options,
) -> Result<Growth> {
    let mut time = watched.time;
    let mut left = watched.doublings;
    loop {
        let found = once(make, past, watched, options, time)?;
        if found.decided || left == 0 {
            return Ok(found);
        }
        left -= 1;
        time *= 2.0;
    }
}

fn once<P: Problem>(
    make: &dyn Fn() -> P,
    past: &dyn Fn(usize, f64) -> f64,
    watched: &Watched,
    options: &Options,
    time: f64,
) -> Result<Growth> {
    let mut seen = Crests::new(watched);
    let mut problem = Bounded::new(make(), *watched);
    let run = solve(&mut problem, past, (0.0, time), options, |step| {
        let (a, b) = (step.start(), step.end());
        for i in 1..=SAMPLES {
            let t = a + (b - a) * i as f64 / SAMPLES as f64;
            seen.sample(t, step.state(watched.component, t) - watched.rest);
        }
    });
    match run {
        Ok(_) => Ok(seen.growth(time)),
        // What leaves the range of a double, or does so faster than steps can follow, has grown.
        Err(_) if seen.largest > 1e3 * watched.size => {
            let found = seen.growth(time);
            Ok(Growth {
                rate: found.rate.max(f64::MIN_POSITIVE),
                decided: true,
                ..found
            })
        }
        Err(error) => Err(stopped(&error)),
    }
}

fn stopped(error: &dde::Error) -> Error {
    Error::Numeric {
        method: "the delay solver",
        detail: error.to_string(),
    }
}

/// The problem, ended once the watched component is beyond the ceiling: what follows counts no more, and may grow beyond any
/// double.
struct Bounded<P> {
    inner: P,
    watched: Watched,
    events: usize,
}

impl<P: Problem> Bounded<P> {
    fn new(inner: P, watched: Watched) -> Self {
        let events = inner.events().len();
        Self {
            inner,
            watched,
            events,
        }
    }
}

impl<P: Problem> Problem for Bounded<P> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        self.inner.rhs(t, x, history, dx);
    }
    fn longest_delay(&self, t: f64, x: &[f64]) -> f64 {
        self.inner.longest_delay(t, x)
    }
    fn initial(&self, t: f64, x: &mut [f64]) {
        self.inner.initial(t, x);
    }
    fn lags(&self) -> Vec<Lag> {
        self.inner.lags()
    }
    fn argument(&self, lag: usize, t: f64, x: &[f64], history: &History<'_>) -> f64 {
        self.inner.argument(lag, t, x, history)
    }
    fn events(&self) -> Vec<Direction> {
        let mut out = self.inner.events();
        out.push(Direction::Falling);
        out
    }
    fn surfaces(&self, t: f64, x: &[f64], history: &History<'_>, g: &mut [f64]) {
        let (own, last) = g.split_at_mut(self.events);
        self.inner.surfaces(t, x, history, own);
        let Watched {
            component,
            rest,
            size,
            ceiling,
            ..
        } = self.watched;
        last[0] = 2.0 * ceiling * size - (x[component] - rest).abs();
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        if cause == Cause::Event(self.events) {
            return Effect::Stop;
        }
        self.inner.react(cause, now)
    }
}

/// Local maxima above the resting value, and plain samples for what does not swing.
struct Crests<'a> {
    watched: &'a Watched,
    last: [(f64, f64); 2],
    known: usize,
    tops: Vec<(f64, f64)>,
    /// Tops, and bottoms below the resting value.
    turns: Vec<(f64, f64)>,
    sizes: Vec<(f64, f64)>,
    largest: f64,
    over: bool,
}

impl<'a> Crests<'a> {
    fn new(watched: &'a Watched) -> Self {
        Self {
            watched,
            last: [(0.0, 0.0); 2],
            known: 0,
            tops: Vec::new(),
            turns: Vec::new(),
            sizes: Vec::new(),
            largest: 0.0,
            over: false,
        }
    }

    fn sample(&mut self, t: f64, value: f64) {
        if self.over || !value.is_finite() {
            return;
        }
        self.largest = self.largest.max(value.abs());
        if value.abs() > self.watched.ceiling * self.watched.size {
            self.over = true;
        }
        if self.known >= 2 {
            let [(t0, v0), (t1, v1)] = self.last;
            if v1 > v0 && v1 >= value && v1 > 0.0 {
                let top = summit((t0, v0), (t1, v1), (t, value));
                self.tops.push(top);
                self.turns.push(top);
            } else if v1 < v0 && v1 <= value && v1 < 0.0 {
                self.turns.push(summit((t0, -v0), (t1, -v1), (t, -value)));
            }
        }
        self.sizes.push((t, value.abs()));
        self.last = [self.last[1], (t, value)];
        self.known += 1;
    }

    /// The rate at which what was watched has fallen below the floor, if it was above it and stayed below for the last third of the run: a
    /// decay that is over before there are enough samples to follow it.
    fn gone(&self, floor: f64, time: f64) -> Option<f64> {
        if self.over || self.largest <= floor {
            return None;
        }
        let (since, _) = self.sizes.iter().rev().find(|(_, v)| *v >= floor)?;
        let (end, _) = self.sizes.last()?;
        (*since < 2.0 / 3.0 * time && *end >= 0.99 * time && *since > 0.0)
            .then(|| (floor / self.largest).ln() / since)
    }

    fn growth(&self, time: f64) -> Growth {
        let floor = self.watched.floor * self.watched.size;
        // What passes through the resting value is small there for a moment only.
        let above = |list: &[(f64, f64)]| -> Vec<(f64, f64)> {
            list.iter()
                .filter(|(_, v)| *v >= floor)
                .map(|&(t, v)| (t, v.ln()))
                .collect()
        };
        // Crests of one side where there are enough, up to the end of what is not rounding; then of both; else what is left
        // does not swing.
        let (tops, turns, sizes) = (above(&self.tops), above(&self.turns), above(&self.sizes));
        let until = sizes.last().map_or(0.0, |(t, _)| *t);
        let lasting = |list: &[(f64, f64)], least: usize| {
            list.len() >= least && list.last().is_some_and(|(t, _)| *t > 0.7 * until)
        };
        let logs = if lasting(&tops, 8) {
            tops
        } else if lasting(&turns, 4) {
            turns
        } else {
            sizes
        };
        let last = logs.last().map_or(0.0, |(t, _)| *t);
        let part = |from: f64, to: f64| -> Vec<(f64, f64)> {
            let inside = |t: f64| t >= from * last && t <= to * last;
            logs.iter().copied().filter(|(t, _)| inside(*t)).collect()
        };
        let (middle, end) = (slope(&part(0.25, 0.6)), slope(&part(0.6, 1.0)));
        let rate = end.or(middle).unwrap_or(0.0);
        // Far along in either direction there is nothing more to see.
        let spread = match (logs.first(), logs.last()) {
            (Some((_, a)), Some((_, b))) => b - a,
            _ => 0.0,
        };
        let decided = match (middle, end) {
            (Some(m), Some(e)) => {
                m.signum() == e.signum() && ((m - e).abs() < 0.3 * e.abs() || spread.abs() > 6.0)
            }
            _ => spread.abs() > 6.0,
        };
        if !decided && let Some(rate) = self.gone(floor, time) {
            return Growth {
                rate,
                time,
                decided: true,
            };
        }
        Growth {
            rate,
            time: if self.over { last } else { time },
            decided,
        }
    }
}

/// The top of the parabola through three points.
fn summit(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> (f64, f64) {
    let (h0, h1) = (b.0 - a.0, c.0 - b.0);
    let (d0, d1) = ((b.1 - a.1) / h0, (c.1 - b.1) / h1);
    let bend = (d1 - d0) / (h0 + h1);
    if bend.is_nan() || bend >= 0.0 {
        return b;
    }
    let slope = (d0 * h1 + d1 * h0) / (h0 + h1);
    let shift = -slope / (2.0 * bend);
    (b.0 + shift, b.1 + 0.5 * slope * shift)
}

/// Least squares of a line.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    if points.len() < 2 {
        return None;
    }
    let (mt, mv) = points
        .iter()
        .fold((0.0, 0.0), |(t, v), p| (t + p.0 / n, v + p.1 / n));
    let (mut up, mut down) = (0.0, 0.0);
    for (t, v) in points {
        up += (t - mt) * (v - mv);
        down += (t - mt) * (t - mt);
    }
    (down > 0.0).then(|| up / down)
}
