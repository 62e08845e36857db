// The kernel of `selfish-mixed`: one microstep of one replica. Twin of src/models/selfish_mixed/step.rs: same names, same
// order. A microstep draws the servers of four streams, or counts the loads of four servers, or the loads that four
// streams meet. No loops; the model's registers are private variables between load_state and save_state.

var<private> position: u32;
// Microsteps of this profile that are done.
var<private> cursor: u32;
// The class of the busiest server so far, and its load.
var<private> best: u32;
var<private> best_load: u32;
// Servers at or above their capacity.
var<private> overloaded: u32;

fn load_state() {
    position = state_word(S_POSITION);
    cursor = state_word(S_CURSOR);
    best = state_word(S_BEST);
    best_load = state_word(S_BEST_LOAD);
    overloaded = state_word(S_OVERLOADED);
}

fn save_state() {
    set_state_word(S_POSITION, position);
    set_state_word(S_CURSOR, cursor);
    set_state_word(S_BEST, best);
    set_state_word(S_BEST_LOAD, best_load);
    set_state_word(S_OVERLOADED, overloaded);
}

fn stream_word(i: u32, word: u32) -> u32 {
    return table(param(P_STREAM_AT) + STREAM_COUNT * i + word);
}

fn class_word(k: u32, word: u32) -> u32 {
    return table(param(P_CLASS_AT) + CLASS_COUNT * k + word);
}

// The server that a word means to a stream: its column, or the other one of its strategy.
fn server_of(i: u32, word: u32) -> u32 {
    let column = multiply_high(word, param(P_SERVERS));
    if param(P_STRATEGIES) == 0u {
        return column;
    }
    let at = stream_word(i, STREAM_STRATEGY_AT) + 2u * column;
    return select(table(at + 1u), column, word < table(at));
}

// A stream draws a server.
fn choose(i: u32, word: u32) {
    if i >= param(P_STREAMS) {
        return;
    }
    let server = server_of(i, word);
    let at = param(P_LOADS_AT) + server;
    set_state_word(at, state_word(at) + stream_word(i, STREAM_RATE));
    if param(P_MET) == 1u {
        set_state_word(param(P_CHOSEN_AT) + i, server);
    }
}

// Counts the load of a server, and sets it back to zero.
fn look(j: u32) {
    if j >= param(P_SERVERS) {
        return;
    }
    let at = param(P_LOADS_AT) + j;
    let load = state_word(at);
    set_state_word(at, 0u);
    let k = table(param(P_SERVER_AT) + j);
    let bin = k * param(P_LOADS) + load;
    count(param(P_SERVER_BINS) + bin);
    if param(P_MET) == 1u {
        set_state_word(param(P_BINS_AT) + j, bin);
    }
    overloaded += select(0u, 1u, load >= class_word(k, CLASS_FULL));
    // w/s above the largest so far, multiplied out. Nothing is busiest before a load above zero.
    let own = multiply_wide(load, class_word(best, CLASS_SPEED));
    let other = multiply_wide(best_load, class_word(k, CLASS_SPEED));
    if own.y > other.y || (own.y == other.y && own.x > other.x) {
        best = k;
        best_load = load;
    }
}

// Counts the load that a stream meets at its server.
fn meet(i: u32) {
    if i >= param(P_STREAMS) {
        return;
    }
    let server = state_word(param(P_CHOSEN_AT) + i);
    count(stream_word(i, STREAM_BINS) + state_word(param(P_BINS_AT) + server));
}

fn end_profile() {
    count(best * param(P_LOADS) + best_load);
    trace(position, overloaded);
    position += 1u;
    cursor = 0u;
    best = 0u;
    best_load = 0u;
    overloaded = 0u;
}

// One microstep.
fn step() {
    let stream_blocks = (param(P_STREAMS) + 3u) / 4u;
    let server_blocks = (param(P_SERVERS) + 3u) / 4u;
    let chosen = stream_blocks;
    let looked = chosen + server_blocks;
    let met = looked + select(0u, stream_blocks, param(P_MET) == 1u);
    if cursor < chosen {
        let i = 4u * cursor;
        let words = draw(PURPOSE_MIXED_PROFILE, position, cursor);
        choose(i, words.x);
        choose(i + 1u, words.y);
        choose(i + 2u, words.z);
        choose(i + 3u, words.w);
    } else if cursor < looked {
        let j = 4u * (cursor - chosen);
        look(j);
        look(j + 1u);
        look(j + 2u);
        look(j + 3u);
    } else {
        let i = 4u * (cursor - looked);
        meet(i);
        meet(i + 1u);
        meet(i + 2u);
        meet(i + 3u);
    }
    cursor += 1u;
    if cursor >= met {
        end_profile();
    }
}

fn current_position() -> u32 {
    return position;
}
