//! The verb `stability`.

use super::Outcome;
use super::args::{Format, OutputArgs, StabilityArgs};
use super::asserted::finish_with;
use super::emit::{NO_ANSWER, duration, notes, number, table};
#[cfg(feature = "plot")]
use super::files::{self, Pending};
use crate::error::{Error, Result};
use crate::systems::{Bound, Chosen, Equilibrium, Group, Quantity, find};
use crate::units::{Seconds, parse_number, significant};
use crate::what_if::Envelope;
use crate::what_if::stability::{
    Patience, StabilityAnswer, StabilityQuery, Sweep, Way, stability as ask,
};

/// `rtt=50ms,alpha=100,count=2`.
fn group(text: &str) -> Result<Group> {
    let (mut base, mut alpha, mut count) = (None, None, 1.0);
    for pair in text.split(',') {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Error::malformed(
                "flow",
                pair,
                "key=value, such as rtt=50ms,alpha=100,count=2",
            ));
        };
        let positive = |what: &'static str| {
            parse_number(what, value).and_then(|x| {
                if x > 0.0 && x <= 1e9 {
                    Ok(x)
                } else {
                    Err(Error::out_of_range(
                        format!("the key `{what}` of a flow"),
                        format!("`{value}`"),
                        "more than 0 and at most 1e9",
                    ))
                }
            })
        };
        match key.trim() {
            "rtt" => base = Some(Seconds::parse(value)?.value()),
            "alpha" => alpha = Some(positive("alpha")?),
            "count" => count = positive("count")?,
            other => {
                return Err(Error::unknown("key", other, ["rtt", "alpha", "count"]));
            }
        }
    }
    let base_rtt = base.filter(|s| *s > 0.0).ok_or_else(|| {
        Error::Arguments(format!(
            "the flow `{text}` needs a round trip of more than 0, such as rtt=50ms"
        ))
    })?;
    if count < 1.0 || count.fract() != 0.0 {
        return Err(Error::out_of_range(
            "the key `count` of a flow",
            format!("`{count}`"),
            "a whole number from 1",
        ));
    }
    Ok(Group {
        base_rtt,
        alpha,
        count,
    })
}

/// Every loop asked about, in each of its forms asked for.
fn chosen(args: &StabilityArgs) -> Result<Vec<Chosen>> {
    let groups = args
        .flow
        .iter()
        .map(|text| group(text))
        .collect::<Result<Vec<_>>>()?;
    let mut out = Vec::new();
    for text in &args.systems {
        if args.form.as_deref() == Some("all") {
            let name = text.split([':', '@']).next().unwrap_or("").trim();
            for form in find(name)?.forms() {
                out.push(Chosen::parse(text, Some(form.name), &groups)?);
            }
        } else {
            out.push(Chosen::parse(text, args.form.as_deref(), &groups)?);
        }
    }
    Ok(out)
}

fn patience(args: &StabilityArgs) -> Result<Patience> {
    let round_trips = parse_number("number of round trips", &args.round_trips)?;
    if (20.0..=1e5).contains(&round_trips) {
        Ok(Patience {
            round_trips,
            ..Patience::default()
        })
    } else {
        Err(Error::out_of_range(
            "--round-trips",
            format!("`{}`", args.round_trips),
            "20 to 1e5",
        ))
    }
}

pub(super) fn stability(args: &StabilityArgs) -> Result<Outcome> {
    let loops = chosen(args)?;
    let ways = Way::parse(&args.road)?;
    let patience = patience(args)?;
    #[cfg(feature = "plot")]
    let drawn = pictures(args, &loops)?;
    #[cfg(not(feature = "plot"))]
    let drawn = Vec::new();
    let (mut all, mut text) = (Vec::new(), String::new());
    for one in &loops {
        let sweep = args.sweep.as_deref().map(|text| Sweep::parse(one, text));
        let sweep = sweep.transpose()?;
        let reply = ask(one, &ways, sweep.as_ref(), &patience)?;
        if args.output.format == Format::Text {
            if !text.is_empty() {
                text.push('\n');
            }
            text += &page(one, &reply, &args.output);
        }
        all.push(reply);
    }
    let wanted = args.assert.assert.as_deref();
    finish_with(&all, &text, wanted, &args.output, drawn)
}

#[cfg(feature = "plot")]
fn pictures(args: &StabilityArgs, loops: &[Chosen]) -> Result<Vec<Pending>> {
    use crate::draw;
    use crate::figures::{Figure, bode, nyquist, region};
    type Picture = fn(&Chosen) -> Result<Figure>;
    let asked: [(&Option<String>, Picture, &str); 3] = [
        (&args.nyquist, nyquist, "--nyquist"),
        (&args.bode, bode, "--bode"),
        (&args.region, region, "--region"),
    ];
    let mut whole = Vec::new();
    for (path, make, flag) in asked {
        let Some(path) = path else { continue };
        let [one] = loops else {
            return Err(Error::Arguments(format!(
                "{flag} draws one loop in one form, and {} are asked about",
                loops.len()
            )));
        };
        let figure = make(one)?;
        let ending = path.rsplit_once('.').map(|(_, ending)| ending);
        let bytes = match ending {
            Some("png") => draw::png(&figure)?,
            Some("svg") => draw::svg(&figure)?.into_bytes(),
            _ => {
                return Err(Error::malformed(
                    "picture",
                    path,
                    "a file that ends in .svg or .png",
                ));
            }
        };
        whole.push(files::written(path, &bytes)?);
    }
    Ok(whole)
}

