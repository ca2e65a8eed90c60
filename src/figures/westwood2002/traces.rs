//! Windows and bandwidth estimates over time, and what a lossy link leaves.

use super::scene::{PACKET_BITS, law};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::figures::{Axis, Figure, Panel, Scale, Series, Stroke};
use crate::fluid::{
    Begin, Event, Flow, Losses, Observer, Run, Sample, Scenario, Sender, Sync, What, simulate,
};
use crate::model::{Path, ResponseFunction};
use crate::network::{DropTail, Link};
use crate::numeric::low_pass::LowPass;
use crate::units::{LossRate, Seconds};
use crate::what_if::parallel::map;
use std::sync::Arc;

fn link(capacity_bps: f64, buffer: f64) -> Link {
    Link {
        name: "link".into(),
        capacity: capacity_bps / PACKET_BITS,
        buffer,
        delay: 0.0,
        initial_queue: 0.0,
        queue: Arc::new(DropTail),
    }
}

fn linear(title: &str, range: (f64, f64)) -> Axis {
    Axis {
        title: title.into(),
        scale: Scale::Linear,
        range,
    }
}

fn line(label: &str, points: Vec<(f64, f64)>) -> Series {
    Series {
        label: label.into(),
        stroke: Stroke::Line,
        points,
    }
}

/// The first flow's window and its share of what the link serves, over time.
#[derive(Default)]
struct Trace {
    every: f64,
    capacity: f64,
    windows: Vec<(f64, f64)>,
    delivered: Vec<(f64, f64)>,
    /// The first flow's largest window before a loss or a reaction to one.
    peak: f64,
}

impl Observer for Trace {
    fn every(&self) -> Option<f64> {
        Some(self.every)
    }
    fn wants_events(&self) -> bool {
        true
    }
    fn event(&mut self, event: &Event) {
        if matches!(event.what, What::Loss | What::Reaction) && event.whose == 0 {
            self.peak = self.peak.max(event.before);
        }
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        self.windows.push((sample.time, sample.windows[0]));
        let all: f64 = sample.rates.iter().sum();
        let busy = sample.queues[0] > 0.0 || all > self.capacity;
        let share = if busy && all > 0.0 {
            self.capacity / all
        } else {
            1.0
        };
        self.delivered.push((sample.time, share * sample.rates[0]));
    }
}

pub(in crate::figures) fn sawtooth() -> Result<Figure> {
    let (capacity, base, until) = (1e7, 0.1, 60.0);
    let pipe = capacity / PACKET_BITS * base;
    let mut panels = Vec::new();
    let mut peak = 0.0f64;
    for (spec, title) in [("reno", "(a) Reno"), ("westwood", "(b) Westwood")] {
        let link = link(capacity, 40.0);
        let mut trace = Trace {
            every: 0.02,
            capacity: link.capacity,
            ..Trace::default()
        };
        simulate(
            &Scenario {
                links: vec![link],
                flows: vec![Flow::new(spec, law(spec)?, vec![0], base)],
                losses: Losses {
                    sync: Sync::All,
                    ..Losses::default()
                },
                run: Run {
                    duration: until,
                    ..Run::default()
                },
            },
            &mut trace,
        )?;
        peak = peak.max(trace.peak);
        panels.push(Panel {
            title: title.into(),
            x: linear("time (s)", (0.0, until)),
            y: linear("window (packets)", (0.0, 200.0)),
            series: vec![
                line("window", trace.windows),
                line(
                    "capacity times shortest RTT",
                    vec![(0.0, pipe), (until, pipe)],
                ),
            ],
            marks: Vec::new(),
        });
    }
    Ok(Figure {
        name: "westwood2002-sawtooth".into(),
        title: "Windows of Reno and Westwood".into(),
        caption: format!(
            "Grieco and Mascolo 2002, slides 4 and 7: slow start, then congestion avoidance. Fluid: one flow over 10 Mbit/s, base RTT 100 ms, drop tail with 40 packets of 1500 B (values \
                  of this figure; the slides are a sketch); the overshoot of slow start, up to {peak:.0} packets, leaves the frame. Reno halves its window and leaves the link idle; Westwood falls to what its estimate keeps in flight over the shortest round trip, \
                  which drains the queue and no more."
        ),
        panels,
    })
}

