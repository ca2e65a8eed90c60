//! Fluid against packet simulator: what two flows get at a drop-tail link.

use super::bic2004::parts::{Curve, linear, panel, series, together};
use super::{Figure, Mark, Stroke};
use crate::error::Result;
use crate::experiments::{SEEDS, each_seed, ns2};
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
             bars from the smallest to the largest; bic with the kernel's Smax = 16, 0.2 removed and at least 0.2 packets a round, cubic with 0.8 kept. ns-2 lies between the fluid whose faster flow alone loses and that in which all lose. Natural losses, in proportion to rates, agree with it where \
             round trips are equal, for scalable and for bic, and are too unequal for reno and highspeed: a sender clocked by acknowledgements puts a packet where one has left, so that only the packets by which windows grow, here one to \
             six a round, find the buffer full and mostly one flow loses; the fluid's windows go on sending W/R while packets are lost, lose three halves of the growth and two more, and hit both more often."
        ),
        panels,
    })
}
