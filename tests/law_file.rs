//! Laws of one's own: files read into laws that every road and verb takes like a built-in one.

use assert_cmd::Command;
use cwnd::algorithms::Selected;
use cwnd::files::{LAW_EXAMPLES, law_example, read_scenario, register_law};
use cwnd::fluid::simulate;
use cwnd::model::{Cause, Feedback, Path, ResponseFunction, WindowLaw};
use cwnd::responses::epoch::Epoch;
use cwnd::units::{LossRate, Seconds};
use proptest::prelude::*;

fn cwnd(dir: &std::path::Path) -> Command {
    let mut command = Command::cargo_bin("cwnd").unwrap();
    command.current_dir(dir);
    command
}

fn law(spec: &str) -> Box<dyn WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap()
}

fn refused(text: &str) -> String {
    register_law("mine.toml", text).unwrap_err().to_string()
}

/// A file with these two verbs.
fn file(name: &str, increase: &str, decrease: &str) -> String {
    format!("name = \"{name}\"\nincrease_per_round = \"{increase}\"\ndecrease = \"{decrease}\"\n")
}

#[test]
fn highspeed_written_out_is_the_built_in_law() {
    register_law("hs.toml", law_example("my-highspeed").unwrap().text).unwrap();
    for values in ["", ":high_decrease=0.2"] {
        let (own, built_in) = (
            Epoch::new(law(&format!("my-highspeed{values}"))),
            Epoch::new(law(&format!("highspeed{values}"))),
        );
        for exponent in 2..=8 {
            for mantissa in [1.0, 3.0] {
                let p = LossRate::new(mantissa * 10f64.powi(-exponent)).unwrap();
                let ask = |road: &Epoch| road.respond(p, &Path::default()).unwrap();
                let (a, b) = (ask(&own), ask(&built_in));
                approx::assert_relative_eq!(
                    a.window.value(),
                    b.window.value(),
                    max_relative = 1e-10
                );
                let peak = |r: &cwnd::model::Response| r.peak.unwrap().value();
                approx::assert_relative_eq!(peak(&a), peak(&b), max_relative = 1e-10);
            }
        }
    }
}

#[test]
fn every_example_is_a_law_that_runs_by_every_road() {
    let dir = tempfile::tempdir().unwrap();
    for example in LAW_EXAMPLES {
        let printed = cwnd(dir.path())
            .args(["laws", "--example", example.name])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(printed.stdout).unwrap(), example.text);
        std::fs::write(dir.path().join("my.toml"), example.text).unwrap();
        let name = register_law("my.toml", example.text).unwrap();
        let out = cwnd(dir.path())
            .args(["response", &name, "--law-file", "my.toml", "--road", "all"])
            .args(["--loss", "1e-3", "--rtt", "40ms", "--format", "json"])
            .output()
            .unwrap();
        assert!(out.status.success());
        let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        let answers = json[0]["answers"].as_array().unwrap();
        assert_eq!(answers.len(), 4);
        let window = |road: &str| {
            let answer = answers.iter().find(|a| a["road"] == road).unwrap();
            (answer["window_pkt"].as_f64(), answer["reason"].as_str())
        };
        assert_eq!(window("closed").0, None);
        assert_eq!(
            window("closed").1,
            Some("no closed form of this law is known")
        );
        let epoch = window("epoch").0.unwrap();
        approx::assert_relative_eq!(window("fluid").0.unwrap(), epoch, max_relative = 1e-5);
        // One packet at a time is coarser than the flow: by about 1/window.
        approx::assert_relative_eq!(window("ack").0.unwrap(), epoch, max_relative = 2e-2);
    }
}

