//! What plans run on, whichever driver it is of.

use super::{MemoryId, cuda, shared::Half, wgpu};
use crate::{device::Counters, error::Error, kernel::Operator, plan::Plan, tuning::Capabilities};

/// A GPU's context.
#[derive(Debug)]
pub(crate) enum Gpu {
    Wgpu(Box<wgpu::Context>),
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    Cuda(Box<cuda::Context>),
}

/// A buffer's memory on one, whatever its elements.
#[derive(Clone, Debug)]
pub(crate) enum GpuMemory {
    Wgpu(::wgpu::Buffer),
    Cuda(cuda::Memory),
    /// Either of them, by turns with a device of the other.
    #[cfg_attr(not(all(feature = "cuda", target_os = "linux", feature = "native")), allow(dead_code))]
    Shared(Half),
}

/// The caller's buffers, in the order that a plan numbers them.
pub(crate) type Buffers<'a> = &'a [&'a GpuMemory];

impl Gpu {
    /// New memory that holds `bytes`.
    pub fn upload(&self, bytes: &[u8]) -> Result<GpuMemory, Error> {
        match self {
            Gpu::Wgpu(context) => context.upload(bytes).map(GpuMemory::Wgpu),
            Gpu::Cuda(context) => context.upload(bytes).map(GpuMemory::Cuda),
        }
    }

    /// New memory of so many bytes, all zero.
    pub fn zeros(&self, bytes: u64) -> Result<GpuMemory, Error> {
        match self {
            Gpu::Wgpu(context) => context.create(bytes).map(GpuMemory::Wgpu),
            Gpu::Cuda(context) => context.zeros(bytes).map(GpuMemory::Cuda),
        }
    }

    /// Memory that holds these words for good, and where in it.
    pub fn constant(&self, words: &[u32]) -> Result<(GpuMemory, u64), Error> {
        match self {
            Gpu::Wgpu(context) => {
                context.constant(words).map(|(buffer, offset)| (GpuMemory::Wgpu(buffer), offset))
            }
            Gpu::Cuda(context) => {
                context.constant(words).map(|(memory, offset)| (GpuMemory::Cuda(memory), offset))
            }
        }
    }

    /// Whether it runs texts in CUDA C++.
    pub fn takes_cuda(&self) -> bool {
        matches!(self, Gpu::Cuda(_))
    }

    /// What plans for this operator depend on.
    pub fn capabilities_for(&self, operator: &Operator) -> &Capabilities {
        match self {
            Gpu::Wgpu(context) => &context.capabilities,
            Gpu::Cuda(context) => context.capabilities_for(operator),
        }
    }

    /// What all other plans depend on.
    pub fn capabilities(&self) -> &Capabilities {
        match self {
            Gpu::Wgpu(context) => &context.capabilities,
            Gpu::Cuda(context) => context.capabilities(),
        }
    }

    /// Compiles what `plan` needs.
    pub fn prepare(&self, plan: &Plan, operator: &Operator) -> Result<(), Error> {
        match self {
            Gpu::Wgpu(context) => context.prepare(plan, operator),
            Gpu::Cuda(context) => context.prepare(plan, operator),
        }
    }

    /// Submits `plan`.
    pub fn run(&self, plan: &Plan, operator: &Operator, buffers: Buffers<'_>) -> Result<(), Error> {
        match self {
            Gpu::Wgpu(context) => context.run(plan, operator, buffers),
            Gpu::Cuda(context) => context.run(plan, operator, buffers),
        }
    }

    /// Blocks until everything submitted so far is done.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<(), Error> {
        match self {
            Gpu::Wgpu(context) => context.wait(),
            Gpu::Cuda(context) => context.wait(),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        match self {
            Gpu::Wgpu(context) => context.describe(),
            Gpu::Cuda(context) => context.describe(),
        }
    }

    pub fn counters(&self) -> Counters {
        match self {
            Gpu::Wgpu(context) => context.counters.read(),
            Gpu::Cuda(context) => context.counters(),
        }
    }
}

impl GpuMemory {
    pub fn id(&self) -> MemoryId {
        match self {
            GpuMemory::Wgpu(buffer) => MemoryId::Wgpu(buffer.clone()),
            GpuMemory::Cuda(memory) => MemoryId::Cuda(memory.id()),
            GpuMemory::Shared(half) => half.always().id(),
        }
    }

    /// Bytes, from where offsets are counted.
    pub fn bytes(&self) -> u64 {
        match self {
            GpuMemory::Wgpu(buffer) => buffer.size(),
            GpuMemory::Cuda(memory) => memory.bytes(),
            GpuMemory::Shared(half) => half.always().bytes(),
        }
    }

    /// wgpu's buffer, to be named and not to be used.
    pub fn wgpu_handle(&self) -> Option<&::wgpu::Buffer> {
        match self {
            GpuMemory::Wgpu(buffer) => Some(buffer),
            GpuMemory::Cuda(_) => None,
            GpuMemory::Shared(half) => half.always().wgpu_handle(),
        }
    }

    /// wgpu's buffer. An error says that shared memory is CUDA's now; else it is only reached if a buffer's memory
    /// contradicts its device, which no constructor allows.
    pub fn wgpu(&self) -> Result<&::wgpu::Buffer, Error> {
        match self {
            GpuMemory::Wgpu(buffer) => Ok(buffer),
            GpuMemory::Cuda(_) => Err(mixed("a wgpu device")),
            GpuMemory::Shared(half) => half.now()?.wgpu(),
        }
    }

    /// CUDA's memory; the same.
    pub fn cuda(&self) -> Result<&cuda::Memory, Error> {
        match self {
            GpuMemory::Wgpu(_) => Err(mixed("a CUDA device")),
            GpuMemory::Cuda(memory) => Ok(memory),
            GpuMemory::Shared(half) => half.now()?.cuda(),
        }
    }
}

fn mixed(expected: &str) -> Error {
    Error::WrongDevice {
        what: "a buffer's memory",
        expected: expected.into(),
        found: "memory of another backend".into(),
    }
}
