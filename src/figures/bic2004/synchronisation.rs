//! Figure 2.

use super::parts::{BARS, Curve, NETWORK, linear, panel, series, together};
use crate::error::Result;
use crate::experiments::bic2004::{Router, Synchronisation};
use crate::experiments::{SEEDS, each_seed};
use crate::figures::{Figure, Stroke};

/// Bits per second.
const CAPACITIES: [f64; 5] = [100e6, 250e6, 500e6, 1e9, 2.5e9];

pub(in crate::figures) fn figure_2() -> Result<Figure> {
    let mut curves = Vec::new();
    for (threshold, name) in [(1, "50 %"), (0, "25 %")] {
        for router in [Router::DropTail, Router::Red] {
            curves.push((router, threshold, name));
        }
    }
    let cases: Vec<Synchronisation> = [Router::DropTail, Router::Red]
        .iter()
        .flat_map(|router| CAPACITIES.map(|capacity| Synchronisation::new(capacity, *router)))
        .collect();
    let results = each_seed(&cases, &SEEDS, Synchronisation::run)?;
    let curves: Vec<Curve> = curves
        .into_iter()
        .map(|(router, threshold, name)| {
            let of = cases.iter().zip(&results);
            let points = of
                .filter(|(case, _)| case.setup.router == router)
                .map(|(case, runs)| {
                    let values = runs.iter().map(|run| run.ratios[threshold]).collect();
                    (case.setup.capacity_bps / 1e6, values)
                });
            Curve::new(format!("{}, {name}", router.name()), points)
        })
        .collect::<Result<_>>()?;
    let printed =
        |label: &str, points: &[(f64, f64)]| series(label, Stroke::Points, points.to_vec());
    let others = vec![
        printed(
            "paper's text: drop tail, 50 %",
            &[(100.0, 0.23), (2500.0, 0.6)],
        ),
        printed("paper's text: RED, 25 %", &[(2500.0, 0.23)]),
    ];
    Ok(Figure {
        name: "bic2004-2".into(),
        title: "Synchronisation ratio under drop tail and RED".into(),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, figure 2. Twenty HSTCP flows of 40 to 150 ms. Of the intervals (a tenth of the mean time between two loss events of a flow) \
             in which any flow loses, the share in which at least half (a quarter) of the flows do. {NETWORK} {BARS} Synchronisation grows with bandwidth under drop tail, and RED at 50 % stays near zero up to 1 Gbit/s, as in the paper. \
             Drop tail lies above the paper's numbers: windows of a fluid go on sending while packets are being lost, so that an overflow takes more packets and hits more flows than one of packets clocked by acknowledgements. \
             RED's average follows the queue within a second; at 2.5 Gbit/s twenty flows grow by hundreds of packets in that time, and part of their losses come together."
        ),
        panels: vec![panel(
            "",
            linear("bandwidth (Mbit/s)", (0.0, 2600.0)),
            linear("synchronisation ratio", (0.0, 1.0)),
            together(&curves, others),
        )],
    })
}
