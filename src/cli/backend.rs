//! Which machine simulates: the user's words into a backend.

use super::Failure;
use crate::engine::gpu::{Gpu, adapters};
use crate::engine::{Backend, Cpu};
use clap::{Args, ValueEnum};

/// Where to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A real GPU if there is one, else the CPU; never a software adapter
    Auto,
    /// The vector engine on all cores
    Cpu,
    /// A GPU, or the adapter that --adapter names
    Gpu,
}

/// Arguments that choose a machine.
#[derive(Debug, Args)]
pub struct Choice {
    /// Where to simulate
    #[arg(long, value_enum, default_value = "auto")]
    pub backend: Kind,
    /// The adapter whose name contains NAME (see `queuefarm devices`); implies --backend gpu
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Threads of the CPU engine; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

impl Choice {
    /// The backend.
    pub fn open(&self) -> Result<Box<dyn Backend>, Failure> {
        let name = self.adapter.as_deref();
        if name.is_some() && self.backend == Kind::Cpu {
            return Err(Failure::Usage(
                "--adapter names a GPU, but --backend is cpu; leave one of the two out".to_owned(),
            ));
        }
        let gpu = match self.backend {
            Kind::Gpu => true,
            Kind::Cpu => false,
            Kind::Auto => name.is_some() || adapters().iter().any(|adapter| adapter.is_gpu),
        };
        if gpu {
            return Ok(Box::new(Gpu::open(name, false).map_err(Failure::failed)?));
        }
        let threads = self.threads.map_or(0, usize::from);
        Ok(Box::new(Cpu::new(threads).map_err(Failure::failed)?))
    }
}
