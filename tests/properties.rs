//! What holds for every law, over whole ranges: walks over the list that know no law by name.

use approx::assert_relative_eq;
use cwnd::algorithms::{ALGORITHMS, Selected};
use cwnd::error::Error;
use cwnd::model::{LossModel, Path, ResponseFunction, Setting};
use cwnd::responses::ack::{Ack, Effort};
use cwnd::responses::epoch::Epoch;
use cwnd::units::{LossRate, Packets, Seconds};
use proptest::prelude::*;

const LEAST: f64 = 1e-12;
const MOST: f64 = 0.3;

fn path() -> Path {
    Path::with_rtt(Seconds::new(0.1))
}

/// Every preset of every law with its default closed form.
fn defaults() -> Vec<(String, Box<dyn ResponseFunction>)> {
    let mut out = Vec::new();
    for algorithm in ALGORITHMS {
        for preset in algorithm.presets() {
            let setting = Setting::of(algorithm.parameters(), preset);
            if let Some(form) = algorithm.closed(&setting).into_iter().next() {
                out.push((
                    format!("{}@{} {}", algorithm.name(), preset.name, form.form()),
                    form,
                ));
            }
        }
    }
    out
}

/// The path without a queue, or with one where the form has no answer without.
fn place(form: &dyn ResponseFunction) -> Path {
    match form.respond(LossRate::new(1e-4).unwrap(), &path()) {
        Err(Error::NoAnswer(_)) => Path {
            base_rtt: Some(Seconds::new(0.075)),
            ..path()
        },
        _ => path(),
    }
}

fn window(form: &dyn ResponseFunction, p: f64) -> f64 {
    form.respond(LossRate::new(p).unwrap(), &place(form))
        .unwrap()
        .window
        .value()
}

#[test]
fn default_responses_are_continuous_and_fall() {
    const STEP: f64 = 1e-3;
    for (name, form) in defaults() {
        let (mut x, mut before) = (LEAST.ln(), window(form.as_ref(), LEAST));
        while x + STEP < MOST.ln() {
            x += STEP;
            let now = window(form.as_ref(), x.exp());
            let fall = (before / now).ln() / STEP;
            // No law is steeper than 1/p (TFRC's timeouts make it steeper above 0.1), none flatter than 1/p^(1/3).
            assert!(fall > 0.3, "{name}: slope {fall} at p = {}", x.exp());
            assert!(
                fall < if x.exp() > 0.02 { 6.0 } else { 1.05 },
                "{name}: slope {fall} at p = {}",
                x.exp()
            );
            before = now;
        }
    }
}

