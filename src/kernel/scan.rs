//! The kernels of scans.

use super::{ENABLE_SUBGROUPS, LANES, Operator, Parts, Source, access, params, snippet, unroll};
use crate::{
    element::{Element, Layout},
    order, textbook,
};

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
    /// Tiles that a workgroup takes together, a power of two.
    share,
    /// Uniform structs are a multiple of 16 bytes.
    reserved_0,
    /// The same.
    reserved_1,
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
    /// The total of all, by whoever is done last.
    Total,
    /// The same with a fault to order, for tests.
    FaultyTotal,
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

/// How what precedes an element is combined in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lifting {
    /// By its left siblings, one after the other: the canonical order, for any operator.
    ByLevel,
    /// All at once, after it was combined: for operators that give the same bits in any grouping.
    Once,
    /// All at once, one element of a run after the other: for operators that say so, and for those that give the same
    /// bits in any grouping on elements much wider than what they come from. A lane holds its run as it came.
    Runs,
    /// Not at all, for compactions: a lane holds the elements themselves, and a bit for each that says whether it is
    /// kept. For elements of one word, in aligned bindings, written out.
    Kept,
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
    pub lifting: Lifting,
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
            Pass::Total | Pass::FaultyTotal => "total",
            Pass::HillisSteele => "hillis_steele",
            Pass::Blelloch => "blelloch",
            Pass::UniformAdd => "uniform_add",
        }
    }
}

impl ScanKernel {
    /// A kernel that neither reads nor writes elements.
    pub fn plain(pass: Pass) -> Self {
        Self {
            pass,
            lanes: Lanes::Workgroup,
            width: LANES,
            per_lane: 1,
            access: Access::Elements,
            tiles: Tiles::Workgroup,
            steps: Steps::WrittenOut,
            lifting: Lifting::ByLevel,
            rows: Rows::One,
            sink: Sink::InOrder,
            in_place: false,
            exclusive: false,
            starts: false,
            maps: false,
            trace: false,
        }
    }

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

    /// Whether neighbouring lanes write their quads of such elements together.
    fn writes_pairs(&self, output: &Layout) -> bool {
        self.lanes == Lanes::Subgroup
            && self.steps == Steps::WrittenOut
            && self.access == Access::Quads
            && self.sink == Sink::InOrder
            && output.word_count() == 2
    }

    /// Whether a tile of a single pass takes what precedes it in its block combined, not as leaves of a tree.
    fn takes_in_parts(&self) -> bool {
        matches!(self.pass, Pass::LookBack | Pass::FaultyLookBack)
            && self.lifting == Lifting::Once
            && self.lanes == Lanes::Subgroup
    }

    /// Whether four neighbouring lanes exchange runs of such elements, to move 64 bytes side by side.
    fn exchanges(&self, layout: &Layout) -> bool {
        self.lifting == Lifting::Runs
            && self.lanes == Lanes::Subgroup
            && self.steps == Steps::WrittenOut
            && self.access == Access::Quads
            && self.per_lane.is_multiple_of(4)
            && !matches!(self.rows, Rows::Short(_))
            && layout.word_count() == 1
            && layout.narrow().is_none()
    }

    /// The operator's text for runs, if the kernel is made of it.
    fn windows(&self, operator: &Operator) -> Option<&'static str> {
        let suits = self.lifting == Lifting::Runs && self.steps == Steps::WrittenOut;
        operator.windows.filter(|_| suits && self.sink == Sink::InOrder)
    }

    fn exchanges_results(&self, output: &Layout) -> bool {
        self.exchanges(output) && self.sink == Sink::InOrder
    }

    fn uses_subgroups(&self) -> bool {
        use Pass::*;
        let by_tiles = matches!(self.pass, Reduce | Scan | LookBack | FaultyLookBack | Total | FaultyTotal);
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
    parts.add(
        "element",
        match kernel.windows(operator) {
            Some(_) => "alias Leaving = Out;\nalias Written = vec4<Out>;\n",
            None => "alias Leaving = T;\nalias Written = Quad;\n",
        },
    );
    parts.add("engine", constants(kernel));
    parts.file(snippet!("rounded.wgsl"));
    if kernel.pass.combines() {
        let windows = kernel.windows(operator).map(|_| operator.with_sums());
        let hooks = windows.as_ref().unwrap_or(&operator.hooks);
        for (name, text) in operator.combine.iter().chain(hooks) {
            // The text for windows calls the operator's own functions: it is not a user's.
            parts.add(if windows.is_some() { "windows" } else { name }, &**text);
        }
        match kernel.starts {
            true => parts.add("start", access::start(operator)),
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
        Pass::Total | Pass::FaultyTotal => total_kernel(&mut parts, operator, kernel),
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
        // The tree over a share's leaves, or the totals of runs and what is gathered; and what is cut short: the quads
        // of a run, the tiles of a share.
        Pass::Total | Pass::FaultyTotal => format!("const NODES = 2u * LANES + QUADS + {MOST_AT_ONCE}u;\n"),
        _ => String::new(),
    };
    format!(
        "const LANES = {}u;\nconst EXCLUSIVE = {};\nconst ROW = {row}u;\nconst TILES_PER_BLOCK = {}u;\n{nodes}",
        kernel.width,
        kernel.exclusive,
        kernel.tiles_per_block(),
    )
}

fn tile_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    reduced_tiles(parts, operator, kernel);
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
            scanned_tiles(parts, operator, kernel);
            match kernel.tiles {
                Tiles::Workgroup => parts.file(snippet!("tiles/totals.wgsl")),
                Tiles::Scratch => parts.file(snippet!("tiles/trees.wgsl")),
            }
            parts.file(snippet!("kernels/scan.wgsl"));
        }
        _ => {
            scanned_tiles(parts, operator, kernel);
            if kernel.takes_in_parts() {
                parts.file(snippet!("tiles/taken_in_parts.wgsl"));
            } else {
                parts.file(snippet!("tiles/taken_as_leaves.wgsl"));
                match kernel.steps {
                    Steps::WrittenOut => parts.add("tiles", unroll::left_in_block(kernel.tiles_per_block())),
                    Steps::Looped => {
                        parts.file(snippet!("tiles/counter.wgsl"));
                        parts.file(snippet!("tiles/looped_left.wgsl"));
                    }
                }
            }
            told_to_others(parts, operator, kernel);
            parts.file(snippet!("again.wgsl"));
            parts.file(snippet!("rescue.wgsl"));
            parts.file(snippet!("kernels/single_pass.wgsl"));
        }
    }
}

