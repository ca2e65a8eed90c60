//! Drop curves, Easy RED's regimes, and the rates against the round trip.

use crate::algorithms::Selected;
use crate::analysis::threshold_drop::{Regime, ThresholdDrop};
use crate::error::{Error, Result};
use crate::figures::{Axis, Figure, Panel, Scale, Series, Stroke};
use crate::model::{Path, ResponseFunction};
use crate::network::{EasyRed, Red};
use crate::units::{LossRate, Seconds};

fn axis(title: &str, scale: Scale, range: (f64, f64)) -> Axis {
    Axis {
        title: title.into(),
        scale,
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

fn form(spec: &str, name: &str) -> Result<Box<dyn ResponseFunction>> {
    let selected = Selected::parse(spec)?;
    let forms = selected.algorithm.closed(&selected.setting);
    forms
        .into_iter()
        .find(|form| name.is_empty() || form.form() == name)
        .ok_or_else(|| Error::unknown("form", name, [""; 0]))
}

pub(in crate::figures) fn drop_curves() -> Result<Figure> {
    let red = Red {
        min: 30.0,
        max: 90.0,
        max_p: 0.1,
        weight: 0.002,
        gentle: false,
        carried: false,
    };
    let gentle = Red {
        gentle: true,
        ..red
    };
    let easy = EasyRed {
        min: 30.0,
        p: 0.01,
        carried: false,
    };
    let queues: Vec<f64> = (0..=2000).map(|k| 0.1 * f64::from(k)).collect();
    let curve = |label: &str, probability: &dyn Fn(f64) -> f64| {
        line(label, queues.iter().map(|&q| (q, probability(q))).collect())
    };
    let panel = |title: &str, most: f64| Panel {
        title: title.into(),
        x: axis(
            "queue (packets): average, or itself for Easy RED",
            Scale::Linear,
            (0.0, 200.0),
        ),
        y: axis("drop probability", Scale::Linear, (0.0, most)),
        series: vec![
            curve("RED", &|q| red.probability(q, red.max_p)),
            curve("Gentle RED", &|q| gentle.probability(q, gentle.max_p)),
            curve("Easy RED", &|q| easy.probability(q)),
        ],
        marks: Vec::new(),
    };
    Ok(Figure {
        name: "westwood2002-drop-curves".into(),
        title: "Drop curves of RED and Easy RED".into(),
        caption: "Grieco and Mascolo 2002, slide 24. RED acts on the average queue: from 30 to 90 packets up to max_p = 0.1, then 1, or, gentle, up to 1 at 180 packets. Easy RED acts on the queue \
                  itself: p = 0.01 from 30 packets on; a full buffer drops the rest. The thresholds are examples."
            .into(),
        panels: vec![panel("(a) The whole range", 1.05), panel("(b) Small probabilities", 0.12)],
    })
}

pub(in crate::figures) fn regimes() -> Result<Figure> {
    let (capacity, base_rtt, threshold, probability) = (3750.0, 0.2, 200.0, 0.01);
    let models = [
        ("Low's law, carried load", "kelly", "", true),
        ("Misra, Gong and Towsley", "reno", "mean-field", false),
    ];
    let mut queue = Vec::new();
    let mut drops = Vec::new();
    for (label, spec, name, carried) in models {
        let flow = form(spec, name)?;
        let (mut queues, mut required) = (Vec::new(), Vec::new());
        for n in 20..=130 {
            let flows = f64::from(n);
            let all = ThresholdDrop {
                flows,
                capacity,
                base_rtt,
                threshold,
                probability,
                buffer: 800.0,
                carried,
            };
            let (q, p) = match all.regime(flow.as_ref())? {
                Regime::Chatter { required, .. } => (threshold, required),
                Regime::Constant { queue } => (queue, probability),
                Regime::TailDrop { required } => (all.buffer, required),
            };
            queues.push((flows, q));
            required.push((flows, p));
        }
        queue.push(line(label, queues));
        drops.push(line(label, required));
    }
    Ok(Figure {
        name: "westwood2002-easy-red-regimes".into(),
        title: "Easy RED: three regimes".into(),
        caption: "N equal Reno flows over 3750 packets/s with 200 ms, Easy RED p = 0.01 from 200 packets on, buffer 800 packets (an example; the slides show the idea). Few flows need less than p \
                  to hold the queue at the threshold: it chatters there, on for the share required/p of the time (0.79 by this balance, 0.75 to 0.77 in the integrator, for N = 60). More flows: \
                  constant p, the queue grows with N (503.7 and 522.8 packets at N = 90). Beyond: a full buffer, tail drop on top."
            .into(),
        panels: vec![
            Panel {
                title: "(a) Queue".into(),
                x: axis("flows N", Scale::Linear, (0.0, 140.0)),
                y: axis("queue, or where it chatters (packets)", Scale::Linear, (0.0, 900.0)),
                series: queue,
                marks: Vec::new(),
            },
            Panel {
                title: "(b) Mean drop probability".into(),
                x: axis("flows N", Scale::Linear, (0.0, 140.0)),
                y: axis("dropped of offered", Scale::Linear, (0.0, 0.016)),
                series: drops,
                marks: Vec::new(),
            },
        ],
    })
}

pub(in crate::figures) fn round_trips() -> Result<Figure> {
    let p = 1e-3;
    let panel = |title: &str, base: &dyn Fn(f64) -> f64| -> Result<Panel> {
        let mut series = Vec::new();
        for (label, spec, name) in [
            ("Westwood, 1/√(R Tq)", "westwood", "conservation"),
            (
                "Westwood, independent losses",
                "westwood",
                "self-consistent",
            ),
            ("Reno, Kelly's equilibrium", "kelly", ""),
        ] {
            let function = form(spec, name)?;
            let mut points = Vec::new();
            for k in 0..=60 {
                let rtt = 0.025 * 10f64.powf(f64::from(k) / 60.0);
                let path = Path {
                    rtt: Some(Seconds::new(rtt)),
                    base_rtt: Some(Seconds::new(base(rtt))),
                };
                let window = function.respond(LossRate::new(p)?, &path)?.window.value();
                points.push((1e3 * rtt, window / rtt));
            }
            series.push(line(label, points));
        }
        Ok(Panel {
            title: title.into(),
            x: axis("round trip with queue (ms)", Scale::Log, (20.0, 300.0)),
            y: axis("rate (packets per second)", Scale::Log, (1e2, 5e3)),
            series,
            marks: Vec::new(),
        })
    };
    Ok(Figure {
        name: "westwood2002-rtt".into(),
        title: "Rate against round trip".into(),
        caption: "Grieco and Mascolo 2002, slides 20 to 22, at p = 10⁻³. Behind a queue that all flows share (a) Westwood's rate falls as RTT^(−1/2), Reno's as 1/RTT; they are equal where the \
                  queueing delay is half of the round trip. Where the queueing delay is a fixed share of the round trip (b) both fall as 1/RTT."
            .into(),
        panels: vec![
            panel("(a) Queueing delay 20 ms", &|rtt| rtt - 0.02)?,
            panel("(b) Queueing delay a fifth of the RTT", &|rtt| 0.8 * rtt)?,
        ],
    })
}
