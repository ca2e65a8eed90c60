//! The verb `throughput`.

use super::args::{Format, OutputArgs, ThroughputArgs};
use super::asserted::finish;
use super::emit::{NO_ANSWER, duration, notes, number, rate, size, table, word};
use super::questions::{heading, preset_note};
use super::{Outcome, meaning};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::Path;
use crate::units::{BitRate, Bytes, Rate, Seconds, Size, parse_number};
use crate::what_if::throughput::{
    self as question, Buffer, Conditions, Input, Limit, Move, ThroughputAnswer, Wanted,
};
use crate::what_if::{self, Context, PacketSize};

/// `64KiB`, `100pkt`, `10ms`, `1bdp` or a zero of these.
pub(super) fn buffer(text: &str) -> Result<Buffer> {
    let malformed = || {
        Error::malformed(
            "buffer",
            text,
            "a size, a time at link rate or products of bandwidth and round trip, such as 64KiB, 100pkt, 10ms, 1bdp or 0B",
        )
    };
    let trimmed = text.trim();
    let digits = trimmed.trim_end_matches(|c: char| c.is_alphabetic() || c == 'µ' || c == 'μ');
    if !digits.is_empty() && parse_number("number", digits).is_ok_and(|x| x == 0.0) {
        // A bufferless link in any unit; the unit is checked with a number that can be one.
        let unit = &trimmed[digits.len()..];
        return buffer(&format!("1{unit}"))
            .map(|_| Buffer::Bytes(0.0))
            .map_err(|_| malformed());
    }
    if let Some(share) = trimmed.strip_suffix("bdp") {
        let share = parse_number("number", share).map_err(|_| malformed())?;
        return if share > 0.0 {
            Ok(Buffer::Bdp(share))
        } else {
            Err(Error::out_of_range(
                "the buffer",
                format!("`{trimmed}`"),
                "0 or more",
            ))
        };
    }
    match (Size::parse(trimmed), Seconds::parse(trimmed)) {
        (Ok(Size::Bytes(bytes)), _) => Ok(Buffer::Bytes(bytes.value())),
        (Ok(Size::Packets(count)), _) => Ok(Buffer::Packets(count.value())),
        (_, Ok(time)) => Ok(Buffer::Time(time.value())),
        (Err(range @ Error::OutOfRange { .. }), _) | (_, Err(range @ Error::OutOfRange { .. })) => {
            Err(range)
        }
        _ => Err(malformed()),
    }
}

pub(super) fn bits(text: &str, packet: Bytes) -> Result<f64> {
    Ok(match Rate::parse(text)? {
        Rate::Bits(rate) => rate.value(),
        Rate::Packets(rate) => rate.value() * 8.0 * packet.value(),
    })
}

fn wanted(args: &ThroughputArgs, size: PacketSize) -> Result<Option<Wanted>> {
    let missing = |sentence: &str| Err(Error::Arguments(sentence.to_owned()));
    let (text, payload) = match (&args.rate, &args.goodput) {
        (Some(text), _) => (text, false),
        (None, Some(text)) => (text, true),
        (None, None) if args.solve.is_some() => {
            return missing(
                "--solve needs the rate to reach: give --rate (on the wire) or --goodput (payload), such as --rate 1Gbit/s",
            );
        }
        (None, None) => return Ok(None),
    };
    let Some(name) = &args.solve else {
        return missing(
            "a rate is an answer here unless --solve says which input shall give it, such as --solve rtt",
        );
    };
    let packet = if payload { size.mss } else { size.packet };
    Ok(Some(Wanted {
        input: Input::find(name)?,
        bps: bits(text, packet)?,
        payload,
    }))
}

fn conditions(args: &ThroughputArgs, size: PacketSize, solves_streams: bool) -> Result<Conditions> {
    let streams = parse_number("number of streams", &args.streams)?;
    if !(streams >= 1.0 && streams.fract() == 0.0 && streams <= 1e9) {
        return Err(Error::out_of_range(
            "--streams",
            format!("`{}`", args.streams),
            "a whole number from 1 to 1e9",
        ));
    }
    if solves_streams && args.streams != "1" {
        return Err(Error::Arguments(
            "--streams is both given and asked for: leave out --streams or --solve streams".into(),
        ));
    }
    let together = match args.sync.as_str() {
        "all" => true,
        "one" => false,
        other => return Err(Error::unknown("value for `--sync`", other, ["all", "one"])),
    };
    let link = args.link.as_deref().map(|text| bits(text, size.packet));
    let window = args.receive_window.as_deref().map(|text| {
        Ok(match Size::parse(text)? {
            Size::Bytes(bytes) => bytes,
            Size::Packets(count) => Bytes::new(count.value() * size.mss.value()),
        })
    });
    Ok(Conditions {
        rtt: None,
        base_rtt: None,
        link: link.transpose()?.map(BitRate::new),
        loss: None,
        receive_window: window.transpose()?,
        streams,
        buffer: args.buffer.as_deref().map(buffer).transpose()?,
        together,
        size,
        rto: args.rto.as_deref().map(Seconds::parse).transpose()?,
    })
}

