//! The law of the response time given the work that a job meets at the servers.
//!
//! Owns which points have it, and how work is read from the state. The law is `theory`'s.

use super::host::gap;
use super::words::{param, state};
use crate::models::{ConditionalLaw, Plan, Point, Problem};
use crate::random::Key;
use crate::theory::redundancy::response_given;

/// The row of the model.
pub const LAW: ConditionalLaw = ConditionalLaw {
    histogram: "response",
    met: "the work left at the servers",
    needs: "exponential sizes and independent copies of which the first completion cancels the others",
    holds,
    before,
    read,
    effort,
    chances,
};

/// Copies must forget how long they have been served, and know nothing of each other.
fn holds(point: &Point) -> Result<(), Problem> {
    let service = point.word("service");
    if service != "exponential" {
        return Err(Problem::new(
            "service",
            format!(
                "with \"{service}\" what is left of a copy depends on more than the work left at its server; the law given that work is known for \"exponential\" only"
            ),
        ));
    }
    if copies(point) == 1 {
        return Ok(());
    }
    let are = point.word("copies_are");
    if are != "independent" {
        return Err(Problem::new(
            "copies_are",
            format!(
                "\"{are}\" copies do not end independently; the law given the work left at servers is known for \"independent\" ones"
            ),
        ));
    }
    let policy = point.word("policy");
    let forks = policy == "fork_join";
    if forks && point.number("needed") != 1.0 {
        return Err(Problem::new(
            "needed",
            format!(
                "{} completions are another law than that of the first one; needed = 1 has it",
                point.number("needed")
            ),
        ));
    }
    if !forks && policy != "cancel_on_completion" {
        return Err(Problem::new(
            "policy",
            format!(
                "with \"{policy}\" only one copy is served; the law given the work left at servers is known for \"cancel_on_completion\" and \"random\", and for \"fork_join\" with needed = 1"
            ),
        ));
    }
    Ok(())
}

/// Copies that play a part.
fn copies(point: &Point) -> usize {
    match point.word("policy") {
        "random" => 1,
        _ => point.number("copies") as usize,
    }
}

/// From an empty start the last job of a replica; in the stationary law, all jobs of which meet the same, the first.
fn before(plan: &Plan) -> u32 {
    match plan.params[param::START_WORDS] {
        0 => plan.end().saturating_sub(1),
        _ => 0,
    }
}

/// The work left at every server when the next job arrives, in mean service times.
fn read(plan: &Plan, key: &Key, replica: u32, words: &[u32]) -> Vec<f64> {
    let last = u64::from(words[state::CLOCK]) << 32 | u64::from(words[state::FRACTION]);
    let time = last.wrapping_add(gap(plan, key, replica, words[state::POSITION]));
    let now = (time >> 32) as u32;
    let at = plan.params[param::SERVERS_AT] as usize;
    let servers = plan.params[param::SERVERS] as usize;
    let left = |until: &u32| f64::from((until.wrapping_sub(now) as i32).max(0)) * plan.traced_unit;
    words[at..at + servers].iter().map(left).collect()
}

/// Averages of averages, for all servers and copies that can still be chosen; an exponential a server.
fn effort(point: &Point) -> u64 {
    let (servers, copies) = (point.number("servers") as u64, copies(point) as u64);
    8 * servers + copies * (servers - copies + 1)
}

/// The law given each of some states.
fn chances(point: &Point, met: &[f64], t: f64) -> Vec<f64> {
    let (servers, copies) = (point.number("servers") as usize, copies(point));
    let speeds = point.numbers("speeds");
    let mut scratch = Vec::with_capacity(copies + 1);
    let mut given = |work| response_given(work, &speeds, copies, t, &mut scratch);
    met.chunks_exact(servers.max(1))
        .map(|work| given(work).unwrap_or(f64::NAN))
        .collect()
}
