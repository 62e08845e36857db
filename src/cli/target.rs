//! Adding batches until an interval is narrow enough, or the budget is spent.

use super::Failure;
use super::written::STORED_CONFIDENCE;
use crate::ensemble::Results;
use crate::experiment::Target;
use crate::statistics::{next_batches, relative_half_width};
use serde_json::json;
use std::time::{Duration, Instant};

/// How an attempt to reach a target ended.
#[derive(Debug)]
pub struct Aim {
    target: Target,
    /// The widest relative half-width of all points; none while some point has no interval.
    width: Option<f64>,
    batches: u32,
    replicas: u32,
    /// The budget that was spent; none when the target was reached.
    spent: Option<&'static str>,
}

impl Aim {
    /// One line for people.
    pub fn text(&self) -> String {
        let Target {
            estimate,
            relative_half_width,
            ..
        } = &self.target;
        let width = self.width.map_or("unknown".to_owned(), |width| {
            crate::report::number::significant(width, 3)
        });
        let size = format!("{} replicas in {} batches", self.replicas, self.batches);
        match self.spent {
            None => format!(
                "target reached with {size}: relative half-width of {estimate} {width}, at most {relative_half_width} was asked for"
            ),
            Some(budget) => format!(
                "target not reached, {budget} is spent with {size}: relative half-width of {estimate} {width}, at most {relative_half_width} was asked for"
            ),
        }
    }

    /// The same as JSON.
    pub fn json(&self) -> serde_json::Value {
        json!({
            "estimate": self.target.estimate, "relative_half_width": self.width,
            "asked": self.target.relative_half_width, "reached": self.spent.is_none(), "spent": self.spent,
        })
    }
}

/// Adds batches by `more` until the target or an end of its budget is reached.
///
/// # Errors
/// Those of `more`.
pub fn reach(
    results: &mut Results,
    target: &Target,
    begun: Instant,
    say: &dyn Fn(&str),
    more: &mut dyn FnMut(&mut Results, u32) -> Result<(), Failure>,
) -> Result<Aim, Failure> {
    let size = results.experiment.replicas / results.experiment.batches;
    let most = target
        .max_replicas
        .map_or(u32::MAX / size, |most| most / size);
    loop {
        let width = relative_half_width(results, target, STORED_CONFIDENCE);
        let batches = results.experiment.batches;
        let aim = |spent| Aim {
            target: target.clone(),
            width,
            batches,
            replicas: results.experiment.replicas,
            spent,
        };
        if width.is_some_and(|width| width <= target.relative_half_width) {
            return Ok(aim(None));
        }
        let elapsed = begun.elapsed();
        let limit = target.max_seconds.map_or(Duration::MAX, |seconds| {
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
        });
        let mut next = next_batches(batches, width, target.relative_half_width, most);
        if limit != Duration::MAX {
            // No more than fits into the time that is left, at the speed so far.
            let left = limit.saturating_sub(elapsed).as_secs_f64();
            let fits = left / elapsed.as_secs_f64().max(1e-9) * f64::from(batches);
            next = next.min(batches.saturating_add(fits.min(f64::from(u32::MAX)) as u32));
        }
        if next <= batches {
            let spent = if batches >= most {
                "max_replicas"
            } else {
                "max_seconds"
            };
            return Ok(aim(Some(spent)));
        }
        let seen = width.map_or("unknown".to_owned(), |width| {
            crate::report::number::significant(width, 3)
        });
        say(&format!(
            "relative half-width of {} is {seen} with {batches} batches; going on to {next}",
            target.estimate
        ));
        more(results, next - batches)?;
    }
}
