//! The link between a wgpu device and the CUDA device beside it: Vulkan allocates and exports, CUDA imports.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Half, Side, Turn};
use crate::{
    backend::{
        GpuMemory,
        cuda::{self, Semaphore},
        wgpu::{self, export::Timeline},
    },
    error::Error,
};

/// The CUDA device that is the same GPU.
pub(crate) fn beside(wgpu: &wgpu::Context) -> Result<cuda::Context, Error> {
    let uuid = wgpu.uuid()?;
    wgpu.exports_memory()?;
    cuda::Context::of_uuid(uuid)
}

/// Memory of both, and how it is handed over.
#[derive(Debug)]
pub(crate) struct Link {
    buffer: ::wgpu::Buffer,
    memory: cuda::Memory,
    turn: Arc<Turn>,
    /// `None` where the host has to wait.
    timeline: Option<Shared>,
    /// The last value that the timeline was told to reach. Held while the memory is handed over.
    reached: Mutex<u64>,
}

/// One timeline semaphore, as both know it.
#[derive(Debug)]
struct Shared {
    // Dropped first: then nothing that wgpu waits for is still to come.
    of_cuda: Semaphore,
    of_wgpu: Timeline,
}

impl Link {
    /// Memory of `bytes` bytes, all zero. wgpu has it first.
    pub fn new(wgpu: &wgpu::Context, cuda: &cuda::Context, bytes: u64) -> Result<Self, Error> {
        let (here, there) = (wgpu.uuid()?, cuda.uuid()?);
        if here != there {
            return Err(Error::WrongDevice {
                what: "the CUDA half of shared memory",
                expected: format!("the GPU with the UUID {}", wgpu::export::shown(&here)),
                found: format!("{}, with the UUID {}", cuda.describe(), wgpu::export::shown(&there)),
            });
        }
        let exported = wgpu.export(bytes)?;
        let memory = cuda.import(exported.memory)?;
        let timeline = match wgpu.timeline()? {
            // What only one of the two can do is no reason to share nothing.
            Some((of_wgpu, handle)) => {
                cuda.import_timeline(handle)?.map(|of_cuda| Shared { of_wgpu, of_cuda })
            }
            None => None,
        };
        Ok(Self {
            buffer: exported.buffer,
            memory,
            turn: Default::default(),
            timeline,
            reached: Mutex::new(0),
        })
    }

    /// As wgpu and as CUDA know it.
    pub fn halves(&self) -> [GpuMemory; 2] {
        let half = |memory, side| GpuMemory::Shared(Half::new(memory, side, self.turn.clone()));
        [
            half(GpuMemory::Wgpu(self.buffer.clone()), Side::Wgpu),
            half(GpuMemory::Cuda(self.memory.clone()), Side::Cuda),
        ]
    }

    /// An error unless this side has it.
    pub fn check(&self, side: Side) -> Result<(), Error> {
        self.turn.check(side)
    }

    /// Lets one side have it, after all that the other was told to do before. Nothing is done if it has it already.
    pub fn give(&self, side: Side, wgpu: &wgpu::Context, cuda: &cuda::Context) -> Result<(), Error> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if self.turn.side() == side {
            return Ok(());
        }
        cuda.not_capturing("handing shared memory over")?;
        // Each step raises the value, whether what follows goes well or not: none is signalled twice.
        *reached += 1;
        let value = *reached;
        // Whoever waits is told to do so after whoever signals, so every wait ends.
        match side {
            Side::Cuda => {
                wgpu.release(&self.buffer)?;
                let taken = match &self.timeline {
                    None => wgpu.wait(),
                    Some(timeline) => {
                        timeline.of_wgpu.signal(wgpu, value).and_then(|()| timeline.of_cuda.wait(value))
                    }
                };
                if let Err(error) = taken {
                    wgpu.acquire(&self.buffer)?;
                    return Err(error);
                }
            }
            Side::Wgpu => {
                match &self.timeline {
                    None => cuda.wait()?,
                    Some(timeline) => {
                        timeline.of_cuda.signal(value)?;
                        timeline.of_wgpu.wait(value)?;
                    }
                }
                wgpu.acquire(&self.buffer)?;
            }
        }
        self.turn.give(side);
        Ok(())
    }

    /// Whether the host waits at each hand-over.
    pub fn blocks(&self) -> bool {
        self.timeline.is_none()
    }
}
