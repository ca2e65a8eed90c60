//! Delay problems with events, each with its known solution.

use cwnd::numeric::dde::{
    Cause, Direction, Effect, Error, History, Lag, Now, Options, Problem, Solution, Step, solve,
};

/// What a reaction was told: time, cause.
pub type Log = Vec<(f64, Cause)>;

/// Solve with a constant past and hand back the log.
pub fn run<P: Problem>(
    problem: &mut P,
    past: &[f64],
    span: (f64, f64),
    options: &Options,
) -> Result<Solution, Error> {
    solve(problem, &|i, _| past[i], span, options, |_: &Step<'_>| {})
}

/// W' = 1 from 0; `delay` after W reaches 10 it is halved. y' = W(t − 1), W = 0 before.
pub struct Sawtooth {
    pub delay: f64,
    pub log: Log,
}

impl Sawtooth {
    pub fn new(delay: f64) -> Self {
        Self {
            delay,
            log: Vec::new(),
        }
    }

    /// W and its integral at `t`; both are 0 before 0.
    fn exact(&self, t: f64) -> (f64, f64) {
        let (mut start, mut w, mut sum) = (0.0, 0.0, 0.0);
        loop {
            let lasts = 10.0 - w + self.delay;
            let s = (t - start).min(lasts).max(0.0);
            sum += w * s + 0.5 * s * s;
            if t < start + lasts {
                return (w + s, sum);
            }
            start += lasts;
            w = (w + lasts) / 2.0;
        }
    }

    /// The state (W, y) at `t`.
    pub fn solution(&self, t: f64) -> [f64; 2] {
        [self.exact(t).0, self.exact(t - 1.0).1]
    }
}

impl Problem for Sawtooth {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&self, t: f64, _x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        dx[0] = 1.0;
        dx[1] = history.state(0, t - 1.0);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        1.0
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::constant(1.0).reads(0..1).drives(1..2)]
    }
    fn events(&self) -> Vec<Direction> {
        vec![Direction::Rising]
    }
    fn surfaces(&self, _t: f64, x: &[f64], _history: &History<'_>, g: &mut [f64]) {
        g[0] = x[0] - 10.0;
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        self.log.push((now.t, cause));
        match cause {
            Cause::Event(_) if self.delay > 0.0 => now.schedule(now.t + self.delay, 7),
            _ => now.x[0] /= 2.0,
        }
        Effect::Jump
    }
}

/// q' = cos t − 1/5 for q > 0 or a positive drift; else q rests at 0. From q(0) = 1/2.
#[derive(Default)]
pub struct Queue {
    pub empty: bool,
    pub log: Log,
}

impl Queue {
    fn drift(t: f64) -> f64 {
        t.cos() - 0.2
    }

    /// q at `t`, by alternating between the two regimes.
    pub fn solution(t: f64) -> f64 {
        let integral = |a: f64, b: f64| b.sin() - a.sin() - 0.2 * (b - a);
        let turn = std::f64::consts::TAU;
        let leave = turn - 0.2_f64.acos();
        let (mut start, mut q) = (0.0, 0.5);
        let mut round = 0.0;
        loop {
            // The queue empties where the drift is negative: between its zero and one turn on.
            let (mut a, mut b) = (turn * round + 0.2_f64.acos(), turn * round + leave);
            for _ in 0..200 {
                let m = 0.5 * (a + b);
                if q + integral(start, m) > 0.0 {
                    a = m;
                } else {
                    b = m;
                }
            }
            if t <= a {
                return q + integral(start, t);
            }
            start = turn * round + leave;
            if t <= start {
                return 0.0;
            }
            q = 0.0;
            round += 1.0;
        }
    }
}

