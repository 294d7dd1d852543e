//! What plans of totals of rows look like, without a device.

use std::collections::HashSet;

use half::f16;

use super::*;
use crate::{
    element::Element,
    kernel::{Operator, tests::storage_bindings},
    map::{Same, Widen},
    monoid::Sum,
    order,
};

fn devices() -> [Capabilities; 3] {
    let plain = Capabilities::usual();
    [
        Capabilities { max_binding: 40 << 10, max_groups: 9, ..plain.clone() },
        Capabilities { max_binding: u64::MAX, binding_alignment: 32, ..plain.clone() },
        plain,
    ]
}

fn place(element: u64, size: u64) -> Place {
    Place { offset: element * size, buffer: u64::MAX }
}

/// Totals of `len` words in 100 rows.
fn job(len: u64) -> Job {
    let [offsets, input, output] = [1, 3, 64].map(|at| place(at, WORD));
    Job { rows: 100, offsets, len, input, output, types: [u32::LAYOUT; 2], operands: None }
}

fn operands(at: u64) -> Option<Operands> {
    Some(Operands { columns: place(at, WORD), vector: place(3, WORD), vector_len: 50 })
}

fn params_of(dispatch: &Dispatch) -> Params {
    *bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params))
}

fn kernel_of(dispatch: &Dispatch) -> RowsKernel {
    let Kernel::Rows(kernel) = dispatch.kernel else { panic!("{dispatch:?}") };
    kernel
}

#[test]
fn dispatches_are_as_few_as_can_be() {
    use RowsKernel::*;
    let block = order::BLOCK as u64;
    let [.., device] = devices();
    let kernels = |len| {
        let plan = totals(&job(len), &device).expect("a plan");
        plan.dispatches.iter().map(kernel_of).collect::<Vec<_>>()
    };
    let tile = u64::from(TILE);
    let tiles = RowsKernel::Tiles { access: Access::Elements, products: false };
    assert_eq!(kernels(0), [Cut]);
    assert_eq!(kernels(1), [Cut, tiles]);
    assert_eq!(kernels(tile), [Cut, tiles]);
    assert_eq!(kernels(tile + 1), [Cut, tiles, Blocks]);
    assert_eq!(kernels(block), [Cut, tiles, Blocks]);
    assert_eq!(kernels(block + 1), [Cut, tiles, Blocks, Finish]);
    assert_eq!(totals(&Job { rows: 0, ..job(9) }, &device), Ok(Plan::default()));
}

