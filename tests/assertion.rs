//! The assertion language: what it means, where it says that text does not read, and exit codes.
#![cfg(feature = "cli")]

use assert_cmd::Command;
use cwnd::error::Result;
use cwnd::what_if::assertion::{Assertion, Fact};
use proptest::prelude::*;

fn look(key: &str) -> Result<Fact> {
    Ok(match key {
        "window_pkt" => Fact::Number(122.5),
        "rate_bps" => Fact::Number(0.96e9),
        "rtt_s" => Fact::Number(0.1),
        "bdp_bytes" => Fact::Number(65536.0),
        "rate_pps" => Fact::Number(1000.0),
        "loss" => Fact::Number(1e-4),
        "active" => Fact::Word("receive window".into()),
        _ => Fact::Missing,
    })
}

fn holds(text: &str) -> Option<bool> {
    Assertion::parse(text).unwrap().holds(&look).unwrap()
}

#[test]
fn comparisons_mean_what_they_say() {
    for text in [
        "window_pkt > 100",
        "window_pkt > 100pkt and rate_bps within 5% of 1Gbit/s",
        "rate_bps within 0.05 of 1Gbps",
        "not rate_bps within 1% of 1Gbit/s",
        "rate_bps == 120MB/s",
        "rate_bps != 1e9",
        "rtt_s == 100ms and rtt_s<=0.1 and (rtt_s>=100000us)",
        "bdp_bytes == 64KiB",
        "rate_pps < 1001pkt/s",
        "loss == 0.01% and loss == 1/10000",
        "active == 'receive window' and active != link",
        "window_pkt < 1 or window_pkt > 1 and not (loss > 1 or loss < 0)",
        // `and` binds closer than `or`.
        "window_pkt > 1 or window_pkt > 1 and window_pkt < 1",
    ] {
        assert_eq!(holds(text), Some(true), "{text}");
        assert_eq!(holds(&format!("not ({text})")), Some(false), "{text}");
    }
}

#[test]
fn what_is_missing_is_neither() {
    assert_eq!(holds("ci > 1"), None);
    assert_eq!(holds("not ci > 1"), None);
    assert_eq!(holds("ci > 1 and window_pkt > 1"), None);
    assert_eq!(holds("ci > 1 and window_pkt < 1"), Some(false));
    assert_eq!(holds("ci > 1 or window_pkt > 1"), Some(true));
}

#[test]
fn errors_point_at_the_column() {
    for (text, column) in [
        ("", 1),
        ("window_pkt", 11),
        ("window_pkt >", 13),
        ("window_pkt > 100 and", 21),
        ("window_pkt > 100 window_pkt", 18),
        ("window_pkt => 100", 12),
        ("window_pkt > 100ms", 14),
        ("rate_bps > 10GB", 12),
        ("rate_bps > nan", 12),
        ("rate_bps within 5 1Gbit/s", 19),
        ("rate_bps within -5% of 1Gbit/s", 17),
        ("(window_pkt > 100", 18),
        ("window_pkt > 100)", 17),
        ("active < link", 10),
        ("active == 'link", 11),
        ("and > 1", 1),
        ("ü_pkt > 1 and 5 > 3", 1),
        ("window_pkt > 1 and 5 > 3", 20),
        ("window_pkt = 5", 12),
    ] {
        let error = Assertion::parse(text).unwrap_err().to_string();
        assert!(
            error.contains(&format!("column {column}:")),
            "{text}: {error}"
        );
    }
    let deep = "(".repeat(100_000);
    assert!(
        Assertion::parse(&deep)
            .unwrap_err()
            .to_string()
            .contains("column 65:")
    );
    let nots = "not ".repeat(100_000);
    assert!(Assertion::parse(&nots).is_err());
}

fn expression() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["window_pkt", "rate_bps", "rtt_s", "loss", "ci"]);
    let sign = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!=", "within 5% of"]);
    let leaf = (key, sign, -1e12..1e12f64).prop_map(|(k, s, x)| format!("{k} {s} {x:e}"));
    leaf.prop_recursive(5, 40, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) and ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) or ({b})")),
            inner.prop_map(|a| format!("not ({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        if let Err(error) = Assertion::parse(&text) {
            prop_assert!(error.to_string().contains("column"));
        }
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(
        prop::sample::select(vec!["and", "or", "not", "(", ")", "within", "of", "<", "==", "!", "'", "5%", "1Gbit/s", "rate_bps", "active", "é"]), 0..24)) {
        if let Err(error) = Assertion::parse(&words.join(" ")) {
            prop_assert!(error.to_string().contains("column"));
        }
    }

    #[test]
    fn de_morgan(a in expression(), b in expression()) {
        prop_assert_eq!(holds(&format!("not (({a}) and ({b}))")), holds(&format!("not ({a}) or not ({b})")));
        prop_assert_eq!(holds(&format!("not not ({a})")), holds(&a));
    }
}

