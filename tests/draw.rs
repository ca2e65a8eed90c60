//! The drawing room, from outside.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]

use cwnd::draw::{png, svg};
use cwnd::error::Error;
use cwnd::figures::figure::{Axis, Figure, Mark, Panel, Scale, Series, Stroke};

type Place = (i64, i64);

/// A polyline or line of an SVG.
struct Line {
    colour: String,
    points: Vec<Place>,
}

fn axis(scale: Scale, low: f64, high: f64) -> Axis {
    Axis {
        title: "quantity (unit)".to_owned(),
        scale,
        range: (low, high),
    }
}

fn line(label: &str, points: &[(f64, f64)]) -> Series {
    Series {
        label: label.to_owned(),
        stroke: Stroke::Line,
        points: points.to_vec(),
    }
}

fn panel(x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel {
        title: String::new(),
        x,
        y,
        series,
        marks: Vec::new(),
    }
}

fn figure(panels: Vec<Panel>) -> Figure {
    Figure {
        name: "test".to_owned(),
        title: "Title".to_owned(),
        caption: "Caption.".to_owned(),
        panels,
    }
}

fn unit() -> Axis {
    axis(Scale::Linear, 0.0, 1.0)
}

fn one(series: Vec<Series>) -> Figure {
    figure(vec![panel(unit(), unit(), series)])
}

