//! Shares of one bottleneck: the sawtooth over a buffer by three roads, CUBIC beside Reno.

use super::data::{self, rows};
use super::{Check, Tolerance, law};
use crate::algorithms::Selected;
use crate::analysis::rtt_unfairness::{Responding, Shared, equilibria, response_equilibrium};
use crate::analysis::sawtooth::{Bottleneck, sawtooth};
use crate::analysis::shares::buffer_for;
use crate::analysis::{Member, SharedLink};
use crate::error::{Error, Result};
use crate::fluid::{self, Begin, Flow, Lapse, Losses, Run, Scenario, Sync};
use crate::model::Tooth;
use crate::network::{Link, parse_queue};
use crate::units::Bytes;
use std::sync::Arc;

const PIPE: f64 = 2000.0;
const RTT: f64 = 0.1;

fn closed(spec: &str, b: f64) -> Result<Tooth> {
    let selected = Selected::parse(spec)?;
    selected
        .algorithm
        .sawtooth(&selected.setting)
        .ok_or_else(|| Error::NoAnswer("no closed sawtooth".into()))?
        .tooth(PIPE, b * PIPE, RTT)
}

fn exact(spec: &str, b: f64) -> Result<crate::analysis::sawtooth::Sawtooth> {
    let law = law(spec)?;
    sawtooth(
        law.as_ref(),
        Bottleneck {
            pipe: PIPE,
            buffer: b * PIPE,
            base_rtt: RTT,
        },
    )
}

/// Utilisation and mean queue (in pipes) of a run over eight epochs from its steady state, everybody losing at once.
fn run(spec: &str, b: f64, count: usize) -> Result<(f64, f64)> {
    let seconds = exact(spec, b)?.seconds / count as f64;
    let law = Arc::from(law(spec)?);
    let peak = PIPE * (1.0 + b);
    let flow = Flow {
        begin: Begin::AfterLoss(peak / count as f64),
        ..Flow::new(spec, law, vec![0], RTT)
    };
    let capacity = PIPE / RTT;
    let duration = if spec.starts_with("cubic") {
        // Its time goes with the cube root of the window.
        8.0 * seconds * count as f64 / (count as f64).cbrt()
    } else {
        8.0 * seconds
    };
    let summary = fluid::simulate(
        &Scenario {
            links: vec![Link {
                name: "link".into(),
                capacity,
                buffer: b * PIPE,
                delay: 0.0,
                initial_queue: 0.0,
                queue: parse_queue("drop-tail", capacity, Bytes::new(1500.0))?,
            }],
            flows: vec![flow; count],
            losses: Losses {
                sync: Sync::All,
                reaction: Lapse::NONE,
                refractory: Lapse::NONE,
                ..Losses::default()
            },
            run: Run {
                duration,
                ..Run::default()
            },
        },
        &mut (),
    )?;
    let link = summary
        .links
        .first()
        .ok_or_else(|| Error::NoAnswer("no link".into()))?;
    Ok((link.utilisation, link.queue_mean / PIPE))
}

