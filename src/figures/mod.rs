//! Each figure as data, one file for each paper, and the list.

mod bic2004;
pub mod figure;
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
    /// Builds it.
    pub build: fn() -> Result<Figure>,
}

/// Every figure.
pub const FIGURES: &[Listed] = &[
    Listed {
        name: "bic2004-4",
        meaning: "BIC paper, figure 4: response functions of standard TCP, HighSpeed, Scalable and AIMD",
        build: bic2004::figure_4,
    },
    Listed {
        name: "bic2004-6",
        meaning: "BIC paper, figure 6: BIC's response for several Smax",
        build: bic2004::figure_6,
    },
    Listed {
        name: "bic2004-7",
        meaning: "BIC paper, figure 7: BIC's response for several Smin",
        build: bic2004::figure_7,
    },
    Listed {
        name: "bic2004-8",
        meaning: "BIC paper, figure 8: response functions of all protocols",
        build: bic2004::figure_8,
    },
    Listed {
        name: "laws",
        meaning: "every law beside the others at round trips of 10, 100 and 200 ms",
        build: overview::laws,
    },
    Listed {
        name: "reno-constants",
        meaning: "six constants of the square-root law, each under its own assumptions",
        build: overview::reno_constants,
    },
];

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
