//! Roots of delay systems, margins and growth, against each other and against other people's numbers.

use cwnd::numeric::Complex;
use cwnd::numeric::characteristic::{
    Axis, LinearDelaySystem, Root, ScalarDelay, boundaries, follow, rightmost,
};
use cwnd::numeric::dde::Options;
use cwnd::numeric::growth::{Watched, growth};
use cwnd::numeric::margins::OpenLoop;
use std::f64::consts::{E, FRAC_PI_2, PI};

fn scalar(a: f64, b: f64, delay: f64) -> LinearDelaySystem {
    LinearDelaySystem::new(1)
        .with(0, 0, 0.0, -a)
        .with(0, 0, delay, -b)
}

/// s² + (αs + β)e^(−s) as x₁' = x₂' ... : q' = y, y' = −α·y(t−1) − β·q(t−1).
fn second(alpha: f64, beta: f64) -> LinearDelaySystem {
    LinearDelaySystem::new(2)
        .with(0, 1, 0.0, 1.0)
        .with(1, 1, 1.0, -alpha)
        .with(1, 0, 1.0, -beta)
}

fn upper(roots: Vec<Root>) -> Vec<Root> {
    roots.into_iter().filter(|r| r.value.im >= -1e-12).collect()
}

#[test]
fn collocation_finds_the_roots_of_lamberts_w() {
    for (a, b, delay) in [
        (0.0, 1.0, 1.0),
        (0.0, FRAC_PI_2, 1.0),
        (1.0, 2.0, 0.5),
        (-0.5, 0.8, 1.0),
        (0.3, -0.2, 2.0),
        (2.0, 1e-3, 1.0),
        (5.0, 4.9, 1.0),
        (0.1, 7.0, 0.25),
        (-1.0, 3.0, 1.3),
        (1e3, 5e3, 1e-3),
        (1e-4, 3e-4, 1e4),
        (8.0, 9.0, 1.0),
        (0.0, 0.3678, 1.0),
    ] {
        let exact = upper(ScalarDelay { a, b, delay }.roots(6));
        let found = rightmost(&scalar(a, b, delay), 3).unwrap();
        assert_eq!(found.len(), 3, "{a} {b} {delay}");
        for (x, y) in exact.iter().zip(&found) {
            assert!(
                (x.value - y.value).norm() * delay <= 1e-10 && !x.nearly_double && !y.nearly_double,
                "{a} {b} {delay}: {x:?} {y:?}"
            );
        }
    }
}

#[test]
fn both_roads_say_so_near_the_double_root() {
    // bτ·e^(aτ) = 1/e: s = −a − 1/τ twice.
    for (a, delay) in [(0.0, 1.0), (0.5, 1.0), (-0.3, 2.0)] {
        for off in [0.0, 1e-15, -1e-15, 1e-13, -1e-13] {
            let b = (1.0 + off) / (E * delay * (a * delay).exp());
            let exact = ScalarDelay { a, b, delay }.rightmost().unwrap();
            let found = rightmost(&scalar(a, b, delay), 1).unwrap();
            assert!(
                exact.nearly_double && found[0].nearly_double,
                "{exact:?} {found:?}"
            );
            assert!((exact.value.re + a + 1.0 / delay).abs() < 1e-5);
            assert!(
                (found[0].value - exact.value).norm() <= 4.0 * (found[0].doubt + exact.doubt),
                "{exact:?} {found:?}"
            );
        }
        for off in [1e-6, -1e-6] {
            let b = (1.0 + off) / (E * delay * (a * delay).exp());
            let exact = ScalarDelay { a, b, delay }.rightmost().unwrap();
            let found = rightmost(&scalar(a, b, delay), 1).unwrap();
            assert!(!exact.nearly_double && !found[0].nearly_double);
            assert!(
                (found[0].value - exact.value).norm() * delay < 1e-10,
                "{exact:?} {found:?}"
            );
        }
    }
}

