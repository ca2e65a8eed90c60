//! Where the words of a mark stand: inside the axes, near their ring, off the curves.

use super::scene::{Anchor, Frame, Place, Scene, Shape};
use super::style::{INK, PAPER, SOFT};
use super::typeface::Typeface;

const SIZE: f64 = 11.5;
const LINE: f64 = 14.0;
const RING: f64 = 3.6;
/// Farther from its ring than this, the words are joined to it by a thin line.
const NEAR: f64 = 11.0;
const DISTANCES: [f64; 8] = [6.0, 10.0, 18.0, 28.0, 42.0, 60.0, 85.0, 115.0];
/// More room than this around the words is no better.
const CLEAR: f64 = 9.0;
const MARGIN: f64 = 4.0;

/// Draws the marks of a panel, each a place in pixels with its text. `curves` are places on the
/// curves, close enough to each other that a word cannot stand between two of one curve.
pub(super) fn draw(
    marks: &[(Place, &str)],
    curves: &[Place],
    frame: &Frame,
    face: &Typeface,
    scene: &mut Scene,
) {
    let mut taken: Vec<Frame> = Vec::new();
    let mut words = Vec::new();
    for &(at, text) in marks {
        let lines = face.wrap(text, SIZE, (0.4 * frame.width()).max(90.0));
        let width = lines
            .iter()
            .map(|line| face.width(line, SIZE))
            .fold(0.0, f64::max);
        let height = lines.iter().map(|_| LINE).sum::<f64>();
        if lines.is_empty() {
            continue;
        }
        let rings: Vec<Place> = marks.iter().map(|&(place, _)| place).collect();
        let best = candidates(at, width, height, frame)
            .into_iter()
            .map(|(spot, distance)| {
                let score = score(&spot, distance, curves, &rings, &taken);
                (spot, distance, score)
            })
            .reduce(|best, next| if next.2 > best.2 { next } else { best });
        if let Some((spot, distance, _)) = best {
            taken.push(spot);
            words.push((at, spot, distance, lines));
        }
    }
    for (at, spot, distance, _) in &words {
        scene.shapes.push(Shape::Area {
            corners: spot.grown(1.5).corners(),
            colour: PAPER,
            cover: 0.8,
        });
        if *distance > NEAR {
            scene.stroke(vec![*at, nearest(spot, *at)], 0.7, SOFT);
        }
    }
    for &(centre, _) in marks {
        scene.shapes.push(Shape::Disc {
            centre,
            radius: RING,
            colour: PAPER,
        });
        scene.shapes.push(Shape::Ring {
            centre,
            radius: RING,
            width: 1.4,
            colour: INK,
        });
    }
    for (_, spot, _, lines) in words {
        let mut baseline = spot.top + 0.5 * LINE + 0.36 * SIZE;
        for line in lines {
            scene.text((spot.left, baseline), &line, SIZE, INK, Anchor::Start);
            baseline += LINE;
        }
    }
}

/// Sixteen directions at several distances, moved inside the axes where they leave them; each with
/// its distance from the ring.
fn candidates(at: Place, width: f64, height: f64, frame: &Frame) -> Vec<(Frame, f64)> {
    let room = frame.grown(-MARGIN);
    let mut spots = Vec::new();
    for distance in DISTANCES {
        for direction in 0..16 {
            let angle = std::f64::consts::TAU / 16.0 * f64::from(direction);
            // Near the four main directions the words stand beside, above or below the ring.
            let lean = |part: f64| (1.6 * part).clamp(-1.0, 1.0);
            let off = RING + distance;
            let middle = (
                at.0 + off * angle.cos() + lean(angle.cos()) * width / 2.0,
                at.1 - off * angle.sin() - lean(angle.sin()) * height / 2.0,
            );
            let left = (middle.0 - width / 2.0).min(room.right - width);
            let top = (middle.1 - height / 2.0).min(room.bottom - height);
            let spot = box_at(left.max(room.left), top.max(room.top), width, height);
            spots.push((spot, (spot.distance(at) - RING).max(0.0)));
        }
    }
    spots
}

fn box_at(left: f64, top: f64, width: f64, height: f64) -> Frame {
    Frame {
        left,
        top,
        right: left + width,
        bottom: top + height,
    }
}

/// The larger, the better a spot.
fn score(spot: &Frame, distance: f64, curves: &[Place], rings: &[Place], taken: &[Frame]) -> f64 {
    let clearance = |places: &[Place]| {
        places
            .iter()
            .map(|&place| spot.distance(place))
            .fold(CLEAR, f64::min)
    };
    let covered = curves.iter().filter(|&&place| spot.distance(place) <= 1.5);
    let covered = covered.take(100).map(|_| 0.5).sum::<f64>();
    let covering = if covered > 0.0 { 15.0 + covered } else { 0.0 };
    let words = taken
        .iter()
        .filter(|other| other.grown(3.0).overlaps(spot))
        .map(|_| 60.0)
        .sum::<f64>();
    let hidden = if clearance(rings) < RING + 2.0 {
        40.0
    } else {
        0.0
    };
    clearance(curves) - covering - words - hidden - 0.18 * distance
}

/// Where the line from a ring meets its words: at half their height if they stand beside it.
fn nearest(spot: &Frame, (x, y): Place) -> Place {
    if x < spot.left {
        (spot.left - 2.0, f64::midpoint(spot.top, spot.bottom))
    } else if x > spot.right {
        (spot.right + 2.0, f64::midpoint(spot.top, spot.bottom))
    } else if y < spot.top {
        (x, spot.top)
    } else {
        (x, spot.bottom)
    }
}
