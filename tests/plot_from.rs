//! `plot --from`: columns of a sweep as lines and heat maps.
#![cfg(all(feature = "cli", feature = "plot"))]
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

const LINES: &str = "\
# a comment
law,rtt_s,loss,window_pkt,regime,reason
reno,0.1,1e-4,122.47,steady,
reno,0.1,1e-2,12.247,steady,
cubic,0.1,1e-4,187.5,steady,
cubic,0.1,1e-2,,,no answer here
reno,0.2,1e-4,122.47,steady,
reno,0.2,1e-2,12.247,steady,
";

/// Nine places, one without an answer.
const GRID: &str = "\
loss,buffer_bytes,utilisation,active
1e-4,0,0.75,loss
1e-3,0,0.5,loss
1e-2,0,0.25,timeout
1e-4,1000,0.875,link
1e-3,1000,0.625,loss
1e-2,1000,,
1e-4,2000,1.0,link
1e-3,2000,0.75,link
1e-2,2000,0.5,timeout
";

fn run(text: &str, args: &[&str]) -> (i32, Vec<u8>, String, TempDir) {
    let at = TempDir::new().unwrap();
    fs::write(at.path().join("o.csv"), text).unwrap();
    let done = Command::cargo_bin("cwnd")
        .unwrap()
        .current_dir(at.path())
        .args(["plot", "--from", "o.csv"])
        .args(args)
        .output()
        .unwrap();
    let errors = String::from_utf8(done.stderr).unwrap();
    (done.status.code().unwrap(), done.stdout, errors, at)
}

fn svg(text: &str, args: &str) -> String {
    let args: Vec<&str> = args.split(' ').chain(["-o", "-"]).collect();
    let (code, out, errors, _) = run(text, &args);
    assert_eq!(code, 0, "{errors}");
    String::from_utf8(out).unwrap()
}

fn refused(text: &str, args: &str, words: &[&str]) {
    let args: Vec<&str> = args.split(' ').chain(["-o", "p.svg"]).collect();
    let (code, out, errors, at) = run(text, &args);
    assert_eq!((code, out.len()), (2, 0), "{args:?}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    for word in words {
        assert!(errors.contains(word), "{args:?}: {errors}");
    }
    assert!(!at.path().join("p.svg").exists());
}

/// Texts of a picture in order.
fn texts(svg: &str) -> Vec<&str> {
    svg.split("</text>")
        .filter_map(|piece| piece.rsplit_once('>').map(|(_, text)| text.trim()))
        .collect()
}

/// Filled areas of a picture by their colour.
fn areas(svg: &str, colour: &str) -> usize {
    svg.matches(&format!("fill=\"{colour}\"")).count()
}

#[test]
fn lines_have_their_names_and_units() {
    let picture = svg(
        LINES,
        "--x loss --y window_pkt --series law --where rtt_s=100ms",
    );
    let texts = texts(&picture);
    for text in [
        "Window",
        "window (packets)",
        "loss events per packet, p",
        "reno",
        "cubic",
    ] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    let caption = texts.join(" ");
    assert!(
        caption.contains("o.csv; rtt_s=100ms. One row without a value is left out."),
        "{caption}"
    );
    // Both axes span enough to be logarithmic; asked otherwise, they are not.
    let powers = |picture: &str| picture.contains("10⁻³");
    assert!(powers(&picture));
    let linear = svg(
        LINES,
        "--x loss --y window_pkt --series law --where rtt_s=0.1 --x-scale linear",
    );
    assert!(!powers(&linear));
}

#[test]
fn several_columns_tell_lines_apart() {
    let picture = svg(
        LINES,
        "--x loss --y window_pkt --series law,rtt_s --title Mine",
    );
    let texts = texts(&picture);
    for text in [
        "Mine",
        "reno, RTT 0.1 s",
        "reno, RTT 0.2 s",
        "cubic, RTT 0.1 s",
    ] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
}

#[test]
fn numbers_are_shades_and_words_are_colours_with_a_key() {
    let picture = svg(GRID, "--x loss --y buffer_bytes --z utilisation");
    let labels = texts(&picture);
    for text in ["buffer (bytes)", "utilisation", "no answer", "2000"] {
        assert!(labels.contains(&text), "{text}: {labels:?}");
    }
    // The least and the largest number have the ends of the colours, and nothing else but the bar can have them.
    assert!(areas(&picture, "#00224E") >= 1 && areas(&picture, "#FEE838") >= 1);
    let picture = svg(GRID, "--x loss --y buffer_bytes --z active");
    let labels = texts(&picture);
    for text in ["loss", "timeout", "link", "active", "no answer"] {
        assert!(labels.contains(&text), "{text}: {labels:?}");
    }
    // Of three words: loss is dark (two runs in the lowest row's order, one above, and the key), link is light.
    assert_eq!(
        (areas(&picture, "#00224E"), areas(&picture, "#FEE838")),
        (3, 3)
    );
}

