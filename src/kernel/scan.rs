//! The kernels of scans.

use super::{LANES, Operator, params};
use crate::{element::Layout, order, textbook};

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
    pub(super) fn combines(self) -> bool {
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
    pub(super) fn writes_pairs(&self, output: &Layout) -> bool {
        self.lanes == Lanes::Subgroup
            && self.steps == Steps::WrittenOut
            && self.access == Access::Quads
            && self.sink == Sink::InOrder
            && output.word_count() == 2
    }

    /// Whether a tile of a single pass takes what precedes it in its block combined, not as leaves of a tree.
    pub(super) fn takes_in_parts(&self) -> bool {
        matches!(self.pass, Pass::LookBack | Pass::FaultyLookBack)
            && self.lifting == Lifting::Once
            && self.lanes == Lanes::Subgroup
    }

    /// Whether four neighbouring lanes exchange runs of such elements, to move 64 bytes side by side.
    pub(super) fn exchanges(&self, layout: &Layout) -> bool {
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
    pub(super) fn windows(&self, operator: &Operator) -> Option<&'static str> {
        let suits = self.lifting == Lifting::Runs && self.steps == Steps::WrittenOut;
        operator.windows.filter(|_| suits && self.sink == Sink::InOrder)
    }

    pub(super) fn exchanges_results(&self, output: &Layout) -> bool {
        self.exchanges(output) && self.sink == Sink::InOrder
    }

    pub(super) fn uses_subgroups(&self) -> bool {
        use Pass::*;
        let by_tiles = matches!(self.pass, Reduce | Scan | LookBack | FaultyLookBack | Total | FaultyTotal);
        by_tiles && self.lanes == Lanes::Subgroup
    }
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
