//! Memory of a Vulkan device that another driver can take up, by a file descriptor.
#![allow(unsafe_code)]

mod allocation;
#[cfg(test)]
mod tests;
mod timeline;

use std::{ffi::CStr, os::fd::OwnedFd};

use ash::{khr, vk};
use wgpu::hal::{api::Vulkan, vulkan};

use super::{Context, Counters, transfer};
use crate::error::Error;

use allocation::{Allocation, HANDLE, USAGES};

pub(crate) use timeline::Timeline;

/// What drivers tell GPUs apart by.
pub(crate) type Uuid = [u8; 16];

/// What the memory is called where it cannot be had.
const WHAT: &str = "shared memory";
const HAND_OVER: &str = "handing shared memory over";

/// A buffer, and its memory for another driver.
pub(crate) struct Exported {
    pub buffer: wgpu::Buffer,
    pub memory: Handle,
}

/// Memory that another driver can take up. It lives as long as any of its users.
pub(crate) struct Handle {
    pub file: OwnedFd,
    /// Bytes that were allocated.
    pub allocated: u64,
    /// Bytes of the buffer, which begins with the allocation.
    pub bytes: u64,
    /// Whether it was allocated for this one buffer.
    pub dedicated: bool,
}

/// A UUID as `nvidia-smi` prints it.
pub(crate) fn shown(uuid: &Uuid) -> String {
    let number = u128::from_be_bytes(*uuid);
    let part =
        |shift: u32, digits: usize| format!("{:0digits$x}", number >> shift & ((1u128 << (4 * digits)) - 1));
    [part(96, 8), part(80, 4), part(64, 4), part(48, 4), part(0, 12)].join("-")
}

/// A device whose timelines others can take up. `None` if the adapter has no such devices.
pub(super) fn open(
    adapter: &wgpu::Adapter,
    wanted: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue)> {
    // SAFETY: nothing that wgpu made is destroyed.
    let vulkan = unsafe { adapter.as_hal::<Vulkan>() }?;
    let capabilities = vulkan.physical_device_capabilities();
    // What the extension itself needs is part of Vulkan 1.1.
    if capabilities.properties().api_version < vk::API_VERSION_1_1
        || vulkan.shared_instance().instance_api_version() < vk::API_VERSION_1_1
        || !capabilities.supports_extension(timeline::EXTENSION)
    {
        return None;
    }
    let add: Box<vulkan::CreateDeviceCallback<'_>> =
        Box::new(|arguments| arguments.extensions.push(timeline::EXTENSION));
    // SAFETY: the features and limits are the adapter's, and the one extension that is added is supported. wgpu gets
    // the device of its own adapter, with the features that it was opened with.
    unsafe {
        let opened = vulkan.open_with_callback(
            wanted.required_features,
            &wanted.required_limits,
            &wanted.memory_hints,
            Some(add),
        );
        adapter.create_device_from_hal(opened.ok()?, wanted).ok()
    }
}

impl Context {
    /// Calls with the Vulkan device, if it is one.
    fn vulkan<R>(&self, call: impl FnOnce(&vulkan::Device) -> Result<R, Error>) -> Result<R, Error> {
        self.alive()?;
        // SAFETY: whoever uses it destroys nothing that wgpu made.
        match unsafe { self.device.as_hal::<Vulkan>() } {
            Some(device) => call(&device),
            None => Err(missing(format!(
                "expected a wgpu device on Vulkan, found one on {:?}",
                self.info.backend
            ))),
        }
    }

    /// The GPU's UUID.
    pub fn uuid(&self) -> Result<Uuid, Error> {
        self.vulkan(|device| {
            let (instance, physical) = (device.shared_instance(), device.raw_physical_device());
            let raw = instance.raw_instance();
            // SAFETY: the physical device is one of this instance.
            let version = unsafe { raw.get_physical_device_properties(physical) }.api_version;
            if version.min(instance.instance_api_version()) < vk::API_VERSION_1_1 {
                return Err(missing(format!(
                    "expected Vulkan 1.1, found an older driver of {}",
                    self.info.name
                )));
            }
            let mut ids = vk::PhysicalDeviceIDProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
            // SAFETY: Vulkan 1.1 has the call, and fills both structures.
            unsafe { raw.get_physical_device_properties2(physical, &mut properties) };
            Ok(ids.device_uuid)
        })
    }

    /// An error unless buffers can be made whose memory is for others too.
    pub fn exports_memory(&self) -> Result<(), Error> {
        self.vulkan(|device| self.asks_for_dedicated(device).map(|_| ()))
    }

