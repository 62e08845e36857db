//! `queuefarm theory redundancy`: the exact law of redundancy-d queues.
//!
//! Owns which numbers are printed and the checks of the three parameters. The formulas are in `theory::redundancy`.

use super::{align, table};
use crate::cli::{Failure, output};
use crate::experiment::{plain, suggestion};
use crate::models::Value;
use crate::models::redundancy::MODEL;
use crate::report::number::significant;
use crate::theory::redundancy::{
    System, limit_response_tail, optimal_copies, optimal_copies_asymptotic, warmup_jobs,
};
use serde_json::json;

const KEYS: [&str; 3] = ["servers", "copies", "load"];

/// Beyond, one number could take minutes.
const MOST_SERVERS: f64 = 100_000.0;

/// The law of the number of jobs ends where the rest has less than this.
const REST: f64 = 1e-12;

/// .. and after so many entries at the latest.
const MOST_ENTRIES: usize = 1000;

/// Prints the law as a table or as JSON.
pub(super) fn run(set: &[String], times: &[f64], json: bool) -> Result<(), Failure> {
    let system = system(set)?;
    if json {
        output::print_json(&describe(&system, times))
    } else {
        output::print(&text(&system, times))
    }
}

/// Reads the parameters, and complains about all that is wrong with them.
fn system(set: &[String]) -> Result<System, Failure> {
    let mut complaints = Vec::new();
    let mut given = [None; 3];
    for argument in set {
        match read(argument, &given) {
            Ok(Some((which, value))) => given[which] = Some(value),
            Ok(None) => {}
            Err(what) => complaints.push(format!("--set {}: {what}", plain(argument))),
        }
    }
    let named = |key: &str| {
        set.iter()
            .any(|argument| argument.split('=').next().is_some_and(|k| bare(k) == key))
    };
    let missing: Vec<&str> = KEYS.iter().copied().filter(|key| !named(key)).collect();
    if !missing.is_empty() {
        complaints.push(format!(
            "missing: {}\n    for example --set servers=100 --set copies=3 --set load=0.9",
            missing.join(", ")
        ));
    }
    if let [Some(servers), Some(copies), _] = given
        && copies > servers
    {
        complaints.push(format!(
            "copies: {copies} is more than there are servers; a whole number from 1 to {servers}"
        ));
    }
    let [Some(servers), Some(copies), Some(load)] = given else {
        return Err(Failure::Usage(complaints.join("\n")));
    };
    match System::new(servers as u32, copies as u32, load) {
        Some(system) if complaints.is_empty() => Ok(system),
        _ => Err(Failure::Usage(complaints.join("\n"))),
    }
}

/// The name of a parameter, with or without its section.
fn bare(key: &str) -> &str {
    let key = key.trim();
    key.strip_prefix("parameters.").unwrap_or(key)
}

/// One argument: which parameter, and its value; none where it says what holds for the law anyway.
fn read(argument: &str, given: &[Option<f64>; 3]) -> Result<Option<(usize, f64)>, String> {
    let (key, value) = argument
        .split_once('=')
        .ok_or("expected key=value\n    for example --set load=0.9")?;
    let (key, value) = (bare(key), value.trim());
    let Some(which) = KEYS.iter().position(|known| *known == key) else {
        let Some(parameter) = MODEL.parameters.iter().find(|known| known.name == key) else {
            return Err(format!("unknown key\n    {}", suggestion(key, &KEYS)));
        };
        let default = parameter
            .default
            .map(|default| Value::from(default).to_string());
        if key == "start" || default.as_deref() == Some(value.trim_matches(['"', '\''])) {
            return Ok(None);
        }
        return Err(
            "no law is known for it: there is one for exponential independent copies that the first completion\n    \
             cancels, Poisson arrivals and equal speeds; `queuefarm run` simulates the others"
                .to_owned(),
        );
    };
    if given[which].is_some() {
        return Err("this key is set twice\n    keep one of them".to_owned());
    }
    // TOML allows underscores between digits.
    let number = value.replace('_', "").parse::<f64>().unwrap_or(f64::NAN);
    if which == 2 {
        if number >= 1.0 && number.is_finite() {
            return Err("unstable: more work arrives than the servers can do, and there is no stationary law\n    \
                        load is a number above 0 and below 1"
                .to_owned());
        }
        if !(number > 0.0 && number < 1.0) {
            return Err("expected a number above 0 and below 1".to_owned());
        }
    } else if !(1.0..=MOST_SERVERS).contains(&number) || number.fract() != 0.0 {
        return Err(format!(
            "expected a whole number from 1 to {}",
            if which == 0 { "100000" } else { "servers" }
        ));
    }
    Ok(Some((which, number)))
}