fn total_kernel(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    reduced_tiles(parts, operator, kernel);
    parts.file(match kernel.lanes {
        Lanes::Subgroup => snippet!("lanes/shares_subgroup.wgsl"),
        Lanes::Workgroup => snippet!("lanes/shares_workgroup.wgsl"),
    });
    parts.file(snippet!("some.wgsl"));
    told_to_others(parts, operator, kernel);
    parts.file(snippet!("kernels/total.wgsl"));
}

/// How workgroups hand on totals.
fn told_to_others(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    parts.file(snippet!("states.wgsl"));
    parts.add("entries", access::entries(&operator.element));
    parts.file(match kernel.pass {
        Pass::FaultyLookBack | Pass::FaultyTotal => snippet!("faults/forced.wgsl"),
        _ => snippet!("faults/none.wgsl"),
    });
}

/// How a tile is loaded and reduced.
fn reduced_tiles(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    steps(parts, operator, kernel);
    parts.file(snippet!("quad.wgsl"));
    parts.file(snippet!("tree.wgsl"));
    reach_elements(parts, operator, kernel);
    match kernel.lanes {
        Lanes::Subgroup => {
            parts.file(match kernel.lifting {
                Lifting::Runs => snippet!("lanes/runs_subgroup.wgsl"),
                _ => snippet!("lanes/subgroup.wgsl"),
            });
            parts.file(match cfg!(target_arch = "wasm32") {
                true => snippet!("width/proven.wgsl"),
                false => snippet!("width/plain.wgsl"),
            });
        }
        Lanes::Workgroup if kernel.lifting == Lifting::Runs => {
            parts.file(snippet!("lanes/runs_workgroup.wgsl"));
        }
        Lanes::Workgroup => parts.file(snippet!("lanes/workgroup.wgsl")),
    }
}

/// What is done to the quads of a lane.
fn steps(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    let quads = kernel.per_lane;
    parts.add("constants", format!("const QUADS = {quads}u;\nconst TILE = 4u * QUADS * LANES;\n"));
    if kernel.lifting == Lifting::Kept {
        parts.add("unrolled", unroll::kept_words(4 * quads, kernel.lanes));
        return;
    }
    if kernel.lanes == Lanes::Subgroup {
        parts.add("shuffle", access::shuffle(&operator.element));
    }
    if kernel.lifting == Lifting::Runs {
        parts.file(snippet!("lifting/left.wgsl"));
        match kernel.steps {
            Steps::WrittenOut => {
                parts.add("unrolled", unroll::held_runs(quads, kernel.exchanges(&operator.input)));
                match kernel.windows(operator) {
                    Some(text) => {
                        parts.add("windows", text);
                        parts.file(snippet!("lifting/windows.wgsl"));
                        parts.add("unrolled", unroll::window_quads(quads));
                    }
                    None => parts.add("unrolled", unroll::run_totals(quads)),
                }
            }
            Steps::Looped => parts.file(snippet!("steps/looped_runs.wgsl")),
        }
        return;
    }
    match kernel.steps {
        Steps::WrittenOut => {
            parts.add("unrolled", unroll::quads(quads));
            if kernel.lanes == Lanes::Subgroup {
                parts.add("unrolled", unroll::subgroup_steps(quads));
                parts.file(snippet!("steps/written_out_subgroup.wgsl"));
            }
        }
        Steps::Looped => {
            parts.file(snippet!("steps/looped.wgsl"));
            if kernel.lanes == Lanes::Subgroup {
                parts.file(snippet!("steps/looped_subgroup.wgsl"));
            }
        }
    }
}

