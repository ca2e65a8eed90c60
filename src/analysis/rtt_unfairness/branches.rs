//! How long a flow of a law alone takes from a loss at a window until it is back there, on a path with a constant round
//! trip, and which windows belong to a given time. A law may have several: where its decrease jumps at a window the time
//! jumps too, and where it grows in proportion to the window every window takes the same time.

use crate::analysis::joint::{Joint, Member, SharedLink};
use crate::error::{Error, Result};

/// Smallest window looked at, packets.
const LEAST: f64 = 1e-2;
/// Step of the table in the logarithm of the window.
const STRIDE: f64 = 0.125;
/// Times that differ by less than this share are one.
const FLAT: f64 = 1e-9;

/// Part of the curve of times along which they do not fall, as logarithms of window and time.
type Branch = Vec<(f64, f64)>;

/// Which of several windows is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Largest,
    Smallest,
}

/// Times to be back against windows for one kind of flow.
pub(super) struct Branches {
    branches: Vec<Branch>,
    /// Logarithm of the window that would fill the link alone.
    top: f64,
}

/// What a time says about the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found {
    /// The window, as a logarithm.
    At(f64),
    /// Every window takes longer.
    Starved,
    /// No window up to the whole link takes as long.
    Whole(f64),
}

impl Branches {
    /// The table for `member`, its round trip longer by `delay` and the full buffer seen at the loss.
    pub fn new(member: Member<'_>, link: SharedLink, delay: f64) -> Result<Self> {
        let single = [member];
        let mut joint = Joint::new(&single, link);
        joint.fixed = Some(delay);
        let top = (link.capacity * (member.base_rtt + link.full_delay()) / member.count).ln();
        let mut edges: Vec<f64> = member
            .law
            .thresholds()
            .into_iter()
            .filter(|w| *w > 0.0)
            .map(f64::ln)
            .collect();
        edges.sort_by(f64::total_cmp);
        let mut grid = Vec::new();
        let steps = ((top - LEAST.ln()) / STRIDE).ceil().max(1.0);
        for k in 0..=steps as usize {
            grid.push(LEAST.ln() + (top - LEAST.ln()) * k as f64 / steps);
        }
        for &edge in &edges {
            grid.extend(
                [edge - 1e-12, edge + 1e-12]
                    .into_iter()
                    .filter(|x| *x < top),
            );
        }
        grid.sort_by(f64::total_cmp);
        let (mut branches, mut current): (Vec<Branch>, Branch) = (Vec::new(), Vec::new());
        let mut problem = None;
        for x in grid {
            let y = match joint.until_back(&[x.exp()]) {
                Ok(lapse) => lapse.back[0].ln(),
                Err(error @ (Error::NoAnswer(_) | Error::Numeric { .. })) => {
                    problem = Some(error);
                    continue;
                }
                Err(other) => return Err(other),
            };
            if let Some(&(before, last)) = current.last() {
                let over = edges.iter().any(|edge| before < *edge && *edge < x);
                if over || y < last - FLAT {
                    branches.push(std::mem::take(&mut current));
                }
            }
            current.push((x, y));
        }
        branches.push(current);
        branches.retain(|branch| !branch.is_empty());
        match (branches.is_empty(), problem) {
            (true, Some(error)) => Err(error),
            (true, None) => Err(Error::NoAnswer("no window comes back to its peak".into())),
            _ => Ok(Self { branches, top }),
        }
    }

    /// Shortest and longest time, as logarithms.
    pub fn range(&self) -> (f64, f64) {
        let times = || self.branches.iter().flatten().map(|(_, y)| *y);
        (
            times().fold(f64::INFINITY, f64::min),
            times().fold(f64::NEG_INFINITY, f64::max),
        )
    }

    /// The window whose time is `time` (a logarithm).
    pub fn window(&self, time: f64, side: Side) -> Found {
        // Beyond the time of the whole link alone the largest window is the whole link, whatever a branch below it says.
        let end = self.branches.last().and_then(|branch| branch.last());
        if let Some(&(x, y)) = end
            && side == Side::Largest
            && y < time
        {
            return Found::Whole(x.max(self.top));
        }
        let hits = self
            .branches
            .iter()
            .filter_map(|branch| inverse(branch, time));
        let hit = match side {
            Side::Largest => hits.reduce(f64::max),
            Side::Smallest => hits.reduce(f64::min),
        };
        match hit {
            Some(x) => Found::At(x),
            None if time < self.range().0 => Found::Starved,
            // Between the times of two branches no window takes as long: the nearest below.
            None => self
                .branches
                .iter()
                .filter_map(|branch| branch.last().filter(|(_, y)| *y < time))
                .map(|(x, _)| *x)
                .reduce(f64::max)
                .map_or(Found::Starved, |x| {
                    if x >= self.top - 1e-9 {
                        Found::Whole(x)
                    } else {
                        Found::At(x)
                    }
                }),
        }
    }

    /// Whether the window (a logarithm) lies where every window takes `time`.
    pub fn holds(&self, x: f64, time: f64) -> bool {
        self.branches.iter().any(|branch| {
            branch.windows(2).any(|pair| {
                let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
                (x0..=x1).contains(&x) && y0 - 1e-6 <= time && time <= y1 + 1e-6
            })
        })
    }
}

/// The place on a rising branch with this time, by linear interpolation.
fn inverse(branch: &Branch, time: f64) -> Option<f64> {
    let (first, last) = (branch.first()?, branch.last()?);
    if time < first.1 || time > last.1 {
        return None;
    }
    let upper = branch.partition_point(|(_, y)| *y <= time);
    if upper >= branch.len() {
        return Some(last.0);
    }
    let ((x0, y0), (x1, y1)) = (branch[upper - 1], branch[upper]);
    Some(x0 + (x1 - x0) * (time - y0) / (y1 - y0).max(f64::MIN_POSITIVE))
}
