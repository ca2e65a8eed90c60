//! Scenario files and the verb that runs them, as a user sees them.
#![cfg(all(feature = "cli", feature = "files"))]
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::Command;
use cwnd::algorithms::Selected;
use cwnd::files::{EXAMPLES, read_scenario};
use cwnd::model::Price;
use serde_json::Value;
use std::path::Path;

fn cwnd() -> Command {
    Command::cargo_bin("cwnd").unwrap()
}

fn output(args: &[&str], input: &str) -> (i32, String, String) {
    let done = cwnd().args(args).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

fn json(text: &str) -> Value {
    let (code, out, error) = output(&["simulate", "-", "--format", "json"], text);
    assert_eq!(code, 0, "{error}");
    serde_json::from_str::<Value>(&out).unwrap()[0].take()
}

const SMALL: &str = r#"
[link]
capacity = "10Mbit/s"
buffer = "0.5bdp"
[[flow]]
law = "reno"
count = 3
rtt = "20ms..60ms"
[run]
duration = "20s"
measure_from = "5s"
"#;

#[test]
fn every_example_is_printed_read_and_run() {
    for example in EXAMPLES {
        let (code, text, _) = output(&["simulate", "--example", example.name], "");
        assert_eq!((code, text.as_str()), (0, example.text));
        let (code, summary, errors) = output(&["simulate", "-"], &text);
        assert_eq!(code, 0, "{}: {errors}", example.name);
        assert!(summary.contains("Jain's index"));
    }
    let (code, out, error) = output(&["simulate", "--example", "two-flow"], "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("two-flows"), "{error}");
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let (code, text, _) = output(&["simulate", "-", "--format", "json"], SMALL);
    assert_eq!(code, 0);
    let all: Value = serde_json::from_str(&text).unwrap();
    let (query, answer) = (&all[0]["query"], &all[0]["answers"][0]);
    assert_eq!(all[0]["schema"], 1);
    assert_eq!(query["verb"], "simulate");
    assert_eq!(query["seed"], 1);
    assert_eq!(answer["road"], "fluid");
    for key in [
        "jain",
        "utilisation",
        "queue_mean_pkt",
        "queue_p95_pkt",
        "drop_fraction",
    ] {
        assert!(answer[key].is_f64(), "{key}");
    }
    let flows = answer["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 3);
    for (flow, rtt) in flows.iter().zip([0.02, 0.04, 0.06]) {
        assert_eq!(flow["law"], "reno");
        assert!((flow["rtt_s"].as_f64().unwrap() - rtt).abs() < 1e-12);
        assert!(flow["rate_bps"].as_f64().unwrap() > 1e5);
        assert!(flow["window_pkt"].as_f64().unwrap() > 1.0);
        assert!(flow["loss_events"].is_u64());
    }
    assert_eq!(answer["jain_slices"].as_array().unwrap().len(), 10);
    let (code, text, _) = output(&["simulate", "-", "--format", "csv"], SMALL);
    assert_eq!(code, 0);
    assert_eq!(text.lines().count(), 2);
}

/// Two constant rates: 2 Mbit/s until 18 s, and 4 Mbit/s from 5 s to 12 s.
const TURNS: &str = r#"
[link]
capacity = "10Mbit/s"
buffer = "10pkt"
[[flow]]
law = "constant-rate:rate=2Mbit/s"
rtt = "20ms"
stop = "18s"
[[flow]]
law = "constant-rate:rate=4Mbit/s"
rtt = "20ms"
start = "5s"
stop = "12s"
[run]
duration = "20s"
measure_from = "0s"
"#;

#[test]
fn traffic_without_a_law_has_the_keys_of_a_law() {
    let query = &json(TURNS)["query"]["senders"][0];
    let keys: Vec<&String> = query.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["law", "preset", "parameters", "count"]);
    assert!(query["law"].is_null() && query["preset"].is_null());
    assert!(query["parameters"].is_null());
    let query = &json(SMALL)["query"]["senders"][0];
    assert_eq!(query["law"], "reno");
    assert!(query["preset"].is_string() && query["parameters"].is_object());
}

#[test]
fn the_index_over_time_is_that_of_each_part() {
    // In parts of 2 s: one alone, 1/2; from 4 s on 2 and 2 (4 for half of the time), 1; 2 and 4, 36/(2 · 20); alone again; nobody.
    let answer = &json(TURNS)["answers"][0];
    let slices = answer["jain_slices"].as_array().unwrap();
    let expected = [0.5, 0.5, 1.0, 0.9, 0.9, 0.9, 0.5, 0.5, 0.5];
    assert_eq!(slices.len(), 10);
    for (k, (got, want)) in slices.iter().zip(expected).enumerate() {
        let got = got.as_f64().unwrap();
        assert!((got - want).abs() < 1e-9, "part {k}: {got} is not {want}");
    }
    assert!(slices[9].is_null());
    // In all 36 and 28 Mbit: 64²/(2 · (36² + 28²)).
    let jain = answer["jain"].as_f64().unwrap();
    assert!((jain - 4096.0 / 4160.0).abs() < 1e-9, "{jain}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |seed: &str| {
        output(
            &["simulate", "-", "--format", "json", "--seed", seed],
            SMALL,
        )
    };
    assert_eq!(run("1"), run("1"));
    assert_eq!(
        run("1"),
        output(&["simulate", "-", "--format", "json"], SMALL)
    );
    assert_ne!(run("1").1, run("2").1);
}

#[test]
fn traces_and_pictures_appear() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (trace, events, picture) = (path("t.csv"), path("e.csv"), path("p.svg"));
    let (code, _, errors) = output(
        &[
            "simulate", "-", "--trace", &trace, "--sample", "100ms", "--plot", &picture,
        ],
        SMALL,
    );
    assert_eq!(code, 0, "{errors}");
    let text = std::fs::read_to_string(&trace).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(header.starts_with("time_s,queue_link_pkt,window_1_pkt,rate_1_pps,window_2_pkt"));
    let fields = header.split(',').count();
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 201);
    assert!(rows.iter().all(|row| row.split(',').count() == fields));
    assert!(std::fs::read_to_string(&picture).unwrap().contains("<svg"));
    let (code, ..) = output(
        &["simulate", "-", "--trace", &events, "--sample", "events"],
        SMALL,
    );
    assert_eq!(code, 0);
    let text = std::fs::read_to_string(&events).unwrap();
    assert!(text.starts_with("time_s,event,flow,link,law,before_pkt,after_pkt\n"));
    assert!(text.contains(",reaction,") && text.contains(",full,"));
    let times = text.lines().skip(1);
    let times: Vec<f64> = times
        .map(|l| l.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
}

/// What is wrong, where, and a word of the sentence.
const BAD: &[(&str, &str, &str, &str)] = &[
    (
        "capacity = \"10Mbit/s\"",
        "capacity = \"-10Mbit/s\"",
        "line 3, column 12",
        "more than 0",
    ),
    (
        "capacity = \"10Mbit/s\"",
        "capacity = \"10Mbit\"",
        "line 3, column 12",
        "rate",
    ),
    (
        "capacity = \"10Mbit/s\"",
        "capacity = 10",
        "line 3, column 12",
        "unit",
    ),
    (
        "capacity = \"10Mbit/s\"",
        "kapacity = \"10Mbit/s\"",
        "line 3, column 1",
        "did you mean `capacity`",
    ),
    (
        "capacity = \"10Mbit/s\"",
        "",
        "line 2, column 1",
        "no `capacity`",
    ),
    ("[run]", "[rum]", "line 9, column 2", "did you mean `run`"),
    (
        "law = \"reno\"",
        "law = \"rino\"",
        "line 6, column 7",
        "did you mean `reno`",
    ),
    (
        "law = \"reno\"",
        "law = \"mathis\"",
        "line 6, column 7",
        "formula, not a law",
    ),
    (
        "law = \"reno\"",
        "law = \"constant-rate\"",
        "line 6, column 7",
        "rate=2Mbit/s",
    ),
    (
        "law = \"reno\"",
        "law = \"web:rate=2Mbit/s,acess=1Mbit/s\"",
        "line 6, column 7",
        "did you mean `access`",
    ),
    (
        "law = \"reno\"",
        "law = \"web:rate=2Mbit/s,largest=1pkt\"",
        "line 6, column 7",
        "more than the least transfer",
    ),
    (
        "law = \"reno\"",
        "path = [\"lnik\"]\nlaw = \"reno\"",
        "line 6, column 9",
        "did you mean `link`",
    ),
    (
        "law = \"reno\"",
        "path = [\"link\", \"link\"]\nlaw = \"reno\"",
        "line 6, column 17",
        "twice",
    ),
    ("count = 3", "count = 1e9", "line 7, column 9", "1000000"),
    (
        "count = 3",
        "count = 1_000_000_000",
        "line 7, column 9",
        "1000000",
    ),
    ("count = 3", "count = 0", "line 7, column 9", "1 to"),
    (
        "rtt = \"20ms..60ms\"",
        "rtt = \"20ms,30ms\"",
        "line 8, column 7",
        "2 values for 3 flows",
    ),
    (
        "rtt = \"20ms..60ms\"",
        "rtt = \"-20ms\"",
        "line 8, column 7",
        "more than 0",
    ),
    ("rtt = \"20ms..60ms\"", "", "line 5, column 1", "no `rtt`"),
    (
        "buffer = \"0.5bdp\"",
        "delay = \"20ms\"",
        "line 8, column 7",
        "its links",
    ),
    (
        "buffer = \"0.5bdp\"",
        "buffer = \"-1pkt\"",
        "line 4, column 10",
        "0 or more",
    ),
    (
        "buffer = \"0.5bdp\"",
        "buffer = \"-1bdp\"",
        "line 4, column 10",
        "0 or more",
    ),
    (
        "buffer = \"0.5bdp\"",
        "delay = \"-1ms\"",
        "line 4, column 9",
        "0 or more",
    ),
    (
        "buffer = \"0.5bdp\"",
        "initial_queue = \"-1pkt\"",
        "line 4, column 17",
        "0 or more",
    ),
    (
        "buffer = \"0.5bdp\"",
        "[links.link]\ncapacity = \"1Mbit/s\"",
        "line 4, column 8",
        "[link] is a link called `link` too",
    ),
    (
        "[link]\ncapacity = \"10Mbit/s\"\nbuffer = \"0.5bdp\"",
        "link = \"x\"",
        "line 2, column 8",
        "the link `link` is a text: a table [link], or [links.NAME]",
    ),
    (
        "[link]",
        "[[link]]",
        "line 2, column 1",
        "the link `link` is a list: a table [link], or [links.NAME]",
    ),
    (
        "\"10Mbit/s\"",
        "\"5e-324bit/s\"",
        "line 3, column 12",
        "more than 0",
    ),
    (
        "count = 3",
        "start = \"-1s\"",
        "line 7, column 9",
        "0 or more",
    ),
    (
        "count = 3",
        "size = \"-1pkt\"",
        "line 7, column 8",
        "more than 0",
    ),
    (
        "[link]",
        "law_file = 3\n[link]",
        "line 2, column 12",
        "`law_file` is a number: the path of a law file is needed",
    ),
    (
        "[link]",
        "law_file = [\"no-such.toml\"]\n[link]",
        "line 2, column 13",
        "no-such.toml",
    ),
    (
        "buffer = \"0.5bdp\"",
        "buffer = \"half\"",
        "line 4, column 10",
        "1bdp",
    ),
    (
        "buffer = \"0.5bdp\"",
        "queue = \"rad\"",
        "line 4, column 9",
        "did you mean `red`",
    ),
    (
        "buffer = \"0.5bdp\"",
        "queue = \"red:mni=3pkt\"",
        "line 4, column 9",
        "did you mean `min`",
    ),
    (
        "buffer = \"0.5bdp\"",
        "queue = \"red:min=9pkt,max=3pkt\"",
        "line 4, column 9",
        "less than its `max`",
    ),
    (
        "duration = \"20s\"",
        "duration = \"0s\"",
        "line 10, column 12",
        "lasts longer",
    ),
    (
        "duration = \"20s\"",
        "duration = \"20\"",
        "line 10, column 12",
        "unit",
    ),
    (
        "measure_from = \"5s\"",
        "measure_from = \"20s\"",
        "line 11, column 16",
        "not before the end",
    ),
    (
        "measure_from = \"5s\"",
        "tolerance = 0",
        "line 11, column 13",
        "1e-10",
    ),
    (
        "measure_from = \"5s\"",
        "tolerance = -1e-6",
        "line 11, column 13",
        "1e-10",
    ),
    (
        "measure_from = \"5s\"",
        "seed = 1.5",
        "line 11, column 8",
        "whole number",
    ),
    (
        "measure_from = \"5s\"",
        "packet = \"20B\"",
        "line 11, column 10",
        "headers",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nsync = \"al\"",
        "line 12, column 8",
        "did you mean `all`",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nsync = 1.5",
        "line 12, column 8",
        "at most 1",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nrate = 2",
        "line 12, column 8",
        "0, or 1e-100 to less than 1",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nprocess = \"poisson\"",
        "line 12, column 11",
        "mean-field",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nreaction = \"-1rtt\"",
        "line 12, column 12",
        "`-1rtt`, which is out of range: allowed is 0 or more",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nrecovery = \"-2rtt\"",
        "line 12, column 12",
        "0 or more",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nrto = \"-2s\"",
        "line 12, column 7",
        "0 or more",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\ntimeout_below = \"-2pkt\"",
        "line 12, column 17",
        "0 or more",
    ),
    (
        "measure_from = \"5s\"",
        "[loss]\nacknowledged_growth = true",
        "line 12, column 23",
        "mean-field",
    ),
    (
        "measure_from = \"5s\"",
        "measure_from = \"-5s\"",
        "line 11, column 16",
        "0 or more",
    ),
    (
        "measure_from = \"5s\"",
        "seed = 2e18",
        "line 11, column 8",
        "0 to 1e18",
    ),
    ("[[flow]]", "[flow", "line 5", ""),
    ("count = 3", "law = \"bic\"", "line 7", "given twice"),
    (
        "[[flow]]\nlaw = \"reno\"\ncount = 3\nrtt = \"20ms..60ms\"",
        "",
        "line 1, column 1",
        "[[flow]]",
    ),
];

#[test]
fn whatever_is_wrong_is_said_with_its_place() {
    for (right, wrong, place, words) in BAD {
        assert!(SMALL.contains(right), "{right}");
        let text = SMALL.replacen(right, wrong, 1);
        let (code, out, error) = output(&["simulate", "-"], &text);
        assert_eq!((code, out.as_str()), (2, ""), "{wrong}: {error}");
        assert!(
            error.contains(place) && error.contains(words),
            "{wrong}: {error}"
        );
        assert!(
            error.contains("line ") && error.contains("column "),
            "{wrong}: {error}"
        );
        assert_eq!(error.lines().count(), 1, "{wrong}: {error}");
    }
}

#[test]
fn the_file_is_named() {
    let (code, _, error) = output(&["simulate", "no-such.toml"], "");
    assert_eq!(code, 2);
    assert!(error.contains("no-such.toml"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    std::fs::write(&path, "[link]\n").unwrap();
    let (_, _, error) = output(&["simulate", path.to_str().unwrap()], "");
    assert!(error.contains("bad.toml, line 1, column 1"), "{error}");
}

#[test]
fn a_run_that_exhausts_its_budget_says_so_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("t.csv");
    let text = format!("{SMALL}budget = 20\n");
    let (code, out, error) = output(
        &["simulate", "-", "--trace", trace.to_str().unwrap()],
        &text,
    );
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("budget of 20 steps"), "{error}");
    assert_eq!(files_in(folder.path()), 0);
}

fn files_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn units_defaults_and_lists_are_read() {
    let text = r#"
[link]
capacity = "3750pkt/s"
buffer = "100ms"
initial_queue = "10pkt"
[[flow]]
law = "cubic"
rtt = "10ms..1s"
spread = "log"
count = 3
start = "random 1s..2s"
[[flow]]
law = "bic:fast_convergence=0"
rtt = "200ms"
slow_start = false
initial_window = "15000B"
[[flow]]
law = "constant-rate:rate=1500pkt/s"
rtt = "1s"
start = "1s"
stop = "5s"
[loss]
rate = "0.1%"
sync = 0.3
reaction = "100ms"
recovery = "1.5rtt"
least_window = "2pkt"
[run]
duration = "10s"
"#
    .replace(
        "cubic",
        if cwnd::algorithms::find("cubic").is_ok() {
            "cubic"
        } else {
            "bic"
        },
    );
    let staged = read_scenario("here", &text, None).unwrap();
    let scenario = &staged.scenario;
    assert_eq!(scenario.links[0].buffer, 375.0);
    let rtts: Vec<f64> = scenario.flows.iter().map(|flow| flow.base_rtt).collect();
    assert!((rtts[1] - 0.1).abs() < 1e-15);
    assert_eq!([rtts[0], rtts[2], rtts[3]], [0.01, 1.0, 0.2]);
    let starts: Vec<f64> = scenario.flows.iter().map(|flow| flow.start).collect();
    assert!(starts[..3].iter().all(|start| (1.0..2.0).contains(start)));
    assert!(starts[0] != starts[1]);
    let again = read_scenario("here", &text, None).unwrap();
    assert_eq!(again.scenario.flows[0].start, starts[0]);
    let other = read_scenario("here", &text, Some(7)).unwrap();
    assert_ne!(other.scenario.flows[0].start, starts[0]);
    // Several flows: fast convergence unless the file says otherwise.
    assert!(scenario.flows[0].label.contains("fast_convergence=1") || !text.contains("\"bic\""));
    assert!(!scenario.flows[3].label.contains("fast_convergence=1"));
    assert_eq!(scenario.losses.rate, 1e-3);
    assert_eq!(scenario.losses.recovery.rounds, 1.5);
    assert_eq!(scenario.losses.reaction.seconds, 0.1);
}

/// One Reno flow of 1500 B packets over 40 ms with a receive window, alone at a fast link.
fn capped(window: &str) -> f64 {
    let scenario = format!(
        "[link]\ncapacity = \"50Mbit/s\"\nbuffer = \"100pkt\"\n[[flow]]\nlaw = \"reno\"\nrtt = \"40ms\"\nreceive_window = \"{window}\"\n[run]\nduration = \"10s\"\nmeasure_from = \"5s\"\n"
    );
    let (code, text, error) = output(&["simulate", "-", "--format", "json"], &scenario);
    assert_eq!(code, 0, "{error}");
    let all: Value = serde_json::from_str(&text).unwrap();
    all[0]["answers"][0]["flows"][0]["rate_bps"]
        .as_f64()
        .unwrap()
}

/// Sizes of what is sent are payload, 40 bytes of headers less than the packet; buffers are on the wire.
#[test]
fn a_flow_counts_payload_and_a_buffer_the_wire() {
    let text = "[link]\ncapacity = \"10Mbit/s\"\nbuffer = \"64kB\"\n[[flow]]\nlaw = \"reno\"\nrtt = \"40ms\"\nreceive_window = \"48000B\"\ninitial_window = \"9600B\"\nsize = \"9.6MB\"\n[run]\npacket = \"1000B\"\nduration = \"1s\"\n";
    let staged = read_scenario("here", text, None).unwrap();
    let flow = &staged.scenario.flows[0];
    assert_eq!(flow.receive_window, Some(50.0));
    assert_eq!(flow.size, Some(1e4));
    assert_eq!(flow.begin, cwnd::fluid::Begin::SlowStart(10.0));
    assert_eq!(staged.scenario.links[0].buffer, 64.0);
}

#[test]
fn a_receive_window_caps_also_below_the_initial_window() {
    for (window, packets) in [
        ("1pkt", 1.0),
        ("5pkt", 5.0),
        ("10pkt", 10.0),
        ("20pkt", 20.0),
    ] {
        let expected = packets * 12_000.0 / 0.04;
        assert!((capped(window) / expected - 1.0).abs() < 1e-6, "{window}");
    }
}

#[test]
fn what_cannot_run_in_a_fluid_is_refused() {
    let run = |law: &str, rest: &str| {
        let link = "[link]\ncapacity = \"50Mbit/s\"\n";
        output(
            &["simulate", "-"],
            &format!(
                "{link}[[flow]]\nlaw = \"{law}\"\nrtt = \"40ms\"\n{rest}[run]\nduration = \"5s\"\n"
            ),
        )
    };
    for law in [
        "reno@linux",
        "cubic@linux",
        "htcp@linux",
        "bic@linux",
        "highspeed@linux",
        "scalable@linux",
    ] {
        let (code, out, error) = run(law, "");
        assert_eq!((code, out.as_str()), (2, ""), "{law}");
        assert!(error.contains("each acknowledgement"), "{error}");
    }
    let endless = "[[flow]]\nlaw = \"reno\"\nrtt = \"40ms\"\n[run]\nduration = \"5s\"\n";
    let (code, out, error) = output(&["simulate", "-"], endless);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("nothing limits"), "{error}");
}

