//! Systems that are one queue, or several that share nothing, against textbook results: Pollaczek-Khinchine for every
//! law of sizes, GI/M/1 for other arrivals, M/M/1 at servers of unequal speed, M/M/N, and two forked queues.

use crate::compare::{Comparisons, LIMIT};
use crate::simulate::{Effort, simulate};

const EFFORT: Effort = Effort {
    replicas: 1024,
    warmup: 2_000,
    duration: 4_000,
};

/// A law of sizes with mean 1 as lines of an experiment file, and its second and third moment.
struct Sizes {
    lines: String,
    second: f64,
    third: f64,
}

fn sizes(lines: &str, second: f64, third: f64) -> Sizes {
    Sizes {
        lines: format!("{lines}\n"),
        second,
        third,
    }
}

fn hyperexponential(weights: [f64; 2], rates: [f64; 2]) -> Sizes {
    let moment = |n: i32, factor: f64| {
        let sum = |i: usize| factor * weights[i] / rates[i].powi(n);
        (sum(0) + sum(1)) / (weights[0] + weights[1])
    };
    let mean = moment(1, 1.0);
    sizes(
        &format!(
            "service = \"hyperexponential\"\nservice_weights = {weights:?}\nservice_rates = {rates:?}"
        ),
        moment(2, 2.0) / mean.powi(2),
        moment(3, 6.0) / mean.powi(3),
    )
}

