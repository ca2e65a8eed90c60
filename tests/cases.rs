//! Questions that people asked, through the program as they would type them: value, unit and active limit.
#![cfg(feature = "cli")]

use assert_cmd::Command;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

struct Case {
    id: String,
    command: String,
    key: String,
    expected: String,
    tolerance: String,
}

fn cases() -> Vec<Case> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(include_bytes!("data/cases.csv").as_slice());
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let cell = |at: usize| record.get(at).unwrap().to_owned();
        Case {
            id: cell(0),
            command: cell(1),
            key: cell(2),
            expected: cell(3),
            tolerance: cell(4),
        }
    });
    rows.collect()
}

fn run(command: &str, json: bool) -> std::process::Output {
    let mut process = Command::cargo_bin("cwnd").unwrap();
    process.args(command.split_whitespace());
    if json {
        process.args(["--format", "json"]);
    }
    process.output().unwrap()
}

/// The values under a dotted key in every answer; items of a list go by their name.
fn look<'a>(answer: &'a Value, key: &str) -> &'a Value {
    key.split('.').fold(answer, |at, word| match at {
        Value::Array(items) => items
            .iter()
            .find(|item| item["name"] == word)
            .or_else(|| items.get(word.parse::<usize>().ok()?.checked_sub(1)?))
            .unwrap_or_else(|| panic!("no `{word}` of {key}")),
        other => &other[word],
    })
}

#[test]
fn every_question_has_its_answer() {
    let mut answered: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for case in cases() {
        let place = format!("{}: cwnd {} ({})", case.id, case.command, case.key);
        if case.key == "refused" {
            let output = run(&case.command, false);
            assert_eq!(output.status.code(), Some(2), "{place}");
            assert!(output.stdout.is_empty(), "{place}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(&case.expected), "{place}: {said}");
            continue;
        }
        if case.key == "printed" {
            let output = run(&case.command, false);
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(said.contains(&case.expected), "{place}: {said}");
            continue;
        }
        let envelopes = answered.entry(case.command.clone()).or_insert_with(|| {
            let output = run(&case.command, true);
            assert!(output.status.success(), "{place}");
            serde_json::from_slice(&output.stdout).unwrap()
        });
        assert_eq!(envelopes.len(), 1, "{place}");
        let answers = envelopes[0]["answers"].as_array().unwrap();
        assert!(!answers.is_empty(), "{place}");
        for answer in answers {
            let got = look(answer, &case.key);
            if let Ok(tolerance) = case.tolerance.parse::<f64>() {
                let expected: f64 = case.expected.parse().unwrap();
                let got = got.as_f64().unwrap_or_else(|| panic!("{place}: {got}"));
                assert!(
                    (got / expected - 1.0).abs() <= tolerance,
                    "{place}: {got} for {expected}"
                );
            } else {
                let got = got.as_str().unwrap_or_else(|| panic!("{place}: {got}"));
                assert!(got.contains(&case.expected), "{place}: {got}");
            }
        }
    }
}

/// The collected questions, by number; one waits for the law that it asks about.
#[test]
fn no_question_is_left_out() {
    let asked: BTreeSet<String> = cases().into_iter().map(|case| case.id).collect();
    let all = [
        1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 29, 31, 35, 39, 43, 45, 47, 49, 55, 57, 59,
    ];
    let left: Vec<u32> = all
        .into_iter()
        .filter(|n| !asked.contains(&format!("Q{n:02}")))
        .collect();
    // Q55 asks for the standing queue of BBRv2, (N-1)/(4N+1) BDP: no law here models a rate with a cap on packets in flight.
    assert_eq!(left, [55]);
}
