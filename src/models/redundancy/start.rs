//! The state of a replica of `redundancy` before its first job.
//!
//! Owns the two starts. The clock is set so that the first job arrives at time 0 whatever time it draws: at an
//! empty system nothing depends on it, and the stationary law is the one that an arriving job finds (PASTA).

use super::host::{gap, size_from};
use super::stationary::for_each_job;
use super::words::{param, state};
use crate::models::Plan;
use crate::random::{EXPONENTIAL_TABLE_WORDS, Key, Purpose};

/// The state of one replica.
pub fn start(plan: &Plan, key: &Key, replica: u32, words: &mut [u32]) {
    words.fill(0);
    let set = |index: usize| plan.params[index] as usize;
    let before = gap(plan, key, replica, 0).wrapping_neg();
    words[state::FRACTION] = before as u32;
    words[state::CLOCK] = (before >> 32) as u32;
    let servers = plan.params[param::SERVERS];
    if set(param::MANY) == 1 && plan.params[param::COPIES] < servers {
        for server in 0..servers {
            words[set(param::ORDER_AT) + server as usize] = server;
        }
    }
    let (rates_at, rates) = (set(param::START_AT), set(param::START_WORDS));
    if rates == 0 {
        return;
    }
    let copies = plan.params[param::COPIES];
    let workloads = set(param::SERVERS_AT);
    let mut job = 0;
    let (mut latest, mut left) = (0, false);
    for_each_job(
        key,
        replica,
        copies,
        &plan.tables[rates_at..rates_at + rates],
        &plan.tables[..EXPONENTIAL_TABLE_WORDS],
        |servers| {
            // Sizes take two words each, from the blocks after those of the servers.
            let first_block = 1 + copies.div_ceil(4);
            let mut response = u32::MAX;
            for (copy, &server) in servers.iter().enumerate() {
                let block = first_block + copy as u32 / 2;
                let drawn = key.draw(Purpose::RedundancyStart, replica, job, block);
                let pair = &drawn[2 * (copy % 2)..];
                let size = size_from(plan, pair[0], pair[1], job);
                response = response.min(words[workloads + server as usize] + size);
            }
            for &server in servers {
                let until = &mut words[workloads + server as usize];
                *until = response.max(*until);
            }
            left |= response >= super::kernel::RANGE;
            latest = response.max(latest).min(super::kernel::RANGE);
            job += 1;
        },
    );
    words[state::LATEST] = latest;
    words[state::FAULT] = u32::from(left);
}
