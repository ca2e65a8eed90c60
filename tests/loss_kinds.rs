//! Lost packets, loss events and bit errors.
#![cfg(feature = "cli")]

use approx::assert_relative_eq;
use assert_cmd::Command;
use serde_json::Value;

fn ask(words: &str) -> Value {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .args(words.split_whitespace())
        .args(["--format", "json"])
        .assert()
        .success();
    let all: Vec<Value> = serde_json::from_slice(&output.get_output().stdout).unwrap();
    all[0].clone()
}

#[test]
fn lost_packets_become_events() {
    for verb in ["response reno", "throughput --rtt 100ms"] {
        let given = ask(&format!("{verb} --loss 0.4% --loss-is packets --burst 4"));
        let events = ask(&format!("{verb} --loss 0.1%"));
        assert_eq!(given["query"]["loss"], 1e-3);
        assert_eq!(given["answers"], events["answers"]);
        assert!(given["notes"][0].as_str().unwrap().contains("loss events"));
    }
}

/// RFC 3649: 10 Gbit/s over 100 ms needs 2e-10, a bit error rate of 2e-14; the other rows are the theory's table, two digits.
#[test]
fn bit_errors_in_and_out() {
    for (law, rate, ber) in [
        ("reno", "10Mbit/s", 1.8e-8),
        ("reno", "10Gbit/s", 1.8e-14),
        ("cubic", "100Mbit/s", 1.1e-9),
        ("cubic", "10Gbit/s", 2.5e-12),
    ] {
        let reply = ask(&format!(
            "loss {law} --rate {rate} --rtt 100ms --road closed"
        ));
        let answer = &reply["answers"][0];
        let found = answer["bit_error_rate"].as_f64().unwrap();
        assert_relative_eq!(found, ber, max_relative = 0.05);
        let back = ask(&format!(
            "response {law} --ber {found} --rtt 100ms --road closed"
        ));
        let got = back["answers"][0]["window_pkt"].as_f64().unwrap();
        assert_relative_eq!(
            got,
            answer["window_pkt"].as_f64().unwrap(),
            max_relative = 1e-9
        );
    }
}

#[test]
fn bad_kinds_are_refused() {
    for (words, said) in [
        ("response reno --loss 1% --loss-is packets", "--burst"),
        ("response reno --loss 1% --burst 4", "--loss-is"),
        (
            "response reno --loss 1% --loss-is packets --burst 0.5",
            "`0.5`",
        ),
        (
            "response reno --loss 1% --loss-is pakets --burst 2",
            "`packets`",
        ),
        ("response reno --loss 1% --ber 1e-9", "--ber"),
        ("response reno --ber 0", "`0`"),
        ("response reno --ber 1", "`1`"),
        ("response reno --ber -1e-9", "`-1e-9`"),
        (
            "throughput --rtt 1ms --solve loss --ber 1e-9 --rate 1Mbit/s",
            "--loss",
        ),
    ] {
        let args = words.split_whitespace();
        let assert = Command::cargo_bin("cwnd")
            .unwrap()
            .args(args)
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(assert.get_output().stdout.is_empty());
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(error.contains(said), "{words}: {error}");
    }
}
