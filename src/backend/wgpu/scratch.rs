//! Memory that all scans of a device share.
//!
//! Commands run in the order of the queue, and a scan is done with this memory when the next begins, also
//! inside one encoder. So one buffer of each kind serves all; when it has to grow, commands already recorded
//! keep the old one.

use std::sync::{Mutex, PoisonError};

use super::{Context, Counters};
use crate::error::Error;

/// A buffer that grows. There are four: scratch holds anything between scans; states is kept as the
/// single-pass kernel leaves it, and only that kernel touches it; marks is scratch that a dispatch reads while it
/// writes the other, which one buffer does not
/// allow; counted holds parameters that a dispatch writes for the next ones.
#[derive(Debug)]
pub(super) struct Scratch {
    label: &'static str,
    buffer: Mutex<Option<wgpu::Buffer>>,
}

impl Scratch {
    pub fn new(label: &'static str) -> Self {
        Self { label, buffer: Mutex::default() }
    }
}

impl Context {
    /// A buffer of at least `bytes`; all zero when it is new.
    pub(super) fn shared(&self, scratch: &Scratch, bytes: u64) -> Result<wgpu::Buffer, Error> {
        let mut current = scratch.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(buffer) = current.as_ref().filter(|buffer| buffer.size() >= bytes) {
            return Ok(buffer.clone());
        }
        // Doubling keeps a slowly growing input from allocating every time.
        let most = self.device.limits().max_buffer_size;
        let size = bytes.next_power_of_two().max(4096).min(most.max(bytes));
        let buffer =
            self.allocate(scratch.label, size, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM)?;
        Counters::count(&self.counters.scratch);
        *current = Some(buffer.clone());
        Ok(buffer)
    }
}