#[test]
fn hayes_says_what_the_root_says() {
    for i in -20..=20 {
        for j in -20..=20 {
            let (a, b) = (0.31 * f64::from(i) + 0.013, 0.29 * f64::from(j) + 0.007);
            for delay in [0.0, 0.2, 1.0, 3.0] {
                let equation = ScalarDelay { a, b, delay };
                let root = equation.rightmost().unwrap().value;
                assert!(
                    root.re.abs() < 1e-12 || equation.is_stable() == (root.re < 0.0),
                    "{equation:?} {root}"
                );
            }
        }
    }
}

#[test]
fn lamberts_w_beyond_the_range_of_a_double() {
    let equation = ScalarDelay {
        a: 1000.0,
        b: 999.0,
        delay: 1.0,
    };
    for k in [0, -1, 1, 5] {
        let s = equation.root(k).unwrap().value;
        // s + a + b·e^(−s), in parts of its terms.
        let left = s + 1000.0 + (-s).exp() * 999.0;
        assert!(left.norm() < 1e-9, "{k} {s} {left}");
    }
    let slow = ScalarDelay {
        a: -900.0,
        b: 1.0,
        delay: 1.0,
    };
    assert!((slow.rightmost().unwrap().value.re - 900.0).abs() < 1e-9);
}

#[test]
fn roots_of_a_system_without_delay_are_eigenvalues() {
    let system = LinearDelaySystem::new(2)
        .with(0, 1, 0.0, 1.0)
        .with(1, 0, 0.0, -4.0)
        .with(1, 1, 0.0, -1.0);
    let root = rightmost(&system, 1).unwrap()[0].value;
    assert!((root.re + 0.5).abs() < 1e-14 && (root.im - 3.75f64.sqrt()).abs() < 1e-14);
    assert!(
        rightmost(&LinearDelaySystem::new(1), 1).unwrap()[0]
            .value
            .norm()
            == 0.0
    );
}

#[test]
fn two_states_one_delay() {
    // Independent calculation (60 digits).
    let roots = rightmost(&second(0.4, 0.226), 3).unwrap();
    assert!((roots[0].value - Complex::new(-0.085_432_54, 0.560_401_36)).norm() < 1e-8);
    assert!((roots[1].value - Complex::new(-1.915_892_34, 0.0)).norm() < 1e-8);
}

#[test]
fn boundary_by_roots_and_by_following() {
    let excess = |beta: f64| rightmost(&second(0.4, beta), 1).map(|r| r[0].value.re);
    let found = boundaries(&excess, &Axis::Linear.spread(0.05, 1.0, 9), 1e-12).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].stable_below && (found[0].value - 0.340_926).abs() < 5e-7);
    let f = |w: f64, alpha: f64, beta: f64| {
        let s = Complex::new(0.0, w);
        s * s + (s * alpha + beta) * (-s).exp()
    };
    let curve = follow(&f, (0.6, 0.3), &Axis::Linear.spread(0.4, 1.5, 12)).unwrap();
    assert_eq!(curve.len(), 12);
    for (alpha, w, beta) in curve {
        assert!((w * w.sin() - alpha).abs() < 1e-11 && (w * w * w.cos() - beta).abs() < 1e-11);
    }
}

#[test]
fn growth_is_the_real_part_of_the_root() {
    for (alpha, beta) in [(0.4, 0.226), (0.4, 0.35), (0.9, 0.5)] {
        let system = second(alpha, beta);
        let root = rightmost(&system, 1).unwrap()[0].value;
        let watched = Watched {
            component: 0,
            rest: 0.0,
            size: 1.0,
            floor: 1e-6,
            ceiling: 1e6,
            time: 100.0,
            doublings: 4,
        };
        let found = growth(
            &|| system.run(),
            &|_, _| 1.0,
            &watched,
            &Options::new(0.0, 1e-11),
        )
        .unwrap();
        assert!(
            found.decided && (found.rate - root.re).abs() < 1e-4,
            "{found:?} {root}"
        );
    }
}

