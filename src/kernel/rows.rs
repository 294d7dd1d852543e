//! The kernels that make totals of rows: of segments that offsets name, and of a sparse matrix's rows.

use super::{
    LANES, Operator, Parts, Source, access, params,
    scan::{Access, Sink},
    snippet,
};
use crate::{element::Layout, order};

params! {
    /// Entries in this piece of the input.
    count,
    /// Tiles in it; but all tiles where kernels look at more than that.
    tiles,
    /// The number of the piece's first tile.
    first_tile,
    /// Workgroups in a row of the grid.
    grid_x,
    /// Rows.
    rows,
    /// Entries in the whole input.
    len,
    /// Blocks of the whole input, one that is cut short among them.
    blocks,
    /// Nothing, but no compiler knows.
    zero,
    /// Where the piece starts in the bound input, in words, or in narrow elements.
    src_base,
    /// Where the first result is in the bound output, in words.
    dst_base,
    /// Where the first row's end is in the bound offsets.
    ends_base,
    /// Where the piece's first column is in the bound columns.
    columns_base,
    /// Where the vector that a matrix is multiplied by begins in what is bound.
    vector_base,
    /// Elements in that vector.
    vector_len,
    /// Uniform structs are a multiple of 16 bytes.
    reserved_0,
    /// The same.
    reserved_1,
}

/// Entries that a workgroup handles.
pub(crate) const TILE: u32 = 4 * LANES;

/// Words of the widest elements: the tree over a tile of them takes the 16 KiB of workgroup memory that WebGPU promises.
pub(crate) const MOST_WORDS: u32 = 2;

/// Tiles in a block: each is one lane's where the tree over them is grown.
pub(crate) const TILES_PER_BLOCK: u32 = order::BLOCK as u32 / TILE;
const _: () = assert!(TILES_PER_BLOCK == LANES);

/// Whether totals of rows of such elements are made here, and not by a scan.
pub(crate) fn takes(element: &Layout) -> bool {
    element.word_count() <= MOST_WORDS
}

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowsKernel {
    /// The first rows of tiles, and the totals of rows without entries.
    Cut,
    /// Totals of rows inside of tiles.
    Tiles,
    /// Totals of rows inside of blocks.
    Blocks,
    /// Totals of all other rows.
    Finish,
}

impl RowsKernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self {
            RowsKernel::Cut => "cut_rows",
            RowsKernel::Tiles => "row_tiles",
            RowsKernel::Blocks => "row_blocks",
            RowsKernel::Finish => "finish_rows",
        }
    }

    /// Leaves of the tree that the kernel grows.
    fn leaves(&self) -> Option<u32> {
        match self {
            RowsKernel::Tiles => Some(TILE),
            RowsKernel::Blocks => Some(TILES_PER_BLOCK),
            RowsKernel::Cut | RowsKernel::Finish => None,
        }
    }
}

/// The whole text of `kernel` for `operator`, whose hooks are `enter` and `leave`.
pub(crate) fn assemble(operator: &Operator, kernel: &RowsKernel) -> Source {
    let mut parts = Parts::default();
    parts.add("element", access::types(operator, Access::Elements, Sink::Scatter));
    parts.add("constants", constants(kernel));
    parts.file(snippet!("rounded.wgsl"));
    for (name, text) in operator.combine.iter().chain(&operator.hooks) {
        parts.add(name, &**text);
    }
    parts.add("params", Params::WGSL);
    parts.add("access", access::results(operator));
    parts.file(snippet!("totals/rows.wgsl"));
    if kernel.leaves().is_some() {
        parts.file(snippet!("tree.wgsl"));
        parts.file(snippet!("totals/tree.wgsl"));
    }
    match kernel {
        RowsKernel::Cut => {
            parts.file(snippet!("balance/ends.wgsl"));
            parts.file(snippet!("kernels/cut_rows.wgsl"));
        }
        RowsKernel::Tiles => {
            parts.add("reads", access::reads(operator, "i"));
            parts.file(snippet!("source/separate.wgsl"));
            parts.file(snippet!("balance/ends.wgsl"));
            parts.file(snippet!("kernels/row_tiles.wgsl"));
        }
        RowsKernel::Blocks => parts.file(snippet!("kernels/row_blocks.wgsl")),
        RowsKernel::Finish => parts.file(snippet!("kernels/finish_rows.wgsl")),
    }
    parts.source()
}

fn constants(kernel: &RowsKernel) -> String {
    let tree = kernel.leaves().map_or(String::new(), |leaves| {
        let levels = leaves.ilog2();
        format!("const LEAVES = {leaves}u;\nconst LEVELS = {levels}u;\nconst NODES = 2u * LEAVES;\n")
    });
    format!(
        "const LANES = {LANES}u;\nconst TILE = {TILE}u;\nconst TILES_PER_BLOCK = {TILES_PER_BLOCK}u;\n{tree}"
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        kernel::{
            Kernel,
            tests::{validated, workgroup_memory},
        },
        map::{Double, Same, Widen},
        monoid::{Affine, Max, Sum},
    };

    const KERNELS: [RowsKernel; 4] =
        [RowsKernel::Cut, RowsKernel::Tiles, RowsKernel::Blocks, RowsKernel::Finish];

    /// Every kernel, with operators on all kinds of elements.
    pub(crate) fn every_kernel_with_its_operator() -> Vec<(Operator, Kernel)> {
        let operators = [
            Operator::products(),
            Operator::plain::<u32, _>(&Sum),
            Operator::plain::<f32, _>(&Max),
            Operator::plain::<u64, _>(&Sum),
            Operator::plain::<f64, _>(&Sum),
            Operator::plain::<[f32; 2], _>(&Affine),
            Operator::new::<u8, u32, u32, _, _, _>(&Sum, &Widen, &Same),
            Operator::new::<half::f16, f32, f32, _, _, _>(&Sum, &Widen, &Same),
            Operator::new::<u32, u64, u64, _, _, _>(&Sum, &Double, &Same),
        ];
        let with = |operator: Operator| KERNELS.map(|kernel| (operator.clone(), Kernel::Rows(kernel)));
        operators.into_iter().flat_map(with).collect()
    }

    #[test]
    fn every_kernel_is_valid_and_small() {
        for (operator, kernel) in every_kernel_with_its_operator() {
            assert!(takes(&operator.element));
            let (module, _) = validated(&operator, &kernel);
            assert_eq!(module.entry_points[0].name, kernel.name());
            assert!(workgroup_memory(&module) <= 16 << 10, "{kernel:?} of {operator:?}");
        }
    }
}
