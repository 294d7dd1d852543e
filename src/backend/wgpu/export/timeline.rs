//! A timeline semaphore of Vulkan's that another driver can take up.
//!
//! wgpu submits to the queue itself. What is signalled and waited for is handed to it, and goes along with the next
//! submission, whoever makes it.

use std::{
    ffi::CStr,
    fmt,
    os::fd::{FromRawFd, OwnedFd},
};

use ash::{khr, vk};
use wgpu::hal::{api::Vulkan, vulkan};

use super::{Context, enabled, refused};
use crate::error::Error;

const HANDLE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

/// What a device has to be made with.
pub(crate) const EXTENSION: &CStr = khr::external_semaphore_fd::NAME;

/// What it is called where it cannot be had.
const WHAT: &str = "a timeline semaphore";

/// A semaphore whose value only grows.
pub(crate) struct Timeline {
    pub(super) semaphore: vk::Semaphore,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Context {
    /// A new timeline at 0, and its handle, if the device has such that others can take up.
    pub fn timeline(&self) -> Result<Option<(Timeline, OwnedFd)>, Error> {
        self.vulkan(|device| {
            if enabled(device, EXTENSION, "").is_err() || !exports_timelines(device) {
                return Ok(None);
            }
            let timeline = self.new_timeline(device, HANDLE)?;
            let extension = khr::external_semaphore_fd::Device::new(
                device.shared_instance().raw_instance(),
                device.raw_device(),
            );
            let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(timeline.semaphore).handle_type(HANDLE);
            // SAFETY: the extension is enabled, and the semaphore was made to be exported. The descriptor is new, and
            // whoever asked for it owns it.
            let handle = unsafe {
                let handle = extension.get_semaphore_fd(&info);
                OwnedFd::from_raw_fd(handle.map_err(|error| refused(WHAT, 0, error))?)
            };
            Ok(Some((timeline, handle)))
        })
    }

    /// A new timeline at 0, for handles of these types, which the GPU has to be able to export.
    pub(super) fn new_timeline(
        &self,
        device: &vulkan::Device,
        handles: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> Result<Timeline, Error> {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handles);
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(0);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
        // SAFETY: the structures are what Vulkan 1.2 asks for, and wgpu enables timelines wherever there are any.
        let semaphore = unsafe { device.raw_device().create_semaphore(&info, None) };
        Ok(Timeline {
            semaphore: semaphore.map_err(|error| refused(WHAT, 0, error))?,
            device: self.device.clone(),
            queue: self.queue.clone(),
        })
    }
}

/// Whether the GPU has timelines, and lets others have them.
fn exports_timelines(device: &vulkan::Device) -> bool {
    let (instance, physical) = (device.shared_instance(), device.raw_physical_device());
    let raw = instance.raw_instance();
    // SAFETY: the physical device is one of this instance.
    let version = unsafe { raw.get_physical_device_properties(physical) }.api_version;
    if version.min(instance.instance_api_version()) < vk::API_VERSION_1_2 {
        return false;
    }
    let mut timelines = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut timelines);
    // SAFETY: Vulkan 1.2 has this structure, and the call.
    unsafe { raw.get_physical_device_features2(physical, &mut features) };
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(HANDLE).push_next(&mut kind);
    let mut properties = vk::ExternalSemaphoreProperties::default();
    // SAFETY: as above.
    unsafe { raw.get_physical_device_external_semaphore_properties(physical, &info, &mut properties) };
    timelines.timeline_semaphore == vk::TRUE
        && properties.external_semaphore_features.contains(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE)
}

impl Timeline {
    /// Reaches `value` when all that was submitted before is done.
    pub fn signal(&self, context: &Context, value: u64) -> Result<(), Error> {
        self.with_queue(|queue| queue.add_signal_semaphore(self.semaphore, Some(value)))?;
        // If another thread submits in between, its submission takes the signal along: it comes after all that was
        // submitted before, too.
        let submitted = context.guarded("signalling another driver", 0, || self.queue.submit([]));
        submitted.map(|_| ()).or_else(|error| {
            self.with_queue(|queue| queue.remove_signal_semaphore(self.semaphore))?;
            Err(error)
        })?;
        context.alive()
    }

    /// Lets all that is submitted later wait for `value`.
    pub fn wait(&self, value: u64) -> Result<(), Error> {
        let everything = vk::PipelineStageFlags::ALL_COMMANDS;
        self.with_queue(|queue| queue.add_wait_semaphore(self.semaphore, Some(value), everything))
    }

    fn with_queue<R>(&self, call: impl FnOnce(&vulkan::Queue) -> R) -> Result<R, Error> {
        // SAFETY: what uses it destroys nothing that wgpu made.
        match unsafe { self.queue.as_hal::<Vulkan>() } {
            Some(queue) => Ok(call(&queue)),
            None => Err(Error::DeviceLost { reason: "its queue is gone".into() }),
        }
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        // What was staged, and never submitted, must not name a semaphore that is gone.
        let _ = self.with_queue(|queue| {
            queue.remove_signal_semaphore(self.semaphore);
            queue.remove_wait_semaphore(self.semaphore)
        });
        // Submissions that name it have to be done. wgpu panics if the driver fails meanwhile, which is done with
        // everything then.
        let wait = || self.device.poll(wgpu::PollType::wait_indefinitely());
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wait));
        // SAFETY: it is ours, nothing that was submitted is going to use it, and the device is there while wgpu's
        // handle is.
        unsafe {
            if let Some(device) = self.device.as_hal::<Vulkan>() {
                device.raw_device().destroy_semaphore(self.semaphore, None);
            }
        }
    }
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timeline({:?})", self.semaphore)
    }
}
