//! Measured samples from a file, as `fit` and `plot --points` read them.

use super::files;
use crate::error::{Error, Result};
use crate::model::Path;
use crate::units::{Bytes, LossRate, Seconds};

/// One row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// What the row calls itself.
    pub label: Option<String>,
    /// Loss events per packet.
    pub loss: LossRate,
    /// Packets per round trip, as measured.
    window: Option<f64>,
    /// Bits per second on the wire, as measured.
    rate: Option<f64>,
    /// The path it was measured on.
    pub path: Path,
}

/// No window and no rate is larger: beyond, a column has been taken for another.
const LARGEST: f64 = 1e18;

impl Row {
    /// Packets per round trip; `None` if only a rate was measured and no round trip is known.
    pub fn window(&self, packet: Bytes) -> Option<f64> {
        let rtt = self.path.rtt.map(Seconds::value);
        self.window
            .or_else(|| Some(self.rate? * rtt? / (8.0 * packet.value())))
    }

    #[cfg(feature = "plot")]
    /// Packets per second; `None` if only a window was measured and no round trip is known.
    pub fn packets_per_second(&self, packet: Bytes) -> Option<f64> {
        let rtt = self.path.rtt.map(Seconds::value);
        self.rate
            .map(|rate| rate / (8.0 * packet.value()))
            .or_else(|| Some(self.window? / rtt?))
    }
}

/// Every column that is read.
const COLUMNS: &[&str] = &[
    "loss",
    "p",
    "window_pkt",
    "packets_per_rtt",
    "window",
    "rate_bps",
    "law",
    "label",
    "rtt_s",
    "rtt_ms",
];

/// The rows of a file: columns `loss` and `window_pkt` (or `packets_per_rtt`, or `rate_bps`), optionally `law` or `label`, and
/// `rtt_s` or `rtt_ms` where no round trip is given.
pub(super) fn read(name: &str, path: Path) -> Result<Vec<Row>> {
    let bad = |detail: String| Error::File {
        path: name.to_owned(),
        detail,
    };
    let text = files::read_data(name)?;
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| bad(e.to_string()))?.clone();
    let column = |names: &[&str]| header.iter().position(|name| names.contains(&name));
    let twice = header.iter().enumerate().find(|(at, name)| {
        COLUMNS.contains(name) && header.iter().take(*at).any(|other| other == *name)
    });
    if let Some((_, name)) = twice {
        return Err(bad(format!(
            "two columns are called `{name}`: leave out one of them"
        )));
    }
    let have = match header.iter().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "no columns".to_owned(),
        some => some,
    };
    let loss = column(&["loss", "p"])
        .ok_or_else(|| bad(format!("a column `loss` is needed; it has {have}")))?;
    let window = column(&["window_pkt", "packets_per_rtt", "window"]);
    let rate = column(&["rate_bps"]);
    if window.is_none() && rate.is_none() {
        return Err(bad(format!(
            "a column `window_pkt` or `rate_bps` is needed; it has {have}"
        )));
    }
    let label = column(&["law", "label"]);
    let rtt = column(&["rtt_s"])
        .map(|at| (at, 1.0))
        .or_else(|| column(&["rtt_ms"]).map(|at| (at, 1e3)));
    let mut out = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| bad(e.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let word = |at: usize| record.get(at).unwrap_or("");
        let positive = |at: usize| {
            word(at)
                .parse::<f64>()
                .ok()
                .filter(|x| *x > 0.0 && *x <= LARGEST)
                .ok_or_else(|| {
                    bad(format!(
                        "line {line}: `{}` is no number above 0 and up to {LARGEST:e}",
                        word(at)
                    ))
                })
        };
        // A file may leave out one of two columns in a row.
        let filled = |at: &usize| !word(*at).is_empty();
        let (window, rate) = match (window.filter(filled), rate.filter(filled)) {
            (None, None) => {
                return Err(bad(format!("line {line}: neither a window nor a rate")));
            }
            (window, rate) => (
                window.map(positive).transpose()?,
                rate.map(positive).transpose()?,
            ),
        };
        let rtt = match (rtt.filter(|(at, _)| filled(at)), path.rtt) {
            (Some((at, _)), Some(given)) => {
                return Err(Error::Arguments(format!(
                    "`{name}` has a column `{}`, and --rtt gives {} s besides: leave out one of them",
                    header.get(at).unwrap_or(""),
                    given.value()
                )));
            }
            (Some((at, scale)), None) => Some(Seconds::new(positive(at)? / scale)),
            (None, given) => given,
        };
        out.push(Row {
            label: label.map(|at| word(at).to_owned()),
            loss: LossRate::parse(word(loss)).map_err(|e| bad(format!("line {line}: {e}")))?,
            window,
            rate,
            path: Path { rtt, ..path },
        });
    }
    if out.is_empty() {
        return Err(bad("it has no samples".into()));
    }
    Ok(out)
}
