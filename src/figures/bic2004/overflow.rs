//! Packets lost in an overflow against the last increment.

use super::parts::{Curve, logarithmic, panel, series};
use crate::error::Result;
use crate::experiments::bic2004::{Overflow, lost_in_overflow};
use crate::experiments::{SEEDS, Spread, each_seed};
use crate::figures::{Figure, Series, Stroke};

pub(in crate::figures) fn overflow() -> Result<Figure> {
    let cases: Vec<Overflow> = Overflow::PROTOCOLS
        .iter()
        .flat_map(|protocol| {
            Overflow::CAPACITIES.map(|capacity| Overflow::new(*protocol, capacity))
        })
        .collect();
    let results = each_seed(&cases, &SEEDS, Overflow::run)?;
    let unmeasured: Vec<String> = cases
        .iter()
        .zip(&results)
        .filter(|(_, runs)| runs.iter().all(Option::is_none))
        .map(|(case, _)| {
            let megabits = case.setup.capacity_bps / 1e6;
            format!("{} at {megabits} Mbit/s", case.protocol.name)
        })
        .collect();
    let unmeasured = if unmeasured.is_empty() {
        String::new()
    } else {
        format!(
            " {} has no point, and is the worst case: the buffer is full again within a round trip of the reaction to the last overflow, so that no whole round of growth is left to measure.",
            unmeasured.join(" and ")
        )
    };
    let mut points: Vec<Series> = Vec::new();
    let mut bars: Vec<Series> = Vec::new();
    for protocol in Overflow::PROTOCOLS {
        let of = cases.iter().zip(&results);
        let spreads: Vec<(Spread, Spread)> = of
            .filter(|(case, _)| case.protocol == protocol)
            .filter_map(|(_, runs)| {
                let runs = || runs.iter().flatten();
                let increment = Spread::of(runs().map(|run| run.increment))?;
                Some((increment, Spread::of(runs().map(|run| run.lost))?))
            })
            .collect();
        let curve = Curve {
            label: protocol.name.into(),
            points: spreads.iter().map(|(x, y)| (x.mean, *y)).collect(),
        };
        points.push(series(
            protocol.name,
            Stroke::Points,
            curve.points.iter().map(|(x, y)| (*x, y.mean)).collect(),
        ));
        let ends = |(x, y): &(f64, Spread)| [(*x, y.least), (*x, y.most)];
        bars.push(series(
            protocol.name,
            Stroke::Spread,
            curve.points.iter().flat_map(ends).collect(),
        ));
    }
    points.push(series(
        "own theory: 3a/2 + 2 for large a",
        Stroke::Line,
        (-20..=30)
            .map(|k| 10f64.powf(0.1 * f64::from(k)))
            .map(|a| (a, lost_in_overflow(a)))
            .collect(),
    ));
    points.extend(bars);
    Ok(Figure {
        name: "bic2004-overflow".into(),
        title: "Packets lost in an overflow against the last increment".into(),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, section VI: \"the number of lost packets is proportional to the size of the last increment before the loss\". One flow of 100 ms alone at drop-tail links of \
                  20 Mbit/s to 2.5 Gbit/s with a buffer of 20 ms; fluid runs with natural losses, measured from 300 to 600 s, means of seeds 1 to 10, bars from the smallest to the largest. The line is our own theory: 1 + 3a/2 + ∫ exp(−u − u²/2a) du for growth by a packets a round. Lost packets are one \
                  and a half times the last increment, so the claim holds. Without fast convergence a lone BIC flow comes back to its last maximum by ever smaller steps and loses few packets whatever the bandwidth. With it (the paper's default) every other \
                  maximum is lowered, the flow passes it before the buffer is full and probes on, by up to Smax = 32 a round: what binary search saves is lost again.{unmeasured}"
        ),
        panels: vec![panel(
            "",
            logarithmic(
                "growth in the last round before a loss (packets)",
                (1e-2, 1e3),
            ),
            logarithmic("packets lost in one loss event", (5e-1, 1e3)),
            points,
        )],
    })
}
