//! What a run adds up to, by quadrature on the dense output: looking does not influence the steps.

use super::forecast::{Forecast, WEIGHTS};
use super::group::Group;
use super::histogram::Histogram;
use super::levels::{reached, resolution};
use super::plan::{LinkPlan, Plan};
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
    /// Packets delivered per second of the measured time: those that left the last link on the path within it. The flows of a link never
    /// get more than it serves.
    pub rate: f64,
    /// Packets sent per round trip, averaged over rounds; `None` if it sent nothing or has no window.
    pub window: Option<f64>,
    /// Losses that it reacted to.
    pub loss_events: u64,
    /// Packets sent.
    pub sent: f64,
    /// Packets lost. What is sent and not lost is delivered or still on its way at the end.
    pub lost: f64,
    /// Packets delivered per second in equal parts of the measured time.
    pub rates: Vec<f64>,
    /// When its last packet was sent, those included that were lost till then and sent again, if it had a size.
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
    /// Queue that is exceeded 5 % of the time, packets, to a 4096th of the buffer; where that has no limit, of a power of two above the
    /// longest queue.
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
///
/// Packets sent and lost count when that happens. Packets delivered count when they leave the last link: one that enters a queue of q
/// packets leaves it q/C later, so a slice of the measured time begins and ends for the flows of a link a queueing delay earlier.
pub(super) struct Meter<'a> {
    plan: &'a Plan,
    scenario: &'a Scenario,
    /// One place a flow.
    sent: Vec<f64>,
    rounds: Vec<f64>,
    lost: Vec<f64>,
    /// Packets of every flow delivered in the slices.
    slices: Vec<Vec<f64>>,
    /// How many edges of slices the packets that enter each link now will leave after; the last place is for those that cross none.
    passed: Vec<usize>,
    /// The links that are the last one of some flow, and the place for those that cross none if there are any.
    exits: Vec<usize>,
    links: Vec<LinkSum>,
}

struct LinkSum {
    /// Packets offered, refused before they took room, and dropped.
    counts: [f64; 3],
    growth: f64,
    /// Packets served, where no counters tell.
    served: f64,
    queue: f64,
    histogram: Histogram,
}

