//! What lies between senders and receivers: links, the queues in front of them, and the paths of flows over them.
//!
//! Conventions, those of fluid models since Misra, Gong and Towsley (2000): a flow sends W/R packets a second, R being its
//! base round trip plus the queueing delay q/C of every link on its path, both now; a link meets what its flows sent one
//! forward delay ago; a sender learns of a loss one return delay after it.

mod adaptive_red;
mod constant_loss;
mod drop_tail;
mod easy_red;
mod gentle_red;
mod link;
mod pi;
mod pi2;
mod pie;
mod queue;
mod red;
mod topology;
mod xcp_router;

pub use adaptive_red::AdaptiveRed;
pub use constant_loss::ConstantLoss;
pub use drop_tail::DropTail;
pub use easy_red::EasyRed;
pub use gentle_red::GentleRed;
pub use link::Link;
pub use pi::Pi;
pub use pi2::Pi2;
pub use pie::{DelayControl, Pie};
pub(crate) use queue::leaves_room;
pub use queue::{Crossing, KINDS, Kind, Queue, Signal, Situation, parse_queue};
pub use red::Red;
pub use topology::{Hop, Route, crossed_twice, route, route_and_back};
pub use xcp_router::XcpRouter;
