//! Uniform parameters, addressed by their content.
//!
//! A recorded dispatch must find its parameters unchanged whenever it runs, and a warm call must allocate
//! nothing. So a slot is written once and never again; calls with the same parameters share it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{Context, Counters};
use crate::{error::Error, kernel::ParamWords};

/// The parameters of no kernel are longer.
const MOST_BYTES: u64 = 256;
/// Slots in a page; a page is one small buffer.
const SLOTS: u64 = 256;
/// Beyond this many the known slots are forgotten, and with them pages that no recorded command holds.
const MOST: usize = 16 * SLOTS as usize;

#[derive(Debug)]
pub(super) struct Parameters {
    /// Bytes from one slot to the next.
    stride: u64,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    known: HashMap<ParamWords, Slot>,
    /// The page being filled, and its next free slot.
    open: Option<(wgpu::Buffer, u64)>,
}

/// Where parameters lie.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    buffer: wgpu::Buffer,
    offset: u64,
    size: u64,
}

impl Slot {
    pub fn binding(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: self.offset,
            size: wgpu::BufferSize::new(self.size),
        })
    }
}

impl Parameters {
    /// `alignment` is the device's for uniform and storage bindings.
    pub fn new(alignment: u64) -> Self {
        Self { stride: MOST_BYTES.next_multiple_of(alignment), pages: Default::default() }
    }
}

impl Context {
    /// Memory that holds these words for good, and where in it.
    pub fn constant(&self, words: &[u32]) -> Result<(wgpu::Buffer, u64), Error> {
        let slot = self.parameters(&words.to_vec())?;
        Ok((slot.buffer, slot.offset))
    }

    /// A slot that holds `params` for good.
    pub(super) fn parameters(&self, params: &ParamWords) -> Result<Slot, Error> {
        let Parameters { stride, pages } = &self.parameters;
        let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = pages.known.get(params) {
            return Ok(slot.clone());
        }
        let (buffer, index) = match pages.open.take() {
            Some((buffer, index)) if index < SLOTS => (buffer, index),
            _ => {
                let usages = wgpu::BufferUsages::UNIFORM
                    | wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST;
                let buffer = self.allocate("gpuscan parameters", stride * SLOTS, usages)?;
                Counters::count(&self.counters.parameters);
                (buffer, 0)
            }
        };
        let bytes: &[u8] = bytemuck::cast_slice(params);
        let slot = Slot { buffer: buffer.clone(), offset: index * stride, size: bytes.len() as u64 };
        self.guarded("writing parameters", 0, || {
            self.queue.write_buffer(&slot.buffer, slot.offset, bytes);
        })?;
        pages.open = Some((buffer, index + 1));
        if pages.known.len() >= MOST {
            pages.known.clear();
        }
        pages.known.insert(params.clone(), slot.clone());
        Ok(slot)
    }
}
