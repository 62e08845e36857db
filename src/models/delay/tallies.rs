//! Histograms and sums of `delay` from the counts that its kernels keep.
//!
//! Owns what need not be counted because it follows from other counts. Does not simulate.

use super::words::{param, state, sum};
use crate::engine::{LANES, Lane};
use crate::models::Plan;

/// Counts of all histograms from the recorded ones of each half; adds to the sums what the kernels leave out.
pub fn unfold(plan: &Plan, recorded: &[Vec<u64>; 2], sums: &mut [[u128; 2]]) -> Vec<u64> {
    let mut counts = vec![0; plan.bins()];
    for (half, recorded) in recorded.iter().enumerate() {
        if plan.params[param::WALK] == 1 {
            read_off_moves(plan, recorded, &mut counts, |which, amount| {
                sums[which][half] += amount
            });
        } else {
            for (total, count) in counts.iter_mut().zip(recorded) {
                *total += count;
            }
        }
    }
    if plan.params[param::WALK] == 0 && plan.params[param::QUEUE_RECORDED] == 0 {
        read_off_waits(plan, &mut counts);
    }
    counts
}

/// The queues met, from the waits: where both services take s ticks and are in phase, a packet that
/// waited w ticks met ceil(w / s) others.
fn read_off_waits(plan: &Plan, counts: &mut [u64]) {
    let [_, wait, queue] = starts(plan);
    let last = plan.histograms[2].bins - 1;
    for waited in 0..plan.histograms[1].bins {
        let met = waited.div_ceil(plan.params[param::SERVICE_1]).min(last);
        counts[queue + met as usize] += counts[wait + waited as usize];
    }
}

/// Everything, from the moves of the walk (see walk.rs): bin 2 n + m counts the ticks that took N_1 from
/// n to m. Every server with packets completed one, the others are at server 2, and the clients whose
/// packets were completed joined the queues at once, in an order that changes nothing here.
fn read_off_moves(
    plan: &Plan,
    moves: &[u64],
    counts: &mut [u64],
    mut add: impl FnMut(usize, u128),
) {
    let clients = plan.params[param::CLIENTS] as usize;
    let [a_at, wait_at, queue_at] = starts(plan);
    for (bin, &ticks) in moves.iter().enumerate() {
        let before = (bin + 1) / 3;
        let after = bin - 2 * before;
        let done = [usize::from(before > 0), usize::from(before < clients)];
        let to_1 = after + done[0] - before;
        let joined = [to_1, done[0] + done[1] - to_1];
        counts[a_at + 2 * after] += ticks;
        let mut met_in_all = 0;
        for (server, queue) in [before, clients - before].into_iter().enumerate() {
            for met in queue - done[server]..queue - done[server] + joined[server] {
                counts[wait_at + met] += ticks;
                counts[queue_at + met] += ticks;
                met_in_all += met;
            }
        }
        let size = (2 * after).abs_diff(clients);
        let each = [
            (sum::QUEUE_1, after),
            (sum::QUEUE_2, clients - after),
            (sum::SQUARE, size * size),
            (sum::COMPLETED_1, done[0]),
            (sum::COMPLETED_2, done[1]),
            (sum::IDLE_1, usize::from(after == 0)),
            (sum::IDLE_2, usize::from(after == clients)),
            (sum::REQUESTS, done[0] + done[1]),
            (sum::JOINED, done[0] + done[1]),
            (sum::WAITED, met_in_all),
            (sum::MET, met_in_all),
        ];
        for (which, amount) in each {
            add(which, amount as u128 * u128::from(ticks));
        }
    }
}

/// The first bin of each histogram.
fn starts(plan: &Plan) -> [usize; 3] {
    let bins = |index: usize| plan.histograms[index].bins as usize;
    [0, bins(0), bins(0) + bins(1)]
}

