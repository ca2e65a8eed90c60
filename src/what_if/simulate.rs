//! What happens on this network? The question about a fluid run, and its answer.

use super::{Envelope, LawName, PacketSize, Values};
use crate::algorithms::Selected;
use crate::analysis::fairness::{Claim, alpha_fair, jain, max_min};
use crate::error::{Error, Result};
use crate::fluid::{self, Observer, Process, Scenario, Sender, Summary};
use serde::Serialize;

/// A scenario with what the integrator does not need to know: the laws by name, the size of a packet.
#[derive(Debug, Clone)]
pub struct Staged {
    /// Where it comes from.
    pub name: String,
    /// What runs.
    pub scenario: Scenario,
    /// Every kind of flow, with the law's name and parameters and how many of them there are.
    pub groups: Vec<(Option<Selected>, usize)>,
    /// Packet and payload.
    pub size: PacketSize,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct SimulateQuery {
    /// `simulate`.
    pub verb: &'static str,
    /// Where the scenario comes from.
    pub scenario: String,
    /// Laws by name and parameters, with the number of flows.
    pub senders: Vec<SenderName>,
    /// The links.
    pub links: Vec<LinkName>,
    /// Losses per packet besides those of the links.
    pub loss: f64,
    /// How they arrive.
    pub process: &'static str,
    /// Who loses when a buffer overflows.
    pub sync: String,
    /// Length of the run, seconds.
    pub duration_s: f64,
    /// Start of measuring, seconds.
    pub measure_from_s: f64,
    /// Seed.
    pub seed: u64,
    /// Tolerance.
    pub tolerance: f64,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// A kind of flow.
#[derive(Debug, Clone, Serialize)]
pub struct SenderName {
    /// Name of the law, `None` for traffic that has none.
    pub law: Option<&'static str>,
    /// Name of the law's preset.
    pub preset: Option<&'static str>,
    /// The law's values by key.
    pub parameters: Option<Values>,
    /// How many flows.
    pub count: usize,
}

/// A link as the question names it.
#[derive(Debug, Clone, Serialize)]
pub struct LinkName {
    /// Its name.
    pub name: String,
    /// Bits per second.
    pub capacity_bps: f64,
    /// Packets it holds, `None` for no limit.
    pub buffer_pkt: Option<f64>,
    /// Its queue.
    pub queue: &'static str,
}

/// One flow's answer.
#[derive(Debug, Clone, Serialize)]
pub struct FlowAnswer {
    /// The law as text.
    pub law: String,
    /// Round trip without queues, seconds.
    pub rtt_s: f64,
    /// Bits per second delivered, on the wire.
    pub rate_bps: f64,
    /// Payload bits per second delivered.
    pub goodput_bps: f64,
    /// Packets per round trip, averaged over rounds.
    pub window_pkt: Option<f64>,
    /// Losses that it reacted to; `None` where there are no events to count (a continuous stream, a constant rate).
    pub loss_events: Option<u64>,
    /// Loss events per packet sent.
    pub loss: Option<f64>,
    /// Lost packets per packet sent.
    pub lost_fraction: Option<f64>,
    /// When the last packet of a finite transfer was sent, seconds.
    pub completed_s: Option<f64>,
}

/// One link's answer.
#[derive(Debug, Clone, Serialize)]
pub struct LinkAnswer {
    /// Its name.
    pub name: String,
    /// Share of the capacity used.
    pub utilisation: f64,
    /// Mean queue.
    pub queue_mean_pkt: f64,
    /// Queue exceeded 5 % of the time.
    pub queue_p95_pkt: f64,
    /// Dropped of offered packets.
    pub drop_fraction: f64,
}

/// An allocation that is fair in one sense.
#[derive(Debug, Clone, Serialize)]
pub struct FairAnswer {
    /// α: 1 is proportional fairness, 2 the least total delay; `None` stands for infinity, max-min.
    pub alpha: Option<f64>,
    /// Bits per second on the wire of each flow.
    pub rates_bps: Vec<f64>,
    /// Jain's index of the rates.
    pub jain: Option<f64>,
    /// By how much the conditions of the optimum fail, relative.
    pub residual: f64,
}

/// Alpha-fair allocations of the scenario's links to its flows, all of weight 1 and all sending at once, for each α
/// (`f64::INFINITY` is max-min). A constant rate is taken as it is, a changing one by its mean over the run, and the others share what
/// is left. Start, stop and size do not count ([`fair_note`] says so).
///
/// # Errors
/// [`Error::OutOfRange`] or [`Error::Arguments`] for an α out of range, a flow without a link, or constant-rate traffic that
/// leaves nothing.
pub fn fair(staged: &Staged, alphas: &[f64]) -> Result<Vec<FairAnswer>> {
    if alphas.is_empty() {
        return Ok(Vec::new());
    }
    let Scenario { links, flows, .. } = &staged.scenario;
    let mut capacities: Vec<f64> = links.iter().map(|link| link.capacity).collect();
    let mut claims = Vec::new();
    for flow in flows {
        match &flow.sender {
            Sender::Law(_) => claims.push(Claim {
                path: flow.path.clone(),
                weight: 1.0,
            }),
            Sender::Constant(_) | Sender::Changing(_) => {
                let rate = unanswering(&flow.sender, staged.scenario.run.duration);
                flow.path.iter().for_each(|&l| capacities[l] -= rate);
            }
        }
    }
    if capacities.iter().any(|left| *left <= 0.0) {
        return Err(Error::Arguments(
            "traffic that does not answer fills a link: nothing is left to share fairly".into(),
        ));
    }
    let bits = 8.0 * staged.size.packet.value();
    alphas
        .iter()
        .map(|&alpha| {
            let found = if alpha == f64::INFINITY {
                max_min(&capacities, &claims)?
            } else {
                alpha_fair(&capacities, &claims, alpha)?
            };
            let mut rates = found.rates.into_iter();
            let rates: Vec<f64> = flows
                .iter()
                .map(|flow| {
                    bits * match &flow.sender {
                        Sender::Law(_) => rates.next().unwrap_or(0.0),
                        other => unanswering(other, staged.scenario.run.duration),
                    }
                })
                .collect();
            Ok(FairAnswer {
                alpha: alpha.is_finite().then_some(alpha),
                jain: jain(&rates),
                rates_bps: rates,
                residual: found.residual,
            })
        })
        .collect()
}

/// What [`fair`] leaves out of this scenario, if anything: flows that do not send in all of the measured time.
#[must_use]
pub fn fair_note(staged: &Staged) -> Option<&'static str> {
    let run = &staged.scenario.run;
    let parts = |flow: &fluid::Flow| {
        flow.start > run.measure_from
            || flow.stop.is_some_and(|stop| stop < run.duration)
            || flow.size.is_some()
    };
    let any = staged.scenario.flows.iter().any(parts);
    any.then_some("what is fair is so with all flows sending at once: start, stop and size do not count there, as they do in the run")
}

/// Mean rate of traffic that does not answer, packets per second.
fn unanswering(sender: &Sender, duration: f64) -> f64 {
    match sender {
        Sender::Law(_) => 0.0,
        Sender::Constant(rate) => *rate,
        Sender::Changing(steps) => {
            let ends = steps.iter().skip(1).map(|(t, _)| *t).chain([duration]);
            let mut from = 0.0;
            let mut packets = 0.0;
            for ((_, rate), end) in steps.iter().zip(ends) {
                let end = end.clamp(from, duration);
                packets += rate * (end - from);
                from = end;
            }
            packets / duration
        }
    }
}

/// The answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct SimulateAnswer {
    /// `fluid`.
    pub road: &'static str,
    /// Flows in input order, counts expanded.
    pub flows: Vec<FlowAnswer>,
    /// Jain's index of the rates.
    pub jain: Option<f64>,
    /// Jain's index in equal parts of the measured time.
    pub jain_slices: Vec<Option<f64>>,
    /// Of the link most used.
    pub utilisation: Option<f64>,
    /// Of the link most used.
    pub queue_mean_pkt: Option<f64>,
    /// Of the link most used.
    pub queue_p95_pkt: Option<f64>,
    /// Of the link most used.
    pub drop_fraction: Option<f64>,
    /// Every link.
    pub links: Vec<LinkAnswer>,
    /// What would be fair on this network, one for each α asked for.
    pub fair: Vec<FairAnswer>,
    /// Steps of the integrator.
    pub steps: usize,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Why a flow has no loss.
pub(super) const SILENT: &str =
    "a flow that sent nothing in the measured time has no window and no loss";

/// Runs a scenario and answers.
///
/// # Errors
/// Those of [`fluid::simulate`].
pub fn simulate(
    staged: &Staged,
    observer: &mut dyn Observer,
) -> Result<Envelope<SimulateQuery, SimulateAnswer>> {
    let summary = fluid::simulate(&staged.scenario, observer)?;
    let mut envelope = Envelope::new(query(staged), vec![answer(staged, summary)]);
    envelope.notes.clone_from(&staged.notes);
    envelope.notes.extend(overfilled(&staged.scenario));
    Ok(envelope)
}

/// Links that the least windows of their flows alone overfill.
fn overfilled(scenario: &Scenario) -> Vec<String> {
    let least = |l: usize| -> f64 {
        let crossing = scenario.flows.iter().filter(|flow| {
            flow.path.contains(&l) && flow.sender.has_window() && flow.size.is_none()
        });
        crossing
            .map(|flow| {
                let window = flow.least_window.unwrap_or(scenario.losses.least_window);
                window / (flow.base_rtt + flow.standing_delay)
            })
            .sum()
    };
    let links = scenario.links.iter().enumerate();
    links
        .filter(|(l, link)| least(*l) > link.capacity)
        .map(|(_, link)| {
            format!(
                "the least windows of the flows on the link `{}` alone are more than fits into its bandwidth x delay: it is overfilled whatever the laws do",
                link.name
            )
        })
        .collect()
}

fn query(staged: &Staged) -> SimulateQuery {
    let Scenario {
        links, losses, run, ..
    } = &staged.scenario;
    let bits = 8.0 * staged.size.packet.value();
    SimulateQuery {
        verb: "simulate",
        scenario: staged.name.clone(),
        senders: staged
            .groups
            .iter()
            .map(|(law, count)| {
                let name = law.as_ref().map(LawName::from);
                SenderName {
                    law: name.as_ref().map(|name| name.law),
                    preset: name.as_ref().map(|name| name.preset),
                    parameters: name.map(|name| name.parameters),
                    count: *count,
                }
            })
            .collect(),
        links: links
            .iter()
            .map(|link| LinkName {
                name: link.name.clone(),
                capacity_bps: link.capacity * bits,
                buffer_pkt: link.buffer.is_finite().then_some(link.buffer),
                queue: link.queue.name(),
            })
            .collect(),
        loss: losses.rate,
        process: losses.process.name(),
        sync: losses.sync.name(),
        duration_s: run.duration,
        measure_from_s: run.measure_from,
        seed: run.seed,
        tolerance: run.tolerance,
        packet_bytes: staged.size.packet.value(),
        mss_bytes: staged.size.mss.value(),
    }
}

fn answer(staged: &Staged, summary: Summary) -> SimulateAnswer {
    let bits = 8.0 * staged.size.packet.value();
    let payload = 8.0 * staged.size.mss.value();
    let stream = staged.scenario.losses.process == Process::MeanField;
    let flows: Vec<FlowAnswer> = summary
        .flows
        .into_iter()
        .zip(&staged.scenario.flows)
        .map(|(flow, given)| {
            let events = (!stream && given.sender.has_window()).then_some(flow.loss_events);
            let share = |part: f64| (flow.sent > 0.0).then(|| part / flow.sent);
            FlowAnswer {
                rtt_s: flow.base_rtt,
                rate_bps: flow.rate * bits,
                goodput_bps: flow.rate * payload,
                window_pkt: flow.window,
                loss_events: events,
                loss: events.and_then(|events| share(events as f64)),
                lost_fraction: share(flow.lost),
                completed_s: flow.completed,
                law: flow.label,
            }
        })
        .collect();
    let links: Vec<LinkAnswer> = summary
        .links
        .into_iter()
        .map(|link| LinkAnswer {
            name: link.name,
            utilisation: link.utilisation,
            queue_mean_pkt: link.queue_mean,
            queue_p95_pkt: link.queue_p95,
            drop_fraction: link.drop_fraction,
        })
        .collect();
    let busiest = links
        .iter()
        .max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
    let mut missing = Vec::new();
    if links.is_empty() {
        missing.push("no link, so no queue");
    }
    if stream {
        missing.push("losses are a continuous stream: there are no loss events to count");
    }
    let sent_nothing = |flow: &FlowAnswer| flow.loss_events.is_some() && flow.loss.is_none();
    if flows.iter().any(sent_nothing) {
        missing.push(SILENT);
    }
    if summary.jain.is_none() {
        missing.push("nothing arrived in the measured time, so no Jain's index");
    }
    let no_window = |law: &Sender| !law.has_window();
    if staged.scenario.flows.iter().any(|f| no_window(&f.sender)) {
        missing.push("constant-rate traffic has no window and reacts to no loss");
    }
    let size = |flow: &fluid::Flow| flow.size.is_none();
    if staged.scenario.flows.iter().all(size) {
        missing.push("endless flows do not complete");
    } else if flows.iter().any(|flow| flow.completed_s.is_none()) {
        missing.push("endless or unfinished flows do not complete");
    }
    SimulateAnswer {
        road: "fluid",
        jain: summary.jain,
        jain_slices: summary.jain_slices,
        utilisation: busiest.map(|link| link.utilisation),
        queue_mean_pkt: busiest.map(|link| link.queue_mean_pkt),
        queue_p95_pkt: busiest.map(|link| link.queue_p95_pkt),
        drop_fraction: busiest.map(|link| link.drop_fraction),
        flows,
        links,
        fair: Vec::new(),
        steps: summary.steps,
        reason: (!missing.is_empty()).then(|| missing.join("; ")),
    }
}
