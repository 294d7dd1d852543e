//! What plans look like, without a device.

use std::collections::HashSet;

use super::*;
use crate::kernel::{Kernel, Operator, sort::Order, tests::storage_bindings};

fn job(len: u64) -> Job {
    let place = Place { offset: 0, buffer: len * WORD };
    Job {
        code: Code::WORD,
        bits: 0..32,
        descending: false,
        len,
        keys: place,
        sorted_keys: Some(place),
        payload: Payload::Nothing,
        values: None,
        sorted_values: None,
        shared: false,
        count: None,
        segments: None,
    }
}

fn kernel_of(dispatch: &Dispatch) -> SortKernel {
    match dispatch.kernel {
        Kernel::Sort(kernel) => kernel,
        other => panic!("{other:?} is no sort"),
    }
}

fn params_of(dispatch: &Dispatch) -> Params {
    *bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params))
}

fn steps(job: &Job) -> Vec<Step> {
    let plan = sort(job, &Capabilities::usual()).expect("a plan");
    plan.dispatches.iter().map(|dispatch| kernel_of(dispatch).step).collect()
}

#[test]
fn nothing_takes_nothing() {
    assert_eq!(sort(&job(0), &Capabilities::usual()), Ok(Plan::default()));
}

#[test]
fn passes_are_as_few_as_can_be() {
    use Step::*;
    let bits = |bits| steps(&Job { bits, ..job(1000) });
    let sorted = |digits, sweeps| [&[Clear, Count { digits }, Starts][..], &vec![Sweep; sweeps]].concat();
    assert_eq!(bits(0..32), sorted(4, 4));
    assert_eq!(bits(3..3), sorted(1, 1));
    assert_eq!(bits(5..13), sorted(1, 1));
    assert_eq!(bits(5..14), sorted(2, 2));
    // In place, the number is even.
    let in_place = Job { shared: true, bits: 0..8, ..job(1000) };
    assert_eq!(steps(&in_place), sorted(2, 2));
}

/// Keys and payloads of all kinds, in places of all kinds, on devices of all kinds.
fn all_kinds() -> Vec<(Job, Capabilities)> {
    let devices = [
        Capabilities::usual(),
        Capabilities { subgroups: false, binding_alignment: 32, ..Capabilities::usual() },
        Capabilities {
            max_binding: u64::MAX,
            binding_alignment: 64,
            max_groups: 99,
            ..Capabilities::usual()
        },
        Capabilities { software: true, ..Capabilities::usual() },
    ];
    let codes = [Code::WORD, Code { order: Order::Float, bits: 32 }, Code { order: Order::Signed, bits: 64 }];
    let payloads = [Payload::Nothing, Payload::Index, Payload::Words(1), Payload::Words(2)];
    let mut kinds = Vec::new();
    for device in devices {
        for len in [1, 3583, 3584, 3585, 100_000] {
            for code in codes {
                for payload in payloads {
                    for choices in 0..16u32 {
                        let flag = |bit: u32| choices >> bit & 1 == 1;
                        let place = |before: u64, words: u32| Place {
                            offset: before * WORD,
                            buffer: (before + len * u64::from(words)) * WORD,
                        };
                        let before = if flag(0) { 0 } else { 71 };
                        let keys = place(before, code.words());
                        let values = place(before + 3, payload.words());
                        let small = place(5, 10);
                        let ends = [code.bits, 9, 24, 25];
                        kinds.push((
                            Job {
                                code,
                                bits: 0..ends[(choices as usize + len as usize) % 4],
                                descending: flag(1),
                                len,
                                keys,
                                sorted_keys: (payload != Payload::Index || flag(1)).then_some(keys),
                                payload,
                                values: matches!(payload, Payload::Words(_)).then_some(values),
                                sorted_values: (payload != Payload::Nothing).then_some(values),
                                shared: flag(2),
                                count: flag(1).then_some(small),
                                segments: flag(3).then_some((small, 7)),
                            },
                            device.clone(),
                        ));
                    }
                }
            }
        }
    }
    kinds
}

