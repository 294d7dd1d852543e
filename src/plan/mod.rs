//! What to dispatch, as plain data.
//!
//! A plan is made from lengths, offsets and limits alone, so every decision (which kernel, how many pieces,
//! what is bound where) can be tested without a device. Backends execute plans and know nothing of what they
//! compute. Each primitive has a file here.

pub(crate) mod balance;
pub(crate) mod histogram;
pub(crate) mod range;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod sort;

use std::ops::Range;

use crate::{
    error::Error,
    kernel::{Kernel, ParamWords},
    tuning::Capabilities,
};

/// Where a range of elements lies in a device buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// First byte.
    pub offset: u64,
    /// Bytes in the whole buffer.
    pub buffer: u64,
}

/// What a binding is a range of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// One of the caller's buffers, by its number in the list that the plan is run with.
    Buffer(usize),
    Scratch,
    /// Parameters that are written on the device.
    Counted,
    /// Scratch that is only read where other scratch is written.
    Marks,
    /// The single-pass kernel's own memory, always bound whole: the range is not looked at.
    States,
}

/// A storage binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// `@binding(slot)` in the kernel.
    pub slot: u32,
    pub region: Region,
    /// Bytes.
    pub range: Range<u64>,
}

impl Binding {
    pub fn scratch(slot: u32, range: &Range<u64>) -> Self {
        Self { slot, region: Region::Scratch, range: range.clone() }
    }
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub kernel: Kernel,
    pub grid: [u32; 2],
    /// Bound as `@binding(0)`.
    pub params: ParamWords,
    pub bindings: Vec<Binding>,
    /// The parameters are not those above: a dispatch before this one has written them, so many bytes into
    /// the memory of such.
    pub counted: Option<u64>,
}

/// Bytes from one such dispatch's parameters to the next's: every device can bind there.
pub(crate) const COUNTED_BYTES: u64 = 256;

/// Dispatches in order, and the scratch memory they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub dispatches: Vec<Dispatch>,
    /// Bytes of scratch.
    pub scratch: u64,
    /// Bytes of states that a single pass needs.
    pub states: u64,
    /// Bytes of parameters that are written on the device.
    pub counted: u64,
    /// Bytes of marks.
    pub marks: u64,
    /// Words that are known beforehand, written after the dispatches: the results of nothing.
    pub writes: Vec<Write>,
}

/// Words and where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub region: Region,
    /// Bytes.
    pub offset: u64,
    pub words: Vec<u32>,
}

/// Ranges of one scratch buffer, each where a binding may start.
pub(crate) struct Scratch {
    alignment: u64,
    end: u64,
}

impl Scratch {
    pub fn new(capabilities: &Capabilities) -> Self {
        Self { alignment: capabilities.binding_alignment, end: 0 }
    }

    /// The next `bytes` bytes.
    pub fn take(&mut self, bytes: u64) -> Range<u64> {
        let start = self.end.next_multiple_of(self.alignment);
        self.end = start + bytes;
        start..self.end
    }

    /// Bytes in use.
    pub fn size(&self) -> u64 {
        self.end
    }
}

impl Capabilities {
    /// Where a binding that holds byte `offset` may start.
    pub fn aligned(&self, offset: u64) -> u64 {
        offset - offset % self.binding_alignment
    }

    /// Kernels count in 32 bits, whatever a device allows.
    pub fn widest_binding(&self) -> u64 {
        self.max_binding.min(1 << 31)
    }

    /// An error unless one binding can span `range`.
    pub fn fits(&self, what: &'static str, range: &Range<u64>) -> Result<(), Error> {
        let (expected, found) = (self.widest_binding(), range.end - range.start);
        match found <= expected {
            true => Ok(()),
            false => Err(Error::TooLarge { what, unit: "bytes", expected, found }),
        }
    }

    /// As many workgroups as tiles, in as few rows as the device allows; the last row may have a few over,
    /// which kernels have to leave at once.
    pub fn grid(&self, tiles: u64) -> Result<[u32; 2], Error> {
        let most = u64::from(self.max_groups);
        let rows = tiles.div_ceil(most);
        if rows > most {
            return Err(Error::TooLarge {
                what: "the grid of a dispatch",
                unit: "workgroups",
                expected: most * most,
                found: tiles,
            });
        }
        Ok([tiles.div_ceil(rows) as u32, rows as u32])
    }
}
