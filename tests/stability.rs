//! The verb `stability` as a user sees it, and the room of control loops behind it.
#![cfg(feature = "cli")]

use assert_cmd::Command;
use cwnd::numeric::Complex;
use cwnd::numeric::characteristic::rightmost;
use cwnd::systems::{Chosen, Group, SYSTEMS};
use cwnd::what_if::stability::{Patience, Sweep, Way, stability};
use serde_json::Value;

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .arg("stability")
        .args(arguments)
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn json(arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let (code, out, err) = run(&all);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn json_has_the_keys_of_the_contract_in_every_answer() {
    let all = json(&["xcp", "fast", "scalar", "pi2"]);
    assert_eq!(all.as_array().unwrap().len(), 4);
    for envelope in all.as_array().unwrap() {
        assert_eq!(envelope["query"]["verb"], "stability");
        let answers = envelope["answers"].as_array().unwrap();
        let roads: Vec<&str> = answers
            .iter()
            .map(|a| a["road"].as_str().unwrap())
            .collect();
        assert_eq!(roads, ["margin", "root", "fluid"]);
        for answer in answers {
            for key in [
                "stable",
                "phase_margin_deg",
                "gain_margin",
                "delay_margin_rtts",
                "crossover_rad_s",
                "dominant_root",
                "bound",
                "equilibrium",
                "reason",
            ] {
                assert!(answer.get(key).is_some(), "{key} is missing");
            }
            assert_eq!(answer["stable"], true);
        }
        assert!(answers[0]["phase_margin_deg"].as_f64().unwrap() > 0.0);
        assert!(answers[1]["dominant_root"]["re"].as_f64().unwrap() < 0.0);
    }
}

#[test]
fn unstable_margins_are_negative() {
    let all = json(&["xcp:beta=0.35", "--road", "margin"]);
    let answer = &all[0]["answers"][0];
    assert_eq!(answer["stable"], false);
    assert!((answer["phase_margin_deg"].as_f64().unwrap() + 0.83).abs() < 5e-3);
    assert!(answer["gain_margin"].as_f64().unwrap() < 1.0);
    assert!(answer["delay_margin_rtts"].as_f64().unwrap() < 0.0);
    assert_eq!(answer["unstable_roots"], 2);
}

#[test]
fn no_crossover_is_null_with_a_reason() {
    let all = json(&["scalar:a=2,b=1", "--road", "margin"]);
    let answer = &all[0]["answers"][0];
    assert_eq!(answer["stable"], true);
    for key in ["phase_margin_deg", "delay_margin_rtts", "crossover_rad_s"] {
        assert!(answer[key].is_null(), "{key}");
    }
    assert!(answer["reason"].as_str().unwrap().contains("no crossover"));
    // Of the other end too: nothing is stable there.
    let all = json(&["scalar:a=-1,b=0.5"]);
    for answer in all[0]["answers"].as_array().unwrap() {
        assert_eq!(answer["stable"], false, "{answer}");
    }
    let text = run(&["scalar:a=2,b=1"]).1;
    assert!(text.contains("stable at every delay"), "{text}");
}

/// A loop whose gain never reaches 1 has no phase margin and no delay margin, and says so.
#[test]
fn a_gain_below_one_leaves_margins_out() {
    for spec in [
        "small-buffer:buffer=1",
        "fast:alpha=1e8",
        "vegas:alpha=1e6,beta=1e6",
    ] {
        let all = json(&[spec, "--road", "margin"]);
        let answer = &all[0]["answers"][0];
        assert_eq!(answer["stable"], true, "{spec}");
        for key in ["phase_margin_deg", "delay_margin_rtts", "crossover_rad_s"] {
            assert!(answer[key].is_null(), "{spec} {key}");
        }
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains("no crossover"), "{spec}: {reason}");
    }
}

/// A queue that cannot be negative: the verdict does not turn on where in a cycle a run is looked at.
#[test]
fn a_large_beta_is_stable_where_the_queue_cannot_be_negative() {
    for beta in ["0.226", "0.35", "0.5", "1", "3", "10", "300", "2500"] {
        let spec = format!("xcp:alpha=0.4,beta={beta}");
        let all = json(&[&spec, "--form", "projected", "--road", "fluid"]);
        assert_eq!(all[0]["answers"][0]["stable"], true, "{spec}");
    }
}

