//! Allocations on any topology, AIMD flows as matrices, windows from loss to loss.

use cwnd::analysis::convergence::{
    Aimd, Hits, epochs, epochs_to_fair, matrix, spectrum, unsynchronised,
};
use cwnd::analysis::fairness::{Allocation, Claim, alpha_fair, jain, max_min};
use rand::{RngExt, SeedableRng};

fn claim(path: &[usize], weight: f64) -> Claim {
    Claim {
        path: path.to_vec(),
        weight,
    }
}

#[track_caller]
fn near(got: f64, expected: f64, tolerance: f64) {
    assert!(
        (got - expected).abs() <= tolerance,
        "{got} instead of {expected}"
    );
}

/// L links of capacity c, n0 flows over all, n1 over each.
fn line(l: usize, c: f64, n0: usize, n1: usize, w0: f64, w1: f64) -> (Vec<f64>, Vec<Claim>) {
    let all: Vec<usize> = (0..l).collect();
    let mut flows = vec![claim(&all, w0); n0];
    for k in 0..l {
        flows.extend(vec![claim(&[k], w1); n1]);
    }
    (vec![c; l], flows)
}

#[test]
fn alpha_fair_on_a_line_of_links() {
    for l in [1usize, 2, 3, 10, 40] {
        for (n0, n1) in [(1, 1), (2, 3), (5, 1)] {
            for alpha in [0.1, 0.5, 1.0, 2.0, 4.0, 10.0, 30.0, 50.0] {
                let (c, flows) = line(l, 7.0, n0, n1, 1.0, 1.0);
                let found = alpha_fair(&c, &flows, alpha).unwrap();
                let ratio = (l as f64).powf(1.0 / alpha);
                let long = 7.0 / (n0 as f64 + n1 as f64 * ratio);
                assert!(found.residual < 1e-9, "{l} {alpha}: {}", found.residual);
                near(found.rates[0] / long, 1.0, 1e-9);
                near(found.rates[n0] / (ratio * long), 1.0, 1e-9);
            }
        }
    }
    // To the digits of an independent calculation.
    let (c, flows) = line(3, 1.0, 2, 3, 1.0, 1.0);
    let found = alpha_fair(&c, &flows, 2.0).unwrap();
    near(found.rates[0], 0.138_963, 5e-7);
    near(found.rates[2], 0.240_691, 5e-7);
    for (alpha, expected) in [(0.5, 0.2), (1.0, 1.0 / 3.0), (2.0, 0.414_214)] {
        let (c, flows) = line(2, 1.0, 1, 1, 1.0, 1.0);
        near(
            alpha_fair(&c, &flows, alpha).unwrap().rates[0],
            expected,
            5e-7,
        );
    }
}

#[test]
fn weights() {
    let (w0, ws, l) = (3.0, 0.7, 4.0);
    for alpha in [0.5, 1.0, 3.0] {
        let (c, flows) = line(4, 2.0, 1, 1, w0, ws);
        let found = alpha_fair(&c, &flows, alpha).unwrap();
        let ratio = f64::powf(l * ws / w0, 1.0 / alpha);
        near(found.rates[0], 2.0 / (1.0 + ratio), 1e-9);
        near(found.rates[1] / found.rates[0], ratio, 1e-8);
        // One link: shares as w^(1/α).
        let flows: Vec<Claim> = [1.0, 2.0, 5.0].map(|w| claim(&[0], w)).to_vec();
        let found = alpha_fair(&[10.0], &flows, alpha).unwrap();
        let sum: f64 = flows.iter().map(|f| f.weight.powf(1.0 / alpha)).sum();
        for (flow, rate) in flows.iter().zip(&found.rates) {
            near(*rate, 10.0 * flow.weight.powf(1.0 / alpha) / sum, 1e-8);
        }
    }
}

#[test]
fn two_unequal_links() {
    let flows = [claim(&[0, 1], 1.0), claim(&[0], 1.0), claim(&[1], 1.0)];
    let found = alpha_fair(&[1.0, 2.0], &flows, 1.0).unwrap();
    for (rate, expected) in found.rates.iter().zip([0.422_650, 0.577_350, 1.577_350]) {
        near(*rate, expected, 5e-7);
    }
    near(found.rates[0], (3.0 - f64::sqrt(3.0)) / 3.0, 1e-10);
    assert_eq!(max_min(&[1.0, 2.0], &flows).unwrap().rates, [0.5, 0.5, 1.5]);
}

