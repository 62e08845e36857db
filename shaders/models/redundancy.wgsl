// The kernel of `redundancy`: one microstep of one replica. Twin of src/models/redundancy/kernel.rs and few.rs:
// same names. A job of at most FEW_COPIES copies is one microstep; one of more takes two microsteps a copy, see
// redundancy_many.wgsl. Times are absolute, modulo 2^32, and compared by signed difference.
// No loops here but for the sorting of a few completion times, which is written out.

const NO_BLOCK: u32 = 0xFFFFFFFFu;

var<private> position: u32;
// Time of the last arrival: fraction and units.
var<private> clock: vec2<u32>;
var<private> elapsed: u32;
var<private> latest: u32;
// All times of this dispatch, or-ed.
var<private> seen: u32;
// The server that is refreshed next, when it is one.
var<private> place: u32;
// Inside a job of many copies.
var<private> cursor: u32;
var<private> response: u32;
var<private> wait: u32;
var<private> winner: u32;
var<private> tied: u32;
var<private> choice: u32;
// Sums of this dispatch, words from the lowest on.
var<private> response_sum: vec3<u32>;
var<private> square_sum: vec3<u32>;
var<private> wait_sum: vec3<u32>;
var<private> work_sum: vec3<u32>;
var<private> stay_sum: vec3<u32>;
var<private> empty_sum: u32;
// The last block of random words, and which it is.
var<private> job_block: vec4<u32>;
var<private> job_block_index: u32;

fn load_state() {
    position = state_word(S_POSITION);
    clock = vec2<u32>(state_word(S_FRACTION), state_word(S_CLOCK));
    elapsed = state_word(S_ELAPSED);
    latest = state_word(S_LATEST);
    cursor = state_word(S_CURSOR);
    response = state_word(S_RESPONSE);
    wait = state_word(S_WAIT);
    winner = state_word(S_WINNER);
    tied = state_word(S_TIED);
    choice = state_word(S_CHOICE);
    seen = 0u;
    // A job under way has refreshed its server already.
    place = (position + select(0u, 1u, cursor > 0u)) % max(param(P_SWEEP), 1u);
    response_sum = vec3<u32>(0u);
    square_sum = vec3<u32>(0u);
    wait_sum = vec3<u32>(0u);
    work_sum = vec3<u32>(0u);
    stay_sum = vec3<u32>(0u);
    empty_sum = 0u;
    job_block = vec4<u32>(0u);
    job_block_index = NO_BLOCK;
}

