//! Plans of totals of rows: of segments that offsets name, and of a sparse matrix's rows.

use std::ops::Range;

use super::{
    Binding, Dispatch, Place, Plan, Region, Scratch,
    scan::{INPUT, OUTPUT},
};
use crate::{
    element::{Element, Layout},
    error::Error,
    kernel::{
        Kernel, LANES, access,
        rows::{Params, ROWS_IN_GROUP, RowsKernel, TILE, TILES_PER_BLOCK},
        scan::Access,
    },
    tuning::Capabilities,
};

/// Bytes of an offset, a column and a cut.
const WORD: u64 = size_of::<u32>() as u64;

/// Entries that are read at once where they lie well.
const QUAD: u64 = 4;

/// The buffers that a plan is run with, besides input and output: where those of scans are.
const COLUMNS: Region = Region::Buffer(2);
const OFFSETS: Region = Region::Buffer(3);
const VECTOR: Region = Region::Buffer(4);

/// The binding slots, as the kernels declare them.
mod slot {
    pub const INPUT: u32 = 1;
    pub const OUTPUT: u32 = 2;
    pub const ENDS: u32 = 3;
    pub const CUTS: u32 = 4;
    pub const TAILS: u32 = 5;
    pub const PENDING: u32 = 6;
    pub const BLOCK_TAILS: u32 = 7;
    pub const BLOCK_PENDING: u32 = 8;
    pub const COLUMNS: u32 = 9;
    pub const VECTOR: u32 = 10;
}

/// What the values of a sparse matrix are multiplied by: a column for each value, and a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operands {
    pub columns: Place,
    pub vector: Place,
    pub vector_len: u64,
}

/// Totals of rows to be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub rows: u64,
    /// Where each row begins, and where the last one ends.
    pub offsets: Place,
    /// Entries.
    pub len: u64,
    pub input: Place,
    pub output: Place,
    /// Element types: read; combined and written.
    pub types: [Layout; 2],
    /// What the hooks multiply values by.
    pub operands: Option<Operands>,
}

/// Plans `job`: the rows' cuts, then tiles, then blocks if there are several tiles, then what goes across blocks.
pub(crate) fn totals(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    if job.rows == 0 {
        return Ok(Plan::default());
    }
    let planner = Planner::new(job, capabilities)?;
    let Planner { tiles, blocks, .. } = planner;
    let lanes = u64::from(LANES);

    let mut scratch = Scratch::new(capabilities);
    let [tails, pending, block_tails, block_pending] =
        [tiles, tiles, blocks, blocks].map(|values| scratch.take(values * job.types[1].stride()));
    capabilities.fits("the totals of all tiles", &tails)?;
    let of_tiles = [Binding::scratch(slot::TAILS, &tails), Binding::scratch(slot::PENDING, &pending)];
    let of_blocks = [
        Binding::scratch(slot::BLOCK_TAILS, &block_tails),
        Binding::scratch(slot::BLOCK_PENDING, &block_pending),
    ];

    let cut_groups = (tiles + 1).div_ceil(lanes).max(planner.common.groups.into());
    let mut dispatches = vec![planner.dispatch(RowsKernel::Cut, cut_groups, planner.common, &[])?];
    for piece in planner.pieces()? {
        dispatches.push(planner.tiles(&piece, &of_tiles)?);
    }
    if tiles > 1 {
        let bindings = [of_tiles, of_blocks.clone()].concat();
        dispatches.push(planner.dispatch(RowsKernel::Blocks, blocks, planner.common, &bindings)?);
    }
    if blocks > 1 {
        let groups = blocks.div_ceil(lanes);
        dispatches.push(planner.dispatch(RowsKernel::Finish, groups, planner.common, &of_blocks)?);
    }
    Ok(Plan { dispatches, scratch: scratch.size(), marks: planner.cuts.range.end, ..Plan::default() })
}

struct Planner<'a> {
    job: &'a Job,
    capabilities: &'a Capabilities,
    len: u64,
    tiles: u64,
    blocks: u64,
    /// What all dispatches are told, and given.
    common: Params,
    output: Binding,
    offsets: Binding,
    cuts: Binding,
}

impl<'a> Planner<'a> {
    fn new(job: &'a Job, capabilities: &'a Capabilities) -> Result<Self, Error> {
        // No offset names what lies behind.
        let len = job.len.min(u32::MAX.into());
        let tiles = len.div_ceil(TILE.into());
        let blocks = tiles.div_ceil(TILES_PER_BLOCK.into());
        let groups = job.rows / u64::from(ROWS_IN_GROUP) + 1;
        let (offsets, first_offset) =
            bind(slot::ENDS, OFFSETS, job.offsets, (job.rows + 1) * WORD, capabilities);
        capabilities.fits("the offsets of all segments", &offsets.range)?;
        let bytes = job.rows * u64::from(job.types[1].bytes());
        let (output, first_result) = bind(slot::OUTPUT, OUTPUT, job.output, bytes, capabilities);
        capabilities.fits("the totals of all segments", &output.range)?;
        // They are read where other scratch is written.
        let cuts = Binding { slot: slot::CUTS, region: Region::Marks, range: 0..(tiles + 1 + groups) * WORD };
        capabilities.fits("the cuts of all tiles", &cuts.range)?;
        let common = Params {
            tiles: tiles as u32,
            rows: job.rows as u32,
            len: len as u32,
            blocks: blocks as u32,
            dst_base: (first_result / WORD) as u32,
            ends_base: (first_offset / WORD) as u32 + 1,
            levels_base: tiles as u32 + 1,
            groups: groups as u32,
            ..Params::default()
        };
        Ok(Self { job, capabilities, len, tiles, blocks, common, output, offsets, cuts })
    }

