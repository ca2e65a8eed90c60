//! Unfairness between round trips: exponents and the synchronised equilibrium.

use cwnd::algorithms::Selected;
use cwnd::analysis::rtt_unfairness::{
    Equilibrium, Responding, Shared, equilibria, response_equilibrium,
};
use cwnd::analysis::sawtooth::{Bottleneck, sawtooth};
use cwnd::analysis::{Member, SharedLink};
use cwnd::error::{Error, Result};
use cwnd::model::{ResponseFunction, WindowLaw};

fn law(spec: &str) -> Box<dyn WindowLaw> {
    let selected = Selected::parse(spec).unwrap();
    selected.law().unwrap()
}

fn form(spec: &str, name: &str) -> Box<dyn ResponseFunction> {
    let selected = Selected::parse(spec).unwrap();
    let forms = selected.algorithm.closed(&selected.setting);
    forms.into_iter().find(|f| f.form() == name).unwrap()
}

/// Flows of one law with these round trips at a rate in bit/s, buffer in packets of 1500 B.
fn on(spec: &str, bps: f64, rtts: &[f64], buffer: f64) -> Result<Vec<Equilibrium>> {
    let law = law(spec);
    let members: Vec<Member> = rtts
        .iter()
        .map(|&base_rtt| Member {
            law: law.as_ref(),
            base_rtt,
            count: 1.0,
        })
        .collect();
    equilibria(
        &members,
        SharedLink {
            capacity: bps / 12_000.0,
            buffer,
        },
    )
}

fn ratio(spec: &str, bps: f64, rtts: [f64; 2]) -> f64 {
    on(spec, bps, &rtts, 0.0).unwrap()[0].ratio().unwrap()
}

#[track_caller]
fn near(got: f64, expected: f64, relative: f64) {
    assert!(
        (got / expected - 1.0).abs() <= relative,
        "{got} instead of {expected}"
    );
}

#[test]
fn synchronised_ratios_of_an_independent_solution() {
    for (spec, bps, far, expected) in [
        ("highspeed", 2.5e9, 0.12, "551.31"),
        ("highspeed", 2.5e9, 0.24, "2399.83"),
        ("highspeed", 1e8, 0.12, "40.803"),
        ("highspeed", 1e8, 0.24, "165.856"),
        ("bic", 2.5e9, 0.12, "127.7"),
        ("bic", 1e10, 0.12, "12.11"),
        ("bic", 1e10, 0.24, "93.0"),
        ("scalable", 2.5e9, 0.12, "1474"),
        ("scalable", 2.5e9, 0.24, "3091"),
        ("scalable", 1e8, 0.12, "58.0"),
        ("scalable", 1e8, 0.24, "122.7"),
        ("compound", 2.5e9, 0.12, "243"),
        ("compound", 2.5e9, 0.24, "2994"),
        ("cubic", 2.5e9, 0.24, "6.000"),
        ("htcp", 1e8, 0.24, "36.000"),
        ("illinois", 1e8, 0.24, "36.000"),
    ] {
        let got = ratio(spec, bps, [0.04, far]);
        let decimals = expected.split_once('.').map_or(0, |(_, tail)| tail.len());
        assert_eq!(
            format!("{got:.decimals$}"),
            expected,
            "{spec} {bps} {far}: {got}"
        );
    }
}

#[test]
fn bic_by_the_papers_form() {
    let form = form("bic", "per-round");
    let flow = |base_rtt| Responding {
        function: form.as_ref(),
        base_rtt,
        count: 1.0,
    };
    let link = SharedLink {
        capacity: 2.5e9 / 12_000.0,
        buffer: 0.0,
    };
    let (found, peaked) =
        response_equilibrium(&[flow(0.04), flow(0.12)], link, Shared::Epoch).unwrap();
    assert!(peaked);
    near(found.ratio().unwrap(), 42.52, 1.2e-4);
    near(found.parts[0].peak, 8147.4, 1e-5);
    near(found.parts[1].peak, 557.9, 1e-4);
    near(found.seconds, 1.779, 3e-4);
}

#[test]
fn the_longer_path_starves_beside_pure_multiplicative_increase() {
    let Err(Error::NoAnswer(reason)) = on("scalable:low_window=0", 2.5e9, &[0.04, 0.12], 0.0)
    else {
        panic!("an equilibrium where there is none")
    };
    assert!(reason.contains("0.12 s starve"), "{reason}");
    // Below the low window standard TCP: there the longer path stays. The decrease jumps, so there are two such windows.
    let all = on("scalable", 2.5e9, &[0.04, 0.12], 0.0).unwrap();
    assert_eq!(all.len(), 2);
    assert!(all[0].parts[1].peak > 16.0 && all[1].parts[1].peak < 16.0);
    let Err(Error::NoAnswer(reason)) = on("scalable:low_window=0", 2.5e9, &[0.04, 0.04], 0.0)
    else {
        panic!("a split where any split repeats itself")
    };
    assert!(reason.contains("any split"), "{reason}");
}

