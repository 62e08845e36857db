//! The data of a figure: axes, series, marks and lines, as numbers and labels.
//!
//! Owns what a figure says. Does not know how it looks or where it is written (see `draw`).

/// One figure: a plot area with two axes, its series, a title above and a note below.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// Title above the plot; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
    /// What the thin lines of theory are, in the legend; empty for "theory".
    pub theory: String,
    /// What the dashed lines are, in the legend.
    pub dashed: String,
    /// A heat map in place of series.
    pub cells: Option<Cells>,
    /// Small lines under the plot, such as the provenance of the data; may be empty.
    pub note: String,
}

/// One axis of a figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// Quantity and unit; Greek letters and superscripts as Unicode, subscripts too or as in `τ_D` and
    /// `A_rms`. The same holds for the labels of series and the note, but not for the title.
    pub label: String,
    /// Whether the axis is logarithmic. Values that are not positive cannot be shown on it.
    pub log: bool,
    /// The first and last value of the axis; `None` lets the data choose. A range that cannot be
    /// drawn (not increasing, not finite, not positive on a logarithmic axis) counts as `None`.
    pub range: Option<(f64, f64)>,
    /// Names in place of numbers: the axis runs from 0 to their count, each in the middle of its unit.
    pub names: Vec<String>,
}

/// The cells of a heat map: as many columns and rows as its axes have names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    /// `values[row][column]`, the first row at the bottom.
    pub values: Vec<Vec<Cell>>,
    /// Quantity and unit, beside the colour bar.
    pub label: String,
    /// Whether equal ratios, not equal differences, have equal steps of colour.
    pub log: bool,
}

/// One cell of a heat map.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cell {
    /// The estimate; a cell without one is grey.
    pub value: Option<f64>,
    /// The ends of its confidence interval.
    pub interval: Option<(f64, f64)>,
    /// What theory says.
    pub theory: Option<f64>,
    /// Whether something speaks against the value: a corner of the cell says so.
    pub doubtful: bool,
}

/// One series: what shares a colour, a marker, a dash pattern and a line of the legend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The legend's text; an empty one leaves the series out of the legend.
    pub label: String,
    /// Measured points.
    pub marks: Vec<Mark>,
    /// Points joined by straight lines, in the order given; one that is not finite interrupts the line.
    pub line: Vec<(f64, f64)>,
    /// Points of a second theory, such as a limit, joined by a thin dashed line.
    pub dashed: Vec<(f64, f64)>,
    /// What marks and line are.
    pub style: Style,
}

/// One measured point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mark {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Position on the vertical axis.
    pub y: f64,
    /// Ends of the confidence interval of `y`, as values on the vertical axis; of `x` where the series is sideways.
    pub interval: Option<(f64, f64)>,
}

/// What the marks and the line of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Marks with their intervals as whiskers; the line is theory, drawn thin in the same colour.
    #[default]
    MarksAndTheory,
    /// Marks on a band made of their intervals; the line is theory, drawn thin and solid.
    MarksOnBand,
    /// The line is data, such as a trajectory; marks, if any, are drawn on it.
    Line,
    /// The line is a curve that belongs to no series: grey, in dashes; the intervals of marks, if any, are a grey band.
    Reference,
    /// Marks whose intervals are those of `x`.
    Sideways,
    /// The line is data (or, if there is none, joins the marks) on a band made of the marks' intervals; the
    /// label says what the band is.
    Band,
}
