//! Links in a row: a link passes on what it served, in the order in which it came.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::fluid::{Begin, Flow, Losses, Run, Scenario, Sender, Sync, What};
use cwnd::network::Link;
use runs::{close, law, link, of, run, tape, until};
use std::sync::Arc;

/// Traffic that sends at these rates (packets per second) from these times on.
fn steps(path: Vec<usize>, rates: &[(f64, f64)]) -> Flow {
    Flow {
        sender: Sender::Changing(Arc::from(rates)),
        ..Flow::new("steps", law("reno"), path, 0.2)
    }
}

fn row(links: Vec<Link>, flows: Vec<Flow>, duration: f64) -> Scenario {
    Scenario {
        links,
        flows,
        losses: Losses::default(),
        run: until(duration),
    }
}

fn later(capacity: f64, buffer: f64, delay: f64) -> Link {
    Link {
        delay,
        ..link(capacity, buffer)
    }
}

#[test]
fn twice_the_capacity_into_a_link_and_then_half_of_it() {
    // 2000/s into 1000/s fill 100 packets in 0.1 s. From 0.01 s on 1000/s, not 2000/s, meet 500/s: 50 packets in 0.1 s more.
    for delay in [0.01, 0.0] {
        let mut scenario = row(
            vec![later(1000.0, 100.0, delay), link(500.0, 50.0)],
            vec![steps(vec![0, 1], &[(0.0, 2000.0)])],
            3.0,
        );
        scenario.run.measure_from = 1.0;
        let (summary, tape) = tape(&scenario, 0.1);
        let full = of(&tape, What::Full);
        assert_eq!(full.len(), 2);
        close(full[0].time, 0.1, 1e-8);
        close(full[1].time, 0.1 + delay, 1e-7);
        close(summary.links[0].drop_fraction, 0.5, 1e-9);
        close(summary.links[1].drop_fraction, 0.5, 1e-9);
        close(summary.links[0].utilisation, 1.0, 1e-9);
        close(summary.links[1].utilisation, 1.0, 1e-9);
        let flow = &summary.flows[0];
        close(flow.rate, 500.0, 1e-9);
        close(flow.sent, 4000.0, 1e-9);
        close(flow.lost, 3000.0, 1e-9);
    }
}

#[test]
fn a_packet_is_lost_once() {
    // 100/s into 50/s without a buffer: of the half that comes through a tenth is lost besides. Then 25/s: of a quarter.
    for (capacities, through) in [(&[50.0][..], 50.0), (&[50.0, 25.0], 25.0)] {
        let links = capacities.iter().map(|&c| link(c, 0.0)).collect();
        let path = (0..capacities.len()).collect();
        let mut scenario = row(links, vec![steps(path, &[(0.0, 100.0)])], 10.0);
        scenario.losses.rate = 0.1;
        let summary = run(&scenario);
        let flow = &summary.flows[0];
        close(flow.rate, 0.9 * through, 1e-8);
        close(flow.sent, 1000.0, 1e-8);
        close(flow.lost, 1000.0 - 9.0 * through, 1e-8);
    }
}

#[test]
fn a_queue_passes_on_the_shares_in_which_it_was_filled() {
    // a 1500/s and b 500/s meet 1000/s with room for 100: a has 3/4 of what leaves, 750/s, which fill 60 packets before 600/s in 0.4 s.
    // At 1 s b sends 1500/s: from 0.1 s later on, and 10 ms on the way, a has 1/2, and 60 packets drain at 100/s.
    let scenario = row(
        vec![later(1000.0, 100.0, 0.01), link(600.0, 60.0)],
        vec![
            steps(vec![0, 1], &[(0.0, 1500.0)]),
            steps(vec![0], &[(0.0, 500.0), (1.0, 1500.0)]),
        ],
        2.5,
    );
    let (summary, tape) = tape(&scenario, 0.05);
    let full = of(&tape, What::Full);
    close(full[0].time, 0.1, 1e-8);
    close(full[1].time, 0.01 + 0.4, 1e-7);
    for (time, _, queues) in &tape.samples {
        let second = if *time <= 0.41 {
            150.0 * (time - 0.01).max(0.0)
        } else {
            (60.0 - 100.0 * (time - 1.11).max(0.0)).max(0.0)
        };
        assert!(
            (queues[1] - second).abs() < 1e-5,
            "{time} s: {} is not {second}",
            queues[1]
        );
    }
    // 600/s from 10 ms on until 1.71 s, then 500/s. What enters at s leaves when it has waited.
    close(
        summary.flows[0].rate,
        (600.0 * 1.7 + 500.0 * 0.79) / 2.5,
        1e-8,
    );
    // The other flow has the rest of the first link: 250/s until 1.1 s, then 500/s.
    close(
        summary.flows[1].rate,
        (250.0 * 1.1 + 500.0 * 1.4) / 2.5,
        1e-8,
    );
}