/// The estimate over time: one acknowledgement for each packet delivered, through the filter.
fn estimate(tau: f64, delivered: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut filter = LowPass::at(tau, 0.0);
    let (mut packets, mut before) = (0.0, 0.0);
    let mut points = vec![(0.0, 0.0)];
    for pair in delivered.windows(2) {
        let ((from, a), (to, b)) = (pair[0], pair[1]);
        let more = 0.5 * (a + b) * (to - from);
        // Times at which whole packets are complete, on a straight line.
        while more > 0.0 && packets + more >= 1.0 {
            let rest: f64 = 1.0 - packets;
            let at = from + (to - from) * (rest / more).min(1.0);
            filter.arrival(1.0, at - before);
            points.push((at, filter.output));
            before = at;
            packets -= 1.0;
        }
        packets += more;
    }
    points
}

/// Every so many seconds one point, in Mbit/s.
fn thinned(points: &[(f64, f64)], every: f64) -> Vec<(f64, f64)> {
    let mut next = 0.0;
    let mut out = Vec::new();
    for &(time, rate) in points {
        if time >= next {
            out.push((time, rate * PACKET_BITS * 1e-6));
            next = time + every;
        }
    }
    out
}

pub(in crate::figures) fn filter() -> Result<Figure> {
    let (until, base, tau) = (200.0, 0.1, 0.5);
    let rate = |bps: f64| bps / PACKET_BITS;
    let udp: Vec<(f64, f64)> = vec![
        (0.0, 0.0),
        (50.0, rate(5e5)),
        (100.0, 0.0),
        (150.0, rate(5e5)),
    ];
    let mut panels = Vec::new();
    for (with_udp, title) in [(false, "(a) One TCP"), (true, "(b) One TCP and UDP")] {
        let link = link(1e6, 20.0);
        let mut trace = Trace {
            every: 0.01,
            capacity: link.capacity,
            ..Trace::default()
        };
        let mut flows = vec![Flow::new("westwood", law("westwood")?, vec![0], base)];
        if with_udp {
            flows.push(Flow {
                sender: Sender::Changing(udp.clone().into()),
                ..Flow::new("udp", law("reno")?, vec![0], base)
            });
        }
        simulate(
            &Scenario {
                links: vec![link],
                flows,
                losses: Losses {
                    sync: Sync::One,
                    ..Losses::default()
                },
                run: Run {
                    duration: until,
                    ..Run::default()
                },
            },
            &mut trace,
        )?;
        let left: Vec<(f64, f64)> = if with_udp {
            udp.iter()
                .zip(udp.iter().skip(1).map(|s| s.0).chain([until]))
                .flat_map(|(&(from, udp), to)| {
                    let left = 1.0 - udp * PACKET_BITS * 1e-6;
                    [(from, left), (to, left)]
                })
                .collect()
        } else {
            vec![(0.0, 1.0), (until, 1.0)]
        };
        panels.push(Panel {
            title: title.into(),
            x: linear("time (s)", (0.0, until)),
            y: linear("rate (Mbit/s)", (0.0, 1.4)),
            series: vec![
                line("estimate", thinned(&estimate(tau, &trace.delivered), 0.1)),
                line("left by UDP", left),
            ],
            marks: Vec::new(),
        });
    }
    Ok(Figure {
        name: "westwood2002-filter".into(),
        title: "Westwood's bandwidth estimate on a 1 Mbit/s link".into(),
        caption: "Grieco and Mascolo 2002, slides 11 and 12. One acknowledgement for each packet of 1500 B that the fluid delivers to the flow, through the time-varying filter with τ = 0.5 s \
                  (common use; the slides do not state it). Base RTT 100 ms, drop tail with 20 packets; UDP of 0.5 Mbit/s from 50 to 100 s and from 150 s on: values of this figure. Where two \
                  flows share a queue the estimate is the TCP's share of what the link serves, with the ripple of its window."
            .into(),
        panels,
    })
}