impl Problem for Queue {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&self, t: f64, _x: &[f64], _history: &History<'_>, dx: &mut [f64]) {
        dx[0] = if self.empty { 0.0 } else { Self::drift(t) };
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        0.0
    }
    fn events(&self) -> Vec<Direction> {
        vec![Direction::Falling, Direction::Rising]
    }
    fn surfaces(&self, t: f64, x: &[f64], _history: &History<'_>, g: &mut [f64]) {
        g[0] = if self.empty { f64::NAN } else { x[0] };
        g[1] = if self.empty { Self::drift(t) } else { f64::NAN };
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        self.log.push((now.t, cause));
        self.empty = cause == Cause::Event(0) && Self::drift(now.t) <= 0.0;
        now.x[0] = 0.0;
        Effect::Switch
    }
}

/// x' = slopes, with events x[i] = levels[i] in a direction, scheduled shifts of all components,
/// and a log. `react` adds `kick` to every component.
pub struct Lines {
    pub slopes: Vec<f64>,
    pub levels: Vec<f64>,
    pub direction: Direction,
    pub kick: f64,
    pub shifts: Vec<(f64, f64)>,
    pub effect: Effect,
    pub log: Log,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            slopes: vec![1.0],
            levels: vec![10.0],
            direction: Direction::Rising,
            kick: 0.0,
            shifts: Vec::new(),
            effect: Effect::Jump,
            log: Vec::new(),
        }
    }
}

impl Problem for Lines {
    fn dimension(&self) -> usize {
        self.slopes.len()
    }
    fn rhs(&self, _t: f64, _x: &[f64], _history: &History<'_>, dx: &mut [f64]) {
        dx.copy_from_slice(&self.slopes);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        0.0
    }
    fn events(&self) -> Vec<Direction> {
        vec![self.direction; self.levels.len()]
    }
    fn surfaces(&self, _t: f64, x: &[f64], _history: &History<'_>, g: &mut [f64]) {
        for (g, (x, level)) in g.iter_mut().zip(x.iter().zip(&self.levels)) {
            *g = x - level;
        }
    }
    fn scheduled(&self) -> Vec<(f64, usize)> {
        let times = self.shifts.iter().enumerate();
        times.map(|(tag, &(t, _))| (t, tag)).collect()
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        self.log.push((now.t, cause));
        let shift = match cause {
            Cause::Event(_) => self.kick,
            Cause::Scheduled(tag) | Cause::Foreseen(tag) => self.shifts[tag].1,
        };
        for x in now.x.iter_mut() {
            *x += shift;
        }
        self.effect
    }
}

/// x jumps from 0 to 1 at t = 1; y' = y/10 + x(t − y)/2, y(0) = 1/2: a delay that depends on the
/// state meets a jump. Also z = x(t − 1) seen by an event at 1/2.
#[derive(Default)]
pub struct LateJump {
    pub log: Log,
}

impl LateJump {
    /// y at `t`.
    pub fn solution(t: f64) -> f64 {
        // The argument t − e^(t/10)/2 reaches 1 at the breaking point.
        let mut b = 1.5;
        for _ in 0..50 {
            let rise = 0.5 * (0.1_f64 * b).exp();
            b -= (b - rise - 1.0) / (1.0 - 0.1 * rise);
        }
        if t <= b {
            return 0.5 * (0.1 * t).exp();
        }
        (0.5 * (0.1 * b).exp() + 5.0) * (0.1 * (t - b)).exp() - 5.0
    }
}

impl Problem for LateJump {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        dx[0] = 0.0;
        dx[1] = 0.1 * x[1] + 0.5 * history.along(0).state(0, t - x[1]);
    }
    fn longest_delay(&self, _t: f64, x: &[f64]) -> f64 {
        2.0 * x[1] + 1.0
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::deviated().reads(0..1), Lag::constant(1.0).reads(0..1)]
    }
    fn argument(&self, _lag: usize, t: f64, x: &[f64], _history: &History<'_>) -> f64 {
        t - x[1]
    }
    fn events(&self) -> Vec<Direction> {
        vec![Direction::Both]
    }
    fn surfaces(&self, t: f64, _x: &[f64], history: &History<'_>, g: &mut [f64]) {
        g[0] = history.state(0, t - 1.0) - 0.5;
    }
    fn scheduled(&self) -> Vec<(f64, usize)> {
        vec![(1.0, 0)]
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        self.log.push((now.t, cause));
        if let Cause::Scheduled(_) = cause {
            now.x[0] = 1.0;
        }
        Effect::Jump
    }
}

