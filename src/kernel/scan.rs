//! The kernels of scans.

use super::{ENABLE_SUBGROUPS, LANES, Operator, Parts, Source, access, params, snippet, unroll};
use crate::{element::Element, order, textbook};

params! {
    /// Elements in this piece of the input, or in each row.
    count,
    /// Where the piece starts in the bound input, in cells, or words where elements are moved one by one.
    src_base,
    /// Where the piece starts in the bound output.
    dst_base,
    /// From one element to the next in the input, in elements; may wrap around.
    src_step,
    /// The same in the output.
    dst_step,
    /// The number of the piece's first tile in the whole input.
    first_tile,
    /// Tiles (or trees) to work on.
    tiles,
    /// Workgroups in a row of the grid.
    grid_x,
    /// Whole blocks in the whole input, or in each row.
    blocks,
    /// The number of the piece, where pieces hand on a prefix.
    piece,
    /// How often a workgroup looks for what another has to publish before it computes it itself.
    patience,
    /// Rows.
    rows,
    /// The number of the first row.
    first_row,
    /// Tiles in each row.
    tiles_per_row,
    /// Blocks in each row, one that is cut short among them.
    blocks_per_row,
    /// Rows whose starts are `src_inner` apart; after as many comes the next `src_outer`.
    row_inner,
    /// In the unit of `src_base`, or elements where those are moved one by one.
    src_outer,
    /// The same.
    src_inner,
    /// The same in the output.
    dst_outer,
    /// The same.
    dst_inner,
    /// Where the value to start from is in what is bound, in words.
    start_base,
    /// Nothing, but no compiler knows.
    zero,
    /// Levels of the tree over the tiles of a block.
    block_levels,
    /// The number of the piece's first element in the whole input.
    first_element,
    /// Elements in the whole input.
    len,
    /// Where what the hooks read begins in what is bound for them, in words.
    extra_base,
    /// Where what the hooks write begins in what is bound for that, in words.
    count_base,
    /// Which fault to force, in kernels that can.
    fault,
    /// Results at most, where hooks say where they go.
    results,
    /// Where the columns of a sparse matrix begin in what is bound for them, in words.
    columns_base,
    /// The same for the vector that it is multiplied by.
    vector_base,
    /// Elements in that vector.
    vector_len,
}

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// The bits that say where segments begin, cleared.
    ClearHeads,
    /// Set at the offsets of segments.
    MarkHeads,
    /// The same, with where the results of each segment begin.
    MarkStarts,
    /// The identity for segments without elements.
    FillEmpty,
    /// Lengths of runs from their starts.
    Gaps,
    /// Arguments of an indirect dispatch.
    Arguments,
    /// Parameters of a dispatch over all tiles of as many elements as a count says.
    CountAll,
    /// The same over whole tiles.
    CountWhole,
    /// Totals of tiles.
    Reduce,
    /// Trees over the totals of tiles.
    Grow,
    /// Totals of blocks and the fold over them.
    Fold,
    /// Tiles scanned and lifted.
    Scan,
    /// Tiles scanned and lifted, with totals handed from workgroup to workgroup.
    LookBack,
    /// The same with a fault to order, for tests.
    FaultyLookBack,
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
    /// One by one: slower, for ranges that are not aligned, and for steps.
    Elements,
}

/// Where the tree over the tiles of a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tiles {
    /// In workgroup memory, grown by each workgroup.
    Workgroup,
    /// In scratch memory, grown once.
    Scratch,
}

/// How a lane's quads, and the tiles of a block, are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Steps {
    /// By text for each of them: what GPUs want.
    WrittenOut,
    /// In loops: slower, but compiled many times as fast by software drivers.
    Looped,
}

/// How rows share tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rows {
    /// There is one.
    One,
    /// A row has one tile or more.
    Long,
    /// A tile has several rows, each as wide as this power of two.
    Short(u32),
}

/// Where results go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sink {
    /// Each to the place of its element.
    InOrder,
    /// Each to the place that a hook names, or nowhere.
    Scatter,
}

