//! The verb `throughput`: questions that engineers asked, with the answers they need, and the question backwards.
#![cfg(feature = "cli")]

use approx::assert_relative_eq;
use assert_cmd::Command;
use cwnd::algorithms::Selected;
use cwnd::analysis::sawtooth::{Bottleneck, Sawtooth, sawtooth};
use serde_json::Value;

/// The only envelope that a command line answers with.
fn ask(words: &str) -> Value {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .arg("throughput")
        .args(words.split_whitespace())
        .args(["--format", "json"])
        .assert()
        .success();
    let all: Vec<Value> = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(all.len(), 1, "{words}");
    assert_eq!(all[0]["answers"].as_array().unwrap().len(), 1, "{words}");
    all[0].clone()
}

fn answer(words: &str) -> Value {
    ask(words)["answers"][0].clone()
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn limit(answer: &Value, name: &str) -> Value {
    let limits = answer["limits"].as_array().unwrap();
    limits
        .iter()
        .find(|limit| limit["name"] == name)
        .unwrap()
        .clone()
}

/// Active limit and goodput in Mbit/s.
fn goodput(words: &str, active: &str, mbit: f64, tolerance: f64) {
    let answer = answer(words);
    assert_eq!(answer["active"], active, "{words}");
    assert_relative_eq!(
        number(&answer["goodput_bps"]) / 1e6,
        mbit,
        max_relative = tolerance
    );
}

fn solved(words: &str, value: f64, tolerance: f64) {
    let answer = answer(words);
    assert_relative_eq!(
        number(&answer["solved"]["value"]),
        value,
        max_relative = tolerance
    );
}

#[test]
fn q07_which_limit_is_active() {
    let path = "--link 100Mbit/s --rtt 100ms --loss 0.1% --receive-window 256KiB --mss 1460B";
    goodput(path, "loss", 4.524, 1e-3);
    goodput(&format!("mathis:c=1 {path}"), "loss", 3.694, 1e-3);
    goodput(&format!("cubic {path}"), "loss", 4.524, 1e-3);
    let answer = answer(path);
    assert_relative_eq!(
        number(&limit(&answer, "receive_window")["goodput_bps"]),
        20.97e6,
        max_relative = 1e-3
    );
    assert_eq!(answer["bdp_bytes"], 1.25e6);
    let names: Vec<&str> = answer["limits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|limit| limit["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "link",
            "receive_window",
            "loss",
            "timeout",
            "buffer",
            "recovery"
        ]
    );
    // The constant 1.2 of the RFCs' tables.
    goodput(&format!("mathis:c=1.2 {path}"), "loss", 4.432, 1e-3);
}

#[test]
fn q09_and_q11_parallel_flows() {
    goodput(
        "mathis:c=1.22 --link 500Mbit/s --rtt 120ms --loss 0.008 --streams 6 --mss 1448B",
        "loss",
        7.9,
        5e-3,
    );
    goodput(
        "mathis:c=1.22 --link 300Mbit/s --rtt 18ms --loss 0.005 --streams 3 --mss 1460B",
        "loss",
        33.59,
        1e-3,
    );
}

#[test]
fn q13_timeouts_rule() {
    let path = "--rtt 100ms --loss 20% --mss 1460B";
    goodput(&format!("{path} --rto 300ms"), "timeout", 0.1457, 1e-3);
    goodput(&format!("{path} --rto 1s"), "timeout", 0.0619, 1e-3);
    let loss = limit(&answer(path), "loss");
    assert_relative_eq!(number(&loss["goodput_bps"]), 0.3199e6, max_relative = 1e-3);
    assert!(loss["note"].as_str().unwrap().contains("out of range"));
    // Below the threshold the formula is shown but does not limit.
    let answer = answer("--rtt 100ms --loss 1%");
    assert_eq!(answer["active"], "loss");
    assert_eq!(limit(&answer, "timeout")["applies"], false);
    assert!(number(&limit(&answer, "timeout")["rate_bps"]) < number(&answer["rate_bps"]));
}

