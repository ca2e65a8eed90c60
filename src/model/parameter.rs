//! Parameters as data: symbol, default, range, unit, meaning; presets with their citation.

use crate::error::{Error, Result};
use crate::units::{self, Rate, Seconds};

/// Whether this is a time of nothing, which some parameters may be.
fn is_zero(text: &str) -> bool {
    let number = text
        .trim()
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    number.parse() == Ok(0.0)
}

/// How a value is written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number without a unit.
    Number,
    /// 0 or 1.
    Switch,
    /// A time with its unit; kept in seconds.
    Time,
    /// Packets per second, with their unit.
    PacketRate,
}

impl Kind {
    /// What a value is followed by when it is written.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Time => "s",
            Self::PacketRate => "pkt/s",
            Self::Number | Self::Switch => "",
        }
    }
}

/// The interval a parameter may lie in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether the ends themselves are allowed.
    pub closed: bool,
}

impl Bounds {
    /// `low < x < high`.
    #[must_use]
    pub const fn open(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            closed: false,
        }
    }

    /// `low ≤ x ≤ high`.
    #[must_use]
    pub const fn closed(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            closed: true,
        }
    }

    /// Whether `x` lies inside.
    #[must_use]
    pub fn contains(&self, x: f64) -> bool {
        if self.closed {
            x >= self.low && x <= self.high
        } else {
            x > self.low && x < self.high
        }
    }

    /// The interval in words.
    #[must_use]
    pub fn describe(&self) -> String {
        if self.closed {
            format!("{} to {}", self.low, self.high)
        } else {
            format!("more than {} and less than {}", self.low, self.high)
        }
    }
}

/// One parameter of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The key on the command line, lower case.
    pub key: &'static str,
    /// The paper's letter.
    pub symbol: &'static str,
    /// Value in the default preset.
    pub default: f64,
    /// What is allowed.
    pub bounds: Bounds,
    /// How it is written.
    pub kind: Kind,
    /// Its unit, empty for a pure number.
    pub unit: &'static str,
    /// What it is, in one phrase.
    pub meaning: &'static str,
}

impl Parameter {
    /// A parameter that is a number, with its key, the paper's symbol, default, range, unit and meaning.
    #[must_use]
    pub const fn number(
        key: &'static str,
        symbol: &'static str,
        default: f64,
        bounds: Bounds,
        unit: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self {
            key,
            symbol,
            default,
            bounds,
            kind: Kind::Number,
            unit,
            meaning,
        }
    }

    /// A parameter that is a time or a rate of packets: as [`Parameter::number`], the unit that of the kind.
    #[must_use]
    pub const fn quantity(
        key: &'static str,
        symbol: &'static str,
        default: f64,
        bounds: Bounds,
        kind: Kind,
        meaning: &'static str,
    ) -> Self {
        Self {
            key,
            symbol,
            default,
            bounds,
            kind,
            unit: match kind {
                Kind::Time => "s",
                Kind::PacketRate => "packets/s",
                Kind::Number | Kind::Switch => "",
            },
            meaning,
        }
    }

    /// The value that `text` gives this parameter.
    ///
    /// # Errors
    /// [`Error::Malformed`] or [`Error::OutOfRange`], naming the key.
    pub fn parse(&self, text: &str) -> Result<f64> {
        let value = match self.kind {
            Kind::Number => units::parse_number("number", text)?,
            Kind::Switch => match text.trim() {
                "0" => 0.0,
                "1" => 1.0,
                _ => return Err(Error::malformed("switch", text, "0 or 1")),
            },
            // A time that is not positive is refused below, by the parameter's name, unless it is a zero that is allowed.
            Kind::Time => match Seconds::parse(text) {
                Err(Error::OutOfRange { .. }) if is_zero(text) => 0.0,
                Err(Error::OutOfRange { .. }) => f64::NAN,
                read => read?.value(),
            },
            Kind::PacketRate => match Rate::parse(text)? {
                Rate::Packets(rate) => rate.value(),
                Rate::Bits(_) => {
                    return Err(Error::malformed(
                        "rate of packets",
                        text,
                        "packets per second, such as 3750pkt/s",
                    ));
                }
            },
        };
        if self.bounds.contains(value) {
            Ok(value)
        } else {
            let unit = self.kind.suffix();
            let space = if unit.is_empty() { "" } else { " " };
            let allowed = self.bounds.describe() + space + unit;
            Err(Error::out_of_range(
                format!("the parameter `{}`", self.key),
                format!("`{text}`"),
                allowed,
            ))
        }
    }
}

