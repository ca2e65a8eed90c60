//! The values of one input of a sweep file: lists and ranges.

use super::section::{Section, Source, Word, kind};
use crate::error::{Error, Result};
use crate::units::{Kind, grid, spaced};
use crate::what_if::sweep::{Cell, Swept, Value};
use toml::Spanned;
use toml::de::DeValue;

/// Most values of one input.
const MOST_VALUES: usize = 1_000_000;

const RANGE: &[&str] = &["from", "to", "points", "step", "scale"];

/// What a list or a range of an input says, with the column it makes.
pub(super) fn swept<'a>(
    source: Source<'a>,
    key: &Word,
    name: &str,
    many: bool,
    value: &'a Spanned<DeValue<'a>>,
) -> Result<Swept> {
    let (unit, values) = match value.get_ref() {
        DeValue::Array(items) => {
            let texts: Result<Vec<Vec<String>>> = items
                .iter()
                .map(|item| texts(source, &key.text, many, item))
                .collect();
            list(texts?)
        }
        DeValue::Table(_) => table(source, key, value)?,
        DeValue::String(text) if text.contains("..") => {
            let range = source.at(&value.span(), typed(text))?;
            numbers(range.0, range.1)
        }
        _ => {
            return Err(source.wrong(
                &value.span(),
                format!("`{}` is one {}: a list such as [1, 2], a range such as \"1e-8..1e-2:61\" or {{ from, to, points }} is needed; what stays the same stands under [fixed]", key.text, kind(value)),
            ));
        }
    };
    if values.is_empty() || values.len() > MOST_VALUES {
        return Err(source.wrong(
            &value.span(),
            format!(
                "`{}` has {} values: allowed are 1 to {MOST_VALUES}",
                key.text,
                values.len()
            ),
        ));
    }
    Ok(Swept {
        name: name.to_owned(),
        column: name.replace('-', "_") + unit.suffix(),
        values,
    })
}

/// One value as text: what a flag of the command line would get.
pub(super) fn texts<'a>(
    source: Source<'a>,
    key: &str,
    many: bool,
    value: &'a Spanned<DeValue<'a>>,
) -> Result<Vec<String>> {
    Ok(match value.get_ref() {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Integer(number) => vec![number.to_string()],
        DeValue::Float(number) => vec![number.to_string()],
        DeValue::Boolean(on) => vec![on.to_string()],
        DeValue::Array(items) if many => {
            let inner: Result<Vec<Vec<String>>> = items
                .iter()
                .map(|item| texts(source, key, false, item))
                .collect();
            inner?.concat()
        }
        _ => {
            return Err(source.wrong(
                &value.span(),
                format!(
                    "`{key}` has a {}: a text or a number is needed",
                    kind(value)
                ),
            ));
        }
    })
}

/// A list: numbers in one unit if every item is a quantity of one kind, else words.
fn list(texts: Vec<Vec<String>>) -> (Kind, Vec<Value>) {
    let known: Option<Vec<(Kind, f64)>> = texts
        .iter()
        .map(|texts| match texts.as_slice() {
            [one] => Kind::of(one),
            _ => None,
        })
        .collect();
    let alike = known.filter(|known| known.iter().all(|(kind, _)| *kind == known[0].0));
    let unit = alike
        .as_ref()
        .and_then(|known| known.first())
        .map_or(Kind::Number, |(kind, _)| *kind);
    let values = texts.into_iter().enumerate().map(|(at, texts)| {
        let cell = match &alike {
            Some(known) => Cell::Number(known[at].1),
            None => Cell::Word(texts.join(" ")),
        };
        Value { texts, cell }
    });
    (unit, values.collect())
}

fn numbers(unit: Kind, numbers: Vec<f64>) -> (Kind, Vec<Value>) {
    let values = numbers.into_iter().map(|x| Value {
        texts: vec![format!("{x:e}{}", unit.unit())],
        cell: Cell::Number(x),
    });
    (unit, values.collect())
}

