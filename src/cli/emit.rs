//! Answers as text, JSON or CSV, to standard output or to a file.

use super::args::{Format, OutputArgs};
use super::{Outcome, files, kept, say};
use crate::error::{Error, Result};
use crate::units::significant;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets::NOTHING};
use serde::Serialize;
use serde_json::Value;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes `text` where the flags say.
pub(super) fn deliver(text: &str, output: &OutputArgs) -> Result<Outcome> {
    if kept::is_keeping() {
        Ok(Outcome::Answered)
    } else if output.out == "-" {
        Ok(say(text))
    } else {
        files::write(&output.out, text.as_bytes())?;
        Ok(Outcome::Answered)
    }
}

pub(super) fn broken(error: impl std::fmt::Display) -> Error {
    Error::Numeric {
        method: "writing the answer",
        detail: error.to_string(),
    }
}

/// The envelopes as JSON or CSV, or `None` when text is wanted.
pub(super) fn machine<T: Serialize>(
    envelopes: &[T],
    output: &OutputArgs,
) -> Result<Option<String>> {
    if kept::is_keeping() {
        kept::add(serde_json::to_value(envelopes).map_err(broken)?);
        return Ok(Some(String::new()));
    }
    match output.format {
        Format::Text => Ok(None),
        Format::Json => {
            let mut text = serde_json::to_string_pretty(envelopes).map_err(broken)?;
            text.push('\n');
            Ok(Some(text))
        }
        Format::Csv => {
            let values = serde_json::to_value(envelopes).map_err(broken)?;
            csv(&values).map(Some)
        }
    }
}

/// One row per answer: the query's fields, then the answer's. Maps and lists become one field.
fn csv(envelopes: &Value) -> Result<String> {
    let mut header: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<(String, String)>> = Vec::new();
    for envelope in envelopes.as_array().into_iter().flatten() {
        let query = fields(&envelope["query"], "");
        for answer in envelope["answers"].as_array().into_iter().flatten() {
            let mut row = query.clone();
            for (key, value) in fields(answer, "") {
                // `crossover` asks about a range of losses and `loss` about a window that its answers carry too.
                let key = if row.iter().any(|(taken, _)| *taken == key) {
                    format!("answer_{key}")
                } else {
                    key
                };
                row.push((key, value));
            }
            for (key, _) in &row {
                if !header.contains(key) {
                    header.push(key.clone());
                }
            }
            rows.push(row);
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).map_err(broken)?;
    for row in rows {
        let record = header.iter().map(|key| {
            row.iter()
                .find(|(k, _)| k == key)
                .map_or("", |(_, value)| value.as_str())
        });
        writer.write_record(record).map_err(broken)?;
    }
    String::from_utf8(writer.into_inner().map_err(broken)?).map_err(broken)
}

fn fields(object: &Value, prefix: &str) -> Vec<(String, String)> {
    object
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (format!("{prefix}{key}"), flat(value)))
        .collect()
}

