// The kernel of `delay`: one microstep of one replica. Twin of src/models/delay/step.rs: same names, same order.
// A tick with at most two requests is one microstep; one with more takes several, all of bounded length.
// No loops; the model's registers are private variables between load_state and save_state. Private arrays
// are indexed by constants only, so that they can live in registers, too.

var<private> position: u32;
var<private> queue_1: u32;
var<private> queue_2: u32;
var<private> left_1: u32;
var<private> left_2: u32;
var<private> last_sign: u32;
var<private> peak: u32;
var<private> pending: u32;
var<private> pending_bounced: u32;
var<private> served: u32;
var<private> seen: u32;
var<private> sums: array<u32, SUM_COUNT>;
var<private> square_high: u32;
var<private> waited_high: u32;
// Slots of the rings at this tick.
var<private> history_slot: u32;
var<private> line_slot: u32;
var<private> bounced_slot: u32;
// The random words of a pair of ticks, and whether they are those of this pair.
var<private> first_block: vec4<u32>;
var<private> has_block: bool;

struct Packet {
    present: bool,
    requested: bool,
    biased: u32,
    to_1: bool,
    bounces: u32,
}

fn wrap(slot: u32, slots: u32) -> u32 {
    return select(slot, slot - slots, slot >= slots);
}

fn load_state() {
    position = state_word(S_POSITION);
    queue_1 = state_word(S_QUEUE_1);
    queue_2 = state_word(S_QUEUE_2);
    left_1 = state_word(S_LEFT_1);
    left_2 = state_word(S_LEFT_2);
    last_sign = state_word(S_LAST_SIGN);
    peak = state_word(S_PEAK);
    pending = state_word(S_PENDING);
    pending_bounced = state_word(S_PENDING_BOUNCED);
    served = state_word(S_SERVED);
    sums = array<u32, SUM_COUNT>();
    square_high = 0u;
    waited_high = 0u;
    history_slot = position % max(param(P_HISTORY_SLOTS), 1u);
    line_slot = position % max(param(P_LINE_SLOTS), 1u);
    bounced_slot = position % max(param(P_BOUNCED_SLOTS), 1u);
    has_block = false;
    read_seen();
}

// Adds to a 64-bit sum of the state.
fn flush(which: u32, low: u32, high: u32) {
    let at = S_SUMS + 4u * which + 2u * measured_half();
    let old = state_word(at);
    let total = old + low;
    set_state_word(at, total);
    set_state_word(at + 1u, state_word(at + 1u) + high + select(0u, 1u, total < old));
}

fn save_state() {
    set_state_word(S_POSITION, position);
    set_state_word(S_QUEUE_1, queue_1);
    set_state_word(S_QUEUE_2, queue_2);
    set_state_word(S_LEFT_1, left_1);
    set_state_word(S_LEFT_2, left_2);
    set_state_word(S_LAST_SIGN, last_sign);
    set_state_word(S_PEAK, peak);
    set_state_word(S_PENDING, pending);
    set_state_word(S_PENDING_BOUNCED, pending_bounced);
    set_state_word(S_SERVED, served);
    if measured() {
        flush(SUM_QUEUE_1, sums[SUM_QUEUE_1], 0u);
        flush(SUM_QUEUE_2, sums[SUM_QUEUE_2], 0u);
        flush(SUM_SQUARE, sums[SUM_SQUARE], square_high);
        flush(SUM_COMPLETED_1, sums[SUM_COMPLETED_1], 0u);
        flush(SUM_COMPLETED_2, sums[SUM_COMPLETED_2], 0u);
        flush(SUM_IDLE_1, sums[SUM_IDLE_1], 0u);
        flush(SUM_IDLE_2, sums[SUM_IDLE_2], 0u);
        flush(SUM_REQUESTS, sums[SUM_REQUESTS], 0u);
        flush(SUM_JOINED, sums[SUM_JOINED], 0u);
        flush(SUM_WAITED, sums[SUM_WAITED], waited_high);
        flush(SUM_MET, sums[SUM_MET], 0u);
        flush(SUM_REJECTIONS, sums[SUM_REJECTIONS], 0u);
        flush(SUM_REFUSALS, sums[SUM_REFUSALS], 0u);
        flush(SUM_CROSSINGS, sums[SUM_CROSSINGS], 0u);
    }
}