#[test]
fn q15_cubic_at_200_ms() {
    let answer = answer("cubic --rtt 200ms --loss 0.2% --mss 1460B");
    assert_relative_eq!(number(&answer["window_pkt"]), 33.32, max_relative = 1e-3);
    assert_relative_eq!(
        number(&answer["goodput_bps"]) / 8e6,
        0.243,
        max_relative = 2e-3
    );
    let reno = super_window("reno --rtt 200ms --loss 0.2% --mss 1460B");
    assert_relative_eq!(reno, 27.39, max_relative = 1e-3);
    solved(
        "cubic --rtt 200ms --mss 1460B --solve loss --goodput 11MB/s",
        1.24e-5,
        2e-3,
    );
}

fn super_window(words: &str) -> f64 {
    number(&answer(words)["window_pkt"])
}

#[test]
fn q21_time_to_recover() {
    let recovery = limit(
        &answer("--link 10Gbit/s --rtt 100ms --packet 1000B"),
        "recovery",
    );
    assert_relative_eq!(
        number(&recovery["recovery_rounds"]),
        62500.0,
        max_relative = 1e-9
    );
    assert_relative_eq!(
        number(&recovery["recovery_s"]) / 3600.0,
        1.736,
        max_relative = 1e-3
    );
    // The theory's own: 10 Gbit/s, 100 ms, 1500 B, CUBIC.
    let recovery = limit(&answer("cubic --link 10Gbit/s --rtt 100ms"), "recovery");
    assert_relative_eq!(number(&recovery["recovery_s"]), 39.7, max_relative = 1e-3);
}

#[test]
fn q23_window_behind_a_rate() {
    assert_eq!(answer("--link 200Mbit/s --rtt 250ms")["bdp_bytes"], 6.25e6);
    solved(
        "--rtt 250ms --solve receive-window --goodput 20Mbit/s",
        625e3,
        1e-9,
    );
}

#[test]
fn q25_round_trip_behind_a_rate() {
    solved(
        "--solve rtt --receive-window 4MB --goodput 28.3MB/s",
        0.1413,
        1e-3,
    );
    solved(
        "--solve rtt --receive-window 4MiB --goodput 28.3MB/s",
        0.1482,
        1e-3,
    );
}

#[test]
fn q29_to_q39_window_limits() {
    for (window, rtt, mbit) in [
        ("1MiB", "50ms", 167.8),
        ("1MiB", "100ms", 83.89),
        ("8MiB", "200ms", 335.5),
        ("128KiB", "100ms", 10.49),
    ] {
        goodput(
            &format!("--receive-window {window} --rtt {rtt}"),
            "receive_window",
            mbit,
            1e-3,
        );
    }
    // A one-way delay is half a round trip.
    goodput(
        "--receive-window 1MiB --one-way-delay 50ms",
        "receive_window",
        83.89,
        1e-3,
    );
}

#[test]
fn q43_windows_needed() {
    for (rate, bytes) in [
        ("1.5Mbit/s", 18.31 * 1024.0),
        ("45Mbit/s", 549.3 * 1024.0),
        ("2.5Gbit/s", 29.8 * 1048576.0),
        ("10Gbit/s", 119.21 * 1048576.0),
    ] {
        solved(
            &format!("--rtt 100ms --solve receive-window --goodput {rate}"),
            bytes,
            1e-3,
        );
    }
}

#[test]
fn q49_parallel_sockets_without_buffer() {
    for (law, shares) in [
        ("reno", [75.00, 85.71, 90.00, 94.74]),
        ("aimd:a=1,b=0.3", [85.00, 91.89, 94.44, 97.14]),
    ] {
        for (n, share) in [1, 2, 3, 6].into_iter().zip(shares) {
            let words =
                format!("{law} --link 1Gbit/s --rtt 100ms --buffer 0B --sync one --streams {n}");
            let buffer = limit(&answer(&words), "buffer");
            assert_relative_eq!(
                100.0 * number(&buffer["utilisation"]),
                share,
                max_relative = 1e-4
            );
        }
    }
}

#[test]
fn q57_half_a_bdp_of_buffer() {
    for buffer in ["10ms", "0.5bdp", "12500B"] {
        let words = format!("--link 10Mbit/s --rtt 20ms --buffer {buffer}");
        let answer = answer(&words);
        assert_eq!(answer["active"], "buffer");
        let share = number(&limit(&answer, "buffer")["utilisation"]);
        assert_relative_eq!(share, 0.9643, max_relative = 1e-4);
        assert_relative_eq!(
            number(&answer["queueing_delay_s"]),
            0.01,
            max_relative = 1e-9
        );
    }
}

