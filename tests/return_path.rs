//! Links that acknowledgements cross: what waits there lengthens the round trip, and what they take is load.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::fluid::{Begin, Flow, Losses, Run, Scenario, Sender, Summary, simulate};
use cwnd::network::Link;
use cwnd::units::Bytes;
use runs::{close, law, link, tape, until};

/// A flow that its receiver holds at `window` packets, over links of the way back only.
fn held(window: f64, rtt: f64, back: Vec<usize>, ack_size: f64) -> Flow {
    Flow {
        receive_window: Some(window),
        begin: Begin::Growing(window),
        return_path: back,
        ack_size,
        ..Flow::new("held", law("reno"), vec![], rtt)
    }
}

/// Data that fills link `at` with `rate` packets per second, whatever happens.
fn traffic(rate: f64, at: usize) -> Flow {
    Flow {
        sender: Sender::Constant(rate),
        begin: Begin::Growing(rate),
        ..Flow::new("traffic", law("reno"), vec![at], 1.0)
    }
}

fn scenario(links: Vec<Link>, flows: Vec<Flow>, run: Run) -> Scenario {
    Scenario {
        links,
        flows,
        losses: Losses::default(),
        run,
    }
}

fn run(links: Vec<Link>, flows: Vec<Flow>, duration: f64) -> Summary {
    let run = Run {
        measure_from: 0.5 * duration,
        tolerance: 1e-9,
        ..until(duration)
    };
    simulate(&scenario(links, flows, run), &mut ()).unwrap()
}

fn standing(capacity: f64, queue: f64) -> Link {
    Link {
        initial_queue: queue,
        ..link(capacity, f64::INFINITY)
    }
}

#[test]
fn a_standing_queue_on_the_way_back_lengthens_the_round_trip_by_itself() {
    // 150 packets at 1000/s are 0.15 s; what the acknowledgements take and the traffic together are the capacity.
    let (window, rtt, wait, ack) = (30.0, 0.1, 0.15, 0.04);
    let rate = window / (rtt + wait);
    let summary = run(
        vec![standing(1000.0, 150.0)],
        vec![
            held(window, rtt, vec![0], ack),
            traffic(1000.0 - ack * rate, 0),
        ],
        20.0,
    );
    close(summary.flows[0].rate, rate, 1e-9);
    close(summary.links[0].queue_mean, 150.0, 1e-9);
    close(summary.links[0].utilisation, 1.0, 1e-9);
    // Two links on the way back: both queues.
    let summary = run(
        vec![standing(1000.0, 150.0), standing(500.0, 25.0)],
        vec![
            held(window, rtt, vec![0, 1], 0.0),
            traffic(1000.0, 0),
            traffic(500.0, 1),
        ],
        20.0,
    );
    close(summary.flows[0].rate, window / (rtt + 0.15 + 0.05), 1e-9);
}

#[test]
fn acknowledgements_alone_fill_a_slow_way_back() {
    // 200 packets in 0.1 s would be 80 packets/s of acknowledgements; the link serves 10, so that R = 0.04 x 200/10 = 0.8 s.
    let summary = run(
        vec![link(10.0, f64::INFINITY)],
        vec![held(200.0, 0.1, vec![0], 0.04)],
        100.0,
    );
    close(summary.flows[0].rate, 250.0, 1e-6);
    close(summary.links[0].queue_mean, 7.0, 1e-6);
    close(summary.links[0].utilisation, 1.0, 1e-6);
    // A full buffer holds the round trip; lost acknowledgements change nothing.
    let summary = run(
        vec![link(10.0, 2.0)],
        vec![held(200.0, 0.1, vec![0], 0.04)],
        100.0,
    );
    close(summary.flows[0].rate, 200.0 / 0.3, 1e-9);
    assert_eq!(summary.flows[0].loss_events, 0);
    close(
        summary.links[0].drop_fraction,
        1.0 - 10.0 / (0.04 * 200.0 / 0.3),
        1e-6,
    );
}