pub(in crate::figures) fn wireless() -> Result<Figure> {
    let (capacity_bps, base) = (1e7, 0.1);
    let capacity = capacity_bps / PACKET_BITS;
    let mbit = |pps: f64| pps * PACKET_BITS * 1e-6;
    let losses: Vec<f64> = (0..=16)
        .map(|k| 1e-5 * 10f64.powf(0.25 * f64::from(k)))
        .collect();
    let mut series = Vec::new();
    for (spec, label) in [("westwood", "Westwood"), ("reno", "Reno")] {
        let rates = map(&losses, |&p| -> Result<f64> {
            let runs: Vec<f64> = (1..=3)
                .map(|seed| lossy(spec, p, capacity_bps, base, seed))
                .collect::<Result<_>>()?;
            Ok(runs.iter().sum::<f64>() / runs.len() as f64)
        });
        let points = losses.iter().zip(rates);
        series.push(line(
            &format!("{label}, fluid"),
            points
                .map(|(&p, rate)| Ok((p, mbit(rate?))))
                .collect::<Result<_>>()?,
        ));
    }
    for (spec, form, label) in [
        (
            "westwood",
            "delivered",
            "Westwood, closed form without a queue, or the link",
        ),
        ("reno", "random", "Reno, closed form, or the link"),
    ] {
        let selected = Selected::parse(spec)?;
        let function: Box<dyn ResponseFunction> = selected
            .algorithm
            .closed(&selected.setting)
            .into_iter()
            .find(|one| one.form() == form)
            .ok_or_else(|| Error::unknown("form", form, [""; 0]))?;
        let path = Path::with_rtt(Seconds::new(base));
        let points = losses
            .iter()
            .map(|&p| {
                let window = function.respond(LossRate::new(p)?, &path)?.window.value();
                Ok((p, mbit((window / base * (1.0 - p)).min(capacity))))
            })
            .collect::<Result<_>>()?;
        series.push(line(label, points));
    }
    // How far the fluids lie above the closed forms at the largest loss rate.
    let above = |fluid: usize, closed: usize| -> f64 {
        let last = |at: usize| {
            let series: Option<&Series> = series.get(at);
            series
                .and_then(|s| s.points.last())
                .map_or(f64::NAN, |point| point.1)
        };
        100.0 * (last(fluid) / last(closed) - 1.0)
    };
    let (westwood, reno) = (above(0, 2), above(1, 3));
    Ok(Figure {
        name: "westwood2002-wireless".into(),
        title: "Throughput over a lossy link".into(),
        caption: format!(
            "Grieco and Mascolo 2002, slides 5, 6 and 13: losses that are not congestion. One flow over 10 Mbit/s, base RTT 100 ms, buffer 83 packets of 1500 B (one bandwidth-delay \
                  product), each packet lost at random; delivered rate, 300 s, mean of seeds 1 to 3, no timeouts (values of this figure; the slides give none). Without a queue the estimate \
                  is the delivered rate, so a loss takes a share p of the window only, and Westwood holds the link up to a loss rate of about 1 % where Reno falls as 1/√p from 0.02 % on. \
                  The closed forms count every loss; a sender reacts once a round trip to those that come together, so that the fluid lies above them where a window W loses several, pW not being small: at p = 0.1 by {westwood:.0} % \
                  (Westwood) and {reno:.0} % (Reno, about √(1 + pW))."
        ),
        panels: vec![Panel {
            title: String::new(),
            x: Axis {
                title: "packets lost at random, share".into(),
                scale: Scale::Log,
                range: (1e-5, 1e-1),
            },
            y: linear("throughput (Mbit/s)", (0.0, 11.0)),
            series,
            marks: Vec::new(),
        }],
    })
}

/// Packets per second delivered over a link that loses packets at random.
fn lossy(spec: &str, p: f64, capacity_bps: f64, base: f64, seed: u64) -> Result<f64> {
    let link = link(capacity_bps, 83.0);
    let summary = simulate(
        &Scenario {
            flows: vec![Flow {
                begin: Begin::SlowStart(10.0),
                ..Flow::new(spec, law(spec)?, vec![0], base)
            }],
            links: vec![link],
            losses: Losses {
                rate: p,
                ..Losses::default()
            },
            run: Run {
                duration: 320.0,
                measure_from: 20.0,
                seed,
                tolerance: 1e-4,
                ..Run::default()
            },
        },
        &mut (),
    )?;
    Ok(summary.flows.first().map_or(0.0, |flow| flow.rate))
}
