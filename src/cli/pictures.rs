//! The verbs that draw.

use super::args::{FiguresArgs, FiguresOut, Format, OutputArgs, PlotArgs, ReproduceArgs};
use super::checks::{progress, run_checks};
use super::{Outcome, complain, files, left_out, meaning, plot_from, samples, say, units};
use crate::draw;
use crate::error::{Error, Result};
use crate::figures::{
    self, Curve, FIGURES, Figure, Listed, Quantity, Scale, Series, Stroke, View, Words, log_range,
    response_plot,
};
use crate::model::Path;
use crate::units::Seconds;
use crate::verify;
use crate::what_if::{PacketSize, parallel};

/// Loss rates of a plot unless asked otherwise.
const USUAL: (f64, f64) = (1e-8, 1e-1);

/// The numbers drawn, one row per point; a place where a line breaks has none.
fn numbers(figure: &Figure) -> Result<String> {
    let broken = |error: &dyn std::fmt::Display| Error::Numeric {
        method: "writing the figure's numbers",
        detail: error.to_string(),
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["panel", "series", "x", "y"])
        .map_err(|e| broken(&e))?;
    for panel in &figure.panels {
        for series in &panel.series {
            for (x, y) in series.points.iter().filter(|(_, y)| y.is_finite()) {
                writer
                    .write_record([
                        &panel.title,
                        &series.label,
                        &format!("{x:.9e}"),
                        &format!("{y:.9e}"),
                    ])
                    .map_err(|e| broken(&e))?;
            }
        }
    }
    let body =
        String::from_utf8(writer.into_inner().map_err(|e| broken(&e))?).map_err(|e| broken(&e))?;
    let mut head = format!("# {}: {}\n", figure.name, figure.title);
    for panel in &figure.panels {
        head += &format!(
            "# {}x: {}; y: {}\n",
            if panel.title.is_empty() {
                String::new()
            } else {
                format!("{}: ", panel.title)
            },
            panel.x.title,
            panel.y.title
        );
    }
    Ok(head + &format!("# {}\n", figure.caption) + &body)
}

/// Measured samples: columns loss (or p) and window_pkt (or packets_per_rtt, window, rate_bps), optionally law (or label).
fn measured(path: &str, quantity: Quantity, on: &Path, size: PacketSize) -> Result<Vec<Series>> {
    let mut series: Vec<Series> = Vec::new();
    for row in samples::read(path, *on)? {
        let value = match quantity {
            Quantity::Window => row.window(size.packet),
            Quantity::Rate => row.packets_per_second(size.packet),
            Quantity::RateIn { per_packet, .. } => row
                .packets_per_second(size.packet)
                .map(|rate| rate * per_packet),
        };
        let value = value.ok_or_else(|| Error::Arguments(
            "these points need a round trip to be drawn: give one with --rtt, such as --rtt 100ms, or a column rtt_s"
                .into(),
        ))?;
        let point = (row.loss.value(), value);
        let name = row
            .label
            .map_or_else(|| "measured".to_owned(), |name| format!("{name}, measured"));
        match series.iter_mut().find(|s| s.label == name) {
            Some(known) => known.points.push(point),
            None => series.push(Series {
                label: name,
                stroke: Stroke::Points,
                points: vec![point],
            }),
        }
    }
    Ok(series)
}

