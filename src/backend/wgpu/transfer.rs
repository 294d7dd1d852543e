//! Allocation, upload and download.

use std::ops::Range;

use super::{Context, Counters};
use crate::error::Error;

/// The usages of every buffer made here.
pub(super) const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Buffers end on a quad, so that every scan may use the fast kernels.
const QUAD_BYTES: u64 = 16;

/// Downloads go through a buffer of at most this size, piece by piece.
const STAGING: u64 = 64 << 20;

impl Context {
    /// A buffer of `bytes` bytes, unless the device allows none so large.
    pub(super) fn allocate(
        &self,
        what: &'static str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, Error> {
        self.check_size(what, bytes)?;
        self.guarded(what, bytes, || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(what),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        })
    }

    pub(super) fn check_size(&self, what: &'static str, found: u64) -> Result<(), Error> {
        let expected = self.device.limits().max_buffer_size;
        match found <= expected {
            true => Ok(()),
            false => Err(Error::TooLarge { what, unit: "bytes", expected, found }),
        }
    }

    /// An element buffer with room for `bytes` bytes.
    pub fn create(&self, bytes: u64) -> Result<wgpu::Buffer, Error> {
        let buffer = self.allocate("a buffer", padded(bytes), USAGES)?;
        self.alive()?;
        Counters::count(&self.counters.buffers);
        Ok(buffer)
    }

    /// An element buffer that holds `bytes`.
    pub fn upload(&self, bytes: &[u8]) -> Result<wgpu::Buffer, Error> {
        let what = "a buffer";
        let size = padded(bytes.len() as u64);
        self.check_size(what, size)?;
        let buffer = self.guarded(what, size, || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(what),
                size,
                usage: USAGES,
                mapped_at_creation: true,
            })
        })?;
        // On a lost device there is nothing to map.
        self.alive()?;
        Counters::count(&self.counters.buffers);
        self.guarded("an upload", size, || {
            let mut view = buffer
                .get_mapped_range_mut(..)
                .map_err(|error| Error::Driver { what: "an upload", message: error.to_string() })?;
            view.slice(..bytes.len()).copy_from_slice(bytes);
            drop(view);
            buffer.unmap();
            Ok(())
        })??;
        Ok(buffer)
    }

    /// Overwrites part of a buffer before whatever is submitted next.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.guarded("writing a buffer", bytes.len() as u64, || {
            self.queue.write_buffer(buffer, offset, bytes);
        })?;
        self.alive()
    }

    /// Copies a range of a buffer to the host, after everything submitted so far.
    pub async fn download(&self, buffer: &wgpu::Buffer, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        let size = STAGING.min(range.end - range.start);
        if size == 0 {
            self.alive()?;
            return Ok(bytes);
        }
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.allocate("a buffer for reading back", size, usage)?;
        let mut start = range.start;
        while start < range.end {
            let here = size.min(range.end - start);
            self.guarded("a download", here, || {
                let mut encoder = self.device.create_command_encoder(&Default::default());
                encoder.copy_buffer_to_buffer(buffer, start, &staging, 0, here);
                self.queue.submit([encoder.finish()]);
            })?;
            let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
            self.guarded("mapping a download", here, || {
                staging.map_async(wgpu::MapMode::Read, ..here, move |result| {
                    // The receiver is gone only when the download was given up.
                    let _ = sender.send(result);
                });
            })?;
            // Outside a browser somebody has to wait for the device, or the callback never comes.
            self.wait()?;
            let failed = |message: String| Error::Driver { what: "mapping a download", message };
            match receiver.receive().await {
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    // What went wrong before says more.
                    self.late.settled().await?;
                    return Err(self.alive().err().unwrap_or(failed(error.to_string())));
                }
                None => return Err(self.alive().err().unwrap_or(failed("no answer".into()))),
            }
            self.late.settled().await?;
            let view = staging.get_mapped_range(..here).map_err(|error| failed(error.to_string()))?;
            bytes.extend_from_slice(&view);
            drop(view);
            staging.unmap();
            start += here;
        }
        Ok(bytes)
    }
}

pub(super) fn padded(bytes: u64) -> u64 {
    bytes.max(1).checked_next_multiple_of(QUAD_BYTES).unwrap_or(u64::MAX)
}
