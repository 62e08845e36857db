//! What was run, in words: the model, the sizes of the ensemble, and every parameter with symbol, unit and meaning.

use super::text::{escaped, prose, symbol};
use crate::ensemble::Results;
use crate::experiment::{Combine, Experiment, Observe};
use crate::models::{Parameter, Value};
use crate::report::number::significant;

/// Most values of a sweep that are listed.
const MOST_LISTED: usize = 12;

/// The section.
pub fn section(results: &Results) -> String {
    let experiment = &results.experiment;
    let rows: String = (experiment.model.parameters.iter())
        .filter_map(|parameter| row(experiment, parameter))
        .collect();
    format!(
        "<section id=\"run\">\n<h2>What was run</h2>\n{}\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Parameters\"><table>\n<caption>Parameters: what was swept in bold, what is at its default in \
         grey.</caption>\n<thead><tr><th scope=\"col\">parameter</th><th scope=\"col\">symbol</th><th scope=\"col\">\
         value</th><th scope=\"col\">unit</th><th scope=\"col\">meaning</th></tr></thead>\n<tbody>\n{rows}</tbody></table>\
         </div>\n</section>\n",
        words(results)
    )
}

fn words(results: &Results) -> String {
    let experiment = &results.experiment;
    let model = experiment.model;
    let points = results.points.len();
    let replicas = format!(
        "{} independent replicas in {} batches",
        grouped(u64::from(experiment.replicas)),
        experiment.batches
    );
    let sweeps: Vec<String> = (experiment.sweeps.iter())
        .map(|sweep| escaped(&sweep.name.replace('_', " ")))
        .collect();
    let swept = match (&sweeps[..], experiment.combine) {
        ([], _) => "one point".to_owned(),
        ([one], _) => format!("{points} values of {one}"),
        (_, Combine::Grid) => format!(
            "{points} points: all combinations of {}",
            sweeps.join(" and ")
        ),
        (_, Combine::Zip) => format!(
            "{points} points along which {} go together",
            sweeps.join(" and ")
        ),
    };
    let unit = escaped(model.span_unit);
    let span = match experiment.observe {
        Observe::All => {
            let measured = significant(experiment.duration, 6);
            if experiment.warmup > 0.0 {
                let warmup = significant(experiment.warmup, 6);
                format!(
                    "Each replica runs for a warm-up of {warmup} {unit}, which is not measured, and then for {measured} {unit}, which are"
                )
            } else {
                format!("Each replica runs for {measured} {unit}, measured from the start")
            }
        }
        Observe::One if experiment.warmup == 0.0 => {
            "Each replica gives one observation, so that all observations are independent"
                .to_owned()
        }
        Observe::One => format!(
            "Each replica runs for {} {unit} and then gives one observation, so that all observations are independent",
            significant(experiment.warmup, 6),
        ),
    };
    let shared = if experiment.common_random_numbers {
        " All points draw the same random numbers, which makes their differences more precise."
    } else {
        ""
    };
    format!(
        "<p>The model <b>{}</b>: {}.</p>\n<p>{swept}, each with {replicas}. {span}. Replicas share no random numbers; the seed \
         of all of them is {}.{shared}</p>",
        escaped(model.name),
        escaped(model.summary.trim_end_matches('.')),
        experiment.seed,
    )
}

/// The row of a parameter; none where it has no value.
fn row(experiment: &Experiment, parameter: &Parameter) -> Option<String> {
    let swept = experiment.sweeps.iter().find(|s| s.name == parameter.name);
    let fixed = experiment
        .fixed
        .iter()
        .find(|(name, _)| *name == parameter.name);
    let default = parameter.default.map(Value::from);
    // A result holds every parameter, whether somebody wrote it or not.
    let value = fixed.map(|(_, value)| value).or(default.as_ref());
    let (value, class) = match (swept, value) {
        (Some(sweep), _) => (sweep_words(&sweep.values), " class=\"swept\""),
        (None, Some(value)) if default.as_ref() == Some(value) => {
            (format!("{} (default)", one(value)), " class=\"default\"")
        }
        (None, value) => (one(value?), ""),
    };
    Some(format!(
        "<tr{class}><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escaped(parameter.name),
        symbol(parameter.symbol),
        escaped(&value),
        escaped(parameter.unit),
        prose(parameter.help)
    ))
}

fn sweep_words(values: &[Value]) -> String {
    if values.len() <= MOST_LISTED {
        let all: Vec<String> = values.iter().map(one).collect();
        return format!("swept: {}", all.join(", "));
    }
    let ends = [values.first(), values.last()].map(|value| value.map_or(String::new(), one));
    format!(
        "swept: {} values from {} to {}",
        values.len(),
        ends[0],
        ends[1]
    )
}

fn one(value: &Value) -> String {
    match value {
        Value::Number(x) => significant(*x, 9),
        other => other.to_string(),
    }
}

/// A whole number with its digits in groups of three.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn long_numbers_have_groups_of_three_digits() {
        let all = [7, 999, 1000, 1_234_567].map(super::grouped);
        assert_eq!(all, ["7", "999", "1,000", "1,234,567"]);
    }
}