#[test]
fn other_verbs_know_it_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("my.toml"),
        law_example("patient").unwrap().text,
    )
    .unwrap();
    std::fs::write(
        dir.path().join("run.toml"),
        "law_file = \"my.toml\"\n[link]\ncapacity = \"10Mbit/s\"\nbuffer = \"1bdp\"\n[[flow]]\nlaw = \"patient:pace=2\"\nrtt = \"20ms\"\n[run]\nduration = \"20s\"\nmeasure_from = \"5s\"\n",
    )
    .unwrap();
    let ok = |words: &[&str], needle: &str| {
        let out = cwnd(dir.path()).args(words).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(
            out.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        assert!(text.contains(needle), "{words:?}: {text}");
    };
    let own = ["--law-file", "my.toml"];
    ok(&[&["laws"][..], &own].concat(), "an invented law");
    ok(
        &[&["explain", "patient"][..], &own].concat(),
        "sqrt(w_max - w)",
    );
    ok(
        &[
            &[
                "loss", "patient", "--window", "100pkt", "--rtt", "50ms", "--road", "epoch",
            ][..],
            &own,
        ]
        .concat(),
        "epoch",
    );
    ok(
        &[
            &[
                "crossover",
                "patient",
                "reno",
                "--rtt",
                "50ms",
                "--road",
                "epoch",
            ][..],
            &own,
        ]
        .concat(),
        "patient",
    );
    ok(
        &[
            &[
                "throughput",
                "patient",
                "--rtt",
                "20ms",
                "--link",
                "10Mbit/s",
                "--buffer",
                "10ms",
            ][..],
            &own,
        ]
        .concat(),
        "uses",
    );
    ok(&["simulate", "run.toml"], "patient:pace=2");
    let plot = [
        "plot",
        "patient",
        "reno",
        "--rtt",
        "50ms",
        "--loss",
        "1e-5..1e-2",
    ];
    ok(&[&plot[..], &["-o", "-"], &own].concat(), "<svg ");
    let unknown = cwnd(dir.path())
        .args(["response", "patientt", "--loss", "1e-3"])
        .args(own)
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean `patient`?"));
}

#[test]
fn what_does_not_read_is_refused_at_its_column() {
    for (increase, column, said) in [
        ("1 + wmax", 5, "unknown name `wmax`: did you mean `w_max`?"),
        ("1 + (w", 7, "it ends where `)` or an operator is needed"),
        ("max(1)", 1, "`max` has 1 argument: two or more needed"),
        (
            "maxi(1, 2)",
            1,
            "unknown function `maxi`: did you mean `max`?",
        ),
        ("1 ** 2", 4, "`*` stands where"),
        ("1 2", 3, "`2` stands where an operator"),
        ("sqrt", 5, "after the function `sqrt`"),
        ("1e999", 1, "where a finite number is needed"),
        ("µ", 1, "unknown name `µ`"),
        ("", 1, "it ends where a number"),
    ] {
        let error = refused(&file("mine", increase, "w/2"));
        // The expression begins behind `increase_per_round = "`.
        let place = format!("mine.toml, line 2, column {}: ", 22 + column);
        assert!(error.starts_with(&place), "{increase}: {error}");
        assert!(error.contains(said), "{increase}: {error}");
    }
    let deep = format!("{}1{}", "(".repeat(500), ")".repeat(500));
    assert!(refused(&file("mine", &deep, "w/2")).contains("levels of parentheses"));
    let mut doubled = String::from("a0 = \"w + w\"\n");
    for i in 1..40 {
        doubled += &format!("a{i} = \"a{} + a{}\"\n", i - 1, i - 1);
    }
    let error = refused(&format!(
        "{}[define]\n{doubled}",
        file("mine", "a39", "w/2")
    ));
    assert!(error.contains("more than 10000 parts"), "{error}");
}

/// A long expression is refused while it is read: a tree of it could not be dropped again on this thread's stack.
#[test]
fn long_expressions_are_refused_and_quoted_near_the_place() {
    let long = |terms: usize, sign: &str| vec!["1"; terms].join(sign);
    for sign in ["+", "*", " - "] {
        let error = refused(&file("mine", &long(500_000, sign), "w/2"));
        assert!(error.contains("more than 10000 parts"), "{error}");
        assert!(error.len() < 250, "{error}");
    }
    let deep = format!("{}1", "(".repeat(50_000));
    let error = refused(&file("mine", &deep, "w/2"));
    assert!(error.len() < 250, "{error}");
    let wide = format!("max({})", long(100, ","));
    let error = refused(&file("mine", &wide, "w/2"));
    assert!(
        error.contains("`max` has more than 64 arguments"),
        "{error}"
    );
    // What stands on both sides of the place, no more.
    let error = refused(&file(
        "mine",
        &format!("{} ? {}", long(40, "+"), long(40, "*")),
        "w/2",
    ));
    let near = format!(
        "in `...{}1 ? {}...`: `?` stands",
        "1+".repeat(14),
        "1*".repeat(14)
    );
    assert!(error.contains(&near), "{error}");
    // The longest and deepest that are read run.
    let text = file("longest", &long(5000, "+"), "w/2");
    assert_eq!(register_law("longest.toml", &text).unwrap(), "longest");
    let mut chain = String::from("a0 = \"-w\"\n");
    for i in 1..1000 {
        chain += &format!("a{i} = \"-a{}\"\n", i - 1);
    }
    let text = format!("{}[define]\n{chain}", file("deepest", "abs(a999)", "w/2"));
    assert_eq!(register_law("deepest.toml", &text).unwrap(), "deepest");
}

