//! The parameters and observables of `delay`, as people write and read them.

use crate::models::{Default, Derived, Kind, Observable, Parameter, Point, Value};
use crate::theory::delay::adaptability;

/// Most clients: they are counted in 16 bits.
pub const MOST_CLIENTS: u64 = 65_535;
/// Longest delay of any kind, in ticks.
pub const LONGEST_DELAY: u64 = 4_096;
/// Most times a packet may bounce.
pub const MOST_BOUNCES: u64 = 16_383;

const fn real(min: f64, max: f64) -> Kind {
    Kind::Real { min, max }
}

const fn number(x: f64) -> Option<Default> {
    Some(Default::Number(x))
}

const fn word(x: &'static str) -> Option<Default> {
    Some(Default::Word(x))
}

/// Every parameter of the model.
pub static PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "clients",
        symbol: "N",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_CLIENTS,
        },
        default: number(100.0),
        help: "Clients that send one request after another.",
    },
    Parameter {
        name: "service_time",
        symbol: "τ_P",
        unit: "time units",
        kind: Kind::OneOrTwo {
            min: 1.0 / LONGEST_DELAY as f64,
            max: 4096.0,
        },
        default: number(1.0),
        help: "Time a server works on a packet; two values for unequal servers. The time unit is a service time of 1.",
    },
    Parameter {
        name: "ticks_per_service",
        symbol: "k",
        unit: "ticks",
        kind: Kind::Integer {
            min: 1,
            max: LONGEST_DELAY,
        },
        default: number(1.0),
        help: "Ticks a time unit: the resolution of all times.",
    },
    Parameter {
        name: "phase",
        symbol: "φ",
        unit: "ticks",
        kind: Kind::Integer {
            min: 0,
            max: LONGEST_DELAY,
        },
        default: number(0.0),
        help: "Ticks by which the first completion of server 2 comes later than in phase.",
    },
    Parameter {
        name: "information_delay",
        symbol: "τ_D",
        unit: "time units",
        kind: real(0.0, 4096.0),
        default: None,
        help: "Age of the queue lengths that clients see.",
    },
    Parameter {
        name: "travel_time",
        symbol: "τ_T",
        unit: "time units",
        kind: real(0.0, 4096.0),
        default: number(0.0),
        help: "Time from client to server, and back.",
    },
    Parameter {
        name: "idle_time",
        symbol: "τ_I",
        unit: "time units",
        kind: real(0.0, 4096.0),
        default: number(0.0),
        help: "Time a client rests between an answer and its next request.",
    },
    Parameter {
        name: "information",
        symbol: "information",
        unit: "",
        kind: Kind::Choice(&["inclusive", "exclusive"]),
        default: word("inclusive"),
        help: "Whether the state seen includes the changes of the very tick it dates from.",
    },
    Parameter {
        name: "compare",
        symbol: "compare",
        unit: "",
        kind: Kind::Choice(&["queue", "work"]),
        default: word("queue"),
        help: "Whether clients compare queue lengths N_i or work N_i τ_Pi.",
    },
    Parameter {
        name: "disinformation",
        symbol: "p",
        unit: "",
        kind: real(0.0, 1.0),
        default: number(0.0),
        help: "Probability that a request goes to the longer queue.",
    },
    Parameter {
        name: "bias",
        symbol: "b",
        unit: "",
        kind: real(0.0, 1.0),
        default: number(0.0),
        help: "Share of requests, or of clients, that take their preferred server whatever the queues.",
    },
    Parameter {
        name: "bias_kind",
        symbol: "bias kind",
        unit: "",
        kind: Kind::Choice(&["requests", "clients"]),
        default: word("requests"),
        help: "Whether the bias is a coin per request, or a fixed set of round(bN) clients.",
    },
    Parameter {
        name: "bias_period",
        symbol: "T_b",
        unit: "time units",
        kind: real(0.0, 1e6),
        default: number(0.0),
        help: "Period of a preference that alternates between server 1 and server 2; 0 for server 1 always.",
    },
    Parameter {
        name: "rejection",
        symbol: "r",
        unit: "",
        kind: real(0.0, 1.0),
        default: number(0.0),
        help: "Probability that a server rejects an arriving packet, whatever its queue.",
    },
    Parameter {
        name: "load_rejection",
        symbol: "c",
        unit: "",
        kind: real(0.0, 1.0),
        default: number(0.0),
        help: "Load-dependent rejection: a server with n packets rejects with probability min(c n, 1).",
    },
    Parameter {
        name: "load_rejection_scaled",
        symbol: "cN/2",
        unit: "",
        kind: real(0.0, 32_768.0),
        default: number(0.0),
        help: "The same, given as c N / 2, the mean rejection probability of balanced queues.",
    },
    Parameter {
        name: "bounce",
        symbol: "bounce",
        unit: "",
        kind: Kind::Choice(&["at_once", "travel"]),
        default: word("at_once"),
        help: "Whether a rejected packet is at the other server at once or travels there.",
    },
    Parameter {
        name: "bounce_limit",
        symbol: "bounce limit",
        unit: "",
        kind: Kind::Integer {
            min: 0,
            max: MOST_BOUNCES,
        },
        default: number(1000.0),
        help: "Most times a packet bounces; rejected once more, the request is refused and its client idles again.",
    },
    Parameter {
        name: "start",
        symbol: "start",
        unit: "",
        kind: Kind::Choice(&["balanced", "all_in_1", "random"]),
        default: word("balanced"),
        help: "Where the clients are at time 0: half in each queue, all in queue 1, or each in a random queue.",
    },
];

