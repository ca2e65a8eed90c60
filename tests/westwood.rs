//! Westwood, its filter and Easy RED: the law's rules by hand, the numerics behind the closed forms, bad input.
#![expect(
    clippy::excessive_precision,
    reason = "expected values as another program prints them"
)]

use approx::assert_relative_eq;
use cwnd::algorithms::Selected;
use cwnd::model::{Cause, Feedback, WindowLaw};
use cwnd::network::parse_queue;
use cwnd::numeric::error_function::erfcx;
use cwnd::numeric::fixed_point::{Change, fixed_point};
use cwnd::numeric::low_pass::LowPass;
use cwnd::numeric::periodic_ramp::{remembered, remembered_twice};
use cwnd::units::Bytes;

fn law(spec: &str) -> Box<dyn WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap()
}

/// 200 ms of which 50 ms are queue.
fn seen(delivery_rate: f64) -> Feedback {
    Feedback {
        base_rtt: 0.15,
        delivery_rate,
        ..Feedback::quiet(0.2)
    }
}

#[test]
fn a_loss_leaves_bandwidth_times_base_rtt() {
    let westwood = law("westwood");
    let mut x = [100.0, 400.0, 400.0];
    westwood.decrease(&mut x, &seen(500.0), Cause::Loss);
    assert_eq!(x, [60.0, 400.0, 400.0]);
    // As printed, also where that is more than the window.
    let mut x = [10.0, 400.0, 400.0];
    westwood.decrease(&mut x, &seen(50.0), Cause::Loss);
    assert_eq!(x[0], 60.0);
    westwood.decrease(&mut x, &seen(50.0), Cause::Timeout);
    assert_eq!((x[0], x[1]), (1.0, 400.0));
    // The floor: 1 packet, 2 in the kernel.
    for (spec, least) in [("westwood", 1.0), ("westwood@westwood-plus", 2.0)] {
        let law = law(spec);
        let mut x = vec![0.0; law.states().len()];
        x[0] = 50.0;
        law.decrease(&mut x, &seen(1.0), Cause::Loss);
        assert_eq!(x[0], least, "{spec}");
    }
}

#[test]
fn the_estimate_follows_the_delivery_rate() {
    let mut dx = [0.0; 3];
    law("westwood:tau=2s").increase(&[100.0, 400.0, 400.0], &seen(500.0), &mut dx);
    assert_eq!(dx, [5.0, 50.0, 0.0]);
    // In slow start and silence only the estimate moves.
    let mut dx = [7.0, 0.0, 0.0];
    law("westwood:tau=2s").measure(&[100.0, 400.0, 400.0], &seen(0.0), &mut dx);
    assert_eq!(dx, [7.0, -200.0, 0.0]);
    // A given estimate does not move, and one that was measured is kept.
    let given = law("westwood:bandwidth=100");
    let mut x = [0.0; 2];
    given.steady(30.0, &seen(500.0), &mut x);
    given.decrease(&mut x, &seen(500.0), Cause::Loss);
    assert_eq!(x, [15.0, 100.0]);
    let mut x = [1.0, 321.0, 300.0];
    law("westwood").steady(50.0, &seen(500.0), &mut x);
    assert_eq!(x, [50.0, 321.0, 300.0]);
}

#[test]
fn the_kernel_samples_once_a_round_trip() {
    let kernel = law("westwood@westwood-plus");
    let mut x = vec![40.0, 100.0, 100.0, 0.0, 0.0];
    let mut scratch = vec![0.0; 5];
    for _ in 0..40 {
        kernel.on_ack(&mut x, &seen(200.0), &mut scratch);
    }
    // The window grew on the way, so 40 acknowledgements take less than 200 ms: no sample yet.
    assert_eq!((x[1], x[2]), (100.0, 100.0));
    kernel.on_ack(&mut x, &seen(200.0), &mut scratch);
    let sample = x[2];
    // 7/8 of 100 and an eighth of about 203 packets/s, twice.
    assert_relative_eq!(sample, 0.875 * 100.0 + 0.125 * 203.0, max_relative = 2e-3);
    assert_relative_eq!(x[1], 0.875 * 100.0 + 0.125 * sample, max_relative = 1e-14);
    assert_eq!((x[3], x[4]), (0.0, 0.0));
}

