//! Whether a law keeps to what a law may do, on a grid of states.

use super::written::Law;
use std::result::Result;

/// Windows asked, packets: a quarter of a decade apart from 4 to 4e8. Below, a floor such as max(w/2, 2) is fair.
const LEAST: f64 = 4.0;
const WINDOWS: i32 = 33;

/// What a law does that no law may do.
pub(super) struct Fault {
    /// Whether its increase does it; otherwise its decrease.
    pub of_increase: bool,
    /// What, and in which state.
    pub detail: String,
}

/// Refuses a law whose increase is not finite, or whose decrease does not decrease, at one of the grid's states; and an increase below
/// zero where no queue and no passed peak explain it: a law that answers to losses does not shrink between them.
pub(super) fn check(law: &Law) -> Result<(), Fault> {
    let times: &[f64] = if law.uses().time {
        &[0.1, 0.001, 1.0]
    } else {
        &[0.1]
    };
    let shares: &[f64] = if law.uses().w_max {
        &[1.0, 0.7, 2.0]
    } else {
        &[1.0]
    };
    let ages: &[f64] = if law.uses().age {
        &[0.0, 1.0, 100.0]
    } else {
        &[0.0]
    };
    for step in 0..WINDOWS {
        let w = LEAST * 10f64.powf(f64::from(step) / 4.0);
        for rtt in times {
            for queued in [0.0, 0.5] {
                for share in shares {
                    for age in ages {
                        let base = rtt * (1.0 - queued);
                        let state = [w, w * share, age * rtt, *rtt, base, rtt - base];
                        let growth = law.growth(&state);
                        let shrinks = growth < 0.0 && queued == 0.0 && *share >= 1.0;
                        if shrinks || !growth.is_finite() {
                            return Err(Fault {
                                of_increase: true,
                                detail: law.increase_fault(growth, &state),
                            });
                        }
                        let left = law.left(&state);
                        if !(left > 0.0 && left < w) {
                            return Err(Fault {
                                of_increase: false,
                                detail: law.decrease_fault(left, &state),
                            });
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