fn response() -> Figure {
    let points: Vec<(f64, f64)> = (0..=70)
        .map(|step| 10_f64.powf(-8.0 + f64::from(step) / 10.0))
        .map(|p| (p, 1.2 / p.sqrt()))
        .collect();
    let mut panel = panel(
        axis(Scale::Log, 1e-8, 1e-1),
        axis(Scale::Log, 1.0, 1e5),
        vec![line("Reno", &points), line("other", &points)],
    );
    panel.marks.push(Mark {
        at: (1e-4, 120.0),
        text: "here".to_owned(),
    });
    figure(vec![panel])
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn polylines(svg: &str) -> Vec<Line> {
    svg.lines()
        .filter(|element| element.starts_with("<polyline"))
        .map(|element| Line {
            colour: attribute(element, "stroke").unwrap().to_owned(),
            points: attribute(element, "points")
                .unwrap()
                .split_whitespace()
                .map(|pair| pair.split_once(',').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect(),
        })
        .collect()
}

/// The axes box of each panel: the only closed line.
fn boxes(svg: &str) -> Vec<(Place, Place)> {
    polylines(svg)
        .iter()
        .filter(|line| line.colour == "#333333" && line.points.len() == 6)
        .map(|line| (line.points[0], line.points[2]))
        .collect()
}

fn is_grey(colour: &str) -> bool {
    colour.get(1..3) == colour.get(3..5) && colour.get(3..5) == colour.get(5..7)
}

/// The lines that are neither axes nor grid (the series used here have coloured lines).
fn coloured(svg: &str) -> Vec<Line> {
    let mut lines = polylines(svg);
    lines.retain(|line| !is_grey(&line.colour));
    lines
}

fn words(svg: &str) -> Vec<String> {
    svg.split("<text")
        .skip(1)
        .filter_map(|element| element.split_once('>')?.1.split_once("</text>"))
        .map(|(text, _)| text.trim().to_owned())
        .collect()
}

fn size(svg: &str) -> (u32, u32) {
    let number = |name| attribute(svg, name).unwrap().parse().unwrap();
    (number("width"), number("height"))
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    assert_eq!(svg(&response()).unwrap(), svg(&response()).unwrap());
    assert_eq!(png(&response()).unwrap(), png(&response()).unwrap());
    let mut other = response();
    other.panels[0].series[0].points[3].1 *= 2.0;
    assert_ne!(svg(&response()).unwrap(), svg(&other).unwrap());
    assert_ne!(png(&response()).unwrap(), png(&other).unwrap());
}

#[test]
fn decades_have_real_superscripts() {
    let words = words(&svg(&response()).unwrap());
    for label in [
        "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁵",
    ] {
        assert!(
            words.iter().any(|word| word == label),
            "{label} in {words:?}"
        );
    }
    assert!(
        words
            .iter()
            .all(|word| !word.contains('e') || !word.starts_with(char::is_numeric))
    );
}

#[test]
fn words_of_the_figure_are_text() {
    let words = words(&svg(&response()).unwrap());
    for text in [
        "Title",
        "Caption.",
        "Reno",
        "other",
        "here",
        "quantity (unit)",
    ] {
        assert!(words.iter().any(|word| word == text), "{text} in {words:?}");
    }
}

#[test]
fn no_curve_leaves_the_axes() {
    let wild: Vec<(f64, f64)> = (0..400)
        .map(|step| f64::from(step) / 100.0 - 1.5)
        .map(|x| (x, 0.5 + 3.0 * (x * 17.0).sin()))
        .chain([(0.5, 1e300), (0.6, -1e300), (1e12, 0.5)])
        .collect();
    for scale in [Scale::Linear, Scale::Log] {
        let low = if scale == Scale::Log { 1e-3 } else { 0.0 };
        let drawn = svg(&figure(vec![panel(
            axis(scale, low, 1.0),
            axis(scale, low, 1.0),
            vec![line("", &wild)],
        )]))
        .unwrap();
        let ((left, top), (right, bottom)) = boxes(&drawn)[0];
        let curves = coloured(&drawn);
        assert!(curves.len() > 3, "{} lines", curves.len());
        for (x, y) in curves.iter().flat_map(|curve| &curve.points) {
            assert!((left..=right).contains(x), "{x} outside {left}..{right}");
            assert!((top..=bottom).contains(y), "{y} outside {top}..{bottom}");
        }
        let along_an_edge = curves.iter().any(|curve| {
            curve.points.windows(2).any(|ends| {
                let flat = ends[0].1 == ends[1].1 && [top, bottom].contains(&ends[0].1);
                flat && (ends[0].0 - ends[1].0).abs() > 20
            })
        });
        assert!(!along_an_edge, "a curve runs along the edge");
    }
}

#[test]
fn a_curve_that_comes_back_is_another_line() {
    let drawn = svg(&one(vec![line(
        "",
        &[(0.1, 0.5), (0.3, 1.5), (0.7, 1.5), (0.9, 0.5)],
    )]))
    .unwrap();
    let ((left, top), (right, bottom)) = boxes(&drawn)[0];
    let x = |share: f64| left + ((right - left) as f64 * share).round() as i64;
    let middle = i64::midpoint(top, bottom);
    let curves = coloured(&drawn);
    assert_eq!(curves.len(), 2);
    assert_eq!(curves[0].points, [(x(0.1), middle), (x(0.2), top)]);
    assert_eq!(curves[1].points, [(x(0.8), top), (x(0.9), middle)]);
    let peak = svg(&one(vec![line("", &[(0.1, 0.5), (0.5, 2.5), (0.9, 0.5)])])).unwrap();
    let curves = coloured(&peak);
    assert_eq!(curves.len(), 2);
    assert_eq!(curves[0].points, [(x(0.1), middle), (x(0.2), top)]);
    assert_eq!(curves[1].points, [(x(0.8), top), (x(0.9), middle)]);
}

#[test]
fn a_point_without_a_place_breaks_the_curve() {
    let drawn = |gap: (f64, f64)| {
        let points = [(0.1, 0.5), (0.3, 0.6), gap, (0.7, 0.4), (0.9, 0.5)];
        let panel = panel(
            axis(Scale::Log, 0.01, 1.0),
            axis(Scale::Log, 0.01, 1.0),
            vec![line("", &points)],
        );
        coloured(&svg(&figure(vec![panel])).unwrap()).len()
    };
    assert_eq!(drawn((0.5, 0.3)), 1);
    assert_eq!(drawn((0.5, f64::NAN)), 2);
    assert_eq!(drawn((0.5, f64::INFINITY)), 2);
    assert_eq!(drawn((0.5, 0.0)), 2);
    assert_eq!(drawn((-0.5, 0.3)), 2);
}

#[test]
fn series_differ_in_dashes_not_only_in_colour() {
    let across = [(0.0, 0.5), (1.0, 0.5)];
    let mut patterns = Vec::new();
    for place in 0..10 {
        let mut series: Vec<Series> = (0..place).map(|_| line("", &[])).collect();
        series.push(line("", &across));
        let drawn = svg(&one(series)).unwrap();
        let (corner, _) = boxes(&drawn)[0];
        let dashes: Vec<(i64, i64)> = polylines(&drawn)
            .iter()
            .filter(|line| !["#333333", "#E2E2E2"].contains(&line.colour.as_str()))
            .map(|line| (line.points[0].0 - corner.0, line.points[1].0 - corner.0))
            .collect();
        assert!(!dashes.is_empty(), "series {place} is not drawn");
        assert!(
            !patterns.contains(&dashes),
            "series {place} looks like another"
        );
        patterns.push(dashes);
    }
    assert_eq!(patterns[0].len(), 1);
}

#[test]
fn measured_points_have_shapes_and_are_not_joined() {
    let shape = |place: usize| {
        let mut series: Vec<Series> = (0..place).map(|_| line("", &[])).collect();
        series.push(Series {
            label: String::new(),
            stroke: Stroke::Points,
            points: vec![(0.25, 0.5), (0.75, 0.5), (1.5, 0.5), (0.5, f64::NAN)],
        });
        let drawn = svg(&one(series)).unwrap();
        let bare = svg(&one(Vec::new())).unwrap();
        let known: Vec<&str> = bare.lines().collect();
        let new = drawn.lines().filter(|element| !known.contains(element));
        new.map(str::to_owned).collect::<Vec<_>>()
    };
    let rings = shape(0);
    assert_eq!(rings.len(), 2, "{rings:?}");
    assert!(rings.iter().all(|ring| ring.starts_with("<circle")));
    let squares = shape(1);
    assert_eq!(squares.len(), 2, "{squares:?}");
    assert_eq!(
        attribute(&squares[0], "points")
            .unwrap()
            .split_whitespace()
            .count(),
        6
    );
    assert_eq!(shape(3).len(), 4, "a cross has two bars");
}

#[test]
fn an_empty_series_is_in_the_legend_only() {
    let drawn = svg(&one(vec![line("nothing", &[])])).unwrap();
    assert!(words(&drawn).contains(&"nothing".to_owned()));
    let (_, (right, _)) = boxes(&drawn)[0];
    let lines = coloured(&drawn);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].points.iter().all(|(x, _)| *x > right));
}

