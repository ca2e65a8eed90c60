//! The verb that runs a scenario.

use super::args::SimulateArgs;
use super::asserted::finish_with;
use super::emit::{duration, notes, number, rate, table};
use super::files::Pending;
use super::trace::{Rows, Trace, Watch};
use super::{Outcome, files, meaning, say};
use crate::error::{Error, Result};
use crate::files::{example, read_scenario, register_law, scenario_laws};
use crate::units::{Seconds, parse_number, significant};

use crate::what_if::assertion::Assertion;
use crate::what_if::{self, Envelope, SimulateAnswer, SimulateQuery, Staged, simulate as run};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Flows listed one by one in the text; more are listed by law and round trip.
const LISTED: usize = 40;

/// Reads the law files that a scenario names: beside it, unless the paths are absolute.
fn read_laws(path: &str, text: &str) -> Result<()> {
    for law in scenario_laws(path, text)? {
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        let beside = folder.join(&law.name);
        let text = files::read(&beside.to_string_lossy()).map_err(|error| law.wrong(&error))?;
        // What is wrong in the law file has its place there.
        register_law(&law.name, &text)?;
    }
    Ok(())
}

pub(super) fn simulate(args: &SimulateArgs) -> Result<Outcome> {
    if let Some(name) = &args.example {
        return Ok(say(example(name)?.text));
    }
    let path = args.scenario.as_deref().unwrap_or("-");
    let seed = args
        .seed
        .as_deref()
        .map(|text| meaning::whole("--seed", text))
        .transpose()?;
    // A scenario of several lines is the scenario itself, not its file's name.
    let staged = if path.contains('\n') {
        read_laws("", path)?;
        read_scenario("the scenario", path, seed)?
    } else {
        let text = files::read(path)?;
        read_laws(path, &text)?;
        read_scenario(path, &text, seed)?
    };
    let length = staged.scenario.run.duration;
    let rows = match args.sample.as_deref() {
        None => Rows::Every(length / 1000.0),
        Some("events") => Rows::Events,
        Some(text) => Rows::Every(Seconds::parse(text)?.value()),
    };
    let fair = what_if::fair(&staged, &alphas(args.fair.as_deref())?)?;
    // What cannot become a file, or would be two files of one name, is refused before the run.
    let wanted = args.assert.assert.as_deref();
    wanted.map(Assertion::parse).transpose()?;
    let points = picture::points(args, &staged)?;
    let mut picture = args.picture().map(Pending::open).transpose()?;
    let trace = args.trace.as_deref().map(Pending::open).transpose()?;
    if args.output.out != "-" {
        drop(Pending::open(&args.output.out)?);
    }
    let trace = trace.map(|to| Trace::new(rows, &staged.scenario, to));
    let mut watch = Watch::new(trace, points, length, args.output.quiet)?;
    let reply = run(&staged, &mut watch);
    watch.finish();
    let mut reply = reply?;
    for answer in &mut reply.answers {
        answer.fair.clone_from(&fair);
    }
    if !fair.is_empty() {
        let note = what_if::fair_note(&staged);
        reply.notes.extend(note.map(String::from));
    }
    let mut ready = Vec::new();
    if let Some(trace) = watch.trace.take() {
        ready.push(trace.finish()?);
    }
    if let Some(mut to) = picture.take() {
        let bytes = picture::drawn(args, &staged, watch.points.as_ref())?;
        let written = to.file().write_all(&bytes);
        written.map_err(|error| to.failed(&error))?;
        ready.push(to);
    }
    let all = [reply];
    finish_with(&all, &text(&all[0], args), wanted, &args.output, ready)
}

