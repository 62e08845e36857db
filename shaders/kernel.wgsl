// The only bindings and the only entry point: one invocation advances one replica.
// Dispatch: one workgroup of 64 invocations for 64 replicas of one slot; a slot is one unit of work.
// Loop budget: the microsteps asked for, at most; models have no other loop that grows with the work.

@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<u32>;
@group(0) @binding(3) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> progress: array<u32>;

// The column of this invocation in its slot. The words of the slot and the parameters of the model are
// copied once (by load_slot and load_params, generated beside the constants) and indexed by constants only.
var<private> column: u32;

fn slot_word(index: u32) -> u32 {
    return slot_words[index];
}

fn param(index: u32) -> u32 {
    return param_words[index];
}

fn table(index: u32) -> u32 {
    return tables[slot_word(SLOT_TABLES_AT) + index];
}

fn state_word(word: u32) -> u32 {
    return states[slot_word(SLOT_STATES_AT) + word * slot_word(SLOT_STRIDE) + column];
}

fn set_state_word(word: u32, value: u32) {
    states[slot_word(SLOT_STATES_AT) + word * slot_word(SLOT_STRIDE) + column] = value;
}

fn measured() -> bool {
    return slot_word(SLOT_PHASE) != 0u;
}

// The half that this dispatch counts for; meaningful when measured.
fn measured_half() -> u32 {
    return max(slot_word(SLOT_PHASE), 1u) - 1u;
}

fn count(bin: u32) {
    if measured() {
        atomicAdd(&tallies[slot_word(SLOT_COUNTS_AT) + bin], 1u);
    }
}

// Keeps a traced value, where this dispatch records.
fn trace(position: u32, value: u32) {
    if slot_word(SLOT_TRACED) == 1u {
        let row = position - slot_word(SLOT_FROM);
        atomicStore(&tallies[slot_word(SLOT_TRACE_AT) + row * slot_word(SLOT_STRIDE) + column], value);
    }
}

fn draw(purpose: u32, step_index: u32, block: u32) -> vec4<u32> {
    let counter = vec4<u32>(step_index, 0u, slot_word(SLOT_FIRST_REPLICA) + column, block);
    let key = vec4<u32>(slot_word(SLOT_SEED_LOW), slot_word(SLOT_SEED_HIGH), slot_word(SLOT_STREAM), purpose);
    return threefry4x32(counter, key);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    load_slot(params[HEADER_WORDS + 2u * workgroup.x]);
    column = params[HEADER_WORDS + 2u * workgroup.x + 1u] + local;
    if column >= slot_word(SLOT_REPLICAS) {
        return;
    }
    load_params(slot_word(SLOT_PARAMS_AT));
    let budget = params[HEADER_BUDGET];
    let target_position = slot_word(SLOT_TARGET);
    load_state();
    var microsteps = 0u;
    for (var i = 0u; i < budget; i++) {
        if current_position() >= target_position {
            break;
        }
        step();
        microsteps += 1u;
    }
    save_state();
    let at = slot_word(SLOT_PROGRESS_AT) + 2u * column;
    progress[at] = current_position();
    progress[at + 1u] = microsteps;
}
