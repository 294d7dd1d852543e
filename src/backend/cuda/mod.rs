//! CUDA: NVIDIA's driver and compiler, both looked for when a program runs.
//!
//! Plans are those of every backend. What differs: kernels are CUDA C++, written or translated from WGSL, parameters are
//! arguments of a launch, and everything goes into one stream.

mod cache;
mod compile;
mod constants;
mod execute;
mod functions;
mod guard;
#[cfg(all(target_os = "linux", feature = "native"))]
mod import;
mod interop;
mod kernel;
mod library;
mod memory;
#[cfg(test)]
mod tests;
mod translate;
#[cfg(test)]
mod translate_tests;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUdevice_attribute as Attribute, CUstreamCaptureStatus},
};

use crate::{
    backend::wgpu as gpu,
    device::Counters,
    error::Error,
    kernel::Operator,
    tuning::{self, Capabilities},
};
use guard::check;

#[cfg(all(target_os = "linux", feature = "native"))]
pub(crate) use import::Semaphore;
pub(crate) use memory::Memory;

/// A stream with everything made for it once.
#[derive(Debug)]
pub(crate) struct Context {
    stream: Arc<CudaStream>,
    name: String,
    /// As the compiler calls it.
    architecture: String,
    /// The CUDA version of the driver.
    driver: i32,
    multiprocessors: u32,
    /// Bytes of shared memory that a block may have.
    most_shared: u32,
    /// For kernels that are translated from WGSL.
    capabilities: Capabilities,
    /// For those of `shaders/cuda/`.
    of_written: Capabilities,
    /// Bytes in the largest buffer that the user wants.
    most_bytes: u64,
    functions: functions::Functions,
    cache: cache::Cache,
    shared: Mutex<SharedMemory>,
    constants: constants::Constants,
    counters: Made,
}

/// What plans call by these names, for kernels of all operators.
#[derive(Debug, Default)]
struct SharedMemory {
    scratch: memory::Shared,
    marks: memory::Shared,
    counted: memory::Shared,
    states: memory::Shared,
    /// States of the single pass that is written in CUDA C++, by the number of words in a value.
    own_states: HashMap<u32, memory::Shared>,
}

/// How often something was made that a warm call must not make.
#[derive(Debug, Default)]
struct Made {
    pipelines: AtomicU64,
    scratch: AtomicU64,
    parameters: AtomicU64,
    buffers: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Context {
    /// A stream of our own on device `index`.
    fn open(index: usize) -> Result<Self, Error> {
        let driver = library::driver()?;
        let devices = check("counting devices", 0, CudaContext::device_count())? as usize;
        if index >= devices {
            return Err(Error::NoDevice {
                adapter: format!("CUDA device {index}"),
                reason: format!("the driver shows {devices} devices, numbered from 0"),
            });
        }
        let no_device = |error| Error::NoDevice {
            adapter: format!("CUDA device {index}"),
            reason: guard::message(error),
        };
        let context = CudaContext::new(index).map_err(no_device)?;
        // SAFETY: this handle of the context has one stream, and nothing was allocated through it yet. Without the
        // events of a second one scans can be captured into graphs.
        #[allow(unsafe_code)]
        unsafe {
            context.disable_event_tracking();
        }
        let stream = context.new_stream().map_err(no_device)?;
        Self::new(stream, driver)
    }

    /// The same within limits.
    fn open_within(index: usize, request: &gpu::Request) -> Result<Self, Error> {
        let mut context = Self::open(index)?;
        for capabilities in [&mut context.capabilities, &mut context.of_written] {
            capabilities.max_binding = request.max_binding.unwrap_or(u64::MAX);
            capabilities.max_groups = request.max_groups.unwrap_or(u32::MAX).min(capabilities.max_groups);
            capabilities.tile_log2 = request.tile_log2.or(capabilities.tile_log2);
        }
        context.capabilities.subgroups = request.subgroups;
        context.capabilities.patience = request.patience.unwrap_or(tuning::PATIENCE);
        context.capabilities.tiles_at_once = request.tiles_at_once;
        context.capabilities.fault = request.fault;
        context.most_bytes = request.max_buffer.unwrap_or(u64::MAX);
        Ok(context)
    }

    fn new(stream: Arc<CudaStream>, driver: i32) -> Result<Self, Error> {
        let context = stream.context();
        let what = "asking about the device";
        let (major, minor) = check(what, 0, context.compute_capability())?;
        let attribute = |attribute| check(what, 0, context.attribute(attribute)).map(|value| value as u32);
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let most_shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        if major * 10 + minor < OLDEST_ARCHITECTURE {
            return Err(Error::Unsupported {
                what: "tenths of compute capability",
                expected: OLDEST_ARCHITECTURE as u64,
                found: (major * 10 + minor) as u64,
            });
        }
        let capabilities = Capabilities {
            software: false,
            subgroups: true,
            progress: false,
            max_binding: u64::MAX,
            binding_alignment: memory::QUAD_BYTES,
            max_groups: 65_535,
            tile_log2: None,
            tiles_at_once: None,
            patience: tuning::PATIENCE,
            fault: None,
        };
        let of_written = Capabilities {
            progress: true,
            // Three tiles of 2^13 words do not fit everywhere.
            tile_log2: (most_shared < 3 * (4 << 13) + 1024).then_some(12),
            ..capabilities.clone()
        };
        Ok(Self {
            name: check(what, 0, context.name())?,
            architecture: format!("sm_{major}{minor}"),
            driver,
            multiprocessors,
            most_shared,
            capabilities,
            of_written,
            most_bytes: u64::MAX,
            functions: Default::default(),
            cache: cache::Cache::from_env(),
            shared: Default::default(),
            constants: Default::default(),
            counters: Default::default(),
            stream,
        })
    }

    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// What plans for this operator depend on.
    pub fn capabilities_for(&self, operator: &Operator) -> &Capabilities {
        match operator.cuda {
            Some(_) => &self.of_written,
            None => &self.capabilities,
        }
    }

    pub fn counters(&self) -> Counters {
        Counters {
            pipelines: self.counters.pipelines.load(Ordering::Relaxed),
            scratch: self.counters.scratch.load(Ordering::Relaxed),
            parameters: self.counters.parameters.load(Ordering::Relaxed),
            buffers: self.counters.buffers.load(Ordering::Relaxed),
        }
    }

    /// One line: the device's name, the driver and the architecture.
    pub fn describe(&self) -> String {
        let Self { name, architecture, multiprocessors, .. } = self;
        let driver = library::shown(self.driver);
        format!("{name} ({driver}, {architecture}, {multiprocessors} multiprocessors)")
    }

    /// Blocks until everything in the stream is done.
    pub fn wait(&self) -> Result<(), Error> {
        check("waiting for the device", 0, self.stream.synchronize())
    }

    /// Makes the device's context the calling thread's.
    fn bind(&self) -> Result<(), Error> {
        check("taking up the device's context", 0, self.stream.context().bind_to_thread())
    }

    fn is_capturing(&self) -> Result<bool, Error> {
        let status = check("asking about a capture", 0, self.stream.capture_status())?;
        Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
    }

    /// An error while the stream is captured into a graph, where `what` cannot be made.
    pub fn not_capturing(&self, what: &'static str) -> Result<(), Error> {
        match self.is_capturing()? {
            false => Ok(()),
            true => Err(Error::Driver {
                what,
                message: "the stream is being captured: expected the same call to have run once before"
                    .into(),
            }),
        }
    }
}

/// Volta and before have no independent threads that NVRTC 13 compiles for.
const OLDEST_ARCHITECTURE: i32 = 75;
