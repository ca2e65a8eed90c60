//! The verb `share`.

use super::contest;
use crate::algorithms::Selected;
use crate::cli::args::Format;
use crate::cli::asserted::finish;
use crate::cli::emit::{NO_ANSWER, duration, notes, number, rate, table, word};
use crate::cli::questions::preset_note;
use crate::cli::sharing::ShareArgs;
use crate::cli::throughput::{bits, buffer};
use crate::cli::{Outcome, meaning};
use crate::error::{Error, Result};
use crate::units::{BitRate, Seconds, Size, parse_number};
use crate::what_if;
use crate::what_if::PacketSize;
use crate::what_if::sharing::{Contender, Narrow, ShareAnswer, ShareFlow, share as ask};
use crate::what_if::throughput::Buffer;

/// Keys of a flow; all others are its law's.
const FLOW_KEYS: [&str; 5] = ["rtt", "count", "start", "stop", "size"];

/// `LAW,rtt=T[,count=N,...]`, the law's own keys anywhere among them.
fn contender(text: &str, size: PacketSize) -> Result<Contender> {
    let (mut spec, mut own) = (String::new(), Vec::new());
    let mut values: [Option<String>; 5] = [const { None }; 5];
    for (at, piece) in text.split(',').enumerate() {
        // The first piece is the law, with its first key after a colon.
        let pair = match (at, piece.split_once(':')) {
            (0, Some((name, pair))) => {
                spec.push_str(name.trim());
                pair
            }
            (0, None) => {
                spec.push_str(piece.trim());
                continue;
            }
            _ => piece,
        };
        let key = pair.split('=').next().unwrap_or("").trim();
        match FLOW_KEYS.iter().position(|k| *k == key) {
            Some(place) => {
                if values[place].is_some() {
                    return Err(Error::Arguments(format!(
                        "the key `{key}` is given twice in `{text}`: give it once"
                    )));
                }
                values[place] = Some(pair.split_once('=').map_or("", |(_, v)| v).to_owned());
            }
            None => own.push(pair.trim().to_owned()),
        }
    }
    let said = own.iter().any(|pair| pair.starts_with("fast_convergence"));
    if !own.is_empty() {
        spec += &format!(":{}", own.join(","));
    }
    let law = Selected::parse(&spec).map_err(|error| match error {
        // A word here may have been meant for the flow as well as for its law.
        Error::Unknown {
            what: what @ "key",
            given,
            mut allowed,
        } => {
            allowed.extend(FLOW_KEYS.map(str::to_owned));
            Error::Unknown {
                what,
                given,
                allowed,
            }
        }
        other => other,
    })?;
    let [rtt, count, start, stop, volume] = values;
    let Some(rtt) = rtt else {
        return Err(Error::Arguments(format!(
            "the flow `{text}` has no round trip: add one, such as {spec},rtt=40ms"
        )));
    };
    let time = |text: Option<String>| -> Result<Option<f64>> {
        text.map(|text| {
            // Zero is a time too; its unit is checked with a number that can be one.
            let digits = text.trim().trim_end_matches(|c: char| c.is_alphabetic());
            if !digits.is_empty() && parse_number("number", digits).is_ok_and(|x| x == 0.0) {
                let unit = &text.trim()[digits.len()..];
                return Seconds::parse(&format!("1{unit}")).map(|_| 0.0);
            }
            Seconds::parse(&text).map(Seconds::value)
        })
        .transpose()
    };
    let count = match count {
        None => 1,
        Some(text) => meaning::whole("count", &text)?,
    };
    if count == 0 {
        return Err(Error::out_of_range("count", "`0`", "at least 1"));
    }
    let start_s = time(start)?.unwrap_or(0.0);
    let stop_s = time(stop.clone())?;
    if stop_s.is_some_and(|stop| stop <= start_s) {
        return Err(Error::out_of_range(
            "stop",
            format!("`{}`", stop.unwrap_or_default()),
            format!("a time after the start at {start_s} s"),
        ));
    }
    Ok(Contender {
        said,
        rtt_s: Seconds::parse(&rtt)?.value(),
        count: usize::try_from(count).unwrap_or(usize::MAX),
        start_s,
        stop_s,
        size_pkt: volume
            .map(|text| Size::parse(&text).map(|s| s.packets(size.mss).value()))
            .transpose()?,
        law,
    })
}

