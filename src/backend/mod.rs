//! Executes plans: the only place that touches a driver's API.

pub(crate) mod cpu;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "cuda/absent.rs"]
pub(crate) mod cuda;
mod gpu;
pub(crate) mod shared;
pub(crate) mod wgpu;

use std::sync::{Arc, PoisonError, RwLock};

pub(crate) use gpu::{Buffers, Gpu, GpuMemory};

/// What a device context stands on.
#[derive(Debug)]
pub(crate) enum Backend {
    Gpu(Gpu),
    Cpu,
}

/// A buffer's memory.
#[derive(Clone, Debug)]
pub(crate) enum Memory<T> {
    Gpu(GpuMemory),
    Host(Arc<RwLock<Vec<T>>>),
}

impl<T> Memory<T> {
    pub fn host(values: Vec<T>) -> Self {
        Memory::Host(Arc::new(RwLock::new(values)))
    }

    /// Equal for two views of one buffer, whatever they take its elements for.
    pub fn id(&self) -> MemoryId {
        match self {
            Memory::Gpu(memory) => memory.id(),
            Memory::Host(values) => MemoryId::Host(Arc::as_ptr(values).addr()),
        }
    }
}

/// Which buffer some memory is.
#[derive(PartialEq)]
pub(crate) enum MemoryId {
    Wgpu(::wgpu::Buffer),
    Cuda(usize),
    Host(usize),
}

/// Reads host memory. A thread that panicked while holding the lock had only been copying plain data.
pub(crate) fn read<T: Clone>(memory: &RwLock<Vec<T>>, range: std::ops::Range<usize>) -> Vec<T> {
    memory.read().unwrap_or_else(PoisonError::into_inner)[range].to_vec()
}

/// Writes host memory.
pub(crate) fn write<T: Copy>(memory: &RwLock<Vec<T>>, start: usize, values: &[T]) {
    let mut memory = memory.write().unwrap_or_else(PoisonError::into_inner);
    memory[start..start + values.len()].copy_from_slice(values);
}

/// Writes value `i` to `place(i)`, if there is one.
pub(crate) fn write_each<T: Copy>(
    memory: &RwLock<Vec<T>>,
    place: &dyn Fn(usize) -> Option<usize>,
    values: &[T],
) {
    let mut memory = memory.write().unwrap_or_else(PoisonError::into_inner);
    for (i, &value) in values.iter().enumerate() {
        if let Some(place) = place(i) {
            memory[place] = value;
        }
    }
}