pub(super) fn flat(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(flat).collect::<Vec<_>>().join("; "),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{key}={}", flat(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

/// Columns of the terminal that tables go to; 0 where they go elsewhere, or it does not say.
static COLUMNS: AtomicUsize = AtomicUsize::new(0);
/// Columns that a column of text needs at least to be worth wrapping.
const LEAST_TEXT: usize = 12;

/// Takes the width of the terminal, if that is where the answers go.
pub(super) fn fit_to_terminal(arguments: &[OsString]) {
    let elsewhere = arguments
        .iter()
        .filter_map(|word| word.to_str())
        .any(|word| {
            word.starts_with("--out") || (word.starts_with("-o") && !word.starts_with("--"))
        });
    let columns = if elsewhere || !std::io::stdout().is_terminal() {
        0
    } else {
        let set = std::env::var("COLUMNS").ok();
        set.and_then(|text| text.parse().ok())
            .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
            .unwrap_or(0)
    };
    COLUMNS.store(columns, Ordering::Relaxed);
}

/// How a table is laid out.
enum Layout {
    /// As wide as it is.
    Natural,
    /// Columns of text wrapped, so that it is as wide as the terminal.
    Wrapped(u16),
    /// Rows as columns, as many side by side as the terminal has room for.
    Turned(u16),
}

/// The layout that fits the terminal: numbers never wrap.
fn layout(header: &[&str], right: &[bool], rows: &[Vec<String>]) -> Layout {
    let columns = COLUMNS.load(Ordering::Relaxed);
    let (mut natural, mut least) = (0, 0);
    for (at, title) in header.iter().enumerate() {
        let longest = longest(at, title, rows);
        let numbers = right.get(at).copied().unwrap_or(false);
        natural += longest + 2;
        least += 2 + if numbers {
            longest
        } else {
            longest.min(LEAST_TEXT)
        };
    }
    let Ok(width) = u16::try_from(columns) else {
        return Layout::Natural;
    };
    if columns == 0 || natural <= columns {
        Layout::Natural
    } else if least <= columns {
        Layout::Wrapped(width)
    } else {
        Layout::Turned(width)
    }
}

fn longest(at: usize, title: &str, rows: &[Vec<String>]) -> usize {
    let wide = |text: &str| text.chars().count();
    rows.iter()
        .filter_map(|row| row.get(at))
        .map(|cell| wide(cell))
        .fold(wide(title), usize::max)
}

/// A table without frames, numbers to the right.
pub(super) fn table(header: &[&str], right: &[bool], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.to_vec());
    match layout(header, right, &rows) {
        Layout::Natural => {}
        Layout::Turned(width) => return turned(header, right, &rows, width),
        Layout::Wrapped(width) => {
            table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(width);
            for (column, _) in table
                .column_iter_mut()
                .zip(right)
                .filter(|(_, numbers)| **numbers)
            {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
    for row in rows {
        table.add_row(row);
    }
    for (at, right) in right.iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            column.set_padding((u16::from(at > 0), 1));
            column.set_cell_alignment(if *right {
                CellAlignment::Right
            } else {
                CellAlignment::Left
            });
        }
    }
    lines(&table)
}

fn lines(table: &Table) -> String {
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n") + "\n"
}

/// The rows as columns, the titles before them, in blocks that fit.
fn turned(header: &[&str], right: &[bool], rows: &[Vec<String>], width: u16) -> String {
    let titles = header.iter().map(|title| title.chars().count()).max();
    let numbers = (0..header.len()).filter(|at| right.get(*at).copied().unwrap_or(false));
    let widest = numbers
        .map(|at| longest(at, "", rows))
        .fold(LEAST_TEXT, usize::max);
    let room = usize::from(width).saturating_sub(titles.unwrap_or(0) + 2);
    let side_by_side = (room / (widest + 2)).max(1);
    let block = |some: &[Vec<String>]| {
        let mut table = Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
        for (at, title) in header.iter().enumerate() {
            let cells = some
                .iter()
                .map(|row| row.get(at).cloned().unwrap_or_default());
            table.add_row(std::iter::once((*title).to_owned()).chain(cells));
        }
        if let Some(first) = table.column_mut(0) {
            first.set_padding((0, 1));
            first.set_constraint(ColumnConstraint::ContentWidth);
        }
        lines(&table)
    };
    let blocks: Vec<String> = rows.chunks(side_by_side).map(block).collect();
    blocks.join("\n")
}

pub(super) use super::units::{rate, size};

/// A number for people, or a dash.
pub(super) fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |x| significant(x, digits))
}

/// A duration for people.
pub(super) fn duration(value: Option<f64>) -> String {
    let Some(x) = value else { return "-".into() };
    match x {
        0.0 => "0 s".into(),
        x if x < 1e-3 => format!("{} us", significant(x * 1e6, 5)),
        x if x < 1.0 => format!("{} ms", significant(x * 1e3, 5)),
        x if x < 7200.0 => format!("{} s", significant(x, 5)),
        x if x < 172_800.0 => format!("{} h", significant(x / 3600.0, 5)),
        x => format!("{} days", significant(x / 86_400.0, 5)),
    }
}

/// A word or a dash.
pub(super) fn word(value: Option<&str>) -> String {
    value.unwrap_or("-").to_owned()
}

/// What stands before the reason of an empty row.
pub(super) const NO_ANSWER: &str = ": no answer: ";

/// Notes below a table, each once, in order.
pub(super) fn notes(found: impl IntoIterator<Item = String>, output: &OutputArgs) -> String {
    let mut seen: Vec<String> = Vec::new();
    for note in found {
        // Why a row is empty is told even to those who want no notes.
        if output.quiet && !note.contains(NO_ANSWER) {
            continue;
        }
        if !seen.contains(&note) {
            seen.push(note);
        }
    }
    if seen.is_empty() {
        return String::new();
    }
    seen.iter()
        .fold(String::from("\n"), |text, note| text + "  " + note + "\n")
}
