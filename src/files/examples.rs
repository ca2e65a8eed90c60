//! Ready scenarios.

use crate::error::{Error, Result};

/// A scenario that comes with the program.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The word on the command line.
    pub name: &'static str,
    /// What it shows.
    pub meaning: &'static str,
    /// The file.
    pub text: &'static str,
}

/// Every example.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "two-flows",
        meaning: "two flows with different round trips at one drop-tail link",
        text: include_str!("examples/two-flows.toml"),
    },
    Example {
        name: "synchronised",
        meaning: "a bufferless link at which both flows lose together: RTT unfairness in its purest form",
        text: include_str!("examples/synchronised.toml"),
    },
    Example {
        name: "red",
        meaning: "sixty flows at a RED queue, losses as a mean field: Misra, Gong and Towsley's model",
        text: include_str!("examples/red.toml"),
    },
    Example {
        name: "parking-lot",
        meaning: "one flow over two links, one cross flow on each",
        text: include_str!("examples/parking-lot.toml"),
    },
    Example {
        name: "both-ways",
        meaning: "flows both ways: acknowledgements wait in the queue of the data that goes the other way",
        text: include_str!("examples/both-ways.toml"),
    },
    Example {
        name: "background",
        meaning: "a transfer of 10 MB against constant-rate traffic and random losses",
        text: include_str!("examples/background.toml"),
    },
    Example {
        name: "routers",
        meaning: "three XCP flows that pay different prices",
        text: include_str!("examples/routers.toml"),
    },
    Example {
        name: "delay",
        meaning: "three FAST flows with different round trips",
        text: include_str!("examples/delay.toml"),
    },
    Example {
        name: "pie",
        meaning: "twenty CUBIC flows at a PIE queue",
        text: include_str!("examples/pie.toml"),
    },
    Example {
        name: "bic2004-unfairness",
        meaning: "BIC paper, table 1: two flows of 40 and 240 ms over the paper's background",
        text: include_str!("examples/bic2004-unfairness.toml"),
    },
    Example {
        name: "bic2004-synchronisation",
        meaning: "BIC paper, figure 2: twenty HighSpeed flows behind adaptive RED",
        text: include_str!("examples/bic2004-synchronisation.toml"),
    },
    Example {
        name: "bic2004-convergence",
        meaning: "BIC paper, figure 10: two BIC flows meet two that came before them",
        text: include_str!("examples/bic2004-convergence.toml"),
    },
];

/// Every example of a sweep.
pub const SWEEPS: &[Example] = &[
    Example {
        name: "response",
        meaning: "windows of four laws over loss rates and round trips",
        text: include_str!("examples/sweep-response.toml"),
    },
    Example {
        name: "limits",
        meaning: "which limit a transfer meets, over loss rates and receive windows",
        text: include_str!("examples/sweep-limits.toml"),
    },
    Example {
        name: "buffers",
        meaning: "two flows in the fluid integrator, over buffers and laws",
        text: include_str!("examples/sweep-buffers.toml"),
    },
    Example {
        name: "share",
        meaning: "how two flows share a link, over round trips, buffers and laws",
        text: include_str!("examples/sweep-share.toml"),
    },
    Example {
        name: "stability",
        meaning: "how far XCP is from instability, over its two gains",
        text: include_str!("examples/sweep-stability.toml"),
    },
];

/// The scenario called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn example(name: &str) -> Result<&'static Example> {
    find(EXAMPLES, name)
}

/// The sweep called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn sweep_example(name: &str) -> Result<&'static Example> {
    find(SWEEPS, name)
}

fn find(list: &'static [Example], name: &str) -> Result<&'static Example> {
    list.iter()
        .find(|example| example.name == name)
        .ok_or_else(|| Error::unknown("example", name, list.iter().map(|example| example.name)))
}
