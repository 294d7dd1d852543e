//! Typed ranges of device memory.

use std::{
    marker::PhantomData,
    ops::{Bound, Range, RangeBounds},
};

use crate::{
    backend::{self, Backend, Gpu, GpuMemory, Memory, MemoryId},
    device::{Device, check_usage},
    element::Element,
    error::Error,
    plan::Place,
};

/// Bytes that copies move at once.
const WORD: u64 = 4;

/// A range of elements in device memory: a whole buffer, a slice of one, or a range of a caller's
/// `wgpu::Buffer`. Cloning and slicing make further views of the same memory, never copies.
#[derive(Clone, Debug)]
pub struct GpuBuffer<T> {
    device: Device,
    memory: Memory<T>,
    /// Elements from the start of `memory`.
    offset: usize,
    len: usize,
    element: PhantomData<T>,
}

/// Where a buffer lies, whatever its elements.
pub(crate) struct View {
    pub device: Device,
    pub memory: MemoryId,
    pub place: Place,
    /// In the whole buffer.
    pub bytes: Range<u64>,
    /// Elements.
    pub len: usize,
}

impl<T> GpuBuffer<T> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it lives on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<T: Element> GpuBuffer<T> {
    pub(crate) fn new(device: &Device, memory: Memory<T>, offset: usize, len: usize) -> Self {
        Self { device: device.clone(), memory, offset, len, element: PhantomData }
    }

