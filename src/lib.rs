//! Analytic TCP congestion-control models: one question, several independent roads to the answer.
//!
//! An engineer asks one question in many forms: at loss rate p and round trip R, what does this algorithm get, and what
//! does it leave to the others? A closed form from the paper, the law integrated exactly from one loss to the next, and the law
//! run one acknowledgement at a time, and the law inside the fluid-flow integrator answer it side by side, each with its loss model, its regime and its source.
//!
//! ```
//! use cwnd::{algorithms::Selected, model::Path, units::{LossRate, Seconds}, what_if::{Context, response}};
//!
//! let context = Context { path: Path::with_rtt(Seconds::new(0.1)), ..Context::default() };
//! let reply = response(&Selected::parse("bic")?, LossRate::new(1e-7)?, &context)?;
//! // Equation 5 of the paper: 47581 packets, 5.71 Gbit/s.
//! assert!((reply.answers[0].window_pkt.unwrap() - 47_580.863).abs() < 1e-3);
//! assert!((reply.answers[0].rate_bps.unwrap() - 5.709_703_56e9).abs() < 1e3);
//! # Ok::<(), cwnd::error::Error>(())
//! ```
//!
//! # Letters
//!
//! | letter | meaning |
//! |---|---|
//! | p | loss **events** per packet sent |
//! | W | window, packets per round trip; Wmax or *peak* the window just before a loss |
//! | N | round trips from loss to loss |
//! | R | response function, (1/p)/N packets per round trip |
//! | a, b | packets added per round trip; fraction **removed** by a loss |
//! | β | what its source makes it: removed in BIC, kept in RFC 9438 and the Linux kernel |
//! | d, e | −∂ ln R/∂ ln p and ∂ ln R/∂ ln RTT |
//!
//! # Layers
//!
//! Arrows point down only: `cli` → `draw`, `files`, [`figures`], [`verify`] → [`experiments`] → [`what_if`] → [`analysis`],
//! [`systems`], [`algorithms`], [`fluid`] → [`network`], [`responses`] → [`model`] → [`numeric`], [`units`], [`error`]; of the four in
//! the middle only [`fluid`] sees [`network`] and [`responses`]. [`responses`] and [`fluid`] see a law only through
//! its two verbs and cannot name a closed form, so that agreement between roads proves something.

#![forbid(unsafe_code)]

pub mod algorithms;
pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "plot")]
pub mod draw;
pub mod error;
pub mod experiments;
pub mod figures;
#[cfg(feature = "files")]
pub mod files;
pub mod fluid;
pub mod model;
pub mod network;
pub mod numeric;
pub mod references;
pub mod responses;
pub mod systems;
pub mod units;
pub mod verify;
pub mod what_if;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