/// A Pareto law given that it is below a bound; the least size is found by bisection so that the mean is 1.
fn pareto(shape: f64, bound: f64) -> Sizes {
    let moment = |least: f64, n: f64| {
        let power = |p: f64| least.powf(p) - bound.powf(p);
        shape / (shape - n) * power(n - shape) / power(-shape)
    };
    let (mut low, mut high) = (1e-6, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if moment(middle, 1.0) < 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    sizes(
        &format!("service = \"pareto\"\nservice_shape = {shape}\nservice_bound = {bound}"),
        moment(low, 2.0),
        moment(low, 3.0),
    )
}

fn weibull(shape: f64) -> Sizes {
    let gamma = |n: f64| libm::tgamma(1.0 + n / shape);
    sizes(
        &format!("service = \"weibull\"\nservice_shape = {shape:?}"),
        gamma(2.0) / gamma(1.0).powi(2),
        gamma(3.0) / gamma(1.0).powi(3),
    )
}

fn uniform(low: f64) -> Sizes {
    let high = 2.0 - low;
    let moment = |n: i32| (high.powi(n + 1) - low.powi(n + 1)) / (f64::from(n + 1) * (high - low));
    sizes(
        &format!("service = \"uniform\"\nservice_low = {low:?}"),
        moment(2),
        moment(3),
    )
}

fn erlang(k: f64) -> Sizes {
    sizes(
        &format!("service = \"erlang\"\nservice_shape = {k}"),
        (k + 1.0) / k,
        (k + 1.0) * (k + 2.0) / (k * k),
    )
}

fn samples(values: &[f64]) -> Sizes {
    let moment = |n: i32| values.iter().map(|x| x.powi(n)).sum::<f64>() / values.len() as f64;
    sizes(
        &format!("service = \"samples\"\nservice_samples = {values:?}"),
        moment(2) / moment(1).powi(2),
        moment(3) / moment(1).powi(3),
    )
}

fn every_law() -> Vec<Sizes> {
    vec![
        sizes("service = \"exponential\"", 2.0, 6.0),
        sizes("service = \"deterministic\"", 1.0, 1.0),
        uniform(0.0),
        uniform(0.5),
        erlang(3.0),
        hyperexponential([0.9, 0.1], [1.8, 0.2]),
        hyperexponential([1.0, 3.0], [5.0, 1.0]),
        pareto(2.5, 20.0),
        weibull(0.8),
        weibull(2.0),
        samples(&[0.3, 0.3, 1.7, 2.0, 9.5]),
    ]
}

/// M/G/1 with arrivals at `rate`: (E[T], Var T, E[W]).
fn pollaczek_khinchine(rate: f64, mean: f64, second: f64, third: f64) -> [f64; 3] {
    let idle = 1.0 - rate * mean;
    let wait = rate * second / (2.0 * idle);
    let wait_var = wait * wait + rate * third / (3.0 * idle);
    [mean + wait, second - mean * mean + wait_var, wait]
}

/// A law in the three systems that are M/G/1 queues.
fn compare_law(law: &Sizes, second: f64, third: f64, seed: u64) -> Comparisons {
    let mut made = Comparisons::default();
    let idle: f64 = 0.4;
    for (lines, rate, servers, busy, empty) in [
        ("servers = 1\ncopies = 1\nload = 0.6\n", 0.6, 1.0, 0.6, idle),
        (
            "servers = 5\ncopies = 3\nload = 0.6\npolicy = \"random\"\n",
            0.6,
            5.0,
            3.0,
            idle.powi(5),
        ),
        (
            "servers = 3\ncopies = 3\nload = 0.2\ncopies_are = \"identical\"\n",
            0.6,
            1.0,
            1.8,
            idle,
        ),
    ] {
        let parameters = format!("{lines}{}", law.lines);
        let answers = simulate(&parameters, EFFORT, seed);
        let [mean, variance, wait] = pollaczek_khinchine(rate, 1.0, second, third);
        for (name, exact) in [
            ("response_mean", mean),
            ("response_var", variance),
            ("wait_mean", wait),
            ("queue_mean", rate * mean),
            ("jobs_mean", rate * servers * mean),
            ("busy_mean", busy),
            ("p_empty", empty),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
    }
    made
}

#[test]
fn one_server_a_job_is_m_g_1_for_every_law_of_sizes_and_so_are_identical_copies_on_all_servers() {
    let mut made = Comparisons::default();
    for (index, law) in every_law().iter().enumerate() {
        made.join(compare_law(law, law.second, law.third, index as u64));
    }
    made.assert_all(11 * 3 * 7);
    // The twin: moments of a law with 6 % more variance in its sizes.
    let law = erlang(3.0);
    let (_, missed) = compare_law(&law, law.second * 1.015, law.third * 1.03, 4).counts();
    assert!(missed >= 9, "{missed} missed");
}

/// Independent copies on all servers: every server works on the least of N sizes, M/G/1 again.
#[test]
fn independent_copies_on_all_servers_are_m_g_1_with_the_least_of_the_sizes() {
    // Survival functions of mean 1, and loads near the middle of what is stable with N = 10.
    type Survival = fn(f64) -> f64;
    let laws: [(&str, Survival, f64); 4] = [
        (
            "service = \"erlang\"\n",
            |x| (1.0 + 2.0 * x) * (-2.0 * x).exp(),
            0.25,
        ),
        (
            "service = \"hyperexponential\"\n",
            |x| 0.9 * (-1.8 * x).exp() + 0.1 * (-0.2 * x).exp(),
            1.2,
        ),
        ("service = \"uniform\"\n", |x| (1.0 - x / 2.0).max(0.0), 0.3),
        (
            "service = \"weibull\"\nservice_shape = 0.5\n",
            |x| (-(2.0 * x).sqrt()).exp(),
            5.0,
        ),
    ];
    let mut made = Comparisons::default();
    for (index, (lines, survival, load)) in laws.into_iter().enumerate() {
        // E[min^n] = integral of n x^(n-1) P(S > x)^10, by the midpoint rule in u, x = u^4 (smooth at 0).
        let moment = |n: i32| {
            const STEPS: u32 = 400_000;
            let end = 40f64.powf(0.25);
            let width = end / f64::from(STEPS);
            let value = |i: u32| {
                let u = (f64::from(i) + 0.5) * width;
                let x = u.powi(4);
                f64::from(n) * x.powi(n - 1) * survival(x).powi(10) * 4.0 * u.powi(3)
            };
            (0..STEPS).map(value).sum::<f64>() * width
        };
        let rate = 10.0 * load;
        let [mean, variance, wait] = pollaczek_khinchine(rate, moment(1), moment(2), moment(3));
        let parameters = format!("servers = 10\ncopies = 10\nload = {load}\n{lines}");
        let effort = Effort {
            duration: 2_000,
            ..EFFORT
        };
        let answers = simulate(&parameters, effort, 50 + index as u64);
        for (name, exact) in [
            ("response_mean", mean),
            ("response_var", variance),
            ("wait_mean", wait),
            ("busy_mean", 10.0 * rate * moment(1)),
            ("p_empty", 1.0 - rate * moment(1)),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
    }
    made.assert_all(20);
}

/// The root below 1 of sigma = A(1 - sigma), A the transform of the times between arrivals (size 1/mu = 1).
fn sigma(transform: impl Fn(f64) -> f64) -> f64 {
    (0..10_000).fold(0.0, |sigma, _| transform(1.0 - sigma))
}

#[test]
fn other_arrivals_are_gi_m_1() {
    const RATE: f64 = 0.7;
    // Transforms of times of mean 1/RATE; the two phases have rates 1.8 and .2 in units of the mean.
    let constant = |s: f64| (-s / RATE).exp();
    let phases = |s: f64| {
        let phase = |weight: f64, rate: f64| weight * rate * RATE / (rate * RATE + s);
        phase(0.9, 1.8) + phase(0.1, 0.2)
    };
    let laws: [(&str, &dyn Fn(f64) -> f64); 2] =
        [("deterministic", &constant), ("hyperexponential", &phases)];
    let mut made = Comparisons::default();
    let mut twin = Comparisons::default();
    for (index, (name, transform)) in laws.into_iter().enumerate() {
        let arrivals = format!("arrivals = \"{name}\"\n");
        // Every job to the one server, or to all; or one in four to each, independently.
        let whole = sigma(transform);
        let quarter = sigma(|s| {
            // Arrivals in all are four times as many.
            let all = transform(s / 4.0);
            all / 4.0 / (1.0 - 0.75 * all)
        });
        for (lines, sigma, busy, single) in [
            ("servers = 1\ncopies = 1\nload = 0.7\n", whole, RATE, true),
            (
                "servers = 7\ncopies = 7\nload = 0.1\ncopies_are = \"identical\"\n",
                whole,
                7.0 * RATE,
                true,
            ),
            (
                "servers = 4\ncopies = 1\nload = 0.7\n",
                quarter,
                4.0 * RATE,
                false,
            ),
        ] {
            let parameters = format!("{lines}{arrivals}");
            let answers = simulate(&parameters, EFFORT, 70 + index as u64);
            let decay = 1.0 - sigma;
            let mut all = vec![
                ("response_mean", 1.0 / decay),
                ("response_var", 1.0 / (decay * decay)),
                ("wait_mean", sigma / decay),
                ("busy_mean", busy),
            ];
            if single {
                all.push(("p_empty", decay));
            }
            for (name, exact) in all {
                made.estimate(&parameters, &answers, name, exact);
                // Poisson arrivals instead.
                let poisson = if name == "busy_mean" { 0.0 } else { exact };
                let wrong = match name {
                    "response_mean" => 1.0 / 0.3,
                    "response_var" => 1.0 / 0.09,
                    "wait_mean" => 0.7 / 0.3,
                    "p_empty" => 0.3,
                    _ => poisson,
                };
                twin.estimate(&parameters, &answers, name, wrong);
            }
            for chance in [0.5, 0.1, 1e-2, 1e-3] {
                let tail = answers.tail_near(-f64::ln(chance) / decay);
                let exact = (-decay * tail.time).exp();
                made.add(
                    &format!("tail of {parameters}"),
                    tail.share,
                    tail.se,
                    exact,
                    0.0,
                );
            }
        }
    }
    made.assert_all(2 * (5 + 5 + 4 + 3 * 4));
    let (count, missed) = twin.counts();
    assert_eq!(missed, count, "Poisson arrivals are told from all others");
}

#[test]
fn servers_of_unequal_speed_are_m_m_1_queues_together_or_apart() {
    let mut made = Comparisons::default();
    // Every copy anywhere: all speeds work on one job.
    for (index, (list, load)) in [
        ("[1, 0.5]", 0.6),
        ("[2, 0.25, 1, 1, 3, 0.75]", 0.8),
        ("[0.02, 0.01, 0.03]", 0.5),
    ]
    .into_iter()
    .enumerate()
    {
        let speeds: Vec<f64> = serde_json::from_str(list).unwrap();
        let servers = speeds.len();
        let total: f64 = speeds.iter().sum();
        let parameters =
            format!("servers = {servers}\ncopies = {servers}\nload = {load}\nspeeds = {list}\n");
        let answers = simulate(&parameters, EFFORT, 90 + index as u64);
        let mean = 1.0 / (total * (1.0 - load));
        for (name, exact) in [
            ("response_mean", mean),
            ("response_var", mean * mean),
            ("wait_mean", load * mean),
            ("jobs_mean", load / (1.0 - load)),
            ("busy_mean", load * servers as f64),
            ("p_empty", 1.0 - load),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
        for chance in [0.5, 0.1, 1e-2, 1e-3] {
            let tail = answers.tail_near(-f64::ln(chance) * mean);
            let exact = (-tail.time / mean).exp();
            made.add(&parameters, tail.share, tail.se, exact, 0.0);
        }
    }
    // One copy: each server has its own share of the jobs.
    for (list, load) in [("[1, 0.5]", 0.5), ("[2, 0.5, 1, 1, 3, 0.75]", 0.25)] {
        let speeds: Vec<f64> = serde_json::from_str(list).unwrap();
        let servers = speeds.len();
        let total: f64 = speeds.iter().sum();
        let each = load * total / servers as f64;
        let parameters =
            format!("servers = {servers}\ncopies = 1\nload = {load}\nspeeds = {list}\n");
        let answers = simulate(&parameters, EFFORT, 95);
        let average = |value: &dyn Fn(f64) -> f64| {
            speeds.iter().map(|speed| value(*speed)).sum::<f64>() / servers as f64
        };
        let mean = average(&|speed| 1.0 / (speed - each));
        let square = average(&|speed| 2.0 / (speed - each).powi(2));
        for (name, exact) in [
            ("response_mean", mean),
            ("response_var", square - mean * mean),
            ("wait_mean", mean - average(&|speed| 1.0 / speed)),
            ("busy_mean", servers as f64 * average(&|speed| each / speed)),
            (
                "p_empty",
                speeds.iter().map(|speed| 1.0 - each / speed).product(),
            ),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
        for time in [1.0, 5.0, 20.0] {
            let tail = answers.tail_near(time);
            let exact = average(&|speed| (-(speed - each) * tail.time).exp());
            made.add(&parameters, tail.share, tail.se, exact, 0.0);
        }
    }
    made.assert_all(3 * 10 + 2 * 8);
}

#[test]
fn the_first_start_among_all_servers_is_one_queue_before_n_servers() {
    let mut made = Comparisons::default();
    for (servers, load, copies_are) in [
        (2u32, 0.8, "independent"),
        (4, 0.7, "identical"),
        (10, 0.9, "independent"),
    ] {
        let parameters = format!(
            "servers = {servers}\ncopies = {servers}\nload = {load}\npolicy = \"cancel_on_start\"\n\
             copies_are = \"{copies_are}\"\n"
        );
        let answers = simulate(&parameters, EFFORT, u64::from(servers));
        // Erlang's formulas of B and C.
        let n = f64::from(servers);
        let offered = n * load;
        let blocked = (1..=servers).fold(1.0, |b, k| offered * b / (f64::from(k) + offered * b));
        let waits = blocked / (1.0 - load * (1.0 - blocked));
        let rate = n - offered;
        let terms = (0..servers).map(|k| (1..=k).map(|i| offered / f64::from(i)).product::<f64>());
        let last = (1..=servers)
            .map(|i| offered / f64::from(i))
            .product::<f64>();
        let empty = 1.0 / (terms.sum::<f64>() + last / (1.0 - load));
        for (name, exact) in [
            ("wait_mean", waits / rate),
            ("response_mean", 1.0 + waits / rate),
            ("response_var", 1.0 + waits * (2.0 - waits) / (rate * rate)),
            ("busy_mean", offered),
            ("p_empty", empty),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
    }
    made.assert_all(15);
}

/// Both copies must complete: L. Flatto and S. Hahn's two forked M/M/1 queues, E[T] = (12 - rho)/8 / (1 - rho).
#[test]
fn two_forked_queues_have_their_known_mean() {
    let mut made = Comparisons::default();
    for load in [0.1, 0.3, 0.45] {
        let parameters =
            format!("servers = 2\ncopies = 2\nload = {load}\npolicy = \"fork_join\"\nneeded = 2\n");
        let effort = Effort {
            warmup: 4_000,
            ..EFFORT
        };
        let answers = simulate(&parameters, effort, 3);
        let rho = 2.0 * load;
        let mean = (12.0 - rho) / 8.0 / (1.0 - rho);
        made.estimate(&parameters, &answers, "response_mean", mean);
        made.estimate(&parameters, &answers, "jobs_mean", rho * mean);
        made.estimate(&parameters, &answers, "busy_mean", 2.0 * rho);
        made.estimate(&parameters, &answers, "queue_mean", rho / (1.0 - rho));
        // The same as independent queues, H_2 / (1 - rho), is wrong.
        let found = answers.get("response_mean");
        let wrong = (found.mean.unwrap() - 1.5 / (1.0 - rho)) / found.se.unwrap();
        assert!(wrong < -LIMIT, "z = {wrong}");
    }
    made.assert_all(12);
}
