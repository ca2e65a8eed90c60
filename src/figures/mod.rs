//! Each figure as data, one file for each paper, and the list.

mod bic2004;
pub mod figure;
mod icccn2002;
mod overview;
mod response_plot;
mod run_plot;

pub use figure::{Axis, Figure, Mark, Panel, Scale, Series, Stroke};
pub use response_plot::{Curve, Quantity, Words, response_plot};
pub use run_plot::run_plot;

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
        name: "bic2004-4",
        meaning: "BIC paper, figure 4: response functions of standard TCP, HighSpeed, Scalable and AIMD",
        slow: false,
        build: bic2004::figure_4,
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
        meaning: "every law beside the others at round trips of 10, 100 and 200 ms",
        slow: false,
        build: overview::laws,
    },
    Listed {
        name: "reno-constants",
        meaning: "six constants of the square-root law, each under its own assumptions",
        slow: false,
        build: overview::reno_constants,
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
