//! The later laws against numbers that do not come from this crate: an independent calculation with 60 digits, the RFCs'
//! tables, a packet simulator and a kernel; and their closed forms against their own epochs.

use cwnd::algorithms::Selected;
use cwnd::error::{Error, Result};
use cwnd::model::{Cause, Feedback, LossModel, Path, Response, ResponseFunction};
use cwnd::responses::ack::{Ack, Effort};
use cwnd::responses::epoch::Epoch;
use cwnd::units::{LossRate, Packets, Seconds};

fn path(rtt: f64, base_rtt: f64) -> Path {
    Path {
        rtt: Some(Seconds::new(rtt)),
        base_rtt: Some(Seconds::new(base_rtt)),
    }
}

fn plain(rtt: f64) -> Path {
    Path::with_rtt(Seconds::new(rtt))
}

fn select(spec: &str) -> Selected {
    Selected::parse(spec).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

fn form(spec: &str, name: &str) -> Box<dyn ResponseFunction> {
    let law = select(spec);
    law.algorithm
        .closed(&law.setting)
        .into_iter()
        .find(|f| name.is_empty() || f.form() == name)
        .unwrap_or_else(|| panic!("{spec} has no form {name}"))
}

fn closed(spec: &str, name: &str, p: f64, path: &Path) -> Response {
    form(spec, name)
        .respond(LossRate::new(p).unwrap(), path)
        .unwrap_or_else(|e| panic!("{spec} {name} p = {p}: {e}"))
}

fn window(spec: &str, name: &str, p: f64, rtt: f64) -> f64 {
    closed(spec, name, p, &plain(rtt)).window.value()
}

fn epoch(spec: &str, p: f64, path: &Path) -> Result<Response> {
    let law = select(spec);
    Epoch::new(law.algorithm.law(&law.setting).unwrap()).respond(LossRate::new(p).unwrap(), path)
}

fn ack(spec: &str, losses: LossModel, p: f64, path: &Path, precision: f64) -> f64 {
    let law = select(spec);
    let effort = Effort {
        precision,
        budget: 2_000_000_000,
        seed: 1,
    };
    Ack::new(law.algorithm.law(&law.setting).unwrap(), losses, effort)
        .respond(LossRate::new(p).unwrap(), path)
        .unwrap_or_else(|e| panic!("{spec} p = {p}: {e}"))
        .window
        .value()
}

fn close(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (got / expected - 1.0).abs() <= tolerance,
        "{what}: got {got}, expected {expected}, off by {:e}",
        got / expected - 1.0
    );
}

