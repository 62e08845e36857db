//! Departures of `redundancy-states` on the CPU: all lanes walk along their lists together.
//!
//! Owns the search for the job that leaves, the offer of its servers to younger ones, and the gap that closes.

use super::step::{Kernel, Registers};
use super::trials::{Urn, largest};
use super::words::{ENTRY_WORDS, param};
use crate::engine::{LANES, Lane};

/// What a departure is remembered by. Masks have all bits set or none.
pub struct Departure {
    /// Whether a job leaves whose time of arrival is known.
    pub known: Lane,
    /// Whether one leaves that was there at the start.
    pub unknown: Lane,
    /// When it arrived.
    pub since: Lane,
}

/// All bits set, or none.
#[inline(always)]
pub fn mask(condition: bool) -> u32 {
    0u32.wrapping_sub(u32::from(condition))
}

impl Kernel<'_, '_> {
    /// In the lanes of the mask, completes the busy server `chosen`, counted along the list.
    #[inline(always)]
    pub fn depart(&mut self, r: &mut Registers, departs: &Lane, chosen: &Lane) -> Departure {
        let copies = self.param(param::COPIES);
        let list_at = self.param(param::LIST_AT) as usize;
        let mut length = Lane::ZERO;
        for i in 0..LANES {
            length[i] = r.jobs[i] & departs[i];
        }
        let rows = largest(&length).min(self.param(param::ROOM));
        // Found: whether the job that leaves is in an earlier row. Free: its servers that nobody has taken yet.
        let (mut found, mut free, mut before) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        let (mut since, mut place) = (Lane::ZERO, Lane::ZERO);
        let mut earlier = [self.group.state[list_at], self.group.state[list_at + 1]];
        for row in 0..rows {
            let at = list_at + ENTRY_WORDS * row as usize;
            let entry = [self.group.state[at], self.group.state[at + 1]];
            let mut urn = Urn {
                trials: Lane::ZERO,
                population: before,
                marked: Lane::ZERO,
            };
            let mut moves = Lane::ZERO;
            for i in 0..LANES {
                moves[i] = found[i] & mask(row < length[i]);
                urn.marked[i] = copies.wrapping_sub(entry[0][i]);
                urn.trials[i] = free[i] & moves[i] & mask(urn.marked[i] > 0);
            }
            let block = row.wrapping_mul(self.param(param::ROW_BLOCKS));
            let hits = self.hits(r.event, block, &urn);
            let to = list_at + ENTRY_WORDS * row.max(1) as usize - ENTRY_WORDS;
            let mut moved = [Lane::ZERO; ENTRY_WORDS];
            for i in 0..LANES {
                let own = entry[0][i].wrapping_add(hits[i]);
                moved[0][i] = (own & moves[i]) | (earlier[0][i] & !moves[i]);
                moved[1][i] = (entry[1][i] & moves[i]) | (earlier[1][i] & !moves[i]);
                free[i] = free[i].wrapping_sub(hits[i]);
                before[i] = before[i].wrapping_add(entry[0][i]);
                let here = departs[i] & !found[i] & mask(chosen[i] < before[i]);
                found[i] |= here;
                free[i] |= entry[0][i] & here;
                since[i] |= entry[1][i] & here;
                place[i] |= row & here;
            }
            self.group.state[to] = moved[0];
            self.group.state[to + 1] = moved[1];
            earlier = entry;
        }
        let (mut known, mut unknown) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            unknown[i] = departs[i] & mask(place[i] < r.old[i]);
            known[i] = departs[i] & !unknown[i];
            r.old[i] = r.old[i].wrapping_add(unknown[i]);
            r.jobs[i] = r.jobs[i].wrapping_add(departs[i]);
            r.busy[i] = r.busy[i].wrapping_sub(free[i]);
        }
        Departure {
            known,
            unknown,
            since,
        }
    }
}
