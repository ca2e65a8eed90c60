//! The windows of flows from one loss to the next, when every loss hits all of them.

use crate::analysis::joint::{Joint, Member, SharedLink, check};
use crate::error::{Error, Result};

/// Windows of the members at each of `epochs` losses, the first given by `start` and scaled together so that the buffer is
/// full at it. The laws keep what they remember from loss to loss, so fast convergence acts.
///
/// # Errors
/// Those of [`check`], [`Error::OutOfRange`] for a start that is not one positive window for each member,
/// [`Error::NoAnswer`] for a law that does not grow between losses.
///
/// ```
/// use cwnd::{algorithms::Selected, analysis::{Member, SharedLink, convergence::epochs}};
/// let reno = Selected::parse("reno")?;
/// let law = reno.law()?;
/// let flow = Member { law: law.as_ref(), base_rtt: 0.1, count: 1.0 };
/// let peaks = epochs(&[flow, flow], SharedLink { capacity: 1e4, buffer: 0.0 }, &[900.0, 100.0], 2)?;
/// // The difference halves at every loss.
/// assert!((peaks[1][0] - 700.0).abs() < 1e-9 && (peaks[1][1] - 300.0).abs() < 1e-9);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn epochs(
    members: &[Member<'_>],
    link: SharedLink,
    start: &[f64],
    epochs: usize,
) -> Result<Vec<Vec<f64>>> {
    check(members, link)?;
    if start.len() != members.len() || start.iter().any(|w| !(*w > 0.0 && w.is_finite())) {
        return Err(Error::out_of_range(
            "the windows at the start",
            format!("{start:?}"),
            "one above 0 for each kind of flow",
        ));
    }
    let joint = Joint::new(members, link);
    let mut state = joint.settled(start);
    let scale = 1.0 + joint.overfull(&state);
    let scaled: Vec<f64> = start.iter().map(|w| w / scale).collect();
    state = joint.settled(&scaled);
    let mut peaks = Vec::with_capacity(epochs);
    for k in 0..epochs {
        peaks.push(joint.windows(&state));
        if k + 1 < epochs {
            joint.lose(&mut state)?;
            state = joint.until_full(state)?.state;
        }
    }
    Ok(peaks)
}

/// Losses until the windows of flows that shall be equal, `start` at the first loss, differ by less than `share` of their
/// mean for good (as far as `most` losses show). `None` if they do not within them.
///
/// # Errors
/// Those of [`epochs`].
pub fn epochs_to_fair(
    members: &[Member<'_>],
    link: SharedLink,
    start: &[f64],
    share: f64,
    most: usize,
) -> Result<Option<usize>> {
    let peaks = epochs(members, link, start, most)?;
    let apart = |windows: &Vec<f64>| {
        let mean = windows.iter().sum::<f64>() / windows.len() as f64;
        windows.iter().any(|w| (w - mean).abs() >= share * mean)
    };
    Ok(match peaks.iter().rposition(apart) {
        None => Some(0),
        Some(last) if last + 1 < peaks.len() => Some(last + 1),
        Some(_) => None,
    })
}
