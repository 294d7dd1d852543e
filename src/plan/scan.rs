//! Plans of scans.

use std::{fmt, ops::Range};

use super::{Binding, COUNTED_BYTES, Dispatch, Place, Plan, Region, Scratch, Write};
use crate::{
    element::Layout,
    error::Error,
    kernel::{
        self, Kernel, access,
        scan::{Access, Lanes, Params, Pass, Rows, ScanKernel, Sink, Steps, Tiles},
    },
    order,
    tuning::{self, Capabilities},
};

/// Words before the first state, as `shaders/states.wgsl` has it.
const STATES_HEADER: u64 = 32;
/// Words in a block's record at least, as the same file has it.
const STATES_RECORD: u64 = 256;
/// Bytes of a word.
const WORD: u64 = size_of::<u32>() as u64;
/// Elements in a quad.
const QUAD: u64 = 4;
/// The textbook kernels hold tiles of elements of at most this many words.
const TEXTBOOK_WORDS: u32 = 4;

/// How a scan is computed. All but the two textbook algorithms follow the canonical order
/// ([`crate::order`]) and give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// [`Algorithm::SingleTile`] where the input fits one tile; then, on GPUs, [`Algorithm::SinglePass`];
    /// [`Algorithm::ThreePass`] on software drivers, and without subgroups from some millions of elements on.
    #[default]
    Auto,
    /// One workgroup, one dispatch; inputs of at most one tile (4,096 elements, 8,192 with the subgroups of a GPU).
    /// Moves 2n elements.
    SingleTile,
    /// Reduce every tile, fold the totals, scan every tile again and lift it. Moves 3n elements.
    /// The three-kernel pipeline of D. Merrill and A. Grimshaw, "Parallel scan for stream architectures"
    /// (2009), in the canonical order.
    ThreePass,
    /// One dispatch: tiles are claimed by ticket and hand on their totals while all run; decoupled look-back
    /// of D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016), in
    /// the canonical order. Never waits for long: what does not come is computed again. Moves 2n elements.
    /// Takes [`Algorithm::ThreePass`] in place, for the input is gone when it might be read again, and for
    /// ranges that do not begin or end on 16 bytes.
    SinglePass,
    /// Doubling offsets in two buffers: W. D. Hillis and G. L. Steele, "Data parallel algorithms" (1986).
    /// Tiles of 256, recursion over their totals and a uniform add; n·log₂(256) additions, moves 4n elements.
    /// Its own order of combination, the same on every device.
    HillisSteele,
    /// Up-sweep and down-sweep over a padded tree: G. E. Blelloch, "Prefix sums and their applications"
    /// (1990). Tiles of 512, recursion over their totals and a uniform add; 2n additions, moves 4n elements.
    /// Its own order of combination, the same on every device.
    Blelloch,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Algorithm::Auto => "auto",
            Algorithm::SingleTile => "single-tile",
            Algorithm::ThreePass => "three-pass",
            Algorithm::SinglePass => "single-pass",
            Algorithm::HillisSteele => "hillis-steele",
            Algorithm::Blelloch => "blelloch",
        })
    }
}

impl Algorithm {
    /// All that can be chosen by name, [`Algorithm::Auto`] first.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::SingleTile,
        Algorithm::ThreePass,
        Algorithm::SinglePass,
        Algorithm::HillisSteele,
        Algorithm::Blelloch,
    ];

    /// Whether results come in the canonical order.
    pub fn is_canonical(self) -> bool {
        !matches!(self, Algorithm::HillisSteele | Algorithm::Blelloch)
    }
}

/// Where the elements of a scan lie, from the start of a [`Place`]: element `i` of row `r` at
/// `origin + i · step + (r / inner_rows) · outer + (r % inner_rows) · inner`, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    pub origin: u64,
    pub step: i64,
    pub outer: u64,
    pub inner: u64,
}

impl Walk {
    /// One row, forwards.
    pub const PLAIN: Walk = Walk { origin: 0, step: 1, outer: 0, inner: 0 };

    /// Where element `i` of a row lies.
    pub fn element(&self, i: u64, row: u64, inner_rows: u64) -> u64 {
        let inner_rows = inner_rows.max(1);
        let start = row / inner_rows * self.outer + row % inner_rows * self.inner;
        (self.origin as i64 + i as i64 * self.step) as u64 + start
    }
}

/// What hooks read besides the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    Nothing,
    /// Words for every element: flags, keys.
    Words {
        place: Place,
        per_element: u64,
    },
    /// Bits for every element, made of so many offsets; and where the results of each segment begin, if not at its
    /// elements' places.
    Offsets {
        place: Place,
        segments: u64,
        starts: Option<Place>,
    },
}

/// What the values of a sparse matrix are multiplied by: a column for each value, and a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operands {
    pub columns: Place,
    pub vector: Place,
    pub vector_len: u64,
}

/// A scan to be planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub algorithm: Algorithm,
    pub exclusive: bool,
    /// Elements in each row.
    pub len: u64,
    /// Rows.
    pub rows: u64,
    /// Rows of [`Walk::inner`] pitch before the next of [`Walk::outer`].
    pub inner_rows: u64,
    pub input: Place,
    pub output: Place,
    pub source: Walk,
    pub target: Walk,
    /// Element types: read, combined, written.
    pub types: [Layout; 3],
    /// Input and output are ranges of the same buffer: apart, or the same range.
    pub same_buffer: bool,
    /// Where the value is that the scan starts from, if there is one.
    pub starts: Option<Place>,
    /// What the operator's hooks read besides.
    pub extra: Extra,
    /// Where it says how many of the elements are to be scanned, if not all.
    pub counted: Option<Place>,
    /// Where the hooks write a count.
    pub count: Option<Place>,
    /// Where results go.
    pub sink: Sink,
    /// Elements of the output among which results are scattered.
    pub room: u64,
    /// What the hooks multiply values by.
    pub operands: Option<Operands>,
    /// Only the last result of a row is wanted.
    pub total_only: bool,
    /// Results are not what was combined: a map, or a hook, comes after.
    pub maps_results: bool,
    /// Write out every round (textbook algorithms, at most one tile).
    pub trace: bool,
}

