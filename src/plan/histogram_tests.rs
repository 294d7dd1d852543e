//! What plans of histograms look like, without a device.

use std::collections::HashSet;

use super::*;
use crate::kernel::{Operator, tests::storage_bindings};

fn job(format: Format, len: u64, bins: u32) -> Job {
    let place = Place { offset: 0, buffer: u64::MAX };
    Job {
        format,
        len,
        channels: 1,
        bins,
        reachable: bins,
        keys: [0, 99],
        even: Some(Even { origin: 0, scale: 1.0, shift: 0.0, margin: 0.0 }),
        clear: false,
        samples: place,
        counts: place,
        edges: place,
        weights: None,
    }
}

fn params_of(dispatch: &Dispatch) -> Params {
    *bytemuck::from_bytes(bytemuck::cast_slice(&dispatch.params))
}

fn kernel_of(dispatch: &Dispatch) -> CountKernel {
    let Kernel::Histogram(HistogramKernel::Count(kernel)) = dispatch.kernel else { panic!("{dispatch:?}") };
    kernel
}

fn all_kinds() -> impl Iterator<Item = (Job, Capabilities)> {
    let devices = [
        Capabilities::usual(),
        Capabilities { binding_alignment: 32, max_binding: u64::MAX, ..Capabilities::usual() },
        Capabilities { max_binding: 40 << 10, max_groups: 7, ..Capabilities::usual() },
        Capabilities { max_groups: 1, ..Capabilities::usual() },
    ];
    let lens = [1, 3, 255, 100_003, 1 << 20];
    let bins = [1, 100, 2048, 2049, 4096, 4097];
    devices.into_iter().flat_map(move |device| {
        Format::ALL.into_iter().flat_map(move |format| {
            let device = device.clone();
            lens.into_iter().flat_map(move |len| {
                let device = device.clone();
                bins.into_iter().flat_map(move |bins| {
                    let device = device.clone();
                    [(0, 1, false, true), (3, 1, true, false), (7, 3, false, false), (1, 17, true, true)].map(
                        move |(before, channels, weighted, even)| {
                            let mut job = job(format, len * u64::from(channels), bins);
                            job.samples.offset = before * u64::from(format.bits() / 8);
                            job.counts.offset = before * WORD;
                            job.edges.offset = before * WORD;
                            job.weights = weighted.then_some(Place { offset: before * WORD, ..job.edges });
                            job.even = job.even.filter(|_| even);
                            (Job { channels, clear: even, ..job }, device.clone())
                        },
                    )
                })
            })
        })
    })
}

/// Pieces that make up the whole, in bindings that devices accept, each covered by its grid.
#[test]
fn every_plan_is_sound() {
    let mut refused = 0;
    for (job, device) in all_kinds() {
        let plan = match histogram(&job, &device) {
            Ok(plan) => plan,
            Err(Error::TooLarge { expected, found, .. }) => {
                assert!(found > expected, "{job:?} on {device:?}");
                refused += 1;
                continue;
            }
            Err(error) => panic!("{job:?} on {device:?}: {error}"),
        };
        let bytes = u64::from(job.format.bits() / 8);
        let mut at = 0;
        for dispatch in &plan.dispatches {
            let what = format!("{dispatch:?} for {job:?} on {device:?}");
            for Binding { range, .. } in &dispatch.bindings {
                assert!(range.start < range.end && range.end.is_multiple_of(WORD), "{what}");
                assert!(range.start.is_multiple_of(device.binding_alignment), "{what}");
                assert!(range.end - range.start <= device.widest_binding(), "{what}");
            }
            let [x, y] = dispatch.grid;
            assert!((1..=device.max_groups).contains(&x) && (1..=device.max_groups).contains(&y), "{what}");
            let params = params_of(dispatch);
            let groups = u64::from(x) * u64::from(y);
            if dispatch.kernel == Kernel::Histogram(HistogramKernel::Clear) {
                assert!(u64::from(params.count) <= groups * u64::from(LANES), "{what}");
                assert_eq!(params.count, job.bins * job.channels, "{what}");
                continue;
            }
            assert!(u64::from(params.groups) <= groups, "{what}");
            assert!(u64::from(params.groups) * u64::from(params.share) >= u64::from(params.words), "{what}");
            assert_eq!(u64::from(params.channel), at % u64::from(job.channels), "{what}");

            let start = |slot, base: u32| {
                let binding = dispatch.bindings.iter().find(|binding| binding.slot == slot).expect("bound");
                (binding.range.start + u64::from(base) * WORD, binding.range.end)
            };
            let (words, end) = start(slot::SAMPLES, params.samples_base);
            assert_eq!(words + u64::from(params.skip) * bytes, job.samples.offset + at * bytes, "{what}");
            assert_eq!(words + u64::from(params.words) * WORD, end, "{what}");
            let count = u64::from(params.count);
            assert!((u64::from(params.skip) + count) * bytes <= u64::from(params.words) * WORD, "{what}");
            if let Some(weights) = job.weights {
                let (first, end) = start(slot::WEIGHTS, params.weights_base);
                assert_eq!((first, end), (weights.offset + at * WORD, first + count * WORD), "{what}");
            }
            at += count;

            // No counter of 16 bits overflows, and all have room.
            let kernel = kernel_of(dispatch);
            let of_channel = if kernel.search == Search::Values { 256 } else { job.bins };
            let counters = u64::from(of_channel) * u64::from(job.channels);
            let most = u64::from(kernel.words);
            let copies = 1u32 << params.copies_log2;
            match kernel.counters {
                Counters::Halves => {
                    let of_lane = u64::from(params.share / LANES * (32 / job.format.bits()));
                    assert!(of_lane * u64::from(LANES / copies) <= u16::MAX.into(), "{what}");
                    assert!(counters.div_ceil(2) * u64::from(copies) <= most, "{what}");
                    assert!(!kernel.weighted, "{what}");
                }
                Counters::Words => assert!(counters * u64::from(copies) <= most, "{what}"),
                Counters::Global => assert!(counters > MOST_WORDS.into(), "{what}"),
            }
        }
        assert_eq!(at, job.len, "{job:?} on {device:?}");
    }
    assert!(refused > 0, "17 · 4,097 counters do not fit 40 KiB");
}

