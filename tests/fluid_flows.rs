//! Flows, losses and links in the integrator: what is known in closed form, what happens at a loss, networks.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::fluid::{Begin, Flow, Lapse, Losses, Process, Run, Scenario, Sender, Sync, What};
use cwnd::network::{ConstantLoss, Link, Queue};
use cwnd::units::Bytes;
use runs::{at_link, close, law, link, natural, of, run, tape, until};
use std::sync::Arc;

// ---- known in closed form ----------------------------------------------------------------

#[test]
fn reno_over_a_buffer_of_one_bdp_is_full_at_two_and_half_of_it_after() {
    // Reacting at once: W from 1 to 2 BDP, R = W/C: 1.5 BDP a round, and ∫W²/∫W = (7/3)/(3/2) = 14/9 in time. The queue
    // follows the window one packet behind and takes some rounds to shrink with it: 1e-4 of a sawtooth of 1e5 rounds.
    let (capacity, rtt) = (1e6, 0.1);
    let bdp = capacity * rtt;
    let mut scenario = at_link(
        link(capacity, bdp),
        &[("reno", rtt)],
        Losses {
            sync: Sync::All,
            reaction: Lapse::NONE,
            ..Losses::default()
        },
        Run {
            tolerance: 1e-10,
            ..until(150_000.0)
        },
    );
    // Whole sawteeth: measure from one loss to another.
    let (_, tape) = tape(&scenario, 1000.0);
    let losses = of(&tape, What::Loss);
    close(losses[1].before, 2.0 * bdp + 1.0, 1e-9);
    scenario.run.measure_from = losses[1].time;
    scenario.run.duration = losses[losses.len() - 1].time;
    let (summary, tape) = self::tape(&scenario, 1.0);
    close(summary.flows[0].window.unwrap(), 1.5 * bdp, 1e-4);
    close(summary.links[0].utilisation, 1.0, 1e-6);
    let measured = tape.samples.iter().filter(|s| s.0 > losses[1].time);
    let (sum, count) = measured.fold((0.0, 0.0), |(sum, n), s| (sum + s.1[0], n + 1.0));
    close(sum / count, 14.0 / 9.0 * bdp, 1e-4);
    // The queue is W − BDP.
    close(summary.links[0].queue_mean, (14.0 / 9.0 - 1.0) * bdp, 1e-4);
    // Time is spent as W dW: the share below W is (W² − 1)/3, so 95 % lie below sqrt(3.85) BDP.
    close(
        summary.links[0].queue_p95,
        (3.85f64.sqrt() - 1.0) * bdp,
        1e-3,
    );
}

#[test]
fn slow_start_doubles_every_round() {
    let scenario = Scenario {
        links: vec![],
        // A transfer too large to end: without any limit the flow would be refused.
        flows: vec![Flow {
            size: Some(1e9),
            ..Flow::new("reno", law("reno"), vec![], 0.1)
        }],
        losses: Losses::default(),
        run: Run {
            tolerance: 1e-10,
            ..until(1.0)
        },
    };
    for (time, windows, _) in tape(&scenario, 0.1).1.samples {
        close(windows[0], 10.0 * 2f64.powf(time / 0.1), 1e-8);
    }
}

#[test]
fn a_transfer_ends_when_its_packets_are_sent() {
    // W = 10 + t/R: packets t W/R ... 10 u + u²/2 = 1000 at u rounds.
    let rounds = -10.0 + 2100f64.sqrt();
    let scenario = Scenario {
        links: vec![],
        flows: vec![Flow {
            begin: Begin::Growing(10.0),
            size: Some(1000.0),
            start: 2.0,
            ..Flow::new("reno", law("reno"), vec![], 0.1)
        }],
        losses: Losses::default(),
        run: Run {
            tolerance: 1e-10,
            ..until(20.0)
        },
    };
    let (summary, tape) = tape(&scenario, 0.5);
    close(
        summary.flows[0].completed.unwrap(),
        2.0 + 0.1 * rounds,
        1e-10,
    );
    close(summary.flows[0].sent, 1000.0, 1e-9);
    assert_eq!(of(&tape, What::Start).len(), 1);
    assert_eq!(of(&tape, What::End).len(), 1);
    assert_eq!(tape.samples.last().unwrap().1[0], 0.0);
}

