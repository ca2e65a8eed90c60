//! FAST's discrete map, run as it stands beside its eigenvalues: every window goes γ of the way to the one that would keep α packets
//! in the queue, and the queue is what the windows do not leave in flight.

use super::{Check, Tolerance};
use crate::error::{Error, Result};
use crate::systems::{Chosen, Group};

/// One flow: round trip without queues, packets that it keeps in the queue.
type Member = (f64, f64);

/// Packets per second of the link.
const CAPACITY: f64 = 10_000.0;

/// The queueing delay at which these windows leave CAPACITY: the root of Σ w/(d + q) = C, which falls and bends upwards, so that
/// Newton's steps from the left climb to it.
fn queue(flows: &[Member], windows: &[f64]) -> f64 {
    let mut q = 0.0;
    for _ in 0..200 {
        let (mut excess, mut slope) = (-CAPACITY, 0.0);
        for ((d, _), w) in flows.iter().zip(windows) {
            excess += w / (d + q);
            slope += w / (d + q).powi(2);
        }
        let step = excess / slope;
        q += step;
        if step.abs() <= 1e-16 * q {
            break;
        }
    }
    q
}

/// The factor by which the distance from rest changes in a round, after `rounds` rounds from windows off by the share `off`, each flow in
/// another direction.
fn factor(flows: &[Member], gamma: f64, off: f64, rounds: usize) -> f64 {
    let kept: f64 = flows.iter().map(|(_, alpha)| alpha).sum();
    let rest_queue = kept / CAPACITY;
    let rest: Vec<f64> = flows
        .iter()
        .map(|(d, alpha)| alpha * (d + rest_queue) / rest_queue)
        .collect();
    let mut windows: Vec<f64> = rest
        .iter()
        .enumerate()
        .map(|(k, w)| w * (1.0 + off * (1.0 + k as f64).cos()))
        .collect();
    let away = |windows: &[f64]| -> f64 {
        let squares = windows.iter().zip(&rest).map(|(w, r)| (w - r).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let (mut before, mut now) = (0.0, away(&windows));
    for _ in 0..rounds {
        let q = queue(flows, &windows);
        for (w, (d, alpha)) in windows.iter_mut().zip(flows) {
            *w += gamma * (d / (d + q) * *w + alpha - *w);
        }
        (before, now) = (now, away(&windows));
    }
    now / before
}

pub(super) fn checks() -> Result<Vec<Check>> {
    const THREE: &[Member] = &[(0.05, 100.0), (0.1, 100.0), (0.2, 200.0)];
    const FIVE: &[Member] = &[
        (0.02, 50.0),
        (0.05, 100.0),
        (0.1, 100.0),
        (0.2, 200.0),
        (0.4, 80.0),
    ];
    const PAIR: &[Member] = &[(0.1, 100.0), (0.1, 100.0)];
    let mut checks = Vec::new();
    for (name, flows, gamma, off, rounds) in [
        ("three flows", THREE, 0.5, 0.1, 150),
        ("three flows", THREE, 1.0, 0.1, 70),
        ("three flows", THREE, 1.9, 0.1, 100),
        ("three flows", THREE, 2.5, 1e-9, 30),
        ("five flows", FIVE, 0.5, 0.1, 250),
        ("two equal flows", PAIR, 1.95, 0.1, 250),
        ("two equal flows", PAIR, 2.2, 1e-9, 60),
    ] {
        let groups: Vec<Group> = flows
            .iter()
            .map(|(base_rtt, alpha)| Group {
                base_rtt: *base_rtt,
                alpha: Some(*alpha),
                count: 1.0,
            })
            .collect();
        let spec = format!("fast:gamma={gamma},capacity={CAPACITY}pkt/s");
        let map = Chosen::parse(&spec, Some("discrete"), &groups)?
            .build()?
            .map();
        let map = map.ok_or_else(|| Error::NoAnswer("no map".into()))?;
        let largest = map.iter().map(|z| z.abs()).fold(0.0, f64::max);
        checks.push(Check::new(
            "loops",
            format!("FAST's discrete map, {name}, gamma = {gamma}: factor in a round"),
            largest,
            "the largest eigenvalue",
            Ok(factor(flows, gamma, off, rounds)),
            Tolerance::Relative(1e-6),
            "the second eigenvalue's part, bends of the map and rounding of what is left, together below 1e-7",
        ));
    }
    Ok(checks)
}
