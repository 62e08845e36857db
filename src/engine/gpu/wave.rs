//! Waves: which units share the device's buffers, and where each of them lies. Pure planning.
//!
//! Owns the packing of units into slots. Knows no wgpu.

use super::shader::{WORKGROUP, header, slot};
use crate::engine::{Fault, Work};

/// Most traced rows of a slot between two readings.
const TRACED_ROWS: u32 = 256;
/// Fewest replicas of a unit where many share a wave.
const FEWEST_REPLICAS: u32 = 4 * WORKGROUP;
/// Most workgroups of a dispatch in one dimension.
const MOST_WORKGROUPS: u64 = 65_535;

/// One unit and where its words lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Index of the piece of work.
    pub work: usize,
    /// Where its words start in `params`.
    pub at: usize,
    /// Replicas rounded up to whole workgroups.
    pub stride: u32,
    /// First word of its states.
    pub states_at: usize,
    /// First word of its counts: those of the first half, then those of the second.
    pub counts_at: usize,
    /// First word of its traced rows, and how many rows there are.
    pub trace_at: usize,
    /// Rows of traced values that fit; 0 when nothing is traced.
    pub trace_rows: u32,
    /// First word of its progress.
    pub progress_at: usize,
}

/// Units that run together.
#[derive(Debug, Default)]
pub struct Wave {
    /// The units.
    pub slots: Vec<Slot>,
    /// Workgroups of a dispatch.
    pub workgroups: u32,
    /// The words of `params`, complete but for what changes from dispatch to dispatch.
    pub params: Vec<u32>,
    /// The words of `tables`.
    pub tables: Vec<u32>,
    /// Words of `states`.
    pub states: usize,
    /// Words of `tallies`.
    pub tallies: usize,
    /// Words of `progress`.
    pub progress: usize,
}

/// Columns of a unit.
pub fn stride(replicas: u32) -> u32 {
    replicas.div_ceil(WORKGROUP) * WORKGROUP
}

/// Most replicas of a unit of this plan when a buffer holds so many words.
///
/// # Errors
/// [`Fault::TooLarge`] when not even one workgroup fits.
pub fn most_replicas(work: &Work<'_>, words_per_buffer: u64, device: &str) -> Result<u32, Fault> {
    let plan = work.plan;
    let traced = if work.recording.steps > 0 {
        TRACED_ROWS
    } else {
        0
    };
    let counts = words_per_buffer.saturating_sub(2 * u64::from(plan.recorded_bins));
    let by_state = words_per_buffer / u64::from(plan.state_words.max(1));
    let by_trace = if traced > 0 {
        counts / u64::from(traced)
    } else {
        u64::MAX
    };
    let fits = by_state
        .min(by_trace)
        .min(MOST_WORKGROUPS * u64::from(WORKGROUP))
        / u64::from(WORKGROUP)
        * u64::from(WORKGROUP);
    let tables_fit = (plan.tables.len() as u64) < words_per_buffer && counts > 0;
    if fits == 0 || !tables_fit {
        return Err(Fault::TooLarge {
            point: work.unit.point,
            needed: u64::from(plan.state_words.max(traced)) * 4,
            allowed: words_per_buffer * 4 / u64::from(WORKGROUP),
            device: device.to_owned(),
        });
    }
    Ok(fits as u32)
}

/// Fewest replicas of a unit for which the counts of a wave of `wide` replicas fit a buffer of so many words: whole
/// workgroups, and several, because every unit costs the host something.
pub fn fewest_replicas(work: &Work<'_>, words_per_buffer: u64, wide: u32) -> u32 {
    let counts = 2 * u64::from(work.plan.recorded_bins);
    let traced = if work.recording.steps > 0 {
        TRACED_ROWS
    } else {
        0
    };
    // What the traced rows of so many replicas leave; if they leave nothing, as for a unit alone.
    let rows = u64::from(traced) * u64::from(wide);
    let words = words_per_buffer.saturating_sub(rows).max(counts).max(1);
    let units = (words / counts.max(1)).clamp(1, u64::from(wide));
    let replicas = (u64::from(wide).div_ceil(units) as u32).max(FEWEST_REPLICAS);
    stride(replicas)
}

