//! XCP in the integrator: explicit feedback that travels, its equilibria and time constants.

mod runs;

use cwnd::fluid::{Begin, Flow, Losses, Run, Scenario, simulate};
use cwnd::network::{Link, XcpRouter};
use runs::{close, law, run, tape, until};
use std::sync::Arc;

fn router(capacity: f64, buffer: f64) -> Link {
    Link {
        queue: Arc::new(XcpRouter::default()),
        ..runs::link(capacity, buffer)
    }
}

fn flow(spec: &str, rtt: f64, window: f64) -> Flow {
    Flow {
        begin: Begin::Growing(window),
        ..Flow::new(spec, law(spec), vec![0], rtt)
    }
}

fn on(link: Link, flows: Vec<Flow>, run: Run) -> Scenario {
    Scenario {
        links: vec![link],
        flows,
        losses: Losses::default(),
        run,
    }
}

#[test]
fn start_up_is_that_of_the_papers_delay_equation() {
    // y' = -(alpha/d)(y(t-d) - c) - (beta/d^2) q(t-d) from y = 0: 90 % at 3.087 d, 95 % at 3.718 d, y = c at 6.379 d
    // (independent integration). A flow that has always been there sees the same feedback.
    let (c, d) = (1000.0, 0.1);
    let scenario = on(
        router(c, 1000.0),
        vec![Flow {
            start: f64::NEG_INFINITY,
            ..flow("xcp", d, 1e-9)
        }],
        until(1.0),
    );
    let scenario = Scenario {
        losses: Losses {
            least_window: 0.0,
            ..Losses::default()
        },
        ..scenario
    };
    let (_, tape) = tape(&scenario, d / 1000.0);
    let reaches = |share: f64| {
        let found = tape
            .samples
            .iter()
            .find(|(_, w, q)| w[0] / (d + q[0] / c) >= share * c);
        found.unwrap().0 / d
    };
    assert!((reaches(0.9) - 3.087).abs() < 0.0015, "{}", reaches(0.9));
    assert!((reaches(0.95) - 3.718).abs() < 0.0015, "{}", reaches(0.95));
    assert!((reaches(1.0) - 6.379).abs() < 0.002, "{}", reaches(1.0));
}

#[test]
fn prices_divide_the_link() {
    // katabi2002 section 5.8: 10 Mbit/s, prices 5, 10 and 15; packets of 1000 bytes.
    let c = 10e6 / 8000.0;
    let flows = [5, 10, 15]
        .map(|price| flow(&format!("xcp:weight={price}"), 0.04, 10.0))
        .to_vec();
    let summary = run(&on(
        router(c, 50.0),
        flows,
        Run {
            measure_from: 40.0,
            ..until(60.0)
        },
    ));
    for (flow, megabits) in summary.flows.iter().zip([10.0 / 6.0, 10.0 / 3.0, 5.0]) {
        close(flow.rate * 8e-3, megabits, 1e-6);
    }
}

#[test]
fn a_router_is_needed() {
    let error = simulate(
        &on(
            runs::link(1000.0, 100.0),
            vec![flow("xcp", 0.1, 1.0)],
            until(10.0),
        ),
        &mut (),
    );
    let text = error.unwrap_err().to_string();
    assert!(text.contains("explicit feedback"), "{text}");
}

#[test]
fn round_trips_do_not_matter() {
    // katabi2002 section 5.5: 30 flows, 30 Mbit/s, round trips 40 to 330 ms.
    let c = 30e6 / 8000.0;
    let flows = (0..30)
        .map(|k| flow("xcp", 0.04 + 0.01 * f64::from(k), 5.0))
        .collect();
    let summary = run(&on(
        router(c, c * 0.185),
        flows,
        Run {
            measure_from: 60.0,
            ..until(70.0)
        },
    ));
    for flow in &summary.flows {
        close(flow.rate, c / 30.0, 1e-5);
    }
    close(summary.links[0].utilisation, 1.0, 1e-4);
}

#[test]
fn shares_even_out_with_the_shuffle() {
    // With y = c the difference to the fair share obeys e' = -(gamma/d) e(t-d): e falls as exp(-0.111833 t/d), where
    // -0.111833 = W(-0.1); without the delay it would be gamma/d.
    let (c, d) = (1000.0, 0.1);
    let flows = vec![flow("xcp", d, 30.0), flow("xcp", d, 70.0)];
    let flows = flows
        .into_iter()
        .map(|flow| Flow {
            start: f64::NEG_INFINITY,
            ..flow
        })
        .collect();
    let (_, tape) = tape(&on(router(c, 100.0), flows, until(4.0)), 1.0);
    let excess = |k: usize| tape.samples[k].1[1] - 50.0;
    let rate = (excess(2) / excess(3)).ln() * d;
    close(rate, 0.111_832_56, 1e-5);
}

#[test]
fn a_sender_without_feedback_stands_still() {
    // Until the first packet is back there is none: the window is the initial one for a round trip.
    let (_, tape) = tape(
        &on(
            router(1000.0, 100.0),
            vec![flow("xcp", 0.1, 5.0)],
            until(1.0),
        ),
        0.05,
    );
    assert_eq!(tape.samples[1].1[0], 5.0);
    assert!(tape.samples[3].1[0] > 5.0);
}