/// A kernel gets exactly the storage that it uses, or no driver would take it.
#[test]
fn plans_bind_what_kernels_use() {
    let mut seen = HashSet::new();
    for (job, device) in all_kinds() {
        let Ok(plan) = histogram(&job, &device) else { continue };
        for dispatch in plan.dispatches {
            let mut slots: Vec<u32> = dispatch.bindings.iter().map(|binding| binding.slot).collect();
            slots.sort_unstable();
            if seen.insert((dispatch.kernel, slots.clone())) {
                assert_eq!(
                    slots,
                    storage_bindings(&Operator::none(), &dispatch.kernel),
                    "{:?}",
                    dispatch.kernel
                );
            }
        }
    }
    assert!(seen.len() > 40, "{} kernels", seen.len());
}

/// Very long inputs: no counter overflows there, either, and no piece has more samples than 32 bits count.
#[test]
fn long_inputs() {
    let large = Capabilities { max_binding: u64::MAX, ..Capabilities::usual() };
    for format in [Format::U8, Format::F32] {
        for (bins, wanted) in [(1, Counters::Words), (512, Counters::Words), (2048, Counters::Halves)] {
            let len = (1 << 36) + 5;
            let plan = histogram(&job(format, len, bins), &large).expect("a plan");
            let pieces = plan.dispatches.iter().map(params_of);
            assert_eq!(pieces.map(|params| u64::from(params.count)).sum::<u64>(), len);
            for dispatch in &plan.dispatches {
                // One for each value, if there are that few.
                let wanted = if format == Format::U8 { Counters::Words } else { wanted };
                assert_eq!(kernel_of(dispatch).counters, wanted);
                if wanted == Counters::Words {
                    continue;
                }
                let of_lane = params_of(dispatch).share / LANES * (32 / format.bits());
                assert!(of_lane * (LANES >> params_of(dispatch).copies_log2) <= u16::MAX.into());
            }
        }
    }
}

#[test]
fn nothing_to_count() {
    let empty = job(Format::F32, 0, 10);
    assert_eq!(histogram(&empty, &Capabilities::usual()), Ok(Plan::default()));
    let cleared = histogram(&Job { clear: true, ..empty }, &Capabilities::usual()).expect("a plan");
    assert_eq!(cleared.dispatches.len(), 1);
    let out_of_reach = Job { reachable: 0, ..job(Format::F32, 1000, 10) };
    assert_eq!(histogram(&out_of_reach, &Capabilities::usual()), Ok(Plan::default()));
}

#[test]
fn a_binding_that_holds_no_word() {
    let tiny = Capabilities { max_binding: 256, ..Capabilities::usual() };
    let error = histogram(&job(Format::U8, 1, 1), &tiny).expect_err("no room");
    assert!(matches!(error, Error::Unsupported { expected: 264, found: 256, .. }), "{error:?}");
}
