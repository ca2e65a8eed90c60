//! Each figure as data, one file for each paper, and the list.

mod bic2004;
mod fast2004;
pub mod figure;
mod heat;
mod icccn2002;
mod loop_plot;
mod loops;
mod ns2_pairs;
mod overview;
mod panels;
mod range;
mod response_plot;
mod run_plot;
mod sweep_plot;
mod westwood2002;
mod xcp2002;

pub use figure::{Axis, DISTINCT, Figure, Mark, Panel, Scale, Series, Stroke};
pub use heat::{HeatMap, Shades};
pub use loop_plot::{bode, boundary, nyquist, region};
pub use range::{log_range, range_of, step_range};
pub use response_plot::{Curve, Drawn, Quantity, Sampled, View, Words, response_plot};
pub use run_plot::run_plot;
pub use sweep_plot::{
    BITS_PER_SECOND, BYTES, Datum, SweepColumns, sweep_heat, sweep_lines, title_of, value_of,
};

use crate::error::{Error, Result};

/// A figure that can be built.
pub struct Listed {
    /// File stem and word on the command line.
    pub name: &'static str,
    /// What it shows, in one phrase.
    pub meaning: &'static str,
    /// Whether it takes so long that it is drawn only when named, or with all.
    pub slow: bool,
    /// Builds it.
    pub build: fn() -> Result<Figure>,
}

