//! The run packet by packet.

use super::{DUPLICATES, LEAST_RTO, LEAST_WINDOW, LastHop, Toll};
use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, WindowLaw};
use std::collections::VecDeque;

/// How long a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Loss events that are forgotten before measuring begins.
    pub warm_up: u64,
    /// Loss events that are measured.
    pub events: u64,
    /// Packets sent after which a run without that many events ends.
    pub packets: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            warm_up: 20,
            events: 2_000,
            packets: 4_000_000,
        }
    }
}

/// What a watcher sees: time in seconds, window in packets, packets outstanding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Seconds since the start.
    pub time: f64,
    /// Window, packets.
    pub window: f64,
    /// Packets sent and neither acknowledged nor counted as lost.
    pub outstanding: u64,
}

/// How the window moves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// One packet for each acknowledgement the receiver sends, up to this window.
    SlowStart(f64),
    /// By the law.
    Growing,
    /// Still, until everything sent before the decrease is accounted for.
    Recovering,
    /// Nothing is sent until the timer runs out; then slow start up to this window.
    Waiting { until: f64, threshold: f64 },
}

/// A packet that was served: when its acknowledgement arrives, its number, when it was sent.
#[derive(Clone, Copy)]
struct Served {
    acked: f64,
    number: u64,
    sent: f64,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    sent: u64,
    dropped: u64,
    served: u64,
    events: u64,
    timeouts: u64,
    peaks: f64,
    rtts: f64,
    time: f64,
}

struct Run<'a> {
    law: &'a dyn WindowLaw,
    hop: &'a LastHop,
    x: Vec<f64>,
    scratch: Vec<f64>,
    phase: Phase,
    time: f64,
    /// When the link is done with everything accepted so far.
    free_at: f64,
    served: VecDeque<Served>,
    /// Acknowledgement times of packets that may still be waiting or in service.
    inside: VecDeque<f64>,
    /// Numbers of packets dropped and not yet noticed.
    dropped: VecDeque<u64>,
    next: u64,
    /// Packets acknowledged since the law last moved.
    due: f64,
    /// The first packet sent after the last decrease.
    fresh: u64,
    outstanding: u64,
    /// Smoothed round trip, its deviation (RFC 6298), and how often the timer ran out in a row.
    srtt: f64,
    deviation: f64,
    backoff: u32,
    counts: Counts,
}

impl Run<'_> {
    fn rto(&self) -> f64 {
        let timer = self
            .hop
            .rto
            .unwrap_or_else(|| (self.srtt + 4.0 * self.deviation).max(LEAST_RTO));
        timer * 2f64.powi(self.backoff.min(6) as i32)
    }

    fn seen(&self) -> Feedback {
        Feedback {
            base_rtt: self.hop.base_rtt(),
            delivery_rate: self.hop.capacity.min(self.x[0] / self.srtt),
            ..Feedback::quiet(self.srtt)
        }
    }

    /// Sends what the window allows.
    fn send(&mut self) {
        if matches!(self.phase, Phase::Waiting { .. }) {
            return;
        }
        let allowed = self.hop.receive_window.unwrap_or(u64::MAX);
        let service = 1.0 / self.hop.capacity;
        let just = 1e-6 * service;
        while self.outstanding < (self.x[0].max(1.0) as u64).min(allowed) {
            while self
                .inside
                .front()
                .is_some_and(|acked| acked - self.hop.delay <= self.time + just)
            {
                self.inside.pop_front();
            }
            let number = self.next;
            self.next += 1;
            self.outstanding += 1;
            self.counts.sent += 1;
            if self.inside.len() as u64 > self.hop.buffer {
                self.dropped.push_back(number);
                self.counts.dropped += 1;
                continue;
            }
            self.free_at = self.free_at.max(self.time) + service;
            let acked = self.free_at + self.hop.delay;
            self.inside.push_back(acked);
            self.served.push_back(Served {
                acked,
                number,
                sent: self.time,
            });
        }
    }

    /// An acknowledgement arrives.
    fn acknowledge(&mut self, packet: Served) {
        self.time = packet.acked;
        self.counts.served += 1;
        self.outstanding -= 1;
        self.backoff = 0;
        let sample = packet.acked - packet.sent;
        self.counts.rtts += sample;
        self.deviation = 0.75 * self.deviation + 0.25 * (self.srtt - sample).abs();
        self.srtt = 0.875 * self.srtt + 0.125 * sample;
        let mut noticed = false;
        while let Some(number) = self
            .dropped
            .front()
            .copied()
            .filter(|number| number + DUPLICATES <= packet.number)
        {
            self.dropped.pop_front();
            self.outstanding -= 1;
            let waiting = matches!(self.phase, Phase::Waiting { .. });
            if number >= self.fresh && !waiting {
                self.event();
                noticed = true;
            }
        }
        if let Phase::Recovering = self.phase
            && !noticed
            && packet.number >= self.fresh
            && self
                .dropped
                .front()
                .is_none_or(|number| *number >= self.fresh)
        {
            self.phase = Phase::Growing;
        }
        self.due += 1.0;
        if self.due >= self.law.ack_every() {
            self.due -= self.law.ack_every();
            self.grow();
        }
        if let Some(allowed) = self.hop.receive_window {
            // A window that the receiver limits does not grow (RFC 7661 in spirit; RFC 5681 leaves it open).
            self.x[0] = self.x[0].min(allowed.max(1) as f64);
        }
    }

    /// The receiver's acknowledgement of `ack_every` packets moves the window.
    fn grow(&mut self) {
        match self.phase {
            Phase::SlowStart(threshold) => {
                self.x[0] += 1.0;
                if self.x[0] >= threshold {
                    self.phase = Phase::Growing;
                }
            }
            Phase::Growing => {
                let seen = self.seen();
                self.law.on_ack(&mut self.x, &seen, &mut self.scratch);
            }
            Phase::Recovering | Phase::Waiting { .. } => {}
        }
    }

    /// A loss of a new event is noticed.
    fn event(&mut self) {
        let losses = self.dropped.len() as u64 + 1;
        let window = self.x[0];
        self.counts.events += 1;
        self.counts.peaks += window;
        self.fresh = self.next;
        let seen = self.seen();
        if self.hop.repair.mends(losses, window) {
            for _ in 0..self.hop.repair.decreases(losses) {
                self.law.decrease(&mut self.x, &seen, Cause::Loss);
            }
            self.x[0] = self.x[0].max(LEAST_WINDOW);
            self.phase = Phase::Recovering;
        } else {
            self.counts.timeouts += 1;
            let threshold = self.collapse(&seen);
            self.phase = Phase::Waiting {
                until: self.time + self.rto(),
                threshold,
            };
        }
    }

    /// The window goes to one packet; returns where slow start will end.
    fn collapse(&mut self, seen: &Feedback) -> f64 {
        let mut left = self.x.clone();
        self.law.decrease(&mut left, seen, Cause::Loss);
        self.law.decrease(&mut self.x, seen, Cause::Timeout);
        self.x[0] = 1.0;
        left[0].max(LEAST_WINDOW)
    }

    /// The timer has run out: what was lost is known, slow start begins.
    fn restart(&mut self, at: f64, threshold: f64) {
        self.time = self.time.max(at);
        self.dropped.clear();
        self.outstanding = self.served.len() as u64;
        self.phase = Phase::SlowStart(threshold);
        self.fresh = self.next;
        self.backoff += 1;
    }

    /// The next thing that happens.
    fn step(&mut self) {
        let waits = match self.phase {
            Phase::Waiting { until, threshold } => Some((until, threshold)),
            _ => None,
        };
        match (self.served.front().copied(), waits) {
            (Some(packet), Some((until, threshold))) if packet.acked > until => {
                self.restart(until, threshold);
            }
            (Some(packet), _) => {
                self.served.pop_front();
                self.acknowledge(packet);
            }
            (None, Some((until, threshold))) => self.restart(until, threshold),
            (None, None) => {
                // Everything outstanding was dropped, and nothing tells of it.
                self.counts.events += 1;
                self.counts.timeouts += 1;
                self.counts.peaks += self.x[0];
                let seen = self.seen();
                let until = self.time + self.rto();
                let threshold = self.collapse(&seen);
                self.restart(until, threshold);
            }
        }
        self.send();
        self.counts.time = self.time;
    }
}

