//! `queuefarm plot`: the picture of a result file.

use super::{Failure, open, summary};
use crate::experiment::PlotKind;
use crate::report::{draw, figures};
use crate::statistics::Table;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Draw a result file: estimates with intervals and theory, tails, histograms, time, heat maps, best choices
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm plot fig2.h5 -o fig2.svg
  queuefarm plot fig2.h5 -o throughput.png --estimate throughput
  queuefarm plot fig1.h5 -o fig1.svg --kind trajectory
  queuefarm plot fig2.h5 -o tail.png --kind tail --histogram wait
  queuefarm plot fig2.h5 -o map.svg --kind heatmap --estimate a_rms
  queuefarm plot d.h5 -o best.svg --kind best --estimate queue_normalised --x load

How often intervals hold is measured, and drawn, by `queuefarm coverage FILE.toml --runs R --plot FIG.svg`.
The experiment's [plot] table says what is drawn unless options do; with another --x its log x axis and its vertical
are left out. A picture of that name is overwritten: it can be drawn from the result again.")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// The picture: .svg or .png
    #[arg(short, long, value_name = "FIG.svg|FIG.png")]
    output: PathBuf,
    /// What to draw
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Estimates to draw (see `queuefarm models MODEL`)
    #[arg(long, value_delimiter = ',')]
    estimate: Vec<String>,
    /// The x axis: a swept parameter or a quantity derived from the parameters
    #[arg(long)]
    x: Option<String>,
    /// The histogram to draw, or whose tail (see `queuefarm export`); that of a time by default
    #[arg(long, value_name = "NAME")]
    histogram: Option<String>,
    /// Only the points of these indices, in pictures with a curve a point: tails, histograms, trajectories, ensembles
    #[arg(long, value_name = "P,P,...", value_delimiter = ',', value_parser = open::index)]
    point: Vec<u32>,
    /// Level of the intervals
    #[arg(long, default_value_t = 0.95, value_parser = summary::level)]
    confidence: f64,
}

/// Kinds of figures.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Estimates against a swept parameter
    Sweep,
    /// Recorded trajectories, and the ensemble's mean and standard deviation
    Trajectory,
    /// P(T ≥ t) on a logarithmic axis, with intervals and laws
    Tail,
    /// A histogram
    Histogram,
    /// Mean and standard deviation over replicas of the recorded value, against time
    Ensemble,
    /// One estimate over two swept parameters, as colours: --x is one, the file's `series` the other
    Heatmap,
    /// The value of one swept parameter with the least estimate, against another, --x
    Best,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let results = open::results(&arguments.file)?;
    let table = Table::new(&results, arguments.confidence);
    let points = open::points(&results, &arguments.point)?;
    let choice = figures::Choice {
        kind: arguments.kind.map(|kind| match kind {
            Kind::Sweep => PlotKind::Sweep,
            Kind::Trajectory => PlotKind::Trajectory,
            Kind::Tail => PlotKind::Tail,
            Kind::Histogram => PlotKind::Histogram,
            Kind::Ensemble => PlotKind::Ensemble,
            Kind::Heatmap => PlotKind::Heatmap,
            Kind::Best => PlotKind::Best,
        }),
        estimates: &arguments.estimate,
        x: arguments.x.as_deref(),
        histogram: arguments.histogram.as_deref(),
        points: &points,
    };
    let figure = figures::figure(&results, &table, &choice).map_err(Failure::Usage)?;
    draw::draw(&figure, &arguments.output).map_err(not_drawn)?;
    eprintln!("wrote {}", arguments.output.display());
    Ok(())
}

/// Why a picture was not drawn: its name is a matter of usage.
pub fn not_drawn(error: draw::DrawError) -> Failure {
    match error {
        draw::DrawError::Extension { .. } | draw::DrawError::Folder { .. } => {
            Failure::Usage(error.to_string())
        }
        other => Failure::failed(other),
    }
}
