//! Brute force: the Markov chain of the queues themselves, jobs with their sets of servers in order of age, for so
//! few servers and so small a load that longer lists than fit have no weight.

use queuefarm::theory::redundancy::System;
use std::collections::HashMap;

/// The chain of lists of server sets (bit masks), solved for its stationary law.
struct Lists {
    servers: u32,
    sets: Vec<u32>,
    states: Vec<Vec<u32>>,
    weight: Vec<f64>,
}

/// How many servers each job of a list has to itself: those with no older job.
fn served(list: &[u32]) -> Vec<u32> {
    let mut union = 0_u32;
    list.iter()
        .map(|set| {
            let own = (set & !union).count_ones();
            union |= set;
            own
        })
        .collect()
}

fn without(list: &[u32], at: usize) -> Vec<u32> {
    let mut rest = list.to_vec();
    rest.remove(at);
    rest
}

impl Lists {
    fn solve(servers: u32, copies: u32, load: f64, longest: usize) -> Lists {
        let sets: Vec<u32> = (0..1 << servers)
            .filter(|set: &u32| set.count_ones() == copies)
            .collect();
        let mut states = vec![vec![]];
        let mut from = 0;
        for _ in 0..longest {
            let until = states.len();
            for at in from..until {
                for set in &sets {
                    let longer: Vec<u32> = states[at].iter().chain([set]).copied().collect();
                    states.push(longer);
                }
            }
            from = until;
        }
        let index: HashMap<&[u32], usize> = states
            .iter()
            .enumerate()
            .map(|(at, state)| (state.as_slice(), at))
            .collect();
        // Uniformised at the largest total rate; arrivals to a full list are lost.
        let arrivals = f64::from(servers) * load;
        let rate = arrivals + f64::from(servers);
        let mut moves = Vec::new();
        for (at, state) in states.iter().enumerate() {
            if state.len() < longest {
                for set in &sets {
                    let to: Vec<u32> = state.iter().chain([set]).copied().collect();
                    let chance = arrivals / sets.len() as f64 / rate;
                    moves.push((at, index[to.as_slice()], chance));
                }
            }
            for (job, own) in served(state).into_iter().enumerate() {
                let to = index[without(state, job).as_slice()];
                moves.push((at, to, f64::from(own) / rate));
            }
        }
        let mut weight = vec![0.0; states.len()];
        weight[0] = 1.0;
        loop {
            let mut next = weight.clone();
            for &(from, to, chance) in &moves {
                next[from] -= chance * weight[from];
                next[to] += chance * weight[from];
            }
            let change: f64 = next.iter().zip(&weight).map(|(a, b)| (a - b).abs()).sum();
            weight = next;
            if change < 1e-14 {
                break;
            }
        }
        Lists {
            servers,
            sets,
            states,
            weight,
        }
    }

    /// The law of a whole number read off the state.
    fn law(&self, count: impl Fn(&[u32]) -> usize) -> Vec<f64> {
        let mut law = vec![0.0; 32];
        for (state, weight) in self.states.iter().zip(&self.weight) {
            law[count(state)] += weight;
        }
        law
    }

    /// P(T > t) of a job that finds the stationary state: only older jobs matter to it, and these only leave.
    fn response_tail(&self, t: f64) -> f64 {
        let rate = f64::from(self.servers);
        let mut index = HashMap::new();
        let mut tagged = Vec::new();
        for state in &self.states {
            for &set in &self.sets {
                let list: Vec<u32> = state.iter().chain([&set]).copied().collect();
                index.insert(list.clone(), tagged.len());
                tagged.push(list);
            }
        }
        let moves: Vec<Vec<(usize, f64)>> = tagged
            .iter()
            .map(|list| {
                let own = served(list);
                let busy: u32 = own.iter().sum();
                let at = index[list];
                let stay = (at, 1.0 - f64::from(busy) / rate);
                let older = (0..list.len() - 1)
                    .map(|job| (index[&without(list, job)], f64::from(own[job]) / rate));
                older.chain([stay]).collect()
            })
            .collect();
        let mut there = vec![1.0; tagged.len()];
        let mut poisson = (-rate * t).exp();
        let mut tail = 0.0;
        for tick in 1..200 {
            let mean: f64 = tagged
                .iter()
                .enumerate()
                .map(|(at, _)| self.weight[at / self.sets.len()] * there[at])
                .sum();
            tail += poisson * mean / self.sets.len() as f64;
            poisson *= rate * t / f64::from(tick);
            there = moves
                .iter()
                .map(|moves| moves.iter().map(|&(to, chance)| chance * there[to]).sum())
                .collect();
        }
        tail
    }
}