pub(in crate::cli) fn share(args: &ShareArgs) -> Result<Outcome> {
    let size = meaning::size(&args.size)?;
    let (context, pace) = contest(&args.contest, size)?;
    let flows: Vec<Contender> = args
        .flow
        .iter()
        .map(|text| contender(text, size))
        .collect::<Result<_>>()?;
    let laws: Vec<&Selected> = flows.iter().map(|f| &f.law).collect();
    what_if::check_form(context.form.as_deref(), &laws)?;
    let target = args
        .utilisation
        .as_deref()
        .map(|text| parse_number("share", text))
        .transpose()?;
    let narrow = Narrow {
        link: BitRate::new(bits(&args.link, size.packet)?),
        buffer: match &args.buffer {
            Some(text) => buffer(text)?,
            None => Buffer::Packets(0.0),
        },
        queue: args.queue.clone(),
    };
    let mut reply = ask(&flows, &narrow, target, &pace, &context)?;
    reply
        .notes
        .extend(laws.iter().filter_map(|law| preset_note(law)));
    let mut text = format!("link {}", rate(Some(reply.query.link_bps)));
    if let Some(packets) = reply.query.buffer_pkt {
        text += &format!(", buffer {} packets", number(Some(packets), 6));
    }
    if let Some(target) = target {
        text += &format!(", utilisation wanted {} %", number(Some(100.0 * target), 6));
    }
    text += &format!(
        ", queue {}; packets of {} B ({} B payload)\n",
        args.queue,
        size.packet.value(),
        size.mss.value()
    );
    let mut remarks = Vec::new();
    if args.output.format == Format::Text {
        for answer in &reply.answers {
            text += &page(answer, target.is_some());
            remarks.extend(
                answer
                    .note
                    .as_ref()
                    .map(|n| format!("{}: {n}", answer.road)),
            );
            remarks.extend(
                answer
                    .reason
                    .as_ref()
                    .filter(|_| answer.flows.is_none())
                    .map(|why| format!("{}{NO_ANSWER}{why}", answer.road)),
            );
        }
        remarks.extend(reply.notes.iter().cloned());
        text += &notes(remarks, &args.output);
    }
    finish(&[reply], &text, args.assert.assert.as_deref(), &args.output)
}

/// One road's answer: a line of facts and a table of kinds of flows.
fn page(answer: &ShareAnswer, inverse: bool) -> String {
    let mut text = format!("\nroad {}", answer.road);
    if let Some(losses) = &answer.losses {
        text += &format!(": {losses}");
    }
    text.push('\n');
    let Some(flows) = &answer.flows else {
        return text + "  -\n";
    };
    let mut facts = Vec::new();
    if inverse {
        facts.push(format!(
            "buffer {} packets, {} times the pipe",
            number(answer.buffer_pkt, 6),
            number(answer.buffer_bdp, 5)
        ));
    }
    if let Some(u) = answer.utilisation {
        facts.push(format!("uses {} % of the link", number(Some(100.0 * u), 5)));
    }
    if let Some(queue) = answer.queue_mean_pkt {
        facts.push(format!("mean queue {} packets", number(Some(queue), 5)));
    }
    if let Some(queue) = answer.queue_p95_pkt {
        facts.push(format!("95 % of the time below {}", number(Some(queue), 5)));
    }
    if answer.seconds_between_losses.is_some() {
        facts.push(format!(
            "{} from loss to loss",
            duration(answer.seconds_between_losses)
        ));
    }
    if let Some(jain) = answer.jain {
        facts.push(format!("Jain's index {}", number(Some(jain), 5)));
    }
    text += &format!("  {}\n", facts.join(", "));
    if let Some(c) = &answer.convergence {
        text += &format!(
            "  a deviation shrinks by the factor {} at each loss: 5 % are left after {} losses, {}\n",
            number(Some(c.second_eigenvalue), 5),
            number(Some(c.losses_to_5_percent), 4),
            duration(c.seconds_to_5_percent)
        );
    }
    if let Some(share) = answer.standard_tcp_loses {
        text += &format!(
            "  standard TCP loses {} % of its rate to the others, against standard TCP everywhere\n",
            number(Some(100.0 * share), 4)
        );
    }
    let mut rows: Vec<(usize, &ShareFlow)> = Vec::new();
    for flow in flows {
        match rows.last_mut() {
            Some((count, like))
                if like.law == flow.law
                    && like.rtt_s.to_bits() == flow.rtt_s.to_bits()
                    && like.rate_bps.to_bits() == flow.rate_bps.to_bits() =>
            {
                *count += 1;
            }
            _ => rows.push((1, flow)),
        }
    }
    text + &table(
        &[
            "flows",
            "law",
            "RTT",
            "rate each",
            "goodput each",
            "share each",
            "window pkt",
            "peak pkt",
            "loss events",
            "loss",
        ],
        &[true, false, true, true, true, true, true, true, true, true],
        rows.into_iter()
            .map(|(count, flow)| {
                vec![
                    count.to_string(),
                    word(Some(&flow.law)),
                    duration(Some(flow.rtt_s)),
                    rate(Some(flow.rate_bps)),
                    rate(Some(flow.goodput_bps)),
                    format!("{} %", number(Some(100.0 * flow.share), 4)),
                    number(flow.window_pkt, 6),
                    number(flow.peak_pkt, 6),
                    flow.loss_events
                        .map_or_else(|| "-".into(), |n| n.to_string()),
                    number(flow.loss, 4),
                ]
            })
            .collect(),
    )
}
