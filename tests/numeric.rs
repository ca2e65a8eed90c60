//! Mathematics against answers known from elsewhere.

use approx::{assert_abs_diff_eq, assert_relative_eq};
use cwnd::numeric::decay::moment_product;
use cwnd::numeric::lambert::{omega, w0};
use cwnd::numeric::ode::{Flow, System, integrate};
use cwnd::numeric::quadrature::GaussLegendre;
use cwnd::numeric::root::brent;
use cwnd::numeric::statistics::{BATCHES, batch_means, lag_one};
use cwnd::units::{LossRate, Rate, Seconds, Size, grid, significant};

#[test]
fn brent_finds_roots_of_every_kind() {
    // Problem, bracket, root.
    type Case = (fn(f64) -> f64, f64, f64, f64);
    let cases: [Case; 6] = [
        (
            |x| x * x * x - 2.0 * x - 5.0,
            2.0,
            3.0,
            2.094_551_481_542_326_5,
        ),
        (|x| x.cos() - x, 0.0, 1.0, 0.739_085_133_215_160_6),
        (|x| (x - 1.0).powi(9), 0.0, 3.0, 1.0),
        (
            |x| x.exp() - 1e-300,
            -1000.0,
            0.0,
            -300.0 * std::f64::consts::LN_10,
        ),
        (|x| 1e-200 * (x - 0.25), -1.0, 1.0, 0.25),
        (|x| if x < 0.3 { -1.0 } else { 1.0 }, 0.0, 1.0, 0.3),
    ];
    for (f, a, b, root) in cases {
        let found = brent(&|x| Ok(f(x)), a, b, 0.0).unwrap();
        assert_relative_eq!(
            found,
            root,
            max_relative = 1e-14,
            epsilon = 2e-2 * f64::from(u8::from(f(1.0) == 0.0 && root == 1.0)) + 1e-15
        );
    }
    assert!(brent(&|x| Ok(x * x + 1.0), -1.0, 1.0, 0.0).is_err());
    assert!(brent(&|_| Ok(f64::NAN), -1.0, 1.0, 0.0).is_err());
}

#[test]
fn quadrature_is_exact_for_polynomials() {
    for n in 2..30 {
        let rule = GaussLegendre::new(n);
        let degree = 2 * n as i32 - 1;
        assert_relative_eq!(
            rule.integrate(0.0, 1.0, |x| f64::from(degree + 1) * x.powi(degree)),
            1.0,
            max_relative = 1e-13
        );
        assert!(
            (rule.integrate(0.0, 1.0, |x| f64::from(degree + 2) * x.powi(degree + 1)) - 1.0).abs()
                > 1e-18
                || n > 12
        );
    }
}

#[test]
fn lambert_at_its_edges() {
    assert_eq!(w0(-(-1.0f64).exp()), -1.0);
    assert_eq!(w0(0.0), 0.0);
    assert_relative_eq!(w0(std::f64::consts::E), 1.0, max_relative = 1e-15);
    for x in [1.9999, 2.0, 2.0001, 700.0, 1e300] {
        let w = omega(x);
        assert_relative_eq!(w + w.ln(), x, max_relative = 1e-15);
    }
}

#[test]
fn the_product_joins_where_its_tail_begins() {
    // s = 1 telescopes to 1/(1-q) for any q, on both sides of the change of method (ln q = -0.0225).
    for q in [1e-6, 0.25, 0.9, 0.977, 0.978, 0.99, 0.9999, 1.0 - 1e-8] {
        assert_relative_eq!(
            moment_product(q, 1.0) * (1.0 - q),
            1.0,
            max_relative = 3e-13 + 1e-16 / (1.0 - q)
        );
    }
    // s = -1/2 against s = 1/2: the product at s and a shift by one, f(s+1) = f(s) (1 - q^(s+1))^-1.
    for q in [0.25, 0.98, 0.999_9] {
        let shifted = moment_product(q, -0.5) / (1.0 - f64::powf(q, 0.5));
        assert_relative_eq!(moment_product(q, 0.5), shifted, max_relative = 1e-12);
    }
}

/// A triangle wave: |x'| = 1, folded at the switch x = 1, then a parabola.
struct Fold;

impl System for Fold {
    fn rate(&self, x: &[f64], dx: &mut [f64]) {
        dx[0] = if x[0] < 1.0 { 1.0 } else { 0.16 };
        dx[1] = x[0];
    }
    fn switches(&self, x: &[f64], out: &mut Vec<f64>) {
        out.push(x[0] - 2.0);
        out.push(x[0] - 1.0);
    }
}

#[test]
fn steps_end_at_switches() {
    // x from -1: 2 s to the fold, then (2-1)/0.16 s to the end; ∫x = 0 + 1.5/0.16.
    for first in [1e-3, 0.1, 1.0, 50.0, 1e6] {
        let mut x = vec![-1.0, 0.0];
        let mut events = Vec::new();
        let time = integrate(&Fold, &mut x, first, 1e-14, |_, _, event| {
            events.extend(event);
            Ok(if event == Some(0) {
                Flow::Stop
            } else {
                Flow::Continue
            })
        })
        .unwrap();
        assert_eq!(events, [1, 0], "first step {first}");
        assert_relative_eq!(time, 2.0 + 1.0 / 0.16, max_relative = 1e-13);
        assert_relative_eq!(x[1], 1.5 / 0.16, max_relative = 1e-12);
    }
}

