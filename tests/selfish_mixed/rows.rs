//! Equal streams on equal servers: every row of data/reference/selfish.json that drawn profiles can reach.

use super::{BATCHES, LEVEL, Z, all, costs, estimate, number, point, poisson_tail, simulate, z};
use queuefarm::models::selfish_mixed::MODEL;
use queuefarm::models::{Plan, Tallies};
use queuefarm::theory::selfish::erlang_b;
use serde_json::Value;

fn reference(block: &str) -> Value {
    let all: Value =
        serde_json::from_str(include_str!("../../data/reference/selfish.json")).unwrap();
    all[block].clone()
}

/// A run of so many profiles (rounded up) with m servers and n streams at a load.
fn run(m: u32, n: u32, load: f64, connections: u32, profiles: u32) -> (Plan, Vec<Tallies>) {
    let replicas = 16;
    let changes = [
        ("servers", number(m)),
        ("streams", number(n)),
        ("load", number(load)),
        ("connections", number(connections)),
        costs(&["mm1", "erlang_b"]),
    ];
    let duration = profiles.div_ceil(BATCHES * replicas).max(2);
    let plan = (MODEL.plan)(&point(duration, &changes)).unwrap();
    let batches = simulate(&plan, replicas);
    (plan, batches)
}

#[test]
fn the_fullest_server_has_its_mean_and_not_that_of_one_server_more() {
    let rows = reference("C_balls_in_bins_Emax_m_eq_n");
    let mut met = 0;
    for (m, exact) in rows.as_object().unwrap() {
        let Ok(m) = m.parse::<u32>() else { continue };
        // At a load of 1 a stream alone fills its server.
        let (plan, batches) = run(m, m, 1.0, 1, 1_000_000);
        let here = z(&plan, &batches, "load_max", exact.as_f64().unwrap());
        assert!(here.abs() < Z, "m = {m}: z = {here}");
        let load = f64::from(m) / f64::from(m + 1);
        let (plan, batches) = run(m + 1, m, load, 1, 1_000_000);
        let twin = z(&plan, &batches, "load_max", exact.as_f64().unwrap());
        assert!(twin < -Z, "m = {m}: with one server more z = {twin}");
        met += 1;
    }
    assert_eq!(met, 10);
}

/// Checks a share of profiles against its exact value: few on one side by a Poisson law, else by z.
fn share_is(plan: &Plan, batches: &[Tallies], name: &str, exact: f64) -> bool {
    let total = all(batches, plan);
    let profiles = total.replicas as f64 * f64::from(plan.end());
    let found = estimate(plan, &total, name).unwrap();
    let (found, rare) = if exact < 0.5 {
        (found, exact)
    } else {
        (1.0 - found, 1.0 - exact)
    };
    if profiles * rare > 1000.0 {
        z(plan, batches, name, exact).abs() < Z
    } else {
        poisson_tail(profiles * rare, (profiles * found).round()) > LEVEL
    }
}

#[test]
fn servers_are_overloaded_as_often_as_they_should_and_not_as_with_one_more() {
    let rows = reference("C_mm1_fully_mixed");
    let (mut met, mut told_apart) = (0, 0);
    for row in rows["rows"].as_array().unwrap() {
        let [m, n] = ["m", "n"].map(|key| row[key].as_u64().unwrap() as u32);
        let [x, some, stream] = ["x", "P_some_server_overloaded", "P_given_stream_overloaded"]
            .map(|key| row[key].as_f64().unwrap());
        let (plan, batches) = run(m, n, x, 1, 200_000);
        assert!(share_is(&plan, &batches, "overload", some), "{row}");
        // Streams of one profile are not independent, so rare ones have no Poisson law of their own.
        if stream == 0.0 || some * 200_000.0 > 1000.0 {
            let here = z(&plan, &batches, "stream_overload", stream);
            assert!(here.abs() < Z, "{row}: {here}");
        }
        let whole = all(&batches, &plan);
        let cost = estimate(&plan, &whole, "cost_max_mm1");
        let overload = estimate(&plan, &whole, "overload").unwrap();
        assert_eq!(cost.is_none(), overload > 0.0, "{row}");
        met += 1;
        let load = x * f64::from(m) / f64::from(m + 1);
        let (plan, batches) = run(m + 1, n, load, 1, 200_000);
        told_apart += u32::from(!share_is(&plan, &batches, "overload", some));
        // Where it is neither rare nor certain, the twin fails.
        if (0.01..0.99).contains(&some) {
            assert!(
                !share_is(&plan, &batches, "overload", some),
                "twin of {row}"
            );
        }
    }
    assert_eq!(met, 32);
    assert!(told_apart >= 12, "{told_apart}");
}

/// Mean and standard deviation of what a stream pays at a server that rejects, n equal streams, from the binomial law.
fn stream_cost(m: u32, n: u32, c: u32, load: f64) -> [f64; 2] {
    let (p, others) = (1.0 / f64::from(m), f64::from(n - 1));
    let mut chance = (others * (-p).ln_1p()).exp();
    let (mut mean, mut square) = (0.0, 0.0);
    for k in 0..n {
        let x = f64::from(k + 1) * load * f64::from(m) / f64::from(n);
        let f = erlang_b(c, f64::from(c) * x);
        mean += chance * f;
        square += chance * f * f;
        chance *= (others - f64::from(k)) / f64::from(k + 1) * p / (1.0 - p);
    }
    [mean, (square - mean * mean).max(0.0).sqrt()]
}

#[test]
fn streams_are_rejected_as_often_as_they_should_and_not_as_with_one_server_more() {
    let rows = reference("C_rejection_fully_mixed");
    let (mut met, mut out_of_reach) = (0, 0);
    for row in rows["rows"].as_array().unwrap() {
        let [m, c] = ["m", "c"].map(|key| row[key].as_u64().unwrap() as u32);
        let load = row["util"].as_f64().unwrap();
        for each in [1, 4, 10, 100] {
            let exact = row[format!("NE_stream_cost_k{each}")].as_f64().unwrap();
            let n = m * each;
            let profiles = (200_000_000 / n).clamp(20_000, 1_000_000);
            // Where the mean comes from loads too rare for a normal law to hold over batches, nothing can be said.
            let [mean, deviation] = stream_cost(m, n, c, load);
            assert!((mean / exact - 1.0).abs() < 1e-9, "{row}: {mean}");
            if deviation / f64::from(profiles * m).sqrt() > 0.02 * mean {
                out_of_reach += 1;
                continue;
            }
            let (plan, batches) = run(m, n, load, c, profiles);
            for name in ["cost_worst_stream_erlang_b", "cost_average_erlang_b"] {
                let here = z(&plan, &batches, name, exact);
                assert!(here.abs() < Z, "{row}, {each} streams a server: {here}");
            }
            met += 1;
        }
        let fewer = load * f64::from(m) / f64::from(m + 1);
        let (plan, batches) = run(m + 1, 4 * m, fewer, c, 100_000);
        let exact = row["NE_stream_cost_k4"].as_f64().unwrap();
        if exact > 1e-4 {
            let twin = z(&plan, &batches, "cost_worst_stream_erlang_b", exact);
            assert!(twin.abs() > Z, "twin of {row}: {twin}");
        }
    }
    assert_eq!((met, out_of_reach), (71, 21));
}