#[test]
fn scaled_error_function() {
    // mpmath, 30 digits.
    for (x, expected) in [
        (0.0, 1.0),
        (0.1, 0.896_456_979_969_126_64),
        (0.5, 0.615_690_344_192_925_87),
        (1.0, 0.427_583_576_155_807),
        (2.0, 0.255_395_676_310_505_74),
        (4.9, 0.112_879_090_559_758_76),
        (5.0, 0.110_704_637_733_068_63),
        (5.1, 0.108_611_026_313_932_79),
        (10.0, 0.056_140_992_743_822_586),
        (30.0, 0.018_795_888_861_416_751),
        (1000.0, 0.000_564_189_301_453_387_65),
    ] {
        assert_relative_eq!(erfcx(x), expected, max_relative = 1e-14);
    }
}

#[test]
fn what_filters_remember_of_a_ramp() {
    // mpmath: 1/u - 1/(e^u - 1), and the mean of an Erlang-2 age modulo the period.
    for (u, once, twice) in [
        (1e-3, 0.499_916_666_668_055_56, 0.499_999_999_997_222_22),
        (0.3, 0.475_037_419_823_250_73, 0.499_925_320_347_028),
        (0.99, 0.418_816_941_363_386_37, 0.497_426_041_970_659_23),
        (1.01, 0.417_230_415_418_470_81, 0.497_271_934_082_295_52),
        (5.0, 0.193_216_345_093_695_77, 0.359_067_980_692_735_49),
        (50.0, 0.02, 0.04),
        (800.0, 0.001_25, 0.002_5),
    ] {
        let h = 1e-5f64;
        for (share, expected) in [
            (remembered as fn(f64) -> (f64, f64), once),
            (remembered_twice, twice),
        ] {
            let (value, slope) = share(u);
            assert_relative_eq!(value, expected, max_relative = 1e-14);
            let quotient = (share(u * h.exp()).0 - share(u * (-h).exp()).0) / (2.0 * h);
            assert!(
                (slope - quotient).abs() < 1e-9,
                "u = {u}: {slope}, {quotient}"
            );
        }
    }
}

#[test]
fn fixed_points_are_found_or_refused() {
    // A stiff linear map in two dimensions: (x, y) -> (3 - 5y, x/5), far from a contraction.
    let mut x = [1.0, 1.0];
    let mut change = |x: &[f64]| {
        Ok(Change {
            rates: vec![3.0 - 5.0 * x[1] - x[0], 0.2 * x[0] - x[1]],
            span: 1.0,
        })
    };
    fixed_point(&mut change, &mut x, 1e-14).unwrap();
    assert_relative_eq!(x[0], 1.5, max_relative = 1e-12);
    assert_relative_eq!(x[1], 0.3, max_relative = 1e-12);
    // x -> x + 1 + x² has none.
    let mut none = |x: &[f64]| {
        Ok(Change {
            rates: vec![1.0 + x[0] * x[0]],
            span: 1.0,
        })
    };
    assert!(fixed_point(&mut none, &mut [0.5], 1e-14).is_err());
}

#[test]
fn a_filter_does_not_care_how_a_rate_is_cut_into_acknowledgements() {
    // The same second of 1000 packets/s after silence, in acknowledgements of 1, 10 and 100 packets.
    let after = |packets: f64| {
        let mut filter = LowPass::at(0.5, 0.0);
        filter.last = 1000.0;
        for _ in 0..(1000.0 / packets) as usize {
            filter.arrival(packets, packets / 1000.0);
        }
        filter.output
    };
    let exact = 1000.0 * (1.0 - (-2.0f64).exp());
    for (packets, tolerance) in [(1.0, 1e-5), (10.0, 1e-4), (100.0, 4e-3)] {
        assert_relative_eq!(after(packets), exact, max_relative = tolerance);
    }
    // Acknowledgements that come with the time of many at once change nothing in a constant.
    let mut filter = LowPass::at(0.5, 1000.0);
    for gap in [0.001, 0.2, 0.0003, 0.05] {
        filter.arrival(1000.0 * gap, gap);
    }
    assert_relative_eq!(filter.output, 1000.0, max_relative = 1e-14);
}

#[test]
fn queues_in_the_grammar() {
    let parse = |spec: &str| parse_queue(spec, 8333.0, Bytes::new(1500.0));
    for spec in [
        "easy-red",
        "easy-red:min=30pkt,p=0.01",
        "easy-red:min=45000B,carried=1",
        "gentle-red:min=30pkt,max=90pkt,max_p=0.1",
    ] {
        assert!(parse(spec).is_ok(), "{spec}");
    }
    for (spec, words) in [
        ("easy-red:p=0", ["`p`", "more than 0"]),
        ("easy-red:p=1", ["`p`", "less than 1"]),
        ("easy-red:min=0pkt", ["0pkt", "more than 0"]),
        ("easy-red:max=30pkt", ["max", "min"]),
        ("gentle-red:gentle=1", ["gentle", "weight"]),
        ("easy_red", ["easy_red", "easy-red"]),
        ("gentle_red", ["gentle_red", "gentle-red"]),
    ] {
        let error = parse(spec).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{spec}: `{word}` is not in: {error}");
        }
    }
}

