//! Plans of scans: what all of them share. Each way of scanning has a file here.

mod runs;
mod segments;
mod single_pass;
mod textbook;
mod three_pass;
mod total;

use std::{fmt, ops::Range};

use super::{Binding, COUNTED_BYTES, Dispatch, Place, Plan, Region, Scratch, Write};
use crate::{
    element::Layout,
    error::Error,
    kernel::{
        self, Kernel, access,
        scan::{Access, Lanes, Lifting, Params, Pass, Rows, ScanKernel, Sink, Steps, Tiles},
    },
    order,
    tuning::{self, Capabilities, TilePolicy},
};

pub(crate) use runs::{arguments, gaps};
pub(crate) use segments::segment_totals;
pub(crate) use textbook::rounds;

/// Bytes of a word.
const WORD: u64 = size_of::<u32>() as u64;
/// Elements in a quad.
const QUAD: u64 = 4;

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
    /// Takes [`Algorithm::ThreePass`] in place, for the input is gone when it might be read again, for ranges that
    /// do not begin or end on 16 bytes, and for elements of more than 16 bytes, or 4 without subgroups.
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
    /// The operator gives the same bits however its operands are grouped.
    pub regroups: bool,
    /// Scans go by runs, as the operator asks.
    pub by_runs: bool,
    /// The operator does more than arithmetic, and the device is one that minds.
    pub heavy: bool,
    /// It is a compaction: what is scanned is how many elements are kept.
    pub keeps: bool,
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
            regroups: false,
            by_runs: false,
            heavy: false,
            keeps: false,
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

    /// Whether one total is all that is wanted.
    fn is_total(&self) -> bool {
        self.total_only && self.rows == 1
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
    let choice = if job.is_total() { total::choose } else { choose };
    match choice(job.algorithm, job.words(), job.len, capabilities) {
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
        Algorithm::SinglePass if job.is_total() => match planner.total()? {
            Some(plan) => Ok(plan),
            None => planner.three_pass(),
        },
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
    /// Whether what precedes a run is combined, and its elements follow one after the other.
    fn by_runs(&self) -> bool {
        let [input, element, _] = &self.job.types;
        let suits = self.job.regroups && !self.job.keeps;
        self.job.by_runs || suits && tuning::lifting(input, element) == Lifting::Runs
    }

    /// The shape of the kernels that go over tiles, for rows of so many elements where several may share a tile.
    fn policy(&self, row: u64) -> TilePolicy {
        let (capabilities, words) = (self.capabilities, self.job.words());
        match self.by_runs() {
            true => {
                let policy = tuning::run_tiles(capabilities, words, self.job.by_runs);
                // No run reaches into another row.
                let quads =
                    if self.job.rows == 1 { policy.quads } else { policy.quads.min((row / QUAD) as u32) };
                TilePolicy { quads, ..policy }
            }
            false => tuning::tiles(capabilities, words, self.job.len),
        }
    }

    /// How a kernel that scans tiles combines in what precedes an element.
    fn lifting(&self, access: Access, steps: Steps) -> Lifting {
        let [input, element, _] = &self.job.types;
        let words = input.word_count() == 1 && input.narrow().is_none();
        if self.job.keeps && words && access == Access::Quads && steps == Steps::WrittenOut {
            return Lifting::Kept;
        }
        match self.job.regroups {
            _ if self.by_runs() => Lifting::Runs,
            true => tuning::lifting(input, element),
            false => Lifting::ByLevel,
        }
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
            let end = place.offset + job.len * per_element * WORD;
            // To the end of the last quad, where there is one.
            let end = end.next_multiple_of(QUAD * WORD).min(place.buffer).max(end);
            let range =
                self.words("what a scan reads besides its input", place, (end - place.offset) / WORD)?;
            bindings.push(Binding { slot: slot::EXTRA, region: EXTRA, range });
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

#[cfg(test)]
pub(crate) mod tests;
