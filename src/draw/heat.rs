//! A heat map: cells over the axes of a panel, and beside them what the colours mean.

use super::axis::Ruler;
use super::layout::Block;
use super::panel::{AXIS_LINE, AXIS_SIZE, Prepared, TICK_SIZE};
use super::refusal;
use super::scene::{Anchor, Colour, Frame, Scene, Shape};
use super::style::{AXIS, GRID, INK, SOFT};
use super::ticks::{Room, choose};
use super::typeface::Typeface;
use crate::error::Result;
use crate::figures::{Axis, HeatMap, Panel, Shades};

/// From dark blue through grey to yellow: the luminance rises evenly, and blue and yellow are what most eyes tell apart
/// (Nuñez, Anderton and Renslow's cividis, ten samples).
const COLOURS: [Colour; 10] = [
    (0, 34, 78),
    (18, 53, 112),
    (59, 73, 108),
    (87, 93, 109),
    (112, 113, 115),
    (138, 134, 120),
    (165, 156, 116),
    (195, 179, 105),
    (225, 204, 85),
    (254, 232, 56),
];

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 430.0;
const MARGIN: f64 = 18.0;
const BAR: f64 = 20.0;
const GAP: f64 = 18.0;
const TICK: f64 = 5.0;

/// The colour of a share of the whole range.
fn colour(share: f64) -> Colour {
    let place = share.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let low = (place.floor() as usize).min(COLOURS.len() - 2);
    let part = place - low as f64;
    let (from, to) = (COLOURS[low], COLOURS[low + 1]);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// The share that a word's colour stands at.
fn share_of_word(at: usize, words: usize) -> f64 {
    if words < 2 {
        0.5
    } else {
        at as f64 / (words - 1) as f64
    }
}

pub(super) fn arrange(map: &HeatMap, face: &Typeface) -> Result<Scene> {
    if map.cells.len() != map.columns.len().saturating_sub(1) * map.rows.len().saturating_sub(1)
        || map.cells.is_empty()
    {
        return refusal(format!(
            "the heat map {} has no full grid of cells",
            map.name
        ));
    }
    let panel = Panel {
        title: String::new(),
        x: map.x.clone(),
        y: map.y.clone(),
        series: Vec::new(),
        marks: Vec::new(),
    };
    let prepared = Prepared::new(&panel, &map.name)?;
    let inner = WIDTH - 2.0 * MARGIN;
    let mut scene = Scene {
        width: WIDTH,
        ..Scene::default()
    };
    let title = Block::new(&map.title, face, 16.5, inner, INK);
    title.draw(WIDTH / 2.0, MARGIN - 4.0, Anchor::Middle, &mut scene);
    let top = MARGIN - 4.0 + title.height(10.0) + 8.0;
    let left = MARGIN + prepared.left(HEIGHT, face);
    let key = key_width(&map.z, map.cells.contains(&None), face)?;
    let width = (WIDTH - MARGIN - key - GAP - left).max(50.0);
    let frame = Frame {
        left: left.round(),
        top: top.round(),
        right: (left + width).round(),
        bottom: (top + HEIGHT).round(),
    };
    prepared.draw(&frame, face, &mut scene);
    cells(map, &prepared, &frame, &mut scene)?;
    let mut around = frame.corners();
    around.extend([(frame.left, frame.top), (frame.right, frame.top)]);
    scene.stroke(around, 1.0, AXIS);
    key_beside(map, frame, face, &mut scene)?;
    let y = frame.bottom + prepared.below(frame.width(), face) + 16.0;
    let caption = Block::new(&map.caption, face, 10.7, inner, SOFT);
    caption.draw(MARGIN, y, Anchor::Start, &mut scene);
    scene.height = (y + caption.height(0.0) + 12.0).ceil();
    Ok(scene)
}

fn ruler(map: &HeatMap) -> Result<Option<Ruler>> {
    match &map.z {
        Shades::Numbers(axis) => Ruler::new(axis, "the colours").map(Some),
        Shades::Words { .. } => Ok(None),
    }
}

/// Cells with edges on whole pixels, so that none shows through between two; neighbours of one colour are one area.
fn cells(map: &HeatMap, prepared: &Prepared<'_>, frame: &Frame, scene: &mut Scene) -> Result<()> {
    let ruler = ruler(map)?;
    let plane = prepared.plane();
    let across: Vec<f64> = map
        .columns
        .iter()
        .map(|x| (frame.left + plane.x.share(*x).unwrap_or(0.0) * frame.width()).round())
        .collect();
    let up: Vec<f64> = map
        .rows
        .iter()
        .map(|y| (frame.bottom - plane.y.share(*y).unwrap_or(0.0) * frame.height()).round())
        .collect();
    let shade = |value: f64| match (&map.z, &ruler) {
        (Shades::Words { words, .. }, _) => colour(share_of_word(value as usize, words.len())),
        (_, Some(ruler)) => colour(ruler.share(value).unwrap_or(0.0)),
        _ => INK,
    };
    let wide = map.columns.len() - 1;
    for (row, line) in map.cells.chunks(wide).enumerate() {
        let (bottom, top) = (up[row], up[row + 1]);
        let shades: Vec<Option<Colour>> = line.iter().map(|value| value.map(shade)).collect();
        let mut start = 0;
        for run in shades.chunk_by(|one, two| one == two) {
            let area = Frame {
                left: across[start],
                top,
                right: across[start + run.len()],
                bottom,
            };
            match run[0] {
                Some(colour) => scene.shapes.push(Shape::Area {
                    corners: area.corners(),
                    colour,
                    cover: 1.0,
                }),
                None => empty(&area, scene),
            }
            start += run.len();
        }
    }
    Ok(())
}

/// Where there is no answer: paper with slanted lines.
fn empty(area: &Frame, scene: &mut Scene) {
    scene.shapes.push(Shape::Area {
        corners: area.corners(),
        colour: (0xFF, 0xFF, 0xFF),
        cover: 1.0,
    });
    let (width, height) = (area.width(), area.height());
    let step = 7.0;
    // Lines x + y = k, at the same places in every cell.
    let mut k = ((area.left + area.top) / step).ceil() * step;
    while k < area.left + area.top + width + height {
        let from = (
            (k - area.top).min(area.right),
            (k - area.right).max(area.top),
        );
        let to = (
            (k - area.bottom).max(area.left),
            (k - area.left).min(area.bottom),
        );
        scene.stroke(vec![from, to], 0.8, GRID);
        k += step;
    }
}

const NO_ANSWER: &str = "no answer";

/// The room that the key takes right of the frame.
fn key_width(shades: &Shades, with_empty: bool, face: &Typeface) -> Result<f64> {
    let width = |text: &str| face.width(text, TICK_SIZE);
    let mut room = if with_empty { width(NO_ANSWER) } else { 0.0 };
    match shades {
        Shades::Words { title, words } => {
            room = words.iter().map(|word| width(word)).fold(room, f64::max);
            let title = face.width(title, AXIS_SIZE);
            Ok((BAR + 8.0 + room).max(title.min(170.0)) + MARGIN)
        }
        Shades::Numbers(axis) => {
            let ticks = bar_ticks(axis, with_empty)?;
            let labels = ticks
                .iter()
                .map(|(_, label)| width(label))
                .fold(0.0, f64::max);
            let title = face.wrap(&axis.title, AXIS_SIZE, HEIGHT).len() as f64;
            Ok(
                (BAR + TICK + 4.0 + labels + 8.0 + title * AXIS_LINE).max(BAR + 8.0 + room)
                    + MARGIN,
            )
        }
    }
}

fn bar_ticks(axis: &Axis, with_empty: bool) -> Result<Vec<(f64, String)>> {
    let ruler = Ruler::new(axis, "the colours")?;
    let room = Room {
        length: bar_height(with_empty),
        extent: &|_| TICK_SIZE,
        gap: 8.0,
        spacing: 40.0,
    };
    Ok(choose(&ruler, &room).labelled)
}

/// The bar leaves room below for the sign of cells without an answer, if there are any.
fn bar_height(with_empty: bool) -> f64 {
    if with_empty { HEIGHT - 34.0 } else { HEIGHT }
}

fn key_beside(map: &HeatMap, frame: Frame, face: &Typeface, scene: &mut Scene) -> Result<()> {
    let left = frame.right + GAP;
    let with_empty = map.cells.contains(&None);
    let sample = |top: f64, fill: Option<Colour>, text: &str, scene: &mut Scene| {
        let area = Frame {
            left,
            top,
            right: left + BAR,
            bottom: top + 16.0,
        };
        match fill {
            Some(colour) => scene.shapes.push(Shape::Area {
                corners: area.corners(),
                colour,
                cover: 1.0,
            }),
            None => empty(&area, scene),
        }
        outline(&area, scene);
        let at = (area.right + 8.0, top + 8.0 + 0.36 * TICK_SIZE);
        scene.text(at, text, TICK_SIZE, INK, Anchor::Start);
    };
    match &map.z {
        Shades::Words { title, words } => {
            let mut top = frame.top;
            for line in face.wrap(title, AXIS_SIZE, 170.0) {
                scene.text((left, top + 11.0), &line, AXIS_SIZE, INK, Anchor::Start);
                top += AXIS_LINE;
            }
            top += 6.0;
            for (at, word) in words.iter().enumerate() {
                let fill = colour(share_of_word(at, words.len()));
                sample(top, Some(fill), word, scene);
                top += 24.0;
            }
            if with_empty {
                sample(top, None, NO_ANSWER, scene);
            }
        }
        Shades::Numbers(axis) => {
            let bar = Frame {
                left,
                top: frame.top,
                right: left + BAR,
                bottom: frame.top + bar_height(with_empty),
            };
            let steps = 198;
            for step in 0..steps {
                let edge =
                    |at: usize| (bar.bottom - bar.height() * at as f64 / steps as f64).round();
                let slice = Frame {
                    top: edge(step + 1),
                    bottom: edge(step),
                    ..bar
                };
                scene.shapes.push(Shape::Area {
                    corners: slice.corners(),
                    colour: colour((step as f64 + 0.5) / steps as f64),
                    cover: 1.0,
                });
            }
            outline(&bar, scene);
            let mut widest = 0.0f64;
            for (share, label) in bar_ticks(axis, with_empty)? {
                let y = bar.bottom - share * bar.height();
                scene.stroke(vec![(bar.right, y), (bar.right + TICK, y)], 1.0, AXIS);
                let at = (bar.right + TICK + 4.0, y + 0.36 * TICK_SIZE);
                scene.text(at, &label, TICK_SIZE, INK, Anchor::Start);
                widest = widest.max(face.width(&label, TICK_SIZE));
            }
            let mut x = bar.right + TICK + 4.0 + widest + 8.0 + 0.8 * AXIS_SIZE;
            for line in face.wrap(&axis.title, AXIS_SIZE, HEIGHT) {
                let at = (x, f64::midpoint(bar.top, bar.bottom));
                scene.text_upwards(at, &line, AXIS_SIZE, INK, Anchor::Middle);
                x += AXIS_LINE;
            }
            if with_empty {
                sample(bar.bottom + 18.0, None, NO_ANSWER, scene);
            }
        }
    }
    Ok(())
}

fn outline(area: &Frame, scene: &mut Scene) {
    let mut around = area.corners();
    around.extend([(area.left, area.top), (area.right, area.top)]);
    scene.stroke(around, 1.0, AXIS);
}
