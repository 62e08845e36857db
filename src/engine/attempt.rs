//! One attempt at a wave: the device simulates it while the CPU simulates some of its pieces, and these are compared.
//!
//! Owns the choice of what is checked and the comparison. What follows from a failure is `guarded`'s.

use super::verify::first_tally_difference;
use super::{Accelerator, Backend, Cpu, Fault, Unit, Watch, Work};
use crate::models::{Model, Tallies};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Why a wave was not accepted.
#[derive(Debug)]
pub(super) struct Failure {
    /// Which piece of the wave, or all of them.
    pub piece: Option<usize>,
    /// What went wrong: of the device, or of its memory.
    pub fault: Fault,
}

/// Simulates a wave on the device and, beside it, the share `rate` of its pieces on the CPU, unless `known` has them.
/// Returns the tallies of all pieces when nothing failed and nothing differs.
///
/// # Errors
/// What is no failure of the device: a stop, or a fault of the host.
pub(super) fn attempt(
    device: &mut dyn Accelerator,
    cpu: &mut Cpu,
    rate: f64,
    model: &Model,
    pieces: &[Work<'_>],
    known: &mut BTreeMap<usize, Tallies>,
    watch: &Watch,
) -> Result<Result<Vec<Tallies>, Failure>, Fault> {
    let chosen = chosen(rate, pieces);
    let missing: Vec<usize> = (chosen.iter().copied())
        .filter(|index| !known.contains_key(index))
        .collect();
    let work: Vec<Work<'_>> = missing.iter().map(|&index| pieces[index]).collect();
    let returned = Mutex::new(vec![None; pieces.len()]);
    let checked = Mutex::new(&mut *known);
    let ran = std::thread::scope(|scope| {
        let check = scope.spawn(|| {
            cpu.run(model, &work, &watch.aside(), &|index, tallies| {
                let mut checked = checked.lock().unwrap_or_else(PoisonError::into_inner);
                checked.insert(missing[index], tallies);
            })
        });
        let ran = device.run(model, pieces, watch, &|index, tallies| {
            let mut returned = returned.lock().unwrap_or_else(PoisonError::into_inner);
            returned[index] = Some(tallies);
        });
        let broken = |_| Err(Fault::Host("a check on the CPU broke off".to_owned()));
        check.join().unwrap_or_else(broken)?;
        Ok::<_, Fault>(ran)
    })?;
    let failure = |piece, what, detail| Failure {
        piece,
        fault: Fault::Device {
            what,
            device: device.adapter(),
            detail,
            remedy: "the driver or the device computes wrongly; use --backend cpu",
        },
    };
    match ran {
        Ok(()) => {}
        Err(fault @ (Fault::Device { .. } | Fault::Memory { .. })) => {
            return Ok(Err(Failure { piece: None, fault }));
        }
        Err(other) => return Err(other),
    }
    let returned = returned
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let Some(returned) = returned.into_iter().collect::<Option<Vec<Tallies>>>() else {
        let detail = "not every unit came back".to_owned();
        return Ok(Err(failure(None, "missing answers", detail)));
    };
    for index in chosen {
        let plan = pieces[index].plan;
        let difference = first_tally_difference(model, plan, &known[&index], &returned[index]);
        if let Some((field, expected, found)) = difference {
            let detail = format!("{field}: {expected} on the CPU, {found} on the device");
            return Ok(Err(failure(Some(index), "a wrong answer", detail)));
        }
    }
    Ok(Ok(returned))
}

/// The pieces of a wave that are checked: the first one, and those that their unit picks. None at a rate of 0.
fn chosen(rate: f64, pieces: &[Work<'_>]) -> Vec<usize> {
    let chosen = |&index: &usize| index == 0 || share_of(&pieces[index].unit) < rate;
    let all = if rate > 0.0 { pieces.len() } else { 0 };
    (0..all).filter(chosen).collect()
}

/// A number from 0 to 1 that depends on the unit alone.
fn share_of(unit: &Unit) -> f64 {
    let words = [unit.point, unit.batch, unit.first_replica, unit.replicas];
    let hash = words.iter().fold(0x9E37_79B9_7F4A_7C15u64, |hash, &word| {
        let mixed = (hash ^ u64::from(word)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (mixed >> 29)
    });
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::{Unit, share_of};

    #[test]
    fn one_unit_in_a_hundred_is_picked() {
        let unit = |index: u32| Unit {
            point: index / 1000,
            batch: index % 10,
            first_replica: 64 * (index % 1000),
            replicas: 64,
        };
        let picked = (0..100_000).filter(|&index| share_of(&unit(index)) < 0.01);
        let picked = picked.count();
        // Binomial, five standard deviations of 31.
        assert!((845..=1155).contains(&picked), "{picked}");
    }
}
