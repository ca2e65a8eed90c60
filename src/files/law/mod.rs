//! A law of one's own: a TOML file with the two verbs as expressions, read into an algorithm like any other.

mod check;
mod examples;
mod expression;
mod program;
mod read;
mod written;

pub use examples::{LAW_EXAMPLES, law_example};
pub use read::{LawFile, law_texts, register_law, scenario_laws};