// What the comparison of the queues adds to the threshold of choosing server 1: CHOICE_HALF when
// queue 1 is shorter, nothing when both are equal, minus CHOICE_HALF when it is longer.
fn compare_queues() -> u32 {
    let work_1 = queue_1 * param(P_WEIGHT_1);
    let work_2 = queue_2 * param(P_WEIGHT_2);
    let half = param(P_CHOICE_HALF);
    return select(0u, half, work_1 < work_2) - select(0u, half, work_1 > work_2);
}

fn read_seen() {
    var slot = history_slot;
    if param(P_AFTER_COMPLETIONS) == 1u {
        slot = wrap(slot + 1u, param(P_HISTORY_SLOTS));
    }
    seen = state_word(param(P_HISTORY_AT) + slot);
}

// Whose packet it is that server 1 or 2 completes: takes its identity off the queue.
fn release(head_word: u32, fifo_at: u32, done: bool) -> u32 {
    if !done {
        return 0u;
    }
    if param(P_FIXED_CLIENTS) == 0u {
        return 1u;
    }
    let head = state_word(head_word);
    let word = state_word(fifo_at + head / 32u);
    set_state_word(head_word, wrap(head + 1u, param(P_FIFO_WORDS) * 32u));
    return select(1u, 0x10000u, ((word >> (head % 32u)) & 1u) == 1u);
}

fn begin_tick() {
    // Completions: a server whose packet is done releases it and starts the next one.
    let done_1 = left_1 == 1u;
    let done_2 = left_2 == 1u;
    queue_1 -= select(0u, 1u, done_1);
    queue_2 -= select(0u, 1u, done_2);
    left_1 = select(max(left_1, 1u) - 1u, select(0u, param(P_SERVICE_1), queue_1 > 0u), done_1);
    left_2 = select(max(left_2, 1u) - 1u, select(0u, param(P_SERVICE_2), queue_2 > 0u), done_2);
    sums[SUM_COMPLETED_1] += select(0u, 1u, done_1);
    sums[SUM_COMPLETED_2] += select(0u, 1u, done_2);
    let clients = release(S_FIFO_1_HEAD, param(P_FIFO_1_AT), done_1)
        + release(S_FIFO_2_HEAD, param(P_FIFO_2_AT), done_2);

    // Completed clients go home, idle and come back; who is due now is pending.
    let slots = param(P_LINE_SLOTS);
    if slots > 1u {
        let back = param(P_LINE_AT) + wrap(line_slot + param(P_LINE_DELAY), slots);
        set_state_word(back, state_word(back) + clients);
        pending = state_word(param(P_LINE_AT) + line_slot);
        set_state_word(param(P_LINE_AT) + line_slot, 0u);
    } else {
        pending = clients;
    }
    if param(P_BOUNCE_TRAVELS) == 1u {
        pending_bounced = state_word(param(P_BOUNCED_LINE_AT) + bounced_slot);
        set_state_word(param(P_BOUNCED_LINE_AT) + bounced_slot, 0u);
    }
    if param(P_AFTER_COMPLETIONS) == 1u {
        set_state_word(param(P_HISTORY_AT) + history_slot, compare_queues());
    }
    read_seen();
    served = 0u;
}

// Whether biased clients prefer server 2 at this tick's decisions.
fn prefers_2() -> bool {
    let half_period = param(P_BIAS_HALF_PERIOD);
    if half_period == 0u {
        return false;
    }
    return (((position - param(P_TRAVEL)) / half_period) & 1u) == 1u;
}

// One request, or one bounced packet, if there is any left in this tick.
fn serve(word: u32) {
    var packet = Packet(false, false, 0u, false, 0u);
    if param(P_BOUNCE_TRAVELS) == 1u {
        packet = take_bounced();
    }
    if !packet.present && pending != 0u {
        let swapped = prefers_2();
        let centre = select(param(P_CHOICE_CENTRE_1), param(P_CHOICE_CENTRE_2), swapped);
        packet.present = true;
        packet.requested = true;
        packet.to_1 = (word >> 1u) < centre + seen;
        if param(P_FIXED_CLIENTS) == 1u && (pending & 0xFFFFu) == 0u {
            packet.biased = 1u;
            packet.to_1 = !swapped;
        }
        pending -= select(1u, 0x10000u, packet.biased == 1u);
        sums[SUM_REQUESTS] += 1u;
    }
    if packet.present {
        if param(P_BOUNCE_TRAVELS) == 1u {
            packet = test_once(packet);
        } else if param(P_REJECTS) == 1u {
            packet = bounce_at_once(packet);
        }
    }
    if packet.present {
        join(packet);
    }
    served += 1u;
}

