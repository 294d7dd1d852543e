//! Plans of load balancing.

use super::{Binding, Dispatch, Place, Plan, Region, Scratch};
use crate::{
    error::Error,
    kernel::{
        Kernel, LANES,
        balance::{BalanceKernel, Params, TILE},
    },
    tuning::Capabilities,
};

/// Bytes in an end, a segment, a rank and a bound.
const WORD: u64 = size_of::<u32>() as u64;

/// The buffers that a search is run with, in this order.
const ENDS: Region = Region::Buffer(0);
const SEGMENTS: Region = Region::Buffer(1);
const RANKS: Region = Region::Buffer(2);
/// A split's result, behind the ends.
const BOUNDS: Region = Region::Buffer(1);

/// The binding slots, as the kernels declare them.
mod slot {
    pub const ENDS: u32 = 1;
    /// Of the cut and the search.
    pub const CUTS: u32 = 2;
    pub const SEGMENTS: u32 = 3;
    pub const RANKS: u32 = 4;
    pub const BOUNDS: u32 = 2;
}

/// Ends of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub count: u32,
    pub place: Place,
}

impl Ends {
    /// Something has to be bound even if there are none.
    fn bind(&self, capabilities: &Capabilities) -> Result<(Binding, u32), Error> {
        let place = match self.count {
            0 => Place { offset: 0, ..self.place },
            _ => self.place,
        };
        let bound = bind(slot::ENDS, ENDS, place.offset, self.count.max(1).into(), capabilities);
        capabilities.fits("the ends of all segments", &bound.0.range)?;
        Ok(bound)
    }
}

/// Plans the search of `items` items' segments and ranks.
pub(crate) fn search(
    ends: &Ends,
    items: u64,
    segments: Place,
    ranks: Place,
    capabilities: &Capabilities,
) -> Result<Plan, Error> {
    if items == 0 {
        return Ok(Plan::default());
    }
    let tile = u64::from(TILE);
    let tiles = items.div_ceil(tile);
    let (ends_binding, ends_base) = ends.bind(capabilities)?;
    let mut scratch = Scratch::new(capabilities);
    let cuts = scratch.take((tiles + 1) * WORD);
    capabilities.fits("the cuts of all tiles", &cuts)?;

    let grid = capabilities.grid((tiles + 1).div_ceil(LANES.into()))?;
    let mut dispatches = vec![Dispatch {
        counted: None,
        kernel: Kernel::Balance(BalanceKernel::Cut),
        grid,
        params: Params {
            tiles: tiles as u32,
            grid_x: grid[0],
            segments: ends.count,
            ends_base,
            ..Params::default()
        }
        .into(),
        bindings: vec![ends_binding.clone(), Binding::scratch(slot::CUTS, &cuts)],
    }];

    let groups = u64::from(capabilities.max_groups);
    let room = capabilities.widest_binding().saturating_sub(capabilities.binding_alignment) / WORD;
    let step = (room / tile).min(groups.saturating_mul(groups)) * tile;
    if step == 0 {
        return Err(Error::Unsupported {
            what: "bytes in a storage binding",
            expected: tile * WORD + capabilities.binding_alignment,
            found: capabilities.widest_binding(),
        });
    }
    for start in (0..items).step_by(step as usize) {
        let count = step.min(items - start);
        let of_piece =
            |slot, region, place: Place| bind(slot, region, place.offset + start * WORD, count, capabilities);
        let (segments, segments_base) = of_piece(slot::SEGMENTS, SEGMENTS, segments);
        let (ranks, ranks_base) = of_piece(slot::RANKS, RANKS, ranks);
        let grid = capabilities.grid(count.div_ceil(tile))?;
        dispatches.push(Dispatch {
            counted: None,
            kernel: Kernel::Balance(BalanceKernel::Expand),
            grid,
            params: Params {
                count: count as u32,
                tiles: count.div_ceil(tile) as u32,
                first_tile: (start / tile) as u32,
                grid_x: grid[0],
                segments: ends.count,
                ends_base,
                segments_base,
                ranks_base,
                ..Params::default()
            }
            .into(),
            bindings: vec![ends_binding.clone(), Binding::scratch(slot::CUTS, &cuts), segments, ranks],
        });
    }
    Ok(Plan { dispatches, scratch: scratch.size(), ..Plan::default() })
}

