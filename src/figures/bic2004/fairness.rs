//! Figures 10 and 11: Jain's index of four flows over time.

use super::parts::{BARS, Curve, NETWORK, linear, panel, together};
use crate::error::Result;
use crate::experiments::bic2004::{Convergence, PROTOCOLS, Router};
use crate::experiments::{SEEDS, each_seed};
use crate::figures::Figure;

pub(in crate::figures) fn figure_10() -> Result<Figure> {
    figure(
        "bic2004-10",
        "figure 10",
        Router::DropTail,
        "BIC and AIMD come to fairness first and STCP last, as in the paper. The paper's STCP climbs slowly; ours does not climb: at such windows overflows hit all four, and losses that hit all leave the ratio of Scalable windows as it is.",
    )
}

pub(in crate::figures) fn figure_11() -> Result<Figure> {
    figure(
        "bic2004-11",
        "figure 11",
        Router::Red,
        "STCP comes to fairness, which it does not behind drop tail (bic2004-10), because RED's drops do not come together, as in the paper. HSTCP wanders most around the fair share, as there; but it comes no nearer to it than behind drop tail, where its index goes on to 0.99 and more.",
    )
}

fn figure(name: &str, which: &str, router: Router, found: &str) -> Result<Figure> {
    let cases = PROTOCOLS.map(|protocol| Convergence::new(protocol, router));
    let results = each_seed(&cases, &SEEDS, Convergence::run)?;
    let curves = cases
        .iter()
        .zip(&results)
        .map(|(case, runs)| {
            let points = case.times().into_iter().enumerate().map(|(slice, time)| {
                let indices = runs.iter().map(|run| run[slice]).collect();
                (time, indices)
            });
            Curve::new(case.protocol.name, points)
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Figure {
        name: name.into(),
        title: format!("Fairness index in slices of 50 s, {}", router.name()),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, {which}. Jain's index of four flows of 100 ms at 2.5 Gbit/s, two starting from 0 to 60 s, two from 100 to 160 s. {NETWORK} {BARS} {found}"
        ),
        panels: vec![panel(
            "",
            linear("time (s)", (100.0, 600.0)),
            linear("fairness index", (0.2, 1.02)),
            together(&curves, Vec::new()),
        )],
    })
}
