//! The verbs `unfairness` and `share`.

use serde_json::Value;
use std::process::{Command, Output};

fn cwnd(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cwnd"))
        .args(args)
        .output()
        .unwrap()
}

fn json(args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.extend(["--format", "json"]);
    let out = cwnd(&all);
    assert!(
        out.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    serde_json::from_slice(&out.stdout).unwrap()
}

#[track_caller]
fn near(got: &Value, expected: f64, relative: f64) {
    let got = got.as_f64().unwrap();
    assert!(
        (got / expected - 1.0).abs() <= relative,
        "{got} instead of {expected}"
    );
}

#[test]
fn unfairness_by_every_road() {
    let reply = json(&[
        "unfairness",
        "highspeed",
        "--rtt",
        "40ms",
        "--rtt",
        "120ms",
        "--link",
        "2.5Gbit/s",
        "--road",
        "all",
        "--sync",
        "all",
    ]);
    let answers = reply[0]["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 3);
    near(&answers[0]["exponent"], 1.0 / (1.0 - 0.835), 1e-12);
    near(&answers[1]["ratio"], 551.31, 2e-5);
    near(&answers[2]["ratio"], 551.31, 0.01);
    let rates = answers[1]["rates_bps"].as_array().unwrap();
    near(&rates[0], 551.31 * rates[1].as_f64().unwrap(), 2e-5);
    assert_eq!(answers[1]["windows_pkt"].as_array().unwrap().len(), 2);
}

#[test]
fn exponents_without_a_link() {
    for (law, exponent, independent) in [
        ("reno", Some(2.0), Some(1.0)),
        ("highspeed@draft2002", Some(1.0 / 0.18), Some(1.0)),
        ("cubic", Some(1.0), Some(0.25)),
        ("htcp", Some(2.0), None),
        ("scalable", None, Some(1.0)),
        ("bic", None, Some(1.0)),
    ] {
        let reply = json(&["unfairness", law, "--rtt", "40ms,240ms", "--road", "closed"]);
        let answer = &reply[0]["answers"][0];
        for (key, expected) in [
            ("exponent", exponent),
            ("independent_exponent", independent),
        ] {
            match expected {
                Some(x) => near(&answer[key], x, 1e-6),
                None => assert!(answer[key].is_null(), "{law} {key} {}", answer[key]),
            }
        }
        assert!(answer["reason"].is_string());
        match exponent {
            Some(x) => near(&answer["ratio"], 6f64.powf(x), 1e-4),
            None => assert!(answer["ratio"].is_null()),
        }
    }
    let reply = json(&[
        "unfairness",
        "bic",
        "--rtt",
        "40ms,240ms",
        "--window",
        "1000pkt",
    ]);
    assert!(reply[0]["answers"][0]["exponent"].as_f64().unwrap() > 4.0);
}

#[test]
fn starving_is_an_answer() {
    let reply = json(&[
        "unfairness",
        "scalable:low_window=0",
        "--rtt",
        "40ms,120ms",
        "--link",
        "1Gbit/s",
        "--road",
        "epoch",
    ]);
    let answer = &reply[0]["answers"][0];
    assert!(answer["ratio"].is_null());
    assert!(answer["reason"].as_str().unwrap().contains("starve"));
    let out = cwnd(&[
        "unfairness",
        "reno",
        "--rtt",
        "40ms,120ms",
        "--assert",
        "exponent within 1% of 2",
    ]);
    assert!(out.status.success());
    let out = cwnd(&[
        "unfairness",
        "reno",
        "--rtt",
        "40ms,120ms",
        "--assert",
        "ratio < 5",
    ]);
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn forms_in_whole_rounds_never_overfill_a_link() {
    // Their epochs last equally long over a range of windows, so that a time from loss to loss may belong to no window that
    // just fills the link: an equilibrium then, or the reason why there is none, but never more than the link carries.
    let mut reasons = 0;
    for form in ["fractional", "whole-rounds", "per-round"] {
        for flows in [
            &["bic,rtt=100ms,count=3"][..],
            &["bic,rtt=100ms", "bic,rtt=200ms"],
        ] {
            let mut args = vec!["share", "--link", "100Mbit/s", "--road", "closed"];
            args.extend(["--buffer", "1bdp", "--form", form]);
            for flow in flows {
                args.extend(["--flow", flow]);
            }
            let reply = json(&args);
            let answer = &reply[0]["answers"][0];
            if let Some(list) = answer["flows"].as_array() {
                let sum: f64 = list.iter().map(|f| f["rate_bps"].as_f64().unwrap()).sum();
                assert!(sum < 1e8 * (1.0 + 1e-9), "{form} {flows:?}: {sum}");
            } else {
                assert_ne!(form, "per-round");
                assert!(answer["reason"].as_str().unwrap().contains("whole rounds"));
                reasons += 1;
            }
        }
    }
    assert!(reasons > 0);
}

#[test]
fn shares_add_up_and_swap() {
    let one = json(&[
        "share",
        "--flow",
        "reno,rtt=40ms,count=2",
        "--flow",
        "bic:smax=64,rtt=80ms,beta=0.2",
        "--link",
        "500Mbit/s",
        "--buffer",
        "0.5bdp",
    ]);
    let other = json(&[
        "share",
        "--flow",
        "bic:beta=0.2,smax=64,rtt=80ms",
        "--flow",
        "reno,count=2,rtt=40ms",
        "--link",
        "500Mbit/s",
        "--buffer",
        "0.5bdp",
    ]);
    for k in 0..2 {
        let (a, b) = (&one[0]["answers"][k], &other[0]["answers"][k]);
        let flows = a["flows"].as_array().unwrap();
        assert_eq!(flows.len(), 3);
        let shares: f64 = flows.iter().map(|f| f["share"].as_f64().unwrap()).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        near(
            &a["flows"][2]["rate_bps"],
            b["flows"][0]["rate_bps"].as_f64().unwrap(),
            1e-8,
        );
        near(
            &a["flows"][0]["rate_bps"],
            b["flows"][2]["rate_bps"].as_f64().unwrap(),
            1e-8,
        );
        near(&a["jain"], b["jain"].as_f64().unwrap(), 1e-8);
    }
    assert!(one[0]["answers"][1]["standard_tcp_loses"].as_f64().unwrap() > 0.0);
}

/// A bufferless link and additive flows of one round trip: peaks add up to the pipe, and each is its increase over what a loss removes,
/// 1/0.5 and 1/0.3. Windows are straight between losses, so means go with peaks.
#[test]
fn what_standard_tcp_loses_by_hand() {
    // Beside n − 1 more of its kind and one other a flow goes from 1/(n + 1) of the pipe to 2/(2n + 10/3).
    for (count, share) in [(1.0, 0.25), (3.0, 1.0 / 7.0)] {
        let flow = format!("reno,rtt=100ms,count={count}");
        let reply = json(&[
            "share",
            "--flow",
            &flow,
            "--flow",
            "aimd:a=1,b=0.3,rtt=100ms",
            "--link",
            "120Mbit/s",
            "--buffer",
            "0B",
            "--road",
            "epoch",
        ]);
        near(&reply[0]["answers"][0]["standard_tcp_loses"], share, 1e-9);
    }
}

#[test]
fn a_queue_that_drops_early_stands_or_the_reason_says_why_not() {
    let ask = |flow: &str, queue: &str| {
        let reply = json(&[
            "share", "--flow", flow, "--link", "10Mbit/s", "--buffer", "40pkt", "--queue", queue,
            "--road", "closed",
        ]);
        reply[0]["answers"][0].clone()
    };
    for (flow, queue, reason) in [
        // Sixty flows want some 0.5 of drops; 1/600 of the slope is all that this buffer leads to.
        (
            "reno,rtt=40ms,count=60",
            "red:min=30pkt,max=90pkt,max_p=0.01",
            "runs full before it drops enough",
        ),
        // Half of all packets from 20 on, none before: too much for four flows, and then too little.
        (
            "reno,rtt=40ms,count=4",
            "easy-red:min=20pkt,p=0.5",
            "no standing queue",
        ),
    ] {
        let answer = ask(flow, queue);
        assert!(answer["flows"].is_null(), "{queue}");
        assert!(
            answer["reason"].as_str().unwrap().contains(reason),
            "{queue}: {}",
            answer["reason"]
        );
    }
    let stands = ask(
        "reno,rtt=40ms,count=4",
        "red:min=5pkt,max=25pkt,max_p=0.1,gentle=1",
    );
    near(&stands["utilisation"], 1.0, 1e-9);
}

#[test]
fn answers_say_where_they_come_from() {
    let reply = json(&[
        "share",
        "--flow",
        "cubic,rtt=100ms",
        "--flow",
        "reno,rtt=100ms",
        "--link",
        "1Gbit/s",
        "--buffer",
        "0.5bdp",
        "--road",
        "all",
    ]);
    let answers = reply[0]["answers"].as_array().unwrap();
    for (answer, (road, source)) in answers
        .iter()
        .filter(|answer| answer["road"] != "ack")
        .zip([("closed", "xu2004"), ("epoch", "verbs"), ("fluid", "fluid")])
    {
        assert_eq!(answer["road"], road);
        assert!(answer["source"].as_str().unwrap().contains(source));
        // Only formulas have regimes.
        assert_eq!(answer["regime"].is_string(), road == "closed");
        assert!(answer["reason"].is_string());
    }
    assert!(
        answers[0]["regime"].as_str().unwrap().contains(", "),
        "{}",
        answers[0]["regime"]
    );
    // A flow that has stopped before the measured time has no loss rate, and the reason says so.
    let reply = json(&[
        "share",
        "--flow",
        "reno,rtt=40ms",
        "--flow",
        "reno,rtt=80ms,stop=1s",
        "--link",
        "10Mbit/s",
        "--buffer",
        "200pkt",
        "--road",
        "fluid",
    ]);
    let answer = &reply[0]["answers"][0];
    assert!(answer["flows"][0]["loss"].is_f64() && answer["flows"][1]["loss"].is_null());
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("sent nothing in the measured time")
    );
}

/// Compound holds its window where its delay part would push it back and its loss part forth.
#[test]
fn a_window_held_at_a_switch_has_no_epoch() {
    let reply = json(&[
        "share",
        "--flow",
        "compound,rtt=100ms",
        "--flow",
        "reno,rtt=50ms",
        "--link",
        "100Mbit/s",
        "--buffer",
        "1bdp",
        "--road",
        "epoch",
    ]);
    let answer = &reply[0]["answers"][0];
    assert!(answer["flows"].is_null());
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("holds its window at a switch")
    );
}

#[test]
fn a_buffer_for_a_utilisation_gives_it() {
    for flow in [
        "reno,rtt=100ms,count=3",
        "cubic,rtt=100ms",
        "aimd:a=10,b=0.3,rtt=50ms,count=2",
    ] {
        let found = json(&[
            "share",
            "--flow",
            flow,
            "--link",
            "1Gbit/s",
            "--utilisation",
            "97%",
        ]);
        for (k, answer) in found[0]["answers"].as_array().unwrap().iter().enumerate() {
            near(&answer["utilisation"], 0.97, 1e-6);
            let buffer = format!("{}pkt", answer["buffer_pkt"].as_f64().unwrap());
            let back = json(&[
                "share", "--flow", flow, "--link", "1Gbit/s", "--buffer", &buffer,
            ]);
            near(&back[0]["answers"][k]["utilisation"], 0.97, 1e-6);
        }
    }
}

#[test]
fn convergence_and_red() {
    let reply = json(&[
        "share",
        "--flow",
        "reno,rtt=50ms,count=3",
        "--flow",
        "aimd:a=1,b=0.3,rtt=50ms",
        "--link",
        "100Mbit/s",
        "--buffer",
        "0B",
        "--road",
        "epoch",
    ]);
    let c = &reply[0]["answers"][0]["convergence"];
    // Roots of Σ α(1−β)/(λ−β) = Σα with kept 0.5 three times and 0.7.
    let (a, b) = (3.0 * 0.5, 0.3);
    let f = |l: f64| a / (l - 0.5) + b / (l - 0.7) - 4.0;
    let second = c["second_eigenvalue"].as_f64().unwrap();
    assert!(
        second > 0.5 && second < 0.7 && f(second).abs() < 1e-6,
        "{second}"
    );
    let red = json(&[
        "share",
        "--flow",
        "reno,rtt=40ms,count=10",
        "--flow",
        "reno,rtt=80ms,count=10",
        "--link",
        "100Mbit/s",
        "--buffer",
        "300pkt",
        "--queue",
        "red:min=30pkt,max=90pkt,max_p=0.1",
    ]);
    let flows = red[0]["answers"][0]["flows"].as_array().unwrap();
    let queue = red[0]["answers"][0]["queue_mean_pkt"].as_f64().unwrap() * 12e3 / 1e8;
    let ratio = flows[0]["rate_bps"].as_f64().unwrap() / flows[10]["rate_bps"].as_f64().unwrap();
    assert!((ratio / ((0.08 + queue) / (0.04 + queue)) - 1.0).abs() < 1e-9);
    assert!(red[0]["answers"][1]["flows"].is_null());
}

#[test]
fn nonsense_is_refused_in_a_sentence() {
    for (args, word) in [
        (
            vec!["unfairness", "reno", "--rtt", "40ms", "--rtt", "40ms"],
            "differ",
        ),
        (vec!["unfairness", "reno", "--rtt", "40ms"], "differ"),
        (
            vec![
                "unfairness",
                "reno",
                "--rtt",
                "40ms,80ms",
                "--link",
                "10kbit/s",
            ],
            "one packet per round trip",
        ),
        (
            vec![
                "unfairness",
                "mathis",
                "--rtt",
                "40ms,80ms",
                "--link",
                "1Gbit/s",
            ],
            "not a law",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms,count=1000",
                "--link",
                "1Mbit/s",
                "--buffer",
                "10pkt",
            ],
            "number of flows",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms",
                "--link",
                "100kbit/s",
                "--buffer",
                "0B",
            ],
            "one packet per round trip",
        ),
        (
            vec![
                "share", "--flow", "reno", "--link", "1Mbit/s", "--buffer", "10pkt",
            ],
            "no round trip",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms,count=0",
                "--link",
                "1Mbit/s",
                "--buffer",
                "10pkt",
            ],
            "count",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms,rtt=20ms",
                "--link",
                "1Mbit/s",
                "--buffer",
                "10pkt",
            ],
            "twice",
        ),
        (
            vec![
                "share",
                "--flow",
                "rino,rtt=10ms",
                "--link",
                "1Mbit/s",
                "--buffer",
                "10pkt",
            ],
            "reno",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms",
                "--link",
                "10Mbit/s",
                "--buffer",
                "10pkt",
                "--sync",
                "some",
            ],
            "sync",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms",
                "--link",
                "10Mbit/s",
                "--buffer",
                "10pkt",
                "--queue",
                "rad",
            ],
            "queue",
        ),
        (
            vec![
                "share",
                "--flow",
                "reno,rtt=10ms",
                "--link",
                "10Mbit/s",
                "--utilisation",
                "120%",
            ],
            "utilisation",
        ),
        (
            vec!["share", "--flow", "reno,rtt=10ms", "--link", "10Mbit/s"],
            "buffer",
        ),
    ] {
        let out = cwnd(&args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        assert!(out.stdout.is_empty());
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
}

#[test]
#[cfg(feature = "files")]
fn fair_allocations_of_a_scenario() {
    let file = std::env::temp_dir().join(format!("cwnd-fair-{}.toml", std::process::id()));
    std::fs::write(
        &file,
        r#"
[links.north]
capacity = "10Mbit/s"
[links.south]
capacity = "20Mbit/s"
[[flow]]
law = "reno"
rtt = "40ms"
path = ["north", "south"]
[[flow]]
law = "reno"
rtt = "40ms"
path = ["north"]
[[flow]]
law = "reno"
rtt = "40ms"
path = ["south"]
[run]
duration = "2s"
"#,
    )
    .unwrap();
    let path = file.to_str().unwrap();
    let reply = json(&["simulate", path, "--fair", "1,inf"]);
    let fair = reply[0]["answers"][0]["fair"].as_array().unwrap();
    // Proportional: ((c1 + c2) − √((c1 + c2)² − 3 c1 c2))/3 for the flow over both.
    for (rate, expected) in fair[0]["rates_bps"].as_array().unwrap().iter().zip([
        4.226_497_308,
        5.773_502_692,
        15.773_502_692,
    ]) {
        near(rate, 1e6 * expected, 1e-8);
    }
    for (rate, expected) in fair[1]["rates_bps"]
        .as_array()
        .unwrap()
        .iter()
        .zip([5e6, 5e6, 15e6])
    {
        near(rate, expected, 1e-12);
    }
    assert!(fair[1]["alpha"].is_null());
    // All flows send all the time; one that stops counts as if it did not, and the answer says so.
    let notes = |reply: &serde_json::Value| reply[0]["notes"].to_string();
    assert!(!notes(&reply).contains("all flows sending at once"));
    let text = std::fs::read_to_string(&file).unwrap();
    let stops = file.with_extension("stops.toml");
    std::fs::write(&stops, text.replacen("[run]", "stop = \"1s\"\n[run]", 1)).unwrap();
    let stopped = json(&["simulate", stops.to_str().unwrap(), "--fair", "1,inf"]);
    std::fs::remove_file(&stops).unwrap();
    assert_eq!(
        stopped[0]["answers"][0]["fair"],
        reply[0]["answers"][0]["fair"]
    );
    assert!(notes(&stopped).contains("all flows sending at once"));
    let out = cwnd(&["simulate", path, "--fair", "0"]);
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(said.contains("alpha"), "{said}");
    // What does not answer comes first, and here leaves nothing of the north.
    let text = std::fs::read_to_string(&file).unwrap();
    let full = text.replacen(
        "[run]",
        "[[flow]]\nlaw = \"constant-rate:rate=10Mbit/s\"\nrtt = \"40ms\"\npath = [\"north\"]\n[run]",
        1,
    );
    std::fs::write(&file, full).unwrap();
    let out = cwnd(&["simulate", path, "--fair", "1"]);
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(said.contains("nothing is left to share fairly"), "{said}");
    std::fs::remove_file(&file).unwrap();
}

/// What a flow does in time belongs to the question; the roads without time say that they leave it out, and a run says which
/// flows it did not see to the end.
#[test]
fn flows_that_come_and_go() {
    let ask = |flow: &str, rest: &[&str]| {
        let mut all = vec!["share", "--flow", flow, "--flow", "reno,rtt=40ms"];
        all.extend(["--link", "10Mbit/s", "--buffer", "20pkt"]);
        all.extend(rest);
        json(&all)[0].clone()
    };
    let (endless, timed) = (
        ask("reno,rtt=40ms", &[]),
        ask("reno,rtt=40ms,stop=50s,size=1.46MB", &[]),
    );
    assert!(endless["query"]["flows"][0]["stop_s"].is_null());
    assert!(endless["query"]["flows"][0]["size_pkt"].is_null());
    assert_eq!(timed["query"]["flows"][0]["stop_s"], 50.0);
    assert_eq!(timed["query"]["flows"][0]["size_pkt"], 1000.0);
    for at in 0..2 {
        let said = |reply: &Value| {
            let note = reply["answers"][at]["note"].as_str();
            note.is_some_and(|note| note.contains("on the road `fluid` only"))
        };
        assert!(said(&timed) && !said(&endless), "answer {at}");
    }
    let run = |flow: &str| {
        let run = [
            "--road",
            "fluid",
            "--duration",
            "30s",
            "--measure-from",
            "10s",
        ];
        ask(flow, &run)["notes"].to_string()
    };
    let early = run("reno,rtt=40ms,size=100kB");
    assert!(
        early.contains("flow 1 ended at") && early.contains("before measuring began"),
        "{early}"
    );
    let late = run("reno,rtt=40ms,stop=20s");
    assert!(
        late.contains("flow 1 ended at 20 s, while it was measured"),
        "{late}"
    );
    assert!(!run("reno,rtt=40ms").contains("ended"));
    let wrong = cwnd(&[
        "share",
        "--flow",
        "reno,rtt=40ms,cuont=2",
        "--link",
        "10Mbit/s",
        "--buffer",
        "20pkt",
    ]);
    let error = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        error.contains("`cuont`") && error.contains("count") && error.contains("ack_every"),
        "{error}"
    );
    let wrong = cwnd(&[
        "share",
        "--flow",
        "reno,rtt=40ms,start=60s,stop=50s",
        "--link",
        "10Mbit/s",
        "--buffer",
        "0B",
    ]);
    let error = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        error.contains("`50s`") && !error.contains("rtt=40ms"),
        "{error}"
    );
}

