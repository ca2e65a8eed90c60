//! The two verbs of each law against numbers worked by hand from its source.

use approx::assert_relative_eq;
use cwnd::algorithms::{ALGORITHMS, Selected};
use cwnd::model::{Cause, Feedback, Setting, WindowLaw};

fn law(spec: &str) -> Box<dyn WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap()
}

/// Packets per round trip that the law adds in a state, on a path of 0.2 s.
fn growth(law: &dyn WindowLaw, x: &[f64]) -> f64 {
    let mut dx = vec![0.0; x.len()];
    law.increase(x, &Feedback::quiet(0.2), &mut dx);
    dx[0] * 0.2
}

fn after(law: &dyn WindowLaw, x: &[f64], why: Cause) -> Vec<f64> {
    let mut x = x.to_vec();
    law.decrease(&mut x, &Feedback::quiet(0.2), why);
    x
}

#[test]
fn standard_tcp() {
    let reno = law("reno");
    assert_relative_eq!(growth(reno.as_ref(), &[10.0]), 1.0);
    assert_relative_eq!(growth(law("reno:ack_every=2").as_ref(), &[10.0]), 0.5);
    assert_eq!(after(reno.as_ref(), &[10.0], Cause::Loss), [5.0]);
    assert_eq!(after(reno.as_ref(), &[10.0], Cause::Timeout), [1.0]);
}

#[test]
fn aimd() {
    let aimd = law("aimd:a=3,b=0.2,ack_every=2");
    assert_relative_eq!(growth(aimd.as_ref(), &[10.0]), 1.5);
    assert_eq!(after(aimd.as_ref(), &[10.0], Cause::Mark), [8.0]);
}

#[test]
fn scalable() {
    let scalable = law("scalable");
    assert_relative_eq!(growth(scalable.as_ref(), &[1000.0]), 10.0);
    assert_relative_eq!(growth(scalable.as_ref(), &[15.9]), 1.0);
    assert_relative_eq!(growth(scalable.as_ref(), &[16.0]), 0.16);
    assert_eq!(after(scalable.as_ref(), &[800.0], Cause::Loss), [700.0]);
    assert_eq!(after(scalable.as_ref(), &[15.0], Cause::Loss), [7.5]);
    assert_eq!(scalable.thresholds(), [16.0]);
}

#[test]
fn bic_pseudo_code() {
    let bic = law("bic");
    // cwnd and Wmax, then the increment per round trip.
    for (cwnd, w_max, increment) in [
        (10.0, 512.0, 1.0),
        (13.999, 512.0, 1.0),
        (400.0, 512.0, 32.0),
        (448.0, 512.0, 32.0),
        (500.0, 512.0, 6.0),
        (511.99, 512.0, 0.01),
        (512.0, 512.0, 0.01),
        (512.005, 512.0, 0.01),
        (520.0, 512.0, 8.0),
        (600.0, 512.0, 32.0),
    ] {
        assert_relative_eq!(
            growth(bic.as_ref(), &[cwnd, w_max]),
            increment,
            max_relative = 1e-13
        );
    }
    assert_eq!(
        after(bic.as_ref(), &[600.0, 512.0], Cause::Loss),
        [525.0, 600.0]
    );
    assert_eq!(
        after(bic.as_ref(), &[400.0, 512.0], Cause::Loss),
        [350.0, 400.0]
    );
    assert_eq!(
        after(bic.as_ref(), &[10.0, 512.0], Cause::Loss),
        [5.0, 512.0]
    );
    assert_eq!(after(bic.as_ref(), &[400.0, 512.0], Cause::Timeout)[0], 1.0);
    let fast = law("bic:fast_convergence=1");
    assert_eq!(
        after(fast.as_ref(), &[400.0, 512.0], Cause::Loss),
        [350.0, 375.0]
    );
    assert_eq!(
        after(fast.as_ref(), &[600.0, 512.0], Cause::Loss),
        [525.0, 600.0]
    );
    assert!(fast.unsettled().is_some() && bic.unsettled().is_none());
}

