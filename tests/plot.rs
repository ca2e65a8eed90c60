//! `plot` with laws, and pictures as such: what is drawn, what is not, and whether the picture says so.
#![cfg(all(feature = "cli", feature = "plot", feature = "files"))]
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::Command;
use cwnd::figures::{Axis, Figure, Panel, Scale, Series, Stroke};
use std::fs;

/// Exit code, standard output and standard error of `cwnd plot WORDS -o -`.
fn plot(words: &str) -> (i32, String, String) {
    let done = Command::cargo_bin("cwnd")
        .unwrap()
        .args(["plot", "-o", "-"])
        .args(words.split(' '))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

fn drawn(words: &str) -> (String, String) {
    let (code, svg, errors) = plot(words);
    assert_eq!(code, 0, "{words}: {errors}");
    (svg, errors)
}

/// The words of a picture, one line for each text element.
fn texts(svg: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for piece in svg.split("<text").skip(1) {
        let inner = piece.split_once('>').unwrap().1;
        texts.push(inner.split("</text").next().unwrap().trim().to_owned());
    }
    texts
}

fn has(svg: &str, text: &str) -> bool {
    texts(svg).iter().any(|other| other == text)
}

/// All words in reading order: captions are broken into lines.
fn read(svg: &str) -> String {
    texts(svg).join(" ")
}

#[test]
fn a_law_without_an_answer_is_named_and_not_in_the_legend() {
    let (svg, errors) = drawn("vegas reno westwood --rtt 100ms");
    assert!(has(&svg, "reno") && !has(&svg, "vegas") && !has(&svg, "westwood"));
    for law in ["vegas", "westwood"] {
        let line = errors.lines().find(|line| line.contains(law)).unwrap();
        assert!(line.contains(&format!("{law}: no curve: ")), "{errors}");
        assert!(read(&svg).contains(&format!("{law}: no curve: ")), "{svg}");
    }
    // The reason is what `response` gives, and the range is not blamed.
    let (code, out, errors) = plot("westwood --rtt 100ms");
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(errors.lines().count(), 1);
    let reason = Command::cargo_bin("cwnd")
        .unwrap()
        .args(["response", "westwood", "--rtt", "100ms", "--loss", "1e-3"])
        .args(["--road", "closed", "--format", "json"])
        .output()
        .unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&reason.stdout).unwrap();
    let reason = reply[0]["answers"][0]["reason"].as_str().unwrap();
    assert!(errors.contains(reason), "{errors} / {reason}");
    assert!(!errors.contains("range of loss rates"), "{errors}");
}

#[test]
fn rates_are_drawn_in_the_unit_that_is_asked_for() {
    let (svg, _) = drawn("reno --loss 1e-6..1e-2 --rate --rtt 100ms --units mbit");
    assert!(has(&svg, "Rate (Mbit/s)"), "{:?}", texts(&svg));
    assert!(read(&svg).contains("packets of 1500 B"));
    // 1.2247/sqrt(p) packets of 12 kbit in 0.1 s: 1.47 to 147 Mbit/s.
    assert!(has(&svg, "1") && has(&svg, "1000") && !has(&svg, "10⁴"));
    // A byte is eight bits: the same curve an eighth as high.
    let (svg, _) = drawn("reno --loss 1e-4..1e-2 --rate --rtt 100ms --units MB --y-scale linear");
    assert!(
        has(&svg, "Rate (MB/s)") && has(&svg, "1.8") && !has(&svg, "2.0"),
        "{:?}",
        texts(&svg)
    );
    let (code, out, errors) = plot("reno --rtt 100ms --units mbit");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(errors.contains("--rate"), "{errors}");
}

#[test]
fn samples_outside_the_usual_range_widen_it_or_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("points.csv");
    fs::write(
        &file,
        "law,loss,window_pkt\nreno,2e-10,90000\nreno,1e-3,37\nmine,0.3,2\nmine,1e-3,5e7\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let (svg, errors) = drawn(&format!("reno --points {file}"));
    assert_eq!(errors, "");
    assert!(
        has(&svg, "10⁻¹⁰") && has(&svg, "10⁰") && has(&svg, "10⁸"),
        "{:?}",
        texts(&svg)
    );
    let (svg, errors) = drawn(&format!("reno --points {file} --loss 1e-2..0.5"));
    assert!(!has(&svg, "reno, measured") && has(&svg, "mine, measured"));
    assert!(
        errors.contains("3 measured samples lie outside"),
        "{errors}"
    );
    assert!(read(&svg).contains("3 measured samples lie outside"));
}

