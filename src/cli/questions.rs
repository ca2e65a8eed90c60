//! The verbs that ask response functions.

use super::args::{CrossoverArgs, Format, LossArgs, OutputArgs, ResponseArgs};
use super::asserted::finish;
use super::emit::{NO_ANSWER, duration, notes, number, rate, table, word};
use super::{Outcome, meaning};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::Path;
use crate::units::{BitRate, PacketRate, Packets, Rate, Seconds, Size, grid};
use crate::what_if::{self, Context, PacketSize, Target};

/// The path and the packet, for the line above a table.
fn setting(context: &Context) -> String {
    let rtt = context.path.rtt.map(Seconds::value);
    let base = context.path.base_rtt.map(Seconds::value);
    let mut words = Vec::new();
    if rtt.is_some() {
        words.push(format!("RTT {}", duration(rtt)));
    }
    if base.is_some() {
        words.push(format!("base RTT {}", duration(base)));
    }
    if rtt.is_some() {
        words.push(format!(
            "packets of {} B ({} B payload)",
            context.size.packet.value(),
            context.size.mss.value()
        ));
    }
    words.join(", ")
}

pub(super) fn heading(law: &Selected, context: &Context) -> String {
    let preset = law.setting.preset();
    let values: Vec<String> = law
        .setting
        .iter()
        .map(|(p, value)| format!("{} {}", p.key, crate::units::significant(value, 12)))
        .collect();
    let values = if values.is_empty() {
        String::new()
    } else {
        format!(": {}", values.join(", "))
    };
    let setting = setting(context);
    let setting = if setting.is_empty() {
        setting
    } else {
        format!("; {setting}")
    };
    format!(
        "{} ({}, preset {}{values}){setting}\n",
        law.spec(),
        law.algorithm.title(),
        preset.name
    )
}

/// What a preset says about itself belongs to every answer of it.
pub(super) fn preset_note(law: &Selected) -> Option<String> {
    let preset = law.setting.preset();
    preset
        .note
        .map(|note| format!("{}@{}: {note}", law.algorithm.name(), preset.name))
}

/// What one law on one path gives: its replies, and the rows and remarks of its table.
struct Page<T> {
    replies: Vec<T>,
    rows: Vec<Vec<String>>,
    remarks: Vec<String>,
}

