//! An open device: buffers, dispatches, reading back, and errors as values.
//!
//! Owns every call to wgpu that can fail. Knows no units.

use super::adapter;
use crate::engine::Fault;
use std::sync::{Arc, Mutex, PoisonError};

/// What a buffer is filled with before a kernel writes it, so that "never written" shows.
pub const SENTINEL: u32 = u32::MAX;

/// An adapter, opened.
pub struct Device {
    /// What it is.
    pub summary: adapter::AdapterSummary,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// The first error that the driver reported out of turn.
    trouble: Arc<Mutex<Option<String>>>,
}

/// A compiled kernel with its bindings.
pub struct Pipeline {
    pipeline: wgpu::ComputePipeline,
}

const LOST: &str = "the device may have been lost or reset; run again, with a smaller experiment or --backend cpu if it persists";
const MEMORY: &str = "fewer replicas a batch need less memory; or use --backend cpu";

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device")
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl Device {
    /// Opens an adapter with all the limits it offers.
    ///
    /// # Errors
    /// [`Fault::Device`] when there is no such adapter or it does not open.
    pub fn open(name: Option<&str>, software_too: bool) -> Result<Device, Fault> {
        let adapter = adapter::choose(name, software_too)?;
        let summary = adapter::summary(&adapter);
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("queuefarm"),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(|error| Fault::Device {
            what: "cannot open the device",
            device: summary.name.clone(),
            detail: error.to_string(),
            remedy: "another program may hold it; try again, another --adapter, or --backend cpu",
        })?;
        let trouble = Arc::new(Mutex::new(None));
        let keep = |trouble: &Arc<Mutex<Option<String>>>| {
            let trouble = Arc::clone(trouble);
            move |text: String| {
                trouble
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(text);
            }
        };
        let on_error = keep(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            on_error(error.to_string())
        }));
        let on_loss = keep(&trouble);
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                on_loss(format!("device lost: {message}"));
            }
        });
        Ok(Device {
            summary,
            device,
            queue,
            trouble,
        })
    }

    fn fault(&self, what: &'static str, detail: String, remedy: &'static str) -> Fault {
        Fault::Device {
            what,
            device: self.summary.name.clone(),
            detail,
            remedy,
        }
    }

    /// The first thing that went wrong since the last call, if any.
    fn check(&self, what: &'static str) -> Result<(), Fault> {
        let trouble = self
            .trouble
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match trouble {
            None => Ok(()),
            Some(detail) if detail.to_lowercase().contains("memory") => {
                Err(self.fault("out of device memory", detail, MEMORY))
            }
            Some(detail) => Err(self.fault(what, detail, LOST)),
        }
    }

    /// Most 32-bit words in one storage buffer.
    pub fn words_per_buffer(&self) -> u64 {
        self.summary
            .largest_binding
            .min(self.summary.largest_buffer)
            / 4
    }

    /// A storage buffer that starts as the given words.
    ///
    /// # Errors
    /// [`Fault::Device`] when it does not fit.
    pub fn buffer(&self, label: &str, words: &[u32]) -> Result<wgpu::Buffer, Fault> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: words.len().max(4) as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.check("cannot create a buffer")?;
        self.write(&buffer, 0, words);
        self.check("cannot fill a buffer")?;
        Ok(buffer)
    }

    /// Overwrites words of a buffer, before the next dispatch.
    pub fn write(&self, buffer: &wgpu::Buffer, at: usize, words: &[u32]) {
        self.queue
            .write_buffer(buffer, at as u64 * 4, bytemuck::cast_slice(words));
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// [`Fault::Device`] when the driver refuses it.
    pub fn pipeline(&self, source: &str, entry: &str) -> Result<Pipeline, Fault> {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("kernel"),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("kernel"),
                layout: None,
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
        self.check("cannot compile the kernel")?;
        Ok(Pipeline { pipeline })
    }

    /// Runs a kernel over some workgroups on buffers bound in order, then reads back parts of buffers:
    /// (buffer, first word, words).
    ///
    /// # Errors
    /// [`Fault::Device`] when the device fails.
    pub fn dispatch(
        &self,
        pipeline: &Pipeline,
        buffers: &[&wgpu::Buffer],
        workgroups: u32,
        read: &[(&wgpu::Buffer, usize, usize)],
    ) -> Result<Vec<Vec<u32>>, Fault> {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .enumerate()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(workgroups, 1, 1);
        }
        self.finish(encoder, read)
    }

    /// Reads parts of buffers: (buffer, first word, words).
    ///
    /// # Errors
    /// [`Fault::Device`] when the device fails.
    pub fn read(&self, read: &[(&wgpu::Buffer, usize, usize)]) -> Result<Vec<Vec<u32>>, Fault> {
        let encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.finish(encoder, read)
    }

    fn finish(
        &self,
        mut encoder: wgpu::CommandEncoder,
        read: &[(&wgpu::Buffer, usize, usize)],
    ) -> Result<Vec<Vec<u32>>, Fault> {
        let mut copies = Vec::new();
        for &(buffer, at, words) in read {
            let copy = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read back"),
                size: words.max(1) as u64 * 4,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(buffer, at as u64 * 4, &copy, 0, words as u64 * 4);
            copies.push(copy);
        }
        self.queue.submit([encoder.finish()]);
        for copy in &copies {
            copy.map_async(wgpu::MapMode::Read, .., |_| {});
        }
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check("the device failed")?;
        polled.map_err(|error| self.fault("the device failed", error.to_string(), LOST))?;
        let mut results = Vec::new();
        for (copy, &(_, _, words)) in copies.iter().zip(read) {
            let view = copy
                .get_mapped_range(..)
                .map_err(|error| self.fault("cannot read back", error.to_string(), LOST))?;
            let mut words_read: Vec<u32> = bytemuck::pod_collect_to_vec(&view);
            words_read.truncate(words);
            results.push(words_read);
        }
        Ok(results)
    }
}