    fn dispatch(
        &self,
        kernel: RowsKernel,
        groups: u64,
        params: Params,
        more: &[Binding],
    ) -> Result<Dispatch, Error> {
        let grid = self.capabilities.grid(groups)?;
        let rows = [&self.output, &self.offsets, &self.cuts];
        Ok(Dispatch {
            counted: None,
            kernel: Kernel::Rows(kernel),
            grid,
            params: Params { grid_x: grid[0], ..params }.into(),
            bindings: rows.into_iter().chain(more).cloned().collect(),
        })
    }

    /// Runs of whole tiles that a binding can span and a grid can cover; the last tile may be short.
    fn pieces(&self) -> Result<Vec<Piece>, Error> {
        let (len, capabilities) = (self.len, self.capabilities);
        let size = self.inputs().map(|(_, layout)| u64::from(layout.bytes())).max().unwrap_or(WORD);
        let (tile, groups) = (u64::from(TILE), u64::from(capabilities.max_groups));
        let margin = capabilities.binding_alignment + QUAD * size;
        let room = capabilities.widest_binding().saturating_sub(margin);
        let step = (room / size / tile).min(groups.saturating_mul(groups)) * tile;
        if step == 0 {
            return Err(Error::Unsupported {
                what: "bytes in a storage binding",
                expected: tile * size + margin,
                found: capabilities.widest_binding(),
            });
        }
        let whole = (0..len).step_by(step as usize).map(|start| start..(start + step).min(len));
        if !self.inputs().all(|(place, layout)| starts_with_a_quad(place, layout)) {
            return Ok(whole.map(|entries| Piece { entries, access: Access::Elements }).collect());
        }
        // Where the buffer ends inside of the last quad, its tile goes element by element.
        let fits = |(place, layout): (Place, &Layout)| {
            place.offset + len.next_multiple_of(QUAD) * u64::from(layout.bytes()) <= place.buffer
        };
        let in_quads = if self.inputs().all(fits) { len } else { len / tile * tile };
        let pieces = whole.flat_map(|Range { start, end }| {
            let middle = end.min(in_quads);
            [(start..middle, Access::Quads), (middle..end, Access::Elements)]
        });
        let pieces = pieces.map(|(entries, access)| Piece { entries, access });
        Ok(pieces.filter(|piece| !piece.entries.is_empty()).collect())
    }

    /// What there is for each entry.
    fn inputs(&self) -> impl Iterator<Item = (Place, &Layout)> {
        let columns = self.job.operands.map(|operands| (operands.columns, &u32::LAYOUT));
        [(self.job.input, &self.job.types[0])].into_iter().chain(columns)
    }

    /// The tiles of a piece.
    fn tiles(&self, Piece { entries, access }: &Piece, of_tiles: &[Binding]) -> Result<Dispatch, Error> {
        let Job { input, types: [read, _], operands, .. } = self.job;
        let count = entries.end - entries.start;
        let bound = match access {
            Access::Quads => count.next_multiple_of(QUAD),
            Access::Elements => count,
        };
        // And where the first is, in cells.
        let of_piece = |slot, region, place: &Place, layout: &Layout| {
            let size = u64::from(layout.bytes());
            let place = Place { offset: place.offset + entries.start * size, ..*place };
            let (binding, first) = bind(slot, region, place, bound * size, self.capabilities);
            (binding, (first / access::cell_bytes(layout, *access)) as u32)
        };
        let (input, src_base) = of_piece(slot::INPUT, INPUT, input, read);
        let mut bindings = vec![input];
        bindings.extend_from_slice(of_tiles);
        let tiles = count.div_ceil(u64::from(TILE));
        let mut params = Params {
            count: count as u32,
            tiles: tiles as u32,
            first_tile: (entries.start / u64::from(TILE)) as u32,
            src_base,
            ..self.common
        };
        if let Some(Operands { columns, vector, vector_len }) = operands {
            let (columns, columns_base) = of_piece(slot::COLUMNS, COLUMNS, columns, &u32::LAYOUT);
            // Something has to be bound even if there is nothing.
            let vector = if *vector_len == 0 { Place { offset: 0, ..*vector } } else { *vector };
            let bytes = (*vector_len).max(1) * WORD;
            let (vector, first_of_vector) = bind(slot::VECTOR, VECTOR, vector, bytes, self.capabilities);
            self.capabilities.fits("the vector of a product", &vector.range)?;
            params.columns_base = columns_base;
            params.vector_base = (first_of_vector / WORD) as u32;
            params.vector_len = *vector_len as u32;
            bindings.extend([columns, vector]);
        }
        let kernel = RowsKernel::Tiles { access: *access, products: operands.is_some() };
        self.dispatch(kernel, tiles, params, &bindings)
    }
}

/// Entries that are read by one dispatch.
struct Piece {
    entries: Range<u64>,
    access: Access,
}

/// Whether whole quads can be read from `place` on, and so from each tile in it.
fn starts_with_a_quad(place: Place, layout: &Layout) -> bool {
    place.offset.is_multiple_of(access::cell_bytes(layout, Access::Quads))
}

/// Binds `bytes` bytes from `place` on, and says how far in the binding that is.
fn bind(slot: u32, region: Region, place: Place, bytes: u64, capabilities: &Capabilities) -> (Binding, u64) {
    let bound = capabilities.aligned(place.offset);
    let end = (place.offset + bytes).next_multiple_of(WORD);
    (Binding { slot, region, range: bound..end }, place.offset - bound)
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
