//! Figure 9 and the utilisation: who gets how much of the link.

use super::parts::{BARS, Curve, NETWORK, linear, logarithmic, panel, series, together};
use crate::error::Result;
use crate::experiments::bic2004::{Classes, Friendliness, PROTOCOLS, Pair, Router};
use crate::experiments::{SEEDS, each_seed};
use crate::figures::{Axis, Figure, Panel, Scale, Stroke};

/// A class with how its share is read.
type Class = (&'static str, fn(&Classes) -> f64);

const CLASSES: [Class; 4] = [
    ("(a) high-speed flows", |classes| classes.high_speed),
    ("(b) long-lived TCP flows", |classes| classes.long_lived),
    ("(c) background: web and small TCP flows", |classes| {
        classes.background
    }),
    // Rounding may leave a full link a little more than full.
    (UNUSED, |classes| classes.unused.max(0.0)),
];

const UNUSED: &str = "(d) unused";

/// A share below this, in percent, is none.
const NONE: f64 = 5e-4;

pub(in crate::figures) fn figure_9() -> Result<Figure> {
    let cases: Vec<Friendliness> = PROTOCOLS
        .iter()
        .flat_map(|protocol| {
            Friendliness::CAPACITIES
                .map(|capacity| Friendliness::new(*protocol, capacity, Router::DropTail))
        })
        .collect();
    let results = each_seed(&cases, &SEEDS, Friendliness::run)?;
    let panels = CLASSES
        .iter()
        .map(|(title, share)| {
            let curves = PROTOCOLS
                .iter()
                .map(|protocol| {
                    let of = cases.iter().zip(&results);
                    let points =
                        of.filter(|(case, _)| case.protocol == *protocol)
                            .map(|(case, runs)| {
                                let percent = runs.iter().map(|run| 100.0 * share(run)).collect();
                                (case.setup.capacity_bps / 1e6, percent)
                            });
                    Curve::new(protocol.name, points)
                })
                .collect::<Result<Vec<_>>>()?;
            let highest = curves
                .iter()
                .flat_map(|curve| curve.points.iter().map(|(_, y)| y.most))
                .fold(1.0, f64::max);
            Ok(panel(
                title,
                logarithmic("bandwidth (Mbit/s)", (15.0, 3500.0)),
                linear("share of the link (%)", (0.0, 1.08 * highest)),
                together(&curves, Vec::new()),
            ))
        })
        .collect::<Result<Vec<Panel>>>()?;
    let full: Vec<&str> = panels
        .iter()
        .filter(|panel| panel.title == UNUSED)
        .flat_map(|panel| &panel.series)
        .filter(|series| series.stroke == Stroke::Line)
        .filter(|series| series.points.iter().all(|(_, y)| *y < NONE))
        .map(|series| series.label.as_str())
        .collect();
    let full = if full.is_empty() {
        String::new()
    } else {
        format!(" {}: nothing unused (d).", full.join(", "))
    };
    Ok(Figure {
        name: "bic2004-9".into(),
        title: "TCP friendliness at various bandwidths, drop tail".into(),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, figure 9. Four high-speed and four long-lived TCP flows, RTTs of both from 40 to 150 ms (the paper gives neither number nor RTT). {NETWORK} {BARS} \
             Beside BIC, long-lived TCP keeps about what it keeps beside STCP at 20 and 100 Mbit/s, and AIMD with its 32 packets a round leaves it next to nothing, as the paper says. At 2.5 Gbit/s STCP takes most and BIC less than AIMD, as there. \
             At 500 Mbit/s STCP, BIC and AIMD do not come as close to each other as in the paper. The web load does not answer to losses: its 20 % stay, where the paper's shrinks.{full}"
        ),
        panels,
    })
}

/// The protocols' names in their order.
const NAMES: [&str; 4] = [
    PROTOCOLS[0].name,
    PROTOCOLS[1].name,
    PROTOCOLS[2].name,
    PROTOCOLS[3].name,
];

pub(in crate::figures) fn utilisation() -> Result<Figure> {
    let routers = [Router::DropTail, Router::Red];
    let cases: Vec<Pair> = routers
        .iter()
        .flat_map(|router| {
            PROTOCOLS.map(|protocol| Pair {
                rtts: [0.1, 0.1],
                ..Pair::new(protocol, 2.5e9, *router, 1.0)
            })
        })
        .collect();
    let results = each_seed(&cases, &SEEDS, Pair::run)?;
    let numbers = [1.0, 2.0, 3.0, 4.0];
    let curves = routers
        .iter()
        .map(|router| {
            let runs = cases.iter().zip(&results);
            let runs = runs.filter(|(case, _)| case.setup.router == *router);
            let points = numbers.iter().zip(runs).map(|(number, (_, runs))| {
                let percent = runs.iter().map(|run| 100.0 * run.utilisation).collect();
                (*number, percent)
            });
            Curve::new(format!("{}, fluid", router.name()), points)
        })
        .collect::<Result<Vec<_>>>()?;
    let printed = |label: &str, percent: [f64; 4]| {
        let points = numbers.iter().copied().zip(percent).collect();
        series(label, Stroke::Points, points)
    };
    let others = vec![
        printed("drop tail, paper's text (about)", [97.0; 4]),
        printed("RED, paper's text (about)", [95.0, 92.0, 92.0, 95.0]),
    ];
    let mut all = together(&curves, others);
    for one in &mut all[..curves.len()] {
        one.stroke = Stroke::Points;
    }
    let axes = panel(
        "",
        Axis {
            title: "protocol".into(),
            scale: Scale::Names(&NAMES),
            range: (0.5, 4.5),
        },
        linear("utilisation (%)", (86.0, 101.0)),
        all,
    );
    Ok(Figure {
        name: "bic2004-utilisation".into(),
        title: "Utilisation at 2.5 Gbit/s".into(),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, section VII, utilisation. Two high-speed flows of 100 ms (the paper gives no RTT) and two long-lived TCP flows. {NETWORK} {BARS} The fluid has \
             no bursts and no lost acknowledgements, so that a drop-tail queue that never runs empty uses all of the link, where the paper's packets use 97 %. RED, which begins to \
             drop at an eighth of the buffer, uses less in both."
        ),
        panels: vec![axes],
    })
}