    /// A view of some of the elements; any offset will do.
    ///
    /// # Errors
    /// [`Error::Range`] if the range reaches beyond this buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        if start > end || end > self.len {
            return Err(Error::Range {
                range: start as u64..end as u64,
                unit: "elements",
                len: self.len as u64,
            });
        }
        Ok(Self { offset: self.offset + start, len: end - start, ..self.clone() })
    }

    /// Overwrites the elements, before anything that is submitted later.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are as many values as elements; [`Error::Usage`] for a wrapped buffer
    /// without `COPY_DST`; [`Error::Misaligned`] for narrow elements that begin or end inside a word.
    pub fn write(&self, values: &[T]) -> Result<(), Error> {
        if values.len() != self.len {
            return Err(Error::Length {
                what: "the data to write",
                expected: self.len as u64,
                found: values.len() as u64,
            });
        }
        match (&self.memory, self.device.backend()) {
            (Memory::Gpu(memory), Backend::Gpu(Gpu::Wgpu(context))) => {
                let buffer = memory.wgpu()?;
                check_usage("the written buffer", buffer, wgpu::BufferUsages::COPY_DST)?;
                let range = self.byte_range();
                for (what, found) in
                    [("the start of a write", range.start), ("the end of a write", range.end)]
                {
                    if !found.is_multiple_of(WORD) {
                        return Err(Error::Misaligned { what, expected: WORD, found });
                    }
                }
                context.write(buffer, self.byte_range().start, bytemuck::cast_slice(values))
            }
            (Memory::Gpu(memory), Backend::Gpu(Gpu::Cuda(context))) => {
                context.write(memory.cuda()?, self.byte_range().start, bytemuck::cast_slice(values))
            }
            (Memory::Host(host), _) => {
                backend::write(host, self.offset, values);
                Ok(())
            }
            _ => Err(self.elsewhere("the written buffer")),
        }
    }

    /// Downloads the elements, after all work submitted so far. Blocks; not in browsers, which await
    /// [`GpuBuffer::read`].
    ///
    /// # Errors
    /// [`Error::Usage`] for a wrapped buffer without `COPY_SRC`, [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        pollster::block_on(self.read())
    }

    /// The same, to be awaited. Outside browsers the first poll blocks until the device is done.
    ///
    /// # Errors
    /// As for [`GpuBuffer::to_vec`].
    pub async fn read(&self) -> Result<Vec<T>, Error> {
        match (&self.memory, self.device.backend()) {
            (Memory::Gpu(memory), Backend::Gpu(Gpu::Wgpu(context))) => {
                let buffer = memory.wgpu()?;
                check_usage("the downloaded buffer", buffer, wgpu::BufferUsages::COPY_SRC)?;
                let range = self.byte_range();
                // Copies move whole words, of which narrow elements may be a part.
                let whole = range.start / WORD * WORD..range.end.next_multiple_of(WORD);
                let bytes = context.download(buffer, whole.clone()).await?;
                let (first, last) = (range.start - whole.start, range.end - whole.start);
                Ok(bytemuck::pod_collect_to_vec(&bytes[first as usize..last as usize]))
            }
            (Memory::Gpu(memory), Backend::Gpu(Gpu::Cuda(context))) => {
                let memory = memory.cuda()?;
                let mut values = vec![T::zeroed(); self.len];
                context.download(memory, self.byte_range().start, bytemuck::cast_slice_mut(&mut values))?;
                Ok(values)
            }
            (Memory::Host(host), _) => Ok(backend::read(host, self.offset..self.offset + self.len)),
            _ => Err(self.elsewhere("the downloaded buffer")),
        }
    }

    /// The wgpu buffer it is a range of, if it is on a wgpu device. (That of a `SharedBuffer` is here while CUDA has it,
    /// too, to be bound and not to be used.)
    pub fn wgpu_buffer(&self) -> Option<&wgpu::Buffer> {
        match &self.memory {
            Memory::Gpu(memory) => memory.wgpu_handle(),
            Memory::Host(_) => None,
        }
    }

    /// Its bytes in that buffer.
    pub fn byte_range(&self) -> Range<u64> {
        let size = size_of::<T>();
        (self.offset * size) as u64..((self.offset + self.len) * size) as u64
    }

    pub(crate) fn memory(&self) -> &Memory<T> {
        &self.memory
    }

    pub(crate) fn view(&self) -> View {
        View {
            device: self.device.clone(),
            memory: self.memory_id(),
            place: self.place(),
            bytes: self.byte_range(),
            len: self.len,
        }
    }

    /// Tells buffers apart.
    pub(crate) fn memory_id(&self) -> MemoryId {
        self.memory.id()
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Where it lies, for a plan. Host memory has no plans.
    pub(crate) fn place(&self) -> Place {
        let buffer = match &self.memory {
            Memory::Gpu(memory) => memory.bytes(),
            Memory::Host(_) => 0,
        };
        Place { offset: self.byte_range().start, buffer }
    }

    /// An error unless it lives on `device`.
    pub(crate) fn check_device(&self, what: &'static str, device: &Device) -> Result<(), Error> {
        crate::scanning::is_same_device(what, &self.device, device)
    }

    /// An error unless it has `expected` elements.
    pub(crate) fn check_len(&self, what: &'static str, expected: usize) -> Result<(), Error> {
        match self.len == expected {
            true => Ok(()),
            false => Err(Error::Length { what, expected: expected as u64, found: self.len as u64 }),
        }
    }

    /// An error if it is written while `other` is read from the same buffer: devices take a buffer only as
    /// one or the other, however far the ranges are apart.
    pub(crate) fn check_apart<U: Element>(
        &self,
        what: &'static str,
        other_name: &'static str,
        other: &GpuBuffer<U>,
    ) -> Result<(), Error> {
        match self.memory_id() == other.memory_id() {
            false => Ok(()),
            true => Err(Error::Invalid {
                what,
                expected: format!("another buffer than that of {other_name}"),
                found: format!(
                    "bytes {:?} of the buffer with {other_name} at {:?}",
                    self.byte_range(),
                    other.byte_range()
                ),
            }),
        }
    }

    /// Its memory on a GPU.
    pub(crate) fn on_gpu(&self) -> Result<&GpuMemory, Error> {
        match &self.memory {
            Memory::Gpu(memory) => Ok(memory),
            Memory::Host(_) => Err(self.elsewhere("a buffer's memory")),
        }
    }

    /// Its elements, on the CPU.
    pub(crate) fn on_host(&self) -> Result<Vec<T>, Error> {
        match &self.memory {
            Memory::Host(host) => Ok(backend::read(host, self.offset..self.offset + self.len)),
            _ => Err(self.elsewhere("a buffer's memory")),
        }
    }

    /// Overwrites its elements, on the CPU.
    pub(crate) fn put_on_host(&self, values: &[T]) -> Result<(), Error> {
        match &self.memory {
            Memory::Host(host) => {
                backend::write(host, self.offset, values);
                Ok(())
            }
            _ => Err(self.elsewhere("a buffer's memory")),
        }
    }

    fn elsewhere(&self, what: &'static str) -> Error {
        Error::WrongDevice { what, expected: "a wgpu device".into(), found: self.device.describe() }
    }
}
