//! `--assert`: answers delivered, and whether they are what somebody relies on.

use super::args::OutputArgs;
use super::emit::machine;
use super::files::{self, Pending};
use super::kept::is_keeping;
use super::{Outcome, complain, say};
use crate::error::{Error, Result};
use crate::what_if::assertion::{Assertion, Fact};
use serde::Serialize;
use serde_json::Value;

/// Delivers the answers as data or as `text`, after checking the assertion on every one of them.
pub(super) fn finish<T: Serialize>(
    all: &[T],
    text: &str,
    assertion: Option<&str>,
    output: &OutputArgs,
) -> Result<Outcome> {
    finish_with(all, text, assertion, output, Vec::new())
}

/// The same with files that belong to the answers: nothing appears unless everything can.
pub(super) fn finish_with<T: Serialize>(
    all: &[T],
    text: &str,
    assertion: Option<&str>,
    output: &OutputArgs,
    mut whole: Vec<Pending>,
) -> Result<Outcome> {
    let failures = match assertion {
        None => Vec::new(),
        Some(wanted) => failures(all, wanted)?,
    };
    let data = machine(all, output)?;
    let text = data.as_deref().unwrap_or(text);
    let own = (!is_keeping() && output.out != "-")
        .then(|| files::written(&output.out, text))
        .transpose()?;
    // Standard output may have been given to a file of the answers.
    let printed = own.is_some() || is_keeping() || whole.iter().any(Pending::is_printed);
    whole.extend(own);
    let outcome = files::place(whole, || {
        Ok(if printed {
            Outcome::Answered
        } else {
            say(text)
        })
    })?;
    for failure in &failures {
        complain(failure);
    }
    Ok(if failures.is_empty() || outcome == Outcome::Refused {
        outcome
    } else {
        Outcome::Failed
    })
}

/// One sentence for each answer for which the assertion does not hold.
fn failures<T: Serialize>(all: &[T], text: &str) -> Result<Vec<String>> {
    let assertion = Assertion::parse(text)?;
    let values = serde_json::to_value(all).map_err(|error| Error::Numeric {
        method: "writing the answer",
        detail: error.to_string(),
    })?;
    let mut out = Vec::new();
    for envelope in values.as_array().into_iter().flatten() {
        for answer in envelope["answers"].as_array().into_iter().flatten() {
            let look = |key: &str| look(answer, key);
            if assertion.holds(&look)? == Some(true) {
                continue;
            }
            let said = assertion.keys().into_iter().map(|key| {
                Ok(match look(key)? {
                    Fact::Number(x) => format!("{key} is {x}"),
                    Fact::Word(word) => format!("{key} is {word}"),
                    Fact::Missing => format!("{key} is null"),
                })
            });
            let said: Result<Vec<String>> = said.collect();
            out.push(format!(
                "the assertion `{text}` does not hold for {}: {}",
                place(&envelope["query"], answer),
                said?.join(", ")
            ));
        }
    }
    Ok(out)
}

/// Which answer of which question.
fn place(query: &Value, answer: &Value) -> String {
    let mut words = vec![query["verb"].as_str().unwrap_or("").to_owned()];
    for key in ["law", "system", "label"] {
        words.extend(query[key].as_str().map(str::to_owned));
    }
    for key in ["loss", "rtt_s", "window_pkt", "size_bytes"] {
        words.extend(query[key].as_f64().map(|x| format!("{key} {x}")));
    }
    words.extend(answer["road"].as_str().map(|road| format!("road {road}")));
    words.extend(answer["form"].as_str().map(|form| format!("form {form}")));
    words.join(", ")
}

/// The fact under a key with dots; what lies inside a missing value or an empty list is missing.
fn look(answer: &Value, key: &str) -> Result<Fact> {
    let mut at = answer;
    for part in key.split('.') {
        if at.is_null() || at.as_array().is_some_and(Vec::is_empty) {
            return Ok(Fact::Missing);
        }
        at = step(at, part).ok_or_else(|| Error::unknown("key", key, keys(answer, "")))?;
    }
    match at {
        Value::Null => Ok(Fact::Missing),
        Value::Bool(flag) => Ok(Fact::Word(flag.to_string())),
        Value::Number(number) => Ok(number.as_f64().map_or(Fact::Missing, Fact::Number)),
        Value::String(word) => Ok(Fact::Word(word.clone())),
        Value::Array(_) | Value::Object(_) => Err(Error::unknown("key", key, keys(answer, ""))),
    }
}

fn name(item: &Value) -> Option<&str> {
    item["name"].as_str().or_else(|| item["input"].as_str())
}

pub(super) fn step<'a>(at: &'a Value, part: &str) -> Option<&'a Value> {
    match at {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items
            .iter()
            .find(|item| name(item) == Some(part))
            .or_else(|| {
                let position = part.parse::<usize>().ok()?.checked_sub(1)?;
                items.get(position)
            }),
        _ => None,
    }
}

/// Every key of an answer that has a number, a word or no value.
pub(super) fn keys(value: &Value, prefix: &str) -> Vec<String> {
    let below = |part: &str, inner: &Value| {
        let key = if prefix.is_empty() {
            part.to_owned()
        } else {
            format!("{prefix}.{part}")
        };
        if inner.is_object() || inner.is_array() {
            keys(inner, &key)
        } else {
            vec![key]
        }
    };
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(part, inner)| below(part, inner))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(i, item)| {
                let position = (i + 1).to_string();
                below(name(item).unwrap_or(&position), item)
            })
            .collect(),
        _ => Vec::new(),
    }
}