pub(super) fn plot(args: &PlotArgs) -> Result<Outcome> {
    let png = match args
        .out
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase())
    {
        Some(ending) if ending == "png" => true,
        Some(ending) if ending == "svg" => false,
        _ if args.out == "-" => false,
        _ => {
            return Err(Error::Malformed {
                what: "picture",
                given: args.out.clone(),
                allowed: "a file that ends in .svg or .png, or - for SVG on standard output".into(),
            });
        }
    };
    if let Some(path) = &args.from.from {
        return plot_from::plot(path, args, png);
    }
    let size = meaning::size(&args.size)?;
    let paths = meaning::paths(&args.path)?;
    let quantity = quantity(args, size)?;
    let samples = match &args.points {
        Some(points) => measured(points, quantity, &paths[0], size)?,
        None => Vec::new(),
    };
    let scale = |flag: &str, given: &Option<String>| -> Result<Scale> {
        Ok(plot_from::scale(flag, given.as_deref())?.unwrap_or(Scale::Log))
    };
    let view = View {
        scales: [
            scale("--x-scale", &args.from.x_scale)?,
            scale("--y-scale", &args.from.y_scale)?,
        ],
        ..View::of(shown(args.loss.as_deref(), &samples)?, quantity)
    };
    let caption = caption(&paths, quantity, size);
    let drawn = response_plot(
        Words {
            name: "plot",
            title: args.title.as_deref().unwrap_or("Response functions"),
            caption: &caption,
        },
        &curves(args, &paths)?,
        samples,
        view,
    )?;
    let bytes = if png {
        complain_of_boxes(drawn.figure.texts())?;
        draw::png(&drawn.figure)?
    } else {
        draw::svg(&drawn.figure)?.into_bytes()
    };
    let outcome = if args.out == "-" {
        say(&String::from_utf8_lossy(&bytes))
    } else {
        files::write(&args.out, &bytes)?;
        Outcome::Answered
    };
    for note in &drawn.notes {
        complain(note);
    }
    Ok(outcome)
}

/// What the vertical axis shows.
fn quantity(args: &PlotArgs, size: PacketSize) -> Result<Quantity> {
    match (args.rate, units::wanted()) {
        (false, None) => Ok(Quantity::Window),
        (true, None) => Ok(Quantity::Rate),
        (true, Some((symbol, bits))) => Ok(Quantity::RateIn {
            unit: symbol,
            per_packet: 8.0 * size.packet.value() / bits,
        }),
        (false, Some(_)) => Err(Error::Arguments(
            "--units names the unit of a rate, and windows are drawn in packets: add --rate with a round trip, such as --rate --rtt 100ms, or leave out --units".into(),
        )),
    }
}

/// Loss rates that are shown: those that are asked for, or the usual ones and as far as the samples go.
fn shown(loss: Option<&str>, samples: &[Series]) -> Result<(f64, f64)> {
    if let Some(text) = loss {
        let (from, to) = meaning::range(text)?;
        return Ok((from.value(), to.value()));
    }
    let points = samples.iter().flat_map(|series| &series.points);
    let (least, most) = points.fold(USUAL, |(least, most), (p, _)| (least.min(*p), most.max(*p)));
    let (low, high) = log_range(least, most);
    Ok((
        if least < USUAL.0 { low } else { USUAL.0 },
        if most > USUAL.1 {
            if high < 1.0 { high } else { most }
        } else {
            USUAL.1
        },
    ))
}

/// One curve for each law, form and path.
fn curves(args: &PlotArgs, paths: &[Path]) -> Result<Vec<Curve>> {
    let mut curves = Vec::new();
    for law in meaning::laws(&args.laws)? {
        let infos = law.algorithm.forms();
        let forms: Vec<Option<&'static str>> = match args.form.as_deref() {
            None => vec![None],
            Some("all") => infos.iter().map(|info| Some(info.name)).collect(),
            Some(name) => {
                let info = infos.iter().find(|info| info.name == name);
                vec![Some(
                    info.ok_or_else(|| {
                        Error::unknown("form", name, infos.iter().map(|i| i.name).chain(["all"]))
                    })?
                    .name,
                )]
            }
        };
        for form in forms {
            for path in paths {
                let mut label = law.spec();
                if let Some(form) = form {
                    label += &format!(" {form}");
                }
                if paths.len() > 1 {
                    label += &format!(
                        ", RTT {}",
                        super::emit::duration(path.rtt.map(Seconds::value))
                    );
                }
                curves.push(Curve {
                    label,
                    law: law.clone(),
                    form,
                    path: *path,
                });
            }
        }
    }
    Ok(curves)
}

fn caption(paths: &[Path], quantity: Quantity, size: PacketSize) -> String {
    let mut caption = "Closed forms: mean window per round trip, one loss event every 1/p packets unless the form says otherwise.".to_owned();
    let time = |time: Option<Seconds>| super::emit::duration(time.map(Seconds::value));
    // Several round trips stand in the legend.
    let rtt = paths[0].rtt.filter(|_| paths.len() == 1);
    let trips = [("RTT", rtt), ("base RTT", paths[0].base_rtt)];
    let known: Vec<String> = trips
        .iter()
        .filter(|(_, trip)| trip.is_some())
        .map(|(name, trip)| format!("{name} {}", time(*trip)))
        .collect();
    if !known.is_empty() {
        let known = known.join(", ");
        caption += &format!(" {}{}.", known[..1].to_uppercase(), &known[1..]);
    }
    if matches!(quantity, Quantity::RateIn { .. }) {
        caption += &format!(" Rates on the wire, packets of {} B.", size.packet.value());
    }
    caption
}

