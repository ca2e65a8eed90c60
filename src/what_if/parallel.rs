//! Independent pieces of work on several cores; without the feature `parallel`, the same one after another.

use crate::error::{Error, Result};

/// Most threads that may be asked for.
pub const MOST_THREADS: usize = 4096;

/// Does `job`; every [`map`] inside it runs on `threads` threads. `None` takes as many as the machine has cores, or as the
/// environment variable `RAYON_NUM_THREADS` says.
///
/// # Errors
/// [`Error::OutOfRange`] unless `threads` is from 1 to [`MOST_THREADS`]; [`Error::Numeric`] if the system refuses them.
pub fn with<R: Send>(threads: Option<usize>, job: impl FnOnce() -> R + Send) -> Result<R> {
    if let Some(count) = threads.filter(|count| !(1..=MOST_THREADS).contains(count)) {
        return Err(Error::out_of_range(
            "the number of threads",
            count,
            format!("1 to {MOST_THREADS}"),
        ));
    }
    on(threads, job)
}

#[cfg(feature = "parallel")]
fn on<R: Send>(threads: Option<usize>, job: impl FnOnce() -> R + Send) -> Result<R> {
    let Some(count) = threads else {
        return Ok(job());
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        .map_err(|error| Error::Numeric {
            method: "starting threads",
            detail: error.to_string(),
        })?;
    Ok(pool.install(job))
}

#[cfg(not(feature = "parallel"))]
fn on<R: Send>(_threads: Option<usize>, job: impl FnOnce() -> R + Send) -> Result<R> {
    Ok(job())
}

/// What `f` makes of every item, in the order of the items, whatever the number of threads.
///
/// ```
/// use cwnd::what_if::parallel::{map, with};
/// let squares = with(Some(2), || map(&[1, 2, 3], |x| x * x))?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
#[cfg(feature = "parallel")]
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    use rayon::prelude::*;
    // One at a time: items are few and their costs differ by orders of magnitude.
    items.par_iter().with_max_len(1).map(&f).collect()
}

/// What `f` makes of every item, in the order of the items, whatever the number of threads.
#[cfg(not(feature = "parallel"))]
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    items.iter().map(f).collect()
}
