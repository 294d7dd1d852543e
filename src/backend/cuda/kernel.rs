//! A kernel's text in CUDA C++, from the snippets under `shaders/cuda/`: the same kernels under the same names as in
//! WGSL, put together the same way, in the order that C++ wants.

use crate::{
    kernel::{
        Kernel, LANES, Operator, Source,
        scan::{Access, Lanes, Params, Pass, ScanKernel},
    },
    order,
};

/// A file under `shaders/cuda/` with its name.
macro_rules! snippet {
    ($path:literal) => {
        (concat!("cuda/", $path), include_str!(concat!("../../../shaders/cuda/", $path)))
    };
}

/// Lanes in a warp.
pub(super) const WARP: u32 = 32;
/// Tiles that a block of the single pass has in hand, as `single_pass.cu` has it.
const STAGES: u32 = 3;
/// Its warps that look back.
const LOOKERS: u32 = 2;
/// Bytes before the first entry of states, as `states.cu` has it.
const STATES_HEADER: u64 = 128;

/// Bytes of an entry of states, as `states.cu` has it.
fn state_bytes(operator: &Operator) -> u64 {
    4 * match operator.element.word_count() {
        1 => 2,
        2 => 4,
        words => u64::from((words + 4) / 4 * 4),
    }
}

/// Bytes of states for a grid of `tiles` tiles of `tile` elements.
pub(super) fn states(operator: &Operator, tiles: u64, tile: u64) -> u64 {
    let blocks = tiles * tile / order::BLOCK as u64 + 1;
    STATES_HEADER + (tiles + blocks) * state_bytes(operator)
}

/// What new states of `bytes` begin with: the first epoch beside no tickets, and the number of entries.
pub(super) fn states_header(operator: &Operator, bytes: u64) -> Vec<u8> {
    let entries = (bytes - STATES_HEADER) / state_bytes(operator);
    bytemuck::cast_slice(&[0u32, 1, entries as u32, 0]).to_vec()
}

/// The kernel in CUDA C++ that does this one's work for `operator`, if there is one.
pub(super) fn known(operator: &Operator, kernel: &Kernel) -> Option<ScanKernel> {
    match kernel {
        // Pointers may be the same: there is one kernel for input and output in one buffer or two. And what a
        // group of lanes shares goes by shuffles, always.
        Kernel::Scan(kernel) if operator.cuda.is_some() && kernel.pass.is_cuda() => {
            Some(ScanKernel { in_place: false, maps: true, lanes: Lanes::Subgroup, ..*kernel })
        }
        _ => None,
    }
}

/// Threads of a block.
pub(super) fn threads(kernel: &ScanKernel) -> u32 {
    match kernel.pass {
        Pass::LookBack => LANES + LOOKERS * WARP,
        _ => LANES,
    }
}

/// Bytes of shared memory that hold a tile.
pub(super) fn shared_bytes_of_one(operator: &Operator, kernel: &ScanKernel) -> u32 {
    kernel.tile() * operator.element.word_count() * 4
}

/// Bytes of shared memory beside what the text declares.
pub(super) fn shared_bytes(operator: &Operator, kernel: &ScanKernel) -> u32 {
    let stage = shared_bytes_of_one(operator, kernel);
    match kernel.pass {
        Pass::Reduce | Pass::Scan => stage,
        Pass::LookBack => STAGES * stage,
        _ => 0,
    }
}

/// The whole text of `kernel` for `operator`.
pub(super) fn assemble(operator: &Operator, kernel: &ScanKernel) -> Source {
    let tile = kernel.tile();
    let tiles_per_block = (order::BLOCK as u32 / tile.min(order::BLOCK as u32)).max(1);
    let log_tiles = tiles_per_block.trailing_zeros();
    let quads = kernel.per_lane;
    // As many blocks on a multiprocessor as leave each lane the registers for what it holds, twice over.
    let blocks_at_once = match quads * operator.element.word_count() {
        ..=2 => 4,
        3..=4 => 3,
        5..=8 => 2,
        _ => 1,
    };
    let prelude = format!(
        "typedef unsigned int u32;\n\
         typedef unsigned long long u64;\n\
         typedef int i32;\n\
         typedef float f32;\n\
         typedef {element} T;\n\
         typedef T In;\n\
         typedef T Out;\n\
         __device__ T map_in(In value) {{ return value; }}\n\
         __device__ Out map_out(T value) {{ return value; }}\n\
         constexpr u32 LANES = {LANES};\n\
         constexpr u32 QUADS = {quads};\n\
         constexpr u32 TILE = {tile};\n\
         constexpr u32 TILES_PER_BLOCK = {tiles_per_block};\n\
         constexpr u32 LOG_TILES_PER_BLOCK = {log_tiles};\n\
         constexpr u32 LOG_CHUNK = {log_chunk};\n\
         constexpr u32 BLOCKS_AT_ONCE = {blocks_at_once};\n\
         constexpr bool EXCLUSIVE = {exclusive};\n",
        element = operator.element.wgsl(),
        log_chunk = log_tiles.min(WARP.trailing_zeros()),
        exclusive = kernel.exclusive,
    );
    let mut parts = vec![
        ("element", &*prelude),
        ("operator", operator.cuda.as_deref().unwrap_or_default()),
        ("params", Params::CUDA),
        snippet!("values.cu"),
    ];
    let tiles = |parts: &mut Vec<_>| {
        parts.extend([
            snippet!("quad.cu"),
            snippet!("copies.cu"),
            match kernel.access {
                Access::Quads => snippet!("access/quads.cu"),
                Access::Elements => snippet!("access/elements.cu"),
            },
            snippet!("stage.cu"),
            snippet!("warp.cu"),
            snippet!("tree.cu"),
        ]);
    };
    let textbook = |parts: &mut Vec<_>| {
        parts.push(match kernel.trace {
            true => snippet!("trace/on.cu"),
            false => snippet!("trace/off.cu"),
        });
    };
    match kernel.pass {
        Pass::Reduce | Pass::Scan | Pass::LookBack => tiles(&mut parts),
        Pass::HillisSteele | Pass::Blelloch => textbook(&mut parts),
        _ => {}
    }
    if kernel.pass == Pass::LookBack {
        parts.push(snippet!("states.cu"));
    }
    parts.extend(match kernel.pass {
        Pass::Reduce => Some(snippet!("kernels/reduce.cu")),
        Pass::Fold => Some(snippet!("kernels/fold.cu")),
        Pass::Scan => Some(snippet!("kernels/scan.cu")),
        Pass::LookBack => Some(snippet!("kernels/single_pass.cu")),
        Pass::HillisSteele => Some(snippet!("kernels/hillis_steele.cu")),
        Pass::Blelloch => Some(snippet!("kernels/blelloch.cu")),
        Pass::UniformAdd => Some(snippet!("kernels/uniform_add.cu")),
        _ => None,
    });
    Source::new(&parts)
}

impl Pass {
    /// Whether there is a kernel for it in CUDA C++.
    fn is_cuda(self) -> bool {
        matches!(
            self,
            Pass::Reduce
                | Pass::Fold
                | Pass::Scan
                | Pass::LookBack
                | Pass::HillisSteele
                | Pass::Blelloch
                | Pass::UniformAdd
        )
    }
}
