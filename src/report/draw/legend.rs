//! The legend: one sample and label a series, then what thin lines, whiskers and bands mean.
//!
//! Owns its entries, their size and their place right of the plot, where they cannot cover data.

use super::DrawError;
use super::canvas::{Anchor, Canvas, Text};
use super::font::{Fitted, fit};
use super::geometry::{Area, Point, dashes};
use super::label::Wording;
use super::look::{BAND, DASHES, DATA_LINE, FAINT_INK, INK, Look, THEORY_LINE, WHISKER};
use super::series::{interval, is_band, look_of};
use crate::report::figure::{Figure, Series, Style};

const SAMPLE: f64 = 46.0;
const GAP: f64 = 10.0;
/// Widest text; longer labels are broken into lines.
const ROOM: f64 = 230.0;
/// Sizes of the em, tried in turn until the legend is no higher than the plot.
const SIZES: [f64; 6] = [20.0, 18.0, 16.0, 14.0, 12.0, 10.0];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sample {
    Series {
        look: Look,
        line: Option<f64>,
        marker: bool,
        band: bool,
    },
    Theory,
    Dashed,
    Whisker {
        sideways: bool,
    },
    Band,
    More,
}

#[derive(Debug)]
struct Entry {
    sample: Sample,
    text: Fitted,
}

/// The legend of a figure, ready to be placed.
#[derive(Debug)]
pub struct Legend {
    entries: Vec<Entry>,
    size: f64,
}

impl Legend {
    /// The legend of `figure` in at most `room` of height: small if need be, and with the last series
    /// counted instead of listed if even that does not do. `whiskers` says whether the figure shows any.
    pub fn new(figure: &Figure, whiskers: bool, room: f64) -> Self {
        let contents = contents(figure, whiskers);
        let mut legend = Self::sized(&contents, SIZES[0]);
        for size in SIZES {
            legend = Self::sized(&contents, size);
            if legend.height() <= room {
                return legend;
            }
        }
        let is_series = |entry: &Entry| matches!(entry.sample, Sample::Series { .. });
        let series = legend.entries.iter().filter(|e| is_series(e)).count();
        for listed in (0..series).rev() {
            if legend.height() <= room {
                break;
            }
            legend.entries.remove(listed);
            let text = format!("… and {} more", series - listed);
            let more = Entry {
                sample: Sample::More,
                text: fit(&text, Wording::Literal, (legend.size, legend.size), ROOM, 1),
            };
            // In the place of the count before it, if there is one.
            if listed + 1 == series {
                legend.entries.insert(listed, more);
            } else {
                legend.entries[listed] = more;
            }
        }
        legend
    }

    fn sized(contents: &[(Sample, String)], size: f64) -> Self {
        let entries = contents
            .iter()
            .map(|(sample, label)| Entry {
                sample: *sample,
                text: fit(label, Wording::Symbols, (size, size), ROOM, 4),
            })
            .collect();
        Self { entries, size }
    }

    /// Width; zero for a legend without entries.
    pub fn width(&self) -> f64 {
        let widths = self.entries.iter().map(|entry| entry.text.width());
        match widths.reduce(f64::max) {
            Some(width) => SAMPLE + GAP + width,
            None => 0.0,
        }
    }

    fn height(&self) -> f64 {
        let heights = self.entries.iter().map(|entry| entry.text.height());
        heights.sum::<f64>() + self.spacing() * self.entries.len() as f64 + self.size
    }

    fn spacing(&self) -> f64 {
        0.35 * self.size
    }

