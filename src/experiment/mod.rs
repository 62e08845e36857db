//! The experiment file: what a user asks for, checked, and the points that follow from it.
//!
//! Owns the meaning of the file and of `--set`. Does not simulate, and knows neither plans' contents
//! nor output files.

mod document;
mod names;
mod overrides;
mod parameters;
mod parse;
mod plot;
mod points;
mod precision;
mod problem;
mod read;
mod record;
mod replicas;
mod resolved;
mod samples;
mod seed;
mod sweep;
mod value;

pub(crate) use names::suggestion;
pub use plot::{PlotKind, PlotSettings};
pub use points::{MAX_POINTS, MAX_SWEPT_VALUES};
pub use precision::{NamedQuantile, Observe, Target};
pub use problem::Problems;
pub(crate) use problem::plain;
pub use record::Record;

use crate::models::{Model, Point, Value};

/// An experiment: everything a result depends on, checked, and what to draw of it.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// One line for people; the model's summary when the file gives none.
    pub title: String,
    /// The model that is simulated.
    pub model: &'static Model,
    /// The seed of every random number.
    pub seed: u64,
    /// Whether the seed was drawn because neither the file nor the command line gave one.
    pub seed_was_drawn: bool,
    /// Replicas a point, at least one; 1,024 when the file gives none.
    pub replicas: u32,
    /// Batches a point, at least one, a divisor of `replicas`.
    ///
    /// When the file gives none: the largest divisor of `replicas` that is not above 64. Where that
    /// leaves fewer than ten of several replicas (a prime number, say) the file must choose.
    pub batches: u32,
    /// Length of the warm-up, in the unit of the model's span; at least zero.
    pub warmup: f64,
    /// Length of the measured span, in the unit of the model's span; zero when it is one observation.
    pub duration: f64,
    /// What a replica contributes.
    pub observe: Observe,
    /// Whether all points draw the same numbers.
    pub common_random_numbers: bool,
    /// The interval to reach, if any.
    pub target: Option<Target>,
    /// How several sweeps make points.
    pub combine: Combine,
    /// The swept parameters, in the order of the file; with `--set` of a new key at the end.
    pub sweeps: Vec<Sweep>,
    /// The parameters to which the file gives one value, in the order of the file.
    pub fixed: Vec<(&'static str, Value)>,
    /// What is recorded along the way.
    pub record: Record,
    /// What the picture of the result shows; none when the file leaves it to the program.
    pub plot: Option<PlotSettings>,
    /// The file, verbatim.
    pub source: String,
    /// The `--set` arguments, as typed.
    pub overrides: Vec<String>,
}

/// How several sweeps make points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// Every value of one with every value of the others; the last sweep varies fastest.
    Grid,
    /// The first values of all, then the second values of all; the lengths are equal.
    Zip,
}

/// The values of a swept parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Name of the parameter.
    pub name: &'static str,
    /// Its values, at least one.
    pub values: Vec<Value>,
}

impl Experiment {
    /// Reads and checks an experiment file.
    ///
    /// `file_name` serves messages, and its folder is where relative paths in the file lead. Each of `overrides` is a `key=value` that replaces a key of
    /// the file or adds one; `seed` replaces the file's. Every point is shown to the model, so an
    /// experiment that parses can be planned.
    ///
    /// # Errors
    /// All problems found, each with its line or the override it stands in.
    pub fn parse(
        source: &str,
        file_name: &str,
        overrides: &[String],
        seed: Option<u64>,
    ) -> Result<Experiment, Problems> {
        parse::experiment(source, file_name, overrides, seed)
    }

    /// The number of points of the sweep, without making them.
    pub fn point_count(&self) -> u32 {
        points::count(self)
    }

    /// The points of the sweep, each with a value for every parameter of the model.
    ///
    /// In a grid the last sweep varies fastest. A parameter that the file leaves out has its default.
    pub fn points(&self) -> Vec<Point> {
        (0..self.point_count())
            .map(|index| points::at(self, index))
            .collect()
    }

    /// The experiment as a canonical file: everything in force and nothing else.
    ///
    /// The seed and every default are written out, `--set` is applied, and sweeps are lists of numbers
    /// that read back to the same bits. Parsing the text gives the same points, and the same text.
    pub fn resolved(&self) -> String {
        resolved::text(self)
    }

    /// What the bits of a batch depend on, as lines for people: the resolved experiment without the number of batches,
    /// and without what is only said, aimed at or drawn.
    pub fn identity(&self) -> String {
        resolved::identity(self)
    }
}
