//! The experiments of Xu, Harfoush and Rhee, "Binary increase congestion control (BIC) for fast long-distance networks", INFOCOM 2004.
//!
//! The paper leaves much open. What stands here in its place, the same in every experiment unless it says otherwise:
//!
//! | the paper | here |
//! |---|---|
//! | figure 1: one bottleneck link, forward traffic and its acknowledgements | one link; acknowledgements are neither delayed nor lost, so the traffic in the other direction is left out |
//! | buffer of "100 % of the bandwidth and delay product of the bottleneck link", whose delay is given as 10 ms once | capacity × 20 ms, the round trip over the link, always |
//! | adaptive RED with the bottom of `max_p` at 0.001 | the same, with thresholds and weight as the simulator sets them by itself |
//! | web traffic of 20 % of the capacity, 50 % when alone | [`Web`](crate::fluid::Web), 20 % on average, transfers of 2 to 10 000 packets at 2 Mbit/s each; it does not answer to losses, so it takes no more when alone |
//! | 25 small TCP flows with windows below 64, starting and finishing at random | standard TCP with a receive window of 64 packets, RTT drawn from 40 to 150 ms, starting in the first and ending in the last quarter of the run |
//! | two to four long-lived TCP flows | three, RTT drawn likewise, starting in the first twentieth |
//! | measured in the second half | the second half of 600 s |
//! | packets of 1500 bytes, TCP/SACK | the same; a loss at fewer than 4 packets is a timeout |
//! | who loses | emerges: each flow meets losses in proportion to its rate while the buffer is full |
//!
//! Round trips and times are drawn from the seed, alike for every protocol.

mod convergence;
mod friendliness;
mod loss_log;
mod modes;
mod overflow;
mod setup;
mod starvation;
mod synchronisation;
mod theory;
mod unfairness;

pub use convergence::Convergence;
pub use friendliness::{Classes, Friendliness};
pub use loss_log::LossLog;
pub use modes::{ModeRun, Phase, Stretch, modes, scenario as modes_scenario};
pub use overflow::{Overflow, Overflowing, lost_in_overflow};
pub use setup::{PACKET_BITS, PROTOCOLS, Protocol, Router, Setup};
pub use starvation::{Starvation, Starved};
pub use synchronisation::{Synchronisation, Synchrony};
pub use theory::{Predicted, predicted};
pub use unfairness::{Pair, Shares};
