//! Quantities with their units, in text and as types. Bits and bytes, packets and rates never mix.
//!
//! A bare number is refused wherever the unit is not obvious; a loss rate has none and may be written `1e-7`,
//! `0.01%` or `1/22000`.

mod grid;
mod kind;

pub use grid::{MOST_POINTS, grid, spaced};
pub use kind::Kind;

use crate::error::{Error, Result};
use serde::Serialize;
use std::fmt;

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $symbol:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// Wraps a number that already is in this unit.
            #[must_use]
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// The bare number in this unit.
            #[must_use]
            pub const fn value(self) -> f64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{} ", $symbol), self.0)
            }
        }
    };
}

quantity!(
    /// A duration in seconds.
    Seconds, "s"
);
quantity!(
    /// A number of packets, for windows and queues; need not be whole.
    Packets, "packets"
);
quantity!(
    /// Packets per second.
    PacketRate, "packets/s"
);
quantity!(
    /// Bits per second.
    BitRate, "bit/s"
);
quantity!(
    /// A size in bytes.
    Bytes, "B"
);

/// Loss **events** per packet sent, at least 1e-100 and less than 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct LossRate(f64);

impl LossRate {
    /// A loss rate from a number.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless 1e-100 ≤ `p` < 1: beyond that windows and their squares overflow.
    ///
    /// ```
    /// use cwnd::units::LossRate;
    /// assert!(LossRate::new(1e-7).is_ok());
    /// assert!(LossRate::new(0.0).is_err());
    /// ```
    pub fn new(p: f64) -> Result<Self> {
        if (1e-100..1.0).contains(&p) {
            Ok(Self(p))
        } else {
            Err(Error::out_of_range(
                "the loss rate",
                p,
                "more than 0 (at least 1e-100) and less than 1",
            ))
        }
    }

    /// The bare number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The share of packets of this size that independent bit errors hit: 1 − (1 − BER)^(8L).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where that is no loss rate.
    ///
    /// ```
    /// use cwnd::units::{Bytes, LossRate};
    /// let loss = LossRate::from_bit_errors(1e-9, Bytes::new(1500.0))?;
    /// assert!((loss.value() / 1.2e-5 - 1.0).abs() < 1e-5);
    /// assert!((loss.bit_errors(Bytes::new(1500.0)) / 1e-9 - 1.0).abs() < 1e-12);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn from_bit_errors(rate: f64, packet: Bytes) -> Result<Self> {
        Self::new(-(8.0 * packet.value() * (-rate).ln_1p()).exp_m1())
    }

    /// The rate of independent bit errors that hits this share of packets of this size: 1 − (1 − p)^(1/8L).
    #[must_use]
    pub fn bit_errors(self, packet: Bytes) -> f64 {
        -((-self.0).ln_1p() / (8.0 * packet.value())).exp_m1()
    }

    /// Reads `1e-7`, `0.01%` or `1/22000`.
    ///
    /// # Errors
    /// [`Error::Malformed`] for other text, [`Error::OutOfRange`] outside [1e-100, 1).
    ///
    /// ```
    /// use cwnd::units::LossRate;
    /// assert_eq!(LossRate::parse("0.01%")?.value(), 1e-4);
    /// assert_eq!(LossRate::parse("1/22000")?.value(), 1.0 / 22000.0);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let allowed =
            "a number such as 1e-7, a percentage such as 0.01%, or a fraction such as 1/22000";
        let malformed = || Error::malformed("loss rate", text, allowed);
        let trimmed = text.trim();
        let p = if let Some(percent) = trimmed.strip_suffix('%') {
            hundredth(percent).ok_or_else(malformed)?
        } else if let Some((top, bottom)) = trimmed.split_once('/') {
            let (top, bottom) = (
                number(top).ok_or_else(malformed)?,
                number(bottom).ok_or_else(malformed)?,
            );
            if bottom == 0.0 {
                return Err(Error::out_of_range(
                    "the loss rate",
                    format!("`{trimmed}`"),
                    "more than 0 (at least 1e-100) and less than 1",
                ));
            }
            top / bottom
        } else {
            number(trimmed).ok_or_else(malformed)?
        };
        Self::new(p).map_err(|_| {
            Error::out_of_range(
                "the loss rate",
                format!("`{trimmed}`"),
                "more than 0 (at least 1e-100) and less than 1",
            )
        })
    }
}

