//! Fairness policies on slow links: the slides of Obanaik, Jacob and Ananda, ICCCN 2002. The slides state neither link rate
//! nor delay, and their curves carry no numbers: rates and delays here are assumptions, named in every caption.

use super::{Axis, Figure, Panel, Scale, Series, Stroke};
use crate::algorithms::Selected;
use crate::analysis::last_hop::{Effort, LastHop, Moment, Repair, Toll, run};
use crate::error::{Error, Result};
use crate::model::WindowLaw;

/// MTU of the slides (RFC 3150), bytes.
const PACKET: f64 = 296.0;
/// Payload of such a packet.
const PAYLOAD: f64 = 256.0;
/// Buffers of the slides' last-hop router, packets.
const BUFFERS: std::ops::RangeInclusive<u64> = 3..=20;

/// A path, its name and what is assumed of it.
struct Place {
    title: &'static str,
    bits: f64,
    delay: f64,
}

const SLOW_LINK: Place = Place {
    title: "slow link, 9.6 kbit/s, 200 ms",
    bits: 9600.0,
    delay: 0.2,
};
const LONG_THIN: Place = Place {
    title: "long thin network, 64 kbit/s, 500 ms",
    bits: 64_000.0,
    delay: 0.5,
};

const LAWS: [(&str, &str); 4] = [
    ("standard TCP", "reno"),
    ("CANIT, NIT = 30 ms", "canit"),
    ("CR, c = 10", "cr"),
    ("IBK, K = 4", "ibk"),
];

const ASSUMED: &str = "Obanaik, Jacob and Ananda 2002. Packets of 296 B on the wire, fast recovery without selective acknowledgements: three losses in a window wait for the \
                       retransmission timer. Link rates and delays are assumptions (the slides state none): the slow link has 9.6 kbit/s and 200 ms, the long thin network 64 kbit/s and 500 ms, without \
                       queue and without the packet's own time on the link.";

impl Place {
    fn hop(&self, buffer: u64) -> LastHop {
        LastHop {
            capacity: self.bits / (8.0 * PACKET),
            delay: self.delay,
            buffer,
            receive_window: None,
            repair: Repair::FastRecovery,
            rto: None,
        }
    }
}

fn law(spec: &str) -> Result<Box<dyn WindowLaw>> {
    Selected::parse(spec)?.law()
}

fn toll(spec: &str, hop: &LastHop) -> Result<Toll> {
    let effort = Effort {
        events: 500,
        packets: 1_000_000,
        ..Effort::default()
    };
    run(law(spec)?.as_ref(), hop, effort, &mut |_| {})
}

fn axis(title: &str, range: (f64, f64)) -> Axis {
    Axis {
        title: title.into(),
        scale: Scale::Linear,
        range,
    }
}

/// A panel of lines, one for each law, its vertical axis from 0.
fn panel(title: &str, x: Axis, y: &str, lines: Vec<Vec<(f64, f64)>>) -> Panel {
    let most = lines.iter().flatten().map(|(_, y)| *y).fold(0.0, f64::max);
    Panel {
        title: title.into(),
        x,
        y: axis(y, (0.0, if most > 0.0 { 1.08 * most } else { 1.0 })),
        series: lines
            .into_iter()
            .zip(LAWS)
            .map(|(points, (label, _))| Series {
                label: label.into(),
                stroke: Stroke::Line,
                points,
            })
            .collect(),
        marks: Vec::new(),
    }
}

/// Windows over time, standard TCP beside each policy.
pub(super) fn windows() -> Result<Figure> {
    const BUFFER: u64 = 10;
    let mut panels = Vec::new();
    for (place, seconds) in [(&SLOW_LINK, 120.0), (&LONG_THIN, 40.0)] {
        let hop = place.hop(BUFFER);
        let mut lines = Vec::new();
        for (_, spec) in LAWS {
            let mut points: Vec<(f64, f64)> = Vec::new();
            // Slow start and the first loss events pass before the picture begins.
            let skip = seconds;
            let effort = Effort {
                events: 2_000,
                packets: (8.0 * seconds * hop.capacity) as u64,
                warm_up: 0,
            };
            let watch = &mut |moment: Moment| {
                let at = moment.time - skip;
                if (0.0..=seconds).contains(&at) {
                    // A fall is drawn upright.
                    if let Some(&(_, before)) = points.last()
                        && moment.window < before
                    {
                        points.push((at, before));
                    }
                    points.push((at, moment.window));
                }
            };
            // Too few events to measure is no matter here: the course is what is drawn.
            match run(law(spec)?.as_ref(), &hop, effort, watch) {
                Ok(_) | Err(Error::NoAnswer(_)) => {}
                Err(error) => return Err(error),
            }
            lines.push(points);
        }
        panels.push(panel(
            place.title,
            axis("time (s)", (0.0, seconds)),
            "congestion window (packets)",
            lines,
        ));
    }
    Ok(Figure {
        name: "icccn2002-windows".into(),
        title: "Congestion window on a slow link and a long thin network".into(),
        caption: format!(
            "{ASSUMED} Buffer of {BUFFER} packets. Stretches at one packet are waits for the retransmission timer. The slides draw standard TCP against each policy; their curves carry no numbers."
        ),
        panels,
    })
}

