//! Files that a command writes appear whole, together and last, or not at all, however the command ends.
#![cfg(all(feature = "cli", feature = "files"))]
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::Command;
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

const SMALL: &str = r#"
[link]
capacity = "10Mbit/s"
[[flow]]
law = "reno"
rtt = "20ms"
[run]
duration = "5s"
"#;

/// Runs in a folder, where `s.toml` is the small scenario: exit code, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("cwnd").unwrap();
    let done = command.current_dir(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.toml"), text).unwrap();
    folder
}

#[cfg(unix)]
mod interrupted {
    use super::{folder_with, names};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    /// Ends with the test, however that ends.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// A run that would write more than a gigabyte.
    const LONG: &str = r#"
[link]
capacity = "1Gbit/s"
[[flow]]
law = "reno"
count = 50
rtt = "20ms..60ms"
[run]
duration = "1000s"
"#;

    /// Bytes of the largest file that the process has open, by name or without one.
    #[cfg(target_os = "linux")]
    fn growing(running: &Running, _folder: &std::path::Path) -> u64 {
        let open = std::fs::read_dir(format!("/proc/{}/fd", running.0.id()));
        let sizes = open.into_iter().flatten().flatten().filter_map(|entry| {
            let meta = std::fs::metadata(entry.path()).ok()?;
            meta.is_file().then_some(meta.len())
        });
        sizes.max().unwrap_or(0)
    }

    /// Where an open file cannot be looked up, time has to do.
    #[cfg(not(target_os = "linux"))]
    fn growing(running: &Running, _folder: &std::path::Path) -> u64 {
        std::thread::sleep(Duration::from_secs(1));
        u64::from(running.0.id()).max(1) << 32
    }

    /// Starts the long run, and waits until so many bytes of the trace are written or a file has appeared.
    fn start(folder: &std::path::Path, bytes: u64) -> Running {
        let child = Command::new(assert_cmd::cargo::cargo_bin("cwnd"))
            .current_dir(folder)
            .args(["simulate", "s.toml", "--sample", "1ms", "--trace", "t.csv"])
            .args(["-o", "answer.txt"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut running = Running(child);
        let begin = Instant::now();
        while names(folder).len() == 1 && growing(&running, folder) < bytes {
            assert!(
                running.0.try_wait().unwrap().is_none(),
                "the run is too short"
            );
            assert!(
                begin.elapsed() < Duration::from_secs(120),
                "no trace is written"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        running
    }

    fn send(signal: &str, running: &Running) {
        let command = format!("kill -{signal} {}", running.0.id());
        let sent = Command::new("sh").args(["-c", &command]).status().unwrap();
        assert!(sent.success());
    }

    /// Whether whoever started the tests has this signal ignored, as a shell does for what it runs in the background: then it ends
    /// nothing.
    fn ignored(number: i32, running: &Running) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.0.id()));
        let status = status.unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & (1 << (number - 1)) != 0)
    }

    #[test]
    fn a_signal_while_the_trace_is_written_leaves_nothing() {
        for (signal, number) in [("INT", 2), ("TERM", 15), ("KILL", 9)] {
            if signal == "KILL" && !cfg!(target_os = "linux") {
                continue;
            }
            let folder = folder_with(LONG);
            let mut running = start(folder.path(), 1 << 20);
            if ignored(number, &running) {
                continue;
            }
            send(signal, &running);
            let status = running.0.wait().unwrap();
            assert_eq!(status.signal(), Some(number), "{signal}");
            assert_eq!(names(folder.path()), ["s.toml"], "{signal}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_trace_is_not_held_in_memory() {
        let folder = folder_with(LONG);
        let running = start(folder.path(), 64 << 20);
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.0.id())).unwrap();
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        let peak = peak.unwrap().split_whitespace().nth(1).unwrap();
        let peak: u64 = peak.parse().unwrap();
        assert!(peak < 48 << 10, "64 MiB are written, {peak} kB were held");
    }
}

