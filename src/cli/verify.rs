//! `queuefarm verify`: do all engines give the same bits?

use super::{Failure, open, output};
use crate::engine::gpu::{Gpu, adapters};
use crate::engine::verify::compare;
use crate::engine::{Backend, Cpu, InstructionSet, Unit};
use crate::models::{MODELS, Model};
use crate::random::Key;
use clap::Args;

/// Compare the CPU engine (each instruction set) and every adapter, bit for bit
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  queuefarm verify\n  queuefarm verify delay --adapter llvmpipe"
)]
pub struct Arguments {
    /// A model; all by default
    #[arg(value_parser = open::ModelName, hide_possible_values = true)]
    model: Option<String>,
    /// Only the adapter whose name contains NAME
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
}

/// Replicas of each configuration: not a multiple of lanes or workgroups.
const REPLICAS: u32 = 150;
/// Steps of a CPU kernel between looks at the stop flag.
const STEPS_PER_CALL: u32 = 97;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let models: Vec<&Model> = match &arguments.model {
        Some(name) => vec![open::model(name)?],
        None => MODELS.to_vec(),
    };
    let mut others: Vec<(String, Box<dyn Backend>)> = Vec::new();
    if arguments.adapter.is_none() {
        for set in InstructionSet::available() {
            let cpu = Cpu::with(0, set, STEPS_PER_CALL).map_err(Failure::failed)?;
            others.push((format!("cpu, {}", set.name()), Box::new(cpu)));
        }
    }
    let names: Vec<String> = match &arguments.adapter {
        Some(name) => vec![name.clone()],
        None => adapters().into_iter().map(|adapter| adapter.name).collect(),
    };
    for name in names {
        let gpu = Gpu::open(Some(&name), true).map_err(Failure::failed)?;
        others.push((gpu.summary().name.clone(), Box::new(gpu)));
    }
    let portable = InstructionSet::available()
        .pop()
        .unwrap_or_else(InstructionSet::best);
    let mut differences = 0;
    for model in models {
        for (name, other) in &mut others {
            let mut reference = Cpu::with(0, portable, u32::MAX).map_err(Failure::failed)?;
            let grid = (model.parity_grid)();
            let mut here = 0;
            for point in &grid {
                let plan = (model.plan)(point).map_err(Failure::failed)?;
                let unit = Unit {
                    point: point.index,
                    batch: 0,
                    first_replica: 0,
                    replicas: REPLICAS,
                };
                let key = Key {
                    seed: 0x5EED,
                    stream: point.index,
                };
                let difference = compare(model, &plan, key, unit, &mut reference, other.as_mut())
                    .map_err(Failure::failed)?;
                if let Some(difference) = difference {
                    here += 1;
                    output::print(&format!(
                        "{} on {name}, configuration {}: {difference}\n",
                        model.name, point.index
                    ))?;
                }
            }
            let verdict = if here == 0 {
                "the same bits".to_owned()
            } else {
                format!("{here} DIFFERENT")
            };
            output::print(&format!(
                "{} on {name}: {} configurations of {REPLICAS} replicas, {verdict}\n",
                model.name,
                grid.len()
            ))?;
            differences += here;
        }
    }
    if differences > 0 {
        return Err(Failure::Failed(format!(
            "{differences} configurations differ from the portable CPU engine; please report the adapter and driver (`queuefarm devices`)"
        )));
    }
    Ok(())
}