/// `A..B` or `A..B:N`, as on the command line.
fn typed(text: &str) -> Result<(Kind, Vec<f64>)> {
    let unit = std::cell::Cell::new(None);
    let read = |item: &str| {
        let (kind, number) = quantity(item)?;
        if *unit.get().get_or_insert(kind) != kind || number <= 0.0 {
            return Err(Error::malformed(
                "range",
                text,
                "two positive ends in units of one kind, such as 1ms..1s:31",
            ));
        }
        unit.set(Some(kind));
        Ok(number)
    };
    let numbers = grid(text, read)?;
    Ok((unit.get().unwrap_or(Kind::Number), numbers))
}

fn quantity(text: &str) -> Result<(Kind, f64)> {
    Kind::of(text).ok_or_else(|| {
        Error::malformed(
            "quantity",
            text,
            "a number with its unit, such as 1e-8, 100ms, 10Gbit/s, 64KiB, 250pkt or 1bdp",
        )
    })
}

/// `{ from = .., to = .., points = N }`, linear unless `scale = "log"`; or `step` instead of `points`.
fn table<'a>(
    source: Source<'a>,
    key: &Word,
    value: &'a Spanned<DeValue<'a>>,
) -> Result<(Kind, Vec<Value>)> {
    let section = Section::new(source, value, &key.text, RANGE)?;
    let end = |name: &str| -> Result<(Kind, f64)> {
        let word = section.word(name)?.ok_or_else(|| {
            source.wrong(
                &value.span(),
                format!("the range `{}` has no `{name}`: it needs `from`, `to` and `points` (or `step`)", key.text),
            )
        })?;
        source.at(&word.span, quantity(&word.text))
    };
    let ((unit, from), (other, to)) = (end("from")?, end("to")?);
    if unit != other {
        return Err(source.wrong(
            &section.place("to"),
            format!("`from` and `to` of `{}` are of different kinds", key.text),
        ));
    }
    let log = match section.word("scale")? {
        None => false,
        Some(word) => match word.text.as_str() {
            "linear" => false,
            "log" => true,
            text => {
                let error = Error::unknown("scale", text, ["linear", "log"]);
                return Err(source.wrong(&word.span, error.to_string()));
            }
        },
    };
    if log && !(from > 0.0 && to > 0.0) {
        return Err(source.wrong(
            &value.span(),
            format!(
                "the range `{}` is logarithmic: both ends are more than 0",
                key.text
            ),
        ));
    }
    let most = MOST_VALUES as f64;
    let count = match (section.word("points")?, section.word("step")?) {
        (Some(word), None) => {
            source
                .at(&word.span, quantity(&word.text))
                .and_then(|(kind, n)| {
                    if kind == Kind::Number && n.fract() == 0.0 && (2.0..=most).contains(&n) {
                        Ok(n)
                    } else {
                        Err(source.wrong(
                            &word.span,
                            format!("`points` is {}: allowed are 2 to {MOST_VALUES}", word.text),
                        ))
                    }
                })?
        }
        (None, Some(word)) => {
            let (kind, step) = source.at(&word.span, quantity(&word.text))?;
            let steps = ((to - from) / step).abs();
            let whole = (steps - steps.round()).abs() < 1e-9 * steps.max(1.0);
            if log || kind != unit || step <= 0.0 || !whole || !(1.0..most).contains(&steps.round())
            {
                return Err(source.wrong(
                    &word.span,
                    format!("`step` of `{}` is {}: allowed is a whole part of the way from `from` to `to` on a linear scale", key.text, word.text),
                ));
            }
            steps.round() + 1.0
        }
        _ => {
            return Err(source.wrong(
                &value.span(),
                format!(
                    "the range `{}` needs `points` or `step`, one of them",
                    key.text
                ),
            ));
        }
    };
    Ok(numbers(unit, spaced(from, to, count as usize, log)))
}