#[test]
fn a_refused_command_leaves_no_file() {
    // The last one is a figure whose axes no computer can draw.
    let odd = SMALL.replace("5s", "1e-300s");
    let cases: &[(&str, &[&str])] = &[
        (SMALL, &["--trace", "t.csv", "-o", "nodir/x.json"]),
        (SMALL, &["--trace", "t.csv", "--assert", "wndow_pkt > 1"]),
        (SMALL, &["--trace", "t.csv", "--assert", "window_pkt >"]),
        #[cfg(feature = "plot")]
        (SMALL, &["--trace", "t.csv", "--plot", "nodir/x.svg"]),
        #[cfg(feature = "plot")]
        (SMALL, &["--plot", "x.svg", "--assert", "wndow_pkt > 1"]),
        #[cfg(feature = "plot")]
        (SMALL, &["--plot", "x.svg", "-o", "nodir/x.json"]),
        #[cfg(feature = "plot")]
        (&odd, &["--trace", "t.csv", "--plot", "x.svg"]),
    ];
    for (text, args) in cases {
        let folder = folder_with(text);
        let (code, out, error) = run(folder.path(), &[&["simulate", "s.toml"], *args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?} {error}");
        assert!(!error.contains("0000000"), "{args:?} {error}");
        assert_eq!(names(folder.path()), ["s.toml"], "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_cannot_be_written_leaves_no_file() {
    let folder = folder_with(SMALL);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = std::process::Command::new(assert_cmd::cargo::cargo_bin("cwnd"))
        .current_dir(folder.path())
        .args(["simulate", "s.toml", "--trace", "t.csv"])
        .stdout(full)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
    assert_eq!(names(folder.path()), ["s.toml"]);
}

#[test]
fn an_assertion_that_does_not_hold_still_delivers() {
    let folder = folder_with(SMALL);
    let args = ["simulate", "s.toml", "--trace", "t.csv", "--assert"];
    let (code, out, error) = run(
        folder.path(),
        &[&args[..], &["flows.1.window_pkt < 0.1"]].concat(),
    );
    assert_eq!(code, 1, "{error}");
    assert!(out.contains("Jain's index"));
    assert_eq!(names(folder.path()), ["s.toml", "t.csv"]);
}

#[test]
fn every_output_of_a_run_is_whole() {
    let folder = folder_with(SMALL);
    let mut args = vec!["simulate", "s.toml", "--format", "json", "-o", "a.json"];
    args.extend(["--trace", "t.csv"]);
    let mut expected = vec!["a.json", "s.toml", "t.csv"];
    if cfg!(feature = "plot") {
        args.extend(["--plot", "p.svg"]);
        expected.insert(1, "p.svg");
    }
    // Twice: into an empty place, and over what is there.
    for _ in 0..2 {
        let (code, out, error) = run(folder.path(), &args);
        assert_eq!((code, out.as_str()), (0, ""), "{error}");
        assert_eq!(names(folder.path()), expected);
    }
    let (_, printed, _) = run(folder.path(), &["simulate", "s.toml", "--trace", "-"]);
    let written = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(printed == written, "a trace on standard output differs");
    assert_eq!(written.lines().count(), 1002);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_of_an_overwritten_file_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder_with(SMALL);
    let mode = |name: &str| {
        let meta = std::fs::metadata(folder.path().join(name)).unwrap();
        meta.permissions().mode() & 0o777
    };
    let answer = |name: &str| {
        let (code, _, error) = run(
            folder.path(),
            &["response", "reno", "--loss", "1e-4", "-o", name],
        );
        assert_eq!(code, 0, "{error}");
    };
    // As any new file.
    std::fs::File::create(folder.path().join("any")).unwrap();
    answer("new");
    assert_eq!(mode("new"), mode("any"));
    let set = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.path().join("new"), set).unwrap();
    symlink("new", folder.path().join("link")).unwrap();
    std::fs::write(folder.path().join("new"), "old").unwrap();
    answer("link");
    assert_eq!(mode("new"), 0o640);
    let meta = std::fs::symlink_metadata(folder.path().join("link")).unwrap();
    assert!(meta.is_symlink());
    let text = std::fs::read_to_string(folder.path().join("new")).unwrap();
    assert!(text.contains("reno"));
}

#[test]
fn output_does_not_go_where_input_or_other_output_is() {
    let folder = folder_with(SMALL);
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let law = "name = \"mine\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"\n";
    std::fs::write(folder.path().join("law.toml"), law).unwrap();
    let samples = "loss,window_pkt\n1e-4,122\n1e-3,39\n1e-2,12\n";
    std::fs::write(folder.path().join("samples.csv"), samples).unwrap();
    let grid = run(folder.path(), &["sweep", "--example", "limits"]).1;
    std::fs::write(folder.path().join("grid.csv"), &grid).unwrap();
    let before = names(folder.path());
    let reads = "this command reads it";
    let other = "other output of this command goes there";
    let cases: &[(&[&str], &str)] = &[
        (&["simulate", "s.toml", "--trace", "s.toml"], reads),
        (&["simulate", "s.toml", "--trace", "sub/../s.toml"], reads),
        (&["simulate", "s.toml", "-o", "s.toml"], reads),
        (&["simulate", "s.toml", "--trace", "x", "-o", "x"], other),
        (
            &["simulate", "s.toml", "--trace", "x", "-o", "sub/../x"],
            other,
        ),
        #[cfg(feature = "plot")]
        (
            &["simulate", "s.toml", "--trace", "x.svg", "--plot", "x.svg"],
            other,
        ),
        #[cfg(feature = "plot")]
        (
            &["simulate", "s.toml", "--plot", "x.svg", "-o", "x.svg"],
            other,
        ),
        #[cfg(feature = "plot")]
        (
            &["stability", "xcp", "--nyquist", "x.svg", "--bode", "x.svg"],
            other,
        ),
        (&["fit", "samples.csv", "-o", "samples.csv"], reads),
        (
            &[
                "response",
                "mine",
                "--law-file",
                "law.toml",
                "--loss",
                "1e-4",
                "--road",
                "epoch",
                "-o",
                "law.toml",
            ],
            reads,
        ),
        (&["sweep", "grid.csv", "--out", "grid.csv"], reads),
    ];
    for (args, said) in cases {
        let (code, out, error) = run(folder.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?} {error}");
        assert!(error.contains(said), "{args:?} {error}");
        assert_eq!(names(folder.path()), before, "{args:?}");
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("s.toml"), SMALL);
    assert_eq!(read("samples.csv"), samples);
    assert_eq!(read("law.toml"), law);
    assert!(read("grid.csv") == grid);
}

#[test]
fn a_sweep_into_a_directory_is_refused_before_it_begins() {
    let folder = folder_with(SMALL);
    let grid = run(folder.path(), &["sweep", "--example", "limits"]).1;
    std::fs::write(folder.path().join("grid.toml"), &grid).unwrap();
    std::fs::create_dir(folder.path().join("d.csv")).unwrap();
    let (code, _, error) = run(folder.path(), &["sweep", "grid.toml", "--out", "d.csv"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("`d.csv`") && error.contains("it is a directory"),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["d.csv", "grid.toml", "s.toml"]);
}

#[cfg(unix)]
#[test]
fn a_description_without_end_is_refused() {
    let folder = folder_with(SMALL);
    let cases: &[&[&str]] = &[
        &["simulate", "/dev/zero"],
        &["sweep", "/dev/zero", "--out", "x.csv"],
        &["laws", "--law-file", "/dev/zero"],
    ];
    for args in cases {
        let (code, _, error) = run(folder.path(), args);
        assert_eq!(code, 2, "{args:?}");
        assert!(error.contains("larger than 16 MiB"), "{args:?} {error}");
    }
}
