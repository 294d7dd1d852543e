//! What becomes of the starts of runs, and of counts.

use super::*;

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
        kernel: ScanKernel::plain(Pass::Gaps).into(),
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
        kernel: ScanKernel::plain(Pass::Arguments).into(),
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
