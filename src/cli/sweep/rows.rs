//! Rows as CSV or JSON lines.

use crate::cli::emit::flat;
use crate::error::{Error, Result};
use crate::what_if::sweep::Cell;
use serde_json::Value;

/// How the parts of a sweep are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Csv,
    Json,
}

/// One field of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field<'a> {
    Null,
    Number(f64),
    Whole(i64),
    Word(&'a str),
    /// Whatever an answer may hold.
    Tree(&'a Value),
}

impl<'a> From<&'a Cell> for Field<'a> {
    fn from(cell: &'a Cell) -> Self {
        match cell {
            Cell::Number(x) => Self::from(*x),
            Cell::Word(text) => Self::Word(text),
        }
    }
}

impl From<f64> for Field<'_> {
    /// A number that somebody typed: whole ones without a point.
    fn from(x: f64) -> Self {
        if x.fract() == 0.0 && x.abs() < 1e15 {
            Self::Whole(x as i64)
        } else {
            Self::Number(x)
        }
    }
}

impl From<Option<f64>> for Field<'_> {
    fn from(x: Option<f64>) -> Self {
        x.map_or(Self::Null, Self::Number)
    }
}

impl<'a> From<Option<&'a str>> for Field<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Word)
    }
}

/// Names of the columns and how rows are written.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub encoding: Encoding,
    pub columns: Vec<String>,
    /// What stands before each value of a JSON line.
    keys: Vec<Vec<u8>>,
}

impl Layout {
    pub fn new(encoding: Encoding, columns: Vec<String>) -> Self {
        let key = |(at, column): (usize, &String)| {
            let mut out = vec![if at == 0 { b'{' } else { b',' }];
            json_text(column, &mut out);
            out.push(b':');
            out
        };
        let keys = columns.iter().enumerate().map(key).collect();
        Self {
            encoding,
            columns,
            keys,
        }
    }

    /// What stands once on top of the file.
    pub fn header(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.encoding == Encoding::Csv {
            for (at, column) in self.columns.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                csv_text(column, &mut out);
            }
            out.push(b'\n');
        }
        out
    }

    /// Appends field number `at` of a row.
    pub fn put(&self, at: usize, field: Field<'_>, out: &mut Vec<u8>) {
        match self.encoding {
            Encoding::Csv => {
                if at > 0 {
                    out.push(b',');
                }
                match field {
                    Field::Null => {}
                    Field::Number(x) => number(x, out),
                    Field::Whole(x) => json(&x, out),
                    Field::Word(text) => csv_text(text, out),
                    Field::Tree(Value::String(text)) => csv_text(text, out),
                    Field::Tree(value) => csv_text(&flat(value), out),
                }
            }
            Encoding::Json => {
                if let Some(key) = self.keys.get(at) {
                    out.extend_from_slice(key);
                }
                match field {
                    Field::Null => out.extend_from_slice(b"null"),
                    Field::Number(x) => number(x, out),
                    Field::Whole(x) => json(&x, out),
                    Field::Word(text) => json_text(text, out),
                    Field::Tree(value) => json(value, out),
                }
            }
        }
        if at + 1 == self.columns.len() {
            if self.encoding == Encoding::Json {
                out.push(b'}');
            }
            out.push(b'\n');
        }
    }
}

/// The shortest digits that read back as the same number, as everywhere in JSON answers.
fn number(x: f64, out: &mut Vec<u8>) {
    json(&x, out);
}

fn json(value: &impl serde::Serialize, out: &mut Vec<u8>) {
    // Neither a vector nor a value refuses to be written.
    let _ = serde_json::to_writer(out, value);
}

fn json_text(text: &str, out: &mut Vec<u8>) {
    json(&text, out);
}

/// A field in quotes where it needs them.
fn csv_text(text: &str, out: &mut Vec<u8>) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// How the output file is written, by its ending.
pub(super) fn encoding(out: &str) -> Result<(Encoding, bool)> {
    let ending = out
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    match ending.as_deref() {
        Some("csv") => Ok((Encoding::Csv, false)),
        Some("jsonl" | "ndjson") => Ok((Encoding::Json, false)),
        Some("parquet") if cfg!(feature = "parquet") => Ok((Encoding::Json, true)),
        Some("parquet") => Err(Error::Arguments(format!(
            "`{out}` would be a Parquet file, which this build cannot write: give a file that ends in .csv or .jsonl, or build with --features parquet"
        ))),
        _ => Err(Error::malformed(
            "file for a sweep",
            out,
            "a file that ends in .csv, .jsonl or .parquet",
        )),
    }
}
