//! Runs experiments of `redundancy` and reads estimates and tails. Owns no expectation.

use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::{Results, run};
use queuefarm::experiment::Experiment;
use queuefarm::report::summary;
use queuefarm::statistics::{Estimate, Table};

/// How much is simulated for a point.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    pub replicas: u32,
    /// Jobs a replica that are not measured.
    pub warmup: u32,
    /// Jobs a replica that are.
    pub duration: u32,
}

impl Effort {
    /// Jobs measured in all.
    pub fn jobs(&self) -> f64 {
        f64::from(self.replicas) * f64::from(self.duration)
    }
}

/// Batches, from which the standard errors come.
pub const BATCHES: u32 = 128;

/// What an experiment of one point gave.
pub struct Answers {
    pub results: Results,
    pub table: Table,
}

/// The share of jobs that took longer than a time at a bin edge, and its standard error.
#[derive(Debug, Clone, Copy)]
pub struct Tail {
    pub time: f64,
    pub share: f64,
    pub se: f64,
}

/// The experiment with `parameters`, lines of an experiment file, and a fixed seed.
pub fn file(parameters: &str, effort: Effort, seed: u64) -> String {
    let Effort {
        replicas,
        warmup,
        duration,
    } = effort;
    format!(
        "model = \"redundancy\"\nseed = {seed}\nreplicas = {replicas}\nbatches = {BATCHES}\n\
         warmup = {warmup}\nduration = {duration}\n[parameters]\n{parameters}\n"
    )
}

/// Runs it.
#[track_caller]
pub fn simulate(parameters: &str, effort: Effort, seed: u64) -> Answers {
    let file = file(parameters, effort, seed);
    let experiment = Experiment::parse(&file, "oracle.toml", &[], None)
        .unwrap_or_else(|problems| panic!("{problems}\n{file}"));
    let results = run(&experiment, &mut Cpu::new(0).unwrap(), &Watch::new()).unwrap();
    let table = Table::new(&results, 0.95);
    assert_eq!(table.faults, [0], "{parameters}");
    Answers { results, table }
}

impl Answers {
    /// An estimate.
    #[track_caller]
    pub fn get(&self, observable: &str) -> Estimate {
        self.table.estimates[0][self.table.column(observable).unwrap()]
    }

    /// Whether the summary calls the point steady.
    pub fn is_steady(&self) -> bool {
        let summary = summary::json(&self.results, &self.table);
        summary["points"][0]["steady"].as_bool().unwrap()
    }

    /// The tail at the bin edge of the response times that is nearest to a time.
    ///
    /// Times are counted in units, rounded to nearest: at least n units are more than n - 1/2 of them.
    pub fn tail_near(&self, time: f64) -> Tail {
        let histogram = &self.results.plans[0].histograms[0];
        assert_eq!(histogram.name, "response");
        let off = |bin: &u32| (histogram.lower(*bin) - time).abs();
        let bin = (0..histogram.bins)
            .min_by(|a, b| off(a).total_cmp(&off(b)))
            .unwrap();
        let shares: Vec<f64> = self.results.batches[0]
            .iter()
            .map(|batch| {
                let counts = &batch.counts[..histogram.bins as usize];
                let beyond: u64 = counts[bin as usize..].iter().sum();
                beyond as f64 / counts.iter().sum::<u64>() as f64
            })
            .collect();
        let (share, se) = mean_and_error(&shares);
        Tail {
            time: histogram.lower(bin) - 0.5 * histogram.step,
            share,
            se,
        }
    }
}

/// Mean and standard error of the mean.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}
