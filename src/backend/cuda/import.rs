//! Memory and timelines of another driver's, taken up by CUDA.
#![allow(unsafe_code)]

use std::{
    fmt, mem,
    os::fd::{AsRawFd, IntoRawFd, OwnedFd},
    ptr,
    sync::Arc,
};

use cudarc::driver::{
    CudaContext, CudaStream, result,
    sys::{self, CUdevice_attribute as Attribute},
};

use super::{
    Context, Memory,
    guard::{self, check},
    library,
    memory::Owner,
};
use crate::{
    backend::wgpu::export::{Handle, Uuid, shown},
    error::Error,
};

/// `CUDA_EXTERNAL_MEMORY_DEDICATED` of `cuda.h`.
const DEDICATED: u32 = 1;

/// A mapping of memory that another driver allocated.
struct Mapping {
    /// The only one it is used on.
    stream: Arc<CudaStream>,
    memory: sys::CUexternalMemory,
    /// Zero until it is mapped.
    start: sys::CUdeviceptr,
}

// SAFETY: the driver's handles belong to a context, not to a thread.
unsafe impl Send for Mapping {}

impl Drop for Mapping {
    fn drop(&mut self) {
        // What was put into the stream may still use it.
        let _ = self.stream.synchronize();
        // SAFETY: mapped and imported once, given back in this order, as `cuExternalMemoryGetMappedBuffer` asks for.
        // The stream is done with it, or its context is of no more use.
        unsafe {
            if self.start != 0 {
                let _ = result::memory_free(self.start);
            }
            let _ = result::external_memory::destroy_external_memory(self.memory);
        }
    }
}

impl Context {
    /// The device with this UUID.
    pub(crate) fn of_uuid(uuid: Uuid) -> Result<Self, Error> {
        library::driver()?;
        let what = "asking about devices";
        let devices = check("counting devices", 0, CudaContext::device_count())?;
        for index in 0..devices {
            let device = check(what, 0, result::device::get(index))?;
            let found = check(what, 0, result::device::get_uuid(device))?;
            if found.bytes.map(|byte| byte as u8) == uuid {
                return Self::open(index as usize);
            }
        }
        Err(Error::NotShared {
            missing: format!(
                "expected a CUDA device with the UUID {} of the wgpu device, found {devices} with others",
                shown(&uuid)
            ),
        })
    }

    /// The device's UUID.
    pub(crate) fn uuid(&self) -> Result<Uuid, Error> {
        let uuid = check("asking about the device", 0, self.stream.context().uuid())?;
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// Memory of this GPU that another driver allocated.
    pub(crate) fn import(&self, handle: Handle) -> Result<Memory, Error> {
        self.not_capturing("taking up memory of Vulkan")?;
        self.bind()?;
        let what = "taking up memory of Vulkan";
        let description = sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: sys::CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            handle: sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 { fd: handle.file.as_raw_fd() },
            size: handle.allocated,
            flags: if handle.dedicated { DEDICATED } else { 0 },
            reserved: [0; 16],
        };
        let mut memory = ptr::null_mut();
        // SAFETY: both pointers are to locals; the file is open, an opaque handle of an allocation with this size.
        let imported = unsafe { sys::cuImportExternalMemory(&mut memory, &description) };
        let imported = imported.result();
        if imported.is_err_and(|error| error.0 == sys::CUresult::CUDA_ERROR_NOT_SUPPORTED) {
            return Err(Error::NotShared {
                missing: format!(
                    "expected a CUDA driver that takes up memory of Vulkan, found {}",
                    self.describe()
                ),
            });
        }
        check(what, handle.allocated, imported)?;
        // CUDA owns the file now, and closes it. Where the import failed it is still ours.
        let _ = handle.file.into_raw_fd();
        let mut mapping = Mapping { stream: self.stream.clone(), memory, start: 0 };
        // SAFETY: just imported. The range begins with the allocation and lies within it.
        let start = unsafe { result::external_memory::get_mapped_buffer(memory, 0, handle.bytes) };
        mapping.start = check(what, handle.bytes, start)?;
        let (start, end) = (mapping.start, mapping.start + handle.bytes);
        Ok(Memory::of(Owner::Other(Box::new(mapping)), start, end))
    }

    /// A timeline that another driver made, if this one takes it up.
    pub(crate) fn import_timeline(&self, handle: OwnedFd) -> Result<Option<Semaphore>, Error> {
        let context = self.stream.context();
        let interop = Attribute::CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED;
        if check("asking about the device", 0, context.attribute(interop))? == 0 {
            return Ok(None);
        }
        self.bind()?;
        let description = sys::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_:
                sys::CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            handle: sys::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1 { fd: handle.as_raw_fd() },
            flags: 0,
            reserved: [0; 16],
        };
        let mut semaphore = ptr::null_mut();
        // SAFETY: both pointers are to locals; the file is open, an opaque handle of a timeline semaphore.
        let imported = unsafe { sys::cuImportExternalSemaphore(&mut semaphore, &description) };
        match imported.result() {
            Ok(()) => {
                // CUDA owns the file now.
                let _ = handle.into_raw_fd();
                Ok(Some(Semaphore { stream: self.stream.clone(), semaphore }))
            }
            // Nothing is wrong with a driver that cannot: the host waits then.
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NOT_SUPPORTED => Ok(None),
            Err(error) => Err(Error::Driver { what: "taking up a timeline", message: guard::message(error) }),
        }
    }
}

/// A timeline semaphore of another driver's.
pub(crate) struct Semaphore {
    stream: Arc<CudaStream>,
    semaphore: sys::CUexternalSemaphore,
}

// SAFETY: the driver's handles belong to a context, not to a thread, and it may be called from any.
unsafe impl Send for Semaphore {}
// SAFETY: the same. Nothing of it changes.
unsafe impl Sync for Semaphore {}

impl Semaphore {
    /// Reaches `value` when all that was put into the stream before is done.
    pub(crate) fn signal(&self, value: u64) -> Result<(), Error> {
        self.bind()?;
        // SAFETY: a plain C structure, of integers and pointers that may be null. What is reserved has to be zero.
        let mut params: sys::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = unsafe { mem::zeroed() };
        params.params.fence.value = value;
        // SAFETY: one semaphore of this context with its parameters, which are read before the call returns.
        let called = unsafe {
            sys::cuSignalExternalSemaphoresAsync(&self.semaphore, &params, 1, self.stream.cu_stream())
        };
        check("signalling Vulkan", 0, called.result())
    }

    /// Lets all that is put into the stream later wait for `value`.
    pub(crate) fn wait(&self, value: u64) -> Result<(), Error> {
        self.bind()?;
        // SAFETY: as in `signal`.
        let mut params: sys::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS = unsafe { mem::zeroed() };
        params.params.fence.value = value;
        // SAFETY: as in `signal`.
        let called = unsafe {
            sys::cuWaitExternalSemaphoresAsync(&self.semaphore, &params, 1, self.stream.cu_stream())
        };
        check("waiting for Vulkan", 0, called.result())
    }

    fn bind(&self) -> Result<(), Error> {
        check("taking up the device's context", 0, self.stream.context().bind_to_thread())
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // Whatever waits for it, or signals it, has to be done.
        let _ = self.stream.synchronize();
        // SAFETY: imported once, and given back only here.
        let _ = unsafe { sys::cuDestroyExternalSemaphore(self.semaphore) };
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Semaphore")
    }
}
