//! What kind of quantity a text is, when nothing but the text says so.

use super::{Rate, Seconds, Size, parse_number};

/// A kind of quantity, with the unit in which its numbers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A pure number, a share or a loss rate.
    Number,
    /// Seconds.
    Time,
    /// Bits per second.
    BitRate,
    /// Packets per second.
    PacketRate,
    /// Bytes.
    Bytes,
    /// Packets.
    Packets,
    /// Products of bandwidth and round trip.
    Bdp,
}

impl Kind {
    /// The end of a key whose value is of this kind: `_s`, `_bps` …; empty for a number.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Time => "_s",
            Self::BitRate => "_bps",
            Self::PacketRate => "_pps",
            Self::Bytes => "_bytes",
            Self::Packets => "_pkt",
            Self::Bdp => "_bdp",
        }
    }

    /// The unit as it is typed.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Time => "s",
            Self::BitRate => "bit/s",
            Self::PacketRate => "pkt/s",
            Self::Bytes => "B",
            Self::Packets => "pkt",
            Self::Bdp => "bdp",
        }
    }

    /// The kind of `text` and its number; 0 is a quantity of every kind. `None` for a word.
    ///
    /// ```
    /// use cwnd::units::Kind;
    /// assert_eq!(Kind::of("100ms"), Some((Kind::Time, 0.1)));
    /// assert_eq!(Kind::of("0B"), Some((Kind::Bytes, 0.0)));
    /// assert_eq!(Kind::of("1/22000"), Some((Kind::Number, 1.0 / 22000.0)));
    /// assert_eq!(Kind::of("natural"), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<(Self, f64)> {
        let text = text.trim();
        if let Ok(number) = parse_number("number", text) {
            return Some((Self::Number, number));
        }
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let digits = &text[..text.len() - unit.len()];
        if !digits.is_empty() && digits.parse::<f64>().is_ok_and(|x| x == 0.0) {
            // A zero has the kind of its unit; quantities themselves are positive.
            return Self::positive(&format!("1{unit}")).map(|(kind, _)| (kind, 0.0));
        }
        Self::positive(text)
    }

    fn positive(text: &str) -> Option<(Self, f64)> {
        if let Ok(time) = Seconds::parse(text) {
            return Some((Self::Time, time.value()));
        }
        if let Some(share) = text.strip_suffix("bdp") {
            return parse_number("number", share)
                .ok()
                .map(|number| (Self::Bdp, number));
        }
        match (Rate::parse(text), Size::parse(text)) {
            (Ok(Rate::Bits(rate)), _) => Some((Self::BitRate, rate.value())),
            (Ok(Rate::Packets(rate)), _) => Some((Self::PacketRate, rate.value())),
            (_, Ok(Size::Bytes(size))) => Some((Self::Bytes, size.value())),
            (_, Ok(Size::Packets(count))) => Some((Self::Packets, count.value())),
            _ => None,
        }
    }
}
