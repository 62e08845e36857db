// Jobs of `redundancy` with many copies. Twin of src/models/redundancy/many.rs: same names, same order.
// The servers of a job are the first d places of an order that is kept in the state and shuffled on. One copy a
// microstep, in two passes: what each server has left, then what it gets. The cursor counts both.
// Inner loop: at most the completions that a k-of-n job needs, 64 of them.

// The server of a copy, after the shuffle has come to it.
fn server_of(copy: u32) -> u32 {
    if param(P_COPIES) == param(P_SERVERS) {
        return copy;
    }
    return state_word(param(P_ORDER_AT) + copy);
}

// Shuffles the order on by one place.
fn shuffle(copy: u32) {
    if param(P_COPIES) == param(P_SERVERS) {
        return;
    }
    if copy == 0u {
        choice = job_word(param(P_CHOICE_WORD));
    }
    let own = param(P_ORDER_AT) + copy;
    let other = param(P_ORDER_AT) + next_place(copy);
    let mine = state_word(own);
    set_state_word(own, state_word(other));
    set_state_word(other, mine);
}

// The first pass over a copy: draws its server and size, and finds when the job is done.
fn look(copy: u32) {
    let needed = param(P_NEEDED);
    shuffle(copy);
    let server = server_of(copy);
    let left = left_at(server);
    let own_size = size(param(P_SERVICE_WORD) + param(P_SERVICE_STEP) * copy, server);
    if param(P_POLICY) == POLICY_START {
        // The winner's size is held in the response time until the first pass ends.
        response = compare_work(copy, left, own_size, response);
        return;
    }
    var done = left + own_size;
    wait = min(wait, left);
    response = min(response, done);
    if needed > 1u {
        set_state_word(param(P_LEAST_AT) + needed + copy, done);
        for (var k = 0u; k < min(needed, 64u); k++) {
            let at = param(P_LEAST_AT) + k;
            let least = select(state_word(at), 0xFFFFFFFFu, copy == 0u);
            set_state_word(at, min(done, least));
            done = max(done, least);
        }
    }
}

// The second pass over a copy: gives its server the work.
fn give(copy: u32) {
    let server = server_of(copy);
    let left = left_at(server);
    var then = max(left, response);
    if param(P_POLICY) == POLICY_START {
        then = select(left, response, winner == copy);
    }
    if param(P_NEEDED) > 1u {
        let done = state_word(param(P_LEAST_AT) + param(P_NEEDED) + copy);
        then = min(then, done);
        if measured() {
            stay_sum = add_three(stay_sum, vec3<u32>(min(done, response), 0u, 0u));
        }
    }
    set_left(server, then);
    if measured() {
        work_sum = add_three(work_sum, vec3<u32>(then - left, 0u, 0u));
    }
}

// One copy of a job, in one of the two passes.
fn many_step() {
    let copies = param(P_COPIES);
    if cursor == 0u {
        arrive();
        refresh();
        response = 0xFFFFFFFFu;
        wait = 0xFFFFFFFFu;
        winner = 0u;
        tied = 0u;
    }
    if cursor < copies {
        look(cursor);
        if cursor + 1u == copies {
            if param(P_POLICY) == POLICY_START {
                response = wait + response;
            } else if param(P_NEEDED) > 1u {
                response = state_word(param(P_LEAST_AT) + param(P_NEEDED) - 1u);
            }
            response = min(response, RANGE);
        }
    } else {
        give(cursor - copies);
    }
    cursor += 1u;
    if cursor == 2u * copies {
        cursor = 0u;
        depart(0u, 0u);
    }
}
