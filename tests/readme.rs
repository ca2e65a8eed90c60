//! Every command that the README and the help print runs as printed, in an empty directory; where its output is printed too,
//! it is that output. A line that ends in ` ...` is the beginning of one, a line `...` stands for any number of lines.
#![cfg(all(feature = "cli", feature = "plot", feature = "files"))]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What a clean checkout runs whole anyway, minutes each, and what is added to it here: one figure, one group of checks.
const WHOLE: &[(&str, &str)] = &[
    ("cwnd figures", " bic2004-8"),
    ("cwnd verify", " bic-table"),
    ("cwnd reproduce", " bic2004-8 bic-table"),
    ("cwnd reproduce --out figures", " bic2004-8 bic-table"),
];

/// The line, or the shorter one for it.
fn short(line: &str) -> String {
    let found = WHOLE.iter().find(|(whole, _)| *whole == line);
    line.to_owned() + found.map_or("", |(_, added)| added)
}

/// A shell that finds this build of the program.
fn shell(line: &str, dir: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_cwnd"));
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .args(["-c", line])
        .current_dir(dir)
        .env(
            "PATH",
            format!("{}:{path}", program.parent().unwrap().display()),
        )
        .output()
        .unwrap()
}

/// Runs a line; what it printed.
fn runs(line: &str, dir: &Path) -> String {
    let output = shell(line, dir);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let file = [" > ", " -o ", " --out ", " --plot ", " --trace "]
        .iter()
        .find_map(|flag| line.split_once(flag))
        .map(|(_, rest)| rest.split_whitespace().next().unwrap())
        .filter(|word| word.contains(char::is_alphabetic));
    if let Some(file) = file {
        // A share of a sweep leaves its parts for `merge`.
        let parts = if line.contains(" --shard ") {
            ".parts"
        } else {
            ""
        };
        let file = format!("{file}{parts}");
        assert!(dir.join(&file).exists(), "{line} left no {file}");
    } else if let Some(merged) = line
        .strip_prefix("cwnd merge ")
        .filter(|file| !file.starts_with('-'))
    {
        assert!(dir.join(merged.trim()).exists(), "{line} left nothing");
    } else {
        assert!(!printed.trim().is_empty(), "{line} printed nothing");
    }
    printed
}

/// A word that stands for one of the reader's own.
fn placeholder(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        word.contains("...")
            || ["NAME", "FILE", "VERB", "LAW", "KEY", "OUT"]
                .iter()
                .any(|stand_in| word.contains(stand_in))
    })
}

/// Commands in `code` outside of fenced blocks, and the fenced blocks.
fn commands(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut inline, mut blocks) = (Vec::new(), Vec::new());
    for (number, part) in text.split("```").enumerate() {
        if number % 2 == 1 {
            blocks.push(
                part.split_once('\n')
                    .map_or("", |(_, rest)| rest)
                    .to_owned(),
            );
            continue;
        }
        for (at, code) in part.split('`').enumerate() {
            if at % 2 == 1 && code.starts_with("cwnd ") {
                inline.push(code.replace("\\|", "|").replace('\n', " "));
            }
        }
    }
    (inline, blocks)
}

fn samples(dir: &Path) {
    fs::write(
        dir.join("samples.csv"),
        "# loss events per packet, packets per round trip\nloss,window_pkt\n1e-4,123\n3e-4,70\n1e-3,39\n3e-3,22\n",
    )
    .unwrap();
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    samples(dir.path());
    let (inline, _) = commands(&readme);
    let wanted: Vec<&String> = inline
        .iter()
        // Two words name a verb, except where the table of questions has them.
        .filter(|line| {
            let whole = WHOLE.iter().any(|(whole, _)| whole == line);
            line.split_whitespace().count() > 2 || line.as_str() == "cwnd laws" || whole
        })
        .filter(|line| !placeholder(line))
        .collect();
    assert!(wanted.len() >= 20, "{wanted:?}");
    let mut done = BTreeSet::new();
    for line in wanted {
        if done.insert(line) {
            runs(&short(line), dir.path());
        }
    }
}