/// Where retransmission timeouts would rule every road of shares says so.
#[test]
fn shares_at_high_loss_say_that_timeouts_are_left_out() {
    let noted = |count: &str| {
        let flow = format!("reno,rtt=40ms,count={count}");
        let reply = json(&[
            "share", "--flow", &flow, "--link", "12Mbit/s", "--buffer", "0B",
        ]);
        let loss = reply[0]["answers"][1]["flows"][0]["loss"].as_f64().unwrap();
        (
            loss,
            reply[0]["notes"].to_string().contains("timeouts rule"),
        )
    };
    let (loss, said) = noted("8");
    assert!(loss > 0.01 && said, "{loss}");
    let (loss, said) = noted("1");
    assert!(loss < 0.01 && !said, "{loss}");
}

/// Without peak windows every mean queue fills the link. At a full buffer of one mean pipe the round trips are 120 and 200 ms:
/// the ratio is (5/3)^(1/(1 - 0.835)) on `HighSpeed`'s line and 5/3 under equal losses; with an empty queue 3.
#[test]
fn a_queue_that_no_form_determines_is_pinned_and_said() {
    let ask = |law: &str, link: &str, more: &[&str]| {
        let first = [
            "unfairness",
            law,
            "--rtt",
            "40ms",
            "--rtt",
            "120ms",
            "--road",
            "closed",
            "--link",
            link,
            "--buffer",
            "1bdp",
        ];
        json(&[&first, more].concat())[0]["answers"][0].clone()
    };
    for link in [
        "500Mbit/s",
        "600Mbit/s",
        "622Mbit/s",
        "700Mbit/s",
        "1Gbit/s",
        "2.5Gbit/s",
    ] {
        let answer = ask("highspeed", link, &[]);
        near(&answer["ratio"], (5.0f64 / 3.0).powf(1.0 / 0.165), 1e-6);
        assert!(
            answer["note"]
                .as_str()
                .unwrap()
                .contains("with an empty queue the ratio")
        );
        let mix = json(&[
            "share",
            "--flow",
            "highspeed,rtt=40ms",
            "--flow",
            "highspeed,rtt=120ms",
            "--link",
            link,
            "--buffer",
            "1bdp",
            "--road",
            "closed",
            "--form",
            "printed",
        ]);
        let answer = &mix[0]["answers"][0];
        assert!(answer["queue_mean_pkt"].is_null());
        assert!(
            answer["reason"]
                .as_str()
                .unwrap()
                .contains("mean queue open")
        );
        let flows = &answer["flows"];
        near(
            &flows[0]["rate_bps"],
            22.1074 * flows[1]["rate_bps"].as_f64().unwrap(),
            1e-5,
        );
    }
    for link in ["10Mbit/s", "100Mbit/s", "1Gbit/s", "2.5Gbit/s", "10Gbit/s"] {
        let answer = ask("reno", link, &["--loss-model", "random"]);
        near(&answer["ratio"], 5.0 / 3.0, 1e-9);
        assert!(
            answer["note"]
                .as_str()
                .unwrap()
                .contains("empty queue the ratio would be 3")
        );
    }
}

