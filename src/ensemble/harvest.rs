//! What of an ensemble is done: accumulators of batches, and which replicas are in them.
//!
//! Owns the bookkeeping of ranges of replicas, so that nothing is counted twice and what is missing is known. Does not
//! simulate, and knows no files.

use super::Ensemble;
use crate::engine::Unit;
use crate::models::Tallies;
use std::collections::HashMap;
use std::ops::Range;

/// Units that are handed to a backend at once: enough for all its threads, few enough to be listed.
const LISTED: usize = 1 << 16;

/// One of several equal parts of an ensemble: every so many-th batch, counted over all points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Which one, counted from zero.
    pub index: u32,
    /// How many there are, at least one.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { index: 0, of: 1 };

    /// Whether a batch of a point belongs to it, when each point has `batches`.
    pub fn has(&self, point: u32, batch: u32, batches: u32) -> bool {
        let cell = u64::from(point) * u64::from(batches) + u64::from(batch);
        cell % u64::from(self.of.max(1)) == u64::from(self.index)
    }
}

/// What is done of some batches of every point.
#[derive(Debug, Clone)]
pub struct Harvest {
    /// Which batches.
    batches: Range<u32>,
    /// Replicas a batch.
    size: u32,
    /// `[point][batch - batches.start]`.
    tallies: Vec<Vec<Tallies>>,
    /// What is done of batches that are begun and not complete, in order, neither overlapping nor touching.
    begun: HashMap<(u32, u32), Vec<Range<u32>>>,
}

impl Ensemble {
    /// Nothing done yet of some batches of every point.
    pub fn nothing_of(&self, batches: Range<u32>) -> Harvest {
        let sums = self.experiment.model.sums.len();
        let empty = |plan| vec![Tallies::zero(plan, sums); batches.len()];
        Harvest {
            tallies: self.plans.iter().map(empty).collect(),
            size: self.batch_size(),
            begun: HashMap::new(),
            batches,
        }
    }
}

impl Harvest {
    /// The batches of every point that it is about.
    pub fn batches(&self) -> Range<u32> {
        self.batches.clone()
    }

    /// The replicas of a batch that are missing, in order.
    pub fn missing(&self, point: u32, batch: u32) -> Vec<Range<u32>> {
        let all = batch * self.size..(batch + 1) * self.size;
        let done = self.tallies[point as usize][(batch - self.batches.start) as usize].replicas;
        if done == u64::from(self.size) {
            return Vec::new();
        }
        let mut from = all.start;
        let mut missing = Vec::new();
        for done in self.begun.get(&(point, batch)).into_iter().flatten() {
            if from < done.start {
                missing.push(from..done.start);
            }
            from = done.end;
        }
        if from < all.end {
            missing.push(from..all.end);
        }
        missing
    }

    /// Whether none of some replicas of a batch is done.
    pub fn lacks(&self, point: u32, batch: u32, ranges: &[Range<u32>]) -> bool {
        let missing = self.missing(point, batch);
        let within = |inner: &Range<u32>| {
            let holds = |outer: &Range<u32>| outer.start <= inner.start && inner.end <= outer.end;
            missing.iter().any(holds)
        };
        ranges.iter().all(within)
    }

    /// Adds the tallies of some replicas of a batch, of which none may be done.
    pub fn add(&mut self, point: u32, batch: u32, ranges: &[Range<u32>], tallies: &Tallies) {
        debug_assert!(self.lacks(point, batch, ranges), "a replica is added twice");
        let sum = &mut self.tallies[point as usize][(batch - self.batches.start) as usize];
        sum.merge(tallies);
        if sum.replicas == u64::from(self.size) {
            self.begun.remove(&(point, batch));
            return;
        }
        let done = self.begun.entry((point, batch)).or_default();
        for range in ranges {
            insert(done, range.clone());
        }
    }

    /// Batches of a point of which nothing, or not all, is done, as ranges.
    pub fn incomplete(&self, point: u32) -> Vec<Range<u32>> {
        let mut incomplete = Vec::new();
        for batch in self.batches() {
            if !self.missing(point, batch).is_empty() {
                insert(&mut incomplete, batch..batch + 1);
            }
        }
        incomplete
    }

    /// Whether everything is done.
    pub fn complete(&self) -> bool {
        let size = u64::from(self.size);
        (self.tallies.iter().flatten()).all(|tallies| tallies.replicas == size)
    }

    /// Replicas that are done, of all points together.
    pub fn replicas(&self) -> u64 {
        self.tallies.iter().flatten().map(|t| t.replicas).sum()
    }

    /// Replicas of a point that are done.
    pub fn replicas_of(&self, point: u32) -> u64 {
        (self.tallies[point as usize].iter())
            .map(|t| t.replicas)
            .sum()
    }

    /// The accumulators: `[point][batch]`.
    pub fn into_batches(self) -> Vec<Vec<Tallies>> {
        self.tallies
    }
}