/// Everything that decides a kernel's text, but for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScanKernel {
    pub pass: Pass,
    pub lanes: Lanes,
    /// Lanes in a workgroup.
    pub width: u32,
    /// What a lane holds: quads in the tile kernels, elements in the textbook ones.
    pub per_lane: u32,
    pub access: Access,
    pub tiles: Tiles,
    pub steps: Steps,
    pub rows: Rows,
    pub sink: Sink,
    /// Input and output lie in one buffer.
    pub in_place: bool,
    pub exclusive: bool,
    /// Results start from a value in memory rather than from nothing.
    pub starts: bool,
    /// The operator's maps apply. (Not between the levels of the textbook algorithms.)
    pub maps: bool,
    /// Write out every round (textbook kernels).
    pub trace: bool,
}

impl Pass {
    /// Whether the kernel knows the operator.
    fn combines(self) -> bool {
        use Pass::*;
        !matches!(self, ClearHeads | MarkHeads | MarkStarts | Gaps | Arguments | CountAll | CountWhole)
    }

    /// The entry point.
    pub fn name(self) -> &'static str {
        match self {
            Pass::ClearHeads => "clear_heads",
            Pass::MarkHeads => "mark_heads",
            Pass::MarkStarts => "mark_starts",
            Pass::FillEmpty => "fill_empty",
            Pass::Gaps => "gaps",
            Pass::Arguments => "arguments",
            Pass::CountAll | Pass::CountWhole => "count_params",
            Pass::Reduce => "reduce",
            Pass::Grow => "grow_trees",
            Pass::Fold => "fold",
            Pass::Scan => "scan",
            Pass::LookBack | Pass::FaultyLookBack => "single_pass",
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
            // The sums of either textbook algorithm are added tile by tile, as they were made.
            Pass::HillisSteele | Pass::Blelloch | Pass::UniformAdd => self.per_lane * self.width,
            _ => 4 * self.per_lane * self.width,
        }
    }

    pub fn tiles_per_block(&self) -> u32 {
        order::BLOCK as u32 / self.tile().min(order::BLOCK as u32)
    }

    fn uses_subgroups(&self) -> bool {
        let by_tiles = matches!(self.pass, Pass::Reduce | Pass::Scan | Pass::LookBack | Pass::FaultyLookBack);
        by_tiles && self.lanes == Lanes::Subgroup
    }
}

/// The whole text of `kernel` for `operator`.
pub(crate) fn assemble(operator: &Operator, kernel: &ScanKernel) -> Source {
    let plain;
    let operator = match kernel.maps {
        true => operator,
        false => {
            plain = operator.without_hooks();
            &plain
        }
    };
    let mut parts = Parts::default();
    let enable = if kernel.uses_subgroups() { ENABLE_SUBGROUPS } else { "" };
    parts.add("element", enable.to_string() + &access::types(operator, kernel.access, kernel.sink));
    parts.add("engine", constants(kernel));
    if kernel.pass.combines() {
        for (name, text) in operator.combine.iter().chain(&operator.hooks) {
            parts.add(name, &**text);
        }
        match kernel.starts {
            true => parts.add("start", access::start(&operator.element)),
            false => parts.file(snippet!("start/identity.wgsl")),
        }
    }
    parts.add("params", Params::WGSL);
    match kernel.pass {
        Pass::ClearHeads => parts.file(snippet!("kernels/clear_heads.wgsl")),
        Pass::MarkHeads => parts.file(snippet!("kernels/mark_heads.wgsl")),
        Pass::MarkStarts => parts.file(snippet!("kernels/mark_starts.wgsl")),
        Pass::FillEmpty => {
            parts.add("access", access::scatter(operator));
            parts.file(snippet!("kernels/fill_empty.wgsl"));
        }
        Pass::Gaps => parts.file(snippet!("kernels/gaps.wgsl")),
        Pass::Arguments => parts.file(snippet!("kernels/arguments.wgsl")),
        Pass::CountAll | Pass::CountWhole => {
            let rounds_up = kernel.pass == Pass::CountAll;
            parts.add(
                "constants",
                format!("const TILE = {}u;\nconst ROUNDS_UP = {rounds_up};\n", kernel.tile()),
            );
            parts.file(snippet!("kernels/count_params.wgsl"));
        }
        Pass::Reduce | Pass::Scan | Pass::LookBack | Pass::FaultyLookBack => {
            tile_kernel(&mut parts, operator, kernel)
        }
        Pass::Grow => parts.file(snippet!("kernels/grow.wgsl")),
        Pass::Fold => {
            match kernel.tiles {
                Tiles::Workgroup => {
                    parts.file(snippet!("tiles/index.wgsl"));
                    match kernel.steps {
                        Steps::WrittenOut => {
                            parts.add("unrolled", unroll::block_total(kernel.tiles_per_block()));
                        }
                        Steps::Looped => {
                            parts.file(snippet!("tiles/counter.wgsl"));
                            parts.file(snippet!("tiles/looped_total.wgsl"));
                        }
                    }
                }
                Tiles::Scratch => {
                    parts.file(snippet!("tiles/scratch.wgsl"));
                    parts.file(snippet!("tiles/root.wgsl"));
                }
            }
            parts.file(snippet!("kernels/fold.wgsl"));
        }
        Pass::HillisSteele | Pass::Blelloch | Pass::UniformAdd => {
            textbook_kernel(&mut parts, operator, kernel)
        }
    }
    parts.source()
}

