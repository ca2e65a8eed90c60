//! One file for each algorithm, and the list. Nothing else in the crate knows an algorithm by name.

mod aimd;
mod bic;
mod compound;
mod cubic;
mod fast;
mod highspeed;
mod htcp;
mod illinois;
mod kelly;
mod mathis;
mod pftk;
mod reno;
mod scalable;
mod tfrc;
mod vegas;
mod xcp;

use crate::error::{Error, Result};
use crate::model::{Entry, ResponseFunction, Setting};
use crate::units::Seconds;

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

/// The algorithm called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the whole list.
pub fn find(name: &str) -> Result<&'static dyn Entry> {
    ALGORITHMS
        .iter()
        .find(|entry| entry.name() == name)
        .copied()
        .ok_or_else(|| Error::unknown("law", name, ALGORITHMS.iter().map(|entry| entry.name())))
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
        let (head, values) = match spec.split_once(':') {
            Some((head, values)) => (head, Some(values)),
            None => (spec, None),
        };
        let (name, preset) = match head.split_once('@') {
            Some((name, preset)) => (name, Some(preset)),
            None => (head, None),
        };
        let algorithm = find(name.trim())?;
        let presets = algorithm.presets();
        let preset = match preset {
            None => presets
                .first()
                .ok_or_else(|| Error::unknown("preset", "", [""; 0]))?,
            Some(word) => presets
                .iter()
                .find(|p| p.name == word.trim())
                .ok_or_else(|| {
                    Error::unknown("preset", word.trim(), presets.iter().map(|p| p.name))
                })?,
        };
        let mut setting = Setting::of(algorithm.parameters(), preset);
        let mut seen = Vec::new();
        for pair in values.into_iter().flat_map(|values| values.split(',')) {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Error::malformed(
                    "parameter",
                    pair,
                    "key=value, such as smax=64",
                ));
            };
            let key = key.trim();
            setting.set(key, value)?;
            if seen.contains(&key) {
                return Err(Error::Arguments(format!(
                    "the key `{key}` is given twice in `{spec}`: give it once"
                )));
            }
            seen.push(key);
        }
        algorithm.check(&setting)?;
        Ok(Self { algorithm, setting })
    }

    /// The shortest text that reads back as this selection.
    #[must_use]
    pub fn spec(&self) -> String {
        let preset = self.setting.preset();
        let first = self.algorithm.presets().first().map_or("", |p| p.name);
        let mut out = self.algorithm.name().to_owned();
        if preset.name != first {
            out += &format!("@{}", preset.name);
        }
        let own = Setting::of(self.algorithm.parameters(), preset);
        let changed: Vec<String> = self
            .setting
            .iter()
            .zip(own.iter())
            .filter(|((_, now), (_, then))| now.to_bits() != then.to_bits())
            .map(|((parameter, value), _)| {
                let unit = if parameter.kind == crate::model::Kind::Time {
                    "s"
                } else {
                    ""
                };
                format!("{}={value}{unit}", parameter.key)
            })
            .collect();
        if !changed.is_empty() {
            out += &format!(":{}", changed.join(","));
        }
        out
    }
}
