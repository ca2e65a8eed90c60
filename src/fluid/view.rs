//! What follows from a state at one moment: round trips, rates, arrivals, drop probabilities. This is evaluated more often than
//! anything else, so a flow that crosses one link at once, or none, takes a short way.

use super::plan::{LinkPlan, Mode, Plan};
use crate::model::Feedback;
use crate::network::{Crossing, Hop, Signal, Situation};
use crate::numeric::dde::History;

/// What a link does to a flow, for queues that treat all flows alike.
#[derive(Clone, Copy, Default)]
struct Effect {
    wait: f64,
    /// Share of packets lost in ways that are drawn, and in all.
    drawn: f64,
    lost: f64,
    /// Packets delivered for each one that is sent now.
    passed: f64,
    mark: f64,
    explicit: f64,
}

/// What follows from a state at one moment.
#[derive(Default, Clone)]
pub(super) struct View {
    pub rtt: Vec<f64>,
    pub rate: Vec<f64>,
    pub arrival: Vec<f64>,
    /// Packets per second that ask for room in the queue.
    pub entering: Vec<f64>,
    /// Drop probability by overflow.
    pub tail: Vec<f64>,
    /// Packets served for each one that asks for room. A link with a queue serves its capacity, and each flow's share of that is
    /// its share of what arrives now: more than it sends while the queue drains.
    served: Vec<f64>,
    /// Signal of a queue that treats all flows alike.
    pub signal: Vec<Signal>,
    effect: Vec<Effect>,
    /// For queues that read the flows, what crosses; else empty. In the order of [`LinkPlan::flows`].
    crossing: Vec<Vec<Crossing>>,
}

