//! Quantities where nothing is a value too, and lapses in round trips.

use crate::error::{Error, Result};
use crate::fluid::Lapse;
use crate::units::{Bytes, LossRate, Rate, Seconds, Size, parse_number};

/// Whether the number in front of the unit is zero; then `parse` is asked about one of the unit instead.
fn or_zero(text: &str, parse: impl Fn(&str) -> Result<f64>) -> Result<f64> {
    let digits = text.trim().trim_start_matches(['0', '.']);
    let number = text.trim().len() - digits.len();
    if number > 0 && !digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.starts_with('e') {
        return parse(&format!("1{digits}"))
            .map(|_| 0.0)
            .map_err(|error| match error {
                Error::Malformed { what, allowed, .. } => Error::malformed(what, text, allowed),
                other => other,
            });
    }
    parse(text).map_err(|error| match error {
        Error::OutOfRange { what, given, .. } => Error::out_of_range(what, given, "0 or more"),
        other => other,
    })
}

/// A time, 0 allowed, in seconds.
pub(super) fn time(text: &str) -> Result<f64> {
    or_zero(text, |text| Seconds::parse(text).map(Seconds::value))
}

/// A size, 0 allowed, in packets of this many bytes: those on the wire, or those of payload.
pub(super) fn size(text: &str, packet: Bytes) -> Result<f64> {
    or_zero(text, |text| {
        Size::parse(text).map(|size| size.packets(packet).value())
    })
}

/// A rate in packets per second.
pub(super) fn rate(text: &str, packet: Bytes) -> Result<f64> {
    Rate::parse(text).map(|rate| rate.packets_per_second(packet).value())
}

/// `1rtt`, `1.5rtt`, `100ms`, `0s`.
pub(super) fn lapse(text: &str) -> Result<Lapse> {
    if let Some(rounds) = text.trim().strip_suffix("rtt") {
        let rounds = parse_number("time", rounds).map_err(|_| {
            Error::malformed(
                "time",
                text,
                "round trips or a time, such as 1rtt, 1.5rtt or 100ms",
            )
        })?;
        return if rounds >= 0.0 {
            Ok(Lapse::rounds(rounds))
        } else {
            let given = format!("`{}`", text.trim());
            Err(Error::out_of_range("the time", given, "0 or more"))
        };
    }
    time(text).map(Lapse::seconds)
}

/// A buffer in packets: a size, a time at link rate, a multiple of `bdp`, or `inf`.
pub(super) fn buffer(text: &str, capacity: f64, bdp: f64, packet: Bytes) -> Result<f64> {
    let trimmed = text.trim();
    if trimmed == "inf" {
        return Ok(f64::INFINITY);
    }
    let malformed = || {
        Error::malformed(
            "buffer",
            text,
            "a size, a time at link rate, a multiple of bdp, or inf, such as 208pkt, 64KiB, 50ms, 1bdp; 0pkt is bufferless",
        )
    };
    if let Some(times) = trimmed.strip_suffix("bdp") {
        let times = parse_number("buffer", times).map_err(|_| malformed())?;
        return if times >= 0.0 {
            Ok(times * bdp)
        } else {
            let given = format!("`{trimmed}`");
            Err(Error::out_of_range("the buffer", given, "0 or more"))
        };
    }
    match (size(trimmed, packet), time(trimmed)) {
        (Ok(packets), _) => Ok(packets),
        (_, Ok(seconds)) => Ok(seconds * capacity),
        (Err(error @ Error::OutOfRange { .. }), _) | (_, Err(error @ Error::OutOfRange { .. })) => {
            Err(error)
        }
        _ => Err(malformed()),
    }
}

/// A loss rate, 0 allowed.
pub(super) fn loss(text: &str) -> Result<f64> {
    match number(text) {
        Ok(0.0) => Ok(0.0),
        _ => LossRate::parse(text)
            .map(LossRate::value)
            .map_err(|error| match error {
                Error::OutOfRange { what, given, .. } => {
                    Error::out_of_range(what, given, "0, or 1e-100 to less than 1")
                }
                other => other,
            }),
    }
}

/// A plain number.
pub(super) fn number(text: &str) -> Result<f64> {
    parse_number("number", text)
}

/// A whole number.
pub(super) fn whole(text: &str) -> Result<u64> {
    let value = number(text)?;
    if value.fract() == 0.0 && (0.0..=1e18).contains(&value) {
        Ok(text.trim().replace('_', "").parse().unwrap_or(value as u64))
    } else if value.fract() == 0.0 {
        Err(Error::out_of_range(
            "the whole number",
            format!("`{}`", text.trim()),
            "0 to 1e18",
        ))
    } else {
        Err(Error::malformed(
            "whole number",
            text,
            "a number such as 1, 20000 or 1e8",
        ))
    }
}