/// Plans the split of tasks among `workers` workers.
pub(crate) fn split(
    ends: &Ends,
    workers: u32,
    bounds: Place,
    capabilities: &Capabilities,
) -> Result<Plan, Error> {
    let (ends_binding, ends_base) = ends.bind(capabilities)?;
    let count = u64::from(workers) + 1;
    let (bounds, bounds_base) = bind(slot::BOUNDS, BOUNDS, bounds.offset, count, capabilities);
    capabilities.fits("the bounds of all workers", &bounds.range)?;
    let grid = capabilities.grid(count.div_ceil(LANES.into()))?;
    let params = Params {
        grid_x: grid[0],
        segments: ends.count,
        ends_base,
        workers,
        bounds_base,
        ..Params::default()
    };
    let kernel = Kernel::Balance(BalanceKernel::Split);
    let dispatch =
        Dispatch { counted: None, kernel, grid, params: params.into(), bindings: vec![ends_binding, bounds] };
    Ok(Plan { dispatches: vec![dispatch], ..Plan::default() })
}

/// Binds `count` words from byte `start` on, and says where the first is in the binding.
fn bind(slot: u32, region: Region, start: u64, count: u64, capabilities: &Capabilities) -> (Binding, u32) {
    let bound = capabilities.aligned(start);
    (Binding { slot, region, range: bound..start + count * WORD }, ((start - bound) / WORD) as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::{Operator, tests::storage_bindings};

    fn devices() -> [Capabilities; 3] {
        let plain = Capabilities::usual();
        [
            Capabilities { max_binding: 40 << 10, max_groups: 3, ..plain.clone() },
            Capabilities { max_binding: u64::MAX, binding_alignment: 32, ..plain.clone() },
            plain,
        ]
    }

    fn params_of(dispatch: &Dispatch) -> Params {
        *bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params))
    }

    /// Pieces that make up the whole, in bindings that devices accept and kernels use.
    #[test]
    fn every_plan_is_sound() {
        let place = |offset: u64| Place { offset: offset * WORD, buffer: u64::MAX };
        let mut kernels = HashSet::new();
        for device in devices() {
            for items in [1u64, 2048, 2049, 100_000] {
                for at in [0, 3, 64] {
                    let ends = Ends { count: 100, place: place(at + 1) };
                    let search = search(&ends, items, place(at), place(2 * at), &device).expect("a plan");
                    let split = split(&ends, 7, place(at), &device).expect("a plan");
                    let tiles = items.div_ceil(TILE.into());
                    let mut done = 0;
                    for dispatch in search.dispatches.iter().chain(&split.dispatches) {
                        let params = params_of(dispatch);
                        let what = format!("{dispatch:?} on {device:?}");
                        for Binding { region, range, .. } in &dispatch.bindings {
                            assert!(range.start.is_multiple_of(device.binding_alignment), "{what}");
                            assert!(range.end - range.start <= device.widest_binding(), "{what}");
                            assert!(*region != Region::Scratch || range.end <= search.scratch, "{what}");
                        }
                        let [x, y] = dispatch.grid.map(u64::from);
                        assert!(x.max(y) <= device.max_groups.into() && x.min(y) > 0, "{what}");
                        let Kernel::Balance(kernel) = dispatch.kernel else { panic!("{what}") };
                        match kernel {
                            BalanceKernel::Cut => assert!(x * y * u64::from(LANES) > tiles, "{what}"),
                            BalanceKernel::Split => assert!(x * y * u64::from(LANES) > 7, "{what}"),
                            BalanceKernel::Expand => {
                                assert!(x * y >= params.tiles.into(), "{what}");
                                assert_eq!(u64::from(params.first_tile * TILE), done, "{what}");
                                let segments = &dispatch.bindings[2].range;
                                let start = segments.start + u64::from(params.segments_base) * WORD;
                                assert_eq!(start, (at + done) * WORD, "{what}");
                                assert_eq!(segments.end, start + u64::from(params.count) * WORD, "{what}");
                                done += u64::from(params.count);
                            }
                        }
                        let slots: Vec<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
                        assert_eq!(slots, storage_bindings(&Operator::none(), &dispatch.kernel), "{what}");
                        kernels.insert(kernel);
                    }
                    assert_eq!(done, items);
                }
            }
        }
        assert_eq!(kernels.len(), 3);
    }

    #[test]
    fn nothing_takes_nothing() {
        let place = Place { offset: 0, buffer: 16 };
        let ends = Ends { count: 0, place };
        for device in devices() {
            assert_eq!(search(&ends, 0, place, place, &device), Ok(Plan::default()));
        }
    }

    #[test]
    fn limits_are_named() {
        let place = Place { offset: 0, buffer: u64::MAX };
        let [small, ..] = devices();
        let ends = Ends { count: 10_241, place };
        let error = search(&ends, 1, place, place, &small).expect_err("more than 40 KiB");
        assert!(matches!(error, Error::TooLarge { expected: 40_960, found: 40_964, .. }), "{error:?}");
        let tiny = Capabilities { max_binding: 4 << 10, ..small };
        let error = search(&Ends { count: 1, place }, 1, place, place, &tiny).expect_err("no tile fits");
        assert!(matches!(error, Error::Unsupported { found: 4096, .. }), "{error:?}");
    }
}