/// A named set of values, as one source states them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// The word after `@`.
    pub name: &'static str,
    /// Where these values stand: a key of the references and a place in it.
    pub source: &'static str,
    /// What is special about it, for example that a number is unconfirmed.
    pub note: Option<&'static str>,
    /// Values that differ from the parameters' defaults.
    pub values: &'static [(&'static str, f64)],
}

/// Values for every parameter of one algorithm, with the preset they started from.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    preset: &'static Preset,
    parameters: &'static [Parameter],
    values: Vec<f64>,
}

impl Setting {
    /// The preset as its source states it.
    #[must_use]
    pub fn of(parameters: &'static [Parameter], preset: &'static Preset) -> Self {
        let values = parameters
            .iter()
            .map(|p| {
                preset
                    .values
                    .iter()
                    .find(|(key, _)| *key == p.key)
                    .map_or(p.default, |(_, v)| *v)
            })
            .collect();
        Self {
            preset,
            parameters,
            values,
        }
    }

    /// Changes one value, written as on the command line.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a key that is not this algorithm's, and whatever [`Parameter::parse`] says.
    pub fn set(&mut self, key: &str, text: &str) -> Result<()> {
        let at = self
            .parameters
            .iter()
            .position(|p| p.key == key)
            .ok_or_else(|| Error::unknown("key", key, self.parameters.iter().map(|p| p.key)))?;
        let value = self.parameters[at].parse(text)?;
        if let Some(slot) = self.values.get_mut(at) {
            *slot = value;
        }
        Ok(())
    }

    /// Changes one value to a number in the parameter's own unit.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a key that is not this algorithm's, [`Error::OutOfRange`] for a value outside its range.
    pub fn set_value(&mut self, key: &str, value: f64) -> Result<()> {
        let suffix = self
            .parameters
            .iter()
            .find(|p| p.key == key)
            .map_or("", |p| p.kind.suffix());
        self.set(key, &format!("{value}{suffix}"))
    }

    /// The value of `key`. A key that the algorithm does not declare is a slip in its file; it reads as 0, and the
    /// house test that builds every algorithm finds it.
    #[must_use]
    pub fn get(&self, key: &str) -> f64 {
        let found = self.parameters.iter().position(|p| p.key == key);
        debug_assert!(found.is_some(), "no parameter `{key}`");
        found
            .and_then(|at| self.values.get(at))
            .copied()
            .unwrap_or(0.0)
    }

    /// Whether a switch is on.
    #[must_use]
    pub fn on(&self, key: &str) -> bool {
        self.get(key) > 0.5
    }

    /// The preset these values started from.
    #[must_use]
    pub fn preset(&self) -> &'static Preset {
        self.preset
    }

    /// Whether every value is the preset's own.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        *self == Self::of(self.parameters, self.preset)
    }

    /// Keys and values that differ from the preset's, in declaration order.
    pub fn changed(&self) -> impl Iterator<Item = (&'static Parameter, f64)> + '_ {
        let own = Self::of(self.parameters, self.preset);
        self.iter()
            .filter(move |(p, value)| value.to_bits() != own.get(p.key).to_bits())
    }

    /// Keys and values in declaration order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Parameter, f64)> + '_ {
        self.parameters.iter().zip(self.values.iter().copied())
    }
}
