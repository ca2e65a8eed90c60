//! The program as a user sees it: both streams, exit codes, files.
#![cfg(feature = "cli")]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;

fn cwnd(words: &str) -> assert_cmd::assert::Assert {
    let args = words.split_whitespace();
    Command::cargo_bin("cwnd").unwrap().args(args).assert()
}

fn text(words: &str) -> String {
    String::from_utf8(cwnd(words).success().get_output().stdout.clone()).unwrap()
}

fn json(words: &str) -> Vec<Value> {
    serde_json::from_str(&text(&format!("{words} --format json"))).unwrap()
}

/// Refused: exit 2, nothing on standard output, one sentence on standard error that contains every word.
fn refused(args: &[&str], words: &[&str]) {
    let assert = Command::cargo_bin("cwnd")
        .unwrap()
        .args(args)
        .assert()
        .code(2);
    let output = assert.get_output();
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.stdout.is_empty(), "{args:?} printed");
    assert_eq!(error.trim_end().lines().count(), 1, "{args:?}: {error}");
    for word in words {
        assert!(
            error.contains(word),
            "{args:?}: `{word}` is not in: {error}"
        );
    }
}

macro_rules! refusals {
    ($($name:ident: [$($arg:literal),*] => [$($word:literal),*];)+) => {
        $(#[test] fn $name() { refused(&[$($arg),*], &[$($word),*]); })+
    };
}

refusals! {
    no_verb: [] => ["verb", "response"];
    unknown_verb: ["respnse", "bic"] => ["`respnse`", "`response`"];
    unknown_law: ["response", "bik", "--loss", "1e-3"] => ["`bik`", "`bic`"];
    unknown_preset: ["response", "highspeed@draft2003", "--loss", "1e-3"] => ["`draft2003`", "`draft2002`"];
    unknown_form: ["response", "bic", "--loss", "1e-3", "--form", "per-rond"] => ["`per-rond`", "`per-round`"];
    unknown_key: ["response", "bic:smix=3", "--loss", "1e-3"] => ["`smix`", "`smax`"];
    unknown_road: ["response", "bic", "--loss", "1e-3", "--road", "epok"] => ["`epok`", "`epoch`"];
    unknown_loss_model: ["response", "bic", "--loss", "1e-3", "--loss-model", "randm"] => ["`randm`", "`random`"];
    unknown_flag: ["response", "bic", "--los", "1e-3"] => ["`--los`", "`--loss`"];
    unknown_reference: ["cite", "xu2003"] => ["`xu2003`", "`xu2004`"];
    unknown_figure: ["figures", "bic2004-99"] => ["`bic2004-99`", "bic2004-4"];
    unknown_check: ["verify", "bic-tabel"] => ["`bic-tabel`", "`bic-table`"];
    unknown_format: ["laws", "--format", "xml"] => ["`xml`", "json"];
    missing_loss: ["response", "bic"] => ["--loss"];
    missing_law: ["response", "--loss", "1e-3"] => ["LAW"];
    missing_target: ["loss", "bic"] => ["--rate"];
    rate_without_rtt: ["loss", "bic", "--rate", "10Gbit/s"] => ["--rtt"];
    two_targets: ["loss", "bic", "--rate", "10Gbit/s", "--window", "10pkt"] => ["--rate", "--window"];
    value_out_of_range: ["response", "bic:beta=1.5", "--loss", "1e-3"] => ["`beta`", "`1.5`", "less than 1"];
    value_no_number: ["response", "bic:beta=x", "--loss", "1e-3"] => ["`x`"];
    value_nan: ["response", "bic:beta=nan", "--loss", "1e-3"] => ["`nan`"];
    switch_two: ["response", "bic:fast_convergence=2", "--loss", "1e-3"] => ["`2`", "0 or 1"];
    no_equals: ["response", "bic:beta", "--loss", "1e-3"] => ["`beta`", "key=value"];
    key_twice: ["response", "bic:beta=0.1,beta=0.2", "--loss", "1e-3"] => ["`beta`", "twice"];
    smin_above_smax: ["response", "bic:smin=40", "--loss", "1e-3"] => ["smin=40", "smax=32"];
    upside_down_line: ["response", "highspeed:high_window=20", "--loss", "1e-3"] => ["high_window=20", "low_window=38"];
    loss_zero: ["response", "bic", "--loss", "0"] => ["`0`", "more than 0"];
    loss_one: ["response", "bic", "--loss", "1"] => ["`1`", "less than 1"];
    loss_above_one: ["response", "bic", "--loss", "1.5"] => ["`1.5`"];
    loss_negative: ["response", "bic", "--loss", "-1e-3"] => ["`-1e-3`"];
    loss_nan: ["response", "bic", "--loss", "nan"] => ["`nan`"];
    loss_infinite: ["response", "bic", "--loss", "inf"] => ["`inf`"];
    loss_over_zero: ["response", "bic", "--loss", "1/0"] => ["`1/0`"];
    loss_hundred_percent: ["response", "bic", "--loss", "100%"] => ["`100%`"];
    loss_underflows: ["response", "bic", "--loss", "1e-400"] => ["`1e-400`"];
    time_without_unit: ["response", "bic", "--loss", "1e-3", "--rtt", "100"] => ["`100`", "100ms"];
    time_negative: ["response", "bic", "--loss", "1e-3", "--rtt", "-5ms"] => ["`-5ms`", "more than 0"];
    time_zero: ["response", "bic", "--loss", "1e-3", "--rtt", "0s"] => ["`0s`"];
    one_way_beside_rtt: ["response", "bic", "--loss", "1e-3", "--rtt", "1ms", "--one-way-delay", "1ms"] => ["--rtt", "--one-way-delay"];
    base_above_rtt: ["response", "bic", "--loss", "1e-3", "--rtt", "1ms", "--base-rtt", "2ms"] => ["`2ms`"];
    base_without_rtt: ["response", "bic", "--loss", "1e-3", "--base-rtt", "2ms"] => ["--rtt"];
    size_as_rate: ["loss", "bic", "--rate", "10GB", "--rtt", "100ms"] => ["`10GB`", "10Gbit/s"];
    bare_rate: ["loss", "bic", "--rate", "10", "--rtt", "100ms"] => ["`10`"];
    mixed_rates: ["loss", "bic", "--rate", "1Gbit/s,10pkt/s", "--rtt", "100ms"] => ["`10pkt/s`"];
    window_zero: ["loss", "bic", "--window", "0pkt"] => ["`0pkt`"];
    window_in_seconds: ["loss", "bic", "--window", "10s"] => ["`10s`"];
    packet_smaller_than_headers: ["response", "bic", "--loss", "1e-3", "--packet", "40B"] => ["40 B"];
    packet_and_mss: ["response", "bic", "--loss", "1e-3", "--packet", "1500B", "--mss", "1460B"] => ["--packet", "--mss"];
    grid_empty: ["response", "bic", "--loss", ""] => ["``"];
    grid_hole: ["response", "bic", "--loss", "1e-3,,1e-4"] => ["`1e-3,,1e-4`"];
    grid_of_no_points: ["response", "bic", "--loss", "1e-8..1e-1:0"] => ["`1e-8..1e-1:0`", "2 to"];
    grid_of_one_point: ["response", "bic", "--loss", "1e-8..1e-1:1"] => ["`1e-8..1e-1:1`"];
    grid_too_large: ["response", "bic", "--loss", "1e-8..1e-1:1000000000"] => ["1000000000"];
    range_without_end: ["response", "bic", "--loss", "1e-8.."] => ["``"];
    crossover_of_one: ["crossover", "bic"] => ["LAW"];
    crossover_over_nothing: ["crossover", "bic", "reno", "--loss", "1e-3..1e-3"] => ["`1e-3..1e-3`"];
    crossover_no_range: ["crossover", "bic", "reno", "--loss", "1e-3"] => ["`1e-3`", "1e-8..1e-1"];
    seed_negative: ["response", "bic", "--loss", "1e-3", "--seed", "-1"] => ["--seed", "`-1`"];
    budget_zero: ["response", "bic", "--loss", "1e-3", "--budget", "0"] => ["--budget"];
    precision_zero: ["response", "bic", "--loss", "1e-3", "--precision", "0"] => ["--precision"];
    unwritable_answer: ["response", "bic", "--loss", "1e-3", "-o", "Cargo.toml/a.txt"] => ["Cargo.toml/a.txt"];
    unwritable_figures: ["figures", "--out", "/proc/none"] => ["/proc/none"];
    unwritable_plot: ["plot", "bic", "-o", "Cargo.toml/a.svg"] => ["Cargo.toml/a.svg"];
    plot_of_another_kind: ["plot", "bic", "-o", "a.gif"] => ["`a.gif`", ".svg"];
    plot_without_points: ["plot", "bic", "-o", "a.svg", "--points", "/nonexistent/p.csv"] => ["/nonexistent/p.csv"];
    plot_rate_without_rtt: ["plot", "bic", "-o", "a.svg", "--rate"] => ["--rtt"];
}

#[test]
fn the_contract_of_response() {
    let reply = json("response bic --loss 1e-7 --rtt 100ms");
    assert_eq!(reply.len(), 1);
    let query = &reply[0]["query"];
    assert_eq!(reply[0]["schema"], 1);
    assert_eq!(query["verb"], "response");
    assert_eq!(query["law"], "bic");
    assert_eq!(query["preset"], "paper");
    assert_eq!(
        query["parameters"],
        serde_json::json!({"smax": 32, "smin": 0.01, "beta": 0.125, "low_window": 14, "fast_convergence": 0})
    );
    assert_eq!(
        (query["loss"].as_f64(), query["rtt_s"].as_f64()),
        (Some(1e-7), Some(0.1))
    );
    assert_eq!(
        (query["packet_bytes"].as_f64(), query["mss_bytes"].as_f64()),
        (Some(1500.0), Some(1460.0))
    );
    let closed = &reply[0]["answers"][0];
    for (key, value) in [
        ("road", "closed"),
        ("form", "per-round"),
        ("loss_model", "periodic"),
        ("regime", "additive increase"),
        ("source", "xu2004 eq. 5"),
    ] {
        assert_eq!(closed[key], value, "{key}");
    }
    // Equations 4 and 5 by an independent calculation; 12000 bits on the wire, 11680 of payload.
    for (key, value) in [
        ("window_pkt", 47_580.863),
        ("peak_pkt", 50_566.316),
        ("rate_pps", 475_808.63),
        ("rate_bps", 5_709_703_560.0),
        ("goodput_bps", 5_557_444_800.0),
        ("slope", 0.5146),
        ("rtt_exponent", 0.0),
    ] {
        let got = closed[key].as_f64().unwrap();
        assert!((got - value).abs() <= 1e-4 * value, "{key}: {got}");
    }
    assert!(closed["ci"].is_null());
    for key in ["note", "reason"] {
        assert!(
            closed.as_object().unwrap().contains_key(key),
            "{key} is left out"
        );
    }
    assert_eq!(reply[0]["answers"][1]["road"], "epoch");
    assert!(reply[0]["notes"].is_array());
}

#[test]
fn a_rate_needs_a_round_trip_and_says_so() {
    let reply = json("response reno --loss 1e-4");
    let answer = &reply[0]["answers"][0];
    assert!(answer["rate_bps"].is_null());
    assert!(answer["reason"].as_str().unwrap().contains("round trip"));
}

#[test]
fn grids_and_laws_multiply() {
    let reply = json("response reno bic --loss 1e-5..1e-3 --rtt 10ms,100ms --road closed");
    assert_eq!(reply.len(), 2 * 3 * 2);
    let csv = text("response reno bic --loss 1e-5..1e-3 --road closed,epoch --format csv");
    assert_eq!(csv.lines().count(), 1 + 2 * 3 * 2);
    let header = csv.lines().next().unwrap();
    for key in ["law", "loss", "road", "form", "window_pkt", "reason"] {
        assert!(header.split(',').any(|k| k == key), "{key} in {header}");
    }
}

#[test]
fn one_way_delay_is_half_a_round_trip() {
    let rate = |words: &str| json(words)[0]["answers"][0]["rate_bps"].as_f64().unwrap();
    assert_eq!(
        rate("response reno --loss 1e-4 --one-way-delay 50ms"),
        rate("response reno --loss 1e-4 --rtt 100ms")
    );
}

#[test]
fn what_people_asked() {
    // Question, key, expected: from a collection of questions with answers computed apart.
    let response = |words: &str, key: &str| {
        json(&format!("response {words} --road closed"))[0]["answers"][0][key]
            .as_f64()
            .unwrap()
    };
    let loss = |words: &str| {
        json(&format!("loss {words} --road closed"))[0]["answers"][0]["loss"]
            .as_f64()
            .unwrap()
    };
    let cases = [
        (
            "Q01 C=1",
            response(
                "mathis:c=1 --loss 1e-3 --rtt 50ms --mss 1460B",
                "goodput_bps",
            ),
            7.387e6,
        ),
        (
            "Q01",
            response("reno --loss 1e-3 --rtt 50ms --mss 1460B", "goodput_bps"),
            9.047e6,
        ),
        (
            "Q03",
            response(
                "mathis@simple --loss 0.001% --rtt 1s --mss 1440B",
                "goodput_bps",
            ) * 1.0,
            3.643e6,
        ),
        (
            "Q05 C=1",
            response(
                "mathis:c=1 --loss 1/22000 --rtt 90ms --mss 8948B",
                "goodput_bps",
            ),
            118.0e6,
        ),
        (
            "Q05 b=2",
            response(
                "reno:ack_every=2 --loss 1/22000 --rtt 90ms --mss 8948B",
                "goodput_bps",
            ),
            102.2e6,
        ),
        (
            "Q05",
            response(
                "reno --loss 1/22000 --rtt 90ms --packet 8988B",
                "goodput_bps",
            ),
            144.5e6,
        ),
        (
            "Q17",
            response("reno --loss 1.3% --rtt 209ms --mss 1448B", "goodput_bps"),
            595e3,
        ),
        (
            "Q17 7 %",
            response("reno --loss 7% --rtt 209ms --mss 1448B", "goodput_bps"),
            257e3,
        ),
        (
            "Q19 10G",
            loss("mathis:c=1.22 --rate 10Gbit/s --rtt 100ms"),
            2.14e-10,
        ),
        (
            "Q19 100G",
            loss("mathis:c=1.22 --rate 100Gbit/s --rtt 100ms"),
            2.14e-12,
        ),
        (
            "Q19 highspeed",
            loss("highspeed --rate 10Gbit/s --rtt 100ms"),
            1.01e-7,
        ),
        (
            "Q05 cubic",
            response("cubic --loss 1/22000 --rtt 90ms --mss 8948B", "goodput_bps"),
            248.8e6,
        ),
        (
            "Q07 cubic",
            response("cubic --loss 0.1% --rtt 100ms --mss 1460B", "goodput_bps"),
            4.524e6,
        ),
        (
            "Q07 cubic as in the tables",
            response(
                "cubic@rfc9438-tables --loss 0.1% --rtt 100ms --mss 1460B",
                "goodput_bps",
            ),
            4.432e6,
        ),
        (
            "Q13 T0 0.3 s",
            response(
                "pftk:rto=300ms --loss 20% --rtt 100ms --mss 1460B",
                "goodput_bps",
            ),
            0.1457e6,
        ),
        (
            "Q13 T0 1 s",
            response(
                "pftk:rto=1s --loss 20% --rtt 100ms --mss 1460B",
                "goodput_bps",
            ),
            0.0619e6,
        ),
        (
            "Q15 window",
            response("cubic --loss 0.2% --rtt 200ms", "window_pkt"),
            33.32,
        ),
        (
            "Q15 goodput",
            response("cubic --loss 0.2% --rtt 200ms --mss 1460B", "goodput_bps") / 8e6,
            0.243,
        ),
        (
            "Q15 11 MB/s",
            loss("cubic --goodput 11MB/s --rtt 200ms --mss 1460B"),
            1.24e-5,
        ),
        (
            "Q19 cubic",
            loss("cubic --rate 10Gbit/s --rtt 100ms"),
            2.95e-8,
        ),
        (
            "Q45",
            response("cubic --loss 1e-4 --rtt 100ms", "window_pkt"),
            187.4,
        ),
        (
            "Q45 kept 0.8",
            response("cubic:beta=0.8 --loss 1e-4 --rtt 100ms", "window_pkt"),
            208.8,
        ),
    ];
    for (what, got, expected) in cases {
        assert!(
            (got / expected - 1.0).abs() < 3e-3,
            "{what}: {got}, expected {expected}"
        );
    }
}

#[test]
fn crossover_tells_points_and_intervals() {
    let reply = json("crossover bic reno --road closed");
    let answer = &reply[0]["answers"][0];
    let point = &answer["points"][0];
    assert!((point["loss"].as_f64().unwrap() / 0.007_359_389_915_5 - 1.0).abs() < 1e-8);
    assert!((point["window_pkt"].as_f64().unwrap() / 14.276_597_737_5 - 1.0).abs() < 1e-8);
    let interval = &answer["intervals"][0];
    assert!((interval["from"].as_f64().unwrap() / 0.007_359_389_915_5 - 1.0).abs() < 1e-8);
    assert_eq!(interval["to"].as_f64(), Some(0.1));
    let never = json("crossover aimd reno --road closed");
    assert_eq!(
        never[0]["answers"][0]["reason"],
        "no crossover in this range"
    );
}

#[test]
fn a_road_without_an_answer_is_null_with_its_reason_and_exit_0() {
    for (words, reason) in [
        ("response kelly --loss 1e-3 --road epoch", "not a law"),
        (
            "response reno --loss 1e-6 --road ack --loss-model random --budget 1000",
            "1000 acknowledgements",
        ),
        (
            "response bic:fast_convergence=1 --loss 1e-3",
            "fast_convergence=0",
        ),
        (
            "response highspeed --loss 1e-3 --loss-model periodic --road closed",
            "frozen",
        ),
        (
            "response bic:low_window=0,smin=1 --loss 0.3 --form printed --road closed",
            "Smin",
        ),
        ("loss bic --window 0.1pkt --road closed", "no loss rate"),
    ] {
        let answer = &json(words)[0]["answers"][0];
        assert!(answer["window_pkt"].is_null(), "{words}");
        assert!(
            answer["reason"].as_str().unwrap().contains(reason),
            "{words}: {answer}"
        );
    }
}

#[test]
fn explain_bic_tells_the_whole_story() {
    let story = text("explain bic");
    for word in [
        "eq. 4",
        "eq. 5",
        "eq. 6",
        "eq. 7",
        "LambertW",
        "1/p - Smin",
        "20 %",
        "Smax",
        "REMOVED",
        "low_window",
        "INFOCOM",
        "1.357e-4",
        "per-ack",
    ] {
        assert!(story.contains(word), "{word}");
    }
    for law in json("laws")[0]["answers"].as_array().unwrap() {
        let name = law["law"].as_str().unwrap();
        assert!(
            text(&format!("explain {name}")).contains("Sources"),
            "{name}"
        );
    }
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    for words in [
        "response bic reno --loss 1e-4..1e-2 --road all --loss-model random --budget 1e6 --format json",
        "plot bic reno -o -",
        "laws --format csv",
    ] {
        assert_eq!(text(words), text(words), "{words}");
    }
}

#[test]
fn files_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let answer = at("answer.json");
    cwnd(&format!(
        "response bic --loss 1e-3 --format json -o {answer}"
    ))
    .success()
    .stdout("");
    let parsed: Vec<Value> = serde_json::from_str(&fs::read_to_string(&answer).unwrap()).unwrap();
    assert_eq!(parsed.len(), 1);
    let points = at("points.csv");
    fs::write(
        &points,
        "# measured\nlaw,loss,window_pkt\nreno,1e-3,37\nreno,1e-4,121\nbic,1e-3,71\n",
    )
    .unwrap();
    let picture = at("mine.svg");
    cwnd(&format!("plot bic reno -o {picture} --points {points}")).success();
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("reno, measured") && svg.contains("10⁻⁸"));
    let raster = at("mine.png");
    cwnd(&format!("plot bic:smax=64 -o {raster} --rtt 100ms --rate")).success();
    assert_eq!(&fs::read(&raster).unwrap()[..8], b"\x89PNG\r\n\x1a\n");
    for bad in [
        "loss,window_pkt\n1e-3,abc\n",
        "p,q\n1,2\n",
        "loss,window_pkt\n",
        "loss,window_pkt\n0,1\n",
        "loss,rate_bps\n1e-3,1e9\n",
    ] {
        fs::write(&points, bad).unwrap();
        let refused = at("refused.svg");
        cwnd(&format!("plot bic -o {refused} --points {points}"))
            .code(2)
            .stdout("");
        assert!(!std::path::Path::new(&refused).exists());
    }
    // Nothing half-written stands beside them.
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.contains(".part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn figures_in_the_tree_are_what_the_program_draws() {
    let folder = tempfile::tempdir().unwrap();
    cwnd(&format!("figures --out {}", folder.path().display())).success();
    let tree = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("figures");
    // Another processor may round a last digit otherwise: words must be the same, numbers close.
    let words = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphabetic())
            .collect::<String>()
    };
    // What the integrator draws is a course of events: a last digit that another processor rounds otherwise may move
    // them, so that only the words of such a figure are compared.
    let runs = [
        "bic2004-5",
        "bic2004-overflow",
        "fast2004-",
        "icccn2002-",
        "ns2-pairs",
        "red-boundary",
        "westwood2002-",
        "xcp2002-",
    ];
    let told = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with('#') || line.starts_with("panel"))
            .map(str::to_owned)
            .collect()
    };
    for listed in cwnd::figures::FIGURES.iter().filter(|one| !one.slow) {
        if runs.iter().any(|run| listed.name.starts_with(run)) {
            let name = format!("{}.csv", listed.name);
            let drawn = fs::read_to_string(folder.path().join(&name)).unwrap();
            let kept = fs::read_to_string(tree.join(&name)).unwrap_or_default();
            assert!(
                told(&drawn) == told(&kept),
                "{name} differs: run `cwnd figures`"
            );
            continue;
        }
        for ending in ["svg", "csv"] {
            let name = format!("{}.{ending}", listed.name);
            let drawn = fs::read_to_string(folder.path().join(&name)).unwrap();
            let kept = fs::read_to_string(tree.join(&name)).unwrap_or_default();
            assert!(
                words(&drawn) == words(&kept),
                "{name} differs: run `cwnd figures`"
            );
            if ending == "csv" {
                for (a, b) in drawn.lines().zip(kept.lines()) {
                    let last = |line: &str| {
                        line.rsplit(',')
                            .next()
                            .unwrap()
                            .parse::<f64>()
                            .unwrap_or(0.0)
                    };
                    assert!(
                        (last(a) - last(b)).abs() <= 1e-8 * last(a).abs(),
                        "{name}: `{a}` and `{b}`: run `cwnd figures`"
                    );
                }
            }
        }
    }
}

