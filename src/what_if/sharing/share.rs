//! Who gets what of one bottleneck?

use super::answers::{ConvergenceAnswer, ShareAnswer};
use super::run::{Pace, run};
use super::{Contender, Narrow, at_an_overflow, sync_note};
use crate::algorithms::Selected;
use crate::analysis::convergence::{Aimd, spectrum};
use crate::analysis::friendliness::taken;
use crate::analysis::rtt_unfairness::equilibria;
use crate::analysis::shares::{as_additive, buffer_for, left_by_a_loss};
use crate::analysis::{Member, SharedLink, check};
use crate::error::{Error, Result};
use crate::model::{LossModel, WindowLaw};
use crate::network::parse_queue;
use crate::what_if::simulate::SILENT;
use crate::what_if::throughput::Buffer;
use crate::what_if::timeouts::timeouts_note;
use crate::what_if::{Context, Envelope, LawName, find_road, reason_of};
use serde::Serialize;

/// A kind of flow as the question names it.
#[derive(Debug, Clone, Serialize)]
pub struct SharingFlow {
    /// The law.
    #[serde(flatten)]
    pub law: LawName,
    /// Round trip without queues, seconds.
    pub rtt_s: f64,
    /// How many.
    pub count: usize,
    /// When they start in a run, seconds.
    pub start_s: f64,
    /// When they stop in a run, seconds.
    pub stop_s: Option<f64>,
    /// Packets that each of them sends in a run; `None` for endless flows.
    pub size_pkt: Option<f64>,
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct ShareQuery {
    /// `share`.
    pub verb: &'static str,
    /// Kinds of flows.
    pub flows: Vec<SharingFlow>,
    /// Capacity on the wire.
    pub link_bps: f64,
    /// Buffer, packets; `None` where it is asked for.
    pub buffer_pkt: Option<f64>,
    /// Queue as typed.
    pub queue: String,
    /// Who loses when the buffer overflows, on the road `fluid`.
    pub sync: String,
    /// Seed of the road `fluid`.
    pub seed: u64,
    /// Utilisation that the buffer shall give, if the buffer is asked for.
    pub wanted_utilisation: Option<f64>,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// Flows beyond which no list is printed.
const MOST_FLOWS: usize = 100_000;

/// What roads without time say of flows that are not always there.
const FLUID_ONLY: &str = "start, stop and size count on the road `fluid` only";

/// What follows where timeouts rule: no road of shares has them.
const NO_TIMEOUTS: &str = "the flows here have none, so that the loss they bear is too high";

/// A question, as its roads see it.
pub(super) struct Asked<'a> {
    pub flows: &'a [Contender],
    pub narrow: &'a Narrow,
    pub context: &'a Context,
    pub pace: &'a Pace,
}

/// Asks every road of the context what each flow gets; with `target` which buffer gives that utilisation (then the buffer of
/// `narrow` does not count).
///
/// # Errors
/// [`Error::Arguments`] or [`Error::OutOfRange`] for flows or a link that make no sense: no flow, less than one packet per
/// round trip, more flows than packets, a formula that is no law; [`Error::Unknown`] for a queue or a form that does not exist.
pub fn share(
    flows: &[Contender],
    narrow: &Narrow,
    target: Option<f64>,
    pace: &Pace,
    context: &Context,
) -> Result<Envelope<ShareQuery, ShareAnswer>> {
    let size = context.size;
    let total: usize = flows.iter().map(|f| f.count).sum();
    if total > MOST_FLOWS {
        return Err(Error::out_of_range(
            "the number of flows",
            total,
            format!("1 to {MOST_FLOWS}"),
        ));
    }
    let narrow = &Narrow {
        buffer: if target.is_some() {
            Buffer::Packets(0.0)
        } else {
            narrow.buffer
        },
        ..narrow.clone()
    };
    let link = narrow.shared(flows, size);
    parse_queue(&narrow.queue, link.capacity, size.packet)?;
    let laws: Vec<Box<dyn WindowLaw>> = flows
        .iter()
        .map(|flow| flow.law.law())
        .collect::<Result<_>>()?;
    let members: Vec<Member<'_>> = flows
        .iter()
        .zip(&laws)
        .map(|(flow, law)| Member {
            law: law.as_ref(),
            base_rtt: flow.rtt_s,
            count: flow.count as f64,
        })
        .collect();
    check(&members, link)?;
    let asked = Asked {
        flows,
        narrow,
        context,
        pace,
    };
    let timed = flows
        .iter()
        .any(|flow| flow.start_s > 0.0 || flow.stop_s.is_some() || flow.size_pkt.is_some());
    let (mut answers, mut notes) = (Vec::new(), Vec::new());
    for road in &context.roads {
        let answer = match road.name {
            "closed" => asked.closed(link, target),
            "epoch" => asked.epoch(&members, link, target),
            "fluid" => asked.fluid(&members, link, target, &mut notes),
            _ => Err(Error::NoAnswer(
                "this road has no network: a flow alone at a loss rate".into(),
            )),
        };
        answers.push(match answer {
            Ok(mut answer) => {
                if timed && road.name != "fluid" {
                    let note = answer.note.take();
                    answer.note = Some(note.map_or_else(
                        || FLUID_ONLY.to_owned(),
                        |note| format!("{note}; {FLUID_ONLY}"),
                    ));
                }
                answer
            }
            Err(error) => ShareAnswer {
                reason: Some(reason_of(error)?),
                ..ShareAnswer::blank(road.name)
            },
        });
    }
    let query = ShareQuery {
        verb: "share",
        flows: flows
            .iter()
            .map(|flow| SharingFlow {
                law: LawName::from(&flow.law),
                rtt_s: flow.rtt_s,
                count: flow.count,
                start_s: flow.start_s,
                stop_s: flow.stop_s,
                size_pkt: flow.size_pkt,
            })
            .collect(),
        link_bps: narrow.link.value(),
        buffer_pkt: target.is_none().then_some(link.buffer),
        queue: narrow.queue.clone(),
        sync: pace.sync.name(),
        seed: pace.seed,
        wanted_utilisation: target,
        packet_bytes: size.packet.value(),
        mss_bytes: size.mss.value(),
    };
    let shares = answers.iter().filter_map(|answer| answer.flows.as_ref());
    let losses = shares.flatten().filter_map(|flow| flow.loss);
    notes.extend(timeouts_note(
        losses.map(|p| (p, LossModel::Synchronized.name())),
        NO_TIMEOUTS,
    ));
    notes.extend(sync_note(pace.sync, context));
    let mut envelope = Envelope::new(query, answers);
    envelope.notes = notes;
    Ok(envelope)
}

impl Asked<'_> {
    fn epoch(
        &self,
        members: &[Member<'_>],
        link: SharedLink,
        target: Option<f64>,
    ) -> Result<ShareAnswer> {
        if !self.narrow.is_drop_tail() {
            return Err(Error::NoAnswer(
                "losses of a queue that drops before it is full do not hit all flows together: see the roads `closed` and `fluid`".into(),
            ));
        }
        let road = find_road("epoch")?;
        for flow in self.flows {
            for chosen in road.functions(&flow.law, &self.context.for_law(&flow.law))? {
                chosen.function.map_err(Error::NoAnswer)?;
            }
        }
        let link = match target {
            None => link,
            Some(target) => SharedLink {
                buffer: buffer_for(target, self.pipe(), &|buffer| {
                    let link = SharedLink { buffer, ..link };
                    match equilibria(members, link)?.first() {
                        None => Ok(0.0),
                        Some(found) if target >= 1.0 => left_by_a_loss(members, link, found),
                        Some(found) => Ok(found.utilisation),
                    }
                })?,
                ..link
            },
        };
        let all = equilibria(members, link)?;
        let found = all
            .first()
            .ok_or_else(|| Error::NoAnswer("no equilibrium".into()))?;
        let mut answer = ShareAnswer {
            form: Some("law".into()),
            losses: Some(SYNCHRONISED.into()),
            source: Some(format!("{TOGETHER}, by the laws' two verbs")),
            note: (all.len() > 1).then(|| {
                let others: Vec<String> = all
                    .iter()
                    .skip(1)
                    .map(|other| {
                        let peaks: Vec<String> = other
                            .parts
                            .iter()
                            .map(|p| crate::units::significant(p.peak, 6))
                            .collect();
                        peaks.join(", ")
                    })
                    .collect();
                format!(
                    "a decrease rule jumps here: another equilibrium has peak windows of {} packets",
                    others.join(" or ")
                )
            }),
            ..ShareAnswer::blank("epoch")
        }
        .of_equilibrium(found, self.flows, self.context.size);
        answer.buffer_pkt = Some(link.buffer);
        answer.buffer_bdp = Some(link.buffer / self.pipe());
        let mut missing = vec![DROPS, NO_REGIME];
        let additive: Option<Vec<Aimd>> = members
            .iter()
            .zip(&found.parts)
            .map(|(member, part)| as_additive(member, part.peak))
            .collect();
        match additive {
            Some(kinds) => {
                let mut each = Vec::new();
                for (kind, member) in kinds.iter().zip(members) {
                    // Flows that are alike add the eigenvalue β, so two of a kind say as much as a thousand.
                    let growth = kind.growth;
                    let shown = if member.count > 1.0 { 2.0 } else { 1.0 };
                    each.extend(vec![
                        Aimd {
                            growth: growth * member.count / shown,
                            ..*kind
                        };
                        shown as usize
                    ]);
                }
                let found_spectrum = spectrum(&each)?;
                match (found_spectrum.second(), found_spectrum.losses_to(0.05)) {
                    (Some(second), Some(losses)) => {
                        answer.convergence = Some(ConvergenceAnswer {
                            second_eigenvalue: second,
                            losses_to_5_percent: losses,
                            seconds_to_5_percent: Some(losses * found.seconds),
                        });
                    }
                    _ => missing.push("one flow alone has nothing to converge to"),
                }
            }
            None => missing.push("growth is not additive here, so no matrix of convergence"),
        }
        match self.standard_loses(members, link)? {
            Some(share) => answer.standard_tcp_loses = Some(share),
            None => missing.push("standard TCP and others are not both there"),
        }
        answer.reason = Some(missing.join("; "));
        Ok(answer)
    }

    /// What flows of standard TCP lose to the others.
    fn standard_loses(&self, members: &[Member<'_>], link: SharedLink) -> Result<Option<f64>> {
        let standard = Selected::standard()?.spec();
        let split = |own: bool| -> Vec<Member<'_>> {
            self.flows
                .iter()
                .zip(members)
                .filter(|(flow, _)| (flow.law.spec() == standard) == own)
                .map(|(_, member)| *member)
                .collect()
        };
        let (old, new) = (split(true), split(false));
        if old.is_empty() || new.is_empty() {
            return Ok(None);
        }
        match taken(&old, &new, link) {
            Ok(found) => Ok(Some(found.share)),
            Err(error) => reason_of(error).map(|_| None),
        }
    }

    fn fluid(
        &self,
        members: &[Member<'_>],
        link: SharedLink,
        target: Option<f64>,
        notes: &mut Vec<String>,
    ) -> Result<ShareAnswer> {
        if target.is_some() {
            return Err(Error::NoAnswer(
                "a run for every trial buffer would be needed: this road does not invert".into(),
            ));
        }
        let epoch = equilibria(members, link)
            .ok()
            .and_then(|all| all.first().map(|e| e.seconds));
        let (summary, more) = run(self.flows, self.narrow, self.context.size, self.pace, epoch)?;
        notes.extend(more);
        let mut answer = ShareAnswer {
            form: Some("law".into()),
            losses: Some(at_an_overflow(self.pace.sync)),
            source: Some("fluid: the laws' two verbs, a queue, losses as events".into()),
            ..ShareAnswer::blank("fluid")
        }
        .of_run(&summary, self.context.size);
        answer.buffer_pkt = Some(link.buffer);
        answer.buffer_bdp = Some(link.buffer / self.pipe());
        let mut missing = vec![
            "a run has no single time from loss to loss, no peak window and no matrix",
            NO_REGIME,
        ];
        if summary.flows.iter().any(|flow| flow.sent <= 0.0) {
            missing.push(SILENT);
        }
        why_not(&mut answer, missing);
        Ok(answer)
    }
}

/// Says what a closed form or a run leaves to the road `epoch`.
pub(super) fn why_not(answer: &mut ShareAnswer, mut missing: Vec<&str>) {
    missing.push("convergence and what standard TCP loses: see the road `epoch`");
    answer.reason = Some(missing.join("; "));
}

const NO_REGIME: &str = "no formula, so no regime of one";
pub(super) const TOGETHER: &str = "xu2004 section III: equal time from loss to loss";
pub(super) const SYNCHRONISED: &str = "every loss hits all flows";
pub(super) const DROPS: &str = "how many packets an overflow drops is for the road `fluid`";