/// Packs pieces of work, in order, into one wave, as many as fit and hold no more than so many replicas, but at least
/// one; returns it and how many it holds.
pub fn pack(work: &[Work<'_>], words_per_buffer: u64, most_replicas: u32) -> (Wave, usize) {
    let mut wave = Wave::default();
    let mut workgroups = Vec::new();
    let mut slots = Vec::new();
    // Units of the same point share parameters and tables: (plan address, params offset, tables offset).
    let mut shared: Vec<(*const crate::models::Plan, usize, usize)> = Vec::new();
    let mut plans: Vec<u32> = Vec::new();
    let mut replicas = 0u64;
    for (index, piece) in work.iter().enumerate() {
        let plan = piece.plan;
        let stride = stride(piece.unit.replicas);
        let trace_rows = if piece.recording.wants(&piece.unit) {
            TRACED_ROWS
        } else {
            0
        };
        let counts = 2 * plan.recorded_bins as usize;
        let states = wave.states + plan.state_words as usize * stride as usize;
        let tallies = wave.tallies + counts + trace_rows as usize * stride as usize;
        let groups = (stride / WORKGROUP) as usize;
        // The last first: units of a point follow one another.
        let known = (shared.iter().rev())
            .find(|(address, _, _)| std::ptr::eq(*address, plan))
            .copied();
        let tables = wave.tables.len()
            + if known.is_some() {
                0
            } else {
                plan.tables.len()
            };
        let params = header::COUNT
            + 2 * (workgroups.len() + groups)
            + (slots.len() + 1) * slot::COUNT
            + plans.len()
            + plan.params.len();
        let full = [states, tallies, tables, params]
            .iter()
            .any(|&words| words as u64 > words_per_buffer)
            || (workgroups.len() + groups) as u64 > MOST_WORKGROUPS;
        replicas += u64::from(piece.unit.replicas);
        let full = full || replicas > u64::from(most_replicas);
        if full && index > 0 {
            break;
        }
        let (params_at, tables_at) =
            known.map_or((plans.len(), wave.tables.len()), |(_, p, t)| (p, t));
        if known.is_none() {
            shared.push((plan, params_at, tables_at));
            plans.extend(&plan.params);
            wave.tables.extend(&plan.tables);
        }
        for group in 0..groups {
            workgroups.push((slots.len(), group as u32 * WORKGROUP));
        }
        let mut words = [0u32; slot::COUNT];
        words[slot::PARAMS_AT] = params_at as u32;
        words[slot::TABLES_AT] = tables_at as u32;
        words[slot::STATES_AT] = wave.states as u32;
        words[slot::STRIDE] = stride;
        words[slot::REPLICAS] = piece.unit.replicas;
        words[slot::FIRST_REPLICA] = piece.unit.first_replica;
        words[slot::SEED_LOW] = piece.key.seed as u32;
        words[slot::SEED_HIGH] = (piece.key.seed >> 32) as u32;
        words[slot::STREAM] = piece.key.stream;
        words[slot::PROGRESS_AT] = wave.progress as u32;
        words[slot::TRACE_AT] = (wave.tallies + counts) as u32;
        slots.push(words);
        wave.slots.push(Slot {
            work: index,
            at: 0,
            stride,
            states_at: wave.states,
            counts_at: wave.tallies,
            trace_at: wave.tallies + counts,
            trace_rows,
            progress_at: wave.progress,
        });
        wave.states = states;
        wave.tallies = tallies;
        wave.progress += 2 * stride as usize;
    }
    let slots_at = header::COUNT + 2 * workgroups.len();
    let plans_at = slots_at + slots.len() * slot::COUNT;
    wave.params = vec![0; header::COUNT];
    for (slot_index, column) in &workgroups {
        wave.params
            .extend([(slots_at + slot_index * slot::COUNT) as u32, *column]);
    }
    for (index, mut words) in slots.into_iter().enumerate() {
        words[slot::PARAMS_AT] += plans_at as u32;
        wave.slots[index].at = wave.params.len();
        wave.params.extend(words);
    }
    wave.params.extend(&plans);
    wave.workgroups = workgroups.len() as u32;
    let count = wave.slots.len();
    (wave, count)
}
