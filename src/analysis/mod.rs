//! Questions about any law, asked through its two verbs only, or through response functions handed in.

pub mod convergence;
pub mod fairness;
pub mod friendliness;
mod joint;
pub mod last_hop;
pub mod rtt_unfairness;
pub mod sawtooth;
pub mod shares;
pub mod shuffled_max_min;
pub mod synchronisation;
pub mod threshold_drop;

pub use joint::{Member, SharedLink, check};