#[test]
fn acknowledgements_meet_the_way_back_after_the_way_there() {
    // 20 ms there; the way back begins with a link that the acknowledgements reach 20 ms after a packet is sent, and the next
    // one after 5 ms more: nothing is offered to either before.
    let far = |delay: f64| Link {
        delay,
        ..link(1000.0, f64::INFINITY)
    };
    let flow = Flow {
        path: vec![0],
        start: 1.0,
        ..held(10.0, 0.1, vec![1, 2], 0.5)
    };
    let run = Run {
        measure_from: 0.0,
        tolerance: 1e-9,
        ..until(1.05)
    };
    let summary = simulate(
        &scenario(vec![far(0.02), far(0.005), far(0.0)], vec![flow], run),
        &mut (),
    )
    .unwrap();
    for (k, seconds, each) in [(0, 0.05, 1.0), (1, 0.03, 0.5), (2, 0.025, 0.5)] {
        let carried = summary.links[k].utilisation * 1000.0 * 1.05;
        close(carried, each * 100.0 * seconds, 1e-6);
    }
}

/// An empty link on the way back that acknowledgements take nothing of is no link: the same numbers, to the last bit.
#[test]
fn nothing_on_the_way_back_is_todays_run() {
    for (spec, queue) in [
        ("reno", "drop-tail"),
        ("bic", "red"),
        ("xcp", "xcp"),
        ("fast", "drop-tail"),
    ] {
        let summary = |back: bool| {
            let linked = |queue| Link {
                queue: cwnd::network::parse_queue(queue, 2000.0, Bytes::new(1500.0)).unwrap(),
                ..link(2000.0, 100.0)
            };
            let law = law(spec);
            let flow = |rtt: f64| Flow {
                return_path: if back { vec![1] } else { Vec::new() },
                ack_size: 0.0,
                ..Flow::new(spec, std::sync::Arc::clone(&law), vec![0], rtt)
            };
            let flows = vec![flow(0.05), flow(0.08), flow(0.08)];
            run(vec![linked(queue), linked("drop-tail")], flows, 30.0)
        };
        let (with, without) = (summary(true), summary(false));
        assert_eq!(with.flows, without.flows, "{spec}");
        assert_eq!(with.links[0], without.links[0], "{spec}");
        assert_eq!(with.steps, without.steps, "{spec}");
    }
}

/// XCP's feedback rides on acknowledgements: 20 ms of standing queue on the way back are 20 ms of round trip, to router and sender.
#[test]
fn feedback_waits_on_the_way_back() {
    let router = || Link {
        queue: cwnd::network::parse_queue("xcp", 1000.0, Bytes::new(1500.0)).unwrap(),
        ..link(1000.0, 1000.0)
    };
    let law = law("xcp");
    let flow = |rtt: f64, back: Vec<usize>| Flow {
        begin: Begin::Growing(2.0),
        return_path: back,
        ack_size: 0.0,
        ..Flow::new("xcp", std::sync::Arc::clone(&law), vec![0], rtt)
    };
    let run = Run {
        tolerance: 1e-8,
        ..until(3.0)
    };
    let with = scenario(
        vec![router(), standing(1000.0, 20.0)],
        vec![flow(0.04, vec![1]), flow(0.06, vec![1]), traffic(1000.0, 1)],
        run,
    );
    let without = scenario(
        vec![router()],
        vec![flow(0.06, vec![]), flow(0.08, vec![])],
        run,
    );
    let (a, b) = (tape(&with, 0.05).1, tape(&without, 0.05).1);
    for (a, b) in a.samples.iter().zip(&b.samples) {
        close(a.1[0], b.1[0], 1e-5);
        close(a.1[1], b.1[1], 1e-5);
    }
    // It did something: the windows went from 2 packets to a fair share of the link.
    assert!(b.samples.last().unwrap().1[0] > 25.0);
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |path: Vec<usize>, back: Vec<usize>, ack: f64, rtt: f64| {
        let far = || Link {
            delay: 0.02,
            ..link(100.0, 10.0)
        };
        let flow = Flow {
            path,
            ..held(10.0, rtt, back, ack)
        };
        let scenario = scenario(vec![far(), far()], vec![flow], until(1.0));
        simulate(&scenario, &mut ()).unwrap_err().to_string()
    };
    for (error, words) in [
        (refused(vec![0], vec![2], 0.1, 0.1), "does not exist"),
        (
            refused(vec![0], vec![1, 1], 0.1, 0.1),
            "on the return path twice",
        ),
        (refused(vec![0], vec![0], 0.1, 0.1), "one direction"),
        (
            refused(vec![0], vec![1], -0.1, 0.1),
            "size of an acknowledgement",
        ),
        (
            refused(vec![0], vec![1], f64::NAN, 0.1),
            "size of an acknowledgement",
        ),
        (refused(vec![0], vec![1], 0.1, 0.03), "at least 0.04 s"),
    ] {
        assert!(error.contains(words), "{error}");
    }
}

