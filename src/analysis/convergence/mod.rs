//! How flows come to their shares: the windows from loss to loss for any laws.

mod epochs;

pub use epochs::{epochs, epochs_to_fair};
