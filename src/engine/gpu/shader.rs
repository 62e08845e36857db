//! The assembled WGSL of a model: constants generated from the lists of names, the library, the model, the kernel.
//!
//! Owns the order of the concatenation and the layout of the words the kernel reads. No preprocessor.

use crate::models::Model;
use crate::random::{CERTAIN, Purpose};
use crate::words::words;

/// Invocations of one workgroup.
pub const WORKGROUP: u32 = 64;

words! {
    /// Words at the start of `params`, followed by two words a workgroup: its slot and its first column.
    header, "HEADER_":
    /// Most microsteps of this dispatch.
    BUDGET,
}

words! {
    /// Words of a slot: one unit of work in a dispatch.
    slot, "SLOT_":
    /// Where the model's parameters start in `params`.
    PARAMS_AT,
    /// Where its tables start in `tables`.
    TABLES_AT,
    /// Where its states start in `states`.
    STATES_AT,
    /// Columns of its states: its replicas, rounded up to whole workgroups.
    STRIDE,
    /// Its replicas.
    REPLICAS,
    /// The replica in column 0.
    FIRST_REPLICA,
    /// Lower half of the seed.
    SEED_LOW,
    /// Upper half of the seed.
    SEED_HIGH,
    /// The stream.
    STREAM,
    /// Where the counts of the half that is measured start in `tallies`.
    COUNTS_AT,
    /// Where its progress starts in `progress`: two words a column.
    PROGRESS_AT,
    /// Position at which replicas stop in this dispatch.
    TARGET,
    /// 0 in the warm-up, else 1 plus the half that is measured.
    PHASE,
    /// 1 when values are traced in this dispatch.
    TRACED,
    /// Position of the first traced row.
    FROM,
    /// Where the traced rows start in `tallies`.
    TRACE_AT,
}

/// A private array of words and the function that copies them from `params`. Written out: an index that
/// is not a constant would keep the array out of registers.
fn copy_of(name: &str, loader: &str, words: usize) -> String {
    let lines: String = (0..words)
        .map(|index| format!("    {name}[{index}u] = params[at + {index}u];\n"))
        .collect();
    format!("var<private> {name}: array<u32, {words}>;\nfn {loader}(at: u32) {{\n{lines}}}\n")
}

/// The constants that Rust and WGSL share.
fn constants(model: &Model) -> String {
    let mut text = format!(
        "// Generated: constants shared with the host.\nconst WORKGROUP: u32 = {WORKGROUP}u;\nconst HEADER_WORDS: u32 = {}u;\nconst CERTAIN: u32 = {CERTAIN}u;\n",
        header::COUNT
    );
    text.push_str(&Purpose::constants());
    text.push_str(&header::wgsl());
    text.push_str(&slot::wgsl());
    text.push_str(&(model.constants)());
    text.push_str(&copy_of("slot_words", "load_slot", slot::COUNT));
    text.push_str(&copy_of("param_words", "load_params", model.param_words));
    text
}

/// The whole shader of a model.
pub fn assemble(model: &Model) -> String {
    let mut parts = vec![
        constants(model),
        include_str!("../../../shaders/lib/threefry.wgsl").to_owned(),
        include_str!("../../../shaders/lib/wide.wgsl").to_owned(),
    ];
    parts.extend(model.shader.iter().map(|&text| text.to_owned()));
    parts.push(include_str!("../../../shaders/kernel.wgsl").to_owned());
    parts.join("\n")
}