#[test]
fn highspeed_follows_its_line_frozen_at_the_window() {
    // RFC 3649 section 5: AIMD(a, b) frozen at w has its mean window w at the line's loss rate p(w).
    for (spec, low_w, low_p, high_w, high_p, high_b) in [
        (
            "highspeed@draft2002",
            31.0,
            1.44 / 961.0,
            83_000.0,
            1e-7,
            0.1,
        ),
        (
            "highspeed:low_window=50,low_p=2e-3,high_window=1e5,high_p=1e-8,high_decrease=0.2",
            50.0,
            2e-3,
            1e5,
            1e-8,
            0.2,
        ),
    ] {
        let highspeed = law(spec);
        for w in [300.0, 3000.0, 30_000.0] {
            let b = 1.0 - after(highspeed.as_ref(), &[w], Cause::Loss)[0] / w;
            let expected = 0.5 + (high_b - 0.5) * f64::ln(w / low_w) / f64::ln(high_w / low_w);
            assert_relative_eq!(b, expected, max_relative = 1e-12);
            let p = low_p * f64::powf(w / low_w, f64::ln(high_p / low_p) / f64::ln(high_w / low_w));
            let a = growth(highspeed.as_ref(), &[w]);
            assert_relative_eq!(
                (a * (2.0 - b) / (2.0 * b * p)).sqrt(),
                w,
                max_relative = 1e-12
            );
        }
        // Above High_Window both are held, below Low_Window it is standard TCP.
        assert_relative_eq!(
            growth(highspeed.as_ref(), &[1e7]),
            growth(highspeed.as_ref(), &[high_w])
        );
        assert_relative_eq!(
            after(highspeed.as_ref(), &[1e7], Cause::Loss)[0],
            1e7 * (1.0 - high_b)
        );
        assert_relative_eq!(growth(highspeed.as_ref(), &[low_w - 1.0]), 1.0);
        assert_relative_eq!(after(highspeed.as_ref(), &[20.0], Cause::Loss)[0], 10.0);
    }
    // The program's a(38) is 0.956 and is not used below 1.
    assert_relative_eq!(growth(law("highspeed").as_ref(), &[38.001]), 1.0);
}

#[test]
fn every_law_grows_and_shrinks() {
    let seen = Feedback {
        base_rtt: 0.1,
        // What a law that listens to routers would be told; the others do not look.
        explicit: 100.0,
        ..Feedback::quiet(0.1)
    };
    for algorithm in ALGORITHMS {
        for preset in algorithm.presets() {
            let Some(law) = algorithm.law(&Setting::of(algorithm.parameters(), preset)) else {
                continue;
            };
            let name = format!("{}@{}", algorithm.name(), preset.name);
            assert_eq!(law.states()[0], "window", "{name}");
            for window in [8.0, 64.0, 1000.0, 1e6] {
                let mut x = vec![0.0; law.states().len()];
                law.settle(window, &mut x);
                assert_eq!(x[0], window, "{name}");
                law.decrease(&mut x, &seen, Cause::Loss);
                assert!(x[0] < window && x[0] > 0.0, "{name}");
                let mut scratch = vec![0.0; x.len()];
                let before = x[0];
                let rounds = law.on_acks(20_000 + 4 * window as u64, &mut x, &seen, &mut scratch);
                assert!(
                    rounds > 0.0 && x[0] > before,
                    "{name}: {before} became {}",
                    x[0]
                );
                assert!(x.iter().all(|v| v.is_finite()), "{name}");
                assert!(
                    !law.regime(&x, &seen).is_empty() && !law.source().is_empty(),
                    "{name}"
                );
                law.decrease(&mut x, &seen, Cause::Timeout);
                assert_eq!(x[0], 1.0, "{name}");
            }
        }
    }
}

/// One epoch of BIC's per-round rule, step by step: rounds and packets until the window is back at its peak.
fn whole_rounds(peak: f64, smax: f64, smin: f64, beta: f64) -> (f64, f64) {
    let mut w = (1.0 - beta) * peak;
    let (mut rounds, mut packets) = (1.0, w);
    // A hair below the peak counts as there: the last steps add up to it only to rounding.
    while w < peak * (1.0 - 1e-12) {
        w += ((peak - w) / 2.0).clamp(smin, smax);
        rounds += 1.0;
        packets += w;
    }
    (rounds, packets)
}

