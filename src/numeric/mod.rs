//! Mathematics that has never heard of TCP.

pub mod characteristic;
pub mod chebyshev;
pub mod dde;
pub mod decay;
pub mod dual;
pub mod error_function;
pub mod fixed_point;
pub mod growth;
pub mod lambert;
pub mod low_pass;
pub mod margins;
pub mod newton;
pub mod ode;
pub mod periodic_ramp;
pub mod quadrature;
pub mod root;
pub mod statistics;
pub mod symmetric;

pub use nalgebra::Complex;