#[test]
fn help_version_completions_and_manual() {
    assert!(text("--version").starts_with("cwnd "));
    assert!(text("--help").contains("crossover"));
    assert!(text("response --help").contains("--loss-model"));
    assert!(text("completions bash").contains("reproduce"));
    // Every page that the manual refers to is there.
    let page = text("man").replace('\\', "");
    assert!(page.contains(".TH"));
    let mut verbs = 0;
    for word in page.split_whitespace() {
        if let Some(verb) = word
            .strip_prefix("cwnd-")
            .and_then(|w| w.strip_suffix("(1)"))
        {
            let page = text(&format!("man {verb}")).replace('\\', "");
            assert!(
                page.contains(&format!(".TH cwnd-{verb} 1")),
                "{verb}: {page}"
            );
            assert!(page.contains("--help"), "{verb}");
            verbs += 1;
        }
    }
    assert!(verbs > 15, "{verbs}");
    refused(&["man", "respnse"], &["did you mean `response`"]);
    assert!(!text("fit --help").contains("makes a grid"));
}

#[test]
fn a_word_too_many_is_no_flag_and_a_flag_is_no_file() {
    for (line, words) in [
        (
            "simulate --quite two.toml",
            "unknown flag `--quite`: did you mean `--quiet`",
        ),
        ("simulate --bogus", "unknown flag `--bogus`"),
        ("sweep --bogus", "unknown flag `--bogus`"),
        ("share bogus", "one word too many, `bogus`"),
    ] {
        refused(&line.split(' ').collect::<Vec<_>>(), &[words]);
    }
}