#[test]
fn what_is_no_law_is_refused_with_its_window() {
    for (increase, decrease, said) in [
        (
            "1",
            "w",
            "its decrease leaves 4 packets at a window of 4 packets",
        ),
        (
            "1",
            "max(w/2, 100)",
            "its decrease leaves 100 packets at a window of 4 packets",
        ),
        (
            "1",
            "w - 1000",
            "its decrease leaves -996 packets at a window of 4 packets",
        ),
        (
            "1 / (w - 4)",
            "w/2",
            "its increase is inf at a window of 4 packets",
        ),
        (
            "ln(1e4 - w)",
            "w/2",
            "its increase is NaN at a window of 12649.1 packets",
        ),
        (
            "exp(w)",
            "w/2",
            "its increase is inf at a window of 711.312 packets",
        ),
        (
            "1",
            "w * (1 - ln(rtt))",
            "a window of 4 packets (w_max 4, age 0 s, rtt 0.1 s",
        ),
    ] {
        let error = refused(&file("mine", increase, decrease));
        assert!(error.contains(said), "{increase}; {decrease}: {error}");
    }
    // Between losses a law that answers to losses does not shrink, unless a queue or a passed peak says so.
    for (increase, found) in [("-1", "-1"), ("-w", "-4"), ("8 - w", "-4.6")] {
        let error = refused(&file("mine", increase, "w/2"));
        let said = format!("its increase is {found}");
        assert!(error.contains(&said), "{increase}: {error}");
        assert!(error.contains("0 or more is needed"), "{error}");
    }
    for (name, increase) in [
        ("timid", "1 - 20 * queueing_delay"),
        ("halfway", "(w_max - w) / 2"),
    ] {
        register_law("ok.toml", &file(name, increase, "w/2")).unwrap();
    }
    // The place is that of the expression that fails: line 2, after `increase_per_round = `.
    for (increase, decrease, place) in [("1/(w - 4)", "w/2", "2:22"), ("1", "w", "3:12")] {
        let text = format!(
            "name = \"mine\"\nincrease_per_round = \"{increase}\"\ndecrease = \"{decrease}\"\n"
        );
        let error = register_law("at.toml", &text).unwrap_err();
        let cwnd::error::Error::Place { line, column, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(format!("{line}:{column}"), place, "{error}");
    }
    // The values of a law count too: 1.5 would grow at a loss.
    register_law(
        "b.toml",
        "name = \"half\"\nincrease_per_round = \"1\"\ndecrease = \"kept * w\"\n[parameters]\nkept = { default = 0.5, min = 0, max = 2 }\n",
    )
    .unwrap();
    let error = Selected::parse("half:kept=1.5").unwrap_err().to_string();
    assert!(
        error.contains("its decrease leaves 6 packets at a window of 4 packets"),
        "{error}"
    );
    assert!(Selected::parse("half:kept=0.9").is_ok());
    for (text, said) in [
        (
            "name = \"reno\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"",
            "the name `reno` is taken",
        ),
        (
            "name = \"Mine\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"",
            "is not a name for a law",
        ),
        ("name = \"mine\"\ndecrease = \"w/2\"", "is missing"),
        (
            "name = \"mine\"\nincrease_per_round = \"1\"",
            "a `decrease` is missing",
        ),
        (
            "name = \"mine\"\nincrease_per_round = \"1\"\nincrease_per_second = \"1\"\ndecrease = \"w/2\"",
            "give one",
        ),
        (
            "name = \"mine\"\nincrease = \"1\"\ndecrease = \"w/2\"",
            "did you mean `decrease`?",
        ),
        (
            "name = \"mine\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"\n[parameters]\nrtt = 1",
            "`rtt` is taken already",
        ),
        (
            "name = \"mine\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"\n[parameters]\nx = { default = 3, max = 2 }",
            "out of its range",
        ),
    ] {
        let error = refused(text);
        assert!(error.contains(said), "{error}");
        assert!(error.starts_with("mine.toml, line "), "{error}");
    }
}

#[test]
fn a_law_that_fails_on_the_way_says_where() {
    // The grid lies beside 100 packets; the roads pass it. Growth ends there, and what a loss leaves fails between 57 and 70.
    register_law(
        "pole.toml",
        &file("pole", "1 + sqrt(min(100, w) - w) + 0*w", "w/2"),
    )
    .expect_err("NaN above 100 packets is on the grid");
    register_law(
        "gap.toml",
        &file("gap", "1", "if(w > 57, if(w < 70, 2 * w, w/2), w/2)"),
    )
    .unwrap();
    let path = Path::with_rtt(Seconds::new(0.1));
    let p = LossRate::new(1.0 / 1280.0).unwrap();
    let error = Epoch::new(law("gap"))
        .respond(p, &path)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("the law file's `gap`: its decrease leaves 1"),
        "{error}"
    );
    assert!(error.contains("at a window of "), "{error}");
    // Elsewhere it answers: what was tried on the way there does not count against growth, only losses do.
    let away = LossRate::new(0.01).unwrap();
    let window = Epoch::new(law("gap"))
        .respond(away, &path)
        .map(|r| r.window.value());
    assert!(window.is_ok() || window.unwrap_err().to_string().contains("`gap`"));
    let run = "law_file = \"gap.toml\"\n[link]\ncapacity = \"1000pkt/s\"\nbuffer = \"8pkt\"\n[[flow]]\nlaw = \"gap\"\nrtt = \"50ms\"\nslow_start = false\n[run]\nduration = \"30s\"\n";
    let staged = read_scenario("run.toml", run, None).unwrap();
    let error = simulate(&staged.scenario, &mut ()).unwrap_err().to_string();
    assert!(error.contains("its decrease leaves 1"), "{error}");
}

