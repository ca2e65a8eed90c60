//! Queues that control their length or delay, and laws that answer to delay, in the integrator.

mod runs;

use cwnd::fluid::{Begin, Flow, Lapse, Losses, Process, Run, Scenario, Summary, Sync};
use cwnd::network::{Link, parse_queue};
use cwnd::units::Bytes;
use runs::{close, law, run, tape, until};

fn link(spec: &str, capacity: f64, buffer: f64) -> Link {
    Link {
        queue: parse_queue(spec, capacity, Bytes::new(1500.0)).unwrap(),
        ..runs::link(capacity, buffer)
    }
}

/// Standard TCP whose losses are a continuous stream.
fn stream(queue: &str, capacity: f64, flows: usize, rtt: f64) -> Summary {
    let flow = Flow {
        begin: Begin::Growing(10.0),
        ..Flow::new("reno", law("reno"), vec![0], rtt)
    };
    run(&Scenario {
        links: vec![link(queue, capacity, 100.0 * capacity)],
        flows: vec![flow; flows],
        losses: Losses {
            process: Process::MeanField,
            reaction: Lapse::NONE,
            ..Losses::default()
        },
        run: Run {
            measure_from: 290.0,
            ..until(300.0)
        },
    })
}

#[test]
fn slow_start_under_a_stream_of_losses_ends_where_it_begins_beyond_it() {
    // The stream takes half a window a loss: W' = 1/R - W^2 p/(2 R), at rest at sqrt(2/p), wherever a window begins.
    for (p, begin) in [(0.11, 10.0), (0.09, 10.0), (0.011, 100.0), (0.011, 2.0)] {
        let mut scenario = Scenario {
            links: vec![],
            flows: vec![Flow {
                begin: Begin::SlowStart(begin),
                ..Flow::new("reno", law("reno"), vec![], 0.1)
            }],
            losses: Losses {
                rate: p,
                process: Process::MeanField,
                ..Losses::default()
            },
            run: Run {
                measure_from: 30.0,
                ..until(40.0)
            },
        };
        let window = run(&scenario).flows[0].window.unwrap();
        close(window, (2.0 / p).sqrt(), 1e-5);
        // So does one that comes late.
        let mut late = scenario.flows[0].clone();
        late.start = 5.0;
        scenario.flows.push(late);
        close(run(&scenario).flows[1].window.unwrap(), window, 1e-5);
    }
}

#[test]
fn a_stream_of_losses_holds_a_law_where_its_rule_jumps() {
    // Below 16 packets Scalable is standard TCP and grows towards sqrt(2/p) = 18.3; above them it shrinks towards a/(b p) = 13.3.
    let scenario = Scenario {
        links: vec![],
        flows: vec![Flow {
            begin: Begin::Growing(10.0),
            ..Flow::new("scalable", law("scalable"), vec![], 0.1)
        }],
        losses: Losses {
            rate: 0.006,
            process: Process::MeanField,
            ..Losses::default()
        },
        run: Run {
            measure_from: 50.0,
            budget: 10_000,
            ..until(100.0)
        },
    };
    // Its rule is spread over a thousandth of the window there.
    let window = run(&scenario).flows[0].window.unwrap();
    close(window, 16.0, 1e-3);
}

#[test]
fn a_threshold_at_the_end_of_the_buffer_drops_nothing_of_its_own() {
    // What comes in there does not fit anyway: the queue is drop tail.
    let summary = |queue: &str, buffer: f64| {
        let flows = (0..4).map(|k| Flow {
            begin: Begin::Growing(2.0),
            ..Flow::new("cubic", law("cubic"), vec![0], 0.03 + 0.01 * f64::from(k))
        });
        run(&Scenario {
            links: vec![link(queue, 1000.0, buffer)],
            flows: flows.collect(),
            losses: Losses {
                sync: Sync::All,
                ..Losses::default()
            },
            run: until(20.0),
        })
    };
    for buffer in [4.0, 5.0, 5.0 + 1e-9] {
        let early = summary("easy-red:min=5pkt,p=0.1,carried=1", buffer);
        let plain = summary("drop-tail", buffer);
        close(early.links[0].utilisation, plain.links[0].utilisation, 1e-6);
        for (one, other) in early.flows.iter().zip(&plain.flows) {
            close(one.rate, other.rate, 1e-5);
        }
    }
}

#[test]
fn the_pi_controller_holds_its_queue() {
    let summary = stream("pi:target=200pkt", 3750.0, 60, 0.2);
    close(summary.links[0].queue_mean, 200.0, 1e-4);
}

#[test]
fn pie_and_pi2_hold_their_delay() {
    for (queue, delay) in [
        ("pie", 0.015),
        ("pie:target=20ms", 0.020),
        ("pi2", 0.015),
        ("pi2:target=30ms", 0.030),
    ] {
        for (capacity, flows) in [(1000.0, 10), (4000.0, 40)] {
            let summary = stream(queue, capacity, flows, 0.05);
            close(summary.links[0].queue_mean / capacity, delay, 1e-3);
            close(summary.links[0].utilisation, 1.0, 1e-6);
        }
    }
}

