//! One coordinate system: grid, curves, frame, ticks, words.

use std::collections::BTreeSet;

use super::axis::{Plane, Ruler};
use super::curve;
use super::dash::dashes;
use super::marks;
use super::refusal;
use super::scene::{Anchor, Frame, Place, Scene, Shape};
use super::style::{AXIS, GRID, INK, Look, place_of};
use super::ticks::{Room, Ticks, choose};
use super::typeface::Typeface;
use crate::error::Result;
use crate::figures::figure::{Panel, Series, Stroke};

pub(super) const TICK_SIZE: f64 = 11.5;
pub(super) const AXIS_SIZE: f64 = 12.5;
pub(super) const AXIS_LINE: f64 = 16.0;
const LONG: f64 = 6.0;
const SHORT: f64 = 3.5;
/// From an axis to the labels of its ticks.
const OFF: f64 = 9.0;
/// From the labels of the ticks to the axis' title.
const TITLE_OFF: f64 = 9.0;

/// Half the width of a spread's ends, and how thick they are.
const CAP: f64 = 3.5;
const BAR: f64 = 1.1;
/// How far apart bars of one place stand.
const ASIDE: f64 = 3.0;

/// A panel with its axes checked.
pub(super) struct Prepared<'a> {
    panel: &'a Panel,
    plane: Plane,
}

impl<'a> Prepared<'a> {
    /// Checks both axes; `whose` names the panel in a refusal.
    pub fn new(panel: &'a Panel, whose: &str) -> Result<Self> {
        for mark in &panel.marks {
            if !mark.at.0.is_finite() || !mark.at.1.is_finite() {
                return refusal(format!("the mark “{}” in {whose} has no place", mark.text));
            }
        }
        let plane = Plane {
            x: Ruler::new(&panel.x, &format!("the horizontal axis of {whose}"))?,
            y: Ruler::new(&panel.y, &format!("the vertical axis of {whose}"))?,
        };
        Ok(Self { panel, plane })
    }

    /// Both axes.
    pub fn plane(&self) -> &Plane {
        &self.plane
    }

    /// The ticks of the horizontal axis.
    fn across(&self, length: f64, face: &Typeface) -> Ticks {
        let room = Room {
            length,
            extent: &|label| face.width(label, TICK_SIZE),
            gap: 12.0,
            spacing: 62.0,
        };
        choose(&self.plane.x, &room)
    }

    /// The ticks of the vertical axis.
    fn upwards(&self, length: f64) -> Ticks {
        let room = Room {
            length,
            extent: &|_| TICK_SIZE,
            gap: 8.0,
            spacing: 40.0,
        };
        choose(&self.plane.y, &room)
    }

    /// The room left of the frame for labels and title, for a frame of this height.
    pub fn left(&self, height: f64, face: &Typeface) -> f64 {
        let title = face.wrap(&self.panel.y.title, AXIS_SIZE, height);
        let title = title.iter().map(|_| AXIS_LINE).sum::<f64>();
        let title = if title > 0.0 { title + TITLE_OFF } else { 0.0 };
        OFF + self.label_width(height, face) + title
    }

    /// The room right of the frame for the half of the last label.
    pub fn right(&self, width: f64, face: &Typeface) -> f64 {
        let labels = self.across(width, face).labelled;
        let last = labels.last().map_or(0.0, |(share, label)| {
            face.width(label, TICK_SIZE) / 2.0 - (1.0 - share) * width
        });
        last.max(0.0) + 6.0
    }

    /// The room below the frame for labels and title, for a frame of this width.
    pub fn below(&self, width: f64, face: &Typeface) -> f64 {
        let title = face.wrap(&self.panel.x.title, AXIS_SIZE, width);
        OFF + TICK_SIZE + 5.0 + title.iter().map(|_| AXIS_LINE).sum::<f64>()
    }

    fn label_width(&self, height: f64, face: &Typeface) -> f64 {
        self.upwards(height)
            .labelled
            .iter()
            .map(|(_, label)| face.width(label, TICK_SIZE))
            .fold(0.0, f64::max)
    }

