//! `plot --from`: columns of a sweep as a line plot or a heat map.

use super::args::PlotArgs;
use super::columns::Table;
use super::pictures::complain_of_boxes;
use super::units::{self, Unit};
use super::{Outcome, complain, files, say};
use crate::draw;
use crate::error::{Error, Result};
use crate::figures::{
    BITS_PER_SECOND, BYTES, DISTINCT, Datum, Scale, SweepColumns, sweep_heat, sweep_lines,
    title_of, value_of,
};
use crate::units::significant;
use std::collections::BTreeSet;

pub(super) fn scale(flag: &str, text: Option<&str>) -> Result<Option<Scale>> {
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

/// In which unit a column is drawn.
struct Measure {
    /// Its symbol, if it is another than the one that the column's name says.
    unit: Option<String>,
    /// What divides the column's numbers.
    by: f64,
}

impl Measure {
    /// What `--units` means for a column.
    fn of(column: &str, wanted: Option<Unit>) -> Self {
        match wanted {
            Some((symbol, bits)) if column.ends_with(BITS_PER_SECOND) => Self {
                unit: Some(format!("{symbol}/s")),
                by: bits,
            },
            Some((symbol, bits)) if column.ends_with(BYTES) => Self {
                unit: Some(symbol.to_owned()),
                by: bits / 8.0,
            },
            _ => Self {
                unit: None,
                by: 1.0,
            },
        }
    }

    fn datum(&self, datum: Datum) -> Datum {
        match datum {
            Datum::Number(x) => Datum::Number(x / self.by),
            other => other,
        }
    }
}

/// Words for each row's line: its values in the columns that tell lines apart. Numbers have six digits, or all where six
/// would make two lines one.
fn words(table: &Table, columns: &[(usize, &str, Measure)]) -> Vec<String> {
    let all = |digits: Option<usize>| -> Vec<String> {
        let word = |row: usize| {
            let values = columns.iter().map(|(column, name, measure)| {
                // A number says whose it is; a word speaks for itself.
                match measure.datum(table.datum(row, *column)) {
                    Datum::Number(x) => {
                        let text = digits.map_or_else(|| x.to_string(), |n| significant(x, n));
                        value_of(name, &text, measure.unit.as_deref())
                    }
                    _ => table.field(row, *column).to_owned(),
                }
            });
            values.collect::<Vec<_>>().join(", ")
        };
        (0..table.len()).map(word).collect()
    };
    let different = |words: &[String]| words.iter().collect::<BTreeSet<_>>().len();
    let (short, long) = (all(Some(6)), all(None));
    if different(&short) == different(&long) {
        short
    } else {
        long
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
    let wanted = units::wanted();
    let apart: Vec<(usize, &str, Measure)> = series
        .iter()
        .map(|name| Ok((table.column(name)?, *name, Measure::of(name, wanted))))
        .collect::<Result<_>>()?;
    let measures = [0, 1, 2].map(|which: usize| Measure::of(&names[which], wanted));
    let scaled = measures
        .iter()
        .chain(apart.iter().map(|(_, _, measure)| measure));
    if wanted.is_some() && scaled.into_iter().all(|measure| measure.unit.is_none()) {
        return Err(Error::Arguments(format!(
            "--units names the unit of rates and sizes, and no column drawn is one: their names end in {BITS_PER_SECOND} or {BYTES}"
        )));
    }
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
    let titles =
        [0, 1, 2].map(|which: usize| title_of(&names[which], measures[which].unit.as_deref()));
    let shown = &titles[if z.is_some() { 2 } else { 1 }];
    let bare = |title: &str| {
        let bare = title.split(" (").next().unwrap_or("").to_owned();
        let mut letters = bare.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().collect::<String>() + letters.as_str()
        })
    };
    let chosen = SweepColumns {
        title: args.title.clone().unwrap_or_else(|| bare(shown)),
        caption: format!("{file}{kept}."),
        names,
        titles,
        scales,
    };
    let differing = |one: usize, two: usize| table.differing(one, two);
    let all = 0..table.len();
    let bytes = if let Some(z) = z {
        let rows: Vec<(Datum, Datum, Datum)> = all
            .map(|row| {
                (
                    measures[0].datum(table.datum(row, x)),
                    measures[1].datum(table.datum(row, y)),
                    measures[2].datum(table.datum(row, z)),
                )
            })
            .collect();
        let map = sweep_heat(&chosen, &rows, &differing)?;
        if png {
            complain_of_boxes(map.texts())?;
            draw::heat_png(&map)?
        } else {
            draw::heat_svg(&map)?.into_bytes()
        }
    } else {
        let rows: Vec<(Datum, Datum, String)> = words(&table, &apart)
            .into_iter()
            .enumerate()
            .map(|(row, word)| {
                (
                    measures[0].datum(table.datum(row, x)),
                    measures[1].datum(table.datum(row, y)),
                    word,
                )
            })
            .collect();
        let figure = sweep_lines(&chosen, &rows, &differing)?;
        let lines = figure.panels[0].series.len();
        if lines > DISTINCT {
            complain(&format!(
                "{lines} curves: colours and dashes repeat after {DISTINCT}; --where COLUMN=VALUE picks some"
            ));
        }
        if png {
            complain_of_boxes(figure.texts())?;
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
