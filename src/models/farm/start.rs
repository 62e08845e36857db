//! The state of a replica of `farm` before its first request: an empty farm, and the servers its streams draw.
//!
//! Owns the draw of allocations: word i mod 4 of step i / 4, block 1 of the requests' purpose, whose requests use block 0.

use super::words::{param, route, state};
use crate::models::Plan;
use crate::random::{Key, Purpose};

/// The state of one replica.
pub fn start(plan: &Plan, key: &Key, replica: u32, words: &mut [u32]) {
    words.fill(0);
    let get = |index: usize| plan.params[index];
    if get(param::ROUTE) != route::DRAWN as u32 {
        return;
    }
    let (servers, allocation) = (get(param::SERVERS), get(param::ALLOCATION_AT) as usize);
    let table = |index: usize| &plan.tables[get(index) as usize..];
    let (rates, full) = (table(param::RATES_AT), table(param::FULL_AT));
    let mut loads = vec![0u64; servers as usize];
    for first in (0..get(param::STREAMS)).step_by(4) {
        let drawn = key.draw(Purpose::FarmRequest, replica, first / 4, 1);
        for (stream, word) in (first..get(param::STREAMS)).zip(drawn) {
            let server = ((u64::from(word) * u64::from(servers)) >> 32) as u32;
            words[allocation + stream as usize] = server;
            loads[server as usize] += u64::from(rates[stream as usize]);
        }
    }
    let over = loads
        .iter()
        .zip(full)
        .any(|(&load, &full)| load >= u64::from(full));
    words[state::OVERLOADED] = u32::from(over);
}
