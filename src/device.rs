//! The device context: where buffers live and scans run.

use std::{fmt, future::IntoFuture, ops::Range, pin::Pin, sync::Arc};

use crate::{
    backend::{Backend, Gpu, GpuMemory, Memory, wgpu as gpu},
    buffer::GpuBuffer,
    element::Element,
    error::Error,
    tuning::Capabilities,
};

/// A device context. Cheap to clone; clones share everything, and may be used from several threads.
///
/// It keeps what is worth making once: compiled kernels, one scratch buffer, small pages of parameters.
#[derive(Clone, Debug)]
pub struct Device(Arc<Backend>);

/// How often a device has made something expensive. A warm call (same operator, element and algorithm, a
/// length seen before) changes only `buffers`, by the one it returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Kernels compiled.
    pub pipelines: u64,
    /// Scratch buffers allocated; each replaces the one before.
    pub scratch: u64,
    /// Pages of parameters allocated (64 KiB, 256 different dispatches).
    pub parameters: u64,
    /// Element buffers allocated: uploads and results.
    pub buffers: u64,
}

impl Device {
    /// The best adapter there is: discrete before integrated before software. Blocks; not in browsers, which
    /// await [`Device::request`].
    ///
    /// Drivers can be picked with wgpu's environment variables (`WGPU_BACKEND`) and the Vulkan loader's
    /// (`VK_DRIVER_FILES`).
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::NoDevice`], or [`Error::Unsupported`] for a device that cannot run a
    /// workgroup of 256 invocations with 16 KiB of memory.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new() -> Result<Self, Error> {
        Self::request().wait()
    }

    /// The same with choices, and awaitable: `Device::request().await`.
    pub fn request() -> DeviceRequest {
        DeviceRequest(gpu::Request {
            name: None,
            subgroups: true,
            max_binding: None,
            max_buffer: None,
            max_groups: None,
            tile_log2: None,
            tiles_at_once: None,
            patience: None,
            fault: None,
        })
    }

    /// The CPU, on all its cores. Gives the same bits as every GPU.
    pub fn cpu() -> Self {
        Self::on(Backend::Cpu)
    }

    /// A context on a device that an application already has. Nothing of it is changed: no error handler,
    /// no device-lost callback. Subgroups are used if the device was made with `Features::SUBGROUP`; in a
    /// browser, where wgpu cannot ask for them, if its `GPUDevice` has the feature `subgroups`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the device's limits are too low for the kernels.
    pub fn from_wgpu(
        info: wgpu::AdapterInfo,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self, Error> {
        let context = gpu::Context::new(info, device, queue, true)?;
        Ok(Self::on(Backend::Gpu(Gpu::Wgpu(Box::new(context)))))
    }

    /// A new buffer that holds `values`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::DeviceLost`].
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<GpuBuffer<T>, Error> {
        let memory = match &*self.0 {
            Backend::Gpu(gpu) => Memory::Gpu(gpu.upload(bytemuck::cast_slice(values))?),
            Backend::Cpu => Memory::host(values.to_vec()),
        };
        Ok(GpuBuffer::new(self, memory, 0, values.len()))
    }

    /// A new buffer of `len` elements, all zero.
    ///
    /// # Errors
    /// As for [`Device::upload`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<GpuBuffer<T>, Error> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let memory = match &*self.0 {
            Backend::Gpu(gpu) => Memory::Gpu(gpu.zeros(bytes)?),
            Backend::Cpu => {
                let mut values = Vec::new();
                let reserved = values.try_reserve_exact(len);
                reserved.map_err(|_| Error::OutOfMemory { what: "a buffer", bytes })?;
                values.resize(len, T::zeroed());
                Memory::host(values)
            }
        };
        Ok(GpuBuffer::new(self, memory, 0, len))
    }

    /// A view of bytes `range` of a buffer that the caller owns; nothing is copied. The buffer must belong
    /// to this device and have `BufferUsages::STORAGE`; to be downloaded, `COPY_SRC` too.
    ///
    /// Scans are fastest where the range starts at a multiple of 16 bytes from a multiple of the device's
    /// `min_storage_buffer_offset_alignment`, and the buffer reaches to the next multiple of 16 bytes.
    ///
    /// # Errors
    /// [`Error::Usage`], [`Error::Range`], [`Error::Misaligned`], and [`Error::WrongDevice`] on the CPU.
    pub fn wrap<T: Element>(&self, buffer: wgpu::Buffer, range: Range<u64>) -> Result<GpuBuffer<T>, Error> {
        self.wgpu("wrapping a wgpu buffer")?;
        check_usage("the wrapped buffer", &buffer, wgpu::BufferUsages::STORAGE)?;
        if range.start > range.end || range.end > buffer.size() {
            return Err(Error::Range { range, unit: "bytes", len: buffer.size() });
        }
        let size = size_of::<T>() as u64;
        for (what, found) in [("the start of a range", range.start), ("the end of a range", range.end)] {
            if !found.is_multiple_of(size) {
                return Err(Error::Misaligned { what, expected: size, found });
            }
        }
        let len = ((range.end - range.start) / size) as usize;
        Ok(GpuBuffer::new(self, Memory::Gpu(GpuMemory::Wgpu(buffer)), (range.start / size) as usize, len))
    }

    /// Blocks until everything submitted to this device is done; at once on the CPU. Not in browsers.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<(), Error> {
        match &*self.0 {
            Backend::Gpu(gpu) => gpu.wait(),
            Backend::Cpu => Ok(()),
        }
    }

    /// One line for people: the adapter's name, driver, API and subgroup width.
    pub fn describe(&self) -> String {
        match &*self.0 {
            Backend::Gpu(gpu) => gpu.describe(),
            Backend::Cpu => "CPU".into(),
        }
    }

    /// Whether this is the CPU backend.
    pub fn is_cpu(&self) -> bool {
        matches!(*self.0, Backend::Cpu)
    }

    /// What has been made on this device so far; all zero on the CPU.
    pub fn counters(&self) -> Counters {
        match &*self.0 {
            Backend::Cpu => Counters::default(),
            Backend::Gpu(gpu) => gpu.counters(),
        }
    }

    /// wgpu's device, if this is one.
    pub fn wgpu_device(&self) -> Option<&wgpu::Device> {
        self.wgpu("").ok().map(|context| &context.device)
    }

    /// wgpu's queue, if this is such a device.
    pub fn wgpu_queue(&self) -> Option<&wgpu::Queue> {
        self.wgpu("").ok().map(|context| &context.queue)
    }

    pub(crate) fn on(backend: Backend) -> Self {
        Self(Arc::new(backend))
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.0
    }

    /// What plans run on, unless it is the CPU.
    pub(crate) fn gpu(&self) -> Option<&Gpu> {
        match &*self.0 {
            Backend::Gpu(gpu) => Some(gpu),
            Backend::Cpu => None,
        }
    }

    /// wgpu's context, for what no other backend can do.
    pub(crate) fn wgpu(&self, what: &'static str) -> Result<&gpu::Context, Error> {
        match &*self.0 {
            Backend::Gpu(Gpu::Wgpu(context)) => Ok(context),
            Backend::Gpu(Gpu::Cuda(_)) | Backend::Cpu => Err(Error::WrongDevice {
                what,
                expected: "a wgpu device".into(),
                found: if self.is_cpu() { "the CPU backend".into() } else { self.describe() },
            }),
        }
    }

    /// CUDA's context, the same.
    #[cfg(feature = "cuda")]
    pub(crate) fn on_cuda(&self, what: &'static str) -> Result<&crate::backend::cuda::Context, Error> {
        match &*self.0 {
            Backend::Gpu(Gpu::Cuda(context)) => Ok(context),
            Backend::Gpu(Gpu::Wgpu(_)) | Backend::Cpu => Err(Error::WrongDevice {
                what,
                expected: "a CUDA device".into(),
                found: if self.is_cpu() { "the CPU backend".into() } else { self.describe() },
            }),
        }
    }

    /// What plans depend on. The CPU has none.
    pub(crate) fn capabilities(&self) -> Option<&Capabilities> {
        self.gpu().map(Gpu::capabilities)
    }

    pub(crate) fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// An error naming both sets of usages if `needed` is missing.
