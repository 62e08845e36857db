//! `queuefarm tail`: probabilities of large values and quantiles, with intervals and exact values.

use super::summary::level;
use super::{Failure, conditional, open, output};
use crate::ensemble::Results;
use crate::report::tail;
use crate::statistics::Table;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is shown when nothing is asked for.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];

/// Where probabilities come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Estimator {
    /// How many values were that large
    Counts,
    /// The law of a value given what its job met, averaged over jobs: far beyond what can be counted
    Conditional,
}

/// Print P(T ≥ t) and quantiles of a result file, with intervals and exact values
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm tail out.h5 --at 1,2,5
  queuefarm tail out.h5 --quantiles 0.5,0.99,0.9999 --point 3
  queuefarm tail out.h5 --histogram wait --at 10 --confidence 0.99
  queuefarm tail out.h5 --at 5 --json | jq '.points[0].tail[0].p'
  queuefarm tail out.h5 --estimator conditional --at 4,8,16

Values are read at the edges of the histogram's bins, without interpolation: a threshold that is no edge is moved
up to the next one, and a quantile is given as the bin that it lies in. A value at the edge counts: P(T ≥ t) is not
P(T > t) where single values have a chance of their own, as whole ticks have, sizes that are all equal, or no wait
at all. For P(wait > 0) give a t just above 0, --at 1e-8: it is moved up to the first edge. In JSON `p` is
P(T ≥ edge), and `exact` and `limit` are the same by a law. Where no event was seen, the upper end
follows from the number of replicas, which are independent, and not from the number of observations, which are not.

--estimator conditional averages P(T > t) given the work that a job meets at the servers, over one job of each replica,
which is known for the model redundancy with exponential sizes and independent copies of which the first completion
cancels the others, whatever the arrivals and the speeds of servers. From start = \"stationary\" it is the first job,
elsewhere the last one of the span, for which replicas are simulated once more. It reaches far below one over the number
of jobs; where rare states carry too much of the mean, a row says `not reliable below` and gives no number. Without
--at, rows go down to there.")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// Thresholds t of P(T ≥ t), in the unit of the histogram
    #[arg(long, value_name = "T,T,...", value_delimiter = ',', value_parser = threshold, allow_negative_numbers = true)]
    at: Vec<f64>,
    /// Quantiles, between 0 and 1; 0.5,0.9,0.99,0.999,0.9999 when nothing is asked for
    #[arg(long, value_name = "Q,Q,...", value_delimiter = ',', value_parser = quantile)]
    quantiles: Vec<f64>,
    /// Which histogram; the one of response times by default, or else of waiting times
    #[arg(long, value_name = "NAME")]
    histogram: Option<String>,
    /// Only the point of this index, from 0
    #[arg(long, value_name = "P", value_parser = open::index)]
    point: Option<u32>,
    /// Where probabilities come from
    #[arg(long, value_enum, default_value = "counts")]
    estimator: Estimator,
    /// Replicas of each point for --estimator conditional; by default as many as take seconds to a minute
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(2..))]
    subsample: Option<u32>,
    /// Level of the intervals
    #[arg(long, default_value_t = 0.95, value_parser = level)]
    confidence: f64,
    /// Everything as JSON; what does not exist is null
    #[arg(long)]
    json: bool,
}

/// A threshold.
fn threshold(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    number.filter(|t| t.is_finite()).ok_or_else(|| {
        "thresholds are numbers with commas between them, such as 1,2.5,10".to_owned()
    })
}

/// A quantile.
fn quantile(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim().parse().ok();
    match number {
        Some(q) if q > 0.0 && q < 1.0 => Ok(q),
        Some(q) if (1.0..=100.0).contains(&q) => Err(format!(
            "quantiles lie between 0 and 1: for {q} per cent write {}",
            q / 100.0
        )),
        _ => Err(
            "quantiles are numbers between 0 and 1 with commas between them, such as 0.5,0.99"
                .to_owned(),
        ),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let results = open::results(&arguments.file)?;
    let table = Table::new(&results, arguments.confidence);
    if arguments.estimator == Estimator::Conditional {
        return conditional(arguments, &results, &table);
    }
    if arguments.subsample.is_some() {
        return Err(Failure::Usage(
            "--subsample goes with --estimator conditional; counts are those of all replicas"
                .to_owned(),
        ));
    }
    let nothing_asked = arguments.at.is_empty() && arguments.quantiles.is_empty();
    let request = tail::Request {
        at: &arguments.at,
        quantiles: if nothing_asked {
            &QUANTILES
        } else {
            &arguments.quantiles
        },
        histogram: arguments.histogram.as_deref(),
        point: arguments.point,
    };
    let tails = tail::tails(&results, &table, &request).map_err(Failure::Usage)?;
    if arguments.json {
        output::print_json(&tail::json(&results, &table, &tails))
    } else {
        output::print(&tail::text(&results, &table, &tails))
    }
}

/// Tails from what jobs meet.
fn conditional(arguments: &Arguments, results: &Results, table: &Table) -> Result<(), Failure> {
    if !arguments.quantiles.is_empty() {
        return Err(Failure::Usage(
            "--quantiles goes with --estimator counts; conditional estimates are read at thresholds, --at 4,8".to_owned(),
        ));
    }
    let request = conditional::Request {
        at: &arguments.at,
        histogram: arguments.histogram.as_deref(),
        point: arguments.point,
        subsample: arguments.subsample,
        json: arguments.json,
    };
    conditional::print(results, table, &request)
}