fn describe(system: &System, times: &[f64]) -> serde_json::Value {
    let mut law = system.jobs_pmf(MOST_ENTRIES);
    let mut rest = 1.0;
    let end = law.iter().position(|chance| {
        rest -= chance;
        rest < REST
    });
    law.truncate(end.map_or(law.len(), |last| last + 1));
    let tail: Vec<_> = times
        .iter()
        .map(|&t| json!({"t": t, "p": system.response_tail(t), "limit": limit(system, t)}))
        .collect();
    let (servers, copies, load) = (system.servers(), system.copies(), system.load());
    json!({
        "servers": servers,
        "copies": copies,
        "load": load,
        "jobs_mean": system.jobs_mean(),
        "jobs_var": system.jobs_var(),
        "p_empty": system.p_empty(),
        "response_mean": system.response_mean(),
        "response_second_moment": system.response_second_moment(),
        "queue_mean": system.queue_mean(),
        "queue_normalised": system.queue_normalised(),
        "optimal_copies": optimal_copies(servers, load),
        "warmup_jobs": warmup_jobs(servers, copies, load),
        "jobs_pmf": law,
        "tail": tail,
    })
}

fn limit(system: &System, t: f64) -> Option<f64> {
    limit_response_tail(system.copies(), system.load(), t)
}

fn text(system: &System, times: &[f64]) -> String {
    let (servers, copies, load) = (system.servers(), system.copies(), system.load());
    let mut values = table(&["quantity", "symbol", "value", "meaning"]);
    let mut row = |name: &str, symbol: &str, value: Option<f64>, meaning: &str| {
        let value = value.map_or("-".to_owned(), |value| significant(value, 6));
        values.add_row([name, symbol, &value, meaning]);
    };
    let some = Some::<f64>;
    row(
        "jobs_mean",
        "E[X]",
        some(system.jobs_mean()),
        "jobs in the system",
    );
    row(
        "jobs_var",
        "Var X",
        some(system.jobs_var()),
        "their variance",
    );
    row(
        "p_empty",
        "P(X = 0)",
        some(system.p_empty()),
        "chance that there is none",
    );
    row(
        "response_mean",
        "E[T]",
        some(system.response_mean()),
        "time from arrival to completion",
    );
    let second = some(system.response_second_moment());
    row(
        "response_second_moment",
        "E[T^2]",
        second,
        "its second moment",
    );
    row(
        "queue_mean",
        "E[L]",
        some(system.queue_mean()),
        "jobs at one server",
    );
    let normalised = some(system.queue_normalised());
    row(
        "queue_normalised",
        "Q",
        normalised,
        "the same over that of an M/M/1 queue",
    );
    let best = optimal_copies(servers, load).map(f64::from);
    row(
        "optimal_copies",
        "d_opt",
        best,
        "copies with the shortest queues",
    );
    let formula = optimal_copies_asymptotic(servers, load);
    row("", "d*", formula, "its formula for many servers");
    let warmup = warmup_jobs(servers, copies, load);
    row(
        "warmup_jobs",
        "",
        warmup,
        "jobs from empty until E[T] is within 1e-4",
    );
    align(&mut values, 2);
    let mut text = format!(
        "redundancy: N = {servers} servers, d = {copies} copies, load rho = {load}\n\
         exponential, independent copies; times in mean service times\n\n{values}\n"
    );
    if !times.is_empty() {
        let mut tail = table(&["t", "P(T ≥ t)", "N → ∞"]);
        for &t in times {
            let limit = limit(system, t).map_or("-".to_owned(), |p| significant(p, 6));
            tail.add_row([
                significant(t, 6),
                significant(system.response_tail(t), 6),
                limit,
            ]);
        }
        (0..3).for_each(|column| align(&mut tail, column));
        text.push_str(&format!("\n{tail}\n"));
    }
    text
}
