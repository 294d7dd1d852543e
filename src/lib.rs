//! Prefix scan on any GPU through [`wgpu`], and on the CPU.
//!
//! A scan turns `[a, b, c, …]` into `[a, a⊕b, a⊕b⊕c, …]` for an associative operator ⊕: running sums, offsets
//! from counts, the last value seen. The order of the combinations is part of the interface ([`order`]), so
//! floats do not depend on subgroup sizes, thread counts or timing.
//!
//! ```
//! use gpuscan::{Device, GpuScan};
//!
//! # fn main() -> Result<(), gpuscan::Error> {
//! let device = Device::new()?; // the best adapter; blocks
//! let input = device.upload(&[3u32, 1, 7, 0, 4, 2, 1, 6])?;
//! let output = GpuScan::new(&device).inclusive(&input)?; // stays on the device; nothing waits
//! assert_eq!(output.to_vec()?, [3, 4, 11, 11, 15, 17, 18, 24]);
//! # Ok(())
//! # }
//! ```
//!
//! # Where to start
//!
//! * [`Device`] is where buffers live and scans run: the best adapter ([`Device::new`]), one that is chosen or
//!   awaited ([`Device::request`]), an application's own ([`Device::from_wgpu`]), or the CPU ([`Device::cpu`]).
//! * [`GpuBuffer`] is a range of elements ([`Element`]) on a device: uploaded
//!   ([`Device::upload`]), cut out of another ([`GpuBuffer::slice`]), or a caller's own memory
//!   ([`Device::wrap`]).
//! * [`GpuScan`] scans: into a new buffer ([`GpuScan::inclusive`], [`GpuScan::exclusive`]), into a given one
//!   ([`GpuScan::inclusive_into`]), in place ([`GpuScan::inclusive_in_place`]), into the caller's command encoder
//!   ([`GpuScan::encode_inclusive`]), or a slice on the host ([`GpuScan::inclusive_slice`]).
//! * [`Scanning`] scans in any shape: from a value, backwards, by rows, along an axis, by segments.
//! * [`Monoid`] is the operator: one that is built in (below), or any other in a few lines of Rust and WGSL, which
//!   [`Monoid::check`] tests. [`GpuScan::with_monoid`] takes it.
//! * [`GpuScan::compensated`] and [`GpuScan::exact`] are sums of `f32` that lose less, and nothing.
//! * [`macro@monoid`] makes an operator of a Rust function. [`Map`] fuses another type in or out.
//! * [`GpuReduce`], [`GpuCompact`], [`GpuRunLength`], [`GpuRadixSort`], [`GpuHistogram`], [`GpuCsr`],
//!   [`GpuRecurrence`], [`GpuBalance`] and [`GpuRangeSum`] are what scans are for.
//! * [`trace`] shows the textbook algorithms at work.
//!
//! Nothing waits for a GPU but `Device::wait` and the downloads `GpuBuffer::to_vec` and [`GpuBuffer::read`].
//!
//! # In a browser
//!
//! `wasm32-unknown-unknown` with `--no-default-features --features webgpu`. What blocks is not there: await
//! [`Device::request`] in place of `Device::new`, [`GpuBuffer::read`] in place of `GpuBuffer::to_vec`, and
//! [`trace::hillis_steele_async`] in place of `trace::hillis_steele`. Slices on the host are scanned on the host.
//!
//! # Inside an application that uses wgpu
//!
//! ```no_run
//! use gpuscan::{Device, Error, GpuScan, wgpu};
//!
//! // `device` was made once, by Device::from_wgpu(adapter_info, wgpu_device, wgpu_queue)?.
//! fn offsets_from_counts(
//!     device: &Device,
//!     encoder: &mut wgpu::CommandEncoder,
//!     counts: &wgpu::Buffer,
//!     offsets: &wgpu::Buffer,
//! ) -> Result<(), Error> {
//!     let counts = device.wrap::<u32>(counts.clone(), 0..counts.size())?; // no copy
//!     let offsets = device.wrap::<u32>(offsets.clone(), 0..offsets.size())?;
//!     GpuScan::new(device).encode_exclusive(encoder, &counts, &offsets) // records; never submits
//! }
//! ```
//!
//! [`gpuscan::wgpu`](wgpu) is the wgpu this crate was built with. A warm call compiles no kernel and makes no
//! buffer but its result; [`Device::counters`] shows it.
//!
//! # Algorithms
//!
//! [`GpuScan::algorithm`] picks one by name. All with the canonical order give the same bits.
//!
//! | algorithm | what it is | moves | order |
//! |---|---|---|---|
//! | [`Algorithm::Auto`] | one of the next two, by length | | canonical |
//! | [`Algorithm::SingleTile`] | one workgroup, one dispatch, at most one tile | 2n | canonical |
//! | [`Algorithm::ThreePass`] | reduce tiles, fold their totals, scan tiles again and add | 3n | canonical |
//! | [`Algorithm::SinglePass`] | tiles hand on their totals while all run, and look back | 2n | canonical |
//! | [`Algorithm::HillisSteele`] | doubling offsets; recursion over tiles' totals | 4n | its own |
//! | [`Algorithm::Blelloch`] | up-sweep and down-sweep; recursion over tiles' totals | 4n | its own |
//!
//! # Operators
//!
//! | operator | elements |
//! |---|---|
//! | [`Sum`] | 32-bit numbers and vectors of them, `u64`, `i64`, `f64` (software on every device, IEEE 754's bits) |
//! | [`Product`] | the same but `f64` |
//! | [`Min`], [`Max`] | `u32`, `i32`, `f32`, `u64`, `i64`, `f64`; a NaN wins, −0.0 < 0.0 |
//! | [`ArgMin`], [`ArgMax`] | [`IndexedU32`], [`IndexedI32`], [`IndexedF32`] |
//! | [`BitAnd`], [`BitOr`], [`BitXor`] | `u32`, `i32`, `u64`, `i64` |
//! | [`LogicalAnd`], [`LogicalOr`] | `u32`, 0 or 1; others by [`NonZero`] |
//! | [`First`], [`Last`] | any, with a value that stands for nothing |
//! | [`LogSumExp`] | `f32`; the one whose bits differ between devices |
//! | [`Affine`], [`MatrixProduct`] | `[a, b]`, `[a, b, c, d]` of `f32` or `u32` |
//! | [`Intersection`] | `[low, high]` of `u32`, `i32` or `f32` |
//! | [`Compensated`], [`Exact`] | `f32`, by [`GpuScan::compensated`] and [`GpuScan::exact`] |
//!
//! # Errors
//!
//! Everything that can fail returns an [`Error`], which says what was expected and what was found: lengths that
//! differ ([`Error::Length`]), ranges that half-overlap ([`Error::Overlap`]), a missing buffer usage
//! ([`Error::Usage`]), an operator whose WGSL does not compile ([`Error::Shader`], with line and column). What wgpu would
//! report as an uncaptured error is caught and returned as well. In a browser an error may arrive after the call
//! has returned.
//!
//! # Features
//!
//! `native` compiles in wgpu's Vulkan, Metal and DirectX 12, `webgpu` the browser's WebGPU. Both are on by
//! default. `cuda` adds `Device::cuda`: NVIDIA's driver and NVRTC, looked for when a program runs, for all of this but
//! what is recorded into wgpu's encoders; and `SharedBuffer`, memory that wgpu and CUDA have by turns.
#![warn(missing_docs)]
// A browser's devices stay on their thread. They are shared all the same, and one type serves both.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]

