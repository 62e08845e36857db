//! How sure the numbers are, in words: what an interval means, whether exact laws are met, and which points are in doubt.

use super::estimates::labels;
use super::text::escaped;
use crate::ensemble::Results;
use crate::report::number::{significant, with_half_width};
use crate::report::{steady, summary};
use crate::statistics::{Check, Comparison, Table};

/// The chance of a false alarm that the verdict allows, as in `queuefarm check`.
const LEVEL: f64 = 0.01;
/// Largest |z| that is not listed.
const REMARKABLE: f64 = 3.0;
/// Most comparisons or points that are listed.
const MOST: usize = 20;

/// The verdict in one sentence, for the top of the page too, and its class.
pub fn verdict(check: &Check) -> (String, &'static str) {
    let count = check.comparisons.len();
    let p = significant(check.p(), 2);
    let spread = significant(check.spread(), 3);
    if count == 0 && !check.left_out.is_empty() {
        let text = format!(
            "Nothing was compared with exact laws: {} void or not steady, and no law holds there.",
            match check.left_out.len() {
                1 => "one point is".to_owned(),
                n => format!("{n} points are"),
            }
        );
        (text, "open")
    } else if count == 0 {
        let text = "Nothing was compared with exact laws: none is known for what was measured here, or there is one batch only. \
                    Formulas beside the estimates are approximations.";
        (text.to_owned(), "open")
    } else if check.p() >= LEVEL {
        let text = format!(
            "The simulation agrees with the exact laws: of {count} comparisons none is off beyond chance (root mean square of \
             the differences {spread} standard errors; a worst difference as large has a chance of {p})."
        );
        (text, "good")
    } else {
        let text = format!(
            "The simulation differs from the exact laws: of {count} comparisons the worst is so far off that its chance is about {p}. \
             Do not rely on these numbers before the reason is known."
        );
        (text, "bad")
    }
}

/// The comparisons with exact laws.
pub fn check(results: &Results, table: &Table) -> Check {
    Check::new(results, table, |point| steady(results, table, point))
}

/// The section.
pub fn section(results: &Results, table: &Table, check: &Check) -> String {
    let (verdict, class) = verdict(check);
    let mut html = format!(
        "<section id=\"trust\">\n<h2>How sure the numbers are</h2>\n<p class=\"verdict {class}\">{}</p>\n<p>{}</p>\n",
        escaped(&verdict),
        escaped(&intervals(results, table))
    );
    let far: Vec<&Comparison> = (check.comparisons.iter())
        .filter(|comparison| comparison.z.abs() > REMARKABLE)
        .take(MOST)
        .collect();
    if !far.is_empty() {
        html.push_str("<p>Comparisons more than three standard errors off; among many, some are to be expected, and those of one point go together:</p>\n<ul>\n");
        for c in far {
            let line = format!(
                "point {}, {}: found {} (one standard error), exact {}, {:.1} standard errors off",
                c.point,
                c.what,
                with_half_width(c.found, Some(c.se)),
                significant(c.exact, 6),
                c.z
            );
            html.push_str(&format!("<li>{}</li>\n", escaped(&line)));
        }
        html.push_str("</ul>\n");
    }
    let warnings = summary::warnings(results, table);
    if warnings.is_empty() {
        html.push_str("<p>No point is in doubt: none is void, none is known to lack a steady state, and the two halves of the measured span agree everywhere.</p>\n");
    } else {
        html.push_str("<ul class=\"warnings\">\n");
        for line in warnings.lines() {
            let line = line.trim_start_matches("! ");
            html.push_str(&format!("<li>{}</li>\n", escaped(line)));
        }
        html.push_str("</ul>\n");
        html.push_str(&doubtful(results, table));
    }
    html + "</section>\n"
}

fn intervals(results: &Results, table: &Table) -> String {
    let (replicas, batches) = (results.experiment.replicas, results.experiment.batches);
    if batches < 2 {
        return "All replicas are in one batch, so there are no intervals: nothing here says how far chance carried the numbers.".to_owned();
    }
    let level = significant(100.0 * table.confidence, 4);
    format!(
        "Each number comes from {replicas} replicas. Behind ± stands half of its {level} % interval, which comes from the \
         differences between {batches} independent batches of them (Student's t, corrected for skewness): were everything repeated with other random \
         numbers, about {level} of 100 such intervals would hold the true value. With many numbers on a page a few intervals miss \
         theirs by chance."
    )
}

/// What speaks against a point, in words; none where nothing does.
pub fn doubt(results: &Results, table: &Table, point: usize) -> Option<String> {
    if table.faults[point] > 0 {
        return Some("void: replicas left the range of their integers".to_owned());
    }
    if results.plans[point].unstable {
        return Some("unstable: no steady state, the numbers grow with the span".to_owned());
    }
    let drifting: Vec<&str> = (table.observables.iter().zip(&table.estimates[point]))
        .filter(|(_, estimate)| estimate.drifts)
        .map(|(observable, _)| observable.name)
        .collect();
    (!drifting.is_empty()).then(|| {
        let few = drifting[..drifting.len().min(3)].join(", ");
        format!("not steady: the halves of the measured span differ in {few}")
    })
}

fn doubtful(results: &Results, table: &Table) -> String {
    let labels = labels(results);
    let points: Vec<(usize, String)> = (0..results.points.len())
        .filter_map(|point| Some((point, doubt(results, table, point)?)))
        .collect();
    if points.is_empty() {
        return String::new();
    }
    let mut html = "<p>Points in doubt:</p>\n<ul>\n".to_owned();
    for (point, why) in points.iter().take(MOST) {
        let at: Vec<String> = (labels.iter())
            .map(|(name, values)| format!("{name} {}", values[*point]))
            .collect();
        let line = format!("point {point} ({}): {why}", at.join(", "));
        html.push_str(&format!("<li>{}</li>\n", escaped(&line)));
    }
    if points.len() > MOST {
        html.push_str(&format!(
            "<li>and {} more, marked in the tables</li>\n",
            points.len() - MOST
        ));
    }
    html + "</ul>\n"
}
