//! Where every word of the `delay` model is: parameters, state and sums.
//!
//! Owns the one list of names that Rust and WGSL share.

use crate::models::Plan;
use crate::words::words;

words! {
    /// Words of `Plan::params`. Times are in ticks, probabilities are 31-bit thresholds.
    param, "P_":
    /// N, the number of clients.
    CLIENTS,
    /// Service time at the first server.
    SERVICE_1,
    /// Service time at the second server.
    SERVICE_2,
    /// What a waiting client counts for at the first server when queues are compared.
    WEIGHT_1,
    /// The same at the second server.
    WEIGHT_2,
    /// Length of the ring of past comparisons.
    HISTORY_SLOTS,
    /// 1 when the comparison is recorded after completions instead of at the end of the tick.
    AFTER_COMPLETIONS,
    /// Length of the ring of clients that are idle or travelling.
    LINE_SLOTS,
    /// From completion to the next arrival: idle time and two journeys.
    LINE_DELAY,
    /// From refusal to the next arrival.
    REFUSED_DELAY,
    /// Age of the information, for the host.
    DELAY,
    /// From decision to arrival, one journey.
    TRAVEL,
    /// P(choose server 1) when both queues look equal and biased clients prefer server 1, ...
    CHOICE_CENTRE_1,
    /// ... or server 2.
    CHOICE_CENTRE_2,
    /// What is added to it when queue 1 looks shorter, and taken from it when queue 1 looks longer.
    CHOICE_HALF,
    /// Half a period of the biased preference, 0 when it never changes.
    BIAS_HALF_PERIOD,
    /// 1 when servers may reject.
    REJECTS,
    /// 1 when a rejected packet travels to the other server, 0 when it is there at once.
    BOUNCE_TRAVELS,
    /// Most times a packet bounces before it is refused.
    BOUNCE_LIMIT,
    /// Length of the ring of packets that travel between servers.
    BOUNCED_SLOTS,
    /// 1 when the biased clients are fixed and their packets keep their identity.
    FIXED_CLIENTS,
    /// How many clients are biased, when they are fixed.
    BIASED_CLIENTS,
    /// Passes after which the CPU adds 32-bit sums to 64-bit ones: before any can overflow.
    PASSES_PER_FLUSH,
    /// 0 half of the clients in each queue, 1 all in the first, 2 each in a random one.
    START,
    /// Ticks by which the first completion of server 2 is late.
    PHASE,
    /// Words of one queue of identities.
    FIFO_WORDS,
    /// 1 when the state is a walk of N_1 (walk.rs) and the moves are all that is counted.
    WALK,
    /// log2 of the width of a bin of A.
    A_SHIFT,
    /// log2 of the width of a bin of waiting time.
    WAIT_SHIFT,
    /// First bin of waiting times.
    WAIT_AT,
    /// 1 when the queue met has a histogram of its own and is not read off the waiting times.
    QUEUE_RECORDED,
    /// log2 of the width of a bin of the queue met.
    QUEUE_SHIFT,
    /// First bin of the queue met.
    QUEUE_AT,
    /// First state word of the ring of past comparisons.
    HISTORY_AT,
    /// First state word of the ring of idle and travelling clients.
    LINE_AT,
    /// First state word of the identities at server 1.
    FIFO_1_AT,
    /// First state word of the identities at server 2.
    FIFO_2_AT,
    /// First state word of the ring that counts packets travelling between servers.
    BOUNCED_LINE_AT,
    /// First state word of the queue of packets travelling between servers.
    BOUNCED_AT,
    /// First table word of rejection: for each queue length its threshold, then -log2 of its probability.
    REJECTION_AT,
}

words! {
    /// Leading words of the state; sums follow, then rings.
    state, "S_":
    /// Ticks done.
    POSITION,
    /// N_1, packets waiting or in service at server 1.
    QUEUE_1,
    /// N_2.
    QUEUE_2,
    /// Ticks until the packet in service at server 1 is done.
    LEFT_1,
    /// The same at server 2.
    LEFT_2,
    /// Last sign of A that was not zero: 0 none yet, 1 positive, 2 negative.
    LAST_SIGN,
    /// Largest |A| in the measured span.
    PEAK,
    /// Requests of this tick still to be decided: free ones, plus 2^16 times the biased ones.
    PENDING,
    /// Bounced packets still to arrive in this tick.
    PENDING_BOUNCED,
    /// Requests and bounced packets handled in this tick.
    SERVED,
    /// Position of the head of the queue of identities at server 1.
    FIFO_1_HEAD,
    /// The same at server 2.
    FIFO_2_HEAD,
    /// Position of the first packet that travels between servers.
    BOUNCED_HEAD,
    /// How many packets travel between servers.
    BOUNCED_LENGTH,
    /// First word of the sums.
    SUMS,
}

words! {
    /// The sums: each is kept for both halves of the measured span, as 64 bits.
    sum, "SUM_":
    /// N_1 per tick.
    QUEUE_1,
    /// N_2 per tick.
    QUEUE_2,
    /// A^2 per tick.
    SQUARE,
    /// Packets completed at server 1.
    COMPLETED_1,
    /// The same at server 2.
    COMPLETED_2,
    /// Ticks that server 1 spends without work.
    IDLE_1,
    /// The same at server 2.
    IDLE_2,
    /// Requests: decisions of clients.
    REQUESTS,
    /// Packets that joined a queue.
    JOINED,
    /// Ticks from joining to start of service.
    WAITED,
    /// Queue lengths met on joining.
    MET,
    /// Rejections.
    REJECTIONS,
    /// Requests refused after the last allowed bounce.
    REFUSALS,
    /// Changes of sign of A, zeros passed over.
    CROSSINGS,
}

/// The names of the sums in files.
pub const SUMS: &[&str] = &[
    "queue_1",
    "queue_2",
    "square",
    "completed_1",
    "completed_2",
    "idle_1",
    "idle_2",
    "requests",
    "joined",
    "waited",
    "met",
    "rejections",
    "refusals",
    "crossings",
];

/// All constants for the shader.
pub fn wgsl() -> String {
    [param::wgsl(), state::wgsl(), sum::wgsl()].concat()
}

/// The name of a state word, for messages.
pub fn state_word(plan: &Plan, word: u32) -> String {
    let p = |index: usize| plan.params[index];
    let index = word as usize;
    if index < state::SUMS {
        return state::NAMES[index].to_lowercase();
    }
    if let Some(name) = plan.name_of_sum(SUMS, word) {
        return name;
    }
    let rings = [
        ("history", param::HISTORY_AT),
        ("line", param::LINE_AT),
        ("fifo_1", param::FIFO_1_AT),
        ("fifo_2", param::FIFO_2_AT),
        ("bounced_line", param::BOUNCED_LINE_AT),
        ("bounced", param::BOUNCED_AT),
    ];
    let ring = rings.iter().rev().find(|(_, at)| p(*at) <= word);
    ring.map_or_else(
        || format!("word {word}"),
        |(name, at)| format!("{name}[{}]", word - p(*at)),
    )
}
