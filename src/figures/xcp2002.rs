//! The experiments of Katabi, Handley and Rohrs 2002 and of their slides.

use super::Figure;
use super::panels::{dots, line, linear, logarithmic, most, panel};
use crate::error::Result;
use crate::experiments::xcp2002::{
    Bulk, LinkSummary, PACKET, Protocol, STAYING, STEP, TCP, TCP_RED, Web, XCP, convergence,
    shares, step,
};
use crate::what_if::parallel;

const ALL: [Protocol; 3] = [XCP, TCP, TCP_RED];
/// Mbit/s per packet per second.
const MEGABITS: f64 = 8.0 * PACKET / 1e6;

const SETTING: &str = "Fluid runs, packets of 1000 bytes, buffers of one bandwidth × delay.";
const ONE_WAY: &str = "Data one way only.";

pub(super) fn utilisation() -> Result<Figure> {
    let bandwidths = [
        1.5, 3.0, 6.0, 15.0, 30.0, 60.0, 155.0, 300.0, 622.0, 1200.0, 2400.0, 4000.0,
    ];
    let delays = [0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.0, 1.4];
    let sweep = |runs: Vec<(f64, Bulk)>| -> Result<Vec<(f64, f64)>> {
        parallel::map(&runs, |(x, bulk)| Ok((*x, bulk.run()?.utilisation)))
            .into_iter()
            .collect()
    };
    let (mut over_bandwidth, mut over_delay) = (Vec::new(), Vec::new());
    for protocol in ALL {
        let bandwidth = bandwidths.map(|mb| (mb, Bulk::both_ways(protocol, mb, 0.08)));
        let delay = delays.map(|rtt| (rtt, Bulk::both_ways(protocol, 155.0, rtt)));
        over_bandwidth.push(line(protocol.name, sweep(bandwidth.to_vec())?));
        over_delay.push(line(protocol.name, sweep(delay.to_vec())?));
    }
    let percent = |of: usize| {
        let both = [&over_bandwidth, &over_delay].map(|lines| &lines[of].points);
        let points = both.into_iter().flatten().map(|(_, y)| 100.0 * y);
        points.fold(f64::INFINITY, f64::min)
    };
    Ok(Figure {
        name: "xcp2002-utilisation".into(),
        title: "Utilisation as bandwidth or delay increases".into(),
        caption: format!(
            "Katabi, Handley and Rohrs, slides: 50 flows, 80 ms on the left, 155 Mbit/s on the right (the paper says 150), from the 20th round trip for 280. {SETTING} \
             Both directions carry 50 flows; acknowledgements of 40 bytes wait in the queue of the data that goes the other way and take their part of the link, which counts as used. \
             XCP fills the link everywhere ({:.1} % at least), without a drop where one packet of each flow fits into bandwidth × delay; at 1.5 and 3 Mbit/s it does not (15 and 30 packets), and the \
             buffer stays full. TCP falls, as in the slides, over RED with ns-2's automatic thresholds, here to {:.0} %; over a full-sized drop-tail buffer to {:.0} % only: losses of a fluid are events that halve a window, \
             without the many drops and timeouts of a slow start, and at the right of each panel 300 round trips are less than one sawtooth.",
            percent(0),
            percent(2),
            percent(1)
        ),
        panels: vec![
            panel(
                "50 flows, 80 ms",
                logarithmic("bottleneck bandwidth (Mbit/s)", (1.0, 5000.0)),
                linear("utilisation", (0.0, 1.1)),
                over_bandwidth,
            ),
            panel(
                "50 flows, 155 Mbit/s",
                logarithmic("round trip (s)", (0.008, 2.0)),
                linear("utilisation", (0.0, 1.1)),
                over_delay,
            ),
        ],
    })
}

pub(super) fn steps() -> Result<Figure> {
    let every = 0.02;
    let mut panels = Vec::new();
    let mut queues = Vec::new();
    for protocol in [XCP, TCP] {
        let (mut busy, mut queue) = (Vec::new(), Vec::new());
        for extra in [40, 100] {
            let course = step(protocol, extra, every)?;
            let label = format!("{extra} flows come and go");
            busy.push(line(label.clone(), course.utilisation()));
            queue.push(line(label, course.queue()));
        }
        panels.push(panel(
            &format!("Utilisation, {}", protocol.name),
            linear("time (s)", (0.0, STEP.2)),
            linear("utilisation", (0.0, 1.1)),
            busy,
        ));
        queues.push(panel(
            &format!("Queue, {}", protocol.name),
            linear("time (s)", (0.0, STEP.2)),
            linear("queue (packets)", (0.0, 1.1 * most(&queue))),
            queue,
        ));
    }
    panels.extend(queues);
    Ok(Figure {
        name: "xcp2002-step".into(),
        title: "Many flows start at 4 s and stop at 8 s".into(),
        caption: format!(
            "{STAYING} flows stay; 40 more as the slides say, or 100 as the paper says. 100 Mbit/s, 40 ms, buffer 500 packets. {SETTING} \
             {STAYING} flows send in the other direction all the time (an assumption), whose acknowledgements take part of this link; they count as use. \
             XCP gives what is freed at 8 s to the flows that stay within some six round trips; TCP's flows ramp up by a packet per round trip. Until 4 s both runs are of the same {STAYING} flows. XCP's curves agree there; TCP's part at the first losses, \
             which are drawn: the flows of the other direction come after all of this one and so draw other numbers beside 40 than beside 100. The difference before 4 s is the chance in such a run."
        ),
        panels,
    })
}

