//! Mathematics that has never heard of TCP.

pub mod dde;
pub mod decay;
pub mod dual;
pub mod lambert;
pub mod newton;
pub mod ode;
pub mod quadrature;
pub mod root;
pub mod statistics;