/// Equal loss rates give standard TCP equal windows: rates go as the inverse of the round trip.
#[test]
fn random_losses_hit_each_flow_for_itself() {
    for kind in [["--loss-model", "random"], ["--form", "mean-field"]] {
        let mut asked = vec![
            "share",
            "--flow",
            "reno,rtt=40ms",
            "--flow",
            "reno,rtt=120ms",
            "--link",
            "100Mbit/s",
            "--buffer",
            "0B",
        ];
        asked.extend(kind);
        let reply = json(&asked);
        let answer = &reply[0]["answers"][0];
        near(&answer["flows"][0]["share"], 0.75, 1e-9);
        near(&answer["flows"][1]["share"], 0.25, 1e-9);
        assert_eq!(answer["losses"], "the same loss rate for all");
        assert!(answer["seconds_between_losses"].is_null());
        let epoch = &reply[0]["answers"][1];
        let random = kind[1] == "random";
        assert_eq!(epoch["flows"].is_null(), random);
        assert_eq!(
            epoch["reason"]
                .as_str()
                .unwrap()
                .contains("periodic losses"),
            random
        );
        asked.retain(|word| !["--buffer", "0B"].contains(word));
        asked.extend(["--utilisation", "98%", "--road", "closed"]);
        let sized = json(&asked);
        assert!(sized[0]["answers"][0]["buffer_pkt"].is_null());
    }
}

