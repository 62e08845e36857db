//! Where every client is at time 0.

use super::words::{param, state};
use crate::models::Plan;
use crate::random::{Key, Purpose};

/// Fills the state of one replica.
pub fn start(plan: &Plan, key: &Key, replica: u32, words: &mut [u32]) {
    let p = |index: usize| plan.params[index];
    let clients = p(param::CLIENTS);
    const RANDOM: u32 = 2;
    let kind = p(param::START);
    words.fill(0);
    let biased = u64::from(p(param::BIASED_CLIENTS));
    let mut lengths = [0u32; 2];
    let mut draw = [0; 4];
    for client in 0..clients {
        if kind == RANDOM && client % 128 == 0 {
            draw = key.draw(Purpose::DelayStart, replica, client / 128, 0);
        }
        let server = match kind {
            0 => usize::from(client >= clients.div_ceil(2)),
            1 => 0,
            _ => (draw[(client / 32 % 4) as usize] >> (client % 32) & 1) as usize,
        };
        // The biased clients are spread evenly over the list of clients.
        let before = u64::from(client) * biased / u64::from(clients);
        let is_biased = (u64::from(client) + 1) * biased / u64::from(clients) > before;
        if p(param::FIXED_CLIENTS) == 1 && is_biased {
            let fifo = p(param::FIFO_1_AT + server);
            words[(fifo + lengths[server] / 32) as usize] |= 1 << (lengths[server] % 32);
        }
        lengths[server] += 1;
    }
    words[state::QUEUE_1] = lengths[0];
    words[state::QUEUE_2] = lengths[1];
    if lengths[0] > 0 {
        words[state::LEFT_1] = p(param::SERVICE_1);
    }
    if lengths[1] > 0 {
        words[state::LEFT_2] = p(param::SERVICE_2) + p(param::PHASE);
    }
    let history =
        p(param::HISTORY_AT) as usize..(p(param::HISTORY_AT) + p(param::HISTORY_SLOTS)) as usize;
    words[history].fill(super::masks::compare(
        lengths[0] * p(param::WEIGHT_1),
        lengths[1] * p(param::WEIGHT_2),
        p(param::CHOICE_HALF),
    ));
}
