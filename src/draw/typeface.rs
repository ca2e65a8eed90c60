//! The embedded font: how wide a text is, where it may be broken, and which pixels it covers.

use ab_glyph::{Font, FontRef, GlyphId, PxScale, point};

use super::refusal;
use crate::error::Result;

/// A part of `DejaVu Sans` (Latin-1, Greek, super- and subscripts, common mathematical signs); its
/// licence lies beside it.
const BYTES: &[u8] = include_bytes!("dejavu-sans-subset.ttf");

/// The font, read once for a picture.
pub(super) struct Typeface {
    font: FontRef<'static>,
    units_per_em: f64,
}

impl Typeface {
    pub fn embedded() -> Result<Self> {
        let Ok(font) = FontRef::try_from_slice(BYTES) else {
            return refusal("the embedded font cannot be read");
        };
        match font.units_per_em() {
            Some(units) if units > 0.0 => Ok(Self {
                font,
                units_per_em: f64::from(units),
            }),
            _ => refusal("the embedded font has no size"),
        }
    }

    /// The width of a text, `size` being the pixels per em.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        let units = self
            .pens(text)
            .last()
            .map_or(0.0, |(glyph, pen)| pen + self.advance(glyph));
        units * size / self.units_per_em
    }

    /// Whether a character has no glyph here.
    pub fn lacks(&self, sign: char) -> bool {
        self.font.glyph_id(sign) == GlyphId(0)
    }

    /// Breaks a text at its spaces (a word that is too long, anywhere) so that no line is wider
    /// than `room`; a line end in the text stays one.
    pub fn wrap(&self, text: &str, size: f64, room: f64) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in text.lines() {
            let mut line = String::new();
            for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
                let longer = if line.is_empty() {
                    word.to_owned()
                } else {
                    format!("{line} {word}")
                };
                if self.width(&longer, size) <= room {
                    line = longer;
                    continue;
                }
                if !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                for letter in word.chars() {
                    line.push(letter);
                    if self.width(&line, size) > room && line.chars().count() > 1 {
                        line.pop();
                        lines.push(std::mem::replace(&mut line, letter.to_string()));
                    }
                }
            }
            lines.push(line);
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Calls `ink` for every pixel that a text covers, with the part covered, the text's baseline
    /// starting at `origin`.
    pub fn draw(
        &self,
        text: &str,
        size: f64,
        origin: (f64, f64),
        mut ink: impl FnMut(f64, f64, f64),
    ) {
        let height = f64::from(self.font.height_unscaled());
        let scale = PxScale::from(single(size * height / self.units_per_em));
        for (glyph, pen) in self.pens(text) {
            let x = origin.0 + pen * size / self.units_per_em;
            let placed = glyph.with_scale_and_position(scale, point(single(x), single(origin.1)));
            if let Some(outline) = self.font.outline_glyph(placed) {
                let corner = outline.px_bounds().min;
                outline.draw(|across, down, part| {
                    ink(
                        f64::from(corner.x) + f64::from(across),
                        f64::from(corner.y) + f64::from(down),
                        f64::from(part.clamp(0.0, 1.0)),
                    );
                });
            }
        }
    }

    /// The glyphs of a text, each with the place of its origin in font units.
    fn pens(&self, text: &str) -> impl Iterator<Item = (GlyphId, f64)> {
        let mut pen = 0.0;
        let mut before: Option<GlyphId> = None;
        text.chars().map(move |letter| {
            let glyph = self.font.glyph_id(letter);
            if let Some(last) = before {
                pen += self.advance(last) + f64::from(self.font.kern_unscaled(last, glyph));
            }
            before = Some(glyph);
            (glyph, pen)
        })
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.font.h_advance_unscaled(glyph))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a pixel's place needs no more digits"
)]
fn single(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_room_and_no_letter_is_lost() -> Result<()> {
        let face = Typeface::embedded()?;
        let text = "a caption with onewordthatismuchtoolongforthelineitstandsin and more words";
        let lines = face.wrap(text, 10.0, 90.0);
        assert!(lines.len() > 4, "{lines:?}");
        assert!(lines.iter().all(|line| face.width(line, 10.0) <= 90.0));
        let letters = |text: &str| text.replace(' ', "");
        assert_eq!(letters(&lines.concat()), letters(text));
        Ok(())
    }

    #[test]
    fn a_line_end_stays_one() -> Result<()> {
        let face = Typeface::embedded()?;
        assert_eq!(face.wrap("one two\nthree", 10.0, 1e3), ["one two", "three"]);
        Ok(())
    }

    #[test]
    fn the_font_has_every_sign_that_ticks_need() -> Result<()> {
        let face = Typeface::embedded()?;
        for sign in "0123456789.−×⁰¹²³⁴⁵⁶⁷⁸⁹⁻\u{2009}≤≥–—∞·√µσ".chars()
        {
            assert_ne!(face.font.glyph_id(sign), GlyphId(0), "{sign}");
        }
        Ok(())
    }
}
