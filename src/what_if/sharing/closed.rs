//! The closed road of flows on one bottleneck: response functions over the whole of it, the sawtooth of flows that are alike,
//! and a queue that drops before it is full.

use super::answers::ShareAnswer;
use super::share::{Asked, DROPS, SYNCHRONISED, TOGETHER, why_not};
use super::{EQUALLY, MEAN_WINDOWS, SAME_LOSS, hits_all, pinned};
use crate::analysis::SharedLink;
use crate::analysis::rtt_unfairness::{Equilibrium, Responding, Shared, response_equilibrium};
use crate::analysis::shares::{buffer_for, early_drop};
use crate::error::{Error, Result};
use crate::model::{LossModel, Path, ResponseFunction, Tooth};
use crate::network::{Situation, parse_queue};
use crate::units::{LossRate, Seconds, significant};
use crate::what_if::reason_of;

/// Flows on their response functions.
struct Responses {
    found: Equilibrium,
    form: String,
    regime: Option<String>,
    shared: Shared,
    /// Whether every form has a peak window.
    peaked: bool,
    /// What is to be said of a queue that the forms do not determine.
    pinned: Option<String>,
}

impl Responses {
    /// Whether they lose together and their peak windows meet the full buffer.
    fn is_sawtooth(&self) -> bool {
        self.peaked && self.shared == Shared::Epoch
    }

    fn note(&self) -> String {
        let note = match (self.shared, self.peaked) {
            (Shared::Loss, _) => format!("{SAME_LOSS}; {MEAN_WINDOWS}, so its utilisation is 1"),
            (Shared::Epoch, false) => {
                format!("no peak windows in this form: {MEAN_WINDOWS}, so its utilisation is 1")
            }
            (Shared::Epoch, true) => {
                "each flow on its response function, the round trips held at their mean".to_owned()
            }
        };
        match &self.pinned {
            Some(pinned) => format!("{note}; {pinned}"),
            None => note,
        }
    }
}

fn forms(functions: &[Box<dyn ResponseFunction>]) -> String {
    let mut names: Vec<&str> = functions.iter().map(|f| f.form()).collect();
    names.dedup();
    names.join(", ")
}

