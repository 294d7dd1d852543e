//! Prefix scan on any GPU through [`wgpu`], and on the CPU.
#![warn(missing_docs)]

mod backend;
mod buffer;
mod device;
mod element;
mod error;
mod kernel;
mod monoid;
pub mod order;
mod plan;
mod scan;
mod textbook;
pub mod trace;
mod tuning;
mod unroll;

pub use buffer::GpuBuffer;
pub use device::{Counters, Device, DeviceRequest};
pub use element::{Element, Number};
pub use error::Error;
pub use monoid::{Monoid, Sum};
pub use plan::Algorithm;
pub use scan::GpuScan;
pub use wgpu;
