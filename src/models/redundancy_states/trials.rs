//! Hypergeometric draws of `redundancy-states` on the CPU: an urn, one trial a random word, sixteen replicas at once.

use super::step::Kernel;
use super::words::param;
use crate::engine::{LANES, Lane, draw};

/// An urn of every lane.
pub struct Urn {
    /// How many servers are drawn, without replacement; 0 where there is nothing to draw.
    pub trials: Lane,
    /// How many there are.
    pub population: Lane,
    /// How many of these are hits.
    pub marked: Lane,
}

/// The largest word of all lanes.
#[inline(always)]
pub fn largest(words: &Lane) -> u32 {
    let mut largest = 0;
    for i in 0..LANES {
        largest = largest.max(words[i]);
    }
    largest
}

/// Whether a word of some lane is not zero.
#[inline(always)]
fn any(words: &Lane) -> bool {
    let mut any = 0;
    for i in 0..LANES {
        any |= words[i];
    }
    any != 0
}

/// Most copies of a job whose trials take one block: there is no need to look how many of them lanes need.
const ONE_BLOCK: u32 = 4;

impl Kernel<'_, '_> {
    /// How many of the servers drawn are hits. Four trials a block, from the first block on; a block is drawn only
    /// when some lane needs it.
    #[inline(always)]
    pub fn hits(&self, event: u32, first_block: u32, urn: &Urn) -> Lane {
        if !any(&urn.trials) {
            return Lane::ZERO;
        }
        let copies = self.param(param::COPIES);
        let trials = if copies <= ONE_BLOCK {
            copies
        } else {
            largest(&urn.trials)
        };
        let mut left = urn.marked;
        let mut trial = 0;
        while trial < trials {
            let block = first_block.wrapping_add(trial / 4);
            let words = draw(self.collision_key, event, &self.replicas, block);
            for word in &words {
                for i in 0..LANES {
                    let choices = urn.population[i].wrapping_sub(trial);
                    let place = (u64::from(word[i]) * u64::from(choices)) >> 32;
                    let hit = (trial < urn.trials[i]) & ((place as u32) < left[i]);
                    left[i] = left[i].wrapping_sub(u32::from(hit));
                }
                trial += 1;
                if trial >= trials {
                    break;
                }
            }
        }
        let mut hits = Lane::ZERO;
        for i in 0..LANES {
            hits[i] = urn.marked[i].wrapping_sub(left[i]);
        }
        hits
    }
}