/// Adds a 32-bit sum of a group to the 64-bit one of its state.
pub fn add_sum(state: &mut [Lane], which: usize, half: usize, sum: &Lane) {
    let at = state::SUMS + 4 * which + 2 * half;
    for i in 0..LANES {
        let old = (u64::from(state[at + 1][i]) << 32) | u64::from(state[at][i]);
        let total = old + u64::from(sum[i]);
        state[at][i] = total as u32;
        state[at + 1][i] = (total >> 32) as u32;
    }
}

/// Adds all of them.
#[inline(never)]
pub fn add_sums(state: &mut [Lane], sums: &[Lane; sum::COUNT], half: usize) {
    for (which, sum) in sums.iter().enumerate() {
        add_sum(state, which, half, sum);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{MODEL, plan::resolve, words::param};
    use crate::engine::gpu::Gpu;
    use crate::engine::{Backend, Cpu, Recording, Unit, Watch, Work};
    use crate::models::{Plan, Point, Tallies, Value};
    use crate::random::Key;

    fn simulate(backend: &mut dyn Backend, plan: &Plan) -> Tallies {
        let unit = Unit {
            point: 0,
            batch: 0,
            first_replica: 5,
            replicas: 83,
        };
        let recording = Recording {
            trajectories: 9,
            ensemble: true,
            from: 1,
            steps: 30,
        };
        let work = Work {
            plan,
            key: Key { seed: 7, stream: 3 },
            unit,
            recording,
        };
        backend
            .final_states(&MODEL, &work, &Watch::new())
            .unwrap()
            .0
    }

    /// Points whose state is a walk: those of the parity grid, from rest or from the far end.
    fn points() -> Vec<Point> {
        let walks = |point: &Point| resolve(point, true).unwrap().params[param::WALK] == 1;
        let mut points: Vec<Point> = (MODEL.parity_grid)().into_iter().filter(walks).collect();
        for mut point in points.clone() {
            point.warmup = 0.0;
            let start = point
                .values
                .iter_mut()
                .find(|(name, _)| *name == "start")
                .unwrap();
            start.1 = Value::Word("all_in_1".to_owned());
            points.push(point);
        }
        points
    }

    #[test]
    fn what_is_read_off_the_moves_is_what_counting_everything_gives() {
        let points = points();
        assert!(points.len() >= 8, "{} points", points.len());
        let mut cpu = Cpu::new(1).unwrap();
        let mut gpu = Gpu::open(None, true).ok();
        for point in points {
            let (walk, whole) = (
                resolve(&point, true).unwrap(),
                resolve(&point, false).unwrap(),
            );
            assert_eq!(whole.params[param::WALK], 0);
            let expected = simulate(&mut cpu, &whole);
            assert_eq!(
                simulate(&mut cpu, &walk),
                expected,
                "CPU, configuration {}",
                point.index
            );
            match &mut gpu {
                Some(gpu) => assert_eq!(
                    simulate(gpu, &walk),
                    expected,
                    "GPU, configuration {}",
                    point.index
                ),
                None => eprintln!("SKIPPED, no adapter"),
            }
        }
    }

    #[test]
    fn only_points_without_anything_else_walk() {
        let base = points().remove(0);
        let walks = |name: &str, value: f64| {
            let mut point = base.clone();
            point
                .values
                .iter_mut()
                .find(|(key, _)| *key == name)
                .unwrap()
                .1 = Value::Number(value);
            resolve(&point, true).unwrap().params[param::WALK] == 1
        };
        assert!(walks("clients", 4_095.0));
        assert!(
            !walks("clients", 4_096.0),
            "A no longer has a bin for each value"
        );
        for name in [
            "travel_time",
            "idle_time",
            "rejection",
            "load_rejection",
            "phase",
        ] {
            assert!(!walks(name, 1.0), "{name}");
        }
        assert!(!walks("ticks_per_service", 2.0));
        assert!(!walks("service_time", 2.0));
    }
}