pub(super) fn fairness() -> Result<Figure> {
    let equal = vec![0.04; 30];
    let spread: Vec<f64> = (0..30).map(|k| 0.04 + 0.01 * f64::from(k)).collect();
    let mut panels = Vec::new();
    for (title, rtts) in [("Equal RTT, 40 ms", equal), ("RTT 40 to 330 ms", spread)] {
        let mut series = Vec::new();
        for protocol in ALL {
            let summary = shares(protocol, &rtts)?;
            let rates = summary.flows.iter().enumerate();
            let points = rates.map(|(k, flow)| (k as f64 + 1.0, flow.rate * MEGABITS));
            series.push(dots(protocol.name, points.collect()));
        }
        panels.push(panel(
            title,
            linear("flow", (0.0, 31.0)),
            linear("throughput (Mbit/s)", (0.0, 1.1 * most(&series))),
            series,
        ));
    }
    Ok(Figure {
        name: "xcp2002-fairness".into(),
        title: "Throughput of each of 30 flows, equal and different round trips".into(),
        caption: format!(
            "30 flows on 30 Mbit/s: a fair share is 1 Mbit/s; means over 120 s after 60 s. RTT of flow k on the right: 40 ms + 10 (k − 1) ms. {SETTING} {ONE_WAY}"
        ),
        panels,
    })
}

pub(super) fn five_flows() -> Result<Figure> {
    let course = convergence(XCP, 12.0, 0.02)?;
    let series = (0..5)
        .map(|k| {
            let start = 2.0 * k as f64;
            line(format!("flow from {start} s"), course.flow(k, MEGABITS))
        })
        .collect();
    Ok(Figure {
        name: "xcp2002-convergence".into(),
        title: "Five XCP flows that start two seconds apart".into(),
        caption: format!(
            "45 Mbit/s, 40 ms: shares even out as exp(−0.112 t/d), −0.112 being W(−γ) for γ = 0.1; without the delay of the feedback it would be γ/d. {SETTING} {ONE_WAY}"
        ),
        panels: vec![panel(
            "",
            linear("time (s)", (0.0, 12.0)),
            linear("throughput (Mbit/s)", (0.0, 50.0)),
            series,
        )],
    })
}

pub(super) fn web() -> Result<Figure> {
    const SEEDS: u64 = 2;
    let arrivals = [100.0, 200.0, 400.0, 600.0, 800.0, 1000.0];
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for protocol in [XCP, TCP] {
        // The longest first.
        let mut runs: Vec<(f64, u64)> = Vec::new();
        for arrivals in arrivals.iter().rev() {
            runs.extend((1..=SEEDS).map(|seed| (*arrivals, seed)));
        }
        let links = parallel::map(&runs, |(arrivals, seed)| {
            Web {
                protocol,
                arrivals: *arrivals,
                duration: WEB,
            }
            .run(*seed)
        })
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
        let reads: [fn(&LinkSummary) -> f64; 3] = [
            |link| link.utilisation,
            |link| link.queue_mean,
            |link| 100.0 * link.drop_fraction,
        ];
        for (panel, read) in all.iter_mut().zip(reads) {
            let points = runs.iter().zip(&links);
            let points: Vec<_> = points.map(|((x, _), link)| (*x, read(link))).collect();
            let mean = |x: &f64| {
                let here = points.iter().filter(|(at, _)| at == x).map(|(_, y)| y);
                (*x, here.sum::<f64>() / SEEDS as f64)
            };
            panel.push(line(protocol.name, arrivals.iter().map(mean).collect()));
            panel.push(dots(format!("{}, each seed", protocol.name), points));
        }
    }
    let [busy, queue, drops] = all;
    let x = || linear("arrivals of short flows (per second)", (0.0, 1100.0));
    let (longest, dropped) = (1.1 * most(&queue), 1.1 * most(&drops));
    let (mean, shape) = Web::SIZES;
    Ok(Figure {
        name: "xcp2002-web".into(),
        title: "Short web-like flows".into(),
        caption: format!(
            "Poisson arrivals of transfers, Pareto sizes of {mean} packets on average with exponent {shape}, beside {} flows that stay; 150 Mbit/s, 80 ms, buffer 1500 packets; from {} to {WEB} s, {SEEDS} seeds and their mean. {SETTING} {ONE_WAY} \
             A transfer that is over does not use what it was given, so that XCP's link is not full while there is room; 625 transfers per second of {mean} packets fill it, though sizes this spread out come to less in so short a time. {WEB_DIFFERS}",
            Web::STAYING,
            0.5 * WEB
        ),
        panels: vec![
            panel("Utilisation", x(), linear("utilisation", (0.0, 1.1)), busy),
            panel(
                "Queue",
                x(),
                linear("mean queue (packets)", (0.0, longest)),
                queue,
            ),
            panel(
                "Drops",
                x(),
                linear("packets dropped (%)", (0.0, dropped)),
                drops,
            ),
        ],
    })
}

/// Seconds of a run of short flows.
const WEB: f64 = 6.0;
/// Beside the paper.
const WEB_DIFFERS: &str = "The paper's XCP drops above 800 arrivals per second, and its runs are longer than these. A fluid drops once one packet of each transfer under way no longer fits into path and buffer, 3000 packets: so many have not gathered within 6 s.";
