//! A pure Nash equilibrium of a farm, on the host.
//!
//! Owns best response in whole numbers: ties go to the first server, so that the allocation follows from the farm alone.

/// The server of each stream, counted from 0, in a pure Nash equilibrium: streams by decreasing rate, each onto the
/// server with the least (load + rate) / speed, then moves to better servers until there are none. Each move lowers the
/// sorted list of loads over speeds, so they end. Loads and speeds are below 2^32, speeds above 0.
pub fn equilibrium(rates: &[u32], speeds: &[u32]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..rates.len()).collect();
    order.sort_by_key(|&stream| std::cmp::Reverse(rates[stream]));
    let mut loads = vec![0u64; speeds.len()];
    let mut servers = vec![0u32; rates.len()];
    for &stream in &order {
        let rate = u64::from(rates[stream]);
        let best = best(&loads, speeds, rate);
        loads[best] += rate;
        servers[stream] = best as u32;
    }
    loop {
        let mut moved = false;
        for &stream in order.iter().take_while(|&&stream| rates[stream] > 0) {
            let (rate, here) = (u64::from(rates[stream]), servers[stream] as usize);
            let there = best(&loads, speeds, rate);
            // With the stream's own rate counted twice here, `there` is never this server unless it is best.
            if there != here
                && less(
                    loads[there] + rate,
                    speeds[there],
                    loads[here],
                    speeds[here],
                )
            {
                loads[here] -= rate;
                loads[there] += rate;
                servers[stream] = there as u32;
                moved = true;
            }
        }
        if !moved {
            return servers;
        }
    }
}

/// The first of the servers on which a further stream of that rate finds the least load over speed.
fn best(loads: &[u64], speeds: &[u32], rate: u64) -> usize {
    let mut best = 0;
    for server in 1..speeds.len() {
        if less(
            loads[server] + rate,
            speeds[server],
            loads[best] + rate,
            speeds[best],
        ) {
            best = server;
        }
    }
    best
}

/// Whether load a over speed s is less than load b over speed t.
fn less(a: u64, s: u32, b: u64, t: u32) -> bool {
    u128::from(a) * u128::from(t) < u128::from(b) * u128::from(s)
}

#[cfg(test)]
mod tests {
    use super::{equilibrium, less};

    #[test]
    fn no_stream_finds_a_better_server() {
        for (rates, speeds) in [
            (vec![3, 3, 2, 2, 2], vec![1, 1]),
            (vec![7, 0, 5, 5, 1, 9, 9, 2], vec![3, 1, 2]),
            (vec![1; 10], vec![1; 4]),
            (vec![4], vec![2, 5, 5]),
            ((1..60).map(|i| i * i % 31).collect(), vec![10, 1, 1, 4, 7]),
        ] {
            let servers = equilibrium(&rates, &speeds);
            let mut loads = vec![0u64; speeds.len()];
            for (&server, &rate) in servers.iter().zip(&rates) {
                loads[server as usize] += u64::from(rate);
            }
            for (&here, &rate) in servers.iter().zip(&rates).filter(|(_, rate)| **rate > 0) {
                let here = here as usize;
                for (there, &speed) in speeds
                    .iter()
                    .enumerate()
                    .filter(|(there, _)| *there != here)
                {
                    let then = loads[there] + u64::from(rate);
                    assert!(
                        !less(then, speed, loads[here], speeds[here]),
                        "{rates:?} {speeds:?}"
                    );
                }
            }
        }
    }
}
