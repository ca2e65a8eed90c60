//! Delay problems with known solutions, each a pair of problem and answer.
#![allow(dead_code)]

pub mod hybrid;

use cwnd::numeric::dde::{Error, History, Lag, Options, Parts, Problem, Solution, Step, solve};

pub type Past = fn(usize, f64) -> f64;
pub type Exact = fn(f64) -> f64;
type Rhs = fn(f64, &[f64], &History<'_>, &mut [f64]);

/// A problem without events.
#[derive(Clone)]
pub struct Smooth {
    pub name: &'static str,
    pub dimension: usize,
    pub rhs: Rhs,
    pub past: Past,
    pub delays: &'static [f64],
    pub longest: f64,
    /// Deviated arguments, numbered after the constant delays.
    pub arguments: &'static [fn(f64, &[f64]) -> f64],
    pub initial: Option<f64>,
    pub start: f64,
    pub evaluations: usize,
}

impl Problem for Smooth {
    fn dimension(&self) -> usize {
        self.dimension
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        (self.rhs)(t, x, history, dx);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        self.longest
    }
    fn initial(&self, _t: f64, x: &mut [f64]) {
        if let Some(value) = self.initial {
            x[0] = value;
        }
    }
    fn lags(&self) -> Vec<Lag> {
        let constant = self.delays.iter().map(|&delay| Lag::constant(delay));
        constant
            .chain(self.arguments.iter().map(|_| Lag::deviated()))
            .collect()
    }
    fn argument(&self, lag: usize, t: f64, x: &[f64], _history: &History<'_>) -> f64 {
        self.arguments[lag - self.delays.len()](t, x)
    }
}

impl Smooth {
    pub fn run(&self, until: f64, options: &Options) -> Result<Solution, Error> {
        self.watch(until, options, |_| {})
    }
    pub fn watch(
        &self,
        until: f64,
        options: &Options,
        observe: impl FnMut(&Step<'_>),
    ) -> Result<Solution, Error> {
        solve(
            &mut self.clone(),
            &self.past,
            (self.start, until),
            options,
            observe,
        )
    }
}

const PLAIN: Smooth = Smooth {
    name: "",
    dimension: 1,
    rhs: |_, _, _, _| {},
    past: |_, _| 0.0,
    delays: &[],
    longest: f64::INFINITY,
    arguments: &[],
    initial: None,
    start: 0.0,
    evaluations: 0,
};

/// y' = −y(t − 1), y = 1 before: a polynomial of degree n + 1 on the n-th interval.
pub fn linear() -> (Smooth, Exact) {
    let problem = Smooth {
        name: "linear",
        rhs: |t, _, h, dx| dx[0] = -h.state(0, t - 1.0),
        past: |_, _| 1.0,
        delays: &[1.0],
        longest: 1.0,
        ..PLAIN
    };
    (problem, |t| {
        let mut sum = 0.0;
        let mut n = 0.0;
        let mut factorial = 1.0;
        while n <= t.floor() + 1.0 {
            let power = (n - 1.0 - t).powi(n as i32) / factorial;
            sum += if n == 0.0 { 1.0 } else { power };
            n += 1.0;
            factorial *= n;
        }
        sum
    })
}

/// y' = −y(t − π/2), y = cos t before and after: smooth, so it shows the bare order.
pub fn cosine() -> (Smooth, Exact) {
    const QUARTER: f64 = std::f64::consts::FRAC_PI_2;
    let problem = Smooth {
        name: "cosine",
        rhs: |t, _, h, dx| dx[0] = -h.state(0, t - QUARTER),
        past: |_, t| t.cos(),
        delays: &[QUARTER],
        longest: QUARTER,
        ..PLAIN
    };
    (problem, f64::cos)
}

/// y' = a y(t − 1) + b y(t − 1/2) + c y with the solution e^(−t/2), given as the past too:
/// a e^(1/2) + b e^(1/4) + c = −1/2.
pub fn two_delays() -> (Smooth, Exact) {
    let problem = Smooth {
        name: "two delays",
        rhs: |t, x, h, dx| {
            let (a, b) = (0.3, -0.4);
            let c = -0.5 - a * 0.5_f64.exp() - b * 0.25_f64.exp();
            dx[0] = a * h.state(0, t - 1.0) + b * h.state(0, t - 0.5) + c * x[0];
        },
        past: |_, t| (-0.5 * t).exp(),
        delays: &[1.0, 0.5],
        longest: 1.0,
        ..PLAIN
    };
    (problem, |t| (-0.5 * t).exp())
}

/// y' = −y(t − 1) − y(t − 1/2)... with y = 1 before, by steps of polynomials: two lags that kink.
/// On [0, 1/2] 1 − 2t; on [1/2, 1] with s = t − 1/2: −2s + s²; on [1, 3/2] with s = t − 1:
/// −3/4 − s + … (see the integration in the function).
pub fn two_kinks() -> (Smooth, Exact) {
    let problem = Smooth {
        name: "two kinks",
        rhs: |t, _, h, dx| dx[0] = -h.state(0, t - 1.0) - h.state(0, t - 0.5),
        past: |_, _| 1.0,
        delays: &[1.0, 0.5],
        longest: 1.0,
        ..PLAIN
    };
    (problem, |t| {
        // Polynomials in s = t − k/2 on [k/2, (k+1)/2]: y_k' = −y_{k−2} − y_{k−1}.
        let mut older = vec![1.0];
        let mut newer = vec![1.0];
        let mut k = 0.0;
        loop {
            let at = |p: &[f64], s: f64| p.iter().rev().fold(0.0, |sum, c| sum * s + c);
            let mut next = vec![at(&newer, if k == 0.0 { 0.0 } else { 0.5 })];
            for m in 0..newer.len().max(older.len()) {
                let sum = newer.get(m).unwrap_or(&0.0) + older.get(m).unwrap_or(&0.0);
                next.push(-sum / (m as f64 + 1.0));
            }
            if t <= (k + 1.0) / 2.0 {
                return at(&next, t - k / 2.0);
            }
            (older, newer) = (newer, next);
            k += 1.0;
        }
    })
}

/// y' = y·y(ln y)/t from t = 1, y = 1 before: t, then e^(t/e), then (e/(3 − ln t))^e.
pub fn state_dependent() -> (Smooth, Exact) {
    use std::f64::consts::E;
    let problem = Smooth {
        name: "state dependent",
        rhs: |t, x, h, dx| dx[0] = x[0] * h.along(0).state(0, x[0].ln()) / t,
        past: |_, _| 1.0,
        arguments: &[|_, x| x[0].ln()],
        start: 1.0,
        ..PLAIN
    };
    (problem, |t| {
        if t <= E {
            t
        } else if t <= E * E {
            (t / E).exp()
        } else {
            (E / (3.0 - t.ln())).powf(E)
        }
    })
}

/// Mackey–Glass: y(500) = 1.01044311170 (known).
pub fn mackey_glass() -> (Smooth, f64) {
    let problem = Smooth {
        name: "Mackey-Glass",
        rhs: |t, x, h, dx| {
            let late = h.state(0, t - 14.0);
            dx[0] = 0.2 * late / (1.0 + late.powi(10)) - 0.1 * x[0];
        },
        past: |_, _| 0.5,
        delays: &[14.0],
        longest: 14.0,
        ..PLAIN
    };
    (problem, 1.010_443_111_70)
}

/// TCP and RED as a bare delay system, constant delay 0.246 s; (W, q, x) at 100 s.
pub fn tcp_red() -> (Smooth, [f64; 3]) {
    const DELAY: f64 = 0.246;
    let problem = Smooth {
        name: "TCP/RED",
        dimension: 3,
        rhs: |t, x, h, dx| {
            let round_trip = |q: f64| 0.2 + q / 3750.0;
            let late = t - DELAY;
            let p = 1.86e-4 * (h.state(2, late) - 132.0);
            let (w, q) = (h.state(0, late), h.state(1, late));
            dx[0] = 1.0 / round_trip(x[1]) - x[0] * w / (2.0 * round_trip(q)) * p;
            dx[1] = 60.0 * x[0] / round_trip(x[1]) - 3750.0;
            dx[2] = 0.5 * (x[1] - x[2]);
        },
        past: |i, _| [10.0, 150.0, 150.0][i],
        delays: &[DELAY],
        longest: DELAY,
        ..PLAIN
    };
    (problem, [20.848_511_180, 374.631_759_575, 132.356_658_769])
}

/// The options with one part switched off.
pub fn without(options: &Options, change: impl FnOnce(&mut Parts)) -> Options {
    let mut options = options.clone();
    change(&mut options.parts);
    options
}
