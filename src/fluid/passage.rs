//! Links in a row: what meets a link is what the link before it let out. A queue serves first come, first served: what leaves at `s`
//! entered at `e`, where e + q(e)/C = s, and each flow has its share of what arrived then:
//!
//! ```text
//! y_i(s) = C x_i(e)/Σx(e)                     while a queue stands
//! y_i(s) = (1 − drop) min(1, C/entering) x_i(s)   while none does
//! ```
//!
//! Where dropped packets take room (a queue that lets everything in), the first line has the factor 1 − drop as well. Links that feed
//! each other in a circle would have to be solved for all at once: there a link sees the sender's rate, later by the
//! propagation delay.

use super::plan::{FlowPlan, LinkPlan, Plan};
use super::view::View;
use crate::network::Situation;
use crate::numeric::dde::History;

/// What leaves a link at one moment.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    link: usize,
    time: f64,
    /// When it came in.
    entered: f64,
    /// Packets that leave per packet that came in then.
    share: f64,
}

/// What was found about one moment: flows share it.
#[derive(Clone)]
pub(super) struct Passages {
    leaving: Vec<Leaving>,
    /// The earliest past time that was read.
    pub oldest: f64,
}

impl Default for Passages {
    fn default() -> Self {
        Self {
            leaving: Vec::new(),
            oldest: f64::INFINITY,
        }
    }
}

impl Passages {
    /// What was found belongs to one evaluation: a trial step may come back to a time with another past.
    pub fn forget(&mut self) {
        self.leaving.clear();
        self.oldest = f64::INFINITY;
    }
}

/// A flow that goes on to another link.
pub(super) struct Onward {
    pub flow: usize,
    /// The number of the next link on its path.
    pub number: usize,
    /// Seconds to it.
    pub delay: f64,
}

impl FlowPlan {
    /// The number on its path of a link that it crosses.
    pub fn number_of(&self, link: usize) -> usize {
        let place = self.hops.iter().position(|hop| hop.link == link);
        place.unwrap_or(0)
    }
}