/// Rows of a reference file, its comments and header left out; a field in quotes may hold commas.
fn rows(text: &'static str) -> Vec<Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| match line.strip_prefix('"') {
            Some(rest) => {
                let (first, others) = rest.split_once("\",").unwrap();
                std::iter::once(first).chain(others.split(',')).collect()
            }
            None => line.split(',').collect(),
        })
        .collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}`"))
}

/// Half a unit of the last printed digit.
fn half_unit(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len());
    0.5 * 10f64.powi(number(exponent) as i32 - decimals as i32)
}

/// How the reference file writes a law, its path and its form, in this crate's words.
fn translate(law: &str, form: &'static str, rtt: &str) -> (String, &'static str, Path) {
    let own = if rtt.is_empty() {
        Path::default()
    } else {
        plain(number(rtt))
    };
    if let Some(fraction) = law.strip_prefix("illinois:delay=") {
        // A base round trip so short that the difference of the two keeps the digits of the delay.
        let (base, most) = (2f64.powi(-40), 0.125);
        let path = path(base + number(fraction) * most, base);
        return ("illinois:max_delay=0.125s".into(), form, path);
    }
    let spec = law
        .replace(",rto_rtts=4", "")
        .replace("rto_s=1", "rto=1s")
        .replace("max_window", "receive_window");
    (spec, form, own)
}

#[test]
fn closed_forms_are_those_of_an_independent_calculation() {
    let mut worst = 0.0f64;
    let all = rows(include_str!("reference/closed-forms-modern.csv"));
    assert!(all.len() > 3000, "{} rows", all.len());
    for row in &all {
        let (spec, name, path) = translate(row[0], row[1], row[3]);
        let answer = closed(&spec, name, number(row[2]), &path);
        let what = format!("{spec} {name} p = {} RTT = {}", row[2], row[3]);
        // Rounding of powf over 16 decades of argument, and of Brent's root in K or T, whose window moves as its cube.
        close(answer.window.value(), number(row[4]), 2e-14, &what);
        worst = worst.max((answer.window.value() / number(row[4]) - 1.0).abs());
        if !row[5].is_empty() {
            close(answer.peak.unwrap().value(), number(row[5]), 5e-14, &what);
        }
        match row[6] {
            "" => {}
            "both" => assert_eq!(answer.regime, "cubic, then Reno-friendly", "{what}"),
            regime => assert!(
                answer.regime.eq_ignore_ascii_case(regime)
                    || (regime == "reno" && answer.regime == "standard TCP"),
                "{what}: {} for {regime}",
                answer.regime
            ),
        }
    }
    // The tolerance is not idle.
    assert!(worst > 1e-16, "{worst}");
}

#[test]
fn rfc9438_tables() {
    for row in rows(include_str!("reference/rfc9438-table1.csv")) {
        let p = number(row[0]);
        let cells = [
            ("mathis@rfc-tables", ""),
            ("highspeed", "printed"),
            ("cubic@rfc9438-tables:c=0.04", ""),
            ("cubic@rfc9438-tables", ""),
            ("cubic@rfc9438-tables:c=4", ""),
        ];
        for ((spec, name), printed) in cells.iter().zip(&row[1..]) {
            // Every column is at least the table's Reno, 1.2/sqrt(p); HighSpeed's form joins standard TCP instead.
            let answer = closed(spec, name, p, &plain(0.1));
            let got = if answer.regime == "standard TCP" {
                window("mathis@rfc-tables", "", p, 0.1)
            } else {
                answer.window.value()
            };
            let rounded = (got + 0.5).floor();
            assert_eq!(rounded, number(printed), "{spec} at {p}: {got}");
        }
    }
    for row in rows(include_str!("reference/rfc9438-table3.csv")) {
        // Printed to one decimal, 8.3 is 100 Mbit/s times 0.1 s over 12000 bit.
        let w = number(row[0]) * 1e6 * 0.1 / 12_000.0;
        let columns = [
            ("mathis@rfc-tables", row[2]),
            ("highspeed", row[3]),
            ("cubic@rfc9438-tables", row[4]),
        ];
        for (spec, printed) in columns {
            if spec == "highspeed" && w < 38.0 {
                continue; // Joined with standard TCP at 1.2247, where the table has 1.2.
            }
            let p = form(spec, "")
                .loss_for(Packets::new(w), &plain(0.1))
                .unwrap();
            // Two significant digits, rounded in one column and cut in another: one unit of the last.
            assert!(
                (p.value() - number(printed)).abs() <= 2.0 * half_unit(printed),
                "{spec} at {w}: {p} for {printed}"
            );
        }
    }
}

#[test]
fn rfc4828_table_1() {
    let mut exact = 0;
    for row in rows(include_str!("reference/rfc4828-table1.csv")) {
        let p = number(row[0]);
        for (segment, printed) in [14.0, 536.0, 1460.0].iter().zip(&row[1..]) {
            let rate = |name: &str| window("tfrc", name, p, 0.1) / 0.1 * (segment + 40.0) / 1000.0;
            let got = rate("rfc4828");
            assert!(
                (got - number(printed)).abs() <= half_unit(printed) + 1e-9,
                "{segment} B at {p}: {got} for {printed}"
            );
            exact += i32::from((rate("equation") - number(printed)).abs() <= half_unit(printed));
        }
    }
    // With the exact constants most cells come out otherwise: the table does tell the two apart.
    assert_eq!(exact, 14);
}

#[test]
fn rfc3714_appendix_with_its_mixture() {
    // Column Eq(1) for a timeout of two round trips; rows 0.35, 0.4, 0.45, 0.55 and 0.6 were computed without min(1, .), and
    // all are cut, not rounded.
    let printed = [
        (0.1, 2.42, 2),
        (0.2, 0.89, 2),
        (0.25, 0.55, 2),
        (0.35, 0.23, 2),
        (0.4, 0.16, 2),
        (0.45, 0.11, 2),
        (0.5, 0.10, 2),
        (0.55, 0.060, 3),
        (0.6, 0.045, 3),
        (0.65, 0.051, 3),
        (0.7, 0.041, 3),
        (0.75, 0.034, 3),
        (0.8, 0.028, 3),
        (0.85, 0.023, 3),
        (0.9, 0.020, 3),
        (0.95, 0.017, 3),
    ];
    for (p, expected, digits) in printed {
        let without = [0.35, 0.4, 0.45, 0.55, 0.6].contains(&p);
        let (spec, name) = if without {
            ("tfrc:rto=200ms", "equation")
        } else {
            ("pftk:rto=200ms", "approximate")
        };
        let unit = 10f64.powi(digits);
        let cut = (window(spec, name, p, 0.1) * unit + 1e-9).floor() / unit;
        assert!((cut - expected).abs() < 1e-9, "{p}: {cut} for {expected}");
    }
}

#[test]
fn linux_tfrc_table() {
    // floor(10^6 f(p)) at p in steps of 0.2 % and of 0.01 %.
    for (p, expected) in [
        (0.002, 37172.0),
        (0.004, 53499.0),
        (0.02, 136520.0),
        (0.0001, 8172.0),
        (0.001, 26052.0),
        (0.05, 271305.0),
        (0.1, 564939.0),
        (0.998, 241651183.0),
    ] {
        let f = 1e6 / window("tfrc", "equation", p, 0.1);
        assert_eq!(f.floor(), expected, "{p}: {f}");
    }
}

#[test]
fn pftk_table() {
    // Packets per second at RTT 0.1 s, timeout 0.4 s, to the digits of the independent calculation in the theory's section 9.
    let table = [
        (1e-5, 3870.1617, 3872.6348, 2735.8783, 2738.3663, 3860.2011),
        (1e-4, 1221.2301, 1223.6436, 862.7886, 865.2467, 1211.3593),
        (1e-3, 381.6352, 383.8436, 269.0912, 271.4184, 372.0871),
        (1e-2, 110.9600, 112.3322, 77.8465, 79.4309, 102.7288),
        (0.05, 37.8981, 36.8589, 26.7141, 26.0631, 32.2637),
        (0.2, 10.4509, 5.3656, 7.7843, 4.2728, 7.7850),
        (0.5, 1.7166, 0.5383, 1.4286, 0.5314, 1.0034),
    ];
    for (p, full, approximate, full2, approximate2, throughput) in table {
        for (spec, name, expected) in [
            ("pftk", "full", full),
            ("pftk", "approximate", approximate),
            ("pftk:ack_every=2", "full", full2),
            ("pftk:ack_every=2", "approximate", approximate2),
            ("pftk", "throughput", throughput),
        ] {
            let got = window(spec, name, p, 0.1) / 0.1;
            assert!(
                (got - expected).abs() <= 0.5e-4 + 1e-9,
                "{spec} {name} {p}: {got}"
            );
        }
    }
    for (p, full, approximate) in [
        (1e-5, 319.0434, 320.0),
        (1e-4, 310.7089, 320.0),
        (1e-3, 247.7955, 271.4184),
    ] {
        let spec = "pftk:ack_every=2,receive_window=32";
        for (name, expected) in [("full", full), ("approximate", approximate)] {
            let got = window(spec, name, p, 0.1) / 0.1;
            assert!((got - expected).abs() <= 0.5e-4 + 1e-9, "{name} {p}: {got}");
        }
    }
    // full=0 only changes which form is the default.
    assert_eq!(
        window("pftk:full=0", "", 1e-2, 0.1),
        window("pftk", "approximate", 1e-2, 0.1)
    );
}

#[test]
fn numbers_of_the_theory() {
    // CUBIC's maximum inside the epoch, section 6, to the digits given there.
    for (ln_p, rtt, expected) in [
        (-3.0, 0.1, 39.942),
        (-3.25, 0.1, 53.735),
        (-2.5, 0.1, 22.026),
        (-6.0, 0.01, 1263.07),
        (-5.0, 0.01, 387.39),
    ] {
        let p = 10f64.powf(ln_p);
        let got = closed("cubic", "inside-epoch", p, &plain(rtt))
            .window
            .value();
        close(got, expected, 2e-5, &format!("inside the epoch at {p}"));
    }
    // H-TCP, section 8.
    for (spec, rtt, p, expected) in [
        ("htcp", 0.1, 1e-4, 323.431),
        ("htcp", 0.1, 1e-8, 220808.0),
        ("htcp", 0.01, 1e-8, 86510.5),
        ("htcp:adaptive_backoff=1", 0.1, 1e-5, 1857.21),
        ("htcp:beta=0.8", 0.1, 1e-8, 239697.0),
    ] {
        close(window(spec, "", p, rtt), expected, 3e-6, spec);
    }
    // Illinois, section 10: constants of W = c/sqrt(p) at fractions of the largest delay.
    for (fraction, c) in [
        (0.0, 8.66025),
        (0.05, 5.70248),
        (0.1, 4.36331),
        (0.2, 2.66046),
        (0.5, 1.19973),
        (0.8, 0.74811),
        (1.0, 0.67082),
    ] {
        let path = path(0.1 + 0.1 * fraction, 0.1);
        let got = closed("illinois:max_delay=100ms", "", 1e-4, &path)
            .window
            .value()
            * 1e-2;
        close(got, c, 1e-5, &format!("illinois at {fraction}"));
    }
}

#[test]
fn epochs_are_their_closed_forms() {
    let losses = [3e-3, 1e-3, 3.3e-4, 1e-4, 2.7e-5, 1e-6, 3e-8, 1e-9];
    let mut seen = 0;
    for (spec, name, rtts, least_regime) in [
        ("cubic", "inside-epoch", [0.01, 0.1, 1.0].as_slice(), 0.0),
        ("cubic:beta=0.8,c=4", "inside-epoch", &[0.03, 0.2], 0.0),
        ("cubic@hrx08", "inside-epoch", &[0.1], 0.0),
        ("htcp", "", &[0.005, 0.1, 0.4], 0.0),
        (
            "htcp:adaptive_backoff=1,rtt_scaling=1",
            "",
            &[0.005, 0.1, 0.4],
            0.0,
        ),
        ("htcp:beta=0.7", "", &[0.1], 0.0),
        // One regime: the whole sawtooth above 16 packets.
        ("compound", "", &[0.1], 16.0),
        ("compound:k=0.8,alpha=0.2,beta=0.3", "", &[0.1], 8.0),
        // Above its window threshold.
        ("illinois", "", &[0.1], 17.2),
    ] {
        for &rtt in rtts {
            for p in losses {
                let what = format!("{spec} RTT {rtt} p {p}");
                let expected = closed(spec, name, p, &plain(rtt));
                if expected.peak.unwrap().value() * 0.5 < least_regime {
                    continue;
                }
                let got = epoch(spec, p, &plain(rtt)).unwrap_or_else(|e| panic!("{what}: {e}"));
                close(got.window.value(), expected.window.value(), 1e-10, &what);
                close(
                    got.peak.unwrap().value(),
                    expected.peak.unwrap().value(),
                    1e-9,
                    &what,
                );
                for (a, b) in [
                    (got.slope, expected.slope),
                    (got.rtt_exponent, expected.rtt_exponent),
                ] {
                    // A difference quotient over 1e-4.
                    assert!(
                        (a.unwrap() - b.unwrap()).abs() < 1e-5,
                        "{what}: {a:?} {b:?}"
                    );
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn compound_on_a_path_with_a_queue() {
    // Backlog 30 packets at a window of 180: uncongested, held, held then standard TCP, standard TCP.
    let queued = path(0.12, 0.1);
    let regime = |p: f64| closed("compound", "", p, &queued).regime.into_owned();
    assert_eq!(regime(1e-3), "compound");
    assert_eq!(regime(1e-4), "held at the backlog gamma");
    assert_eq!(regime(4e-5), "held at the backlog gamma, then standard TCP");
    assert_eq!(regime(1e-5), "standard TCP, backlog above gamma");
    for p in [3e-3, 1e-3, 4e-5, 2.5e-5, 1e-5, 1e-7] {
        let (exact, got) = (
            closed("compound", "", p, &queued),
            epoch("compound", p, &queued).unwrap(),
        );
        close(
            got.window.value(),
            exact.window.value(),
            1e-9,
            &format!("compound {p}"),
        );
        assert!(
            (got.slope.unwrap() - exact.slope.unwrap()).abs() < 1e-5,
            "{p}"
        );
    }
    // A backlog so short that growth starts below 16 packets, at standard TCP's rate.
    for p in [1.2e-3, 2.5e-3, 3.5e-3] {
        let spec = "compound:gamma=4";
        let (exact, got) = (
            closed(spec, "", p, &queued),
            epoch(spec, p, &queued).unwrap(),
        );
        assert_eq!(exact.regime, "held at the backlog gamma, then standard TCP");
        close(
            got.window.value(),
            exact.window.value(),
            1e-9,
            &format!("{spec} {p}"),
        );
    }
    // Held, every epoch has the same peak: the road that looks for the peak that repeats itself says so, the road of
    // acknowledgements runs it. It steps over the limit by up to a tenth of a packet, 1e-3 of the window.
    assert!(matches!(
        epoch("compound", 1e-4, &queued),
        Err(Error::NoAnswer(_))
    ));
    let run = ack("compound", LossModel::Periodic, 1e-4, &queued, 0.01);
    close(
        run,
        closed("compound", "", 1e-4, &queued).window.value(),
        1e-3,
        "held",
    );
    // Continuous and falling through all four.
    let mut last = f64::INFINITY;
    let mut p = 1e-7f64;
    while p < 1e-2 {
        let w = closed("compound", "", p, &queued).window.value();
        assert!(
            w < last * (1.0 + 1e-12) && (w > last * 0.99 || last.is_infinite()),
            "{p}: {last} to {w}"
        );
        (last, p) = (w, p * 1.01);
    }
}

#[test]
fn forms_fall_without_jumps_and_invert() {
    for spec in [
        "cubic",
        "cubic@rfc9438-tables",
        "cubic@hrx08",
        "cubic@linux",
        "htcp",
        "htcp:rtt_scaling=1",
        "compound",
        "illinois",
        "pftk",
        "pftk:full=0",
        "pftk:rto=1s,ack_every=2",
        "tfrc",
    ] {
        let law = select(spec);
        for form in law.algorithm.closed(&law.setting) {
            let at = |p: f64| {
                form.respond(LossRate::new(p).unwrap(), &plain(0.1))
                    .unwrap_or_else(|e| panic!("{spec} {} {p}: {e}", form.form()))
                    .window
                    .value()
            };
            let (mut p, mut last) = (1e-12f64, at(1e-12));
            while p < 0.3 {
                p *= 1.003;
                let w = at(p);
                let fall = (last / w).ln() / 1.003f64.ln();
                let steepest = if p > 0.02 { 3.0 } else { 1.0 };
                assert!(
                    fall > 0.45 && fall < steepest,
                    "{spec} {} {p}: {fall}",
                    form.form()
                );
                last = w;
            }
            for p in [1e-11, 3.3e-7, 1e-4, 6e-4, 5.481e-4, 0.013, 0.21] {
                let back = form
                    .loss_for(Packets::new(at(p)), &plain(0.1))
                    .unwrap()
                    .value();
                close(back, p, 1e-12, &format!("{spec} {} back", form.form()));
            }
        }
    }
}

#[test]
fn slopes_and_rtt_exponents_are_difference_quotients() {
    let queued = path(0.12, 0.1);
    for (spec, path) in [
        ("cubic", plain(0.1)),
        ("cubic@linux", plain(0.03)),
        ("htcp", plain(0.1)),
        ("htcp:rtt_scaling=1", plain(0.05)),
        ("htcp:rtt_scaling=1", plain(0.5)),
        ("htcp:adaptive_backoff=1", queued),
        ("compound", queued),
        ("compound:gamma=4", queued),
        ("illinois:max_delay=100ms", queued),
        ("pftk", plain(0.1)),
        ("pftk:rto=1s,ack_every=2", plain(0.1)),
        ("pftk:receive_window=32,rto=300ms", plain(0.1)),
        ("tfrc:rto=1s", plain(0.1)),
    ] {
        let law = select(spec);
        for form in law.algorithm.closed(&law.setting) {
            for p in [2e-9, 2e-6, 3.3e-5, 1.4e-4, 6e-4, 4.3e-3, 0.017, 0.23] {
                let h = 1e-5f64;
                let at = |by_p: f64, by_rtt: f64| {
                    let stretched =
                        |t: Option<Seconds>| t.map(|t| Seconds::new(t.value() * by_rtt));
                    let path = Path {
                        rtt: stretched(path.rtt),
                        base_rtt: stretched(path.base_rtt),
                    };
                    form.respond(LossRate::new(p * by_p).unwrap(), &path)
                };
                let Ok(here) = at(1.0, 1.0) else { continue };
                let ln = |a: f64, b: f64| at(a, b).unwrap().window.value().ln();
                let what = format!("{spec} {} {p}", form.form());
                let slope = (ln((-h).exp(), 1.0) - ln(h.exp(), 1.0)) / (2.0 * h);
                assert!(
                    (here.slope.unwrap() - slope).abs() < 1e-8,
                    "{what}: {here:?}, {slope}"
                );
                if !spec.starts_with("illinois") {
                    // Illinois' exponent is at a frozen delay.
                    let e = (ln(1.0, h.exp()) - ln(1.0, (-h).exp())) / (2.0 * h);
                    assert!(
                        (here.rtt_exponent.unwrap() - e).abs() < 1e-8,
                        "{what}: {here:?}, {e}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_a_form_cannot_answer_it_says() {
    let refuses = |spec: &str, name: &str, path: &Path| {
        form(spec, name).respond(LossRate::new(1e-4).unwrap(), path)
    };
    let fast = "cubic:fast_convergence=1";
    assert!(matches!(
        refuses(fast, "periodic", &plain(0.1)),
        Err(Error::NoAnswer(_))
    ));
    assert!(matches!(
        refuses("cubic", "", &Path::default()),
        Err(Error::Arguments(_))
    ));
    assert!(matches!(
        refuses("illinois", "", &path(0.12, 0.1)),
        Err(Error::NoAnswer(_))
    ));
    assert!(matches!(
        refuses("pftk:rto=1s", "", &Path::default()),
        Err(Error::Arguments(_))
    ));
    assert!(refuses("pftk", "", &Path::default()).is_ok());
    assert!(matches!(
        epoch("cubic@linux", 1e-4, &plain(0.1)),
        Err(Error::NoAnswer(_))
    ));
    assert!(matches!(
        epoch(fast, 1e-4, &plain(0.1)),
        Err(Error::NoAnswer(_))
    ));
    // The random-loss constant exists where a simulation has given it.
    let forms = |spec: &str| {
        let law = select(spec);
        law.algorithm
            .closed(&law.setting)
            .iter()
            .any(|f| f.form() == "random")
    };
    assert!(forms("cubic") && forms("cubic@hrx08") && !forms("cubic:beta=0.75"));
    for bad in [
        "htcp:beta=0.6,adaptive_backoff=1",
        "compound:gamma=0.1",
        "illinois:alpha_min=20",
        "highspeed@linux:low_window=31",
        "cubic:beta=1",
    ] {
        assert!(Selected::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn cubic_by_acknowledgements() {
    // Towards W_cubic one round trip R ahead the window is W_cubic + (R²/2)·W'' − 2·C·R³ near the plateau, back at W_max
    // at x round trips past K, x³ + 3x − 2 = 0. With (K + x·R)·K³ fixed the mean falls by (3/4)·x·R/K.
    for (p, rtt) in [(1e-4, 0.1), (1e-5, 0.1), (1e-5, 0.05)] {
        let exact = closed("cubic", "inside-epoch", p, &plain(rtt));
        let k = (0.3 * exact.peak.unwrap().value() / 0.4).cbrt();
        let lag = 0.75 * 0.596_072 * rtt / k;
        let got = ack("cubic", LossModel::Periodic, p, &plain(rtt), 0.01);
        // Next orders: (RTT/K)², and a twentieth of the lag for whole acknowledgements.
        let rest = (2.0 * (rtt / k).powi(2)).max(0.05 * lag);
        close(
            got,
            exact.window.value() * (1.0 - lag),
            rest,
            "per acknowledgement",
        );
        assert!(lag > 4.0 * rest);
    }
    // Independent losses: 14 rounds an epoch, whose graininess leaves 0.3 % at this loss rate, and 0.3 % of the run.
    let got = ack("cubic", LossModel::Random, 1e-3, &plain(0.3), 0.003);
    close(
        got,
        window("cubic", "random", 1e-3, 0.3),
        0.007,
        "random losses",
    );
}

#[test]
fn the_kernels_highspeed_table_is_the_rfcs() {
    let law = select("highspeed@linux");
    let law = law.algorithm.law(&law.setting).unwrap();
    let seen = Feedback::quiet(0.1);
    let increase = |w: f64| {
        let (mut x, mut scratch) = (vec![w, 0.0, 0.0], vec![0.0; 3]);
        law.on_ack(&mut x, &seen, &mut scratch);
        x[1]
    };
    let kept = |w: f64| {
        let mut x = vec![w, 0.0, 0.0];
        law.decrease(&mut x, &seen, Cause::Loss);
        x[0] / w
    };
    let table = rows(include_str!("../src/verify/data/rfc3649-table12.csv"));
    assert!(table.len() >= 40);
    for row in table {
        let (w, a, b) = (number(row[0]), number(row[1]), number(row[2]));
        assert_eq!((increase(w), increase(w + 1.0)), (a, a + 1.0), "row {w}");
        // Cut to a 256th, and the window to a whole packet.
        let removed = 1.0 - kept(w);
        assert!(
            (removed - b).abs() <= 0.005 + 1.0 / 256.0 + 1.0 / w,
            "row {w}: {removed}"
        );
    }
    // Rows with which the kernel's file ends: 84035 (a = 71, 25/256) and 89053 (24/256); above it all stands still.
    assert_eq!(
        (increase(84035.0), increase(84036.0), increase(1e6)),
        (71.0, 72.0, 72.0)
    );
    assert!((1.0 - kept(84035.0) - 25.0 / 256.0).abs() < 2e-5);
    assert!((1.0 - kept(200_000.0) - 24.0 / 256.0).abs() < 1e-5);
}

/// Measured windows of one file: law, loss rate, round trip and base round trip in seconds, window.
struct Measured {
    law: &'static str,
    p: f64,
    rtt: f64,
    window: f64,
}

fn run(spec: &str, m: &Measured) -> f64 {
    ack(spec, LossModel::Periodic, m.p, &path(m.rtt, 0.1), 0.002)
}

#[test]
fn presets_beside_a_kernel() {
    for row in rows(include_str!("reference/linux-6.18-periodic.csv")) {
        let m = Measured {
            law: row[0],
            p: number(row[3]),
            rtt: number(row[5]) / 1e3,
            window: number(row[6]),
        };
        let got = run(&format!("{}@linux", m.law), &m);
        let what = format!("{} at {}", m.law, m.p);
        if m.law == "reno" {
            // Recovery and whole windows are in the preset; one packet of the peak is what remains.
            close(got, m.window, 0.01f64.max(0.6 / m.window), &what);
        } else {
            // Whole packets give a band of windows that repeat themselves; where in it a flow stays is its history. The
            // preset with fast convergence enters it from above and loses some of it, without it stays at the upper end.
            close(got, m.window, 0.08, &what);
            let upper = run("cubic@linux:fast_convergence=0", &m);
            assert!(upper >= m.window * 0.999, "{what}: band ends at {upper}");
            // And the fluid does not explain it: the test would notice a preset without whole packets.
            let fluid = closed("cubic", "inside-epoch", m.p, &plain(m.rtt))
                .window
                .value();
            if m.p < 2e-3 {
                assert!(fluid < m.window * 0.9, "{what}: {fluid}");
            }
        }
    }
}

#[test]
fn presets_beside_a_simulator() {
    let mut seen = 0;
    for row in rows(include_str!("reference/ns2-response-periodic.csv")) {
        let m = Measured {
            law: row[0],
            p: number(row[6]),
            rtt: number(row[2]) / 1e3,
            window: number(row[4]),
        };
        let rounds = 1.0 / (m.p * m.window);
        // One to two round trips of recovery in each epoch, of which the preset has one, and a packet of the window.
        let reason = 1.5 / rounds + 0.75 / m.window;
        let (spec, tolerance) = match m.law {
            "reno" | "highspeed" | "htcp" => (format!("{}@linux", m.law), reason),
            // ns-2 has an older kernel: one packet for every 51 acknowledged.
            "scalable" => ("scalable@linux:a=0.0196078431372549".into(), reason),
            // A band of windows repeats itself, up to 8 packets wide in Wmax's smooth part.
            "bic" => ("bic@linux".into(), reason.max(0.1)),
            // An older kernel: kept 819/1024, another scale, a largest increment.
            "cubic" => ("cubic@linux:beta=0.8".into(), reason.max(0.1)),
            // No preset in whole packets: their delays in ns-2 are its rounding.
            _ => continue,
        };
        close(
            run(&spec, &m),
            m.window,
            tolerance,
            &format!("{} at {}", m.law, m.p),
        );
        seen += 1;
    }
    assert_eq!(seen, 36);
}

#[test]
fn delayed_acknowledgements_where_packets_are_counted() {
    let at = |spec: &str| ack(spec, LossModel::Periodic, 1e-3, &plain(0.1), 0.01);
    for (one, two) in [
        ("reno@linux", "reno@linux:ack_every=2"),
        ("cubic@linux", "cubic@linux:ack_every=2"),
        ("htcp", "htcp:ack_every=2"),
    ] {
        close(at(two), at(one), 0.06, two);
    }
    // Where acknowledgements are counted growth is half and the window less by the root of 2.
    close(
        at("reno:ack_every=2"),
        at("reno") / 2f64.sqrt(),
        0.01,
        "reno",
    );
}
