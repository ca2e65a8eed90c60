//! `plot --from`: columns of a sweep as a line plot or a heat map.

use super::args::PlotArgs;
use super::columns::Table;
use super::{Outcome, files, say};
use crate::draw;
use crate::error::{Error, Result};
use crate::figures::{Datum, Scale, SweepColumns, sweep_heat, sweep_lines, title_of, value_of};

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
    let all = 0..table.len();
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
