//! Fluid against packet simulator: what two flows get at a drop-tail link.

use super::bic2004::parts::{Curve, linear, panel, series, together};
use super::{Figure, Mark, Stroke};
use crate::error::Result;
use crate::experiments::{SEEDS, Spread, each_seed, ns2};
use crate::fluid::Sync;

pub(super) fn pairs() -> Result<Figure> {
    let cases = ns2::measured()?;
    let losers = [
        (Sync::Natural, "fluid, natural losses"),
        (Sync::One, "fluid, the faster flow loses"),
        (Sync::All, "fluid, all flows lose"),
    ];
    let results = losers
        .iter()
        .map(|(sync, _)| each_seed(&cases, &SEEDS, |case, seed| case.fluid(*sync, seed)))
        .collect::<Result<Vec<_>>>()?;
    let numbers = || (1..=cases.len()).map(|k| k as f64);
    let last = cases.len() as f64 + 0.5;
    let named = cases
        .iter()
        .map(|case| {
            let [one, other] = case.rtts.map(|rtt| 1e3 * rtt);
            format!("{} {one:.0}/{other:.0} ms", case.law)
        })
        .collect::<Vec<_>>();
    let names = named
        .iter()
        .zip(1..)
        .map(|(name, number): (_, u32)| format!("{number} {name}"))
        .collect::<Vec<_>>()
        .join(", ");
    let which = |holds: &dyn Fn(usize) -> bool| {
        let names = named.iter().enumerate().filter(|(k, _)| holds(*k));
        let names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
        names.join(", ")
    };
    // Smallest and largest rate of a case's flow over the seeds.
    let spread = |fluid: usize, k: usize, flow: usize| {
        let rates = results[fluid][k].iter().map(|rates| rates[flow]);
        Spread::of(rates)
    };
    let between = |k: usize| {
        (0..2).all(|flow| match (spread(1, k, flow), spread(2, k, flow)) {
            (Some(one), Some(all)) => {
                let rate = cases[k].rates[flow];
                one.mean.min(all.mean) <= rate && rate <= one.mean.max(all.mean)
            }
            _ => false,
        })
    };
    let within = |k: usize| {
        (0..2).all(|flow| {
            spread(0, k, flow).is_some_and(|natural| {
                (natural.least..=natural.most).contains(&cases[k].rates[flow])
            })
        })
    };
    let mut panels = Vec::new();
    for (flow, title) in [(0, "(a) flow 1"), (1, "(b) flow 2")] {
        let curves = losers
            .iter()
            .zip(&results)
            .map(|((_, label), all)| {
                let points = numbers().zip(all).map(|(number, runs)| {
                    let rates = runs.iter().map(|rates| rates[flow]).collect();
                    (number, rates)
                });
                Curve::new(*label, points)
            })
            .collect::<Result<Vec<_>>>()?;
        let simulated = numbers().zip(cases.iter().map(|case| case.rates[flow]));
        let mut all = together(
            &curves,
            vec![series("ns-2", Stroke::Points, simulated.collect())],
        );
        for one in &mut all[..curves.len()] {
            one.stroke = Stroke::Points;
        }
        let mut axes = panel(
            title,
            linear("case", (0.5, last)),
            linear("rate (Mbit/s)", (0.0, 100.0)),
            all,
        );
        if flow == 1 {
            let marked = numbers().zip(&cases).zip(&named);
            axes.marks = marked
                .map(|((number, case), name)| Mark {
                    at: (number, case.rates[1]),
                    text: name.clone(),
                })
                .collect();
        }
        panels.push(axes);
    }
    Ok(Figure {
        name: "ns2-pairs".into(),
        title: "Two flows at 100 Mbit/s, drop tail: fluid and ns-2".into(),
        caption: format!(
            "Cases: {names}. ns-2.35 with the Linux kernel's laws, buffer 333 packets, four window-limited flows in the background, mean of 200 s after 100 s, one run each. Fluid runs of the same network with natural losses: means of seeds 1 to 10, \
             bars from the smallest to the largest; bic with the kernel's Smax = 16, 0.2 removed and at least 0.2 packets a round, cubic with 0.8 kept. Both flows of ns-2 lie between the fluid whose faster flow alone loses and that in which all lose for {}. Natural losses, in proportion to rates, \
             hold ns-2 within their bars for {}, and are too unequal for {}: a sender clocked by acknowledgements puts a packet where one has left, so that only the packets by which windows grow, here one to \
             six a round, find the buffer full and mostly one flow loses; the fluid's windows go on sending W/R while packets are lost, lose three halves of the growth and two more, and hit both more often.",
            which(&between),
            which(&within),
            which(&|k| !within(k))
        ),
        panels,
    })
}