#[test]
fn a_transfer_under_periodic_losses_counts_across_them() {
    let mut scenario = Scenario {
        links: vec![],
        flows: vec![Flow {
            begin: Begin::AfterLoss(163.3),
            size: Some(55_555.0),
            ..Flow::new("reno", law("reno"), vec![], 0.1)
        }],
        losses: Losses {
            rate: 1e-4,
            process: Process::Periodic,
            ..Losses::default()
        },
        run: until(200.0),
    };
    scenario.run.tolerance = 1e-9;
    let summary = run(&scenario);
    // One packet in 10^4 is lost and sent again.
    close(summary.flows[0].sent, 55_555.0 / (1.0 - 1e-4), 1e-7);
    assert_eq!(summary.flows[0].loss_events, 5);
}

#[test]
fn a_transfer_is_over_when_all_of_it_has_come_over() {
    // Losses of the path, of an overflowing buffer, or of both: what was lost was sent again, and a finished transfer has its size.
    for (rate, process) in [
        (0.02, Process::Random),
        (0.02, Process::Periodic),
        (0.02, Process::MeanField),
        (0.0, Process::Random),
    ] {
        for links in [vec![], vec![link(200.0, 20.0)]] {
            let bare = links.is_empty();
            let scenario = Scenario {
                links,
                flows: vec![Flow {
                    size: Some(2000.0),
                    ..Flow::new(
                        "reno",
                        law("reno"),
                        if bare { vec![] } else { vec![0] },
                        0.05,
                    )
                }],
                losses: Losses {
                    rate,
                    process,
                    ..Losses::default()
                },
                run: until(200.0),
            };
            let flow = &run(&scenario).flows[0];
            assert!(flow.completed.is_some());
            close(200.0 * flow.rate, 2000.0, 1e-5);
            close(flow.sent - flow.lost, 2000.0, 1e-5);
            assert_eq!(flow.lost > 0.0, rate > 0.0 || !bare);
        }
    }
}

#[test]
fn a_receive_window_limits_and_a_loss_sets_free() {
    let mut scenario = at_link(
        link(1e5, 1e4),
        &[("reno", 0.1), ("bic", 0.1)],
        Losses::default(),
        Run {
            measure_from: 30.0,
            ..until(60.0)
        },
    );
    for flow in &mut scenario.flows {
        flow.receive_window = Some(50.0);
        flow.begin = Begin::SlowStart(10.0);
    }
    for flow in run(&scenario).flows {
        close(flow.window.unwrap(), 50.0, 1e-9);
        close(flow.rate, 500.0, 1e-9);
    }
}

#[test]
fn constant_traffic_over_capacity_loses_the_excess() {
    for buffer in [0.0, 30.0] {
        let mut scenario = at_link(
            link(1000.0, buffer),
            &[("reno", 0.1)],
            Losses::default(),
            until(50.0),
        );
        scenario.flows[0].sender = Sender::Constant(2000.0);
        scenario.flows[0].begin = Begin::Growing(2000.0);
        scenario.run.measure_from = 10.0;
        let summary = run(&scenario);
        close(summary.links[0].drop_fraction, 0.5, 1e-9);
        close(summary.links[0].utilisation, 1.0, 1e-9);
        close(summary.flows[0].rate, 1000.0, 1e-9);
        assert!((summary.links[0].queue_mean - buffer).abs() <= 1e-9 * buffer);
        assert_eq!(summary.flows[0].window, None);
    }
}

#[test]
fn a_lossy_link_is_a_loss_rate() {
    let mut lossy = link(1e6, f64::INFINITY);
    lossy.queue = Arc::new(ConstantLoss { p: 1e-3 });
    let mut scenario = at_link(
        lossy,
        &[("reno", 0.1)],
        Losses {
            process: Process::MeanField,
            ..Losses::default()
        },
        Run {
            measure_from: 900.0,
            tolerance: 1e-9,
            ..until(1000.0)
        },
    );
    // sqrt(2/p), Misra, Gong and Towsley.
    close(
        run(&scenario).flows[0].window.unwrap(),
        2000f64.sqrt(),
        1e-7,
    );
    scenario.losses.process = Process::Random;
    let summary = run(&scenario);
    close(summary.links[0].drop_fraction, 1e-3, 1e-9);
    close(summary.flows[0].lost / summary.flows[0].sent, 1e-3, 1e-7);
}

