//! Flows of any window law over links and queues, as one hybrid delay system: between events the windows grow as the laws'
//! `increase` says and the queues as their disciplines say; at events (a loss, a reaction to one, a queue that runs full
//! or empty) windows jump as the laws' `decrease` says.
//!
//! The rooms of this house that a run touches know a law by its two verbs only. Slow start (W' = ln 2 · W/R) and timeouts
//! are shared code. A run is plain data in ([`Scenario`]), plain data out ([`Summary`]); an [`Observer`] may watch.

mod carried;
mod forecast;
mod group;
mod held;
mod histogram;
mod lags;
mod lapse;
mod levels;
mod live;
mod losing;
mod meter;
mod observe;
mod passage;
mod past;
mod plan;
mod reactions;
mod relay;
mod run;
mod scenario;
mod settled;
mod stream;
mod surfaces;
mod sync;
mod system;
mod transfers;
mod view;
mod web;

pub use lapse::Lapse;
pub use meter::{FlowSummary, LinkSummary, Summary};
pub use observe::{Event, Observer, Sample, What};
pub use run::simulate;
pub use scenario::{Begin, FINEST, Flow, Losses, MOST_FLOWS, Process, Run, Scenario, Sender};
pub use settled::{Effort, Settled, Start};
pub use sync::Sync;
pub use transfers::Transfers;
pub use web::Web;
