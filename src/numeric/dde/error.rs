//! What can go wrong, with the numbers that say where.

use std::fmt;

/// Why an integration stopped before its end. Times are in the unit of the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Error {
    /// The step had to shrink below what `t` can resolve while a delay was shorter than the step:
    /// the delay vanishes, or the iteration over the overlap does not contract.
    VanishingDelay {
        /// Start of the step.
        t: f64,
        /// The shortest delay that was asked for.
        delay: f64,
        /// The step that was still too long.
        step: f64,
    },
    /// The error test failed down to a step that `t` cannot resolve.
    StepTooSmall {
        /// Start of the step.
        t: f64,
        /// The step refused.
        step: f64,
        /// The error estimate of the last attempt in units of the tolerance (should be at most 1).
        error: f64,
    },
    /// As many steps were attempted as the options allow, or so many that the pace showed they would not be enough.
    StepBudget {
        /// How far the integration came.
        t: f64,
        /// Attempted steps.
        steps: usize,
    },
    /// The right-hand side is not finite, however short the step.
    NonFinite {
        /// Where it was evaluated.
        t: f64,
        /// The first component that is not finite.
        component: usize,
        /// Its value.
        value: f64,
    },
    /// The problem asked for a state older than what is kept.
    BeforeHistory {
        /// When it was asked.
        t: f64,
        /// The past time asked for.
        asked: f64,
        /// The oldest time kept, set by [`Problem::longest_delay`](super::Problem::longest_delay).
        kept_from: f64,
    },
    /// The problem asked for a state that does not exist yet (or at a time that is NaN).
    InFuture {
        /// When it was asked.
        t: f64,
        /// The time asked for, later than `t`.
        asked: f64,
    },
    /// Handlers kept firing without letting time pass.
    EventStorm {
        /// When.
        t: f64,
        /// How many reactions ran at this time.
        fired: usize,
    },
    /// A handler scheduled a reaction at a time that has passed.
    ScheduledInPast {
        /// When the handler ran.
        t: f64,
        /// The time it asked for.
        asked: f64,
    },
    /// An argument of the solver makes no sense.
    BadArgument {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::VanishingDelay { t, delay, step } => write!(
                f,
                "the delay {delay:e} vanishes at t = {t}: a step of {step:e} still overlaps it"
            ),
            Self::StepTooSmall { t, step, error } => write!(
                f,
                "the step {step:e} at t = {t} is too small, its error still {error:e} tolerances"
            ),
            Self::StepBudget { t, steps } => {
                write!(f, "{steps} steps were not enough: stopped at t = {t}")
            }
            Self::NonFinite {
                t,
                component,
                value,
            } => write!(
                f,
                "the right-hand side of component {component} is {value} at t = {t}"
            ),
            Self::BeforeHistory {
                t,
                asked,
                kept_from,
            } => write!(
                f,
                "at t = {t} the state at {asked} was asked for, but the history begins at {kept_from}"
            ),
            Self::InFuture { t, asked } => {
                write!(
                    f,
                    "at t = {t} the state at the later time {asked} was asked for"
                )
            }
            Self::EventStorm { t, fired } => {
                write!(f, "{fired} reactions at t = {t} and time does not pass")
            }
            Self::ScheduledInPast { t, asked } => {
                write!(
                    f,
                    "at t = {t} a reaction was scheduled at {asked}, which has passed"
                )
            }
            Self::BadArgument { what, value } => write!(f, "{what} cannot be {value}"),
        }
    }
}

impl std::error::Error for Error {}
