//! Figures of no single paper: every law beside the others, and the constants of the square-root law.

use super::response_plot::{Curve, Quantity, View, Words, response_plot};
use super::{Axis, Figure, Panel, Scale, Series, Stroke};
use crate::algorithms::{ALGORITHMS, Selected};
use crate::error::Result;
use crate::model::{Path, Price};
use crate::units::Seconds;
use std::collections::BTreeSet;

/// Upper end of the windows: above the steepest law at the smallest loss rate.
const MOST: f64 = 1e7;

/// A law's title, with the values of the parameters that it names: `AIMD(32, 0.125)`.
fn called(law: &Selected) -> String {
    let title = law.algorithm.title();
    let named = || {
        let (name, rest) = title.split_once('(')?;
        let values = rest.strip_suffix(')')?.split(", ").map(|key| {
            let mut all = law.setting.iter();
            all.find(|(parameter, _)| parameter.key == key)
                .map(|(_, value)| value.to_string())
        });
        let values = values.collect::<Option<Vec<_>>>()?.join(", ");
        Some(format!("{name}({values})"))
    };
    named().unwrap_or_else(|| title.to_owned())
}

/// Every registered law that answers to loss, with its default preset and default form, at three round trips.
pub(super) fn laws() -> Result<Figure> {
    let loss = (1e-8, 1e-1);
    let mut panels = Vec::new();
    let mut unanswered = BTreeSet::new();
    for (rtt, title) in [
        (0.01, "(a) RTT 10 ms"),
        (0.1, "(b) RTT 100 ms"),
        (0.2, "(c) RTT 200 ms"),
    ] {
        let mut curves = Vec::new();
        for algorithm in ALGORITHMS.iter().filter(|a| a.price() == Price::Loss) {
            let mut curve = Curve::new("", algorithm.name(), None)?;
            curve.label = called(&curve.law);
            if algorithm.law(&curve.law.setting).is_some() {
                curve.path = Path::with_rtt(Seconds::new(rtt));
                // A law may have no answer without a queueing delay.
                if curve.sample(loss, Scale::Log)?.is_empty() {
                    unanswered.insert(curve.label);
                    continue;
                }
                curves.push(curve);
            }
        }
        let words = Words {
            name: "",
            title: "",
            caption: "",
        };
        let view = View {
            vertical: Some((1e0, MOST)),
            ..View::of(loss, Quantity::Window)
        };
        let figure = response_plot(words, &curves, Vec::new(), view)?.figure;
        panels.extend(figure.panels.into_iter().map(|panel| Panel {
            title: title.into(),
            ..panel
        }));
    }
    let others: Vec<String> = ALGORITHMS
        .iter()
        .filter(|a| a.price() != Price::Loss)
        .map(|a| format!("{} ({})", a.title(), a.price().name()))
        .collect();
    let unanswered: Vec<String> = unanswered.into_iter().collect();
    Ok(Figure {
        name: "laws".into(),
        title: "Response functions of every law that answers to loss".into(),
        caption: format!(
            "Default presets and default closed forms; one loss event every 1/p packets (HighSpeed TCP: RFC 3649's line). A law that counts seconds (CUBIC, H-TCP, CR, CANIT) gets more \
                  packets per round trip from a longer path; the others do not see it. No queueing delay: a law whose default form needs one ({}) is \
                  left out, and so are timeouts, which rule above p = 10⁻². Windows below one packet are not drawn. Laws that answer to something else have no window at a loss rate: {}.",
            unanswered.join(", "),
            others.join(", ")
        ),
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
            .sample(loss, Scale::Log)?
            .points
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
