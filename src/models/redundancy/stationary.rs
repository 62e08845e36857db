//! The stationary law of the exponential model with independent copies, drawn exactly.
//!
//! Owns the list of jobs that are there at the start, oldest first, with their servers. For m = d..N draw a
//! geometric number of jobs, P(K_m = k) = (1 - rho_m) rho_m^k, each of them on d servers drawn uniformly among
//! the first m (models with exchangeable servers need no permutation of them). See docs/theory.md.

use crate::random::{Key, Purpose, exponential};

/// Fraction bits of the table: -ln rho_m in units of 2^-46.
const TABLE_BITS: u32 = 46;
/// Fraction bits of an exponential draw.
const DRAW_BITS: u32 = crate::random::EXPONENTIAL_FRACTION_BITS;

/// -ln rho_m for m = d..N, two words each, low word first.
pub fn table(loads: impl IntoIterator<Item = f64>) -> Vec<u32> {
    let unit = (1u64 << TABLE_BITS) as f64;
    loads
        .into_iter()
        .flat_map(|load| {
            // The cast holds infinity, the logarithm of a load that underflows, at the largest integer.
            let rate = (-libm::log(load) * unit) as u64;
            [rate as u32, (rate >> 32) as u32]
        })
        .collect()
}

/// Shows every job of the list to `each`, oldest first: its d servers, numbered from 0.
pub fn for_each_job(
    key: &Key,
    replica: u32,
    copies: u32,
    rates: &[u32],
    exponentials: &[u32],
    mut each: impl FnMut(&[u32]),
) {
    let most = copies as usize + rates.len() / 2 - 1;
    let mut order: Vec<u32> = (0..most as u32).collect();
    let copies = copies as usize;
    let mut job = 0u32;
    for (which, rate) in rates.chunks_exact(2).enumerate() {
        let rate = u64::from(rate[1]) << 32 | u64::from(rate[0]);
        let drawn = key.draw(Purpose::RedundancyStart, replica, which as u32 / 2, 0);
        let words = &drawn[2 * (which % 2)..];
        let time = u64::from(exponential(exponentials, words[0], words[1]));
        let count = (time << (TABLE_BITS - DRAW_BITS)) / rate.max(1);
        for _ in 0..count {
            let places = copies + which;
            let mut drawn = [0; 4];
            for copy in 0..copies {
                if copy % 4 == 0 {
                    let block = 1 + copy as u32 / 4;
                    drawn = key.draw(Purpose::RedundancyStart, replica, job, block);
                }
                let choices = (places - copy) as u64;
                let place = copy + ((u64::from(drawn[copy % 4]) * choices) >> 32) as usize;
                order.swap(copy, place);
            }
            each(&order[..copies]);
            job += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{for_each_job, table};
    use crate::random::{Key, exponential_table};

    /// rho_m for m = d..N.
    fn loads(servers: u32, copies: u32, load: f64) -> Vec<f64> {
        let mut ratio = 1.0;
        let mut loads = vec![load];
        for m in (copies + 1..=servers).rev() {
            ratio *= f64::from(m - copies) / f64::from(m - 1);
            loads.push(load * ratio);
        }
        loads.reverse();
        loads
    }

    /// z of the mean number of jobs at a load against the exact one at another.
    fn z_of_jobs(load: f64, exact_load: f64) -> f64 {
        let (servers, copies, replicas) = (10, 3, 20_000);
        let rates = table(loads(servers, copies, load));
        let exponentials = exponential_table();
        let key = Key { seed: 5, stream: 0 };
        let mut jobs = 0;
        for replica in 0..replicas {
            for_each_job(&key, replica, copies, &rates, &exponentials, |servers| {
                assert_eq!(servers.len(), 3);
                assert!(servers.iter().all(|&server| server < 10));
                jobs += 1;
            });
        }
        let exact = loads(servers, copies, exact_load);
        let mean: f64 = exact.iter().map(|r| r / (1.0 - r)).sum();
        let variance: f64 = exact.iter().map(|r| r / (1.0 - r).powi(2)).sum();
        let replicas = f64::from(replicas);
        (f64::from(jobs) / replicas - mean) / (variance / replicas).sqrt()
    }

    #[test]
    fn the_number_of_jobs_has_its_exact_mean() {
        let z = z_of_jobs(0.8, 0.8);
        assert!(z.abs() < 4.5, "z = {z}");
        let twin = z_of_jobs(0.82, 0.8);
        assert!(twin > 4.5, "a load 2 % off must fail: z = {twin}");
    }

    #[test]
    fn jobs_of_the_last_stage_take_every_server_equally_often_and_those_of_the_first_only_d() {
        let exponentials = exponential_table();
        let key = Key { seed: 9, stream: 1 };
        let count_servers = |loads: [f64; 5]| {
            let mut taken = [0u32; 6];
            for replica in 0..20_000 {
                for_each_job(&key, replica, 2, &table(loads), &exponentials, |servers| {
                    assert_ne!(servers[0], servers[1]);
                    servers
                        .iter()
                        .for_each(|&server| taken[server as usize] += 1);
                });
            }
            taken.map(f64::from)
        };
        let last = count_servers([1e-300, 1e-300, 1e-300, 1e-300, 0.5]);
        let expected = last.iter().sum::<f64>() / 6.0;
        assert!(expected > 5_000.0);
        let z = last.map(|taken| (taken - expected) / expected.sqrt());
        assert!(z.iter().all(|z| z.abs() < 4.5), "{z:?}");
        let first = count_servers([0.5, 1e-300, 1e-300, 1e-300, 1e-300]);
        assert!(first[0] == first[1] && first[0] > 10_000.0);
        assert_eq!(first[2..], [0.0; 4]);
    }
}