/// Adds a range to ordered ones, and joins those that touch.
pub fn insert(ranges: &mut Vec<Range<u32>>, new: Range<u32>) {
    let at = ranges.partition_point(|range| range.start < new.start);
    ranges.insert(at, new);
    let mut joined: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges.drain(..) {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    *ranges = joined;
}

/// What is left to do, listed piece by piece: ranges of replicas of one batch, none larger than suits the backend.
#[derive(Debug)]
pub(super) struct Todo<'a> {
    /// Most replicas a unit, for each point.
    sizes: &'a [u32],
    share: Share,
    /// Batches a point of the whole ensemble.
    of: u32,
    /// The next batch to be looked at.
    next: (u32, u32),
}

impl<'a> Todo<'a> {
    /// What is left of a share of a harvest, from the first batch on.
    pub fn new(harvest: &Harvest, sizes: &'a [u32], share: Share, of: u32) -> Todo<'a> {
        Todo {
            sizes,
            share,
            of,
            next: (0, harvest.batches.start),
        }
    }

    /// The next units, none when there are no more. What was listed before need not be done yet.
    pub fn list(&mut self, harvest: &Harvest) -> Vec<Unit> {
        let mut units = Vec::new();
        while units.len() < LISTED && (self.next.0 as usize) < self.sizes.len() {
            let (point, batch) = self.next;
            if batch >= harvest.batches.end {
                self.next = (point + 1, harvest.batches.start);
                continue;
            }
            self.next.1 += 1;
            if self.share.has(point, batch, self.of) {
                for missing in harvest.missing(point, batch) {
                    units.extend(split(point, batch, missing, self.sizes[point as usize]));
                }
            }
        }
        units
    }
}

/// Some replicas of a batch as units of at most `most` replicas.
pub(super) fn split(
    point: u32,
    batch: u32,
    range: Range<u32>,
    most: u32,
) -> impl Iterator<Item = Unit> {
    let most = most.max(1);
    let firsts = range.clone().step_by(most as usize);
    firsts.map(move |first_replica| Unit {
        point,
        batch,
        first_replica,
        replicas: most.min(range.end - first_replica),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::single_range_in_vec_init)]

    use super::{Share, insert, split};
    use crate::ensemble::Ensemble;
    use crate::experiment::Experiment;
    use crate::models::Tallies;

    fn ensemble() -> Ensemble {
        let text = "model = \"delay\"\nseed = 1\nreplicas = 40\nbatches = 4\nwarmup = 0\nduration = 20\n[parameters]\nclients = { list = [20, 21] }\ninformation_delay = 3\n";
        Ensemble::new(&Experiment::parse(text, "t.toml", &[], None).unwrap()).unwrap()
    }

    fn of(ensemble: &Ensemble, replicas: u64) -> Tallies {
        let mut tallies = Tallies::zero(&ensemble.plans[0], ensemble.experiment.model.sums.len());
        tallies.replicas = replicas;
        tallies
    }

    #[test]
    fn what_is_missing_is_what_was_not_added() {
        let ensemble = ensemble();
        let mut harvest = ensemble.nothing_of(1..3);
        assert_eq!(harvest.missing(1, 2), [20..30]);
        harvest.add(1, 2, &[22..24, 27..28], &of(&ensemble, 3));
        assert_eq!(harvest.missing(1, 2), [20..22, 24..27, 28..30]);
        assert!(harvest.lacks(1, 2, &[20..22, 28..29]) && !harvest.lacks(1, 2, &[21..23]));
        assert!(!harvest.lacks(1, 2, &[22..23]) && harvest.lacks(0, 2, &[22..23]));
        harvest.add(1, 2, &[20..22, 24..27], &of(&ensemble, 5));
        assert_eq!(harvest.missing(1, 2), [28..30]);
        harvest.add(1, 2, &[28..30], &of(&ensemble, 2));
        assert!(harvest.missing(1, 2).is_empty() && !harvest.lacks(1, 2, &[28..30]));
        assert!(!harvest.complete());
        assert_eq!((harvest.replicas(), harvest.replicas_of(0)), (10, 0));
        for (point, batch) in [(0, 1), (0, 2), (1, 1)] {
            let whole = harvest.missing(point, batch);
            harvest.add(point, batch, &whole, &of(&ensemble, 10));
        }
        assert!(harvest.complete());
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let mut ranges = vec![4..6, 10..12];
        insert(&mut ranges, 0..1);
        insert(&mut ranges, 6..10);
        assert_eq!(ranges, [0..1, 4..12]);
    }

    #[test]
    fn units_cover_a_range_and_are_no_larger_than_asked_for() {
        let units: Vec<_> = split(3, 2, 10..27, 8)
            .map(|u| (u.first_replica, u.replicas))
            .collect();
        assert_eq!(units, [(10, 8), (18, 8), (26, 1)]);
    }

    #[test]
    fn shares_are_disjoint_and_together_the_whole() {
        for of in 1..9 {
            for (point, batch) in (0..4).flat_map(|p| (0..6).map(move |b| (p, b))) {
                let holders = (0..of).filter(|&index| Share { index, of }.has(point, batch, 6));
                assert_eq!(holders.count(), 1);
            }
        }
    }
}
