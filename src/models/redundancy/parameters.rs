//! The parameters and observables of `redundancy`, as people write and read them.

use crate::models::{Default, Derived, Kind, Observable, Parameter, Value};

/// Most servers.
pub const MOST_SERVERS: u64 = 65_536;
/// Most copies of a job that needs several of them.
pub const MOST_FORKED: u32 = 64;
/// Most measured sizes.
pub const MOST_SAMPLES: usize = 100_000;
/// Most bins an octave.
pub const MOST_BINS: u64 = 1_024;

const fn real(min: f64, max: f64) -> Kind {
    Kind::Real { min, max }
}

const fn number(x: f64) -> Option<Default> {
    Some(Default::Number(x))
}

const fn word(x: &'static str) -> Option<Default> {
    Some(Default::Word(x))
}

const fn pair(min: f64) -> Kind {
    Kind::List {
        min,
        max: 1e6,
        most: 2,
    }
}

/// Every parameter of the model.
pub static PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "servers",
        symbol: "N",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_SERVERS,
        },
        default: None,
        help: "Servers, each with its own first-come first-served queue.",
    },
    Parameter {
        name: "copies",
        symbol: "d",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_SERVERS,
        },
        default: None,
        help: "Distinct servers, drawn uniformly, that each job goes to.",
    },
    Parameter {
        name: "load",
        symbol: "ρ",
        unit: "",
        kind: real(1e-6, 100.0),
        default: None,
        help: "Arrival rate of jobs times mean size, per unit of speed: λ E[S] = ρ at N servers of speed 1.",
    },
    Parameter {
        name: "policy",
        symbol: "policy",
        unit: "",
        kind: Kind::Choice(&[
            "cancel_on_completion",
            "cancel_on_start",
            "fork_join",
            "random",
        ]),
        default: word("cancel_on_completion"),
        help: "The first copy to complete cancels the others; the first to start does (least work left of d); `needed` copies must complete; or one of the d servers gets the job, whatever d.",
    },
    Parameter {
        name: "needed",
        symbol: "k",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_FORKED as u64,
        },
        default: number(1.0),
        help: "Copies that must complete with policy \"fork_join\", at most `copies`, which is then at most 64.",
    },
    Parameter {
        name: "copies_are",
        symbol: "copies",
        unit: "",
        kind: Kind::Choice(&["independent", "identical"]),
        default: word("independent"),
        help: "Whether each copy of a job has a size of its own, or all have the same.",
    },
    Parameter {
        name: "service",
        symbol: "S",
        unit: "",
        kind: Kind::Choice(&[
            "exponential",
            "deterministic",
            "uniform",
            "erlang",
            "hyperexponential",
            "pareto",
            "weibull",
            "samples",
        ]),
        default: word("exponential"),
        help: "Law of the sizes, scaled to mean 1: the unit of time.",
    },
    Parameter {
        name: "service_shape",
        symbol: "shape",
        unit: "",
        kind: real(0.1, 1000.0),
        default: number(2.0),
        help: "Phases of \"erlang\" (whole), exponent of \"pareto\", shape of \"weibull\".",
    },
    Parameter {
        name: "service_low",
        symbol: "a",
        unit: "mean service times",
        kind: real(0.0, 0.999),
        default: number(0.0),
        help: "Least size of \"uniform\", which ends at 2 - a.",
    },
    Parameter {
        name: "service_bound",
        symbol: "bound",
        unit: "mean service times",
        kind: real(1.1, 1e6),
        default: number(1000.0),
        help: "Largest size of \"pareto\", which is cut there.",
    },
    Parameter {
        name: "service_rates",
        symbol: "μ₁, μ₂",
        unit: "",
        kind: pair(1e-6),
        default: Some(Default::Numbers(&[1.8, 0.2])),
        help: "Rates of the two phases of \"hyperexponential\"; what counts is their ratio.",
    },
    Parameter {
        name: "service_weights",
        symbol: "p₁, p₂",
        unit: "",
        kind: pair(0.0),
        default: Some(Default::Numbers(&[0.9, 0.1])),
        help: "Probabilities of the two phases; what counts is their ratio.",
    },
    Parameter {
        name: "service_samples",
        symbol: "samples",
        unit: "",
        kind: Kind::Samples {
            laws: &[],
            min: 0.0,
            max: 1e12,
            most: MOST_SAMPLES,
        },
        default: Some(Default::Numbers(&[])),
        help: "Measured sizes for \"samples\": each is as likely as the others.",
    },
    Parameter {
        name: "arrivals",
        symbol: "arrivals",
        unit: "",
        kind: Kind::Choice(&["poisson", "deterministic", "hyperexponential"]),
        default: word("poisson"),
        help: "Law of the times between jobs.",
    },
    Parameter {
        name: "arrival_rates",
        symbol: "λ₁, λ₂",
        unit: "",
        kind: pair(1e-6),
        default: Some(Default::Numbers(&[1.8, 0.2])),
        help: "Rates of the two phases of \"hyperexponential\" arrivals; what counts is their ratio.",
    },
    Parameter {
        name: "arrival_weights",
        symbol: "q₁, q₂",
        unit: "",
        kind: pair(0.0),
        default: Some(Default::Numbers(&[0.9, 0.1])),
        help: "Probabilities of the two phases; what counts is their ratio.",
    },
    Parameter {
        name: "speeds",
        symbol: "μ",
        unit: "",
        kind: Kind::List {
            min: 1e-3,
            max: 1e3,
            most: MOST_SERVERS as usize,
        },
        default: number(1.0),
        help: "Speed of the servers: one number for all, or a list of N.",
    },
    Parameter {
        name: "start",
        symbol: "start",
        unit: "",
        kind: Kind::Choice(&["empty", "stationary"]),
        default: word("empty"),
        help: "No jobs, or a state drawn from the stationary law, which needs no warm-up (exponential sizes, independent copies, Poisson arrivals, equal speeds).",
    },
    Parameter {
        name: "allow_unstable",
        symbol: "unstable",
        unit: "",
        kind: Kind::Flag,
        default: Some(Default::Flag(false)),
        help: "Whether a system that is known to have no steady state is simulated all the same.",
    },
    Parameter {
        name: "bins_an_octave",
        symbol: "bins",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_BINS,
        },
        default: number(32.0),
        help: "Bins of the histograms of times in each octave, a power of two: 32 resolve 3 %.",
    },
];

