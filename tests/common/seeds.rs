//! A small result file of every model, simulated.

use queuefarm::engine::{Cpu, Watch};
use queuefarm::experiment::Experiment;
use queuefarm::models::MODELS;
use queuefarm::report;
use queuefarm::statistics::Table;
use queuefarm::store;
use std::path::{Path, PathBuf};

/// Runs the starter of each model, cut short, and writes the results to `folder`.
pub fn write(folder: &Path) -> Vec<PathBuf> {
    let mut cpu = Cpu::new(1).expect("the CPU");
    let mut write = |model: &queuefarm::models::Model| {
        let mut short = vec!["replicas=8", "batches=2", "warmup=0", "duration=40"];
        // Instances are dear to plan.
        short.extend(match model.name {
            "selfish-pure" => &["servers=2", "streams=6", "instances=2"][..],
            "selfish-mixed" => &["servers=2", "streams=6"],
            _ => &[],
        });
        let short: Vec<String> = short.into_iter().map(str::to_owned).collect();
        let experiment = Experiment::parse(model.starter, "starter.toml", &short, None)
            .unwrap_or_else(|problems| panic!("{problems}"));
        let results = queuefarm::ensemble::run(&experiment, &mut cpu, &Watch::new())
            .unwrap_or_else(|fault| panic!("{fault}"));
        let path = folder.join(format!("{}.h5", model.name));
        let stored = report::stored(&results, &Table::new(&results, 0.95));
        store::write(&path, &results, &stored).unwrap_or_else(|error| panic!("{error}"));
        path
    };
    MODELS.iter().map(|model| write(model)).collect()
}
