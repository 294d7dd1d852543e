//! Plans of scans.

use std::{fmt, ops::Range};

use super::{Binding, Dispatch, Place, Plan, Region, Scratch};
use crate::{
    error::Error,
    kernel::{
        self,
        scan::{Access, Lanes, Params, Pass, ScanKernel},
    },
    order,
    tuning::{self, Capabilities},
};

/// Bytes in an element.
const ELEMENT: u64 = size_of::<u32>() as u64;
/// Words before the first state, as `shaders/states.wgsl` has it.
const STATES_HEADER: u64 = 4;
/// Elements in a quad.
const QUAD: u64 = 4;

/// How a scan is computed. All but the two textbook algorithms follow the canonical order
/// ([`crate::order`]) and give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// [`Algorithm::SingleTile`] where the input fits one tile; then, on GPUs, [`Algorithm::SinglePass`] up
    /// to some millions of elements; [`Algorithm::ThreePass`] beyond, and on software drivers.
    #[default]
    Auto,
    /// One workgroup, one dispatch; inputs of at most one tile (4,096 elements, 8,192 with subgroups).
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

/// A scan to be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub algorithm: Algorithm,
    pub exclusive: bool,
    /// Elements.
    pub len: u64,
    pub input: Place,
    pub output: Place,
    /// Input and output are ranges of the same buffer: apart, or the same range.
    pub same_buffer: bool,
    /// Write out every round (textbook algorithms, at most one tile).
    pub trace: bool,
}

/// The buffers that a scan's plan is run with, in this order. The last only where it traces.
const INPUT: Region = Region::Buffer(0);
const OUTPUT: Region = Region::Buffer(1);
const ROUNDS: Region = Region::Buffer(2);

/// The binding slots, as the kernels declare them.
mod slot {
    pub const INPUT: u32 = 1;
    pub const OUTPUT: u32 = 2;
    pub const TOTALS: u32 = 3;
    pub const PREFIXES: u32 = 4;
    pub const ROUNDS: u32 = 5;
}

/// Which algorithm [`Algorithm::Auto`] stands for.
pub(crate) fn choose(algorithm: Algorithm, len: u64, capabilities: &Capabilities) -> Algorithm {
    match algorithm {
        Algorithm::Auto if len <= tile_of(tuning::tiles(capabilities, len)) => Algorithm::SingleTile,
        Algorithm::Auto if tuning::prefers_single_pass(capabilities, len) => Algorithm::SinglePass,
        Algorithm::Auto => Algorithm::ThreePass,
        named => named,
    }
}

fn tile_of(policy: tuning::TilePolicy) -> u64 {
    u64::from(4 * policy.quads * kernel::LANES)
}

