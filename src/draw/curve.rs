//! From the points of a series to the lines inside the axes.
//!
//! Segments are cut at the edges of the axes (Liang and Barsky), in shares of the axes and thus
//! after the logarithm. A curve that leaves comes back as another line; nothing is moved onto the
//! edge.

use super::axis::Plane;
use super::scene::{Frame, Place};

/// Places nearer to a line than this many pixels are left out of it.
const TOLERANCE: f64 = 0.04;
/// A line of more places is thinned out where they stand above each other.
const MANY: usize = 4000;
/// How wide, in pixels, "above each other" is.
const COLUMN: f64 = 0.25;

/// The part of a curve inside the axes, as lines in pixels. A point that has no place on the axes
/// breaks the curve.
pub(super) fn inside(points: &[(f64, f64)], plane: &Plane, frame: &Frame) -> Vec<Vec<Place>> {
    let mut runs: Vec<Vec<Place>> = Vec::new();
    let mut run: Vec<Place> = Vec::new();
    let mut before: Option<Place> = None;
    for &point in points {
        let here = plane.shares(point);
        let piece = match (before, here) {
            (Some(from), Some(to)) => clip(from, to),
            _ => None,
        };
        match piece {
            Some((from, to)) => {
                if run.last() != Some(&from) {
                    runs.push(std::mem::replace(&mut run, vec![from]));
                }
                run.push(to);
            }
            None => runs.push(std::mem::take(&mut run)),
        }
        before = here;
    }
    runs.push(run);
    runs.into_iter()
        .map(|run| {
            let pixels: Vec<Place> = run.into_iter().map(|share| place(share, frame)).collect();
            if pixels.len() > MANY {
                simplified(&thinned(&pixels))
            } else {
                simplified(&pixels)
            }
        })
        .filter(|run| run.len() > 1)
        .collect()
}

/// The points of a series inside the axes, in pixels.
pub(super) fn places(points: &[(f64, f64)], plane: &Plane, frame: &Frame) -> Vec<Place> {
    points
        .iter()
        .filter_map(|&point| spot(point, plane, frame))
        .collect()
}

/// A point in pixels, if it is inside the axes.
pub(super) fn spot(point: (f64, f64), plane: &Plane, frame: &Frame) -> Option<Place> {
    let share = plane.shares(point)?;
    let within = |share: f64| (-1e-9..=1.0 + 1e-9).contains(&share);
    (within(share.0) && within(share.1)).then(|| place(share, frame))
}

/// Points of a line that no line can show: neither neighbour has a place on the axes.
pub(super) fn lonely(points: &[(f64, f64)], plane: &Plane) -> Vec<(f64, f64)> {
    let placed = |index: Option<usize>| {
        index
            .and_then(|index| points.get(index))
            .is_some_and(|&point| plane.shares(point).is_some())
    };
    points
        .iter()
        .enumerate()
        .filter(|&(index, _)| !placed(index.checked_sub(1)) && !placed(index.checked_add(1)))
        .map(|(_, &point)| point)
        .collect()
}

fn place((across, up): Place, frame: &Frame) -> Place {
    (
        frame.left + across * frame.width(),
        frame.bottom - up * frame.height(),
    )
}

/// The part of a segment inside the unit square.
fn clip(from: Place, to: Place) -> Option<(Place, Place)> {
    let along = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let edges = [
        (-along.0, from.0),
        (along.0, 1.0 - from.0),
        (-along.1, from.1),
        (along.1, 1.0 - from.1),
    ];
    for (outwards, room) in edges {
        if outwards == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if outwards < 0.0 {
            enter = enter.max(room / outwards);
        } else {
            leave = leave.min(room / outwards);
        }
    }
    if enter > leave {
        return None;
    }
    // The ends are kept as they are where they are inside, so that segments join exactly; where
    // they are computed, rounding may not carry them over the edge.
    let at = |part: f64| {
        (
            (from.0 + part * along.0).clamp(0.0, 1.0),
            (from.1 + part * along.1).clamp(0.0, 1.0),
        )
    };
    let first = if enter == 0.0 { from } else { at(enter) };
    let last = if leave >= 1.0 { to } else { at(leave) };
    Some((first, last))
}

