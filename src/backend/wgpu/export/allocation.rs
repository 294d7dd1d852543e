//! A buffer of Vulkan's with memory that can be exported.

use std::{
    mem,
    os::fd::{FromRawFd, OwnedFd},
};

use ash::{khr, vk};
use wgpu::hal::vulkan;

use super::{WHAT, missing, refused};
use crate::error::Error;

pub(super) const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// As `transfer::USAGES` of wgpu's.
pub(super) const USAGES: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw(),
);

/// Smaller buffers are made as large as this: drivers map whole pages of a GPU.
pub(super) const LEAST: u64 = 64 << 10;

/// A buffer with memory of its own, given back unless it becomes wgpu's.
pub(super) struct Allocation<'a> {
    device: &'a ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    pub allocated: u64,
    pub dedicated: bool,
}

impl<'a> Allocation<'a> {
    pub fn new(device: &'a vulkan::Device, bytes: u64, dedicated: bool) -> Result<Self, Error> {
        let raw = device.raw_device();
        let failed = |error| refused(WHAT, bytes, error);
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
        let info = vk::BufferCreateInfo::default()
            .size(bytes.max(LEAST))
            .usage(USAGES)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        let memory = vk::DeviceMemory::null();
        // SAFETY: the device exports buffers with these usages, as `asks_for_dedicated` has found.
        let buffer = unsafe { raw.create_buffer(&info, None) }.map_err(failed)?;
        let mut made = Self { device: raw, buffer, memory, allocated: 0, dedicated };

        let info = vk::BufferMemoryRequirementsInfo2::default().buffer(buffer);
        let mut wishes = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut wishes);
        // SAFETY: the buffer is one of the device's, and Vulkan 1.1 has the call.
        unsafe { raw.get_buffer_memory_requirements2(&info, &mut needs) };
        let needs = needs.memory_requirements;
        made.dedicated |= wishes.requires_dedicated_allocation == vk::TRUE;
        made.allocated = needs.size;

        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(HANDLE);
        let mut alone = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(memory_type(device, needs.memory_type_bits)?)
            .push_next(&mut export);
        if made.dedicated {
            info = info.push_next(&mut alone);
        }
        // SAFETY: the size and the type are what the buffer needs, and the buffer has no memory yet.
        unsafe {
            made.memory = raw.allocate_memory(&info, None).map_err(failed)?;
            raw.bind_buffer_memory(buffer, made.memory, 0).map_err(failed)?;
        }
        Ok(made)
    }

    /// A new handle of the memory.
    pub fn handle(&self, device: &vulkan::Device) -> Result<OwnedFd, Error> {
        let instance = device.shared_instance().raw_instance();
        let extension = khr::external_memory_fd::Device::new(instance, self.device);
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.memory).handle_type(HANDLE);
        // SAFETY: the extension is enabled, and the memory was allocated to be exported. The descriptor is new, and
        // whoever asked for it owns it.
        unsafe {
            let file = extension.get_memory_fd(&info);
            Ok(OwnedFd::from_raw_fd(file.map_err(|error| refused("exporting memory", 0, error))?))
        }
    }

    /// wgpu's from now on: it destroys the buffer and frees the memory once nothing uses them.
    pub fn into_buffer(self) -> vulkan::Buffer {
        // SAFETY: nobody else has the buffer or the memory, which is no longer given back here. It is never mapped.
        let buffer = unsafe { vulkan::Buffer::from_raw_managed(self.buffer, self.memory, 0, self.allocated) };
        mem::forget(self);
        buffer
    }
}

impl Drop for Allocation<'_> {
    fn drop(&mut self) {
        // SAFETY: both are ours, and no command was recorded with them. Null is no memory and is passed over.
        unsafe {
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

/// The first type of the GPU's own memory among `allowed`, better without access by the host.
pub(super) fn memory_type(device: &vulkan::Device, allowed: u32) -> Result<u32, Error> {
    use vk::MemoryPropertyFlags as Flags;
    // SAFETY: the physical device is one of this instance.
    let properties = unsafe {
        device
            .shared_instance()
            .raw_instance()
            .get_physical_device_memory_properties(device.raw_physical_device())
    };
    let of_host = Flags::HOST_VISIBLE | Flags::HOST_COHERENT | Flags::HOST_CACHED;
    let types = properties.memory_types_as_slice();
    let find = |more: Flags| {
        // Other properties take features of the device that nobody has asked for.
        types.iter().enumerate().position(|(i, kind)| {
            let flags = kind.property_flags;
            allowed >> i & 1 == 1
                && flags.contains(Flags::DEVICE_LOCAL)
                && (Flags::DEVICE_LOCAL | more).contains(flags)
        })
    };
    match find(Flags::empty()).or_else(|| find(of_host)) {
        Some(index) => Ok(index as u32),
        None => Err(missing("the Vulkan driver exports no memory of the GPU's own".into())),
    }
}
