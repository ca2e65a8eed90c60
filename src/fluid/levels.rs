//! What happens when one component of the state rises to a level: a size is sent, a periodic loss is due, slow start or the
//! receiver's window is at its end. These are found on the polynomial of the component alone.

use super::live::Phase;
use super::system::System;
use crate::numeric::dde::{Foreseen, Piece};

/// What can be foreseen in a step; a tag is the number of the flow times [`KINDS`] plus this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Integrated loss intensity against what was drawn.
    Drawn,
    /// Packets since the last periodic loss against 1/p.
    Periodic,
    /// Packets sent and not lost against a flow's size: what is lost is sent again.
    Complete,
    /// The window against the slow-start threshold.
    Threshold,
    /// The window against the receiver's.
    Cap,
}

const KINDS: usize = 5;

const AHEAD: [Ahead; KINDS] = [
    Ahead::Drawn,
    Ahead::Periodic,
    Ahead::Complete,
    Ahead::Threshold,
    Ahead::Cap,
];

impl Ahead {
    pub fn tag(self, flow: usize) -> usize {
        flow * KINDS + self as usize
    }

    pub fn read(tag: usize) -> (Self, usize) {
        (AHEAD[tag % KINDS], tag / KINDS)
    }
}

impl System<'_> {
    /// The component and the level that `kind` is about, if it can happen now.
    fn level(&self, kind: Ahead, f: usize) -> Option<(usize, f64)> {
        let (plan, live) = (self.plan, &self.live.flows[f]);
        let flow = &plan.flows[f];
        match kind {
            Ahead::Drawn => None,
            Ahead::Periodic => Some((plan.sent(flow), 1.0 / plan.rate)),
            Ahead::Complete => {
                let size = live.size?;
                let over = matches!(live.phase, Phase::Waiting | Phase::Done);
                (!over).then(|| (plan.kept(flow), size))
            }
            Ahead::Threshold => {
                let open = live.phase == Phase::SlowStart && live.threshold.is_finite();
                open.then_some((flow.at, live.threshold))
            }
            Ahead::Cap => {
                let cap = self.scenario.flows[f].receive_window?;
                (live.reacts() && !live.capped).then_some((flow.at, cap))
            }
        }
    }

    /// Finds in a step where levels are reached.
    pub(super) fn find_levels(&self, piece: &Piece<'_>, ahead: &mut Foreseen<'_>) {
        let (from, to) = (piece.from(), piece.to());
        for &(kind, f) in &self.levels {
            let Some((place, level)) = self.level(kind, f) else {
                continue;
            };
            let miss = |t: f64| piece.state(place, t) - level;
            // A window may rise over its level and come back.
            let within = [0.25, 0.5, 0.75].map(|share| from + share * (to - from));
            let turns = matches!(kind, Ahead::Threshold | Ahead::Cap);
            let met = if turns {
                within.into_iter().chain([to]).find(|t| miss(*t) >= 0.0)
            } else {
                (miss(to) >= 0.0).then_some(to)
            };
            if let Some(end) = met {
                ahead.add(reached(miss, from, end, resolution(end)), kind.tag(f));
            }
        }
    }
}

/// The first place from `a` on at which `miss` is not negative, to within `width`; `b` if it is negative there as well. By false
/// position that halves the weight of an end that stays (Illinois) and is pushed over the root once it is near, so that both ends
/// close in on it.
pub(super) fn reached(miss: impl Fn(f64) -> f64, mut a: f64, mut b: f64, width: f64) -> f64 {
    let (mut at_a, mut at_b) = (miss(a), miss(b));
    if at_a >= 0.0 {
        return a;
    }
    if at_b < 0.0 {
        return b;
    }
    // The end that moved last: whether it was `b`.
    let mut last = None;
    for round in 1..200 {
        if b - a <= width {
            break;
        }
        let t = if round % 8 == 0 {
            0.5 * (a + b)
        } else {
            a - at_a * (b - a) / (at_b - at_a)
        };
        let t = t.max(a + 0.5 * width).min(b - 0.5 * width);
        if t <= a || t >= b {
            break;
        }
        let y = miss(t);
        let over = y >= 0.0;
        let again = last.replace(over) == Some(over);
        if over {
            (b, at_b) = (t, y);
            at_a *= if again { 0.5 } else { 1.0 };
        } else {
            (a, at_a) = (t, y);
            at_b *= if again { 0.5 } else { 1.0 };
        }
    }
    b
}

/// How near a time can be told.
pub(super) fn resolution(t: f64) -> f64 {
    4.0 * f64::EPSILON * t.abs()
}

#[cfg(test)]
mod tests {
    use super::reached;
    use std::cell::Cell;

    #[test]
    fn a_level_is_found_in_a_dozen_looks() {
        let width = 4.0 * f64::EPSILON;
        for (level, root) in [
            (1e-9, 1e-9),
            (0.39, 0.3),
            (1.0, 0.618_033_988_749_894_9),
            (1.9998, 0.999_933_331_851_8),
        ] {
            let looks = Cell::new(0);
            let miss = |x: f64| {
                looks.set(looks.get() + 1);
                x * (1.0 + x) - level
            };
            let at = reached(miss, 0.0, 1.0, width);
            assert!(at * (1.0 + at) >= level * (1.0 - 1e-15), "{level}: {at}");
            assert!((at - root).abs() < 2e-9 * root.max(1e-3), "{level}: {at}");
            assert!(looks.get() <= 20, "{level}: {} looks", looks.get());
        }
        // Beyond the end, and before the start.
        assert_eq!(reached(|x| x - 2.0, 0.0, 1.0, width), 1.0);
        assert_eq!(reached(|x| x + 2.0, 0.0, 1.0, width), 0.0);
    }
}
