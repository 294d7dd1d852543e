//! Which kernel shape to use where, and why. `benches/NOTES.md` has the measurements.

use crate::{
    element::{Element, Layout},
    kernel::{
        LANES,
        scan::{Lanes, Lifting, MOST_AT_ONCE, Steps, Tiles},
    },
    order,
};

/// What a device can do, as far as plans depend on it, and what its user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Subgroup operations are enabled, and every subgroup has 4 to 128 lanes.
    pub subgroups: bool,
    /// The device is a CPU in disguise.
    pub software: bool,
    /// Whatever a workgroup waits for comes, once it has begun: a single pass then reads its input only once,
    /// and may take the place of it. Its kernel also moves single elements.
    pub progress: bool,
    /// The most bytes one storage binding may span.
    pub max_binding: u64,
    /// Storage bindings start at a multiple of this.
    pub binding_alignment: u64,
    /// The most workgroups in one dimension of a dispatch.
    pub max_groups: u32,
    /// Elements in a tile, as a power of two, if the user chose.
    pub tile_log2: Option<u32>,
    /// Tiles that a workgroup takes together where one total is wanted, if the user chose.
    pub tiles_at_once: Option<u32>,
    /// How often a workgroup of a single pass looks for a value before it computes it itself.
    pub patience: u32,
    /// What tests have a single pass get wrong, as `shaders/faults/forced.wgsl` counts.
    pub fault: Option<u32>,
}

#[cfg(test)]
impl Capabilities {
    /// A GPU with subgroups, as tests of plans have it.
    pub fn usual() -> Self {
        Self {
            subgroups: true,
            software: false,
            progress: false,
            max_binding: 1 << 27,
            binding_alignment: 256,
            max_groups: 65_535,
            tile_log2: None,
            tiles_at_once: None,
            patience: PATIENCE,
            fault: None,
        }
    }
}

/// The shape of the tile kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePolicy {
    pub lanes: Lanes,
    /// Lanes in a workgroup.
    pub width: u32,
    /// Quads a lane holds.
    pub quads: u32,
    /// Where the tree over a block's tiles is.
    pub tiles: Tiles,
}

impl TilePolicy {
    /// Elements in a tile.
    pub fn tile(&self) -> u64 {
        u64::from(4 * self.quads * self.width)
    }
}

/// The tile kernels' shape for scanning `len` elements of `words` words.
///
/// The canonical order does not depend on it, so every row gives the same bits.
pub(crate) fn tiles(capabilities: &Capabilities, words: u32, len: u64) -> TilePolicy {
    let subgroup = |quads, tiles| (Lanes::Subgroup, LANES, quads, tiles);
    let workgroup = |width, quads, tiles| (Lanes::Workgroup, width, quads, tiles);
    let (lanes, width, best, tiles) = match (capabilities.subgroups, words) {
        // lavapipe: tiles of 8,192 are no faster, and each shape costs a second of compiling.
        (true, 1) if capabilities.software => subgroup(4, Tiles::Workgroup),
        // H200: tiles of 4,096 take 1 to 2 µs off short scans, unless one tile of 8,192 is all there is.
        (true, 1) if len <= 4_096 || (8_193..=262_144).contains(&len) => subgroup(4, Tiles::Workgroup),
        // H200, 2^28: tiles of 2,048 are 1.7 times, of 4,096 1.1 times as slow; of 16,384 gain nothing.
        (true, 1) => subgroup(8, Tiles::Workgroup),
        // Wider elements: as many bytes a lane; the tree over the tiles in workgroup memory while that holds it.
        (true, 2) => subgroup(4, Tiles::Workgroup),
        (true, 3..=4) => subgroup(2, Tiles::Workgroup),
        (true, _) => subgroup(1, Tiles::Scratch),
        // Each of these fills most of the 16 KiB of workgroup memory that WebGPU promises.
        (false, 1) => workgroup(LANES, 4, Tiles::Workgroup),
        (false, 2) => workgroup(LANES, 2, Tiles::Workgroup),
        (false, 3) => workgroup(LANES, 1, Tiles::Workgroup),
        (false, 4..=8) => workgroup(LANES, 1, Tiles::Scratch),
        (false, _) => workgroup(LANES / 2, 1, Tiles::Scratch),
    };
    let quads = match (capabilities.tile_log2, words) {
        (Some(log2), 1) => {
            ((1 << log2.clamp(10, 13)) / (4 * LANES)).min(if capabilities.subgroups { 8 } else { 4 })
        }
        (Some(log2), 2) if capabilities.subgroups => (1 << log2.clamp(10, 13)) / (4 * LANES),
        _ => best,
    };
    TilePolicy { lanes, width, quads, tiles }
}

