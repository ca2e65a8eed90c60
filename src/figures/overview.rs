//! Figures of no single paper: every law beside the others, and the constants of the square-root law.

use super::response_plot::{Curve, Quantity, Words, response_plot};
use super::{Axis, Figure, Panel, Scale, Series, Stroke};
use crate::algorithms::ALGORITHMS;
use crate::error::Result;
use crate::model::{Path, Price};
use crate::units::Seconds;

/// Every registered law with its default preset and default form, at three round trips.
pub(super) fn laws() -> Result<Figure> {
    let loss = (1e-8, 1e-1);
    let mut panels = Vec::new();
    for (rtt, title) in [
        (0.01, "(a) RTT 10 ms"),
        (0.1, "(b) RTT 100 ms"),
        (0.2, "(c) RTT 200 ms"),
    ] {
        let mut curves = Vec::new();
        // One that answers to delay or to a router has no response to draw.
        for algorithm in ALGORITHMS.iter().filter(|a| a.price() == Price::Loss) {
            let mut curve = Curve::new(algorithm.title(), algorithm.name(), None)?;
            if algorithm.law(&curve.law.setting).is_some() {
                curve.path = Path::with_rtt(Seconds::new(rtt));
                // A law may have no answer without a queueing delay.
                if curve.sample(loss)?.is_empty() {
                    continue;
                }
                curves.push(curve);
            }
        }
        let figure = response_plot(
            Words {
                name: "",
                title: "",
                caption: "",
            },
            &curves,
            loss,
            Some((1e0, 1e6)),
            Quantity::Window,
        )?;
        panels.extend(figure.panels.into_iter().map(|panel| Panel {
            title: title.into(),
            ..panel
        }));
    }
    Ok(Figure {
        name: "laws".into(),
        title: "Response functions of every law".into(),
        caption: "Default presets and default closed forms; one loss event every 1/p packets (HighSpeed TCP: RFC 3649's line). A law that counts seconds (CUBIC, H-TCP, CR, CANIT) gets more \
                  packets per round trip from a longer path; the others do not see it. No queueing delay: a law whose default form needs one (Westwood) is \
                  left out, and so are timeouts, which rule above p = 10⁻²."
            .into(),
        panels,
    })
}

/// The constants that stand before 1/sqrt(p) for standard TCP, each right under its own assumptions.
pub(super) fn reno_constants() -> Result<Figure> {
    let loss = (1e-6, 1e-1);
    let curves = [
        Curve::new("mean-field: 1.4142", "reno", Some("mean-field"))?,
        Curve::new("random: 1.3098", "reno", Some("random"))?,
        Curve::new("periodic: 1.2247", "reno", Some("periodic"))?,
        Curve::new("RFC tables: 1.2", "mathis@rfc-tables", None)?,
        Curve::new(
            "random, delayed ACKs: 0.9262",
            "reno:ack_every=2",
            Some("random"),
        )?,
        Curve::new(
            "periodic, delayed ACKs: 0.8660",
            "reno:ack_every=2",
            Some("periodic"),
        )?,
        Curve::new("whole windows, periodic", "reno", Some("discrete"))?,
        Curve::new("Kelly's equilibrium", "kelly", None)?,
    ];
    let mut series = Vec::new();
    for curve in &curves {
        let points = curve
            .sample(loss)?
            .into_iter()
            .map(|(p, w)| (p, w * p.sqrt()))
            .collect();
        series.push(Series {
            label: curve.label.clone(),
            stroke: Stroke::Line,
            points,
        });
    }
    Ok(Figure {
        name: "reno-constants".into(),
        title: "Six constants of one square root".into(),
        caption: "Standard TCP: window times the square root of the loss rate. Six constants are in use, and each is right: they differ in how losses arrive \
                  (periodic, independent, mean-field), in the acknowledgements, and in rounding. Whole windows and Kelly's factor 1−p bend away where windows \
                  are small; timeouts, which rule above p = 10⁻², are left out."
            .into(),
        panels: vec![Panel {
            title: String::new(),
            x: Axis { title: "Loss events per packet, p".into(), scale: Scale::Log, range: loss },
            y: Axis { title: "Window × √p (packets per round trip)".into(), scale: Scale::Linear, range: (0.8, 1.5) },
            series,
            marks: Vec::new(),
        }],
    })
}
