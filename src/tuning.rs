//! Which kernel shape to use where, and why.

use crate::kernel::{LANES, Lanes};

/// What a device can do, as far as plans depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Subgroup operations are enabled, and every subgroup has 4 to 128 lanes.
    pub subgroups: bool,
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
pub(crate) fn tiles(capabilities: &Capabilities, _len: u64) -> TilePolicy {
    let (lanes, largest) = match capabilities.subgroups {
        true => (Lanes::Subgroup, 8),
        // 8 quads a lane would fill the 16 KiB of workgroup memory that WebGPU promises.
        false => (Lanes::Workgroup, 4),
    };
    let chosen = capabilities.tile_log2.map(|log2| (1 << log2.clamp(10, 13)) / (4 * LANES));
    TilePolicy { lanes, quads: chosen.unwrap_or(largest).min(largest) }
}

/// Host slices shorter than this are scanned on the CPU.
pub(crate) const HOST_CROSSOVER: usize = 1 << 20;

/// Looks before a workgroup helps itself. Predecessors are running when it begins to look and mostly need a
/// few microseconds; computing a tile's total again costs about as much as 20 looks.
pub(crate) const PATIENCE: u32 = 256;

/// Whether a scan in one pass beats three, for inputs of more than a tile.
pub(crate) fn prefers_single_pass(capabilities: &Capabilities) -> bool {
    capabilities.subgroups
}