/// Exponential approach to 1000, stopped a thousandth before it.
struct Approach;

impl System for Approach {
    fn rate(&self, x: &[f64], dx: &mut [f64]) {
        dx[0] = (1000.0 - x[0]) / 2.0;
    }
    fn switches(&self, x: &[f64], out: &mut Vec<f64>) {
        out.push(x[0] - 999.999);
    }
}

#[test]
fn a_slow_approach_keeps_its_digits() {
    let mut x = vec![0.0];
    let time = integrate(&Approach, &mut x, 0.1, 1e-14, |_, _, event| {
        Ok(if event.is_some() {
            Flow::Stop
        } else {
            Flow::Continue
        })
    })
    .unwrap();
    // The last thousandth is known to 1e-13/1e-3 of itself.
    assert_relative_eq!(time, 2.0 * 1e6f64.ln(), max_relative = 1e-10);
}

#[test]
fn batch_means_know_their_spread() {
    let mut means = [0.0; BATCHES];
    for (i, mean) in means.iter_mut().enumerate() {
        *mean = if i % 2 == 0 { 1.0 } else { 3.0 };
    }
    let (mean, half) = batch_means(&means);
    assert_relative_eq!(mean, 2.0);
    // s² = 32/31, t = 2.0395.
    assert_relative_eq!(
        half,
        2.039_513_446 * (1.0f64 / 31.0).sqrt(),
        max_relative = 1e-9
    );
    assert_abs_diff_eq!(lag_one(&means), -31.0 / 32.0, epsilon = 1e-12);
}

#[test]
fn quantities_read_as_people_write_them() {
    let bits = |text: &str| match Rate::parse(text).unwrap() {
        Rate::Bits(rate) => rate.value(),
        Rate::Packets(_) => f64::NAN,
    };
    for (text, value) in [
        ("10Gbit/s", 1e10),
        ("10Gbps", 1e10),
        ("10 Gb/s", 1e10),
        ("11MB/s", 88e6),
        ("20MiB/s", 167_772_160.0),
        ("1.5e3kbit/s", 1.5e6),
        ("9600bit/s", 9600.0),
    ] {
        assert_relative_eq!(bits(text), value);
    }
    for text in [
        "10GB",
        "10",
        "10Gbit",
        "Gbit/s",
        "-1Mbit/s",
        "0bit/s",
        "nanbit/s",
        "infbit/s",
        "1e400bit/s",
        "10 gigabit/s",
    ] {
        assert!(Rate::parse(text).is_err(), "{text}");
    }
    for (text, value) in [
        ("100ms", 0.1),
        ("1e-3s", 1e-3),
        ("1e-3 s", 1e-3),
        ("250us", 250e-6),
        ("2min", 120.0),
        ("1h", 3600.0),
    ] {
        assert_relative_eq!(Seconds::parse(text).unwrap().value(), value);
    }
    for text in ["100", "100m", "-5ms", "0s", "ms", "", "1e-3e-3s", "1,5s"] {
        assert!(Seconds::parse(text).is_err(), "{text}");
    }
    assert_eq!(LossRate::parse("1/22000").unwrap().value(), 1.0 / 22_000.0);
    assert_eq!(LossRate::parse("0.01%").unwrap().value(), 1e-4);
    for text in [
        "0", "1", "1/0", "0/1", "100%", "nan", "inf", "-1e-3", "1e-3x", "", "%", "/", "1//2", "2",
    ] {
        assert!(LossRate::parse(text).is_err(), "{text}");
    }
    for text in ["64Kb", "64", "0B", "1e3", "250 pkts/s"] {
        assert!(Size::parse(text).is_err(), "{text}");
    }
}

#[test]
fn grids_keep_both_ends() {
    let read = |text: &str| LossRate::parse(text).map(LossRate::value);
    assert_eq!(
        grid("1e-8..1e-1", read).unwrap(),
        [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    );
    assert_eq!(
        grid("1e-1..1e-8:8", read).unwrap(),
        [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
    );
    assert_eq!(grid("3e-4..1e-2", read).unwrap(), [3e-4, 3e-3, 1e-2]);
    assert_eq!(grid("1e-3..1e-3", read).unwrap(), [1e-3]);
    assert_eq!(
        grid("0.5,1e-4..1e-3,1%", read).unwrap(),
        [0.5, 1e-4, 1e-3, 1e-2]
    );
    for text in [
        "",
        ",",
        "1e-3,",
        "1e-3..",
        "..1e-3",
        "1e-8..1e-1:0",
        "1e-8..1e-1:1",
        "1e-8..1e-1:x",
        "1e-8..1e-1:9999999",
        "1e-8..0",
    ] {
        assert!(grid(text, read).is_err(), "{text}");
    }
}

#[test]
fn numbers_for_people() {
    for (x, text) in [
        (47_580.863_01, "47580.863"),
        (1e-7, "1e-7"),
        (0.5, "0.5"),
        (1e10, "1e10"),
        (0.0, "0"),
        (999_999.99, "999999.99"),
        (0.000_123_456_789, "0.00012345679"),
    ] {
        assert_eq!(significant(x, 8), text);
    }
}
