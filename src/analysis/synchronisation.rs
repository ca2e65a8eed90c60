//! How often flows lose together: the synchronisation ratio of Xu, Harfoush and Rhee (2004), section III.

/// Seconds between consecutive loss events of a flow, averaged over all such pairs of all flows; `None` if no flow lost twice.
#[must_use]
pub fn mean_gap(events: &[Vec<f64>]) -> Option<f64> {
    let gaps = events
        .iter()
        .flat_map(|times| times.windows(2).map(|pair| pair[1] - pair[0]));
    let (sum, count) = gaps.fold((0.0, 0_u32), |(sum, count), gap| (sum + gap, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Of the measurement intervals in which any flow loses, the share in which at least the part `threshold` of the flows do.
///
/// `events` holds the times of each flow's loss events, `span` the measured time (seconds), which is cut into pieces of `interval` from its
/// start; a last piece shorter than that is left out. `None` if nobody loses.
///
/// ```
/// use cwnd::analysis::synchronisation::{mean_gap, ratio};
/// // Two of four flows lose within 0.1 s of each other at 1 s, one alone at 5 s.
/// let events = [vec![1.02, 5.0], vec![1.08], vec![], vec![]];
/// assert_eq!(ratio(&events, (0.0, 10.0), 0.1, 0.5), Some(0.5));
/// assert_eq!(ratio(&events, (0.0, 10.0), 0.1, 0.25), Some(1.0));
/// assert_eq!(mean_gap(&events), Some(3.98));
/// assert_eq!(ratio(&[vec![], vec![]], (0.0, 10.0), 0.1, 0.5), None);
/// ```
#[must_use]
pub fn ratio(events: &[Vec<f64>], span: (f64, f64), interval: f64, threshold: f64) -> Option<f64> {
    let pieces = ((span.1 - span.0) / interval).floor();
    if pieces.is_nan() || !(1.0..=1e9).contains(&pieces) {
        return None;
    }
    let mut losing = vec![0_usize; pieces as usize];
    for times in events {
        let mut last = usize::MAX;
        for time in times.iter().filter(|time| **time >= span.0) {
            let piece = ((time - span.0) / interval) as usize;
            if piece != last
                && let Some(count) = losing.get_mut(piece)
            {
                *count += 1;
                last = piece;
            }
        }
    }
    let any = losing.iter().filter(|count| **count > 0).count();
    // A part of the flows is so many flows, rounding of the product aside.
    let wanted = threshold * events.len() as f64 - 1e-9;
    let together = losing
        .iter()
        .filter(|count| **count > 0 && **count as f64 >= wanted)
        .count();
    (any > 0).then(|| together as f64 / any as f64)
}
