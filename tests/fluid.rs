//! The integrator as a whole: its checks, what decides a run and what does not, what is refused.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::error::Error;
use cwnd::fluid::{Lapse, Losses, Run, Scenario, Sync, simulate};
use cwnd::verify;
use runs::{at_link, close, link, natural, run, tape, until};

// ---- the checks of the list ------------------------------------------------------------------

#[test]
fn the_fluid_checks_pass() {
    for group in verify::GROUPS {
        if ["tcp-red", "fluid", "two-flows"].contains(&group.name) {
            for check in (group.run)().unwrap() {
                assert!(check.passed, "{check:?}");
            }
        }
    }
}

// ---- nothing but the seed and the scenario decides -----------------------------------------

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let scenario = natural();
    assert_eq!(run(&scenario), run(&scenario));
    let mut other = scenario.clone();
    other.run.seed = 2;
    assert_ne!(run(&scenario).flows, run(&other).flows);
}

#[test]
fn watching_does_not_influence_the_run() {
    let scenario = natural();
    let plain = run(&scenario);
    for every in [7.0, 0.5, 0.013] {
        assert_eq!(tape(&scenario, every).0, plain);
    }
}

#[test]
fn threads_do_not_influence_the_run() {
    let scenario = natural();
    let plain = run(&scenario);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| run(&scenario))).collect();
        for one in runs {
            assert_eq!(one.join().unwrap(), plain);
        }
    });
}

#[test]
fn a_finer_tolerance_changes_a_summary_by_less_than_the_coarser_one_says() {
    let at = |tolerance: f64| {
        run(&at_link(
            link(2000.0, 60.0),
            &[("reno", 0.04), ("highspeed", 0.12)],
            Losses {
                sync: Sync::All,
                ..Losses::default()
            },
            Run {
                tolerance,
                measure_from: 10.0,
                ..until(60.0)
            },
        ))
    };
    let fine = at(1e-11);
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-8] {
        let coarse = at(tolerance);
        for (a, b) in coarse.flows.iter().zip(&fine.flows) {
            close(a.rate, b.rate, tolerance);
            assert_eq!(a.loss_events, b.loss_events);
        }
        close(
            coarse.links[0].utilisation,
            fine.links[0].utilisation,
            10.0 * tolerance,
        );
        close(
            coarse.links[0].queue_mean,
            fine.links[0].queue_mean,
            10.0 * tolerance,
        );
    }
}

// ---- what is refused ------------------------------------------------------------------------

#[test]
fn a_run_that_exhausts_its_steps_says_so() {
    let mut scenario = natural();
    scenario.run.budget = 50;
    let error = simulate(&scenario, &mut ()).unwrap_err();
    assert!(matches!(error, Error::Numeric { .. }));
    assert!(error.to_string().contains("budget of 50 steps"), "{error}");
}

type Change = Box<dyn Fn(&mut Scenario)>;

#[test]
fn nonsense_is_refused() {
    let good = natural();
    let bad: Vec<(&str, Change)> = vec![
        ("capacity", Box::new(|s| s.links[0].capacity = -1.0)),
        ("buffer", Box::new(|s| s.links[0].buffer = f64::NAN)),
        ("number of flows", Box::new(|s| s.flows.clear())),
        ("round trip", Box::new(|s| s.flows[0].base_rtt = 0.0)),
        ("start", Box::new(|s| s.flows[0].start = 61.0)),
        ("stop", Box::new(|s| s.flows[0].stop = Some(0.0))),
        ("size", Box::new(|s| s.flows[0].size = Some(0.0))),
        ("path twice", Box::new(|s| s.flows[0].path = vec![0, 0])),
        ("does not exist", Box::new(|s| s.flows[0].path = vec![3])),
        ("its links", Box::new(|s| s.links[0].delay = 1.0)),
        ("loss rate", Box::new(|s| s.losses.rate = 1.0)),
        (
            "share of flows",
            Box::new(|s| s.losses.sync = Sync::Share(0.0)),
        ),
        (
            "reaction",
            Box::new(|s| s.losses.reaction = Lapse::seconds(-1.0)),
        ),
        ("tolerance", Box::new(|s| s.run.tolerance = 0.0)),
        ("duration", Box::new(|s| s.run.duration = 0.0)),
        ("measuring", Box::new(|s| s.run.measure_from = 60.0)),
    ];
    for (words, change) in bad {
        let mut scenario = good.clone();
        change(&mut scenario);
        let error = simulate(&scenario, &mut ()).unwrap_err().to_string();
        // A run without length has no start inside it either.
        let fits =
            error.contains(words) || (words == "duration" && error.contains("end of the run"));
        assert!(fits, "{words}: {error}");
    }
}