#[test]
fn bic_in_whole_rounds_is_its_rule_step_by_step() {
    use cwnd::model::Path;
    use cwnd::units::LossRate;
    for (smax, smin, beta) in [
        (32.0, 0.01, 0.125),
        (20.0, 7.0, 0.5),
        (16.0, 3.0, 0.3),
        (64.0, 0.3, 0.2),
    ] {
        let law = Selected::parse(&format!(
            "bic:smax={smax},smin={smin},beta={beta},low_window=0"
        ))
        .unwrap();
        let form = law
            .algorithm
            .closed(&law.setting)
            .into_iter()
            .find(|f| f.form() == "whole-rounds")
            .unwrap();
        for step in 0..=800 {
            let p = 1e-2 * 10f64.powf(-4.0 * f64::from(step) / 800.0);
            let answer = form
                .respond(LossRate::new(p).unwrap(), &Path::default())
                .unwrap();
            let peak = answer.peak.unwrap().value();
            let (rounds, packets) = whole_rounds(peak, smax, smin, beta);
            assert_relative_eq!(answer.window.value(), packets / rounds, max_relative = 1e-9);
            assert!(
                packets <= (1.0 + 1e-9) / p,
                "{smax} {smin} {beta} {p}: {packets}"
            );
            // It is the longest such epoch: a slightly larger peak sends more than 1/p packets.
            let (_, more) = whole_rounds(peak * (1.0 + 1e-6), smax, smin, beta);
            assert!(more > 1.0 / p, "{smax} {smin} {beta} {p}: {more}");
        }
    }
}

#[test]
fn bic_in_whole_rounds_is_the_per_round_rule_where_windows_are_vast() {
    use cwnd::model::Path;
    use cwnd::units::LossRate;
    // One round more or less among 4e9 and more: the forms differ by less than 1e-8.
    let law = Selected::parse("bic").unwrap();
    let forms = law.algorithm.closed(&law.setting);
    let window = |name: &str, p: f64| {
        let form = forms.iter().find(|f| f.form() == name).unwrap();
        let loss = LossRate::new(p).unwrap();
        form.respond(loss, &Path::default()).unwrap().window.value()
    };
    for p in [1e-22, 1e-30, 1e-60] {
        for name in ["whole-rounds", "fractional"] {
            assert_relative_eq!(window(name, p), window("per-round", p), max_relative = 1e-8);
        }
    }
}

#[test]
fn bic_changes_regime_where_its_equations_meet() {
    use cwnd::model::Path;
    use cwnd::units::LossRate;
    // Packets of the epoch at the boundary, worked by hand: per round W (log2(b W/Smin) + 2 (1 - b)) + Smin, per acknowledgement
    // W (2 ln(b W/(2 Smin)) + 2 - 2 b) + 2 Smin, at W = 2 Smax/b, Smin/b and 2 Smin/b.
    for (spec, form, packets, below, above) in [
        (
            "bic:low_window=0",
            "per-round",
            512.0 * (6400f64.log2() + 1.75) + 0.01,
            "additive increase",
            "binary search",
        ),
        (
            "bic:low_window=0,smin=1",
            "per-round",
            15.0,
            "binary search",
            "minimum increment",
        ),
        (
            "bic:low_window=0",
            "per-ack",
            512.0 * (2.0 * 3200f64.ln() + 1.75) + 0.02,
            "additive increase",
            "binary search",
        ),
        (
            "bic:low_window=0,smin=1",
            "per-ack",
            30.0,
            "binary search",
            "minimum increment",
        ),
    ] {
        let law = Selected::parse(spec).unwrap();
        let form = law
            .algorithm
            .closed(&law.setting)
            .into_iter()
            .find(|f| f.form() == form)
            .unwrap();
        let regime = |p: f64| {
            form.respond(LossRate::new(p).unwrap(), &Path::default())
                .unwrap()
                .regime
                .to_string()
        };
        assert_eq!(regime((1.0 - 1e-6) / packets), below, "{spec}");
        assert_eq!(regime((1.0 + 1e-6) / packets), above, "{spec}");
    }
}
