//! Sweeps as a user sees them: the same bytes whatever the threads, the shares and the interruptions.
#![cfg(all(feature = "cli", feature = "files"))]
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::Command;
use cwnd::files::SWEEPS;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn cwnd(at: &TempDir) -> Command {
    let mut command = Command::cargo_bin("cwnd").unwrap();
    command.current_dir(at.path());
    for variable in [
        "SLURM_ARRAY_TASK_ID",
        "SLURM_ARRAY_TASK_COUNT",
        "JOB_COMPLETION_INDEX",
        "RAYON_NUM_THREADS",
    ] {
        command.env_remove(variable);
    }
    command
}

fn run(at: &TempDir, args: &[&str]) -> (i32, String, String) {
    let done = cwnd(at).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

fn good(at: &TempDir, args: &[&str]) {
    let (code, _, errors) = run(at, args);
    assert_eq!(code, 0, "{args:?}: {errors}");
}

fn place(text: &str) -> TempDir {
    let at = TempDir::new().unwrap();
    fs::write(at.path().join("s.toml"), text).unwrap();
    at
}

fn bytes(at: &TempDir, name: &str) -> Vec<u8> {
    fs::read(at.path().join(name)).unwrap()
}

/// Rows by column name.
fn rows(at: &TempDir, name: &str) -> Vec<Vec<(String, String)>> {
    let mut reader = csv::Reader::from_reader(fs::File::open(at.path().join(name)).unwrap());
    let header = reader.headers().unwrap().clone();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let field = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
            header.iter().zip(record.iter()).map(field).collect()
        })
        .collect()
}

fn field<'r>(row: &'r [(String, String)], key: &str) -> &'r str {
    let found = row.iter().find(|(name, _)| name == key);
    found.map(|(_, value)| value.as_str()).unwrap()
}

const RESPONSE: &str = r#"
verb = "response"
[grid]
law = ["reno", "bic", "cubic", "bic:smax=64,beta=0.2"]
loss = "1e-6..1e-2:11"
rtt = ["10ms", "100ms"]
"#;

const LIMITS: &str = r#"
verb = "throughput"
columns = ["active", "goodput_bps", "limits.receive_window.rate_bps"]
[fixed]
link = "1Gbit/s"
[[zip]]
rtt = ["10ms", "100ms", "1s"]
receive-window = ["64KiB", "1MiB", "64MiB"]
[grid]
law = ["reno", "cubic"]
loss = "1e-6..1e-2:5"
"#;

/// Every point another epoch, of laws that keep theirs.
const EPOCHS: &str = r#"
verb = "response"
[fixed]
rtt = "100ms"
road = "epoch"
[grid]
law = ["highspeed", "bic", "cubic", "scalable"]
loss = "1e-9..1e-1:2500"
"#;

const RUNS: &str = r#"
verb = "response"
[fixed]
law = "reno"
road = "ack"
loss-model = "random"
precision = "4%"
rtt = "100ms"
[grid]
loss = "1e-4..1e-3:24"
"#;

#[test]
fn one_thread_two_threads_and_four_shares_write_the_same_bytes() {
    for text in [RESPONSE, LIMITS, EPOCHS] {
        for ending in ["csv", "jsonl"] {
            let at = place(text);
            let [one, two, four] = ["one", "two", "four"].map(|name| format!("{name}.{ending}"));
            good(&at, &["sweep", "s.toml", "--out", &one, "--threads", "1"]);
            good(&at, &["sweep", "s.toml", "-o", &two, "--threads", "2"]);
            // In another order than their numbers, one of them elsewhere.
            for share in ["3/4", "1/4", "4/4"] {
                good(&at, &["sweep", "s.toml", "--out", &four, "--shard", share]);
            }
            let elsewhere = format!("away.{ending}");
            good(
                &at,
                &["sweep", "s.toml", "-o", &elsewhere, "--shard", "2/4"],
            );
            let parts = [&four, &elsewhere].map(|name| format!("{name}.parts"));
            let (code, _, error) = run(&at, &["merge", &four]);
            assert_eq!(code, 2);
            assert!(
                error.contains("parts of") && error.contains("missing"),
                "{error}"
            );
            good(&at, &["merge", &four, &parts[0], &parts[1]]);
            assert!(bytes(&at, &one) == bytes(&at, &two), "threads, {ending}");
            assert!(bytes(&at, &one) == bytes(&at, &four), "shares, {ending}");
            assert!(!at.path().join(format!("{one}.parts")).exists());
            assert!(!at.path().join(&parts[0]).exists());
        }
    }
}

