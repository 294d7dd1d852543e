//! wgpu: Vulkan, Metal, DirectX 12 and WebGPU.

mod adapter;
mod execute;
#[cfg(all(feature = "cuda", target_os = "linux", feature = "native"))]
pub(crate) mod export;
#[cfg(not(all(feature = "cuda", target_os = "linux", feature = "native")))]
#[path = "export/absent.rs"]
mod export;
mod guard;
mod late;
mod parameters;
mod pipelines;
mod scratch;
mod transfer;

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    device,
    error::Error,
    kernel,
    tuning::{self, Capabilities},
};

pub(crate) use adapter::Request;

/// A device with everything made for it once: pipelines, scratch, parameters.
#[derive(Debug)]
pub(crate) struct Context {
    pub info: wgpu::AdapterInfo,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub capabilities: Capabilities,
    pipelines: pipelines::Pipelines,
    scratch: scratch::Scratch,
    states: scratch::Scratch,
    marks: scratch::Scratch,
    counted: scratch::Scratch,
    parameters: parameters::Parameters,
    pub counters: Counters,
    /// Set, with the driver's reason, once the device is lost.
    lost: Arc<OnceLock<String>>,
    late: late::Late,
}

/// How often something was made that a warm call must not make.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub pipelines: AtomicU64,
    pub scratch: AtomicU64,
    pub parameters: AtomicU64,
    pub buffers: AtomicU64,
}

impl Counters {
    fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub fn read(&self) -> device::Counters {
        device::Counters {
            pipelines: self.pipelines.load(Ordering::Relaxed),
            scratch: self.scratch.load(Ordering::Relaxed),
            parameters: self.parameters.load(Ordering::Relaxed),
            buffers: self.buffers.load(Ordering::Relaxed),
        }
    }
}

/// Whether kernels may use subgroups on this device.
#[cfg(not(target_arch = "wasm32"))]
fn has_subgroups(device: &wgpu::Device) -> bool {
    device.features().contains(wgpu::Features::SUBGROUP)
}

/// The same. wgpu's features do not say; the browser's own do.
#[cfg(target_arch = "wasm32")]
fn has_subgroups(device: &wgpu::Device) -> bool {
    device.as_webgpu().is_some_and(|device| device.features().has("subgroups"))
}

impl Context {
    /// Takes over a device. Whoever made it keeps it; only clones of its handles are held.
    pub fn new(
        info: wgpu::AdapterInfo,
        device: wgpu::Device,
        queue: wgpu::Queue,
        subgroups: bool,
    ) -> Result<Self, Error> {
        let limits = device.limits();
        let least = |what, expected: u64, found: u64| match found >= expected {
            true => Ok(()),
            false => Err(Error::Unsupported { what, expected, found }),
        };
        let lanes = u64::from(kernel::LANES);
        least(
            "invocations in a workgroup",
            lanes,
            limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x).into(),
        )?;
        least("bytes of workgroup memory", 16 << 10, limits.max_compute_workgroup_storage_size.into())?;
        least("storage buffers in a stage", 5, limits.max_storage_buffers_per_shader_stage.into())?;
        // Subgroup kernels hold 4 to 128 lanes a subgroup.
        let widths = info.subgroup_min_size >= 4 && info.subgroup_max_size <= kernel::LANES / 2;
        let capabilities = Capabilities {
            software: info.device_type == wgpu::DeviceType::Cpu,
            subgroups: subgroups && widths && has_subgroups(&device),
            progress: false,
            max_binding: limits.max_storage_buffer_binding_size,
            binding_alignment: limits.min_storage_buffer_offset_alignment.into(),
            max_groups: limits.max_compute_workgroups_per_dimension,
            tile_log2: None,
            tiles_at_once: None,
            patience: tuning::PATIENCE,
            fault: None,
        };
        Ok(Self {
            info,
            capabilities,
            pipelines: Default::default(),
            scratch: scratch::Scratch::new("gpuscan scratch"),
            states: scratch::Scratch::new("gpuscan states"),
            marks: scratch::Scratch::new("gpuscan marks"),
            counted: scratch::Scratch::new("gpuscan counted parameters"),
            parameters: parameters::Parameters::new(
                limits
                    .min_uniform_buffer_offset_alignment
                    .max(limits.min_storage_buffer_offset_alignment)
                    .into(),
            ),
            counters: Default::default(),
            lost: Default::default(),
            late: Default::default(),
            device,
            queue,
        })
    }

    /// Notes when the device is lost. Only for a device that is ours: wgpu keeps one such callback.
    pub fn watch(&self) {
        let lost = self.lost.clone();
        self.device.set_device_lost_callback(move |why, reason| {
            let reason = if reason.is_empty() { format!("{why:?}") } else { reason };
            // Later reasons tell less than the first.
            let _ = lost.set(reason);
        });
    }

    /// One line: the adapter's name, its driver and the API.
    pub fn describe(&self) -> String {
        let info = &self.info;
        let driver = match info.driver_info.as_str() {
            "" => info.driver.clone(),
            version => format!("{} {version}", info.driver),
        };
        let subgroups = match self.capabilities.subgroups {
            false => "no subgroups".into(),
            true if info.subgroup_min_size == info.subgroup_max_size => {
                format!("subgroups of {}", info.subgroup_min_size)
            }
            true => format!("subgroups of {} to {}", info.subgroup_min_size, info.subgroup_max_size),
        };
        let driver = match driver.trim() {
            "" => String::new(),
            driver => format!("{driver}, "),
        };
        format!("{} ({driver}{:?}, {subgroups})", info.name, info.backend)
    }
}
