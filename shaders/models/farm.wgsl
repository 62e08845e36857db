// The kernel of `farm`: one microstep of one replica, a request at queues or an event at connections. Twin of
// src/models/farm/kernel.rs, requests.rs and events.rs: same names. Times are absolute, modulo 2^32, and compared by
// signed difference. No loops.

var<private> position: u32;
// Time of the last request: fraction and units.
var<private> clock: vec2<u32>;
var<private> elapsed: u32;
// All times of this dispatch, or-ed.
var<private> seen: u32;
// The word that is refreshed next, when it is one.
var<private> place: u32;
// Requests present, where servers are counted.
var<private> present: u32;
// Sums of this dispatch, words from the lowest on.
var<private> delay_sum: vec2<u32>;
var<private> square_sum: vec3<u32>;
var<private> present_sum: vec2<u32>;

fn load_state() {
    position = state_word(S_POSITION);
    clock = vec2<u32>(state_word(S_FRACTION), state_word(S_CLOCK));
    elapsed = state_word(S_ELAPSED);
    present = state_word(S_PRESENT);
    seen = 0u;
    place = position % max(param(P_SWEEP), 1u);
    delay_sum = vec2<u32>(0u);
    square_sum = vec3<u32>(0u);
    present_sum = vec2<u32>(0u);
}

fn save_state() {
    set_state_word(S_POSITION, position);
    set_state_word(S_FRACTION, clock.x);
    set_state_word(S_CLOCK, clock.y);
    set_state_word(S_ELAPSED, elapsed);
    set_state_word(S_PRESENT, present);
    set_state_word(S_FAULT, state_word(S_FAULT) | select(0u, 1u, seen >= RANGE));
    if measured() {
        flush(SUM_DELAY, vec3<u32>(delay_sum, 0u));
        flush(SUM_DELAY_SQUARE, square_sum);
        flush(SUM_PRESENT, vec3<u32>(present_sum, 0u));
    }
}

// The sum of two numbers of three words.
fn add_three(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    let low = add_wide(a.xy, b.xy);
    let carry = low.y < a.y || (low.y == a.y && low.x < a.x);
    return vec3<u32>(low, a.z + b.z + select(0u, 1u, carry));
}

// Adds to a sum of the state.
fn flush(which: u32, amount: vec3<u32>) {
    let at = S_SUMS + SUM_WORDS * (2u * which + measured_half());
    let old = vec3<u32>(state_word(at), state_word(at + 1u), state_word(at + 2u));
    let total = add_three(old, amount);
    set_state_word(at, total.x);
    set_state_word(at + 1u, total.y);
    set_state_word(at + 2u, total.z);
}

// One of so many from a random word: by an alias table, or each as likely as the others where there is none.
fn chosen(word: u32, at: u32, choices: u32) -> u32 {
    let column = multiply_high(word, choices);
    if at == 0u {
        return column;
    }
    let limit = table(at + 2u * column);
    return select(table(at + 2u * column + 1u), column, word < limit);
}

fn server_by_speed(word: u32) -> u32 {
    return chosen(word, param(P_SERVER_AT), param(P_SERVERS));
}

// The server of a request of a stream; the word is for routes that draw.
fn route(stream: u32, word: u32) -> u32 {
    let way = param(P_ROUTE);
    if way == ROUTE_FIXED {
        return table(param(P_ROUTE_AT) + 2u * stream);
    }
    if way == ROUTE_DRAWN {
        return state_word(param(P_ALLOCATION_AT) + stream);
    }
    return server_by_speed(word);
}

// Further bits for the words of this request, when they are needed.
fn more(index: u32, needed: bool) -> u32 {
    if !needed {
        return MIDPOINT;
    }
    let block = draw(PURPOSE_FARM_MORE, position, 0u);
    return select(block.x, block.z, index == 2u);
}

// Moves the clock to the next request.
fn arrive(word: u32) {
    let drawn = exponential(0u, word, more(0u, is_short(word)));
    let gap = shift_right_wide(multiply_wide(drawn, param(P_GAP_MANTISSA)), param(P_GAP_SHIFT));
    let before = clock.y;
    clock = add_wide(clock, gap);
    elapsed += clock.y - before;
    seen |= elapsed;
}

