//! What is drawn of marks, whiskers and lines, on a canvas that remembers.
#![allow(clippy::unwrap_used)]

use plotters::style::RGBColor;

use super::DrawError;
use super::canvas::{Canvas, Text};
use super::geometry::{Point, length};
use super::look::Look;
use super::{font, page};
use crate::report::figure::{Axis, Figure, Mark, Series, Style};

/// What was drawn; a stroke with its colour.
#[derive(Default)]
struct Record {
    strokes: Vec<(Vec<Point>, RGBColor)>,
    discs: Vec<(Point, f64)>,
    texts: Vec<String>,
}

impl Canvas for Record {
    fn stroke(&mut self, points: &[Point], _width: f64, color: RGBColor) -> Result<(), DrawError> {
        self.strokes.push((points.to_vec(), color));
        Ok(())
    }

    fn polygon(&mut self, _: &[Point], _: RGBColor, _: f64) -> Result<(), DrawError> {
        Ok(())
    }

    fn disc(&mut self, center: Point, radius: f64, _: RGBColor) -> Result<(), DrawError> {
        self.discs.push((center, radius));
        Ok(())
    }

    fn text(&mut self, text: &Text) -> Result<(), DrawError> {
        self.texts.push(text.text.to_owned());
        Ok(())
    }
}

fn drawn(figure: &Figure) -> Record {
    font::register().unwrap();
    let mut record = Record::default();
    page::paint(figure, &mut record).unwrap();
    record
}

/// Marks at (1, 1) and (2, 3), on an axis from 0 to 4.
fn figure(intervals: [Option<(f64, f64)>; 2]) -> Figure {
    let mark = |x, y, interval| Mark { x, y, interval };
    Figure {
        y: Axis {
            range: Some((0.0, 4.0)),
            ..Axis::default()
        },
        series: vec![Series {
            marks: vec![mark(1.0, 1.0, intervals[0]), mark(2.0, 3.0, intervals[1])],
            ..Series::default()
        }],
        ..Figure::default()
    }
}

/// The strokes of the first series.
fn whiskers(record: &Record) -> Vec<&[Point]> {
    let strokes = record.strokes.iter();
    let own = strokes.filter(|(_, color)| *color == Look::of(0).color);
    own.map(|(points, _)| points.as_slice()).collect()
}

const EXPLAINED: &str = "confidence interval";
const ALL_WITHIN: &str = "All confidence intervals are smaller than their marker.";
const SOME_WITHIN: &str = "Confidence intervals smaller than their marker are not drawn.";

#[test]
fn a_whisker_has_a_stem_and_caps_no_wider_than_the_marker() {
    let record = drawn(&figure([Some((0.5, 1.5)), None]));
    let (center, radius) = record.discs[0];
    let [stem, low, high] = whiskers(&record)[..] else {
        panic!("{:?}", whiskers(&record));
    };
    assert_eq!((stem[0].0, stem[1].0), (center.0, center.0));
    assert!(stem[0].1 > center.1 + radius && stem[1].1 < center.1 - radius);
    for (cap, end) in [(low, stem[0]), (high, stem[1])] {
        assert_eq!(cap, [(end.0 - radius, end.1), (end.0 + radius, end.1)]);
    }
    assert!(record.texts.contains(&EXPLAINED.to_owned()));
}

#[test]
fn an_interval_within_its_marker_is_told_instead_of_drawn() {
    for interval in [(1.0, 1.0), (0.99, 1.01), (1.01, 0.99)] {
        let record = drawn(&figure([Some(interval), None]));
        assert!(whiskers(&record).is_empty());
        assert!(record.texts.contains(&ALL_WITHIN.to_owned()));
        assert!(!record.texts.contains(&EXPLAINED.to_owned()));
    }
    let mixed = drawn(&figure([Some((0.99, 1.01)), Some((2.0, 3.5))]));
    assert_eq!(whiskers(&mixed).len(), 3);
    assert!(mixed.texts.contains(&SOME_WITHIN.to_owned()));
    assert!(mixed.texts.contains(&EXPLAINED.to_owned()));
}

#[test]
fn an_end_on_the_marker_or_beyond_the_axis_has_no_cap() {
    for interval in [(0.99, 1.5), (-7.0, 1.5), (f64::NEG_INFINITY, 1.5)] {
        let record = drawn(&figure([Some(interval), None]));
        assert_eq!(whiskers(&record).len(), 2, "{interval:?}");
        assert!(!record.texts.contains(&SOME_WITHIN.to_owned()));
    }
    // On the axis's end it has.
    let record = drawn(&figure([Some((0.0, 1.5)), None]));
    assert_eq!(whiskers(&record).len(), 3);
}

#[test]
fn dashes_of_a_theory_of_many_points_go_on_across_its_points() {
    let point = |i: i32| (f64::from(i) / 299.0, (f64::from(i) / 50.0).sin());
    let theory = Series {
        line: (0..300).map(point).collect(),
        ..Series::default()
    };
    // The second series, in dashes of 11 and gaps of 5.
    let record = drawn(&Figure {
        series: vec![Series::default(), theory],
        ..Figure::default()
    });
    let strokes = record.strokes.iter();
    let dashes = strokes.filter(|(_, color)| *color == Look::of(1).color);
    let dashes: Vec<&Vec<Point>> = dashes.map(|(points, _)| points).collect();
    assert!(dashes.len() > 50, "{}", dashes.len());
    for pair in dashes.windows(2) {
        assert!((length(pair[0]) - 11.0).abs() < 1e-6, "{:?}", pair[0]);
        let gap = length(&[*pair[0].last().unwrap(), pair[1][0]]);
        // Across a bend of the curve, the chord is a little shorter.
        assert!(gap > 4.9 && gap < 5.0 + 1e-6, "{gap}");
    }
}

#[test]
fn an_interval_of_a_sideways_series_lies_along_x() {
    let mut figure = figure([Some((0.5, 1.8)), None]);
    figure.series[0].style = Style::Sideways;
    figure.x.range = Some((0.0, 4.0));
    let record = drawn(&figure);
    let (center, radius) = record.discs[0];
    let [stem, low, high] = whiskers(&record)[..] else {
        panic!("{:?}", whiskers(&record));
    };
    assert_eq!((stem[0].1, stem[1].1), (center.1, center.1));
    assert!(stem[0].0 < center.0 - radius && stem[1].0 > center.0 + radius);
    for (cap, end) in [(low, stem[0]), (high, stem[1])] {
        assert_eq!(cap, [(end.0, end.1 - radius), (end.0, end.1 + radius)]);
    }
    assert!(record.texts.contains(&EXPLAINED.to_owned()));
}
