// Rejection in `delay`: packets that bounce at once, or travel from server to server. Twin of
// src/models/delay/reject.rs: same names, same order. No loops.

// Takes the first packet that travelled between servers and is due, if there is one.
fn take_bounced() -> Packet {
    var packet = Packet(false, false, 0u, false, 0u);
    if pending_bounced > 0u {
        pending_bounced -= 1u;
        let head = state_word(S_BOUNCED_HEAD);
        let word = state_word(param(P_BOUNCED_AT) + head);
        set_state_word(S_BOUNCED_HEAD, wrap(head + 1u, param(P_CLIENTS)));
        set_state_word(S_BOUNCED_LENGTH, state_word(S_BOUNCED_LENGTH) - 1u);
        packet.present = true;
        packet.to_1 = (word & 1u) == 1u;
        packet.biased = (word >> 1u) & 1u;
        packet.bounces = word >> 2u;
    }
    return packet;
}

// The random words of one rejection test.
fn rejection_words() -> vec4<u32> {
    return draw(PURPOSE_DELAY_REJECTION, position, served);
}

// A packet that travels when it bounces meets one server, which takes it, sends it on or refuses it.
fn test_once(arriving: Packet) -> Packet {
    var packet = arriving;
    let words = rejection_words();
    let length = select(queue_2, queue_1, packet.to_1);
    if (words.x >> 1u) >= table(param(P_REJECTION_AT) + 2u * length) {
        return packet;
    }
    packet.present = false;
    sums[SUM_REJECTIONS] += 1u;
    if packet.bounces >= param(P_BOUNCE_LIMIT) {
        send_back(packet.biased);
        return packet;
    }
    let waiting = state_word(S_BOUNCED_LENGTH);
    let tail = wrap(state_word(S_BOUNCED_HEAD) + waiting, param(P_CLIENTS));
    let to_1 = select(1u, 0u, packet.to_1);
    set_state_word(param(P_BOUNCED_AT) + tail, to_1 | (packet.biased << 1u) | ((packet.bounces + 1u) << 2u));
    set_state_word(S_BOUNCED_LENGTH, waiting + 1u);
    let arrives = param(P_BOUNCED_LINE_AT) + wrap(bounced_slot + param(P_TRAVEL), param(P_BOUNCED_SLOTS));
    set_state_word(arrives, state_word(arrives) + 1u);
    return packet;
}

// A packet that bounces at once: where it ends and after how many rejections, without a loop.
// With rejection probabilities r and s at the first and the other server, the first takes it in the
// end with probability (1 - r) / (1 - r s); the number of whole rounds of two rejections is
// independent of that and geometric, P(at least k) = (r s)^k.
fn bounce_at_once(arriving: Packet) -> Packet {
    var packet = arriving;
    let words = rejection_words();
    let at = param(P_REJECTION_AT);
    let limit = param(P_BOUNCE_LIMIT);
    let exponent = minus_log2(words.z, words.w);
    let first = table(at + 2u * select(queue_2, queue_1, packet.to_1));
    let other = table(at + 2u * select(queue_1, queue_2, packet.to_1));
    var both = other;
    if first != CERTAIN {
        both = multiply_high(first << 1u, other);
    }
    let stays = multiply_high(words.x, CERTAIN - both) < CERTAIN - first;
    let round_bits = table(at + 2u * queue_1 + 1u) + table(at + 2u * queue_2 + 1u);
    var rounds = 1u << 20u;
    if round_bits != 0u {
        rounds = min(exponent / max(round_bits, 1u), 1u << 20u);
    }
    let rejections = 2u * rounds + select(1u, 0u, stays);
    packet.to_1 = packet.to_1 == stays;
    if rejections > limit {
        packet.present = false;
        sums[SUM_REJECTIONS] += limit + 1u;
        send_back(packet.biased);
    } else {
        sums[SUM_REJECTIONS] += rejections;
    }
    return packet;
}

// Refused clients go home and idle for at least one tick.
fn send_back(biased: u32) {
    let back = param(P_LINE_AT) + wrap(line_slot + param(P_REFUSED_DELAY), param(P_LINE_SLOTS));
    set_state_word(back, state_word(back) + (1u << (16u * biased)));
    sums[SUM_REFUSALS] += 1u;
}