fn tooth(law: &str, pipe: f64, b: f64, base_rtt: f64) -> Sawtooth {
    let law = Selected::parse(law).unwrap();
    let verbs = law.law().unwrap();
    let link = Bottleneck {
        pipe,
        buffer: b * pipe,
        base_rtt,
    };
    sawtooth(verbs.as_ref(), link).unwrap()
}

/// AIMD that keeps β and adds a: utilisation, mean queue over BDP, period, all derived by hand for a buffer of b BDP.
#[test]
fn additive_sawtooth_equals_its_closed_form() {
    let (pipe, d) = (1000.0, 0.1);
    for (law, a, beta) in [("reno", 1.0, 0.5), ("aimd:a=2,b=0.3", 2.0, 0.7)] {
        for b in [0.0f64, 0.05, 0.1, 0.25, 0.5, 0.9, 1.0, 2.0] {
            let found = tooth(law, pipe, b, d);
            let peak = (1.0 + b) * pipe;
            let idle = beta * (1.0 + b) < 1.0;
            let square = (1.0 + b).powi(2);
            let below = (1.0 - beta * (1.0 + b)).max(0.0);
            let (utilisation, period, queue) = if idle {
                (
                    square * (1.0 - beta * beta) / (2.0 * below + square - 1.0),
                    (below * pipe * d + (peak * peak - pipe * pipe) * d / (2.0 * pipe)) / a,
                    (((1.0 + b).powi(3) - 1.0) / 3.0 - (square - 1.0) / 2.0)
                        / (below + (square - 1.0) / 2.0),
                )
            } else {
                (
                    1.0,
                    (1.0 - beta * beta) * peak * peak * d / (2.0 * a * pipe),
                    2.0 * (1.0 + b) * (1.0 - beta.powi(3)) / (3.0 * (1.0 - beta * beta)) - 1.0,
                )
            };
            assert_relative_eq!(found.utilisation, utilisation, max_relative = 1e-10);
            assert_relative_eq!(found.seconds, period, max_relative = 1e-10);
            assert_relative_eq!(
                found.queue,
                queue * pipe,
                max_relative = 1e-9,
                epsilon = 1e-9
            );
        }
    }
}

/// CUBIC far above its Reno-friendly region.
#[test]
fn cubic_sawtooth_equals_its_closed_form() {
    let (pipe, d, c, beta) = (1e5, 0.1, 0.4, 0.7f64);
    for b in [0.0f64, 0.05, 0.1, 0.2, 0.3, 0.4286, 1.0] {
        let found = tooth("cubic", pipe, b, d);
        let root = (b / ((1.0 - beta) * (1.0 + b))).cbrt();
        let (utilisation, queue) = if beta * (1.0 + b) < 1.0 {
            (
                1.0 - (1.0 - beta) * (1.0 + b) / 4.0 + b - 0.75 * b * root,
                0.75 * b * root,
            )
        } else {
            (1.0, (1.0 + b) * (3.0 + beta) / 4.0 - 1.0)
        };
        let period = ((1.0 - beta) * (1.0 + b) * pipe / c).cbrt();
        assert_relative_eq!(found.seconds, period, max_relative = 1e-9);
        assert_relative_eq!(found.utilisation, utilisation, max_relative = 1e-9);
        assert_relative_eq!(
            found.queue,
            queue * pipe,
            max_relative = 1e-8,
            epsilon = 1e-6
        );
    }
    // The table printed with the derivation.
    for (b, share) in [(0.05, 0.9510), (0.1, 0.9671), (0.2, 0.9867), (0.3, 0.9963)] {
        assert_relative_eq!(
            tooth("cubic", pipe, b, d).utilisation,
            share,
            epsilon = 6e-5
        );
    }
}

