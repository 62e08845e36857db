//! `queuefarm replay`: one replica alone, with its trajectory.

use super::{Failure, open, output};
use crate::engine::{Backend, Cpu, Recording, Unit, Watch, Work};
use crate::ensemble::Ensemble;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Run one replica of one point again: the same numbers it had in the ensemble, with its trajectory
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm replay fig2.h5 --point 3 --replica 17
  queuefarm replay fig2.toml --point 0 --replica 4095 --json
  queuefarm replay fig2.h5 --point 3 --replica 17 > trajectory.csv")]
pub struct Arguments {
    /// An experiment file (TOML) or a result file (HDF5)
    file: PathBuf,
    /// Index of the point, from 0
    #[arg(long, value_name = "P", value_parser = open::index)]
    point: u32,
    /// Index of the replica within the point, from 0
    #[arg(long, value_name = "R", value_parser = open::index)]
    replica: u32,
    /// Replace a key of an experiment file
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The seed, instead of the file's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// As JSON: sums, peaks and maxima as whole numbers of the kernel, the trajectory in its unit
    #[arg(long)]
    json: bool,
}

/// Most steps of a trajectory that is kept in memory.
const MOST_STEPS: u32 = 10_000_000;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let experiment = if open::is_hdf5(&arguments.file) {
        if !arguments.set.is_empty() || arguments.seed.is_some() {
            return Err(Failure::Usage("a result file is replayed as it was run; --set and --seed go with an experiment file".to_owned()));
        }
        open::results(&arguments.file)?.experiment
    } else {
        let experiment = open::experiment(&arguments.file, &arguments.set, arguments.seed)?;
        if experiment.seed_was_drawn {
            return Err(Failure::Usage(format!(
                "{} gives no seed, so there is no replica to repeat; add --seed, or replay the result file, which records the seed",
                arguments.file.display()
            )));
        }
        experiment
    };
    let ensemble = Ensemble::new(&experiment).map_err(Failure::failed)?;
    let points = ensemble.points.len() as u32;
    if arguments.point >= points {
        return Err(Failure::Usage(format!(
            "--point {}: this experiment has the points 0 to {}",
            arguments.point,
            points - 1
        )));
    }
    if arguments.replica >= experiment.replicas {
        return Err(Failure::Usage(format!(
            "--replica {}: each point has the replicas 0 to {}",
            arguments.replica,
            experiment.replicas - 1
        )));
    }
    let batch = arguments.replica / (experiment.replicas / experiment.batches);
    let unit = Unit {
        point: arguments.point,
        batch,
        first_replica: arguments.replica,
        replicas: 1,
    };
    let work = ensemble.work(unit);
    let steps = work.plan.end().min(MOST_STEPS);
    if steps < work.plan.end() {
        eprintln!(
            "note: the trajectory ends after {steps} of {} steps, the most that is kept; sums and peaks are those of the whole span",
            work.plan.end()
        );
    }
    let work = Work {
        recording: Recording {
            trajectories: u32::MAX,
            ensemble: false,
            from: 0,
            steps,
        },
        ..work
    };
    let mut cpu = Cpu::new(1).map_err(Failure::failed)?;
    let (tallies, _) = cpu
        .final_states(experiment.model, &work, &Watch::new())
        .map_err(Failure::failed)?;
    let trajectory = tallies
        .trajectories
        .first()
        .map_or(&[][..], |(_, values)| values.as_slice());
    let values = (trajectory.iter()).map(|&value| f64::from(value) * work.plan.traced_unit);
    let (model, per_unit) = (experiment.model, work.plan.steps_per_unit);
    if arguments.json {
        let sums: serde_json::Map<String, serde_json::Value> = model
            .sums
            .iter()
            .zip(&tallies.sums)
            .map(|(name, halves)| ((*name).to_owned(), json!(halves.map(|half| half as u64))))
            .collect();
        let peaks: serde_json::Map<String, serde_json::Value> = model
            .peaks
            .iter()
            .zip(&tallies.peaks)
            .map(|(name, peak)| ((*name).to_owned(), json!(*peak as u64)))
            .collect();
        let maxima: serde_json::Map<String, serde_json::Value> =
            (model.maxima.iter().zip(&tallies.maxima))
                .map(|(name, most)| ((*name).to_owned(), json!(most)))
                .collect();
        let parameters =
            crate::report::swept_json(&experiment, &ensemble.points[arguments.point as usize]);
        return output::print_json(&json!({
            "point": arguments.point, "replica": arguments.replica, "batch": batch, "seed": experiment.seed.to_string(),
            "parameters": parameters, "sums_by_half": sums, "peaks": peaks, "maxima": maxima, "time_of_first_value": 1.0 / per_unit,
            "time_between_values": 1.0 / per_unit, "traced": model.traced.name, "unit": model.traced.unit,
            "trajectory": values.map(crate::report::json_number).collect::<Vec<_>>(),
        }));
    }
    let mut text = format!("time,{}\n", model.traced.name);
    for (step, value) in values.enumerate() {
        text.push_str(&format!("{},{value}\n", (step + 1) as f64 / per_unit));
    }
    output::print(&text)
}
