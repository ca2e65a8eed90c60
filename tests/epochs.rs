//! The kept epochs of the `epoch` road against shooting anew at every question.
#![allow(missing_docs, clippy::unwrap_used)]

use cwnd::algorithms::{ALGORITHMS, Selected};
use cwnd::model::{Feedback, Path, Response, ResponseFunction};
use cwnd::responses::epoch::Epoch;
use cwnd::units::{LossRate, Seconds};

/// Loss rates per law: an odd number, so that they do not fall into step with the peaks that are kept.
const RATES: usize = 67;

fn epoch(spec: &str) -> Epoch {
    let law = Selected::parse(spec).unwrap();
    Epoch::new(law.algorithm.law(&law.setting).unwrap())
}

fn rates() -> impl DoubleEndedIterator<Item = LossRate> {
    (0..RATES).map(|k| LossRate::new(1e-8 * 1e7f64.powf(k as f64 / (RATES - 1) as f64)).unwrap())
}

fn without_queue(rtt: f64) -> Path {
    Path::with_rtt(Seconds::new(rtt))
}

/// Kept and shot epochs of one law: the same windows, peaks, regimes and solutions beside them. `several` if solutions may lie
/// close together. Returns how many were compared.
fn compare(spec: &str, path: &Path, tolerance: f64, several: bool) -> usize {
    let law = Selected::parse(spec).unwrap();
    let window_law = law.algorithm.law(&law.setting).unwrap();
    let seen = if path.base_rtt.is_none() && !window_law.needs_rtt() {
        Feedback::quiet(1.0)
    } else {
        path.feedback(window_law.as_ref()).unwrap()
    };
    let epoch = epoch(spec);
    let mut compared = 0;
    for p in rates() {
        let shot = epoch.cycles(1.0 / p.value(), &seen).unwrap();
        let kept = epoch.respond(p, path);
        let (Some(cycle), Ok(kept)) = (shot.first(), &kept) else {
            assert!(shot.is_empty() && kept.is_err(), "{spec} {p}: {kept:?}");
            continue;
        };
        let apart = |a: f64, b: f64| (a / b - 1.0).abs();
        // Strides of its own let shooting step over two solutions that are close together: the larger of all is answered.
        let at_peak = epoch.cycle(kept.peak.unwrap().value(), &seen).unwrap();
        let cycle = if several && at_peak.peak > 1.01 * cycle.peak {
            &at_peak
        } else {
            cycle
        };
        let window = apart(kept.window.value(), cycle.packets / cycle.rounds);
        let peak = apart(kept.peak.unwrap().value(), cycle.peak);
        let packets = apart(at_peak.packets, 1.0 / p.value());
        assert!(
            window.max(peak).max(packets) < tolerance + 8.0 * cycle.blur,
            "{spec} {p}: window {window:e}, peak {peak:e}, packets {packets:e}, blur {:e}",
            cycle.blur
        );
        assert_eq!(kept.regime, cycle.regimes.join(", then "), "{spec} {p}");
        let stepped_over = several && kept.note.is_some() && shot.len() == 1;
        assert!(
            stepped_over || kept.note.is_some() == (shot.len() > 1),
            "{spec} {p}: {:?}",
            kept.note
        );
        compared += 1;
    }
    compared
}

#[test]
fn kept_epochs_are_those_that_shooting_finds() {
    let mut laws = 0;
    for algorithm in ALGORITHMS {
        let law = Selected::parse(algorithm.name()).unwrap();
        let Some(window_law) = law.algorithm.law(&law.setting) else {
            continue;
        };
        // A law that carries a measured bandwidth over takes a second for each answer when it is shot.
        if window_law.price().must_be_loss().is_err()
            || window_law.unsettled().is_some()
            || !window_law.carried().is_empty()
        {
            continue;
        }
        assert_eq!(
            compare(algorithm.name(), &without_queue(0.07), 3e-12, false),
            RATES,
            "{}",
            algorithm.name()
        );
        laws += 1;
    }
    assert!(laws >= 10, "{laws}");
}

#[test]
fn kinks_jumps_queues_and_several_solutions_are_those_that_shooting_finds() {
    for spec in [
        "highspeed:low_window=100,low_p=1e-3,high_window=200,high_p=5e-4",
        "scalable:low_window=300",
        "bic:low_window=0,smax=100,smin=5",
        "cubic:beta=0.5,c=4",
        "htcp:rtt_scaling=1",
        "illinois:win_thresh=100",
    ] {
        assert!(
            compare(spec, &without_queue(0.01), 3e-12, true) > RATES / 2,
            "{spec}"
        );
    }
    let queue = Path {
        base_rtt: Some(Seconds::new(0.099)),
        ..without_queue(0.1)
    };
    assert_eq!(compare("illinois", &queue, 3e-12, false), RATES);
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    for spec in ["reno", "highspeed", "bic", "cubic", "htcp", "compound"] {
        let path = without_queue(0.1);
        let (up, down) = (epoch(spec), epoch(spec));
        let asked = |epoch: &Epoch, p| epoch.respond(p, &path).unwrap();
        let first: Vec<Response> = rates().map(|p| asked(&up, p)).collect();
        let mut second: Vec<Response> = rates().rev().map(|p| asked(&down, p)).collect();
        second.reverse();
        let alone: Vec<Response> = rates()
            .step_by(11)
            .map(|p| asked(&epoch(spec), p))
            .collect();
        assert!(first == second, "{spec}");
        assert!(first.into_iter().step_by(11).eq(alone), "{spec}");
    }
}

#[test]
fn slope_and_rtt_exponent_are_those_of_the_windows() {
    for spec in ["highspeed", "bic", "cubic", "htcp", "cr", "canit"] {
        let epoch = epoch(spec);
        for p in rates().step_by(5) {
            let at = |p: f64, rtt: f64| {
                let found = epoch.respond(LossRate::new(p).unwrap(), &without_queue(rtt));
                found.unwrap()
            };
            let here = at(p.value(), 0.07);
            let h = 1e-4f64;
            let ends = [h, -h].map(|h| at(p.value() * h.exp(), 0.07));
            let turns = [h, -h].map(|h| at(p.value(), 0.07 * h.exp()));
            // Across a kink a difference quotient is neither of the two slopes.
            if ends
                .iter()
                .chain(&turns)
                .any(|near| near.regime != here.regime)
            {
                continue;
            }
            let quotient = |pair: &[Response; 2]| {
                (pair[0].window.value() / pair[1].window.value()).ln() / (2.0 * h)
            };
            let (slope, exponent) = (-quotient(&ends), quotient(&turns));
            assert!(
                (here.slope.unwrap() - slope).abs() < 1e-6,
                "{spec} {p}: {slope}"
            );
            assert!(
                (here.rtt_exponent.unwrap() - exponent).abs() < 1e-6,
                "{spec} {p}: {exponent}"
            );
        }
    }
}
