//! Figures 3 and 5: windows over time.

use super::parts::{BARS, Curve, NETWORK, ends, linear, logarithmic, panel, series, together};
use crate::error::Result;
use crate::experiments::bic2004::{Phase, Starvation, Starved, modes};
use crate::experiments::{SEEDS, each_seed};
use crate::figures::{Figure, Mark, Stroke, step_range};

pub(in crate::figures) fn figure_3() -> Result<Figure> {
    let runs = each_seed(&[Starvation::default()], &SEEDS, Starvation::run)?.remove(0);
    let duration = Starvation::default().setup.duration;
    let first = &runs[0];
    let lines = first
        .windows
        .iter()
        .enumerate()
        .map(|(k, windows)| {
            let rtt = if k < 8 { 80 } else { 160 };
            let points = first.times.iter().copied().zip(windows.iter().copied());
            series(
                &format!("STCP {k}, {rtt} ms"),
                Stroke::Line,
                points.collect(),
            )
        })
        .collect();
    // Opening slow starts leave the picture at the top.
    let settled = first.windows.iter().flat_map(|windows| &windows[75..]);
    let highest = settled.copied().fold(0.0, f64::max);
    let means: Vec<_> = runs.iter().map(Starved::means).collect();
    let curve = |which: usize, label: &str| {
        let points = (75..=600).step_by(25).map(|second: usize| {
            let values = means.iter().map(|means| means[which][second]).collect();
            (first.times[second], values)
        });
        Curve::new(label, points)
    };
    let curves = [
        curve(0, "eight flows of 80 ms")?,
        curve(1, "two flows of 160 ms")?,
    ];
    let frame = 1.05 * highest;
    let cut: Vec<String> = first
        .windows
        .iter()
        .enumerate()
        .filter_map(|(k, windows)| {
            let peak = windows.iter().copied().fold(0.0, f64::max);
            (peak > frame).then(|| format!("STCP {k}'s, up to {peak:.0} packets"))
        })
        .collect();
    let cut = if cut.is_empty() {
        String::new()
    } else {
        format!(
            " An opening slow start leaves the frame: {}.",
            cut.join("; ")
        )
    };
    let (least, most) = ends(&curves);
    let time = || linear("time (s)", (0.0, duration));
    Ok(Figure {
        name: "bic2004-3".into(),
        title: "Ten Scalable flows, drop tail, 2.4 Gbit/s".into(),
        caption: format!(
            "Xu, Harfoush and Rhee 2004, figure 3. Flows start between 0 and 60 s. (a) seed 1; (b) mean window of each kind.{cut} {NETWORK} {BARS} The two longer flows fall to \
             windows of about a hundred packets, a twentieth of the others', as in the paper. They do not starve wholly: the smaller a window the less often it meets a loss, and below 16 packets Scalable is standard TCP. \
             The paper's other eight merge into one; here those that came first keep much more for the whole run, because an overflow hits all large windows, and losses that hit all leave the ratio of Scalable windows as it is."
        ),
        panels: vec![
            panel(
                "(a) windows",
                time(),
                linear("window (packets)", (0.0, frame)),
                lines,
            ),
            panel(
                "(b) mean windows",
                time(),
                logarithmic("window (packets)", step_range(least, most)),
                together(&curves, Vec::new()),
            ),
        ],
    })
}

pub(in crate::figures) fn figure_5() -> Result<Figure> {
    let run = modes(1)?;
    let lines = (0..2)
        .map(|flow| {
            let windows = run.windows[flow].iter().copied();
            let points = run
                .times
                .iter()
                .copied()
                .zip(windows)
                .filter(|(_, w)| *w > 0.0);
            series(&format!("BIC flow {flow}"), Stroke::Line, points.collect())
        })
        .collect();
    let mut marks = Vec::new();
    // Each word once, where it lasts longest after the second flow has found its way.
    for (phase, span, text) in [
        (Phase::Additive, (22.0, 80.0), "additive increase"),
        (Phase::Search, (40.0, 120.0), "binary search increase"),
        (Phase::SlowStart, (22.0, 120.0), "slow start"),
    ] {
        if let Some(stretch) = run.longest(phase, span) {
            let at = (
                f64::midpoint(stretch.span.0, stretch.span.1),
                stretch.window,
            );
            marks.push(Mark {
                at,
                text: text.into(),
            });
        }
    }
    let lowered = run.lowered.iter().find(|(time, _, _)| *time > 22.0);
    marks.extend(lowered.map(|(time, _, window)| Mark {
        at: (*time, *window),
        text: "fast convergence".into(),
    }));
    // The opening slow start of the first flow leaves the picture at the top.
    let settled = run.windows[0]
        .iter()
        .zip(&run.times)
        .filter(|(_, t)| **t > 3.0);
    let highest = settled.map(|(window, _)| *window).fold(0.0, f64::max);
    let mut axes = panel(
        "",
        linear("time (s)", (0.0, 120.0)),
        linear("window (packets)", (0.0, 1.1 * highest)),
        lines,
    );
    axes.marks = marks;
    Ok(Figure {
        name: "bic2004-5".into(),
        title: "BIC in working: two flows, drop tail".into(),
        caption: "Xu, Harfoush and Rhee 2004, figure 5 (its capacity and round trips are not given). Two BIC flows (Smax = 32, Smin = 0.01, β = 0.125 removed, fast convergence on) of \
                  100 ms at 2.5 Gbit/s with a buffer of 20 ms and no background, the second 20 s after the first; fluid run, seed 1; the first flow's opening slow start overshoots the picture. Marked, from the windows themselves: a stretch of growth by \
                  Smax a round, one of halving the distance to the last maximum, one of doubling the distance from it, and a loss below the last maximum, after which \
                  fast convergence aims lower."
            .into(),
        panels: vec![axes],
    })
}
