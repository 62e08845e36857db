//! The run of one wave: chunked dispatches, what is read between them, and the check that none stopped early.
//!
//! Owns the loop over dispatches and their length. What a wave holds is `wave`'s, where its slots are `schedule`'s.

use super::Gpu;
use super::device::{Pipeline, SENTINEL};
use super::schedule::Schedule;
use super::shader::{header, slot};
use super::wave::{Slot, Wave};
use crate::engine::{Fault, Watch, Work};
use crate::faults;
use crate::models::{Model, Tallies};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Most microsteps of a dispatch: below the silent loop limit of software adapters, and few enough
/// that the kernel's 32-bit sums cannot overflow.
pub(super) const MOST_MICROSTEPS: u32 = 16_384;
/// What a dispatch aims to take: short enough for watchdogs and for stopping.
const AIM: Duration = Duration::from_millis(70);
/// Increments a bin may get before its 32-bit count is drained.
const DRAIN_AT: u64 = 1 << 31;

impl Gpu {
    /// Simulates a wave: tallies of every piece, and, where asked for, the final states.
    pub(super) fn run_wave(
        &self,
        model: &Model,
        pipeline: &Pipeline,
        work: &[Work<'_>],
        wave: &mut Wave,
        watch: &Watch,
        whole_states: bool,
    ) -> Result<Vec<(Tallies, Vec<u32>)>, Fault> {
        let device = &self.device;
        let states = device.buffer("states", &start_states(model, work, wave))?;
        let params = device.buffer("params", &wave.params)?;
        let tables = device.buffer("tables", &wave.tables)?;
        let tallies = device.buffer("tallies", &vec![0; wave.tallies])?;
        let progress = device.buffer("progress", &vec![SENTINEL; wave.progress])?;
        let buffers = [&params, &tables, &states, &tallies, &progress];
        let mut schedules: Vec<Schedule> = wave
            .slots
            .iter()
            .map(|s| Schedule::new(&work[s.work], s))
            .collect();
        // Increments that one microstep of all replicas of a slot can make to one bin, at most.
        let increments = |place: &Slot| {
            let piece = &work[place.work];
            u64::from(piece.unit.replicas) * u64::from(piece.plan.increments_per_microstep)
        };
        let increments = wave.slots.iter().map(increments).max().unwrap_or(0).max(1);
        // Software adapters count the iterations of inner loops, too.
        let loops = |place: &Slot| 1 + work[place.work].plan.loops_per_microstep;
        let loops = wave.slots.iter().map(loops).max().unwrap_or(1);
        let most = u64::from((MOST_MICROSTEPS / loops).max(1));
        let most = (DRAIN_AT / 2 / increments).clamp(1, most) as u32;
        let mut microsteps = self.fixed_microsteps.unwrap_or(32).min(most);
        let mut undrained = 0;
        while schedules.iter().any(|schedule| !schedule.finished()) {
            if watch.stopped() {
                return Err(Fault::Stopped);
            }
            // A dispatch that is made to stop early does half of what is expected of it.
            let short = faults::strikes(faults::Kind::ShortDispatch);
            wave.params[header::BUDGET] = if short { microsteps / 2 } else { microsteps };
            for (schedule, place) in schedules.iter_mut().zip(&wave.slots) {
                schedule.aim(&mut wave.params[place.at..place.at + slot::COUNT]);
            }
            let upper = wave.slots.last().map_or(0, |place| place.at + slot::COUNT);
            device.write(&params, 0, &wave.params[..upper]);
            device.write(&progress, 0, &vec![SENTINEL; wave.progress]);
            let begun = Instant::now();
            let read = device.dispatch(
                pipeline,
                &buffers,
                wave.workgroups,
                &[(&progress, 0, wave.progress)],
            )?;
            let took = begun.elapsed();
            for (schedule, place) in schedules.iter_mut().zip(&wave.slots) {
                let columns =
                    &read[0][place.progress_at..place.progress_at + 2 * place.stride as usize];
                let advanced = schedule.advance(columns, microsteps).map_err(|detail| Fault::Device {
                    what: "a dispatch stopped early",
                    device: device.summary.name.clone(),
                    detail,
                    remedy: "the driver cut the kernel short; the run is void: try again, another --adapter, or --backend cpu",
                })?;
                watch.advance(advanced);
            }
            self.read_traces(&mut schedules, wave, &tallies)?;
            undrained += increments * u64::from(microsteps);
            if undrained + increments * u64::from(most) > DRAIN_AT {
                self.drain(&mut schedules, wave, &tallies)?;
                undrained = 0;
            }
            if self.fixed_microsteps.is_none() {
                let factor = (AIM.as_secs_f64() / took.as_secs_f64().max(1e-6)).clamp(0.25, 4.0);
                microsteps = ((f64::from(microsteps) * factor) as u32).clamp(1, most);
            }
        }
        self.drain(&mut schedules, wave, &tallies)?;
        let rows = |place: &Slot| {
            let plan = work[place.work].plan;
            (if whole_states {
                plan.state_words
            } else {
                plan.head_words
            }) as usize
        };
        let parts: Vec<_> = (wave.slots.iter())
            .map(|place| {
                (
                    &states,
                    place.states_at,
                    rows(place) * place.stride as usize,
                )
            })
            .collect();
        let read = device.read(&parts)?;
        let mut results = Vec::new();
        for ((schedule, place), state) in schedules.into_iter().zip(&wave.slots).zip(read) {
            let (plan, replicas) = (
                work[place.work].plan,
                work[place.work].unit.replicas as usize,
            );
            let stride = place.stride as usize;
            let mut sums = schedule.into_tallies(model);
            for column in 0..replicas {
                sums.add_replica(plan, |word| state[word as usize * stride + column]);
            }
            if faults::strikes(faults::Kind::WrongAnswer) {
                sums.sums.iter_mut().take(1).for_each(|sum| sum[1] ^= 1);
            }
            let kept = if whole_states {
                state
                    .chunks(stride)
                    .flat_map(|row| &row[..replicas])
                    .copied()
                    .collect()
            } else {
                Vec::new()
            };
            results.push((sums, kept));
        }
        Ok(results)
    }

    /// Adds the 32-bit counts of the device to the 64-bit ones and clears them.
    fn drain(
        &self,
        schedules: &mut [Schedule<'_>],
        wave: &Wave,
        tallies: &wgpu::Buffer,
    ) -> Result<(), Fault> {
        let parts: Vec<_> = (schedules.iter().zip(&wave.slots))
            .map(|(schedule, place)| (tallies, place.counts_at, schedule.count_words()))
            .collect();
        for ((schedule, place), counts) in
            (schedules.iter_mut().zip(&wave.slots)).zip(self.device.read(&parts)?)
        {
            schedule.add_counts(&counts);
            self.device
                .write(tallies, place.counts_at, &vec![0; counts.len()]);
        }
        Ok(())
    }

    fn read_traces(
        &self,
        schedules: &mut [Schedule<'_>],
        wave: &Wave,
        tallies: &wgpu::Buffer,
    ) -> Result<(), Fault> {
        let (mut parts, mut filled) = (Vec::new(), Vec::new());
        for (index, (schedule, place)) in schedules.iter().zip(&wave.slots).enumerate() {
            let words = schedule.traced_rows() as usize * place.stride as usize;
            if words > 0 {
                parts.push((tallies, place.trace_at, words));
                filled.push(index);
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        for (index, values) in filled.into_iter().zip(self.device.read(&parts)?) {
            schedules[index].add_trace(&values, wave.slots[index].stride);
        }
        Ok(())
    }
}

/// The states of all units at time 0, `[word][column]` a slot.
fn start_states(model: &Model, work: &[Work<'_>], wave: &Wave) -> Vec<u32> {
    let mut states = vec![0u32; wave.states];
    for place in &wave.slots {
        let piece = &work[place.work];
        let (words, stride) = (piece.plan.state_words as usize, place.stride as usize);
        let columns: Vec<Vec<u32>> = (0..piece.unit.replicas)
            .into_par_iter()
            .map(|column| {
                let mut one = vec![0; words];
                (model.start)(
                    piece.plan,
                    &piece.key,
                    piece.unit.first_replica + column,
                    &mut one,
                );
                one
            })
            .collect();
        for (column, one) in columns.iter().enumerate() {
            for (word, &value) in one.iter().enumerate() {
                states[place.states_at + word * stride + column] = value;
            }
        }
    }
    states
}
