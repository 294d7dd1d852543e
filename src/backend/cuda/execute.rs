//! Launches plans into the stream.
#![allow(unsafe_code)]

use std::{ffi::c_void, ptr, sync::PoisonError};

use cudarc::driver::result;

use super::{
    Context, Memory,
    functions::{Function, Kind},
    guard::check,
    kernel,
    memory::Area,
    translate::SLOTS,
};
use crate::{
    backend::Buffers,
    error::Error,
    kernel::{Kernel, Operator, scan::Params},
    plan::{Dispatch, Plan, Region},
};

/// Slots of the bindings that kernels of `shaders/cuda/` take, from 1 on: their arguments after the parameters.
const WRITTEN_SLOTS: usize = 5;
/// Where `plan::scan` binds the input and the output.
const INPUT: usize = 1;
const OUTPUT: usize = 2;

/// A binding, as `metal.cuh` has it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Buffer {
    start: u64,
    bytes: u32,
    padding: u32,
}

impl Context {
    /// Compiles what `plan` needs.
    pub fn prepare(&self, plan: &Plan, operator: &Operator) -> Result<(), Error> {
        self.bind()?;
        for dispatch in &plan.dispatches {
            self.function(operator, dispatch)?;
        }
        Ok(())
    }

    /// Submits `plan`. Everything that can fail but the launches themselves is done before the first of them.
    pub fn run(&self, plan: &Plan, operator: &Operator, buffers: Buffers<'_>) -> Result<(), Error> {
        let buffers: Vec<&Memory> = buffers.iter().map(|memory| memory.cuda()).collect::<Result<_, _>>()?;
        // Scans share memory, so their kernels must not mix in the stream. It also keeps two threads from holding
        // each other's buffers.
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        self.bind()?;
        for write in &plan.writes {
            let Region::Buffer(number) = write.region else { continue };
            self.copy_constant(&write.words, buffers[number], write.offset)?;
        }
        if plan.dispatches.is_empty() {
            return Ok(());
        }
        let functions: Vec<_> = plan
            .dispatches
            .iter()
            .map(|dispatch| self.function(operator, dispatch))
            .collect::<Result<_, _>>()?;
        let plain = |_| Vec::new();
        let scratch = self.shared(&mut shared.scratch, plan.scratch, plain)?;
        let marks = self.shared(&mut shared.marks, plan.marks, plain)?;
        let counted = self.shared(&mut shared.counted, plan.counted, plain)?;
        let needed =
            plan.dispatches.iter().zip(&functions).filter_map(|(d, f)| own_states(d, f, operator)).max();
        let states = match needed {
            None => self.shared(&mut shared.states, plan.states, plain)?,
            Some(bytes) => {
                // Entries of values of another width would lie across each other.
                let states = shared.own_states.entry(operator.element.word_count()).or_default();
                self.shared(states, bytes, |size| kernel::states_header(operator, size))?
            }
        };

        let mut held = Vec::new();
        for (i, memory) in buffers.iter().enumerate() {
            if !buffers[..i].iter().any(|other| other.id() == memory.id()) {
                held.push(memory.hold());
            }
        }
        let _used: Vec<_> = held.iter_mut().map(|owner| owner.write(&self.stream)).collect();
        for (dispatch, function) in plan.dispatches.iter().zip(&functions) {
            let mut bound = [Buffer::default(); SLOTS];
            for binding in &dispatch.bindings {
                let range = &binding.range;
                let start = match binding.region {
                    Region::Buffer(number) => buffers[number].base(),
                    Region::Scratch => scratch.start,
                    Region::Marks => marks.start,
                    Region::Counted => counted.start,
                    Region::States => states.start,
                };
                let bytes = match binding.region {
                    // Kernels find their way in it by its length, which must not change.
                    Region::States => states.bytes,
                    _ => range.end - range.start,
                };
                // Plans bind less than 2^32 bytes at once.
                bound[binding.slot as usize] =
                    Buffer { start: start + range.start, bytes: bytes as u32, padding: 0 };
            }
            self.launch(dispatch, function, bound, counted)?;
        }
        Ok(())
    }

    fn launch(
        &self,
        dispatch: &Dispatch,
        function: &Function,
        mut bound: [Buffer; SLOTS],
        counted: Area,
    ) -> Result<(), Error> {
        let params = dispatch.counted.map(|offset| counted.start + offset);
        let mut arguments = vec![match &params {
            Some(place) => argument(place),
            None => argument(&dispatch.params[0]),
        }];
        let (grid, shared) = match function.kind {
            Kind::Translated => {
                arguments.push(argument(&bound));
                (dispatch.grid, 0)
            }
            Kind::Written { shared, resident } => {
                // In one buffer both are bound as the output.
                if bound[INPUT].start == 0 {
                    bound[INPUT] = bound[OUTPUT];
                }
                arguments.extend(bound[1..=WRITTEN_SLOTS].iter().map(|buffer| argument(&buffer.start)));
                let tiles = dispatch.grid[0] * dispatch.grid[1];
                match resident {
                    Some(resident) if tiles <= resident.one => ([tiles, 1], resident.shared_of_one),
                    Some(resident) => ([resident.all.min(tiles), 1], shared),
                    None => (dispatch.grid, shared),
                }
            }
        };
        // SAFETY: kernels of `shaders/cuda/` take the parameters' words and an address for each of their slots;
        // translated ones the parameters' words, or their address, and all bindings. A function lives as long as the
        // context, which keeps it. The plan keeps to the ranges of the buffers, which are held, and to shared memory
        // of the size that was made; both outlive the work in the stream's order.
        let launched = unsafe {
            result::launch_kernel(
                function.function.cu_function(),
                (grid[0], grid[1], 1),
                (function.threads, 1, 1),
                shared,
                self.stream.cu_stream(),
                &mut arguments,
            )
        };
        check("launching a kernel", 0, launched)
    }
}

/// Where a launch finds an argument.
fn argument<T>(value: &T) -> *mut c_void {
    ptr::from_ref(value).cast_mut().cast()
}

/// Bytes of states for a single pass that is written in CUDA C++: they are not laid out as plans think.
fn own_states(dispatch: &Dispatch, function: &Function, operator: &Operator) -> Option<u64> {
    let Kind::Written { resident: Some(_), .. } = function.kind else { return None };
    let Kernel::Scan(kernel) = &dispatch.kernel else { return None };
    let params: &Params = bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params));
    Some(kernel::states(operator, params.tiles.into(), kernel.tile().into()))
}