impl Asked<'_> {
    fn alike(&self) -> bool {
        self.flows.windows(2).all(|pair| {
            pair[0].law.spec() == pair[1].law.spec()
                && pair[0].rtt_s.to_bits() == pair[1].rtt_s.to_bits()
        })
    }

    /// The response function of each flow, all under losses of a kind.
    fn functions(&self, random: bool) -> Result<Vec<Box<dyn ResponseFunction>>> {
        let mut functions = Vec::new();
        for flow in self.flows {
            let mut own = self.context.for_law(&flow.law);
            if random && own.form.is_none() {
                own.loss_model = Some(LossModel::Random);
            }
            let road = crate::what_if::find_road("closed")?;
            let mut chosen = road.functions(&flow.law, &own)?;
            if random && chosen.first().is_none_or(|c| c.function.is_err()) {
                own.loss_model = None;
                chosen = road.functions(&flow.law, &own)?;
            }
            let first = chosen.into_iter().next().ok_or_else(|| {
                Error::NoAnswer(format!("`{}` has no closed form", flow.law.spec()))
            })?;
            functions.push(first.function.map_err(Error::NoAnswer)?);
        }
        Ok(functions)
    }

    pub(super) fn closed(&self, link: SharedLink, target: Option<f64>) -> Result<ShareAnswer> {
        if !self.narrow.is_drop_tail() {
            return self.dropped_early(link, target);
        }
        let link = match target {
            None => link,
            Some(target) => SharedLink {
                buffer: self.buffer(link, target)?,
                ..link
            },
        };
        let all = self.by_responses(link)?;
        let (losses, source) = match all.shared {
            Shared::Epoch => (SYNCHRONISED, TOGETHER),
            Shared::Loss => (EQUALLY, SAME_LOSS),
        };
        let mut answer = ShareAnswer {
            form: Some(all.form.clone()),
            losses: Some(losses.into()),
            regime: all.regime.clone(),
            source: Some(source.into()),
            note: Some(all.note()),
            ..ShareAnswer::blank("closed")
        }
        .of_equilibrium(&all.found, self.flows, self.context.size);
        if link.buffer == 0.0 {
            answer.queue_p95_pkt = Some(0.0);
        }
        let mut missing = vec![DROPS];
        if all.shared == Shared::Loss {
            missing.push("flows do not lose together, so no time from loss to loss and no matrix");
        }
        if !all.is_sawtooth() {
            missing.push("no peak windows");
        }
        if answer.queue_mean_pkt.is_none() {
            missing.push("mean windows leave the mean queue open");
        }
        match self.tooth(link).filter(|_| all.is_sawtooth()) {
            Some(Ok(tooth)) => {
                answer.utilisation = Some(tooth.utilisation);
                answer.queue_mean_pkt = Some(tooth.queue);
                answer.seconds_between_losses = Some(tooth.seconds);
                if let Some(list) = &mut answer.flows {
                    let each = tooth.utilisation * self.narrow.link.value() / list.len() as f64;
                    let payload = self.context.size.mss.value() / self.context.size.packet.value();
                    for flow in list {
                        flow.rate_bps = each;
                        flow.goodput_bps = each * payload;
                    }
                }
                let source = format!("utilisation, queue and time: {}", tooth.source);
                answer.source = Some(format!("{TOGETHER}; {source}"));
                answer.note = Some(source);
            }
            Some(Err(error)) => answer.note = Some(reason_of(error)?),
            None => {}
        }
        if answer.queue_p95_pkt.is_none() {
            missing.push("no distribution of the queue in a closed form");
        }
        answer.buffer_pkt = Some(link.buffer);
        answer.buffer_bdp = Some(link.buffer / self.pipe());
        why_not(&mut answer, missing);
        Ok(answer)
    }

    /// The buffer that gives a utilisation.
    fn buffer(&self, link: SharedLink, target: f64) -> Result<f64> {
        if self.by_responses(link).is_ok_and(|all| !all.is_sawtooth()) {
            return Err(Error::NoAnswer(format!(
                "{MEAN_WINDOWS} whatever the buffer: no buffer follows from a form without peak windows that all meet at a loss"
            )));
        }
        buffer_for(target, self.pipe(), &|buffer| {
            let link = SharedLink { buffer, ..link };
            match self.tooth(link) {
                // The link is never idle from where a loss leaves the pipe full; its utilisation comes near 1 with slope 0.
                Some(tooth) if target >= 1.0 => tooth.map(|t| t.low / self.pipe()),
                Some(tooth) => tooth.map(|t| t.utilisation),
                None => self.by_responses(link).map(|all| all.found.utilisation),
            }
        })
    }

    pub(super) fn pipe(&self) -> f64 {
        self.narrow.pipe(self.flows, self.context.size)
    }

    fn by_responses(&self, link: SharedLink) -> Result<Responses> {
        let functions = self.functions(false)?;
        let shared = if functions.iter().all(|f| hits_all(f.loss_model())) {
            Shared::Epoch
        } else {
            Shared::Loss
        };
        let flows = self.responding(&functions);
        let (found, peaked) = response_equilibrium(&flows, link, shared)?;
        let shares = |found: &Equilibrium| {
            let total: f64 = flows
                .iter()
                .zip(&found.parts)
                .map(|(flow, part)| flow.count * part.rate)
                .sum();
            let each: Vec<String> = found
                .parts
                .iter()
                .map(|part| format!("{} %", significant(100.0 * part.rate / total, 4)))
                .collect();
            format!("a flow's share would be {}", each.join(", "))
        };
        Ok(Responses {
            form: forms(&functions),
            regime: self.regime(&functions, &found),
            pinned: pinned(&found, &flows, link, shared, &shares)?,
            found,
            shared,
            peaked,
        })
    }

    /// The regimes of the response functions where the flows stand.
    fn regime(
        &self,
        functions: &[Box<dyn ResponseFunction>],
        found: &Equilibrium,
    ) -> Option<String> {
        let mut regimes: Vec<String> = Vec::new();
        for ((flow, function), part) in self.flows.iter().zip(functions).zip(&found.parts) {
            let path = Path {
                rtt: Some(Seconds::new(part.window / part.rate)),
                base_rtt: Some(Seconds::new(flow.rtt_s)),
            };
            let here = function.respond(LossRate::new(part.loss).ok()?, &path);
            let regime = here.ok()?.regime.into_owned();
            if !regimes.contains(&regime) {
                regimes.push(regime);
            }
        }
        Some(regimes.join(", "))
    }

    fn responding<'a>(&self, functions: &'a [Box<dyn ResponseFunction>]) -> Vec<Responding<'a>> {
        self.flows
            .iter()
            .zip(functions)
            .map(|(flow, function)| Responding {
                function: function.as_ref(),
                base_rtt: flow.rtt_s,
                count: flow.count as f64,
            })
            .collect()
    }

    /// The sawtooth of flows that are all alike, all of them together, if their law has it in closed form.
    fn tooth(&self, link: SharedLink) -> Option<Result<Tooth>> {
        let first = self.flows.first().filter(|_| self.alike())?;
        let form = first.law.algorithm.sawtooth(&first.law.setting)?;
        let count: f64 = self.flows.iter().map(|f| f.count as f64).sum();
        let pipe = link.capacity * first.rtt_s;
        let tooth = form.tooth(pipe / count, link.buffer / count, first.rtt_s);
        Some(tooth.map(|tooth| Tooth {
            low: tooth.low * count,
            queue: tooth.queue * count,
            ..tooth
        }))
    }

    /// A queue that drops before it is full gives all the same loss rate.
    fn dropped_early(&self, link: SharedLink, target: Option<f64>) -> Result<ShareAnswer> {
        if target.is_some() {
            return Err(Error::NoAnswer(
                "the buffer of a queue that drops early does not decide its utilisation".into(),
            ));
        }
        let queue = parse_queue(&self.narrow.queue, link.capacity, self.context.size.packet)?;
        let drop = |waiting: f64| -> f64 {
            let mut own = vec![0.0; queue.states().len()];
            queue.start(waiting, &mut own);
            let now = Situation {
                capacity: link.capacity,
                buffer: link.buffer,
                queue: waiting,
                arrival: link.capacity,
                flows: &[],
            };
            queue.signal(&own, &now, 0).drop
        };
        let functions = self.functions(true)?;
        let found = early_drop(
            &self.responding(&functions),
            link.capacity,
            link.buffer,
            &drop,
        )?;
        let mut answer = ShareAnswer {
            form: Some(forms(&functions)),
            losses: Some(EQUALLY.into()),
            regime: self.regime(&functions, &found),
            source: Some("derived: the queue at which the response functions fill the link".into()),
            note: Some(
                "the fixed point, a standing queue: whether the loop stays there is for `stability red` and the road `fluid`; what the queue learns in time (adaptive RED) is held at its start"
                    .into(),
            ),
            ..ShareAnswer::blank("closed")
        }
        .of_equilibrium(&found, self.flows, self.context.size);
        answer.drop_fraction = found.parts.first().map(|part| part.loss);
        answer.buffer_pkt = Some(link.buffer);
        answer.buffer_bdp = Some(link.buffer / self.pipe());
        why_not(
            &mut answer,
            vec![
                "flows do not lose together, so no time from loss to loss and no matrix",
                "no peak windows",
                "a fixed point has no distribution of the queue",
            ],
        );
        Ok(answer)
    }
}
