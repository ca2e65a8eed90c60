//! `plot --from`: columns of a sweep as a line plot or a heat map.

use super::args::PlotArgs;
use super::{Outcome, files, say};
use crate::draw;
use crate::error::{Error, Result};
use crate::figures::{Datum, Scale, SweepColumns, sweep_heat, sweep_lines, title_of, value_of};
use crate::units::Kind;

/// A file of rows with a header.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &str) -> Result<Self> {
        let bad = |error: csv::Error| Error::File {
            path: path.to_owned(),
            detail: error.to_string(),
        };
        let text = files::read(path)?;
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(bad)?;
        let header = header.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(record.map_err(bad)?.iter().map(str::to_owned).collect());
        }
        if rows.is_empty() {
            return Err(Error::File {
                path: path.to_owned(),
                detail: "it has no rows".into(),
            });
        }
        Ok(Self { header, rows })
    }

    fn column(&self, name: &str) -> Result<usize> {
        self.header
            .iter()
            .position(|column| column == name)
            .ok_or_else(|| Error::unknown("column", name, &self.header))
    }

    fn field(&self, row: usize, column: usize) -> &str {
        self.rows[row].get(column).map_or("", String::as_str)
    }

    fn datum(&self, row: usize, column: usize) -> Datum {
        let text = self.field(row, column);
        if text.is_empty() {
            return Datum::Missing;
        }
        match text.parse::<f64>() {
            Ok(x) if x.is_finite() => Datum::Number(x),
            _ => Datum::Word(text.to_owned()),
        }
    }

    /// Keeps the rows with this value: the same text, or the same number in any unit.
    fn keep(&mut self, condition: &str) -> Result<()> {
        let (name, value) = condition.split_once('=').ok_or_else(|| {
            Error::malformed("condition", condition, "COLUMN=VALUE, such as rtt_s=100ms")
        })?;
        let column = self.column(name.trim())?;
        let wanted = value.trim();
        let number = Kind::of(wanted).map(|(_, number)| number);
        let alike = |text: &str| {
            let close = |x: f64, wanted: f64| (x - wanted).abs() <= 1e-9 * wanted.abs();
            let as_number = || Some(close(text.parse::<f64>().ok()?, number?));
            text == wanted || as_number().unwrap_or(false)
        };
        let mut seen: Vec<String> = Vec::new();
        for row in &self.rows {
            let text = row.get(column).cloned().unwrap_or_default();
            if seen.len() < 30 && !seen.contains(&text) {
                seen.push(text);
            }
        }
        self.rows
            .retain(|row| row.get(column).is_some_and(|text| alike(text)));
        if self.rows.is_empty() {
            return Err(Error::unknown("value of the column", value, seen));
        }
        Ok(())
    }

    /// Columns in which two rows differ.
    fn differing(&self, one: usize, two: usize) -> Vec<String> {
        let differs =
            |(column, _): &(usize, &String)| self.field(one, *column) != self.field(two, *column);
        let names = self.header.iter().enumerate().filter(differs);
        names.map(|(_, name)| name.clone()).collect()
    }
}

fn scale(flag: &str, text: Option<&str>) -> Result<Option<Scale>> {
    match text {
        None => Ok(None),
        Some("log") => Ok(Some(Scale::Log)),
        Some("linear") => Ok(Some(Scale::Linear)),
        Some(other) => Err(Error::malformed(
            "scale",
            other,
            format!("log or linear, as in {flag} log"),
        )),
    }
}

pub(super) fn plot(path: &str, args: &PlotArgs, png: bool) -> Result<Outcome> {
    let mut table = Table::read(path)?;
    let name = |given: &Option<String>| given.clone().unwrap_or_default();
    let names = [name(&args.from.x), name(&args.from.y), name(&args.from.z)];
    let (x, y) = (table.column(&names[0])?, table.column(&names[1])?);
    let z = match &args.from.z {
        None => None,
        Some(name) => Some(table.column(name)?),
    };
    let series: Vec<&str> = args
        .from
        .series
        .iter()
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .collect();
    let apart: Vec<usize> = series
        .iter()
        .map(|name| table.column(name))
        .collect::<Result<_>>()?;
    for condition in &args.from.conditions {
        table.keep(condition)?;
    }
    let from = &args.from;
    let scales = [
        scale("--x-scale", from.x_scale.as_deref())?,
        scale("--y-scale", from.y_scale.as_deref())?,
        scale("--z-scale", from.z_scale.as_deref())?,
    ];
    let file = path.rsplit('/').next().unwrap_or(path);
    let kept = if from.conditions.is_empty() {
        String::new()
    } else {
        format!("; {}", from.conditions.join(", "))
    };
    let shown = title_of(if z.is_some() { &names[2] } else { &names[1] });
    let bare = |title: &str| {
        let bare = title.split(" (").next().unwrap_or("").to_owned();
        let mut letters = bare.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().collect::<String>() + letters.as_str()
        })
    };
    let chosen = SweepColumns {
        title: args.title.clone().unwrap_or_else(|| bare(&shown)),
        caption: format!("{file}{kept}."),
        names,
        scales,
    };
    let differing = |one: usize, two: usize| table.differing(one, two);
    let all = 0..table.rows.len();
    let bytes = if let Some(z) = z {
        let rows: Vec<(Datum, Datum, Datum)> = all
            .map(|row| {
                (
                    table.datum(row, x),
                    table.datum(row, y),
                    table.datum(row, z),
                )
            })
            .collect();
        let map = sweep_heat(&chosen, &rows, &differing)?;
        if png {
            draw::heat_png(&map)?
        } else {
            draw::heat_svg(&map)?.into_bytes()
        }
    } else {
        let label = |row: usize| -> String {
            let words = apart.iter().zip(&series).map(|(column, name)| {
                let text = table.field(row, *column);
                match table.datum(row, *column) {
                    // A number says whose it is; a word speaks for itself.
                    Datum::Number(_) => value_of(name, text),
                    _ => text.to_owned(),
                }
            });
            words.collect::<Vec<_>>().join(", ")
        };
        let rows: Vec<(Datum, Datum, String)> = all
            .map(|row| (table.datum(row, x), table.datum(row, y), label(row)))
            .collect();
        let figure = sweep_lines(&chosen, &rows, &differing)?;
        if png {
            draw::png(&figure)?
        } else {
            draw::svg(&figure)?.into_bytes()
        }
    };
    if args.out == "-" {
        return Ok(say(&String::from_utf8_lossy(&bytes)));
    }
    files::write(&args.out, &bytes)?;
    Ok(Outcome::Answered)
}
