//! A picture as a list of shapes in fractional pixels, before it becomes SVG or PNG.

/// A place: to the right and down from the upper left corner.
pub(super) type Place = (f64, f64);

/// Red, green, blue.
pub(super) type Colour = (u8, u8, u8);

/// A rectangle with its sides parallel to the picture's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The same rectangle with every side moved outwards.
    pub fn grown(&self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    /// How far a place is from the rectangle; zero inside it.
    pub fn distance(&self, (x, y): Place) -> f64 {
        let aside = (self.left - x).max(x - self.right).max(0.0);
        let above = (self.top - y).max(y - self.bottom).max(0.0);
        aside.hypot(above)
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// The four corners, in order around.
    pub fn corners(&self) -> Vec<Place> {
        vec![
            (self.left, self.top),
            (self.right, self.top),
            (self.right, self.bottom),
            (self.left, self.bottom),
        ]
    }
}

/// Which end of a word stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One line of text on its baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Words {
    pub at: Place,
    pub text: String,
    /// Pixels per em.
    pub size: f64,
    pub colour: Colour,
    pub anchor: Anchor,
    /// Read from bottom to top.
    pub upwards: bool,
}

/// One thing to paint.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A line through places.
    Stroke {
        points: Vec<Place>,
        width: f64,
        colour: Colour,
    },
    /// A convex area; `cover` is one where it hides all below it.
    Area {
        corners: Vec<Place>,
        colour: Colour,
        cover: f64,
    },
    /// A filled circle.
    Disc {
        centre: Place,
        radius: f64,
        colour: Colour,
    },
    /// A circle's line.
    Ring {
        centre: Place,
        radius: f64,
        width: f64,
        colour: Colour,
    },
    /// A line of text.
    Text(Words),
}

/// A whole picture; later shapes lie on earlier ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub fn stroke(&mut self, points: Vec<Place>, width: f64, colour: Colour) {
        self.shapes.push(Shape::Stroke {
            points,
            width,
            colour,
        });
    }

    pub fn text(&mut self, at: Place, text: &str, size: f64, colour: Colour, anchor: Anchor) {
        self.words(at, text, size, colour, anchor, false);
    }

    pub fn text_upwards(
        &mut self,
        at: Place,
        text: &str,
        size: f64,
        colour: Colour,
        anchor: Anchor,
    ) {
        self.words(at, text, size, colour, anchor, true);
    }

    fn words(
        &mut self,
        at: Place,
        text: &str,
        size: f64,
        colour: Colour,
        anchor: Anchor,
        upwards: bool,
    ) {
        if !text.is_empty() {
            self.shapes.push(Shape::Text(Words {
                at,
                text: text.to_owned(),
                size,
                colour,
                anchor,
                upwards,
            }));
        }
    }
}