#[test]
fn the_legend_covers_no_panel() {
    let label = "a label that is much too long to stand beside the axes of a figure";
    for panels in 1..=4 {
        for label in ["short", label] {
            let each = panel(unit(), unit(), vec![line(label, &[]), line(label, &[])]);
            let drawn = svg(&figure(vec![each; panels])).unwrap();
            let samples = coloured(&drawn);
            assert!(!samples.is_empty());
            let picture = 0..=10 * i64::from(size(&drawn).0);
            let mut ends = samples.iter().flat_map(|sample| &sample.points);
            assert!(ends.all(|(x, _)| picture.contains(x)));
            for ((left, top), (right, bottom)) in boxes(&drawn) {
                for (x, y) in samples.iter().flat_map(|sample| &sample.points) {
                    let inside = (left..=right).contains(x) && (top..=bottom).contains(y);
                    assert!(!inside, "{x},{y} in the axes of {panels} panels");
                }
            }
        }
    }
}

#[test]
fn signs_of_markup_are_escaped() {
    let mut figure = one(vec![line("a<b", &[])]);
    figure.title = "Loss <&> \"gain\"".to_owned();
    figure.panels[0].x.title = "1 < 2 & 3".to_owned();
    let drawn = svg(&figure).unwrap();
    assert!(drawn.contains("Loss &lt;&amp;&gt; &quot;gain&quot;"));
    assert!(drawn.contains("1 &lt; 2 &amp; 3"));
    assert!(drawn.contains("a&lt;b"));
    assert!(!drawn.contains("<&>"));
}

#[test]
fn a_long_caption_is_wrapped_and_makes_the_picture_higher() {
    let mut figure = one(Vec::new());
    let low = size(&svg(&figure).unwrap()).1;
    figure.caption = "words about parameters and assumptions ".repeat(12);
    let drawn = svg(&figure).unwrap();
    assert!(size(&drawn).1 > low + 20);
    let lines = words(&drawn);
    let lines: Vec<&String> = lines.iter().filter(|line| line.contains("about")).collect();
    assert!(lines.len() >= 3, "{lines:?}");
}

#[test]
fn the_png_is_one_and_twice_as_large_as_the_svg() {
    let figure = response();
    let bytes = png(&figure).unwrap();
    assert_eq!(
        bytes[..8],
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n']
    );
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let (width, height) = size(&svg(&figure).unwrap());
    assert_eq!((number(16), number(20)), (2 * width, 2 * height));
}

#[test]
fn the_view_box_is_ten_times_as_fine_as_the_size() {
    let drawn = svg(&response()).unwrap();
    let (width, height) = size(&drawn);
    let expected = format!("0 0 {} {}", 10 * width, 10 * height);
    assert_eq!(attribute(&drawn, "viewBox"), Some(expected.as_str()));
}

