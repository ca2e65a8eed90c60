//! From the answers of a point to its rows.

use super::fast::Fast;
use super::points::{Found, Points, command};
use super::rows::{Encoding, Field, Layout};
use crate::cli::asserted::{keys, step};
use crate::error::{Error, Result};
use crate::what_if::sweep::seed;
use clap::Command;
use serde_json::Value;

const REASON: &str = "reason";

/// The columns of a sweep: its inputs, the seed if each point has its own, the answer's keys, the reason.
pub(super) struct Table<'a> {
    pub points: Points<'a>,
    pub layout: Layout,
    /// Keys of the answer, one for each column after the inputs.
    pub keys: Vec<String>,
    /// The first point that has an answer, with all before it: asked already.
    asked: Vec<Found>,
    fast: Option<Fast>,
}

/// What a thread keeps from one point of a part to the next.
#[derive(Default)]
pub(super) struct Scratch {
    pub parser: Option<Command>,
    pub places: Vec<usize>,
}

impl<'a> Table<'a> {
    /// Asks points in order until one answers, so that the answer's keys are known.
    pub fn new(points: Points<'a>, encoding: Encoding) -> Result<Self> {
        let total = points.sweep.points()?;
        let mut asked = Vec::new();
        let mut command = command();
        let mut sample = None;
        for point in 0..total.min(MOST_ASKED) {
            let found = points.ask(&mut command, point, point == 0)?;
            if let Found::Answers(answers) = &found {
                sample = answers.first().cloned();
            }
            asked.push(found);
            if sample.is_some() {
                break;
            }
        }
        let top: Vec<String> = match &sample {
            Some(Value::Object(map)) => map.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let keys = wanted(&points, sample.as_ref(), &top)?;
        let fast = Fast::of(&points, &keys, &top);
        let mut columns: Vec<String> = points
            .sweep
            .swept()
            .map(|(_, input)| input.column.clone())
            .collect();
        if points.seeded {
            columns.push("seed".into());
        }
        for (at, column) in columns.iter().enumerate() {
            if columns[..at].contains(column) {
                return Err(points
                    .places
                    .wrong(column, &format!("two inputs make the column `{column}`")));
            }
        }
        for key in &keys {
            columns.push(if columns.contains(key) {
                format!("answer_{key}")
            } else {
                key.clone()
            });
        }
        Ok(Self {
            points,
            layout: Layout::new(encoding, columns),
            keys,
            asked,
            fast,
        })
    }

    /// Appends the rows of a point; whether it has an answer.
    pub fn rows(&self, scratch: &mut Scratch, point: u64, out: &mut Vec<u8>) -> Result<bool> {
        let Scratch { parser, places } = scratch;
        self.points.sweep.places(point, places);
        let fresh;
        let found = if let Some(found) = self.asked.get(point as usize) {
            found
        } else if let Some(fast) = &self.fast {
            match fast.rows(self, places, out) {
                Ok(()) => return Ok(true),
                Err(reason) => fresh = Found::Nothing(reason.to_string()),
            }
            &fresh
        } else {
            let parser = parser.get_or_insert_with(command);
            fresh = self.points.ask(parser, point, false)?;
            &fresh
        };
        match found {
            Found::Answers(answers) => {
                for answer in answers {
                    let at = self.inputs(point, places, out);
                    for (place, key) in self.keys.iter().enumerate() {
                        self.layout
                            .put(at + place, Field::from(look(answer, key)), out);
                    }
                }
                Ok(true)
            }
            Found::Nothing(reason) => {
                let at = self.inputs(point, places, out);
                for (place, key) in self.keys.iter().enumerate() {
                    let field = if key == REASON {
                        Field::Word(reason)
                    } else {
                        Field::Null
                    };
                    self.layout.put(at + place, field, out);
                }
                Ok(false)
            }
        }
    }

    /// Begins a row with the inputs of its point; how many fields they are.
    pub fn inputs(&self, point: u64, places: &[usize], out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        for (axis, input) in self.points.sweep.swept() {
            let cell = &input.values[places[axis]].cell;
            self.layout.put(at, Field::from(cell), out);
            at += 1;
        }
        if self.points.seeded {
            self.layout.put(at, Field::Whole(seed(point) as i64), out);
            at += 1;
        }
        at
    }
}

/// Points without an answer that are asked for the names of the answer's keys.
const MOST_ASKED: u64 = 10_000;

/// The keys that become columns: those of the file, or all; the reason is always there.
fn wanted(points: &Points<'_>, sample: Option<&Value>, top: &[String]) -> Result<Vec<String>> {
    let mut out = match &points.sweep.columns {
        None => top.to_vec(),
        Some(columns) => {
            for (at, key) in columns.iter().enumerate() {
                let wrong = |detail: &str| Err(points.places.wrong("columns", detail));
                if columns[..at].contains(key) {
                    return wrong(&format!("the column `{key}` is given twice"));
                }
                if let Some(sample) = sample
                    && !exists(sample, key)
                {
                    let mut known = top.to_vec();
                    known.extend(keys(sample, "").into_iter().filter(|k| k.contains('.')));
                    return wrong(&Error::unknown("column", key, known).to_string());
                }
            }
            columns.clone()
        }
    };
    if !out.iter().any(|key| key == REASON) {
        out.push(REASON.into());
    }
    Ok(out)
}

/// Whether an answer can have a value under this key: what lies in a missing value, an empty list or beyond the end of a
/// list may be there in another answer.
fn exists(answer: &Value, key: &str) -> bool {
    let mut at = answer;
    for part in key.split('.') {
        if at.is_null() || at.as_array().is_some_and(Vec::is_empty) {
            return true;
        }
        match step(at, part) {
            Some(inner) => at = inner,
            None => {
                return at.is_array() && part.parse::<usize>().is_ok_and(|position| position > 0);
            }
        }
    }
    true
}

/// The value under a key with dots, nothing if this answer has none.
fn look<'v>(answer: &'v Value, key: &str) -> Option<&'v Value> {
    answer
        .get(key)
        .or_else(|| key.split('.').try_fold(answer, |at, part| step(at, part)))
}

impl<'a> From<Option<&'a Value>> for Field<'a> {
    fn from(value: Option<&'a Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Null,
            Some(value) => Self::Tree(value),
        }
    }
}
