//! The closed road of flows on one bottleneck: response functions over the whole of it, the sawtooth of flows that are alike,
//! and a queue that drops before it is full.

use super::answers::ShareAnswer;
use super::share::{Asked, DROPS, SYNCHRONISED, TOGETHER, why_not};
use crate::analysis::SharedLink;
use crate::analysis::rtt_unfairness::{Equilibrium, Responding, Shared, response_equilibrium};
use crate::analysis::shares::{buffer_for, early_drop};
use crate::error::{Error, Result};
use crate::model::{LossModel, Path, ResponseFunction};
use crate::network::{Situation, parse_queue};
use crate::units::{LossRate, Seconds};
use crate::what_if::reason_of;

/// Flows on their response functions, losing together.
struct Responses {
    found: Equilibrium,
    form: String,
    regime: Option<String>,
    /// Whether every form has a peak window.
    peaked: bool,
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
                buffer: buffer_for(target, self.pipe(), &|buffer| {
                    let link = SharedLink { buffer, ..link };
                    match self.tooth(link) {
                        Some(tooth) => tooth.map(|(u, ..)| u),
                        None => self.by_responses(link).map(|all| all.found.utilisation),
                    }
                })?,
                ..link
            },
        };
        let all = self.by_responses(link)?;
        let mut answer = ShareAnswer {
            form: Some(all.form),
            losses: Some(SYNCHRONISED),
            regime: all.regime,
            source: Some(TOGETHER.into()),
            note: Some(if all.peaked {
                "each flow on its response function, the round trips held at their mean".into()
            } else {
                "no peak windows in this form: the mean windows fill the link, so its utilisation is 1"
                    .into()
            }),
            ..ShareAnswer::blank("closed")
        }
        .of_equilibrium(&all.found, self.flows, self.context.size);
        if link.buffer == 0.0 {
            answer.queue_p95_pkt = Some(0.0);
        }
        let mut missing = vec![DROPS];
        match self.tooth(link) {
            Some(Ok((utilisation, queue, seconds, source))) => {
                answer.utilisation = Some(utilisation);
                answer.queue_mean_pkt = Some(queue);
                answer.seconds_between_losses = Some(seconds);
                if let Some(list) = &mut answer.flows {
                    let each = utilisation * self.narrow.link.value() / list.len() as f64;
                    let payload = self.context.size.mss.value() / self.context.size.packet.value();
                    for flow in list {
                        flow.rate_bps = each;
                        flow.goodput_bps = each * payload;
                    }
                }
                let source = format!("utilisation, queue and time: {source}");
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

    pub(super) fn pipe(&self) -> f64 {
        self.narrow.pipe(self.flows, self.context.size)
    }

    fn by_responses(&self, link: SharedLink) -> Result<Responses> {
        let functions = self.functions(false)?;
        let (found, peaked) =
            response_equilibrium(&self.responding(&functions), link, Shared::Epoch)?;
        Ok(Responses {
            form: forms(&functions),
            regime: self.regime(&functions, &found),
            found,
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

    /// Utilisation, queue and time of flows that are all alike, if their law has them in closed form.
    fn tooth(&self, link: SharedLink) -> Option<Result<(f64, f64, f64, &'static str)>> {
        let first = self.flows.first().filter(|_| self.alike())?;
        let form = first.law.algorithm.sawtooth(&first.law.setting)?;
        let count: f64 = self.flows.iter().map(|f| f.count as f64).sum();
        let pipe = link.capacity * first.rtt_s;
        Some(
            form.tooth(pipe / count, link.buffer / count, first.rtt_s)
                .map(|tooth| {
                    (
                        tooth.utilisation,
                        tooth.queue * count,
                        tooth.seconds,
                        tooth.source,
                    )
                }),
        )
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
            losses: Some("the same loss rate for all"),
            regime: self.regime(&functions, &found),
            source: Some("derived: the queue at which the response functions fill the link".into()),
            note: Some(
                "standing queue; what the queue learns in time (adaptive RED) is held at its start"
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
            ],
        );
        Ok(answer)
    }
}
