//! Reduce tiles, fold their totals, scan tiles again.

use super::*;

impl Planner<'_> {
    /// Reduce, fold, scan; the last alone when there is one tile, no fold when there is one block.
    pub(super) fn three_pass(&self) -> Result<Plan, Error> {
        let (len, rows) = (self.job.len, self.job.rows);
        let row_log2 = len.next_power_of_two().max(QUAD).ilog2();
        let policy = self.policy(1 << row_log2);
        let tile = policy.tile();
        let blocks = len / order::BLOCK as u64;
        let tiles_per_row = len.div_ceil(tile);
        let blocks_per_row = len.div_ceil(order::BLOCK as u64);
        // A row of more than half a tile has it for itself.
        let shape = match rows {
            1 => Rows::One,
            _ if 1 << row_log2 < tile => Rows::Short(row_log2),
            _ => Rows::Long,
        };
        let pieces = self.pieces(tile, true)?;

        let branches = self.job.sink == Sink::Scatter
            || !matches!(self.job.extra, Extra::Nothing)
            || self.job.words() > 1
            || self.job.heavy;
        let kernel = |pass, access| ScanKernel {
            pass,
            lanes: policy.lanes,
            width: policy.width,
            per_lane: policy.quads,
            access,
            tiles: policy.tiles,
            steps: tuning::steps(self.capabilities, branches || pass == Pass::Fold),
            // How others lift does not matter before they scan.
            lifting: if self.by_runs() { Lifting::Runs } else { Lifting::ByLevel },
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
            lifting: Lifting::ByLevel,
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
            let plain = kernel(Pass::Scan, piece.access);
            let kernel = ScanKernel {
                exclusive: self.job.exclusive,
                starts: self.job.starts.is_some(),
                lifting: self.lifting(piece.access, plain.steps),
                ..plain
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
    pub(super) fn count_dispatches(
        &self,
        dispatches: &mut Vec<Dispatch>,
        pieces: &[Piece],
    ) -> Result<u64, Error> {
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
                kernel: ScanKernel {
                    width: kernel.width,
                    per_lane: kernel.per_lane,
                    ..ScanKernel::plain(pass)
                }
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
}