    /// Draws everything but the panel's title.
    pub fn draw(&self, frame: &Frame, face: &Typeface, scene: &mut Scene) {
        let across = self.across(frame.width(), face);
        let upwards = self.upwards(frame.height());
        grid(&across, &upwards, frame, scene);
        let curves = self.series(frame, scene);
        // The frame lies on the curves' cut ends, the marks on the frame.
        let mut around = frame.corners();
        around.extend([(frame.left, frame.top), (frame.right, frame.top)]);
        scene.stroke(around, 1.0, AXIS);
        self.horizontal(&across, frame, face, scene);
        self.vertical(&upwards, frame, face, scene);
        let placed: Vec<(Place, &str)> = self
            .panel
            .marks
            .iter()
            .filter_map(|mark| {
                let at = curve::spot(mark.at, &self.plane, frame)?;
                Some((at, mark.text.as_str()))
            })
            .collect();
        marks::draw(&placed, &curves, frame, face, scene);
    }

    /// Draws the series and returns places along them.
    fn series(&self, frame: &Frame, scene: &mut Scene) -> Vec<Place> {
        let mut along = Along::default();
        for (number, series) in self.panel.series.iter().enumerate() {
            let look = Look::of(place_of(&self.panel.series, number));
            let points = match series.stroke {
                Stroke::Spread => {
                    self.bars(series, frame, scene);
                    continue;
                }
                Stroke::Points => {
                    let aside = self.aside(&series.label);
                    let places = curve::places(&series.points, &self.plane, frame);
                    places
                        .into_iter()
                        .map(|(x, y)| (x + aside, y))
                        .collect::<Vec<_>>()
                }
                Stroke::Line => {
                    for run in curve::inside(&series.points, &self.plane, frame) {
                        along.line(&run);
                        for dash in dashes(&run, look.dash) {
                            scene.stroke(dash, look.width, look.colour);
                        }
                    }
                    let lonely = curve::lonely(&series.points, &self.plane);
                    for centre in curve::places(&lonely, &self.plane, frame) {
                        scene.shapes.push(Shape::Disc {
                            centre,
                            radius: look.width,
                            colour: look.colour,
                        });
                        along.add(centre);
                    }
                    continue;
                }
            };
            let mut seen = BTreeSet::new();
            for place in points {
                // Two markers at the same tenth of a pixel are one.
                let key = (tenths(place.0), tenths(place.1));
                if seen.insert(key) {
                    look.mark(place, scene);
                    along.add(place);
                }
            }
        }
        along.places
    }

    /// How far to the right of its place a series with bars is drawn, so that bars of several series at one place stand
    /// beside each other.
    fn aside(&self, label: &str) -> f64 {
        let spreads: Vec<&Series> = self
            .panel
            .series
            .iter()
            .filter(|series| series.stroke == Stroke::Spread)
            .collect();
        let Some(own) = spreads.iter().position(|series| series.label == label) else {
            return 0.0;
        };
        let shared = spreads.iter().enumerate().any(|(other, series)| {
            let here = |x: f64| {
                series
                    .points
                    .iter()
                    .any(|point| point.0.total_cmp(&x).is_eq())
            };
            other != own
                && spreads
                    .get(own)
                    .is_some_and(|own| own.points.iter().any(|point| here(point.0)))
        });
        if shared {
            ASIDE * (own as f64 - 0.5 * (spreads.len() as f64 - 1.0))
        } else {
            0.0
        }
    }

    /// Draws bars with short ends, cut at the edges of the axes.
    fn bars(&self, series: &Series, frame: &Frame, scene: &mut Scene) {
        let owner = self
            .panel
            .series
            .iter()
            .position(|other| other.stroke != Stroke::Spread && other.label == series.label);
        let look = Look::of(owner.unwrap_or(0));
        let aside = self.aside(&series.label);
        for pair in series.points.chunks_exact(2) {
            for mut run in curve::inside(pair, &self.plane, frame) {
                for place in &mut run {
                    place.0 += aside;
                }
                for &(x, y) in run.first().into_iter().chain(run.last()) {
                    scene.stroke(vec![(x - CAP, y), (x + CAP, y)], BAR, look.colour);
                }
                scene.stroke(run, BAR, look.colour);
            }
        }
    }