#[test]
fn the_same_file_again_is_the_same_law_and_another_is_not() {
    let text = file("twice", "1", "w/2");
    assert_eq!(register_law("a.toml", &text).unwrap(), "twice");
    assert_eq!(register_law("b.toml", &text).unwrap(), "twice");
    let error = register_law("c.toml", &file("twice", "2", "w/2")).unwrap_err();
    assert!(error.to_string().contains("the name `twice` is taken"));
}

#[test]
fn growth_a_second_counts_seconds() {
    register_law(
        "second.toml",
        "name = \"per-second\"\nincrease_per_second = \"10\"\ndecrease = \"w/2\"",
    )
    .unwrap();
    let own = law("per-second");
    assert!(own.needs_rtt());
    let window = |rtt: f64| {
        let path = Path::with_rtt(Seconds::new(rtt));
        let answer = Epoch::new(law("per-second")).respond(LossRate::new(1e-4).unwrap(), &path);
        answer.unwrap().window.value()
    };
    // 10 packets a second are one a round trip of 0.1 s: sqrt(3/2)/sqrt(p); the window goes with sqrt(rtt).
    approx::assert_relative_eq!(window(0.1), 15_000f64.sqrt(), max_relative = 1e-10);
    approx::assert_relative_eq!(window(0.4), 60_000f64.sqrt(), max_relative = 1e-10);
}

