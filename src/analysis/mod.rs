//! Questions about any law, asked through its two verbs only.

pub mod last_hop;
pub mod sawtooth;
