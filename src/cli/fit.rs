//! The verb `fit`: measured samples from a file.

use super::args::{FitArgs, Format};
use super::asserted::finish;
use super::emit::{notes, number, table};
use super::{Outcome, files, meaning};
use crate::error::{Error, Result};
use crate::model::Path;
use crate::units::{LossRate, Seconds};
use crate::what_if::fit::{FitAnswer, Sample, fit};

/// The samples of a file by label, in the order of their first lines.
fn samples(args: &FitArgs) -> Result<Vec<(Option<String>, Vec<Sample>)>> {
    let paths = meaning::paths(&args.path)?;
    let [path] = paths.as_slice() else {
        return Err(Error::Arguments(
            "a fit has one --rtt, or a column rtt_s or rtt_ms".into(),
        ));
    };
    let bad = |detail: String| Error::File {
        path: args.data.clone(),
        detail,
    };
    let size = meaning::size(&args.size)?;
    let text = files::read(&args.data)?;
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| bad(e.to_string()))?.clone();
    let column = |names: &[&str]| header.iter().position(|name| names.contains(&name));
    let loss = column(&["loss", "p"]).ok_or_else(|| bad("a column `loss` is needed".into()))?;
    let window = column(&["window_pkt", "packets_per_rtt", "window"]);
    let rate = column(&["rate_bps"]);
    let label = column(&["law", "label"]);
    let (rtt_s, rtt_ms) = (column(&["rtt_s"]), column(&["rtt_ms"]));
    let mut out: Vec<(Option<String>, Vec<Sample>)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| bad(e.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let word = |at: usize| record.get(at).unwrap_or("");
        let positive = |at: usize| {
            word(at)
                .parse::<f64>()
                .ok()
                .filter(|x| *x > 0.0 && x.is_finite())
                .ok_or_else(|| bad(format!("line {line}: `{}` is no positive number", word(at))))
        };
        let mut path: Path = *path;
        if path.rtt.is_none() {
            path.rtt = match (rtt_s, rtt_ms) {
                (Some(at), _) => Some(Seconds::new(positive(at)?)),
                (None, Some(at)) => Some(Seconds::new(positive(at)? / 1e3)),
                (None, None) => None,
            };
        }
        let window = match (window, rate, path.rtt) {
            (Some(at), ..) => positive(at)?,
            (None, Some(at), Some(rtt)) => {
                positive(at)? * rtt.value() / (8.0 * size.packet.value())
            }
            (None, Some(_), None) => {
                return Err(bad(
                    "rates need a round trip: give --rtt or a column rtt_s".into()
                ));
            }
            (None, None, _) => {
                return Err(bad("a column `window_pkt` or `rate_bps` is needed".into()));
            }
        };
        let sample = Sample {
            loss: LossRate::parse(word(loss)).map_err(|e| bad(format!("line {line}: {e}")))?,
            window,
            path,
        };
        let name = label.map(|at| word(at).to_owned());
        match out.iter_mut().find(|(other, _)| *other == name) {
            Some((_, list)) => list.push(sample),
            None => out.push((name, vec![sample])),
        }
    }
    if out.is_empty() {
        return Err(bad("it has no samples".into()));
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
                let said = answer.note.iter().chain(&answer.reason).cloned();
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
        "{name}: {samples} samples; window = c/p^d, c {} ({}), d {} ({}), 95 % intervals; off by {} in ln\n",
        number(answer.c, 5),
        of(answer.c_low, answer.c_high),
        number(answer.d, 5),
        of(answer.d_low, answer.d_high),
        number(answer.rms_log, 3)
    );
    let rows = answer.nearest.iter().map(|c| {
        vec![
            c.law.into(),
            c.preset.into(),
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
            "form",
            "losses",
            "off in ln",
            "mean",
        ],
        &[false, false, false, false, true, true],
        rows.collect(),
    );
    text
}
