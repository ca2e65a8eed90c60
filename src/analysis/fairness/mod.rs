//! What is fair: Jain's index, and the alpha-fair and max-min allocations on any topology.

mod allocation;

pub use crate::numeric::statistics::jain;
pub use allocation::{Allocation, Claim, alpha_fair, kkt_residual, max_min};
