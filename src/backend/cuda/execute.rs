//! Launches plans into the stream.
#![allow(unsafe_code)]

use std::{ffi::c_void, ptr, sync::PoisonError};

use cudarc::driver::{DevicePtrMut, result};

use super::{Context, Memory, guard::check, kernel::Operator};
use crate::{
    error::Error,
    kernel::{Kernel, scan::Params, scan::Pass},
    plan::{Dispatch, Plan, Region},
};

/// Slots of a kernel's bindings, from 1 on: its arguments after the parameters.
const SLOTS: usize = 5;
/// Where `plan::scan` binds the input and the output.
const INPUT: usize = 1;
const OUTPUT: usize = 2;

impl Context {
    /// Compiles what `plan` needs.
    pub fn prepare(&self, plan: &Plan, operator: &Operator) -> Result<(), Error> {
        self.bind()?;
        for dispatch in &plan.dispatches {
            self.function(operator, &dispatch.kernel)?;
        }
        Ok(())
    }

    /// Submits `plan`. Everything that can fail but the launches themselves is done before the first of them.
    pub fn run(&self, plan: &Plan, operator: &Operator, buffers: &[&Memory]) -> Result<(), Error> {
        if plan.dispatches.is_empty() {
            return Ok(());
        }
        // Scans share memory, so their kernels must not mix in the stream. It also keeps two threads from holding
        // each other's buffers.
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        self.bind()?;
        let functions: Vec<_> = plan
            .dispatches
            .iter()
            .map(|dispatch| self.function(operator, &dispatch.kernel))
            .collect::<Result<_, _>>()?;
        let scratch = self.shared(&mut shared.scratch, plan.scratch, |_| Vec::new())?;
        let needed = plan.dispatches.iter().filter_map(|dispatch| states_of(dispatch, operator)).max();
        let states = match needed {
            None => 0,
            Some(bytes) => {
                // Entries of values of another width would lie across each other.
                let states = shared.states.entry(operator.words()).or_default();
                self.shared(states, bytes, |size| operator.states_header(size))?
            }
        };

        let mut held = Vec::new();
        for (i, memory) in buffers.iter().enumerate() {
            if !buffers[..i].iter().any(|other| other.id() == memory.id()) {
                held.push(memory.hold());
            }
        }
        let _used: Vec<_> = held.iter_mut().map(|slice| slice.device_ptr_mut(&self.stream)).collect();
        for (dispatch, function) in plan.dispatches.iter().zip(&functions) {
            let mut places = [0u64; SLOTS + 1];
            for binding in &dispatch.bindings {
                places[binding.slot as usize] = match binding.region {
                    Region::Buffer(number) => buffers[number].base() + binding.range.start,
                    Region::Scratch => scratch + binding.range.start,
                    // No plan of these kernels has marks, or counts on the device.
                    Region::States | Region::Marks | Region::Counted => states,
                };
            }
            // In one buffer both are bound as the output.
            if places[INPUT] == 0 {
                places[INPUT] = places[OUTPUT];
            }
            let tiles = dispatch.grid[0] * dispatch.grid[1];
            let ([x, y], shared) = match function.resident {
                Some(resident) if tiles <= resident.one => ([tiles, 1], resident.shared_of_one),
                Some(resident) => ([resident.all.min(tiles), 1], function.shared),
                None => (dispatch.grid, function.shared),
            };
            let mut arguments = vec![ptr::from_ref(&dispatch.params[0]).cast_mut().cast::<c_void>()];
            arguments
                .extend(places[1..].iter().map(|place| ptr::from_ref(place).cast_mut().cast::<c_void>()));
            // SAFETY: every kernel takes the parameters' words and SLOTS addresses, and lives as long as `functions`
            // (and the context, which keeps them all). The plan keeps to the ranges of the buffers, which are held,
            // and to scratch of the size that was made; both outlive the work in the stream's order.
            let launched = unsafe {
                result::launch_kernel(
                    function.function.cu_function(),
                    (x, y, 1),
                    (function.threads, 1, 1),
                    shared,
                    self.stream.cu_stream(),
                    &mut arguments,
                )
            };
            check("launching a kernel", 0, launched)?;
        }
        Ok(())
    }
}

/// Bytes of states for a single pass.
fn states_of(dispatch: &Dispatch, operator: &Operator) -> Option<u64> {
    match &dispatch.kernel {
        Kernel::Scan(kernel) if kernel.pass == Pass::LookBack => {
            let params: &Params = bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params));
            Some(operator.states(params.tiles.into(), kernel.tile().into()))
        }
        #[allow(unreachable_patterns)]
        _ => None,
    }
}