#[test]
fn shares_in_json_lines_are_concatenated_by_their_parts() {
    let at = place(RESPONSE);
    good(&at, &["sweep", "s.toml", "--out", "whole.jsonl"]);
    let mut all = Vec::new();
    for share in 1..=4 {
        let out = format!("{share}.jsonl");
        let shard = format!("{share}/4");
        good(&at, &["sweep", "s.toml", "--out", &out, "--shard", &shard]);
        let parts = at.path().join(format!("{out}.parts"));
        let mut names: Vec<PathBuf> = fs::read_dir(parts)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .collect();
        names.sort();
        assert!(!names.is_empty());
        all.extend(names.iter().flat_map(|path| fs::read(path).unwrap()));
    }
    assert!(all == bytes(&at, "whole.jsonl"));
}

#[test]
fn rows_are_the_answers_of_the_verb() {
    let at = place(RESPONSE);
    good(&at, &["sweep", "s.toml", "--out", "o.jsonl"]);
    let text = String::from_utf8(bytes(&at, "o.jsonl")).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4 * 11 * 2 * 2);
    // The last input changes fastest.
    assert_eq!(
        (&lines[0]["rtt_s"], &lines[2]["rtt_s"]),
        (&0.01.into(), &0.1.into())
    );
    for number in [0, 1, 2, 45, 90, 91, 119, 174, 175] {
        let line = &lines[number];
        let loss = line["loss"].to_string();
        let rtt = format!("{}s", line["rtt_s"]);
        let law = line["law"].as_str().unwrap();
        let args = [
            "response", law, "--loss", &loss, "--rtt", &rtt, "--format", "json",
        ];
        let (code, reply, _) = run(&at, &args);
        assert_eq!(code, 0);
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let answers = reply[0]["answers"].as_array().unwrap();
        let answer = answers.iter().find(|a| a["road"] == line["road"]).unwrap();
        for (key, value) in answer.as_object().unwrap() {
            assert_eq!(value, &line[key], "{law} at {loss}, {rtt}: {key}");
        }
        assert_eq!(
            line.as_object().unwrap().len(),
            answer.as_object().unwrap().len() + 3
        );
    }
}

/// The response verb is asked by a shorter way; an input that this way does not know sends it through the command line.
#[test]
fn the_shorter_way_writes_what_the_longer_one_does() {
    let by = |input: &str, values: &str| {
        let text = RESPONSE.replace(
            "rtt = [\"10ms\", \"100ms\"]",
            &format!("{input} = {values}"),
        );
        let text = text.replace("\"cubic\"", "\"cubic\", \"htcp@linux\", \"pftk\"");
        let text = text.replace("1e-6..1e-2:11", "1e-4..2:11") + "[fixed]\nform = \"all\"\n";
        let at = place(&text);
        good(&at, &["sweep", "s.toml", "--out", "o.csv", "--quiet"]);
        let rows = rows(&at, "o.csv");
        let without = |row: Vec<(String, String)>| {
            let keep = |(key, _): &(String, String)| !key.ends_with("_s");
            row.into_iter().filter(keep).collect::<Vec<_>>()
        };
        rows.into_iter().map(without).collect::<Vec<_>>()
    };
    let short = by("rtt", "[\"10ms\", \"100ms\"]");
    let long = by("one-way-delay", "[\"5ms\", \"50ms\"]");
    assert!(short.len() > 200);
    assert!(short == long);
    // A loss rate of 1 and more is a row with its reason, not a stop.
    let refused: Vec<_> = short
        .iter()
        .filter(|row| field(row, "loss").parse::<f64>().unwrap() >= 1.0)
        .collect();
    assert!(!refused.is_empty());
    for row in refused {
        assert_eq!(field(row, "window_pkt"), "");
        assert!(field(row, "reason").contains("less than 1"));
    }
}

