//! Analytic TCP congestion-control models.

pub mod algorithms;
pub mod error;
pub mod figures;
pub mod model;
pub mod numeric;
pub mod references;
pub mod responses;
pub mod units;
pub mod verify;
pub mod what_if;
