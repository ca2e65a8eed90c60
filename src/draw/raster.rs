//! A scene as PNG.
//!
//! The scene is painted three times as large as the PNG and reduced by averaging, which makes
//! every edge smooth. Areas are filled row by row from fractional corners, because plotters'
//! own lines go through whole pixels only and lose the joints of steep curves.

use plotters::backend::RGBPixel;
use plotters::prelude::{BitMapBackend, Color, DrawingBackend, RGBColor};
use plotters::style::RGBAColor;

use super::refusal;
use super::scene::{Anchor, Colour, Place, Scene, Shape, Words};
use super::typeface::Typeface;
use crate::error::{Error, Result};

/// Pixels of the PNG for one pixel of the scene.
const SHARP: u32 = 2;
/// Painted pixels for one of the PNG, in each direction.
const OVER: u32 = 3;
const BYTES: usize = 3;
/// Pixels of the PNG that are averaged together.
const STRETCH: usize = 16;

/// Paints a scene and encodes it.
pub(super) fn paint(scene: &Scene, face: &Typeface) -> Result<Vec<u8>> {
    let width = count(scene.width) * SHARP;
    let height = count(scene.height) * SHARP;
    let large = (width * OVER, height * OVER);
    let mut pixels = vec![0xFF_u8; index(large.0) * index(large.1) * BYTES];
    {
        let backend = BitMapBackend::<RGBPixel>::with_buffer_and_format(&mut pixels, large);
        let Ok(backend) = backend else {
            return refusal("the picture has no room for its pixels");
        };
        let mut brush = Brush {
            backend,
            zoom: f64::from(SHARP * OVER),
            height: f64::from(large.1),
        };
        for shape in &scene.shapes {
            brush.shape(shape, face)?;
        }
        brush.backend.present().map_err(failed)?;
    }
    encode(&reduce(&pixels, index(large.0)), width, height)
}

/// Paints shapes on a plotters bitmap.
struct Brush<'a> {
    backend: BitMapBackend<'a, RGBPixel>,
    zoom: f64,
    height: f64,
}

impl Brush<'_> {
    fn shape(&mut self, shape: &Shape, face: &Typeface) -> Result<()> {
        match shape {
            Shape::Stroke {
                points,
                width,
                colour,
            } => self.line(points, *width, *colour),
            Shape::Area {
                corners,
                colour,
                cover,
            } => self.area(corners, ink(*colour, *cover)),
            Shape::Disc {
                centre,
                radius,
                colour,
            } => self.area(&around(*centre, *radius, 32), ink(*colour, 1.0)),
            Shape::Ring {
                centre,
                radius,
                width,
                colour,
            } => {
                let mut points = around(*centre, *radius, 40);
                points.extend(points.first().copied());
                self.line(&points, *width, *colour)
            }
            Shape::Text(words) => self.write(words, face),
        }
    }

    /// A line of some width: a rectangle for each segment, a disc at each joint.
    fn line(&mut self, points: &[Place], width: f64, colour: Colour) -> Result<()> {
        let ink = ink(colour, 1.0);
        for (&from, &to) in points.iter().zip(points.iter().skip(1)) {
            let along = (to.0 - from.0, to.1 - from.1);
            let length = along.0.hypot(along.1);
            if length <= 0.0 {
                continue;
            }
            let half = width / 2.0 / length;
            let aside = (-along.1 * half, along.0 * half);
            let corners = [
                (from.0 + aside.0, from.1 + aside.1),
                (to.0 + aside.0, to.1 + aside.1),
                (to.0 - aside.0, to.1 - aside.1),
                (from.0 - aside.0, from.1 - aside.1),
            ];
            self.area(&corners, ink)?;
        }
        let joints = points.iter().skip(1).take(points.len().saturating_sub(2));
        for &joint in joints {
            self.area(&around(joint, width / 2.0, 16), ink)?;
        }
        Ok(())
    }

    /// A convex area, row by row: a pixel belongs to it if its middle does.
    fn area(&mut self, corners: &[Place], ink: RGBAColor) -> Result<()> {
        let corners: Vec<Place> = corners
            .iter()
            .map(|(x, y)| (x * self.zoom, y * self.zoom))
            .collect();
        let top = corners
            .iter()
            .map(|(_, y)| *y)
            .fold(f64::INFINITY, f64::min);
        let bottom = corners
            .iter()
            .map(|(_, y)| *y)
            .fold(f64::NEG_INFINITY, f64::max);
        let first = whole((top - 0.5).ceil().max(0.0));
        let last = whole((bottom - 0.5).floor().min(self.height - 1.0));
        for row in first..=last {
            let middle = f64::from(row) + 0.5;
            let mut left = f64::INFINITY;
            let mut right = f64::NEG_INFINITY;
            let next = corners.iter().cycle().skip(1);
            for (&(x0, y0), &(x1, y1)) in corners.iter().zip(next) {
                if (y0 <= middle) != (y1 <= middle) {
                    let x = x0 + (middle - y0) / (y1 - y0) * (x1 - x0);
                    left = left.min(x);
                    right = right.max(x);
                }
            }
            let from = whole((left - 0.5).ceil());
            let to = whole((right - 0.5).floor());
            if left <= right && from <= to {
                self.backend
                    .draw_rect((from, row), (to + 1, row + 1), &ink, true)
                    .map_err(failed)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, words: &Words, face: &Typeface) -> Result<()> {
        let size = words.size * self.zoom;
        let back = match words.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => face.width(&words.text, size) / 2.0,
            Anchor::End => face.width(&words.text, size),
        };
        let at = (words.at.0 * self.zoom, words.at.1 * self.zoom);
        // A turned text is set at the origin and its pixels turned.
        let origin = if words.upwards {
            (-back, 0.0)
        } else {
            (at.0 - back, at.1)
        };
        let mut done = Ok(());
        face.draw(&words.text, size, origin, |x, y, part| {
            let place = if words.upwards {
                (whole(at.0.round() + y), whole(at.1.round() - x - 1.0))
            } else {
                (whole(x), whole(y))
            };
            let colour = ink(words.colour, part).to_backend_color();
            if part > 0.0 && done.is_ok() {
                done = self.backend.draw_pixel(place, colour).map_err(failed);
            }
        });
        done
    }
}

