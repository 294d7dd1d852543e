//! Allocation, upload, download, and memory that all scans share.
#![allow(unsafe_code)]

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut, SyncOnDrop, result};

use super::{Context, count, guard::check};
use crate::error::Error;

/// Kernels move 16 bytes at a time, so every place is counted from a multiple of that.
pub(super) const QUAD_BYTES: u64 = 16;

/// Device memory: ours, a caller's that was handed over, or another driver's.
#[derive(Clone, Debug)]
pub(crate) struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    owner: Mutex<Owner>,
    /// The multiple of 16 that it begins at, or shortly after.
    base: u64,
    /// Bytes from there to its end.
    bytes: u64,
}

/// What keeps memory alive.
pub(super) enum Owner {
    /// Allocated by CUDA. It knows of its uses on other streams.
    Slice(CudaSlice<u8>),
    /// Another driver's. It is used on one stream alone.
    #[cfg_attr(not(all(target_os = "linux", feature = "native")), allow(dead_code))]
    Other(#[allow(dead_code, reason = "held, not read")] Box<dyn Any + Send>),
}

impl Owner {
    /// Notes that it is read by what is put into `stream` until the result is dropped.
    fn read<'a>(&'a self, stream: &'a CudaStream) -> Option<SyncOnDrop<'a>> {
        match self {
            Owner::Slice(slice) => Some(slice.device_ptr(stream).1),
            Owner::Other(_) => None,
        }
    }

    /// The same, where it is written.
    pub fn write<'a>(&'a mut self, stream: &'a CudaStream) -> Option<SyncOnDrop<'a>> {
        match self {
            Owner::Slice(slice) => Some(slice.device_ptr_mut(stream).1),
            Owner::Other(_) => None,
        }
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Owner::Slice(_) => "CUDA",
            Owner::Other(_) => "another driver",
        })
    }
}

impl Memory {
    pub(super) fn new(slice: CudaSlice<u8>, stream: &CudaStream) -> Self {
        let start = slice.device_ptr(stream).0;
        let end = start + slice.num_bytes() as u64;
        Self::of(Owner::Slice(slice), start, end)
    }

    /// Memory from `start` to `end`, which `owner` keeps mapped.
    pub(super) fn of(owner: Owner, start: u64, end: u64) -> Self {
        let base = start - start % QUAD_BYTES;
        Self(Arc::new(Inner { owner: Mutex::new(owner), base, bytes: end - base }))
    }

    /// Equal for views of the same memory alone.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// What offsets are counted from.
    pub(super) fn base(&self) -> u64 {
        self.0.base
    }

    /// Bytes from there on.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Holds it for commands that are about to be submitted.
    pub(super) fn hold(&self) -> MutexGuard<'_, Owner> {
        self.0.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the slice back, if it is one and nobody else has this memory.
    pub(super) fn into_slice(self) -> Option<CudaSlice<u8>> {
        let inner = Arc::try_unwrap(self.0).ok()?;
        match inner.owner.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Owner::Slice(slice) => Some(slice),
            Owner::Other(_) => None,
        }
    }
}

/// Memory that grows. Commands run in the order of the stream, and a scan is done with it when the next begins, so
/// one serves all. Graphs that were captured hold on to what it was before, so nothing is given back.
#[derive(Debug, Default)]
pub(super) struct Shared {
    current: Option<(CudaSlice<u8>, u64)>,
    before: Vec<CudaSlice<u8>>,
}

/// Where such memory is, and how much of it there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub start: u64,
    pub bytes: u64,
}

impl Context {
    pub(super) fn allocate(&self, what: &'static str, bytes: u64) -> Result<CudaSlice<u8>, Error> {
        let size = bytes.max(1).checked_next_multiple_of(QUAD_BYTES).unwrap_or(u64::MAX);
        if size > self.most_bytes {
            return Err(Error::TooLarge { what, unit: "bytes", expected: self.most_bytes, found: size });
        }
        let too_much = || Error::OutOfMemory { what, bytes };
        let length = usize::try_from(size).ok().filter(|&size| size <= isize::MAX as usize);
        // SAFETY: nothing reads it before it was written: callers fill it, in the stream's order, or have it zeroed.
        let slice = unsafe { self.stream.alloc::<u8>(length.ok_or_else(too_much)?) };
        check(what, bytes, slice)
    }

    /// Element memory of `bytes` bytes, all zero.
    pub fn zeros(&self, bytes: u64) -> Result<Memory, Error> {
        let mut slice = self.allocate("a buffer", bytes)?;
        check("clearing a buffer", 0, self.stream.memset_zeros(&mut slice))?;
        count(&self.counters.buffers);
        Ok(Memory::new(slice, &self.stream))
    }

    /// Element memory that holds `bytes`.
    pub fn upload(&self, bytes: &[u8]) -> Result<Memory, Error> {
        let slice = self.allocate("a buffer", bytes.len() as u64)?;
        let memory = Memory::new(slice, &self.stream);
        self.write(&memory, 0, bytes)?;
        count(&self.counters.buffers);
        Ok(memory)
    }

    /// Overwrites part of it, before whatever is submitted next.
    pub fn write(&self, memory: &Memory, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.bind()?;
        let mut owner = memory.hold();
        let _used = owner.write(&self.stream);
        // SAFETY: a range of the memory (`GpuBuffer` keeps to it), which is held. From pageable memory the driver has
        // read `bytes` when the call returns.
        let copied =
            unsafe { result::memcpy_htod_async(memory.base() + offset, bytes, self.stream.cu_stream()) };
        check("an upload", 0, copied)
    }

    /// Copies part of it to the host, after everything submitted so far.
    pub fn download(&self, memory: &Memory, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.bind()?;
        let owner = memory.hold();
        let _used = owner.read(&self.stream);
        if !bytes.is_empty() {
            // SAFETY: a range of the memory, as above; `bytes` is borrowed until the stream has been waited for.
            let copied =
                unsafe { result::memcpy_dtoh_async(bytes, memory.base() + offset, self.stream.cu_stream()) };
            check("a download", 0, copied)?;
        }
        check("a download", 0, self.stream.synchronize())
    }

    /// Shared memory of at least `bytes` bytes; new memory begins with `header` and is zero beyond it.
    pub(super) fn shared(
        &self,
        shared: &mut Shared,
        bytes: u64,
        header: impl Fn(u64) -> Vec<u8>,
    ) -> Result<Area, Error> {
        if bytes == 0 {
            return Ok(Area { start: 0, bytes: 0 });
        }
        if let Some((slice, size)) = &shared.current
            && *size >= bytes
        {
            return Ok(Area { start: slice.device_ptr(&self.stream).0, bytes: *size });
        }
        self.not_capturing("more scratch memory")?;
        // Doubling keeps a slowly growing input from allocating every time.
        let size = bytes.next_power_of_two().max(4096);
        let mut slice = self.allocate("scratch memory", size)?;
        check("clearing scratch memory", 0, self.stream.memset_zeros(&mut slice))?;
        let header = header(size);
        if !header.is_empty() {
            let mut start = slice.slice_mut(..header.len());
            check("writing scratch memory", 0, self.stream.memcpy_htod(&header, &mut start))?;
        }
        count(&self.counters.scratch);
        let start = slice.device_ptr(&self.stream).0;
        shared.before.extend(shared.current.replace((slice, size)).map(|(slice, _)| slice));
        Ok(Area { start, bytes: size })
    }
}
