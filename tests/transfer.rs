//! The verb `transfer`: how long so many bytes take.
#![cfg(feature = "cli")]

use approx::assert_relative_eq;
use assert_cmd::Command;
use cwnd::algorithms::Selected;
use cwnd::model::Path;
use cwnd::units::{BitRate, Bytes, LossRate, Packets, Seconds};
use cwnd::what_if::transfer::{TransferAnswer, TransferInputs, transfer};
use serde_json::Value;
use std::collections::VecDeque;

fn ask(words: &str) -> Value {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .arg("transfer")
        .args(words.split_whitespace())
        .args(["--format", "json"])
        .assert()
        .success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

fn inputs(packets: f64, rtt: f64) -> TransferInputs {
    TransferInputs::new(Bytes::new(1460.0 * packets), Seconds::new(rtt))
}

fn by(road: &str, at: &TransferInputs) -> TransferAnswer {
    transfer(None, at, None, &[road], 1)
        .unwrap()
        .answers
        .remove(0)
}

fn seconds(road: &str, at: &TransferInputs) -> f64 {
    by(road, at).time_s.unwrap()
}

/// Rounds of data for a first window of 3 and of 10 packets, doubling: a table worked out apart.
#[test]
fn rounds_without_losses() {
    for (packets, three, ten) in [
        (10.0, 3.0, 1.0),
        (34.0, 4.0, 3.0),
        (69.0, 5.0, 3.0),
        (343.0, 7.0, 6.0),
        (685.0, 8.0, 7.0),
        (6850.0, 12.0, 10.0),
    ] {
        for (first, rounds) in [(3.0, three), (10.0, ten)] {
            let at = TransferInputs {
                initial_window: Some(Packets::new(first)),
                ..inputs(packets, 0.1)
            };
            let answer = by("rounds", &at);
            assert_eq!(answer.rounds, Some(rounds), "{packets} from {first}");
            assert_relative_eq!(
                answer.time_s.unwrap(),
                0.1 * (1.0 + rounds),
                max_relative = 1e-12
            );
        }
    }
    // Sizes that fill a round to the last packet: 10(2^n - 1).
    for n in 1..40 {
        let full = 10.0 * (2f64.powi(n) - 1.0);
        assert_eq!(by("rounds", &inputs(full, 0.1)).rounds, Some(f64::from(n)));
        assert_eq!(
            by("rounds", &inputs(full + 1.0, 0.1)).rounds,
            Some(f64::from(n + 1))
        );
    }
}

/// A receiver that acknowledges every other packet: rounds of 10, 15, 22.5, 33.75, ... packets, 10, 25, 47.5 and 81.25 in all.
#[test]
fn rounds_with_fewer_acknowledgements() {
    for (packets, rounds) in [
        (10.0, 1.0),
        (11.0, 2.0),
        (25.0, 2.0),
        (26.0, 3.0),
        (47.0, 3.0),
        (48.0, 4.0),
        (81.0, 4.0),
        (82.0, 5.0),
    ] {
        let at = TransferInputs {
            ack_every: 2.0,
            ..inputs(packets, 0.1)
        };
        let answer = by("rounds", &at);
        assert_eq!(answer.rounds, Some(rounds), "{packets}");
        assert_relative_eq!(
            answer.time_s.unwrap(),
            0.1 * (1.0 + rounds),
            max_relative = 1e-12
        );
    }
}

#[test]
fn answers_say_how_losses_arrive_and_what_holds_the_rest() {
    let of = |words: &str, road: &str, key: &str| {
        ask(&format!("--rtt 100ms {words} --road {road}"))[0]["answers"][0][key].clone()
    };
    for (words, model, regime) in [
        ("--size 20kB", "none", "slow start"),
        ("--size 100MB --link 100Mbit/s", "none", "link"),
        (
            "--size 100MB --link 100Mbit/s --receive-window 64KiB",
            "none",
            "receive window",
        ),
        (
            "--size 100MB --link 100Mbit/s --loss 1%",
            "random, then correlated",
            "losses",
        ),
        (
            "--size 100MB --link 1Mbit/s --loss 1e-6",
            "random, then correlated",
            "link",
        ),
    ] {
        assert_eq!(of(words, "cardwell", "loss_model"), model, "{words}");
        assert_eq!(of(words, "cardwell", "regime"), regime, "{words}");
        assert_eq!(of(words, "rounds", "loss_model"), "none");
        if model == "none" {
            assert_eq!(of(words, "rounds", "regime"), regime, "{words}");
        }
    }
    assert_eq!(
        of("cubic --size 100MB --loss 1e-4", "cardwell", "loss_model"),
        "random, then periodic"
    );
    assert_eq!(of("--size 1MB --loss 1%", "fluid", "loss_model"), "random");
    assert!(of("--size 1MB --loss 1%", "fluid", "regime").is_null());
}

/// Cardwell, Savage and Anderson's model, totals worked out apart: R 0.1 s, T0 0.4 s, Wm 44, w1 2, b 2, Ts 1 s, delayed
/// acknowledgement 0.1 s; and w1 10, b 1, T0 0.3 s, Wm 1000.
#[test]
fn cardwell_by_the_table() {
    let sizes = [10.0, 100.0, 1000.0];
    for (p, times) in [
        (0.0, [0.509, 1.004, 3.044]),
        (1e-3, [0.514, 1.023, 3.678]),
        (1e-2, [0.558, 1.508, 13.39]),
        (0.05, [0.80, 4.41, 42.4]),
    ] {
        for (packets, time) in sizes.into_iter().zip(times) {
            let at = TransferInputs {
                loss: LossRate::new(p).ok(),
                receive_window: Some(Bytes::new(44.0 * 1460.0)),
                initial_window: Some(Packets::new(2.0)),
                ack_every: 2.0,
                rto: Some(Seconds::new(0.4)),
                delayed_ack: 0.1,
                ..inputs(packets, 0.1)
            };
            let digits = if p == 0.05 { 5e-3 } else { 1e-3 };
            assert_relative_eq!(seconds("cardwell", &at), time, max_relative = digits);
        }
    }
    for (p, times) in [
        (0.0, [0.200, 0.446, 0.766]),
        (1e-3, [0.204, 0.464, 1.753]),
        (1e-2, [0.236, 0.834, 9.17]),
    ] {
        for (packets, time) in sizes.into_iter().zip(times) {
            let at = TransferInputs {
                loss: LossRate::new(p).ok(),
                receive_window: Some(Bytes::new(1000.0 * 1460.0)),
                rto: Some(Seconds::new(0.3)),
                ..inputs(packets, 0.1)
            };
            assert_relative_eq!(seconds("cardwell", &at), time, max_relative = 2.5e-3);
        }
    }
}

/// In the long run it is PFTK's model of what arrives, which is registered by itself.
#[test]
fn the_steady_rate_is_pftk_received() {
    let pftk = Selected::parse("pftk:rto=0.4s,ack_every=2").unwrap();
    let forms = pftk.algorithm.closed(&pftk.setting);
    let received = forms
        .iter()
        .find(|form| form.form() == "throughput")
        .unwrap();
    for p in [1e-4, 1e-3, 1e-2, 0.1] {
        let loss = LossRate::new(p).unwrap();
        let window = received
            .respond(loss, &Path::with_rtt(Seconds::new(0.1)))
            .unwrap()
            .window;
        let at = TransferInputs {
            loss: Some(loss),
            rto: Some(Seconds::new(0.4)),
            ack_every: 2.0,
            ..inputs(100.0, 0.1)
        };
        let rate = by("cardwell", &at).long_run_goodput_bps.unwrap() / (8.0 * 1460.0);
        assert_relative_eq!(rate, window.value() / 0.1, max_relative = 1e-12);
    }
}

/// Packet by packet: a first-in first-out link, one acknowledgement for each packet, slow start by the acknowledgements.
fn packet_by_packet(packets: usize, first: f64, rate: f64, rtt: f64, most: f64) -> f64 {
    let (mut window, mut sent, mut acked) = (first.min(most), 0usize, 0usize);
    let mut acks: VecDeque<f64> = VecDeque::new();
    let (mut now, mut free) = (0.0f64, 0.0f64);
    loop {
        while sent < packets && ((sent - acked) as f64) < window.floor() {
            free = free.max(now) + 1.0 / rate;
            // The round trip has the packet's own time at the link in it.
            acks.push_back(free + rtt - 1.0 / rate);
            sent += 1;
        }
        match acks.pop_front() {
            Some(time) => now = time,
            None => return now,
        }
        acked += 1;
        window = (window + 1.0).min(most);
    }
}

/// The formula with a link or a receiver's window against the same transfer packet by packet: apart by less than one packet's
/// time at the link a round, which is what whole rounds leave out.
#[test]
fn link_and_receiver_packet_by_packet() {
    for packets in [1, 9, 10, 11, 70, 71, 500, 2000, 20_000] {
        for (rate, most) in [
            (1e3, 1e9),
            (200.0, 1e9),
            (1e4, 1e9),
            (1e4, 64.0),
            (2e3, 64.0),
            (400.0, 64.0),
        ] {
            let at = TransferInputs {
                link: Some(BitRate::new(rate * 12_000.0)),
                receive_window: Some(Bytes::new(most * 1460.0)),
                handshake: 0.0,
                ..inputs(packets as f64, 0.1)
            };
            let answer = by("rounds", &at);
            let exact = packet_by_packet(packets, 10.0, rate, 0.1, most);
            let apart = (answer.time_s.unwrap() - exact).abs();
            let allowed = (answer.rounds.unwrap() + 1.0) / rate + 1e-9;
            assert!(
                apart <= allowed,
                "{packets} at {rate}, {most}: {} and {exact}",
                answer.time_s.unwrap()
            );
        }
    }
}

/// The integrator's slow start doubles continuously: w1 (2^(t/R) - 1)/ln 2 packets after t, then a round trip for the last
/// one's acknowledgement. With a link it ends at the link's rate.
#[test]
fn the_fluid_between_rounds() {
    for packets in [10.0, 69.0, 343.0, 6850.0] {
        let at = inputs(packets, 0.1);
        let exact = 0.1 * ((packets * 2f64.ln() / 10.0 + 1.0).log2() + 2.0);
        assert_relative_eq!(seconds("fluid", &at), exact, max_relative = 1e-5);
        assert!((seconds("fluid", &at) - seconds("rounds", &at)).abs() < 0.1);
    }
    for packets in [1e3, 1e4, 1e5] {
        let at = TransferInputs {
            link: Some(BitRate::new(12e6)),
            ..inputs(packets, 0.1)
        };
        assert!(
            (seconds("fluid", &at) - seconds("rounds", &at)).abs() < 0.1,
            "{packets}"
        );
    }
    let at = TransferInputs {
        receive_window: Some(Bytes::new(64.0 * 1460.0)),
        ..inputs(1e4, 0.1)
    };
    assert!((seconds("fluid", &at) - seconds("rounds", &at)).abs() < 0.1);
}

/// Random losses without timeouts, transfers so long that slow start hardly counts: the integrator's mean against Cardwell's.
/// There the one has 1.31 to 1.4/√p (random losses), the other sqrt(8/3p)/2 and its whole rounds: 12 and 15 % less.
#[test]
fn losses_slow_it_down() {
    for (packets, p) in [(100_000.0, 3e-3), (100_000.0, 1e-3)] {
        let at = TransferInputs {
            loss: LossRate::new(p).ok(),
            probe: true,
            ..inputs(packets, 0.05)
        };
        let (fluid, cardwell) = (by("fluid", &at), by("cardwell", &at));
        let half = fluid.ci_s.unwrap();
        let (fluid, cardwell) = (fluid.time_s.unwrap(), cardwell.time_s.unwrap());
        assert!(half > 0.0 && half < 0.2 * fluid);
        assert!(
            (fluid / cardwell - 1.0).abs() < 0.2,
            "{packets}, {p}: {fluid} and {cardwell}"
        );
        assert!(fluid > seconds("rounds", &at));
    }
}

/// A receiver that acknowledges every second packet makes slow start 1.5 times as large in a round trip: w 1.5^(t/R) packets a round trip add up
/// to w (1.5^(t/R) - 1)/ln 1.5.
#[test]
fn the_fluid_counts_delayed_acknowledgements() {
    for (every, growth) in [(1, 2.0f64), (2, 1.5), (4, 1.25)] {
        let said = ask(&format!(
            "reno:ack_every={every} --size 1000pkt --rtt 100ms --initial-window 10pkt --road fluid"
        ));
        let rounds = (1000.0 * growth.ln() / 10.0).ln_1p() / growth.ln();
        let time = said[0]["answers"][0]["time_s"].as_f64().unwrap();
        assert_relative_eq!(time, 0.1 * (2.0 + rounds), max_relative = 1e-5);
    }
    let other = ask("reno --ack-every 2 --size 1000pkt --rtt 100ms --road fluid");
    let reason = other[0]["answers"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("--ack-every 1"), "{reason}");
}

/// A law of acknowledgements only has two roads and a third that says why not.
#[test]
fn what_does_not_grow_in_a_fluid_has_the_other_roads() {
    let said = ask("cubic@linux --size 1MB --rtt 100ms --link 10Mbit/s");
    let answers = said[0]["answers"].as_array().unwrap();
    let time = |at: usize| answers[at]["time_s"].as_f64();
    assert!(time(0).is_some() && time(1).is_some());
    assert!(time(2).is_none());
    let reason = answers[2]["reason"].as_str().unwrap();
    assert!(reason.contains("its acknowledgements only"), "{reason}");
}

/// The interval is that of the mean: the means of neighbouring seeds, which share no run, spread as it says.
#[test]
fn the_interval_is_that_of_the_mean() {
    let (mut times, mut halves) = (Vec::new(), Vec::new());
    for seed in 1..=10 {
        let said = ask(&format!(
            "--size 3000pkt --rtt 100ms --loss 0.1% --road fluid --seed {seed}"
        ));
        let answer = &said[0]["answers"][0];
        times.push(answer["time_s"].as_f64().unwrap());
        halves.push(answer["ci_s"].as_f64().unwrap());
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let centre = mean(&times);
    let squares: f64 = times.iter().map(|t| (t - centre).powi(2)).sum();
    let deviation = (squares / 9.0).sqrt();
    // Chi-squared with nine degrees of freedom: 0.3 to 1.9 times the deviation but for one in a thousand.
    let ratio = deviation / (mean(&halves) / 1.998);
    assert!((0.3..1.9).contains(&ratio), "{ratio}: {times:?}");
}

/// 950 of 3000 packets are slow start's at p = 0.1 %: half of its last window is 240 packets, the long-run window some 37.
#[test]
fn cardwell_says_where_the_long_run_is_far_from_slow_start() {
    let note = |words: &str| {
        let said = ask(&format!("{words} --rtt 100ms --loss 0.1% --road cardwell"));
        said[0]["answers"][0]["note"].as_str().unwrap().to_owned()
    };
    let short = note("--size 3000pkt");
    assert!(
        short.contains("half of slow start's is 24") && short.contains("too long, see `fluid`"),
        "{short}"
    );
    // 2050 packets are left for two losses; of a hundred thousand there are ninety-nine.
    assert!(
        short.contains("only 2 more losses") || short.contains("only 2.1 more losses"),
        "{short}"
    );
    assert!(!note("--size 100000pkt").contains("more losses follow"));
}

#[test]
fn a_share_of_the_long_run() {
    let at = TransferInputs {
        link: Some(BitRate::new(12e6)),
        ..inputs(1.0, 0.1)
    };
    for share in [0.1, 0.5, 0.9, 0.99] {
        let reply = transfer(None, &at, Some(share), &["rounds"], 1).unwrap();
        let answer = &reply.answers[0];
        assert_relative_eq!(
            answer.long_run_goodput_bps.unwrap(),
            12e6 * 1460.0 / 1500.0,
            max_relative = 1e-12
        );
        let bytes = answer.size_for_share_bytes.unwrap();
        let goodput = |bytes: f64| {
            let at = TransferInputs {
                bytes: Bytes::new(bytes),
                ..at
            };
            by("rounds", &at).goodput_bps.unwrap() / answer.long_run_goodput_bps.unwrap()
        };
        assert!(goodput(bytes) >= share * (1.0 - 1e-12) && goodput(bytes - 1460.0) < share);
    }
    let reply = transfer(None, &inputs(10.0, 0.1), Some(0.5), &["rounds"], 1).unwrap();
    assert!(
        reply.answers[0]
            .reason
            .as_ref()
            .unwrap()
            .contains("nothing limits")
    );
}

#[test]
fn through_the_program() {
    let all = ask(
        "cubic --size 100kB,1MB --rtt 50ms --loss 0.1% --link 1Gbit/s --handshake 2 --tail-loss-probe",
    );
    assert_eq!(all.as_array().unwrap().len(), 2);
    assert_eq!(all[0]["query"]["packets"], 69.0);
    assert_eq!(all[0]["query"]["initial_window_pkt"], 10.0);
    let roads: Vec<&str> = all[0]["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["road"].as_str().unwrap())
        .collect();
    assert_eq!(roads, ["rounds", "cardwell", "fluid"]);
    assert!(
        all[0]["answers"][1]["source"]
            .as_str()
            .unwrap()
            .contains("rfc9438")
    );
    let parts = |answer: &Value| {
        [
            "handshake_s",
            "slow_start_s",
            "recovery_s",
            "steady_s",
            "delayed_ack_s",
        ]
        .iter()
        .map(|key| answer[key].as_f64().unwrap())
        .sum::<f64>()
    };
    let cardwell = &all[1]["answers"][1];
    assert_relative_eq!(
        parts(cardwell),
        cardwell["time_s"].as_f64().unwrap(),
        max_relative = 1e-12
    );
    let delayed = ask("--size 100kB --rtt 50ms --ack-every 2");
    assert!(delayed[0]["answers"][2]["time_s"].is_null());
    assert!(
        delayed[0]["answers"][2]["reason"]
            .as_str()
            .unwrap()
            .contains("--ack-every")
    );
    // Nine packets of 1648 B with jumbo frames' first window of RFC 6928: max(2 MSS, 14600 B).
    assert_eq!(
        ask("--size 1MB --rtt 50ms --mss 8948B --road rounds")[0]["query"]["initial_window_pkt"],
        2.0
    );
    for (words, said) in [
        ("--size 1MB", "--rtt"),
        ("--size 1MB --rtt 50ms --handshake 1.5", "handshake"),
        (
            "--size 1MB --rtt 50ms --receive-window 100B",
            "receive window is 100 B",
        ),
        ("--size 1MB --rtt 50ms --road cardwel", "`cardwell`"),
        ("--size 1MB --rtt 50ms --share 200%", "share"),
        (
            "--size 1MB --rtt 50ms --initial-window 0.1pkt",
            "initial window",
        ),
        ("--size -1MB --rtt 50ms", "-1MB"),
    ] {
        let assert = Command::cargo_bin("cwnd")
            .unwrap()
            .arg("transfer")
            .args(words.split_whitespace())
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(error.contains(said), "{words}: {error}");
    }
    // A mean that has no limit is no answer.
    let answers = ask("--size 10kB --rtt 50ms --loss 60%");
    assert!(answers[0]["answers"][1]["time_s"].is_null());
    assert!(
        answers[0]["answers"][1]["reason"]
            .as_str()
            .unwrap()
            .contains("no limit")
    );
    Command::cargo_bin("cwnd")
        .unwrap()
        .args([
            "transfer",
            "--size",
            "100kB",
            "--rtt",
            "100ms",
            "--road",
            "rounds",
            "--assert",
            "time_s < 350ms",
        ])
        .assert()
        .code(1);
}

/// Cardwell's rounds are real numbers, used below one round too: less than whole rounds, by up to 2 - 1/ln 2 - log2(ln 2) round
/// trips where slow start fills a link within a round.
#[test]
fn whole_rounds_are_above_real_ones() {
    let mut most = 0.0f64;
    for link in [None, Some(1e6), Some(1e8)] {
        for packets in [1.0, 2.0, 7.0, 11.0, 69.0, 100.0, 685.0, 3000.0] {
            let at = TransferInputs {
                link: link.map(BitRate::new),
                ..inputs(packets, 0.1)
            };
            let apart = seconds("rounds", &at) - seconds("cardwell", &at);
            assert!(
                (-1e-12..0.108_62).contains(&apart),
                "{packets}, {link:?}: {apart}"
            );
            most = most.max(apart);
            let note = by("cardwell", &at).note.unwrap();
            assert!(
                note.contains("1.09 round trips less than `rounds`"),
                "{note}"
            );
        }
    }
    assert!(most > 0.108, "{most}");
}

/// A named law's closed form has no timeouts; the model's own rate has, and so has PFTK's.
#[test]
fn a_named_law_says_where_timeouts_rule() {
    for (law, loss, said) in [
        ("reno", "0.1", true),
        ("", "0.1", false),
        ("pftk", "0.1", false),
        ("reno", "0.01", false),
    ] {
        let reply = ask(&format!(
            "{law} --size 10MB --rtt 100ms --loss {loss} --road cardwell"
        ));
        let note = reply[0]["answers"][0]["note"].as_str().unwrap();
        assert_eq!(note.contains("timeouts rule"), said, "{law} {loss}: {note}");
    }
}

/// Runs that met no loss tell nothing about what a loss costs, so there is no interval.
#[test]
fn runs_without_a_loss_have_no_interval() {
    let ask =
        |words: &str| ask(&format!("{words} --rtt 100ms --road fluid"))[0]["answers"][0].clone();
    for words in ["--size 7pkt --loss 1e-5", "--size 100pkt --loss 1e-6"] {
        let answer = ask(words);
        assert!(
            answer["time_s"].is_f64() && answer["ci_s"].is_null(),
            "{answer}"
        );
        let said = answer["note"].as_str().unwrap();
        assert!(said.contains("none of the 64 runs met a loss"), "{said}");
        let why = answer["reason"].as_str().unwrap();
        assert!(why.contains("the same time, so no interval"), "{why}");
    }
    // One window: what is lost of it is reacted to after everything has been sent.
    let answer = ask("--size 7pkt --loss 5%");
    assert!(answer["ci_s"].is_null(), "{answer}");
    let said = answer["note"].as_str().unwrap();
    let (_, count) = said.split_once("; in ").unwrap();
    let count: f64 = count.split(' ').next().unwrap().parse().unwrap();
    // 64 (1 - 0.95^7.37) runs on average, four deviations each way.
    let chance = 1.0 - 0.95f64.powf(7.0 / 0.95);
    let (mean, deviation) = (64.0 * chance, (64.0 * chance * (1.0 - chance)).sqrt());
    assert!((count - mean).abs() < 4.0 * deviation, "{said}");
    assert!(said.contains("too late for a reaction"), "{said}");
    let answer = ask("--size 100pkt --loss 1%");
    assert!(answer["ci_s"].as_f64().unwrap() > 1e-3, "{answer}");
    assert!(!answer["note"].as_str().unwrap().contains("none of"));
}

/// Packets per acknowledgement are the law's unless given, and where they differ the answer says so.
#[test]
fn one_number_of_packets_for_each_acknowledgement() {
    let rest = "--size 1MB --rtt 100ms --loss 0.1% --road cardwell";
    let growth = |words: &str| ask(&format!("{words} {rest}"))[0].clone();
    for (words, expected, noted) in [
        ("reno:ack_every=2", 1.5, false),
        ("reno", 2.0, false),
        ("pftk:ack_every=2", 1.5, false),
        ("bic", 2.0, false),
        ("", 2.0, false),
        ("--ack-every 2", 1.5, false),
        ("reno --ack-every 2", 1.5, true),
        ("reno:ack_every=2 --ack-every 1", 2.0, true),
    ] {
        let reply = growth(words);
        assert_eq!(reply["query"]["growth"], expected, "{words}");
        let said = reply["notes"].to_string().contains("slow start counts");
        assert_eq!(said, noted, "{words}");
    }
}
