//! How flows come to their shares: the windows from loss to loss for any laws, and AIMD flows as positive matrices.

mod epochs;
mod matrices;

pub use epochs::{epochs, epochs_to_fair};
pub use matrices::{Aimd, Hits, Spectrum, Unsynchronised, matrix, spectrum, unsynchronised};
