//! The algorithms as textbooks have them.

use super::*;

/// The textbook kernels hold tiles of elements of at most this many words.
const TEXTBOOK_WORDS: u32 = 4;

/// How many states a traced tile of `len` elements goes through, the input among them.
pub(crate) fn rounds(pass: Pass, len: u64) -> u64 {
    let doublings = u64::from(len.next_power_of_two().trailing_zeros());
    match pass {
        Pass::Blelloch => 2 * doublings + 2,
        _ => doublings + 1,
    }
}

impl Planner<'_> {
    /// Scan tiles; scan their totals exclusively by the same algorithm, level over level; add downwards.
    pub(super) fn textbook(&self, pass: Pass, per_lane: u32) -> Result<Plan, Error> {
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
            per_lane,
            in_place: job.same_buffer,
            exclusive: job.exclusive,
            maps: true,
            trace: job.trace,
            ..ScanKernel::plain(pass)
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
}