/// No more is outstanding than the receiver allows: where pipe and buffer hold that, nothing is lost.
#[test]
fn a_receive_window_that_fits_keeps_the_buffer_from_overflowing() {
    let said = answer("--link 100Mbit/s --rtt 100ms --buffer 200pkt --receive-window 950pkt");
    assert_eq!(said["active"], "link");
    assert_eq!(said["rate_bps"], 1e8);
    assert_eq!(said["window_pkt"], 950.0);
    assert_eq!(said["loss_events_per_hour"], 0.0);
    let buffer = limit(&said, "buffer");
    assert!(buffer["rate_bps"].is_null() && buffer["applies"] == false);
    assert!(
        buffer["reason"]
            .as_str()
            .unwrap()
            .contains("never overflows")
    );
    // Half of 950 in as many round trips: of 100 ms up to the pipe of 2500/3, then of W/C.
    let recovery = limit(&said, "recovery");
    let (pipe, capacity) = (2500.0 / 3.0, 25_000.0 / 3.0);
    let seconds = 0.1 * (pipe - 475.0) + (950f64.powi(2) - pipe * pipe) / (2.0 * capacity);
    assert_relative_eq!(
        number(&recovery["recovery_rounds"]),
        475.0,
        max_relative = 1e-9
    );
    assert_relative_eq!(
        number(&recovery["recovery_s"]),
        seconds,
        max_relative = 1e-9
    );
    assert_eq!(
        recovery["note"].as_str().unwrap(),
        "back to the receiver's window"
    );
    // Up to 3100/3 packets fit, or 850/3 of buffer with this pipe: (950 - 833.3)/200.
    let moves = said["moves"].as_array().unwrap();
    for (input, factor) in [
        ("receive-window", 3100.0 / 3.0 / 950.0),
        ("buffer", (950.0 - pipe) / 200.0),
    ] {
        let entry = moves.iter().find(|m| m["input"] == input).unwrap();
        assert_eq!(entry["then"], "buffer");
        assert_relative_eq!(number(&entry["factor"]), factor, max_relative = 1e-9);
    }
    // A packet more than fits, and the sawtooth is as without a receiver's window.
    let over = answer("--link 100Mbit/s --rtt 100ms --buffer 200pkt --receive-window 1034pkt");
    let without = answer("--link 100Mbit/s --rtt 100ms --buffer 200pkt");
    assert_eq!(over["active"], "buffer");
    assert_eq!(over["rate_bps"], without["rate_bps"]);
    assert_eq!(
        over["loss_events_per_hour"],
        without["loss_events_per_hour"]
    );
    // Less than the pipe: half of 65536/1460 packets in as many round trips of 80 ms.
    let small = answer("--rtt 80ms --receive-window 64KiB --link 1Gbit/s");
    let recovery = limit(&small, "recovery");
    let half = 0.5 * 65_536.0 / 1460.0;
    assert_eq!(small["loss_events_per_hour"], 0.0);
    assert_relative_eq!(
        number(&recovery["recovery_rounds"]),
        half,
        max_relative = 1e-9
    );
    assert_relative_eq!(
        number(&recovery["recovery_s"]),
        0.08 * half,
        max_relative = 1e-9
    );
}

/// More of an input may bring losses: then the rate asked for is found where the window still fits.
#[test]
fn the_question_backwards_knows_a_window_that_fits() {
    let path = "--link 100Mbit/s --buffer 0.2bdp";
    // 99 Mbit/s is 825 packets a round trip; behind an overflowing buffer of 0.2 bdp there are 87 Mbit/s.
    solved(
        &format!("{path} --rtt 100ms --solve receive-window --rate 99Mbit/s"),
        825.0 * 1460.0,
        1e-9,
    );
    // 950 packets of 12 kbit at 95 Mbit/s.
    solved(
        &format!("{path} --receive-window 950pkt --solve rtt --rate 95Mbit/s"),
        0.12,
        1e-9,
    );
    // 100 packets a round trip are 12 Mbit/s.
    solved(
        &format!("{path} --rtt 100ms --receive-window 100pkt --solve streams --rate 95Mbit/s"),
        95.0 / 12.0,
        1e-9,
    );
    let beyond = answer(&format!(
        "{path} --rtt 100ms --solve receive-window --goodput 1Gbit/s"
    ));
    let reason = beyond["reason"].as_str().unwrap();
    assert!(
        reason.contains("gives 1 Gbit/s of payload")
            && reason.contains("link allows 97.3333 Mbit/s of payload"),
        "{reason}"
    );
}

