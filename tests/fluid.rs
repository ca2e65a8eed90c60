//! The integrator as a whole: its checks, what decides a run and what does not, what is refused.
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::error::Error;
use cwnd::files::read_scenario;
use cwnd::fluid::{FINEST, Lapse, Scenario, Sync, simulate};
use cwnd::verify;
use runs::{close, natural, run, tape};

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

/// Runs that nothing random decides: rates, utilisation, mean queue (as a share of the packets under way) and drops move by less than the
/// coarser tolerance. (The queue that is exceeded 5 % of the time is told to a 4096th of the buffer.)
#[test]
fn a_finer_tolerance_changes_a_summary_by_less_than_the_coarser_one_says() {
    let one = |link: &str, flows: &[&str], loss: &str| {
        let flows: Vec<String> = (flows.iter())
            .map(|flow| format!("[[flow]]\nlaw = {flow}\n"))
            .collect();
        format!("{link}\n{}[loss]\n{loss}\n", flows.concat())
    };
    let reno = "\"reno\"\nrtt = \"40ms..120ms\"\ncount = 2";
    let texts = [
        one(
            "[link]\ncapacity = \"2000pkt/s\"\nbuffer = \"60pkt\"",
            &["\"reno\"\nrtt = \"40ms\"", "\"highspeed\"\nrtt = \"120ms\""],
            "sync = \"all\"",
        ),
        one(
            "[link]\ncapacity = \"10Mbit/s\"\nbuffer = \"200pkt\"\nqueue = \"red:min=20pkt,max=80pkt,max_p=0.1,weight=0.002\"",
            &[reno],
            "process = \"mean-field\"",
        ),
        one(
            "[link]\ncapacity = \"50Mbit/s\"\nbuffer = \"50ms\"",
            &["\"cubic\"\nrtt = \"100ms\"", "\"compound\"\nrtt = \"60ms\""],
            "process = \"periodic\"\nrate = \"1e-4\"\nsync = \"all\"",
        ),
        one(
            "[link]\ncapacity = \"50Mbit/s\"\nbuffer = \"500pkt\"\nqueue = \"pie:carried=1\"",
            &["\"vegas\"\nrtt = \"40ms\"", "\"westwood\"\nrtt = \"80ms\""],
            "process = \"mean-field\"",
        ),
        one(
            "[link]\ncapacity = \"20Mbit/s\"\nbuffer = \"500pkt\"\nqueue = \"pie\"",
            &[reno],
            "process = \"mean-field\"\nreaction = \"80ms\"",
        ),
        one(
            "[link]\ncapacity = \"20Mbit/s\"\nbuffer = \"500pkt\"\nqueue = \"pi2\"",
            &[reno],
            "process = \"mean-field\"",
        ),
        // One whose queue is a small part of its window.
        one(
            "[link]\ncapacity = \"20Mbit/s\"\nbuffer = \"20ms\"",
            &["\"vegas\"\nrtt = \"50ms\""],
            "",
        ),
        one(
            "[link]\ncapacity = \"20Mbit/s\"\nbuffer = \"0pkt\"",
            &[reno],
            "sync = \"all\"",
        ),
        // Whose losses are drawn, but on a buffer that few of them fill.
        one(
            "[link]\ncapacity = \"20Mbit/s\"\nbuffer = \"1bdp\"",
            &["\"reno\"\nrtt = \"40ms..120ms\"\ncount = 10"],
            "",
        ),
    ];
    for text in texts {
        let at = |tolerance: f64| {
            let text = format!(
                "{text}[run]\nduration = \"60s\"\nmeasure_from = \"10s\"\ntolerance = {tolerance:e}\n"
            );
            run(&read_scenario("here", &text, None).unwrap().scenario)
        };
        let fine = at(FINEST);
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let coarse = at(tolerance);
            for (a, b) in coarse.flows.iter().zip(&fine.flows) {
                close(a.rate, b.rate, tolerance);
                assert_eq!(a.loss_events, b.loss_events, "{text}");
            }
            let (a, b) = (&coarse.links[0], &fine.links[0]);
            close(a.utilisation, b.utilisation, tolerance);
            let windows = fine.flows.iter().filter_map(|flow| flow.window);
            let under_way = windows.sum::<f64>().max(b.queue_mean);
            assert!((a.queue_mean - b.queue_mean).abs() < tolerance * under_way);
            // A share, which may itself be small.
            assert!((a.drop_fraction - b.drop_fraction).abs() < tolerance);
        }
    }
}

/// A window that nothing checks any more fills its link, no less and no more.
#[test]
fn a_window_beyond_all_bounds_fills_its_link() {
    let text = "[link]\ncapacity = \"10Mbit/s\"\nbuffer = \"50ms\"\n[[flow]]\nlaw = \"reno\"\nrtt = \"50ms\"\n[run]\nduration = \"5s\"\nmeasure_from = \"2s\"\n[loss]\nreaction = \"1000s\"\n";
    let summary = run(&read_scenario("here", text, None).unwrap().scenario);
    close(summary.links[0].utilisation, 1.0, 1e-12);
    close(summary.flows[0].rate, 10e6 / 12000.0, 1e-9);
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

#[test]
fn steps_that_something_else_makes_short_use_up_the_budget_too() {
    let text = "[link]\ncapacity = \"100Mbit/s\"\nbuffer = \"100pkt\"\n[[flow]]\nlaw = \"reno\"\nrtt = \"500ms\"\n[[flow]]\nlaw = \"web:rate=20Mbit/s,interval=0.0002s\"\nrtt = \"1s\"\n[run]\nduration = \"20s\"\nbudget = 500\n";
    let scenario = read_scenario("here", text, None).unwrap().scenario;
    let error = simulate(&scenario, &mut ()).unwrap_err().to_string();
    assert!(error.contains("budget of 500 steps"), "{error}");
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