/// Goodput and loss against the buffer.
fn against_buffer(name: &str, title: &str, place: &Place, remark: &str) -> Result<Figure> {
    let (mut goodput, mut loss) = (Vec::new(), Vec::new());
    for (_, spec) in LAWS {
        let (mut gains, mut tolls) = (Vec::new(), Vec::new());
        for buffer in BUFFERS {
            let toll = toll(spec, &place.hop(buffer))?;
            gains.push((buffer as f64, toll.rate * 8e-3 * PAYLOAD));
            tolls.push((buffer as f64, 100.0 * toll.loss_fraction));
        }
        goodput.push(gains);
        loss.push(tolls);
    }
    let buffers = || {
        axis(
            "buffer of the last-hop router (packets)",
            (*BUFFERS.start() as f64, *BUFFERS.end() as f64),
        )
    };
    Ok(Figure {
        name: name.into(),
        title: title.into(),
        caption: format!("{ASSUMED} {remark}"),
        panels: vec![
            panel("Goodput", buffers(), "goodput (kbit/s)", goodput),
            panel("Loss", buffers(), "packets dropped (%)", loss),
        ],
    })
}

pub(super) fn slow_link() -> Result<Figure> {
    against_buffer(
        "icccn2002-slow-link",
        "Slow link: goodput and loss against the buffer",
        &SLOW_LINK,
        "On the slow link nearly all of the round trip is queue: a larger buffer makes CR and CANIT, whose increase follows the round trip, probe \
         harder: CR loses half as much again with 20 packets as with 3, CANIT nearly the same, standard TCP a fourteenth. Drops per loss event are small \
         whole numbers, hence the steps.",
    )
}

pub(super) fn long_thin() -> Result<Figure> {
    against_buffer(
        "icccn2002-long-thin",
        "Long thin network: goodput and loss against the buffer",
        &LONG_THIN,
        "A path of 13 packets and 3 to 20 of buffer. Larger buffers help every policy's goodput from 5 packets on, at the price of queueing delay; none reaches standard TCP's. Below, IBK happens to \
         lose one packet at a time, which needs no timer.",
    )
}

/// What a smaller receive window does.
pub(super) fn remedies() -> Result<Figure> {
    const BUFFER: u64 = 10;
    let mut panels = Vec::new();
    for place in [&SLOW_LINK, &LONG_THIN] {
        let (mut goodput, mut loss) = (Vec::new(), Vec::new());
        let pipe = place.hop(BUFFER).pipe();
        let most = (1.8 * pipe).round();
        for (_, spec) in LAWS {
            let (mut gains, mut tolls) = (Vec::new(), Vec::new());
            for window in 2..=most as u64 {
                let hop = LastHop {
                    receive_window: Some(window),
                    ..place.hop(BUFFER)
                };
                let toll = toll(spec, &hop)?;
                gains.push((window as f64, toll.rate * 8e-3 * PAYLOAD));
                tolls.push((window as f64, 100.0 * toll.loss_fraction));
            }
            goodput.push(gains);
            loss.push(tolls);
        }
        let windows = || axis("receive window (packets)", (2.0, most));
        let name = place.title.split(',').next().unwrap_or_default();
        panels.push(panel(
            &format!("{name}: goodput"),
            windows(),
            "goodput (kbit/s)",
            goodput,
        ));
        panels.push(panel(
            &format!("{name}: loss"),
            windows(),
            "packets dropped (%)",
            loss,
        ));
    }
    // The course beyond what path and buffer hold, of the law that ends with most losses on the first path.
    let lossy = panels[1].series.iter().max_by(|one, other| {
        let last = |series: &Series| series.points.last().map_or(0.0, |point| point.1);
        last(one).total_cmp(&last(other))
    });
    let grows = lossy.map_or_else(String::new, |series| {
        let mut beyond = series.points.iter().filter(|(_, loss)| *loss > 0.0);
        let mut ends: Vec<&(f64, f64)> = beyond.by_ref().take(2).collect();
        ends.extend(beyond.next_back());
        let words: Vec<String> = ends
            .iter()
            .map(|(window, loss)| format!("{loss:.1} % with {window} packets"))
            .collect();
        format!(
            "on the slow link {} loses {}",
            series.label,
            words.join(", ")
        )
    });
    Ok(Figure {
        name: "icccn2002-remedies".into(),
        title: "Remedies: a smaller receive window, or the policy off".into(),
        caption: format!(
            "{ASSUMED} Buffer of {BUFFER} packets. A receive window of at most what path and buffer hold (11 and 24 packets here) ends all losses, whatever the policy, and with them the \
             difference between the policies; beyond it losses set in and grow with the window: {grows}. The slides find only a slight gain in goodput: their windows are \
             not matched to the path, and fast recovery is kept from sending new packets. Switching the policy off is the curve of standard TCP; a larger buffer is \
             the other two figures."
        ),
        panels,
    })
}