pub(super) fn throughput(args: &ThroughputArgs) -> Result<Outcome> {
    let laws = if args.laws.is_empty() {
        vec![Selected::standard()?]
    } else {
        meaning::laws(&args.laws)?
    };
    let size = meaning::size(&args.size)?;
    let wanted = wanted(args, size)?;
    let solves_streams = wanted.is_some_and(|wanted| wanted.input == Input::Streams);
    let at = conditions(args, size, solves_streams)?;
    let events = meaning::events(args.loss.as_deref(), &args.kind, size)?;
    let losses = match events.as_slice() {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    let paths = meaning::paths(&args.path)?;
    what_if::check_form(args.form.as_deref(), &laws.iter().collect::<Vec<_>>())?;
    let (mut all, mut text) = (Vec::new(), String::new());
    for law in &laws {
        let context = Context {
            size,
            form: args.form.clone(),
            ..Context::default()
        }
        .for_law(law);
        for Path { rtt, base_rtt } in &paths {
            for loss in &losses {
                let at = Conditions {
                    rtt: *rtt,
                    base_rtt: *base_rtt,
                    loss: *loss,
                    ..at
                };
                let mut reply = question::throughput(law, &at, wanted, &context)?;
                reply.notes.extend(meaning::burst_note(&args.kind));
                reply.notes.extend(preset_note(law));
                if args.output.format == Format::Text {
                    let context = Context {
                        path: Path {
                            rtt: *rtt,
                            base_rtt: *base_rtt,
                        },
                        ..context.clone()
                    };
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text += &heading(law, &context);
                    for answer in &reply.answers {
                        text += &page(answer, &reply.notes, &args.output);
                    }
                }
                all.push(reply);
            }
        }
    }
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}

/// A value in its unit for people.
fn quantity(value: Option<f64>, unit: &str) -> String {
    match unit {
        "s" => duration(value),
        "bit/s" => rate(value),
        "B" => size(value),
        _ => number(value, 6),
    }
}

fn row(limit: &Limit, active: Option<&str>) -> Vec<String> {
    let state = if Some(limit.name) == active {
        "active"
    } else if limit.applies {
        ""
    } else {
        "-"
    };
    let mut details = Vec::new();
    if let Some(share) = limit.utilisation {
        details.push(format!(
            "uses {} % of the link",
            number(Some(100.0 * share), 4)
        ));
    }
    if limit.queue_mean_s.is_some_and(|s| s > 0.0) {
        details.push(format!(
            "mean queueing delay {}",
            duration(limit.queue_mean_s)
        ));
    }
    if let (Some(rounds), Some(_)) = (limit.recovery_rounds, limit.recovery_s) {
        details.push(format!(
            "{} round trips, {} after one loss",
            number(Some(rounds), 6),
            duration(limit.recovery_s)
        ));
    }
    if let Some(form) = limit.form {
        details.push(format!("form {form}, {} losses", word(limit.loss_model)));
    }
    details.extend(limit.note.clone());
    details.extend(limit.reason.clone());
    vec![
        limit.name.into(),
        state.into(),
        rate(limit.rate_bps),
        rate(limit.goodput_bps),
        rate(limit.stream_goodput_bps),
        number(limit.window_pkt, 6),
        details.join("; "),
    ]
}

fn moved(entry: &Move) -> Vec<String> {
    vec![
        entry.input.into(),
        entry
            .factor
            .map_or_else(|| "-".into(), |x| format!("x {}", number(Some(x), 4))),
        entry
            .value
            .map_or_else(|| "-".into(), |x| quantity(Some(x), entry.unit)),
        entry.then.map_or_else(
            || entry.reason.clone().unwrap_or_default(),
            |then| format!("{then} is the limit"),
        ),
    ]
}

/// The answer as a page of text.
fn page(answer: &ThroughputAnswer, remarks: &[String], output: &OutputArgs) -> String {
    let mut text = String::new();
    if let Some(solved) = &answer.solved {
        if solved.value.is_none() {
            let reason = answer.reason.clone().unwrap_or_default();
            let line = format!("{}{NO_ANSWER}{reason}", solved.input);
            return text + &notes([line], output);
        }
        text += &format!("{}: {}", solved.input, quantity(solved.value, solved.unit));
        if let Some(whole) = solved.whole {
            text += &format!(" (whole: {})", number(Some(whole), 12));
        }
        text.push('\n');
        text += &solved
            .note
            .as_ref()
            .map_or(String::new(), |note| format!("  {note}\n"));
    }
    if let Some(active) = answer.active {
        text += &format!(
            "{active} limits: {} of payload, {} on the wire, a window of {} packets for each stream\n",
            rate(answer.goodput_bps),
            rate(answer.rate_bps),
            number(answer.window_pkt, 6)
        );
    }
    let mut facts = Vec::new();
    if answer.bdp_bytes.is_some() {
        facts.push(format!(
            "bandwidth times round trip {}",
            quantity(answer.bdp_bytes, "B")
        ));
    }
    if answer.queueing_delay_s.is_some_and(|s| s > 0.0) {
        facts.push(format!(
            "a full buffer delays by {}",
            duration(answer.queueing_delay_s)
        ));
    }
    if answer.loss_events_per_hour.is_some() {
        facts.push(format!(
            "{} loss events an hour",
            number(answer.loss_events_per_hour, 5)
        ));
    }
    if !facts.is_empty() {
        text += &(facts.join(", ") + "\n");
    }
    text.push('\n');
    text += &table(
        &[
            "limit",
            "",
            "rate",
            "goodput",
            "of one stream",
            "window pkt",
            "",
        ],
        &[false, false, true, true, true, true, false],
        answer
            .limits
            .iter()
            .map(|limit| row(limit, answer.active))
            .collect(),
    );
    if !answer.moves.is_empty() {
        text += "\nwhat would move it\n";
        text += &table(
            &["input", "change", "to", "then"],
            &[false, true, true, false],
            answer.moves.iter().map(moved).collect(),
        );
    }
    text + &notes(remarks.iter().cloned(), output)
}