#[test]
fn zero_delay_and_zero_gain_are_answered() {
    for spec in [
        "scalar:tau=0s",
        "scalar:a=1,b=0",
        "scalar:a=1,b=0,tau=0s",
        "scalar:a=0,b=2,tau=0s",
    ] {
        let all = json(&[spec]);
        for answer in all[0]["answers"].as_array().unwrap() {
            assert!(
                answer["stable"] == true || answer["reason"].is_string(),
                "{spec} {answer}"
            );
            assert_ne!(answer["stable"], false, "{spec} {answer}");
        }
    }
    // x' = 0 neither grows nor decays.
    let all = json(&["scalar:a=0,b=0"]);
    for answer in all[0]["answers"].as_array().unwrap() {
        assert_ne!(answer["stable"], true, "{answer}");
    }
}

/// A gain within its bounds that turns the loop a hundred million times before it is small: no minutes, no gigabytes.
#[test]
fn a_gain_too_large_to_follow_is_said() {
    for spec in [
        "scalar:b=1e6",
        "xcp:alpha=1e5",
        "small-buffer:buffer=999999,window=1.5",
    ] {
        let begun = std::time::Instant::now();
        let answer = &json(&[spec, "--road", "margin"])[0]["answers"][0];
        assert!(answer["stable"].is_null(), "{spec}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains("at most 1e5 turns"), "{reason}");
        assert!(begun.elapsed().as_secs() < 10, "{spec}");
    }
    // A sweep that gets there gives no boundaries, and the reason.
    let arguments = ["scalar", "--road", "margin", "--sweep", "b=1e5..1e6"];
    let answer = &json(&arguments)[0]["answers"][0];
    assert!(answer["boundaries"].is_null());
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("at most 1e5 turns")
    );
}

#[test]
fn bad_input_is_one_sentence_and_code_2() {
    for (arguments, words) in [
        (vec!["xpc"], "did you mean `xcp`?"),
        (vec!["xcp:alpha=0"], "more than 0"),
        (vec!["xcp:alpha=-1"], "out of range"),
        (vec!["xcp:gamma=1"], "less than 1"),
        (vec!["xcp:rtt=0s"], "out of range"),
        (vec!["xcp:rtt=1"], "time"),
        (vec!["xcp:bata=1"], "did you mean `beta`?"),
        (vec!["red:flows=0"], "1 to"),
        (vec!["red:flows=5000"], "too many"),
        (vec!["red:capacity=10Mbit/s"], "packets per second"),
        (vec!["red", "--form", "hollott"], "did you mean `hollot`?"),
        (
            vec!["pi2:p=0.6", "--form", "scalable"],
            "no marking probability",
        ),
        (vec!["vegas@linux"], "nothing corrects the window"),
        (vec!["vegas:alpha=3,beta=2"], "alpha = 3 or more"),
        (
            vec!["xcp", "--flow", "rtt=10ms"],
            "flows that differ are for fast, vegas",
        ),
        (vec!["fast", "--flow", "alpha=10"], "round trip"),
        (vec!["fast", "--flow", "rtt=10ms,count=0"], "count"),
        (vec!["fast", "--flow", "rtt=10ms,count=1.5"], "whole number"),
        (vec!["xcp", "--road", "margins"], "did you mean `margin`?"),
        (vec!["xcp", "--sweep", "beta"], "PARAMETER=A..B"),
        (vec!["xcp", "--sweep", "beta=0..1"], "more than 0"),
        (
            vec!["xcp", "--sweep", "bata=0.1..1"],
            "did you mean `beta`?",
        ),
        (vec!["xcp", "--round-trips", "1"], "20 to"),
        (vec!["small-buffer:window=1"], "more than 1.414"),
        (vec!["fast:rtt=0s"], "out of range"),
        (vec!["vegas:rtt=0s"], "out of range"),
        (vec!["red:rtt=0s"], "out of range"),
        (vec!["pi:rtt=0s"], "out of range"),
        (vec!["pie:rtt=0s"], "out of range"),
        (vec!["pi2:rtt=0s"], "out of range"),
        (vec!["small-buffer:rtt=0s"], "out of range"),
        // Squares of it would leave the range of a double.
        (vec!["xcp:rtt=1e-300s"], "allowed is 0.000000001 to"),
        (vec!["scalar:tau=-1s"], "-1"),
        (vec!["fast:flows=0"], "1 to"),
        (vec!["vegas:flows=0"], "1 to"),
        (vec!["pi:flows=0"], "1 to"),
        (vec!["xcp:alpha=1e7"], "less than 1000000"),
        (vec!["xcp:beta=0"], "more than 0"),
        (vec!["xcp:gamma=0"], "more than 0"),
        (vec!["xcp:alpha=nan"], "not a number"),
        (vec!["fast:alpha=0"], "more than 0"),
        (vec!["fast:gamma=-1"], "more than 0"),
        (vec!["fast:capacity=0pkt/s"], "more than 0"),
        (vec!["pi:k=0"], "more than 0"),
        (vec!["pie:loss=0"], "more than 0"),
        (vec!["pie:loss=1"], "less than 1"),
        (vec!["pie:update=0s"], "more than 0"),
        (vec!["pi2:p=1"], "less than 1"),
        (vec!["red:slope=0"], "more than 0"),
        (vec!["small-buffer:buffer=0"], "more than 0"),
    ] {
        let (code, out, err) = run(&arguments);
        assert_eq!(code, 2, "{arguments:?} {out}");
        assert!(out.is_empty() && err.contains(words), "{arguments:?} {err}");
        assert_eq!(err.trim_end().lines().count(), 1, "{err}");
    }
}