fn text(reply: &Envelope<SimulateQuery, SimulateAnswer>, args: &SimulateArgs) -> String {
    let query = &reply.query;
    let mut out = format!(
        "{}: {} measured from {}, packets of {} B, seed {}, tolerance {}\n",
        query.scenario,
        duration(Some(query.duration_s)),
        duration(Some(query.measure_from_s)),
        query.packet_bytes,
        query.seed,
        query.tolerance
    );
    let Some(answer) = reply.answers.first() else {
        return out;
    };
    out += &flows(answer);
    if !answer.links.is_empty() {
        out.push('\n');
        let rows = query.links.iter().zip(&answer.links).map(|(link, got)| {
            vec![
                got.name.clone(),
                link.queue.to_owned(),
                rate(Some(link.capacity_bps)),
                link.buffer_pkt
                    .map_or_else(|| "no limit".into(), |b| significant(b, 6)),
                format!("{} %", significant(100.0 * got.utilisation, 5)),
                number(Some(got.queue_mean_pkt), 5),
                number(Some(got.queue_p95_pkt), 5),
                number(Some(got.drop_fraction), 4),
            ]
        });
        out += &table(
            &[
                "link",
                "queue",
                "capacity",
                "buffer pkt",
                "used",
                "mean pkt",
                "95 % pkt",
                "dropped",
            ],
            &[false, false, true, true, true, true, true, true],
            rows.collect(),
        );
    }
    let slices: Vec<String> = answer
        .jain_slices
        .iter()
        .map(|jain| number(*jain, 3))
        .collect();
    let _ = write!(
        out,
        "\nJain's index {}, over time {}\n",
        number(answer.jain, 5),
        slices.join(" ")
    );
    for fair in &answer.fair {
        let name = fair.alpha.map_or_else(
            || "max-min".into(),
            |a| format!("alpha = {}", significant(a, 6)),
        );
        let rates: Vec<String> = fair.rates_bps.iter().map(|x| rate(Some(*x))).collect();
        let _ = writeln!(
            out,
            "fair by {name}: {}; Jain's index {}",
            rates.join(", "),
            number(fair.jain, 5)
        );
    }
    out + &notes(reply.notes.iter().cloned(), &args.output)
}

/// A comma list of alphas, `inf` for max-min.
fn alphas(text: Option<&str>) -> Result<Vec<f64>> {
    text.into_iter()
        .flat_map(|text| text.split(','))
        .map(|word| match word.trim() {
            "inf" => Ok(f64::INFINITY),
            word => parse_number("number", word).map_err(|_| {
                Error::malformed("number for --fair", word, "a number such as 1 or 2, or inf")
            }),
        })
        .collect()
}

fn flows(answer: &SimulateAnswer) -> String {
    const HEADER: [&str; 9] = [
        "flow",
        "law",
        "RTT",
        "rate",
        "goodput",
        "window pkt",
        "losses",
        "loss rate",
        "lost",
    ];
    const RIGHT: [bool; 9] = [true, false, true, true, true, true, true, true, true];
    let mut rows = Vec::new();
    let all = &answer.flows;
    let mut at = 0;
    while at < all.len() {
        let first = &all[at];
        let alike = all[at..]
            .iter()
            .take_while(|flow| {
                flow.law == first.law && flow.rtt_s.to_bits() == first.rtt_s.to_bits()
            })
            .count();
        // Few flows are listed one by one, many by kind with their means.
        let count = if all.len() <= LISTED { 1 } else { alike };
        let group = &all[at..at + count];
        let mean = |value: &dyn Fn(&crate::what_if::FlowAnswer) -> Option<f64>| {
            let sum: Option<f64> = group.iter().map(value).sum();
            sum.map(|sum| sum / count as f64)
        };
        rows.push(vec![
            if count == 1 {
                (at + 1).to_string()
            } else {
                format!("{}..{}", at + 1, at + count)
            },
            first.law.clone(),
            duration(Some(first.rtt_s)),
            rate(mean(&|flow| Some(flow.rate_bps))),
            rate(mean(&|flow| Some(flow.goodput_bps))),
            number(mean(&|flow| flow.window_pkt), 6),
            number(mean(&|flow| flow.loss_events.map(|n| n as f64)), 6),
            number(mean(&|flow| flow.loss), 4),
            number(mean(&|flow| flow.lost_fraction), 4),
        ]);
        at += count;
    }
    let mut out = table(&HEADER, &RIGHT, rows);
    for (number, flow) in all.iter().enumerate() {
        if let Some(time) = flow.completed_s
            && all.len() <= LISTED
        {
            let _ = writeln!(
                out,
                "flow {} was complete at {}",
                number + 1,
                duration(Some(time))
            );
        }
    }
    out
}

