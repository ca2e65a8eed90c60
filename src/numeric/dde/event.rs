//! Events: which have happened in a step, and when the first did.
//!
//! Each event has a *stance*, the side of its surface the solver knows it to be on. It happens
//! when its function reaches zero or the other side in its direction, whether by flowing there
//! (then the time is bracketed on the dense output) or by being carried there by a jump or by a
//! delayed value that jumps (then it happens at the start of the step). Happening moves the
//! stance to the other side, so an event whose reaction changes nothing does not happen again.

use super::problem::Direction;

/// On which side of its surface an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stance {
    /// Disarmed: takes the side of the next value without happening.
    Unknown,
    Negative,
    /// On the surface from the start: leaving it in its direction is the event.
    Zero,
    Positive,
}

impl Stance {
    fn of(g: f64) -> Self {
        if g > 0.0 {
            Self::Positive
        } else if g < 0.0 {
            Self::Negative
        } else if g.is_nan() {
            Self::Unknown
        } else {
            Self::Zero
        }
    }

    /// Where the value `g` moves an event of `direction`: the side it ends on if it happens. One that is `on` its surface has
    /// happened there; it does not happen again by staying.
    fn happens(self, g: f64, on: bool, direction: Direction) -> Option<Self> {
        if on && g == 0.0 {
            return None;
        }
        let rising = direction != Direction::Falling;
        let falling = direction != Direction::Rising;
        match self {
            Self::Negative if rising && g >= 0.0 => Some(Self::Positive),
            Self::Positive if falling && g <= 0.0 => Some(Self::Negative),
            Self::Zero if rising && g > 0.0 => Some(Self::Positive),
            Self::Zero if falling && g < 0.0 => Some(Self::Negative),
            _ => None,
        }
    }

    /// Where the value `g` moves an event that does not happen.
    fn follow(&mut self, g: f64) {
        if g != 0.0 || *self == Self::Unknown {
            *self = Self::of(g);
        }
    }
}

/// The events of a problem and where they stand.
#[derive(Debug)]
pub(super) struct Watch {
    directions: Vec<Direction>,
    stances: Vec<Stance>,
    /// Whether each event function is exactly 0 at the time reached.
    on: Vec<bool>,
    /// The event functions at the time reached.
    pub values: Vec<f64>,
    next: Vec<f64>,
    middle: Vec<f64>,
    /// The events that have just happened, in the order of their numbers.
    pub batch: Vec<usize>,
    /// Whether each event has happened at the present instant.
    fired: Vec<bool>,
    /// Stances, which of them on their surfaces, values and batch to come back to.
    kept: (Vec<Stance>, Vec<bool>, Vec<f64>, Vec<usize>),
}

impl Watch {
    pub fn new(directions: Vec<Direction>) -> Self {
        let n = directions.len();
        Self {
            directions,
            stances: vec![Stance::Unknown; n],
            on: vec![false; n],
            values: vec![f64::NAN; n],
            next: vec![f64::NAN; n],
            middle: vec![f64::NAN; n],
            batch: Vec::with_capacity(n),
            fired: vec![false; n],
            kept: (
                vec![Stance::Unknown; n],
                vec![false; n],
                vec![f64::NAN; n],
                Vec::new(),
            ),
        }
    }

    /// Remember where everything stands, with nothing in the batch.
    pub fn keep(&mut self) {
        self.kept.0.copy_from_slice(&self.stances);
        self.kept.1.copy_from_slice(&self.on);
        self.kept.2.copy_from_slice(&self.values);
        self.kept.3.clear();
    }

