//! An open device: buffers, dispatches, reading back, and errors as values.
//!
//! Owns every call to wgpu that can fail. Knows no units.

use super::adapter;
use crate::engine::Fault;
use crate::faults;
use std::sync::{Arc, Mutex, PoisonError};

/// What a buffer is filled with before a kernel writes it, so that "never written" shows.
pub const SENTINEL: u32 = u32::MAX;

/// An adapter, opened.
pub struct Device {
    /// What it is.
    pub summary: adapter::AdapterSummary,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// What the driver reported out of turn.
    trouble: Arc<Trouble>,
}

/// The first error of the driver and the loss of the device, until somebody looks.
#[derive(Default)]
struct Trouble(Mutex<[Option<String>; 2]>);

/// Places in [`Trouble`]: the loss of a device explains the errors that follow from it, so it is told first.
const LOSS: usize = 0;
const ERROR: usize = 1;

impl Trouble {
    fn keep(&self, which: usize, text: String) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept[which].get_or_insert(text);
    }

    fn keep_error(&self, error: &wgpu::Error) {
        self.keep(ERROR, error.to_string());
    }

    fn take(&self) -> [Option<String>; 2] {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A compiled kernel with its bindings.
#[derive(Debug)]
pub struct Pipeline {
    pipeline: wgpu::ComputePipeline,
}

const LOST: &str = "the device may have been lost or reset; run again, with a smaller experiment or --backend cpu if it persists";

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
        let trouble = Arc::new(Trouble::default());
        let kept = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| kept.keep_error(&error)));
        let kept = Arc::clone(&trouble);
        device.set_device_lost_callback(move |reason, message| {
            kept.keep(LOSS, format!("{reason:?} {message}").trim().to_owned());
        });
        Ok(Device {
            summary,
            device,
            queue,
            trouble,
        })
    }

    /// A fault of this device.
    pub fn fault(&self, what: &'static str, detail: String) -> Fault {
        Fault::Device {
            what,
            device: self.summary.name.clone(),
            detail,
            remedy: LOST,
        }
    }

    /// What went wrong since the last call, if anything; `what` names it where the driver does not.
    ///
    /// # Errors
    /// That.
    pub fn check(&self, what: &'static str) -> Result<(), Fault> {
        let (what, detail) = match self.trouble.take() {
            [None, None] => return Ok(()),
            [Some(loss), _] => ("device lost", loss),
            [None, Some(error)] => (what, error),
        };
        // A lack of memory is told as an error, or, in the middle of something, as the reason of a loss.
        if detail.to_lowercase().contains("memory") {
            return Err(Fault::Memory {
                device: self.summary.name.clone(),
                detail,
            });
        }
        Err(self.fault(what, detail))
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
    /// [`Fault::Memory`] when it does not fit.
    pub fn buffer(&self, label: &str, words: &[u32]) -> Result<wgpu::Buffer, Fault> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: words.len().max(4) as u64 * 4,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        if faults::strikes(faults::Kind::OutOfMemory) {
            let source = "made to fail".into();
            self.trouble
                .keep_error(&wgpu::Error::OutOfMemory { source });
        }
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
        if faults::strikes(faults::Kind::DeviceLost) {
            self.device.destroy();
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
        let words: usize = read.iter().map(|&(_, _, words)| words).sum();
        let copy = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: words.max(1) as u64 * 4,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut begin = 0;
        for &(buffer, at, words) in read {
            let words = words as u64 * 4;
            encoder.copy_buffer_to_buffer(buffer, at as u64 * 4, &copy, begin, words);
            begin += words;
        }
        self.queue.submit([encoder.finish()]);
        copy.map_async(wgpu::MapMode::Read, .., |_| {});
        faults::panic_if_asked();
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check("the device failed")?;
        polled.map_err(|error| self.fault("the device failed", error.to_string()))?;
        let view = copy
            .get_mapped_range(..)
            .map_err(|error| self.fault("cannot read back", error.to_string()))?;
        let mut end = 0;
        let part = |&(_, _, words): &(&wgpu::Buffer, usize, usize)| {
            let begin = end;
            end += 4 * words;
            bytemuck::pod_collect_to_vec(&view[begin..end])
        };
        Ok(read.iter().map(part).collect())
    }
}