impl Job {
    /// A scan of `len` plain elements.
    pub fn new(algorithm: Algorithm, exclusive: bool, len: u64, types: [Layout; 3]) -> Self {
        let nowhere = Place { offset: 0, buffer: 0 };
        Self {
            algorithm,
            exclusive,
            len,
            rows: 1,
            inner_rows: 1,
            input: nowhere,
            output: nowhere,
            source: Walk::PLAIN,
            target: Walk::PLAIN,
            types,
            same_buffer: false,
            starts: None,
            extra: Extra::Nothing,
            counted: None,
            count: None,
            sink: Sink::InOrder,
            room: len,
            operands: None,
            total_only: false,
            maps_results: false,
            trace: false,
        }
    }

    /// Whether all elements lie side by side, forwards, in one row.
    pub fn is_plain(&self) -> bool {
        self.rows == 1 && self.source.step == 1 && self.target.step == 1
    }

    /// Whether nothing is asked for but a scan of one row of one type.
    pub fn is_basic(&self) -> bool {
        let [input, element, output] = self.types;
        let plain = self.is_plain() && self.source.origin == 0 && self.sink == Sink::InOrder;
        plain
            && input == element
            && element == output
            && self.starts.is_none()
            && self.extra == Extra::Nothing
            && self.counted.is_none()
            && !self.maps_results
    }

    fn words(&self) -> u32 {
        self.types[1].word_count()
    }

    /// Bytes of what is combined, in scratch memory.
    fn stride(&self) -> u64 {
        self.types[1].stride()
    }
}

/// The buffers that a scan's plan is run with, in this order. The last only where it traces.
pub(crate) const INPUT: Region = Region::Buffer(0);
pub(crate) const OUTPUT: Region = Region::Buffer(1);
const ROUNDS: Region = Region::Buffer(2);
/// In its place where the scan starts from a value.
const START: Region = Region::Buffer(2);
/// What hooks read, and where they count.
const EXTRA: Region = Region::Buffer(3);
pub(crate) const COUNT: Region = Region::Buffer(4);
/// Where results of segments begin.
const STARTS: Region = Region::Buffer(5);
/// In the places of the value to start from, and the count, where values are multiplied.
const COLUMNS: Region = Region::Buffer(2);
const VECTOR: Region = Region::Buffer(4);

/// The binding slots, as the kernels declare them.
mod slot {
    pub const INPUT: u32 = 1;
    pub const OUTPUT: u32 = 2;
    pub const TOTALS: u32 = 3;
    pub const PREFIXES: u32 = 4;
    pub const ROUNDS: u32 = 5;
    pub const START: u32 = 6;
    pub const EXTRA: u32 = 7;
    pub const COUNT: u32 = 8;
    pub const STARTS: u32 = 12;
    pub const OFFSETS: u32 = 9;
    pub const COLUMNS: u32 = 10;
    pub const VECTOR: u32 = 11;
}

/// Which algorithm [`Algorithm::Auto`] stands for, for elements of `words` words.
pub(crate) fn choose(algorithm: Algorithm, words: u32, len: u64, capabilities: &Capabilities) -> Algorithm {
    match algorithm {
        Algorithm::Auto if len <= tuning::tiles(capabilities, words, len).tile() => Algorithm::SingleTile,
        Algorithm::Auto if tuning::prefers_single_pass(capabilities, words, len) => Algorithm::SinglePass,
        Algorithm::Auto => Algorithm::ThreePass,
        named => named,
    }
}

/// Plans `job`. The caller has checked that both ranges lie inside their buffers and do not half-overlap.
pub(crate) fn scan(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    if job.len == 0 || job.rows == 0 {
        return Ok(Plan::default());
    }
    let planner = Planner { job, capabilities };
    match choose(job.algorithm, job.words(), job.len, capabilities) {
        Algorithm::SingleTile => {
            let tile = tuning::largest_tile(capabilities, job.words());
            if job.len > tile {
                return Err(Error::TooLarge {
                    what: "the input of a single-tile scan",
                    unit: "elements",
                    expected: tile,
                    found: job.len,
                });
            }
            planner.three_pass()
        }
        Algorithm::SinglePass => match planner.single_pass()? {
            Some(plan) => Ok(plan),
            None => planner.three_pass(),
        },
        Algorithm::Auto | Algorithm::ThreePass => planner.three_pass(),
        Algorithm::HillisSteele => planner.textbook(Pass::HillisSteele, kernel::scan::HILLIS_STEELE_PER_LANE),
        Algorithm::Blelloch => planner.textbook(Pass::Blelloch, kernel::scan::BLELLOCH_PER_LANE),
    }
}

/// What is left to do for the total or the count of nothing: to write it.
pub(crate) fn of_nothing(region: Region, place: Place, words: &[u32]) -> Plan {
    Plan { writes: vec![Write { region, offset: place.offset, words: words.to_vec() }], ..Plan::default() }
}

/// The totals of segments that offsets name: a scan that begins anew at each, whose last results are all that
/// is wanted. Segments without elements have none, and are filled in before.
pub(crate) fn segment_totals(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    if job.room == 0 {
        return Ok(Plan::default());
    }
    let mut plan = scan(job, capabilities)?;
    plan.dispatches.insert(0, Planner { job, capabilities }.fill_empty()?);
    Ok(plan)
}