#[cfg(feature = "plot")]
mod picture {
    use super::super::pictures::complain_of_boxes;
    use super::super::trace::{DRAWN, Points};
    use super::{Error, Result, SimulateArgs, Staged, duration, rate, significant};
    use crate::draw;
    use crate::figures::{Words, run_plot};

    fn is_png(path: &str) -> Result<bool> {
        match path
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_lowercase())
        {
            Some(ending) if ending == "png" => Ok(true),
            Some(ending) if ending == "svg" => Ok(false),
            _ => Err(Error::malformed(
                "picture",
                path,
                "a file that ends in .svg or .png",
            )),
        }
    }

    /// A thousand points are as many as a picture can show.
    pub(super) fn points(args: &SimulateArgs, staged: &Staged) -> Result<Option<Points>> {
        let Some(path) = &args.plot else {
            return Ok(None);
        };
        is_png(path)?;
        let every = staged.scenario.run.duration / 1000.0;
        Ok(Some(Points::new(every, &staged.scenario)))
    }

    /// The picture's bytes.
    pub(super) fn drawn(
        args: &SimulateArgs,
        staged: &Staged,
        points: Option<&Points>,
    ) -> Result<Vec<u8>> {
        let (Some(path), Some(points)) = (&args.plot, points) else {
            return Ok(Vec::new());
        };
        let flows = &staged.scenario.flows;
        let more = flows.len().saturating_sub(DRAWN);
        let links = staged
            .scenario
            .links
            .iter()
            .fold(String::new(), |text, link| {
                let capacity = 8.0 * staged.size.packet.value() * link.capacity;
                let buffer = if link.buffer.is_finite() {
                    format!("buffer {} packets", significant(link.buffer, 6))
                } else {
                    "no limit to its buffer".into()
                };
                format!("{text} {}: {}, {buffer}.", link.name, rate(Some(capacity)))
            });
        let caption = format!(
            "Fluid run, seed {}, tolerance {}.{links}{}",
            staged.scenario.run.seed,
            staged.scenario.run.tolerance,
            if more > 0 {
                format!(" {more} more flows are not drawn.")
            } else {
                String::new()
            }
        );
        let windows = flows
            .iter()
            .zip(&points.windows)
            .enumerate()
            .map(|(f, (flow, line))| {
                let rtt = duration(Some(flow.base_rtt));
                (format!("{} {}, RTT {rtt}", f + 1, flow.label), line.clone())
            });
        let queues = staged
            .scenario
            .links
            .iter()
            .zip(&points.queues)
            .map(|(link, line)| (link.name.clone(), line.clone()));
        let figure = run_plot(
            Words {
                name: "run",
                title: "Windows and queues over time",
                caption: &caption,
            },
            windows.collect(),
            queues.collect(),
            staged.scenario.run.duration,
        );
        if is_png(path)? {
            complain_of_boxes(figure.texts())?;
            draw::png(&figure)
        } else {
            Ok(draw::svg(&figure)?.into_bytes())
        }
    }
}

#[cfg(not(feature = "plot"))]
mod picture {
    use super::super::trace::Points;
    use super::{Result, SimulateArgs, Staged};

    pub(super) fn points(_args: &SimulateArgs, _staged: &Staged) -> Result<Option<Points>> {
        Ok(None)
    }

    pub(super) fn drawn(
        _args: &SimulateArgs,
        _staged: &Staged,
        _points: Option<&Points>,
    ) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