/// Compound fills a queue up to its backlog gamma and is held there while the window that delay governs gives way: no chatter
/// at the switch. Reference: explicit Euler steps of 10 microseconds of the law's own rules (utilisation, mean queue).
#[test]
fn compound_is_held_at_its_backlog() {
    let text = "[link]\ncapacity = \"100Mbit/s\"\nbuffer = \"2bdp\"\n[[flow]]\nlaw = \"compound\"\nrtt = \"50ms\"\nslow_start = false\ninitial_window = \"100pkt\"\n[loss]\nsync = \"all\"\n[run]\nduration = \"60s\"\nbudget = 20000\n";
    let answer = &json(text)["answers"][0];
    let near = |key: &str, expected: f64, off: f64| {
        let got = answer[key].as_f64().unwrap();
        assert!(
            (got / expected - 1.0).abs() < off,
            "{key}: {got} against {expected}"
        );
    };
    near("utilisation", 0.983_895_4, 1e-6);
    near("queue_mean_pkt", 221.607_4, 1e-5);
    assert!(answer["steps"].as_u64().unwrap() < 5000);
}

/// Every law at a queue, alone or with others of its kind, with losses for one or for all: no run stalls at a switch of its law.
#[test]
fn no_law_stalls_at_a_queue() {
    // What a router has to tell the sender is no matter for a plain queue.
    let laws = cwnd::algorithms::ALGORITHMS.iter();
    let laws = laws.filter(|law| law.price() != Price::Explicit);
    let grows = |law: &&str| Selected::parse(law).is_ok_and(|law| law.law().is_ok());
    for law in laws.map(|law| law.name()).filter(grows) {
        for (buffer, rtt, count) in [
            ("50ms", "100ms", 1),
            ("1bdp", "50ms", 2),
            ("50ms", "20ms..200ms", 3),
        ] {
            for sync in ["all", "one", "natural"] {
                let text = format!(
                    "[link]\ncapacity = \"50Mbit/s\"\nbuffer = \"{buffer}\"\n[[flow]]\nlaw = \"{law}\"\nrtt = \"{rtt}\"\ncount = {count}\n[loss]\nsync = \"{sync}\"\n[run]\nduration = \"60s\"\nbudget = 40000\n"
                );
                let (code, out, error) = output(&["simulate", "-", "--format", "json"], &text);
                assert_eq!(code, 0, "{law} {buffer} {sync}: {error}");
                assert!(out.contains("utilisation"), "{law} {buffer} {sync}");
            }
        }
    }
}

