//! One pass over the tiles, with look-back.

use super::*;

/// Words before the first state, as `shaders/states.wgsl` has it.
const STATES_HEADER: u64 = 32;
/// Words in a block's record at least, as the same file has it.
const STATES_RECORD: u64 = 256;
/// The widest elements, in words: workgroup memory of 16 KiB holds what a look back sees of these.
const WIDEST: u32 = 4;

impl Planner<'_> {
    /// One dispatch for each piece of whole blocks; the prefix of the next piece is carried over. None where
    /// the kernel does not do what is asked: in place, for it may read its input again; where bindings hold no
    /// block; where elements have to be moved one by one, for that kernel would be so large that some drivers
    /// take minutes to compile it; for several rows, wide elements, and values to start from.
    pub(super) fn single_pass(&self) -> Result<Option<Plan>, Error> {
        let job = self.job;
        let in_place = job.same_buffer && job.input == job.output && !self.capabilities.progress;
        let several = !job.is_plain() || matches!(job.extra, Extra::Offsets { .. });
        let several = several || job.counted.is_some();
        if in_place || several || job.starts.is_some() || job.total_only || !self.suits_single_pass() {
            return Ok(None);
        }
        let policy = self.policy(job.len);
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
            let steps = tuning::steps(self.capabilities, true);
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
                steps,
                lifting: self.lifting(piece.access, steps),
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
            states = states.max(self.states(blocks + 1, block / tile));
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

    /// Bytes of states for so many blocks: two halves, each with a record for every block.
    pub(super) fn states(&self, blocks: u64, tiles_per_block: u64) -> u64 {
        let record = STATES_RECORD.max(4 * u64::from(self.job.words()) * tiles_per_block);
        (STATES_HEADER + 2 * record * blocks) * WORD
    }

    /// Whether there is a kernel for elements as wide: without subgroups the tile itself fills workgroup memory, and
    /// CUDA's has been measured with words only.
    fn suits_single_pass(&self) -> bool {
        let several = self.capabilities.subgroups && !self.capabilities.progress;
        self.job.words() <= if several { WIDEST } else { 1 }
    }
}
