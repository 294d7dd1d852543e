//! The kernels of load balancing.

use super::{LANES, Source, params, snippet};

params! {
    /// Items in this piece of the result.
    count,
    /// Tiles in it; for the cuts, all tiles.
    tiles,
    /// The number of the piece's first tile.
    first_tile,
    /// Workgroups in a row of the grid.
    grid_x,
    /// Ends of segments, or tasks.
    segments,
    /// Where the first end is in the bound ends.
    ends_base,
    /// Where the piece begins in the bound segments.
    segments_base,
    /// Where it begins in the bound ranks.
    ranks_base,
    /// Workers that tasks are split among.
    workers,
    /// Where the first bound is in the bound result.
    bounds_base,
    /// Uniform structs are a multiple of 16 bytes.
    reserved_0,
    /// The same.
    reserved_1,
}

/// Items that a workgroup handles: their ends fill 8 KiB of workgroup memory.
pub(crate) const TILE: u32 = 8 * LANES;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BalanceKernel {
    /// The segments of tiles' first items.
    Cut,
    /// The segments and ranks of all items.
    Expand,
    /// The first tasks of workers.
    Split,
}

impl BalanceKernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self {
            BalanceKernel::Cut => "cut",
            BalanceKernel::Expand => "expand",
            BalanceKernel::Split => "split",
        }
    }
}

/// The whole text of `kernel`.
pub(crate) fn assemble(kernel: &BalanceKernel) -> Source {
    let constants = format!("const LANES = {LANES}u;\nconst TILE = {TILE}u;\n");
    Source::new(&[
        ("constants", &constants),
        ("params", Params::WGSL),
        snippet!("balance/ends.wgsl"),
        match kernel {
            BalanceKernel::Cut => snippet!("kernels/cut.wgsl"),
            BalanceKernel::Expand => snippet!("kernels/expand.wgsl"),
            BalanceKernel::Split => snippet!("kernels/split.wgsl"),
        },
    ])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kernel::{
        Kernel, Operator,
        tests::{validated, workgroup_memory},
    };

    /// Every kernel that can be asked for.
    pub(crate) fn every_kernel() -> [BalanceKernel; 3] {
        [BalanceKernel::Cut, BalanceKernel::Expand, BalanceKernel::Split]
    }

    #[test]
    fn every_kernel_is_valid_and_small() {
        for kernel in every_kernel() {
            let (module, _) = validated(&Operator::none(), &Kernel::Balance(kernel));
            assert_eq!(module.entry_points[0].name, kernel.name());
            assert!(workgroup_memory(&module) <= 16 << 10, "{kernel:?}");
        }
    }
}