#[test]
fn killed_in_the_middle_and_resumed_it_writes_the_same_bytes() {
    let at = place(RUNS);
    good(&at, &["sweep", "s.toml", "--out", "whole.csv"]);
    let parts = at.path().join("o.csv.parts");
    let finished = || {
        let entries = fs::read_dir(&parts).into_iter().flatten();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(name)
            .filter(|name| name.to_string_lossy().ends_with(".csv"))
            .count()
    };
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("cwnd"))
        .current_dir(at.path())
        .args(["sweep", "s.toml", "--out", "o.csv", "--threads", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while finished() < 4 {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no part was finished"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL: no handler, no clean end.
    child.kill().unwrap();
    child.wait().unwrap();
    let done = finished();
    assert!((4..24).contains(&done), "{done} parts of 24 were finished");
    assert!(!at.path().join("o.csv").exists());
    // What a dying process may leave: a part that is cut, one that has no name yet.
    let cut = fs::read_dir(&parts).unwrap().map(|e| e.unwrap().path());
    let cut = cut
        .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        .max()
        .unwrap();
    fs::write(&cut, &fs::read(&cut).unwrap()[..20]).unwrap();
    fs::write(parts.join("00000001.1.unfinished"), b"half").unwrap();

    let (code, _, error) = run(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    assert_eq!(code, 2);
    assert!(error.contains("--resume"), "{error}");
    good(&at, &["sweep", "s.toml", "--out", "o.csv", "--resume"]);
    assert!(bytes(&at, "o.csv") == bytes(&at, "whole.csv"));
    assert!(!parts.exists());
}

#[test]
fn parts_of_another_question_are_refused() {
    let at = place(RESPONSE);
    good(
        &at,
        &["sweep", "s.toml", "--out", "o.csv", "--shard", "1/2"],
    );
    fs::write(
        at.path().join("other.toml"),
        RESPONSE.replace("100ms", "101ms"),
    )
    .unwrap();
    for more in [&["--resume"][..], &["--shard", "2/2"], &[]] {
        let mut args = vec!["sweep", "other.toml", "--out", "o.csv"];
        args.extend(more);
        let (code, out, error) = run(&at, &args);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(
            error.contains("o.csv.parts` belongs to another sweep"),
            "{error}"
        );
    }
    // Another number of shares may be another division.
    let many = RESPONSE.replace(":11", ":601") + "[fixed]\nroad = \"closed\"\n";
    fs::write(at.path().join("many.toml"), many).unwrap();
    let many = ["sweep", "many.toml", "--out", "m.csv", "--shard"];
    good(&at, &[&many[..], &["1/2"]].concat());
    let (code, _, error) = run(&at, &[&many[..], &["2/90"]].concat());
    assert_eq!(code, 2);
    assert!(error.contains("another division"), "{error}");
    let other = ["sweep", "other.toml", "--out", "p.csv", "--shard", "2/2"];
    good(&at, &other);
    let (code, _, error) = run(&at, &["merge", "o.csv", "o.csv.parts", "p.csv.parts"]);
    assert_eq!(code, 2);
    assert!(error.contains("another sweep"), "{error}");
    // A share is done once.
    let (code, _, error) = run(
        &at,
        &["sweep", "s.toml", "--out", "o.csv", "--shard", "1/2"],
    );
    assert_eq!(code, 2);
    assert!(error.contains("--resume"), "{error}");
    good(
        &at,
        &[
            "sweep", "s.toml", "--out", "o.csv", "--shard", "1/2", "--resume",
        ],
    );
}

#[test]
fn parts_that_contradict_each_other_are_refused() {
    let at = place(RESPONSE);
    for out in ["a.csv", "b.csv"] {
        good(&at, &["sweep", "s.toml", "--out", out, "--shard", "1/1"]);
    }
    good(&at, &["merge", "whole.csv", "a.csv.parts", "b.csv.parts"]);
    let first = fs::read_dir(at.path().join("a.csv.parts"))
        .unwrap()
        .map(|e| e.unwrap().path());
    let first = first
        .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        .min()
        .unwrap();
    let text = fs::read_to_string(&first).unwrap().replace("reno", "bic");
    let name = format!(
        "00000000-{:016x}.csv",
        xxhash_rust::xxh3::xxh3_64(text.as_bytes())
    );
    fs::remove_file(&first).unwrap();
    fs::write(first.with_file_name(name), text).unwrap();
    let (code, _, error) = run(&at, &["merge", "whole.csv", "a.csv.parts", "b.csv.parts"]);
    assert_eq!(code, 2);
    assert!(error.contains("part 0 differs"), "{error}");
}

#[test]
fn shares_come_from_the_environment_of_a_job_array() {
    let at = place(LIMITS);
    good(&at, &["sweep", "s.toml", "--out", "whole.csv"]);
    let share = |variables: &[(&str, &str)], more: &[&str]| {
        let mut args = vec!["sweep", "s.toml", "--out", "o.csv", "--shard", "env"];
        args.extend(more);
        cwnd(&at)
            .args(args)
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    };
    // Slurm's array 10-30:10 has the tasks 10, 20, 30.
    for task in ["10", "30"] {
        let of = [
            ("SLURM_ARRAY_TASK_ID", task),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "10"),
        ];
        assert!(share(&of, &[]).status.success());
    }
    let alone = share(&[("JOB_COMPLETION_INDEX", "1")], &[]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("--shards N"));
    assert!(
        share(&[("JOB_COMPLETION_INDEX", "1")], &["--shards", "3"])
            .status
            .success()
    );
    good(&at, &["merge", "o.csv"]);
    assert!(bytes(&at, "o.csv") == bytes(&at, "whole.csv"));
    let none = share(&[], &[]);
    assert_eq!(none.status.code(), Some(2));
    for share in ["0/4", "5/4", "1/0", "x/4", "2"] {
        let (code, _, error) = run(
            &at,
            &["sweep", "s.toml", "--out", "p.csv", "--shard", share],
        );
        assert_eq!(code, 2, "{share}");
        assert!(
            error.contains("share") || error.contains("--shard"),
            "{error}"
        );
    }
}

#[test]
fn each_point_has_its_own_seed_and_can_be_asked_again() {
    let at = place(&RUNS.replace("4%", "5%"));
    good(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    let rows = rows(&at, "o.csv");
    let seeds: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| field(row, "seed")).collect();
    assert_eq!(seeds.len(), rows.len());
    let row = &rows[7];
    let (_, reply, _) = run(
        &at,
        &[
            "response",
            "reno",
            "--road",
            "ack",
            "--loss-model",
            "random",
            "--precision",
            "5%",
            "--rtt",
            "100ms",
            "--format",
            "csv",
            "--loss",
            field(row, "loss"),
            "--seed",
            field(row, "seed"),
        ],
    );
    assert!(reply.contains(field(row, "window_pkt")), "{reply}");
    // A seed that the file gives is the seed of every point.
    let at = place(
        &RUNS
            .replace("4%", "5%")
            .replace("[fixed]", "[fixed]\nseed = 7"),
    );
    good(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    assert!(
        !String::from_utf8(bytes(&at, "o.csv"))
            .unwrap()
            .contains("seed")
    );
}

#[test]
fn what_is_wrong_with_a_file_has_its_line_and_column() {
    let base = "verb = \"response\"\n[fixed]\nlaw = \"reno\"\n[grid]\nloss = \"1e-6..1e-2:11\"\n";
    let cases = [
        (
            base.replace("response", "respones"),
            "line 1, column 8",
            "response",
        ),
        (base.replace("law", "lwa"), "line 3, column 1", "law"),
        (base.replace("reno", "rneo"), "line 3, column 1", "reno"),
        (
            base.replace("loss = ", "los = "),
            "line 5, column 1",
            "loss",
        ),
        (base.replace("[grid]", "[gird]"), "line 4, column 2", "grid"),
        (
            base.replace("loss = \"1e-6..1e-2:11\"", "los = \"1e-3\""),
            "line 5, column 1",
            "did you mean `loss`?",
        ),
        (base.replace(":11", ":x"), "line 5, column 8", "2 to"),
        (
            base.replace("1e-6..1e-2:11", "1e-6"),
            "line 5, column 8",
            "a list such as",
        ),
        (
            base.replace("\"1e-6..1e-2:11\"", "[]"),
            "line 5, column 8",
            "0 values",
        ),
        (
            base.to_owned() + "rtt = { from = \"1ms\", to = \"2pkt\", points = 3 }",
            "line 6, column",
            "different kinds",
        ),
        (
            base.to_owned() + "rtt = { from = \"1ms\", to = \"2ms\", pionts = 3 }",
            "line 6, column",
            "points",
        ),
        (
            base.to_owned() + "rtt = { from = \"1ms\", to = \"2ms\", step = \"300us\" }",
            "line 6, column",
            "whole part",
        ),
        (
            base.to_owned() + "rtt = [100, 200]",
            "line 6, column 1",
            "100ms",
        ),
        (
            base.to_owned() + "[[zip]]\nrtt = [\"1ms\", \"2ms\"]\nmss = [\"1KB\"]",
            "line 8, column 1",
            "equally many",
        ),
        (
            base.to_owned() + "loss_is = [\"events\", \"packet\"]",
            "line 6, column 1",
            "packets",
        ),
        (
            base.replace("verb", "columns = [\"windw_pkt\"]\nverb"),
            "line 1, column 11",
            "window_pkt",
        ),
        (
            base.replace("\"reno\"", "[\"reno\", \"bic\"]"),
            "line 1, column 8",
            "[grid]",
        ),
        (
            base.replace("law = \"reno\"", ""),
            "line 1, column 8",
            "LAW",
        ),
        (
            base.replace("law = ", "law = \"bic\"\nlaw = "),
            "line 4, column 1",
            "given twice",
        ),
        (
            base.to_owned() + "law = [\"bic\"]",
            "line 6, column 1",
            "twice",
        ),
        (
            "verb = \"response\"\n[fixed]\nlaw = \"reno\"\nloss = 0.01".into(),
            "line 1, column 1",
            "nothing is swept",
        ),
    ];
    for (text, place_of, word) in cases {
        let at = place(&text);
        let (code, out, error) = run(&at, &["sweep", "s.toml", "--out", "o.csv"]);
        assert_eq!((code, out.as_str()), (2, ""), "{text}\n{error}");
        assert!(
            error.contains(place_of) && error.contains(word),
            "{text}\n{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!at.path().join("o.csv.parts").exists(), "{text}");
        assert!(!at.path().join("o.csv").exists(), "{text}");
    }
}

#[test]
fn endings_that_no_build_or_this_one_cannot_write_are_refused() {
    let at = place(RESPONSE);
    let (code, _, error) = run(&at, &["sweep", "s.toml", "--out", "o.txt"]);
    assert_eq!(code, 2);
    assert!(error.contains(".csv, .jsonl or .parquet"), "{error}");
    if !cfg!(feature = "parquet") {
        let (code, _, error) = run(&at, &["sweep", "s.toml", "--out", "o.parquet"]);
        assert_eq!(code, 2);
        assert!(error.contains("--features parquet"), "{error}");
    }
}

#[test]
fn every_example_is_printed_and_runs() {
    for example in SWEEPS {
        let at = place(example.text);
        let (code, text, _) = run(&at, &["sweep", "--example", example.name]);
        assert_eq!((code, text.as_str()), (0, example.text));
        good(&at, &["sweep", "s.toml", "--out", "o.csv"]);
        let rows = rows(&at, "o.csv");
        assert!(rows.len() >= 8, "{}", example.name);
        // Every column has a value somewhere but the reason.
        for (key, _) in &rows[0] {
            assert!(
                key == "reason" || rows.iter().any(|row| !field(row, key).is_empty()),
                "{}: {key}",
                example.name
            );
        }
    }
    let at = place("");
    let (code, _, error) = run(&at, &["sweep", "--example", "buffer"]);
    assert_eq!(code, 2);
    assert!(error.contains("buffers"), "{error}");
}

#[test]
fn inputs_may_be_put_into_others() {
    let text = r#"
verb = "crossover"
[fixed]
law = ["bic:smax={smax}", "{other}"]
[grid]
smax = { from = 16, to = 64, step = 16 }
other = ["reno", "highspeed"]
"#;
    let at = place(text);
    good(&at, &["sweep", "s.toml", "--out", "o.jsonl"]);
    let text = String::from_utf8(bytes(&at, "o.jsonl")).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["smax"], 16);
    let last = lines.last().unwrap();
    let (_, reply, _) = run(
        &at,
        &["crossover", "bic:smax=64", "highspeed", "--format", "json"],
    );
    let reply: Value = serde_json::from_str(&reply).unwrap();
    let answers = reply[0]["answers"].as_array().unwrap();
    assert_eq!(last["points"], answers.last().unwrap()["points"]);
    // A scenario by the name of its file.
    let (_, scenario, _) = run(&at, &["simulate", "--example", "two-flows"]);
    fs::write(at.path().join("{flows}.toml"), "").unwrap();
    fs::write(at.path().join("two.toml"), scenario).unwrap();
    fs::write(
        at.path().join("s.toml"),
        "verb = \"simulate\"\ncolumns = [\"jain\"]\n[fixed]\nscenario = \"{name}.toml\"\n[grid]\nname = [\"two\"]\n",
    )
    .unwrap();
    good(&at, &["sweep", "s.toml", "--out", "runs.csv"]);
    assert!(!field(&rows(&at, "runs.csv")[0], "jain").is_empty());
}

#[test]
fn laws_of_ones_own_are_swept_and_belong_to_the_question() {
    let text = r#"
verb = "response"
columns = ["road", "window_pkt"]
[fixed]
law-file = "mine.toml"
road = "epoch"
[grid]
law = ["mine", "reno"]
loss = [1e-4, 1e-3]
"#;
    let at = place(text);
    let law = "name = \"mine\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"\n";
    fs::write(at.path().join("mine.toml"), law).unwrap();
    good(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    let rows = rows(&at, "o.csv");
    let window = |row: usize| field(&rows[row], "window_pkt").parse::<f64>().unwrap();
    assert_eq!(rows.len(), 4);
    for row in 0..2 {
        assert!((window(row) / window(row + 2) - 1.0).abs() < 1e-10);
    }
    let share = ["sweep", "s.toml", "--out", "p.csv", "--shard", "1/2"];
    good(&at, &share);
    fs::write(at.path().join("mine.toml"), law.replace("w/2", "w/3")).unwrap();
    let (code, _, error) = run(
        &at,
        &["sweep", "s.toml", "--out", "p.csv", "--shard", "2/2"],
    );
    assert_eq!(code, 2);
    assert!(error.contains("another sweep"), "{error}");
    // The flag does what the file's line does.
    fs::write(
        at.path().join("t.toml"),
        text.replace("law-file", "# law-file"),
    )
    .unwrap();
    let (code, _, error) = run(&at, &["sweep", "t.toml", "--out", "q.csv"]);
    assert_eq!(code, 2);
    assert!(error.contains("unknown law `mine`"), "{error}");
    good(
        &at,
        &[
            "sweep",
            "t.toml",
            "--out",
            "q.csv",
            "--law-file",
            "mine.toml",
        ],
    );
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_the_rows_to_the_last_digit() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let at = place(&RESPONSE.replace(":11", ":101"));
    good(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    good(&at, &["sweep", "s.toml", "--out", "o.parquet"]);
    good(
        &at,
        &["sweep", "s.toml", "--out", "p.parquet", "--shard", "1/1"],
    );
    good(&at, &["merge", "p.parquet"]);
    assert!(bytes(&at, "o.parquet") == bytes(&at, "p.parquet"));
    let file = fs::File::open(at.path().join("o.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let lines = rows(&at, "o.csv");
    let mut count = 0;
    for (row, line) in reader.get_row_iter(None).unwrap().zip(&lines) {
        let row = row.unwrap();
        let columns: Vec<_> = row.get_column_iter().collect();
        assert_eq!(columns.len(), line.len());
        for (key, value) in columns {
            let text = field(line, key);
            match value {
                Field::Null => assert_eq!(text, "", "{key}"),
                Field::Double(x) => assert!(text.parse() == Ok(*x), "{key}: {text}, {x}"),
                Field::Long(x) => assert_eq!(text, x.to_string(), "{key}"),
                Field::Str(word) => assert_eq!(text, word, "{key}"),
                other => panic!("{key} is {other:?}"),
            }
        }
        count += 1;
    }
    assert_eq!(count, lines.len());
}

#[test]
fn progress_is_for_terminals_and_output_replaces_what_was_there() {
    let at = place(RESPONSE);
    fs::write(at.path().join("o.csv"), "old").unwrap();
    let (code, out, errors) = run(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    assert_eq!((code, out.as_str(), errors.as_str()), (0, "", ""));
    assert_eq!(rows(&at, "o.csv").len(), 4 * 11 * 2 * 2);
    let left: Vec<PathBuf> = fs::read_dir(at.path())
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(Path::new(&left[0]).exists());
}

/// A control loop at every point; what a point cannot be is said in its row.
#[test]
fn loops_are_swept() {
    const LOOPS: &str = r#"
verb = "stability"
columns = ["stable", "phase_margin_deg", "boundaries", "reason"]
[fixed]
system = "xcp:alpha={alpha}"
road = "margin"
sweep = "beta=0.1..0.6"
[grid]
alpha = [0, 0.4, 0.5, 1.7]
"#;
    let at = place(LOOPS);
    good(&at, &["sweep", "s.toml", "--out", "o.csv", "--quiet"]);
    let rows = rows(&at, "o.csv");
    assert_eq!(rows.len(), 4);
    assert!(field(&rows[0], "reason").contains("more than 0"));
    assert_eq!(field(&rows[1], "stable"), "true");
    let margin: f64 = field(&rows[1], "phase_margin_deg").parse().unwrap();
    assert!((margin - 12.6249).abs() < 1e-3, "{margin}");
    // u^2 cos u with u sin u = alpha.
    assert!(field(&rows[1], "boundaries").contains("value=0.34092"));
    assert!(field(&rows[2], "boundaries").contains("value=0.40499"));
    // Beyond pi/2 nothing is stable, so nothing changes.
    assert_eq!(field(&rows[3], "stable"), "false");
    assert!(!field(&rows[3], "boundaries").contains("value="));
    // A picture is no input: every point would draw over the one before it.
    let at = place(&LOOPS.replace("road = \"margin\"", "nyquist = \"n.svg\""));
    let (code, out, error) = run(&at, &["sweep", "s.toml", "--out", "o.csv"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        error.contains("unknown input `nyquist`") && error.contains("line 6"),
        "{error}"
    );
    assert!(!at.path().join("n.svg").exists());
}
