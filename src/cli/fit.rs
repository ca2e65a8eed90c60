//! The verb `fit`: measured samples from a file.

use super::args::{FitArgs, Format};
use super::asserted::finish;
use super::emit::{notes, number, table};
use super::{Outcome, meaning, samples};
use crate::error::{Error, Result};
use crate::what_if::fit::{FitAnswer, Sample, fit};

/// The samples of a file by label, in the order of their first lines.
fn samples(args: &FitArgs) -> Result<Vec<(Option<String>, Vec<Sample>)>> {
    let paths = meaning::paths(&args.path)?;
    let [path] = paths.as_slice() else {
        return Err(Error::Arguments(
            "a fit has one --rtt, or a column rtt_s or rtt_ms".into(),
        ));
    };
    let packet = meaning::size(&args.size)?.packet;
    let mut out: Vec<(Option<String>, Vec<Sample>)> = Vec::new();
    for row in samples::read(&args.data, *path)? {
        let window = row.window(packet).ok_or_else(|| Error::File {
            path: args.data.clone(),
            detail: "rates need a round trip: give --rtt or a column rtt_s".into(),
        })?;
        let sample = Sample {
            loss: row.loss,
            window,
            path: row.path,
        };
        match out.iter_mut().find(|(other, _)| *other == row.label) {
            Some((_, list)) => list.push(sample),
            None => out.push((row.label, vec![sample])),
        }
    }
    Ok(out)
}

pub(super) fn run(args: &FitArgs) -> Result<Outcome> {
    let (mut all, mut text) = (Vec::new(), String::new());
    for (label, list) in samples(args)? {
        let reply = fit(label, &list)?;
        if args.output.format == Format::Text {
            for answer in &reply.answers {
                if !text.is_empty() {
                    text.push('\n');
                }
                let name = reply.query.label.as_deref().unwrap_or("samples");
                text += &page(name, reply.query.samples, answer);
                let unfitted = [answer.c, answer.c_low, answer.c_high].contains(&None);
                let why = answer.reason.iter().filter(|_| unfitted);
                let said = answer.note.iter().chain(why).cloned();
                text += &notes(said, &args.output);
            }
        }
        all.push(reply);
    }
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}

fn page(name: &str, samples: usize, answer: &FitAnswer) -> String {
    let of = |low, high| format!("{}..{}", number(low, 5), number(high, 5));
    let mut text = format!(
        "{name}: {samples} sample{}",
        if samples == 1 { "" } else { "s" }
    );
    if answer.d.is_some() {
        text += &format!(
            "; window = c/p^d, c {} ({}), d {} ({}), 95 % intervals; off by {} in ln",
            number(answer.c, 5),
            of(answer.c_low, answer.c_high),
            number(answer.d, 5),
            of(answer.d_low, answer.d_high),
            number(answer.rms_log, 3)
        );
    }
    text.push('\n');
    let rows = answer.nearest.iter().map(|c| {
        vec![
            c.law.into(),
            c.preset.into(),
            c.road.into(),
            c.form.into(),
            c.loss_model.into(),
            number(Some(c.rms_log), 3),
            number(Some(c.mean_log), 3),
        ]
    });
    text += &table(
        &[
            "nearest law",
            "preset",
            "road",
            "form",
            "losses",
            "off in ln",
            "mean",
        ],
        &[false, false, false, false, false, true, true],
        rows.collect(),
    );
    text
}