// ---- what happens at a loss -----------------------------------------------------------------

#[test]
fn a_reaction_comes_one_round_trip_after_its_loss_and_at_most_one_comes_in_a_round_trip() {
    let scenario = at_link(
        link(1e6, f64::INFINITY),
        &[("reno", 0.1)],
        Losses {
            rate: 2e-2,
            ..Losses::default()
        },
        until(500.0),
    );
    let (summary, tape) = tape(&scenario, 100.0);
    let (losses, reactions) = (of(&tape, What::Loss), of(&tape, What::Reaction));
    assert!(losses.len() > 400 && losses.len() - reactions.len() <= 1);
    assert_eq!(summary.flows[0].loss_events, losses.len() as u64);
    for (loss, reaction) in losses.iter().zip(&reactions) {
        close(reaction.time, loss.time + 0.1, 1e-12);
        close(reaction.after, (0.5 * reaction.before).max(1.0), 1e-12);
        close(reaction.before, loss.before + 1.0, 1e-6);
    }
    for pair in losses.windows(2) {
        assert!(pair[1].time - pair[0].time >= 0.1 * (1.0 - 1e-9));
    }
}

#[test]
fn recovery_holds_the_window_still() {
    let mut scenario = at_link(
        link(1e6, f64::INFINITY),
        &[("reno", 0.1)],
        Losses {
            rate: 1e-3,
            process: Process::Periodic,
            reaction: Lapse::NONE,
            recovery: Lapse::rounds(2.0),
            ..Losses::default()
        },
        until(60.0),
    );
    let (_, held) = tape(&scenario, 0.05);
    for loss in of(&held, What::Reaction) {
        let during = held
            .samples
            .iter()
            .filter(|s| s.0 > loss.time && s.0 < loss.time + 0.199);
        for sample in during {
            close(sample.1[0], loss.after, 1e-12);
        }
    }
    scenario.losses.recovery = Lapse::NONE;
    let (_, free) = tape(&scenario, 0.05);
    assert!(of(&held, What::Loss).len() < of(&free, What::Loss).len());
}

#[test]
fn a_loss_at_a_small_window_is_a_timeout() {
    let mut scenario = at_link(
        link(1e6, f64::INFINITY),
        &[("reno", 0.1)],
        Losses {
            rate: 0.01,
            process: Process::Periodic,
            timeout_below: 100.0,
            ..Losses::default()
        },
        Run {
            tolerance: 1e-9,
            ..until(10.0)
        },
    );
    scenario.flows[0].begin = Begin::Growing(8.0);
    let (_, tape) = tape(&scenario, 0.01);
    let timeout = of(&tape, What::Timeout)[0];
    assert_eq!(timeout.after, 1.0);
    let at = |time: f64| {
        let sample = tape.samples.iter().rfind(|s| s.0 <= time + 1e-9);
        sample.unwrap().1[0]
    };
    // Silent for four round trips, then doubling from 1 up to half the window, then one packet a round.
    assert_eq!(at(timeout.time + 0.2), 0.0);
    assert_eq!(at(timeout.time + 0.38), 0.0);
    let threshold = 0.5 * timeout.before;
    let slow = 0.1 * threshold.log2();
    let later = 0.2;
    let grid = (100.0 * (timeout.time + 0.4 + slow + later)).floor() / 100.0;
    let expected = threshold + (grid - timeout.time - 0.4 - slow) / 0.1;
    close(at(grid), expected, 1e-6);
}

