//! What does a longer round trip cost?

use super::run::{Pace, run};
use super::{Contender, MEAN_WINDOWS, Narrow, SAME_LOSS, hits_all, pinned, sync_note};
use crate::algorithms::Selected;
use crate::analysis::rtt_unfairness::{
    Equilibrium, Exponent, Responding, Shared, equilibria, exponents, response_equilibrium,
};
use crate::analysis::{Member, SharedLink, check};
use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction};
use crate::units::{LossRate, Packets, Seconds};
use crate::what_if::{Chosen, Context, Envelope, LawName, Road, reason_of};
use serde::Serialize;

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct UnfairnessQuery {
    /// `unfairness`.
    pub verb: &'static str,
    /// The law.
    #[serde(flatten)]
    pub law: LawName,
    /// Round trips without queues, one flow each, seconds.
    pub rtts_s: Vec<f64>,
    /// Capacity on the wire.
    pub link_bps: Option<f64>,
    /// Drop-tail buffer, packets.
    pub buffer_pkt: Option<f64>,
    /// Mean window of the first flow at which the exponents hold, if one was asked for.
    pub window_pkt: Option<f64>,
    /// Who loses when the buffer overflows, on the road `fluid`.
    pub sync: String,
    /// Seed of the road `fluid`.
    pub seed: u64,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// One road's answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct UnfairnessAnswer {
    /// The road.
    pub road: &'static str,
    /// The form.
    pub form: Option<&'static str>,
    /// How losses hit the flows: `synchronised` or `independent`; of a run who loses when the buffer overflows.
    pub losses: Option<String>,
    /// Exponent of the rate ratio under synchronised losses, (1−e)/(1−d) where the first flow stands.
    pub exponent: Option<f64>,
    /// Exponent under equal independent loss rates, 1−e.
    pub independent_exponent: Option<f64>,
    /// ln ratio/ln(second RTT/first RTT).
    pub effective_exponent: Option<f64>,
    /// Rate of the first flow over the second's.
    pub ratio: Option<f64>,
    /// Bits per second on the wire of each flow.
    pub rates_bps: Option<Vec<f64>>,
    /// Packets per round trip of each flow, averaged over rounds.
    pub windows_pkt: Option<Vec<f64>>,
    /// Window just before a loss of each flow.
    pub peaks_pkt: Option<Vec<f64>>,
    /// Share of the capacity used.
    pub utilisation: Option<f64>,
    /// Seconds from loss to loss.
    pub seconds_between_losses: Option<f64>,
    /// Reference key and equation.
    pub source: Option<String>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

impl UnfairnessAnswer {
    fn blank(road: &'static str, form: Option<&'static str>) -> Self {
        Self {
            road,
            form,
            losses: None,
            exponent: None,
            independent_exponent: None,
            effective_exponent: None,
            ratio: None,
            rates_bps: None,
            windows_pkt: None,
            peaks_pkt: None,
            utilisation: None,
            seconds_between_losses: None,
            source: None,
            note: None,
            reason: None,
        }
    }
}

/// Where the exponents are looked up.
struct Point {
    loss: LossRate,
    rtt: f64,
}

struct Asked<'a> {
    law: &'a Selected,
    rtts: &'a [f64],
    narrow: Option<&'a Narrow>,
    window: Option<f64>,
    pace: &'a Pace,
    context: &'a Context,
    flows: Vec<Contender>,
}

