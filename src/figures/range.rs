//! Ends of an axis that numbers suggest.

use super::Scale;

/// The largest of 1, 2 and 5 times a power of ten that is not above `x`, which is positive.
fn down(x: f64) -> f64 {
    let decade = 10f64.powf((x.log10() + 1e-9).floor());
    let step = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|k| k * decade <= x * (1.0 + 1e-9));
    step.unwrap_or(1.0) * decade
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `x`, which is positive.
fn up(x: f64) -> f64 {
    let decade = 10f64.powf((x.log10() + 1e-9).floor());
    let step = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|k| k * decade >= x * (1.0 - 1e-9));
    step.unwrap_or(10.0) * decade
}

/// Ends of a logarithmic axis around positive numbers: the nearest of 1, 2 and 5 times a power of ten.
#[must_use]
pub fn step_range(least: f64, most: f64) -> (f64, f64) {
    let (low, high) = (down(least), up(most));
    (low, if low < high { high } else { 2.0 * low })
}

/// Ends of a logarithmic axis around positive numbers: whole decades, or, where the numbers lie within one decade, steps of
/// 1, 2, 5.
#[must_use]
pub fn log_range(least: f64, most: f64) -> (f64, f64) {
    let (low, high) = step_range(least, most);
    if most / least < 10.0 {
        return (low, high);
    }
    (
        10f64.powf((low.log10() + 1e-9).floor()),
        10f64.powf((high.log10() - 1e-9).ceil()),
    )
}

/// Ends of an axis around numbers that are not negative: [`log_range`], or from 0 to a little above the largest.
#[must_use]
pub fn range_of(scale: Scale, least: f64, most: f64) -> (f64, f64) {
    match scale {
        Scale::Log => log_range(least, most),
        Scale::Linear | Scale::Names(_) => (0.0, 1.04 * most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_round_and_hold_the_numbers() {
        for ((least, most), (low, high)) in [
            ((27.4, 38.7), (20.0, 50.0)),
            ((3.0, 40.0), (1.0, 100.0)),
            ((1.0, 1000.0), (1.0, 1000.0)),
            ((5.0, 5.0), (5.0, 10.0)),
            ((0.02, 0.05), (0.02, 0.05)),
            ((6e-9, 0.3), (1e-9, 1.0)),
        ] {
            let (from, to) = log_range(least, most);
            assert!((from / low - 1.0).abs() < 1e-9, "{least} {from}");
            assert!((to / high - 1.0).abs() < 1e-9, "{most} {to}");
        }
    }
}
