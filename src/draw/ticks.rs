//! Which numbers stand at an axis, and how they are written.

use super::axis::Ruler;
use crate::figures::figure::Scale;

/// What an axis shows; places are shares of its length.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ticks {
    pub labelled: Vec<(f64, String)>,
    pub minor: Vec<f64>,
}

/// How much room the labels have.
pub(super) struct Room<'a> {
    /// The axis' length in pixels.
    pub length: f64,
    /// How much of that length a label takes.
    pub extent: &'a dyn Fn(&str) -> f64,
    /// Least space between two labels.
    pub gap: f64,
    /// Least distance of two labels' middles on a linear axis.
    pub spacing: f64,
}

impl Room<'_> {
    fn holds(&self, labels: &[(f64, String)]) -> bool {
        labels.iter().zip(labels.iter().skip(1)).all(|(one, next)| {
            let halves = f64::midpoint((self.extent)(&one.1), (self.extent)(&next.1));
            (next.0 - one.0) * self.length >= halves + self.gap
        })
    }
}

/// Chooses the ticks of an axis.
pub(super) fn choose(ruler: &Ruler, room: &Room<'_>) -> Ticks {
    match ruler.scale {
        Scale::Linear => linear(ruler.low, ruler.high, room, |value| {
            ruler.share_of_mapped(value)
        }),
        Scale::Log => logarithmic(ruler, room),
        Scale::Names(names) => Ticks {
            labelled: names
                .iter()
                .zip(1..)
                .map(|(name, place)| (ruler.share_of_mapped(f64::from(place)), (*name).to_owned()))
                .filter(|(share, _)| (0.0..=1.0).contains(share))
                .collect(),
            minor: Vec::new(),
        },
    }
}

/// A step of one, two or five times a power of ten.
#[derive(Clone, Copy)]
struct Step {
    digit: i64,
    exponent: i32,
}

impl Step {
    fn at_least(size: f64) -> Self {
        let exponent = truncate(size.log10().floor());
        let mut step = Self { digit: 1, exponent };
        while number(step.digit, step.exponent) < size * (1.0 - 1e-9) {
            step = step.longer();
        }
        step
    }

    fn longer(self) -> Self {
        let (digit, exponent) = match self.digit {
            1 => (2, self.exponent),
            2 => (5, self.exponent),
            _ => (1, self.exponent + 1),
        };
        Self { digit, exponent }
    }

    /// The step of the minor ticks.
    fn finer(self) -> Self {
        let (digit, exponent) = match self.digit {
            1 => (2, self.exponent - 1),
            2 => (5, self.exponent - 1),
            _ => (1, self.exponent),
        };
        Self { digit, exponent }
    }

    /// All multiples from `low` to `high`, each as a whole number of `10^exponent`.
    fn multiples(self, low: f64, high: f64) -> Vec<i64> {
        let step = number(self.digit, self.exponent);
        let first = whole((low / step - 1e-6).ceil());
        let last = whole((high / step + 1e-6).floor());
        (first..=last)
            .take(1000)
            .map(|count| count.saturating_mul(self.digit))
            .collect()
    }
}

/// Ticks at equal differences; `share` tells where a number stands.
fn linear(low: f64, high: f64, room: &Room<'_>, share: impl Fn(f64) -> f64) -> Ticks {
    let mut step = Step::at_least((high - low) * room.spacing / room.length.max(room.spacing));
    let mut labelled = Vec::new();
    for _ in 0..12 {
        let counts = step.multiples(low, high);
        labelled = counts
            .iter()
            .zip(labels(&counts, step.exponent))
            .map(|(&count, label)| (share(number(count, step.exponent)), label))
            .collect();
        if room.holds(&labelled) {
            break;
        }
        step = step.longer();
    }
    let fine = step.finer();
    let minor = fine
        .multiples(low, high)
        .into_iter()
        .map(|count| share(number(count, fine.exponent)));
    let minor = without(minor, &labelled);
    Ticks { labelled, minor }
}

