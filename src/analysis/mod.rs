//! Questions about any law, asked through its two verbs only.

pub mod sawtooth;
pub mod synchronisation;