#[test]
fn what_waits_without_a_limit_comes_through_in_the_end() {
    // 2000/s for 1 s: the first link works until 2 s, the second until 4 s.
    for delay in [0.02, 0.0] {
        let scenario = row(
            vec![
                later(1000.0, f64::INFINITY, delay),
                link(500.0, f64::INFINITY),
            ],
            vec![steps(vec![0, 1], &[(0.0, 2000.0), (1.0, 0.0)])],
            5.0,
        );
        let (summary, tape) = tape(&scenario, 0.25);
        close(summary.flows[0].rate * 5.0, 2000.0, 1e-7);
        assert!(summary.flows[0].lost == 0.0);
        close(summary.links[0].utilisation, 2000.0 / 5000.0, 1e-7);
        close(summary.links[1].utilisation, 2000.0 / 2500.0, 1e-7);
        for (time, _, queues) in &tape.samples {
            let first = (1000.0 * time).min(2000.0 - 1000.0 * time).max(0.0);
            let t = (time - delay).max(0.0);
            let second = (500.0 * t).min(2000.0 - 500.0 * t).max(0.0);
            assert!((queues[0] - first).abs() < 1e-4, "{time} s: {}", queues[0]);
            assert!((queues[1] - second).abs() < 1e-4, "{time} s: {}", queues[1]);
        }
    }
}

#[test]
fn a_third_link_sees_what_two_let_out() {
    // 4000/s into 2000/s, 1000/s and 800/s: losses of 1/2, 1/2 and 1/5 of what arrives.
    let mut scenario = row(
        vec![
            later(2000.0, 20.0, 0.01),
            later(1000.0, 20.0, 0.02),
            link(800.0, 20.0),
        ],
        vec![steps(vec![0, 1, 2], &[(0.0, 4000.0)])],
        2.0,
    );
    scenario.run.measure_from = 1.0;
    let summary = run(&scenario);
    for (link, dropped) in summary.links.iter().zip([0.5, 0.5, 0.2]) {
        close(link.drop_fraction, dropped, 1e-8);
        close(link.utilisation, 1.0, 1e-9);
    }
    close(summary.flows[0].rate, 800.0, 1e-9);
}

#[test]
fn flows_never_get_more_than_their_links_serve() {
    // Buffers of 10 and 5 packets; three flows on two links, one of them on both, from a run so short that queues matter.
    for (sync, duration) in [
        (Sync::Natural, 3.0),
        (Sync::All, 3.0),
        (Sync::Natural, 30.0),
    ] {
        let flow = |path: Vec<usize>, rtt: f64| Flow {
            begin: Begin::SlowStart(2.0),
            ..Flow::new("reno", law("reno"), path, rtt)
        };
        let scenario = Scenario {
            links: vec![later(1000.0, 10.0, 0.005), later(600.0, 5.0, 0.005)],
            flows: vec![
                flow(vec![0, 1], 0.05),
                flow(vec![0], 0.03),
                flow(vec![1], 0.04),
            ],
            losses: Losses {
                sync,
                ..Losses::default()
            },
            run: Run {
                measure_from: 0.5,
                ..until(duration)
            },
        };
        let summary = run(&scenario);
        assert_eq!(summary, run(&scenario));
        let rate: Vec<f64> = summary.flows.iter().map(|flow| flow.rate).collect();
        let used: Vec<f64> = summary.links.iter().map(|link| link.utilisation).collect();
        let time = duration - 0.5;
        assert!(used.iter().all(|used| *used <= 1.0 + 1e-9));
        assert!(rate[0] + rate[1] <= 1000.0 * (1.0 + 1e-9));
        close(rate[0] + rate[2], 600.0 * used[1], 1e-7);
        // The first link served what its own flow got, what the second took of the other flow and dropped of it, and what is on the way.
        let on_the_way = (1000.0 * used[0] - rate[1] - rate[0]) * time;
        assert!(on_the_way > -600.0 * 0.02, "{on_the_way}");
        for (flow, round) in summary.flows.iter().zip([0.05, 0.03, 0.04]) {
            // What was neither lost nor delivered was on its way at the beginning or the end.
            let left = flow.sent - flow.lost - flow.rate * time;
            assert!(left.abs() <= 1000.0 * (round + 0.02), "{left}");
        }
    }
}

