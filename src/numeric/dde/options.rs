//! How to solve: tolerances, steps, and switches that turn parts of the solver off.

use super::error::Error;

/// A tolerance for all components, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub enum Tolerance {
    /// The same for every component.
    All(f64),
    /// One per component.
    Each(Vec<f64>),
}

impl Tolerance {
    /// The tolerance of component `i`.
    #[inline]
    pub(super) fn at(&self, i: usize) -> f64 {
        match self {
            Self::All(value) => *value,
            Self::Each(values) => values[i],
        }
    }

    fn check(&self, dimension: usize) -> Result<(), Error> {
        let bad = |what, value| Err(Error::BadArgument { what, value });
        let values = match self {
            Self::All(value) => std::slice::from_ref(value),
            Self::Each(values) if values.len() == dimension => values,
            #[expect(clippy::cast_precision_loss, reason = "a length, for a message")]
            Self::Each(values) => return bad("the number of tolerances", values.len() as f64),
        };
        match values.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
            Some(value) => bad("a tolerance", *value),
            None => Ok(()),
        }
    }
}

impl From<f64> for Tolerance {
    fn from(value: f64) -> Self {
        Self::All(value)
    }
}

impl From<Vec<f64>> for Tolerance {
    fn from(values: Vec<f64>) -> Self {
        Self::Each(values)
    }
}

/// What to do when a step is longer than a delay, so that it needs its own result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Iterate the step to convergence, if that pays; else shorten it ("unconstrained").
    Iterate,
    /// Never step further than the shortest delay ("constrained").
    Forbid,
}

/// The continuous extension that makes up the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolant {
    /// Shampine's, of order 4: no further evaluations. Global order 5 at the ends of steps.
    Fourth,
    /// Order 5 everywhere, with two further evaluations per accepted step.
    Fifth,
    /// Order 5 in the steps in which an event happens, where the state that it leaves comes from the polynomial; order 4 in the others. For
    /// problems that do not read their past.
    FifthAtEvents,
}

/// Parts of the solver that can be left out, to show what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// End steps at breaking points.
    pub breaking_points: bool,
    /// Find the time of an event; else it happens at the end of the step.
    pub event_location: bool,
    /// Keep both limits of a jump; else the history is continuous, its last step bent to the new
    /// value.
    pub both_limits: bool,
}

/// How to solve. `Options::default()` has both tolerances at 1e-9.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Relative tolerance of the local error, ≥ 0.
    pub relative: Tolerance,
    /// Absolute tolerance of the local error, ≥ 0, in the unit of the component.
    pub absolute: Tolerance,
    /// The first step to try, > 0; `None` chooses one.
    pub first_step: Option<f64>,
    /// No step is longer, > 0.
    pub longest_step: f64,
    /// Take steps of this length, > 0, without regard to the error (shorter ones to land on
    /// breaking points, scheduled times and the end).
    pub fixed_step: Option<f64>,
    /// Attempted steps before giving up; a fiftieth of them is enough to give up where fifty times as many would be needed.
    pub budget: usize,
    /// Steps longer than a delay.
    pub overlap: Overlap,
    /// The continuous extension.
    pub interpolant: Interpolant,
    /// Breaking points of higher order than this are stepped over, 0 to 5. Lower it when jumps
    /// are many and lags are many.
    pub highest_order: u8,
    /// In how many places of a step event functions and deviated arguments are looked at, at least
    /// 1 (its end only): a crossing that is undone before the next place is not seen.
    pub samples: usize,
    /// Switches for tests.
    pub parts: Parts,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            relative: 1e-9.into(),
            absolute: 1e-9.into(),
            first_step: None,
            longest_step: f64::INFINITY,
            fixed_step: None,
            budget: 10_000_000,
            overlap: Overlap::Iterate,
            interpolant: Interpolant::Fifth,
            highest_order: super::tableau::ORDER,
            samples: 3,
            parts: Parts {
                breaking_points: true,
                event_location: true,
                both_limits: true,
            },
        }
    }
}

impl Options {
    /// The defaults with these tolerances, each a number or a vector.
    #[must_use]
    pub fn new(relative: impl Into<Tolerance>, absolute: impl Into<Tolerance>) -> Self {
        Self {
            relative: relative.into(),
            absolute: absolute.into(),
            ..Self::default()
        }
    }

    /// How much error component `i` may have between values `a` and `b`.
    #[inline]
    pub(super) fn allowed(&self, i: usize, a: f64, b: f64) -> f64 {
        self.absolute.at(i) + self.relative.at(i) * a.abs().max(b.abs())
    }

    pub(super) fn check(&self, dimension: usize) -> Result<(), Error> {
        self.relative.check(dimension)?;
        self.absolute.check(dimension)?;
        let steps = [
            ("the first step", self.first_step),
            ("the longest step", Some(self.longest_step)),
            ("the fixed step", self.fixed_step),
        ];
        for (what, step) in steps {
            if let Some(value) = step.filter(|step| step.is_nan() || *step <= 0.0) {
                return Err(Error::BadArgument { what, value });
            }
        }
        Ok(())
    }
}
