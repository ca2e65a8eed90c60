//! Ready law files.

use crate::error::{Error, Result};
use crate::files::Example;

/// Every example of a law file.
pub const LAW_EXAMPLES: &[Example] = &[
    Example {
        name: "my-highspeed",
        meaning: "HighSpeed TCP (RFC 3649) written out: equal to the built-in law by the road `epoch`",
        text: include_str!("../examples/law-my-highspeed.toml"),
    },
    Example {
        name: "patient",
        meaning: "an invented law: approaches its last peak like a square root, then probes, and backs off less behind an empty queue",
        text: include_str!("../examples/law-patient.toml"),
    },
];

/// The example called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn law_example(name: &str) -> Result<&'static Example> {
    LAW_EXAMPLES
        .iter()
        .find(|example| example.name == name)
        .ok_or_else(|| {
            let names = LAW_EXAMPLES.iter().map(|example| example.name);
            Error::unknown("example", name, names)
        })
}
