//! Results made by hand: the right shape and every digit different, but simulated by nobody.
//!
//! Owns what the tests of the result file write. Checks nothing.

use queuefarm::ensemble::{Provenance, Results};
use queuefarm::experiment::Experiment;
use queuefarm::models::{Plan, Point, Tallies};
use queuefarm::store::{Columns, Ensemble, Estimates};

/// Four points of different size, recorded.
pub const RECORDED: &str = r#"
title = "A file for tests: τ, ½, \"quotes\""
model = "delay"
seed = "18446744073709551615"
replicas = 12
batches = 4
warmup = 20
duration = 40
[parameters]
clients = { list = [10, 24] }
information_delay = { list = [2, 3] }
[record]
trajectories = 5
ensemble = true
from = 0
to = 30
"#;

/// The experiment of that source.
pub fn experiment(source: &str) -> Experiment {
    Experiment::parse(source, "test.toml", &[], None)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// Results of `experiment`; `ticks` is the number of recorded ticks of a point.
pub fn results(experiment: Experiment, ticks: impl Fn(usize) -> usize) -> Results {
    let points = experiment.points();
    let plan = |point: &Point| (experiment.model.plan)(point).unwrap_or_else(|e| panic!("{e}"));
    let plans: Vec<Plan> = points.iter().map(plan).collect();
    let mut numbers = Numbers(1);
    let mut batches = Vec::new();
    for (point, plan) in plans.iter().enumerate() {
        let make = |batch| tallies(&experiment, plan, batch, ticks(point), &mut numbers);
        batches.push((0..experiment.batches).map(make).collect());
    }
    let provenance = Provenance {
        program_version: "0.1.0".to_owned(),
        backend: "cpu".to_owned(),
        adapter: "portable".to_owned(),
        driver: String::new(),
        started: "2003-12-10T00:00:00Z".to_owned(),
        ended: "2003-12-10T00:00:02Z".to_owned(),
        steps: u64::MAX - 1,
        seconds: 2.5,
        incidents: vec!["device lost; redone".to_owned()],
    };
    Results {
        experiment,
        points,
        plans,
        batches,
        provenance,
    }
}

fn tallies(
    experiment: &Experiment,
    plan: &Plan,
    batch: u32,
    ticks: usize,
    numbers: &mut Numbers,
) -> Tallies {
    let size = experiment.replicas / experiment.batches;
    let mut tallies = Tallies::zero(plan, experiment.model.sums.len());
    tallies.replicas = u64::from(size);
    // Counts stay below 2^32, sums reach beyond 2^64.
    tallies
        .counts
        .iter_mut()
        .for_each(|count| *count = numbers.next() >> 32);
    tallies
        .sums
        .iter_mut()
        .flatten()
        .for_each(|sum| *sum = numbers.wide() >> 40);
    tallies
        .peaks
        .iter_mut()
        .for_each(|peak| *peak = numbers.wide() >> 50);
    tallies
        .maxima
        .iter_mut()
        .for_each(|most| *most = numbers.next() >> 32);
    if experiment.record.ensemble {
        let mut pair = || [numbers.wide() as i128 >> 30, (numbers.wide() >> 40) as i128];
        tallies.ensemble = (0..ticks).map(|_| pair()).collect();
    }
    let traced = (batch * size..(batch + 1) * size).filter(|r| *r < experiment.record.trajectories);
    for replica in traced {
        let values = (0..ticks).map(|_| numbers.next() as i32).collect();
        tallies.trajectories.push((replica, values));
    }
    tallies
}

/// Estimates for `results`: the numbers mean nothing, and the last point has no interval.
pub fn estimates(results: &Results) -> Estimates {
    let points = results.points.len();
    let column = |offset: f64| -> Vec<f64> { (0..points).map(|i| i as f64 + offset).collect() };
    let mut se = column(0.25);
    if let Some(last) = se.last_mut() {
        *last = f64::NAN;
    }
    let of = |observable: &queuefarm::models::Observable| Columns {
        name: observable.name,
        unit: observable.unit,
        long_name: observable.help,
        mean: column(0.5),
        se: se.clone(),
        lo: column(0.125),
        hi: column(0.875),
        theory: column(0.0625),
    };
    let ensemble = |ticks: usize| Ensemble {
        mean: (0..ticks).map(|tick| tick as f64 - 0.5).collect(),
        variance: (0..ticks).map(|tick| tick as f64 + 0.75).collect(),
    };
    let recorded = results.experiment.record.ensemble;
    let first_batches = results
        .batches
        .iter()
        .filter(|_| recorded)
        .map(|batches| &batches[0]);
    Estimates {
        confidence: 0.95,
        columns: results
            .experiment
            .model
            .observables
            .iter()
            .map(of)
            .collect(),
        ensembles: first_batches
            .map(|batch| ensemble(batch.ensemble.len()))
            .collect(),
    }
}

/// A sequence in which no two numbers are alike (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}