/// Every estimate of the model.
pub static OBSERVABLES: &[Observable] = &[
    Observable {
        name: "a_rms",
        symbol: "A_rms",
        unit: "packets",
        help: "Root of the mean of A², A = N₁ − N₂.",
    },
    Observable {
        name: "a_rms_scaled",
        symbol: "A_rms/(2τ)",
        unit: "",
        help: "A_rms over 2τ, the fluid amplitude, τ = τ_D + τ_T; the y axis of the paper's Figures 2 and 3.",
    },
    Observable {
        name: "a_mean",
        symbol: "⟨A⟩",
        unit: "packets",
        help: "Mean of A.",
    },
    Observable {
        name: "peak",
        symbol: "max |A|",
        unit: "packets",
        help: "Largest |A| of a replica in the measured span, averaged over replicas.",
    },
    Observable {
        name: "period",
        symbol: "period",
        unit: "time units",
        help: "Twice the measured time over the number of sign changes of A; none without any.",
    },
    Observable {
        name: "throughput",
        symbol: "throughput",
        unit: "packets per time unit",
        help: "Completions of both servers per time unit.",
    },
    Observable {
        name: "idle_fraction_1",
        symbol: "idle share of server 1",
        unit: "",
        help: "Share of time that server 1 has no work.",
    },
    Observable {
        name: "idle_fraction_2",
        symbol: "idle share of server 2",
        unit: "",
        help: "Share of time that server 2 has no work.",
    },
    Observable {
        name: "wait_mean",
        symbol: "mean wait",
        unit: "time units",
        help: "Time from joining a queue to the start of service.",
    },
    Observable {
        name: "queue_met",
        symbol: "mean queue met",
        unit: "packets",
        help: "Packets found at the server on joining.",
    },
    Observable {
        name: "rejections_per_request",
        symbol: "rejections per request",
        unit: "",
        help: "Rejections over requests: the extra traffic.",
    },
    Observable {
        name: "refusals",
        symbol: "refused share",
        unit: "",
        help: "Requests refused after the last allowed bounce, over all requests.",
    },
];

/// Functions of the parameters for axes and legends.
pub static DERIVED: &[Derived] = &[
    Derived {
        name: "total_delay",
        symbol: "τ_D + τ_T",
        unit: "time units",
        value: |point| {
            Value::Number(point.number("information_delay") + point.number("travel_time"))
        },
    },
    Derived {
        name: "rejection_level",
        symbol: "r or cN/2",
        unit: "",
        value: |point| {
            Value::Number(
                point.number("rejection") + load_rejection(point) * point.number("clients") / 2.0,
            )
        },
    },
    Derived {
        name: "rejection_kind",
        symbol: "rejection",
        unit: "",
        value: |point| {
            Value::Word(
                if load_rejection(point) > 0.0 {
                    "load-dependent"
                } else {
                    "constant"
                }
                .to_owned(),
            )
        },
    },
    Derived {
        name: "fluid_rms",
        symbol: "(1−2p)/√3",
        unit: "",
        value: |point| Value::Number((1.0 - 2.0 * point.number("disinformation")) / 3.0_f64.sqrt()),
    },
    Derived {
        name: "collapse_disinformation",
        symbol: "p_b",
        unit: "",
        value: |point| {
            Value::Number(adaptability::collapse_p(point.number("bias")).unwrap_or(f64::NAN))
        },
    },
];

/// How many clients are biased when they are fixed: round(b N).
pub fn biased_clients(point: &Point) -> u64 {
    (point.number("bias") * point.number("clients")).round() as u64
}

/// b, or the share of biased clients that comes nearest to it when they are fixed.
pub fn bias_used(point: &Point) -> f64 {
    if point.word("bias_kind") == "clients" {
        biased_clients(point) as f64 / point.number("clients")
    } else {
        point.number("bias")
    }
}

/// c, from whichever of its two forms is given.
pub fn load_rejection(point: &Point) -> f64 {
    let scaled = point.number("load_rejection_scaled");
    if scaled > 0.0 {
        2.0 * scaled / point.number("clients")
    } else {
        point.number("load_rejection")
    }
}

/// A commented file to start from.
pub const STARTER: &str = include_str!("starter.toml");
