//! Which machine simulates: the user's words into a backend.

use super::Failure;
use crate::engine::gpu::{Gpu, adapters};
use crate::engine::{All, Backend, Cpu, Guarded};
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
    /// That and the CPU at once, on different units
    All,
}

/// Share of the units of a device that are simulated on the CPU too, unless asked otherwise.
const SPOT_CHECK: f64 = 0.01;

/// A share.
fn share(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "a share from 0 (never) to 1 (every unit)".to_owned())
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
    /// Share of a GPU's units that the CPU simulates too and compares bit for bit: 0 never, 1 all; 0.01 by default
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub spot_check: Option<f64>,
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
        if self.spot_check.is_some() && self.backend == Kind::Cpu {
            return Err(Failure::Usage(
                "--spot-check is about a GPU, but --backend is cpu; leave one of the two out"
                    .to_owned(),
            ));
        }
        let gpu = match self.backend {
            Kind::Gpu | Kind::All => true,
            Kind::Cpu => false,
            Kind::Auto => name.is_some() || adapters().iter().any(|adapter| adapter.is_gpu),
        };
        let threads = self.threads.map_or(0, usize::from);
        let cpu = || Cpu::new(threads).map_err(Failure::failed);
        if !gpu {
            return Ok(Box::new(cpu()?));
        }
        let gpu = Box::new(Gpu::open(name, false).map_err(Failure::failed)?);
        let gpu = Guarded::new(gpu, cpu()?, self.spot_check.unwrap_or(SPOT_CHECK));
        if self.backend == Kind::All {
            return Ok(Box::new(All::new(gpu, cpu()?)));
        }
        Ok(Box::new(gpu))
    }
}
