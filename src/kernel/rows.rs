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
    /// Where it is told behind the cuts how many levels of a tile's tree each group of rows needs.
    levels_base,
    /// Such groups.
    groups,
}

/// Words of the widest elements.
pub(crate) const MOST_WORDS: u32 = 2;

/// Rows that a workgroup looks at before there are totals.
pub(crate) const ROWS_IN_GROUP: u32 = 4 * LANES;

/// Whether totals of rows of such elements are made here, and not by a scan.
pub(crate) fn takes(element: &Layout) -> bool {
    element.word_count() <= MOST_WORDS
}

/// Entries that a workgroup handles: a quad a lane, which takes 6 KiB of workgroup memory with the tree over them, for
/// elements of one word. H200: twice as many entries take up to 15 % longer, for fewer workgroups run at once.
pub(crate) const TILE: u32 = 4 * LANES;

/// Tiles in a block: each is one lane's where the tree over them is grown.
pub(crate) const TILES_PER_BLOCK: u32 = order::BLOCK as u32 / TILE;
const _: () = assert!(TILES_PER_BLOCK == LANES);

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowsKernel {
    /// The first rows of tiles, and the totals of rows without entries.
    Cut,
    /// Totals of rows inside of tiles.
    Tiles {
        access: Access,
        /// Values are multiplied by what columns name.
        products: bool,
    },
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
            RowsKernel::Tiles { .. } => "row_tiles",
            RowsKernel::Blocks => "row_blocks",
            RowsKernel::Finish => "finish_rows",
        }
    }

    /// Leaves of the tree that the kernel grows.
    fn leaves(&self) -> Option<u32> {
        match self {
            RowsKernel::Tiles { .. } => Some(TILE / 4),
            RowsKernel::Blocks => Some(TILES_PER_BLOCK),
            RowsKernel::Cut | RowsKernel::Finish => None,
        }
    }
}

/// The whole text of `kernel` for `operator`, whose hooks are `enter` and `leave`, or of products.
pub(crate) fn assemble(operator: &Operator, kernel: &RowsKernel) -> Source {
    let mut parts = Parts::default();
    let access = match kernel {
        RowsKernel::Tiles { access, .. } => *access,
        _ => Access::Elements,
    };
    parts.add("element", access::types(operator, access, Sink::Scatter));
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
            parts.file(snippet!("totals/levels.wgsl"));
            parts.file(snippet!("kernels/cut_rows.wgsl"));
        }
        RowsKernel::Tiles { products, .. } => {
            parts.add("inputs", access::inputs(operator, access));
            parts.file(snippet!("source/separate.wgsl"));
            match (products, access) {
                (false, _) => parts.file(snippet!("totals/mapped.wgsl")),
                (true, Access::Quads) => parts.file(snippet!("columns/quads.wgsl")),
                (true, Access::Elements) => parts.file(snippet!("columns/elements.wgsl")),
            }
            if *products {
                parts.file(snippet!("totals/products.wgsl"));
            }
            parts.file(snippet!("quad.wgsl"));
            parts.file(snippet!("totals/part.wgsl"));
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
        // Nobody asks for the root: it is put together of what is below it.
        let levels = leaves.ilog2() - 1;
        format!("const LEAVES = {leaves}u;\nconst LEVELS = {levels}u;\nconst NODES = 2u * LEAVES;\n")
    });
    format!(
        "const LANES = {LANES}u;\nconst TILE = {TILE}u;\nconst TILES_PER_BLOCK = {TILES_PER_BLOCK}u;\n\
         const ROWS_IN_GROUP = {ROWS_IN_GROUP}u;\n{tree}"
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

    /// Every kernel, with operators on all kinds of elements.
    pub(crate) fn every_kernel_with_its_operator() -> Vec<(Operator, Kernel)> {
        let operators = [
            Operator::plain::<u32, _>(&Sum),
            Operator::plain::<f32, _>(&Max),
            Operator::plain::<u64, _>(&Sum),
            Operator::plain::<f64, _>(&Sum),
            Operator::plain::<[f32; 2], _>(&Affine),
            Operator::new::<u8, u32, u32, _, _, _>(&Sum, &Widen, &Same),
            Operator::new::<half::f16, f32, f32, _, _, _>(&Sum, &Widen, &Same),
            Operator::new::<u32, u64, u64, _, _, _>(&Sum, &Double, &Same),
        ];
        let with = |(operator, products): (Operator, bool)| {
            let tiles = |access| RowsKernel::Tiles { access, products };
            [
                RowsKernel::Cut,
                tiles(Access::Quads),
                tiles(Access::Elements),
                RowsKernel::Blocks,
                RowsKernel::Finish,
            ]
            .map(|kernel| (operator.clone(), Kernel::Rows(kernel)))
        };
        let operators = operators.map(|operator| (operator, false));
        operators.into_iter().chain([(Operator::products(), true)]).flat_map(with).collect()
    }

    #[test]
    fn every_kernel_is_valid_and_small() {
        for (operator, kernel) in every_kernel_with_its_operator() {
            assert!(takes(&operator.element));
            // A lane for each parent of leaves.
            let Kernel::Rows(rows) = kernel else { panic!("{kernel:?}") };
            assert!(rows.leaves().is_none_or(|leaves| leaves <= 2 * LANES));
            let (module, _) = validated(&operator, &kernel);
            assert_eq!(module.entry_points[0].name, kernel.name());
            assert!(workgroup_memory(&module) <= 16 << 10, "{kernel:?} of {operator:?}");
        }
    }
}