// Brings one time that may be long past up to now.
fn refresh() {
    if place < param(P_REFRESHED) {
        let at = param(P_SERVERS_AT) + place;
        let until = state_word(at);
        set_state_word(at, select(until, clock.y, until - clock.y >= 0x80000000u));
    }
    place += 1u;
    if place == param(P_SWEEP) {
        place = 0u;
        elapsed = 0u;
    }
}

// A size at a server, in units, from its word.
fn size(word: u32, server: u32) -> u32 {
    let law = param(P_SERVICE_LAW);
    var raw = param(P_SERVICE_RAW);
    if law == LAW_EXPONENTIAL {
        raw = exponential(0u, word, more(2u, is_short(word)));
    } else if law == LAW_QUANTILE {
        let value = quantile(param(P_SERVICE_AT), word, more(2u, quantile_is_short(word)));
        raw = value.y + (value.x >> 31u);
    }
    var factor = param(P_FACTOR);
    if param(P_FACTOR_AT) > 0u {
        factor = table(param(P_FACTOR_AT) + server);
    }
    let shifted = shift_right_rounded_wide(multiply_wide(raw, factor), param(P_FACTOR_SHIFT));
    return select(min(shifted.x, RANGE), RANGE, shifted.y > 0u);
}

// Time until one, 0 when it is past.
fn left_until(time: u32) -> u32 {
    let left = time - clock.y;
    return select(left, 0u, left >= 0x80000000u);
}

// Counts a request of a stream at a server. With a fixed route the server follows from the stream.
fn count_request(stream: u32, server: u32, rejected: u32) {
    count(param(P_STREAM_BINS) + stream + param(P_STREAMS) * rejected);
    if param(P_ROUTE) != ROUTE_FIXED {
        count(param(P_SERVER_BINS) + server + param(P_SERVERS) * rejected);
    }
}

fn request() {
    let words = draw(PURPOSE_FARM_REQUEST, position, 0u);
    arrive(words.x);
    let stream = chosen(words.y, param(P_STREAM_AT), param(P_STREAMS));
    let server = route(stream, words.w);
    let own_size = size(words.z, server);
    refresh();
    let at = param(P_SERVERS_AT) + server;
    var delay = min(left_until(state_word(at)) + own_size, RANGE);
    let room = param(P_ROOM);
    var rejected = 0u;
    if room > 0u {
        let head_at = param(P_HEAD_AT) + server;
        let head = state_word(head_at);
        let slot = param(P_RING_AT) + server * room + head;
        if left_until(state_word(slot)) > 0u {
            rejected = 1u;
            delay = 0u;
        } else {
            set_state_word(slot, clock.y + delay);
            set_state_word(head_at, select(head + 1u, 0u, head + 1u == room));
        }
    }
    if rejected == 0u {
        set_state_word(at, clock.y + delay);
        count(log_linear_bin(delay, param(P_BIN_BITS)));
    }
    seen |= delay;
    delay_sum = add_wide(delay_sum, vec2<u32>(delay, 0u));
    square_sum = add_three(square_sum, vec3<u32>(multiply_wide(delay, delay), 0u));
    count_request(stream, server, rejected);
    trace(position, delay);
}

fn event() {
    let words = draw(PURPOSE_FARM_REQUEST, position, 0u);
    let high = param(P_ARRIVAL_HIGH);
    let arrives = words.x < high || (words.x == high && words.w < param(P_ARRIVAL_LOW));
    present_sum = add_wide(present_sum, vec2<u32>(present, 0u));
    if arrives {
        let stream = chosen(words.y, param(P_STREAM_AT), param(P_STREAMS));
        let server = route(stream, words.z);
        let at = param(P_SERVERS_AT) + server;
        let requests = state_word(at);
        let accepted = select(0u, 1u, requests < param(P_ROOM));
        set_state_word(at, requests + accepted);
        present += accepted;
        count_request(stream, server, 1u - accepted);
    } else {
        let at = param(P_SERVERS_AT) + server_by_speed(words.y);
        let requests = state_word(at);
        let connection = multiply_high(words.z, param(P_CONNECTIONS));
        let departs = select(0u, 1u, connection < requests);
        set_state_word(at, requests - departs);
        present -= departs;
    }
    trace(position, present);
}

fn step() {
    if param(P_COUNTING) == 1u {
        event();
    } else {
        request();
    }
    position += 1u;
}

fn current_position() -> u32 {
    return position;
}
