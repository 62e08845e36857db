//! What is observed of a replica, what points share, and how narrow an interval is to be.
//!
//! Owns the keys `observe`, `common_random_numbers` and `target`. Neither draws nor estimates.

use super::document::{Place, Table};
use super::names::{label, report_unknown_keys, suggestion};
use super::problem::Problems;
use super::read;
use crate::models::{Histogram, Model, Scale};

/// What a replica contributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observe {
    /// Every step of the measured span: observations of one replica depend on each other.
    All,
    /// One step after the warm-up: all observations are independent and alike.
    One,
}

/// An interval that is to be reached by adding batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Name of an estimate of the model, or of a quantile such as `response_p9999`.
    pub estimate: String,
    /// Half the width of its interval over its value, at every point.
    pub relative_half_width: f64,
    /// Replicas a point that are not exceeded.
    pub max_replicas: Option<u32>,
    /// Seconds after which no more batches are added.
    pub max_seconds: Option<f64>,
}

/// A quantile of a histogram, by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedQuantile<'a> {
    /// Name of the histogram.
    pub histogram: &'a str,
    /// Which quantile, between 0 and 1.
    pub q: f64,
}

impl<'a> NamedQuantile<'a> {
    /// The quantile that a name such as `response_p999` (0.999) or `wait_p50` (0.5) stands for.
    pub fn parse(name: &'a str) -> Option<NamedQuantile<'a>> {
        let (histogram, digits) = name.rsplit_once("_p")?;
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let q: f64 = format!("0.{digits}").parse().ok()?;
        (whole && q > 0.0).then_some(NamedQuantile { histogram, q })
    }
}

/// Reads `observe`.
pub(super) fn observe(root: &Table, problems: &mut Problems) -> Option<Observe> {
    let Some(entry) = root.get("observe") else {
        return Some(Observe::All);
    };
    let one = read::word(&entry.item, "observe", &["all", "one"], problems)? == "one";
    Some(if one { Observe::One } else { Observe::All })
}

/// Reads `common_random_numbers`.
pub(super) fn common(root: &Table, problems: &mut Problems) -> Option<bool> {
    root.get("common_random_numbers")
        .map_or(Some(false), |entry| {
            read::flag(&entry.item, "common_random_numbers", problems)
        })
}

const KEYS: &[&str] = &[
    "estimate",
    "relative_half_width",
    "max_replicas",
    "max_seconds",
];
/// Most bins an octave that models offer.
const MOST_BINS: u64 = 1024;
const FORM: &str = "write target = { estimate = \"response_mean\", relative_half_width = 0.01, max_replicas = 1000000 }";

/// Reads `target`; the inner none when there is none.
pub(super) fn target(root: &Table, problems: &mut Problems) -> Option<Option<Target>> {
    let Some(entry) = root.get("target") else {
        return Some(None);
    };
    let table = read::table(&entry.item, "target", FORM, problems)?;
    report_unknown_keys(table, "target", KEYS, |_| None, problems);
    let mut required = |key: &str| {
        let found = table.get(key);
        if found.is_none() {
            problems.report(entry.place, "target", format!("no `{key}`"), FORM);
        }
        found
    };
    let (estimate, width) = (required("estimate"), required("relative_half_width"));
    let estimate = read::text(&estimate?.item, &label("estimate", "target"), problems);
    let mut positive = |key: &str, item| {
        let name = label(key, "target");
        let x = read::real(item, &name, problems)?;
        if x > 0.0 && x.is_finite() {
            return Some(x);
        }
        read::refuse(item, &name, "a number above zero", "", problems);
        None
    };
    let width = positive("relative_half_width", &width?.item);
    let seconds = (table.get("max_seconds")).map(|entry| positive("max_seconds", &entry.item));
    let replicas = table.get("max_replicas").map(|entry| {
        let (name, range) = (label("max_replicas", "target"), (1, u64::from(u32::MAX)));
        read::whole(&entry.item, &name, range, problems)
    });
    if replicas.is_none() && seconds.is_none() {
        let what =
            "without `max_replicas` or `max_seconds`, nothing would end a run that cannot reach it";
        problems.report(entry.place, "target", what, FORM);
        return None;
    }
    Some(Some(Target {
        estimate: estimate?.to_owned(),
        relative_half_width: width?,
        max_replicas: replicas.map_or(Some(None), |n| {
            n.and_then(|n| u32::try_from(n).ok()).map(Some)
        })?,
        max_seconds: seconds.map_or(Some(None), |s| s.map(Some))?,
    }))
}

/// Reports a target for something that the model does not estimate, or that its bins are too wide for.
pub(super) fn check_target(
    model: &Model,
    histograms: &[Histogram],
    target: &Target,
    root: &Table,
    problems: &mut Problems,
) {
    let place = root.get("target").map_or(Place::File, |entry| entry.place);
    if model.observables.iter().any(|o| o.name == target.estimate) {
        return;
    }
    let quantile = NamedQuantile::parse(&target.estimate);
    let histogram = quantile.and_then(|quantile| {
        let known = |histogram: &&Histogram| histogram.name == quantile.histogram;
        histograms.iter().find(known)
    });
    let Some(histogram) = histogram else {
        let mut names: Vec<String> = (histograms.iter())
            .map(|histogram| format!("{}_p999", histogram.name))
            .collect();
        names.extend(model.observables.iter().map(|o| o.name.to_owned()));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let what = format!(
            "there is no estimate \"{}\"",
            super::problem::plain(&target.estimate)
        );
        problems.report(
            place,
            label("estimate", "target"),
            what,
            suggestion(&target.estimate, &names),
        );
        return;
    };
    // An interval of a quantile ends on edges of bins, outwards.
    if let Scale::LogLinear { bits } = histogram.scale {
        let bins = f64::from(1u32 << bits);
        if target.relative_half_width * bins < 1.0 {
            let enough = libm::ceil(1.0 / target.relative_half_width) as u64;
            let what = format!(
                "{} is finer than a bin: {} bins an octave tell values apart by up to 1/{0} of themselves",
                target.relative_half_width, bins
            );
            let help = match enough.next_power_of_two() {
                most @ ..=MOST_BINS => format!("bins_an_octave = {most} would do"),
                _ => format!(
                    "the finest that bins allow is 1/{MOST_BINS}, with bins_an_octave = {MOST_BINS}"
                ),
            };
            problems.report(place, label("relative_half_width", "target"), what, help);
        }
    }
}

/// The lines of a canonical file.
pub(super) fn lines(observe: Observe, common: bool, target: Option<&Target>) -> Vec<String> {
    let observed = match observe {
        Observe::All => "all",
        Observe::One => "one",
    };
    let mut lines = vec![
        format!("observe = \"{observed}\""),
        format!("common_random_numbers = {common}"),
    ];
    if let Some(target) = target {
        let mut line = format!(
            "target = {{ estimate = \"{}\", relative_half_width = {}",
            target.estimate,
            read::real_as_typed(target.relative_half_width)
        );
        if let Some(replicas) = target.max_replicas {
            line += &format!(", max_replicas = {replicas}");
        }
        if let Some(seconds) = target.max_seconds {
            line += &format!(", max_seconds = {}", read::real_as_typed(seconds));
        }
        lines.push(line + " }");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::NamedQuantile;

    #[test]
    fn quantiles_are_named_by_their_digits() {
        let q = |name| NamedQuantile::parse(name).map(|found| (found.histogram, found.q));
        assert_eq!(q("response_p9999"), Some(("response", 0.9999)));
        assert_eq!(q("wait_p50"), Some(("wait", 0.5)));
        assert_eq!(q("a_b_p05"), Some(("a_b", 0.05)));
        for name in ["p_empty", "response_p", "response_p00", "response_p9x", "x"] {
            assert_eq!(q(name), None, "{name}");
        }
    }
}