#[test]
fn who_loses_is_as_asked() {
    let losers = |sync: Sync| {
        let scenario = at_link(
            link(5000.0, 100.0),
            &[("reno", 0.02), ("reno", 0.05), ("reno", 0.1), ("reno", 0.2)],
            Losses {
                sync,
                ..Losses::default()
            },
            until(60.0),
        );
        let (summary, tape) = tape(&scenario, 10.0);
        let full = of(&tape, What::Full);
        assert!(full.len() > 5);
        let first = full[full.len() / 2].time;
        let together = of(&tape, What::Loss)
            .iter()
            .filter(|loss| loss.time == first)
            .count();
        (summary, together)
    };
    assert_eq!(losers(Sync::All).1, 4);
    assert_eq!(losers(Sync::Share(0.5)).1, 2);
    assert_eq!(losers(Sync::Share(0.01)).1, 1);
    let (one, together) = losers(Sync::One);
    assert_eq!(together, 1);
    // The fastest loses, so that rates come together.
    let (all, _) = losers(Sync::All);
    assert!(one.jain.unwrap() > all.jain.unwrap());
    assert!(one.jain.unwrap() > 0.9);
}

#[test]
fn a_link_that_is_over_its_capacity_at_the_start_takes_losers_at_once() {
    for buffer in [0.0, 60.0] {
        let mut own = link(2000.0, buffer);
        own.initial_queue = buffer;
        let mut scenario = at_link(
            own,
            &[("reno", 0.004), ("reno", 0.12)],
            Losses {
                sync: Sync::All,
                ..Losses::default()
            },
            until(20.0),
        );
        for flow in &mut scenario.flows {
            flow.begin = Begin::Growing(100.0);
        }
        let (summary, tape) = tape(&scenario, 1.0);
        assert_eq!(of(&tape, What::Loss)[0].time, 0.0);
        assert!(summary.links[0].drop_fraction < 0.1);
    }
}

// ---- networks --------------------------------------------------------------------------------

#[test]
fn a_queue_stays_between_nothing_and_the_buffer() {
    for sync in [Sync::Natural, Sync::All, Sync::One] {
        let mut scenario = natural();
        scenario.losses.sync = sync;
        let (summary, tape) = tape(&scenario, 0.01);
        for (_, windows, queues) in &tape.samples {
            assert!(queues[0] >= 0.0 && queues[0] <= 60.0 * (1.0 + 1e-9));
            assert!(windows.iter().all(|w| *w >= 0.0 && w.is_finite()));
        }
        let link = &summary.links[0];
        assert!(link.utilisation > 0.5 && link.utilisation <= 1.0 + 1e-9);
        // What the flows got is what the link served, apart from losses on the way and the change of the queue.
        let got: f64 = summary.flows.iter().map(|flow| flow.rate).sum();
        close(got, link.utilisation * 2000.0, 2e-3);
    }
}

#[test]
fn links_with_delays_conserve_packets() {
    let links: Vec<Link> = [(3000.0, 0.01), (2000.0, 0.02)]
        .iter()
        .map(|(capacity, delay)| Link {
            delay: *delay,
            ..link(*capacity, 50.0)
        })
        .collect();
    let flow = |path: Vec<usize>, rtt: f64| Flow::new("reno", law("reno"), path, rtt);
    let scenario = Scenario {
        links,
        flows: vec![
            flow(vec![0, 1], 0.08),
            flow(vec![0], 0.03),
            flow(vec![1], 0.05),
        ],
        losses: Losses::default(),
        run: Run {
            measure_from: 5.0,
            ..until(60.0)
        },
    };
    let summary = run(&scenario);
    assert_eq!(summary, run(&scenario));
    let rate: Vec<f64> = summary.flows.iter().map(|flow| flow.rate).collect();
    let used: Vec<f64> = summary.links.iter().map(|link| link.utilisation).collect();
    close(rate[0] + rate[1], 3000.0 * used[0], 5e-3);
    close(rate[0] + rate[2], 2000.0 * used[1], 5e-3);
    assert!(used.iter().all(|used| *used > 0.8 && *used < 1.0 + 1e-9));
    // The long path loses on two links and has the longest round trip.
    assert!(rate[0] < rate[1] && rate[0] < rate[2]);
}

