//! The verb `last-hop` as a user sees it, and the three laws behind it.
#![cfg(feature = "cli")]

use approx::assert_relative_eq;
use assert_cmd::Command;
use cwnd::algorithms::Selected;
use cwnd::analysis::last_hop::{Effort, LastHop, Repair, Toll, epoch, expression, run};
use cwnd::model::{Cause, Feedback, WindowLaw};
use serde_json::Value;

fn law(spec: &str) -> Box<dyn WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap()
}

fn hop(buffer: u64) -> LastHop {
    LastHop {
        capacity: 100.0,
        delay: 0.2,
        buffer,
        receive_window: None,
        repair: Repair::Sack,
        rto: None,
    }
}

fn answers(words: &str) -> Vec<Value> {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .args(words.split_whitespace())
        .args(["--format", "json"])
        .assert()
        .success();
    let all: Vec<Value> = serde_json::from_slice(&output.get_output().stdout).unwrap();
    all.iter()
        .flat_map(|envelope| envelope["answers"].as_array().unwrap().clone())
        .collect()
}

fn refused(words: &str, expected: &[&str]) {
    let assert = Command::cargo_bin("cwnd")
        .unwrap()
        .args(words.split_whitespace())
        .assert()
        .code(2);
    let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(assert.get_output().stdout.is_empty());
    for word in expected {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn the_three_increases() {
    let growth = |spec: &str, rtt: f64| {
        let law = law(spec);
        let mut dx = [0.0];
        law.increase(&[20.0], &Feedback::quiet(rtt), &mut dx);
        dx[0] * rtt
    };
    // c R², K and R/NIT packets a round trip.
    assert_relative_eq!(growth("cr", 0.5), 2.5, max_relative = 1e-14);
    assert_relative_eq!(growth("cr:c=4", 0.5), 1.0, max_relative = 1e-14);
    assert_relative_eq!(growth("ibk", 0.5), 4.0, max_relative = 1e-14);
    assert_relative_eq!(growth("canit", 0.3), 10.0, max_relative = 1e-14);
    assert_relative_eq!(growth("canit:nit=100ms", 0.3), 3.0, max_relative = 1e-14);
    for spec in ["cr", "ibk", "canit"] {
        let mut x = [20.0];
        law(spec).decrease(&mut x, &Feedback::quiet(0.1), Cause::Loss);
        assert_eq!(x, [10.0]);
        law(spec).decrease(&mut x, &Feedback::quiet(0.1), Cause::Timeout);
        assert_eq!(x, [1.0]);
    }
}

#[test]
fn where_they_are_standard_tcp() {
    // CANIT at R = NIT, CR at R = 1/sqrt(c), IBK with K = 1.
    let window = |spec: &str, rtt: &str| {
        answers(&format!(
            "response {spec} --loss 1e-4 --rtt {rtt} --road closed"
        ))[0]["window_pkt"]
            .as_f64()
            .unwrap()
    };
    let standard = window("reno", "30ms");
    assert_relative_eq!(window("canit", "30ms"), standard, max_relative = 1e-12);
    assert_relative_eq!(window("cr:c=4", "500ms"), standard, max_relative = 1e-12);
    assert_relative_eq!(window("ibk:k=1", "30ms"), standard, max_relative = 1e-12);
}

#[test]
fn three_roads_agree_for_a_constant_increase() {
    for repair in Repair::ALL {
        let hop = LastHop { repair, ..hop(20) };
        let law = law("reno");
        let ack = run(law.as_ref(), &hop, Effort::default(), &mut |_| {}).unwrap();
        for other in [
            expression(law.as_ref(), &hop).unwrap(),
            epoch(law.as_ref(), &hop).unwrap(),
        ] {
            assert_eq!(ack.drops_per_event, Some(2.0));
            assert_relative_eq!(other.drops_per_event.unwrap(), 2.0, max_relative = 1e-9);
            // Windows are whole in the run: a quarter of a packet in 43 at either end of the climb.
            assert_relative_eq!(other.loss_fraction, ack.loss_fraction, max_relative = 0.01);
            // The packet by which the run passes the pipe comes within one acknowledgement, which adds 1/42 of a packet to 43.
            assert_relative_eq!(other.peak.unwrap(), ack.peak.unwrap(), max_relative = 1e-3);
            // Two halvings leave a window of 11 where 21 keep the link busy: what the run waits for whole packets in the eight round
            // trips until then, a third of one each, is time that the link does not serve.
            assert_relative_eq!(other.rate, ack.rate, max_relative = 0.04);
            // The expression takes the round trip of a full buffer for all of the recovery, in which the queue drains by half.
            assert_relative_eq!(other.rtt, ack.rtt, max_relative = 0.05);
        }
    }
}

/// Half a packet a round trip, by a receiver that acknowledges every second packet or by a law that adds half as much.
#[test]
fn a_delayed_acknowledgement_halves_the_increase() {
    // Of this path: pipe 25, and 27 acknowledgements after the window passes 26: W = sqrt(26.0 to 26.02² + 27) is below 27, so one
    // drop; half of W is left, so that (W² - W²/4)/(2a) + W = 3 W²/4 + W packets are sent for it.
    let peak = (26.01f64.powi(2) + 27.0).sqrt();
    let expected = 1.0 / (0.75 * peak * peak + peak);
    let slow = LastHop {
        capacity: 64e3 / (8.0 * 576.0),
        delay: 0.3,
        repair: Repair::FastRecovery,
        ..hop(20)
    };
    for spec in ["reno:ack_every=2", "aimd:a=0.5,b=0.5"] {
        let law = law(spec);
        for toll in [
            expression(law.as_ref(), &slow).unwrap(),
            epoch(law.as_ref(), &slow).unwrap(),
            run(law.as_ref(), &slow, Effort::default(), &mut |_| {}).unwrap(),
        ] {
            assert_eq!(toll.drops_per_event, Some(1.0), "{spec}");
            // Every second acknowledgement may come one late: one packet of 550.
            assert_relative_eq!(toll.loss_fraction, expected, max_relative = 0.005);
        }
    }
}

#[test]
fn a_law_that_follows_the_round_trip_is_overrun_less_than_its_largest_increase_says() {
    let hop = LastHop {
        capacity: 27.027,
        delay: 0.5,
        ..hop(20)
    };
    let law = law("cr");
    let ack = run(law.as_ref(), &hop, Effort::default(), &mut |_| {}).unwrap();
    let smooth = epoch(law.as_ref(), &hop).unwrap();
    let full = expression(law.as_ref(), &hop).unwrap();
    assert_relative_eq!(smooth.loss_fraction, ack.loss_fraction, max_relative = 0.05);
    assert!(full.loss_fraction > 1.2 * ack.loss_fraction);
}

/// A longer timer is silence and nothing else: it costs its seconds once for each event, whatever the road.
#[test]
fn a_timer_that_is_given_is_waited_for() {
    let law = law("ibk:k=2");
    let with = |rto| LastHop {
        repair: Repair::FastRecovery,
        rto,
        ..hop(20)
    };
    let roads = |rto| {
        [
            expression(law.as_ref(), &with(rto)).unwrap(),
            epoch(law.as_ref(), &with(rto)).unwrap(),
            run(law.as_ref(), &with(rto), Effort::default(), &mut |_| {}).unwrap(),
        ]
    };
    let seconds = |toll: &Toll| 3600.0 / toll.events_per_hour;
    for (long, short) in roads(Some(3.0)).iter().zip(&roads(Some(1.5))) {
        assert_eq!((long.timeouts, short.timeouts), (Some(1.0), Some(1.0)));
        assert_relative_eq!(seconds(long) - seconds(short), 1.5, max_relative = 1e-6);
        assert_relative_eq!(long.loss_fraction, short.loss_fraction, max_relative = 1e-9);
        assert_relative_eq!(
            long.rate * seconds(long),
            short.rate * seconds(short),
            max_relative = 1e-6
        );
    }
    // What the expression takes if nothing is given: a round trip of a full buffer is 0.41 s here, so the least timer, 1 s.
    let [plain, ..] = roads(None);
    let [one, ..] = roads(Some(1.0));
    assert_eq!(plain, one);
}

#[test]
fn answers_say_how_losses_arise_and_what_decides() {
    let regimes = |words: &str| -> Vec<String> {
        answers(&format!("last-hop {words}"))
            .iter()
            .map(|answer| {
                assert_eq!(answer["loss_model"], "overflow of the buffer");
                assert!(answer["source"].is_string());
                answer["regime"].as_str().unwrap_or("null").to_owned()
            })
            .collect()
    };
    let path = "--rtt 200ms --link 100pkt/s --buffer 20pkt";
    for (words, regime) in [
        ("reno --repair sack", "losses mended without the timer"),
        ("ibk:k=2", "every loss event waits for the timer"),
        ("reno --receive-window 30pkt", "limited by the receiver"),
    ] {
        assert_eq!(regimes(&format!("{words} {path}")), [regime; 3], "{words}");
    }
}

#[test]
fn a_road_without_an_answer_says_why() {
    let slow = "--rtt 200ms --link 9.6kbit/s --buffer 3pkt --packet 296B";
    for (words, reason) in [
        ("canit --road closed", "outgrows the path"),
        ("reno --road ack --budget 100", "too short to measure"),
    ] {
        let answer = answers(&format!("last-hop {words} {slow}")).remove(0);
        for key in ["loss_fraction", "rate_bps", "regime"] {
            assert!(answer[key].is_null(), "{words}: {key}");
        }
        assert!(
            answer["reason"].as_str().unwrap().contains(reason),
            "{words}"
        );
    }
}

#[test]
fn what_is_sent_is_served_or_dropped() {
    // Nothing is lost with a receive window that fits, and the link is then either full or idle part of a round trip.
    for (window, utilisation) in [(41, 1.0), (21, 1.0), (10, 10.0 / 21.0)] {
        let hop = LastHop {
            receive_window: Some(window),
            ..hop(20)
        };
        let law = law("canit");
        // Without losses `expression` and `epoch` are one line of arithmetic; the run is what checks it, to the packets in flight at the
        // ends of its measured time.
        for toll in [
            run(law.as_ref(), &hop, Effort::default(), &mut |_| {}).unwrap(),
            expression(law.as_ref(), &hop).unwrap(),
            epoch(law.as_ref(), &hop).unwrap(),
        ] {
            assert_eq!(toll.loss_fraction, 0.0);
            assert_relative_eq!(toll.utilisation, utilisation, max_relative = 1e-3);
        }
    }
    let hop = LastHop {
        receive_window: Some(43),
        ..hop(20)
    };
    let law = law("canit");
    let toll = run(law.as_ref(), &hop, Effort::default(), &mut |_| {}).unwrap();
    assert!(toll.loss_fraction > 0.0);
}

#[test]
fn no_buffer_and_a_path_of_less_than_a_packet() {
    for spec in ["reno", "cr", "canit", "ibk", "bic", "cubic", "scalable"] {
        for (capacity, delay) in [(4.0, 0.0), (4.0, 0.01), (1000.0, 0.001)] {
            let hop = LastHop {
                capacity,
                delay,
                repair: Repair::FastRecovery,
                ..hop(0)
            };
            let toll = run(law(spec).as_ref(), &hop, Effort::default(), &mut |_| {}).unwrap();
            assert!(
                toll.loss_fraction > 0.0 && toll.loss_fraction < 1.0,
                "{spec}"
            );
            assert!(toll.utilisation > 0.0 && toll.utilisation <= 1.0 + 1e-9);
        }
    }
}

#[test]
fn remedies_and_advice() {
    let words = "last-hop canit --rtt 200ms --link 9.6kbit/s --buffer 3pkt --packet 296B";
    let all = answers(&format!("{words} --remedies --road ack"));
    let of = |remedy: &str| {
        all.iter()
            .find(|a| a["remedy"].as_str().unwrap_or("") == remedy)
            .unwrap_or_else(|| panic!("no answer for `{remedy}`"))["loss_fraction"]
            .as_f64()
            .unwrap()
    };
    assert!(of("") > 0.4);
    assert_eq!(of("receive window 4pkt"), 0.0);
    // Two of twenty. Standard TCP comes back from the timer with 1, 2 and 4 packets, for half of its last window is 3.1; then each
    // acknowledgement adds 1/W. Five outstanding are one too many for this path, so that packet 13 is dropped, with a window of
    // 5.1; when 16 tells of it the window is 6.2, 20 packets are sent, and 19 was dropped too. Two losses at less than ten packets wait
    // for the timer. The run ends within a cycle.
    assert_relative_eq!(of("reno instead"), 0.1, max_relative = 1e-3);
    assert!(of("buffer 12pkt") > 0.3);
    let text = Command::cargo_bin("cwnd")
        .unwrap()
        .args(words.split_whitespace())
        .assert()
        .success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    assert!(text.contains("advice: leave canit off on this path"));
    // A policy that is slower than standard TCP there does no harm.
    let text = Command::cargo_bin("cwnd")
        .unwrap()
        .args("last-hop cr --rtt 100ms --link 1Mbit/s --buffer 20pkt".split_whitespace())
        .assert()
        .success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    assert!(text.contains("advice: cr gains nothing"), "{text}");
}

#[test]
fn refusals() {
    refused("last-hop cr --link 1Mbit/s --buffer 3pkt", &["--rtt"]);
    refused(
        "last-hop cr --rtt 1s --link 0kbit/s --buffer 3pkt",
        &["0kbit/s"],
    );
    refused(
        "last-hop cr --rtt 1s --link 10Tbit/s --buffer 3pkt",
        &["slow links"],
    );
    refused(
        "last-hop cr --rtt 1s --link 64kbit/s --buffer 2.5pkt",
        &["2.5pkt", "whole"],
    );
    refused(
        "last-hop cr --rtt 1s --link 64kbit/s --buffer 3pkt --receive-window 0pkt",
        &["receive window"],
    );
    refused(
        "last-hop cr --rtt 1s --link 64kbit/s --buffer 3pkt --repair newreno",
        &["newreno", "fast-recovery"],
    );
    refused(
        "last-hop cr --rtt 1s --link 64kbit/s --buffer 3pkt --road fluid",
        &["fluid", "ack"],
    );
    refused(
        "last-hop reno --rtt 1s --link 64kbit/s --buffer 3pkt --rto 1e300s",
        &["timer", "3600 s"],
    );
    refused(
        "last-hop pftk --rtt 1s --link 64kbit/s --buffer 3pkt",
        &["pftk", "formula"],
    );
    refused("response cr:c=0 --loss 1e-3 --rtt 1s", &["c"]);
    refused("response canit:nit=0s --loss 1e-3 --rtt 1s", &["nit"]);
    refused("response canit:nit=-1ms --loss 1e-3 --rtt 1s", &["nit"]);
    refused("response canit --loss 1e-3", &["--rtt"]);
}