/// Plans `job`. The caller has checked that both ranges lie inside their buffers and do not half-overlap.
pub(crate) fn scan(job: &Job, capabilities: &Capabilities) -> Result<Plan, Error> {
    if job.len == 0 {
        return Ok(Plan::default());
    }
    let planner = Planner { job, capabilities };
    match choose(job.algorithm, job.len, capabilities) {
        Algorithm::SingleTile => {
            let tile = tuning::largest_tile(capabilities);
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
        Algorithm::SinglePass if job.same_buffer && job.input == job.output && !capabilities.progress => {
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

/// A run of whole tiles (the last one may be short) that one dispatch can bind.
struct Piece {
    elements: Range<u64>,
    access: Access,
}

struct Planner<'a> {
    job: &'a Job,
    capabilities: &'a Capabilities,
}

impl Planner<'_> {
    /// Reduce, fold, scan; the last alone when there is one tile, no fold when there is one block.
    fn three_pass(&self) -> Result<Plan, Error> {
        let len = self.job.len;
        let policy = tuning::tiles(self.capabilities, len);
        let tile = tile_of(policy);
        let tiles = len.div_ceil(tile);
        let blocks = len / order::BLOCK as u64;
        let pieces = self.pieces(tile, true)?;

        let mut scratch = Scratch::new(self.capabilities);
        let totals = scratch.take(tiles * ELEMENT);
        let prefixes = scratch.take((blocks + 1) * ELEMENT);
        self.capabilities.fits("the totals of all tiles", &totals)?;

        let kernel = |pass, access| ScanKernel {
            pass,
            lanes: policy.lanes,
            per_lane: policy.quads,
            access,
            in_place: self.job.same_buffer,
            exclusive: false,
            trace: false,
        };
        let mut dispatches = Vec::new();
        if tiles > 1 {
            for piece in &pieces {
                let whole = (piece.elements.end - piece.elements.start) / tile;
                if whole > 0 {
                    let mut dispatch = self.tiles(kernel(Pass::Reduce, piece.access), piece, whole)?;
                    dispatch.bindings.retain(|b| b.slot == self.input_slot());
                    dispatch.bindings.push(Binding::scratch(slot::TOTALS, &totals));
                    dispatches.push(dispatch);
                }
            }
        }
        // With no block before the last there is nothing to fold.
        if len > order::BLOCK as u64 {
            dispatches.push(Dispatch {
                // The fold sees neither input nor output: one kernel serves all.
                kernel: ScanKernel {
                    lanes: Lanes::Workgroup,
                    in_place: false,
                    ..kernel(Pass::Fold, Access::Elements)
                }
                .into(),
                grid: [1, 1],
                params: Params { blocks: blocks as u32, ..Params::default() }.into(),
                bindings: vec![
                    Binding::scratch(slot::TOTALS, &totals),
                    Binding::scratch(slot::PREFIXES, &prefixes),
                ],
            });
        }
        for piece in &pieces {
            let kernel = ScanKernel { exclusive: self.job.exclusive, ..kernel(Pass::Scan, piece.access) };
            let tiles = (piece.elements.end - piece.elements.start).div_ceil(tile);
            let mut dispatch = self.tiles(kernel, piece, tiles)?;
            dispatch.bindings.extend([
                Binding::scratch(slot::TOTALS, &totals),
                Binding::scratch(slot::PREFIXES, &prefixes),
            ]);
            dispatches.push(dispatch);
        }
        Ok(Plan { dispatches, scratch: scratch.size(), states: 0 })
    }

    /// One dispatch for each piece of whole blocks; the prefix of the next piece is carried over. None where
    /// bindings hold no block, and where elements have to be moved one by one: that kernel would be so large
    /// that some drivers take minutes to compile it.
    fn single_pass(&self) -> Result<Option<Plan>, Error> {
        let policy = tuning::tiles(self.capabilities, self.job.len);
        let tile = tile_of(policy);
        let block = order::BLOCK as u64;
        let Ok(pieces) = self.pieces(block, true) else { return Ok(None) };
        if !self.capabilities.progress && pieces.iter().any(|piece| piece.access == Access::Elements) {
            return Ok(None);
        }
        let mut scratch = Scratch::new(self.capabilities);
        let carries = scratch.take((pieces.len() as u64 + 1) * ELEMENT);
        let mut states = 0;
        let mut dispatches = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let kernel = ScanKernel {
                pass: Pass::LookBack,
                lanes: policy.lanes,
                per_lane: policy.quads,
                access: piece.access,
                in_place: self.job.same_buffer,
                exclusive: self.job.exclusive,
                trace: false,
            };
            let len = piece.elements.end - piece.elements.start;
            let tiles = len.div_ceil(tile);
            let blocks = len / block;
            // Two halves of two words for every tile's total, every block's total and every prefix.
            states = states.max((STATES_HEADER + 2 * 2 * (tiles + 2 * (blocks + 1))) * ELEMENT);
            let handed_on = Params {
                blocks: blocks as u32,
                piece: index as u32,
                patience: self.capabilities.patience,
                ..Params::default()
            };
            let mut dispatch = self.tiles_with(kernel, piece, tiles, handed_on)?;
            dispatch.bindings.push(Binding { slot: slot::TOTALS, region: Region::States, range: 0..0 });
            dispatch.bindings.push(Binding::scratch(slot::PREFIXES, &carries));
            dispatches.push(dispatch);
        }
        Ok(Some(Plan { dispatches, scratch: scratch.size(), states }))
    }

    /// Scan tiles; scan their totals exclusively by the same algorithm, level over level; add downwards.
    fn textbook(&self, pass: Pass, per_lane: u32) -> Result<Plan, Error> {
        let kernel = ScanKernel {
            pass,
            lanes: Lanes::Workgroup,
            per_lane,
            access: Access::Elements,
            in_place: self.job.same_buffer,
            exclusive: self.job.exclusive,
            trace: self.job.trace,
        };
        let add =
            ScanKernel { pass: Pass::UniformAdd, in_place: true, exclusive: false, trace: false, ..kernel };
        let tile = u64::from(kernel.tile());
        let pieces = self.pieces(tile, false)?;

        // levels[k] holds the totals of the tiles of level k; the input is below level 0.
        let mut scratch = Scratch::new(self.capabilities);
        let mut levels = Vec::new();
        let mut count = self.job.len;
        loop {
            count = count.div_ceil(tile);
            let level = scratch.take(count * ELEMENT);
            self.capabilities.fits("the totals of all tiles", &level)?;
            levels.push((level, count));
            if count == 1 {
                break;
            }
        }

        let mut dispatches = Vec::new();
        let tiles_in = |piece: &Piece| (piece.elements.end - piece.elements.start).div_ceil(tile);
        for piece in &pieces {
            let mut dispatch = self.tiles(kernel, piece, tiles_in(piece))?;
            dispatch.bindings.push(Binding::scratch(slot::TOTALS, &levels[0].0));
            if self.job.trace {
                dispatch.bindings.push(Binding {
                    slot: slot::ROUNDS,
                    region: ROUNDS,
                    range: 0..rounds(pass, self.job.len) * tile * ELEMENT,
                });
            }
            dispatches.push(dispatch);
        }
        let level_dispatch = |kernel: ScanKernel, k: usize| -> Result<Dispatch, Error> {
            let (data, count) = &levels[k];
            let tiles = count.div_ceil(tile);
            let grid = self.capabilities.grid(tiles)?;
            Ok(Dispatch {
                kernel: ScanKernel { in_place: true, ..kernel }.into(),
                grid,
                params: Params {
                    count: *count as u32,
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
            for piece in &pieces {
                let mut dispatch = self.tiles(add, piece, tiles_in(piece))?;
                dispatch.bindings.retain(|b| b.slot == slot::OUTPUT);
                dispatch.bindings.push(Binding::scratch(slot::TOTALS, &levels[0].0));
                dispatches.push(dispatch);
            }
        }
        Ok(Plan { dispatches, scratch: scratch.size(), states: 0 })
    }

    /// One dispatch over the tiles of a piece, with input and output bound.
    fn tiles(&self, kernel: ScanKernel, piece: &Piece, tiles: u64) -> Result<Dispatch, Error> {
        self.tiles_with(kernel, piece, tiles, Params::default())
    }

    /// The same with some parameters of its own.
    fn tiles_with(
        &self,
        kernel: ScanKernel,
        piece: &Piece,
        tiles: u64,
        params: Params,
    ) -> Result<Dispatch, Error> {
        let cell = match piece.access {
            Access::Quads => QUAD * ELEMENT,
            Access::Elements => ELEMENT,
        };
        let bytes = |place: Place| {
            let start = place.offset + piece.elements.start * ELEMENT;
            let end = place.offset + piece.elements.end * ELEMENT;
            (start, end.next_multiple_of(cell))
        };
        let (input, output) = (bytes(self.job.input), bytes(self.job.output));
        let bind = |start: u64, end: u64| self.capabilities.aligned(start)..end;
        let mut bindings = Vec::new();
        let (input_base, output_base);
        if self.job.same_buffer {
            let both = bind(input.0.min(output.0), input.1.max(output.1));
            input_base = input.0 - both.start;
            output_base = output.0 - both.start;
            self.capabilities.fits("the span of input and output in their buffer", &both)?;
            bindings.push(Binding { slot: slot::OUTPUT, region: OUTPUT, range: both });
        } else {
            let (source, target) = (bind(input.0, input.1), bind(output.0, output.1));
            input_base = input.0 - source.start;
            output_base = output.0 - target.start;
            bindings.push(Binding { slot: slot::INPUT, region: INPUT, range: source });
            bindings.push(Binding { slot: slot::OUTPUT, region: OUTPUT, range: target });
        }
        let grid = self.capabilities.grid(tiles)?;
        Ok(Dispatch {
            kernel: kernel.into(),
            grid,
            params: Params {
                count: (piece.elements.end - piece.elements.start) as u32,
                src_base: (input_base / cell) as u32,
                dst_base: (output_base / cell) as u32,
                first_tile: (piece.elements.start / u64::from(kernel.tile())) as u32,
                tiles: tiles as u32,
                grid_x: grid[0],
                ..params
            }
            .into(),
            bindings,
        })
    }

    /// Cuts the input into runs of tiles that a binding can span and a grid can cover.
    fn pieces(&self, tile: u64, quads: bool) -> Result<Vec<Piece>, Error> {
        // A binding may have to start before its piece, and end at the end of a quad.
        let room = self
            .capabilities
            .widest_binding()
            .saturating_sub(self.capabilities.binding_alignment + QUAD * ELEMENT);
        let groups = u64::from(self.capabilities.max_groups);
        let tiles = (room / ELEMENT / tile).min(groups.saturating_mul(groups));
        if tiles == 0 {
            return Err(Error::Unsupported {
                what: "bytes in a storage binding",
                expected: tile * ELEMENT + self.capabilities.binding_alignment + QUAD * ELEMENT,
                found: self.capabilities.widest_binding(),
            });
        }
        let len = self.job.len;
        let places = [self.job.input, self.job.output];
        let starts_on_quad = places.iter().all(|place| {
            (place.offset - self.capabilities.aligned(place.offset)).is_multiple_of(QUAD * ELEMENT)
        });
        let last_quad_fits =
            places.iter().all(|place| place.offset + len.next_multiple_of(QUAD) * ELEMENT <= place.buffer);
        let step = tiles * tile;
        let mut pieces = Vec::new();
        let mut push = |elements: Range<u64>, access| {
            if !elements.is_empty() {
                pieces.push(Piece { elements, access });
            }
        };
        for start in (0..len).step_by(step as usize) {
            let end = (start + step).min(len);
            match (quads && starts_on_quad, end == len && !last_quad_fits) {
                (false, _) => push(start..end, Access::Elements),
                (true, false) => push(start..end, Access::Quads),
                (true, true) => {
                    // The buffer ends inside the last quad: its tile goes element by element.
                    let ragged = end - (end - start) % tile;
                    push(start..ragged, Access::Quads);
                    push(ragged..end, Access::Elements);
                }
            }
        }
        Ok(pieces)
    }

    fn input_slot(&self) -> u32 {
        if self.job.same_buffer { slot::OUTPUT } else { slot::INPUT }
    }
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