/// Says which characters a PNG shows as boxes.
pub(super) fn complain_of_boxes<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let lacking: String = draw::lacking(texts)?.into_iter().collect();
    if !lacking.is_empty() {
        complain(&format!(
            "the font of PNG pictures lacks `{lacking}`, which stand there as boxes; an SVG shows them"
        ));
    }
    Ok(())
}

/// The files of one figure: ending and contents.
type Parts = Vec<(&'static str, Vec<u8>)>;

fn draw_one(one: &Listed, to: &FiguresOut) -> Result<Parts> {
    progress(to.quiet, &format!("drawing {}", one.name));
    let figure = (one.build)()?;
    let mut parts = vec![
        ("svg", draw::svg(&figure)?.into_bytes()),
        ("csv", numbers(&figure)?.into_bytes()),
    ];
    if to.png {
        parts.push(("png", draw::png(&figure)?));
    }
    Ok(parts)
}

fn draw_all(listed: &[&'static Listed], to: &FiguresOut) -> Result<Vec<String>> {
    files::directory(&to.out)?;
    let threads = meaning::threads(&to.threads)?;
    let drawn = parallel::with(threads, || parallel::map(listed, |one| draw_one(one, to)))?;
    let mut written = Vec::new();
    for (one, parts) in listed.iter().zip(drawn) {
        for (ending, bytes) in parts? {
            let path = format!("{}/{}.{ending}", to.out.trim_end_matches('/'), one.name);
            files::write(&path, &bytes)?;
            written.push(path);
        }
    }
    Ok(written)
}

pub(super) fn figures(args: &FiguresArgs) -> Result<Outcome> {
    let written = draw_all(&figures::select(&args.names, args.slow)?, &args.to)?;
    if args.names.is_empty()
        && !args.to.quiet
        && let Some(line) = figures_left_out(args.slow)
    {
        complain(&line);
    }
    Ok(say(&written
        .iter()
        .fold(String::new(), |text, path| text + path + "\n")))
}

/// What `figures` and `reproduce` say about the slow ones.
fn figures_left_out(slow: bool) -> Option<String> {
    let left = FIGURES.iter().filter(|one| one.slow && !slow);
    left_out("figures", "draws", left.map(|one| one.name))
}

pub(super) fn reproduce(args: &ReproduceArgs) -> Result<Outcome> {
    let is_figure = |name: &&String| FIGURES.iter().any(|one| one.name == **name);
    let is_check = |name: &&String| verify::GROUPS.iter().any(|group| group.name == **name);
    let unknown = |name: &&String| !is_figure(name) && !is_check(name);
    if let Some(name) = args.names.iter().find(unknown) {
        let figures = FIGURES.iter().map(|one| one.name);
        let checks = verify::GROUPS.iter().map(|group| group.name);
        return Err(Error::unknown(
            "figure or check",
            name,
            figures.chain(checks),
        ));
    }
    let all = args.names.is_empty();
    let drawn: Vec<String> = args.names.iter().filter(is_figure).cloned().collect();
    let checked: Vec<String> = args.names.iter().filter(is_check).cloned().collect();
    let mut text = String::new();
    if all || !drawn.is_empty() {
        text += "Figures\n";
        for path in draw_all(&figures::select(&drawn, args.slow)?, &args.to)? {
            text += &format!("  {path}\n");
        }
        if all && let Some(line) = figures_left_out(args.slow) {
            text += &format!("  {line}\n");
        }
        text += "\n";
    }
    let has_checks = all || !checked.is_empty();
    if has_checks {
        text += "Checks\n";
    }
    let said = say(&text);
    if !has_checks || !matches!(said, Outcome::Answered) {
        return Ok(said);
    }
    run_checks(
        &checked,
        args.slow,
        &args.to.threads,
        &OutputArgs {
            format: Format::Text,
            out: "-".into(),
            quiet: args.to.quiet,
        },
    )
}