impl fmt::Display for LossRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:e}", self.0)
    }
}

/// A rate as somebody may state it: in bits (or bytes) or in packets per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Bits per second.
    Bits(BitRate),
    /// Packets per second.
    Packets(PacketRate),
}

/// A size as somebody may state it: in bytes or in packets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// Bytes.
    Bytes(Bytes),
    /// Packets.
    Packets(Packets),
}

/// A finite decimal number and nothing else (`nan`, `inf` and `0x1p3` are none).
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !plain {
        return None;
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// A hundredth of a decimal number, rounded once: `1.3` is 0.013 and not 0.013000000000000001.
fn hundredth(text: &str) -> Option<f64> {
    let value = number(text)?;
    let text = text.trim();
    if text.contains(['e', 'E']) {
        Some(value / 100.0)
    } else {
        format!("{text}e-2").parse().ok()
    }
}

/// Splits `100ms` into 100 and `ms`. The exponent of `1e-3s` belongs to the number.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
    cuts.push(text.len());
    cuts.into_iter().rev().find_map(|cut| {
        let (head, unit) = text.split_at(cut);
        number(head).map(|value| (value, unit.trim()))
    })
}

fn positive(what: &'static str, text: &str, value: f64) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::out_of_range(
            format!("the {what}"),
            format!("`{}`", text.trim()),
            "more than 0",
        ))
    }
}

/// Decimal and binary prefixes before `bit`, `b`, `B` and `byte`.
fn prefix(text: &str) -> Option<f64> {
    Some(match text {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return None,
    })
}

impl Seconds {
    /// Reads `100ms`, `1e-3s`, `250us`, `2min`.
    ///
    /// # Errors
    /// [`Error::Malformed`] without a unit of time, [`Error::OutOfRange`] unless positive.
    ///
    /// ```
    /// use cwnd::units::Seconds;
    /// assert_eq!(Seconds::parse("100ms")?.value(), 0.1);
    /// assert!(Seconds::parse("100").is_err());
    /// assert!(Seconds::parse("-5ms").is_err());
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let malformed = || {
            Error::malformed(
                "time",
                text,
                "a number with a unit, such as 100ms, 0.1s, 250us or 2min",
            )
        };
        let (value, unit) = split_unit(text).ok_or_else(malformed)?;
        let seconds = match unit {
            "s" => value,
            "ms" => value / 1e3,
            "us" | "µs" | "μs" => value / 1e6,
            "ns" => value / 1e9,
            "min" => value * 60.0,
            "h" => value * 3600.0,
            _ => return Err(malformed()),
        };
        positive("time", text, seconds).map(Self)
    }
}

impl Rate {
    /// Reads `10Gbit/s`, `10Gbps`, `10Gb/s`, `11MB/s`, `20MiB/s`, `3750pkt/s`.
    ///
    /// # Errors
    /// [`Error::Malformed`] for other text (a size such as `10GB` is no rate), [`Error::OutOfRange`] unless positive.
    ///
    /// ```
    /// use cwnd::units::{BitRate, Rate};
    /// assert_eq!(Rate::parse("11MB/s")?, Rate::Bits(BitRate::new(88e6)));
    /// assert!(Rate::parse("10GB").is_err());
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let malformed = || {
            Error::malformed(
                "rate",
                text,
                "a number with a unit per second, such as 10Gbit/s, 10Gbps, 11MB/s or 3750pkt/s",
            )
        };
        let (value, unit) = split_unit(text).ok_or_else(malformed)?;
        let amount = unit
            .strip_suffix("/s")
            .or_else(|| unit.strip_suffix("ps"))
            .ok_or_else(malformed)?;
        if matches!(amount, "pkt" | "packet" | "packets") {
            return positive("rate", text, value).map(|v| Self::Packets(PacketRate(v)));
        }
        let scale = bits(amount).ok_or_else(malformed)?;
        positive("rate", text, value * scale).map(|v| Self::Bits(BitRate(v)))
    }

    /// Packets per second when `packet` is what one of them counts for in bytes.
    #[must_use]
    pub fn packets_per_second(self, packet: Bytes) -> PacketRate {
        match self {
            Self::Packets(rate) => rate,
            Self::Bits(rate) => PacketRate(rate.0 / (8.0 * packet.0)),
        }
    }
}

