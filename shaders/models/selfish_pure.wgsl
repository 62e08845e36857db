// The kernel of `selfish-pure`: one microstep of one replica. Twin of src/models/selfish_pure: same names, same order.
// A microstep puts up to four streams on servers (one block of random words), or is one look, or ends a start. Each
// has at most one loop over all servers; the model's registers are private variables between load_state and
// save_state.

var<private> position: u32;
var<private> worst: u32;
// Inside a start, see the list of state words.
var<private> phase: u32;
var<private> instance: u32;
var<private> block: u32;
var<private> turn: u32;
var<private> quiet: u32;
var<private> cursor: u32;
var<private> moves: u32;
var<private> least: u32;
var<private> known: u32;
var<private> satisfied: u32;
// The sums of this dispatch: (low, high).
var<private> sum_ratio: vec2<u32>;
var<private> sum_moves: vec2<u32>;
var<private> sum_unconverged: u32;

fn load_state() {
    position = state_word(S_POSITION);
    worst = state_word(S_WORST);
    phase = state_word(S_PHASE);
    instance = state_word(S_INSTANCE);
    block = state_word(S_BLOCK);
    turn = state_word(S_TURN);
    quiet = state_word(S_QUIET);
    cursor = state_word(S_CURSOR);
    moves = state_word(S_MOVES);
    least = state_word(S_LEAST);
    known = state_word(S_KNOWN);
    satisfied = state_word(S_SATISFIED);
    sum_ratio = vec2<u32>(0u, 0u);
    sum_moves = vec2<u32>(0u, 0u);
    sum_unconverged = 0u;
}

// Adds to a 64-bit sum of the state.
fn flush(which: u32, amount: vec2<u32>) {
    let at = S_SUMS + SUM_WORDS * (2u * which + measured_half());
    let total = add_wide(vec2<u32>(state_word(at), state_word(at + 1u)), amount);
    set_state_word(at, total.x);
    set_state_word(at + 1u, total.y);
}

fn save_state() {
    set_state_word(S_POSITION, position);
    set_state_word(S_WORST, worst);
    set_state_word(S_PHASE, phase);
    set_state_word(S_INSTANCE, instance);
    set_state_word(S_BLOCK, block);
    set_state_word(S_TURN, turn);
    set_state_word(S_QUIET, quiet);
    set_state_word(S_CURSOR, cursor);
    set_state_word(S_MOVES, moves);
    set_state_word(S_LEAST, least);
    set_state_word(S_KNOWN, known);
    set_state_word(S_SATISFIED, satisfied);
    if measured() {
        flush(SUM_RATIO, sum_ratio);
        flush(SUM_MOVES, sum_moves);
        flush(SUM_UNCONVERGED, vec2<u32>(sum_unconverged, 0u));
    }
}

// The state word of the load of a server.
fn load_of(server: u32) -> u32 {
    return param(P_LOADS_AT) + server;
}

// The state word of the server of a stream.
fn home_of(stream: u32) -> u32 {
    return param(P_HOMES_AT) + stream;
}

// The rate of a stream.
fn rate_of(stream: u32) -> u32 {
    return table(instance + stream);
}

// A word of a server in the tables.
fn unit_of(server: u32, which: u32) -> u32 {
    return table(instance + param(P_STREAMS) + UNIT_COUNT * server + which);
}

// Whether a / b < c / d.
fn is_less(a: u32, b: u32, c: u32, d: u32) -> bool {
    let left = multiply_wide(a, d);
    let right = multiply_wide(c, b);
    return left.y < right.y || (left.y == right.y && left.x < right.x);
}

// Draws the instance.
fn choose_instance(word: u32) {
    instance = multiply_high(word, param(P_INSTANCES)) * param(P_BLOCK);
    for (var server = 0u; server < param(P_SERVERS); server++) {
        set_state_word(load_of(server), 0u);
    }
}

// Puts a stream on a random server; there is none before the first one.
fn settle(index: u32, word: u32) {
    if index == 0u || index > param(P_STREAMS) {
        return;
    }
    let home = multiply_high(word, param(P_SERVERS));
    set_state_word(home_of(index - 1u), home);
    set_state_word(load_of(home), state_word(load_of(home)) + rate_of(index - 1u));
}

// Puts up to four streams on random servers.
fn place() {
    let words = draw(PURPOSE_PURE_MOVE, position, block);
    if block == 0u {
        choose_instance(words.x);
    }
    settle(4u * block, words.x);
    settle(4u * block + 1u, words.y);
    settle(4u * block + 2u, words.z);
    settle(4u * block + 3u, words.w);
    block += 1u;
    if block == param(P_FIRST_LOOK) {
        phase = PHASE_LOOK;
    }
}

