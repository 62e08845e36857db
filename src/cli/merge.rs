//! `queuefarm merge`: the parts of several runs become one result file.
//!
//! Owns what is refused: parts of different experiments, damaged ones, what is in two of them, and gaps. Nothing is
//! left out in silence.

use super::status::ranges;
use super::written::{self, Voice};
use super::{Failure, dry_run, progress};
use crate::ensemble::{Ensemble, Harvest, Provenance, Share};
use crate::store::parts::Parts;
use crate::store::{StoreError, check_writable};
use clap::Args;
use std::collections::HashSet;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

/// Complaints of one kind that are written out.
const NAMED: usize = 10;

/// Assemble finished parts into a result file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm merge out.h5.parts -o out.h5                 one folder that all shards wrote to
  queuefarm merge node?/out.h5.parts -o out.h5           a folder of each

The parts stay where they are; remove them when the result is safe. `queuefarm status` shows what a folder holds.")]
pub struct Arguments {
    /// The folders of parts
    #[arg(required = true, value_name = "PARTS")]
    folders: Vec<PathBuf>,
    /// The result file
    #[arg(short, long, value_name = "OUT.h5")]
    output: PathBuf,
    /// Overwrite an existing result file
    #[arg(long)]
    force: bool,
    /// No messages
    #[arg(short, long)]
    quiet: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.output;
    if path.exists() && !arguments.force {
        return Err(Failure::Usage(format!(
            "{} exists; add --force to overwrite it, or name another file with -o",
            path.display()
        )));
    }
    check_writable(path).map_err(Failure::failed)?;
    let mut known: Option<(Ensemble, Harvest)> = None;
    let mut provenance = Provenance::default();
    let mut complaints = Vec::new();
    let mut seen: HashSet<OsString> = HashSet::new();
    for folder in &arguments.folders {
        let Some(experiment) = Parts::experiment(folder).map_err(Failure::failed)? else {
            return Err(Failure::Usage(format!(
                "{}: no folder of parts; a run with -o OUT.h5 makes OUT.h5.parts",
                folder.display()
            )));
        };
        let (ensemble, harvest) = match &mut known {
            Some(known) => known,
            none => {
                let ensemble = Ensemble::new(&experiment).map_err(Failure::failed)?;
                if let Some(complaint) = dry_run::too_large(&ensemble) {
                    return Err(Failure::Failed(complaint));
                }
                let harvest = ensemble.nothing_of(0..experiment.batches);
                none.insert((ensemble, harvest))
            }
        };
        if ensemble.experiment.target.is_some() {
            return Err(Failure::Failed(format!(
                "{}: parts of a run that adds batches until a target is reached; `queuefarm run` with the same file and -o goes on",
                folder.display()
            )));
        }
        let parts = Parts::open(folder, &ensemble.experiment).map_err(|error| match &error {
            StoreError::OtherExperiment { .. } => Failure::Failed(format!(
                "not merged: {error}\n+ stands in {}; leave out the folder that does not belong",
                arguments.folders[0].display()
            )),
            _ => Failure::failed(error),
        })?;
        let loaded = parts.load(ensemble, harvest).map_err(Failure::failed)?;
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_owned();
        complaints.extend(loaded.damaged.iter().map(ToString::to_string));
        // A copy of a part that was taken from another folder is as good as that one.
        let overlapping = (loaded.overlapping.iter()).filter(|o| !seen.contains(&name(&o.path)));
        let mut last = None;
        for overlap in overlapping {
            // One line a part: it may share hundreds of batches with others.
            if last.replace(&overlap.path) != Some(&overlap.path) {
                complaints.push(overlap.to_string());
            }
        }
        seen.extend(loaded.parts.iter().map(name));
        provenance.add(&loaded.provenance);
    }
    let Some((ensemble, harvest)) = known else {
        return Err(Failure::Usage("name the folders of parts".to_owned()));
    };
    complaints.extend(missing(&ensemble, &harvest, &arguments.folders));
    if !complaints.is_empty() {
        let more = complaints.len().saturating_sub(NAMED);
        complaints.truncate(NAMED);
        if more > 0 {
            complaints.push(format!("... and {more} more"));
        }
        return Err(Failure::Failed(format!(
            "not merged:\n  {}\nrun again what is missing or damaged, with the same -o: what is whole is kept; \
             of parts that overlap, move one away",
            complaints.join("\n  ")
        )));
    }
    if !arguments.quiet {
        eprintln!(
            "{}: {}",
            ensemble.experiment.model.name,
            progress::counted(seen.len(), "part")
        );
    }
    let results = ensemble.results(harvest, provenance);
    let voice = Voice {
        quiet: arguments.quiet,
        json: arguments.json,
    };
    written::write(&results, path, None, None, voice)
}

/// What is missing: by shard where all folders were filled by as many, else by point.
fn missing(ensemble: &Ensemble, harvest: &Harvest, folders: &[PathBuf]) -> Vec<String> {
    let points = 0..ensemble.points.len() as u32;
    let batches = ensemble.experiment.batches;
    let gaps: Vec<(u32, Vec<Range<u32>>)> = points
        .map(|point| (point, harvest.incomplete(point)))
        .filter(|(_, gaps)| !gaps.is_empty())
        .collect();
    let mut numbers: Vec<u32> = (folders.iter())
        .flat_map(|folder| Parts::numbers_of_shards(folder))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    if let (&[of], false) = (&numbers[..], gaps.is_empty()) {
        let of_share = |index: u32| {
            let cells = gaps.iter().flat_map(|(point, gaps)| {
                gaps.iter()
                    .cloned()
                    .flatten()
                    .map(move |batch| (*point, batch))
            });
            let share = Share { index, of };
            cells
                .filter(|&(point, batch)| share.has(point, batch, batches))
                .count()
        };
        return (0..of)
            .map(|index| (index, of_share(index)))
            .filter(|(_, count)| *count > 0)
            .map(|(index, count)| {
                format!(
                    "shard {} of {of}: {} missing, or in part missing",
                    index + 1,
                    progress::counted_as(count, "batch", "batches")
                )
            })
            .collect();
    }
    let line = |(point, gaps): &(u32, Vec<Range<u32>>)| {
        let gaps = ranges("batch", "batches", gaps);
        format!("point {point}: missing, or in part missing: {gaps}")
    };
    gaps.iter().map(line).collect()
}