pub(super) fn over_a_buffer() -> Result<Vec<Check>> {
    const GROUP: &str = "sawtooth-use";
    let mut checks = Vec::new();
    for row in rows(data::SAWTOOTH_USE)? {
        let (spec, b) = (row.text("law"), row.number("b")?);
        let (expected, unit) = row.printed("utilisation")?;
        let unit = unit.min(5e-5);
        let mut push =
            |what: String, expected: f64, source, got: Result<f64>, tolerance, reason| {
                checks.push(Check::new(
                    GROUP,
                    format!("{spec} over {b} pipes: {what}"),
                    expected,
                    source,
                    got,
                    tolerance,
                    reason,
                ));
            };
        let (apart, own) = ("independent calculation", "closed form of this program");
        let printed = "half a unit of the last printed digit, at most 5e-5 for a utilisation";
        let of_form = closed(spec, b);
        let of_law = exact(spec, b);
        push(
            "utilisation, closed".into(),
            expected,
            apart,
            of_form.clone().map(|t| t.utilisation),
            Tolerance::Absolute(unit),
            printed,
        );
        push(
            "utilisation, law".into(),
            expected,
            apart,
            of_law.clone().map(|t| t.utilisation),
            Tolerance::Absolute(unit),
            printed,
        );
        if !row.text("queue").is_empty() {
            let (queue, unit) = row.printed("queue")?;
            push(
                "mean queue in pipes, closed".into(),
                queue,
                apart,
                of_form.clone().map(|t| t.queue / PIPE),
                Tolerance::Absolute(unit),
                printed,
            );
            push(
                "mean queue in pipes, law".into(),
                queue,
                apart,
                of_law.clone().map(|t| t.queue / PIPE),
                Tolerance::Absolute(unit),
                printed,
            );
        }
        if let (Ok(form), Ok(law)) = (&of_form, &of_law) {
            for (what, a, b) in [
                ("utilisation", form.utilisation, law.utilisation),
                (
                    "mean queue, packets",
                    form.queue.max(1.0),
                    law.queue.max(1.0),
                ),
                ("seconds", form.seconds, law.seconds),
            ] {
                push(
                    format!("{what}, law against closed form"),
                    a,
                    own,
                    Ok(b),
                    Tolerance::Relative(1e-9),
                    "the same sawtooth, integrated and solved",
                );
            }
        }
        for count in [1, 4] {
            let got = run(spec, b, count);
            push(
                format!("utilisation, run of {count} that lose together"),
                of_form.clone().map_or(f64::NAN, |t| t.utilisation),
                own,
                got.map(|(u, _)| u),
                Tolerance::Relative(2e-3),
                "the queue of a run follows the windows a round trip late: up to 1.7e-3 where an epoch of CUBIC has 80 of them",
            );
        }
    }
    for row in rows(data::BUFFER_FOR_USE)? {
        let (spec, target) = (row.text("law"), row.number("utilisation")?);
        let (expected, unit) = row.printed("buffer")?;
        for (what, got) in [
            (
                "closed",
                buffer_for(target, PIPE, &|buffer| {
                    Ok(closed(spec, buffer / PIPE)?.utilisation)
                }),
            ),
            (
                "law",
                buffer_for(target, PIPE, &|buffer| {
                    Ok(exact(spec, buffer / PIPE)?.utilisation)
                }),
            ),
        ] {
            checks.push(Check::new(
                GROUP,
                format!("{spec}: buffer in pipes for a use of {target}, {what}"),
                expected,
                "independent calculation",
                got.map(|buffer| buffer / PIPE),
                Tolerance::Absolute(unit * 1.001),
                "half a unit of the last printed digit",
            ));
        }
    }
    Ok(checks)
}

pub(super) fn cubic_beside_reno() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for row in rows(data::CUBIC_BESIDE_RENO)? {
        let (count, rtt) = (row.number("flows")?, row.number("rtt_s")?);
        let capacity = row.number("rate_bps")? / 12_000.0;
        let link = SharedLink {
            capacity,
            buffer: row.number("buffer_bdp")? * capacity * rtt,
        };
        let laws = [law("cubic")?, law("reno")?];
        let members = [0, 1].map(|i| Member {
            law: laws[i].as_ref(),
            base_rtt: rtt,
            count,
        });
        let mut forms = Vec::new();
        for spec in ["cubic", "reno"] {
            let selected = Selected::parse(spec)?;
            forms.extend(
                selected
                    .algorithm
                    .closed(&selected.setting)
                    .into_iter()
                    .take(1),
            );
        }
        let flows: Vec<Responding<'_>> = forms
            .iter()
            .map(|form| Responding {
                function: form.as_ref(),
                base_rtt: rtt,
                count,
            })
            .collect();
        let place = format!(
            "{count} + {count} flows of CUBIC and Reno, {rtt} s, {} Mbit/s, {} pipes of buffer: CUBIC's share",
            row.number("rate_bps")? / 1e6,
            row.text("buffer_bdp")
        );
        let share = |e: &crate::analysis::rtt_unfairness::Equilibrium| {
            e.parts[0].rate / (e.parts[0].rate + e.parts[1].rate)
        };
        checks.push(Check::new(
            "cubic-beside-reno",
            format!("{place}, closed"),
            row.number("model")?,
            "independent calculation, round trips held at their mean",
            response_equilibrium(&flows, link, Shared::Epoch).map(|(e, _)| share(&e)),
            Tolerance::Absolute(4e-3),
            "two or three passes of a fixed point there, solved here; the larger peak there, the larger mean here",
        ));
        checks.push(Check::new(
            "cubic-beside-reno",
            format!("{place}, law"),
            row.number("run")?,
            "independent event-driven fluid",
            equilibria(&members, link).and_then(|all| {
                all.first()
                    .map(share)
                    .ok_or_else(|| Error::NoAnswer("no equilibrium".into()))
            }),
            Tolerance::Absolute(0.02),
            "a run with a fixed step and a queue that lags, printed with two digits: up to 0.016 near where CUBIC turns Reno-friendly",
        ));
    }
    Ok(checks)
}
