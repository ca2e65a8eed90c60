//! What a run adds up to, by quadrature on the dense output: looking does not influence the steps.

use super::forecast::{Forecast, WEIGHTS};
use super::histogram::Histogram;
use super::plan::Plan;
use super::scenario::Scenario;
use crate::numeric::dde::Piece;
use crate::numeric::statistics::jain;

/// What a flow got in the measured time.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowSummary {
    /// What the scenario calls it.
    pub label: String,
    /// Round trip without queues, seconds.
    pub base_rtt: f64,
    /// Packets delivered per second of the measured time.
    pub rate: f64,
    /// Packets sent per round trip, averaged over rounds; `None` if it sent nothing or has no window.
    pub window: Option<f64>,
    /// Losses that it reacted to.
    pub loss_events: u64,
    /// Packets sent.
    pub sent: f64,
    /// Packets lost.
    pub lost: f64,
    /// Packets delivered per second in equal parts of the measured time.
    pub rates: Vec<f64>,
    /// When all of its packets were sent, if it had a size.
    pub completed: Option<f64>,
}

/// What a link did in the measured time.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkSummary {
    /// Its name.
    pub name: String,
    /// Share of its capacity that was used.
    pub utilisation: f64,
    /// Mean queue, packets.
    pub queue_mean: f64,
    /// Queue that is exceeded 5 % of the time, packets.
    pub queue_p95: f64,
    /// Share of the packets offered that were dropped.
    pub drop_fraction: f64,
}

/// What a run adds up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// One for each flow, in their order.
    pub flows: Vec<FlowSummary>,
    /// One for each link, in their order.
    pub links: Vec<LinkSummary>,
    /// Jain's index of the rates; `None` if nothing was sent.
    pub jain: Option<f64>,
    /// Jain's index in equal parts of the measured time.
    pub jain_slices: Vec<Option<f64>>,
    /// Steps that the run took.
    pub steps: usize,
}

/// Adds up while the run goes on.
pub(super) struct Meter<'a> {
    plan: &'a Plan,
    scenario: &'a Scenario,
    sums: FlowSums,
    /// Delivered packets of every flow in the slice being measured.
    slice: Vec<f64>,
    /// Rates of every flow in the slices measured.
    slices: Vec<Vec<f64>>,
    links: Vec<LinkSum>,
}

/// One place a flow.
struct FlowSums {
    sent: Vec<f64>,
    rounds: Vec<f64>,
}

struct LinkSum {
    offered: f64,
    refused: f64,
    dropped: f64,
    growth: f64,
    queue: f64,
    histogram: Histogram,
}

impl<'a> Meter<'a> {
    pub fn new(plan: &'a Plan, scenario: &'a Scenario) -> Self {
        let flows = plan.flows.len();
        Self {
            plan,
            scenario,
            sums: FlowSums {
                sent: vec![0.0; flows],
                rounds: vec![0.0; flows],
            },
            slice: vec![0.0; flows],
            slices: Vec::new(),
            links: plan
                .links
                .iter()
                .map(|link| LinkSum {
                    offered: 0.0,
                    refused: 0.0,
                    dropped: 0.0,
                    growth: 0.0,
                    queue: 0.0,
                    histogram: Histogram::new(if link.buffer.is_finite() {
                        link.buffer.max(1e-9)
                    } else {
                        1.0
                    }),
                })
                .collect(),
        }
    }

    /// The end of slice number `k`.
    fn boundary(&self, k: usize) -> f64 {
        let run = &self.scenario.run;
        if k + 1 >= run.slices {
            run.duration
        } else {
            let share = (k + 1) as f64 / run.slices as f64;
            run.measure_from + share * (run.duration - run.measure_from)
        }
    }

    /// Adds a part of a step.
    pub fn add(&mut self, piece: &Piece<'_>, forecast: &mut Forecast) {
        let mut from = piece.from().max(self.scenario.run.measure_from);
        let end = piece.to();
        while from < end {
            let boundary = self.boundary(self.slices.len());
            let to = end.min(boundary);
            if to > from {
                forecast.look(self.plan, piece, from, to);
                self.sum(forecast, to - from);
                self.count(piece, forecast, from, to);
            }
            if to >= boundary && self.slices.len() < self.scenario.run.slices {
                self.close();
            } else if to >= end {
                break;
            }
            from = to;
        }
    }

