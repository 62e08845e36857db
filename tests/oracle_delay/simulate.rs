//! Runs small experiments and reads their estimates. Owns no expectation.

use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::{Results, run};
use queuefarm::experiment::Experiment;
use queuefarm::models::delay::words::sum;
use queuefarm::statistics::{Estimate, Table};

/// How much is simulated for a point: replicas, and their warm-up and measured span in time units.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    pub replicas: u32,
    pub warmup: u32,
    pub duration: u32,
}

/// The estimates of the points of one experiment.
pub struct Answers {
    table: Table,
}

impl Answers {
    /// An estimate of a point.
    #[track_caller]
    pub fn get(&self, point: usize, observable: &str) -> Estimate {
        self.table.estimates[point][self.table.column(observable).unwrap()]
    }

    /// The value of an estimate.
    #[track_caller]
    pub fn mean(&self, point: usize, observable: &str) -> f64 {
        self.get(point, observable).mean.unwrap()
    }
}

/// Runs `parameters`, lines of an experiment file, with a fixed seed.
fn results(parameters: &str, effort: Effort, batches: u32, seed: u64) -> Results {
    let Effort {
        replicas,
        warmup,
        duration,
    } = effort;
    let file = format!(
        "model = \"delay\"\nseed = {seed}\nreplicas = {replicas}\nbatches = {batches}\n\
         warmup = {warmup}\nduration = {duration}\n[parameters]\n{parameters}\n"
    );
    let experiment = Experiment::parse(&file, "oracle.toml", &[], None)
        .unwrap_or_else(|problems| panic!("{problems}\n{file}"));
    run(&experiment, &mut Cpu::new(0).unwrap(), &Watch::new()).unwrap()
}

/// The estimates of an experiment.
pub fn simulate(parameters: &str, effort: Effort, seed: u64) -> Answers {
    let results = results(parameters, effort, effort.replicas.min(64), seed);
    Answers {
        table: Table::new(&results, 0.95),
    }
}

/// A_rms and mean A of each replica of an experiment of one point.
pub fn single_replicas(parameters: &str, effort: Effort, seed: u64) -> Vec<(f64, f64)> {
    let results = results(parameters, effort, effort.replicas, seed);
    let steps = f64::from(results.plans[0].halves.iter().sum::<u32>());
    let values = results.batches[0].iter().map(|batch| {
        let total = |which: usize| batch.sums[which].iter().sum::<u128>() as f64 / steps;
        (
            total(sum::SQUARE).sqrt(),
            total(sum::QUEUE_1) - total(sum::QUEUE_2),
        )
    });
    values.collect()
}