/// The same where scans go by runs: a lane holds one, as it came, and few of what is combined. `wanted` by the operator, a
/// run is of so many elements; else as many as are fastest.
///
/// H200, 2^26: compensated sums take 258 µs with 32 elements a lane and 350 with 16, exact ones 1,260 and 1,248.
pub(crate) fn run_tiles(capabilities: &Capabilities, words: u32, wanted: bool) -> TilePolicy {
    let (lanes, width) = match (capabilities.subgroups, words) {
        (true, _) => (Lanes::Subgroup, LANES),
        // A tree over all lanes is in workgroup memory.
        (false, 1..=4) => (Lanes::Workgroup, LANES),
        (false, _) => (Lanes::Workgroup, LANES / 2),
    };
    let quads = if wanted { order::RUN as u32 / 4 } else { 4 };
    let tiles = if words <= 4 { Tiles::Workgroup } else { Tiles::Scratch };
    TilePolicy { lanes, width, quads, tiles }
}

/// How kernels go through a lane's quads and a block's tiles, where each takes more than arithmetic on words:
/// `branches`, or memory accesses.
///
/// lavapipe, compiling: a single pass 8 s written out, 5 in loops; compaction 4.1 and 1.3, of runs 10.5 and 2.2; the fold
/// over blocks 1.3 and 0.1. SwiftShader never came to the end of log-sum-exp written out, and took 23 GB. Running, plain scans lose a factor of four to loops, and gain nothing. A tile of
/// 2^12 or 2^13 by the user's choice is written out as for GPUs, so that tests see those kernels.
pub(crate) fn steps(capabilities: &Capabilities, branches: bool) -> Steps {
    let chosen = capabilities.tile_log2.is_some_and(|log2| log2 >= 12);
    match branches && capabilities.software && !chosen {
        true => Steps::Looped,
        false => Steps::WrittenOut,
    }
}

/// How what precedes an element is combined in, for operators from `input` on `element` that give the same bits in any
/// grouping.
///
/// Once takes 3.75 combinations for each element, level by level 12.5. H200, 2^26: u64 sums 455 in place of 486 µs, sums by
/// key 492 and 600; but u32 sums and compactions, whose combinations hide behind memory, take 5 % longer. Minima of f32 are
/// of keys, which are u32: 191 µs level by level, where values that each combination made keys of took 262 once, and 599
/// level by level. Where inputs are much narrower than what is combined, lanes had better hold runs of them: exact sums take
/// 1,250 in place of 2,932.
pub(crate) fn lifting(input: &Layout, element: &Layout) -> Lifting {
    match [u32::LAYOUT, i32::LAYOUT].contains(element) {
        true => Lifting::ByLevel,
        false if element.word_count() > 4 && input.word_count() <= 2 => Lifting::Runs,
        false => Lifting::Once,
    }
}

/// The most elements of `words` words that one tile holds.
pub(crate) fn largest_tile(capabilities: &Capabilities, words: u32) -> u64 {
    tiles(capabilities, words, u64::MAX).tile()
}