/// A window with a queue in it: of one that climbs from half by a packet a round trip, three quarters of pipe and buffer.
#[test]
fn the_window_behind_a_buffer_holds_a_queue() {
    for (buffer, active, note) in [
        (0.2, "buffer", true),
        (1.0, "link", false),
        (2.0, "link", false),
    ] {
        let path = format!("--link 10Mbit/s --rtt 20ms --buffer {buffer}bdp");
        let said = answer(&path);
        let window = 0.75 * (1.0 + buffer) * 50.0 / 3.0;
        assert_eq!(said["active"], active);
        assert_relative_eq!(number(&said["window_pkt"]), window, max_relative = 1e-9);
        let limit = limit(&said, "buffer");
        assert_relative_eq!(number(&limit["window_pkt"]), window, max_relative = 1e-9);
        assert!(
            limit["note"]
                .as_str()
                .unwrap()
                .contains("--rtt is taken without queues"),
            "{note}"
        );
    }
}

/// The rate at an input, then the input at that rate.
#[test]
fn every_inverse_goes_back() {
    for (law, rest, input, value, unit) in [
        ("reno", "--receive-window 256KiB", "rtt", 0.1, "s"),
        ("cubic", "--loss 1e-5", "rtt", 0.2, "s"),
        ("reno", "--rtt 100ms", "loss", 1e-3, ""),
        ("bic", "--rtt 50ms --link 10Gbit/s", "loss", 1e-6, ""),
        ("cubic", "--rtt 100ms", "loss", 3e-6, ""),
        ("highspeed", "--rtt 100ms", "loss", 1e-2, ""),
        ("reno", "--rtt 100ms --rto 1s", "loss", 0.2, ""),
        (
            "reno",
            "--rtt 100ms --link 1Gbit/s",
            "receive-window",
            262144.0,
            "B",
        ),
        ("reno", "--rtt 100ms --loss 1e-3", "streams", 6.0, ""),
        ("reno", "--rtt 100ms --loss 1e-9", "link", 1e8, "bit/s"),
        ("reno", "--rtt 100ms --buffer 0.2bdp", "link", 1e8, "bit/s"),
        ("reno", "--rtt 100ms --link 1Gbit/s", "buffer", 4e6, "B"),
        ("cubic", "--rtt 100ms --link 1Gbit/s", "buffer", 1e6, "B"),
    ] {
        let forward = answer(&format!("{law} {rest} --{input} {value}{unit}"));
        for (flag, key) in [("--rate", "rate_bps"), ("--goodput", "goodput_bps")] {
            let got = number(&forward[key]);
            let back = ask(&format!("{law} {rest} --solve {input} {flag} {got}bit/s"));
            let back = &back["answers"][0];
            assert!(
                back["reason"].is_null() || back["active"].is_string(),
                "{law} {input}: {back}"
            );
            assert_relative_eq!(number(&back["solved"]["value"]), value, max_relative = 1e-9);
            assert_relative_eq!(number(&back[key]), got, max_relative = 1e-9);
            assert_eq!(back["active"], forward["active"], "{law} {input}");
        }
    }
}

/// Each change that is said to move the limit does so, and a little less does not.
#[test]
fn what_would_move_it_does() {
    let path = [
        ("--link", 1e8, "bit/s", "link"),
        ("--rtt", 0.1, "s", "rtt"),
        ("--loss", 1e-5, "", "loss"),
        ("--receive-window", 262144.0, "B", "receive-window"),
        ("--buffer", 3e5, "B", "buffer"),
    ];
    let with = |input: &str, factor: f64| {
        let words: Vec<String> = path
            .iter()
            .map(|(flag, value, unit, name)| {
                let factor = if *name == input { factor } else { 1.0 };
                format!("{flag} {}{unit}", value * factor)
            })
            .collect();
        answer(&words.join(" "))
    };
    let now = with("", 1.0);
    let mut moved = 0;
    for entry in now["moves"].as_array().unwrap() {
        let input = entry["input"].as_str().unwrap();
        let Some(factor) = entry["factor"].as_f64().filter(|_| input != "streams") else {
            assert!(input == "streams" || entry["reason"].is_string());
            continue;
        };
        let beyond = factor.powf(1.0 + 1e-5);
        let short = factor.powf(1.0 - 1e-5);
        assert_eq!(with(input, beyond)["active"], entry["then"], "{input}");
        assert_eq!(with(input, short)["active"], now["active"], "{input}");
        moved += 1;
    }
    assert!(moved >= 3, "{moved}");
}