    /// Draws the legend with its upper left corner at (`left`, `top`).
    pub fn draw(&self, canvas: &mut dyn Canvas, left: f64, top: f64) -> Result<(), DrawError> {
        let mut y = top;
        let mut explaining = false;
        for entry in &self.entries {
            let explains = !matches!(entry.sample, Sample::Series { .. });
            // What explains stands apart from what it explains.
            if explains && !explaining && y > top {
                y += 0.6 * self.size;
            }
            explaining = explains;
            let leading = entry.text.leading();
            draw_sample(entry.sample, canvas, (left, y + leading / 2.0), self.size)?;
            for (i, line) in entry.text.lines.iter().enumerate() {
                let baseline = y + leading * (i as f64 + 0.5) + 0.36 * entry.text.size;
                canvas.text(&Text {
                    text: line,
                    wording: entry.text.wording,
                    at: (left + SAMPLE + GAP, baseline),
                    size: entry.text.size,
                    anchor: Anchor::Start,
                    upwards: false,
                    color: if explains { FAINT_INK } else { INK },
                })?;
            }
            y += entry.text.height() + self.spacing();
        }
        Ok(())
    }
}

fn contents(figure: &Figure, whiskers: bool) -> Vec<(Sample, String)> {
    let mut contents: Vec<(Sample, String)> = figure
        .series
        .iter()
        .enumerate()
        .filter(|(_, series)| !series.label.trim().is_empty())
        .map(|(i, series)| (sample_of(series, look_of(figure, i)), series.label.clone()))
        .collect();
    let any = |test: fn(&Series) -> bool| figure.series.iter().any(test);
    let theory = |s: &Series| matches!(s.style, Style::MarksAndTheory | Style::MarksOnBand);
    if figure.series.iter().any(|s| theory(s) && has_line(&s.line)) {
        let text = if figure.theory.is_empty() {
            "theory"
        } else {
            &figure.theory
        };
        contents.push((Sample::Theory, text.to_owned()));
    }
    if any(|s| has_line(&s.dashed)) {
        contents.push((Sample::Dashed, figure.dashed.clone()));
    }
    let intervals = |s: &Series| s.marks.iter().any(|m| interval(m).is_some());
    let on_band = |s: &Series| s.style == Style::MarksOnBand;
    if whiskers
        && figure
            .series
            .iter()
            .any(|s| intervals(s) && !is_band(s) && !on_band(s))
    {
        let sideways = any(|s| s.style == Style::Sideways);
        let sample = Sample::Whisker { sideways };
        contents.push((sample, "confidence interval".to_owned()));
    }
    if figure.series.iter().any(|s| intervals(s) && on_band(s)) {
        contents.push((Sample::Band, "confidence interval".to_owned()));
    }
    contents
}

/// Whether a line has points, not only places where it is interrupted.
fn has_line(line: &[(f64, f64)]) -> bool {
    let mut points = line.iter();
    points.any(|(x, y)| x.is_finite() && y.is_finite())
}

fn sample_of(series: &Series, look: Look) -> Sample {
    let band = is_band(series);
    let line = match series.style {
        Style::MarksAndTheory | Style::MarksOnBand if !has_line(&series.line) => None,
        Style::MarksAndTheory | Style::MarksOnBand => Some(THEORY_LINE),
        Style::Line | Style::Reference | Style::Band => Some(DATA_LINE),
        Style::Sideways => None,
    };
    let on_band = series.style == Style::MarksOnBand;
    Sample::Series {
        look: match series.style {
            Style::MarksOnBand => look.solid(),
            _ => look,
        },
        line,
        marker: !band && !series.marks.is_empty(),
        band: (band || on_band) && series.marks.iter().any(|m| interval(m).is_some()),
    }
}