#[test]
fn bad_values_are_refused() {
    for spec in [
        "pi:a=0",
        "pi:a=1e-5,b=2e-5",
        "pie:target=0s",
        "pie:target=15",
        "pi2:k=-1",
        "xcp:gamma=0",
        "xcp:alpha=nan",
    ] {
        assert!(
            parse_queue(spec, 1000.0, Bytes::new(1500.0)).is_err(),
            "{spec}"
        );
    }
}

/// Flows on one link without loss.
fn settle(capacity: f64, flows: Vec<(String, f64)>, seconds: f64) -> Summary {
    run(&Scenario {
        links: vec![runs::link(capacity, 1e6)],
        flows: flows
            .into_iter()
            .map(|(spec, rtt)| Flow::new(spec.clone(), law(&spec), vec![0], rtt))
            .collect(),
        losses: Losses::default(),
        run: Run {
            measure_from: seconds - 10.0,
            tolerance: 1e-9,
            ..until(seconds)
        },
    })
}

#[test]
fn fast_settles_at_alpha_over_the_delay() {
    // C = 10000 packets/s, d = 50, 100, 200 ms, alpha = 100, 100, 200: x = 2500, 2500, 5000 and q = 0.04 s.
    let flows = [(100, 0.05), (100, 0.1), (200, 0.2)];
    let flows = flows.map(|(alpha, rtt)| (format!("fast:alpha={alpha}"), rtt));
    let summary = settle(10_000.0, flows.to_vec(), 200.0);
    for (flow, rate) in summary.flows.iter().zip([2500.0, 2500.0, 5000.0]) {
        close(flow.rate, rate, 1e-6);
    }
    close(summary.links[0].queue_mean, 400.0, 1e-6);
}

#[test]
fn vegas_settles_at_alpha_over_the_delay() {
    let flows = [(4, 0.05), (8, 0.1)];
    let flows = flows.map(|(alpha, rtt)| (format!("vegas:alpha={alpha},beta={alpha}"), rtt));
    let summary = settle(300.0, flows.to_vec(), 400.0);
    for (flow, rate) in summary.flows.iter().zip([100.0, 200.0]) {
        close(flow.rate, rate, 1e-6);
    }
    close(summary.links[0].queue_mean, 12.0, 1e-6);
}

#[test]
fn vegas_leaves_its_window_alone_between_its_marks() {
    // Anywhere between two and four packets queued it stands still.
    for window in [5.0, 13.0, 30.0] {
        let flow = Flow {
            begin: Begin::Growing(window),
            ..Flow::new("vegas", law("vegas"), vec![0], 0.1)
        };
        let summary = run(&Scenario {
            links: vec![runs::link(100.0, 20.0)],
            flows: vec![flow],
            losses: Losses::default(),
            run: Run {
                measure_from: 90.0,
                ..until(100.0)
            },
        });
        let link = &summary.links[0];
        assert!((1.99..4.01).contains(&link.queue_mean), "{link:?}");
        assert!((link.queue_p95 - link.queue_mean).abs() < 0.02, "{link:?}");
    }
}

#[test]
fn a_queue_taken_for_distance_favours_the_newest() {
    // Sum of alpha/(q_n - q_(i-1)) = C: for two flows q C/alpha = 2.618034, shares 0.381966 and 0.618034; for three
    // 4.599258 and 0.217426, 0.277835, 0.504739.
    let (c, alpha) = (10_000.0, 100.0);
    let unit = alpha / c;
    let found = [0.0, 1.0, 2.618_033_989];
    for (n, queue, shares) in [
        (2, 2.618_034, vec![0.381_966, 0.618_034]),
        (3, 4.599_258, vec![0.217_426, 0.277_835, 0.504_739]),
    ] {
        let flows = found[..n]
            .iter()
            .map(|q| (format!("fast:alpha={alpha},base_error={}s", q * unit), 0.1))
            .collect();
        let summary = settle(c, flows, 300.0);
        close(summary.links[0].queue_mean / alpha, queue, 1e-6);
        for (flow, share) in summary.flows.iter().zip(shares) {
            close(flow.rate / c, share, 2e-6);
        }
    }
}

#[test]
fn a_full_link_delivers_shares_of_its_capacity() {
    // Constant rates of 60 and 90 packets/s on a link of 100: its buffer is full after a second, and each gets 100 times its share of
    // 150.
    let mut scenario = Scenario {
        links: vec![runs::link(100.0, 50.0)],
        flows: vec![],
        losses: Losses::default(),
        run: until(20.0),
    };
    for rate in [60.0, 90.0] {
        scenario.flows.push(Flow {
            sender: cwnd::fluid::Sender::Constant(rate),
            ..Flow::new("constant", law("reno"), vec![0], 0.1)
        });
    }
    scenario.run.measure_from = 10.0;
    let (summary, _) = tape(&scenario, 1.0);
    close(summary.flows[0].rate, 40.0, 1e-6);
    close(summary.flows[1].rate, 60.0, 1e-6);
}
