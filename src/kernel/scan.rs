//! The kernels of scans.

use super::{ENABLE_SUBGROUPS, LANES, Operator, Source, params, snippet, unroll};
use crate::{order, textbook};

params! {
    /// Elements in this piece of the input.
    count,
    /// Where the piece starts in the bound input, in cells (quads or elements).
    src_base,
    /// Where the piece starts in the bound output, in cells.
    dst_base,
    /// The number of the piece's first tile in the whole input.
    first_tile,
    /// Tiles to work on.
    tiles,
    /// Workgroups in a row of the grid.
    grid_x,
    /// Whole blocks in the whole input.
    blocks,
    /// The number of the piece, where pieces hand on a prefix.
    piece,
    /// How often a workgroup looks for what another has to publish before it computes it itself.
    patience,
    /// Uniform structs are a multiple of 16 bytes.
    reserved_0,
    /// The same.
    reserved_1,
    /// The same.
    reserved_2,
}

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// Totals of tiles.
    Reduce,
    /// Totals of blocks and the fold over them.
    Fold,
    /// Tiles scanned and lifted.
    Scan,
    /// Tiles scanned and lifted, with totals handed from workgroup to workgroup.
    LookBack,
    /// Tiles by doubling offsets.
    HillisSteele,
    /// Tiles by up- and down-sweep.
    Blelloch,
    /// Sums of tiles added to their elements.
    UniformAdd,
}

/// How lanes of a tile share totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// By subgroup shuffles.
    Subgroup,
    /// Through workgroup memory alone.
    Workgroup,
}

/// How a kernel reaches elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// Four at a time.
    Quads,
    /// One by one: slower, for ranges that are not aligned.
    Elements,
}

/// Everything that decides a kernel's text, but for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScanKernel {
    pub pass: Pass,
    pub lanes: Lanes,
    /// What a lane holds: quads in the tile kernels, elements in the textbook ones.
    pub per_lane: u32,
    pub access: Access,
    /// Input and output lie in one buffer.
    pub in_place: bool,
    pub exclusive: bool,
    /// Write out every round (textbook kernels).
    pub trace: bool,
}

impl Pass {
    /// The entry point.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Reduce => "reduce",
            Pass::Fold => "fold",
            Pass::Scan => "scan",
            Pass::LookBack => "single_pass",
            Pass::HillisSteele => "hillis_steele",
            Pass::Blelloch => "blelloch",
            Pass::UniformAdd => "uniform_add",
        }
    }
}

impl ScanKernel {
    /// Elements a workgroup handles.
    pub fn tile(&self) -> u32 {
        match self.pass {
            Pass::Reduce | Pass::Fold | Pass::Scan | Pass::LookBack => 4 * self.per_lane * LANES,
            // The sums of either textbook algorithm are added tile by tile, as they were made.
            Pass::HillisSteele | Pass::Blelloch | Pass::UniformAdd => self.per_lane * LANES,
        }
    }

    fn uses_subgroups(&self) -> bool {
        let by_tiles = matches!(self.pass, Pass::Reduce | Pass::Scan | Pass::LookBack);
        by_tiles && self.lanes == Lanes::Subgroup
    }
}