/// The lengths of runs: `count` of them at most, which start where the first buffer says and end where the
/// next starts, or with the input of `len`.
pub(crate) fn gaps(
    [starts, lengths, count]: [Place; 3],
    most: u64,
    len: u64,
    capabilities: &Capabilities,
) -> Result<Plan, Error> {
    if most == 0 {
        return Ok(Plan::default());
    }
    let grid = capabilities.grid(most.div_ceil(kernel::LANES.into()))?;
    let bind = |slot, region, place: Place, words: u64| -> Result<Binding, Error> {
        let range = capabilities.aligned(place.offset)..place.offset + words * WORD;
        capabilities.fits("the starts of all runs", &range)?;
        Ok(Binding { slot, region, range })
    };
    let base = |place: Place| ((place.offset - capabilities.aligned(place.offset)) / WORD) as u32;
    let dispatch = Dispatch {
        counted: None,
        kernel: plain_kernel(Pass::Gaps).into(),
        grid,
        params: Params {
            len: len as u32,
            grid_x: grid[0],
            src_base: base(starts),
            dst_base: base(lengths),
            count_base: base(count),
            ..Params::default()
        }
        .into(),
        bindings: vec![
            bind(slot::INPUT, INPUT, starts, most)?,
            bind(slot::OUTPUT, OUTPUT, lengths, most)?,
            bind(slot::COUNT, COUNT, count, 1)?,
        ],
    };
    Ok(Plan { dispatches: vec![dispatch], ..Plan::default() })
}

/// The arguments of an indirect dispatch: a workgroup for `group` elements of those counted, in at most two
/// dimensions.
pub(crate) fn arguments(count: Place, grid: Place, group: u32, capabilities: &Capabilities) -> Plan {
    let base = |place: Place| ((place.offset - capabilities.aligned(place.offset)) / WORD) as u32;
    let bind = |slot, region, place: Place, words: u64| Binding {
        slot,
        region,
        range: capabilities.aligned(place.offset)..place.offset + words * WORD,
    };
    let dispatch = Dispatch {
        counted: None,
        kernel: plain_kernel(Pass::Arguments).into(),
        grid: [1, 1],
        params: Params {
            rows: group.max(1),
            len: capabilities.max_groups,
            dst_base: base(grid),
            count_base: base(count),
            ..Params::default()
        }
        .into(),
        bindings: vec![bind(slot::OUTPUT, OUTPUT, grid, 3), bind(slot::COUNT, COUNT, count, 1)],
    };
    Plan { dispatches: vec![dispatch], ..Plan::default() }
}

/// A kernel that neither reads nor writes elements.
fn plain_kernel(pass: Pass) -> ScanKernel {
    ScanKernel {
        pass,
        lanes: Lanes::Workgroup,
        width: kernel::LANES,
        per_lane: 1,
        access: Access::Elements,
        tiles: Tiles::Workgroup,
        steps: Steps::WrittenOut,
        rows: Rows::One,
        sink: Sink::InOrder,
        in_place: false,
        exclusive: false,
        starts: false,
        maps: false,
        trace: false,
    }
}

/// A run of whole tiles (the last one may be short), or of whole rows, that one dispatch can bind.
struct Piece {
    elements: Range<u64>,
    rows: Range<u64>,
    access: Access,
}

struct Planner<'a> {
    job: &'a Job,
    capabilities: &'a Capabilities,
}

