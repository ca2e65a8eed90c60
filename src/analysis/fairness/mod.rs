//! What is fair: Jain's index, and the alpha-fair and max-min allocations on any topology.

mod allocation;

pub use allocation::{Allocation, Claim, alpha_fair, kkt_residual, max_min};

/// Jain's index `(Σx)²/(n Σx²)`: 1 if all get the same, k/n if k of n share equally and the others get nothing. `None` for no
/// flows, and for rates that are all zero: 0/0 is no statement about fairness. (Jain, Chiu and Hawe 1984.)
///
/// ```
/// use cwnd::analysis::fairness::jain;
/// assert_eq!(jain(&[1.0, 1.0, 0.0, 0.0]), Some(0.5));
/// assert_eq!(jain(&[0.0, 0.0]), None);
/// ```
#[must_use]
pub fn jain(rates: &[f64]) -> Option<f64> {
    // Divided by the largest first: squares of very large or small rates leave the range of numbers.
    let largest = rates.iter().copied().fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), rate| {
        let x = rate / largest;
        (sum + x, squares + x * x)
    });
    Some(sum * sum / (rates.len() as f64 * squares))
}
