//! Turns a figure given as plain data into SVG and PNG.
//!
//! Of the whole crate, only this module knows the crate plotters. The same figure gives the same
//! bytes on every machine: text is measured and, in PNG, drawn with the font embedded here.
//!
//! The way of a figure: `layout` (with `axis`, `ticks`, `legend`, `panel`, `curve`, `dash`, `style`, `marks`) makes
//! a `scene` of strokes, areas and words in fractional pixels; `vector` and `raster` paint it.

mod axis;
mod curve;
mod dash;
mod heat;
mod layout;
mod legend;
mod marks;
mod panel;
mod raster;
mod scene;
mod style;
mod ticks;
mod typeface;
mod vector;

use crate::error::{Error, Result};
use crate::figures::HeatMap;
use crate::figures::figure::Figure;

/// Draws a figure as an SVG document.
///
/// Words are real text elements, so a viewer sets them in its own font: it is asked for `DejaVu
/// Sans`, then `Verdana` (of nearly the same widths), then any sans-serif.
///
/// # Errors
///
/// [`Error::Drawing`] if the figure has no panel or too many, or an axis whose range is not
/// finite, empty, reversed, or not positive although the axis is logarithmic.
pub fn svg(figure: &Figure) -> Result<String> {
    let face = typeface::Typeface::embedded()?;
    vector::paint(&layout::arrange(figure, &face)?)
}

/// Draws a figure as a PNG picture, two pixels for each pixel of the SVG's width.
///
/// # Errors
///
/// [`Error::Drawing`], as for [`svg`].
pub fn png(figure: &Figure) -> Result<Vec<u8>> {
    let face = typeface::Typeface::embedded()?;
    raster::paint(&layout::arrange(figure, &face)?, &face)
}

/// Draws a heat map as an SVG document.
///
/// # Errors
///
/// [`Error::Drawing`] for an axis that cannot be drawn or a grid that is not full.
pub fn heat_svg(map: &HeatMap) -> Result<String> {
    let face = typeface::Typeface::embedded()?;
    // Cells meet on pixels at any size of the picture: smoothed edges would let the paper shine through.
    vector::with_sharp_areas(&vector::paint(&heat::arrange(map, &face)?)?)
}

/// The characters that the font of the PNG pictures lacks, each once, in order; they would stand there as boxes.
///
/// # Errors
///
/// [`Error::Drawing`] if the embedded font cannot be read.
pub fn lacking<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<char>> {
    let face = typeface::Typeface::embedded()?;
    let mut signs: Vec<char> = texts.into_iter().flat_map(str::chars).collect();
    signs.retain(|sign| !sign.is_control() && face.lacks(*sign));
    signs.sort_unstable();
    signs.dedup();
    Ok(signs)
}

/// Draws a heat map as a PNG picture, two pixels for each pixel of the SVG's width.
///
/// # Errors
///
/// [`Error::Drawing`], as for [`heat_svg`].
pub fn heat_png(map: &HeatMap) -> Result<Vec<u8>> {
    let face = typeface::Typeface::embedded()?;
    raster::paint(&heat::arrange(map, &face)?, &face)
}

/// A refusal to draw, in one sentence.
fn refusal<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Drawing(why.into()))
}