const TIME: &str = "mean service times";

/// Every estimate of the model.
pub static OBSERVABLES: &[Observable] = &[
    Observable {
        name: "response_mean",
        symbol: "E[T]",
        unit: TIME,
        help: "Mean response time of a job.",
    },
    Observable {
        name: "response_var",
        symbol: "Var T",
        unit: "",
        help: "Variance of the response time, in squared mean service times.",
    },
    Observable {
        name: "wait_mean",
        symbol: "E[W]",
        unit: TIME,
        help: "Mean time until the first of its servers is free for a job.",
    },
    Observable {
        name: "queue_mean",
        symbol: "E[L]",
        unit: "",
        help: "Mean number of jobs at one server, by Little's law.",
    },
    Observable {
        name: "queue_normalised",
        symbol: "Q",
        unit: "",
        help: "The same as a multiple of ρ/(1-ρ), what it is without redundancy.",
    },
    Observable {
        name: "jobs_mean",
        symbol: "E[X]",
        unit: "",
        help: "Mean number of jobs present, by Little's law.",
    },
    Observable {
        name: "busy_mean",
        symbol: "E[busy]",
        unit: "",
        help: "Mean number of busy servers, from the work that jobs bring.",
    },
    Observable {
        name: "p_empty",
        symbol: "P(X=0)",
        unit: "",
        help: "Share of jobs that find every server idle.",
    },
    Observable {
        name: "response_excess",
        symbol: "(d E[T] - 1)/ρ",
        unit: "",
        help: "How much longer than without others a response takes, per load: α_d as ρ goes to 0.",
    },
];

/// What a plot may use as its x axis beside the parameters.
pub static DERIVED: &[Derived] = &[
    Derived {
        name: "slack",
        symbol: "1 - ρ",
        unit: "",
        value: |point| Value::Number(1.0 - point.number("load")),
    },
    Derived {
        name: "mean_field",
        symbol: "mean field",
        unit: "",
        value: |point| {
            let queue = crate::theory::redundancy::mean_field_queue(point.number("load"));
            Value::Number(queue.unwrap_or(f64::NAN))
        },
    },
    Derived {
        name: "optimal_copies",
        symbol: "optimal d",
        unit: "",
        value: |point| {
            let servers = point.number("servers") as u32;
            let best = crate::theory::redundancy::optimal_copies(servers, point.number("load"));
            Value::Number(best.map_or(f64::NAN, f64::from))
        },
    },
    Derived {
        name: "optimal_copies_rule",
        symbol: "√N (1−ρ)^(1/4), rule of thumb",
        unit: "",
        value: |point| {
            let servers = point.number("servers") as u32;
            let rule =
                crate::theory::redundancy::optimal_copies_rule(servers, point.number("load"));
            Value::Number(rule.unwrap_or(f64::NAN))
        },
    },
    Derived {
        name: "optimal_copies_asymptotic",
        symbol: "d*, for large N",
        unit: "",
        value: |point| {
            let (servers, load) = (point.number("servers") as u32, point.number("load"));
            let formula = crate::theory::redundancy::optimal_copies_asymptotic(servers, load);
            Value::Number(formula.unwrap_or(f64::NAN))
        },
    },
];

/// The file that `queuefarm new redundancy` writes.
pub const STARTER: &str = include_str!("starter.toml");

/// Every law that stands beside an estimate is exact.
pub const EXACT: &[&str] = &[
    "response_mean",
    "response_var",
    "wait_mean",
    "queue_mean",
    "queue_normalised",
    "jobs_mean",
    "busy_mean",
    "p_empty",
    "response_excess",
];
