//! Devices and memory of an application that uses cudarc itself.
#![allow(unsafe_code)]

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream};

use super::{Context, Memory, library, memory::QUAD_BYTES};
use crate::{
    backend::{self, Backend, Gpu, GpuMemory},
    buffer::GpuBuffer,
    device::{Device, DeviceRequest},
    element::Element,
    error::Error,
};

impl Device {
    /// NVIDIA's own path to its device `index`, counted from 0: the CUDA driver, with a stream of its own. The same
    /// bits as on every other device. (Slices taken from it are used on this stream, or ordered by their user.)
    ///
    /// Kernels are compiled by NVRTC when they are first used, and kept on disk: in the folder that the environment
    /// variable `GPUSCAN_CUDA_CACHE` names (`off` keeps nothing), else in the user's cache folder.
    ///
    /// # Errors
    /// [`Error::MissingLibrary`] without the driver (or, once a kernel is needed, without NVRTC),
    /// [`Error::OldDriver`], [`Error::NoDevice`], and [`Error::Unsupported`] for architectures before Turing.
    pub fn cuda(index: usize) -> Result<Self, Error> {
        Ok(Self::on(Backend::Gpu(Gpu::Cuda(Box::new(Context::open(index)?)))))
    }

    /// The same on a stream that an application already has. Everything is put into this stream, and nothing waits
    /// for it but [`Device::wait`] and downloads. Work on other streams is ordered by cudarc's own event tracking.
    ///
    /// Scans can be captured into a graph, if the context has one stream or its event tracking is off: [`GpuScan::inclusive_into`](crate::GpuScan::inclusive_into) and the like,
    /// after the same call has run once, so that there is nothing left to compile or to allocate. The graph has to be
    /// launched into this stream while this device lives, for scans share scratch memory.
    ///
    /// # Errors
    /// As for [`Device::cuda`].
    pub fn from_cuda(stream: Arc<CudaStream>) -> Result<Self, Error> {
        let driver = library::driver()?;
        Ok(Self::on(Backend::Gpu(Gpu::Cuda(Box::new(Context::new(stream, driver)?)))))
    }

    /// A buffer in memory that the caller has allocated; nothing is copied. [`GpuBuffer::into_cuda`] gives the slice
    /// back.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] unless the slice belongs to this device's CUDA context.
    pub fn wrap_cuda<T: Element>(&self, slice: CudaSlice<T>) -> Result<GpuBuffer<T>, Error> {
        let Backend::Gpu(Gpu::Cuda(context)) = self.backend() else {
            return Err(Error::WrongDevice {
                what: "wrapping a CUDA slice",
                expected: "a CUDA device".into(),
                found: self.describe(),
            });
        };
        if slice.context() != context.stream.context() {
            return Err(Error::WrongDevice {
                what: "the wrapped slice",
                expected: self.describe(),
                found: format!("another CUDA context, on device {}", slice.ordinal()),
            });
        }
        let (len, owner) = (slice.len(), slice.stream().clone());
        let place = slice.leak();
        // SAFETY: the allocation that was just let go of, with as many bytes, on the same stream. Events of earlier
        // uses are waited for by that stream, which the memory's next user waits for.
        let bytes = unsafe { owner.upgrade_device_ptr::<u8>(place, len * size_of::<T>()) };
        context.follow(&owner)?;
        let memory = Memory::new(bytes, &context.stream);
        let offset = (place % QUAD_BYTES) as usize / size_of::<T>();
        Ok(GpuBuffer::new(self, backend::Memory::Gpu(GpuMemory::Cuda(memory)), offset, len))
    }

    /// The stream that everything is put into, if this is a CUDA device.
    pub fn cuda_stream(&self) -> Option<&Arc<CudaStream>> {
        match self.backend() {
            Backend::Gpu(Gpu::Cuda(context)) => Some(&context.stream),
            _ => None,
        }
    }
}

impl DeviceRequest {
    /// The CUDA device `index` with these choices: as [`Device::cuda`]. The adapter's name makes no difference, nor do
    /// subgroups and patience to scans of one row by an operator with a CUDA text.
    ///
    /// # Errors
    /// As for [`Device::cuda`].
    pub fn cuda(self, index: usize) -> Result<Device, Error> {
        Ok(Device::on(Backend::Gpu(Gpu::Cuda(Box::new(Context::open_within(index, &self.0)?)))))
    }
}

impl<T: Element> GpuBuffer<T> {
    /// The device memory as a slice of cudarc's; nothing is copied. It may be used on any stream after work that was
    /// put into the device's.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] if it is not on a CUDA device, [`Error::Range`] for a slice of a buffer, and
    /// [`Error::Usage`] while there are other views of it, or if it is memory that wgpu has too.
    pub fn into_cuda(self) -> Result<CudaSlice<T>, Error> {
        let device = self.device().clone();
        let (backend::Memory::Gpu(memory), Backend::Gpu(Gpu::Cuda(context))) =
            (self.memory(), device.backend())
        else {
            return Err(Error::WrongDevice {
                what: "a buffer to be taken as a CUDA slice",
                expected: "a CUDA device".into(),
                found: device.describe(),
            });
        };
        let (memory, range) = (memory.cuda()?.clone(), self.byte_range());
        drop(self);
        let slice = memory.into_slice().ok_or_else(|| Error::Usage {
            what: "a buffer to be taken as a CUDA slice",
            expected: "memory of CUDA's own, and no other view of it".into(),
            found: "another view, or memory shared with wgpu".into(),
        })?;
        // Ours are filled up to a multiple of 16 bytes.
        let len = (range.end - range.start) as usize / size_of::<T>();
        let (owner, held) = (slice.stream().clone(), slice.num_bytes() as u64);
        let place = slice.leak();
        // SAFETY: the allocation that was just let go of, of `held` bytes, on the same stream.
        let whole = unsafe { owner.upgrade_device_ptr::<T>(place, len) };
        if range.start != place % QUAD_BYTES || range.end - range.start + QUAD_BYTES <= held {
            return Err(Error::Range { range, unit: "bytes, not the whole buffer,", len: held });
        }
        context.lead(&owner)?;
        Ok(whole)
    }
}

impl Context {
    /// Lets this stream wait for what is in another.
    fn follow(&self, other: &CudaStream) -> Result<(), Error> {
        match *other == *self.stream {
            true => Ok(()),
            false => super::check("ordering two streams", 0, self.stream.join(other)),
        }
    }

    /// Lets another stream wait for what is in this one.
    fn lead(&self, other: &CudaStream) -> Result<(), Error> {
        match *other == *self.stream {
            true => Ok(()),
            false => super::check("ordering two streams", 0, other.join(&self.stream)),
        }
    }
}
