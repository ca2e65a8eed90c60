//! The verb `unfairness`.

use super::contest;
use crate::cli::args::Format;
use crate::cli::asserted::finish;
use crate::cli::emit::{NO_ANSWER, duration, notes, number, rate, table, word};
use crate::cli::questions::{heading, preset_note};
use crate::cli::sharing::UnfairnessArgs;
use crate::cli::throughput::{bits, buffer};
use crate::cli::{Outcome, meaning};
use crate::error::Result;
use crate::units::{BitRate, Seconds, Size, grid};
use crate::what_if::sharing::{DROP_TAIL, Narrow, UnfairnessAnswer, unfairness as ask};
use crate::what_if::throughput::Buffer;
use crate::what_if::{self, Context};

pub(in crate::cli) fn unfairness(args: &UnfairnessArgs) -> Result<Outcome> {
    let laws = meaning::laws(&args.laws)?;
    let size = meaning::size(&args.size)?;
    let (context, pace) = contest(&args.contest, size)?;
    what_if::check_form(context.form.as_deref(), &laws.iter().collect::<Vec<_>>())?;
    let mut rtts = Vec::new();
    for text in &args.rtt {
        rtts.extend(grid(text, |item| Seconds::parse(item).map(Seconds::value))?);
    }
    let narrow = match &args.link {
        None => None,
        Some(text) => Some(Narrow {
            link: BitRate::new(bits(text, size.packet)?),
            buffer: match &args.buffer {
                None => Buffer::Packets(0.0),
                Some(text) => buffer(text)?,
            },
            queue: DROP_TAIL.into(),
        }),
    };
    let window = args
        .window
        .as_deref()
        .map(|text| Size::parse(text).map(|s| s.packets(size.packet).value()))
        .transpose()?;
    let (mut all, mut text) = (Vec::new(), String::new());
    for law in &laws {
        let own: Context = context.for_law(law);
        let mut reply = ask(law, &rtts, narrow.as_ref(), window, &pace, &own)?;
        reply.notes.extend(preset_note(law));
        if args.output.format == Format::Text {
            if !text.is_empty() {
                text.push('\n');
            }
            text += &heading(law, &own);
            let times: Vec<String> = rtts.iter().map(|t| duration(Some(*t))).collect();
            text += &format!("round trips {}", times.join(", "));
            if let (Some(link), Some(packets)) = (reply.query.link_bps, reply.query.buffer_pkt) {
                text += &format!(
                    "; link {}, buffer {} packets",
                    rate(Some(link)),
                    number(Some(packets), 6)
                );
            }
            text.push('\n');
            let mut remarks = Vec::new();
            for a in &reply.answers {
                let place = match a.form {
                    Some(form) if context.form.as_deref() == Some("all") => {
                        format!("{} {form}", a.road)
                    }
                    _ => a.road.to_owned(),
                };
                remarks.extend(a.note.as_ref().map(|note| format!("{place}: {note}")));
                let empty = if a.ratio.is_none() && a.exponent.is_none() {
                    NO_ANSWER
                } else {
                    ": "
                };
                remarks.extend(a.reason.as_ref().map(|why| format!("{place}{empty}{why}")));
            }
            remarks.extend(reply.notes.iter().cloned());
            text += &table(
                &[
                    "road",
                    "form",
                    "losses",
                    "exponent",
                    "if independent",
                    "ratio",
                    "effective exp",
                    "rates",
                    "windows pkt",
                    "utilisation",
                    "loss to loss",
                ],
                &[
                    false, false, false, true, true, true, true, true, true, true, true,
                ],
                reply.answers.iter().map(row).collect(),
            );
            text += &notes(remarks, &args.output);
        }
        all.push(reply);
    }
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}

fn row(a: &UnfairnessAnswer) -> Vec<String> {
    let list = |values: &Option<Vec<f64>>, show: &dyn Fn(f64) -> String| {
        values.as_ref().map_or_else(
            || "-".into(),
            |v| v.iter().map(|x| show(*x)).collect::<Vec<_>>().join(", "),
        )
    };
    vec![
        a.road.into(),
        word(a.form),
        word(a.losses.as_deref()),
        number(a.exponent, 5),
        number(a.independent_exponent, 4),
        number(a.ratio, 6),
        number(a.effective_exponent, 4),
        list(&a.rates_bps, &|x| rate(Some(x))),
        list(&a.windows_pkt, &|x| number(Some(x), 5)),
        number(a.utilisation, 5),
        duration(a.seconds_between_losses),
    ]
}
