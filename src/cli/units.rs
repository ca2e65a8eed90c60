//! The unit that rates and sizes are printed in.

use crate::error::{Error, Result};
use crate::units::significant;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A unit's symbol and its bits.
pub(in crate::cli) type Unit = (&'static str, f64);

/// Symbols, longest step first within a family, with their bits. Other spellings stand in [`find`].
const UNITS: &[Unit] = &[
    ("bit", 1.0),
    ("kbit", 1e3),
    ("Mbit", 1e6),
    ("Gbit", 1e9),
    ("Tbit", 1e12),
    ("Kibit", 1024.0),
    ("Mibit", 1_048_576.0),
    ("Gibit", 1_073_741_824.0),
    ("Tibit", 1_099_511_627_776.0),
    ("B", 8.0),
    ("kB", 8e3),
    ("MB", 8e6),
    ("GB", 8e9),
    ("TB", 8e12),
    ("KiB", 8.0 * 1024.0),
    ("MiB", 8.0 * 1_048_576.0),
    ("GiB", 8.0 * 1_073_741_824.0),
    ("TiB", 8.0 * 1_099_511_627_776.0),
];

/// Place of the wanted unit in the list, from 1; 0 is each value's own prefix. Set once, before anything is printed.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// The unit that a word means, in any case as long as bits and bytes stay apart: `mbit`, `Mbit/s`, `MB`, `mbyte`, `mib`, `MiB/s`.
fn find(word: &str) -> Result<usize> {
    let trimmed = word.trim();
    let trimmed = trimmed.strip_suffix("/s").unwrap_or(trimmed);
    if let Some(at) = UNITS.iter().position(|(symbol, _)| *symbol == trimmed) {
        return Ok(at + 1);
    }
    let lower = trimmed.to_lowercase();
    let spelled = lower
        .strip_suffix("byte")
        .map(|prefix| format!("{prefix}b"));
    let plain = |symbol: &str| symbol.to_lowercase();
    let found = UNITS.iter().position(|(symbol, _)| match &spelled {
        Some(bytes) => symbol.ends_with('B') && plain(symbol) == *bytes,
        // `mb` may mean either: only spellings with `bit`, `byte` or the binary `i` are read in any case.
        None => (symbol.ends_with("bit") || symbol.contains('i')) && plain(symbol) == lower,
    });
    found.map(|at| at + 1).ok_or_else(|| {
        Error::unknown(
            "value for `--units`",
            word,
            UNITS.iter().map(|(symbol, _)| *symbol),
        )
    })
}

/// What `--units` says; none is each value's own decimal prefix.
pub(super) fn choose(word: Option<&str>) -> Result<()> {
    let at = word.map_or(Ok(0), find)?;
    WANTED.store(at, Ordering::Relaxed);
    Ok(())
}

/// The unit that `--units` names: its symbol, `Mbit` or `MB`, and its bits.
pub(in crate::cli) fn wanted() -> Option<Unit> {
    let at = WANTED.load(Ordering::Relaxed);
    UNITS.get(at.checked_sub(1)?).copied()
}

/// Its own decimal prefix.
fn prefixed(x: f64) -> (f64, &'static str) {
    [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
        .into_iter()
        .find(|(scale, _)| x.abs() >= *scale)
        .map_or((x, ""), |(scale, prefix)| (x / scale, prefix))
}

/// Bits per second for people, or a dash.
pub(in crate::cli) fn rate(value: Option<f64>) -> String {
    let Some(x) = value else { return "-".into() };
    if let Some((symbol, bits)) = wanted() {
        return format!("{} {symbol}/s", significant(x / bits, 5));
    }
    let (x, prefix) = prefixed(x);
    format!("{} {prefix}bit/s", significant(x, 5))
}

/// Bytes for people, or a dash.
pub(in crate::cli) fn size(value: Option<f64>) -> String {
    let Some(x) = value else { return "-".into() };
    if let Some((symbol, bits)) = wanted() {
        return format!("{} {symbol}", significant(8.0 * x / bits, 6));
    }
    let (x, prefix) = prefixed(x);
    format!("{} {prefix}B", significant(x, 6))
}
