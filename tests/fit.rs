//! The verb `fit`: c and d of c/p^d, their intervals, and the nearest law.
#![cfg(feature = "cli")]

use approx::assert_relative_eq;
use assert_cmd::Command;
use cwnd::algorithms::Selected;
use cwnd::model::{LossModel, Path};
use cwnd::numeric::statistics::t_quantile;
use cwnd::units::LossRate;
use cwnd::what_if::fit::{FitAnswer, Sample, fit};
use cwnd::what_if::{Context, find_road, response};
use serde_json::Value;
use std::fs;

const LOSSES: [f64; 9] = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3];

fn fitted(points: impl IntoIterator<Item = (f64, f64)>) -> FitAnswer {
    let samples: Vec<Sample> = points
        .into_iter()
        .map(|(p, window)| Sample {
            loss: LossRate::new(p).unwrap(),
            window,
            path: Path::default(),
        })
        .collect();
    fit(None, &samples).unwrap().answers.remove(0)
}

/// Tables of Student's t, 97.5 %.
#[test]
fn quantiles_of_students_t() {
    for (freedom, t) in [
        (1.0, 12.7062),
        (2.0, 4.30265),
        (3.0, 3.18245),
        (10.0, 2.22814),
        (30.0, 2.04227),
        (120.0, 1.97993),
        (1e6, 1.95997),
    ] {
        assert_relative_eq!(t_quantile(0.975, freedom).unwrap(), t, max_relative = 3e-6);
    }
    assert!(t_quantile(1.0, 3.0).is_err() && t_quantile(0.975, 0.0).is_err());
}

#[test]
fn exact_data_gives_its_constants() {
    for (c, d) in [(1.2247, 0.5), (0.12, 0.835), (0.08, 1.0)] {
        let answer = fitted(LOSSES.map(|p: f64| (p, c / p.powf(d))));
        assert_relative_eq!(answer.c.unwrap(), c, max_relative = 1e-11);
        assert_relative_eq!(answer.d.unwrap(), d, max_relative = 1e-12);
        assert!(answer.rms_log.unwrap() < 1e-12);
    }
    let answer = fitted(LOSSES.map(|p: f64| (p, 1.5f64.sqrt() / p.sqrt())));
    assert_eq!(
        (answer.nearest[0].law, answer.nearest[0].form),
        ("reno", "periodic")
    );
    assert!(answer.nearest[0].rms_log < 1e-12 && answer.packets_per_event.is_none());
}

/// Ordinary least squares by hand: x = 0, 1, 2, 3 and y = 1, 3, 2, 5 give slope 1.1, intercept 1.1, s² = 1.35.
#[test]
fn errors_of_a_line() {
    let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 2.0), (3.0, 5.0)];
    let line = cwnd::numeric::statistics::line(&points).unwrap();
    assert_relative_eq!(line.slope, 1.1, max_relative = 1e-12);
    assert_relative_eq!(line.intercept, 1.1, max_relative = 1e-12);
    assert_relative_eq!(
        line.slope_error,
        (1.35f64 / 5.0).sqrt(),
        max_relative = 1e-12
    );
    assert_relative_eq!(
        line.intercept_error,
        (1.35f64 * 0.7).sqrt(),
        max_relative = 1e-12
    );
    assert_relative_eq!(line.rms, (2.7f64 / 4.0).sqrt(), max_relative = 1e-12);
}

/// Simulated acknowledgement by acknowledgement under random losses: Reno's 1.3098/√p within the fit's own intervals.
#[test]
fn the_ack_road_is_within_the_interval() {
    let context = Context {
        roads: vec![find_road("ack").unwrap()],
        loss_model: Some(LossModel::Random),
        ..Context::default()
    };
    let law = Selected::parse("reno").unwrap();
    let answer = fitted([1e-4, 3e-4, 1e-3, 3e-3, 1e-2].map(|p| {
        let reply = response(&law, LossRate::new(p).unwrap(), &context).unwrap();
        (p, reply.answers[0].window_pkt.unwrap())
    }));
    let (low, high) = (answer.d_low.unwrap(), answer.d_high.unwrap());
    assert!(
        low < 0.5 && 0.5 < high && high - low < 0.05,
        "{low}..{high}"
    );
    let (low, high) = (answer.c_low.unwrap(), answer.c_high.unwrap());
    assert!(
        low < 1.3098 && 1.3098 < high && high / low < 1.5,
        "{low}..{high}"
    );
    assert_eq!(
        (answer.nearest[0].law, answer.nearest[0].form),
        ("reno", "random")
    );
}

/// Four lost packets in each event of a HighSpeed flow, counted as four losses. With a square-root law other constants would
/// explain them too (a policy that grows four times as fast), with this slope nothing else does.
#[test]
fn lost_packets_given_for_events_are_noticed() {
    let losses = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4];
    let answer = fitted(losses.map(|p: f64| (4.0 * p, 0.12 / p.powf(0.835))));
    let packets = answer.packets_per_event.unwrap();
    assert!((3.5..4.5).contains(&packets), "{packets}");
    assert!(answer.note.unwrap().contains("lost packets"));
}