/// Whether one pass beats three, for inputs of more than a tile.
///
/// H200: with subgroups, one pass is 10 % faster from 2^14 to 2^26, 25 % at 2^22 and at 2^28. Without subgroups it was 15 %
/// faster at 2^20 and no faster at 2^24, before lanes had runs of their own. lavapipe: it is up to twice as slow. Elements of
/// two words: 19 to 23 % faster at 2^20, and 10 to 15 % at 2^26. Wider ones have not been measured, and take three passes.
pub(crate) fn prefers_single_pass(capabilities: &Capabilities, words: u32, len: u64) -> bool {
    // A fault is only one where totals are handed on.
    if capabilities.fault.is_some() {
        return true;
    }
    if capabilities.progress {
        return words == 1;
    }
    let longest = match (capabilities.subgroups, words) {
        (true, 1 | 2) => u64::MAX,
        (false, 1) => 1 << 22,
        _ => 0,
    };
    !capabilities.software && len <= longest
}

/// Whether a total of more than a tile takes one dispatch in place of two or three.
///
/// H200, 2^20 / 2^24 / 2^26: 14.6 / 31.6 / 78.2 µs in place of 20.6 / 44.5 / 99.9. Software drivers would have one more
/// kernel to compile.
pub(crate) fn prefers_one_dispatch(capabilities: &Capabilities) -> bool {
    !capabilities.software || capabilities.fault.is_some()
}

/// How many of so many tiles a workgroup takes together for that, a power of two. Without subgroups each has one.
///
/// H200, one / two / four of them: 14.6 / 14.8 / 15.7 µs at 2^20, 33.4 / 32.6 / 31.6 at 2^24, 78.9 / 78.6 / 78.2 at 2^26.
pub(crate) fn tiles_at_once(capabilities: &Capabilities, lanes: Lanes, tiles: u64) -> u32 {
    let best = if tiles < 1 << 11 { 1 } else { MOST_AT_ONCE };
    let wanted = capabilities.tiles_at_once.unwrap_or(best).clamp(1, MOST_AT_ONCE);
    match lanes {
        Lanes::Subgroup => 1 << wanted.ilog2(),
        Lanes::Workgroup => 1,
    }
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

/// Workgroups that a histogram's input is shared out to. Each clears its counters and adds them up in the end:
/// on the H200, at 2^27 bytes, 1,056 take 7 % less time than 4,096, and 8,192 take 11 % more.
pub(crate) const HISTOGRAM_GROUPS: u64 = 2048;

/// Words of workgroup memory that a histogram fills with copies of its counters, if it has several.
///
/// More copies are fewer collisions, but the H200 runs the fewer workgroups at once: at 2^27 samples of 256 bins, u8 takes
/// 105 / 89 / 87 µs with 4,096 / 2,048 / 1,024 words, f32 617 / 339 / 279.
pub(crate) const HISTOGRAM_COUNTER_WORDS: u32 = 1024;

/// The fewest words a lane of a histogram reads: as many as it has under way at once.
pub(crate) const HISTOGRAM_WORDS: u64 = 8;

/// The shape of the kernels that sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortPolicy {
    pub lanes: Lanes,
    /// Keys a lane holds.
    pub per_lane: u32,
}

/// How a sort ranks the keys of a tile. Without subgroups a lane reads neighbouring keys: an odd number, so
/// that lanes do not meet in one memory bank.
pub(crate) fn sort_tiles(capabilities: &Capabilities, len: u64) -> SortPolicy {
    let (lanes, best) = match capabilities.subgroups {
        // As many as 16 KiB of workgroup memory hold beside a histogram. H200, 2^26: 11 keys a lane take 10 %
        // longer; 22, with more workgroup memory than is promised, 3 %.
        true => (Lanes::Subgroup, 14),
        false => (Lanes::Workgroup, 11),
    };
    // What is written out for every key takes software drivers long to compile: lavapipe 1.6 s a kernel of 3 keys a lane,
    // 3.0 of 7. Those sort 2^20 keys in 132 ms in place of 178.
    let chosen_largest = capabilities.tile_log2.is_some_and(|log2| log2 > 12);
    let per_lane = match capabilities.software && !chosen_largest {
        true if len <= 1 << 17 => 3,
        true => 7,
        false => best,
    };
    SortPolicy { lanes, per_lane }
}

/// Workgroups that count the digits of all keys: enough to fill the largest GPUs.
pub(crate) const COUNT_GROUPS: u32 = 1024;