/// How a tile is scanned and lifted.
fn scanned_tiles(parts: &mut Parts, operator: &Operator, kernel: &ScanKernel) {
    let (quads, lanes, lifting) = (kernel.per_lane, kernel.lanes, kernel.lifting);
    let short = matches!(kernel.rows, Rows::Short(_));
    if lifting == Lifting::Runs {
        parts.file(snippet!("lifting/runs.wgsl"));
        match kernel.steps {
            Steps::WrittenOut => {
                let by_windows = kernel.windows(operator).is_some();
                if by_windows {
                    parts.add("unrolled", unroll::window_results(quads));
                }
                let exchanges = kernel.exchanges_results(&operator.output);
                parts.add("unrolled", unroll::finished_runs(quads, exchanges, by_windows));
            }
            Steps::Looped => parts.file(snippet!("steps/looped_finished_runs.wgsl")),
        }
        return;
    }
    if !kernel.takes_in_parts() {
        parts.file(snippet!("block.wgsl"));
    }
    if lifting == Lifting::Kept {
        parts.file(snippet!("lifting/kept.wgsl"));
        parts.file(match lanes {
            Lanes::Subgroup => snippet!("lifting/kept_subgroup.wgsl"),
            Lanes::Workgroup => snippet!("lifting/kept_workgroup.wgsl"),
        });
        return;
    }
    parts.file(snippet!("lifting/stored.wgsl"));
    if lifting == Lifting::Once {
        parts.file(snippet!("lifting/left.wgsl"));
    }
    parts.file(match lifting {
        Lifting::Once => snippet!("lifting/once.wgsl"),
        _ => snippet!("lifting/by_level.wgsl"),
    });
    parts.file(match (lifting, lanes) {
        (Lifting::ByLevel, Lanes::Subgroup) => snippet!("lifting/by_level_subgroup.wgsl"),
        (Lifting::ByLevel, Lanes::Workgroup) => snippet!("lifting/by_level_workgroup.wgsl"),
        (_, Lanes::Subgroup) => snippet!("lifting/once_subgroup.wgsl"),
        (_, Lanes::Workgroup) => snippet!("lifting/once_workgroup.wgsl"),
    });
    match kernel.steps {
        Steps::WrittenOut => {
            let write = match kernel.writes_pairs(&operator.output) {
                true => "write_quad_of_pair",
                false => "write_quad",
            };
            parts.add("unrolled", unroll::scans(quads, lanes, lifting, write, short));
        }
        Steps::Looped => {
            parts.file(snippet!("steps/looped_scan.wgsl"));
            parts.file(match lifting {
                Lifting::Once => snippet!("steps/looped_once.wgsl"),
                _ => snippet!("steps/looped_by_level.wgsl"),
            });
            parts.file(match (lifting, lanes) {
                (Lifting::ByLevel, Lanes::Subgroup) => snippet!("steps/looped_by_level_subgroup.wgsl"),
                (Lifting::ByLevel, Lanes::Workgroup) => snippet!("steps/looped_by_level_workgroup.wgsl"),
                (_, Lanes::Subgroup) => snippet!("steps/looped_once_subgroup.wgsl"),
                (_, Lanes::Workgroup) => snippet!("steps/looped_once_workgroup.wgsl"),
            });
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
            if kernel.writes_pairs(&operator.output) {
                parts.add("access", access::write_quads_of_pairs(&operator.output));
            }
            if kernel.lifting == Lifting::Kept {
                parts.add("access", access::kept_words(operator));
            }
            let exchanges = [kernel.exchanges(&operator.input), kernel.exchanges_results(&operator.output)];
            if exchanges[0] {
                parts.add("access", access::input_cells(&operator.input));
            }
            if exchanges[1] {
                parts.add("access", access::result_cells(&operator.output));
            }
            if exchanges.contains(&true) {
                parts.file(snippet!("lanes/exchange.wgsl"));
            }
            parts.file(snippet!("access/quads.wgsl"));
        }
        Access::Elements => {
            parts.add("access", access::elements(operator, kernel.sink));
            parts.file(snippet!("access/elements.wgsl"));
        }
    }
    parts.file(snippet!("access/entered.wgsl"));
    if !operator.enters_quads() {
        parts.file(snippet!("access/entered_one_by_one.wgsl"));
    }
    parts.file(match kernel.rows {
        Rows::One => snippet!("rows/one.wgsl"),
        Rows::Long => snippet!("rows/long.wgsl"),
        Rows::Short(_) => snippet!("rows/short.wgsl"),
    });
}

/// The most tiles that a workgroup takes together: narrow subgroups of so many fill `nodes`.
pub(crate) const MOST_AT_ONCE: u32 = 4;

/// Elements a lane of a textbook kernel handles.
pub(crate) const HILLIS_STEELE_PER_LANE: u32 = textbook::HILLIS_STEELE_TILE as u32 / LANES;
/// The same for Blelloch's.
pub(crate) const BLELLOCH_PER_LANE: u32 = textbook::BLELLOCH_TILE as u32 / LANES;

#[cfg(test)]
#[path = "scan_tests.rs"]
pub(crate) mod tests;