#[test]
fn slopes_are_difference_quotients() {
    for algorithm in ALGORITHMS {
        for preset in algorithm.presets() {
            for form in algorithm.closed(&Setting::of(algorithm.parameters(), preset)) {
                let path = place(form.as_ref());
                for p in [3e-11, 7e-8, 2e-6, 3.3e-5, 4.1e-4, 2.3e-3, 0.017, 0.11] {
                    let Ok(here) = form.respond(LossRate::new(p).unwrap(), &path) else {
                        continue;
                    };
                    let h = 1e-6f64;
                    let at = |q: f64| {
                        form.respond(LossRate::new(q).unwrap(), &path)
                            .map(|r| r.window.value())
                    };
                    let (Ok(below), Ok(above)) = (at(p * (-h).exp()), at(p * h.exp())) else {
                        continue;
                    };
                    let name =
                        format!("{}@{} {} p={p}", algorithm.name(), preset.name, form.form());
                    if let Some(slope) = here.slope {
                        let quotient = (below / above).ln() / (2.0 * h);
                        assert!(
                            (slope - quotient).abs() < 2e-6,
                            "{name}: slope {slope}, quotient {quotient}"
                        );
                    }
                    if let Some(e) = here.rtt_exponent {
                        let at = |factor: f64| {
                            form.respond(
                                LossRate::new(p).unwrap(),
                                &Path {
                                    rtt: path.rtt.map(|r| Seconds::new(r.value() * factor)),
                                    base_rtt: path
                                        .base_rtt
                                        .map(|r| Seconds::new(r.value() * factor)),
                                },
                            )
                            .map(|r| r.window.value())
                        };
                        let (Ok(shorter), Ok(longer)) = (at((-h).exp()), at(h.exp())) else {
                            continue;
                        };
                        let quotient = (longer / shorter).ln() / (2.0 * h);
                        assert!(
                            (e - quotient).abs() < 2e-6,
                            "{name}: RTT exponent {e}, quotient {quotient}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_larger_of_two_sawteeth_is_answered_and_the_other_named() {
    let law = Selected::parse("bic").unwrap();
    let epoch = Epoch::new(law.law().unwrap());
    let answer = epoch
        .respond(LossRate::new(0.03).unwrap(), &Path::default())
        .unwrap();
    assert!(answer.peak.unwrap().value() > 14.0);
    assert!(answer.note.unwrap().contains("7.07107"));
    // A window between the two branches is given by no loss rate, and the answer says so.
    let gap = epoch.loss_for(Packets::new(12.0), &Path::default());
    assert!(
        matches!(&gap, Err(Error::NoAnswer(reason)) if reason.contains("jumps")),
        "{gap:?}"
    );
}

#[test]
fn intervals_cover() {
    // Of 100 fixed seeds at p = 1e-2 at least 90 intervals cover the mean of a run a hundred times as long.
    let law = Selected::parse("reno").unwrap();
    let run = |effort: Effort| {
        let road = Ack::new(law.law().unwrap(), LossModel::Random, effort);
        let answer = road
            .respond(LossRate::new(1e-2).unwrap(), &Path::default())
            .unwrap();
        (answer.window.value(), answer.ci.unwrap().value())
    };
    // A hundred times as long is a tenth of the half-width.
    let (truth, _) = run(Effort {
        precision: 0.001,
        budget: 1_000_000_000,
        seed: 4_242,
    });
    let covered = (1..=100).filter(|&seed| {
        let (mean, half) = run(Effort {
            seed,
            ..Effort::default()
        });
        (mean - truth).abs() <= half
    });
    let count = covered.count();
    assert!(count >= 90, "{count} of 100 cover {truth}");
}

#[test]
fn the_same_seed_gives_the_same_number_and_another_another() {
    let law = Selected::parse("aimd").unwrap();
    let run = |seed| {
        let road = Ack::new(
            law.law().unwrap(),
            LossModel::Random,
            Effort {
                precision: 0.05,
                budget: 100_000_000,
                seed,
            },
        );
        road.respond(LossRate::new(1e-3).unwrap(), &Path::default())
            .unwrap()
            .window
            .value()
    };
    assert_eq!(run(7).to_bits(), run(7).to_bits());
    assert_ne!(run(7).to_bits(), run(8).to_bits());
}

#[test]
fn a_budget_that_is_too_small_is_said() {
    let law = Selected::parse("reno").unwrap();
    for losses in [LossModel::Random, LossModel::Periodic] {
        let road = Ack::new(
            law.law().unwrap(),
            losses,
            Effort {
                budget: 1000,
                ..Effort::default()
            },
        );
        let answer = road.respond(LossRate::new(1e-5).unwrap(), &Path::default());
        assert!(
            matches!(&answer, Err(Error::NoAnswer(reason)) if reason.contains("1000")),
            "{answer:?}"
        );
    }
}

#[test]
fn delayed_acknowledgements_scale_the_square_root_laws() {
    for (plain, delayed) in [
        ("reno", "reno:ack_every=2"),
        ("aimd:a=4,b=0.3", "aimd:a=4,b=0.3,ack_every=2"),
        ("mathis", "mathis:ack_every=2"),
    ] {
        let at = |spec: &str| {
            let law = Selected::parse(spec).unwrap();
            window(law.algorithm.closed(&law.setting)[0].as_ref(), 1e-4)
        };
        assert_relative_eq!(at(delayed), at(plain) / 2f64.sqrt(), max_relative = 1e-14);
    }
}

proptest! {
    #[test]
    fn windows_invert(ln_p in LEAST.ln()..MOST.ln(), which in 0usize..100) {
        let all = defaults();
        let (name, form) = &all[which % all.len()];
        let p = ln_p.exp();
        let back = form.loss_for(Packets::new(window(form.as_ref(), p)), &place(form.as_ref())).unwrap().value();
        prop_assert!((back / p - 1.0).abs() < 1e-12, "{name}: {p} came back as {back}");
    }

    #[test]
    fn joins_are_never_below_standard_tcp(ln_p in LEAST.ln()..MOST.ln(), smax in 1.0f64..200.0, share in 1e-4f64..1.0, beta in 0.01f64..0.9) {
        let spec = format!("bic:smax={smax},smin={},beta={beta}", smax * share);
        let law = Selected::parse(&spec).unwrap();
        let p = ln_p.exp();
        for form in law.algorithm.closed(&law.setting) {
            if let Ok(answer) = form.respond(LossRate::new(p).unwrap(), &Path::default()) {
                let w = answer.window.value();
                prop_assert!(w.is_finite() && w > 0.0);
                if ["per-round", "per-ack", "fractional"].contains(&form.form()) {
                    prop_assert!(w >= (1.5 / p).sqrt() * (1.0 - 1e-12));
                }
            }
        }
    }

    #[test]
    fn the_epoch_of_bic_is_its_per_ack_form(ln_p in (-20f64)..(-3.0), smax in 2.0f64..100.0, ratio in 5.0f64..5000.0, beta in 0.05f64..0.6) {
        let spec = format!("bic:smax={smax},smin={},beta={beta},low_window=0", smax / ratio);
        let law = Selected::parse(&spec).unwrap();
        let p = LossRate::new(ln_p.exp()).unwrap();
        let closed = law.algorithm.closed(&law.setting).into_iter().find(|f| f.form() == "per-ack").unwrap();
        let exact = Epoch::new(law.law().unwrap());
        let (a, b) = (closed.respond(p, &Path::default()).unwrap(), exact.respond(p, &Path::default()).unwrap());
        prop_assert!((a.window.value() / b.window.value() - 1.0).abs() < 1e-9, "{spec} {p}: {} {}", a.window, b.window);
    }

    #[test]
    fn any_words_parse_or_are_refused(spec in "\\PC{0,40}") {
        let _ = Selected::parse(&spec);
        let _ = LossRate::parse(&spec);
        let _ = Seconds::parse(&spec);
        let _ = cwnd::units::Rate::parse(&spec);
        let _ = cwnd::units::Size::parse(&spec);
        let _ = cwnd::units::grid(&spec, |item| LossRate::parse(item).map(LossRate::value));
    }
}