impl Planner<'_> {
    /// Reduce, fold, scan; the last alone when there is one tile, no fold when there is one block.
    fn three_pass(&self) -> Result<Plan, Error> {
        let (len, rows) = (self.job.len, self.job.rows);
        let policy = tuning::tiles(self.capabilities, self.job.words(), len);
        let tile = policy.tile();
        let blocks = len / order::BLOCK as u64;
        let tiles_per_row = len.div_ceil(tile);
        let blocks_per_row = len.div_ceil(order::BLOCK as u64);
        // A row of more than half a tile has it for itself.
        let row_log2 = len.next_power_of_two().max(QUAD).ilog2();
        let shape = match rows {
            1 => Rows::One,
            _ if 1 << row_log2 < tile => Rows::Short(row_log2),
            _ => Rows::Long,
        };
        let pieces = self.pieces(tile, true)?;

        let branches = self.job.sink == Sink::Scatter
            || !matches!(self.job.extra, Extra::Nothing)
            || self.job.words() > 1;
        let kernel = |pass, access| ScanKernel {
            pass,
            lanes: policy.lanes,
            width: policy.width,
            per_lane: policy.quads,
            access,
            tiles: policy.tiles,
            steps: tuning::steps(self.capabilities, branches || pass == Pass::Fold),
            rows: shape,
            sink: self.job.sink,
            in_place: self.job.same_buffer,
            exclusive: false,
            starts: false,
            maps: true,
            trace: false,
        };
        let tiles_per_block = u64::from(kernel(Pass::Scan, Access::Quads).tiles_per_block());
        let mut scratch = Scratch::new(self.capabilities);
        let totals = match policy.tiles {
            Tiles::Workgroup => rows * tiles_per_row,
            Tiles::Scratch => rows * blocks_per_row * 2 * tiles_per_block,
        };
        let heads = match self.job.extra {
            Extra::Offsets { starts: None, .. } => Some(0..self.words_of_bits() * WORD),
            Extra::Offsets { starts: Some(_), .. } => Some(0..(self.words_of_bits() + len) * WORD),
            _ => None,
        };
        let totals = scratch.take(totals * self.job.stride());
        let prefixes = scratch.take(rows * (blocks + 1) * self.job.stride());
        self.capabilities.fits("the totals of all tiles", &totals)?;
        let common = Params {
            blocks: blocks as u32,
            rows: rows as u32,
            tiles_per_row: tiles_per_row as u32,
            blocks_per_row: blocks_per_row as u32,
            block_levels: tiles_per_block.ilog2(),
            start_base: self
                .job
                .starts
                .map_or(0, |place| ((place.offset - self.capabilities.aligned(place.offset)) / WORD) as u32),
            ..Params::default()
        };

        let marks =
            |heads: &Range<u64>| Binding { slot: slot::EXTRA, region: Region::Marks, range: heads.clone() };
        let mut dispatches = Vec::new();
        if let (Extra::Offsets { place, segments, starts }, Some(heads)) = (self.job.extra, &heads) {
            self.capabilities.fits("the heads of all segments", heads)?;
            dispatches.extend(self.heads(place, segments, starts, heads)?);
        }
        if tiles_per_row > 1 {
            for piece in &pieces {
                let whole = match shape {
                    Rows::One => (piece.elements.end - piece.elements.start) / tile,
                    _ => (piece.rows.end - piece.rows.start) * tiles_per_row,
                };
                if whole > 0 {
                    let kernel = kernel(Pass::Reduce, piece.access);
                    let mut dispatch = self.tiles(kernel, piece, whole, common)?;
                    dispatch.bindings.retain(|b| b.slot != self.output_only_slot());
                    dispatch.bindings.push(Binding::scratch(slot::TOTALS, &totals));
                    dispatch.bindings.extend(heads.iter().map(marks));
                    dispatches.push(dispatch);
                }
            }
        }
        // What comes between sees neither input nor output: one kernel serves all.
        let between = |pass| ScanKernel {
            lanes: Lanes::Workgroup,
            in_place: false,
            maps: false,
            rows: Rows::One,
            sink: Sink::InOrder,
            ..kernel(pass, Access::Elements)
        };
        if tiles_per_row > 1 && policy.tiles == Tiles::Scratch {
            let trees = rows * blocks_per_row;
            let grid = self.capabilities.grid(trees)?;
            dispatches.push(Dispatch {
                counted: None,
                kernel: between(Pass::Grow).into(),
                grid,
                params: Params { tiles: trees as u32, grid_x: grid[0], ..common }.into(),
                bindings: vec![Binding::scratch(slot::TOTALS, &totals)],
            });
        }
        // With no block before the last there is nothing to fold.
        if len > order::BLOCK as u64 {
            let grid = self.capabilities.grid(rows)?;
            let mut bindings =
                vec![Binding::scratch(slot::TOTALS, &totals), Binding::scratch(slot::PREFIXES, &prefixes)];
            bindings.extend(self.start());
            dispatches.push(Dispatch {
                counted: None,
                kernel: ScanKernel { starts: self.job.starts.is_some(), ..between(Pass::Fold) }.into(),
                grid,
                params: Params { grid_x: grid[0], ..common }.into(),
                bindings,
            });
        }
        let last_tile = pieces.last().filter(|_| self.job.total_only && rows == 1).map(|piece| Piece {
            elements: (len - 1) / tile * tile..len,
            rows: 0..1,
            access: piece.access,
        });
        for piece in last_tile.as_ref().map_or(&pieces[..], std::slice::from_ref) {
            let kernel = ScanKernel {
                exclusive: self.job.exclusive,
                starts: self.job.starts.is_some(),
                ..kernel(Pass::Scan, piece.access)
            };
            let rows = piece.rows.end - piece.rows.start;
            let tiles = match shape {
                Rows::One => (piece.elements.end - piece.elements.start).div_ceil(tile),
                Rows::Long => rows * tiles_per_row,
                Rows::Short(log2) => (rows << log2).div_ceil(tile),
            };
            // Rows before these belong to other pieces, rows behind them too.
            let common = Params { rows: piece.rows.end as u32, ..common };
            let mut dispatch = self.tiles(kernel, piece, tiles, common)?;
            dispatch.bindings.extend([
                Binding::scratch(slot::TOTALS, &totals),
                Binding::scratch(slot::PREFIXES, &prefixes),
            ]);
            dispatch.bindings.extend(self.start());
            dispatch.bindings.extend(heads.iter().map(marks));
            dispatch.bindings.extend(self.count());
            if heads.is_some() && self.job.sink == Sink::Scatter {
                dispatch.bindings.extend(self.offsets()?);
            }
            dispatches.push(dispatch);
        }
        let marks = heads.map_or(0, |heads| heads.end);
        let counted = self.count_dispatches(&mut dispatches, &pieces)?;
        Ok(Plan { dispatches, scratch: scratch.size(), marks, counted, ..Plan::default() })
    }

    /// Lets every dispatch that depends on the number of elements take its parameters from memory, where
    /// dispatches in front of all write them. Returns the bytes of these.
    fn count_dispatches(&self, dispatches: &mut Vec<Dispatch>, pieces: &[Piece]) -> Result<u64, Error> {
        let Some(place) = self.job.counted else { return Ok(0) };
        if let [_, second, ..] = pieces {
            return Err(Error::TooLarge {
                what: "the room for elements that are counted on the device",
                unit: "elements",
                expected: second.elements.start,
                found: self.job.len,
            });
        }
        let mut writers = Vec::new();
        for dispatch in dispatches.iter_mut() {
            let Kernel::Scan(kernel) = dispatch.kernel else { continue };
            let pass = match kernel.pass {
                Pass::Reduce => Pass::CountWhole,
                Pass::Fold | Pass::Scan => Pass::CountAll,
                _ => continue,
            };
            let at = writers.len() as u64 * COUNTED_BYTES;
            dispatch.counted = Some(at);
            let mut params: Params = *bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params));
            params.len = self.job.len as u32;
            params.count_base = self.base(place) as u32;
            writers.push(Dispatch {
                kernel: ScanKernel { width: kernel.width, per_lane: kernel.per_lane, ..plain_kernel(pass) }
                    .into(),
                grid: [1, 1],
                params: params.into(),
                bindings: vec![
                    Binding {
                        slot: slot::TOTALS,
                        region: Region::Counted,
                        range: at..at + size_of::<Params>() as u64,
                    },
                    Binding { slot: slot::COUNT, region: COUNT, range: self.span(place, WORD) },
                ],
                counted: None,
            });
        }
        let bytes = writers.len() as u64 * COUNTED_BYTES;
        writers.append(dispatches);
        *dispatches = writers;
        Ok(bytes)
    }

    /// Words of a bit for every element.
    fn words_of_bits(&self) -> u64 {
        self.job.len.div_ceil(32)
    }

    /// Bits for the elements at which segments begin, and behind these, for the same elements, where results do.
    fn heads(
        &self,
        offsets: Place,
        segments: u64,
        starts: Option<Place>,
        heads: &Range<u64>,
    ) -> Result<Vec<Dispatch>, Error> {
        let lanes = u64::from(kernel::LANES);
        let dispatch = |pass, count: u64, extra: Vec<Binding>| -> Result<Dispatch, Error> {
            let grid = self.capabilities.grid(count.div_ceil(lanes))?;
            let params = Params {
                count: self.job.len as u32,
                rows: count as u32,
                grid_x: grid[0],
                extra_base: self.base(offsets) as u32,
                start_base: starts.map_or(0, |starts| self.base(starts)) as u32,
                dst_base: self.words_of_bits() as u32,
                ..Params::default()
            };
            let bindings = [Binding { slot: slot::TOTALS, region: Region::Marks, range: heads.clone() }]
                .into_iter()
                .chain(extra)
                .collect();
            Ok(Dispatch {
                counted: None,
                kernel: plain_kernel(pass).into(),
                grid,
                params: params.into(),
                bindings,
            })
        };
        let range = self.words("the offsets of all segments", offsets, segments)?;
        let mut dispatches = vec![dispatch(Pass::ClearHeads, self.words_of_bits(), Vec::new())?];
        let mut bindings = vec![Binding { slot: slot::EXTRA, region: EXTRA, range }];
        let mut pass = Pass::MarkHeads;
        if let Some(starts) = starts {
            let range = self.words("where the results of all segments begin", starts, segments)?;
            bindings.push(Binding { slot: slot::STARTS, region: STARTS, range });
            pass = Pass::MarkStarts;
        }
        if segments > 0 {
            dispatches.push(dispatch(pass, segments, bindings)?);
        }
        Ok(dispatches)
    }

    /// The offsets of all segments, for who looks for a segment.
    fn offsets(&self) -> Result<Option<Binding>, Error> {
        let Extra::Offsets { place, segments, starts: None } = self.job.extra else { return Ok(None) };
        let range = self.words("the offsets of all segments", place, segments)?;
        Ok(Some(Binding { slot: slot::OFFSETS, region: EXTRA, range }))
    }

    /// The identity for every segment without elements.
    fn fill_empty(&self) -> Result<Dispatch, Error> {
        let job = self.job;
        let grid = self.capabilities.grid(job.room.div_ceil(kernel::LANES.into()))?;
        let target = self.scattered()?;
        let params = Params {
            results: job.room as u32,
            len: job.len as u32,
            grid_x: grid[0],
            extra_base: self.extra_base(),
            dst_base: ((target.first - target.bytes.start) / target.unit) as u32,
            ..Params::default()
        };
        let output = Binding { slot: slot::OUTPUT, region: OUTPUT, range: target.bytes };
        Ok(Dispatch {
            counted: None,
            kernel: ScanKernel { sink: Sink::Scatter, maps: true, ..plain_kernel(Pass::FillEmpty) }.into(),
            grid,
            params: params.into(),
            bindings: [output].into_iter().chain(self.offsets()?).collect(),
        })
    }

    /// Where results go that may go anywhere in the output.
    fn scattered(&self) -> Result<Reach, Error> {
        let job = self.job;
        let bytes = self.span(job.output, job.room * u64::from(job.types[2].bytes()));
        self.capabilities.fits("where a scan scatters its results", &bytes)?;
        Ok(Reach { bytes, first: job.output.offset, unit: WORD })
    }

    /// The bytes of so many words from `place` on, if one binding spans them.
    fn words(&self, what: &'static str, place: Place, words: u64) -> Result<Range<u64>, Error> {
        let range = self.span(place, words * WORD);
        self.capabilities.fits(what, &range)?;
        Ok(range)
    }

    /// Where what hooks read besides begins in its binding.
    fn extra_base(&self) -> u32 {
        match self.job.extra {
            // Behind the bits is where the results of segments begin.
            Extra::Offsets { starts: Some(_), .. } => self.words_of_bits() as u32,
            Extra::Words { place, .. } | Extra::Offsets { place, .. } => self.base(place) as u32,
            Extra::Nothing => 0,
        }
    }

    /// Bytes of a binding from `place` on.
    fn span(&self, place: Place, bytes: u64) -> Range<u64> {
        self.capabilities.aligned(place.offset)..place.offset + bytes
    }

    /// Words from the start of that binding to the place.
    fn base(&self, place: Place) -> u64 {
        (place.offset - self.capabilities.aligned(place.offset)) / WORD
    }

    fn count(&self) -> Option<Binding> {
        self.job.count.map(|place| Binding {
            slot: slot::COUNT,
            region: COUNT,
            range: self.span(place, WORD),
        })
    }

    fn start(&self) -> Option<Binding> {
        self.job.starts.map(|place| {
            let range = self.span(place, self.job.types[1].bytes().into());
            Binding { slot: slot::START, region: START, range }
        })
    }

    /// One dispatch for each piece of whole blocks; the prefix of the next piece is carried over. None where
    /// the kernel does not do what is asked: in place, for it may read its input again; where bindings hold no
    /// block; where elements have to be moved one by one, for that kernel would be so large that some drivers
    /// take minutes to compile it; for several rows or words, and values to start from.
    fn single_pass(&self) -> Result<Option<Plan>, Error> {
        let job = self.job;
        let in_place = job.same_buffer && job.input == job.output && !self.capabilities.progress;
        let several = !job.is_plain() || matches!(job.extra, Extra::Offsets { .. });
        let several = several || job.counted.is_some();
        if in_place || several || job.starts.is_some() || job.total_only || !job.types[1].is_scalar() {
            return Ok(None);
        }
        let policy = tuning::tiles(self.capabilities, job.words(), job.len);
        let tile = policy.tile();
        let block = order::BLOCK as u64;
        let Ok(pieces) = self.pieces(block, true) else { return Ok(None) };
        if !self.capabilities.progress && pieces.iter().any(|piece| piece.access == Access::Elements) {
            return Ok(None);
        }
        let mut scratch = Scratch::new(self.capabilities);
        let carries = scratch.take((pieces.len() as u64 + 1) * job.stride());
        let mut states = 0;
        let mut dispatches = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let kernel = ScanKernel {
                pass: match self.capabilities.fault {
                    None => Pass::LookBack,
                    Some(_) => Pass::FaultyLookBack,
                },
                lanes: policy.lanes,
                width: policy.width,
                per_lane: policy.quads,
                access: piece.access,
                tiles: policy.tiles,
                steps: tuning::steps(self.capabilities, true),
                rows: Rows::One,
                sink: job.sink,
                in_place: job.same_buffer,
                exclusive: job.exclusive,
                starts: false,
                maps: true,
                trace: false,
            };
            let len = piece.elements.end - piece.elements.start;
            let tiles = len.div_ceil(tile);
            let blocks = len / block;
            // Two halves, each with a record for every block and one more.
            let record = STATES_RECORD.max(4 * block / tile);
            states = states.max((STATES_HEADER + 2 * record * (blocks + 1)) * WORD);
            let handed_on = Params {
                blocks: blocks as u32,
                piece: index as u32,
                patience: self.capabilities.patience,
                fault: self.capabilities.fault.unwrap_or(0),
                ..Params::default()
            };
            let mut dispatch = self.tiles(kernel, piece, tiles, handed_on)?;
            dispatch.bindings.push(Binding { slot: slot::TOTALS, region: Region::States, range: 0..0 });
            dispatch.bindings.push(Binding::scratch(slot::PREFIXES, &carries));
            dispatch.bindings.extend(self.count());
            dispatches.push(dispatch);
        }
        Ok(Some(Plan { dispatches, scratch: scratch.size(), states, ..Plan::default() }))
    }

    /// Scan tiles; scan their totals exclusively by the same algorithm, level over level; add downwards.
    fn textbook(&self, pass: Pass, per_lane: u32) -> Result<Plan, Error> {
        let job = self.job;
        let refuse = |what, expected: u64, found: u64| match found <= expected {
            true => Ok(()),
            false => Err(Error::TooLarge { what, unit: "of them", expected, found }),
        };
        refuse("the rows of a textbook scan", 1, job.rows)?;
        refuse("the words in an element of a textbook scan", TEXTBOOK_WORDS.into(), job.words().into())?;
        refuse("the maps of a textbook scan's results", 0, job.maps_results.into())?;
        refuse("the counts of a textbook scan", 0, job.counted.is_some().into())?;
        refuse("the values that a textbook scan starts from", 0, job.starts.is_some().into())?;
        let kernel = ScanKernel {
            pass,
            lanes: Lanes::Workgroup,
            width: kernel::LANES,
            per_lane,
            access: Access::Elements,
            tiles: Tiles::Workgroup,
            steps: Steps::WrittenOut,
            rows: Rows::One,
            sink: Sink::InOrder,
            in_place: job.same_buffer,
            exclusive: job.exclusive,
            starts: false,
            maps: true,
            trace: job.trace,
        };
        let add = ScanKernel {
            pass: Pass::UniformAdd,
            in_place: true,
            exclusive: false,
            maps: false,
            trace: false,
            ..kernel
        };
        let tile = u64::from(kernel.tile());
        let pieces = self.pieces(tile, false)?;

        // levels[k] holds the totals of the tiles of level k; the input is below level 0.
        let mut scratch = Scratch::new(self.capabilities);
        let mut levels = Vec::new();
        let mut count = job.len;
        loop {
            count = count.div_ceil(tile);
            let level = scratch.take(count * u64::from(job.words()) * WORD);
            self.capabilities.fits("the totals of all tiles", &level)?;
            levels.push((level, count));
            if count == 1 {
                break;
            }
        }

        let mut dispatches = Vec::new();
        let tiles_in = |piece: &Piece| (piece.elements.end - piece.elements.start).div_ceil(tile);
        for piece in &pieces {
            let mut dispatch = self.tiles(kernel, piece, tiles_in(piece), Params::default())?;
            dispatch.bindings.push(Binding::scratch(slot::TOTALS, &levels[0].0));
            if job.trace {
                dispatch.bindings.push(Binding {
                    slot: slot::ROUNDS,
                    region: ROUNDS,
                    range: 0..rounds(pass, job.len) * tile * job.stride(),
                });
            }
            dispatches.push(dispatch);
        }
        let level_dispatch = |kernel: ScanKernel, k: usize| -> Result<Dispatch, Error> {
            let (data, count) = &levels[k];
            let tiles = count.div_ceil(tile);
            let grid = self.capabilities.grid(tiles)?;
            Ok(Dispatch {
                counted: None,
                kernel: ScanKernel { in_place: true, maps: false, ..kernel }.into(),
                grid,
                params: Params {
                    count: *count as u32,
                    src_step: 1,
                    dst_step: 1,
                    tiles: tiles as u32,
                    grid_x: grid[0],
                    ..Params::default()
                }
                .into(),
                bindings: vec![
                    Binding::scratch(slot::OUTPUT, data),
                    Binding::scratch(slot::TOTALS, &levels[k + 1].0),
                ],
            })
        };
        let upper = levels.len() - 1;
        for k in 0..upper {
            dispatches.push(level_dispatch(ScanKernel { exclusive: true, trace: false, ..kernel }, k)?);
        }
        for k in (0..upper.saturating_sub(1)).rev() {
            dispatches.push(level_dispatch(add, k)?);
        }
        if upper > 0 {
            // The output is read and written in its own place.
            let over = Job {
                input: job.output,
                source: job.target,
                types: [job.types[2]; 3],
                same_buffer: true,
                ..job.clone()
            };
            let planner = Planner { job: &over, ..*self };
            for piece in &pieces {
                let mut dispatch = planner.tiles(add, piece, tiles_in(piece), Params::default())?;
                dispatch.bindings.push(Binding::scratch(slot::TOTALS, &levels[0].0));
                dispatches.push(dispatch);
            }
        }
        Ok(Plan { dispatches, scratch: scratch.size(), ..Plan::default() })
    }

    /// One dispatch over the tiles of a piece, with input and output bound.
    fn tiles(
        &self,
        kernel: ScanKernel,
        piece: &Piece,
        tiles: u64,
        params: Params,
    ) -> Result<Dispatch, Error> {
        let job = self.job;
        let source = self.reach(job.input, &job.source, &job.types[0], piece);
        let target = match job.sink {
            Sink::InOrder => self.reach(job.output, &job.target, &job.types[2], piece),
            Sink::Scatter => self.scattered()?,
        };
        let mut bindings = Vec::new();
        let (input_start, output_start);
        if job.same_buffer {
            let both = source.bytes.start.min(target.bytes.start)..source.bytes.end.max(target.bytes.end);
            self.capabilities.fits("the span of input and output in their buffer", &both)?;
            (input_start, output_start) = (both.start, both.start);
            bindings.push(Binding { slot: slot::OUTPUT, region: OUTPUT, range: both });
        } else {
            (input_start, output_start) = (source.bytes.start, target.bytes.start);
            bindings.push(Binding { slot: slot::INPUT, region: INPUT, range: source.bytes.clone() });
            bindings.push(Binding { slot: slot::OUTPUT, region: OUTPUT, range: target.bytes.clone() });
        }
        if let Extra::Words { place, per_element } = job.extra {
            let range = self.words("what a scan reads besides its input", place, job.len * per_element)?;
            bindings.push(Binding { slot: slot::EXTRA, region: EXTRA, range });
        }
        let operands = job.operands;
        if let Some(Operands { columns, vector, vector_len }) = operands {
            let range = self.words("the columns of a sparse matrix", columns, job.len)?;
            bindings.push(Binding { slot: slot::COLUMNS, region: COLUMNS, range });
            // Something has to be bound even if there is nothing.
            let vector = if vector_len == 0 { Place { offset: 0, ..vector } } else { vector };
            let range = self.words("the vector of a product", vector, vector_len.max(1))?;
            bindings.push(Binding { slot: slot::VECTOR, region: VECTOR, range });
        }
        let grid = self.capabilities.grid(tiles)?;
        // Pitches of rows are counted in the unit of the bases: cells, or else elements.
        let pitch = |elements: u64, layout: &Layout, access: Access| match access {
            Access::Quads => elements * u64::from(layout.bytes()) / access::cell_bytes(layout, Access::Quads),
            Access::Elements => elements,
        };
        // Results that are scattered go one by one.
        let writes = if job.sink == Sink::Scatter { Access::Elements } else { piece.access };
        Ok(Dispatch {
            counted: None,
            kernel: kernel.into(),
            grid,
            params: Params {
                count: (piece.elements.end - piece.elements.start) as u32,
                src_base: ((source.first - input_start) / source.unit) as u32,
                dst_base: ((target.first - output_start) / target.unit) as u32,
                src_step: job.source.step as u32,
                dst_step: job.target.step as u32,
                first_tile: match job.rows {
                    1 => (piece.elements.start / u64::from(kernel.tile())) as u32,
                    _ => 0,
                },
                tiles: tiles as u32,
                grid_x: grid[0],
                first_element: piece.elements.start as u32,
                len: job.len as u32,
                extra_base: self.extra_base(),
                count_base: job.count.map_or(0, |place| self.base(place)) as u32,
                first_row: piece.rows.start as u32,
                row_inner: job.inner_rows.max(1) as u32,
                src_outer: pitch(job.source.outer, &job.types[0], piece.access) as u32,
                src_inner: pitch(job.source.inner, &job.types[0], piece.access) as u32,
                dst_outer: pitch(job.target.outer, &job.types[2], writes) as u32,
                dst_inner: pitch(job.target.inner, &job.types[2], writes) as u32,
                results: job.room as u32,
                columns_base: operands.map_or(0, |operands| self.base(operands.columns)) as u32,
                vector_base: operands.map_or(0, |operands| self.base(operands.vector)) as u32,
                vector_len: operands.map_or(0, |operands| operands.vector_len) as u32,
                ..params
            }
            .into(),
            bindings,
        })
    }

    /// What a piece of the input or the output spans.
    fn reach(&self, place: Place, walk: &Walk, layout: &Layout, piece: &Piece) -> Reach {
        let size = u64::from(layout.bytes());
        let unit = access::cell_bytes(layout, piece.access);
        let element = |i: u64| (walk.origin as i64 + i as i64 * walk.step) as u64;
        let row = |r: u64| {
            r / self.job.inner_rows.max(1) * walk.outer + r % self.job.inner_rows.max(1) * walk.inner
        };
        let (one, other) = (element(piece.elements.start), element(piece.elements.end - 1));
        let rows = match self.job.rows {
            1 => (0, 0),
            // Whole runs of inner rows, or else rows of one run.
            _ => (row(piece.rows.start), self.last_row(walk, &piece.rows)),
        };
        let start = place.offset + (one.min(other) + rows.0) * size;
        let end = place.offset + (one.max(other) + 1 + rows.1) * size;
        // Kernels add the row's place themselves, from row 0 on: the base may lie before the binding.
        let first = place.offset + one * size;
        let bytes = self.capabilities.aligned(start)..end.next_multiple_of(unit).next_multiple_of(WORD);
        Reach { bytes, first, unit }
    }

    /// How far the last of some rows begins behind row 0.
    fn last_row(&self, walk: &Walk, rows: &Range<u64>) -> u64 {
        let inner_rows = self.job.inner_rows.max(1);
        let (first, last) = (rows.start, rows.end - 1);
        let runs = last / inner_rows;
        let widest = if first / inner_rows == runs { last % inner_rows } else { inner_rows - 1 };
        runs * walk.outer + widest * walk.inner
    }

    /// Cuts the input into runs of tiles that a binding can span and a grid can cover. Rows are not cut.
    fn pieces(&self, tile: u64, quads: bool) -> Result<Vec<Piece>, Error> {
        let job = self.job;
        let groups = u64::from(self.capabilities.max_groups);
        let widest = self.capabilities.widest_binding();
        // A binding may have to start before its piece, and end at the end of a quad.
        let [input, _, output] = job.types.map(|layout| u64::from(layout.bytes()));
        let margin = self.capabilities.binding_alignment + QUAD * input.max(output);
        let room = widest.saturating_sub(margin);
        let access = match quads && self.suits_quads() {
            true => Access::Quads,
            false => Access::Elements,
        };
        if job.rows > 1 {
            let piece = Piece { elements: 0..job.len, rows: 0..job.rows, access };
            for (place, walk, layout) in
                [(job.input, &job.source, &job.types[0]), (job.output, &job.target, &job.types[2])]
            {
                let reach = self.reach(place, walk, layout, &piece);
                self.capabilities.fits("the rows of a scan", &reach.bytes)?;
            }
            return Ok(vec![piece]);
        }
        let spread = |size: u64, walk: &Walk| size * walk.step.unsigned_abs().max(1);
        let per_element = spread(input, &job.source).max(spread(output, &job.target));
        let tiles = (room / per_element / tile).min(groups.saturating_mul(groups));
        if tiles == 0 {
            return Err(Error::Unsupported {
                what: "bytes in a storage binding",
                expected: tile * per_element + margin,
                found: widest,
            });
        }
        let len = job.len;
        let fits = |place: Place, size: u64| place.offset + len.next_multiple_of(QUAD) * size <= place.buffer;
        let last_quad_fits =
            fits(job.input, input) && (job.sink == Sink::Scatter || fits(job.output, output));
        let step = tiles * tile;
        let mut pieces = Vec::new();
        let mut push = |elements: Range<u64>, access| {
            if !elements.is_empty() {
                pieces.push(Piece { elements, rows: 0..1, access });
            }
        };
        for start in (0..len).step_by(step as usize) {
            let end = (start + step).min(len);
            match (access, end == len && !last_quad_fits) {
                (Access::Elements, _) => push(start..end, Access::Elements),
                (Access::Quads, false) => push(start..end, Access::Quads),
                (Access::Quads, true) => {
                    // The buffer ends inside the last quad: its tile goes element by element.
                    let ragged = end - (end - start) % tile;
                    push(start..ragged, Access::Quads);
                    push(ragged..end, Access::Elements);
                }
            }
        }
        Ok(pieces)
    }

    /// Whether input and output, and every row of them, lie so that whole quads can be moved.
    fn suits_quads(&self) -> bool {
        let job = self.job;
        let scatters = job.sink == Sink::Scatter;
        let one_way = |place: Place, walk: &Walk, layout: &Layout| {
            let (size, cell) = (u64::from(layout.bytes()), access::cell_bytes(layout, Access::Quads));
            let start = place.offset + walk.origin * size;
            let pitches = [walk.outer, walk.inner].iter().all(|pitch| (pitch * size).is_multiple_of(cell));
            // The last quad of a row must not reach into another, nor out of the buffer.
            let rows = job.rows == 1 || (pitches && job.len.is_multiple_of(QUAD));
            walk.step == 1 && (start - self.capabilities.aligned(start)).is_multiple_of(cell) && rows
        };
        let [input, _, output] = &job.types;
        // One binding has cells of one type.
        let alike = !job.same_buffer
            || access::cell_bytes(input, Access::Quads) == access::cell_bytes(output, Access::Quads);
        alike
            && one_way(job.input, &job.source, input)
            && (scatters || one_way(job.output, &job.target, output))
    }

    /// The slot that only the output has.
    fn output_only_slot(&self) -> u32 {
        if self.job.same_buffer { u32::MAX } else { slot::OUTPUT }
    }
}

/// The bytes of a piece in its buffer, as they are bound; where its first element is; and the unit that
/// kernels count in.
struct Reach {
    bytes: Range<u64>,
    first: u64,
    unit: u64,
}

/// How many states a traced tile of `len` elements goes through, the input among them.
pub(crate) fn rounds(pass: Pass, len: u64) -> u64 {
    let doublings = u64::from(len.next_power_of_two().trailing_zeros());
    match pass {
        Pass::Blelloch => 2 * doublings + 2,
        _ => doublings + 1,
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
