//! Adapters: what there is, what they allow, and which one is taken.
//!
//! Owns the choice of an adapter. Does not compute.

use crate::engine::Fault;

/// An adapter as the user sees it.
#[derive(Debug, Clone)]
pub struct AdapterSummary {
    /// Its name.
    pub name: String,
    /// Driver and version.
    pub driver: String,
    /// Graphics interface: Vulkan, Metal, Dx12.
    pub interface: String,
    /// Discrete, integrated, virtual or software.
    pub kind: &'static str,
    /// Whether it is a real GPU, not a program on the CPU.
    pub is_gpu: bool,
    /// Largest storage binding in bytes.
    pub largest_binding: u64,
    /// Largest buffer in bytes.
    pub largest_buffer: u64,
}

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle())
}

pub(super) fn all() -> Vec<wgpu::Adapter> {
    let mut adapters = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}

pub(super) fn summary(adapter: &wgpu::Adapter) -> AdapterSummary {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let (kind, is_gpu) = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => ("discrete GPU", true),
        wgpu::DeviceType::IntegratedGpu => ("integrated GPU", true),
        wgpu::DeviceType::VirtualGpu => ("virtual GPU", true),
        wgpu::DeviceType::Cpu => ("software", false),
        wgpu::DeviceType::Other => ("unknown", false),
    };
    AdapterSummary {
        name: info.name,
        driver: format!("{} {}", info.driver, info.driver_info)
            .trim()
            .to_owned(),
        interface: format!("{:?}", info.backend),
        kind,
        is_gpu,
        largest_binding: limits.max_storage_buffer_binding_size,
        largest_buffer: limits.max_buffer_size,
    }
}

/// Every adapter of this machine, real GPUs first.
pub fn adapters() -> Vec<AdapterSummary> {
    all().iter().map(summary).collect()
}

/// The adapter whose name contains `name` (case does not matter), or the first real GPU, or, if
/// `software_too`, the first of any kind.
///
/// # Errors
/// [`Fault::Device`] when there is none, with what there is.
pub(super) fn choose(name: Option<&str>, software_too: bool) -> Result<wgpu::Adapter, Fault> {
    let adapters = all();
    let names: Vec<String> = adapters
        .iter()
        .map(|a| format!("\"{}\"", a.get_info().name))
        .collect();
    let present = if names.is_empty() {
        "there is none".to_owned()
    } else {
        format!("there is {}", names.join(", "))
    };
    let chosen = adapters.into_iter().find(|adapter| match name {
        Some(name) => adapter
            .get_info()
            .name
            .to_lowercase()
            .contains(&name.to_lowercase()),
        None => software_too || summary(adapter).is_gpu,
    });
    chosen.ok_or_else(|| Fault::Device {
        what: "no suitable adapter",
        device: name.unwrap_or("this machine").to_owned(),
        detail: present,
        remedy: "install the GPU's Vulkan driver (Debian: mesa-vulkan-drivers or the vendor's), name one of the adapters that `queuefarm devices` lists with --adapter, or use --backend cpu",
    })
}