/// Runs the law over the hop, from one packet in slow start. `watch` sees every acknowledgement.
///
/// # Errors
/// What [`LastHop::check`] says; [`Error::NoAnswer`] if the run meets too few loss events to measure and the receiver
/// does not keep it from them.
pub fn run(
    law: &dyn WindowLaw,
    hop: &LastHop,
    effort: Effort,
    watch: &mut dyn FnMut(Moment),
) -> Result<Toll> {
    hop.check()?;
    let places = law.states().len();
    let mut x = vec![0.0; places];
    law.settle(1.0, &mut x);
    let first = hop.base_rtt();
    let mut run = Run {
        law,
        hop,
        x,
        scratch: vec![0.0; places],
        phase: Phase::SlowStart(f64::INFINITY),
        time: 0.0,
        free_at: 0.0,
        served: VecDeque::new(),
        inside: VecDeque::new(),
        dropped: VecDeque::new(),
        next: 0,
        due: 0.0,
        fresh: 0,
        outstanding: 0,
        srtt: first,
        deviation: 0.5 * first,
        backoff: 0,
        counts: Counts::default(),
    };
    run.send();
    let mut before = Counts::default();
    let (mut settled, mut last) = (false, Counts::default());
    while run.counts.events < effort.warm_up + effort.events && run.counts.sent < effort.packets {
        run.step();
        watch(Moment {
            time: run.time,
            window: run.x[0],
            outstanding: run.outstanding,
        });
        // Measuring begins at a loss event, or half way if there is none.
        let quiet = run.counts.events == 0 && run.counts.sent >= effort.packets / 2;
        if !settled && (run.counts.events >= effort.warm_up || quiet) {
            (settled, before) = (true, run.counts);
        }
        if run.counts.events > last.events {
            last = run.counts;
        }
    }
    // From event to event: a part of a climb that the budget cuts off would be packets without their loss.
    let now = if last.events > before.events {
        last
    } else {
        run.counts
    };
    let events = now.events - before.events;
    let time = now.time - before.time;
    if !settled || (events > 0 && events < 10) || (events == 0 && !hop.fits()) {
        return Err(Error::NoAnswer(format!(
            "only {} loss events in {} packets: a run of this path is too short to measure; see the road `closed`",
            run.counts.events, run.counts.sent
        )));
    }
    let share = |part: f64| (events > 0).then(|| part / events as f64);
    let (served, sent) = (now.served - before.served, now.sent - before.sent);
    let dropped = (now.dropped - before.dropped) as f64;
    let rate = served as f64 / time;
    Ok(Toll {
        loss_fraction: dropped / sent as f64,
        drops_per_event: share(dropped),
        events_per_hour: 3600.0 * events as f64 / time,
        timeouts: share((now.timeouts - before.timeouts) as f64),
        peak: share(now.peaks - before.peaks),
        rate,
        utilisation: rate / hop.capacity,
        rtt: (now.rtts - before.rtts) / served as f64,
    })
}