#[test]
fn png_is_written_whole() {
    let args = [
        "--x",
        "loss",
        "--y",
        "buffer_bytes",
        "--z",
        "active",
        "-o",
        "p.png",
    ];
    let (code, _, errors, at) = run(GRID, &args);
    assert_eq!(code, 0, "{errors}");
    let bytes = fs::read(at.path().join("p.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xae\x42\x60\x82"));
}

#[test]
fn what_cannot_be_drawn_is_refused_in_one_sentence() {
    refused(
        LINES,
        "--x los --y window_pkt",
        &["unknown column `los`", "`loss`"],
    );
    refused(
        LINES,
        "--x loss --y window_pkt --series low",
        &["`low`", "`law`"],
    );
    refused(
        LINES,
        "--x loss --y window_pkt",
        &["several rows", "loss = 0.0001", "law", "--series"],
    );
    refused(
        GRID,
        "--x loss --y active --z utilisation",
        &["`loss` is not a number", "active"],
    );
    refused(
        LINES,
        "--x loss --y rtt_s --z window_pkt",
        &["several rows", "law", "--where"],
    );
    refused(
        LINES,
        "--x loss --y window_pkt --where rtt_s=1s",
        &["0.1, 0.2"],
    );
    refused(
        LINES,
        "--x loss --y window_pkt --where rtt_s",
        &["COLUMN=VALUE"],
    );
    refused(
        LINES,
        "--x loss --y window_pkt --series law,rtt_s --y-scale logarithmic",
        &["log or linear"],
    );
    refused(
        GRID,
        "--x loss --y buffer_bytes --z utilisation --y-scale log",
        &["buffer_bytes", "more than 0"],
    );
    refused(
        LINES,
        "--x loss --y reason --where law=bic",
        &["`bic`", "reno, cubic"],
    );
    refused("a,b\n", "--x a --y b", &["no rows"]);
    refused("a,b\n1,\n", "--x a --y b", &["nothing to draw"]);
    refused(LINES, "--x loss", &["--y"]);
    refused(
        LINES,
        "--x loss --y window_pkt reno",
        &["do not go together"],
    );
}

/// Rows as JSON lines, an empty field as `null`.
fn json_lines(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let value = |field: &str| match field {
        "" => "null".to_owned(),
        _ if field.parse::<f64>().is_ok() => field.to_owned(),
        _ => format!("\"{field}\""),
    };
    let object = |line: &str| {
        let pairs = header.iter().zip(line.split(','));
        let pairs: Vec<String> = pairs
            .map(|(key, field)| format!("\"{key}\":{}", value(field)))
            .collect();
        format!("{{{}}}\n", pairs.join(","))
    };
    let objects: Vec<String> = lines.map(object).collect();
    objects.concat()
}

/// The picture of a file, or what was said instead.
fn drawn(name: &str, text: &str, args: &[&str]) -> Result<String, String> {
    let at = TempDir::new().unwrap();
    fs::write(at.path().join(name), text).unwrap();
    let done = Command::cargo_bin("cwnd")
        .unwrap()
        .current_dir(at.path())
        .args(["plot", "--from", name, "-o", "-"])
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if done.status.success() {
        Ok(text(done.stdout))
    } else {
        assert_eq!(done.status.code(), Some(2));
        Err(text(done.stderr))
    }
}

#[test]
fn json_lines_are_drawn_as_the_same_rows_are_from_csv() {
    let lines = [
        "--x",
        "loss",
        "--y",
        "window_pkt",
        "--series",
        "law",
        "--where",
        "rtt_s=100ms",
    ];
    let heat = ["--x", "loss", "--y", "buffer_bytes", "--z", "utilisation"];
    for (text, args) in [(LINES, lines.as_slice()), (GRID, heat.as_slice())] {
        let from_csv = drawn("o.csv", text, args).unwrap();
        let from_lines = drawn("o.jsonl", &json_lines(text), args).unwrap();
        assert!(from_csv.replace("o.csv", "o.jsonl") == from_lines);
    }
}

