// The kernel of `redundancy-states`: one microstep of one replica. Twin of src/models/redundancy_states: same names,
// same order. A microstep begins an event if none is under way, then handles one entry of the list, or one block of
// four trials for it: an arrival of a job of up to four copies is one microstep, a departure one an entry or more.
// No loops; the model's registers are private variables between load_state and save_state.

var<private> position: u32;
var<private> jobs: u32;
var<private> busy: u32;
var<private> old: u32;
var<private> fault: u32;
// Time of the last event: (fraction, units).
var<private> clock: vec2<u32>;
// Inside an event, see the list of state words.
var<private> phase: u32;
var<private> row: u32;
var<private> trial: u32;
var<private> hits: u32;
var<private> chosen: u32;
var<private> before: u32;
var<private> free: u32;
// The sums of this dispatch: (low, high), and a third word for squares.
var<private> sum_response: vec2<u32>;
var<private> sum_square: vec3<u32>;
var<private> sum_completed: u32;
var<private> sum_jobs: vec2<u32>;
var<private> sum_busy: vec2<u32>;
var<private> sum_arrivals: u32;
var<private> sum_collisions: vec2<u32>;
var<private> sum_empty: u32;
var<private> sum_unknown: u32;

fn load_state() {
    position = state_word(S_POSITION);
    jobs = state_word(S_JOBS);
    busy = state_word(S_BUSY);
    old = state_word(S_OLD);
    fault = state_word(S_FAULT);
    clock = vec2<u32>(state_word(S_FRACTION), state_word(S_CLOCK));
    phase = state_word(S_PHASE);
    row = state_word(S_ROW);
    trial = state_word(S_TRIAL);
    hits = state_word(S_HITS);
    chosen = state_word(S_CHOSEN);
    before = state_word(S_BEFORE);
    free = state_word(S_FREE);
    sum_response = vec2<u32>(0u, 0u);
    sum_square = vec3<u32>(0u, 0u, 0u);
    sum_completed = 0u;
    sum_jobs = vec2<u32>(0u, 0u);
    sum_busy = vec2<u32>(0u, 0u);
    sum_arrivals = 0u;
    sum_collisions = vec2<u32>(0u, 0u);
    sum_empty = 0u;
    sum_unknown = 0u;
}

fn carry(total: u32, added: u32) -> u32 {
    return select(0u, 1u, total < added);
}

// Adds to a 96-bit sum of the state.
fn flush(which: u32, amount: vec3<u32>) {
    let at = S_SUMS + SUM_WORDS * (2u * which + measured_half());
    let low = state_word(at) + amount.x;
    let low_carry = carry(low, amount.x);
    let middle = state_word(at + 1u) + amount.y;
    let carried = middle + low_carry;
    let middle_carry = carry(middle, amount.y) + carry(carried, low_carry);
    set_state_word(at, low);
    set_state_word(at + 1u, carried);
    set_state_word(at + 2u, state_word(at + 2u) + amount.z + middle_carry);
}

fn save_state() {
    set_state_word(S_POSITION, position);
    set_state_word(S_JOBS, jobs);
    set_state_word(S_BUSY, busy);
    set_state_word(S_OLD, old);
    set_state_word(S_FAULT, fault);
    set_state_word(S_FRACTION, clock.x);
    set_state_word(S_CLOCK, clock.y);
    set_state_word(S_PHASE, phase);
    set_state_word(S_ROW, row);
    set_state_word(S_TRIAL, trial);
    set_state_word(S_HITS, hits);
    set_state_word(S_CHOSEN, chosen);
    set_state_word(S_BEFORE, before);
    set_state_word(S_FREE, free);
    if measured() {
        flush(SUM_RESPONSE, vec3<u32>(sum_response, 0u));
        flush(SUM_RESPONSE_SQUARE, sum_square);
        flush(SUM_COMPLETED, vec3<u32>(sum_completed, 0u, 0u));
        flush(SUM_JOBS, vec3<u32>(sum_jobs, 0u));
        flush(SUM_BUSY, vec3<u32>(sum_busy, 0u));
        flush(SUM_ARRIVALS, vec3<u32>(sum_arrivals, 0u, 0u));
        flush(SUM_COLLISIONS, vec3<u32>(sum_collisions, 0u));
        flush(SUM_EMPTY, vec3<u32>(sum_empty, 0u, 0u));
        flush(SUM_UNKNOWN, vec3<u32>(sum_unknown, 0u, 0u));
    }
}

// State words of an entry of the list: its servers, then its time of arrival.
fn entry(index: u32) -> u32 {
    return param(P_LIST_AT) + 2u * index;
}

// Moves the clock to the event. The oldest job shows whether a time is out of range.
fn tick(first: u32, second: u32) {
    let low = select(MIDPOINT, second, is_short(first));
    let product = multiply_wide(exponential(0u, first, low), param(P_GAP_MANTISSA));
    let gap = shift_right_wide(product, param(P_GAP_SHIFT));
    clock = add_wide(clock, gap);
    let age = select(0u, clock.y - state_word(entry(0u) + 1u), jobs > 0u);
    if (gap.y | age) >= RANGE {
        fault |= 1u << FAULT_BIT_TIME;
    }
}