#[cfg(feature = "cli")]
mod program {
    use assert_cmd::Command;
    use serde_json::Value;

    fn run(words: &str) -> assert_cmd::assert::Assert {
        let args = words.split_whitespace();
        Command::cargo_bin("cwnd").unwrap().args(args).assert()
    }

    fn answers(words: &str) -> Vec<Value> {
        let out = run(&format!("{words} --format json")).success();
        let all: Vec<Value> = serde_json::from_slice(&out.get_output().stdout).unwrap();
        all[0]["answers"].as_array().unwrap().clone()
    }

    #[test]
    fn without_a_queue_the_finite_form_is_offered_and_the_others_say_why_not() {
        let all =
            answers("response westwood --loss 1e-3 --rtt 200ms --form all --road closed,epoch");
        assert_eq!(all.len(), 5);
        for answer in &all {
            if answer["form"] == "delivered" {
                // sqrt(1-p)/p packets per round trip.
                let window = answer["window_pkt"].as_f64().unwrap();
                assert!((window - 999.499_875).abs() < 1e-6, "{window}");
            } else {
                assert!(answer["window_pkt"].is_null(), "{answer}");
                let reason = answer["reason"].as_str().unwrap();
                if answer["road"] == "closed" {
                    assert!(reason.contains("Tq = RTT - base RTT is 0"), "{reason}");
                    assert!(reason.contains("--form delivered"), "{reason}");
                }
            }
        }
        // With a fixed estimate nothing diverges.
        for answer in answers(
            "response westwood:bandwidth=100 --loss 1e-3 --rtt 200ms --form all --road closed",
        ) {
            assert!(answer["window_pkt"].as_f64().unwrap() > 20.0, "{answer}");
        }
    }

    #[test]
    fn bad_input_is_refused_in_a_sentence() {
        for (words, said) in [
            (
                "response westwood --loss 1e-3 --rtt 100ms --base-rtt 150ms",
                "150ms",
            ),
            ("response westwood --loss 1e-3", "--rtt"),
            ("response westwood:tau=0s --loss 1e-3 --rtt 100ms", "tau"),
            ("response westwood:tau=1 --loss 1e-3 --rtt 100ms", "unit"),
            (
                "response westwood:bandwidth=-1 --loss 1e-3 --rtt 100ms",
                "bandwidth",
            ),
            (
                "response westwood@plus --loss 1e-3 --rtt 100ms",
                "westwood-plus",
            ),
        ] {
            let out = run(words).code(2);
            let error = String::from_utf8(out.get_output().stderr.clone()).unwrap();
            assert!(error.contains(said), "{words}: `{said}` is not in: {error}");
            assert_eq!(error.trim_end().lines().count(), 1, "{words}: {error}");
        }
    }

    #[test]
    fn growth_on_acknowledged_packets_is_for_the_mean_field() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.toml");
        let scenario = |process: &str| {
            format!(
                "[link]\ncapacity = \"3750pkt/s\"\nbuffer = \"2000pkt\"\nqueue = \"easy-red:min=200pkt,p=0.01,carried=1\"\n\
                 [[flow]]\nlaw = \"reno\"\ncount = 90\nrtt = \"200ms\"\nslow_start = false\n\
                 [loss]\nprocess = \"{process}\"\nacknowledged_growth = true\n\
                 [run]\nduration = \"60s\"\nmeasure_from = \"50s\"\n"
            )
        };
        let words = format!("simulate {}", file.display());
        std::fs::write(&file, scenario("mean-field")).unwrap();
        // Low's law with carried load: 503.75 packets.
        let queue = answers(&words)[0]["queue_mean_pkt"].as_f64().unwrap();
        assert!((queue - 503.75).abs() < 0.05, "{queue}");
        std::fs::write(&file, scenario("random")).unwrap();
        let out = run(&words).code(2);
        let error = String::from_utf8(out.get_output().stderr.clone()).unwrap();
        assert!(error.contains("mean-field"), "{error}");
    }
}