#[test]
fn what_the_readme_prints_is_printed() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    samples(dir.path());
    let (_, blocks) = commands(&readme);
    let mut compared = 0;
    for block in blocks {
        let mut rest = block.lines().peekable();
        while let Some(line) = rest.next() {
            let Some(command) = line.strip_prefix("$ ") else {
                continue;
            };
            let printed = runs(&short(command), dir.path());
            let mut got = printed.lines().map(str::trim_end);
            while let Some(expected) = rest.next_if(|line| !line.starts_with("$ ")) {
                compared += 1;
                let expected = expected.trim_end();
                let good = if expected == "..." {
                    while got.next().is_some() {}
                    true
                } else if let Some(beginning) = expected.strip_suffix(" ...") {
                    got.next().is_some_and(|line| line.starts_with(beginning))
                } else {
                    got.next() == Some(expected)
                };
                assert!(
                    good,
                    "`{command}` does not print `{expected}` but:\n{printed}"
                );
            }
        }
    }
    assert!(compared > 3);
}

#[test]
fn the_example_below_every_help_runs() {
    let dir = tempfile::tempdir().unwrap();
    let help = runs("cwnd --help", dir.path());
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(verbs.len() >= 16, "{verbs:?}");
    for verb in verbs {
        let dir = tempfile::tempdir().unwrap();
        let help = runs(&format!("cwnd {verb} --help"), dir.path());
        let lines: Vec<&str> = help
            .lines()
            .skip_while(|line| !line.starts_with("Example"))
            .skip(1)
            .map(str::trim)
            .take_while(|line| !line.is_empty())
            .collect();
        assert!(!lines.is_empty(), "`cwnd {verb} --help` has no example");
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with(&format!("cwnd {verb} "))
                    || *line == format!("cwnd {verb}")),
            "{lines:?} do not use {verb}"
        );
        for line in lines {
            assert!(line.starts_with("cwnd ") && !placeholder(line), "{line}");
            runs(&short(line), dir.path());
        }
    }
}

/// A reader that stops reading is no failure, and nothing is coloured.
#[test]
fn pipes_close_and_carry_no_colour() {
    let dir = tempfile::tempdir().unwrap();
    for line in [
        "cwnd response reno --loss 1e-8..1e-1:2000",
        "cwnd response reno --loss 1e-8..1e-1:2000 --format json",
        "cwnd laws",
        "cwnd man",
        "cwnd completions zsh",
        "cwnd response --help",
    ] {
        let output = shell(
            &format!("({line}; echo $? >&2) | head -1 >/dev/null"),
            dir.path(),
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).trim(),
            "0",
            "{line}"
        );
        let whole = shell(line, dir.path());
        assert!(!whole.stdout.contains(&0x1b), "{line} colours a pipe");
        // Nor where colours are asked for: there are none.
        let forced = shell(&format!("CLICOLOR_FORCE=1 {line}"), dir.path());
        assert!(whole.stdout == forced.stdout, "{line}");
    }
    let refused = shell("cwnd respnse", dir.path());
    assert!(!refused.stderr.contains(&0x1b));
}

/// On a terminal tables wrap their text, or turn their rows into columns; numbers stay whole.
#[test]
fn tables_fit_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    if !shell("command -v script && command -v stty", dir.path())
        .status
        .success()
    {
        return;
    }
    for columns in [60, 80, 130, 180] {
        for line in [
            "cwnd response bic --loss 1e-7,1e-6,1e-5 --rtt 100ms --quiet",
            "cwnd laws",
        ] {
            let asked = format!("stty cols {columns} rows 40; {line}");
            let seen = shell(
                &format!("script -qec '{asked}' typescript < /dev/null 2>&1 | cat"),
                dir.path(),
            );
            let text = String::from_utf8_lossy(&seen.stdout).into_owned();
            let rows: Vec<&str> = text.lines().skip(1).map(str::trim_end).collect();
            let widest = rows.iter().map(|row| row.chars().count()).max();
            assert!(
                widest.is_some_and(|n| n <= columns),
                "{line} at {columns}:\n{text}"
            );
            if line.contains("bic") {
                assert!(
                    text.contains("47580.863") && text.contains("5.7097 Gbit/s"),
                    "{text}"
                );
            }
        }
    }
}
