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
    kernel::{self, Operator},
    library,
};
use crate::{
    error::Error,
    kernel::{Kernel, scan::Pass},
};

/// Shared memory that a block may have without being asked for it.
const PLAIN_SHARED: u32 = 48 << 10;

/// A kernel, ready to be launched.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub function: CudaFunction,
    pub threads: u32,
    pub shared: u32,
    /// For kernels whose blocks go from tile to tile.
    pub resident: Option<Resident>,
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
pub(super) struct Functions(Mutex<HashMap<Operator, HashMap<Kernel, Function>>>);

impl Context {
    /// The function of `kernel` for `operator`; compiled on first use.
    pub(super) fn function(&self, operator: &Operator, kernel: &Kernel) -> Result<Function, Error> {
        let mut functions = self.functions.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernel::known(kernel)?;
        let key = Kernel::from(kernel);
        if let Some(function) = functions.get(operator).and_then(|kernels| kernels.get(&key)) {
            return Ok(function.clone());
        }
        self.not_capturing("a kernel that is not compiled yet")?;
        let name = key.name();
        let code = self.code(operator, &kernel, name)?;
        let module = check(
            "loading a kernel",
            code.len() as u64,
            self.stream.context().load_module(Ptx::from_binary(code)),
        )?;
        let function = check("loading a kernel", 0, module.load_function(name))?;

        let threads = kernel::threads(&kernel);
        let shared = kernel::shared_bytes(operator, &kernel);
        let declared = check("asking for a kernel's memory", 0, function.shared_size_bytes())? as u32;
        if shared + declared > self.most_shared {
            return Err(Error::Unsupported {
                what: "bytes of shared memory in a block",
                expected: (shared + declared).into(),
                found: self.most_shared.into(),
            });
        }
        if shared + declared > PLAIN_SHARED {
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
                let shared_of_one = kernel::shared_bytes_of_one(operator, &kernel);
                Some(Resident { all: blocks(shared)?, one: blocks(shared_of_one)?, shared_of_one })
            }
            _ => None,
        };
        let function = Function { function, threads, shared, resident };
        count(&self.counters.pipelines);
        functions.entry(operator.clone()).or_default().insert(key, function.clone());
        Ok(function)
    }

    /// The machine code, from disk or from the compiler.
    fn code(
        &self,
        operator: &Operator,
        kernel: &crate::kernel::scan::ScanKernel,
        name: &'static str,
    ) -> Result<Vec<u8>, Error> {
        let source = kernel::assemble(operator, kernel);
        let Self { architecture, driver, .. } = self;
        let key = format!("{architecture} driver {driver} {:?}\n{}", compile::OPTIONS, source.text);
        if let Some(code) = self.cache.get(&key) {
            return Ok(code);
        }
        library::nvrtc(*driver)?;
        let code = compile::compile(name, &source, architecture)?;
        self.cache.put(&key, &code);
        Ok(code)
    }
}