impl Plan {
    /// Everything that follows from the state `x`. `modes` are those of the links; without them they are told from the
    /// state. `history` is needed where links meet packets later than they are sent.
    pub fn look(
        &self,
        x: &[f64],
        modes: Option<&[Mode]>,
        past: Option<(f64, &History<'_>)>,
        view: &mut View,
    ) {
        view.effect.clear();
        let clear = Effect {
            passed: 1.0 - self.added(),
            ..Effect::default()
        };
        view.effect.resize(self.links.len() + 1, clear);
        for (effect, link) in view.effect.iter_mut().zip(&self.links) {
            effect.wait = link.wait(x[link.at]);
        }
        view.rtt.resize(self.flows.len(), 0.0);
        view.rate.resize(self.flows.len(), 0.0);
        view.arrival.clear();
        // The last one takes what crosses no link.
        view.arrival.resize(self.links.len() + 1, 0.0);
        let outs = view.rtt.iter_mut().zip(view.rate.iter_mut());
        for ((i, quick), (rtt_out, rate_out)) in self.quick.iter().enumerate().zip(outs) {
            let (rtt, rate);
            if quick.whole {
                rtt = quick.still + view.effect[quick.link].wait;
                let window = x[quick.at];
                rate = if quick.windowed { window / rtt } else { window };
                view.arrival[quick.link] += rate;
            } else {
                let flow = &self.flows[i];
                rtt = self.rtt(flow, x);
                rate = Self::rate(flow, x[flow.at], rtt);
                for hop in &flow.hops {
                    view.arrival[hop.link] += match past {
                        Some((now, history)) if hop.forward > 0.0 => {
                            self.past_rate(flow, now - hop.forward, history)
                        }
                        _ => rate,
                    };
                }
            }
            *rtt_out = rtt;
            *rate_out = rate;
        }
        view.entering.resize(self.links.len(), 0.0);
        view.tail.resize(self.links.len(), 0.0);
        view.served.resize(self.links.len(), 1.0);
        view.signal.resize(self.links.len(), Signal::default());
        view.crossing.resize(self.links.len(), Vec::new());
        for (l, link) in self.links.iter().enumerate() {
            let arrival = view.arrival[l];
            let mut crossing = std::mem::take(&mut view.crossing[l]);
            if link.reads_flows {
                crossing.clear();
                crossing.extend(link.flows.iter().map(|&(f, forward)| Crossing {
                    window: x[self.flows[f].at],
                    rtt: view.rtt[f],
                    rate: self.rate_at(f, forward, past, view),
                }));
            }
            let now = Self::situation(link, x, arrival, &crossing);
            let own = &x[link.at + 1..link.at + 1 + link.own];
            let signal = link.queue.signal(own, &now, 0);
            let entering = if link.queue.drops_before_entering() {
                arrival * (1.0 - signal.drop)
            } else {
                arrival
            };
            let full = match modes {
                Some(modes) => modes[l] == Mode::Full,
                None => x[link.at] >= link.buffer * (1.0 - 1e-12),
            };
            view.tail[l] = if full && entering > link.capacity {
                1.0 - link.capacity / entering
            } else {
                0.0
            };
            let backlog = match modes {
                Some(modes) => modes[l] != Mode::Empty,
                None => x[link.at] > 0.0,
            };
            view.served[l] = if entering > 0.0 && (backlog || entering > link.capacity) {
                link.capacity / entering
            } else {
                1.0
            };
            view.entering[l] = entering;
            view.signal[l] = signal;
            let (drop, tail) = (signal.drop, view.tail[l]);
            let lost = drop + tail - drop * tail;
            view.effect[l] = Effect {
                wait: view.effect[l].wait,
                drawn: if self.natural { lost } else { drop },
                lost,
                passed: (1.0 - self.added()) * (1.0 - drop) * view.served[l],
                mark: signal.mark,
                explicit: signal.explicit,
            };
            view.crossing[l] = crossing;
        }
    }

    fn situation<'a>(
        link: &LinkPlan,
        x: &[f64],
        arrival: f64,
        flows: &'a [Crossing],
    ) -> Situation<'a> {
        Situation {
            capacity: link.capacity,
            buffer: link.buffer,
            queue: x[link.at],
            arrival,
            flows,
        }
    }

    /// What a link sees, for its queue's own equations and switches.
    pub fn seen_by<'a>(&self, l: usize, x: &[f64], view: &'a View) -> Situation<'a> {
        Self::situation(&self.links[l], x, view.arrival[l], &view.crossing[l])
    }

    fn rate_at(
        &self,
        f: usize,
        forward: f64,
        past: Option<(f64, &History<'_>)>,
        view: &View,
    ) -> f64 {
        match past {
            Some((now, history)) if forward > 0.0 => {
                self.past_rate(&self.flows[f], now - forward, history)
            }
            _ => view.rate[f],
        }
    }

    /// What the link of `hop` tells flow `f`.
    fn signal(&self, f: usize, hop: &Hop, x: &[f64], view: &View) -> Signal {
        let link = &self.links[hop.link];
        if !link.reads_flows {
            return view.signal[hop.link];
        }
        let place = link
            .flows
            .iter()
            .position(|(flow, _)| *flow == f)
            .unwrap_or(0);
        let own = &x[link.at + 1..link.at + 1 + link.own];
        link.queue
            .signal(own, &self.seen_by(hop.link, x, view), place)
    }

    /// Packets per second that flow `f` loses on the link of `hop` as the queue decides and, with `tail`, by overflow.
    pub fn loss_at(
        &self,
        f: usize,
        hop: &Hop,
        x: &[f64],
        past: Option<(f64, &History<'_>)>,
        view: &View,
        tail: bool,
    ) -> f64 {
        let drop = if self.links[hop.link].reads_flows {
            self.signal(f, hop, x, view).drop
        } else {
            view.signal[hop.link].drop
        };
        let tail = if tail { view.tail[hop.link] } else { 0.0 };
        let p = drop + tail - drop * tail;
        if p == 0.0 {
            0.0
        } else {
            p * self.rate_at(f, hop.forward, past, view)
        }
    }

    /// Packets per second that flow `f` loses in all; with `drawn`, without those that `sync` decides on.
    #[inline]
    pub fn loss_rate(
        &self,
        f: usize,
        x: &[f64],
        past: Option<(f64, &History<'_>)>,
        view: &View,
        drawn: bool,
    ) -> f64 {
        let base = if drawn { self.added() } else { self.rate };
        let quick = &self.quick[f];
        if quick.whole {
            let effect = &view.effect[quick.link];
            return (base + if drawn { effect.drawn } else { effect.lost }) * view.rate[f];
        }
        let tail = !drawn || self.natural;
        let mut lost = base * view.rate[f];
        for hop in &self.flows[f].hops {
            lost += self.loss_at(f, hop, x, past, view, tail);
        }
        lost
    }

    /// What the network tells flow `f`.
    #[inline]
    pub fn feedback(&self, f: usize, x: &[f64], view: &View) -> Feedback {
        let quick = &self.quick[f];
        if quick.whole {
            let effect = &view.effect[quick.link];
            return Feedback {
                rtt: view.rtt[f],
                base_rtt: self.flows[f].base_rtt,
                marking: effect.mark,
                explicit: effect.explicit,
                delivery_rate: view.rate[f] * effect.passed,
            };
        }
        self.feedback_along(f, x, view)
    }

    fn feedback_along(&self, f: usize, x: &[f64], view: &View) -> Feedback {
        let flow = &self.flows[f];
        let mut seen = Feedback {
            base_rtt: flow.base_rtt,
            delivery_rate: view.rate[f] * (1.0 - self.added()),
            ..Feedback::quiet(view.rtt[f])
        };
        for (number, hop) in flow.hops.iter().enumerate() {
            let signal = self.signal(f, hop, x, view);
            seen.marking += signal.mark - seen.marking * signal.mark;
            seen.explicit = if number == 0 {
                signal.explicit
            } else {
                seen.explicit.min(signal.explicit)
            };
            seen.delivery_rate *= (1.0 - signal.drop) * view.served[hop.link];
        }
        seen
    }
}
