//! What an algorithm is: data about it, its two verbs, and the response function that every road to an answer
//! implements.
//!
//! An algorithm is what it does with the network's feedback: how the window grows between losses ([`WindowLaw::increase`])
//! and what a loss leaves of it ([`WindowLaw::decrease`]). Closed forms live behind [`ClosedForms`], a trait that the
//! numerical roads do not name, so that the roads stay independent.

mod additive;
mod algorithm;
mod formula;
mod law;
mod parameter;
mod power_law;
mod response;
pub mod spec;
pub mod tooth;
pub mod whole_packets;

pub use additive::{ADDITIVE_FORMS, additive_forms};
pub use algorithm::{Algorithm, ClosedForms, Entry, Equation, Explanation, FormInfo};
pub use formula::Formula;
pub use law::{Cause, Feedback, Side, Sights, WindowLaw};
pub use parameter::{Bounds, Kind, Parameter, Preset, Setting};
pub use power_law::{PowerLaw, STANDARD_TCP};
pub use response::{LossModel, Path, Price, Response, ResponseFunction, invert, join};
pub use spec::Spec;
pub use tooth::{AdditiveTooth, ClosedSawtooth, Tooth};