pub(crate) fn check_usage(
    what: &'static str,
    buffer: &wgpu::Buffer,
    needed: wgpu::BufferUsages,
) -> Result<(), Error> {
    match buffer.usage().contains(needed) {
        true => Ok(()),
        false => Err(Error::Usage {
            what,
            expected: format!("{needed:?}"),
            found: format!("{:?}", buffer.usage()),
        }),
    }
}

/// Choices for a new [`Device`]; await it, or `wait` for it outside browsers.
#[derive(Clone, Debug)]
#[must_use = "a request makes no device until it is awaited or waited for"]
pub struct DeviceRequest(pub(crate) gpu::Request);

impl DeviceRequest {
    /// Only adapters whose name contains `name`, in any case: `"llvmpipe"`, `"nvidia"`.
    pub fn adapter(mut self, name: impl Into<String>) -> Self {
        self.0.name = Some(name.into());
        self
    }

    /// `false`: use no subgroup operations, even where the adapter has them. Results do not change.
    pub fn subgroups(mut self, allowed: bool) -> Self {
        self.0.subgroups = allowed;
        self
    }

    /// At most this many bytes in one storage binding; longer inputs are scanned in pieces.
    pub fn max_binding(mut self, bytes: u64) -> Self {
        self.0.max_binding = Some(bytes);
        self
    }