#[test]
fn every_kind_of_queue_is_read_and_runs() {
    for spec in [
        "drop-tail",
        "red",
        "red:min=30pkt,max=90pkt,max_p=0.1,weight=0.002,gentle=0,carried=1",
        "adaptive-red:min=20pkt,max=60pkt",
        "constant-loss:p=0.1%",
    ] {
        let queue: Arc<dyn Queue> =
            cwnd::network::parse_queue(spec, 3000.0, Bytes::new(1500.0)).unwrap();
        for process in [Process::Random, Process::MeanField] {
            let mut own = link(3000.0, 300.0);
            own.queue = Arc::clone(&queue);
            let scenario = at_link(
                own,
                &[("reno", 0.05), ("reno", 0.1)],
                Losses {
                    process,
                    ..Losses::default()
                },
                Run {
                    measure_from: 10.0,
                    ..until(40.0)
                },
            );
            let summary = run(&scenario);
            // A loss rate of 1e-3 alone holds two windows of 41 packets: 1230 packets/s.
            assert!(summary.links[0].utilisation > 0.35, "{spec} {process:?}");
        }
    }
}

#[test]
fn adaptive_red_keeps_the_average_in_its_band() {
    let queue = cwnd::network::parse_queue(
        "adaptive-red:min=20pkt,max=60pkt",
        3000.0,
        Bytes::new(1500.0),
    )
    .unwrap();
    let mut own = link(3000.0, 300.0);
    own.queue = queue;
    let flows = vec![("reno", 0.05); 20];
    let scenario = at_link(
        own,
        &flows,
        Losses {
            process: Process::MeanField,
            ..Losses::default()
        },
        Run {
            measure_from: 200.0,
            ..until(300.0)
        },
    );
    let mean = run(&scenario).links[0].queue_mean;
    assert!((36.0 - 1.0..=44.0 + 1.0).contains(&mean), "{mean}");
}

#[test]
fn a_flow_that_meets_a_full_link_loses_like_any_other() {
    // Traffic that does not answer fills the link before there is anyone to lose.
    for sync in [Sync::All, Sync::One, Sync::Share(0.5), Sync::Natural] {
        let steady = Flow {
            sender: Sender::Constant(1100.0),
            ..Flow::new("steady", law("reno"), vec![0], 0.05)
        };
        let late = Flow {
            start: 5.0,
            ..Flow::new("reno", law("reno"), vec![0], 0.05)
        };
        let scenario = Scenario {
            links: vec![link(1000.0, 50.0)],
            flows: vec![steady, late.clone(), Flow { start: 9.0, ..late }],
            losses: Losses {
                sync,
                ..Losses::default()
            },
            run: Run {
                measure_from: 10.0,
                ..until(20.0)
            },
        };
        let summary = run(&scenario);
        for flow in &summary.flows[1..] {
            assert!(flow.loss_events > 10, "{sync:?}: {}", flow.loss_events);
            assert!(flow.window.unwrap() < 10.0, "{sync:?}: {:?}", flow.window);
        }
        let sum: f64 = summary.flows.iter().map(|flow| flow.rate).sum();
        close(sum, 1000.0, 1e-6);
    }
}

#[test]
fn windows_that_double_do_not_wait_for_the_loser_with_the_longest_way() {
    // One in four loses at a time; the first drawn may take ten seconds to answer, in which the others would double ten thousand times.
    let flow = |rtt: f64| Flow::new("reno", law("reno"), vec![0], rtt);
    for seed in 1..=6 {
        let scenario = Scenario {
            links: vec![link(3000.0, 5.0)],
            flows: vec![flow(10.0), flow(1e-3), flow(1e-3), flow(1e-3)],
            losses: Losses {
                sync: Sync::Share(0.3),
                ..Losses::default()
            },
            run: Run {
                seed,
                ..until(30.0)
            },
        };
        let summary = run(&scenario);
        // Pipe and buffer of the short ways are 8 packets; in ten seconds the long one alone asks for no more than it had.
        for flow in &summary.flows[1..] {
            assert!(flow.window.unwrap() < 1e5, "{seed}: {:?}", flow.window);
            assert!(flow.loss_events > 0);
        }
    }
}