/// The line with at most four places for each stay in a narrow column: the first, the highest, the
/// lowest and the last.
fn thinned(run: &[Place]) -> Vec<Place> {
    let column = |place: &Place| (place.0 / COLUMN).floor();
    let mut line = Vec::new();
    for stay in run.chunk_by(|one, next| column(one).total_cmp(&column(next)).is_eq()) {
        let order = |one: &(usize, &Place), other: &(usize, &Place)| one.1.1.total_cmp(&other.1.1);
        let lowest = stay.iter().enumerate().max_by(order);
        let highest = stay.iter().enumerate().min_by(order);
        let mut kept = [
            Some(0),
            lowest.map(|(index, _)| index),
            highest.map(|(index, _)| index),
            stay.len().checked_sub(1),
        ];
        kept.sort_unstable();
        line.extend(
            kept.into_iter()
                .flatten()
                .filter_map(|index| stay.get(index)),
        );
    }
    line.dedup();
    line
}

/// The line without the places that it passes anyway (Ramer, Douglas and Peucker).
fn simplified(run: &[Place]) -> Vec<Place> {
    let mut keep = vec![false; run.len()];
    for end in [0, run.len().saturating_sub(1)] {
        if let Some(flag) = keep.get_mut(end) {
            *flag = true;
        }
    }
    let mut parts = vec![(0, run.len().saturating_sub(1))];
    while let Some((first, last)) = parts.pop() {
        let (Some(&from), Some(&to)) = (run.get(first), run.get(last)) else {
            continue;
        };
        let farthest = (first + 1..last)
            .filter_map(|index| Some((index, deviation(*run.get(index)?, from, to))))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((index, distance)) = farthest
            && distance > TOLERANCE
        {
            if let Some(flag) = keep.get_mut(index) {
                *flag = true;
            }
            parts.push((first, index));
            parts.push((index, last));
        }
    }
    let kept = run.iter().zip(keep).filter(|(_, flag)| *flag);
    let mut line: Vec<Place> = kept.map(|(place, _)| *place).collect();
    line.dedup();
    line
}

/// How far a place is from a segment.
fn deviation(place: Place, from: Place, to: Place) -> f64 {
    let along = (to.0 - from.0, to.1 - from.1);
    let off = (place.0 - from.0, place.1 - from.1);
    let square = along.0 * along.0 + along.1 * along.1;
    if square == 0.0 {
        return off.0.hypot(off.1);
    }
    let part = ((off.0 * along.0 + off.1 * along.1) / square).clamp(0.0, 1.0);
    (off.0 - part * along.0).hypot(off.1 - part * along.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_through_the_square_is_cut_at_both_edges() {
        assert_eq!(
            clip((-1.0, 0.5), (2.0, 0.5)),
            Some(((0.0, 0.5), (1.0, 0.5)))
        );
        assert_eq!(clip((-1.0, 0.9), (0.2, 2.1)), None);
        assert_eq!(
            clip((0.25, 0.25), (0.5, 0.75)),
            Some(((0.25, 0.25), (0.5, 0.75)))
        );
    }

    #[test]
    fn a_stay_in_a_column_keeps_its_ends_and_extremes() {
        let run = [0.0, 1.0, 5.0, 2.0, -4.0, 3.0].map(|y| (0.1, y));
        assert_eq!(thinned(&run), [0.0, 5.0, -4.0, 3.0].map(|y| (0.1, y)));
        let slope = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)];
        assert_eq!(thinned(&slope), slope);
    }

    #[test]
    fn places_on_a_straight_line_are_left_out_and_corners_stay() {
        let run = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 0.0), (4.0, -2.0)];
        assert_eq!(simplified(&run), [(0.0, 0.0), (2.0, 2.0), (4.0, -2.0)]);
    }
}