/// How many bits an amount such as `Gbit`, `Mb`, `MiB` or `kbyte` is.
fn bits(amount: &str) -> Option<f64> {
    for (word, factor) in [
        ("bytes", 8.0),
        ("byte", 8.0),
        ("bits", 1.0),
        ("bit", 1.0),
        ("B", 8.0),
        ("b", 1.0),
    ] {
        if let Some(scale) = amount.strip_suffix(word).and_then(prefix) {
            return Some(scale * factor);
        }
    }
    None
}

impl Size {
    /// Reads `1500B`, `64KiB`, `4MB`, `250pkt`. Sizes in bits are refused: nobody means them.
    ///
    /// # Errors
    /// [`Error::Malformed`] without a unit of size, [`Error::OutOfRange`] unless positive.
    ///
    /// ```
    /// use cwnd::units::{Bytes, Size};
    /// assert_eq!(Size::parse("64KiB")?, Size::Bytes(Bytes::new(65536.0)));
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let malformed = || {
            Error::malformed(
                "size",
                text,
                "a number with a unit, such as 1500B, 64KiB, 4MB or 250pkt",
            )
        };
        let (value, unit) = split_unit(text).ok_or_else(malformed)?;
        if matches!(unit, "pkt" | "packet" | "packets") {
            return positive("size", text, value).map(|v| Self::Packets(Packets(v)));
        }
        let scale = ["bytes", "byte", "B"]
            .iter()
            .find_map(|word| unit.strip_suffix(word).and_then(prefix))
            .ok_or_else(malformed)?;
        positive("size", text, value * scale).map(|v| Self::Bytes(Bytes(v)))
    }

    /// Packets of `packet` bytes.
    #[must_use]
    pub fn packets(self, packet: Bytes) -> Packets {
        match self {
            Self::Packets(count) => count,
            Self::Bytes(bytes) => Packets(bytes.0 / packet.0),
        }
    }
}

impl Bytes {
    /// Reads a size that must be in bytes.
    ///
    /// # Errors
    /// As [`Size::parse`], and [`Error::Malformed`] for a size in packets.
    pub fn parse(text: &str) -> Result<Self> {
        match Size::parse(text)? {
            Size::Bytes(bytes) => Ok(bytes),
            Size::Packets(_) => Err(Error::malformed(
                "size in bytes",
                text,
                "a number with a unit, such as 1500B or 9KB",
            )),
        }
    }
}

/// Reads a plain number for a parameter: `0.125`, `1e-3`, `1/8`, `12.5%`.
///
/// # Errors
/// [`Error::Malformed`] for other text.
pub fn parse_number(what: &'static str, text: &str) -> Result<f64> {
    let malformed = || Error::malformed(what, text, "a number such as 32, 0.125, 1/8 or 12.5%");
    let trimmed = text.trim();
    let value = if let Some(percent) = trimmed.strip_suffix('%') {
        hundredth(percent).ok_or_else(malformed)?
    } else if let Some((top, bottom)) = trimmed.split_once('/') {
        number(top).ok_or_else(malformed)? / number(bottom).ok_or_else(malformed)?
    } else {
        number(trimmed).ok_or_else(malformed)?
    };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(malformed())
    }
}

/// A number for people: `digits` significant digits, plain between 1e-4 and 1e7, with an exponent elsewhere.
#[must_use]
pub fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let scientific = format!("{x:.*e}", digits.saturating_sub(1));
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let magnitude: i32 = exponent.parse().unwrap_or(0);
    if (-4..7).contains(&magnitude) {
        let decimals = (digits as i32 - 1 - magnitude).max(0) as usize;
        let plain = format!("{x:.decimals$}");
        return if plain.contains('.') {
            plain.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            plain
        };
    }
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}e{magnitude}")
}
