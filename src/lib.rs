//! Analytic TCP congestion-control models.
#![forbid(unsafe_code)]

pub mod algorithms;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "plot")]
pub mod draw;
pub mod error;
pub mod figures;
#[cfg(feature = "files")]
pub mod files;
pub mod fluid;
pub mod model;
pub mod network;
pub mod numeric;
pub mod references;
pub mod responses;
pub mod units;
pub mod verify;
pub mod what_if;