#[test]
fn other_files_are_refused_in_a_sentence() {
    let args = ["--x", "loss", "--y", "window_pkt"];
    for (name, text, words) in [
        ("o.csv", json_lines(GRID), vec!["o.csv", ".jsonl"]),
        (
            "o.jsonl",
            GRID.to_owned(),
            vec!["o.jsonl", "line 1", "JSON"],
        ),
        ("o.jsonl", String::new(), vec!["no rows"]),
        ("o.parquet", GRID.to_owned(), vec!["o.parquet"]),
    ] {
        let said = drawn(name, &text, &args).unwrap_err();
        assert_eq!(said.lines().count(), 1, "{said}");
        for word in words {
            assert!(said.contains(word), "{said}");
        }
    }
}

/// What a sweep writes is drawn alike from each of its formats.
#[cfg(feature = "files")]
#[test]
fn a_sweep_is_drawn_alike_from_each_format() {
    let at = TempDir::new().unwrap();
    fs::write(
        at.path().join("s.toml"),
        "verb = \"response\"\n[grid]\nlaw = [\"reno\", \"pftk\"]\nloss = \"1e-4..1e-2:7\"\n[fixed]\nrtt = \"100ms\"\n",
    )
    .unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::cargo_bin("cwnd").unwrap();
        let done = command.current_dir(at.path()).args(args).output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).unwrap()
    };
    let mut endings = vec!["csv", "jsonl"];
    if cfg!(feature = "parquet") {
        endings.push("parquet");
    }
    let pictures = endings.iter().map(|ending| {
        let name = format!("o.{ending}");
        run(&["sweep", "s.toml", "--out", &name]);
        let args = "--x loss --y window_pkt --series law,road -o -";
        let args: Vec<&str> = ["plot", "--from", &name]
            .into_iter()
            .chain(args.split(' '))
            .collect();
        run(&args).replace(&name, "o")
    });
    let pictures: Vec<String> = pictures.collect();
    assert!(pictures[0].contains("pftk"));
    assert!(pictures.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn units_scale_rates_and_sizes_and_nothing_else() {
    const RATES: &str =
        "loss,goodput_bps,buffer_bytes\n1e-4,2e6,5e5\n1e-3,3e6,5e5\n1e-4,4e6,1e6\n1e-3,5e6,1e6\n";
    let words = "--x loss --y goodput_bps --series buffer_bytes";
    let picture = svg(RATES, &format!("{words} --units mbit"));
    let found = texts(&picture);
    for text in ["goodput (Mbit/s)", "buffer 4 Mbit", "buffer 8 Mbit"] {
        assert!(found.contains(&text), "{text}: {found:?}");
    }
    // The numbers are divided too: from 0 to 5.12 Mbit/s.
    assert!(
        found.contains(&"5.0") && !found.contains(&"5×10⁶"),
        "{found:?}"
    );
    refused(
        LINES,
        "--x loss --y window_pkt --series law --where rtt_s=0.1 --units mbit",
        &["--units", "_bps"],
    );
}

#[test]
fn numbers_in_the_legend_have_six_digits_unless_that_makes_two_one() {
    let picture = svg(
        "x,y,buffer_bytes\n1,2,77935.8774888183\n2,3,77935.8774888183\n1,4,12\n",
        "--x x --y y --series buffer_bytes",
    );
    assert!(
        texts(&picture).contains(&"buffer 77935.9 bytes"),
        "{:?}",
        texts(&picture)
    );
    let picture = svg(
        "x,y,k\n1,2,1.00000001\n1,4,1.00000002\n",
        "--x x --y y --series k",
    );
    assert!(
        texts(&picture).contains(&"k 1.00000002"),
        "{:?}",
        texts(&picture)
    );
}

#[test]
fn more_curves_than_looks_are_said() {
    let rows: String = (0..41).fold("x,y,k\n".into(), |text, k| {
        format!("{text}1,{k},{k}\n2,{k},{k}\n")
    });
    let args = ["--x", "x", "--y", "y", "--series", "k", "-o", "-"];
    let (code, out, errors, _) = run(&rows, &args);
    assert_eq!(code, 0);
    assert!(errors.contains("41 curves"), "{errors}");
    assert!(String::from_utf8(out).unwrap().contains("41 curves"));
    let (_, _, errors, _) = run(&rows[..rows.len() - 16], &args);
    assert_eq!(errors, "");
}

#[test]
fn cells_meet_on_pixels() {
    let picture = svg(GRID, "--x loss --y buffer_bytes --z utilisation");
    assert!(picture.contains("polygon{shape-rendering:crispEdges}"));
    let lines = svg(LINES, "--x loss --y window_pkt --series law,rtt_s");
    assert!(!lines.contains("crispEdges"));
}
