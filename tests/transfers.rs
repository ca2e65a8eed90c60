//! Transfers that take turns in a few places: the same run as one flow for each.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::fluid::{Begin, Flow, Losses, Run, Scenario, Summary, Transfers, simulate};
use cwnd::network::{Link, parse_queue};
use cwnd::units::Bytes;
use runs::{close, law, link, until};
use std::sync::Arc;

/// A transfer every 20 ms from 0.5 s on, of 3 to 42 packets.
fn sizes() -> Vec<(f64, f64)> {
    (0..150)
        .map(|k| {
            let size = 3 + (7 * k) % 40;
            (0.5 + 0.02 * f64::from(k), f64::from(size))
        })
        .collect()
}

fn summaries(spec: &str, queue: &str, buffer: f64) -> (Summary, Summary) {
    let law = law(spec);
    let flow = |start: f64, size: Option<f64>| Flow {
        begin: Begin::SlowStart(2.0),
        receive_window: Some(40.0),
        start,
        size,
        ..Flow::new(spec, Arc::clone(&law), vec![0], 0.05)
    };
    let scenario = |transfers: &[(f64, f64)]| Scenario {
        links: vec![Link {
            queue: parse_queue(queue, 2000.0, Bytes::new(1500.0)).unwrap(),
            ..link(2000.0, buffer)
        }],
        flows: (0..3)
            .map(|_| flow(0.0, None))
            .chain(transfers.iter().map(|(at, size)| flow(*at, Some(*size))))
            .collect(),
        losses: Losses::default(),
        run: Run {
            tolerance: 1e-7,
            ..until(5.0)
        },
    };
    let transfers = Transfers {
        like: flow(0.0, None),
        sizes: sizes(),
    };
    let places = transfers.simulate(&scenario(&[])).unwrap();
    let each = simulate(&scenario(&sizes()), &mut ()).unwrap();
    (places, each)
}

#[test]
fn turns_are_the_same_run_as_a_flow_for_each() {
    // No loss is drawn: XCP's queue stays short, and the other link holds everything.
    for (spec, queue, buffer) in [("xcp", "xcp", 400.0), ("reno", "drop-tail", f64::INFINITY)] {
        let (places, each) = summaries(spec, queue, buffer);
        assert!(places.flows.len() < each.flows.len());
        close(places.links[0].utilisation, each.links[0].utilisation, 1e-5);
        for k in 0..3 {
            close(places.flows[k].rate, each.flows[k].rate, 1e-4);
        }
        let packets: f64 = sizes().iter().map(|(_, size)| size).sum();
        for summary in [&places, &each] {
            let sent: f64 = summary.flows[3..].iter().map(|flow| flow.sent).sum();
            close(sent, packets, 1e-6);
        }
        assert!(each.links[0].drop_fraction == 0.0, "{spec}");
    }
}

#[test]
fn a_transfer_that_cannot_be_is_refused() {
    let like = Flow::new("reno", law("reno"), vec![0], 0.05);
    let scenario = Scenario {
        links: vec![link(1000.0, 50.0)],
        flows: vec![like.clone()],
        losses: Losses::default(),
        run: until(5.0),
    };
    for bad in [
        (-1.0, 3.0),
        (5.0, 3.0),
        (f64::NAN, 3.0),
        (1.0, 0.0),
        (1.0, f64::INFINITY),
    ] {
        let transfers = Transfers {
            like: like.clone(),
            sizes: vec![bad],
        };
        let error = transfers.simulate(&scenario).unwrap_err().to_string();
        assert!(error.contains("a transfer"), "{bad:?}: {error}");
    }
    let nowhere = Transfers {
        like: Flow {
            path: vec![7],
            ..like
        },
        sizes: vec![(1.0, 3.0)],
    };
    assert!(nowhere.simulate(&scenario).is_err());
}
