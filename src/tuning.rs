//! Which kernel shape to use where, and why. `benches/NOTES.md` has the measurements.

use crate::kernel::{LANES, scan::Lanes};

/// What a device can do, as far as plans depend on it, and what its user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Subgroup operations are enabled, and every subgroup has 4 to 128 lanes.
    pub subgroups: bool,
    /// The device is a CPU in disguise.
    pub software: bool,
    /// The most bytes one storage binding may span.
    pub max_binding: u64,
    /// Storage bindings start at a multiple of this.
    pub binding_alignment: u64,
    /// The most workgroups in one dimension of a dispatch.
    pub max_groups: u32,
    /// Elements in a tile, as a power of two, if the user chose.
    pub tile_log2: Option<u32>,
    /// How often a workgroup of a single pass looks for a value before it computes it itself.
    pub patience: u32,
}

/// The shape of the tile kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePolicy {
    pub lanes: Lanes,
    /// Quads a lane holds.
    pub quads: u32,
}

/// The tile kernels' shape for scanning `len` four-byte elements.
///
/// The canonical order does not depend on it, so every row gives the same bits.
pub(crate) fn tiles(capabilities: &Capabilities, len: u64) -> TilePolicy {
    let (lanes, largest, best) = match (capabilities.subgroups, len) {
        // 8 quads a lane would fill the 16 KiB of workgroup memory that WebGPU promises.
        (false, _) => (Lanes::Workgroup, 4, 4),
        // H200: tiles of 4,096 take 1 to 2 µs off short scans, unless one tile of 8,192 is all there is.
        (true, 0..=4_096 | 8_193..=262_144) => (Lanes::Subgroup, 8, 4),
        // H200, 2^28: tiles of 2,048 are 1.7 times, of 4,096 1.1 times as slow; of 16,384 gain nothing.
        (true, _) => (Lanes::Subgroup, 8, 8),
    };
    let chosen = capabilities.tile_log2.map(|log2| (1 << log2.clamp(10, 13)) / (4 * LANES));
    TilePolicy { lanes, quads: chosen.unwrap_or(best).min(largest) }
}

/// The most elements that one tile holds.
pub(crate) fn largest_tile(capabilities: &Capabilities) -> u64 {
    let most = tiles(capabilities, u64::MAX).quads;
    u64::from(4 * most * LANES)
}

/// Whether one pass beats three, for inputs of more than a tile.
///
/// H200: with subgroups, one pass is 4 to 14 % faster from 2^14 to 2^24 and 7 % slower at 2^28, where its
/// waits are not hidden. Without subgroups it is 15 % faster at 2^20, 4 % slower at 2^24 and more beyond.
/// lavapipe: it is up to twice as slow, and takes some seconds to compile.
pub(crate) fn prefers_single_pass(capabilities: &Capabilities, len: u64) -> bool {
    let longest = if capabilities.subgroups { 1 << 25 } else { 1 << 22 };
    !capabilities.software && len <= longest
}

/// Looks before a workgroup helps itself: far more than a predecessor that runs needs, which is some
/// microseconds, and far less than a person notices.
pub(crate) const PATIENCE: u32 = 256;

/// Host slices shorter than this are scanned on the CPU.
///
/// Beside an H200 on PCIe no length was found at which the way there and back paid: 0.11 ms for 2^8
/// elements, 0.25 ms for 2^16, 1.8 ms for 2^20, 28 ms for 2^22, where one core scans 2^16 in 0.13 ms and
/// 2^22 in 9 ms. So every length stays on the host until a machine is measured where it should not.
pub(crate) const HOST_CROSSOVER: usize = usize::MAX;

/// The shape of the kernels that sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortPolicy {
    pub lanes: Lanes,
    /// Keys a lane holds.
    pub per_lane: u32,
}

/// How a sort ranks the keys of a tile. Without subgroups a lane reads neighbouring keys: an odd number, so
/// that lanes do not meet in one memory bank.
pub(crate) fn sort_tiles(capabilities: &Capabilities) -> SortPolicy {
    let (lanes, best) = match capabilities.subgroups {
        // As many as 16 KiB of workgroup memory hold beside a histogram. H200, 2^26: 11 keys a lane take 10 %
        // longer; 22, with more workgroup memory than is promised, 3 %.
        true => (Lanes::Subgroup, 14),
        false => (Lanes::Workgroup, 11),
    };
    // What is written out for every key takes software drivers minutes to compile.
    let chosen_largest = capabilities.tile_log2.is_some_and(|log2| log2 > 12);
    let per_lane = if capabilities.software && !chosen_largest { 3 } else { best };
    SortPolicy { lanes, per_lane }
}

/// Workgroups that count the digits of all keys: enough to fill the largest GPUs.
pub(crate) const COUNT_GROUPS: u32 = 1024;