/// x jumps from 0 to 1 at t = 1; y' = x(1 − 6/5 cos t): the argument goes forth and back over the
/// jump, so y is the time spent beyond it.
pub struct BackAndForth;

impl Problem for BackAndForth {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        dx[0] = 0.0;
        dx[1] = history.along(0).state(0, self.argument(0, t, x, history));
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        f64::INFINITY
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::deviated().reads(0..1).drives(1..2)]
    }
    fn argument(&self, _lag: usize, t: f64, _x: &[f64], _history: &History<'_>) -> f64 {
        1.0 - 1.2 * t.cos()
    }
    fn scheduled(&self) -> Vec<(f64, usize)> {
        vec![(1.0, 0)]
    }
    fn react(&mut self, _cause: Cause, now: &mut Now<'_>) -> Effect {
        now.x[0] = 1.0;
        Effect::Jump
    }
}

/// Flows with windows that grow by one per round trip and are halved, each after its own delay,
/// when their common queue overflows; the queue is fed by delayed windows and rests when empty.
pub struct Flows {
    pub empty: bool,
    pub log: Log,
}

impl Flows {
    pub const COUNT: usize = 5;
    const CAPACITY: f64 = 100.0;
    const BUFFER: f64 = 20.0;

    fn base(i: usize) -> f64 {
        0.1 + 0.07 * i as f64
    }

    fn drift(t: f64, x: &[f64], history: &History<'_>) -> f64 {
        let arrival = |i: usize| {
            let round = Self::base(i) + x[Self::COUNT] / Self::CAPACITY;
            history.state(i, t - 0.5 * Self::base(i)) / round
        };
        (0..Self::COUNT).map(arrival).sum::<f64>() - Self::CAPACITY
    }
}

impl Problem for Flows {
    fn dimension(&self) -> usize {
        Self::COUNT + 1
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        let q = x[Self::COUNT];
        for (i, dx) in dx.iter_mut().take(Self::COUNT).enumerate() {
            *dx = 1.0 / (Self::base(i) + q / Self::CAPACITY);
        }
        dx[Self::COUNT] = if self.empty {
            0.0
        } else {
            Self::drift(t, x, history)
        };
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        0.2
    }
    fn lags(&self) -> Vec<Lag> {
        let lag = |i| Lag::constant(0.5 * Self::base(i)).reads(i..i + 1);
        (0..Self::COUNT)
            .map(|i| lag(i).drives(Self::COUNT..Self::COUNT + 1))
            .collect()
    }
    fn events(&self) -> Vec<Direction> {
        vec![Direction::Rising, Direction::Falling, Direction::Rising]
    }
    fn surfaces(&self, t: f64, x: &[f64], history: &History<'_>, g: &mut [f64]) {
        let q = x[Self::COUNT];
        g[0] = q - Self::BUFFER;
        g[1] = if self.empty { f64::NAN } else { q };
        g[2] = if self.empty {
            Self::drift(t, x, history)
        } else {
            f64::NAN
        };
    }
    fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
        self.log.push((now.t, cause));
        let q = now.x[Self::COUNT];
        match cause {
            Cause::Event(0) => {
                for i in 0..Self::COUNT {
                    now.schedule(now.t + Self::base(i) + q / Self::CAPACITY, i);
                }
                Effect::Jump
            }
            Cause::Event(_) => {
                now.x[Self::COUNT] = 0.0;
                let drift = Self::drift(now.t, now.x, &now.history());
                self.empty = cause == Cause::Event(1) && drift <= 0.0;
                Effect::Switch
            }
            Cause::Scheduled(i) | Cause::Foreseen(i) => {
                now.x[i] /= 2.0;
                Effect::Jump
            }
        }
    }
}