mod backend;
mod balance;
mod bins;
mod buffer;
mod compact;
mod csr;
mod device;
mod element;
mod error;
mod histogram;
mod kernel;
mod macros;
mod map;
mod monoid;
pub mod order;
mod plan;
mod range;
mod recurrence;
mod reduce;
mod runs;
mod scan;
mod scanning;
mod self_test;
#[cfg(feature = "cuda")]
mod shared;
mod sort;
mod textbook;
pub mod trace;
pub mod translation;
mod tuning;

pub use balance::GpuBalance;
pub use bins::Sample;
pub use buffer::GpuBuffer;
pub use bytemuck;
pub use compact::{Compacted, Compacting, GpuCompact, Predicate};
pub use csr::{Csr, GpuCsr};
#[cfg(feature = "cuda")]
pub use cudarc;
pub use device::{Counters, Device, DeviceRequest};
pub use element::{Element, Layout, Number};
pub use error::Error;
pub use histogram::{GpuHistogram, Weight};
pub use macros::{Element, function, monoid};
pub use map::{Double, Map, Narrow, NonZero, Same, Widen};
pub use monoid::{
    Affine, ArgMax, ArgMin, BitAnd, BitOr, BitXor, Bits, Compensated, Exact, ExactSum, Factor, First,
    Indexed, IndexedF32, IndexedI32, IndexedU32, Intersection, Last, LogSumExp, LogicalAnd, LogicalOr,
    MatrixProduct, Max, Min, Monoid, Ordered, Product, Sum,
};
pub use plan::scan::Algorithm;
pub use range::{GpuRangeSum, Term};
pub use recurrence::{GpuRecurrence, State};
pub use reduce::GpuReduce;
pub use runs::{GpuRunLength, Runs};
pub use scan::GpuScan;
pub use scanning::Scanning;
#[cfg(feature = "cuda")]
pub use shared::SharedBuffer;
pub use sort::{GpuRadixSort, SortKey};
pub use wgpu;