fn random_network(rng: &mut rand_xoshiro::Xoshiro256PlusPlus) -> (Vec<f64>, Vec<Claim>) {
    let links = rng.random_range(1..8usize);
    let capacities = (0..links)
        .map(|_| 10f64.powf(rng.random_range(-1.5..1.5)))
        .collect();
    let flows = (0..rng.random_range(1..12usize))
        .map(|_| {
            let mut path: Vec<usize> = (0..links).filter(|_| rng.random::<f64>() < 0.4).collect();
            if path.is_empty() {
                path.push(rng.random_range(0..links));
            }
            claim(&path, 10f64.powf(rng.random_range(-0.5..0.5)))
        })
        .collect();
    (capacities, flows)
}

#[test]
fn any_network_meets_the_conditions_of_its_optimum() {
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
    for _ in 0..60 {
        let (capacities, flows) = random_network(&mut rng);
        for alpha in [0.3, 1.0, 2.0, 8.0] {
            let Allocation {
                rates, residual, ..
            } = alpha_fair(&capacities, &flows, alpha).unwrap();
            assert!(
                residual < 1e-7,
                "{residual} {alpha} {capacities:?} {flows:?}"
            );
            // The variational inequality, which knows no prices: no feasible allocation is better to first order.
            let other = max_min(&capacities, &flows).unwrap().rates;
            let gain: f64 = flows
                .iter()
                .zip(&rates)
                .zip(&other)
                .map(|((f, x), y)| f.weight * x.powf(-alpha) * (y - x))
                .sum();
            let scale: f64 = flows
                .iter()
                .zip(&rates)
                .map(|(f, x)| f.weight * x.powf(1.0 - alpha))
                .sum();
            assert!(gain <= 1e-6 * scale, "{gain}");
        }
        let level = max_min(&capacities, &flows).unwrap();
        assert!(level.residual < 1e-9, "{}", level.residual);
    }
}

#[test]
fn large_alpha_comes_near_max_min() {
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(11);
    for _ in 0..20 {
        let (capacities, mut flows) = random_network(&mut rng);
        for flow in &mut flows {
            flow.weight = 1.0;
        }
        let level = max_min(&capacities, &flows).unwrap();
        let found = alpha_fair(&capacities, &flows, 50.0).unwrap();
        for (a, b) in found.rates.iter().zip(&level.rates) {
            near(a / b, 1.0, 0.1);
        }
    }
}