#[test]
fn the_caption_names_both_round_trips() {
    let (svg, _) = drawn("compound --rtt 100ms --base-rtt 90ms");
    assert!(
        read(&svg).contains("RTT 100 ms, base RTT 90 ms."),
        "{}",
        read(&svg)
    );
}

#[test]
fn scales_and_ranges_fit_the_curves() {
    let (svg, _) = drawn("reno scalable --loss 1e-4..1e-2 --x-scale linear --y-scale linear");
    assert!(has(&svg, "0.005") && has(&svg, "500"), "{:?}", texts(&svg));
    // 38.7 to 27.4 packets stand between 20 and 50, not between 10 and 100.
    let (svg, _) = drawn("reno --loss 1e-3..2e-3");
    assert!(
        has(&svg, "20") && has(&svg, "50") && !has(&svg, "100"),
        "{:?}",
        texts(&svg)
    );
    let (code, _, errors) = plot("reno --x-scale cubic");
    assert_eq!(code, 2);
    assert!(
        errors.contains("`cubic`") && errors.contains("linear"),
        "{errors}"
    );
}

fn series(label: &str, stroke: Stroke, points: &[(f64, f64)]) -> Series {
    Series {
        label: label.into(),
        stroke,
        points: points.to_vec(),
    }
}

fn panel(title: &str, scale: Scale, series: Vec<Series>) -> Panel {
    let axis = |scale| Axis {
        title: "axis".into(),
        scale,
        range: (0.5, 4.5),
    };
    Panel {
        title: title.into(),
        x: axis(scale),
        y: axis(Scale::Linear),
        series,
        marks: Vec::new(),
    }
}

fn svg(panels: Vec<Panel>) -> String {
    cwnd::draw::svg(&Figure {
        name: "figure".into(),
        title: String::new(),
        caption: String::new(),
        panels,
    })
    .unwrap()
}

#[test]
fn a_gap_in_a_curve_stays_a_gap() {
    let lines = |points: &[(f64, f64)]| {
        let one = series("one", Stroke::Line, points);
        svg(vec![panel("", Scale::Linear, vec![one])])
            .matches("<polyline")
            .count()
    };
    let broken = [
        (1.0, 1.0),
        (2.0, 1.0),
        (2.5, f64::NAN),
        (3.0, 1.0),
        (4.0, 1.0),
    ];
    let joined = [(1.0, 1.0), (2.0, 1.0), (3.0, 1.0), (4.0, 1.0)];
    assert_eq!(lines(&broken), lines(&joined) + 1);
}

#[test]
fn the_legend_says_where_a_series_is_when_it_must_say_so_for_others() {
    let at = [(1.0, 1.0), (2.0, 2.0)];
    let of = |labels: &[&str]| {
        labels
            .iter()
            .map(|label| series(label, Stroke::Line, &at))
            .collect::<Vec<_>>()
    };
    let picture = svg(vec![
        panel("(a) flows", Scale::Linear, of(&["flow 1"])),
        panel("(b) laws", Scale::Linear, of(&["reno", "bic"])),
    ]);
    for label in ["flow 1 – (a)", "reno – (b)", "bic – (b)"] {
        assert!(has(&picture, label), "{label}: {:?}", texts(&picture));
    }
    let picture = svg(vec![
        panel("(a) flows", Scale::Linear, of(&["reno"])),
        panel("(b) laws", Scale::Linear, of(&["reno", "bic"])),
    ]);
    assert!(has(&picture, "reno") && has(&picture, "bic"));
}

#[test]
fn names_stand_at_their_places() {
    const NAMES: &[&str] = &["north", "east", "south", "west"];
    let dots = series("dots", Stroke::Points, &[(1.0, 1.0), (4.0, 2.0)]);
    let picture = svg(vec![panel("", Scale::Names(NAMES), vec![dots])]);
    assert!(NAMES.iter().all(|name| has(&picture, name)));
    // No numbers between them: 1.5 stands on the vertical axis only.
    assert!(texts(&picture).iter().filter(|text| *text == "1.5").count() <= 1);
}