// Puts the identity of a packet at the end of its queue.
fn remember(head_word: u32, fifo_at: u32, length: u32, biased: u32) {
    let tail = wrap(state_word(head_word) + length, param(P_FIFO_WORDS) * 32u);
    let at = fifo_at + tail / 32u;
    let bit = tail % 32u;
    set_state_word(at, (state_word(at) & ~(1u << bit)) | (biased << bit));
}

// A packet joins its queue; how long it will wait is known at once, since services take fixed times.
fn join(packet: Packet) {
    if param(P_FIXED_CLIENTS) == 1u {
        if packet.to_1 {
            remember(S_FIFO_1_HEAD, param(P_FIFO_1_AT), queue_1, packet.biased);
        } else {
            remember(S_FIFO_2_HEAD, param(P_FIFO_2_AT), queue_2, packet.biased);
        }
    }
    let own = select(param(P_SERVICE_2), param(P_SERVICE_1), packet.to_1);
    let met = select(queue_2, queue_1, packet.to_1);
    let left = select(left_2, left_1, packet.to_1);
    var wait = 0u;
    if met > 0u {
        wait = left + (met - 1u) * own;
    }
    if packet.to_1 {
        left_1 = select(left_1, own, met == 0u);
        queue_1 += 1u;
    } else {
        left_2 = select(left_2, own, met == 0u);
        queue_2 += 1u;
    }
    sums[SUM_JOINED] += 1u;
    sums[SUM_MET] += met;
    sums[SUM_WAITED] += wait;
    waited_high += select(0u, 1u, sums[SUM_WAITED] < wait);
    count(param(P_WAIT_AT) + (wait >> param(P_WAIT_SHIFT)));
    if param(P_QUEUE_RECORDED) == 1u {
        count(param(P_QUEUE_AT) + (met >> param(P_QUEUE_SHIFT)));
    }
}

// Records the sign and the size of A; returns the size.
fn record_sign() -> u32 {
    let more = queue_1 > queue_2;
    let less = queue_1 < queue_2;
    let sign = select(select(0u, 2u, less), 1u, more);
    let size = select(queue_2 - queue_1, queue_1 - queue_2, more);
    let crosses = sign != 0u && last_sign != 0u && sign != last_sign;
    sums[SUM_CROSSINGS] += select(0u, 1u, crosses);
    last_sign = select(last_sign, sign, sign != 0u);
    if measured() {
        peak = max(peak, size);
    }
    return size;
}

// Records A and moves on.
fn end_tick() {
    if param(P_AFTER_COMPLETIONS) == 0u {
        set_state_word(param(P_HISTORY_AT) + history_slot, compare_queues());
    }
    let size = record_sign();
    let square = size * size;
    sums[SUM_SQUARE] += square;
    square_high += select(0u, 1u, sums[SUM_SQUARE] < square);
    sums[SUM_QUEUE_1] += queue_1;
    sums[SUM_QUEUE_2] += queue_2;
    sums[SUM_IDLE_1] += select(0u, 1u, queue_1 == 0u);
    sums[SUM_IDLE_2] += select(0u, 1u, queue_2 == 0u);
    count((param(P_CLIENTS) + queue_1 - queue_2) >> param(P_A_SHIFT));
    next_tick();
}

fn next_tick() {
    trace(position, queue_1 - queue_2);
    position += 1u;
    served = 0u;
    history_slot = wrap(history_slot + 1u, max(param(P_HISTORY_SLOTS), 1u));
    line_slot = wrap(line_slot + 1u, max(param(P_LINE_SLOTS), 1u));
    bounced_slot = wrap(bounced_slot + 1u, max(param(P_BOUNCED_SLOTS), 1u));
}

// One microstep: up to two requests; the tick ends when none is left.
fn step() {
    if param(P_WALK) == 1u {
        walk_step();
        return;
    }
    let opens = (pending | pending_bounced) == 0u;
    if opens {
        begin_tick();
    }
    // Two ticks share a block: each takes two of its four words.
    var words = first_block;
    if served != 0u {
        words = draw(PURPOSE_DELAY_CHOICE, position >> 1u, served >> 1u);
    } else if (position & 1u) == 0u || !has_block {
        first_block = draw(PURPOSE_DELAY_CHOICE, position >> 1u, 0u);
        has_block = true;
        words = first_block;
    }
    let pair = select(words.zw, words.xy, (position & 1u) == 0u);
    serve(pair.x);
    serve(pair.y);
    if (pending | pending_bounced) == 0u {
        end_tick();
    }
}

fn current_position() -> u32 {
    return position;
}
