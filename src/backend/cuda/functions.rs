//! Compiled kernels, each loaded once.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use cudarc::{
    driver::{CudaFunction, sys::CUfunction_attribute as Attribute},
    nvrtc::Ptx,
};

use super::{
    Context, compile, count,
    guard::check,
    kernel, library,
    translate::{Translated, translate},
};
use crate::{
    error::Error,
    kernel::{
        Kernel, Operator, Source,
        scan::{Pass, ScanKernel},
    },
    plan::Dispatch,
};

/// Shared memory that a block may have without being asked for it.
const PLAIN_SHARED: u32 = 48 << 10;

/// A kernel, ready to be launched.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub function: CudaFunction,
    pub threads: u32,
    pub kind: Kind,
}

/// Where its text came from, which says how it is launched.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// From `shaders/cuda/`: takes its parameters and an address for each binding.
    Written {
        /// Bytes of shared memory beside what it declares.
        shared: u32,
        /// For kernels whose blocks go from tile to tile.
        resident: Option<Resident>,
    },
    /// From WGSL: takes its parameters, or where they are, and its bindings.
    Translated,
}

/// How many blocks the device runs at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resident {
    /// With all the shared memory that a block may use.
    pub all: u32,
    /// With as much as one tile takes, and how much that is: enough where no block takes another.
    pub one: u32,
    pub shared_of_one: u32,
}

#[derive(Debug, Default)]
pub(super) struct Functions(Mutex<HashMap<Operator, OfOperator>>);

/// By kernel, and whether its parameters are written on the device.
type OfOperator = HashMap<(Kernel, bool), Function>;

impl Context {
    /// The function of a dispatch for `operator`; compiled on first use.
    pub(super) fn function(&self, operator: &Operator, dispatch: &Dispatch) -> Result<Function, Error> {
        let mut functions = self.functions.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = kernel::known(operator, &dispatch.kernel);
        let kernel = written.map_or(dispatch.kernel, Kernel::from);
        let key = (kernel, dispatch.counted.is_some());
        if let Some(function) = functions.get(operator).and_then(|kernels| kernels.get(&key)) {
            return Ok(function.clone());
        }
        self.not_capturing("a kernel that is not compiled yet")?;
        let function = match written {
            Some(kernel) => self.written(operator, &kernel)?,
            None => {
                let Translated { source, threads } =
                    translate(operator, &kernel, dispatch.counted.is_some())?;
                let function = self.load(kernel.name(), &source)?;
                self.fits(&function, 0)?;
                Function { function, threads, kind: Kind::Translated }
            }
        };
        count(&self.counters.pipelines);
        functions.entry(operator.clone()).or_default().insert(key, function.clone());
        Ok(function)
    }

    fn written(&self, operator: &Operator, kernel: &ScanKernel) -> Result<Function, Error> {
        let function = self.load(kernel.pass.name(), &kernel::assemble(operator, kernel))?;
        let threads = kernel::threads(kernel);
        let shared = kernel::shared_bytes(operator, kernel);
        if self.fits(&function, shared)? > PLAIN_SHARED {
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            check("asking for shared memory", 0, function.set_attribute(attribute, shared as i32))?;
        }
        let resident = match kernel.pass {
            Pass::LookBack => {
                // As much shared memory as there is: it holds what is on its way.
                let carveout = Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
                check("asking for shared memory", 0, function.set_attribute(carveout, 100))?;
                let blocks = |shared: u32| {
                    let blocks = function.occupancy_max_active_blocks_per_multiprocessor(
                        threads,
                        shared as usize,
                        None,
                    );
                    check("asking for occupancy", 0, blocks)
                        .map(|blocks| blocks.max(1) * self.multiprocessors)
                };
                let shared_of_one = kernel::shared_bytes_of_one(operator, kernel);
                Some(Resident { all: blocks(shared)?, one: blocks(shared_of_one)?, shared_of_one })
            }
            _ => None,
        };
        Ok(Function { function, threads, kind: Kind::Written { shared, resident } })
    }

    /// Bytes of shared memory that a block takes, with `beside` what the text declares, if it may have as much.
    fn fits(&self, function: &CudaFunction, beside: u32) -> Result<u32, Error> {
        let declared = check("asking for a kernel's memory", 0, function.shared_size_bytes())? as u32;
        match beside + declared <= self.most_shared {
            true => Ok(beside + declared),
            false => Err(Error::Unsupported {
                what: "bytes of shared memory in a block",
                expected: (beside + declared).into(),
                found: self.most_shared.into(),
            }),
        }
    }

    fn load(&self, name: &'static str, source: &Source) -> Result<CudaFunction, Error> {
        let code = self.code(name, source)?;
        let module = check(
            "loading a kernel",
            code.len() as u64,
            self.stream.context().load_module(Ptx::from_binary(code)),
        )?;
        check("loading a kernel", 0, module.load_function(name))
    }

    /// The machine code, from disk or from the compiler.
    fn code(&self, name: &'static str, source: &Source) -> Result<Vec<u8>, Error> {
        let Self { architecture, driver, .. } = self;
        let key = format!("{architecture} driver {driver} {:?}\n{}", compile::OPTIONS, source.text);
        if let Some(code) = self.cache.get(&key) {
            return Ok(code);
        }
        library::nvrtc(*driver)?;
        let code = compile::compile(name, source, architecture)?;
        self.cache.put(&key, &code);
        Ok(code)
    }
}
