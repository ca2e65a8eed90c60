//! The fluid road of flows on one bottleneck.

use super::{Contender, Narrow, for_run};
use crate::analysis::SharedLink;
use crate::error::Result;
use crate::fluid::{self, Begin, Flow, Lapse, Losses, Run, Scenario, Sender, Summary, Sync};
use crate::network::{Link, parse_queue};
use crate::what_if::PacketSize;
use std::sync::Arc;

/// How a run of several flows is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    /// Who loses when the buffer overflows.
    pub sync: Sync,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Seconds; `None` for 150 times the longest time from loss to loss that is expected.
    pub duration_s: Option<f64>,
    /// What happens before is not measured; `None` for a third of the duration.
    pub measure_from_s: Option<f64>,
    /// Steps after which the run gives up.
    pub budget: usize,
    /// Round trips from a loss to the reaction, and in which further losses belong to the same event.
    pub reaction_rtts: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            sync: Sync::Natural,
            seed: 1,
            duration_s: None,
            measure_from_s: None,
            budget: 3_000_000,
            reaction_rtts: 1.0,
        }
    }
}

/// Runs the flows. `epoch` is the time from loss to loss that is expected, if one is known; the notes say what was assumed.
pub(super) fn run(
    flows: &[Contender],
    narrow: &Narrow,
    size: PacketSize,
    pace: &Pace,
    epoch: Option<f64>,
) -> Result<(Summary, Vec<String>)> {
    let link = narrow.shared(flows, size);
    let total: usize = flows.iter().map(|flow| flow.count).sum();
    let demand: f64 = flows
        .iter()
        .map(|f| f.count as f64 / (f.rtt_s + link.full_delay()))
        .sum();
    let mut notes = Vec::new();
    let mut switched = false;
    let mut senders = Vec::with_capacity(total);
    for flow in flows {
        let (law, fast) = for_run(flow, total > 1)?;
        switched |= fast;
        let sender: Arc<dyn crate::model::WindowLaw> = Arc::from(law.law()?);
        // Flows that are there from the start have the same window, so that all together fill pipe and buffer.
        let begin = if flow.start_s > 0.0 {
            Begin::SlowStart(10.0)
        } else {
            Begin::AfterLoss((link.capacity / demand).max(2.0))
        };
        let like = Flow {
            sender: Sender::Law(Arc::clone(&sender)),
            start: flow.start_s,
            stop: flow.stop_s,
            size: flow.size_pkt,
            begin,
            ..Flow::new(law.spec(), sender, vec![0], flow.rtt_s)
        };
        senders.extend(vec![like; flow.count]);
    }
    if switched {
        notes.push(
            "road fluid: fast_convergence=1 where a law has it and nothing is said; the other roads are without it".into(),
        );
    }
    let (duration, from) = length(flows, link, pace, epoch, total);
    let scenario = Scenario {
        links: vec![Link {
            name: "link".into(),
            capacity: link.capacity,
            buffer: link.buffer,
            delay: 0.0,
            initial_queue: 0.0,
            queue: parse_queue(&narrow.queue, link.capacity, size.packet)?,
        }],
        flows: senders,
        losses: Losses {
            sync: pace.sync,
            reaction: Lapse::rounds(pace.reaction_rtts),
            refractory: Lapse::rounds(pace.reaction_rtts),
            ..Losses::default()
        },
        run: Run {
            duration,
            measure_from: from,
            seed: pace.seed,
            budget: pace.budget,
            ..Run::default()
        },
    };
    let summary = fluid::simulate(&scenario, &mut ())?;
    notes.push(format!(
        "road fluid: {} s, measured from {} s on",
        crate::units::significant(duration, 6),
        crate::units::significant(from, 6)
    ));
    notes.extend(ended(&scenario.flows, &summary, from, duration));
    Ok((summary, notes))
}

/// Which flows were gone before they were measured, and which before the end.
fn ended(flows: &[Flow], summary: &Summary, from: f64, duration: f64) -> Vec<String> {
    let ends: Vec<(usize, f64)> = flows
        .iter()
        .zip(&summary.flows)
        .enumerate()
        .filter_map(|(at, (flow, got))| {
            let stop = flow.stop.unwrap_or(f64::INFINITY);
            let end = got.completed.unwrap_or(f64::INFINITY).min(stop);
            (end < duration).then_some((at, end))
        })
        .collect();
    let said = |some: &[(usize, f64)], what: &str| {
        let last = some.iter().map(|(_, end)| *end).fold(0.0, f64::max);
        let last = crate::units::significant(last, 6);
        match some {
            [] => None,
            [(at, _)] => Some(format!(
                "road fluid: flow {} ended at {last} s, {what}",
                at + 1
            )),
            more => Some(format!(
                "road fluid: {} flows ended, the last at {last} s, {what}",
                more.len()
            )),
        }
    };
    let (before, within): (Vec<_>, Vec<_>) = ends.into_iter().partition(|(_, end)| *end <= from);
    said(&before, "before measuring began")
        .into_iter()
        .chain(said(
            &within,
            "while it was measured: rates are means over the whole measured time",
        ))
        .collect()
}

/// Seconds of a run, and from when on it is measured.
fn length(
    flows: &[Contender],
    link: SharedLink,
    pace: &Pace,
    epoch: Option<f64>,
    total: usize,
) -> (f64, f64) {
    let longest = flows.iter().map(|f| f.rtt_s).fold(0.0, f64::max) + link.full_delay();
    // Standard TCP's own time if nothing is known: half a fair window of round trips.
    let fair = link.capacity * longest / total as f64;
    let epoch = epoch.unwrap_or(0.5 * fair * longest).max(10.0 * longest);
    // Where not all lose together, a flow waits for its turn.
    let turns = match pace.sync {
        Sync::All => 1.0,
        Sync::Share(share) => 1.0 / share,
        Sync::One | Sync::Natural => total.min(10) as f64,
    };
    let last = flows.iter().map(|f| f.start_s).fold(0.0, f64::max);
    let duration = pace
        .duration_s
        .unwrap_or(last + 150.0 * epoch * turns.min(4.0));
    let from = pace
        .measure_from_s
        .unwrap_or(last + (duration - last) / 3.0);
    (duration, from)
}