fn begin_event() {
    let words = draw(PURPOSE_STATES_EVENT, position, 0u);
    tick(words.z, words.w);
    if (words.x >> 1u) < param(P_ARRIVAL) {
        phase = PHASE_ARRIVAL;
        return;
    }
    chosen = multiply_high(words.y, param(P_SERVERS));
    if chosen < busy {
        phase = PHASE_SEARCH;
    } else {
        end_event();
    }
}

// A job joins the list.
fn arrive() {
    let own = param(P_COPIES) - hits;
    if jobs < param(P_ROOM) {
        set_state_word(entry(jobs), own);
        set_state_word(entry(jobs) + 1u, clock.y);
        jobs += 1u;
        busy += own;
    } else {
        fault |= 1u << FAULT_BIT_ROOM;
    }
    sum_arrivals += 1u;
    sum_collisions = add_wide(sum_collisions, vec2<u32>(hits, 0u));
    count(param(P_COLLISIONS_AT) + (hits >> param(P_COLLISIONS_SHIFT)));
    end_event();
}

// The job of an entry leaves.
fn respond(since: u32) {
    if row < old {
        old -= 1u;
        sum_unknown += 1u;
        return;
    }
    let time = min(clock.y - since, RANGE - 1u);
    let square = multiply_wide(time, time);
    sum_completed += 1u;
    sum_response = add_wide(sum_response, vec2<u32>(time, 0u));
    let low = add_wide(sum_square.xy, square);
    let high = select(0u, 1u, low.y < square.y || (low.y == square.y && low.x < square.x));
    sum_square = vec3<u32>(low, sum_square.z + high);
    count(log_linear_bin(time, param(P_BIN_BITS)));
}

// Done with an entry, whose hits are servers that it takes over.
fn finish_entry(own: u32, since: u32) {
    if phase == PHASE_OFFER {
        set_state_word(entry(row - 1u), own + hits);
        set_state_word(entry(row - 1u) + 1u, since);
        free -= hits;
    } else if chosen < before + own {
        respond(since);
        phase = PHASE_OFFER;
        free = own;
    }
    before += own;
    row += 1u;
    if row == jobs {
        jobs -= 1u;
        busy -= free;
        end_event();
    }
}

fn end_event() {
    phase = PHASE_NONE;
    row = 0u;
    chosen = 0u;
    before = 0u;
    free = 0u;
    sum_jobs = add_wide(sum_jobs, vec2<u32>(jobs, 0u));
    sum_busy = add_wide(sum_busy, vec2<u32>(busy, 0u));
    sum_empty += select(0u, 1u, jobs == 0u);
    count(param(P_JOBS_AT) + (jobs >> param(P_JOBS_SHIFT)));
    count(param(P_BUSY_AT) + (busy >> param(P_BUSY_SHIFT)));
    count(param(P_STATES_AT) + short_state());
    trace(position, jobs);
    position += 1u;
}

// The index of the aggregate state among the short ones, see plan.rs.
fn short_state() -> u32 {
    if jobs > param(P_STATES_JOBS) {
        return param(P_STATES_OTHER);
    }
    if jobs < 2u {
        return jobs;
    }
    let second = state_word(entry(1u));
    if jobs == 2u {
        return 2u + second;
    }
    return 3u + param(P_COPIES) + second * (param(P_COPIES) + 1u) + state_word(entry(2u));
}

fn hit(word: u32, place: u32, trials: u32, population: u32, marked: u32) -> u32 {
    let choice = multiply_high(word, population - place);
    return select(0u, 1u, place < trials && choice < marked - hits);
}

// One microstep.
fn step() {
    if phase == PHASE_NONE {
        begin_event();
    }
    if phase == PHASE_NONE {
        return;
    }
    // The urn: servers drawn, how many there are, and how many of them are hits.
    var trials = 0u;
    var population = param(P_SERVERS);
    var marked = busy;
    var own = 0u;
    var since = 0u;
    if phase == PHASE_ARRIVAL {
        trials = select(0u, param(P_COPIES), busy > 0u);
    } else {
        own = state_word(entry(row));
        since = state_word(entry(row) + 1u);
        population = before;
        marked = param(P_COPIES) - own;
        trials = select(0u, free, marked > 0u);
    }
    if trial < trials {
        let block = row * param(P_ROW_BLOCKS) + (trial >> 2u);
        let words = draw(PURPOSE_STATES_COLLISION, position, block);
        hits += hit(words.x, trial, trials, population, marked);
        hits += hit(words.y, trial + 1u, trials, population, marked);
        hits += hit(words.z, trial + 2u, trials, population, marked);
        hits += hit(words.w, trial + 3u, trials, population, marked);
        trial += 4u;
    }
    if trial >= trials {
        if phase == PHASE_ARRIVAL {
            arrive();
        } else {
            finish_entry(own, since);
        }
        trial = 0u;
        hits = 0u;
    }
}

fn current_position() -> u32 {
    return position;
}
