//! Assembles a kernel's text from the snippets under `shaders/`.
//!
//! WGSL declarations may stand in any order, so a generic kernel is a concatenation: the element's alias,
//! the operator's functions, the constants, the snippets a kernel calls, and the kernel itself. A name
//! declared twice is an error that naga reports.

use std::sync::Arc;

use crate::{element::Element, monoid::Monoid, order, textbook, unroll};

/// Lanes in a workgroup, everywhere: the most that every WebGPU implementation takes.
pub(crate) const LANES: u32 = 256;

/// Declares the uniform parameters of all kernels once, for Rust and for WGSL.
macro_rules! params {
    ($($(#[doc = $doc:literal])* $name:ident),* $(,)?) => {
        /// What a dispatch is told, as every kernel reads it.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
        pub(crate) struct Params {
            $($(#[doc = $doc])* pub $name: u32,)*
        }

        impl Params {
            /// The same struct in WGSL.
            pub(crate) const WGSL: &'static str = concat!(
                "struct Params {\n",
                $("    ", stringify!($name), ": u32,\n",)*
                "}\n",
            );
        }
    };
}

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
pub(crate) struct Kernel {
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

/// The element type and the operator, as shader text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operator {
    pub element: &'static str,
    pub monoid: Arc<str>,
}

impl Operator {
    pub fn new<T: Element, M: Monoid<T>>(monoid: &M) -> Self {
        Self { element: T::WGSL, monoid: monoid.wgsl().into() }
    }
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

impl Kernel {
    /// Elements a workgroup handles.
    pub fn tile(&self) -> u32 {
        match self.pass {
            Pass::Reduce | Pass::Fold | Pass::Scan | Pass::LookBack => 4 * self.per_lane * LANES,
            // The sums of either textbook algorithm are added tile by tile, as they were made.
            Pass::HillisSteele | Pass::Blelloch | Pass::UniformAdd => self.per_lane * LANES,
        }
    }
}

/// A kernel's text, and which line came from where.
pub(crate) struct Source {
    pub text: String,
    /// Each part's name and its first line in `text`, counted from 0.
    parts: Vec<(&'static str, usize)>,
}

impl Source {
    fn new(parts: &[(&'static str, &str)]) -> Self {
        let mut source = Source { text: String::new(), parts: Vec::new() };
        let mut lines = 0;
        for &(name, text) in parts {
            source.parts.push((name, lines));
            source.text.push_str(text);
            source.text.push('\n');
            lines += text.matches('\n').count() + 1;
        }
        source
    }

    /// The part and the line in it, both as a reader counts, for a line of the whole text (from 1).
    pub fn locate(&self, line: usize) -> String {
        let line = line.saturating_sub(1);
        match self.parts.iter().rev().find(|(_, first)| *first <= line) {
            Some((name, first)) => format!("{name}:{}", line - first + 1),
            None => format!("line {}", line + 1),
        }
    }
}

macro_rules! snippet {
    ($path:literal) => {
        ($path, include_str!(concat!("../shaders/", $path)))
    };
}

/// The whole text of `kernel` for `operator`.
pub(crate) fn assemble(operator: &Operator, kernel: &Kernel) -> Source {
    let element = format!("alias T = {};\nconst LANES = {LANES}u;\n", operator.element);
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
    use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

    use super::*;
    use crate::monoid::Sum;

    const SUMS: [fn() -> Operator; 3] = [
        || Operator::new::<u32, _>(&Sum),
        || Operator::new::<i32, _>(&Sum),
        || Operator::new::<f32, _>(&Sum),
    ];

    /// Every kernel that can be asked for, and some that are not.
    fn every_kernel() -> Vec<Kernel> {
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
                                    kernels.push(Kernel {
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

    /// Parses and validates a kernel as wgpu does, without a device.
    fn validated(operator: &Operator, kernel: &Kernel) -> (naga::Module, ModuleInfo) {
        let source = assemble(operator, kernel);
        let module = naga::front::wgsl::parse_str(&source.text)
            .unwrap_or_else(|error| panic!("{kernel:?}: {}", error.emit_to_string(&source.text)));
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{kernel:?}: {}", error.emit_to_string(&source.text)));
        (module, info)
    }

    /// The storage bindings that a kernel makes use of, which are those it has to be given.
    pub(crate) fn storage_bindings(kernel: &Kernel) -> Vec<u32> {
        let (module, info) = validated(&SUMS[0](), kernel);
        let used = info.get_entry_point(0);
        let mut slots: Vec<u32> = module
            .global_variables
            .iter()
            .filter(|(handle, global)| {
                matches!(global.space, naga::AddressSpace::Storage { .. }) && !used[*handle].is_empty()
            })
            .filter_map(|(_, global)| global.binding.map(|binding| binding.binding))
            .collect();
        slots.sort_unstable();
        slots
    }

    /// Bytes of workgroup memory that a module declares.
    fn workgroup_memory(module: &naga::Module) -> u32 {
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("sizes of types");
        let shared = module.global_variables.iter().filter(|(_, g)| g.space == naga::AddressSpace::WorkGroup);
        shared.map(|(_, global)| layouter[global.ty].size).sum()
    }

    #[test]
    fn every_kernel_is_valid() {
        for kernel in every_kernel() {
            for operator in SUMS {
                let (module, _) = validated(&operator(), &kernel);
                let [entry] = &module.entry_points[..] else { panic!("{kernel:?}: one entry point") };
                assert_eq!(entry.name, kernel.pass.name());
                assert_eq!(entry.workgroup_size, [LANES, 1, 1]);
            }
        }
    }

    /// wgpu does not check this one: a driver would have to.
    #[test]
    fn kernels_keep_to_the_workgroup_memory_that_every_device_has() {
        for kernel in every_kernel() {
            // What tuning never asks for.
            if kernel.lanes == Lanes::Workgroup && kernel.per_lane == 8 {
                continue;
            }
            let (module, _) = validated(&SUMS[0](), &kernel);
            let bytes = workgroup_memory(&module);
            assert!(bytes <= 16 << 10, "{kernel:?} takes {bytes} bytes");
        }
    }

    #[test]
    fn texts_differ_where_kernels_do() {
        let plain = Kernel {
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
            Kernel { pass: Pass::Reduce, ..plain },
            Kernel { lanes: Lanes::Workgroup, ..plain },
            Kernel { per_lane: 4, ..plain },
            Kernel { access: Access::Elements, ..plain },
            Kernel { in_place: true, ..plain },
            Kernel { exclusive: true, ..plain },
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

    #[test]
    fn lines_are_traced_to_their_part() {
        let source = Source::new(&[("one", "a\nb\n"), ("two", "c")]);
        assert_eq!(source.text, "a\nb\n\nc\n");
        assert_eq!(source.locate(2), "one:2");
        assert_eq!(source.locate(4), "two:1");
    }
}
