//! What the tests share: the devices under test, inputs, the oracle, and the one checker.
//!
//! Every test runs on whatever adapter wgpu finds first; `cargo xtask test` runs them all on three software
//! drivers. With `GPUSCAN_BACKEND=cuda` and the feature `cuda`, those that are not about wgpu run on CUDA device 0.
//! Nothing is skipped for want of a device: the tests fail then, with the crate's own message.

// Each test target is a crate of its own and uses its part of this.
#![allow(dead_code)]

pub mod checker;
pub mod inputs;
#[cfg(not(target_arch = "wasm32"))]
mod native;
pub mod oracle;
pub mod parenthesis;

use gpuscan::{Algorithm, Device};
#[cfg(not(target_arch = "wasm32"))]
#[allow(unused_imports, reason = "one test chooses its devices itself")]
pub use native::*;

pub fn has_subgroups(device: &Device) -> bool {
    !device.describe().contains("no subgroups")
}

/// Whether there are encoders to record into: on wgpu alone.
pub fn records(device: &Device) -> bool {
    device.wgpu_device().is_some()
}

/// Whether the driver is a slow one: fewer and smaller inputs then, of every kind.
pub fn small() -> bool {
    std::env::var("GPUSCAN_TEST_SIZES").is_ok_and(|sizes| sizes == "small")
}

/// `full`, or `reduced` on a slow driver.
pub fn sized<T>(full: T, reduced: T) -> T {
    if small() { reduced } else { full }
}

/// How often a test repeats itself: as often as `GPUSCAN_SOAK_ROUNDS` says, or else a few times.
pub fn repetitions(few: usize) -> usize {
    match std::env::var("GPUSCAN_SOAK_ROUNDS") {
        Err(_) => few,
        Ok(rounds) => rounds.parse().expect("GPUSCAN_SOAK_ROUNDS is a number"),
    }
}

/// All algorithms that take any input of `len` elements.
pub fn algorithms(len: usize) -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(move |&algorithm| match algorithm {
        // 4,096 elements are the most that a tile holds everywhere.
        Algorithm::SingleTile => len <= 4096,
        // Software drivers take seconds to compile each of its kernels: it has a file of its own.
        Algorithm::SinglePass => false,
        _ => true,
    })
}

/// Those of the canonical order.
pub fn canonical(len: usize) -> impl Iterator<Item = Algorithm> {
    algorithms(len).filter(|algorithm| algorithm.is_canonical())
}
