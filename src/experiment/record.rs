//! The section `[record]`: what is kept along the way, besides the accumulators.
//!
//! Owns its keys and their checks. Does not record.

use super::document::{Place, Table};
use super::names::{label, report_unknown_keys};
use super::problem::Problems;
use super::read;
use crate::models::{Plan, Problem};

const SECTION: &str = "record";
const KEYS: &[&str] = &["trajectories", "ensemble", "from", "to"];

/// What is recorded along the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// How many whole trajectories a point are kept: those of the first replicas.
    pub trajectories: u32,
    /// Whether mean and variance over the ensemble are kept, step by step.
    pub ensemble: bool,
    /// Begin of the recorded span, in the unit of the model's span, counted from the start of the run
    /// (the warm-up is included).
    pub from: f64,
    /// End of the recorded span, in the same unit; the end of the run unless given.
    pub to: f64,
}

impl Record {
    /// The recorded span in steps of a plan: the first one, and how many; none when nothing is recorded.
    ///
    /// # Errors
    /// When an end of the span is no whole number of steps, or there is no step between them.
    pub fn window(&self, plan: &Plan) -> Result<Option<(u32, u32)>, Problem> {
        if self.trajectories == 0 && !self.ensemble {
            return Ok(None);
        }
        let step = |name: &str, units: f64| {
            let exact = units * plan.steps_per_unit;
            let whole = exact.round();
            let fits = (exact - whole).abs() <= 1e-6 && whole <= f64::from(plan.end());
            fits.then_some(whole as u32).ok_or_else(|| {
                Problem::new(
                    SECTION,
                    format!(
                        "{name} = {units} is {exact} steps, not a whole number up to {}; write a multiple of {}",
                        plan.end(),
                        1.0 / plan.steps_per_unit
                    ),
                )
            })
        };
        let (from, to) = (step("from", self.from)?, step("to", self.to)?);
        if from >= to {
            return Err(Problem::new(
                SECTION,
                "there is no step between from and to",
            ));
        }
        Ok(Some((from, to - from)))
    }
}

/// Reads `[record]`, of a run that ends at `end` and has so many `replicas`, where those are known.
pub(super) fn read(
    root: &Table,
    end: Option<f64>,
    replicas: Option<u32>,
    problems: &mut Problems,
) -> Option<Record> {
    let empty = Table::default();
    let table = match root.get(SECTION) {
        Some(entry) => {
            let help = "begin a section with the line [record]";
            read::table(&entry.item, SECTION, help, problems)?
        }
        None => &empty,
    };
    report_unknown_keys(table, SECTION, KEYS, |_| None, problems);
    let trajectories = match table.get("trajectories") {
        Some(entry) => {
            let range = (0, u64::from(replicas.unwrap_or(u32::MAX)));
            let name = label("trajectories", SECTION);
            read::whole(&entry.item, &name, range, problems).and_then(|x| u32::try_from(x).ok())
        }
        None => Some(0),
    };
    let ensemble = match table.get("ensemble") {
        Some(entry) => read::flag(&entry.item, &label("ensemble", SECTION), problems),
        None => Some(false),
    };
    let from = match table.get("from") {
        Some(entry) => read::real(&entry.item, &label("from", SECTION), problems),
        None => Some(0.0),
    };
    let to = match table.get("to") {
        Some(entry) => read::real(&entry.item, &label("to", SECTION), problems),
        None => end,
    };
    let record = Record {
        trajectories: trajectories?,
        ensemble: ensemble?,
        from: from?,
        to: to?,
    };
    let end = end?;
    // Rounding of warmup + duration must not refuse an end that was meant to be theirs.
    let latest = end * (1.0 + 4.0 * f64::EPSILON);
    // A run of one observation has no length that is known here; it may record its warm-up, or nothing.
    let nothing = record.trajectories == 0 && !record.ensemble && end == 0.0;
    let inside = record.from >= 0.0 && record.from < record.to && record.to <= latest;
    if inside || (nothing && record.from == 0.0 && record.to == 0.0) {
        return Some(record);
    }
    let blamed = if (0.0..end).contains(&record.from) {
        "to"
    } else {
        "from"
    };
    let place = table.get(blamed).map_or(Place::File, |entry| entry.place);
    let (from, to) = (record.from, record.to);
    let what = format!("there is nothing to record from {from} to {to}");
    let help = format!("the run goes from 0 to {end} (warmup + duration)");
    problems.report(place, label(blamed, SECTION), what, help);
    None
}
