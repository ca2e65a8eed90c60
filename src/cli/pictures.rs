//! The verbs that draw.

use super::args::{FiguresArgs, FiguresOut, Format, OutputArgs, PlotArgs, ReproduceArgs};
use super::checks::{progress, run_checks};
use super::{Outcome, complain, files, left_out, meaning, plot_from, samples, say};
use crate::draw;
use crate::error::{Error, Result};
use crate::figures::{
    self, Curve, FIGURES, Figure, Listed, Quantity, Series, Stroke, Words, response_plot,
};
use crate::model::Path;
use crate::units::Seconds;
use crate::verify;
use crate::what_if::{PacketSize, parallel};

/// The numbers drawn, one row per point.
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
            for (x, y) in &series.points {
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
    let range = meaning::range(&args.loss)?;
    let paths = meaning::paths(&args.path)?;
    let quantity = if args.rate {
        Quantity::Rate
    } else {
        Quantity::Window
    };
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
            for path in &paths {
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
    let rtt = match (paths.len(), paths[0].rtt) {
        (1, Some(rtt)) => format!(" RTT {}.", super::emit::duration(Some(rtt.value()))),
        _ => String::new(),
    };
    let caption = format!(
        "Closed forms: mean window per round trip, one loss event every 1/p packets unless the form says otherwise.{rtt}"
    );
    let mut figure = response_plot(
        Words {
            name: "plot",
            title: args.title.as_deref().unwrap_or("Response functions"),
            caption: &caption,
        },
        &curves,
        (range.0.value(), range.1.value()),
        None,
        quantity,
    )?;
    if let Some(points) = &args.points {
        let laid = measured(points, quantity, &paths[0], size)?;
        figure.panels[0].series.extend(laid);
    }
    let bytes = if png {
        draw::png(&figure)?
    } else {
        draw::svg(&figure)?.into_bytes()
    };
    if args.out == "-" {
        return Ok(say(&String::from_utf8_lossy(&bytes)));
    }
    files::write(&args.out, &bytes)?;
    Ok(Outcome::Answered)
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
