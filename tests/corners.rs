//! Answers at the corners of what a law or a formula covers; expected values by derivation or by an independent calculation.

use cwnd::numeric::{Complex, margins::OpenLoop};
use serde_json::Value;
use std::f64::consts::FRAC_PI_2;
use std::process::Command;

fn answers(args: &[&str]) -> Vec<Value> {
    let out = Command::new(env!("CARGO_BIN_EXE_cwnd"))
        .args(args)
        .args(["--format", "json"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{args:?}: {said}");
    let reply: Value = serde_json::from_slice(&out.stdout).unwrap();
    reply[0]["answers"].as_array().unwrap().clone()
}

fn words(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[track_caller]
fn near(got: &Value, expected: f64, relative: f64) {
    let got = got.as_f64().unwrap();
    let off = (got / expected - 1.0).abs();
    assert!(off <= relative, "{got} instead of {expected}");
}

/// Below the knee growth is a packet a round trip and a loss removes beta: AIMD, W = sqrt((2 − β)/(2βp)), peak 2W/(2 − β).
#[test]
fn compound_below_its_knee_removes_its_own_beta() {
    let slow = "compound:alpha=0.01,k=0.5,beta=0.2";
    for (p, text) in [(1e-3, "1e-3"), (1e-5, "1e-5")] {
        let both = answers(&["response", slow, "--loss", text, "--rtt", "100ms"]);
        let window = (1.8f64 / (0.4 * p)).sqrt();
        assert_eq!(both.len(), 2);
        for one in both {
            near(&one["window_pkt"], window, 1e-12);
            near(&one["peak_pkt"], window / 0.9, 1e-12);
        }
    }
    let loss = answers(&[
        "loss",
        slow,
        "--window",
        "67.0820393249937pkt",
        "--rtt",
        "100ms",
        "--road",
        "closed",
    ]);
    near(&loss[0]["loss"], 1e-3, 1e-12);
    // At the published beta it is standard TCP.
    let published = answers(&[
        "response", "compound", "--loss", "1e-2", "--rtt", "100ms", "--road", "closed",
    ]);
    near(&published[0]["window_pkt"], 150f64.sqrt(), 1e-12);
    assert_eq!(words(&published[0]["regime"]), "standard TCP");
}

/// L = c·e^(−s)/s has phase −π at ω = π/2, where |L| = 2c/π.
#[test]
fn a_large_gain_margin_is_found() {
    let margin = |c: f64| {
        let transfer = move |s: Complex<f64>| (-s).exp() / s * c;
        OpenLoop {
            transfer: &transfer,
            dead_time: 1.0,
            unstable_poles: 0,
            poles_at_zero: 1,
        }
        .margins()
        .unwrap()
    };
    for c in [1.1, 1e-2, 1e-4, 1e-5, 1e-6] {
        let found = margin(c);
        let got = found.gain_margin.unwrap();
        assert!((got / (FRAC_PI_2 / c) - 1.0).abs() < 1e-12, "{c}: {got}");
        let first = found.phase_crossovers.last().unwrap();
        assert!((found.phase_crossovers[0].omega - FRAC_PI_2).abs() < 1e-12);
        assert!(first.gain <= 2.0 * c / std::f64::consts::PI * (1.0 + 1e-12));
    }
    // Beyond what is looked at the words say how far that was.
    let found = margin(1e-9);
    assert!(found.stable && found.gain_margin.is_none());
    assert!(
        found
            .reasons
            .iter()
            .any(|why| why.contains("up to 1e7 times")),
        "{:?}",
        found.reasons
    );
}

/// From a separate calculation of the loop's phase crossover.
#[test]
fn the_margin_of_a_short_round_trip() {
    for (rtt, expected) in [("200us", 1474.966), ("500us", 589.4576), ("100us", 2950.81)] {
        let one = answers(&["stability", &format!("pi2:rtt={rtt}"), "--road", "margin"]);
        near(&one[0]["gain_margin"], expected, 2e-6);
    }
}

/// Periodic losses and a filter on a periodic ramp: 1/p = N²k, W = N k, k = ρ(1 − g)/(1 − ρ) + 1/2,
/// g = 1/u − 1/(e^u − 1), u = N·RTT/τ; solved with 30 digits.
#[test]
fn westwood_by_epochs_at_small_loss_rates() {
    for (law, p, rtt, base, window) in [
        ("westwood", "1e-7", "120ms", "90ms", 5_909.833_084_482_502),
        ("westwood", "1e-8", "120ms", "90ms", 18_702.037_977_858_904),
        ("westwood", "1e-9", "120ms", "90ms", 59_154.548_161_134_54),
        (
            "westwood:tau=0.05s",
            "1e-8",
            "200ms",
            "100ms",
            12_247.323_714_553_778,
        ),
    ] {
        let path = ["--rtt", rtt, "--base-rtt", base, "--road", "epoch"];
        let one = answers(&[&["response", law, "--loss", p], &path[..]].concat());
        near(&one[0]["window_pkt"], window, 1e-9);
        if p != "1e-7" {
            continue;
        }
        let asked = format!("{window}pkt");
        let back = answers(&[&["loss", law, "--window", &asked], &path[..]].concat());
        near(&back[0]["loss"], p.parse().unwrap(), 1e-8);
    }
    // What is too long to be followed says so, and which packets.
    let one = answers(&[
        "response",
        "westwood",
        "--loss",
        "1e-30",
        "--rtt",
        "120ms",
        "--base-rtt",
        "90ms",
        "--road",
        "epoch",
    ]);
    let why = words(&one[0]["reason"]);
    assert!(
        one[0]["window_pkt"].is_null()
            && why.contains("no epoch of 1e30 packets could be followed"),
        "{why}"
    );
}

/// Peaks beyond the backlog gamma cannot be followed; the epoch asked for lies below.
#[test]
fn compound_below_its_backlog_has_an_epoch() {
    let both = answers(&[
        "response",
        "compound:alpha=0.02716,k=0.8793,beta=0.2,gamma=12.31",
        "--loss",
        "1.002e-3",
        "--rtt",
        "100ms",
        "--base-rtt",
        "90ms",
    ]);
    assert!(
        both[1]["window_pkt"].is_number(),
        "{}",
        words(&both[1]["reason"])
    );
}

/// Of two loss rates with the same window the larger (30 digits, the formula without the receiver's limit).
#[test]
fn the_inverse_of_pftk_bears_the_larger_loss() {
    for (window, limit, window_pkt, p) in [
        ("2.7pkt", "6", 2.7, 0.102_540_390_774_821),
        ("28.4pkt", "40", 28.4, 0.001_802_949_449_516_808),
    ] {
        let law = format!("pftk:receive_window={limit},rto=0.2s");
        let one = answers(&[
            "loss", &law, "--window", window, "--rtt", "100ms", "--road", "closed",
        ]);
        near(&one[0]["loss"], p, 1e-11);
        let text = format!("{}", one[0]["loss"].as_f64().unwrap());
        let back = answers(&[
            "response", &law, "--loss", &text, "--rtt", "100ms", "--road", "closed",
        ]);
        near(&back[0]["window_pkt"], window_pkt, 1e-11);
    }
    // Where the limit rules, its branch.
    let law = "pftk:receive_window=40,rto=0.2s";
    let one = answers(&[
        "loss", law, "--window", "35pkt", "--rtt", "100ms", "--road", "closed",
    ]);
    let text = format!("{}", one[0]["loss"].as_f64().unwrap());
    let back = answers(&[
        "response", law, "--loss", &text, "--rtt", "100ms", "--road", "closed",
    ]);
    near(&back[0]["window_pkt"], 35.0, 1e-11);
    assert_eq!(words(&back[0]["regime"]), "receive window");
}

/// A law whose own windows begin below all that is searched.
#[test]
fn thresholds_below_every_window() {
    let one = answers(&[
        "response",
        "scalable:low_window=1e-50",
        "--loss",
        "1e-3",
        "--rtt",
        "100ms",
        "--road",
        "epoch",
    ]);
    near(
        &one[0]["window_pkt"],
        0.01 / (1e-3 * -(0.875f64.ln())),
        1e-10,
    );
    for law in ["bic:low_window=1e-50", "illinois:win_thresh=1e-50"] {
        let one = answers(&[
            "response", law, "--loss", "1e-3", "--rtt", "100ms", "--road", "epoch",
        ]);
        assert!(
            one[0]["window_pkt"].is_number(),
            "{law}: {}",
            words(&one[0]["reason"])
        );
    }
}

/// H-TCP is standard TCP while an epoch lasts less than a second: p = RTT²/(1 + β), which it leaves tangentially.
#[test]
fn h_tcp_leaves_standard_tcp_at_one_second() {
    for (rtt, seconds) in [("100ms", 0.1), ("200ms", 0.2f64)] {
        for one in answers(&["crossover", "htcp", "reno", "--rtt", rtt]) {
            let border = seconds * seconds / 1.5;
            near(&one["points"][0]["loss"], border, 1e-9);
            near(&one["intervals"][0]["from"], border, 1e-9);
        }
    }
}

#[test]
fn what_a_form_says_of_itself_where_curves_meet() {
    let roads = answers(&["crossover", "cubic", "reno", "--rtt", "20ms"]);
    let note = words(&roads[0]["note"]);
    assert!(
        note.contains("Reno-friendly") && note.contains("inside-epoch"),
        "{note}"
    );
}

#[test]
fn forms_between_their_ranges_say_so() {
    let law = "bic:smax=0.529271,smin=0.515639,beta=0.669074,low_window=0";
    let ask = |p: &str| {
        answers(&[
            "response", law, "--form", "printed", "--road", "closed", "--loss", p,
        ])
    };
    let between = ask("0.37115541");
    let reached = 0.669_074 * between[0]["peak_pkt"].as_f64().unwrap();
    assert!(reached < 2.0 * 0.529_271);
    assert!(words(&between[0]["note"]).contains("between the printed formulas"));
    assert!(!words(&ask("1e-4")[0]["note"]).contains("between"));
    let joined = |p: &str| {
        let asked = [
            "response", "scalable", "--form", "peak", "--road", "closed", "--loss", p,
        ];
        words(&answers(&asked)[0]["note"]).to_owned()
    };
    assert!(joined("0.005").contains("periodic losses, sqrt(3/(2p))"));
    assert!(!joined("1e-4").contains("periodic losses"));
}