fn loop_of(
    f: &dyn Fn(Complex<f64>) -> Complex<f64>,
    dead_time: f64,
    unstable_poles: usize,
    poles_at_zero: usize,
) -> OpenLoop<'_> {
    OpenLoop {
        transfer: f,
        dead_time,
        unstable_poles,
        poles_at_zero,
    }
}

#[test]
fn conditionally_stable_loop_has_two_gain_bounds_and_three_crossings() {
    // k(s+1)²/s³ is stable for k > 1/2 (Routh: s³ + k·s² + 2k·s + k).
    for (k, stable) in [(0.4, false), (0.6, true), (5.0, true)] {
        let l = move |s: Complex<f64>| (s + 1.0) * (s + 1.0) * k / (s * s * s);
        let found = loop_of(&l, 0.0, 0, 3).margins().unwrap();
        assert_eq!(found.stable, stable);
        assert!((found.gain_margin.unwrap() - 0.5 / k).abs() < 1e-12);
    }
}

#[test]
fn unstable_open_loop() {
    // x' = x/2 − b·x(t − 1): stable for b between 1/2 and the b of arccos(1/(2b)) = √(b² − 1/4).
    let exact = ScalarDelay {
        a: -0.5,
        b: 0.8,
        delay: 1.0,
    };
    assert!(exact.is_stable());
    for b in [0.3, 0.45, 0.55, 0.8, 1.2, 1.7, 4.0] {
        let l = move |s: Complex<f64>| (-s).exp() * b / (s - 0.5);
        let found = loop_of(&l, 1.0, 1, 0).margins().unwrap();
        let equation = ScalarDelay {
            a: -0.5,
            b,
            delay: 1.0,
        };
        assert_eq!(found.stable, equation.is_stable(), "{b} {found:?}");
        if let (true, Some(most)) = (found.stable, equation.critical_delay()) {
            assert!((found.delay_margin.unwrap() - (most - 1.0)).abs() < 1e-10);
        }
    }
}

#[test]
fn count_of_unstable_roots() {
    // x' = −b·x(t − 1) gains a pair at b = π/2, 5π/2, 9π/2.
    for (b, pairs) in [(1.0, 0), (2.0, 1), (8.0, 2), (15.0, 3)] {
        let l = move |s: Complex<f64>| (-s).exp() * b / s;
        let found = loop_of(&l, 1.0, 0, 1).margins().unwrap();
        assert_eq!(found.unstable_roots, 2 * pairs, "{b}");
        assert!((found.gain_margin.unwrap() - FRAC_PI_2 / b).abs() < 1e-12);
        assert!((found.phase_margin.unwrap() - (FRAC_PI_2 - b)).abs() < 1e-10);
        let delay = if b < FRAC_PI_2 {
            FRAC_PI_2 / b - 1.0
        } else {
            -1.0 + FRAC_PI_2 / b
        };
        assert!((found.delay_margin.unwrap() - delay).abs() < 1e-10);
    }
}

#[test]
fn no_crossover_is_no_margin_with_a_reason() {
    let l = |s: Complex<f64>| (-s).exp() * 0.5 / (s + 1.0);
    let found = loop_of(&l, 1.0, 0, 0).margins().unwrap();
    assert!(found.stable && found.phase_margin.is_none() && found.delay_margin.is_none());
    assert!(found.reasons[0].contains("no crossover"));
    let lag = |s: Complex<f64>| Complex::new(3.0, 0.0) / (s + 1.0);
    let found = loop_of(&lag, 0.0, 0, 0).margins().unwrap();
    assert!(found.stable && found.gain_margin.is_none());
    assert!((found.phase_margin.unwrap() - (PI - 8f64.sqrt().atan())).abs() < 1e-12);
}
