//! Papers' experiments as scenarios in code: plain data, run over seeds, and the numbers that the papers read off such runs.
//!
//! A paper's room says what the paper leaves open and what stands in its place. Runs are independent, so they go on all cores
//! ([`parallel::map`]); results keep the order of cases and seeds.

pub mod bic2004;
mod dumbbell;
pub mod fast2004;
pub mod ns2;
mod spread;
pub mod xcp2002;

pub use dumbbell::Course;
pub use spread::Spread;

use crate::error::Result;
use crate::what_if::parallel;

/// The seeds over which every number is averaged.
pub const SEEDS: [u64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/// What `run` makes of every case with every seed: for each case its results in the order of the seeds.
///
/// # Errors
/// The first error of a run.
pub fn each_seed<C: Sync, R: Send>(
    cases: &[C],
    seeds: &[u64],
    run: impl Fn(&C, u64) -> Result<R> + Sync,
) -> Result<Vec<Vec<R>>> {
    let jobs: Vec<(&C, u64)> = cases
        .iter()
        .flat_map(|case| seeds.iter().map(move |seed| (case, *seed)))
        .collect();
    let mut results = parallel::map(&jobs, |(case, seed)| run(case, *seed)).into_iter();
    cases
        .iter()
        .map(|_| results.by_ref().take(seeds.len()).collect())
        .collect()
}
