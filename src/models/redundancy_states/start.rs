//! The list at time 0: empty, or drawn from the stationary law.

use super::words::{ENTRY_WORDS, fault, param, state};
use crate::models::Plan;
use crate::models::redundancy::stationary;
use crate::random::Key;

/// Fills the state of one replica.
///
/// Jobs of a stationary start arrived before the clock began, nobody knows when: they count as arrived at 0, and
/// `state::OLD` tells them from the others.
pub fn start(plan: &Plan, key: &Key, replica: u32, words: &mut [u32]) {
    words.fill(0);
    let p = |index: usize| plan.params[index];
    let rates_at = p(param::START_AT) as usize;
    let rates = &plan.tables[rates_at..rates_at + p(param::START_WORDS) as usize];
    if rates.is_empty() {
        return;
    }
    let list_at = p(param::LIST_AT) as usize;
    let mut taken = vec![false; p(param::SERVERS) as usize];
    let (mut jobs, mut busy) = (0, 0);
    let mut shown = 0;
    stationary::for_each_job(
        key,
        replica,
        p(param::COPIES),
        rates,
        &plan.tables,
        |servers| {
            shown += 1;
            if jobs == p(param::ROOM) {
                return;
            }
            let mut own = 0;
            for &server in servers {
                own += u32::from(!std::mem::replace(&mut taken[server as usize], true));
            }
            words[list_at + ENTRY_WORDS * jobs as usize] = own;
            jobs += 1;
            busy += own;
        },
    );
    words[state::JOBS] = jobs;
    words[state::OLD] = jobs;
    words[state::BUSY] = busy;
    words[state::FAULT] = u32::from(shown > jobs) << fault::ROOM;
}