/// The whole text of `kernel` for `operator`.
pub(crate) fn assemble(operator: &Operator, kernel: &ScanKernel) -> Source {
    let enable = if kernel.uses_subgroups() { ENABLE_SUBGROUPS } else { "" };
    let element = format!("{enable}alias T = {};\nconst LANES = {LANES}u;\n", operator.element);
    let element = match kernel.pass {
        Pass::Fold => element,
        _ => format!("{element}const EXCLUSIVE = {};\n", kernel.exclusive),
    };
    let mut parts = vec![("element", &*element), ("operator", &*operator.monoid), ("params", Params::WGSL)];
    let source = match kernel.in_place {
        true => snippet!("source/in_place.wgsl"),
        false => snippet!("source/separate.wgsl"),
    };
    let trace = match kernel.trace {
        true => snippet!("trace/on.wgsl"),
        false => snippet!("trace/off.wgsl"),
    };

    let tile = kernel.tile();
    let tiles_per_block = order::BLOCK as u32 / tile.min(order::BLOCK as u32);
    let constants;
    let unrolled;
    match kernel.pass {
        Pass::Reduce | Pass::Scan | Pass::LookBack => {
            constants = format!(
                "const TILES_PER_BLOCK = {tiles_per_block}u;\nconst NODES = 2u * LEAVES + 2u * TILES_PER_BLOCK;\n"
            );
            let special = match kernel.lanes {
                Lanes::Subgroup => unroll::subgroup_steps(kernel.per_lane),
                Lanes::Workgroup => unroll::workgroup_leaves(kernel.per_lane),
            };
            unrolled = unroll::quads(kernel.per_lane) + &special;
            parts.extend([
                ("constants", &*constants),
                ("unrolled", &*unrolled),
                snippet!("quad.wgsl"),
                snippet!("tree.wgsl"),
                source,
                match kernel.access {
                    Access::Quads => snippet!("access/quads.wgsl"),
                    Access::Elements => snippet!("access/elements.wgsl"),
                },
                match kernel.lanes {
                    Lanes::Subgroup => snippet!("lanes/subgroup.wgsl"),
                    Lanes::Workgroup => snippet!("lanes/workgroup.wgsl"),
                },
            ]);
            if kernel.uses_subgroups() {
                parts.push(match cfg!(target_arch = "wasm32") {
                    true => snippet!("width/proven.wgsl"),
                    false => snippet!("width/plain.wgsl"),
                });
            }
            match kernel.pass {
                Pass::Reduce => parts.push(snippet!("kernels/reduce.wgsl")),
                Pass::Scan => parts.extend([snippet!("block.wgsl"), snippet!("kernels/scan.wgsl")]),
                _ => parts.extend([
                    snippet!("block.wgsl"),
                    snippet!("states.wgsl"),
                    snippet!("again.wgsl"),
                    snippet!("kernels/single_pass.wgsl"),
                ]),
            }
        }
        Pass::Fold => {
            constants = format!("const TILES_PER_BLOCK = {tiles_per_block}u;\n");
            unrolled = unroll::block_total(tiles_per_block);
            parts.extend([
                ("constants", &*constants),
                ("unrolled", &*unrolled),
                snippet!("kernels/fold.wgsl"),
            ]);
        }
        Pass::HillisSteele | Pass::Blelloch => {
            constants = format!("const TILE = {tile}u;\nalias Cell = T;\n");
            parts.extend([
                ("constants", &*constants),
                source,
                trace,
                match kernel.pass {
                    Pass::HillisSteele => snippet!("kernels/hillis_steele.wgsl"),
                    _ => snippet!("kernels/blelloch.wgsl"),
                },
            ]);
        }
        Pass::UniformAdd => {
            constants = format!("const TILE = {tile}u;\n");
            parts.extend([("constants", &*constants), snippet!("kernels/uniform_add.wgsl")]);
        }
    }
    Source::new(&parts)
}

