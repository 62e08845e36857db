//! `--shard`: which part of an ensemble one of several machines does.
//!
//! Owns the words, `3/8` or what Slurm's array says, and which experiments can be divided. Which batches a share has is
//! `ensemble`'s.

use super::Failure;
use crate::ensemble::Share;
use crate::experiment::Experiment;
use std::path::Path;

/// What the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shard {
    /// One of so many, counted from 1.
    Of(u32, u32),
    /// The task of a Slurm array.
    Slurm,
}

/// Reads `3/8` or `slurm`.
pub fn parse(text: &str) -> Result<Shard, String> {
    if text == "slurm" {
        return Ok(Shard::Slurm);
    }
    let numbers = text
        .split_once('/')
        .and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    match numbers {
        Some((i, n)) if 1 <= i && i <= n => Ok(Shard::Of(i, n)),
        _ => Err(
            "one of several shards, 3/8 for the third of eight, or slurm in a job array".to_owned(),
        ),
    }
}

/// Refuses an experiment that `of` shards cannot do.
///
/// # Errors
/// No seed, a target, or more shards than batches.
pub fn check(of: u32, experiment: &Experiment, file: &Path) -> Result<(), Failure> {
    let file = file.display();
    if experiment.seed_was_drawn {
        return Err(Failure::Usage(format!(
            "{file}: shards must draw from one seed, and the file has none; add a line such as seed = {}",
            experiment.seed % 1_000_000
        )));
    }
    if experiment.target.is_some() {
        return Err(Failure::Usage(format!(
            "{file}: a target is pursued by looking at all batches, which no shard has; take `target` out of the file and give enough batches"
        )));
    }
    let cells = u64::from(experiment.point_count()) * u64::from(experiment.batches);
    if u64::from(of) > cells {
        return Err(Failure::Usage(format!(
            "{file}: {of} shards, but only {cells} batches of all points together; a batch is not divided"
        )));
    }
    Ok(())
}

impl Shard {
    /// The share that it means here.
    ///
    /// # Errors
    /// `slurm` outside a job array.
    pub fn share(self) -> Result<Share, String> {
        self.resolve(&|name| std::env::var(name).ok())
    }

    fn resolve(self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Share, String> {
        if let Shard::Of(i, of) = self {
            return Ok(Share { index: i - 1, of });
        }
        let number = |name: &str| -> Result<u32, String> {
            let text = variable(name).ok_or_else(|| {
                format!("--shard slurm is for tasks of a Slurm job array, and {name} is not set; say --shard i/n elsewhere")
            })?;
            text.trim()
                .parse()
                .map_err(|_| format!("--shard slurm: {name} is {text:?}, not a whole number"))
        };
        let [id, min, max] = ["ID", "MIN", "MAX"].map(|end| format!("SLURM_ARRAY_TASK_{end}"));
        let (id, min, max) = (number(&id)?, number(&min)?, number(&max)?);
        let step = number("SLURM_ARRAY_TASK_STEP").unwrap_or(1);
        if step != 1 || !(min..=max).contains(&id) || max - min == u32::MAX {
            return Err(format!(
                "--shard slurm: task {id} of an array from {min} to {max} in steps of {step}; use an array without gaps, such as --array=1-8"
            ));
        }
        Ok(Share {
            index: id - min,
            of: max - min + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Shard, parse};
    use crate::ensemble::Share;

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!(parse("3/8"), Ok(Shard::Of(3, 8)));
        assert_eq!(Shard::Of(3, 8).share(), Ok(Share { index: 2, of: 8 }));
        for wrong in ["0/8", "9/8", "3", "3/0", "-1/2", "a/b", "1/2/3", ""] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_array_of_slurm_numbers_its_tasks_from_anywhere() {
        let share = |id: &str, min: &str, max: &str, step: &str| {
            Shard::Slurm.resolve(&|name| {
                let value = match name {
                    "SLURM_ARRAY_TASK_ID" => id,
                    "SLURM_ARRAY_TASK_MIN" => min,
                    "SLURM_ARRAY_TASK_MAX" => max,
                    _ => step,
                };
                (!value.is_empty()).then(|| value.to_owned())
            })
        };
        assert_eq!(share("7", "5", "12", ""), Ok(Share { index: 2, of: 8 }));
        assert_eq!(share("0", "0", "0", "1"), Ok(Share { index: 0, of: 1 }));
        for (id, min, max, step) in [
            ("", "0", "3", ""),
            ("4", "0", "3", ""),
            ("2", "0", "4", "2"),
            ("x", "0", "3", ""),
        ] {
            assert!(
                share(id, min, max, step).is_err(),
                "{id} {min} {max} {step}"
            );
        }
    }
}