#[test]
fn one_flow_alone_is_the_sawtooth() {
    for (spec, buffer) in [
        ("reno", 0.0),
        ("reno", 0.5),
        ("cubic", 0.2),
        ("aimd", 2.0),
        ("highspeed", 0.1),
        ("bic", 0.3),
        ("htcp", 0.3),
    ] {
        let law = law(spec);
        let (capacity, base_rtt) = (8000.0, 0.1);
        let pipe = capacity * base_rtt;
        let alone = sawtooth(
            law.as_ref(),
            Bottleneck {
                pipe,
                buffer: buffer * pipe,
                base_rtt,
            },
        )
        .unwrap();
        let member = Member {
            law: law.as_ref(),
            base_rtt,
            count: 1.0,
        };
        let link = SharedLink {
            capacity,
            buffer: buffer * pipe,
        };
        let joint = &equilibria(&[member], link).unwrap()[0];
        near(joint.parts[0].peak, alone.peak, 1e-12);
        near(joint.seconds, alone.seconds, 1e-9);
        near(joint.utilisation, alone.utilisation, 1e-9);
        assert!((joint.queue_mean - alone.queue).abs() < 1e-8 * pipe);
    }
}

#[test]
fn swapped_flows_swap_their_answers() {
    for spec in ["reno", "highspeed", "bic", "cubic", "scalable", "illinois"] {
        for buffer in [0.0, 2000.0] {
            let one = &on(spec, 2.5e9, &[0.04, 0.1, 0.15], buffer).unwrap()[0];
            let other = &on(spec, 2.5e9, &[0.15, 0.04, 0.1], buffer).unwrap()[0];
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                near(other.parts[j].rate, one.parts[i].rate, 1e-8);
            }
            near(other.seconds, one.seconds, 1e-9);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (bps, rtts, buffer, word) in [
        (1e5, vec![0.04, 0.12], 0.0, "one packet per round trip"),
        (1e9, vec![], 0.0, "no flow"),
        (3e6, vec![0.01; 40], 10.0, "number of flows"),
        (1e9, vec![0.0], 0.0, "round trip"),
        (f64::NAN, vec![0.1], 0.0, "link"),
        (1e9, vec![0.1], -1.0, "link"),
    ] {
        let error = on("reno", bps, &rtts, buffer).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

/// A window that the receiver limits fills no link, however few packets are lost.
#[test]
fn flows_that_cannot_fill_the_link() {
    let limited = form("pftk:receive_window=10", "full");
    let flow = Responding {
        function: limited.as_ref(),
        base_rtt: 0.1,
        count: 2.0,
    };
    let on = |capacity| {
        let link = SharedLink {
            capacity,
            buffer: 0.0,
        };
        response_equilibrium(&[flow], link, Shared::Loss)
    };
    // Two windows of ten packets in 0.1 s are 200 packets a second.
    assert!(on(150.0).is_ok());
    match on(250.0) {
        Err(Error::NoAnswer(reason)) => {
            assert!(reason.contains("do not fill the link"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

/// Windows may repeat themselves where a flow would send less than a packet from loss to loss: that is no equilibrium.
#[test]
fn flows_without_a_packet_to_lose_starve() {
    let starved = |found: Result<Vec<Equilibrium>>, rtt: &str| match found {
        Err(Error::NoAnswer(why)) => {
            let wanted = format!("round trip of {rtt} s starve");
            assert!(why.contains(&wanted), "{why}");
        }
        other => panic!("{other:?}"),
    };
    let reno = law("reno");
    for (count, bps, buffer) in [(8.0, 1e6, 5.0), (500.0, 1e8, 1e8 * 0.04 / 12_000.0)] {
        let member = Member {
            law: reno.as_ref(),
            base_rtt: 0.04,
            count,
        };
        let link = SharedLink {
            capacity: bps / 12_000.0,
            buffer,
        };
        starved(equilibria(&[member], link), "0.04");
    }
    starved(on("reno", 1e6, &[0.04, 4.0], 0.0), "4");
    // Twice the capacity for each flow is enough: the closed road knows it too.
    assert!(on("reno", 1e7, &[0.04, 0.4], 0.0).is_ok());
}