#[test]
fn no_law_stalls_at_a_queue_that_steers() {
    let laws = cwnd::algorithms::ALGORITHMS.iter();
    let laws = laws.filter(|law| law.price() != Price::Explicit);
    let grows = |law: &&str| Selected::parse(law).is_ok_and(|law| law.law().is_ok());
    for law in laws.map(|law| law.name()).filter(grows) {
        // Without a longest delay any queue is the longest to Illinois, and none is not: a queue that comes and goes makes it jump.
        let law = match law {
            "illinois" => "illinois:max_delay=60ms",
            other => other,
        };
        for queue in [
            "red",
            "gentle-red",
            "adaptive-red",
            "pi",
            "pie",
            "pie:carried=1",
            "pi2",
            "easy-red",
            "easy-red:carried=1",
            "constant-loss:p=0.01",
        ] {
            for (count, process) in [(3, "mean-field"), (1, "mean-field"), (3, "random")] {
                let text = format!(
                    "[link]\ncapacity = \"10Mbit/s\"\nbuffer = \"50pkt\"\nqueue = \"{queue}\"\n[[flow]]\nlaw = \"{law}\"\nrtt = \"40ms\"\ncount = {count}\nslow_start = false\n[loss]\nprocess = \"{process}\"\n[run]\nduration = \"20s\"\nbudget = 40000\n"
                );
                let (code, out, error) = output(&["simulate", "-", "--format", "json"], &text);
                assert_eq!(code, 0, "{law} {queue} {count} {process}: {error}");
                assert!(out.contains("utilisation"), "{law} {queue} {process}");
            }
        }
    }
}

