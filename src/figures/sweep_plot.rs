//! Columns of a sweep as a line plot or a heat map.

use super::{Axis, DISTINCT, Figure, HeatMap, Panel, Scale, Series, Shades, Stroke};
use crate::error::{Error, Result};
use crate::units::significant;

/// One field of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// A number.
    Number(f64),
    /// Anything else that is there.
    Word(String),
    /// Nothing: no answer.
    Missing,
}

/// What is drawn, and how it is called.
#[derive(Debug, Clone)]
pub struct SweepColumns {
    /// Printed on top.
    pub title: String,
    /// Printed below.
    pub caption: String,
    /// Names of the columns: horizontal, vertical, colour.
    pub names: [String; 3],
    /// What the axes say of them, with the unit that the numbers are in.
    pub titles: [String; 3],
    /// Scales that are asked for; `None` for what the numbers suggest.
    pub scales: [Option<Scale>; 3],
}

/// A positive range as wide as this is drawn logarithmically unless asked otherwise.
const WIDE: f64 = 20.0;
/// Most cells of a heat map.
const MOST_CELLS: usize = 250_000;
/// Most words that colours can tell apart.
const MOST_WORDS: usize = 8;

/// What the end of a column's name says of its unit.
const UNITS: &[(&str, &str)] = &[
    ("_rad_s", "rad/s"),
    ("_pkt_s", "packets/s"),
    (BITS_PER_SECOND, "bit/s"),
    ("_pps", "packets/s"),
    (BYTES, "bytes"),
    ("_pkt", "packets"),
    ("_bdp", "bandwidth × round trip"),
    ("_deg", "degrees"),
    ("_rtts", "round trips"),
    ("_ms", "ms"),
    ("_s", "s"),
];
/// How the columns of rates end.
pub const BITS_PER_SECOND: &str = "_bps";
/// How the columns of sizes end.
pub const BYTES: &str = "_bytes";

/// A column's name as a title with its unit, or with another unit than its own.
///
/// ```
/// use cwnd::figures::title_of;
/// assert_eq!(title_of("rate_bps", None), "rate (bit/s)");
/// assert_eq!(title_of("rate_bps", Some("Mbit/s")), "rate (Mbit/s)");
/// assert_eq!(title_of("limits.loss.window_pkt", None), "limits: loss: window (packets)");
/// ```
#[must_use]
pub fn title_of(column: &str, other: Option<&str>) -> String {
    if column == "loss" {
        return "loss events per packet, p".into();
    }
    match parts(column) {
        (name, Some(unit)) => format!("{name} ({})", other.unwrap_or(unit)),
        (name, None) => name,
    }
}

/// A column's name in words, and its unit.
fn parts(column: &str) -> (String, Option<&'static str>) {
    let words = |name: &str| {
        name.replace('.', ": ")
            .replace('_', " ")
            .replace("rtt", "RTT")
    };
    let unit = UNITS
        .iter()
        .find_map(|(end, unit)| Some((column.strip_suffix(end)?, *unit)));
    match unit {
        Some((name, unit)) if !name.is_empty() => (words(name), Some(unit)),
        _ => (words(column), None),
    }
}

/// A column's value in words, in the unit of its name or in another: `RTT 0.1 s`.
///
/// ```
/// use cwnd::figures::value_of;
/// assert_eq!(value_of("rtt_s", "0.1", None), "RTT 0.1 s");
/// assert_eq!(value_of("buffer_bytes", "1.5", Some("MB")), "buffer 1.5 MB");
/// assert_eq!(value_of("smax", "16", None), "smax 16");
/// ```
#[must_use]
pub fn value_of(column: &str, value: &str, other: Option<&str>) -> String {
    match parts(column) {
        (name, Some(unit)) => format!("{name} {value} {}", other.unwrap_or(unit)),
        (_, None) => format!("{column} {value}"),
    }
}

/// The axis of a column that shows all of these numbers; `room` is the share of the range left free at both ends.
fn axis(chosen: &SweepColumns, which: usize, numbers: &[f64], room: f64) -> Result<Axis> {
    let (column, wanted) = (&chosen.names[which], chosen.scales[which]);
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = match wanted {
        Some(Scale::Log) if least <= 0.0 => {
            return Err(Error::out_of_range(
                format!("the column `{column}` on a logarithmic axis"),
                least,
                "more than 0 everywhere",
            ));
        }
        Some(scale) => scale,
        None if least > 0.0 && most / least >= WIDE => Scale::Log,
        None => Scale::Linear,
    };
    let range = if least == most {
        // One value stands in the middle.
        match scale {
            Scale::Log => (least / 2.0, most * 2.0),
            Scale::Linear | Scale::Names(_) => {
                let half = if least == 0.0 { 1.0 } else { 0.1 * least.abs() };
                (least - half, most + half)
            }
        }
    } else {
        match scale {
            Scale::Log => {
                let factor = (most / least).powf(room);
                (least / factor, most * factor)
            }
            Scale::Linear | Scale::Names(_) => {
                let margin = room * (most - least);
                // Amounts that come near to nothing are shown from nothing.
                let from_zero = room > 0.0 && least >= 0.0 && least <= 0.5 * most;
                let low = if from_zero { 0.0 } else { least - margin };
                (low, most + margin)
            }
        }
    };
    Ok(Axis {
        title: chosen.titles[which].clone(),
        scale,
        range,
    })
}

