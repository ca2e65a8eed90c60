//! Where answers that leave out retransmission timeouts end.

use crate::model::LossModel;

/// Loss rate above which a window law without timeouts is no longer a rate (RFC 3649 section 5 stops there).
pub(super) const TIMEOUTS_RULE: f64 = 0.01;

/// What most answers without timeouts are above that rate.
pub(super) const TOO_HIGH: &str =
    "answers under periodic, random, mean-field or frozen losses leave them out and are too high";

/// A note if one of these loss rates is beyond what its loss model covers; `said` is what follows from it.
pub(super) fn timeouts_note<'a>(
    answers: impl IntoIterator<Item = (f64, &'a str)>,
    said: &str,
) -> Option<String> {
    let beyond = |(p, model)| p > TIMEOUTS_RULE && model != LossModel::Correlated.name();
    answers
        .into_iter()
        .any(beyond)
        .then(|| format!("above p = {TIMEOUTS_RULE} retransmission timeouts rule; {said}"))
}