/// Asks every road of the context how rates fall with the round trip: one flow of `law` for each of `rtts`, on a link if one is
/// given. `window` sets where the exponents hold; without it and without a link they must be the same everywhere.
///
/// # Errors
/// [`Error::Arguments`] for fewer than two different round trips, or a formula that is no law; what
/// [`equilibria`] refuses.
pub fn unfairness(
    law: &Selected,
    rtts: &[f64],
    narrow: Option<&Narrow>,
    window: Option<f64>,
    pace: &Pace,
    context: &Context,
) -> Result<Envelope<UnfairnessQuery, UnfairnessAnswer>> {
    let mut different = rtts.to_vec();
    different.sort_by(f64::total_cmp);
    different.dedup();
    if different.len() < 2 {
        return Err(Error::Arguments(format!(
            "unfairness compares different round trips and {} given: give at least two that differ, such as --rtt 40ms --rtt 120ms",
            match rtts {
                [] => "none is".to_owned(),
                [one] => format!("only {one} s is"),
                [one, ..] => format!("only {one} s, {} times, is", rtts.len()),
            }
        )));
    }
    let flows: Vec<Contender> = rtts
        .iter()
        .map(|rtt| Contender::new(law.clone(), *rtt))
        .collect();
    let size = context.size;
    let link = narrow.map(|narrow| narrow.shared(&flows, size));
    let asked = Asked {
        law,
        rtts,
        narrow,
        window,
        pace,
        context,
        flows,
    };
    if let Some(link) = link {
        // Refused once for all roads.
        let own = law.law()?;
        check(&asked.members(own.as_ref()), link)?;
    }
    let (mut answers, mut notes) = (Vec::new(), Vec::new());
    for road in &context.roads {
        if road.name == "fluid" {
            answers.push(asked.fluid(link, &mut notes)?);
            continue;
        }
        for chosen in road.functions(law, context)? {
            answers.push(asked.by_function(road, chosen, link)?);
        }
    }
    let query = UnfairnessQuery {
        verb: "unfairness",
        law: law.into(),
        rtts_s: rtts.to_vec(),
        link_bps: narrow.map(|n| n.link.value()),
        buffer_pkt: link.map(|l| l.buffer),
        window_pkt: window,
        sync: pace.sync.name(),
        seed: pace.seed,
        packet_bytes: size.packet.value(),
        mss_bytes: size.mss.value(),
    };
    notes.extend(sync_note(pace.sync, context));
    let mut envelope = Envelope::new(query, answers);
    envelope.notes = notes;
    Ok(envelope)
}

/// Loss rates at which an exponent that depends on nothing is looked up.
const PROBES: [f64; 3] = [1e-6, 1e-7, 1e-8];
/// Exponents that differ by less than this are one.
const SAME: f64 = 1e-4;