#[test]
fn a_decrease_that_counts_seconds_has_no_epoch_but_runs() {
    let text = file("aged", "1", "w * if(age > 1, 0.5, 0.8)");
    register_law("aged.toml", &text).unwrap();
    let path = Path::with_rtt(Seconds::new(0.1));
    let error = Epoch::new(law("aged"))
        .respond(LossRate::new(1e-4).unwrap(), &path)
        .unwrap_err();
    assert!(error.to_string().contains("use --road ack"), "{error}");
    let ack = cwnd::responses::ack::Ack::new(
        law("aged"),
        cwnd::model::LossModel::Random,
        cwnd::responses::ack::Effort::default(),
    );
    let window = ack
        .respond(LossRate::new(1e-3).unwrap(), &path)
        .unwrap()
        .window;
    // Between AIMD(1, 1/2), 1.31/sqrt(p), and AIMD(1, 1/5), about twice that.
    assert!(window.value() > 41.0 && window.value() < 85.0, "{window:?}");
}

/// An expression with its value at w = 7, age = 0.25, worked out apart.
#[derive(Debug, Clone)]
struct Sample {
    text: String,
    value: f64,
}

fn sample() -> impl Strategy<Value = Sample> {
    let leaf = prop_oneof![
        (0.01f64..100.0).prop_map(|x| Sample {
            text: format!("{x}"),
            value: x
        }),
        (1u32..1000).prop_map(|n| Sample {
            text: format!("{n}e-2"),
            value: format!("{n}e-2").parse().unwrap()
        }),
        Just(Sample {
            text: "w".into(),
            value: 7.0
        }),
        Just(Sample {
            text: "rtt".into(),
            value: 0.25
        }),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| Sample {
                text: format!("({} + {})", a.text, b.text),
                value: a.value + b.value
            }),
            two.clone().prop_map(|(a, b)| Sample {
                text: format!("({} - {})", a.text, b.text),
                value: a.value - b.value
            }),
            two.clone().prop_map(|(a, b)| Sample {
                text: format!("({})*({})", a.text, b.text),
                value: a.value * b.value
            }),
            two.clone().prop_map(|(a, b)| Sample {
                text: format!("min({}, {}, 50)", a.text, b.text),
                value: a.value.min(b.value).min(50.0)
            }),
            two.clone().prop_map(|(a, b)| Sample {
                text: format!("max({},{})", a.text, b.text),
                value: a.value.max(b.value)
            }),
            two.clone().prop_map(|(a, b)| Sample {
                text: format!("if({} >= {}, {}, -({}))", a.text, b.text, a.text, b.text),
                value: if a.value >= b.value {
                    a.value
                } else {
                    -b.value
                },
            }),
            inner.clone().prop_map(|a| Sample {
                text: format!("-(abs({}))^2/2", a.text),
                value: -(a.value.abs().powf(2.0)) / 2.0
            }),
            inner.clone().prop_map(|a| Sample {
                text: format!("cbrt({})", a.text),
                value: a.value.cbrt()
            }),
            inner.prop_map(|a| Sample {
                text: format!("2^-(abs(min(9, {})))", a.text),
                value: 2f64.powf(-(a.value.min(9.0).abs()))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn expressions_mean_what_they_say(sample in sample(), number in any::<u64>()) {
        let name = format!("p{number}");
        // Guarded, so that the grid of the check, whose nearest window is 7.11, does not refuse what overflows or falls below zero.
        let increase = format!("if(abs(w - 7) < 0.1, {}, 1)", sample.text);
        if let Ok(name) = register_law("p.toml", &file(&name, &increase, "w/2")) {
            let law = law(&name);
            let mut dx = [0.0];
            law.increase(&[7.0], &Feedback::quiet(0.25), &mut dx);
            let got = dx[0] * 0.25;
            prop_assert!(
                !sample.value.is_finite() || got == sample.value || (got - sample.value).abs() <= 1e-12 * sample.value.abs(),
                "{}: {got} for {}", sample.text, sample.value
            );
            let mut x = [7.0];
            law.decrease(&mut x, &Feedback::quiet(0.25), Cause::Loss);
            prop_assert_eq!(x[0], 3.5);
        } else {
            prop_assert!(!sample.value.is_finite());
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,60}") {
        let _ = register_law("p.toml", &file("garbled", &text.replace(['"', '\\'], ""), "w/2"));
    }

    #[test]
    fn no_file_breaks_the_reader(text in "(name|decrease|define|[a-z\\[\\]=\"\n{}., 0-9]){0,40}") {
        let _ = register_law("p.toml", &text);
    }
}
