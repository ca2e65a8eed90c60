//! Grids of values as text.

use crate::error::{Error, Result};

/// Reads a grid: a comma list of items, or `A..B` (both ends, one point a decade) or `A..B:N` (N points spaced
/// evenly in the logarithm); items of a list may be ranges. `item` reads one value.
///
/// # Errors
/// [`Error::Malformed`] for an empty list or fewer than two points in a range, and whatever `item` says.
///
/// ```
/// use cwnd::units::{grid, LossRate};
/// let read = |text: &str| LossRate::parse(text).map(LossRate::value);
/// assert_eq!(grid("1e-2..1e-4", read)?, [1e-2, 1e-3, 1e-4]);
/// assert_eq!(grid("1e-3,1/500", read)?, [1e-3, 2e-3]);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn grid(text: &str, item: impl Fn(&str) -> Result<f64>) -> Result<Vec<f64>> {
    let mut out = Vec::new();
    for part in text.split(',') {
        if part.trim().is_empty() {
            return Err(Error::malformed(
                "grid",
                text,
                "a comma list such as 1e-3,1e-4 or a range such as 1e-8..1e-1:61",
            ));
        }
        match part.split_once("..") {
            None => out.push(item(part)?),
            Some((from, rest)) => {
                let (to, count) = match rest.split_once(':') {
                    None => (rest, None),
                    Some((to, count)) => (to, Some(points(text, count)?)),
                };
                spread(item(from)?, item(to)?, count, &mut out);
            }
        }
        if out.len() > MOST_POINTS {
            return Err(Error::out_of_range(
                "the number of grid points",
                out.len(),
                format!("at most {MOST_POINTS}"),
            ));
        }
    }
    Ok(out)
}

/// The largest grid that a query takes.
pub const MOST_POINTS: usize = 100_000;

fn points(text: &str, count: &str) -> Result<usize> {
    count
        .trim()
        .parse::<usize>()
        .ok()
        .filter(|n| (2..=MOST_POINTS).contains(n))
        .ok_or_else(|| {
            Error::malformed(
                "grid",
                text,
                format!("a range with 2 to {MOST_POINTS} points, such as 1e-8..1e-1:61"),
            )
        })
}

/// Points from `a` to `b`, evenly in the logarithm; both ends exactly as given.
fn spread(a: f64, b: f64, count: Option<usize>, out: &mut Vec<f64>) {
    let decades = (b / a).log10();
    if decades == 0.0 {
        return out.push(a);
    }
    if let Some(n) = count {
        out.extend(spaced(a, b, n, true));
        return;
    }
    let whole = (decades.abs() - 1e-9).floor().max(0.0) as i32;
    out.extend((0..=whole).map(|k| {
        if k == 0 {
            a
        } else {
            tidy(a * 10f64.powi(if decades < 0.0 { -k } else { k }))
        }
    }));
    out.push(b);
}

/// `count` numbers from `a` to `b`, evenly in the number or, if `log`, in its logarithm; both ends exactly as given.
///
/// ```
/// use cwnd::units::spaced;
/// assert_eq!(spaced(0.0, 1.0, 5, false), [0.0, 0.25, 0.5, 0.75, 1.0]);
/// assert_eq!(spaced(1.0, 100.0, 3, true), [1.0, 10.0, 100.0]);
/// ```
#[must_use]
pub fn spaced(a: f64, b: f64, count: usize, log: bool) -> Vec<f64> {
    let decades = (b / a).log10();
    let at = |i: usize| {
        let share = i as f64 / (count - 1) as f64;
        match i {
            0 => a,
            i if i == count - 1 => b,
            _ if log => tidy(a * 10f64.powf(decades * share)),
            _ => tidy(a + (b - a) * share),
        }
    };
    (0..count).map(at).collect()
}

/// The double nearest to the number's first 15 digits, so that a grid says 1e-7 and not 1.0000000000000001e-7.
fn tidy(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}
