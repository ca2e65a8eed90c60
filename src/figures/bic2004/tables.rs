//! Tables 1 to 3: throughput ratios of two flows.

use super::parts::{
    BARS, Curve, NETWORK, NETWORK_BUT_BUFFER, ends, linear, logarithmic, panel, series, together,
};
use crate::error::Result;
use crate::experiments::bic2004::{PROTOCOLS, Pair, Protocol, Router, Shares, predicted};
use crate::experiments::{SEEDS, each_seed};
use crate::figures::{Figure, Panel, Series, Stroke, log_range, step_range};

const CAPACITIES: [(f64, &str); 2] = [(2.5e9, "2.5 Gbit/s"), (100e6, "100 Mbit/s")];
const INVERSE: [f64; 3] = [1.0, 3.0, 6.0];

/// Ratios that the paper's text prints for table 1 at an inverse RTT ratio of 6.
const PRINTED: [(&str, f64); 2] = [("HSTCP", 100.0), ("STCP", 400.0)];

pub(in crate::figures) fn tables() -> Result<Figure> {
    let cases: Vec<Pair> = CAPACITIES
        .iter()
        .flat_map(|(capacity, _)| {
            PROTOCOLS.iter().flat_map(|protocol| {
                INVERSE.map(|inverse| Pair::new(*protocol, *capacity, Router::DropTail, inverse))
            })
        })
        .collect();
    let results = each_seed(&cases, &SEEDS, Pair::run)?;
    let runs: Vec<(&Pair, &Vec<Shares>)> = cases.iter().zip(&results).collect();
    let mut panels = PROTOCOLS
        .iter()
        .map(|protocol| one_protocol(*protocol, &runs))
        .collect::<Result<Vec<Panel>>>()?;
    // One range for all, so that the panels compare.
    let all = || panels.iter().flat_map(|panel| &panel.series);
    let ratios = || all().flat_map(|series| series.points.iter().map(|(_, y)| *y));
    let range = log_range(
        ratios().fold(f64::INFINITY, f64::min),
        ratios().fold(0.0, f64::max),
    );
    for panel in &mut panels {
        panel.y.range = range;
    }
    Ok(Figure {
        name: "bic2004-tables".into(),
        title: "Throughput ratio of two flows, 40 ms over 40, 120 and 240 ms, drop tail (tables 1 to 3)".into(),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, tables 1 to 3; the rows of a table are the points of a line. {NETWORK} Two long-lived TCP flows. {BARS} Exponent: (inverse RTT ratio)^(1/(1−d)) with the slope d at the window \
             of a fair share (RFC 3649's 0.835 for HSTCP where the paper has 0.82); none for Scalable, whose is infinite. Synchronised equilibrium: exact, with the queue, on the 80 % that the web load leaves; where a panel has no point there is none (equal Scalable flows keep any split). \
             The queue makes the round trips less unequal than 1 : 6, (40 + 17) : (240 + 17) ms at 2.5 Gbit/s, so that AIMD's ratio is the square of 4.5 and not of 6. HSTCP and STCP stay far below the synchronised equilibrium \
             because a flow with a small window misses many overflows. So does BIC, whose longer flow ends in the regime of binary search (β W below 2 Smax), where losses that all come together would all but starve it: its ratio lies between AIMD's \
             and HSTCP's, above the paper's \"comparable to AIMD\", and comes down to AIMD's with a longer buffer (bic2004-buffer). At 100 Mbit/s windows and ratios are small, as in the paper."
        ),
        panels,
    })
}