#[test]
fn what_has_no_value_is_null_with_a_reason() {
    let answer = answer("mathis --link 1Gbit/s --rtt 10ms --buffer 1bdp");
    let buffer = limit(&answer, "buffer");
    assert!(buffer["rate_bps"].is_null());
    assert!(buffer["reason"].as_str().unwrap().contains("no sawtooth"));
    assert_eq!(answer["active"], "link");
    let beyond = self::answer("--rtt 100ms --link 1Gbit/s --solve loss --rate 2Gbit/s");
    assert!(beyond["solved"]["value"].is_null());
    assert!(beyond["reason"].as_str().unwrap().contains("link"));
    assert!(beyond["active"].is_null());
}

#[test]
fn text_names_the_limit_and_what_would_move_it() {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .args("throughput --link 100Mbit/s --rtt 100ms --loss 0.1%".split_whitespace())
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for words in [
        "loss limits: 4.5236 Mbit/s of payload",
        "4.6476 Mbit/s on the wire",
        "what would move it",
        "1.25 MB",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn bad_questions_are_refused() {
    for (words, said) in [
        ("--link 1Gbit/s", "--rtt"),
        ("--rtt 100ms", "--link"),
        ("--rtt 100ms --buffer 1bdp --loss 1e-3", "--link"),
        ("--rtt 100 --link 1Gbit/s", "`100`"),
        ("--rtt 100ms --link 1GB", "`1GB`"),
        ("--rtt 100ms --link 0Mbit/s", "more than 0"),
        ("--rtt 100ms --loss 1.5", "`1.5`"),
        ("--rtt 100ms --loss nan", "`nan`"),
        ("--rtt 100ms --receive-window 64", "`64`"),
        ("--rtt 100ms --link 1Gbit/s --streams 0", "--streams"),
        ("--rtt 100ms --link 1Gbit/s --streams 1.5", "`1.5`"),
        ("--rtt 100ms --link 1Gbit/s --buffer 10", "`10`"),
        ("--rtt 100ms --link 1Gbit/s --buffer 0", "`0`"),
        ("--rtt 100ms --link 1Gbit/s --buffer -1B", "`-1B`"),
        ("--rtt 100ms --link 1Gbit/s --sync some", "`some`"),
        ("--rtt 100ms --link 1Gbit/s --rto 1", "`1`"),
        ("--rtt 100ms --link 1Gbit/s --form none", "`none`"),
        ("--rtt 100ms --link 1Gbit/s --rate 1Mbit/s", "--solve"),
        ("--rtt 100ms --link 1Gbit/s --solve loss", "--rate"),
        (
            "--rtt 100ms --link 1Gbit/s --solve los --rate 1Mbit/s",
            "`loss`",
        ),
        (
            "--rtt 100ms --link 1Gbit/s --solve link --rate 1Mbit/s",
            "--solve link",
        ),
        (
            "--rtt 100ms --link 1Gbit/s --solve streams --streams 3 --rate 1Mbit/s",
            "--streams",
        ),
        (
            "--rtt 100ms --solve loss --rate 1Mbit/s --goodput 1Mbit/s",
            "--goodput",
        ),
        ("renno --rtt 100ms --link 1Gbit/s", "`reno`"),
    ] {
        let assert = Command::cargo_bin("cwnd")
            .unwrap()
            .arg("throughput")
            .args(words.split_whitespace())
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(assert.get_output().stdout.is_empty(), "{words} printed");
        assert_eq!(error.trim_end().lines().count(), 1, "{words}: {error}");
        assert!(error.contains(said), "{words}: `{said}` is not in: {error}");
    }
}

#[test]
fn every_law_answers_every_limit() {
    for algorithm in cwnd::algorithms::ALGORITHMS {
        let name = algorithm.name();
        Command::cargo_bin("cwnd")
            .unwrap()
            .args([
                "throughput",
                name,
                "--rtt",
                "100ms",
                "--link",
                "100Mbit/s",
                "--loss",
                "1e-4",
            ])
            .args([
                "--receive-window",
                "1MB",
                "--buffer",
                "0.5bdp",
                "--base-rtt",
                "100ms",
            ])
            .assert()
            .success();
    }
}