fn draw_sample(
    sample: Sample,
    canvas: &mut dyn Canvas,
    (left, y): Point,
    size: f64,
) -> Result<(), DrawError> {
    let middle = left + SAMPLE / 2.0;
    let half = 0.4 * size;
    let area = Area {
        left,
        top: y - half,
        right: left + SAMPLE,
        bottom: y + half,
    };
    let across = [(left, y), (left + SAMPLE, y)];
    match sample {
        Sample::Series {
            look,
            line,
            marker,
            band,
        } => {
            if band {
                canvas.polygon(&area.corners(), look.color, BAND)?;
            }
            if let Some(width) = line {
                look.line(canvas, &across, width, &area)?;
            }
            if marker {
                look.marker(canvas, (middle, y), 6.0_f64.min(0.36 * size))?;
            }
            Ok(())
        }
        Sample::Theory => canvas.stroke(&across, THEORY_LINE, FAINT_INK),
        Sample::Dashed => {
            for dash in dashes(&across, DASHES[1]) {
                canvas.stroke(&dash, THEORY_LINE, FAINT_INK)?;
            }
            Ok(())
        }
        Sample::Band => canvas.polygon(&area.corners(), FAINT_INK, BAND),
        Sample::Whisker { sideways: false } => {
            let (top, bottom) = ((middle, area.top), (middle, area.bottom));
            canvas.stroke(&[top, bottom], WHISKER, FAINT_INK)?;
            for (x, y) in [top, bottom] {
                canvas.stroke(&[(x - half, y), (x + half, y)], WHISKER, FAINT_INK)?;
            }
            Ok(())
        }
        Sample::Whisker { sideways: true } => {
            canvas.stroke(&across, WHISKER, FAINT_INK)?;
            for x in [area.left, area.right] {
                canvas.stroke(&[(x, area.top), (x, area.bottom)], WHISKER, FAINT_INK)?;
            }
            Ok(())
        }
        Sample::More => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::report::draw::font;
    use crate::report::figure::Mark;

    fn figure(count: usize) -> Figure {
        let mark = Mark {
            x: 1.0,
            y: 1.0,
            interval: Some((0.5, 1.5)),
        };
        let series = |i| Series {
            label: format!("series {i}"),
            marks: vec![mark],
            line: vec![(0.0, 0.0), (1.0, 1.0)],
            style: Style::MarksAndTheory,
            ..Series::default()
        };
        Figure {
            series: (0..count).map(series).collect(),
            ..Figure::default()
        }
    }

    #[test]
    fn a_legend_lists_every_series_then_theory_and_intervals() {
        font::register().unwrap();
        let legend = Legend::new(&figure(12), true, 600.0);
        let texts: Vec<&str> = legend
            .entries
            .iter()
            .map(|e| e.text.lines[0].as_str())
            .collect();
        assert_eq!(texts.len(), 14);
        assert_eq!(texts[11..], ["series 11", "theory", "confidence interval"]);
    }

    #[test]
    fn a_legend_explains_neither_theory_that_has_no_value_nor_whiskers_that_are_not_drawn() {
        font::register().unwrap();
        let mut figure = figure(2);
        for series in &mut figure.series {
            series.line = vec![(0.0, f64::NAN), (1.0, f64::NAN)];
        }
        let legend = Legend::new(&figure, false, 600.0);
        let lines = legend.entries.iter().map(|e| e.text.lines[0].as_str());
        assert_eq!(lines.collect::<Vec<&str>>(), ["series 0", "series 1"]);
    }

    #[test]
    fn the_width_of_a_legend_is_that_of_its_symbols_not_of_their_spelling() {
        font::register().unwrap();
        let width = |label: &str| {
            let mut figure = figure(1);
            figure.series[0].label = label.to_owned();
            figure.series[0].line.clear();
            Legend::new(&figure, false, 600.0).width()
        };
        let (symbol, letters) = (width("c = 0.01, τ_T = 3"), width("c = 0.01, τT = 3"));
        let smaller = 0.3 * font::piece_width("T", SIZES[0]);
        assert!((letters - symbol - smaller).abs() < 0.1);
    }

    #[test]
    fn a_legend_without_room_shrinks_then_counts_what_it_leaves_out() {
        font::register().unwrap();
        let small = Legend::new(&figure(25), true, 600.0);
        assert!(small.size < 20.0 && small.entries.len() == 27 && small.height() <= 600.0);
        let cut = Legend::new(&figure(1000), true, 600.0);
        assert!(cut.height() <= 600.0);
        let listed = cut.entries.len() - 3;
        assert!(listed > 20);
        let more = &cut.entries[listed].text.lines[0];
        assert_eq!(more, &format!("… and {} more", 1000 - listed));
    }

    #[test]
    fn nothing_to_list_takes_no_width() {
        font::register().unwrap();
        assert_eq!(Legend::new(&Figure::default(), true, 600.0).width(), 0.0);
    }
}