#[test]
fn streams_and_constant_rates_have_no_loss_events() {
    let text = "[link]\ncapacity = \"10Mbit/s\"\nqueue = \"red\"\n[[flow]]\nlaw = \"reno\"\nrtt = \"40ms\"\n[[flow]]\nlaw = \"constant-rate:rate=1Mbit/s\"\nrtt = \"40ms\"\n[loss]\nprocess = \"mean-field\"\n[run]\nduration = \"5s\"\n";
    for (process, events) in [("mean-field", false), ("random", true)] {
        let answer = &json(&text.replace("mean-field", process))["answers"][0];
        assert_eq!(answer["flows"][0]["loss_events"].is_u64(), events);
        assert!(answer["flows"][1]["loss_events"].is_null());
        assert!(answer["flows"][1]["loss"].is_null());
        assert!(answer["reason"].as_str().unwrap().contains("constant-rate"));
    }
}

#[test]
fn mistakes_are_placed_where_they_stand() {
    let flow = "[link]\ncapacity = \"1Mbit/s\"\n[[flow]]\nlaw = \"reno\"\nrtt = \"40ms\"\n";
    for (text, place, word) in [
        (
            format!("{flow}size = \"0pkt\"\n"),
            "line 6, column 8",
            "0pkt",
        ),
        (
            format!("{flow}receive_window = \"0pkt\"\n"),
            "line 6, column 18",
            "0pkt",
        ),
        (
            format!("{flow}initial_window = \"0pkt\"\n"),
            "line 6, column 18",
            "0pkt",
        ),
        (
            format!("{flow}rtt = \"50ms\"\n"),
            "line 6, column 1",
            "the key `rtt` is given twice",
        ),
        (
            flow.replace("\"reno\"", "\"reno@linux\""),
            "line 4, column 7",
            "does not grow",
        ),
        (
            "[[flow]]\nlaw = \"reno\"\nrtt = \"40ms\"\n".into(),
            "line 2, column 7",
            "nothing limits the flow",
        ),
        (
            format!("{flow}[run]\nbudget = 0\n"),
            "line 7, column 10",
            "`budget` is 0",
        ),
    ] {
        let (code, out, error) = output(&["simulate", "-"], &text);
        assert_eq!((code, out.as_str()), (2, ""), "{text}");
        assert!(
            error.contains(place) && error.contains(word),
            "{text}: {error}"
        );
    }
}