// The stream that looks.
fn chosen_stream() -> u32 {
    if param(P_ORDER) == ORDER_FIRST {
        return quiet;
    }
    if param(P_ORDER) == ORDER_ROUND_ROBIN {
        return cursor;
    }
    if quiet >= param(P_STREAMS) {
        return quiet - param(P_STREAMS);
    }
    let words = draw(PURPOSE_PURE_MOVE, position, param(P_FIRST_LOOK) + (turn >> 2u));
    let pair = select(words.xy, words.zw, (turn & 2u) != 0u);
    let word = select(pair.x, pair.y, (turn & 1u) != 0u);
    return multiply_high(word, param(P_STREAMS));
}

// Finds the first of the least loaded servers.
fn find_least() {
    var least_load = 0xFFFFFFFFu;
    for (var server = 0u; server < param(P_SERVERS); server++) {
        let load = state_word(load_of(server));
        if load < least_load {
            least_load = load;
            least = server;
        }
    }
    known = 1u;
}

// The first server where load over speed would be least, if that is less than at home: (server, load with the stream).
fn best_response(home: u32, load: u32, rate: u32) -> vec2<u32> {
    var best = vec2<u32>(home, load);
    var speed = unit_of(home, UNIT_SPEED);
    for (var server = 0u; server < param(P_SERVERS); server++) {
        let joined = state_word(load_of(server)) + rate;
        let own = unit_of(server, UNIT_SPEED);
        if is_less(joined, own, best.y, speed) {
            best = vec2<u32>(server, joined);
            speed = own;
        }
    }
    return best;
}

// The same where all speeds are equal.
fn least_loaded(home: u32, load: u32, rate: u32) -> vec2<u32> {
    if known == 0u {
        find_least();
    }
    let joined = state_word(load_of(least)) + rate;
    return select(vec2<u32>(home, load), vec2<u32>(least, joined), joined < load);
}

// One stream looks, and moves if it is better off elsewhere.
fn look() {
    let chosen = chosen_stream();
    let rate = rate_of(chosen);
    let home = state_word(home_of(chosen));
    let load = state_word(load_of(home));
    var best = vec2<u32>(home, load);
    if param(P_EQUAL) != 0u {
        best = least_loaded(home, load, rate);
    } else {
        best = best_response(home, load, rate);
    }
    let in_order = param(P_ORDER) == ORDER_RANDOM && quiet >= param(P_STREAMS);
    quiet += 1u;
    cursor += 1u;
    if cursor == param(P_STREAMS) {
        cursor = 0u;
    }
    if best.x != home {
        quiet = 0u;
        if moves == param(P_MAX_MOVES) {
            phase = PHASE_END;
        } else if !in_order {
            set_state_word(load_of(home), load - rate);
            set_state_word(load_of(best.x), best.y);
            set_state_word(home_of(chosen), best.x);
            moves += 1u;
            known = 0u;
        }
    }
    if quiet == param(P_SATISFIED) {
        satisfied = 1u;
        phase = PHASE_END;
    }
    if turn == LAST_TURN {
        phase = PHASE_END;
    }
    turn += 1u;
}

// A load over speed over optimum in units of 2^-20, rounded to the nearest, at most 2^31 - 1.
fn ratio_of(load: u32, scale: u32, shift: u32) -> u32 {
    let product = multiply_wide(load, scale);
    let by = shift - 1u;
    let far = vec2<u32>(product.y >> (by & 31u), 0u);
    let twice = select(shift_right_wide(product, by & 31u), far, by >= 32u);
    let low = select(twice.x, 0xFFFFFFFDu, twice.y != 0u);
    return (min(low, 0xFFFFFFFDu) + 1u) >> 1u;
}

// The largest load over speed, over the optimum.
fn largest_ratio() -> u32 {
    var most = 0u;
    var speed = 1u;
    var fullest = 0u;
    for (var server = 0u; server < param(P_SERVERS); server++) {
        let load = state_word(load_of(server));
        if param(P_EQUAL) != 0u {
            most = max(most, load);
        } else {
            let own = unit_of(server, UNIT_SPEED);
            if is_less(most, speed, load, own) {
                most = load;
                speed = own;
                fullest = server;
            }
        }
    }
    return ratio_of(most, unit_of(fullest, UNIT_SCALE), unit_of(fullest, UNIT_SHIFT));
}

fn end_start() {
    let ratio = largest_ratio();
    if satisfied != 0u {
        count(log_linear_bin(ratio, param(P_BIN_BITS)));
        sum_ratio = add_wide(sum_ratio, vec2<u32>(ratio, 0u));
        if measured() {
            worst = max(worst, ratio);
        }
    } else {
        sum_unconverged += 1u;
    }
    sum_moves = add_wide(sum_moves, vec2<u32>(moves, 0u));
    trace(position, ratio);
    phase = PHASE_PLACE;
    instance = 0u;
    block = 0u;
    turn = 0u;
    quiet = 0u;
    cursor = 0u;
    moves = 0u;
    least = 0u;
    known = 0u;
    satisfied = 0u;
    position += 1u;
}

// One microstep.
fn step() {
    if phase == PHASE_PLACE {
        place();
    } else if phase == PHASE_LOOK {
        look();
    } else {
        end_start();
    }
}

fn current_position() -> u32 {
    return position;
}
