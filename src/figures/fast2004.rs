//! The experiments of the FAST slides (Jin, Wei and Low 2004).

use super::Figure;
use super::panels::{dots, line, linear, logarithmic, most, panel};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::experiments::fast2004::{
    CAPACITY, PACKET, PROTOCOLS, SHARING, Verdict, combinations, judge, long_haul, sharing,
};
use crate::units::{LossRate, Seconds};
use crate::what_if::{Context, find_road, parallel, response};

/// Mbit/s per packet per second.
const MEGABITS: f64 = 8.0 * PACKET / 1e6;

const SETTING: &str = "Fluid runs, 800 Mbit/s. The slides leave open, and stand here as assumptions: packets of 1500 bytes, a drop-tail buffer of 2000 packets, FAST with α = 100 packets";

/// The table of the slides: MSS per second are constant/(T p^exponent).
const TABLE: [(&str, &str, f64, f64); 3] = [
    ("Reno", "reno", 1.225, 0.5),
    ("HSTCP", "highspeed", 0.120, 0.835),
    ("STCP", "scalable", 0.075, 1.0),
];

pub(super) fn responses() -> Result<Figure> {
    let mut series = Vec::new();
    let grid = |from: i32, to: i32| (from..=to).map(|k| 10f64.powf(0.25 * f64::from(k)));
    for (name, _, constant, exponent) in TABLE {
        let points = grid(-32, -8).map(|p| (p, constant / p.powf(exponent)));
        series.push(line(
            format!("{name}: {constant}/p^{exponent}"),
            points.collect(),
        ));
    }
    let context = Context {
        roads: vec![find_road("closed")?],
        path: crate::model::Path::with_rtt(Seconds::new(1.0)),
        ..Context::default()
    };
    for (name, spec, ..) in TABLE {
        let law = Selected::parse(spec)?;
        let mut points = Vec::new();
        for p in grid(-8, -2).map(|p| p.powi(4)) {
            let reply = response(&law, LossRate::new(p)?, &context)?;
            let window = reply.answers.first().and_then(|a| a.window_pkt);
            points.push((p, window.ok_or_else(|| Error::NoAnswer(name.into()))?));
        }
        series.push(dots(format!("{name}, closed form"), points));
    }
    Ok(Figure {
        name: "fast2004-response".into(),
        title: "Response lines of the loss-based laws".into(),
        caption: "FAST slides: Reno, HSTCP and STCP have the same flow-level equilibrium, MSS per second = constant/(T p^exponent), here for a round trip of T = 1 s. Points: the closed forms of this program \
                  (HSTCP's and STCP's join Reno's at high p). FAST answers to delay: its rate is α over the queueing delay at any p."
            .into(),
        panels: vec![panel(
            "",
            logarithmic("loss events per packet p", (1e-8, 1e-2)),
            logarithmic("window (packets per RTT)", (1e1, 1e7)),
            series,
        )],
    })
}

/// Which flows are drawn of so many.
fn drawn(count: usize) -> Vec<usize> {
    if count <= 4 {
        (0..count).collect()
    } else {
        vec![0, count / 3, 2 * count / 3, count - 1]
    }
}

fn sharing_of(count: usize) -> Result<Figure> {
    const BIN: f64 = 30.0;
    let every = 2.0;
    let runs = parallel::map(&PROTOCOLS, |protocol| sharing(*protocol, count, every))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let time = || linear("time (s)", (0.0, SHARING));
    let mut panels = Vec::new();
    for (protocol, (course, _)) in PROTOCOLS.iter().zip(&runs) {
        let series = drawn(count).into_iter().map(|k| {
            let points = course.flow(k, MEGABITS);
            line(format!("flow {}", k + 1), points)
        });
        panels.push(panel(
            protocol.name,
            time(),
            linear("throughput (Mbit/s)", (0.0, 900.0)),
            series.collect(),
        ));
    }
    let (mut queues, mut losses) = (Vec::new(), Vec::new());
    for (protocol, (course, _)) in PROTOCOLS.iter().zip(&runs) {
        queues.push(line(protocol.name, course.mean_queue(BIN)));
        let lost = course.losses(BIN, SHARING).into_iter();
        losses.push(line(
            protocol.name,
            lost.map(|(t, n)| (t, n / BIN)).collect(),
        ));
    }
    let often = 1.1 * most(&losses);
    panels.push(panel(
        "Queue",
        time(),
        linear("mean queue over 30 s (packets)", (0.0, 2200.0)),
        queues,
    ));
    panels.push(panel(
        "Loss",
        time(),
        linear("loss events per second, all flows", (0.0, often)),
        losses,
    ));
    let which = if count > 4 {
        "Drawn are the first, the last and two flows between. "
    } else {
        ""
    };
    let busy: Vec<String> = PROTOCOLS
        .iter()
        .zip(&runs)
        .map(|(protocol, (_, summary))| {
            let link = &summary.links[0];
            format!("{} {:.1} %", protocol.name, 100.0 * link.utilisation)
        })
        .collect();
    Ok(Figure {
        name: format!("fast2004-sharing-{count}"),
        title: format!("Dynamic sharing: {count} flows come and go within 30 minutes"),
        caption: format!(
            "Slides of FAST, 120 ms. {SETTING} and its true base round trip, and that flows come one after the other in the first 12 minutes and go in the order in which they came in the last 12. {which}Utilisation: {}.",
            busy.join(", ")
        ),
        panels,
    })
}