    fn horizontal(&self, ticks: &Ticks, frame: &Frame, face: &Typeface, scene: &mut Scene) {
        let place = |share: f64| frame.left + share * frame.width();
        let mut tick = |share: f64, length: f64| {
            let x = place(share);
            let line = vec![(x, frame.bottom), (x, frame.bottom + length)];
            scene.stroke(line, 1.0, AXIS);
        };
        for &share in &ticks.minor {
            tick(share, SHORT);
        }
        for &(share, _) in &ticks.labelled {
            tick(share, LONG);
        }
        let mut baseline = frame.bottom + OFF + 0.84 * TICK_SIZE;
        for (share, label) in &ticks.labelled {
            let at = (place(*share), baseline);
            scene.text(at, label, TICK_SIZE, INK, Anchor::Middle);
        }
        baseline += 5.0;
        for line in face.wrap(&self.panel.x.title, AXIS_SIZE, frame.width()) {
            baseline += AXIS_LINE;
            let at = (place(0.5), baseline);
            scene.text(at, &line, AXIS_SIZE, INK, Anchor::Middle);
        }
    }

    fn vertical(&self, ticks: &Ticks, frame: &Frame, face: &Typeface, scene: &mut Scene) {
        let place = |share: f64| frame.bottom - share * frame.height();
        let mut tick = |share: f64, length: f64| {
            let y = place(share);
            let line = vec![(frame.left - length, y), (frame.left, y)];
            scene.stroke(line, 1.0, AXIS);
        };
        for &share in &ticks.minor {
            tick(share, SHORT);
        }
        for &(share, _) in &ticks.labelled {
            tick(share, LONG);
        }
        for (share, label) in &ticks.labelled {
            let at = (frame.left - OFF, place(*share) + 0.36 * TICK_SIZE);
            scene.text(at, label, TICK_SIZE, INK, Anchor::End);
        }
        let labels = self.label_width(frame.height(), face);
        let lines = face.wrap(&self.panel.y.title, AXIS_SIZE, frame.height());
        let mut baseline = frame.left - OFF - labels - TITLE_OFF - 0.24 * AXIS_SIZE;
        for line in lines.iter().rev() {
            let at = (baseline, place(0.5));
            scene.text_upwards(at, line, AXIS_SIZE, INK, Anchor::Middle);
            baseline -= AXIS_LINE;
        }
    }
}

/// The lines behind the curves, one for each label.
fn grid(across: &Ticks, upwards: &Ticks, frame: &Frame, scene: &mut Scene) {
    let between = |share: f64| share > 1e-6 && share < 1.0 - 1e-6;
    for &(share, _) in across.labelled.iter().filter(|(share, _)| between(*share)) {
        let x = frame.left + share * frame.width();
        scene.stroke(vec![(x, frame.top), (x, frame.bottom)], 0.8, GRID);
    }
    for &(share, _) in upwards.labelled.iter().filter(|(share, _)| between(*share)) {
        let y = frame.bottom - share * frame.height();
        scene.stroke(vec![(frame.left, y), (frame.right, y)], 0.8, GRID);
    }
}

/// Places along the curves of a panel, one for each small square that a curve goes through.
#[derive(Default)]
struct Along {
    places: Vec<Place>,
    squares: BTreeSet<(i64, i64)>,
}

impl Along {
    /// Adds a line, in steps of a few pixels.
    fn line(&mut self, run: &[Place]) {
        for (&from, &to) in run.iter().zip(run.iter().skip(1)) {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let mut gone = 0.0;
            while gone < length {
                let part = gone / length;
                self.add((
                    from.0 + part * (to.0 - from.0),
                    from.1 + part * (to.1 - from.1),
                ));
                gone += 3.0;
            }
            self.add(to);
        }
    }

    fn add(&mut self, place: Place) {
        // Squares with sides of two pixels.
        if self
            .squares
            .insert((tenths(place.0 / 20.0), tenths(place.1 / 20.0)))
        {
            self.places.push(place);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "places inside the frame are small"
)]
fn tenths(place: f64) -> i64 {
    (place * 10.0).round() as i64
}
