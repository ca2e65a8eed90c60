//! Analytic TCP congestion-control models.

pub mod algorithms;
pub mod error;
pub mod model;
pub mod numeric;
pub mod references;
pub mod responses;
pub mod units;