fn ask(file: &str, rest: &[&str]) -> Vec<Value> {
    let output = Command::cargo_bin("cwnd")
        .unwrap()
        .args(["fit", file, "--format", "json"])
        .args(rest)
        .assert()
        .success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

/// ns-2's runs of the kernel modules of its day: the right law is named, or among those that are not told apart, or the
/// answer says that no registered law is near.
#[test]
fn ns2_runs_name_their_law_or_say_why_not() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/verify/data/ns2-response-periodic.csv"
    );
    let all = ask(file, &[]);
    assert_eq!(all.len(), 8);
    for envelope in all {
        let label = envelope["query"]["label"].as_str().unwrap();
        let answer = &envelope["answers"][0];
        let note = answer["note"].as_str().unwrap_or("");
        let named = answer["nearest"][0]["law"] == label;
        match label {
            "cubic" | "htcp" => assert!(named, "{label}"),
            // PFTK is standard TCP too, and nearer than the formula without timeouts.
            "reno" | "highspeed" => assert!(named || note.contains(label), "{label}: {note}"),
            // The module of that kernel adds one for every 50 packets, twice the paper's increase; named all the same.
            "scalable" | "compound" => {
                assert!(
                    named && note.contains("no registered law"),
                    "{label}: {note}"
                );
            }
            // Its kernel module by the rules for each acknowledgement; no closed form and no epoch of the paper's law is near.
            "bic" => {
                let nearest = &answer["nearest"][0];
                assert!(named && nearest["preset"] == "linux" && nearest["road"] == "ack");
                assert!(nearest["rms_log"].as_f64().unwrap() < 0.1);
            }
            // Illinois goes by the delay that it measured there, which the file does not have.
            "illinois" => assert!(
                !named
                    && note.contains("no registered law")
                    && note.contains("illinois, as the samples call themselves, is ")
                    && note.contains("queueing delay, which these samples do not have"),
                "{label}: {note}"
            ),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn files_are_read_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    let name = path.to_str().unwrap();
    // 1 Mbit/s, 500 kbit/s and 250 kbit/s at 100 ms and 1500 B: c/p^d with d = 1/2.
    fs::write(
        &path,
        "# mine\nloss,rate_bps\n1e-4,1e6\n0.04%,5e5\n1/625,2.5e5\n",
    )
    .unwrap();
    let answer = &ask(name, &["--rtt", "100ms"])[0]["answers"][0];
    assert_relative_eq!(answer["d"].as_f64().unwrap(), 0.5, max_relative = 1e-12);
    let c = 1e6 * 0.1 / 12000.0 * 0.01;
    assert_relative_eq!(answer["c"].as_f64().unwrap(), c, max_relative = 1e-11);
    for (text, said) in [
        ("loss,rate_bps\n1e-4,1e6\n", "--rtt"),
        ("p,q\n1e-4,1e6\n", "window_pkt"),
        ("a,window_pkt\n1e-4,1e6\n", "`loss`"),
        ("loss,window_pkt\n1e-4,1e300\n", "`1e300`"),
        ("loss,window_pkt\n1e-4,-1\n", "`-1`"),
        ("loss,window_pkt\n2,1\n", "line 2"),
        ("loss,window_pkt\n", "no samples"),
    ] {
        fs::write(&path, text).unwrap();
        let assert = Command::cargo_bin("cwnd")
            .unwrap()
            .args(["fit", name])
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(assert.get_output().stdout.is_empty());
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(error.contains(said), "{said}: {error}");
    }
}

/// A law of whole packets is told by its own rules, acknowledgement by acknowledgement; too few samples spoil only their own
/// line; a round trip in the file and another on the command line are one too many.
#[test]
fn laws_themselves_few_samples_and_two_round_trips() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    let name = path.to_str().unwrap();
    fs::write(
        &path,
        "law,loss,window_pkt,rtt_ms\nmine,1e-3,46.696,100\nmine,1e-4,374.796,100\nother,1e-4,122.47,100\nother,1e-3,38.73,100\nother,1e-2,12.247,100\n",
    )
    .unwrap();
    let all = ask(name, &[]);
    assert_eq!(all.len(), 2);
    let mine = &all[0]["answers"][0];
    assert!(mine["c"].is_null() && mine["reason"].as_str().unwrap().contains("three samples"));
    let nearest = &mine["nearest"][0];
    assert_eq!(
        (&nearest["law"], &nearest["preset"], &nearest["road"]),
        (&"bic".into(), &"linux".into(), &"ack".into())
    );
    assert_relative_eq!(
        all[1]["answers"][0]["d"].as_f64().unwrap(),
        0.5,
        max_relative = 1e-4
    );
    let refused = |rest: &[&str], code: i32| {
        let assert = Command::cargo_bin("cwnd")
            .unwrap()
            .args(["fit", name])
            .args(rest)
            .assert()
            .code(code);
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    assert!(refused(&["--rtt", "100ms"], 2).contains("leave out one of them"));
    assert!(refused(&["--assert", "d > 0.6"], 1).contains("for fit, mine:"));
}
