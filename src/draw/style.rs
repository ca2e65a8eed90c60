//! What tells the series of a figure apart, with colours and without, and the inks of the rest.

use super::scene::{Colour, Place, Scene, Shape};
use crate::figures::{Series, Stroke};

pub(super) const INK: Colour = (0x1A, 0x1A, 0x1A);
pub(super) const AXIS: Colour = (0x33, 0x33, 0x33);
pub(super) const SOFT: Colour = (0x4D, 0x4D, 0x4D);
pub(super) const GRID: Colour = (0xE2, 0xE2, 0xE2);
pub(super) const PAPER: Colour = (0xFF, 0xFF, 0xFF);

/// Okabe and Ito's colours, the light ones darkened until they read on white.
const COLOURS: [Colour; 8] = [
    (0x00, 0x72, 0xB2),
    (0xD5, 0x5E, 0x00),
    (0x00, 0x9E, 0x73),
    (0x11, 0x11, 0x11),
    (0xC2, 0x5F, 0x98),
    (0xDB, 0x96, 0x00),
    (0x3D, 0xA5, 0xE0),
    (0x8C, 0x80, 0x00),
];

/// Drawn and left out lengths in pixels; empty for a solid line. The first ones leave out more and
/// more, so that of two curves at one place the lower shows through the upper.
const DASHES: [&[f64]; 10] = [
    &[],
    &[14.0, 4.5],
    &[11.0, 3.5, 2.2, 3.5],
    &[6.0, 3.4],
    &[2.2, 3.0],
    &[9.0, 3.0, 2.2, 3.0, 2.2, 3.0],
    &[9.0, 9.0],
    &[17.0, 3.5, 5.0, 3.5],
    &[2.2, 6.5],
    &[5.0, 3.0, 5.0, 3.0, 2.2, 3.0],
];

/// How one series looks; its place among the series decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Look {
    pub colour: Colour,
    pub dash: &'static [f64],
    pub width: f64,
    marker: usize,
}

/// Place of the curve whose look a series takes: its own, but measured points of a law take that law's, if it is drawn. The
/// points of `bic` are labelled `bic, measured`; its curve is `bic`, or begins with it.
pub(super) fn place_of(series: &[Series], own: usize) -> usize {
    let Some(points) = series.get(own).filter(|s| s.stroke == Stroke::Points) else {
        return own;
    };
    let Some((law, _)) = points.label.rsplit_once(", ") else {
        return own;
    };
    let curve = |same: &dyn Fn(&str) -> bool| {
        series
            .iter()
            .position(|s| s.stroke == Stroke::Line && same(&s.label))
    };
    curve(&|label| label == law)
        .or_else(|| {
            curve(&|label| {
                label
                    .strip_prefix(law)
                    .is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
            })
        })
        .unwrap_or(own)
}

impl Look {
    pub fn of(place: usize) -> Self {
        let pick = |count: usize| place.checked_rem(count).unwrap_or(0);
        let dash = DASHES.get(pick(DASHES.len())).copied().unwrap_or(&[]);
        Self {
            colour: COLOURS.get(pick(COLOURS.len())).copied().unwrap_or(INK),
            dash,
            // A solid line lies below the dashed ones; a little wider, it shows beside them.
            width: if dash.is_empty() { 2.2 } else { 1.9 },
            marker: pick(10),
        }
    }

    /// Draws the marker of a measured point.
    pub fn mark(&self, (x, y): Place, scene: &mut Scene) {
        let at = |right: f64, down: f64| (x + right, y + down);
        let square = vec![at(-3.2, -3.2), at(3.2, -3.2), at(3.2, 3.2), at(-3.2, 3.2)];
        let upwards = vec![at(0.0, -4.4), at(4.1, 2.9), at(-4.1, 2.9)];
        let downwards = vec![at(0.0, 4.4), at(4.1, -2.9), at(-4.1, -2.9)];
        let diamond = vec![at(0.0, -4.6), at(4.6, 0.0), at(0.0, 4.6), at(-4.6, 0.0)];
        match self.marker {
            0 => scene.shapes.push(Shape::Ring {
                centre: (x, y),
                radius: 3.5,
                width: 1.5,
                colour: self.colour,
            }),
            1 => self.outline(square, scene),
            2 => self.outline(upwards, scene),
            3 => self.bars(
                &[
                    (at(-4.0, -4.0), at(4.0, 4.0)),
                    (at(-4.0, 4.0), at(4.0, -4.0)),
                ],
                scene,
            ),
            4 => self.outline(diamond, scene),
            5 => self.bars(
                &[(at(-4.6, 0.0), at(4.6, 0.0)), (at(0.0, -4.6), at(0.0, 4.6))],
                scene,
            ),
            6 => self.outline(downwards, scene),
            7 => scene.shapes.push(Shape::Disc {
                centre: (x, y),
                radius: 3.6,
                colour: self.colour,
            }),
            8 => self.area(square, scene),
            _ => self.area(diamond, scene),
        }
    }

    fn outline(&self, mut corners: Vec<Place>, scene: &mut Scene) {
        // Once around and over the first side again, so that the last corner is a joint too.
        corners.extend(corners.iter().copied().take(2).collect::<Vec<_>>());
        scene.stroke(corners, 1.5, self.colour);
    }

    fn bars(&self, bars: &[(Place, Place)], scene: &mut Scene) {
        for &(from, to) in bars {
            scene.stroke(vec![from, to], 1.6, self.colour);
        }
    }

    fn area(&self, corners: Vec<Place>, scene: &mut Scene) {
        scene.shapes.push(Shape::Area {
            corners,
            colour: self.colour,
            cover: 1.0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::figure::DISTINCT;

    #[test]
    fn forty_series_look_different_and_ten_do_without_colour() {
        let looks: Vec<Look> = (0..DISTINCT).map(Look::of).collect();
        for (index, look) in looks.iter().enumerate() {
            for other in looks.iter().take(index) {
                assert_ne!((look.colour, look.dash), (other.colour, other.dash));
            }
            for other in looks.iter().take(index.min(10)) {
                assert!(index >= 10 || look.dash != other.dash);
            }
        }
    }
}