#[cfg(feature = "files")]
mod files {
    use cwnd::files::read_scenario;

    const TWO: &str = "[links.east]\ncapacity = \"12Mbit/s\"\ndelay = \"10ms\"\n[links.west]\ncapacity = \"6Mbit/s\"\ndelay = \"5ms\"\n\
        [[flow]]\nlaw = \"reno\"\npath = [\"east\"]\nreturn_path = [\"west\"]\n[run]\npacket = \"1000B\"\n";

    #[test]
    fn a_file_names_the_way_back() {
        let read = |text: &str| read_scenario("two.toml", text, None).unwrap().scenario;
        let plain = read(TWO);
        assert_eq!(plain.flows[0].return_path, [1]);
        assert!((plain.flows[0].ack_size - 0.04).abs() < 1e-15);
        // There over 10 ms and back over 5; the buffer of the link of acknowledgements goes by their flow.
        assert!((plain.flows[0].base_rtt - 0.015).abs() < 1e-15);
        assert!((plain.links[1].buffer - 750.0 * 0.015).abs() < 1e-9);
        let sized = read(&TWO.replace("[run]", "ack_size = \"0pkt\"\n[run]"));
        assert_eq!(sized.flows[0].ack_size.to_bits(), 0.0f64.to_bits());
        let none = read(&TWO.replace("return_path = [\"west\"]\n", ""));
        assert!(none.flows[0].return_path.is_empty());
    }

    #[test]
    fn what_is_wrong_with_it_is_said_with_its_place() {
        for (to, place, words) in [
            ("[\"wets\"]", "line 10, column 16", "did you mean `west`"),
            (
                "[\"west\", \"west\"]",
                "line 10, column 24",
                "on the return path twice",
            ),
            ("[\"east\"]", "line 10, column 16", "one direction"),
            ("3", "line 10, column 15", "`3`"),
            (
                "[\"west\"]\nack_size = \"-1B\"",
                "line 11, column 12",
                "-1B",
            ),
            (
                "[\"west\"]\nrtt = \"14ms\"",
                "line 11, column 7",
                "at least",
            ),
        ] {
            let text = TWO.replace("[\"west\"]", to);
            let error = read_scenario("two.toml", &text, None)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(place) && error.contains(words),
                "{to}: {error}"
            );
        }
        let text = TWO.replace("return_path = [\"west\"]", "ack_size = \"40B\"");
        let error = read_scenario("two.toml", &text, None)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("line 10, column 12") && error.contains("return_path"),
            "{error}"
        );
    }
}

#[test]
fn a_way_back_may_cross_a_link_that_feeds_another() {
    // What the first link lets out depends on acknowledgements that came to it from far. The third link, 1/5 of the others and served by one flow, is
    // kept busy but for what a loss leaves idle: a window of 17 + 5 packets is halved.
    let link = |capacity: f64, buffer: f64, delay: f64| Link {
        delay,
        ..link(capacity, buffer)
    };
    let forward = Flow::new("forward", law("reno"), vec![0, 1], 0.06);
    let crossing = Flow {
        return_path: vec![0],
        ack_size: 0.04,
        ..Flow::new("crossing", law("reno"), vec![1, 2], 0.1)
    };
    for buffer in [0.0, 0.5, 1.0, 20.0] {
        let links = vec![
            link(833.0, buffer, 0.001),
            link(833.0, buffer, 0.001),
            link(166.0, 5.0, 0.005),
        ];
        let flows = vec![forward.clone(), crossing.clone()];
        let run = Run {
            measure_from: 5.0,
            ..until(20.0)
        };
        let summary = simulate(&scenario(links, flows, run), &mut ()).unwrap();
        let [a, b] = [summary.flows[0].rate, summary.flows[1].rate];
        assert!((0.5..=1.0).contains(&summary.links[2].utilisation));
        // What a link serves and what its flows are given differ by what is on the way or dropped behind it: packets of thousands.
        close(b, 166.0 * summary.links[2].utilisation, 1e-3);
        close(a + b, 833.0 * summary.links[1].utilisation, 0.01);
    }
}