impl<T> Page<T> {
    fn new() -> Self {
        Self {
            replies: Vec::new(),
            rows: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// An answer's note, and why it is missing if it is: what is missing for want of a flag or by the road's nature is plain
    /// from the dash.
    fn remark(&mut self, place: &str, note: Option<&str>, missing: Option<&str>) {
        self.remarks
            .extend(note.map(|note| format!("{place}: {note}")));
        self.remarks
            .extend(missing.map(|reason| format!("{place}{NO_ANSWER}{reason}")));
    }
}

/// A page for each law on each path, and all replies.
fn pages<T>(
    laws: &[Selected],
    paths: &[Path],
    context: &Context,
    output: &OutputArgs,
    columns: &[(&str, bool)],
    ask: impl Fn(&Selected, &Context) -> Result<Page<T>>,
) -> Result<(Vec<T>, String)> {
    let (header, right): (Vec<&str>, Vec<bool>) = columns.iter().copied().unzip();
    let (mut all, mut text) = (Vec::new(), String::new());
    for law in laws {
        for path in paths {
            let context = Context {
                path: *path,
                ..context.clone()
            }
            .for_law(law);
            let page = ask(law, &context)?;
            all.extend(page.replies);
            if output.format != Format::Text {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text += &heading(law, &context);
            text += &table(&header, &right, page.rows);
            text += &notes(page.remarks, output);
        }
    }
    Ok((all, text))
}

/// Columns of `response`, and whether they are numbers.
const RESPONSE: &[(&str, bool)] = &[
    ("loss", true),
    ("road", false),
    ("form", false),
    ("losses", false),
    ("window pkt", true),
    ("± 95 %", true),
    ("peak pkt", true),
    ("rate", true),
    ("goodput", true),
    ("slope d", true),
    ("RTT exp e", true),
    ("regime", false),
    ("source", false),
];

pub(super) fn response(args: &ResponseArgs) -> Result<Outcome> {
    let laws = meaning::laws(&args.laws)?;
    let size = meaning::size(&args.size)?;
    let losses = meaning::events(args.loss.as_deref(), &args.kind, size)?;
    let paths = meaning::paths(&args.path)?;
    let context = meaning::context(&args.roads, size)?;
    what_if::check_form(context.form.as_deref(), &laws.iter().collect::<Vec<_>>())?;
    let shown = args.output.format == Format::Text;
    let ask = |law: &Selected, context: &Context| {
        let mut page = Page::new();
        for loss in &losses {
            let mut reply = what_if::response(law, *loss, context)?;
            reply.notes.extend(meaning::burst_note(&args.kind));
            page.remarks.extend(reply.notes.iter().cloned());
            reply.notes.extend(preset_note(law));
            for a in reply.answers.iter().filter(|_| shown) {
                page.rows.push(vec![
                    format!("{loss}"),
                    a.road.into(),
                    word(a.form),
                    word(a.loss_model),
                    number(a.window_pkt, 8),
                    number(a.ci, 2),
                    number(a.peak_pkt, 8),
                    rate(a.rate_bps),
                    rate(a.goodput_bps),
                    number(a.slope, 4),
                    number(a.rtt_exponent, 4),
                    word(a.regime.as_deref()),
                    word(a.source.as_deref()),
                ]);
                let road = match (a.form, context.form.as_deref()) {
                    (Some(form), Some("all")) => format!("{} {form}", a.road),
                    _ => a.road.to_owned(),
                };
                let place = if losses.len() > 1 {
                    format!("{road}, p = {loss}")
                } else {
                    road
                };
                let missing = a.reason.as_deref().filter(|_| a.window_pkt.is_none());
                page.remark(&place, a.note.as_deref(), missing);
            }
            page.replies.push(reply);
        }
        page.remarks.extend(preset_note(law));
        if context.path.rtt.is_none() {
            page.remarks
                .push("no --rtt given: windows only, no rates".into());
        }
        Ok(page)
    };
    let (all, text) = pages(&laws, &paths, &context, &args.output, RESPONSE, ask)?;
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}

/// The grid of targets, each with the text that the table shows.
fn targets(args: &LossArgs, size: PacketSize) -> Result<Vec<Target>> {
    // A grid of rates keeps to one unit, which its first item decides.
    let rates = |text: &str| -> Result<Vec<Rate>> {
        let first = Rate::parse(
            text.split([',', ':'])
                .next()
                .unwrap_or("")
                .split("..")
                .next()
                .unwrap_or(""),
        )?;
        let in_packets = matches!(first, Rate::Packets(_));
        let read = |item: &str| match (Rate::parse(item)?, in_packets) {
            (Rate::Packets(rate), true) => Ok(rate.value()),
            (Rate::Bits(rate), false) => Ok(rate.value()),
            _ => Err(Error::malformed(
                "rate",
                item,
                "the same kind of unit throughout a grid",
            )),
        };
        let wrap = |value: f64| {
            if in_packets {
                Rate::Packets(PacketRate::new(value))
            } else {
                Rate::Bits(BitRate::new(value))
            }
        };
        Ok(grid(text, read)?.into_iter().map(wrap).collect())
    };
    if let Some(text) = &args.rate {
        return Ok(rates(text)?.into_iter().map(Target::Rate).collect());
    }
    if let Some(text) = &args.goodput {
        return Ok(rates(text)?.into_iter().map(Target::Goodput).collect());
    }
    if let Some(text) = &args.window {
        let windows = grid(text, |item| {
            Size::parse(item).map(|s| s.packets(size.packet).value())
        })?;
        return Ok(windows
            .into_iter()
            .map(|w| Target::Window(Packets::new(w)))
            .collect());
    }
    Err(Error::Arguments(
        "a target is missing: give --rate, --goodput or --window, such as --rate 10Gbit/s".into(),
    ))
}

/// Columns of `loss`, and whether they are numbers.
const LOSS: &[(&str, bool)] = &[
    ("rate", true),
    ("window pkt", true),
    ("road", false),
    ("form", false),
    ("losses", false),
    ("loss it bears", true),
    ("as bit errors", true),
    ("packets between", true),
    ("time between", true),
    ("regime", false),
    ("source", false),
];

pub(super) fn loss(args: &LossArgs) -> Result<Outcome> {
    let laws = meaning::laws(&args.laws)?;
    let size = meaning::size(&args.size)?;
    let targets = targets(args, size)?;
    let paths = meaning::paths(&args.path)?;
    let context = meaning::context(&args.roads, size)?;
    what_if::check_form(context.form.as_deref(), &laws.iter().collect::<Vec<_>>())?;
    let shown = args.output.format == Format::Text;
    let ask = |law: &Selected, context: &Context| {
        let mut page = Page::new();
        for target in &targets {
            let mut reply = what_if::loss(law, *target, context)?;
            page.remarks.extend(reply.notes.iter().cloned());
            reply.notes.extend(preset_note(law));
            for a in reply.answers.iter().filter(|_| shown) {
                page.rows.push(vec![
                    rate(reply.query.rate_bps),
                    number(Some(reply.query.window_pkt), 8),
                    a.road.into(),
                    word(a.form),
                    word(a.loss_model),
                    number(a.loss, 6),
                    number(a.bit_error_rate, 4),
                    number(a.packets_between_losses, 6),
                    duration(a.seconds_between_losses),
                    word(a.regime.as_deref()),
                    word(a.source.as_deref()),
                ]);
                let place = if targets.len() > 1 {
                    let window = number(Some(reply.query.window_pkt), 6);
                    format!("{}, window {window}", a.road)
                } else {
                    a.road.to_owned()
                };
                let missing = a.reason.as_deref().filter(|_| a.loss.is_none());
                page.remark(&place, a.note.as_deref(), missing);
            }
            page.replies.push(reply);
        }
        page.remarks.extend(preset_note(law));
        Ok(page)
    };
    let (all, text) = pages(&laws, &paths, &context, &args.output, LOSS, ask)?;
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}

pub(super) fn crossover(args: &CrossoverArgs) -> Result<Outcome> {
    let laws = meaning::laws(&args.laws)?;
    let range = meaning::range(&args.loss)?;
    let paths: Vec<Path> = meaning::paths(&args.path)?;
    let context = meaning::context(&args.roads, PacketSize::default())?;
    let (mut all, mut text) = (Vec::new(), String::new());
    let Some((first, others)) = laws.split_first() else {
        return Err(Error::Arguments("two laws are needed".into()));
    };
    for other in others {
        for path in &paths {
            let context = Context {
                path: *path,
                ..context.clone()
            };
            let mut reply = what_if::crossover([first, other], range, &context)?;
            reply
                .notes
                .extend(preset_note(first).into_iter().chain(preset_note(other)));
            let (mut rows, mut remarks) = (Vec::new(), Vec::new());
            for a in &reply.answers {
                let row = |kind: &str, loss: String, window: String| {
                    vec![
                        a.road.into(),
                        word(a.form.as_deref()),
                        kind.into(),
                        loss,
                        window,
                    ]
                };
                for point in a.points.iter().flatten() {
                    rows.push(row(
                        "meet",
                        number(Some(point.loss), 6),
                        number(Some(point.window_pkt), 6),
                    ));
                }
                for interval in a.intervals.iter().flatten() {
                    rows.push(row(
                        "coincide",
                        format!(
                            "{}..{}",
                            number(Some(interval.from), 6),
                            number(Some(interval.to), 6)
                        ),
                        "-".into(),
                    ));
                }
                if let Some(reason) = &a.reason {
                    rows.push(row("-", "-".into(), "-".into()));
                    remarks.push(format!("{}: {reason}", a.road));
                }
                remarks.extend(a.note.as_ref().map(|note| format!("{}: {note}", a.road)));
            }
            remarks.extend(reply.notes.iter().cloned());
            if !text.is_empty() {
                text.push('\n');
            }
            text += &heading(first, &context);
            text += &heading(other, &context);
            text += &table(
                &["road", "forms", "where", "loss", "window pkt"],
                &[false, false, false, true, true],
                rows,
            );
            text += &notes(remarks, &args.output);
            all.push(reply);
        }
    }
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}
