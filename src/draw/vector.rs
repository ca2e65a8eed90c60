//! A scene as SVG.

use plotters::prelude::{Color, DrawingBackend, FontTransform, IntoFont, RGBColor, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{ShapeStyle, TextStyle};

use super::refusal;
use super::scene::{Anchor, Colour, Place, Scene, Shape, Words};
use crate::error::{Error, Result};

/// Plotters knows whole numbers only, so the drawing is made this many times as large as shown.
const FINE: f64 = 10.0;
const FONTS: &str = "DejaVu Sans, Verdana, sans-serif";
/// Plotters writes the font's size divided by this.
const PLOTTERS_EM: f64 = 1.24;
/// Half of an x's height in ems; plotters lowers a vertically centred text by half an `ex`.
const HALF_X: f64 = 0.273;

/// Paints a scene.
pub(super) fn paint(scene: &Scene) -> Result<String> {
    let size = (length(scene.width), length(scene.height));
    let mut text = String::new();
    {
        let mut backend = SVGBackend::with_string(&mut text, size);
        let done = backdrop(&mut backend, size)
            .and_then(|()| {
                scene
                    .shapes
                    .iter()
                    .try_for_each(|shape| one(&mut backend, shape))
            })
            .and_then(|()| {
                backend
                    .present()
                    .map_err(|error| Error::Drawing(error.to_string()))
            });
        done?;
    }
    let drawn = format!(r#"<svg width="{}" height="{}" "#, size.0, size.1);
    let Some(rest) = text.strip_prefix(&drawn) else {
        return refusal("plotters began the SVG in an unknown way");
    };
    let (width, height) = (scene.width.round(), scene.height.round());
    Ok(format!(
        r#"<svg width="{width}" height="{height}" stroke-linejoin="round" {rest}"#
    ))
}

/// The same picture with areas whose edges lie on whole pixels wherever it is shown.
pub(super) fn with_sharp_areas(svg: &str) -> Result<String> {
    let Some((head, rest)) = svg.split_once('>') else {
        return refusal("plotters began the SVG in an unknown way");
    };
    Ok(format!(
        "{head}>\n<style>polygon{{shape-rendering:crispEdges}}</style>{rest}"
    ))
}

fn backdrop(backend: &mut SVGBackend<'_>, (width, height): (u32, u32)) -> Result<()> {
    let corner = (
        i32::try_from(width).unwrap_or(i32::MAX),
        i32::try_from(height).unwrap_or(i32::MAX),
    );
    backend
        .draw_rect((0, 0), corner, &filled((0xFF, 0xFF, 0xFF), 1.0), true)
        .map_err(|error| Error::Drawing(error.to_string()))
}

fn one(backend: &mut SVGBackend<'_>, shape: &Shape) -> Result<()> {
    let done = match shape {
        Shape::Stroke {
            points,
            width,
            colour,
        } => {
            let mut points: Vec<(i32, i32)> = points.iter().map(|&place| pixel(place)).collect();
            points.dedup();
            backend.draw_path(points, &line(*colour, *width))
        }
        Shape::Area {
            corners,
            colour,
            cover,
        } => backend.fill_polygon(
            corners.iter().map(|&place| pixel(place)),
            &filled(*colour, *cover),
        ),
        Shape::Disc {
            centre,
            radius,
            colour,
        } => backend.draw_circle(pixel(*centre), length(*radius), &filled(*colour, 1.0), true),
        Shape::Ring {
            centre,
            radius,
            width,
            colour,
        } => backend.draw_circle(
            pixel(*centre),
            length(*radius),
            &line(*colour, *width),
            false,
        ),
        Shape::Text(words) => return write(backend, words),
    };
    done.map_err(|error| Error::Drawing(error.to_string()))
}

fn write(backend: &mut SVGBackend<'_>, words: &Words) -> Result<()> {
    let across = match words.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let lowered = HALF_X * words.size;
    let (at, turn) = if words.upwards {
        ((words.at.0 - lowered, words.at.1), FontTransform::Rotate270)
    } else {
        ((words.at.0, words.at.1 - lowered), FontTransform::None)
    };
    let style: TextStyle<'_> = (FONTS, words.size * FINE * PLOTTERS_EM)
        .into_font()
        .transform(turn)
        .color(&rgb(words.colour))
        .pos(Pos::new(across, VPos::Center));
    // What XML does not allow at all is shown as the sign for it.
    let text: String = words
        .text
        .chars()
        .map(|sign| match sign {
            '\t' => ' ',
            _ if sign.is_control() || matches!(sign, '\u{FFFE}' | '\u{FFFF}') => '\u{FFFD}',
            _ => sign,
        })
        .collect();
    backend
        .draw_text(&text, &style, pixel(at))
        .map_err(|error| Error::Drawing(error.to_string()))
}

fn line(colour: Colour, width: f64) -> ShapeStyle {
    rgb(colour).stroke_width(length(width))
}

fn filled(colour: Colour, cover: f64) -> ShapeStyle {
    rgb(colour).mix(cover).filled()
}

fn rgb((red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and places lie in the picture"
)]
fn pixel((x, y): Place) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and lengths are positive and small"
)]
fn length(pixels: f64) -> u32 {
    (pixels * FINE).round() as u32
}
