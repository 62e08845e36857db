// A tick of `delay` where its state is one number, N_1, that walks up and down. Twin of
// src/models/delay/walk.rs, which says when that is so: same rules, same order. No loops.

fn walk_step() {
    let clients = param(P_CLIENTS);
    let before = queue_1;
    let done_1 = before > 0u;
    let done_2 = before < clients;
    let left = before - select(0u, 1u, done_1);
    queue_1 = left;
    queue_2 = clients - before - select(0u, 1u, done_2);
    let history_at = param(P_HISTORY_AT) + history_slot;
    let sees_now = param(P_AFTER_COMPLETIONS) == 1u;
    if sees_now {
        seen = compare_queues();
        set_state_word(history_at, seen);
    } else {
        seen = state_word(history_at);
    }
    if (position & 1u) == 0u || !has_block {
        first_block = draw(PURPOSE_DELAY_CHOICE, position >> 1u, 0u);
        has_block = true;
    }
    let words = select(first_block.zw, first_block.xy, (position & 1u) == 0u);
    let threshold = select(param(P_CHOICE_CENTRE_1), param(P_CHOICE_CENTRE_2), prefers_2()) + seen;
    queue_1 = left + select(0u, 1u, (words.x >> 1u) < threshold)
        + select(0u, 1u, done_1 && done_2 && (words.y >> 1u) < threshold);
    queue_2 = clients - queue_1;
    left_1 = min(queue_1, 1u);
    left_2 = min(queue_2, 1u);
    if !sees_now {
        set_state_word(history_at, compare_queues());
    }
    _ = record_sign();
    count(2u * before + queue_1);
    next_tick();
}