#[test]
fn other_names_are_read_and_never_printed() {
    for (other, name) in [
        ("hstcp", "highspeed"),
        ("HSTCP:low_window=30", "highspeed:low_window=30"),
        ("stcp", "scalable"),
        ("ctcp", "compound"),
        ("newreno", "reno"),
        ("TCP", "reno"),
    ] {
        let ask = |law: &str| {
            text(&format!(
                "response {law} --loss 1e-4 --road epoch --format json"
            ))
        };
        assert!(ask(other) == ask(name), "{other}");
    }
    assert!(text("explain hstcp").starts_with("highspeed: "));
    let refusal = cwnd("explain bogus").code(2);
    let error = String::from_utf8_lossy(&refusal.get_output().stderr).into_owned();
    for both in ["xcp", "fast", "vegas"] {
        let times = error.split([' ', ',']).filter(|word| *word == both).count();
        assert_eq!(times, 1, "{error}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let shell = format!(
        "{} response bic --loss 1e-8..1e-1:2000 --road closed | head -n 1",
        assert_cmd::cargo::cargo_bin("cwnd").display()
    );
    let output = std::process::Command::new("bash")
        .args(["-o", "pipefail", "-c", &shell])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty());
}

#[test]
fn verify_prints_what_it_compares() {
    let shown = text("verify bic-claims");
    for word in [
        "expected",
        "got",
        "difference",
        "tolerance",
        "xu2004",
        "0 failed",
    ] {
        assert!(shown.contains(word), "{word}");
    }
    let rows = json("verify rfc3649")[0]["answers"]
        .as_array()
        .unwrap()
        .clone();
    assert!(rows.len() > 80);
    assert!(
        rows.iter()
            .all(|row| row["passed"] == true && row["reason"].is_string())
    );
}

