//! One file for each algorithm, and the list. Nothing else in the crate knows an algorithm by name.

mod aimd;
mod bic;
mod canit;
mod compound;
mod cr;
mod cubic;
mod fast;
mod highspeed;
mod htcp;
mod ibk;
mod illinois;
mod kelly;
mod mathis;
mod pftk;
mod reno;
mod scalable;
mod tfrc;
mod vegas;
mod westwood;
mod xcp;

use crate::error::{Error, Result};
use crate::model::{Entry, ResponseFunction, Setting, Spec, WindowLaw, spec};
use crate::units::Seconds;
use std::sync::{PoisonError, RwLock};

/// Every algorithm, in the order in which `laws` prints them.
pub const ALGORITHMS: &[&dyn Entry] = &[
    &reno::Reno,
    &aimd::Aimd,
    &highspeed::HighSpeed,
    &scalable::Scalable,
    &bic::Bic,
    &cubic::Cubic,
    &htcp::Htcp,
    &compound::Compound,
    &illinois::Illinois,
    &westwood::Westwood,
    &cr::ConstantRate,
    &ibk::IncreaseByK,
    &canit::Canit,
    &fast::Fast,
    &vegas::Vegas,
    &xcp::Xcp,
    &mathis::Mathis,
    &kelly::Kelly,
    &pftk::Pftk,
    &tfrc::Tfrc,
];

/// An algorithm with values for its parameters.
#[derive(Clone)]
pub struct Selected {
    /// The algorithm.
    pub algorithm: &'static dyn Entry,
    /// Its values.
    pub setting: Setting,
}

impl std::fmt::Debug for Selected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Selected({})", self.spec())
    }
}

/// Algorithms that were added while the program runs.
static ADDED: RwLock<Vec<&'static dyn Entry>> = RwLock::new(Vec::new());

/// Every algorithm: the list, then what was added to it.
#[must_use]
pub fn all() -> Vec<&'static dyn Entry> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    ALGORITHMS.iter().chain(added.iter()).copied().collect()
}

/// Adds an algorithm that is known from now on to the end of the process, which is how long it lives.
///
/// # Errors
/// [`Error::Arguments`] if its name is taken.
pub fn add(entry: Box<dyn Entry>) -> Result<&'static dyn Entry> {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    let mut known = ALGORITHMS.iter().chain(added.iter());
    if known.any(|other| other.name() == entry.name()) {
        return Err(Error::Arguments(format!(
            "the name `{}` is taken by another law: give it one of its own",
            entry.name()
        )));
    }
    let entry: &'static dyn Entry = Box::leak(entry);
    added.push(entry);
    Ok(entry)
}

/// The algorithm called `name`, or that has it among its other names, in any case.
///
/// # Errors
/// [`Error::Unknown`] with the whole list.
pub fn find(name: &str) -> Result<&'static dyn Entry> {
    let all = all();
    let also = |entry: &&&dyn Entry| {
        let mut others = entry.other_names().iter();
        others.any(|other| other.eq_ignore_ascii_case(name))
    };
    all.iter()
        .find(|entry| entry.name() == name)
        .or_else(|| all.iter().find(also))
        .copied()
        .ok_or_else(|| Error::unknown("law", name, all.iter().map(|entry| entry.name())))
}

/// The formula for a standard sender where retransmission timeouts rule: the first in the list that answers for them.
#[must_use]
pub fn timeouts(rto: Option<Seconds>, ack_every: f64) -> Option<Box<dyn ResponseFunction>> {
    ALGORITHMS
        .iter()
        .find_map(|entry| entry.timeouts(rto, ack_every))
}

impl Selected {
    /// The law that is meant when none is named: the first of the list, standard TCP.
    ///
    /// # Errors
    /// None as long as the list begins with an algorithm that has a preset.
    pub fn standard() -> Result<Self> {
        Self::parse(ALGORITHMS.first().map_or("", |entry| entry.name()))
    }

    /// Reads `NAME[@PRESET][:key=value,...]`.
    ///
    /// # Errors
    /// An unknown name, preset or key with the nearest valid one, a value outside its range, values that do not go together.
    ///
    /// ```
    /// use cwnd::algorithms::Selected;
    /// let law = Selected::parse("bic:smax=64,beta=0.2")?;
    /// assert_eq!(law.setting.get("smax"), 64.0);
    /// assert!(Selected::parse("bik").is_err());
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(spec: &str) -> Result<Self> {
        let spec = Spec::split(spec);
        let algorithm = find(spec.name())?;
        let setting = spec.setting(algorithm.parameters(), algorithm.presets())?;
        algorithm.check(&setting)?;
        Ok(Self { algorithm, setting })
    }

    /// The law that its senders follow.
    ///
    /// # Errors
    /// [`Error::Arguments`] for a formula that is not a law.
    pub fn law(&self) -> Result<Box<dyn WindowLaw>> {
        self.algorithm.law(&self.setting).ok_or_else(|| {
            Error::Arguments(format!(
                "`{}` is a formula, not a law: it cannot send; name a law, such as {}",
                self.spec(),
                ALGORITHMS.first().map_or("", |entry| entry.name())
            ))
        })
    }

    /// The shortest text that reads back as this selection.
    #[must_use]
    pub fn spec(&self) -> String {
        spec::write(
            self.algorithm.name(),
            self.algorithm.presets(),
            &self.setting,
        )
    }
}