/// At the pace of its first part a run of thirty years would need thousands of times its budget.
#[test]
fn a_hopeless_run_is_given_up_early() {
    let text = "[link]\ncapacity = \"100Mbit/s\"\n[[flow]]\nlaw = \"reno\"\ncount = 2\nrtt = \"40ms\"\n[run]\nduration = \"1000000000s\"\nbudget = 100000\n";
    let (code, out, error) = output(&["simulate", "-"], text);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        error.contains("after 2000 steps") && error.contains("at this pace"),
        "{error}"
    );
}

/// Assertions hold or fail for a run as for any other answer, also where its trace goes to standard output.
#[test]
fn a_run_is_asserted() {
    let example = Command::cargo_bin("cwnd")
        .unwrap()
        .args(["simulate", "--example", "two-flows"])
        .assert()
        .success();
    let text = String::from_utf8(example.get_output().stdout.clone()).unwrap();
    let ask = |rest: &[&str]| {
        let mut command = Command::cargo_bin("cwnd").unwrap();
        command
            .args(["simulate", &text, "--quiet"])
            .args(rest)
            .assert()
    };
    ask(&["--assert", "utilisation > 0.1 and jain <= 1"]).code(0);
    let failed = ask(&["--assert", "utilisation > 1.5"]).code(1);
    let error = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(
        error.contains("simulate") && error.contains("utilisation is "),
        "{error}"
    );
    let traced = ask(&["--assert", "utilisation > 1.5", "--trace", "-"]).code(1);
    assert!(!traced.get_output().stdout.is_empty());
    let fair = ask(&["--fair", "nan"]).code(2);
    let error = String::from_utf8_lossy(&fair.get_output().stderr).into_owned();
    assert!(
        error.contains("`nan` is not a number for --fair"),
        "{error}"
    );
}
