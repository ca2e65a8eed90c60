//! Files that describe a question: TOML in, plain data out, and for whatever is wrong its line, its column and the nearest
//! key that would have been right. Nothing here opens a file: text comes in.

mod examples;
mod flows;
mod law;
mod quantity;
mod scenario;
mod section;
mod sweep;
mod sweep_values;
mod traffic;

pub use examples::{EXAMPLES, Example, SWEEPS, example, sweep_example};
pub use law::{LAW_EXAMPLES, LawFile, law_example, law_texts, register_law, scenario_laws};
pub use scenario::read_scenario;
pub use sweep::{Known, Places, read_sweep};
