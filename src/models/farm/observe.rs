//! What `farm` reports: histograms and sums from recorded counts, estimates from both.

use super::words::{param, route, sum};
use crate::models::{Plan, Totals};

/// Which histogram is which, see plan.rs.
const BY_SERVER: [usize; 2] = [1, 2];
const BY_STREAM: [usize; 2] = [3, 4];

/// Histograms from the counts of both halves: delays as they are, then requests and accepted ones of each server,
/// requests and rejected ones of each stream. With a fixed route, servers follow from streams. Adds to the sums how many
/// requests there were, and how many were accepted.
pub fn unfold(plan: &Plan, recorded: &[Vec<u64>; 2], sums: &mut [[u128; 2]]) -> Vec<u64> {
    let get = |index: usize| plan.params[index] as usize;
    let (servers, streams) = (get(param::SERVERS), get(param::STREAMS));
    let limited = get(param::ROOM) > 0;
    let fixed = get(param::ROUTE) == route::FIXED;
    let part = |counts: &[u64], at: usize, length: usize| counts[at..at + length].to_vec();
    // Accepted and rejected requests of each of so many.
    let outcomes = |counts: &[u64], at: usize, length: usize| {
        let accepted = part(counts, at, length);
        let rejected = if limited {
            part(counts, at + length, length)
        } else {
            vec![0; length]
        };
        [accepted, rejected]
    };
    for (half, counts) in recorded.iter().enumerate() {
        let [accepted, rejected] = outcomes(counts, get(param::STREAM_BINS), streams)
            .map(|counts| counts.into_iter().map(u128::from).sum::<u128>());
        sums[sum::ACCEPTED][half] += accepted;
        sums[sum::ARRIVALS][half] += accepted + rejected;
    }
    let [first, second] = recorded;
    let both: Vec<u64> = first.iter().zip(second).map(|(a, b)| a + b).collect();
    let [accepted, rejected] = outcomes(&both, get(param::STREAM_BINS), streams);
    let at_servers = if fixed {
        let table = &plan.tables[get(param::ROUTE_AT)..];
        [&accepted, &rejected].map(|counts| {
            let mut at = vec![0; servers];
            for (stream, count) in counts.iter().enumerate() {
                at[table[2 * stream] as usize] += count;
            }
            at
        })
    } else {
        outcomes(&both, get(param::SERVER_BINS), servers)
    };
    let requests = |[accepted, rejected]: &[Vec<u64>; 2]| -> Vec<u64> {
        accepted.iter().zip(rejected).map(|(a, b)| a + b).collect()
    };
    let delays = part(&both, 0, get(param::STREAM_BINS));
    let requests_by_server = requests(&at_servers);
    let [accepted_by_server, _] = at_servers;
    let requests_by_stream = requests(&[accepted, rejected.clone()]);
    [
        delays,
        requests_by_server,
        accepted_by_server,
        requests_by_stream,
        rejected,
    ]
    .concat()
}

/// Estimates in the order of the observables; none where they are not defined.
pub fn estimates(plan: &Plan, totals: &Totals) -> Vec<Option<f64>> {
    let used = |name: &str| {
        let known = plan.used.iter().find(|(known, _)| *known == name);
        known.map_or(&[][..], |(_, values)| values)
    };
    let ratio = |a: f64, b: f64| (b > 0.0).then(|| a / b);
    let sums = |which: usize| totals.sums[which];
    let accepted = sums(sum::ACCEPTED);
    let counting = plan.params[param::COUNTING] == 1;
    let limited = plan.params[param::ROOM] > 0;
    let drawn = plan.params[param::ROUTE] == route::DRAWN as u32;
    let unit = plan.traced_unit;
    // Measured time of all replicas together.
    let time = totals.steps / used("event_rate").first().copied().unwrap_or(f64::NAN);
    let (mean, var) = if counting {
        // Little's law: requests present over accepted requests per unit of time.
        let present = ratio(sums(sum::PRESENT), totals.steps);
        let rate = ratio(accepted, time);
        (
            present
                .zip(rate)
                .and_then(|(present, rate)| ratio(present, rate)),
            None,
        )
    } else {
        let mean = ratio(sums(sum::DELAY), accepted).map(|t| t * unit);
        let square = ratio(sums(sum::DELAY_SQUARE), accepted).map(|t| t * unit * unit);
        (
            mean,
            mean.zip(square).map(|(mean, square)| square - mean * mean),
        )
    };
    let connections = f64::from(plan.params[param::CONNECTIONS]);
    let speeds = used("speeds");
    let all = speeds.iter().sum::<f64>() * connections;
    let histogram = |which: usize| {
        let counts = totals.counts.as_ref()?;
        counts.get(plan.place(which))
    };
    let utilisations: Option<Vec<f64>> = histogram(BY_SERVER[1])
        .filter(|_| !drawn && time > 0.0)
        .map(|counts| {
            let each = counts.iter().zip(speeds);
            each.map(|(count, speed)| count / (time * connections * speed))
                .collect()
        });
    let worst = histogram(BY_STREAM[0])
        .zip(histogram(BY_STREAM[1]))
        .filter(|_| limited);
    let worst = worst.and_then(|(requests, rejected)| {
        let shares = requests.iter().zip(rejected);
        let shares = shares.filter_map(|(&requests, &rejected)| ratio(rejected, requests));
        shares.reduce(f64::max)
    });
    let fold = |pick: fn(f64, f64) -> f64| {
        let each = utilisations.as_ref()?.iter().copied();
        each.reduce(pick)
    };
    let overload = totals.peaks.as_ref().filter(|_| drawn);
    vec![
        mean,
        var,
        ratio(sums(sum::ARRIVALS) - accepted, sums(sum::ARRIVALS)).filter(|_| limited),
        worst,
        ratio(accepted, time * all),
        fold(f64::max),
        fold(f64::min),
        overload.and_then(|peaks| ratio(peaks[0], totals.replicas)),
    ]
}