impl Plan {
    /// Adds what link `l` lets out now to the arrivals of the links behind it.
    pub fn pass_on(&self, l: usize, x: &[f64], past: Option<(f64, &History<'_>)>, view: &mut View) {
        let link = &self.links[l];
        for onward in &link.onward {
            let flow = &self.flows[onward.flow];
            let before = view.reach[flow.reach + onward.number - 1];
            let at_once = before * view.links[l].effect.passed;
            let value = match past {
                None => at_once,
                Some(_) if onward.delay == 0.0 && x[link.at] <= 0.0 => at_once,
                Some((now, history)) => self.let_out(
                    flow,
                    onward.number,
                    now - onward.delay,
                    history,
                    &mut view.passages,
                ),
            };
            view.reach[flow.reach + onward.number] = value;
            view.links[flow.hops[onward.number].link].arrival += value;
        }
    }

    /// Packets per second of a flow that the link before link `number` of its path let out at the past time `s`.
    fn let_out(
        &self,
        flow: &FlowPlan,
        number: usize,
        s: f64,
        history: &History<'_>,
        found: &mut Passages,
    ) -> f64 {
        let leaving = self.leaving(flow.hops[number - 1].link, s, history, found);
        leaving.share * self.arrived(flow, number - 1, leaving.entered, history, found)
    }

    /// Packets per second of a flow that arrived at link `number` of its path at the past time `s`.
    pub fn arrived(
        &self,
        flow: &FlowPlan,
        number: usize,
        s: f64,
        history: &History<'_>,
        found: &mut Passages,
    ) -> f64 {
        let there = flow.hops[number].forward;
        if flow.fed[number] {
            let delay = there - flow.hops[number - 1].forward;
            return self.let_out(flow, number, s - delay, history, found);
        }
        found.oldest = found.oldest.min(s - there);
        self.past_rate(flow, s - there, history)
    }

    /// Packets per second that arrived at link `l` at the past time `s`.
    pub fn arrived_in_all(
        &self,
        l: usize,
        s: f64,
        history: &History<'_>,
        found: &mut Passages,
    ) -> f64 {
        for &(_, there, _) in &self.links[l].acks {
            found.oldest = found.oldest.min(s - there);
        }
        let mut sum = self.past_acks(l, s, history);
        for &(f, _) in &self.links[l].flows {
            let flow = &self.flows[f];
            sum += self.arrived(flow, flow.number_of(l), s, history, found);
        }
        sum
    }

    fn leaving(&self, l: usize, s: f64, history: &History<'_>, found: &mut Passages) -> Leaving {
        let known = |leaving: &&Leaving| leaving.link == l && leaving.time.to_bits() == s.to_bits();
        if let Some(leaving) = found.leaving.iter().find(known) {
            return *leaving;
        }
        let link = &self.links[l];
        let queue = history.state(link.at, s);
        let stands = queue > 0.0;
        let entered = if stands {
            entered(link, queue, s, history, &mut found.oldest)
        } else {
            s
        };
        found.oldest = found.oldest.min(entered);
        let total = self.arrived_in_all(l, entered, history, found);
        let share = if stands {
            let kept = if link.drops_before_entering {
                1.0
            } else {
                1.0 - self.dropped(l, entered, total, history)
            };
            if total > 0.0 {
                kept * link.capacity / total
            } else {
                0.0
            }
        } else {
            let kept = 1.0 - self.dropped(l, s, total, history);
            let entering = if link.drops_before_entering {
                kept * total
            } else {
                total
            };
            if entering > link.capacity {
                kept * link.capacity / entering
            } else {
                kept
            }
        };
        let leaving = Leaving {
            link: l,
            time: s,
            entered,
            share,
        };
        found.leaving.push(leaving);
        leaving
    }

    /// The probability with which the queue of link `l` dropped a packet at the past time `s`, a full buffer apart. (Queues that read the
    /// flows speak to them instead.)
    fn dropped(&self, l: usize, s: f64, arrival: f64, history: &History<'_>) -> f64 {
        let link = &self.links[l];
        if let Some(signal) = link.constant {
            return signal.drop;
        }
        if link.reads_flows {
            return 0.0;
        }
        let queue = history.state(link.at, s);
        let mut own = vec![0.0; link.own];
        history.fill(link.at + 1, s, &mut own);
        if link.holds(&own, queue, arrival) {
            return link.holding(&own, arrival);
        }
        let now = Situation {
            capacity: link.capacity,
            buffer: link.buffer,
            queue,
            arrival,
            flows: &[],
        };
        link.queue.signal(&own, &now, 0).drop
    }

    /// How long ago a packet of flow `f` that meets link `number` of its path at `t` was sent.
    pub fn age(&self, f: usize, number: usize, t: f64, history: &History<'_>) -> f64 {
        let flow = &self.flows[f];
        let mut found = Passages::default();
        let (mut s, mut number) = (t, number);
        while flow.fed[number] {
            let delay = flow.hops[number].forward - flow.hops[number - 1].forward;
            number -= 1;
            let link = flow.hops[number].link;
            s = self.leaving(link, s - delay, history, &mut found).entered;
        }
        t - s + flow.hops[number].forward
    }
}

/// When what leaves a link at `s`, at which `queue` packets stand there, came in: e + q(e)/C = s, whose left side never falls. By the
/// Illinois method, to rounding.
fn entered(link: &LinkPlan, queue: f64, s: f64, history: &History<'_>, oldest: &mut f64) -> f64 {
    let wait = link.wait(queue);
    let miss = |e: f64| e + link.wait(history.state(link.at, e)) - s;
    let width = 4.0 * f64::EPSILON * s.abs().max(wait);
    let (mut b, mut at_b) = (s, wait);
    let kept = history.kept_from();
    let mut a = (s - wait).max(kept);
    let mut at_a = miss(a);
    if at_a > 0.0 && link.buffer.is_finite() {
        (b, at_b) = (a, at_a);
        a = (s - link.wait(link.buffer * (1.0 + 1e-6)) - width).max(kept);
        at_a = miss(a);
    }
    // Without a limit, back in growing paces, but not beyond the past that is kept: what came in before that has left.
    let mut back = 0.125 * at_a;
    while at_a > 0.0 && a > kept {
        (b, at_b) = (a, at_a);
        a = (a - back).max(kept);
        back *= 2.0;
        at_a = miss(a);
    }
    for round in 1..100 {
        if b - a <= width || at_a == 0.0 {
            break;
        }
        let e = if round % 4 == 0 {
            0.5 * (a + b)
        } else {
            (a - at_a * (b - a) / (at_b - at_a)).clamp(a, b)
        };
        let at_e = miss(e);
        if at_e > 0.0 {
            (b, at_b) = (e, at_e);
            at_a *= 0.5;
        } else {
            (a, at_a) = (e, at_e);
            at_b *= 0.5;
        }
    }
    *oldest = oldest.min(a);
    a
}

/// Which links feed the next one of each path, and an order in which no link comes before one that feeds it. `hops` are the paths.
pub(super) fn row<'a>(
    links: usize,
    paths: impl Iterator<Item = &'a [crate::network::Hop]> + Clone,
) -> (Vec<Vec<bool>>, Vec<usize>) {
    let mut edges: Vec<(usize, usize)> = paths
        .clone()
        .flat_map(|hops| hops.windows(2).map(|pair| (pair[0].link, pair[1].link)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    // Without what lies on a circle.
    let reaches = |from: usize, to: usize| {
        let (mut seen, mut open) = (vec![false; links], vec![from]);
        while let Some(link) = open.pop() {
            if link == to {
                return true;
            }
            if !std::mem::replace(&mut seen[link], true) {
                let next = edges.iter().filter(|(a, _)| *a == link);
                open.extend(next.map(|(_, b)| *b));
            }
        }
        false
    };
    let row: Vec<(usize, usize)> = edges
        .iter()
        .copied()
        .filter(|&(a, b)| !reaches(b, a))
        .collect();
    let fed = paths
        .map(|hops| {
            let next = hops
                .windows(2)
                .map(|pair| row.binary_search(&(pair[0].link, pair[1].link)).is_ok());
            hops.first()
                .map(|_| false)
                .into_iter()
                .chain(next)
                .collect()
        })
        .collect();
    let mut waiting: Vec<usize> = vec![0; links];
    for &(_, to) in &row {
        waiting[to] += 1;
    }
    let mut order: Vec<usize> = (0..links).filter(|l| waiting[*l] == 0).collect();
    let mut done = 0;
    while let Some(&link) = order.get(done) {
        done += 1;
        for &(_, to) in row.iter().filter(|(from, _)| *from == link) {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                order.push(to);
            }
        }
    }
    (fed, order)
}
