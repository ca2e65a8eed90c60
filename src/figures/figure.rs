//! A figure as plain data: what is drawn, never how. `draw` turns it into SVG and PNG, `cli` into CSV.

/// As many series of a panel look different from one another; beyond, colours and dashes repeat.
pub const DISTINCT: usize = 40;

/// How an axis maps numbers to places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios (base-10 decades).
    Log,
    /// Words at the places 1, 2, 3, ..., otherwise as [`Scale::Linear`].
    Names(&'static [&'static str]),
}

/// One axis of a panel. Numbers are in the unit that the title names.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Quantity and unit, for example `window (packets per RTT)`.
    pub title: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Both ends, smaller first; positive on a logarithmic axis.
    pub range: (f64, f64),
}

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// Straight segments between successive points.
    Line,
    /// Markers only (measured samples).
    Points,
    /// Upright bars, a spread over seeds: points in pairs, lower end and upper end. They look like the series with the same
    /// label, which carries the legend's entry; best put behind all others in the list.
    Spread,
}

/// One curve or one cloud of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What the legend says.
    pub label: String,
    /// Joined or not.
    pub stroke: Stroke,
    /// Places in the axes' units, in drawing order; one that is not a number breaks a line.
    pub points: Vec<(f64, f64)>,
}

/// A word at a place, with a small dot there (a crossing, a claim of the paper).
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Place in the axes' units.
    pub at: (f64, f64),
    /// What stands beside the dot.
    pub text: String,
}

/// One coordinate system with its curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Printed above the panel; empty for a figure with one panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Curves; a colour and a dash belong to a place in this list, the same in every panel.
    pub series: Vec<Series>,
    /// Words at places.
    pub marks: Vec<Mark>,
}

/// A whole figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// File stem and the word on the command line, for example `bic2004-4`.
    pub name: String,
    /// Printed on top.
    pub title: String,
    /// Printed below: source, parameters, assumptions. Wrapped to the width by the renderer.
    pub caption: String,
    /// Coordinate systems, drawn side by side.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// Every text of the figure that others than this program may have written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let panels = self.panels.iter().flat_map(|panel| {
            let axes = [&panel.x.title, &panel.y.title];
            let labels = panel.series.iter().map(|series| &series.label);
            labels.chain(axes).chain([&panel.title])
        });
        panels
            .chain([&self.title, &self.caption])
            .map(String::as_str)
    }
}
