//! Traffic that does not answer to losses, as a `[[flow]]` table names it in place of a law.

use super::quantity::{number, rate, size, time};
use crate::error::{Error, Result};
use crate::fluid::Web;
use crate::units::Bytes;

/// What it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Traffic {
    /// Packets per second.
    Constant(f64),
    /// Short transfers.
    Web(Web),
}

/// The words before the colon.
pub(super) const NAMES: [&str; 2] = ["constant-rate", "web"];

const CONSTANT: &[&str] = &["rate"];
const WEB: &[&str] = &["rate", "least", "largest", "shape", "access", "interval"];

impl Traffic {
    /// Reads `constant-rate:rate=2Mbit/s` or `web:rate=20Mbit/s,access=2Mbit/s`; `None` for the name of anything else.
    pub fn read(text: &str, packet: Bytes) -> Option<Result<Self>> {
        let (name, values) = text.split_once(':').unwrap_or((text, ""));
        match name.trim() {
            "constant-rate" => Some(constant(text, values, packet)),
            "web" => Some(web(text, values, packet)),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Constant(_) => NAMES[0],
            Self::Web(_) => NAMES[1],
        }
    }
}

/// Key and value of each pair, the keys among those allowed and each at most once.
fn pairs<'a>(
    text: &str,
    values: &'a str,
    allowed: &'static [&'static str],
) -> Result<Vec<(&'static str, &'a str)>> {
    let mut pairs: Vec<(&'static str, &'a str)> = Vec::new();
    for pair in values.split(',').filter(|pair| !pair.trim().is_empty()) {
        let (word, value) = pair.split_once('=').unwrap_or((pair, ""));
        let word = word.trim();
        let key = (allowed.iter().find(|key| **key == word))
            .ok_or_else(|| Error::unknown("key", word, allowed.iter().copied()))?;
        if pairs.iter().any(|(other, _)| other == key) {
            return Err(Error::Arguments(format!(
                "the key `{word}` is given twice in `{text}`: give it once"
            )));
        }
        pairs.push((key, value.trim()));
    }
    Ok(pairs)
}

fn constant(text: &str, values: &str, packet: Bytes) -> Result<Traffic> {
    let mut each = None;
    for (_, value) in pairs(text, values, CONSTANT)? {
        each = Some(rate(value, packet)?);
    }
    each.map(Traffic::Constant).ok_or_else(|| {
        Error::malformed(
            "law",
            text,
            "constant-rate with its rate, such as constant-rate:rate=2Mbit/s",
        )
    })
}

fn web(text: &str, values: &str, packet: Bytes) -> Result<Traffic> {
    // A transfer's own rate unless given: 2 Mbit/s.
    let mut web = Web::new(f64::NAN, 250_000.0 / packet.value());
    for (key, value) in pairs(text, values, WEB)? {
        match key {
            "rate" => web.rate = rate(value, packet)?,
            "least" => web.least = size(value, packet)?,
            "largest" => web.largest = size(value, packet)?,
            "shape" => web.shape = number(value)?,
            "access" => web.access = rate(value, packet)?,
            _ => web.interval = time(value)?,
        }
    }
    if web.rate.is_nan() {
        return Err(Error::malformed(
            "law",
            text,
            "web with its mean rate, such as web:rate=20Mbit/s",
        ));
    }
    web.check(1.0)?;
    Ok(Traffic::Web(web))
}
