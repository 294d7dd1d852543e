//! What stands in where memory cannot be shared: no link can be made.

use crate::{
    backend::{GpuMemory, cuda, wgpu},
    error::Error,
};

#[derive(Debug)]
pub(crate) enum Link {}

fn absent() -> Error {
    Error::NotShared { missing: "expected Linux, and a build with the feature `native`".into() }
}

pub(crate) fn beside(_wgpu: &wgpu::Context) -> Result<cuda::Context, Error> {
    Err(absent())
}

impl Link {
    pub fn new(_wgpu: &wgpu::Context, _cuda: &cuda::Context, _bytes: u64) -> Result<Self, Error> {
        Err(absent())
    }

    pub fn halves(&self) -> [GpuMemory; 2] {
        match *self {}
    }

    pub fn check(&self, _side: super::Side) -> Result<(), Error> {
        match *self {}
    }

    pub fn give(
        &self,
        _side: super::Side,
        _wgpu: &wgpu::Context,
        _cuda: &cuda::Context,
    ) -> Result<(), Error> {
        match *self {}
    }

    pub fn blocks(&self) -> bool {
        match *self {}
    }
}