#[track_caller]
fn assert_near(actual: f64, expected: f64, distance: f64) {
    assert!(
        (actual - expected).abs() <= distance,
        "{actual} is not within {distance} of {expected}"
    );
}

fn check(servers: u32, copies: u32, load: f64, longest: usize, distance: f64) {
    let lists = Lists::solve(servers, copies, load, longest);
    let system = System::new(servers, copies, load).unwrap();
    let busy = |list: &[u32]| list.iter().fold(0, |union, set| union | set).count_ones();

    let jobs = lists.law(<[u32]>::len);
    for (actual, expected) in system.jobs_pmf(longest + 1).iter().zip(&jobs) {
        assert_near(*actual, *expected, distance);
    }
    let law = lists.law(|list| busy(list) as usize);
    for (actual, expected) in system.busy_pmf().iter().zip(&law) {
        assert_near(*actual, *expected, distance);
    }
    let queue = lists.law(|list| list.iter().filter(|set| **set & 1 == 1).count());
    for (actual, expected) in system.queue_pmf(longest + 1).iter().zip(&queue) {
        assert_near(*actual, *expected, distance);
    }

    let mut aggregate: HashMap<Vec<u32>, f64> = HashMap::new();
    for (state, weight) in lists.states.iter().zip(&lists.weight) {
        *aggregate.entry(served(state)).or_default() += weight;
    }
    for (served, weight) in aggregate {
        assert_near(system.aggregate_state(&served), weight, distance);
    }

    for a in 0..=servers {
        let among = lists.states.iter().find(|state| busy(state) == a);
        let Some(state) = among else { continue };
        let union = state.iter().fold(0, |union, set| union | set);
        let law = system.collisions_pmf(a).unwrap();
        for (k, chance) in (0..).zip(law) {
            let hits = lists
                .sets
                .iter()
                .filter(|set| (**set & union).count_ones() == k);
            assert_near(chance, hits.count() as f64 / lists.sets.len() as f64, 1e-14);
        }
    }

    for t in [0.1, 0.5, 1.0, 3.0] {
        assert_near(system.response_tail(t), lists.response_tail(t), distance);
    }
}

#[test]
fn three_servers_and_two_copies_are_as_the_chain_of_all_lists_has_them() {
    check(3, 2, 0.05, 8, 1e-9);
}

#[test]
fn four_servers_and_two_copies_are_as_the_chain_of_all_lists_has_them() {
    check(4, 2, 0.02, 5, 1e-8);
}

#[test]
fn four_servers_and_three_copies_are_as_the_chain_of_all_lists_has_them() {
    check(4, 3, 0.04, 6, 1e-8);
}

#[test]
fn aggregate_states_of_each_length_add_up_to_the_law_of_jobs() {
    let system = System::new(6, 2, 0.8).unwrap();
    let law = system.jobs_pmf(8);
    let mut lists = vec![vec![]];
    for chance in law {
        let sum: f64 = lists.iter().map(|list| system.aggregate_state(list)).sum();
        assert_near(sum, chance, 1e-13);
        lists = lists
            .into_iter()
            .flat_map(|list: Vec<u32>| (0..=2).map(move |own| [list.as_slice(), &[own]].concat()))
            .collect();
    }
    assert_eq!(system.aggregate_state(&[1]), 0.0);
    assert_eq!(system.aggregate_state(&[2, 3]), 0.0);
    assert_eq!(system.aggregate_state(&[2, 2, 2, 1]), 0.0);
}