/// Ticks at powers of ten, or between them where there are too few.
fn logarithmic(ruler: &Ruler, room: &Room<'_>) -> Ticks {
    let first = truncate(ruler.low.floor());
    let last = truncate(ruler.high.ceil());
    let within = |share: &f64| (-1e-9..=1.0 + 1e-9).contains(share);
    let place = |digit: i64, decade: i32| {
        ruler.share_of_mapped(f64::from(decade) + number(digit, 0).log10())
    };
    let between = || {
        (first..=last)
            .flat_map(|decade| (1..=9).map(move |digit| (digit, decade)))
            .filter(|&(digit, decade)| within(&place(digit, decade)))
    };
    let decades = (first..=last).filter(|&decade| within(&place(1, decade)));

    let mut tries: Vec<(usize, Vec<(i64, i32)>)> = Vec::new();
    if ruler.span() < 1.0 + 1e-9 {
        tries.push((3, between().collect()));
    }
    if ruler.span() < 2.5 {
        let some = between().filter(|(digit, _)| [1, 2, 5].contains(digit));
        tries.push((3, some.collect()));
    }
    for stride in [1, 2, 3, 5, 10, 20, 50, 100, 200] {
        let some = decades.clone().filter(|decade| decade % stride == 0);
        tries.push((2, some.map(|decade| (1, decade)).collect()));
    }
    let fitting = tries.into_iter().find_map(|(least, places)| {
        let labelled: Vec<(f64, String)> = places
            .iter()
            .zip(log_labels(&places))
            .map(|(&(digit, decade), label)| (place(digit, decade), label))
            .collect();
        (labelled.len() >= least && room.holds(&labelled)).then_some(labelled)
    });
    let Some(labelled) = fitting else {
        let (low, high) = (10_f64.powf(ruler.low), 10_f64.powf(ruler.high));
        return linear(low, high, room, |value| {
            ruler.share_of_mapped(value.log10())
        });
    };
    let minor = if room.length / ruler.span() >= 24.0 {
        without(
            between().map(|(digit, decade)| place(digit, decade)),
            &labelled,
        )
    } else if room.length / ruler.span() >= 3.0 {
        without(decades.map(|decade| place(1, decade)), &labelled)
    } else {
        Vec::new()
    };
    Ticks { labelled, minor }
}

/// The places at which no label stands.
fn without(places: impl Iterator<Item = f64>, labelled: &[(f64, String)]) -> Vec<f64> {
    places
        .filter(|place| {
            labelled
                .iter()
                .all(|(taken, _)| (place - taken).abs() > 1e-6)
        })
        .collect()
}

/// Writes whole numbers of `10^exponent`, all in one way.
fn labels(counts: &[i64], exponent: i32) -> Vec<String> {
    let largest = counts.iter().map(|count| count.abs()).max().unwrap_or(0);
    let top = exponent + digits(largest) - 1;
    let plain = largest == 0 || (-3..6).contains(&top);
    let grouped = plain && top >= 4;
    counts
        .iter()
        .map(|&count| {
            if plain {
                decimal(count, exponent, grouped)
            } else if count == 0 {
                "0".to_owned()
            } else {
                format!("{}×{}", decimal(count, exponent - top, false), power(top))
            }
        })
        .collect()
}

/// Writes digits times powers of ten, all in one way.
fn log_labels(places: &[(i64, i32)]) -> Vec<String> {
    let plain = places.iter().all(|(_, decade)| (-3..=4).contains(decade));
    let grouped = places.iter().any(|(_, decade)| *decade == 4);
    places
        .iter()
        .map(|&(digit, decade)| match (plain, digit) {
            (true, _) => decimal(digit, decade, grouped),
            (false, 1) => power(decade),
            (false, _) => format!("{digit}×{}", power(decade)),
        })
        .collect()
}

