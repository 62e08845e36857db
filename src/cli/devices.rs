//! `queuefarm devices`: what could simulate, and what `auto` takes.

use super::{Failure, output};
use crate::engine::InstructionSet;
use crate::engine::gpu::adapters;
use clap::Args;
use serde_json::json;

/// List adapters and instruction sets, and which one `auto` takes and why
#[derive(Debug, Args)]
pub struct Arguments {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let adapters = adapters();
    let sets: Vec<&str> = InstructionSet::available()
        .iter()
        .map(|set| set.name())
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let taken = adapters.iter().find(|adapter| adapter.is_gpu);
    let why = match taken {
        Some(adapter) => format!("auto takes \"{}\": the first real GPU", adapter.name),
        None if adapters.is_empty() => "auto takes the CPU: there is no adapter".to_owned(),
        None => "auto takes the CPU: no adapter is a real GPU, and a software adapter is slower than the CPU engine".to_owned(),
    };
    if arguments.json {
        let adapters: Vec<_> = adapters.iter().map(|adapter| json!({
            "name": adapter.name, "driver": adapter.driver, "interface": adapter.interface, "kind": adapter.kind,
            "largest_binding_bytes": adapter.largest_binding, "largest_buffer_bytes": adapter.largest_buffer,
        })).collect();
        let auto = taken.map_or("cpu", |adapter| adapter.name.as_str());
        return output::print_json(
            &json!({"cpu": {"threads": threads, "instruction_sets": sets}, "adapters": adapters, "auto": auto, "why": why}),
        );
    }
    let mut text = format!(
        "cpu      {threads} threads; instruction sets: {} (the first is used)\n",
        sets.join(", ")
    );
    for adapter in &adapters {
        text.push_str(&format!(
            "adapter  \"{}\" ({}, {}, {}); largest storage binding {} MiB, largest buffer {} MiB\n",
            adapter.name,
            adapter.kind,
            adapter.interface,
            adapter.driver,
            adapter.largest_binding >> 20,
            adapter.largest_buffer >> 20
        ));
    }
    output::print(&format!("{text}{why}\n"))
}
