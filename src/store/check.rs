//! Whether results are whole, before a file is made of them.
//!
//! Owns the conditions that the reader later relies on. Knows neither HDF5 nor files.

use super::{Estimates, record};
use crate::ensemble::Results;
use crate::models::{Plan, Tallies};

/// Says what is missing or does not fit, in words that follow "the results are incomplete".
pub(super) fn complete(results: &Results, estimates: &Estimates) -> Result<(), String> {
    let points = results.points.len();
    equal("points", points, results.experiment.points().len())?;
    equal("plans", results.plans.len(), points)?;
    equal("lists of batches", results.batches.len(), points)?;
    let (Some(first), Some(size)) = (results.plans.first(), batch_size(results)) else {
        return Err("there are no points or no batches".to_owned());
    };
    let names = |plan: &Plan| plan.histograms.iter().map(|h| h.name).collect::<Vec<_>>();
    for (point, (plan, batches)) in results.plans.iter().zip(&results.batches).enumerate() {
        let wrong = |what: String| format!("point {point}: {what}");
        if names(plan) != names(first) {
            return Err(wrong(
                "its histograms have other names than those of point 0".to_owned(),
            ));
        }
        equal(
            "batches",
            batches.len(),
            results.experiment.batches as usize,
        )
        .map_err(wrong)?;
        for (i, batch) in batches.iter().enumerate() {
            let sums = results.experiment.model.sums.len();
            whole(batch, plan, sums, size).map_err(|what| wrong(format!("batch {i}: {what}")))?;
        }
        for (k, histogram) in plan.histograms.iter().enumerate() {
            let counts = batches
                .iter()
                .flat_map(|batch| &batch.counts[plan.place(k)]);
            if !countable(counts) {
                let name = histogram.name;
                return Err(wrong(format!("the counts of {name} are impossibly large")));
            }
        }
    }
    record::complete(results, &estimates.ensembles)?;
    for columns in &estimates.columns {
        let lists = [
            &columns.mean,
            &columns.se,
            &columns.lo,
            &columns.hi,
            &columns.theory,
        ];
        for list in lists {
            equal(
                &format!("estimates of {}", columns.name),
                list.len(),
                points,
            )?;
        }
    }
    Ok(())
}

/// Replicas a batch; none when there are no batches.
pub(super) fn batch_size(results: &Results) -> Option<u32> {
    results
        .experiment
        .replicas
        .checked_div(results.experiment.batches)
}

fn whole(batch: &Tallies, plan: &Plan, sums: usize, size: u32) -> Result<(), String> {
    if batch.replicas != u64::from(size) {
        return Err(format!(
            "{} of {size} replicas have finished",
            batch.replicas
        ));
    }
    equal("counts", batch.counts.len(), plan.bins())?;
    equal("sums", batch.sums.len(), sums)?;
    equal("peaks", batch.peaks.len(), plan.peaks_at.len())?;
    equal("maxima", batch.maxima.len(), plan.maxima_at.len())
}

/// Whether all these counts together are a number of 64 bits, so that adding up any of them cannot overflow.
pub(super) fn countable<'a>(counts: impl IntoIterator<Item = &'a u64>) -> bool {
    let total: u128 = counts.into_iter().map(|count| u128::from(*count)).sum();
    u64::try_from(total).is_ok()
}

/// Compares two numbers of things.
pub(super) fn equal(what: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found} {what}, expected {expected}"))
    }
}