#[cfg(unix)]
#[test]
fn an_answer_goes_through_links_and_into_pipes_and_keeps_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("real.txt"), "old").unwrap();
    fs::set_permissions(at("real.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink(at("real.txt"), at("link.txt")).unwrap();
    cwnd(&format!(
        "response reno --loss 1e-3 -o {}",
        at("link.txt").display()
    ))
    .success();
    assert!(fs::symlink_metadata(at("link.txt")).unwrap().is_symlink());
    assert!(fs::read_to_string(at("real.txt")).unwrap().contains("reno"));
    assert_eq!(
        fs::metadata(at("real.txt")).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // A pipe stays one.
    let pipe = at("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
    };
    cwnd(&format!("response reno --loss 1e-3 -o {}", pipe.display())).success();
    assert!(reader.join().unwrap().contains("reno"));
}

#[test]
fn a_form_goes_to_the_laws_that_have_it() {
    let reply = json("response bic reno --loss 1e-3 --form per-ack --road closed");
    assert_eq!(reply[0]["answers"][0]["form"], "per-ack");
    assert_eq!(reply[1]["answers"][0]["form"], "periodic");
    let point =
        &json("crossover bic reno --form per-ack --road closed")[0]["answers"][0]["points"][0];
    assert!((point["window_pkt"].as_f64().unwrap() - 17.077_296).abs() < 1e-5);
    refused(&["crossover", "bic", "reno", "--form", "all"], &["all"]);
}

#[test]
fn the_epoch_road_answers_all_along() {
    // A grid fine enough to meet the odd place where a switch and rounding meet.
    for law in ["compound", "bic", "highspeed:low_window=150,low_p=0.005"] {
        let csv = text(&format!(
            "response {law} --loss 5e-3..0.05:400 --road epoch --format csv"
        ));
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let column = reader
            .headers()
            .unwrap()
            .iter()
            .position(|k| k == "window_pkt")
            .unwrap();
        let mut before = f64::INFINITY;
        for record in reader.records() {
            let window: f64 = record.unwrap()[column].parse().unwrap();
            assert!(
                window <= before * (1.0 + 1e-9),
                "{law}: {window} after {before}"
            );
            before = window;
        }
    }
}

#[test]
fn slopes_beside_a_threshold() {
    // Worked apart in many digits: the sawtooth barely reaches low_window.
    for (law, loss, slope) in [
        ("bic", "0.03", 0.045_094),
        ("bic:smin=0.0001", "0.03", 0.043_932),
        ("bic:smin=0.0001", "0.01", 0.015_309),
        ("bic:beta=0.05", "0.0074489", 0.240_635),
    ] {
        let got =
            json(&format!("response {law} --loss {loss} --road epoch"))[0]["answers"][0]["slope"]
                .as_f64()
                .unwrap();
        assert!((got - slope).abs() < 5e-6, "{law} {loss}: {got}");
    }
}

#[test]
fn slow_checks_are_left_out_by_name_and_come_with_a_flag() {
    let all = cwnd::verify::select(&[], true).unwrap();
    let quick = cwnd::verify::select(&[], false).unwrap();
    let slow: Vec<_> = all.iter().filter(|group| group.slow).collect();
    assert!(!slow.is_empty() && all.len() == quick.len() + slow.len());
    let named = cwnd::verify::select(&[slow[0].name.to_owned()], false).unwrap();
    assert_eq!(named[0].name, slow[0].name);
    let both = cwnd("verify --slow lambert").code(2);
    let said = String::from_utf8_lossy(&both.get_output().stderr).into_owned();
    assert!(said.contains("--slow"), "{said}");
}

/// Whatever has no value has a reason.
#[test]
fn nothing_is_null_without_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    fs::write(
        &path,
        "loss,window_pkt\n1e-4,122.47\n1e-3,38.73\n1e-2,12.247\n",
    )
    .unwrap();
    let samples = format!("fit {}", path.to_str().unwrap());
    for (words, parts) in [
        (
            "transfer --size 1MB --rtt 100ms --link 100Mbit/s --loss 0.1%",
            &["no interval", "--share"][..],
        ),
        ("transfer --size 1MB --rtt 100ms", &["nothing limits"]),
        ("stability xcp --road margin,root", &["--sweep", "growth"]),
        ("stability scalar --road fluid", &["--sweep", "roots"]),
        ("throughput reno --rtt 100ms --loss 1e-3", &["--solve"]),
        (&samples, &["packets an event"]),
    ] {
        let all = json(words);
        for answer in all[0]["answers"].as_array().unwrap() {
            let object = answer.as_object().unwrap();
            let silent = |(key, value): (&String, &Value)| value.is_null() && key != "note";
            assert!(object.iter().any(silent), "{words}: nothing is missing");
            assert!(answer["reason"].is_string(), "{words}: {answer}");
        }
        let first = all[0]["answers"][0]["reason"].as_str().unwrap();
        for part in parts {
            assert!(first.contains(part), "{words}: {first}");
        }
    }
}

/// `loss` and `crossover` say as `response` does where their answers leave timeouts out.
#[test]
fn answers_without_timeouts_say_so_in_every_verb() {
    for (words, said) in [
        ("loss reno --window 2pkt", true),
        ("loss mathis --window 1.5pkt", true),
        ("loss pftk --window 2pkt --road closed", false),
        ("loss reno --window 100pkt", false),
        ("crossover bic:low_window=5 reno --loss 1e-3..0.9", true),
        ("crossover bic reno --loss 1e-8..0.9", false),
    ] {
        let notes = json(words)[0]["notes"].to_string();
        assert_eq!(notes.contains("timeouts rule"), said, "{words}: {notes}");
        assert_eq!(text(words).contains("timeouts rule"), said, "{words}");
    }
}

/// Messages name the word that is wrong.
#[test]
fn refusals_quote_the_word_that_is_wrong() {
    refused(
        &["response", "bic", "--loss", "1e-3", "--loss", "1e-4"],
        &["`--loss <P>` is given twice"],
    );
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let word = std::ffi::OsStr::from_bytes(b"b\xffc");
        let assert = Command::cargo_bin("cwnd")
            .unwrap()
            .args([std::ffi::OsStr::new("explain"), word])
            .assert()
            .code(2);
        let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(
            error.contains("`b\u{fffd}c`") && error.contains("UTF-8"),
            "{error}"
        );
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    let name = path.to_str().unwrap();
    for (file, said) in [
        ("", "it has no columns"),
        (
            "loss,window_pkt,loss\n1e-3,38,1e-4\n",
            "two columns are called `loss`",
        ),
    ] {
        fs::write(&path, file).unwrap();
        refused(&["fit", name], &[said]);
    }
    fs::write(&path, "loss,window_pkt\n1e-3,38.73\n").unwrap();
    let page = text(&format!("fit {name}"));
    assert!(page.starts_with("samples: 1 sample\n"), "{page}");
    assert!(page.contains("three samples"), "{page}");
}