/// What depends on the kernel's shape alone.
fn constants(kernel: &ScanKernel) -> String {
    let row = match kernel.rows {
        Rows::Short(log2) => 1u32 << log2,
        Rows::One | Rows::Long => u32::MAX,
    };
    // Node counts of the tree over a tile's leaves, and of that over a block's tiles where it lies beside.
    let of_block = match kernel.tiles {
        Tiles::Workgroup => " + 2u * TILES_PER_BLOCK",
        Tiles::Scratch => "",
    };
    let nodes = match kernel.pass {
        Pass::Reduce | Pass::Scan | Pass::LookBack | Pass::FaultyLookBack => {
            format!("const NODES = 2u * LEAVES{of_block};\n")
        }
        _ => String::new(),
    };
    format!(
        "const LANES = {}u;\nconst EXCLUSIVE = {};\nconst ROW = {row}u;\nconst TILES_PER_BLOCK = {}u;\n{nodes}\n\
         /// The product of two numbers, as rounded: keeps a compiler from fusing it into the next addition.\n\
         fn rounded(x: f32) -> f32 {{\n    return bitcast<f32>(bitcast<u32>(x) ^ params.zero);\n}}\n",
        kernel.width,
        kernel.exclusive,
        kernel.tiles_per_block(),
    )
}

fn tile_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    steps(parts, operator, kernel);
    parts.file(snippet!("quad.wgsl"));
    parts.file(snippet!("tree.wgsl"));
    reach_elements(parts, operator, kernel);
    match kernel.lanes {
        Lanes::Subgroup => {
            parts.file(snippet!("lanes/subgroup.wgsl"));
            parts.file(match cfg!(target_arch = "wasm32") {
                true => snippet!("width/proven.wgsl"),
                false => snippet!("width/plain.wgsl"),
            });
        }
        Lanes::Workgroup => parts.file(snippet!("lanes/workgroup.wgsl")),
    }
    match kernel.tiles {
        Tiles::Workgroup => {
            parts.file(snippet!("tiles/index.wgsl"));
            parts.file(snippet!("tiles/workgroup.wgsl"));
        }
        Tiles::Scratch => parts.file(snippet!("tiles/scratch.wgsl")),
    }
    match kernel.pass {
        Pass::Reduce => parts.file(snippet!("kernels/reduce.wgsl")),
        Pass::Scan => {
            parts.file(snippet!("block.wgsl"));
            match kernel.tiles {
                Tiles::Workgroup => parts.file(snippet!("tiles/totals.wgsl")),
                Tiles::Scratch => parts.file(snippet!("tiles/trees.wgsl")),
            }
            parts.file(snippet!("kernels/scan.wgsl"));
        }
        _ => {
            parts.file(snippet!("block.wgsl"));
            match kernel.steps {
                Steps::WrittenOut => parts.add("tiles", unroll::left_in_block(kernel.tiles_per_block())),
                Steps::Looped => {
                    parts.file(snippet!("tiles/counter.wgsl"));
                    parts.file(snippet!("tiles/looped_left.wgsl"));
                }
            }
            parts.file(snippet!("states.wgsl"));
            parts.file(snippet!("again.wgsl"));
            parts.file(snippet!("rescue.wgsl"));
            parts.file(match kernel.pass {
                Pass::FaultyLookBack => snippet!("faults/forced.wgsl"),
                _ => snippet!("faults/none.wgsl"),
            });
            parts.file(snippet!("kernels/single_pass.wgsl"));
        }
    }
}