#[test]
fn a_loss_behind_a_queue_is_heard_of_when_its_packet_would_have_been_acknowledged() {
    // Traffic that does not answer keeps 4e7 packets before 1e9/s, to which 100/s more are nothing: a packet that meets the second link
    // was sent 40 ms and the way ago.
    let standing = Link {
        initial_queue: 4e7,
        ..later(1e9, f64::INFINITY, 0.01)
    };
    let scenario = Scenario {
        links: vec![standing, link(100.0, 5.0)],
        flows: vec![
            steps(vec![0], &[(0.0, 1e9)]),
            Flow {
                begin: Begin::Growing(20.0),
                start: 2.0,
                ..Flow::new("reno", law("reno"), vec![0, 1], 0.1)
            },
        ],
        losses: Losses {
            sync: Sync::All,
            ..Losses::default()
        },
        run: until(12.0),
    };
    let (_, tape) = tape(&scenario, 1.0);
    let losses = of(&tape, What::Loss);
    let mine: Vec<_> = losses.iter().filter(|event| event.whose == 1).collect();
    let reactions = of(&tape, What::Reaction);
    let full: Vec<f64> = of(&tape, What::Full)
        .iter()
        .filter(|event| event.whose == 1)
        .map(|event| event.time)
        .collect();
    assert!(!full.is_empty());
    let mut checked = 0;
    for loss in &mine {
        if !full.contains(&loss.time) {
            continue;
        }
        let next = reactions
            .iter()
            .find(|event| event.whose == 1 && event.time > loss.time);
        let Some(reaction) = next else { continue };
        // The round trip with 40 ms there and 5 packets here, less 10 ms and 40 ms.
        close(reaction.time - loss.time, 0.1 + 0.05 - 0.01, 1e-5);
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn behind_a_queue_without_limit_that_is_overloaded_many_times_over() {
    // 600/s into 100/s: what leaves at s came in at s/6, ever further back. The next link serves it at once, 1 ms later.
    let mut scenario = row(
        vec![later(100.0, f64::INFINITY, 0.001), link(1000.0, 50.0)],
        vec![steps(vec![0, 1], &[(0.0, 600.0)])],
        20.0,
    );
    scenario.flows[0].start = 1.0;
    let summary = run(&scenario);
    let served = 100.0 * (20.0 - 1.0 - 0.001);
    close(summary.flows[0].rate, served / 20.0, 1e-6);
    close(summary.links[0].utilisation, 0.95, 1e-9);
    close(summary.links[1].utilisation, served / 20_000.0, 1e-6);
}

#[test]
fn what_is_over_in_an_instant_arrives_all_the_same() {
    // A thousandth of a packet is sent within a thousandth of a round trip, and nothing else happens.
    for count in [1, 2, 10, 40] {
        let flow = Flow {
            size: Some(1e-3),
            begin: Begin::Growing(1.0),
            ..Flow::new("short", law("reno"), vec![0, 1], 0.26)
        };
        let scenario = row(
            vec![later(1e5, f64::INFINITY, 0.001), link(5.0, f64::INFINITY)],
            vec![flow; count],
            10.0,
        );
        for flow in run(&scenario).flows {
            close(flow.rate, 1e-4, 1e-4);
        }
    }
}