/// The corners of a polygon that stands for a circle.
fn around(centre: Place, radius: f64, corners: u32) -> Vec<Place> {
    (0..corners)
        .map(|corner| {
            let angle = std::f64::consts::TAU * f64::from(corner) / f64::from(corners);
            (
                centre.0 + radius * angle.cos(),
                centre.1 + radius * angle.sin(),
            )
        })
        .collect()
}

/// Averages squares of pixels.
fn reduce(large: &[u8], width: usize) -> Vec<u8> {
    let over = index(OVER);
    let mut small = Vec::with_capacity(large.len() / over / over);
    let stretch = STRETCH * over * BYTES;
    let blank = vec![0xFF_u8; stretch];
    for band in large.chunks_exact(width * BYTES * over) {
        let mut rows: Vec<_> = band
            .chunks_exact(width * BYTES)
            .map(|row| row.chunks(stretch))
            .collect();
        loop {
            let pieces: Vec<&[u8]> = rows.iter_mut().filter_map(Iterator::next).collect();
            if pieces.is_empty() {
                break;
            }
            // Most of a figure is white paper; comparing is much faster than averaging.
            if pieces.iter().all(|piece| *piece == blank) {
                small.extend_from_slice(blank.get(..STRETCH * BYTES).unwrap_or_default());
            } else {
                average(&pieces, &mut small);
            }
        }
    }
    small
}

/// Averages a few rows, as wide and as high as whole squares.
fn average(rows: &[&[u8]], small: &mut Vec<u8>) {
    let over = index(OVER);
    let mut sums = vec![0_u32; rows.first().map_or(0, |row| row.len() / over)];
    for row in rows {
        let squares = row.chunks_exact(BYTES * over);
        for (square, sum) in squares.zip(sums.chunks_exact_mut(BYTES)) {
            for pixel in square.chunks_exact(BYTES) {
                for (total, part) in sum.iter_mut().zip(pixel) {
                    *total += u32::from(*part);
                }
            }
        }
    }
    let all = OVER * OVER;
    let means = sums.iter().map(|sum| (sum + all / 2) / all);
    small.extend(means.map(|mean| u8::try_from(mean).unwrap_or(u8::MAX)));
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let dots = 96 * SHARP * 10_000 / 254;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: dots,
        yppu: dots,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Drawing(error.to_string())
}

fn ink((red, green, blue): Colour, cover: f64) -> RGBAColor {
    RGBColor(red, green, blue).mix(cover)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and places lie in or near the picture"
)]
fn whole(place: f64) -> i32 {
    place as i32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and the layout bounds the picture's size"
)]
fn count(length: f64) -> u32 {
    length.ceil() as u32
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