/// The protocol's panel: fluid at both capacities, exponent, equilibria, what the paper prints.
fn one_protocol(protocol: Protocol, runs: &[(&Pair, &Vec<Shares>)]) -> Result<Panel> {
    let mut curves = Vec::new();
    let mut equilibria: Vec<Series> = Vec::new();
    let mut exponent = f64::INFINITY;
    for (capacity, name) in CAPACITIES.iter().rev() {
        let of = || {
            runs.iter().filter(|(case, _)| {
                case.protocol == protocol && (case.setup.capacity_bps - capacity).abs() < 1.0
            })
        };
        let points = INVERSE.iter().zip(of()).map(|(inverse, (_, shares))| {
            let ratios = shares.iter().map(|shares| shares.ratio).collect();
            (*inverse, ratios)
        });
        curves.insert(0, Curve::new(format!("fluid, {name}"), points)?);
        let mut points = Vec::new();
        for (inverse, (case, _)) in INVERSE.iter().zip(of()) {
            let theory = predicted(case)?;
            exponent = theory.exponent;
            points.extend(theory.equilibrium.ok().map(|ratio| (*inverse, ratio)));
        }
        equilibria.insert(
            0,
            series(
                &format!("synchronised equilibrium, {name}"),
                Stroke::Points,
                points,
            ),
        );
    }
    let steps = (0..=50).map(|k| 1.0 + 0.1 * f64::from(k));
    let power = if exponent.is_finite() {
        steps.map(|x| (x, x.powf(exponent))).collect()
    } else {
        Vec::new()
    };
    let printed = PRINTED
        .iter()
        .filter(|(name, _)| *name == protocol.name)
        .map(|(_, ratio)| (6.0, *ratio))
        .collect();
    let mut others = vec![series("exponent, 2.5 Gbit/s", Stroke::Line, power)];
    others.extend(equilibria);
    others.push(series(
        "paper's text, 2.5 Gbit/s (about)",
        Stroke::Points,
        printed,
    ));
    Ok(panel(
        protocol.name,
        linear("inverse RTT ratio", (0.9, 6.3)),
        logarithmic("throughput ratio", (1e-1, 1e5)),
        together(&curves, others),
    ))
}

/// Buffers, seconds.
const BUFFERS: [f64; 5] = [0.005, 0.01, 0.02, 0.05, 0.12];

pub(in crate::figures) fn buffers() -> Result<Figure> {
    let cases: Vec<Pair> = PROTOCOLS
        .iter()
        .flat_map(|protocol| {
            BUFFERS.map(|buffer_s| {
                let mut pair = Pair::new(*protocol, 2.5e9, Router::DropTail, 6.0);
                pair.setup.buffer_s = buffer_s;
                pair
            })
        })
        .collect();
    let results = each_seed(&cases, &SEEDS, Pair::run)?;
    let curves = PROTOCOLS
        .iter()
        .map(|protocol| {
            let of = cases.iter().zip(&results);
            let points = of
                .filter(|(case, _)| case.protocol == *protocol)
                .map(|(case, runs)| {
                    let ratios = runs.iter().map(|run| run.ratio).collect();
                    (1e3 * case.setup.buffer_s, ratios)
                });
            Curve::new(protocol.name, points)
        })
        .collect::<Result<Vec<_>>>()?;
    let (least, most) = ends(&curves);
    Ok(Figure {
        name: "bic2004-buffer".into(),
        title: "Throughput ratio of 40 ms over 240 ms against the buffer, 2.5 Gbit/s".into(),
        caption: format!(
            "What the size of the buffer, which Xu, Harfoush and Rhee 2004 leave open, does to their tables 1 and 3. {NETWORK_BUT_BUFFER} {BARS} \
             A longer queue makes the round trips less unequal: AIMD follows the square of their ratio, BIC comes down to AIMD, and HSTCP follows later. \
             STCP's hardly changes: the longer flow's window of some tens of packets is held up by how seldom so small a window meets a loss, whatever the buffer. The paper's text has almost 400 for STCP and about 100 for HSTCP."
        ),
        panels: vec![panel(
            "",
            logarithmic("buffer (ms at link rate)", (4.0, 150.0)),
            logarithmic("throughput ratio", step_range(least, most)),
            together(&curves, Vec::new()),
        )],
    })
}