#[test]
fn assertions_hold_for_the_roads_asked_for() {
    let wanted = "phase_margin_deg > 10 and bound.exact.holds == true";
    assert_eq!(run(&["xcp", "--road", "margin", "--assert", wanted]).0, 0);
    assert_eq!(run(&["xcp", "--assert", "stable == true"]).0, 0);
    let (code, _, err) = run(&["xcp:beta=0.3", "--road", "margin", "--assert", wanted]);
    assert_eq!(code, 1);
    assert!(
        err.contains("xcp") && err.contains("phase_margin_deg is 3.99"),
        "{err}"
    );
}

#[test]
fn sweeps_agree_by_three_roads() {
    let all = json(&["xcp", "--sweep", "beta=0.3..0.4"]);
    for answer in all[0]["answers"].as_array().unwrap() {
        let edge = &answer["boundaries"][0];
        assert!(
            (edge["value"].as_f64().unwrap() - 0.340_926_353).abs() < 1e-6,
            "{answer}"
        );
        assert_eq!(edge["stable_below"], true);
    }
    let all = json(&["xcp", "--sweep", "beta=0.1..0.2", "--road", "root"]);
    assert_eq!(
        all[0]["answers"][0]["boundaries"].as_array().unwrap().len(),
        0
    );
    assert!(
        all[0]["answers"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("no boundary")
    );
}

#[test]
fn csv_has_one_row_for_each_road() {
    let (code, out, _) = run(&["fast", "--form", "all", "--format", "csv"]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), 1 + 9);
}

#[cfg(feature = "plot")]
#[test]
fn pictures_of_every_loop() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for system in SYSTEMS {
        let (n, b, r) = (path("n.svg"), path("b.svg"), path("r.svg"));
        let arguments = [
            system.name(),
            "--road",
            "margin",
            "--nyquist",
            &n,
            "--bode",
            &b,
            "--region",
            &r,
        ];
        let (code, _, err) = run(&arguments);
        assert_eq!(code, 0, "{}: {err}", system.name());
        for file in [n, b, r] {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with("<svg") && !text.contains("NaN"), "{file}");
        }
    }
    let (code, _, err) = run(&["xcp", "fast", "--bode", &path("x.svg")]);
    assert!(code == 2 && err.contains("one loop"), "{err}");
    let (code, _, err) = run(&["xcp", "--bode", &path("x.gif")]);
    assert!(code == 2 && err.contains(".svg or .png"), "{err}");
    let (code, _, err) = run(&["xcp", "--form", "projected", "--bode", &path("x.svg")]);
    assert!(code == 2 && err.contains("no open loop"), "{err}");
}

/// The open loop and the delay system are written apart: 1 + L vanishes at every root but those of equal flows' differences.
#[test]
fn open_loop_and_delay_system_are_one_loop() {
    for (spec, form) in [
        ("xcp", "linear"),
        ("fast:gamma=1.2", "integrator"),
        ("vegas", "static"),
        ("red:weight=0.002", "mgt"),
        ("red", "hollot"),
        ("red@low2002", "low"),
        ("pi", "mgt"),
        ("pie", "low"),
        ("pi2", "reno-mgt"),
        ("pi2", "scalable"),
        ("small-buffer", "linear"),
        ("scalar:a=-0.5,b=0.8", "linear"),
    ] {
        let looped = Chosen::parse(spec, Some(form), &[])
            .unwrap()
            .build()
            .unwrap();
        for root in rightmost(&looped.delay_system().unwrap(), 3).unwrap() {
            let s = root.value;
            let near = (looped.transfer(s * Complex::new(1.0 + 1e-4, 1e-4)) + 1.0).norm();
            let at = (looped.transfer(s) + 1.0).norm();
            assert!(
                at < 1e-4 * near || root.nearly_double,
                "{spec} {form} {s}: {at} {near}"
            );
        }
    }
}