/// Bindings that devices accept, grids that cover their tiles, and digits that hand on keys and values.
#[test]
fn every_plan_is_sound() {
    for (job, device) in all_kinds() {
        let plan = sort(&job, &device).expect("a plan");
        let whole = |place: Option<Place>| place.map_or(0, |place| place.buffer);
        let mut handed_on: Option<[Option<(Region, u64)>; 2]> = None;
        for dispatch in &plan.dispatches {
            let what = format!("{dispatch:?} for {job:?} on {device:?}");
            let kernel = kernel_of(dispatch);
            let params = params_of(dispatch);
            for Binding { region, range, .. } in &dispatch.bindings {
                let end = match *region {
                    buffers::KEYS => job.keys.buffer,
                    buffers::SORTED_KEYS => whole(job.sorted_keys),
                    buffers::VALUES => whole(job.values),
                    buffers::SORTED_VALUES => whole(job.sorted_values),
                    buffers::COUNT => whole(job.count),
                    buffers::SEGMENTS => whole(job.segments.map(|(place, _)| place)),
                    _ => plan.scratch,
                };
                assert!(range.start < range.end && range.end <= end, "{what}");
                assert!(range.start.is_multiple_of(device.binding_alignment), "{what}");
                assert!(range.end - range.start <= device.max_binding.min(1 << 31), "{what}");
            }
            let [x, y] = dispatch.grid;
            assert!((1..=device.max_groups).contains(&x) && (1..=device.max_groups).contains(&y), "{what}");
            assert_eq!(params.grid_x, x, "{what}");

            // A caller's buffer is read or written, and scratch is bound for both wherever it is bound.
            let at = |slot| dispatch.bindings.iter().find(|binding| binding.slot == slot);
            let writes = [at(slot::DST_KEYS), at(slot::DST_VALUES)].into_iter().flatten();
            let reads = [at(slot::SRC_KEYS), at(slot::SRC_VALUES), at(slot::EXTRA)].into_iter().flatten();
            let input = |region| [buffers::KEYS, buffers::VALUES].contains(&region);
            let writes_caller = writes.clone().any(|binding| binding.region != Region::Scratch);
            let reads_input = reads.clone().any(|binding| input(binding.region));
            assert!(!(job.shared && writes_caller && reads_input), "{what}");
            for read in reads {
                let is_scratch = read.region == Region::Scratch;
                match read.slot {
                    slot::SRC_KEYS => assert_eq!(kernel.scratch_keys, is_scratch, "{what}"),
                    slot::SRC_VALUES => assert_eq!(kernel.scratch_values, is_scratch, "{what}"),
                    _ => assert!(!is_scratch, "{what}"),
                }
            }

            if kernel.step == Step::Sweep {
                let tiles = job.len.div_ceil(kernel.tile().into());
                let groups = u64::from(x) * u64::from(y);
                assert!(tiles <= groups && groups < tiles + u64::from(y), "{what}");
                assert_eq!(u64::from(params.tiles), tiles, "{what}");
                let start = |slot, base: u32| {
                    at(slot).map(|binding| (binding.region, binding.range.start + u64::from(base) * WORD))
                };
                let from =
                    [start(slot::SRC_KEYS, params.src_keys), start(slot::SRC_VALUES, params.src_values)];
                let to = [start(slot::DST_KEYS, params.dst_keys), start(slot::DST_VALUES, params.dst_values)];
                match handed_on.filter(|_| params.digit > 0) {
                    Some(before) => assert_eq!(from, before, "{what}"),
                    None => assert!(params.digit == 0, "{what}"),
                }
                handed_on = Some(to);
                // Nothing is overwritten while it is read.
                for (from, to) in from.iter().flatten().zip(to.iter().flatten()) {
                    assert_ne!(from, to, "{what}");
                }
            }
        }
        let results = [
            job.sorted_keys.map(|place| (buffers::SORTED_KEYS, place.offset)),
            job.sorted_values.map(|place| (buffers::SORTED_VALUES, place.offset)),
        ];
        if job.segments.is_none() {
            for (found, wanted) in handed_on.expect("a sweep").into_iter().zip(results) {
                assert!(wanted.is_none() || found == wanted, "{job:?} on {device:?}: {found:?}");
            }
        }
    }
}

/// A kernel gets exactly the storage that it uses, or no driver would take it.
#[test]
fn plans_bind_what_kernels_use() {
    let mut seen = HashSet::new();
    for (job, device) in all_kinds() {
        for dispatch in sort(&job, &device).expect("a plan").dispatches {
            let mut slots: Vec<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
            slots.sort_unstable();
            if seen.insert((dispatch.kernel, slots.clone())) {
                assert_eq!(slots, storage_bindings(&Operator::none(), &dispatch.kernel), "{dispatch:?}");
            }
        }
    }
    assert!(seen.len() > 50, "{} kernels", seen.len());
}

#[test]
fn limits_are_named() {
    let error = sort(&job(1 << 30), &Capabilities { max_binding: u64::MAX, ..Capabilities::usual() });
    assert!(matches!(error, Err(Error::TooLarge { unit: "keys", found: 0x4000_0000, .. })), "{error:?}");
    let narrow = Capabilities { max_binding: 1 << 16, ..Capabilities::usual() };
    let error = sort(&job(16_385), &narrow);
    assert!(matches!(error, Err(Error::TooLarge { unit: "bytes", expected: 65_536, .. })), "{error:?}");
    let few = Capabilities { max_groups: 2, ..Capabilities::usual() };
    let error = sort(&job(5 * 3584), &few);
    assert!(matches!(error, Err(Error::TooLarge { expected: 4, found: 5, .. })), "{error:?}");
}