/// Pieces that make up the whole, in bindings that devices accept and kernels use.
#[test]
fn every_plan_is_sound() {
    let kinds = [
        (Operator::plain::<u32, _>(&Sum), [u32::LAYOUT; 2]),
        (Operator::plain::<u64, _>(&Sum), [u64::LAYOUT; 2]),
        (Operator::new::<f16, f32, f32, _, _, _>(&Sum, &Widen, &Same), [f16::LAYOUT, f32::LAYOUT]),
        (Operator::products(), [f32::LAYOUT; 2]),
    ];
    let mut seen = HashSet::new();
    for device in devices() {
        for (number, (operator, types)) in kinds.iter().enumerate() {
            let size = u64::from(types[0].bytes());
            for len in [1, 1024, 1025, 100_000, 1_000_001] {
                for at in [0, 3, 64] {
                    let products = number == 3;
                    let operands = if products { operands(at) } else { None };
                    let job = Job { types: *types, input: place(at, size), operands, ..job(len) };
                    let plan = totals(&job, &device).expect("a plan");
                    let mut done = 0;
                    for dispatch in &plan.dispatches {
                        let params = params_of(dispatch);
                        let what = format!("{dispatch:?} on {device:?}");
                        for Binding { region, range, .. } in &dispatch.bindings {
                            assert!(range.start.is_multiple_of(device.binding_alignment), "{what}");
                            assert!(range.end.is_multiple_of(WORD), "{what}");
                            assert!(range.end - range.start <= device.widest_binding(), "{what}");
                            assert!(*region != Region::Scratch || range.end <= plan.scratch, "{what}");
                            assert!(*region != Region::Marks || range.end <= plan.marks, "{what}");
                        }
                        let [x, y] = dispatch.grid.map(u64::from);
                        assert!(x.max(y) <= device.max_groups.into() && params.grid_x == x as u32, "{what}");
                        let lanes = u64::from(LANES);
                        match kernel_of(dispatch) {
                            RowsKernel::Cut => {
                                assert!(x * y * lanes > params.tiles.into(), "{what}");
                                assert!(x * y >= params.groups.into(), "{what}");
                                assert!(params.groups * ROWS_IN_GROUP > params.rows, "{what}");
                                let behind = u64::from(params.levels_base + params.groups);
                                assert_eq!(plan.marks, behind * WORD, "{what}");
                            }
                            RowsKernel::Tiles { access, .. } => {
                                assert!(x * y >= params.tiles.into(), "{what}");
                                assert_eq!(u64::from(params.first_tile * TILE), done, "{what}");
                                let of_input = |b: &&Binding| b.region == INPUT;
                                let input = &dispatch.bindings.iter().find(of_input).expect("one").range;
                                let start = input.start
                                    + u64::from(params.src_base) * access::cell_bytes(&types[0], access);
                                assert_eq!(start, (at + done) * size, "{what}");
                                let end = start + u64::from(params.count) * size;
                                let unit = if access == Access::Quads { QUAD * size } else { WORD };
                                assert_eq!(input.end, end.next_multiple_of(unit), "{what}");
                                assert_eq!(access == Access::Quads, at != 3, "{what}");
                                done += u64::from(params.count);
                            }
                            RowsKernel::Blocks => assert!(x * y >= params.blocks.into(), "{what}"),
                            RowsKernel::Finish => assert!(x * y * lanes >= params.blocks.into(), "{what}"),
                        }
                        let mut slots: Vec<u32> = dispatch.bindings.iter().map(|b| b.slot).collect();
                        slots.sort_unstable();
                        // As many as every WebGPU device takes.
                        assert!(slots.len() <= 8, "{what}");
                        if seen.insert((number, dispatch.kernel)) {
                            assert_eq!(slots, storage_bindings(operator, &dispatch.kernel), "{what}");
                        }
                    }
                    assert_eq!(done, len);
                }
            }
        }
    }
    assert_eq!(seen.len(), 20);
}

/// Quads are read only where all of what is read lies well, and the buffer has all of the last one.
#[test]
fn quads_where_they_fit() {
    let [.., device] = devices();
    let tile = u64::from(TILE);
    let (len, end) = (2 * tile + 5, (2 * tile + 6) * WORD);
    let accesses = |input, columns| {
        let operands = Some(Operands { columns, ..operands(0).expect("some") });
        let plan = totals(&Job { input, operands, ..job(len) }, &device).expect("a plan");
        let of_tiles = |dispatch: &Dispatch| match kernel_of(dispatch) {
            RowsKernel::Tiles { access, products: true } => Some((access, params_of(dispatch).count)),
            _ => None,
        };
        plan.dispatches.iter().filter_map(of_tiles).collect::<Vec<_>>()
    };
    let (well, ill, short) = (place(4, WORD), place(5, WORD), Place { offset: 0, buffer: end });
    let (all, whole) = (len as u32, 2 * tile as u32);
    assert_eq!(accesses(well, well), [(Access::Quads, all)]);
    assert_eq!(accesses(ill, well), [(Access::Elements, all)]);
    assert_eq!(accesses(well, ill), [(Access::Elements, all)]);
    for (input, columns) in [(well, short), (short, well)] {
        assert_eq!(accesses(input, columns), [(Access::Quads, whole), (Access::Elements, 5)]);
    }
}

/// Offsets name nothing that 32 bits do not count.
#[test]
fn lengths_beyond_32_bits() {
    let [_, large, _] = devices();
    let plan = totals(&job((1 << 33) + 5), &large).expect("a plan");
    let pieces =
        plan.dispatches.iter().filter(|dispatch| matches!(kernel_of(dispatch), RowsKernel::Tiles { .. }));
    assert_eq!(pieces.map(|piece| u64::from(params_of(piece).count)).sum::<u64>(), u64::from(u32::MAX));
}

#[test]
fn limits_are_named() {
    let [small, ..] = devices();
    let error = totals(&Job { rows: 10_240, ..job(1) }, &small).expect_err("more than 40 KiB");
    assert!(matches!(error, Error::TooLarge { what: "the offsets of all segments", .. }), "{error:?}");
    let tiny = Capabilities { max_binding: 4 << 10, ..small };
    let error = totals(&job(1), &tiny).expect_err("no tile fits");
    assert!(matches!(error, Error::Unsupported { found: 4096, .. }), "{error:?}");
}
