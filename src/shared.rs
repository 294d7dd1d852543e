//! Memory that wgpu and CUDA have by turns.

use crate::{
    backend::{
        self, Backend, Gpu,
        shared::{self, Link, Side},
    },
    buffer::GpuBuffer,
    device::Device,
    element::Element,
    error::Error,
};

impl Device {
    /// The CUDA device that is the same GPU as this wgpu device, found by its UUID, with a stream of its own: for
    /// [`SharedBuffer`]s of both.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] unless this is a wgpu device; [`Error::NotShared`] where memory cannot be shared: not on
    /// Linux, not on Vulkan, a driver without `VK_KHR_external_memory_fd`, no CUDA device with this UUID. And those of
    /// [`Device::cuda`].
    pub fn cuda_beside(&self) -> Result<Self, Error> {
        let wgpu = self.wgpu("a device to find CUDA beside")?;
        Ok(Self::on(Backend::Gpu(Gpu::Cuda(Box::new(shared::beside(wgpu)?)))))
    }
}

/// Elements in memory that a wgpu device and a CUDA device have by turns: what one writes the other reads, and nothing
/// is copied. Linux, with wgpu on Vulkan.
///
/// ```no_run
/// # fn main() -> Result<(), gpuscan::Error> {
/// use gpuscan::{Device, GpuScan, SharedBuffer};
///
/// let wgpu = Device::new()?;
/// let cuda = wgpu.cuda_beside()?;
/// let counts = SharedBuffer::<u32>::new(&wgpu, &cuda, 1 << 20)?;
/// counts.wgpu()?.write(&vec![1; 1 << 20])?; // or by WGSL of yours, in `counts.wgpu()?.wgpu_buffer()`
/// GpuScan::new(&cuda).inclusive_in_place(&counts.to_cuda()?)?;
/// assert_eq!(counts.to_wgpu()?.slice(1000..1001)?.to_vec()?, [1001]);
/// # Ok(())
/// # }
/// ```
///
/// The [`GpuBuffer`]s of a side may be kept, and made into bind groups, but used only while that side has the memory:
/// other calls with them return [`Error::WrongDevice`]. What is recorded into an encoder of yours cannot be looked at.
/// It has to be submitted before the memory is handed over.
///
/// A hand-over orders what was submitted to wgpu's queue before it, and what is put into CUDA's stream after it, and the
/// other way round. It costs some submissions. With timeline semaphores the host does not wait (Vulkan 1.2, and
/// `VK_KHR_external_semaphore_fd`, which devices of [`Device::new`] have where there is one; devices of
/// [`Device::from_wgpu`] have what their maker enabled). Else it waits for the side that lets go:
/// [`SharedBuffer::blocks`]. Dropping it waits for both.
///
/// The mechanism is that of NVIDIA's *CUDA Programming Guide*, "External Resource Interoperability".
#[derive(Debug)]
pub struct SharedBuffer<T> {
    link: Link,
    wgpu: GpuBuffer<T>,
    cuda: GpuBuffer<T>,
}

impl<T: Element> SharedBuffer<T> {
    /// New memory of `len` elements, all zero. wgpu has it first.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] unless `wgpu` is a wgpu device, and `cuda` a CUDA device on the same GPU, as of
    /// [`Device::cuda_beside`]; [`Error::NotShared`] where memory cannot be shared; [`Error::OutOfMemory`],
    /// [`Error::TooLarge`], [`Error::DeviceLost`].
    pub fn new(wgpu: &Device, cuda: &Device, len: usize) -> Result<Self, Error> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let link = Link::new(
            wgpu.wgpu("the wgpu half of shared memory")?,
            cuda.on_cuda("the CUDA half of shared memory")?,
            bytes,
        )?;
        let [of_wgpu, of_cuda] = link.halves().map(backend::Memory::Gpu);
        Ok(Self {
            link,
            wgpu: GpuBuffer::new(wgpu, of_wgpu, 0, len),
            cuda: GpuBuffer::new(cuda, of_cuda, 0, len),
        })
    }

    /// Hands the memory to CUDA, after all that was submitted to wgpu's queue before, and returns it as CUDA's. Does
    /// nothing more if CUDA has it.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Driver`]; the memory is then wgpu's as before.
    pub fn to_cuda(&self) -> Result<GpuBuffer<T>, Error> {
        self.give(Side::Cuda)?;
        Ok(self.cuda.clone())
    }

    /// Hands the memory to wgpu, after all that was put into CUDA's stream before, and returns it as wgpu's. Does
    /// nothing more if wgpu has it.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Driver`]; the memory is then CUDA's as before.
    pub fn to_wgpu(&self) -> Result<GpuBuffer<T>, Error> {
        self.give(Side::Wgpu)?;
        Ok(self.wgpu.clone())
    }

    /// The memory as wgpu's.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] while CUDA has it.
    pub fn wgpu(&self) -> Result<GpuBuffer<T>, Error> {
        self.link.check(Side::Wgpu)?;
        Ok(self.wgpu.clone())
    }

    /// The memory as CUDA's.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] while wgpu has it.
    pub fn cuda(&self) -> Result<GpuBuffer<T>, Error> {
        self.link.check(Side::Cuda)?;
        Ok(self.cuda.clone())
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.wgpu.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.wgpu.is_empty()
    }

    /// Whether the host waits at each hand-over. If not, timeline semaphores let the devices wait for each other.
    pub fn blocks(&self) -> bool {
        self.link.blocks()
    }

    fn give(&self, side: Side) -> Result<(), Error> {
        let what = "shared memory";
        self.link.give(side, self.wgpu.device().wgpu(what)?, self.cuda.device().on_cuda(what)?)
    }
}