    /// Adds what the views of the forecast say of the flows.
    fn sum(&mut self, forecast: &Forecast, length: f64) {
        let plan = self.plan;
        let counted = plan.counts_lost();
        let weights = WEIGHTS.map(|weight| weight * length);
        for group in &plan.groups {
            let range = group.flows.clone();
            let sums = self.sums.sent[range.clone()]
                .iter_mut()
                .zip(&mut self.sums.rounds[range.clone()])
                .zip(&mut self.slice[range.clone()]);
            let [a, b, c] = forecast.views.each_ref().map(|view| {
                let paces = view.pace[range.clone()].iter();
                view.rate[range.clone()].iter().zip(paces)
            });
            let kept = forecast.views.each_ref().map(|view| {
                if counted {
                    1.0
                } else {
                    (1.0 - plan.share_lost(group, view)).max(0.0)
                }
            });
            for (((sent, rounds), slice), ((a, b), c)) in sums.zip(a.zip(b).zip(c)) {
                let nodes = [a, b, c];
                for (k, (rate, pace)) in nodes.into_iter().enumerate() {
                    *sent += weights[k] * rate;
                    *rounds += if *rate == 0.0 { 0.0 } else { weights[k] * pace };
                    *slice += weights[k] * kept[k] * rate;
                }
            }
        }
    }

    /// Adds what the counters in the state say.
    fn count(&mut self, piece: &Piece<'_>, forecast: &Forecast, a: f64, b: f64) {
        let plan = self.plan;
        let change = |place: usize| piece.state(place, b) - piece.state(place, a);
        if plan.counts_lost() {
            for (f, flow) in plan.flows.iter().enumerate() {
                self.slice[f] -= change(plan.lost(flow));
            }
        }
        for (link, sum) in plan.links.iter().zip(&mut self.links) {
            let queues = forecast.at_nodes(link.at);
            for (weight, queue) in WEIGHTS.iter().zip(queues) {
                // A queue is let run a speck below its end before it counts as empty.
                sum.queue += weight * (b - a) * queue.max(0.0);
            }
            let counters = link.counters();
            sum.offered += change(counters);
            sum.refused += change(counters + 1);
            sum.dropped += change(counters + 2);
            sum.growth += change(link.at);
            sum.histogram.spread(|t| piece.state(link.at, t), a, b);
        }
    }

    /// Ends a slice.
    fn close(&mut self) {
        let run = &self.scenario.run;
        let length = (run.duration - run.measure_from) / run.slices as f64;
        let rates = self.slice.iter().map(|packets| packets / length);
        self.slices.push(rates.collect());
        self.slice.fill(0.0);
    }

    /// The sums as answers.
    pub fn summary(mut self, counts: &[(u64, Option<f64>)], steps: usize) -> Summary {
        let run = self.scenario.run;
        let time = run.duration - run.measure_from;
        while self.slices.len() < run.slices {
            self.close();
        }
        let flow_summary = |f: usize| {
            let (flow, plan) = (&self.scenario.flows[f], &self.plan.flows[f]);
            let (sent, rounds) = (self.sums.sent[f], self.sums.rounds[f]);
            let rates: Vec<f64> = self.slices.iter().map(|rates| rates[f]).collect();
            // The slices are equally long.
            let rate = rates.iter().sum::<f64>() / rates.len() as f64;
            FlowSummary {
                label: flow.label.clone(),
                base_rtt: flow.base_rtt,
                rate,
                window: (plan.law.is_some() && rounds > 0.0).then(|| sent / rounds),
                loss_events: counts[f].0,
                sent,
                lost: (sent - rate * time).max(0.0),
                rates,
                completed: counts[f].1,
            }
        };
        let flows: Vec<FlowSummary> = (0..self.plan.flows.len()).map(flow_summary).collect();
        let links = self
            .plan
            .links
            .iter()
            .zip(&self.scenario.links)
            .zip(&self.links)
            .map(|((plan, link), sum)| LinkSummary {
                name: link.name.clone(),
                utilisation: whole(
                    (sum.offered - sum.refused - sum.growth) / (plan.capacity * time),
                ),
                queue_mean: sum.queue / time,
                queue_p95: sum.histogram.quantile(0.95),
                drop_fraction: if sum.offered > 0.0 {
                    sum.dropped / sum.offered
                } else {
                    0.0
                },
            })
            .collect();
        Summary {
            jain: jain(&flows.iter().map(|flow| flow.rate).collect::<Vec<_>>()),
            flows,
            links,
            jain_slices: self.slices.iter().map(|rates| jain(rates)).collect(),
            steps,
        }
    }
}

/// A share that exceeds 1 by the rounding of its sums is 1.
fn whole(share: f64) -> f64 {
    if share > 1.0 && share < 1.0 + 1e-9 {
        1.0
    } else {
        share
    }
}