fn row(a: &StabilityAnswer) -> Vec<String> {
    let root = a.dominant_root.map_or_else(
        || "-".into(),
        |s| {
            if s.im == 0.0 {
                significant(s.re, 9)
            } else {
                format!("{} +- {} i", significant(s.re, 9), significant(s.im, 9))
            }
        },
    );
    vec![
        a.road.into(),
        match a.stable {
            Some(true) => "yes".into(),
            Some(false) => "no".into(),
            None => "-".into(),
        },
        number(a.phase_margin_deg, 6),
        a.gain_margin.map_or_else(
            || "-".into(),
            |factor| {
                format!(
                    "{} ({} dB)",
                    significant(factor, 6),
                    significant(20.0 * factor.log10(), 4)
                )
            },
        ),
        number(a.delay_margin_rtts, 6),
        number(a.crossover_rad_s, 6),
        root,
        number(a.growth_per_s, 6),
        duration(a.run_s),
    ]
}

fn page(
    chosen: &Chosen,
    reply: &Envelope<StabilityQuery, StabilityAnswer>,
    output: &OutputArgs,
) -> String {
    let values: Vec<String> = chosen
        .setting
        .iter()
        .map(|(p, value)| format!("{} {}{}", p.key, significant(value, 6), p.kind.suffix()))
        .collect();
    let mut text = format!(
        "{} ({}, form {}, preset {}: {})\n",
        chosen.system.name(),
        chosen.system.title(),
        chosen.form.name,
        chosen.setting.preset().name,
        values.join(", ")
    );
    text += &table(
        &[
            "road",
            "stable",
            "phase margin deg",
            "gain margin",
            "delay margin RTT",
            "crossover rad/s",
            "dominant root 1/s",
            "growth 1/s",
            "of a run of",
        ],
        &[false, false, true, true, true, true, true, true, true],
        reply.answers.iter().map(row).collect(),
    );
    let mut remarks = Vec::new();
    if let Some(first) = reply.answers.first() {
        text += &bound_line("paper", first.bound.paper.as_ref());
        text += &bound_line("exact", first.bound.exact.as_ref());
        text += &rest(&first.equilibrium);
    }
    for a in &reply.answers {
        if !a.eigenvalues.is_empty() {
            let list: Vec<String> = a.eigenvalues.iter().map(|x| significant(*x, 9)).collect();
            text += &format!("eigenvalues of the map: {}\n", list.join(", "));
        }
        if let (Some(edges), Some(sweep)) = (&a.boundaries, &reply.query.sweep) {
            let list: Vec<String> = edges
                .iter()
                .map(|e| {
                    let side = if e.stable_below { "below" } else { "above" };
                    format!("{} (stable {side})", significant(e.value, 9))
                })
                .collect();
            let found = if list.is_empty() {
                "none".into()
            } else {
                list.join(", ")
            };
            text += &format!("boundary in {}, {}: {found}\n", sweep.parameter, a.road);
        }
        remarks.extend(a.note.as_ref().map(|note| format!("{}: {note}", a.road)));
        remarks.extend(a.reason.as_ref().map(|reason| {
            if a.stable.is_none() {
                format!("{}{NO_ANSWER}{reason}", a.road)
            } else {
                format!("{}: {reason}", a.road)
            }
        }));
    }
    remarks.extend(reply.notes.iter().cloned());
    text + &notes(remarks, output)
}

fn bound_line(whose: &str, bound: Option<&Bound>) -> String {
    let Some(b) = bound else {
        return format!("{whose} bound: none\n");
    };
    let verdict = match b.holds {
        Some(true) => "kept",
        Some(false) => "broken",
        None => "says nothing here",
    };
    format!(
        "{whose} bound{}: {} {}, limit {}: {verdict}; {} [{}]\n",
        if b.confirmed { "" } else { " (unconfirmed)" },
        b.parameter,
        number(b.given, 8),
        number(b.limit, 8),
        b.statement,
        b.source
    )
}

fn rest(equilibrium: &Equilibrium) -> String {
    let items: Vec<String> = equilibrium
        .0
        .iter()
        .map(|(key, quantity)| {
            let value = match quantity {
                Quantity::One(x) => significant(*x, 8),
                Quantity::Each(all) => {
                    let all: Vec<String> = all.iter().map(|x| significant(*x, 8)).collect();
                    all.join("; ")
                }
                Quantity::Missing => "-".into(),
            };
            format!("{key} {value}")
        })
        .collect();
    format!("equilibrium: {}\n", items.join(", "))
}