#[test]
fn allocations_refuse_what_makes_no_sense() {
    let flow = claim(&[0], 1.0);
    for (error, word) in [
        (max_min(&[1.0], &[]), "no flow"),
        (max_min(&[0.0], std::slice::from_ref(&flow)), "capacity"),
        (max_min(&[1.0], &[claim(&[1], 1.0)]), "does not exist"),
        (max_min(&[1.0], &[claim(&[], 1.0)]), "no link"),
        (max_min(&[1.0], &[claim(&[0], 0.0)]), "weight"),
        (alpha_fair(&[1.0], &[flow], 0.0), "alpha"),
    ] {
        let text = error.unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn jain_of_nothing_is_nothing() {
    assert_eq!(jain(&[]), None);
    assert_eq!(jain(&[0.0, 0.0]), None);
    assert_eq!(jain(&[3e-200, 3e-200, 0.0]), Some(2.0 / 3.0));
    assert_eq!(jain(&[1e200; 5]), Some(1.0));
}

fn aimd(pairs: &[(f64, f64)]) -> Vec<Aimd> {
    pairs
        .iter()
        .map(|&(growth, kept)| Aimd { growth, kept })
        .collect()
}

#[test]
fn examples_of_positive_matrices() {
    let three = aimd(&[(10.0, 0.5), (20.0, 0.5), (40.0, 0.75)]);
    let a = matrix(&three).unwrap();
    for (row, expected) in a.iter().zip([
        [0.57143, 0.07143, 0.03571],
        [0.14286, 0.64286, 0.07143],
        [0.28571, 0.28571, 0.89286],
    ]) {
        for (x, y) in row.iter().zip(expected) {
            near(*x, y, 5e-6);
        }
    }
    let found = spectrum(&three).unwrap();
    for (x, y) in found.eigenvalues.iter().zip([1.0, 0.60714, 0.5]) {
        near(*x, y, 5e-6);
    }
    for (x, y) in found.perron.iter().zip([0.0909, 0.1818, 0.7273]) {
        near(*x, y, 5e-5);
    }
    let two = aimd(&[(10.0, 0.5), (20.0, 0.5)]);
    near(spectrum(&two).unwrap().losses_to(0.05).unwrap(), 4.3, 0.05);
    let e4 = unsynchronised(&two, &Hits::Independent(vec![0.6; 2])).unwrap();
    near(e4.hit[0], 0.7143, 5e-5);
    near(e4.eigenvalues[1], 0.6429, 5e-5);
    near(e4.moments[0][0], 0.12354, 5e-6);
    near(e4.moments[0][1], 0.20979, 5e-6);
    near(e4.moments[1][1], 0.45688, 5e-6);
    near(e4.deviation[0], 0.1115, 5e-5);
    let e5 = unsynchronised(
        &aimd(&[(10.0, 0.5), (20.0, 0.5), (40.0, 0.7)]),
        &Hits::Independent(vec![0.5, 0.3, 0.3]),
    )
    .unwrap();
    near(e5.hit[0], 0.66225, 5e-6);
    near(e5.hit[1], 0.39735, 5e-6);
    for (x, y) in e5.mean.iter().zip([0.06475, 0.21583, 0.71942]) {
        near(*x, y, 5e-6);
    }
    near(e5.eigenvalues[1], 0.8293, 5e-5);
    for (x, y) in e5.deviation.iter().zip([0.036, 0.098, 0.109]) {
        near(*x, y, 5e-4);
    }
}

#[test]
fn one_hit_at_a_time_has_a_closed_variance() {
    for n in [2usize, 5, 10, 40] {
        for kept in [0.5, 0.7, 0.875] {
            let found = unsynchronised(
                &aimd(&vec![(3.0, kept); n]),
                &Hits::One(vec![1.0 / n as f64; n]),
            )
            .unwrap();
            let d = (1.0 - kept) * (1.0 - 1.0 / n as f64);
            let cv = found.deviation[0] / found.mean[0];
            near(cv * cv, d / (2.0 - d), 1e-9);
        }
    }
}

#[test]
fn cubic_comes_to_fairness_as_slowly_as_a_cube() {
    use cwnd::algorithms::Selected;
    use cwnd::analysis::{Member, SharedLink};
    let run = |spec: &str, losses: usize, link: SharedLink, rtt: f64| {
        let selected = Selected::parse(spec).unwrap();
        let law = selected.law().unwrap();
        let flow = Member {
            law: law.as_ref(),
            base_rtt: rtt,
            count: 1.0,
        };
        let peaks = epochs(&[flow, flow], link, &[1.5, 0.5], losses).unwrap();
        let gaps: Vec<f64> = peaks
            .iter()
            .map(|w| 2.0 * (w[0] - w[1]) / (w[0] + w[1]))
            .collect();
        let settled = epochs_to_fair(&[flow, flow], link, &[1.5, 0.5], 0.05, losses).unwrap();
        (gaps, settled)
    };
    let link = SharedLink {
        capacity: 1e5,
        buffer: 0.0,
    };
    let (gaps, never) = run("cubic", 1001, link, 0.1);
    near(gaps[100], 0.784, 2e-3);
    near(gaps[1000], 0.3825, 1e-3);
    assert_eq!(never, None);
    let (gaps, _) = run("cubic:fast_convergence=1", 60, link, 0.1);
    near(gaps[10], 0.094, 5e-3);
    let (gaps, settled) = run("reno", 20, link, 0.1);
    near(gaps[3], gaps[0] / 8.0, 1e-9);
    assert_eq!(settled, Some(4));
}