    /// At most this many bytes in one buffer.
    pub fn max_buffer(mut self, bytes: u64) -> Self {
        self.0.max_buffer = Some(bytes);
        self
    }

    /// At most this many workgroups in one dimension of a dispatch.
    pub fn max_groups(mut self, groups: u32) -> Self {
        self.0.max_groups = Some(groups);
        self
    }

    /// Scans with tiles of 2^`log2` elements, from 2^10 to 2^13 (2^12 without subgroups), in place of what
    /// was measured to be best. For tuning and tests: results do not change.
    pub fn tile_log2(mut self, log2: u32) -> Self {
        self.0.tile_log2 = Some(log2);
        self
    }

    /// Has a workgroup of a total in one dispatch take 1, 2 or 4 tiles together. For tuning and tests: results do not
    /// change.
    #[doc(hidden)]
    pub fn tiles_at_once(mut self, tiles: u32) -> Self {
        self.0.tiles_at_once = Some(tiles);
        self
    }

    /// How often a workgroup of [`Algorithm::SinglePass`](crate::Algorithm::SinglePass) looks for a value
    /// that another has to publish before it computes it itself; 0 makes it always compute. For tuning and
    /// tests: results do not change.
    pub fn patience(mut self, looks: u32) -> Self {
        self.0.patience = Some(looks);
        self
    }

    /// Has the workgroups of [`Algorithm::SinglePass`](crate::Algorithm::SinglePass) fail each other, for tests:
    /// 1: every other tile publishes nothing, 2: every seventh, 3: the first block, 4: the first tile; 5: two in
    /// three publish late; 6: tiles are claimed backwards, eight at a time; 0: nothing is wrong.
    /// [`Algorithm::Auto`](crate::Algorithm::Auto) then means that algorithm everywhere. Results do not change.
    #[doc(hidden)]
    pub fn fault(mut self, kind: u32) -> Self {
        self.0.fault = Some(kind);
        self
    }

    /// Makes the device, blocking. Not in browsers.
    ///
    /// # Errors
    /// As for [`Device::new`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(self) -> Result<Device, Error> {
        pollster::block_on(self.into_future())
    }
}

impl IntoFuture for DeviceRequest {
    type Output = Result<Device, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output>>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(Device::on(Backend::Gpu(Gpu::Wgpu(Box::new(self.0.open().await?))))) })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}