    /// Whether such a buffer needs an allocation of its own. An error if there can be none.
    fn asks_for_dedicated(&self, device: &vulkan::Device) -> Result<bool, Error> {
        enabled(device, khr::external_memory_fd::NAME, &self.info.name)?;
        let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(USAGES).handle_type(HANDLE);
        let mut properties = vk::ExternalBufferProperties::default();
        // SAFETY: the extension is enabled, so the instance has the call (`uuid` has asked for Vulkan 1.1).
        unsafe {
            device.shared_instance().raw_instance().get_physical_device_external_buffer_properties(
                device.raw_physical_device(),
                &info,
                &mut properties,
            );
        }
        let features = properties.external_memory_properties.external_memory_features;
        match features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
            true => Ok(features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY)),
            false => {
                Err(missing(format!("the Vulkan driver of {} exports no memory of buffers", self.info.name)))
            }
        }
    }

    /// A buffer with room for `bytes` bytes, all zero, and its memory's handle.
    pub fn export(&self, bytes: u64) -> Result<Exported, Error> {
        // Asks for Vulkan 1.1.
        self.uuid()?;
        let size = transfer::padded(bytes);
        self.check_size(WHAT, size)?;
        let (raw, memory) = self.vulkan(|device| {
            let dedicated = self.asks_for_dedicated(device)?;
            let allocation = Allocation::new(device, size, dedicated)?;
            let file = allocation.handle(device)?;
            let Allocation { allocated, dedicated, .. } = allocation;
            let memory = Handle { file, allocated, bytes: size, dedicated };
            Ok((allocation.into_buffer(), memory))
        })?;
        let buffer = self.guarded(WHAT, size, || {
            // SAFETY: the buffer was made from this device with the usages of the description, and is at least as
            // large. It is cleared below, before anybody else has it.
            unsafe {
                self.device.create_buffer_from_hal::<Vulkan>(
                    raw,
                    &wgpu::BufferDescriptor {
                        label: Some(WHAT),
                        size,
                        usage: transfer::USAGES,
                        mapped_at_creation: false,
                    },
                )
            }
        })?;
        Counters::count(&self.counters.buffers);
        self.submit(|encoder| {
            encoder.clear_buffer(&buffer, 0, None);
            Ok(())
        })?;
        Ok(Exported { buffer, memory })
    }

    /// Lets go of the buffer, after all that was submitted before.
    pub fn release(&self, buffer: &wgpu::Buffer) -> Result<(), Error> {
        self.transfer(buffer, true)
    }

    /// Takes the buffer back, before all that is submitted later.
    pub fn acquire(&self, buffer: &wgpu::Buffer) -> Result<(), Error> {
        self.transfer(buffer, false)
    }

    /// Submits a barrier between wgpu's queue and whoever is outside of Vulkan.
    fn transfer(&self, buffer: &wgpu::Buffer, outwards: bool) -> Result<(), Error> {
        let family = self.vulkan(|device| Ok(device.queue_family_index()))?;
        // SAFETY: the handle is only named, in commands that the submission below keeps it alive for.
        let Some(handle) = (unsafe { buffer.as_hal::<Vulkan>().map(|buffer| buffer.raw_handle()) }) else {
            return Err(Error::Driver { what: HAND_OVER, message: "the buffer was destroyed".into() });
        };
        let whole = vk::BufferMemoryBarrier::default().buffer(handle).size(vk::WHOLE_SIZE);
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = match outwards {
            true => whole
                .src_access_mask(all)
                .src_queue_family_index(family)
                .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL),
            false => whole
                .dst_access_mask(all)
                .src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
                .dst_queue_family_index(family),
        };
        let raw = self.vulkan(|device| Ok(device.raw_device().clone()))?;
        self.guarded(HAND_OVER, 0, || {
            // wgpu forgets what it knew about the buffer's last use, and keeps it until the submission is done.
            let mut known = self.device.create_command_encoder(&Default::default());
            let state = wgpu::BufferUses::STORAGE_READ_WRITE;
            known
                .transition_resources([wgpu::BufferTransition { buffer, state }].into_iter(), [].into_iter());
            let mut unknown = self.device.create_command_encoder(&Default::default());
            // SAFETY: the encoder is used for this alone. The command buffer is being recorded, the barrier names a
            // buffer of the same device, with memory that is external.
            unsafe {
                unknown.as_hal_mut::<Vulkan, _, _>(|encoder| {
                    let Some(encoder) = encoder else { return };
                    raw.cmd_pipeline_barrier(
                        encoder.raw_handle(),
                        vk::PipelineStageFlags::ALL_COMMANDS,
                        vk::PipelineStageFlags::ALL_COMMANDS,
                        vk::DependencyFlags::empty(),
                        &[],
                        &[barrier],
                        &[],
                    );
                });
            }
            self.queue.submit([known.finish(), unknown.finish()]);
        })?;
        self.alive()
    }
}

/// An error unless the device was made with `extension`.
fn enabled(device: &vulkan::Device, extension: &'static CStr, name: &str) -> Result<(), Error> {
    match device.enabled_device_extensions().contains(&extension) {
        true => Ok(()),
        false => Err(missing(format!(
            "expected a Vulkan device with {}, found {name} without",
            extension.to_string_lossy()
        ))),
    }
}

fn missing(missing: String) -> Error {
    Error::NotShared { missing }
}

/// What Vulkan says, in our words.
fn refused(what: &'static str, bytes: u64, error: vk::Result) -> Error {
    match error {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            Error::OutOfMemory { what, bytes }
        }
        vk::Result::ERROR_DEVICE_LOST => Error::DeviceLost { reason: format!("{error:?}") },
        _ => Error::Driver { what, message: format!("{error:?}") },
    }
}
