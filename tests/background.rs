//! Traffic that does not answer: changing rates, the web-like load, and the bottom of adaptive RED.

use cwnd::algorithms::Selected;
use cwnd::fluid::{Begin, Flow, Losses, Run, Scenario, Sender, Web, simulate};
use cwnd::network::{AdaptiveRed, DropTail, Link, Red};
use std::sync::Arc;

fn link(capacity: f64, buffer: f64) -> Link {
    Link {
        name: "link".into(),
        capacity,
        buffer,
        delay: 0.0,
        initial_queue: 0.0,
        queue: Arc::new(DropTail),
    }
}

fn sending(sender: Sender, start: f64) -> Flow {
    Flow {
        label: "load".into(),
        sender,
        path: vec![0],
        base_rtt: 0.1,
        return_path: Vec::new(),
        ack_size: 0.0,
        standing_delay: 0.0,
        begin: Begin::Growing(1.0),
        start,
        ..Flow::new("", law("reno"), vec![0], 0.1)
    }
}

fn law(spec: &str) -> Arc<dyn cwnd::model::WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap().into()
}

fn run(sender: Sender, start: f64, link: Link, duration: f64) -> cwnd::fluid::Summary {
    let scenario = Scenario {
        links: vec![link],
        flows: vec![sending(sender, start)],
        losses: Losses::default(),
        run: Run {
            duration,
            ..Run::default()
        },
    };
    simulate(&scenario, &mut ()).unwrap()
}

#[test]
fn a_changing_rate_fills_and_drains_a_queue() {
    // 50, then 150, then 0, then 20 packets/s into a link of 100: a triangle of 500 packets over 10 s up and 5 s down.
    let steps = [(0.0, 50.0), (10.0, 150.0), (20.0, 0.0), (30.0, 20.0)];
    let summary = run(
        Sender::Changing(Arc::from(steps)),
        0.0,
        link(100.0, 1e4),
        40.0,
    );
    let sent = 500.0 + 1500.0 + 0.0 + 200.0;
    assert!((summary.flows[0].sent - sent).abs() < 1e-6 * sent);
    let mean = 0.5 * 500.0 * 15.0 / 40.0;
    assert!((summary.links[0].queue_mean - mean).abs() < 1e-6 * mean);
    // A buffer of 200 packets is full from 14 s on and drops 50 packets/s for 6 s.
    let steps = [(0.0, 50.0), (10.0, 150.0), (20.0, 0.0), (30.0, 20.0)];
    let summary = run(
        Sender::Changing(Arc::from(steps)),
        0.0,
        link(100.0, 200.0),
        40.0,
    );
    let dropped = 50.0 * 6.0 / sent;
    assert!((summary.links[0].drop_fraction - dropped).abs() < 1e-6);
    // One that starts late begins with the rate of that moment.
    let steps = [(0.0, 50.0), (10.0, 150.0), (20.0, 0.0), (30.0, 20.0)];
    let summary = run(
        Sender::Changing(Arc::from(steps)),
        15.0,
        link(100.0, 1e4),
        40.0,
    );
    assert!((summary.flows[0].sent - 950.0).abs() < 1e-6 * sent);
}

#[test]
fn a_web_load_has_its_mean_and_varies_as_its_transfers_do() {
    let web = Web::new(1000.0, 100.0);
    let seconds = 500.0;
    let (mut sums, mut squares, mut count) = (0.0, 0.0, 0.0);
    for seed in 1..=20 {
        let Sender::Changing(steps) = web.over(seconds, seed, 0).unwrap() else {
            panic!("no steps");
        };
        assert_eq!(steps.len(), 5000);
        for (_, rate) in steps.iter() {
            sums += rate;
            squares += rate * rate;
            count += 1.0;
        }
    }
    let mean = sums / count;
    assert!((mean / 1000.0 - 1.0).abs() < 0.05, "{mean}");
    // M/G/infinity: as many transfers in progress on average as their variance, each worth the access rate; averaging over
    // 0.1 s takes away from the shortest, the smallest of which last 0.02 s.
    let variance = squares / count - mean * mean;
    let poisson = web.rate * web.access;
    assert!(
        variance < 1.2 * poisson && variance > 0.5 * poisson,
        "{variance} of {poisson}"
    );
    let again = |seed, number| web.over(seconds, seed, number).unwrap();
    let steps = |sender| match sender {
        Sender::Changing(steps) => steps.to_vec(),
        _ => Vec::new(),
    };
    assert_eq!(steps(again(1, 0)), steps(again(1, 0)));
    assert_ne!(steps(again(1, 0)), steps(again(2, 0)));
    assert_ne!(steps(again(1, 0)), steps(again(1, 1)));
}

#[test]
fn a_web_load_that_cannot_be_is_refused() {
    let good = Web::new(1000.0, 100.0);
    for bad in [
        Web { rate: 0.0, ..good },
        Web {
            largest: 1.0,
            ..good
        },
        Web {
            shape: f64::NAN,
            ..good
        },
        Web {
            access: -1.0,
            ..good
        },
        Web {
            interval: 1e-9,
            ..good
        },
        Web { rate: 1e12, ..good },
    ] {
        assert!(bad.over(100.0, 1, 0).is_err(), "{bad:?}");
    }
}

#[test]
fn adaptive_red_steers_down_to_its_bottom() {
    // A light load keeps the average below the band: max_p falls to the bottom and stays there.
    use cwnd::network::{Queue, Situation};
    let red = Red {
        min: 20.0,
        max: 60.0,
        max_p: 0.1,
        weight: 0.002,
        gentle: true,
        carried: false,
    };
    for bottom in [0.01, 0.001] {
        let queue = AdaptiveRed { red, bottom };
        let now = Situation {
            capacity: 1000.0,
            buffer: 1000.0,
            queue: 10.0,
            arrival: 900.0,
            flows: &[],
        };
        let mut rates = [0.0; 2];
        queue.evolve(&[10.0, 1.01 * bottom], &now, &mut rates);
        assert!(rates[1] < 0.0);
        queue.evolve(&[10.0, 0.99 * bottom], &now, &mut rates);
        assert!(rates[1].abs() < 1e-300);
    }
}

#[test]
fn adaptive_red_comes_to_rest_at_its_bottom() {
    // A few flows that leave the average below the band: max_p goes from 0.1 to its bottom and the run goes on.
    use cwnd::{network::parse_queue, units::Bytes};
    let capacity = 20_000.0;
    let spec = "adaptive-red:bottom=0.01";
    let queue = parse_queue(spec, capacity, Bytes::new(1500.0)).unwrap();
    let flows = (0..4).map(|k| {
        let rtt = 0.04 + 0.03 * f64::from(k);
        Flow::new("reno", law("reno"), vec![0], rtt)
    });
    let scenario = Scenario {
        links: vec![Link {
            queue,
            ..link(capacity, 400.0)
        }],
        flows: flows.collect(),
        losses: Losses::default(),
        run: Run {
            duration: 200.0,
            tolerance: 1e-4,
            budget: 100_000,
            ..Run::default()
        },
    };
    let summary = simulate(&scenario, &mut ()).unwrap();
    assert!(summary.links[0].utilisation > 0.5);
}