fn save_state() {
    let inside = cursor > 0u;
    set_state_word(S_POSITION, position);
    set_state_word(S_FRACTION, clock.x);
    set_state_word(S_CLOCK, clock.y);
    set_state_word(S_ELAPSED, elapsed);
    set_state_word(S_LATEST, latest);
    set_state_word(S_FAULT, state_word(S_FAULT) | select(0u, 1u, seen >= RANGE));
    set_state_word(S_CURSOR, cursor);
    set_state_word(S_RESPONSE, select(0u, response, inside));
    set_state_word(S_WAIT, select(0u, wait, inside));
    set_state_word(S_WINNER, select(0u, winner, inside));
    set_state_word(S_TIED, select(0u, tied, inside));
    set_state_word(S_CHOICE, select(0u, choice, inside));
    if measured() {
        flush(SUM_RESPONSE, response_sum);
        flush(SUM_RESPONSE_SQUARE, square_sum);
        flush(SUM_WAIT, wait_sum);
        flush(SUM_WORK, work_sum);
        flush(SUM_STAY, stay_sum);
        flush(SUM_EMPTY, vec3<u32>(empty_sum, 0u, 0u));
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

fn component(block: vec4<u32>, index: u32) -> u32 {
    let first = select(block.x, block.y, index == 1u);
    return select(first, select(block.z, block.w, index == 3u), index >= 2u);
}

// The word at a place of this job.
fn job_word(at: u32) -> u32 {
    let index = at / 4u;
    if index != job_block_index {
        job_block = draw(PURPOSE_REDUNDANCY_JOB, position, index);
        job_block_index = index;
    }
    return component(job_block, at % 4u);
}

// Further bits for the word at a place of this job, when they are needed.
fn more(at: u32, needed: bool) -> u32 {
    if !needed {
        return MIDPOINT;
    }
    return component(draw(PURPOSE_REDUNDANCY_MORE, position, at / 4u), at % 4u);
}

// The time from the job before to this one: fraction and units.
fn gap() -> vec2<u32> {
    if param(P_ARRIVAL_LAW) == LAW_CONSTANT {
        return vec2<u32>(param(P_ARRIVAL_FRACTION), param(P_ARRIVAL_UNITS));
    }
    let word = job_word(0u);
    if param(P_ARRIVAL_LAW) == LAW_QUANTILE {
        return quantile(param(P_ARRIVAL_AT), word, more(0u, quantile_is_short(word)));
    }
    let drawn = exponential(0u, word, more(0u, is_short(word)));
    return shift_right_wide(multiply_wide(drawn, param(P_ARRIVAL_MANTISSA)), param(P_ARRIVAL_SHIFT));
}

// Moves the clock to the next arrival.
fn arrive() {
    let before = clock.y;
    clock = add_wide(clock, gap());
    elapsed += clock.y - before;
    seen |= elapsed;
}

// Brings one server that has long been idle up to now.
fn refresh() {
    if place < param(P_SERVERS) {
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

// The size of a copy at a server, in units, from the word at a place.
fn size(at: u32, server: u32) -> u32 {
    let law = param(P_SERVICE_LAW);
    var raw = param(P_SERVICE_UNITS);
    if law != LAW_CONSTANT {
        let word = job_word(at);
        if law == LAW_EXPONENTIAL {
            raw = exponential(0u, word, more(at, is_short(word)));
        } else if law == LAW_QUANTILE {
            let value = quantile(param(P_SERVICE_AT), word, more(at, quantile_is_short(word)));
            raw = value.y + (value.x >> 31u);
        } else {
            raw = table(param(P_SERVICE_AT) + multiply_high(word, param(P_SERVICE_SAMPLES)));
        }
    }
    if param(P_UNEQUAL) == 1u {
        return at_speed(raw, server);
    }
    if law == LAW_EXPONENTIAL {
        let shift = param(P_SERVICE_SHIFT);
        // Ties go up in even jobs and down in odd ones: up in all, sizes would be too long on average.
        let half = (1u << shift) >> 1u;
        raw = (raw + half - min(position & 1u, half)) >> shift;
    }
    return min(raw, RANGE);
}

// A size at a server of its own speed.
fn at_speed(raw: u32, server: u32) -> u32 {
    let shifted = shift_right_rounded_wide(multiply_wide(raw, table(param(P_SPEED_AT) + server)), param(P_SPEED_SHIFT));
    return select(min(shifted.x, RANGE), RANGE, shifted.y > 0u);
}

// Work left at a server, in units.
fn left_at(server: u32) -> u32 {
    let work = state_word(param(P_SERVERS_AT) + server) - clock.y;
    return select(work, 0u, work >= 0x80000000u);
}

fn set_left(server: u32, work: u32) {
    set_state_word(param(P_SERVERS_AT) + server, clock.y + work);
}

// The end of a job: what it is remembered by.
fn depart(work: u32, stay: u32) {
    let ahead = latest - clock.y;
    let left = select(ahead, 0u, ahead >= 0x80000000u);
    latest = clock.y + max(left, response);
    seen |= response;
    if measured() {
        empty_sum += select(0u, 1u, left == 0u);
        response_sum = add_three(response_sum, vec3<u32>(response, 0u, 0u));
        square_sum = add_three(square_sum, vec3<u32>(multiply_wide(response, response), 0u));
        wait_sum = add_three(wait_sum, vec3<u32>(wait, 0u, 0u));
        work_sum = add_three(work_sum, vec3<u32>(work, 0u, 0u));
        stay_sum = add_three(stay_sum, vec3<u32>(stay, 0u, 0u));
    }
    count(log_linear_bin(response, param(P_BIN_BITS)));
    count(param(P_WAIT_AT) + log_linear_bin(wait, param(P_BIN_BITS)));
    trace(position, response);
    position += 1u;
    job_block_index = NO_BLOCK;
}

// The servers of a job, one a component: the first places of a shuffle that starts in order. The place that a
// copy draws holds its own server unless an earlier copy swapped it away.
fn choose() -> vec4<u32> {
    if param(P_COPIES) == param(P_SERVERS) {
        return vec4<u32>(0u, 1u, 2u, 3u);
    }
    var places = vec4<u32>(0u);
    var chosen = vec4<u32>(0u);
    choice = job_word(param(P_CHOICE_WORD));
    places.x = next_place(0u);
    chosen.x = places.x;
    if param(P_COPIES) > 1u {
        places.y = next_place(1u);
        chosen.y = select(places.y, 0u, places.y == places.x);
    }
    if param(P_COPIES) > 2u {
        places.z = next_place(2u);
        let after = select(places.z, 1u, places.z == places.y);
        chosen.z = select(after, 0u, after == places.x);
    }
    if param(P_COPIES) > 3u {
        places.w = next_place(3u);
        let last = select(places.w, 2u, places.w == places.z);
        let after = select(last, 1u, last == places.y);
        chosen.w = select(after, 0u, after == places.x);
    }
    return chosen;
}

// The place that a copy draws.
fn next_place(copy: u32) -> u32 {
    if param(P_CHOICE_STEP) > 0u {
        choice = job_word(param(P_CHOICE_WORD) + param(P_CHOICE_STEP) * copy);
    }
    let product = multiply_wide(choice, param(P_SERVERS) - copy);
    choice = product.x;
    return copy + product.y;
}

// One job of few copies.
fn few_step() {
    arrive();
    refresh();
    let copies = param(P_COPIES);
    let servers = choose();
    let taking = vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(copies);
    var left = vec4<u32>(RANGE * 2u);
    var sizes = vec4<u32>(RANGE);
    let first = param(P_SERVICE_WORD);
    let next = param(P_SERVICE_STEP);
    left.x = left_at(servers.x);
    sizes.x = size(first, servers.x);
    if copies > 1u {
        left.y = left_at(servers.y);
        sizes.y = size(first + next, servers.y);
    }
    if copies > 2u {
        left.z = left_at(servers.z);
        sizes.z = size(first + 2u * next, servers.z);
    }
    if copies > 3u {
        left.w = left_at(servers.w);
        sizes.w = size(first + 3u * next, servers.w);
    }
    let done = left + sizes;
    let least = min(done.xy, done.zw);
    let least_left = min(left.xy, left.zw);
    response = min(min(least.x, least.y), RANGE);
    wait = min(least_left.x, least_left.y);
    var then = max(left, vec4<u32>(response));
    var stay = 0u;
    if param(P_POLICY) == POLICY_START {
        first_start(left, sizes);
        then = select(left, vec4<u32>(response), vec4<u32>(0u, 1u, 2u, 3u) == vec4<u32>(winner));
    } else if param(P_NEEDED) > 1u {
        let sorted = sort(done);
        response = min(component(sorted, param(P_NEEDED) - 1u), RANGE);
        then = min(done, max(left, vec4<u32>(response)));
        let stays = select(vec4<u32>(0u), min(done, vec4<u32>(response)), taking);
        stay = stays.x + stays.y + stays.z + stays.w;
    }
    let added = select(vec4<u32>(0u), then - left, taking);
    set_left(servers.x, then.x);
    if copies > 1u {
        set_left(servers.y, then.y);
    }
    if copies > 2u {
        set_left(servers.z, then.z);
    }
    if copies > 3u {
        set_left(servers.w, then.w);
    }
    depart(added.x + added.y + added.z + added.w, stay);
}

// The server with the least work left takes the job, one of them at random when they are several.
fn first_start(left: vec4<u32>, sizes: vec4<u32>) {
    winner = 0u;
    tied = 1u;
    wait = left.x;
    var taken = sizes.x;
    if param(P_COPIES) > 1u {
        taken = compare_work(1u, left.y, sizes.y, taken);
    }
    if param(P_COPIES) > 2u {
        taken = compare_work(2u, left.z, sizes.z, taken);
    }
    if param(P_COPIES) > 3u {
        taken = compare_work(3u, left.w, sizes.w, taken);
    }
    response = min(wait + taken, RANGE);
}

// The size that the job has if this copy's server has the least work so far, else the one it had.
fn compare_work(copy: u32, left: u32, own_size: u32, taken: u32) -> u32 {
    let less = left < wait;
    let equal = left == wait;
    tied = select(tied + select(0u, 1u, equal), 1u, less);
    var wins = less;
    if equal && param(P_TIE_WORD) > 0u {
        let word = job_word(param(P_TIE_WORD) + max(param(P_CHOICE_STEP), 1u) * copy);
        wins = multiply_high(word, tied) == 0u;
    }
    winner = select(winner, copy, wins);
    wait = min(wait, left);
    return select(taken, own_size, wins);
}

// Four times in increasing order.
fn sort(times: vec4<u32>) -> vec4<u32> {
    let low = min(times.xy, times.zw);
    let high = max(times.xy, times.zw);
    let least = min(low.x, low.y);
    let most = max(high.x, high.y);
    let middle = vec2<u32>(max(low.x, low.y), min(high.x, high.y));
    return vec4<u32>(least, min(middle.x, middle.y), max(middle.x, middle.y), most);
}

fn step() {
    if param(P_MANY) == 1u {
        many_step();
    } else {
        few_step();
    }
}

fn current_position() -> u32 {
    return position;
}