/// `count × 10^exponent` without an exponent, with spaces between thousands if `grouped`.
fn decimal(count: i64, exponent: i32, grouped: bool) -> String {
    if count == 0 {
        return "0".to_owned();
    }
    let below = usize::try_from(exponent.saturating_neg()).unwrap_or(0);
    let zeros = usize::try_from(exponent).unwrap_or(0);
    let all = format!("{}{}", count.unsigned_abs(), "0".repeat(zeros));
    let all = format!("{all:0>width$}", width = below + 1);
    let (whole, part) = all.split_at(all.len() - below);
    let sign = if count < 0 { "−" } else { "" };
    let point = if part.is_empty() { "" } else { "." };
    let whole = if grouped {
        spaced(whole)
    } else {
        whole.to_owned()
    };
    format!("{sign}{whole}{point}{part}")
}

fn spaced(whole: &str) -> String {
    let length = whole.len();
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (length - index).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// A power of ten with a real superscript.
fn power(exponent: i32) -> String {
    let raised = exponent.to_string().chars().map(raise).collect::<String>();
    format!("10{raised}")
}

fn raise(sign: char) -> char {
    match sign {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁻',
    }
}

/// How many digits a number has.
fn digits(count: i64) -> i32 {
    count
        .unsigned_abs()
        .checked_ilog10()
        .map_or(1, |log| i32::try_from(log).unwrap_or(0) + 1)
}

/// `count × 10^exponent`.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of steps stay far below 2^53"
)]
fn number(count: i64, exponent: i32) -> f64 {
    if exponent < 0 {
        count as f64 / 10_f64.powi(-exponent)
    } else {
        count as f64 * 10_f64.powi(exponent)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float's exponent of ten has three digits"
)]
fn truncate(number: f64) -> i32 {
    number as i32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and ranges are checked to be wide enough"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::axis::Ruler;

    fn shown(scale: Scale, low: f64, high: f64, length: f64) -> Vec<String> {
        let (low, high) = match scale {
            Scale::Linear | Scale::Names(_) => (low, high),
            Scale::Log => (low.log10(), high.log10()),
        };
        let room = Room {
            length,
            extent: &|label| 7.0 * f64::from(u32::try_from(label.chars().count()).unwrap_or(0)),
            gap: 10.0,
            spacing: 60.0,
        };
        let ticks = choose(&Ruler { scale, low, high }, &room);
        ticks.labelled.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_numbers_are_short() {
        assert_eq!(
            shown(Scale::Linear, 0.0, 1.0, 400.0),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            shown(Scale::Linear, -20_000.0, 20_000.0, 300.0),
            [
                "−20\u{2009}000",
                "−10\u{2009}000",
                "0",
                "10\u{2009}000",
                "20\u{2009}000"
            ]
        );
        assert_eq!(
            shown(Scale::Linear, 0.0, 10_000.0, 200.0),
            ["0", "5\u{2009}000", "10\u{2009}000"]
        );
        assert_eq!(
            shown(Scale::Linear, 0.0, 2e6, 400.0),
            ["0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶"]
        );
        assert_eq!(
            shown(Scale::Linear, 0.0, 3e-5, 300.0),
            ["0", "1×10⁻⁵", "2×10⁻⁵", "3×10⁻⁵"]
        );
    }

    #[test]
    fn decades_are_thinned_until_they_fit() {
        assert_eq!(shown(Scale::Log, 1e-8, 1e-1, 600.0).len(), 8);
        assert_eq!(
            shown(Scale::Log, 1e-8, 1e-1, 200.0),
            ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²"]
        );
        let many = shown(Scale::Log, 1e-300, 1e300, 400.0);
        assert!((2..12).contains(&many.len()), "{many:?}");
    }

    #[test]
    fn below_a_few_decades_there_are_numbers_between() {
        assert_eq!(
            shown(Scale::Log, 1.0, 100.0, 400.0),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            shown(Scale::Log, 2.0, 3.0, 400.0)
                .first()
                .map(String::as_str),
            Some("2.0")
        );
        assert!(shown(Scale::Log, 3.1e-7, 4.2e-7, 400.0).len() >= 2);
    }
}