pub(super) fn sharing_3() -> Result<Figure> {
    sharing_of(3)
}

pub(super) fn sharing_14() -> Result<Figure> {
    sharing_of(14)
}

pub(super) fn long_hauls() -> Result<Figure> {
    let hours = [(1, 1.0), (2, 1.0), (7, 6.0), (9, 1.1), (10, 6.0)];
    let runs = parallel::map(&hours, |(count, hours)| long_haul(*count, 3600.0 * hours))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let ours = hours.iter().zip(&runs);
    let ours = ours
        .map(|((count, _), share)| (f64::from(u8::try_from(*count).unwrap_or(0)), 100.0 * share));
    let level = |percent: f64| vec![(0.0, percent), (11.0, percent)];
    Ok(Figure {
        name: "fast2004-utilisation".into(),
        title: "Average utilisation of 1, 2, 7, 9 and 10 FAST flows".into(),
        caption: "SC2002, CERN to StarLight and SLAC: the slides give 88, 90, 92 and 95 % over 1 hr, 1 hr, 6 hr, 1.1 hr and 6 hr and not which is whose, so only their range is drawn. Points: fluid runs of that length from an empty network, \
                  with 1 Gbit/s of path for each flow, 180 ms, α = 200 packets and half a bandwidth × delay of buffer (assumptions). Ours are 99.6 to 99.9 %: FAST keeps α packets of each flow queued, so that a fluid's link is idle only \
                  while the flows start, 0.06 to 0.4 % of these hours. The 5 to 12 % that the slides' runs leave are what a fluid does not have, and which of it the slides do not say: hosts and cards that cannot send at line rate, other traffic, losses without congestion, \
                  and headers, 2.7 % of 1500 bytes, if their number is payload over nominal capacity."
            .into(),
        panels: vec![panel(
            "",
            linear("flows", (0.0, 11.0)),
            linear("utilisation (%)", (80.0, 102.0)),
            vec![
                dots("fluid", ours.collect()),
                line("slides, most", level(95.0)),
                line("slides, least", level(88.0)),
            ],
        )],
    })
}

pub(super) fn scan() -> Result<Figure> {
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for protocol in PROTOCOLS {
        let verdicts = parallel::map(&combinations(), |(n, rtt)| judge(protocol, *n, *rtt))
            .into_iter()
            .collect::<Result<Vec<_>>>()?;
        let points = |read: fn(&Verdict) -> f64| {
            let places = verdicts.iter().map(|v| (v.window, read(v)));
            dots(protocol.name, places.collect())
        };
        all[0].push(points(|v| CAPACITY * MEGABITS * v.utilisation));
        all[1].push(points(|v| v.jain));
        all[2].push(points(|v| v.swing));
    }
    let [throughput, jain, swing] = all;
    let x = || {
        logarithmic(
            "bandwidth × delay for each flow (packets)",
            (200.0, 20_000.0),
        )
    };
    let largest = 1.1 * most(&swing);
    Ok(Figure {
        name: "fast2004-scan".into(),
        title: "29 experiments: 1 to 14 flows, 50 to 200 ms".into(),
        caption: format!(
            "Slides of FAST: aggregate throughput, Jain's index and stability. {SETTING} and its true base round trip; which 29 combinations: 1, 2, 4, 6, 8, 11 and 14 flows at 50, 100, 150 and 200 ms, and 3 flows at 120 ms; flows begin 10 s apart, minutes 5 to 10 are measured; one seed. \
             HSTCP's link runs empty where what a loss takes of the windows exceeds the buffer: not at 50 ms, where windows are small against 2000 packets, but from 100 ms on, one or two flows at 100 ms apart; its shares even out. \
             STCP gives up an eighth, which the buffer holds everywhere, so that its link stays full; its shares stay as unequal as they began. \
             Stability is the standard deviation of a flow's rate over ten-second intervals, relative to its mean."
        ),
        panels: vec![
            panel(
                "Aggregate throughput",
                x(),
                linear("throughput (Mbit/s)", (600.0, 820.0)),
                throughput,
            ),
            panel("Fairness", x(), linear("Jain's index", (0.0, 1.1)), jain),
            panel(
                "Stability",
                x(),
                linear("relative swing of a flow's rate", (0.0, largest)),
                swing,
            ),
        ],
    })
}
