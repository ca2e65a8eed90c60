//! Papers' experiments as scenarios in code: plain data, run, and the numbers that the papers read off such runs.

mod dumbbell;
pub mod fast2004;
pub mod xcp2002;

pub use dumbbell::Course;