#[test]
fn flows_that_differ_as_a_loop_and_as_a_map() {
    let groups: Vec<Group> = [(0.05, 100.0, 1.0), (0.1, 100.0, 1.0), (0.2, 200.0, 1.0)]
        .into_iter()
        .map(|(base_rtt, alpha, count)| Group {
            base_rtt,
            alpha: Some(alpha),
            count,
        })
        .collect();
    for form in ["static", "integrator"] {
        let looped = Chosen::parse("fast", Some(form), &groups)
            .unwrap()
            .build()
            .unwrap();
        for root in rightmost(&looped.delay_system().unwrap(), 3).unwrap() {
            let s = root.value;
            let near = (looped.transfer(s * Complex::new(1.0 + 1e-4, 1e-4)) + 1.0).norm();
            assert!(
                (looped.transfer(s) + 1.0).norm() < 1e-4 * near,
                "{form} {s}"
            );
        }
        let chosen = Chosen::parse("fast", Some(form), &groups).unwrap();
        let reply = stability(&chosen, &Way::ALL, None, &Patience::default()).unwrap();
        for answer in &reply.answers {
            assert_eq!(answer.stable, Some(true), "{form}, {answer:?}");
        }
    }
    // Two equal flows as a group, or one by one: the same roots and eigenvalues.
    let pair = [Group {
        base_rtt: 0.1,
        alpha: Some(100.0),
        count: 2.0,
    }];
    let apart = [Group {
        count: 1.0,
        ..pair[0]
    }; 2];
    let eigenvalues = |groups: &[Group]| {
        Chosen::parse("fast", Some("discrete"), groups)
            .unwrap()
            .build()
            .unwrap()
            .map()
            .unwrap()
    };
    for (x, y) in eigenvalues(&pair).iter().zip(eigenvalues(&apart)) {
        assert!((x - y).abs() < 1e-14);
    }
    let roots = |groups: &[Group]| {
        let system = Chosen::parse("fast", Some("static"), groups)
            .unwrap()
            .build()
            .unwrap()
            .delay_system()
            .unwrap();
        rightmost(&system, 2).unwrap()
    };
    for (x, y) in roots(&pair).iter().zip(roots(&apart)) {
        assert!((x.value - y.value).norm() < 1e-9, "{x:?} {y:?}");
    }
}

/// The exact bound in closed form is where the root reaches the axis, for every loop that has one.
#[test]
fn closed_bounds_are_where_the_root_crosses() {
    for (spec, form) in [
        ("xcp", "linear"),
        ("xcp:alpha=1.3", "linear"),
        ("fast:alpha=250", "static"),
        ("fast:alpha=250", "integrator"),
        ("fast:alpha=1", "integrator"),
        ("vegas", "static"),
        ("vegas", "integrator"),
        ("small-buffer:buffer=7", "linear"),
        ("scalar:a=0.3,b=1.1", "linear"),
        ("red", "mgt"),
        ("pi", "low"),
    ] {
        let chosen = Chosen::parse(spec, Some(form), &[]).unwrap();
        let reply = stability(&chosen, &[Way::Margin], None, &Patience::default()).unwrap();
        let exact = reply.answers[0].bound.exact.clone().unwrap();
        let limit = exact.limit.unwrap();
        let sweep = Sweep {
            parameter: exact.parameter.to_owned(),
            from: 0.9 * limit,
            to: 1.1 * limit,
        };
        let reply = stability(&chosen, &[Way::Root], Some(&sweep), &Patience::default()).unwrap();
        let edges = reply.answers[0].boundaries.clone().unwrap();
        assert_eq!(edges.len(), 1, "{spec} {form}");
        assert!(
            (edges[0].value / limit - 1.0).abs() < 1e-9,
            "{spec} {form}: {} {limit}",
            edges[0].value
        );
    }
}

/// One plant in two rooms: the queue's answer to the drop probability in Low's model, as gain and lag and as a transfer function.
#[test]
fn the_plant_of_a_halving_law_is_that_of_the_loop() {
    let (capacity, flows, rtt) = (3750.0, 60.0, 0.246);
    // Neither average nor slope: the open loop is the plant.
    let text = format!("red:capacity={capacity}pkt/s,flows={flows},rtt={rtt}s,weight=1,slope=1");
    let chosen = Chosen::parse(&text, Some("low"), &[]).unwrap();
    let looped = chosen.build().unwrap();
    let window = capacity * rtt / flows;
    let plant = cwnd::analysis::threshold_drop::HalvingPlant {
        flows,
        rtt,
        window,
        loss: 2.0 / (2.0 + window * window),
    };
    for omega in [1e-3, 0.1, 0.7, 3.0, 20.0] {
        let there = looped.transfer(Complex::new(0.0, omega));
        let (gain, lag) = (plant.gain(omega), plant.lag(omega));
        let here = Complex::from_polar(gain, -lag);
        assert!(
            (here - there).norm() < 1e-12 * gain,
            "{here} is not {there}"
        );
    }
}
