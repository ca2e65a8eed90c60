//! Answers kept for the program itself instead of delivered: how a sweep asks the other verbs.

#[cfg(feature = "files")]
use super::Outcome;
#[cfg(feature = "files")]
use crate::error::Result;
use serde_json::Value;
use std::cell::RefCell;

thread_local! {
    /// One list for each question that this thread is in the middle of. While a thread waits inside one point it may be
    /// given another, so they nest.
    static KEPT: RefCell<Vec<Vec<Value>>> = const { RefCell::new(Vec::new()) };
}

/// Carries out `job` and keeps what it would deliver: a list of envelopes each time.
#[cfg(feature = "files")]
pub(super) fn keep(job: impl FnOnce() -> Result<Outcome>) -> Result<Vec<Value>> {
    KEPT.with_borrow_mut(|stack| stack.push(Vec::new()));
    let outcome = job();
    let kept = KEPT.with_borrow_mut(Vec::pop).unwrap_or_default();
    outcome.map(|_| kept)
}

/// Whether this thread keeps answers.
pub(super) fn is_keeping() -> bool {
    KEPT.with_borrow(|stack| !stack.is_empty())
}

/// Keeps envelopes.
pub(super) fn add(envelopes: Value) {
    KEPT.with_borrow_mut(|stack| {
        if let Some(top) = stack.last_mut() {
            top.push(envelopes);
        }
    });
}
