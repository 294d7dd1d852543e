//! One scratch buffer for all scans of a device.
//!
//! Commands run in the order of the queue, and a scan is done with its scratch when the next begins, also
//! inside one encoder. So one buffer serves all; when it has to grow, commands already recorded keep the old.

use std::sync::{Mutex, PoisonError};

use super::{Context, Counters};
use crate::error::Error;

#[derive(Debug, Default)]
pub(super) struct Scratch(Mutex<Option<wgpu::Buffer>>);

impl Context {
    /// A buffer of at least `bytes`, holding anything.
    pub(super) fn scratch(&self, bytes: u64) -> Result<wgpu::Buffer, Error> {
        let mut scratch = self
            .scratch
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(buffer) = scratch.as_ref().filter(|buffer| buffer.size() >= bytes) {
            return Ok(buffer.clone());
        }
        // Doubling keeps a slowly growing input from allocating every time.
        let size = bytes
            .next_power_of_two()
            .max(4096)
            .min(self.device.limits().max_buffer_size.max(bytes));
        let buffer = self.allocate("gpuscan scratch", size, wgpu::BufferUsages::STORAGE)?;
        Counters::count(&self.counters.scratch);
        *scratch = Some(buffer.clone());
        Ok(buffer)
    }
}