/// n equal flows have C/n each; rate and window agree over the round trip, queue included.
#[test]
fn rate_and_window_agree_without_peaks() {
    for (law, form) in [
        ("reno", "random"),
        ("reno", "mean-field"),
        ("aimd", "random"),
        ("cubic", "random"),
        ("cubic", "mean-field"),
    ] {
        for (buffer, rtt) in [("0B", 0.04), ("1bdp", 0.08)] {
            let reply = json(&[
                "share",
                "--flow",
                &format!("{law},rtt=40ms,count=3"),
                "--link",
                "1Gbit/s",
                "--buffer",
                buffer,
                "--form",
                form,
                "--road",
                "closed",
            ]);
            let flow = &reply[0]["answers"][0]["flows"][0];
            near(&flow["rate_bps"], 1e9 / 3.0, 1e-9);
            near(&flow["window_pkt"], 1e9 / 3.0 * rtt / 12_000.0, 1e-9);
        }
    }
}

/// A link that is never idle: what a loss leaves fills the pipe, so the buffer is pipe (1/kept - 1).
#[test]
fn a_buffer_for_the_whole_link() {
    let pipe = 4e7 * 0.1 / 12_000.0;
    for (flow, kept) in [
        ("reno,rtt=100ms", 0.5),
        ("reno,rtt=100ms,count=4", 0.5),
        ("cubic,rtt=100ms", 0.7),
    ] {
        let reply = json(&[
            "share",
            "--flow",
            flow,
            "--link",
            "40Mbit/s",
            "--utilisation",
            "100%",
        ]);
        for answer in reply[0]["answers"].as_array().unwrap() {
            near(&answer["buffer_pkt"], pipe * (1.0 / kept - 1.0), 1e-7);
        }
    }
}

