//! What stands in for the CUDA backend where it is not compiled in: nothing of it can be made.

use crate::{
    backend::Buffers, device::Counters, error::Error, kernel::Operator, plan::Plan, tuning::Capabilities,
};

#[derive(Debug)]
pub(crate) enum Context {}

#[derive(Clone, Debug)]
pub(crate) enum Memory {}

impl Memory {
    pub fn id(&self) -> usize {
        match *self {}
    }

    pub fn bytes(&self) -> u64 {
        match *self {}
    }
}

impl Context {
    pub fn upload(&self, _bytes: &[u8]) -> Result<Memory, Error> {
        match *self {}
    }

    pub fn zeros(&self, _bytes: u64) -> Result<Memory, Error> {
        match *self {}
    }

    pub fn write(&self, _memory: &Memory, _offset: u64, _bytes: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    pub fn download(&self, _memory: &Memory, _offset: u64, _bytes: &mut [u8]) -> Result<(), Error> {
        match *self {}
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<(), Error> {
        match *self {}
    }

    pub fn describe(&self) -> String {
        match *self {}
    }

    pub fn counters(&self) -> Counters {
        match *self {}
    }

    pub fn capabilities(&self) -> &Capabilities {
        match *self {}
    }

    pub fn capabilities_for(&self, _operator: &Operator) -> &Capabilities {
        match *self {}
    }

    pub fn constant(&self, _words: &[u32]) -> Result<(Memory, u64), Error> {
        match *self {}
    }

    pub fn prepare(&self, _plan: &Plan, _operator: &Operator) -> Result<(), Error> {
        match *self {}
    }

    pub fn run(&self, _plan: &Plan, _operator: &Operator, _buffers: Buffers<'_>) -> Result<(), Error> {
        match *self {}
    }
}