/// Every figure.
pub const FIGURES: &[Listed] = &[
    Listed {
        name: "bic2004-2",
        meaning: "BIC paper, figure 2: how often HSTCP flows lose together, drop tail and RED",
        slow: true,
        build: bic2004::figure_2,
    },
    Listed {
        name: "bic2004-3",
        meaning: "BIC paper, figure 3: ten Scalable flows, two of which starve",
        slow: true,
        build: bic2004::figure_3,
    },
    Listed {
        name: "bic2004-4",
        meaning: "BIC paper, figure 4: response functions of standard TCP, HighSpeed, Scalable and AIMD",
        slow: false,
        build: bic2004::figure_4,
    },
    Listed {
        name: "bic2004-5",
        meaning: "BIC paper, figure 5: two BIC flows and the modes of their windows",
        slow: false,
        build: bic2004::figure_5,
    },
    Listed {
        name: "bic2004-6",
        meaning: "BIC paper, figure 6: BIC's response for several Smax",
        slow: false,
        build: bic2004::figure_6,
    },
    Listed {
        name: "bic2004-7",
        meaning: "BIC paper, figure 7: BIC's response for several Smin",
        slow: false,
        build: bic2004::figure_7,
    },
    Listed {
        name: "bic2004-8",
        meaning: "BIC paper, figure 8: response functions of all protocols",
        slow: false,
        build: bic2004::figure_8,
    },
    Listed {
        name: "xcp2002-utilisation",
        meaning: "XCP slides: utilisation against bandwidth and delay, XCP and TCP",
        slow: false,
        build: xcp2002::utilisation,
    },
    Listed {
        name: "xcp2002-step",
        meaning: "XCP slides and paper: 40 and 100 flows start and stop",
        slow: false,
        build: xcp2002::steps,
    },
    Listed {
        name: "xcp2002-fairness",
        meaning: "XCP slides: throughput of each flow, equal and different round trips",
        slow: false,
        build: xcp2002::fairness,
    },
    Listed {
        name: "xcp2002-convergence",
        meaning: "XCP paper: five flows that start two seconds apart",
        slow: false,
        build: xcp2002::five_flows,
    },
    Listed {
        name: "xcp2002-web",
        meaning: "XCP slides: short web-like flows, utilisation, queue and drops against arrivals",
        slow: true,
        build: xcp2002::web,
    },
    Listed {
        name: "fast2004-response",
        meaning: "FAST slides: response lines with the table's constants",
        slow: false,
        build: fast2004::responses,
    },
    Listed {
        name: "fast2004-sharing-3",
        meaning: "FAST slides: three flows come and go under FAST, HSTCP, STCP and Reno",
        slow: false,
        build: fast2004::sharing_3,
    },
    Listed {
        name: "fast2004-sharing-14",
        meaning: "FAST slides: fourteen flows come and go under FAST, HSTCP, STCP and Reno",
        slow: false,
        build: fast2004::sharing_14,
    },
    Listed {
        name: "fast2004-utilisation",
        meaning: "FAST slides: average utilisation of 1 to 10 flows",
        slow: false,
        build: fast2004::long_hauls,
    },
    Listed {
        name: "fast2004-scan",
        meaning: "FAST slides: throughput, fairness and stability of 29 experiments",
        slow: false,
        build: fast2004::scan,
    },
    Listed {
        name: "bic2004-9",
        meaning: "BIC paper, figure 9: shares of high-speed, TCP and background traffic",
        slow: true,
        build: bic2004::figure_9,
    },
    Listed {
        name: "bic2004-10",
        meaning: "BIC paper, figure 10: Jain's index of four flows over time, drop tail",
        slow: true,
        build: bic2004::figure_10,
    },
    Listed {
        name: "bic2004-11",
        meaning: "BIC paper, figure 11: the same under RED",
        slow: true,
        build: bic2004::figure_11,
    },
    Listed {
        name: "bic2004-tables",
        meaning: "BIC paper, tables 1 to 3: throughput ratios of two flows, with three theories",
        slow: true,
        build: bic2004::tables,
    },
    Listed {
        name: "bic2004-buffer",
        meaning: "those ratios against the size of the buffer",
        slow: true,
        build: bic2004::buffers,
    },
    Listed {
        name: "bic2004-utilisation",
        meaning: "BIC paper, section VII: utilisation of the link, drop tail and RED",
        slow: true,
        build: bic2004::utilisation,
    },
    Listed {
        name: "bic2004-overflow",
        meaning: "packets lost in an overflow against the last increment",
        slow: false,
        build: bic2004::overflow,
    },
    Listed {
        name: "ns2-pairs",
        meaning: "two flows at a drop-tail link: fluid against the packet simulator ns-2",
        slow: false,
        build: ns2_pairs::pairs,
    },
    Listed {
        name: "icccn2002-windows",
        meaning: "slow-link slides: windows of standard TCP, CANIT, CR and IBK on a slow link and a long thin network",
        slow: false,
        build: icccn2002::windows,
    },
    Listed {
        name: "icccn2002-slow-link",
        meaning: "slow-link slides: goodput and loss against the buffer of a slow link",
        slow: false,
        build: icccn2002::slow_link,
    },
    Listed {
        name: "icccn2002-long-thin",
        meaning: "slow-link slides: goodput and loss against the buffer of a long thin network",
        slow: false,
        build: icccn2002::long_thin,
    },
    Listed {
        name: "icccn2002-remedies",
        meaning: "slow-link slides: what a smaller receive window does",
        slow: false,
        build: icccn2002::remedies,
    },
    Listed {
        name: "laws",
        meaning: "every law that answers to loss beside the others at round trips of 10, 100 and 200 ms",
        slow: false,
        build: overview::laws,
    },
    Listed {
        name: "reno-constants",
        meaning: "six constants of the square-root law, each under its own assumptions",
        slow: false,
        build: overview::reno_constants,
    },
    Listed {
        name: "xcp2002-region",
        meaning: "XCP: theorem 1, the exact region of its gains, and the one with a queue that is never negative",
        slow: false,
        build: loops::xcp_region,
    },
    Listed {
        name: "xcp2002-nyquist",
        meaning: "XCP: Nyquist's curve of the default gains",
        slow: false,
        build: loops::xcp_nyquist,
    },
    Listed {
        name: "xcp2002-bode",
        meaning: "XCP: Bode's plot of the default gains",
        slow: false,
        build: loops::xcp_bode,
    },
    Listed {
        name: "red-boundary",
        meaning: "Reno with RED: the queue on both sides of the critical slope",
        slow: false,
        build: loops::red_queue,
    },
    Listed {
        name: "westwood2002-sawtooth",
        meaning: "Westwood slides 4 and 7: windows of Reno and Westwood over time",
        slow: false,
        build: westwood2002::sawtooth,
    },
    Listed {
        name: "westwood2002-filter",
        meaning: "Westwood slides 11 and 12: bandwidth estimate on 1 Mbit/s, one TCP, and TCP with UDP",
        slow: false,
        build: westwood2002::filter,
    },
    Listed {
        name: "westwood2002-wireless",
        meaning: "Westwood slides 5, 6 and 13: throughput of Reno and Westwood over a lossy link",
        slow: false,
        build: westwood2002::wireless,
    },
    Listed {
        name: "westwood2002-rtt",
        meaning: "Westwood slides 20 to 22: rate against round trip, at a common and at a proportional queueing delay",
        slow: false,
        build: westwood2002::round_trips,
    },
    Listed {
        name: "westwood2002-bytes",
        meaning: "Westwood slide 23: bytes sent by 40 Reno and 40 Westwood connections",
        slow: false,
        build: westwood2002::bytes,
    },
    Listed {
        name: "westwood2002-drop-curves",
        meaning: "Westwood slide 24: drop curves of RED, Gentle RED and Easy RED",
        slow: false,
        build: westwood2002::drop_curves,
    },
    Listed {
        name: "westwood2002-easy-red-regimes",
        meaning: "Easy RED's regimes against the number of flows",
        slow: false,
        build: westwood2002::regimes,
    },
    Listed {
        name: "westwood2002-drop-tail",
        meaning: "Westwood slides 27 and 28: fairness and throughput against N, drop tail",
        slow: true,
        build: westwood2002::drop_tail,
    },
    Listed {
        name: "westwood2002-aqm-reno",
        meaning: "Westwood slides 29 and 30: Reno under no AQM, RED, Gentle RED and Easy RED",
        slow: true,
        build: westwood2002::aqm_reno,
    },
    Listed {
        name: "westwood2002-aqm-westwood",
        meaning: "Westwood slides 31 and 32: Westwood under no AQM, RED, Gentle RED and Easy RED",
        slow: true,
        build: westwood2002::aqm_westwood,
    },
    Listed {
        name: "westwood2002-friendliness",
        meaning: "Westwood slide 33: the friendliness table beside the fluid for three buffers",
        slow: true,
        build: westwood2002::friendliness,
    },
    Listed {
        name: "westwood2002-buffer",
        meaning: "Jain's index of Westwood, Reno and both against the buffer",
        slow: true,
        build: westwood2002::buffer,
    },
];

/// The figures with these names; for an empty list all that are not slow, or all if `slow`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn select(names: &[String], slow: bool) -> Result<Vec<&'static Listed>> {
    if names.is_empty() {
        return Ok(FIGURES.iter().filter(|one| slow || !one.slow).collect());
    }
    names.iter().map(|name| find(name)).collect()
}

/// The figure called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn find(name: &str) -> Result<&'static Listed> {
    FIGURES
        .iter()
        .find(|listed| listed.name == name)
        .ok_or_else(|| Error::unknown("figure", name, FIGURES.iter().map(|listed| listed.name)))
}
