//! What a longer round trip costs.
//!
//! Under losses that hit all flows at once (synchronised), epochs last equally long: N·RTT is the same for all. Along a
//! response function R = c·RTT^e/p^d rates then go as RTT^(−(1−e)/(1−d)); see [`synchronised`]. The [`equilibria`] of any
//! laws on a link with a drop-tail buffer are exact. Under losses that hit each packet with the same probability (RED)
//! rates go as RTT^(−(1−e)); see [`independent`].

mod branches;
mod equilibrium;
mod response;

pub use equilibrium::{Equilibrium, Part, equilibria};
pub use response::{
    Exponent, Responding, Shared, exponents, independent, response_equilibrium, synchronised,
};
