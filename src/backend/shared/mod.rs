//! Memory that a wgpu device and a CUDA device have by turns.
#![cfg_attr(not(all(feature = "cuda", target_os = "linux", feature = "native")), allow(dead_code))]

#[cfg(all(feature = "cuda", target_os = "linux", feature = "native"))]
mod link;
#[cfg(all(feature = "cuda", not(all(target_os = "linux", feature = "native"))))]
#[path = "absent.rs"]
mod link;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::GpuMemory;
use crate::error::Error;

#[cfg(feature = "cuda")]
pub(crate) use link::{Link, beside};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Wgpu,
    Cuda,
}

/// Whose turn it is: at first wgpu's.
#[derive(Debug, Default)]
pub(crate) struct Turn(AtomicBool);

impl Turn {
    pub fn side(&self) -> Side {
        match self.0.load(Ordering::Acquire) {
            false => Side::Wgpu,
            true => Side::Cuda,
        }
    }

    pub fn give(&self, side: Side) {
        self.0.store(side == Side::Cuda, Ordering::Release);
    }

    /// An error unless it is this side's turn.
    pub fn check(&self, side: Side) -> Result<(), Error> {
        if self.side() == side {
            return Ok(());
        }
        let (expected, found) = match side {
            Side::Wgpu => ("that SharedBuffer::to_wgpu had handed it over", "the CUDA device has it"),
            Side::Cuda => ("that SharedBuffer::to_cuda had handed it over", "the wgpu device has it"),
        };
        Err(Error::WrongDevice { what: "shared memory", expected: expected.into(), found: found.into() })
    }
}

/// The memory as one of the two knows it.
#[derive(Clone, Debug)]
pub(crate) struct Half {
    memory: Box<GpuMemory>,
    side: Side,
    turn: Arc<Turn>,
}

impl Half {
    pub fn new(memory: GpuMemory, side: Side, turn: Arc<Turn>) -> Self {
        Self { memory: Box::new(memory), side, turn }
    }

    /// To be named, and not to be used.
    pub fn always(&self) -> &GpuMemory {
        &self.memory
    }

    /// To be used, if it is this side's turn.
    pub fn now(&self) -> Result<&GpuMemory, Error> {
        self.turn.check(self.side)?;
        Ok(&self.memory)
    }
}