/// A point and the row that it comes from.
type Place = (f64, f64, usize);

fn number(datum: &Datum, column: &str) -> Result<Option<f64>> {
    match datum {
        Datum::Number(x) => Ok(Some(*x)),
        Datum::Missing => Ok(None),
        Datum::Word(text) => Err(Error::malformed(
            "number",
            text,
            format!(
                "a column of numbers; `{column}` holds words, which tell curves apart by --series"
            ),
        )),
    }
}

/// What is wrong where two rows stand at one place.
fn ambiguous(at: &str, differing: &[String], with: &str) -> Error {
    let which = if differing.is_empty() {
        "the rows are the same".to_owned()
    } else {
        format!("they differ in {}", differing.join(", "))
    };
    Error::Arguments(format!(
        "several rows stand at {at}: {which}; {with}pick one with --where COLUMN=VALUE"
    ))
}

/// Lines of `y` over `x`, one for each word; rows without `y` are left out. `differing` tells in which columns two rows differ.
///
/// # Errors
/// A column of words, several rows at one place, no row with a value, a scale that does not fit.
pub fn sweep_lines(
    chosen: &SweepColumns,
    rows: &[(Datum, Datum, String)],
    differing: &dyn Fn(usize, usize) -> Vec<String>,
) -> Result<Figure> {
    let [x_name, y_name, _] = &chosen.names;
    let mut lines: Vec<(String, Vec<Place>)> = Vec::new();
    let mut missing = 0;
    for (at, (x, y, word)) in rows.iter().enumerate() {
        let (Some(x), Some(y)) = (number(x, x_name)?, number(y, y_name)?) else {
            missing += 1;
            continue;
        };
        match lines.iter_mut().find(|(known, _)| known == word) {
            Some((_, points)) => points.push((x, y, at)),
            None => lines.push((word.clone(), vec![(x, y, at)])),
        }
    }
    if lines.is_empty() {
        return Err(nothing(x_name, y_name));
    }
    for (_, points) in &mut lines {
        points.sort_by(|one, two| one.0.total_cmp(&two.0));
        if let Some(pair) = points.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(ambiguous(
                &format!("{x_name} = {}", significant(pair[0].0, 9)),
                &differing(pair[0].2, pair[1].2),
                "tell them apart with --series COLUMN or ",
            ));
        }
    }
    let all = |of: fn(&Place) -> f64| -> Vec<f64> {
        lines
            .iter()
            .flat_map(|(_, points)| points.iter().map(of))
            .collect()
    };
    let panel = Panel {
        title: String::new(),
        x: axis(chosen, 0, &all(|point| point.0), 0.0)?,
        y: axis(chosen, 1, &all(|point| point.1), 0.04)?,
        series: lines
            .into_iter()
            .map(|(label, points)| Series {
                label,
                stroke: Stroke::Line,
                points: points.into_iter().map(|(x, y, _)| (x, y)).collect(),
            })
            .collect(),
        marks: Vec::new(),
    };
    let many = match panel.series.len() {
        few if few <= DISTINCT => String::new(),
        many => format!(" {many} curves: colours and dashes repeat after {DISTINCT}."),
    };
    Ok(Figure {
        name: "sweep".into(),
        title: chosen.title.clone(),
        caption: chosen.caption.clone() + &left_out(missing) + &many,
        panels: vec![panel],
    })
}

fn nothing(x: &str, y: &str) -> Error {
    Error::NoAnswer(format!("no row has both `{x}` and `{y}`: nothing to draw"))
}

fn left_out(missing: usize) -> String {
    match missing {
        0 => String::new(),
        1 => " One row without a value is left out.".into(),
        many => format!(" {many} rows without a value are left out."),
    }
}

