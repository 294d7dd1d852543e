//! One total in one dispatch.

use super::*;

/// Which algorithm [`Algorithm::Auto`] stands for where one total is wanted.
pub(super) fn choose(algorithm: Algorithm, words: u32, len: u64, capabilities: &Capabilities) -> Algorithm {
    let faulty = capabilities.fault.is_some();
    match algorithm {
        Algorithm::Auto if len <= tuning::tiles(capabilities, words, len).tile() && !faulty => {
            Algorithm::SingleTile
        }
        Algorithm::Auto if tuning::prefers_one_dispatch(capabilities) => Algorithm::SinglePass,
        Algorithm::Auto => Algorithm::ThreePass,
        named => named,
    }
}

impl Planner<'_> {
    /// None where the kernel does not do what is asked: for more than one binding spans, for wide elements, and for
    /// what [`GpuReduce`](crate::GpuReduce) does not ask for.
    pub(super) fn total(&self) -> Result<Option<Plan>, Error> {
        let job = self.job;
        let plain = job.is_plain() && job.extra == Extra::Nothing && job.starts.is_none();
        let alone = job.counted.is_none() && job.count.is_none() && !job.same_buffer;
        let policy = tuning::tiles(self.capabilities, job.words(), job.len);
        // Trees in scratch are for elements of which workgroup memory holds too few.
        if !plain || !alone || policy.tiles == Tiles::Scratch {
            return Ok(None);
        }
        let tile = policy.tile();
        let pieces = self.pieces(tile, true)?;
        let [piece] = &pieces[..] else { return Ok(None) };
        let kernel = ScanKernel {
            pass: match self.capabilities.fault {
                None => Pass::Total,
                Some(_) => Pass::FaultyTotal,
            },
            lanes: policy.lanes,
            width: policy.width,
            per_lane: policy.quads,
            access: piece.access,
            steps: tuning::steps(self.capabilities, true),
            sink: job.sink,
            maps: true,
            ..ScanKernel::plain(Pass::Total)
        };
        let blocks = job.len.div_ceil(order::BLOCK as u64);
        let tiles = job.len.div_ceil(tile);
        let share = tuning::tiles_at_once(self.capabilities, policy.lanes, tiles);
        let params = Params {
            blocks_per_row: blocks as u32,
            share,
            patience: self.capabilities.patience,
            fault: self.capabilities.fault.unwrap_or(0),
            ..Params::default()
        };
        let mut dispatch = self.tiles(kernel, piece, tiles.div_ceil(share.into()), params)?;
        dispatch.bindings.push(Binding { slot: slot::TOTALS, region: Region::States, range: 0..0 });
        let states = self.states(blocks, kernel.tiles_per_block().into());
        Ok(Some(Plan { dispatches: vec![dispatch], states, ..Plan::default() }))
    }
}