impl<'a> Meter<'a> {
    pub fn new(plan: &'a Plan, scenario: &'a Scenario) -> Self {
        let flows = plan.flows.len();
        Self {
            plan,
            scenario,
            sent: vec![0.0; flows],
            rounds: vec![0.0; flows],
            lost: vec![0.0; flows],
            slices: vec![vec![0.0; flows]; scenario.run.slices],
            passed: vec![0; plan.links.len() + 1],
            exits: (0..=plan.links.len())
                .filter(|&l| plan.groups.iter().any(|group| exit(plan, group) == l))
                .collect(),
            links: plan
                .links
                .iter()
                .map(|link| LinkSum {
                    counts: [0.0; 3],
                    growth: 0.0,
                    served: 0.0,
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

    /// Where slice number `k` begins and the one before it ends.
    fn edge(&self, k: usize) -> f64 {
        let run = &self.scenario.run;
        if k == run.slices {
            run.duration
        } else {
            let share = k as f64 / run.slices as f64;
            run.measure_from + share * (run.duration - run.measure_from)
        }
    }

    /// When a packet leaves link `l` that enters it at `t`.
    fn leaves(&self, l: usize, piece: &Piece<'_>, t: f64) -> f64 {
        let wait = |link: &LinkPlan| link.wait(piece.state(link.at, t));
        t + self.plan.links.get(l).map_or(0.0, wait)
    }

    /// Adds a part of a step.
    pub fn add(&mut self, piece: &Piece<'_>, forecast: &mut Forecast) {
        let (mut from, end) = (piece.from(), piece.to());
        let begin = self.scenario.run.measure_from;
        while from < end {
            let mut to = end;
            if from < begin && begin < to {
                to = begin;
            }
            for k in 0..self.exits.len() {
                to = self.cut(self.exits[k], piece, from, to);
            }
            let delivering = self.passed.iter().any(|passed| *passed > 0);
            if from >= begin || delivering {
                forecast.look(self.plan, piece, from, to);
                self.sum(forecast, piece, (from, to), from >= begin);
            }
            if from >= begin {
                self.count(piece, forecast, from, to);
            }
            from = to;
        }
    }

    /// Where in `from..to` packets begin to enter link `l` that leave it in the next slice; `to` if nowhere.
    fn cut(&mut self, l: usize, piece: &Piece<'_>, from: f64, to: f64) -> f64 {
        let last = self.leaves(l, piece, to);
        while self.passed[l] <= self.scenario.run.slices {
            let edge = self.edge(self.passed[l]);
            if last < edge {
                break;
            }
            let miss = |t: f64| self.leaves(l, piece, t) - edge;
            let at = reached(miss, from, to, resolution(to));
            if at > from {
                return at;
            }
            self.passed[l] += 1;
        }
        to
    }

    /// Adds what the views of the forecast say of the flows; packets sent and lost only if they are `measured`.
    fn sum(
        &mut self,
        forecast: &Forecast,
        piece: &Piece<'_>,
        (from, to): (f64, f64),
        measured: bool,
    ) {
        let plan = self.plan;
        let weights = WEIGHTS.map(|weight| weight * (to - from));
        for group in &plan.groups {
            let range = group.flows.clone();
            let slice = match self.passed[exit(plan, group)].checked_sub(1) {
                Some(k) => self
                    .slices
                    .get_mut(k)
                    .map(|slice| &mut slice[range.clone()]),
                None => None,
            };
            let [a, b, c] = &forecast.views;
            let (first, last) = (range.start, range.end);
            let rates = [a, b, c].map(|view| &view.rate[first..last]);
            let paces = [a, b, c].map(|view| &view.pace[first..last]);
            if measured {
                let sums = (
                    &mut self.sent[range.clone()],
                    &mut self.rounds[range.clone()],
                );
                integrate(weights, rates, sums.0);
                rounds(weights, rates, paces, sums.1);
            }
            if group.whole {
                let kept = |view| plan.share_kept(group, view);
                let (p, q, r) = (kept(a), kept(b), kept(c));
                let [u, v, w] = weights;
                if measured && (p != 1.0 || q != 1.0 || r != 1.0) {
                    let gone = [u * (1.0 - p), v * (1.0 - q), w * (1.0 - r)];
                    integrate(gone, rates, &mut self.lost[range.clone()]);
                }
                if let Some(slice) = slice {
                    integrate([u * p, v * q, w * r], rates, slice);
                }
                continue;
            }
            let f = range.start;
            if let Some(counters) = plan.flows[f].counters {
                let change = |place: usize| piece.state(place, to) - piece.state(place, from);
                if measured {
                    self.lost[f] += change(counters);
                }
                if let Some([slice]) = slice {
                    *slice += change(counters + 1);
                }
                continue;
            }
            let nodes = || forecast.nodes().zip(weights);
            if measured {
                let lost = nodes()
                    .map(|((state, view), weight)| weight * plan.loss_rate(f, state, view, false));
                self.lost[f] += lost.sum::<f64>();
            }
            if let Some([slice]) = slice {
                let got =
                    nodes().map(|((state, view), weight)| weight * plan.delivered(f, state, view));
                *slice += got.sum::<f64>();
            }
        }
    }

    /// Adds what the counters in the state say.
    fn count(&mut self, piece: &Piece<'_>, forecast: &Forecast, a: f64, b: f64) {
        let plan = self.plan;
        let change = |place: usize| piece.state(place, b) - piece.state(place, a);
        for (l, (link, sum)) in plan.links.iter().zip(&mut self.links).enumerate() {
            let queues = forecast.at_nodes(link.at);
            for (weight, queue) in WEIGHTS.iter().zip(queues) {
                // A queue is let run a speck below its end before it counts as empty.
                sum.queue += weight * (b - a) * queue.max(0.0);
            }
            if let Some(counters) = link.counters {
                for (k, count) in sum.counts.iter_mut().enumerate() {
                    *count += change(counters + k);
                }
            } else {
                for (weight, view) in WEIGHTS.iter().zip(&forecast.views) {
                    let counts = view.links[l].counts();
                    sum.served += weight * (b - a) * view.links[l].served;
                    for (sum, count) in sum.counts.iter_mut().zip(counts) {
                        *sum += weight * (b - a) * count;
                    }
                }
            }
            sum.growth += change(link.at);
            // Nor may the speck above a full buffer widen the bins.
            let queue = |t: f64| piece.state(link.at, t).min(link.buffer);
            sum.histogram.spread(queue, a, b);
        }
    }

    /// The sums as answers.
    pub fn summary(self, counts: &[(u64, Option<f64>)], steps: usize) -> Summary {
        let run = self.scenario.run;
        let time = run.duration - run.measure_from;
        let length = time / run.slices as f64;
        let flow_summary = |f: usize| {
            let (flow, plan) = (&self.scenario.flows[f], &self.plan.flows[f]);
            let (sent, rounds) = (self.sent[f], self.rounds[f]);
            // What is less than the integration errs by may come out below nothing.
            let rates = self.slices.iter().map(|got| (got[f] / length).max(0.0));
            let rates: Vec<f64> = rates.collect();
            // The slices are equally long.
            let rate = rates.iter().sum::<f64>() / rates.len() as f64;
            FlowSummary {
                label: flow.label.clone(),
                base_rtt: flow.base_rtt,
                rate,
                window: (plan.law.is_some() && rounds > 0.0).then(|| sent / rounds),
                loss_events: counts[f].0,
                sent,
                lost: self.lost[f],
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
            .map(|((plan, link), sum)| {
                let [offered, refused, dropped] = sum.counts;
                let served = match plan.counters {
                    Some(_) => offered - refused - sum.growth,
                    None => sum.served,
                };
                LinkSummary {
                    name: link.name.clone(),
                    utilisation: whole(served / (plan.capacity * time)),
                    queue_mean: sum.queue / time,
                    queue_p95: sum.histogram.quantile(0.95),
                    drop_fraction: if offered > 0.0 {
                        whole(dropped / offered)
                    } else {
                        0.0
                    },
                }
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

/// The last link on the path of a group; the place behind the links if there is none.
fn exit(plan: &Plan, group: &Group) -> usize {
    if group.whole {
        return group.link;
    }
    let last = plan.flows[group.flows.start].hops.last();
    last.map_or(plan.links.len(), |hop| hop.link)
}

/// Adds the integrals of `rates` with these weights of the nodes.
#[inline]
fn integrate([p, q, r]: [f64; 3], [a, b, c]: [&[f64]; 3], sums: &mut [f64]) {
    let n = sums.len();
    let (a, b, c) = (&a[..n], &b[..n], &c[..n]);
    for (i, sum) in sums.iter_mut().enumerate() {
        *sum += p * a[i] + q * b[i] + r * c[i];
    }
}

/// Adds the rounds of flows that send: their paces, where their rates are not 0.
#[inline]
fn rounds([p, q, r]: [f64; 3], rates: [&[f64]; 3], [a, b, c]: [&[f64]; 3], sums: &mut [f64]) {
    let n = sums.len();
    let (a, b, c, sent) = (&a[..n], &b[..n], &c[..n], &rates[1][..n]);
    for (i, sum) in sums.iter_mut().enumerate() {
        let rounds = p * a[i] + q * b[i] + r * c[i];
        *sum += if sent[i] == 0.0 { 0.0 } else { rounds };
    }
}

/// A share that exceeds 1 by no more than its sums may err is 1, and one below nothing is nothing.
fn whole(share: f64) -> f64 {
    if share > 1.0 && share < 1.0 + 1e-6 {
        1.0
    } else {
        share.max(0.0)
    }
}