impl Asked<'_> {
    fn members<'a>(&self, law: &'a dyn crate::model::WindowLaw) -> Vec<Member<'a>> {
        self.rtts
            .iter()
            .map(|&base_rtt| Member {
                law,
                base_rtt,
                count: 1.0,
            })
            .collect()
    }

    fn path(rtt: f64, base_rtt: f64) -> Path {
        Path {
            rtt: Some(Seconds::new(rtt)),
            base_rtt: Some(Seconds::new(base_rtt.min(rtt))),
        }
    }

    /// Both exponents where the question says, or the reason why there are none.
    fn exponents(
        &self,
        function: &dyn ResponseFunction,
        point: Option<&Point>,
    ) -> Result<(Option<Exponent>, Option<Exponent>)> {
        let both = |(together, alone)| (Some(together), Some(alone));
        let base = self.rtts[0];
        if let Some(window) = self.window {
            let path = Self::path(base, base);
            let p = function.loss_for(Packets::new(window), &path)?;
            return exponents(&function.respond(p, &path)?).map(both);
        }
        if let Some(Point { loss, rtt }) = point {
            return exponents(&function.respond(*loss, &Self::path(*rtt, base))?).map(both);
        }
        let path = Self::path(base, base);
        let mut all = Vec::new();
        for p in PROBES {
            all.push(exponents(&function.respond(LossRate::new(p)?, &path)?)?);
        }
        let constant = |pick: &dyn Fn(&(Exponent, Exponent)) -> Exponent| {
            let first = all.first().map(pick)?;
            all.iter()
                .all(|here| match (first, pick(here)) {
                    (Exponent::Finite(a), Exponent::Finite(b)) => {
                        (a - b).abs() <= SAME * a.abs().max(1.0)
                    }
                    (a, b) => a == b,
                })
                .then_some(first)
        };
        Ok((constant(&|both| both.0), constant(&|both| both.1)))
    }

    fn by_function(
        &self,
        road: &Road,
        chosen: Chosen,
        link: Option<SharedLink>,
    ) -> Result<UnfairnessAnswer> {
        let mut answer = UnfairnessAnswer::blank(road.name, chosen.form);
        let function = match chosen.function {
            Ok(function) => function,
            Err(reason) => {
                answer.reason = Some(reason);
                return Ok(answer);
            }
        };
        let together = hits_all(function.loss_model());
        answer.losses = Some(
            if together {
                "synchronised"
            } else {
                "independent"
            }
            .to_owned(),
        );
        let mut missing = Vec::new();
        let found = match (link, road.name) {
            (None, _) => None,
            (Some(link), "closed") => Some(self.closed(function.as_ref(), link, together)),
            (Some(link), "epoch") => Some(self.epoch(link)),
            (Some(_), _) => Some(Err(Error::NoAnswer(
                "this road has no network: a flow alone at a loss rate".into(),
            ))),
        };
        let mut point = None;
        match found {
            None => missing.push("no --link given, so no rates".to_owned()),
            Some(Err(error)) => missing.push(reason_of(error)?),
            Some(Ok((equilibrium, note))) => {
                self.fill(&mut answer, &equilibrium);
                answer.note = note;
                let part = equilibrium.parts[0];
                point = Some(Point {
                    loss: LossRate::new(part.loss)?,
                    rtt: part.window / part.rate,
                });
            }
        }
        let place = match point {
            // Where nothing repeats itself the exponents are those of a fair share.
            None => link
                .map(|link| self.fair(function.as_ref(), link))
                .transpose(),
            some => Ok(some),
        };
        let searched = place.and_then(|place| self.exponents(function.as_ref(), place.as_ref()));
        match searched {
            Ok((of_epochs, of_losses)) => {
                answer.independent_exponent = of_losses.map(Exponent::value);
                match of_epochs {
                    Some(Exponent::Finite(x)) => answer.exponent = Some(x),
                    Some(Exponent::Infinite) => missing.push(
                        "infinite exponent: the slope is 1, every window takes as long to come back, and the longer path starves until its law falls back to standard TCP".into(),
                    ),
                    None => {}
                }
                if of_epochs.is_none() || of_losses.is_none() {
                    missing.push(
                        "the exponent depends on the window: give --window, or --link and --buffer"
                            .into(),
                    );
                }
                let own = if together { of_epochs } else { of_losses };
                if let (None, Some(Exponent::Finite(x))) = (link, own) {
                    answer.ratio = Some((self.rtts[1] / self.rtts[0]).powf(x));
                    answer.note = Some(match self.window {
                        Some(_) => "the ratio as if the exponent were the same at both flows' windows".into(),
                        None => "the ratio (second RTT/first RTT)^exponent at small loss rates; RTT without queues".into(),
                    });
                }
            }
            Err(error) => missing.push(reason_of(error)?),
        }
        answer.effective_exponent = self.effective(answer.ratio);
        answer.source = Some(if together {
            "xu2004 section III: equal time from loss to loss".into()
        } else {
            SAME_LOSS.to_owned()
        });
        missing.dedup();
        answer.reason = (!missing.is_empty()).then(|| missing.join("; "));
        Ok(answer)
    }

    fn effective(&self, ratio: Option<f64>) -> Option<f64> {
        let spread = (self.rtts[1] / self.rtts[0]).ln();
        ratio
            .filter(|_| spread != 0.0)
            .map(|ratio| ratio.ln() / spread)
            .filter(|x| x.is_finite())
    }

    /// The point of the response at an equal share of the link.
    fn fair(&self, function: &dyn ResponseFunction, link: SharedLink) -> Result<Point> {
        let rtt = self.rtts[0];
        let window = link.capacity * rtt / self.rtts.len() as f64;
        Ok(Point {
            loss: function.loss_for(Packets::new(window), &Self::path(rtt, rtt))?,
            rtt,
        })
    }

    fn closed(
        &self,
        function: &dyn ResponseFunction,
        link: SharedLink,
        together: bool,
    ) -> Result<(Equilibrium, Option<String>)> {
        let flows: Vec<Responding<'_>> = self
            .rtts
            .iter()
            .map(|&base_rtt| Responding {
                function,
                base_rtt,
                count: 1.0,
            })
            .collect();
        let shared = if together {
            Shared::Epoch
        } else {
            Shared::Loss
        };
        let (found, peaked) = response_equilibrium(&flows, link, shared)?;
        let note = match (together, peaked) {
            (true, true) if link.buffer == 0.0 => None,
            (true, true) => Some("the round trips held at their mean".to_owned()),
            (true, false) => Some(format!("no peak windows in this form: {MEAN_WINDOWS}")),
            (false, _) => Some(format!(
                "the same loss rate for all flows, as under RED; {MEAN_WINDOWS}"
            )),
        };
        let ratio = |other: &Equilibrium| {
            let ratio = other.ratio().unwrap_or(f64::NAN);
            format!("the ratio would be {}", crate::units::significant(ratio, 6))
        };
        let note = match (pinned(&found, &flows, link, shared, &ratio)?, note) {
            (Some(pinned), Some(note)) => Some(format!("{note}; {pinned}")),
            (pinned, note) => pinned.or(note),
        };
        Ok((found, note))
    }

    fn epoch(&self, link: SharedLink) -> Result<(Equilibrium, Option<String>)> {
        let law = self.law.law()?;
        let all = equilibria(&self.members(law.as_ref()), link)?;
        let note = (all.len() > 1).then(|| {
            let ratios: Vec<String> = all
                .iter()
                .skip(1)
                .filter_map(|e| e.ratio().ok())
                .map(|r| crate::units::significant(r, 6))
                .collect();
            format!(
                "the decrease rule jumps here: another equilibrium has a ratio of {}",
                ratios.join(" or ")
            )
        });
        all.into_iter()
            .next()
            .map(|found| (found, note))
            .ok_or_else(|| Error::NoAnswer("no equilibrium".into()))
    }

    fn fill(&self, answer: &mut UnfairnessAnswer, found: &Equilibrium) {
        let bits = 8.0 * self.context.size.packet.value();
        answer.ratio = found.ratio().ok();
        answer.rates_bps = Some(found.parts.iter().map(|p| p.rate * bits).collect());
        answer.windows_pkt = Some(found.parts.iter().map(|p| p.window).collect());
        answer.peaks_pkt = found
            .parts
            .iter()
            .map(|p| p.peak.is_finite().then_some(p.peak))
            .collect();
        answer.utilisation = Some(found.utilisation);
        answer.seconds_between_losses = found.seconds.is_finite().then_some(found.seconds);
    }

    fn fluid(&self, link: Option<SharedLink>, notes: &mut Vec<String>) -> Result<UnfairnessAnswer> {
        let mut answer = UnfairnessAnswer::blank("fluid", Some("law"));
        let (Some(link), Some(narrow)) = (link, self.narrow) else {
            answer.reason = Some("no --link given: nothing for the flows to share".into());
            return Ok(answer);
        };
        let epoch = self.epoch(link).ok().map(|(found, _)| found.seconds);
        match run(&self.flows, narrow, self.context.size, self.pace, epoch) {
            Ok((summary, more)) => {
                notes.extend(more);
                let bits = 8.0 * self.context.size.packet.value();
                let rates: Vec<f64> = summary.flows.iter().map(|f| f.rate * bits).collect();
                answer.ratio = (rates[1] > 0.0).then(|| rates[0] / rates[1]);
                answer.effective_exponent = self.effective(answer.ratio);
                answer.losses = Some(self.pace.sync.name());
                answer.rates_bps = Some(rates);
                answer.windows_pkt = summary.flows.iter().map(|f| f.window).collect();
                answer.utilisation = summary.links.first().map(|l| l.utilisation);
                answer.reason = Some(
                    "a run gives a ratio and its effective exponent, no exponent at a window; no peaks and no single time from loss to loss".into(),
                );
            }
            Err(error) => answer.reason = Some(reason_of(error)?),
        }
        Ok(answer)
    }
}