/// Colours of `z` over the grid of all `x` and `y`.
///
/// # Errors
/// As [`sweep_lines`], and more than 250 000 cells or 8 words.
pub fn sweep_heat(
    chosen: &SweepColumns,
    rows: &[(Datum, Datum, Datum)],
    differing: &dyn Fn(usize, usize) -> Vec<String>,
) -> Result<HeatMap> {
    let [x_name, y_name, z_name] = &chosen.names;
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let mut placed: Vec<(f64, f64, &Datum, usize)> = Vec::new();
    for (at, (x, y, z)) in rows.iter().enumerate() {
        if let (Some(x), Some(y)) = (number(x, x_name)?, number(y, y_name)?) {
            xs.push(x);
            ys.push(y);
            placed.push((x, y, z, at));
        }
    }
    for list in [&mut xs, &mut ys] {
        list.sort_by(f64::total_cmp);
        list.dedup();
    }
    if xs.is_empty() || !placed.iter().any(|(_, _, z, _)| **z != Datum::Missing) {
        return Err(nothing(x_name, z_name));
    }
    if xs.len() * ys.len() > MOST_CELLS {
        return Err(Error::out_of_range(
            "the number of cells",
            format!("{} × {}", xs.len(), ys.len()),
            format!("at most {MOST_CELLS}: pick rows with --where COLUMN=VALUE"),
        ));
    }
    let x = axis(chosen, 0, &xs, 0.0)?;
    let y = axis(chosen, 1, &ys, 0.0)?;
    let mut cells: Vec<Option<(usize, &Datum)>> = vec![None; xs.len() * ys.len()];
    for (a, b, z, row) in placed {
        let at = |list: &[f64], number: f64| list.partition_point(|other| *other < number);
        let cell = &mut cells[at(&ys, b) * xs.len() + at(&xs, a)];
        if let Some((other, _)) = cell {
            return Err(ambiguous(
                &format!(
                    "{x_name} = {}, {y_name} = {}",
                    significant(a, 9),
                    significant(b, 9)
                ),
                &differing(*other, row),
                "",
            ));
        }
        *cell = Some((row, z));
    }
    let data: Vec<&Datum> = cells
        .iter()
        .map(|cell| cell.map_or(&Datum::Missing, |(_, datum)| datum))
        .collect();
    let (z, cells) = shades(chosen, &data)?;
    let (columns, rows) = (edges(&xs, x.scale), edges(&ys, y.scale));
    let over = |axis: Axis, edges: &[f64]| Axis {
        range: (edges[0], edges[edges.len() - 1]),
        ..axis
    };
    Ok(HeatMap {
        name: "sweep".into(),
        title: chosen.title.clone(),
        caption: chosen.caption.clone(),
        x: over(x, &columns),
        y: over(y, &rows),
        z,
        columns,
        rows,
        cells,
    })
}

fn shades(chosen: &SweepColumns, data: &[&Datum]) -> Result<(Shades, Vec<Option<f64>>)> {
    let name = &chosen.names[2];
    if !data.iter().any(|datum| matches!(datum, Datum::Word(_))) {
        let cells: Result<Vec<Option<f64>>> =
            data.iter().map(|datum| number(datum, name)).collect();
        let cells = cells?;
        let known: Vec<f64> = cells.iter().flatten().copied().collect();
        return Ok((Shades::Numbers(axis(chosen, 2, &known, 0.0)?), cells));
    }
    let mut words: Vec<String> = Vec::new();
    let cells = data
        .iter()
        .map(|datum| {
            let word = match datum {
                Datum::Missing => return None,
                Datum::Word(word) => word.clone(),
                Datum::Number(x) => x.to_string(),
            };
            let at = words
                .iter()
                .position(|other| *other == word)
                .unwrap_or_else(|| {
                    words.push(word);
                    words.len() - 1
                });
            Some(at as f64)
        })
        .collect();
    if words.len() > MOST_WORDS {
        return Err(Error::out_of_range(
            format!("the number of different words in `{name}`"),
            words.len(),
            format!("at most {MOST_WORDS} that colours can tell apart"),
        ));
    }
    let title = chosen.titles[2].clone();
    Ok((Shades::Words { title, words }, cells))
}

/// Edges half-way between the middles, in the axis' own measure.
fn edges(middles: &[f64], scale: Scale) -> Vec<f64> {
    let log = scale == Scale::Log;
    let to = |x: f64| if log { x.ln() } else { x };
    let back = |x: f64| if log { x.exp() } else { x };
    let m: Vec<f64> = middles.iter().map(|x| to(*x)).collect();
    let last = m.len() - 1;
    let half = |i: usize| {
        if last > 0 {
            (m[i + 1] - m[i]) / 2.0
        } else if log || m[0] == 0.0 {
            0.5
        } else {
            0.05 * m[0].abs()
        }
    };
    let mut out = vec![back(m[0] - half(0))];
    out.extend((0..last).map(|i| back(m[i] + half(i))));
    out.push(back(m[last] + half(last.saturating_sub(1))));
    out
}