/// Exit code, standard output, standard error.
fn run(verb: &str, assertion: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("cwnd").unwrap();
    let output = command
        .args(verb.split_whitespace())
        .args(["--assert", assertion])
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn exit_codes() {
    for (verb, assertion, code, said) in [
        (
            "response reno --loss 1e-4 --rtt 100ms",
            "window_pkt within 1% of 122.47",
            0,
            "",
        ),
        (
            "response reno --loss 1e-4 --rtt 100ms",
            "window_pkt > 200",
            1,
            "window_pkt is 122.4",
        ),
        // Every road and every point of a grid.
        (
            "response reno --loss 1e-4,1e-2 --rtt 100ms",
            "window_pkt > 100",
            1,
            "loss 0.01",
        ),
        (
            "response bic --loss 1e-7 --rtt 100ms",
            "window_pkt > 47500",
            1,
            "road epoch",
        ),
        (
            "response bic --loss 1e-7 --rtt 100ms --road closed",
            "window_pkt > 47500",
            0,
            "",
        ),
        // What has no value fails, and so does its opposite.
        (
            "response reno --loss 1e-4",
            "rate_bps > 1Mbit/s",
            1,
            "rate_bps is null",
        ),
        (
            "response reno --loss 1e-4",
            "not rate_bps > 1Mbit/s",
            1,
            "rate_bps is null",
        ),
        (
            "loss reno --rate 10Gbit/s --rtt 100ms",
            "loss < 1e-9 and seconds_between_losses > 1h",
            0,
            "",
        ),
        (
            "crossover bic reno --road closed",
            "points.1.loss > 1e-3",
            0,
            "",
        ),
        (
            "throughput --rtt 100ms --link 1Gbit/s",
            "active == link and limits.link.rate_bps == 1Gbit/s",
            0,
            "",
        ),
        (
            "throughput --rtt 100ms --link 1Gbit/s",
            "limits.loss.rate_bps > 1",
            1,
            "limits.loss.rate_bps is null",
        ),
        (
            "throughput --rtt 100ms --link 1Gbit/s --solve loss --rate 2Gbit/s",
            "solved.value > 0",
            1,
            "solved.value is null",
        ),
    ] {
        let (got, out, error) = run(verb, assertion);
        assert_eq!(got, code, "{verb}: {assertion}: {error}");
        assert!(!out.is_empty());
        assert!(error.contains(said), "{verb}: {assertion}: {error}");
        assert_eq!(error.is_empty(), code == 0, "{verb}: {assertion}: {error}");
    }
    for (assertion, said) in [
        ("window_pkt >", "column 13"),
        ("windw_pkt > 1", "`window_pkt`"),
        ("window_pkt > 1 or windw_pkt > 1", "`window_pkt`"),
        ("window_pkt == many", "is a number"),
        ("regime == 5", "is a word"),
    ] {
        let (code, out, error) = run("response reno --loss 1e-4", assertion);
        assert_eq!(code, 2, "{assertion}: {error}");
        assert!(out.is_empty());
        assert_eq!(error.trim_end().lines().count(), 1);
        assert!(error.contains(said), "{assertion}: {error}");
    }
}

/// The verbs that the README names are those that take the flag.
#[test]
fn the_readme_names_every_verb_that_asserts() {
    let help = |words: &[&str]| {
        let output = Command::cargo_bin("cwnd")
            .unwrap()
            .args(words)
            .arg("--help")
            .assert()
            .success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let readme = include_str!("../README.md");
    let line = readme
        .lines()
        .find(|line| line.contains("take `--assert"))
        .unwrap();
    let named: Vec<&str> = line
        .split("take")
        .next()
        .unwrap()
        .split('`')
        .skip(1)
        .step_by(2)
        .collect();
    let listed = help(&[]);
    let verbs = listed
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| {
            line.strip_prefix("  ")
                .filter(|rest| rest.starts_with(char::is_alphabetic))?
                .split_whitespace()
                .next()
        });
    let taking: Vec<&str> = verbs
        .filter(|verb| *verb != "help" && help(&[verb]).contains("--assert "))
        .collect();
    assert!(taking.len() > 8, "{taking:?}");
    for verb in &taking {
        assert!(named.contains(verb), "{verb} is not in: {line}");
    }
    assert_eq!(named.len(), taking.len(), "{line}");
}
