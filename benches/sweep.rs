//! A million response points to CSV, through the program as a user runs it.

use criterion::{Criterion, criterion_group, criterion_main};
use std::process::Command;

/// Law, loss rate and round trip all change; a million points.
const CLOSED: &str = r#"
verb = "response"
columns = ["window_pkt", "rate_bps"]
[fixed]
road = "closed"
[grid]
law = ["reno", "cubic", "highspeed", "bic"]
rtt = { from = "1ms", to = "1s", points = 250, scale = "log" }
loss = "1e-8..1e-2:1000"
"#;

/// Two roads, so two million rows; laws that count no seconds, whose epochs are the same at every round trip.
const CLOSED_AND_EPOCH: &str = r#"
verb = "response"
columns = ["road", "window_pkt", "rate_bps"]
[fixed]
road = "closed,epoch"
[grid]
law = ["reno", "scalable", "highspeed", "bic"]
rtt = { from = "1ms", to = "1s", points = 1000, scale = "log" }
loss = "1e-8..1e-2:250"
"#;

/// Two roads, every point another loss rate and so another epoch.
const LOSSES: &str = r#"
verb = "response"
columns = ["road", "window_pkt", "rate_bps"]
[fixed]
road = "closed,epoch"
law = "LAW"
rtt = "100ms"
[grid]
loss = { from = 1e-8, to = 1e-2, points = 1000000, scale = "log" }
"#;

/// A law that counts seconds on a hundred paths: a tenth of a million points.
const PATHS: &str = r#"
verb = "response"
columns = ["road", "window_pkt", "rate_bps"]
[fixed]
road = "closed,epoch"
law = "cubic"
[grid]
rtt = { from = "1ms", to = "1s", points = 100, scale = "log" }
loss = "1e-8..1e-2:1000"
"#;

fn sweeps(c: &mut Criterion) {
    let at = tempfile::TempDir::new().expect("a directory");
    let mut group = c.benchmark_group("sweep");
    group.sample_size(10);
    for (name, text) in [
        ("1e6 points, closed", CLOSED),
        ("1e6 points, closed and epoch", CLOSED_AND_EPOCH),
        (
            "1e6 points, closed, all columns",
            &CLOSED.replace("columns", "#"),
        ),
        (
            "1e6 loss rates of highspeed, closed and epoch",
            &LOSSES.replace("LAW", "highspeed"),
        ),
        (
            "1e6 loss rates of bic, closed and epoch",
            &LOSSES.replace("LAW", "bic"),
        ),
        (
            "1e6 loss rates of cubic, closed and epoch",
            &LOSSES.replace("LAW", "cubic"),
        ),
        ("1e5 points of cubic on 100 paths, closed and epoch", PATHS),
    ] {
        std::fs::write(at.path().join("s.toml"), text).expect("a file");
        for threads in ["1", "2"] {
            group.bench_function(format!("{name}, {threads} threads"), |b| {
                b.iter(|| {
                    let done = Command::new(env!("CARGO_BIN_EXE_cwnd"))
                        .current_dir(at.path())
                        .args(["sweep", "s.toml", "--out", "o.csv", "--threads", threads])
                        .status();
                    assert!(done.expect("a run").success());
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