#[test]
fn panels_share_the_colours_of_the_series() {
    let points = [(0.1, 0.1), (0.9, 0.9)];
    let each = panel(unit(), unit(), vec![line("", &points), line("", &points)]);
    let drawn = svg(&figure(vec![each.clone(), each])).unwrap();
    let boxes = boxes(&drawn);
    assert_eq!(boxes.len(), 2);
    assert!(boxes[0].1.0 < boxes[1].0.0, "the panels stand side by side");
    assert_eq!(boxes[0].0.1, boxes[1].0.1);
    let inks = |((left, _), (right, _)): (Place, Place)| {
        let mut inks: Vec<String> = coloured(&drawn)
            .into_iter()
            .filter(|line| (left..=right).contains(&line.points[0].0))
            .map(|line| line.colour)
            .collect();
        inks.dedup();
        inks
    };
    assert_eq!(inks(boxes[0]), inks(boxes[1]));
    assert_eq!(inks(boxes[0]).len(), 2);
}

#[test]
fn more_than_three_panels_take_two_rows() {
    let rows = |panels: usize| {
        let drawn = svg(&figure(vec![panel(unit(), unit(), Vec::new()); panels])).unwrap();
        let mut tops: Vec<i64> = boxes(&drawn).iter().map(|(corner, _)| corner.1).collect();
        assert_eq!(tops.len(), panels);
        tops.dedup();
        tops.len()
    };
    assert_eq!([1, 2, 3, 4, 5, 6].map(rows), [1, 1, 1, 2, 2, 2]);
}

#[test]
fn the_words_of_a_mark_stay_inside_the_axes() {
    for at in [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.99, 0.5)] {
        let mut figure = one(Vec::new());
        figure.panels[0].marks.push(Mark {
            at,
            text: "crossing of both".to_owned(),
        });
        let drawn = svg(&figure).unwrap();
        let ((left, top), (right, bottom)) = boxes(&drawn)[0];
        let elements: Vec<&str> = drawn.lines().collect();
        let place = elements
            .iter()
            .position(|text| *text == "crossing of both")
            .unwrap();
        let number = |name| -> i64 {
            attribute(elements[place - 1], name)
                .unwrap()
                .parse()
                .unwrap()
        };
        // 16 letters of 11.5 pixels per em are at least 70 pixels wide.
        assert!(number("x") >= left && number("x") + 700 <= right, "{at:?}");
        assert!(number("y") >= top && number("y") <= bottom, "{at:?}");
    }
}

#[test]
fn a_mark_outside_the_axes_is_not_drawn() {
    let mut figure = one(Vec::new());
    let bare = svg(&figure).unwrap();
    figure.panels[0].marks.push(Mark {
        at: (1.5, 0.5),
        text: "away".to_owned(),
    });
    assert_eq!(svg(&figure).unwrap(), bare);
    figure.panels[0].marks[0].at.0 = 0.5;
    assert_ne!(svg(&figure).unwrap(), bare);
}

#[test]
fn what_cannot_be_drawn_is_refused_in_a_sentence() {
    let with = |x: Axis| figure(vec![panel(x, unit(), Vec::new())]);
    let linear = |low, high| with(axis(Scale::Linear, low, high));
    let log = |low, high| with(axis(Scale::Log, low, high));
    let cases = [
        (figure(Vec::new()), "no panel"),
        (linear(1.0, 1.0), "below"),
        (linear(2.0, 1.0), "below"),
        (linear(1e9, 1e9 + 1e-6), "too narrow"),
        (linear(-f64::MAX, f64::MAX), "too wide"),
        (linear(f64::NAN, 1.0), "not finite"),
        (linear(0.0, f64::INFINITY), "not finite"),
        (log(0.0, 1.0), "positive"),
        (log(-1.0, 1.0), "positive"),
        (log(3.0, 3.0), "below"),
        (
            figure(vec![panel(unit(), unit(), Vec::new()); 13]),
            "more than 12",
        ),
    ];
    for (figure, reason) in cases {
        let Err(Error::Drawing(why)) = svg(&figure) else {
            panic!("{reason}: drawn");
        };
        assert!(why.contains(reason), "{why:?} does not say {reason:?}");
        assert_eq!(png(&figure), Err(Error::Drawing(why)));
    }
    assert!(svg(&linear(0.0, 1e-200)).is_ok());
    assert!(svg(&log(1e-300, 1e300)).is_ok());
}