/// What is done to the quads of a lane.
fn steps(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    let (quads, lanes) = (kernel.per_lane, kernel.lanes);
    let short = matches!(kernel.rows, Rows::Short(_));
    parts.add("constants", format!("const QUADS = {quads}u;\nconst TILE = 4u * QUADS * LANES;\n"));
    if lanes == Lanes::Subgroup {
        parts.add("shuffle", access::shuffle(&operator.element));
    }
    match (kernel.steps, lanes) {
        (Steps::WrittenOut, Lanes::Subgroup) => {
            parts.add("unrolled", unroll::quads(quads) + &unroll::subgroup_steps(quads, short));
            parts.file(snippet!("steps/written_out_subgroup.wgsl"));
        }
        (Steps::WrittenOut, Lanes::Workgroup) => {
            parts.add("unrolled", unroll::quads(quads) + &unroll::lane_steps(quads, short));
        }
        (Steps::Looped, Lanes::Subgroup) => {
            parts.file(snippet!("steps/looped.wgsl"));
            parts.file(snippet!("steps/looped_subgroup.wgsl"));
        }
        (Steps::Looped, Lanes::Workgroup) => {
            parts.file(snippet!("steps/looped.wgsl"));
            parts.file(snippet!("steps/looped_workgroup.wgsl"));
        }
    }
}

fn textbook_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    parts.add("constants", format!("const TILE = {}u;\n", kernel.tile()));
    parts.add("totals", access::totals(&operator.element));
    reach_elements(parts, operator, kernel);
    match kernel.trace {
        true => parts.file(snippet!("trace/on.wgsl")),
        false => parts.file(snippet!("trace/off.wgsl")),
    }
    parts.file(match kernel.pass {
        Pass::HillisSteele => snippet!("kernels/hillis_steele.wgsl"),
        Pass::Blelloch => snippet!("kernels/blelloch.wgsl"),
        _ => snippet!("kernels/uniform_add.wgsl"),
    });
}

/// How elements come from the input and go to the output.
fn reach_elements(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    parts.file(match kernel.in_place {
        true if access::shares_words(operator, kernel.access) => snippet!("source/in_place_shared.wgsl"),
        true => snippet!("source/in_place.wgsl"),
        false => snippet!("source/separate.wgsl"),
    });
    if operator.output == half::f16::LAYOUT {
        parts.file(snippet!("access/half.wgsl"));
    }
    match kernel.access {
        Access::Quads => {
            parts.add("access", access::quads(operator, kernel.sink));
            parts.file(snippet!("access/quads.wgsl"));
        }
        Access::Elements => {
            parts.add("access", access::elements(operator, kernel.sink));
            parts.file(snippet!("access/elements.wgsl"));
        }
    }
    parts.file(match kernel.rows {
        Rows::One => snippet!("rows/one.wgsl"),
        Rows::Long => snippet!("rows/long.wgsl"),
        Rows::Short(_) => snippet!("rows/short.wgsl"),
    });
}

