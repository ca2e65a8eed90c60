//! Mathematics that has never heard of TCP.

pub mod characteristic;
pub mod dde;
pub mod decay;
pub mod dual;
pub mod growth;
pub mod lambert;
pub mod margins;
pub mod newton;
pub mod ode;
pub mod quadrature;
pub mod root;
pub mod statistics;
pub mod symmetric;

pub use nalgebra::Complex;