/// Elements a lane of a textbook kernel handles.
pub(crate) const HILLIS_STEELE_PER_LANE: u32 = textbook::HILLIS_STEELE_TILE as u32 / LANES;
/// The same for Blelloch's.
pub(crate) const BLELLOCH_PER_LANE: u32 = textbook::BLELLOCH_TILE as u32 / LANES;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        kernel::tests::{validated, workgroup_memory},
        monoid::Sum,
    };

    pub(crate) const SUMS: [fn() -> Operator; 3] = [
        || Operator::new::<u32, _>(&Sum),
        || Operator::new::<i32, _>(&Sum),
        || Operator::new::<f32, _>(&Sum),
    ];

    /// Every kernel that can be asked for, and some that are not.
    pub(crate) fn every_kernel() -> Vec<ScanKernel> {
        use Pass::*;
        let flags = [false, true];
        let mut kernels = Vec::new();
        for pass in [Reduce, Fold, Scan, LookBack, HillisSteele, Blelloch, UniformAdd] {
            let textbook = matches!(pass, HillisSteele | Blelloch | UniformAdd);
            for per_lane in [1, 2, 4, 8].into_iter().filter(|&per_lane| !textbook || per_lane <= 2) {
                for lanes in [Lanes::Subgroup, Lanes::Workgroup] {
                    for access in [Access::Quads, Access::Elements] {
                        for in_place in flags {
                            for exclusive in flags {
                                for trace in flags.into_iter().filter(|&trace| !trace || textbook) {
                                    kernels.push(ScanKernel {
                                        pass,
                                        lanes,
                                        per_lane,
                                        access,
                                        in_place,
                                        exclusive,
                                        trace,
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
        kernels
    }

    /// wgpu does not check this one: a driver would have to.
    #[test]
    fn kernels_keep_to_the_workgroup_memory_that_every_device_has() {
        for kernel in every_kernel() {
            // What tuning never asks for.
            if kernel.lanes == Lanes::Workgroup && kernel.per_lane == 8 {
                continue;
            }
            let (module, _) = validated(&SUMS[0](), &kernel.into());
            let bytes = workgroup_memory(&module);
            assert!(bytes <= 16 << 10, "{kernel:?} takes {bytes} bytes");
        }
    }

    #[test]
    fn texts_differ_where_kernels_do() {
        let plain = ScanKernel {
            pass: Pass::Scan,
            lanes: Lanes::Subgroup,
            per_lane: 8,
            access: Access::Quads,
            in_place: false,
            exclusive: false,
            trace: false,
        };
        let text = |kernel| assemble(&SUMS[0](), &kernel).text;
        for other in [
            ScanKernel { pass: Pass::Reduce, ..plain },
            ScanKernel { lanes: Lanes::Workgroup, ..plain },
            ScanKernel { per_lane: 4, ..plain },
            ScanKernel { access: Access::Elements, ..plain },
            ScanKernel { in_place: true, ..plain },
            ScanKernel { exclusive: true, ..plain },
        ] {
            assert_ne!(text(plain), text(other), "{other:?}");
        }
        assert_ne!(text(plain), assemble(&SUMS[2](), &plain).text);
    }

    /// An operator's own text is found again by its line.
    #[test]
    fn an_operators_lines_are_its_own() {
        let operator = Operator { element: "u32", monoid: "// one\n// two\nfault here\n".into() };
        for kernel in every_kernel() {
            let source = assemble(&operator, &kernel);
            let line = source.text.lines().position(|line| line == "fault here").expect("the text is in it");
            assert_eq!(source.locate(line + 1), "operator:3", "{kernel:?}");
        }
    }

    /// What Rust writes is what kernels read.
    #[test]
    fn parameters_lie_where_kernels_look_for_them() {
        let module = naga::front::wgsl::parse_str(Params::WGSL).expect("a struct");
        let (_, params) = module.types.iter().find(|(_, t)| t.name.is_some()).expect("a struct");
        let naga::TypeInner::Struct { members, span } = &params.inner else { panic!("{params:?}") };
        assert_eq!(*span as usize, size_of::<Params>());
        assert!(span.is_multiple_of(16));
        let numbered = Params {
            count: 0,
            src_base: 1,
            dst_base: 2,
            first_tile: 3,
            tiles: 4,
            grid_x: 5,
            blocks: 6,
            piece: 7,
            patience: 8,
            ..Params::default()
        };
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&numbered));
        for (i, name) in
            ["count", "src_base", "dst_base", "first_tile", "tiles", "grid_x", "blocks", "piece", "patience"]
                .into_iter()
                .enumerate()
        {
            assert_eq!(members[i].name.as_deref(), Some(name));
            assert_eq!((members[i].offset as usize, words[i]), (4 * i, i as u32), "{name}");
        }
    }
}
