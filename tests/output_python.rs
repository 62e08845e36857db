//! The result file as others see it: h5py, h5netcdf and xarray read the same numbers, with names.
#![allow(clippy::unwrap_used)]

#[path = "common/python.rs"]
mod python;

#[path = "output/synthetic.rs"]
mod synthetic;

use queuefarm::ensemble::Results;
use queuefarm::store::write;
use serde_json::{Value, json};
use synthetic::{RECORDED, estimates, experiment, results};

/// What `tests/python/read_output.py` is to find, in its own words.
fn expected(results: &Results) -> Value {
    let model = results.experiment.model;
    let per_batch = |number: &dyn Fn(&queuefarm::models::Tallies) -> Value| -> Value {
        let points = results.batches.iter();
        points
            .map(|batches| batches.iter().map(number).collect::<Value>())
            .collect()
    };
    // Numbers beyond 64 bits go as text.
    let sums = per_batch(&|batch| json!(batch.sums[0].map(|sum| sum.to_string())));
    let square = per_batch(&|batch| batch.ensemble.iter().map(|x| x[1].to_string()).collect());
    let traced = per_batch(&|batch| batch.ensemble.iter().map(|x| x[0].to_string()).collect());
    let histogram = &results.plans[0].histograms[0];
    let bins = histogram.bins as usize;
    let bins_of = |point: usize| results.plans[point].histograms[0].bins;
    let alike = |h: &queuefarm::models::Histogram| h.scale;
    let common = results
        .plans
        .iter()
        .all(|plan| alike(&plan.histograms[0]) == alike(histogram));
    json!({
        "title": results.experiment.title,
        "model": model.name,
        "seed": results.experiment.seed.to_string(),
        "source": results.experiment.source,
        "replicas": results.experiment.replicas,
        "steps": results.provenance.steps.to_string(),
        "points": results.points.len(),
        "batches": results.experiment.batches,
        "parameters": model.parameters.iter().map(|p| p.name).collect::<Vec<_>>(),
        "clients": results.points.iter().map(|p| p.number("clients")).collect::<Vec<_>>(),
        "information": results.points.iter().map(|p| p.word("information")).collect::<Vec<_>>(),
        "observable": model.observables[0].name,
        "unit": model.observables[0].unit,
        "long_name": model.observables[0].help,
        "histogram": histogram.name,
        "common_bins": common,
        "bins": (0..results.points.len()).map(bins_of).collect::<Vec<_>>(),
        "origin": histogram.edge(0),
        "width": histogram.width(0),
        "counts": results.batches[0].iter().map(|b| &b.counts[..bins]).collect::<Vec<_>>(),
        "sum": model.sums[0],
        "sums": sums,
        "ensemble_sum": traced,
        "ensemble_square": square,
        "trajectories": results.batches.iter().map(|batches| {
            let traced = batches.iter().flat_map(|batch| &batch.trajectories);
            traced.map(|(replica, values)| json!([replica, values])).collect::<Value>()
        }).collect::<Value>(),
    })
}

#[test]
fn h5py_and_h5netcdf_and_xarray_read_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, facts) = (
        folder.path().join("out.h5"),
        folder.path().join("expected.json"),
    );
    let results = results(experiment(RECORDED), |point| 5 + point);
    write(&file, &results, &estimates(&results)).unwrap();
    std::fs::write(&facts, expected(&results).to_string()).unwrap();
    let Some(said) = python::output_of("read_output.py", &[&file, &facts]) else {
        return;
    };
    // So that a script that checks nothing cannot pass.
    let said = String::from_utf8_lossy(&said);
    for reader in ["h5py", "h5netcdf", "xarray"] {
        assert!(said.contains(&format!("{reader}: ok")), "{said}");
    }
}