    /// Exchange what is remembered with where everything stands.
    pub fn exchange(&mut self) {
        std::mem::swap(&mut self.kept.0, &mut self.stances);
        std::mem::swap(&mut self.kept.1, &mut self.on);
        std::mem::swap(&mut self.kept.2, &mut self.values);
        std::mem::swap(&mut self.kept.3, &mut self.batch);
        self.fired.fill(false);
        for &j in &self.batch {
            self.fired[j] = true;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.directions.is_empty()
    }

    /// Begin a new instant: every event may happen again.
    pub fn new_instant(&mut self) {
        self.fired.fill(false);
    }

    /// With `values` set at the right of the present time, put into `batch` the events a jump has
    /// made happen, at most once each per instant.
    pub fn settle(&mut self) {
        self.batch.clear();
        for j in 0..self.directions.len() {
            let g = self.values[j];
            match self.stances[j].happens(g, self.on[j], self.directions[j]) {
                Some(side) if !self.fired[j] => self.fire(j, side),
                _ => self.stances[j].follow(g),
            }
            self.on[j] = g == 0.0;
        }
    }

    fn fire(&mut self, j: usize, side: Stance) {
        self.fired[j] = true;
        self.stances[j] = side;
        self.batch.push(j);
    }

    /// Find the first instant in `(a, b]` at which anything happens; `batch` says what. `values`
    /// are those at `a` and become those at the instant, or at `b` if nothing happens.
    ///
    /// The time returned is the right end of a bracket as narrow as the floating-point times
    /// allow, so the events in the batch have reached or crossed their surfaces there.
    pub fn first(
        &mut self,
        a: f64,
        b: f64,
        samples: usize,
        locate: bool,
        mut surfaces: impl FnMut(f64, &mut [f64]),
    ) -> Option<f64> {
        self.new_instant();
        self.batch.clear();
        let samples = if locate { samples.max(1) } else { 1 };
        let mut from = a;
        for m in 1..=samples {
            #[expect(clippy::cast_precision_loss, reason = "a handful")]
            let fraction = m as f64 / samples as f64;
            let to = if m == samples {
                b
            } else {
                a + (b - a) * fraction
            };
            if to <= from {
                continue;
            }
            surfaces(to, &mut self.next);
            if self.stands(&self.next) {
                std::mem::swap(&mut self.values, &mut self.next);
                from = to;
                continue;
            }
            if !self.any(&self.next) {
                std::mem::swap(&mut self.values, &mut self.next);
                self.follow();
                from = to;
                continue;
            }
            let at = if locate {
                self.narrow(from, to, &mut surfaces)
            } else {
                to
            };
            std::mem::swap(&mut self.values, &mut self.next);
            self.settle();
            if !self.batch.is_empty() {
                return Some(at);
            }
            from = at;
        }
        None
    }

    /// Let the events take the side of their values, of which none happens.
    fn follow(&mut self) {
        let events = self.stances.iter_mut().zip(&mut self.on);
        for ((stance, on), &g) in events.zip(&self.values) {
            stance.follow(g);
            *on = g == 0.0;
        }
    }

    /// Whether every event stands where it stood: the usual case, told quickly.
    fn stands(&self, g: &[f64]) -> bool {
        let mut all = self.stances.iter().zip(&self.on).zip(g);
        all.all(|((stance, on), &g)| *stance == Stance::of(g) && !on)
    }

    fn any(&self, g: &[f64]) -> bool {
        let mut all = (0..self.directions.len()).map(|j| self.moves(j, g[j]));
        all.any(|moved| moved.is_some())
    }

    /// Where the value `g` moves event `j`, if it happens.
    fn moves(&self, j: usize, g: f64) -> Option<Stance> {
        self.stances[j].happens(g, self.on[j], self.directions[j])
    }

    /// Narrow `(a, b]`, with something happening by `b`, to the first such event. The Illinois
    /// method on whichever event promises to be first, with a bisection every fourth time.
    fn narrow(&mut self, mut a: f64, mut b: f64, surfaces: &mut dyn FnMut(f64, &mut [f64])) -> f64 {
        let tolerance = 4.0 * f64::EPSILON * a.abs().max(b.abs());
        let (mut weight_a, mut weight_b) = (1.0, 1.0);
        let mut moved_b = None;
        for round in 1..200 {
            if b - a <= tolerance {
                break;
            }
            let m = if round % 4 == 0 {
                0.5 * (a + b)
            } else {
                self.promise(a, b, weight_a, weight_b)
                    .max(a + 0.5 * tolerance)
                    .min(b - 0.5 * tolerance)
            };
            if m <= a || m >= b {
                break;
            }
            surfaces(m, &mut self.middle);
            if self.any(&self.middle) {
                b = m;
                std::mem::swap(&mut self.next, &mut self.middle);
                weight_b = 1.0;
                weight_a *= if moved_b == Some(true) { 0.5 } else { 1.0 };
                moved_b = Some(true);
            } else {
                a = m;
                std::mem::swap(&mut self.values, &mut self.middle);
                self.follow();
                weight_a = 1.0;
                weight_b *= if moved_b == Some(false) { 0.5 } else { 1.0 };
                moved_b = Some(false);
            }
        }
        b
    }

    /// The earliest of the straight-line guesses at the zeros.
    fn promise(&self, a: f64, b: f64, weight_a: f64, weight_b: f64) -> f64 {
        let mut first = b;
        for j in 0..self.directions.len() {
            let (ga, gb) = (weight_a * self.values[j], weight_b * self.next[j]);
            if self.moves(j, gb).is_none() {
                continue;
            }
            let guess = if ga == 0.0 {
                a
            } else if ga * gb <= 0.0 {
                a + (b - a) * ga / (ga - gb)
            } else {
                0.5 * (a + b)
            };
            first = first.min(guess);
        }
        first
    }
}
