//! Words that the host knows, on the device: values that scans start from, and the results of nothing.
//!
//! They are found by their content. A slot is written once and never again, so that a warm call writes nothing, and
//! whatever is in the stream finds there what it was submitted with.
#![allow(unsafe_code)]

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use cudarc::driver::result;

use super::{Context, Memory, count, guard::check};
use crate::error::Error;

/// From one slot to the next: no element has more words.
const SLOT_BYTES: u64 = 256;
/// Slots in a page.
const SLOTS: u64 = 256;
/// Beyond this many, known words are forgotten, and with them pages that nothing else holds.
const MOST: usize = 16 * SLOTS as usize;

#[derive(Debug, Default)]
pub(super) struct Constants(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    known: HashMap<Vec<u32>, (Memory, u64)>,
    /// The page being filled, and its next free slot.
    open: Option<(Memory, u64)>,
    /// Pages that captured graphs may read.
    captured: Vec<Memory>,
}

impl Context {
    /// Memory that holds these words for good, and where in it.
    pub fn constant(&self, words: &[u32]) -> Result<(Memory, u64), Error> {
        self.bind()?;
        let mut pages = self.constants.0.lock().unwrap_or_else(PoisonError::into_inner);
        let capturing = self.is_capturing()?;
        if let Some((page, offset)) = pages.known.get(words).cloned() {
            if capturing && !pages.captured.iter().any(|held| held.id() == page.id()) {
                pages.captured.push(page.clone());
            }
            return Ok((page, offset));
        }
        self.not_capturing("a value that is not on the device yet")?;
        let (page, slot) = match pages.open.take() {
            Some((page, slot)) if slot < SLOTS => (page, slot),
            _ => {
                let page = self.allocate("a page of values", SLOTS * SLOT_BYTES)?;
                count(&self.counters.parameters);
                (Memory::new(page, &self.stream), 0)
            }
        };
        let offset = slot * SLOT_BYTES;
        self.write(&page, offset, bytemuck::cast_slice(words))?;
        pages.open = Some((page.clone(), slot + 1));
        if pages.known.len() >= MOST {
            pages.known.clear();
        }
        pages.known.insert(words.to_vec(), (page.clone(), offset));
        Ok((page, offset))
    }

    /// Overwrites part of `memory` with these words.
    pub(super) fn copy_constant(&self, words: &[u32], memory: &Memory, offset: u64) -> Result<(), Error> {
        let (page, source) = self.constant(words)?;
        let (from, to) = (page.hold(), memory.hold());
        // SAFETY: a slot of the page, and a range of the memory that its plan keeps to; both are held. The page is
        // given back, if it is, in the stream's order.
        let copied = unsafe {
            result::memcpy_dtod_async(
                memory.base() + offset,
                page.base() + source,
                size_of_val(words),
                self.stream.cu_stream(),
            )
        };
        drop((from, to));
        check("writing a known result", 0, copied)
    }
}