#[test]
fn who_loses_is_said_on_every_road() {
    let flows = [
        "share",
        "--flow",
        "reno,rtt=20ms",
        "--flow",
        "reno,rtt=40ms",
        "--link",
        "10Mbit/s",
        "--buffer",
        "1bdp",
    ];
    let reply = json(
        &[
            &flows[..],
            &["--road", "all", "--sync", "one", "--duration", "20s"],
        ]
        .concat(),
    );
    let fluid = &reply[0]["answers"][2];
    assert_eq!(
        fluid["losses"],
        "an overflow hits the flow with the highest rate"
    );
    let notes = reply[0]["notes"].to_string();
    assert!(
        notes.contains("`--sync one` counts on the road `fluid` only"),
        "{notes}"
    );
    let reply = json(&[&flows[..], &["--road", "closed"]].concat());
    assert!(!reply[0]["notes"].to_string().contains("--sync"));
    let reply = json(&[
        "unfairness",
        "reno",
        "--rtt",
        "20ms",
        "--rtt",
        "40ms",
        "--link",
        "10Mbit/s",
        "--road",
        "fluid",
        "--duration",
        "20s",
    ]);
    assert_eq!(reply[0]["answers"][0]["losses"], "natural");
}

#[test]
fn a_fixed_point_has_no_distribution() {
    let reply = json(&[
        "share",
        "--flow",
        "reno,rtt=50ms,count=10",
        "--link",
        "100Mbit/s",
        "--buffer",
        "200pkt",
        "--queue",
        "red:min=30pkt,max=90pkt,max_p=0.1,weight=0.002",
        "--road",
        "closed",
    ]);
    let answer = &reply[0]["answers"][0];
    assert!(answer["queue_mean_pkt"].is_number() && answer["queue_p95_pkt"].is_null());
    assert!(answer["note"].as_str().unwrap().contains("`stability red`"));
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("no distribution")
    );
}
