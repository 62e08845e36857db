//! Where the numbers come from: provenance, how to cite them, the commands that make them again, the resolved experiment.

use super::run::grouped;
use super::text::{escaped, shell};
use crate::ensemble::Results;
use crate::report::number::significant;

/// The section.
pub fn section(results: &Results, file: &str) -> String {
    let (experiment, provenance) = (&results.experiment, &results.provenance);
    let driver = match provenance.driver.as_str() {
        "" => String::new(),
        driver => format!(", {driver}"),
    };
    let facts = [
        (
            "Program",
            format!("queuefarm {}", provenance.program_version),
        ),
        ("Result file", file.to_owned()),
        ("Seed", experiment.seed.to_string()),
        (
            "Simulated on",
            format!("{} ({}{driver})", provenance.backend, provenance.adapter),
        ),
        ("Begun", provenance.started.clone()),
        ("Ended", provenance.ended.clone()),
        (
            "Work",
            format!(
                "{} replica-{} in {} seconds",
                grouped(provenance.steps),
                experiment.model.span,
                significant(provenance.seconds, 3)
            ),
        ),
    ];
    let facts: String = (facts.iter())
        .map(|(name, fact)| format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(fact)))
        .collect();
    let name = shell(file);
    let rerun = format!(
        "queuefarm run experiment.toml -o {name}\nqueuefarm summary {name}\nqueuefarm check {name}\nqueuefarm report {name} -o report.html"
    );
    let day = provenance.started.get(..10).unwrap_or("");
    let cite = format!(
        "“{}”, simulated with queuefarm {}, model {}, seed {}, {} points of {} replicas in {} batches, {day}. Command: queuefarm run experiment.toml.",
        experiment.title,
        provenance.program_version,
        experiment.model.name,
        experiment.seed,
        results.points.len(),
        grouped(u64::from(experiment.replicas)),
        experiment.batches,
    );
    format!(
        "<section id=\"provenance\">\n<h2>Where it comes from</h2>\n<dl>\n{facts}</dl>\n\
         <p>The numbers depend on the experiment below and on nothing else: every machine, CPU or GPU, gives the same bits. \
         Save it as <code>experiment.toml</code>, then</p>\n<pre>{}</pre>\n\
         <h3 id=\"cite\">How to cite</h3>\n<p class=\"cite\">{}</p>\n\
         <h3 id=\"experiment\">The experiment</h3>\n<details><summary>Everything in force, defaults too</summary>\n<pre>{}</pre></details>\n</section>\n",
        escaped(&rerun),
        escaped(&cite),
        escaped(&experiment.resolved())
    )
}