#[test]
fn bars_at_one_place_stand_beside_each_other() {
    let bars = |x: f64| {
        let ends = |x: f64| [(x, 1.0), (x, 3.0)];
        let picture = svg(vec![panel(
            "",
            Scale::Linear,
            vec![
                series("one", Stroke::Line, &[(1.0, 2.0), (4.0, 2.0)]),
                series("two", Stroke::Line, &[(1.0, 3.0), (4.0, 3.0)]),
                series("one", Stroke::Spread, &ends(2.0)),
                series("two", Stroke::Spread, &ends(x)),
            ],
        )]);
        // Upright lines of two places in the colours of curves.
        let upright = |line: &&str| {
            let points = line.split_once("points=\"").map_or("", |(_, rest)| rest);
            let places: Vec<&str> = points
                .split('"')
                .next()
                .unwrap_or("")
                .split_whitespace()
                .filter_map(|place| place.split(',').next())
                .collect();
            places.len() == 2 && places[0] == places[1]
        };
        let grey = |line: &&str| {
            line.split_once("stroke=\"#").is_some_and(|(_, colour)| {
                colour[..2] == colour[2..4] && colour[2..4] == colour[4..6]
            })
        };
        let mut places: Vec<String> = picture
            .lines()
            .filter(|line| line.starts_with("<polyline"))
            .filter(|line| upright(line) && !grey(line))
            .filter_map(|line| line.split_once("points=\"").map(|(_, rest)| rest))
            .filter_map(|points| points.split(',').next())
            .map(str::to_owned)
            .collect();
        places.sort();
        places.dedup();
        places.len()
    };
    // At one place as at two, two bars are seen.
    assert_eq!((bars(3.0), bars(2.0)), (2, 2));
}

#[test]
fn a_raster_picture_says_what_its_font_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let errors = |name: &str| {
        let done = Command::cargo_bin("cwnd")
            .unwrap()
            .current_dir(folder.path())
            .args(["plot", "reno", "--title", "窗口 W", "-o", name])
            .output()
            .unwrap();
        assert!(done.status.success());
        String::from_utf8(done.stderr).unwrap()
    };
    let said = errors("a.png");
    assert!(said.contains("`口窗`") && said.contains("SVG"), "{said}");
    assert_eq!(errors("a.svg"), "");
}

#[test]
fn a_run_is_drawn_with_its_link_its_round_trips_and_a_cut_overshoot() {
    const RUN: &str = r#"
[link]
capacity = "10Mbit/s"
buffer = "200pkt"
[[flow]]
law = "reno"
rtt = "40ms"
slow_start = true
[[flow]]
law = "reno"
rtt = "80ms"
start = "5s"
[run]
duration = "60s"
"#;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("run.svg");
    Command::cargo_bin("cwnd")
        .unwrap()
        .args(["simulate", "-", "--quiet", "--plot"])
        .arg(&at)
        .write_stdin(RUN)
        .assert()
        .success();
    let picture = fs::read_to_string(&at).unwrap();
    let words = read(&picture);
    for text in ["10 Mbit/s, buffer 200 packets.", "RTT 40 ms", "RTT 80 ms"] {
        assert!(words.contains(text), "{text}: {words}");
    }
    let line = |label: &str, points: &[(f64, f64)]| (label.to_owned(), points.to_vec());
    let words = cwnd::figures::Words {
        name: "run",
        title: "",
        caption: "Run.",
    };
    let spike = [
        (0.0, 1.0),
        (1.0, 900.0),
        (2.0, 90.0),
        (50.0, 100.0),
        (100.0, 80.0),
    ];
    let figure = cwnd::figures::run_plot(words, vec![line("one", &spike)], Vec::new(), 100.0);
    let top = figure.panels[0].y.range.1;
    assert!((100.0..120.0).contains(&top), "{top}");
    assert!(
        figure.caption.contains("up to 900 packets"),
        "{}",
        figure.caption
    );
    let figure = cwnd::figures::run_plot(words, vec![line("one", &spike[2..])], Vec::new(), 100.0);
    assert_eq!(figure.caption, "Run.");
}