/// Elements a lane of a textbook kernel handles.
pub(crate) const HILLIS_STEELE_PER_LANE: u32 = textbook::HILLIS_STEELE_TILE as u32 / LANES;
/// The same for Blelloch's.
pub(crate) const BLELLOCH_PER_LANE: u32 = textbook::BLELLOCH_TILE as u32 / LANES;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        element::{Element, Layout},
        kernel::{
            Kernel,
            tests::{validated, workgroup_memory},
        },
        map::{Double, Map, Same, Widen},
        monoid::Sum,
        tuning::{self, Capabilities},
    };

    fn sum<T: crate::element::Number>() -> Operator {
        Operator::plain::<T, _>(&Sum)
    }

    /// Words of which only their number is known, for elements of any width.
    fn wide<const N: u32>() -> Operator {
        let layout = Layout::words(N);
        Operator {
            input: layout,
            element: layout,
            output: layout,
            combine: vec![(
                "operator",
                "fn identity() -> T { return T(); }\nfn combine(l: T, r: T) -> T { var s = l; s.w0 = r.w0; \
                     return s; }"
                    .into(),
            )],
            hooks: vec![("hooks", include_str!("../../shaders/hooks/none.wgsl").into())],
        }
    }

    fn mapped<A: Element, T: Element, B: Element>(map: impl Map<A, T>) -> Operator
    where
        Sum: crate::monoid::Monoid<T>,
        Same: Map<T, B>,
    {
        Operator::new::<A, T, B, _, _, _>(&Sum, &map, &Same)
    }

    const SUMS: [fn() -> Operator; 3] = [sum::<u32>, sum::<i32>, sum::<f32>];

    /// Operators of every width that is planned for, and of every input.
    const OTHERS: [fn() -> Operator; 14] = [
        sum::<u64>,
        sum::<[f32; 3]>,
        sum::<[u32; 4]>,
        wide::<5>,
        wide::<8>,
        wide::<9>,
        wide::<11>,
        wide::<16>,
        || mapped::<u8, u32, u32>(Widen),
        || mapped::<i8, i32, i32>(Widen),
        || mapped::<u16, u32, u32>(Widen),
        || mapped::<i16, i32, i32>(Widen),
        || mapped::<half::f16, f32, f32>(Widen),
        || mapped::<u32, u64, u64>(Double),
    ];

    fn device(subgroups: bool) -> Capabilities {
        Capabilities {
            subgroups,
            software: false,
            progress: false,
            max_binding: 1 << 27,
            binding_alignment: 256,
            max_groups: 65_535,
            tile_log2: None,
            patience: tuning::PATIENCE,
            fault: None,
        }
    }

    /// Every kernel that can be asked for with elements of `words` words, and some that are not.
    fn every_kernel(words: u32) -> Vec<ScanKernel> {
        use Pass::*;
        let flags = [false, true];
        let mut kernels = Vec::new();
        for pass in [Reduce, Grow, Fold, Scan, LookBack, HillisSteele, Blelloch, UniformAdd] {
            let textbook = matches!(pass, HillisSteele | Blelloch | UniformAdd);
            if (textbook && words > 4) || (pass == LookBack && words > 1) {
                continue;
            }
            for (subgroups, software, len) in [
                (true, false, 1),
                (true, false, 1 << 28),
                (false, false, 1),
                (true, true, 1),
                (false, true, 1),
            ] {
                let device = Capabilities { software, ..device(subgroups) };
                let policy = tuning::tiles(&device, words, len);
                for access in [Access::Quads, Access::Elements] {
                    let all_rows = match textbook || pass == LookBack {
                        true => &[Rows::One][..],
                        false => &[Rows::One, Rows::Long, Rows::Short(2), Rows::Short(9)],
                    };
                    for &rows in all_rows {
                        for in_place in flags {
                            for exclusive in flags {
                                for extra in flags {
                                    kernels.push(ScanKernel {
                                        pass,
                                        lanes: policy.lanes,
                                        width: if textbook { LANES } else { policy.width },
                                        per_lane: if textbook { 1 + u32::from(extra) } else { policy.quads },
                                        access: if textbook { Access::Elements } else { access },
                                        tiles: policy.tiles,
                                        steps: tuning::steps(&device, true),
                                        rows,
                                        sink: Sink::InOrder,
                                        in_place: in_place || pass == UniformAdd,
                                        exclusive,
                                        starts: extra && matches!(pass, Fold | Scan),
                                        maps: pass != UniformAdd && pass != Fold && pass != Grow,
                                        trace: extra && matches!(pass, HillisSteele | Blelloch),
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

    /// The kernels of words, and those of wider elements that rows do not change.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn every_kernel_with_its_operator() -> Vec<(Operator, ScanKernel)> {
        let of_words = [SUMS[0], SUMS[2]]
            .into_iter()
            .flat_map(|operator| every_kernel(1).into_iter().map(move |kernel| (operator(), kernel)));
        let of_others = OTHERS.into_iter().flat_map(|operator| {
            let operator = operator();
            let kernels = every_kernel(operator.element.word_count()).into_iter();
            let planned = kernels.filter(|kernel| !kernel.in_place && kernel.rows == Rows::One);
            planned.map(|kernel| (operator.clone(), kernel)).collect::<Vec<_>>()
        });
        of_words.chain(of_others).collect()
    }

    fn check(operator: &Operator, kernel: ScanKernel) -> naga::Module {
        let (module, _) = validated(operator, &Kernel::Scan(kernel));
        let [entry] = &module.entry_points[..] else { panic!("{kernel:?}: one entry point") };
        assert_eq!(entry.name, kernel.pass.name());
        assert_eq!(entry.workgroup_size, [kernel.width, 1, 1]);
        // wgpu does not check this one: a driver would have to.
        let bytes = workgroup_memory(&module);
        assert!(bytes <= 16 << 10, "{kernel:?} takes {bytes} bytes");
        module
    }

    #[test]
    fn every_kernel_of_words_is_valid() {
        for kernel in every_kernel(1) {
            for operator in SUMS {
                check(&operator(), kernel);
            }
        }
    }

    #[test]
    fn every_kernel_of_other_elements_is_valid() {
        for operator in OTHERS {
            let operator = operator();
            let cell = |layout| access::cell_bytes(layout, Access::Quads);
            let alike = cell(&operator.input) == cell(&operator.output);
            for kernel in every_kernel(operator.element.word_count()) {
                // One binding has cells of one type.
                let planned = alike || !kernel.in_place || kernel.access == Access::Elements;
                // How rows are reached does not depend on the element.
                if planned && (kernel.rows == Rows::One || operator.element == u64::LAYOUT) {
                    check(&operator, kernel);
                }
            }
        }
    }

    #[test]
    fn texts_differ_where_kernels_do() {
        let plain = ScanKernel {
            pass: Pass::Scan,
            lanes: Lanes::Subgroup,
            width: LANES,
            per_lane: 8,
            access: Access::Quads,
            tiles: Tiles::Workgroup,
            steps: Steps::WrittenOut,
            rows: Rows::One,
            sink: Sink::InOrder,
            in_place: false,
            exclusive: false,
            starts: false,
            maps: true,
            trace: false,
        };
        let text = |kernel| assemble(&SUMS[0](), &kernel).text;
        for other in [
            ScanKernel { pass: Pass::Reduce, ..plain },
            ScanKernel { lanes: Lanes::Workgroup, ..plain },
            ScanKernel { width: 128, ..plain },
            ScanKernel { per_lane: 4, ..plain },
            ScanKernel { access: Access::Elements, ..plain },
            ScanKernel { tiles: Tiles::Scratch, ..plain },
            ScanKernel { steps: Steps::Looped, ..plain },
            ScanKernel { rows: Rows::Long, ..plain },
            ScanKernel { rows: Rows::Short(4), ..plain },
            ScanKernel { in_place: true, ..plain },
            ScanKernel { exclusive: true, ..plain },
            ScanKernel { starts: true, ..plain },
            ScanKernel { maps: false, ..plain },
        ] {
            assert_ne!(text(plain), text(other), "{other:?}");
        }
        assert_ne!(text(plain), assemble(&SUMS[2](), &plain).text);
    }

    /// An operator's own text is found again by its line.
    #[test]
    fn an_operators_lines_are_its_own() {
        let mut operator = SUMS[0]();
        operator.combine[0].1 = "// one\n// two\nfault here\n".into();
        for kernel in every_kernel(1) {
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
        for (i, member) in members.iter().enumerate() {
            assert_eq!(member.offset as usize, 4 * i);
        }
        let params = Params { count: 1, dst_base: 2, tiles: 3, ..Params::default() };
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&params));
        for (name, value) in [("count", 1), ("dst_base", 2), ("tiles", 3)] {
            let place = members.iter().position(|member| member.name.as_deref() == Some(name));
            assert_eq!(words[place.expect("a member of that name")], value, "{name}");
        }
    }
}
