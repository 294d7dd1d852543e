//! A kernel's text in CUDA C++, from the snippets under `shaders/cuda/`: the same kernels under the same names as in
//! WGSL, put together the same way, in the order that C++ wants.

use std::sync::Arc;

use crate::{
    element::Element,
    error::Error,
    kernel::{
        Kernel, LANES, Source,
        scan::{Access, Params, Pass, ScanKernel},
    },
    monoid::Monoid,
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
/// Bytes before the first entry of states, as `states.cu` has it.
const STATES_HEADER: u64 = 128;

/// The element type and the operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operator {
    element: String,
    /// 32-bit words in a value.
    words: u32,
    monoid: Arc<str>,
}

impl Operator {
    pub fn new<T: Element, M: Monoid<T>>(monoid: &M) -> Result<Self, Error> {
        let text = monoid.cuda().ok_or_else(|| Error::NoText {
            what: format!("the operator {}", std::any::type_name::<M>()),
            language: "CUDA C++",
            help: "implement `Monoid::cuda` for it",
        })?;
        if !T::LAYOUT.is_scalar() {
            return Err(Error::NoText {
                what: format!("scans of {}", std::any::type_name::<T>()),
                language: "CUDA C++",
                help: "use a wgpu device for elements other than u32, i32 and f32",
            });
        }
        Ok(Self { element: T::LAYOUT.wgsl(), words: size_of::<T>() as u32 / 4, monoid: text.into() })
    }

    pub(super) fn words(&self) -> u32 {
        self.words
    }

    /// Bytes of an entry of states, as `states.cu` has it.
    fn state_bytes(&self) -> u64 {
        4 * match self.words {
            1 => 2,
            2 => 4,
            words => u64::from((words + 4) / 4 * 4),
        }
    }

    /// Bytes of states for a grid of `tiles` tiles of `tile` elements.
    pub(super) fn states(&self, tiles: u64, tile: u64) -> u64 {
        let blocks = tiles * tile / order::BLOCK as u64 + 1;
        STATES_HEADER + (tiles + blocks) * self.state_bytes()
    }

    /// What new states of `bytes` begin with: the first epoch beside no tickets, and the number of entries.
    pub(super) fn states_header(&self, bytes: u64) -> Vec<u8> {
        let entries = (bytes - STATES_HEADER) / self.state_bytes();
        bytemuck::cast_slice(&[0u32, 1, entries as u32, 0]).to_vec()
    }
}

/// The kernels that there are in CUDA C++.
pub(super) fn known(kernel: &Kernel) -> Result<ScanKernel, Error> {
    match kernel {
        // Pointers may be the same: there is one kernel for input and output in one buffer or two. And what a
        // group of lanes shares goes by shuffles, always.
        Kernel::Scan(kernel) if kernel.pass.is_cuda() => Ok(ScanKernel {
            in_place: false,
            maps: true,
            lanes: crate::kernel::scan::Lanes::Subgroup,
            ..*kernel
        }),
        other => Err(Error::NoText {
            what: format!("the kernel {}", other.name()),
            language: "CUDA C++",
            help: "use a wgpu device for this primitive",
        }),
    }
}

/// Threads of a block.
pub(super) fn threads(kernel: &ScanKernel) -> u32 {
    match kernel.pass {
        // One warp looks back.
        Pass::LookBack => LANES + WARP,
        _ => LANES,
    }
}

/// Bytes of shared memory that hold a tile.
pub(super) fn shared_bytes_of_one(operator: &Operator, kernel: &ScanKernel) -> u32 {
    kernel.tile() * operator.words * 4
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
    let blocks_at_once = match quads * operator.words {
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
        element = operator.element,
        log_chunk = log_tiles.min(WARP.trailing_zeros()),
        exclusive = kernel.exclusive,
    );
    let mut parts = vec![
        ("element", &*prelude),
        ("operator", &*operator.monoid),
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
