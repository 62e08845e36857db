//! `queuefarm status`: what is done, missing and damaged of a run, and who is at work on it.

use super::{Failure, open, output, progress};
use crate::ensemble::{Ensemble, Harvest};
use crate::store::parts::{Loaded, Parts};
use clap::Args;
use serde_json::json;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Points whose missing batches are listed.
const LISTED: usize = 10;

/// Show what is done of a run, what is missing and what is damaged
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm status out.h5
  queuefarm status out.h5.parts --json")]
pub struct Arguments {
    /// The result file, or its folder of parts
    path: PathBuf,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = &arguments.path;
    let folder = if path.is_dir() {
        path.clone()
    } else {
        Parts::beside(path)
    };
    if let Some(experiment) = Parts::experiment(&folder).map_err(Failure::failed)? {
        let ensemble = Ensemble::new(&experiment).map_err(Failure::failed)?;
        let mut harvest = ensemble.nothing_of(0..experiment.batches);
        let parts = Parts::open(&folder, &experiment).map_err(Failure::failed)?;
        let loaded = parts
            .load(&ensemble, &mut harvest)
            .map_err(Failure::failed)?;
        let there = add_result(&folder, &ensemble, &mut harvest);
        return say(&folder, &ensemble, &harvest, &loaded, there, arguments.json);
    }
    if path.is_file() {
        let results = open::results(path)?;
        let experiment = &results.experiment;
        if arguments.json {
            return output::print_json(&json!({
                "path": path, "complete": true, "points": results.points.len(), "batches": experiment.batches,
                "replicas": experiment.replicas,
            }));
        }
        return output::print(&format!(
            "{}: complete, {} of {} replicas in {} batches\n",
            path.display(),
            progress::counted(results.points.len(), "point"),
            experiment.replicas,
            experiment.batches
        ));
    }
    Err(Failure::Usage(format!(
        "{}: no result file and no parts (a run keeps its first part after ten seconds or so, in {})",
        path.display(),
        Parts::beside(path).display()
    )))
}

/// Takes the batches of the result that an extension adds to as done; how many of each point there are.
fn add_result(folder: &Path, ensemble: &Ensemble, harvest: &mut Harvest) -> u32 {
    let result = folder.with_extension("");
    let there = crate::store::read(&result)
        .ok()
        .filter(|there| there.experiment.identity() == ensemble.experiment.identity());
    let Some(there) = there else {
        return 0;
    };
    let count = there.experiment.batches.min(ensemble.experiment.batches);
    for (point, batches) in (0..).zip(&there.batches) {
        for (batch, tallies) in (0..count).zip(batches) {
            let size = ensemble.batch_size();
            let all = batch * size..(batch + 1) * size;
            if harvest.lacks(point, batch, std::slice::from_ref(&all)) {
                harvest.add(point, batch, &[all], tallies);
            }
        }
    }
    count
}

fn say(
    folder: &Path,
    ensemble: &Ensemble,
    harvest: &Harvest,
    loaded: &Loaded,
    in_result: u32,
    as_json: bool,
) -> Result<(), Failure> {
    let experiment = &ensemble.experiment;
    let points = ensemble.points.len();
    let all = points as u64 * u64::from(experiment.replicas);
    let incomplete: Vec<(u32, Vec<Range<u32>>)> = (0..points as u32)
        .map(|point| (point, harvest.incomplete(point)))
        .filter(|(_, batches)| !batches.is_empty())
        .collect();
    let left: usize = incomplete.iter().flat_map(|(_, b)| b).map(Range::len).sum();
    let batches = points * experiment.batches as usize;
    let at_work = Parts::at_work(folder);
    if as_json {
        let missing: Vec<_> = (incomplete.iter())
            .map(|(point, batches)| {
                let batches: Vec<[u32; 2]> = batches.iter().map(|b| [b.start, b.end - 1]).collect();
                json!({ "point": point, "batches": batches, "replicas_done": harvest.replicas_of(*point) })
            })
            .collect();
        let damaged: Vec<_> = (loaded.damaged.iter())
            .map(|damaged| json!({ "path": damaged.path, "what": damaged.what }))
            .collect();
        return output::print_json(&json!({
            "path": folder, "complete": left == 0 && experiment.target.is_none(), "batches_in_result": in_result,
            "replicas_beyond": loaded.beyond, "target": experiment.target.as_ref().map(|target| target.estimate.clone()), "model": experiment.model.name, "seed": experiment.seed.to_string(),
            "points": points, "batches": experiment.batches, "replicas": experiment.replicas,
            "replicas_done": harvest.replicas(), "replicas_asked": all, "batches_complete": batches - left,
            "parts": loaded.parts.len(), "damaged": damaged, "overlapping": loaded.overlapping.len(),
            "missing": missing, "at_work": at_work,
        }));
    }
    let mut text = format!(
        "{}: {}, seed {}, {} of {} replicas in {} batches\n\
         done     {:.1} %: {} of {all} replicas, {} of {batches} batches complete\n\
         parts    {}, {} damaged, {} overlapping\n",
        folder.display(),
        experiment.model.name,
        experiment.seed,
        progress::counted(points, "point"),
        experiment.replicas,
        experiment.batches,
        100.0 * harvest.replicas() as f64 / all.max(1) as f64,
        harvest.replicas(),
        batches - left,
        loaded.parts.len(),
        loaded.damaged.len(),
        loaded.overlapping.len(),
    );
    if in_result > 0 {
        text.push_str(&format!(
            "result   {} has the first {in_result} batches; the parts are of an extension\n",
            folder.with_extension("").display()
        ));
    }
    if let Some(target) = &experiment.target {
        text.push_str(&format!(
            "target   {} within {}: not reached yet, the run adds batches\n",
            target.estimate, target.relative_half_width
        ));
    }
    if loaded.beyond > 0 {
        text.push_str(&format!(
            "beyond   {} replicas of further batches\n",
            loaded.beyond
        ));
    }
    for damaged in &loaded.damaged {
        text.push_str(&format!("damaged  {damaged}\n"));
    }
    for (point, batches) in incomplete.iter().take(LISTED) {
        let batches = ranges("batch", "batches", batches);
        text.push_str(&format!("missing  point {point}: {batches}\n"));
    }
    if incomplete.len() > LISTED {
        text.push_str(&format!(
            "missing  ... and {} more points\n",
            incomplete.len() - LISTED
        ));
    }
    let workers = if at_work.is_empty() {
        "nobody".to_owned()
    } else {
        at_work.join(", ")
    };
    text.push_str(&format!("at work  {workers}\n"));
    output::print(&text)
}

/// Ranges in words: batch 3; batches 1-4, 7.
pub fn ranges(one: &str, several: &str, ranges: &[Range<u32>]) -> String {
    let words: Vec<String> = (ranges.iter())
        .map(|range| match range.end - range.start {
            1 => range.start.to_string(),
            _ => format!("{}-{}", range.start, range.end - 1),
        })
        .collect();
    let single = matches!(ranges, [range] if range.len() == 1);
    format!(
        "{} {}",
        if single { one } else { several },
        words.join(", ")
    )
}
