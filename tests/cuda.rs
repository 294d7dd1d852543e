//! What only CUDA devices have: the caller's stream and slices, graphs, and more than 2^32 bytes. Needs one:
//! `GPUSCAN_BACKEND=cuda cargo test --features cuda --test cuda`. Without that there are no tests here.
#![cfg(feature = "cuda")]

mod common;

use std::borrow::Cow;

use common::{
    checker::scanned,
    inputs::values,
    oracle::{assert_bits, expected},
};
use gpuscan::{
    Algorithm, BitXor, Device, Error, GpuCompact, GpuRadixSort, GpuReduce, GpuScan, Predicate, Sum,
    cudarc::driver::{CudaContext, sys::CUgraphInstantiate_flags, sys::CUstreamCaptureMode},
};

fn cuda() -> Device {
    Device::cuda(0).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"))
}

/// Few elements and every kernel: short enough for `compute-sanitizer`.
#[test]
fn every_kernel_once() {
    let device = cuda();
    for len in [1, 3000, 20_001, 270_000] {
        let input = values::<f32>(len as u64, len);
        let data = device.upload(&[&[0.5], &input[..]].concat()).expect("upload");
        // One element later nothing is aligned.
        let odd = data.slice(1..).expect("a slice");
        let even = device.upload(&input).expect("upload");
        for algorithm in Algorithm::ALL {
            if algorithm == Algorithm::SingleTile && len > 8192 {
                continue;
            }
            let scan = GpuScan::new(&device).algorithm(algorithm);
            for exclusive in [false, true] {
                let wanted = expected(&Sum, algorithm, &input, exclusive);
                for from in [&odd, &even] {
                    let found = match exclusive {
                        false => scan.inclusive(from),
                        true => scan.exclusive(from),
                    };
                    let found = found.expect("a scan").to_vec().expect("download");
                    assert_bits(&found, &wanted, format_args!("{algorithm} of {len}, exclusive {exclusive}"));
                }
            }
        }
    }
}

#[test]
fn the_callers_stream_and_slices() {
    let context = CudaContext::new(0).expect("a context");
    let streams = [context.new_stream().expect("a stream"), context.new_stream().expect("a stream")];
    let input = values::<f32>(1, 300_000);
    let wanted = expected(&Sum, Algorithm::Auto, &input, false);
    let device = Device::from_cuda(streams[0].clone()).expect("a device");
    for stream in &streams {
        let source = stream.clone_htod(&input).expect("upload");
        let target = stream.alloc_zeros::<f32>(input.len()).expect("a slice");
        let source = device.wrap_cuda(source).expect("a buffer");
        let target = device.wrap_cuda(target).expect("a buffer");
        GpuScan::new(&device).inclusive_into(&source, &target).expect("a scan");
        // Handed back to its own stream without a wait: the streams order themselves.
        let target = target.into_cuda().expect("a slice");
        let found = stream.clone_dtoh(&target).expect("download");
        assert_bits(&found, &wanted, "a caller's slices");
        let source = source.into_cuda().expect("a slice");
        assert_eq!(source.len(), input.len());
    }
}

#[test]
fn buffers_become_slices() {
    let device = cuda();
    let stream = device.cuda_stream().expect("a stream").clone();
    for len in [1, 7, 1000] {
        let input = values::<u32>(2, len);
        let slice = device.upload(&input).expect("upload").into_cuda().expect("a slice");
        assert_eq!(stream.clone_dtoh(&slice).expect("download"), input);
    }
    let buffer = device.upload(&values::<u32>(2, 1000)).expect("upload");
    let part = buffer.slice(4..).expect("a slice");
    let error = part.into_cuda().expect_err("there is another view");
    assert!(matches!(error, Error::Usage { .. }), "{error:?}");
    let part = buffer.slice(..100).expect("a slice");
    drop(buffer);
    let error = part.into_cuda().expect_err("a part");
    assert!(matches!(error, Error::Range { .. }), "{error:?}");
}

#[test]
fn slices_of_another_context() {
    let device = cuda();
    let other = CudaContext::new_non_primary(0, 0).expect("a context");
    let slice = other.default_stream().alloc_zeros::<u32>(10).expect("a slice");
    let error = device.wrap_cuda(slice).expect_err("another context");
    assert!(matches!(error, Error::WrongDevice { what: "the wrapped slice", .. }), "{error:?}");
}

/// Captured once, launched often; the second scan reads what the first wrote.
#[test]
fn graphs() {
    let device = cuda();
    let stream = device.cuda_stream().expect("a stream").clone();
    for algorithm in [Algorithm::Auto, Algorithm::ThreePass, Algorithm::Blelloch] {
        let scan = GpuScan::new(&device).algorithm(algorithm);
        for len in [1000, 700_001] {
            let [a, b, c] = [(); 3].map(|()| device.zeros::<f32>(len).expect("a buffer"));
            let scans = || {
                scan.inclusive_into(&a, &b)?;
                scan.exclusive_into(&b, &c)
            };
            scans().expect("warm");
            let before = device.counters();
            stream
                .begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
                .expect("a capture");
            scans().expect("captured");
            let graph = stream.end_capture(CUgraphInstantiate_flags(0)).expect("a graph").expect("not empty");
            assert_eq!(device.counters(), before);
            for seed in 0..4 {
                let input = values::<f32>(seed, len);
                a.write(&input).expect("written");
                graph.launch().expect("launched");
                let first = expected(&Sum, algorithm, &input, false);
                let second = expected(&Sum, algorithm, &first, true);
                assert_bits(
                    &b.to_vec().expect("download"),
                    &first,
                    format_args!("{algorithm}, {len}, first"),
                );
                assert_bits(
                    &c.to_vec().expect("download"),
                    &second,
                    format_args!("{algorithm}, {len}, second"),
                );
            }
        }
    }
}

/// The same with kernels that are translated, parameters that are written on the device, and values that the host knows.
#[test]
fn graphs_of_other_primitives() {
    let device = cuda();
    let stream = device.cuda_stream().expect("a stream").clone();
    let len = 100_000;
    let [input, kept, sorted, backwards] = [(); 4].map(|()| device.zeros::<u32>(len).expect("a buffer"));
    let [count, total, nothing] = [(); 3].map(|()| device.zeros::<u32>(1).expect("a buffer"));
    let (scan, reduce) = (GpuScan::new(&device), GpuReduce::new(&device));
    let calls = || {
        GpuCompact::new(&device).of(&input).keeping(&Odd).run_into(&kept, &count)?;
        GpuRadixSort::new(&device).count(&count).sort_into(&kept, &sorted)?;
        scan.of(&input).reversed().starting_from(5).run_into(&backwards)?;
        reduce.reduce_into(&input, &total)?;
        reduce.reduce_into(&input.slice(..0)?, &nothing)
    };
    calls().expect("warm");
    let before = device.counters();
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).expect("a capture");
    calls().expect("captured");
    let graph = stream.end_capture(CUgraphInstantiate_flags(0)).expect("a graph").expect("not empty");
    assert_eq!(device.counters(), before);
    for seed in 0..4 {
        let values: Vec<u32> = values::<u32>(seed, len);
        input.write(&values).expect("written");
        nothing.write(&[7]).expect("written");
        graph.launch().expect("launched");
        let mut odd: Vec<u32> = values.iter().copied().filter(|value| value % 2 == 1).collect();
        assert_eq!(count.to_vec().expect("download"), [odd.len() as u32]);
        assert_eq!(kept.slice(..odd.len()).and_then(|kept| kept.to_vec()).expect("download"), odd);
        odd.sort_unstable();
        assert_eq!(sorted.slice(..odd.len()).and_then(|sorted| sorted.to_vec()).expect("download"), odd);
        let sum = values.iter().fold(0u32, |sum, &value| sum.wrapping_add(value));
        assert_eq!(backwards.to_vec().expect("download")[0], sum.wrapping_add(5));
        assert_eq!(total.to_vec().expect("download"), [sum]);
        assert_eq!(nothing.to_vec().expect("download"), [0]);
    }
}

#[derive(Clone)]
struct Odd;

impl Predicate<u32> for Odd {
    fn keeps(&self, value: u32) -> bool {
        value % 2 == 1
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return value % 2u == 1u;".into()
    }
}

/// A slice that begins and ends anywhere, for kernels that are translated: nothing beside it changes.
#[test]
fn odd_slices() {
    let device = cuda();
    let stream = device.cuda_stream().expect("a stream").clone();
    for len in [1, 7, 4099] {
        let input = values::<u32>(3, len);
        let source = device.wrap_cuda(stream.clone_htod(&input).expect("upload")).expect("a buffer");
        let target = device.wrap_cuda(stream.alloc_zeros::<u32>(len).expect("a slice")).expect("a buffer");
        let scan = GpuScan::with_monoid(&device, BitXor);
        let mut wanted: Vec<u32> = input
            .iter()
            .scan(0, |all, &value| {
                *all ^= value;
                Some(*all)
            })
            .collect();
        scan.inclusive_into(&source, &target).expect("a scan");
        assert_eq!(target.to_vec().expect("download"), wanted);
        scan.inclusive_in_place(&target.slice(len / 2..len - len / 3).expect("a slice")).expect("a scan");
        for i in len / 2 + 1..len - len / 3 {
            wanted[i] ^= wanted[i - 1];
        }
        assert_eq!(target.to_vec().expect("download"), wanted);
    }
}

#[test]
fn a_capture_compiles_and_allocates_nothing() {
    let device = cuda();
    let stream = device.cuda_stream().expect("a stream").clone();
    let data = device.zeros::<u32>(100_000).expect("a buffer");
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).expect("a capture");
    let error = GpuScan::new(&device).inclusive_in_place(&data).expect_err("nothing is compiled yet");
    stream.end_capture(CUgraphInstantiate_flags(0)).expect("the capture is whole");
    assert!(error.to_string().contains("expected the same call to have run once before"), "{error}");
    GpuScan::new(&device).inclusive_in_place(&data).expect("a scan");
}

#[test]
fn errors_name_what_is_wrong() {
    let error = Device::cuda(99).expect_err("there are not so many");
    assert!(error.to_string().starts_with("the adapter CUDA device 99 gave no device"), "{error}");

    let device = cuda();
    let error = device.zeros::<u32>(1 << 42).expect_err("16 TiB");
    assert_eq!(error, Error::OutOfMemory { what: "a buffer", bytes: 1 << 44 });
    // The device is none the worse.
    assert_eq!(scanned(&GpuScan::new(&device), &device, false, &[1u32, 2, 3]), [1, 3, 6]);

    let another = cuda();
    let there = another.upload(&[1u32, 2]).expect("upload");
    let error = GpuScan::new(&device).inclusive(&there).expect_err("another device");
    assert!(matches!(error, Error::WrongDevice { what: "the input", .. }), "{error:?}");
}

/// Values of two kinds share a device, and the states of single passes.
#[test]
fn long_after_short_after_long() {
    let device = cuda();
    let scan = GpuScan::new(&device).algorithm(Algorithm::SinglePass);
    for (round, len) in
        [1, 9000, 3_000_001, 4097, 2_000_000, 8193, 262_144, 262_145, 1].into_iter().enumerate()
    {
        let floats = values::<f32>(round as u64, len);
        let wanted = expected(&Sum, Algorithm::Auto, &floats, true);
        assert_bits(&scanned(&scan, &device, true, &floats), &wanted, format_args!("{len} floats"));
        let integers = values::<u32>(round as u64, len);
        let wanted = expected(&Sum, Algorithm::Auto, &integers, false);
        assert_bits(&scanned(&scan, &device, false, &integers), &wanted, format_args!("{len} integers"));
    }
}

/// 2^32 elements, 16 GiB, and as much again: pieces of 2^31 bytes that hand on a prefix, and places beyond 2^32.
#[test]
fn four_billion_elements() {
    let device = cuda();
    let len = 1usize << 32;
    let input = device.zeros::<u32>(len).expect("16 GiB");
    let output = device.zeros::<u32>(len).expect("16 GiB");
    let piece = 2047 << 18;
    let ones = [0, 5, piece - 1, piece, (1 << 31) + 7, 3 * piece, (1 << 32) - 2];
    for one in ones {
        input.slice(one..=one).expect("a slice").write(&[1]).expect("written");
    }
    let scan = GpuScan::new(&device);
    let check = |found: &gpuscan::GpuBuffer<u32>, exclusive: bool| {
        for one in ones {
            let from = one.saturating_sub(3);
            let window = found.slice(from..(one + 3).min(len)).expect("a slice").to_vec().expect("download");
            for (i, found) in (from..).zip(window) {
                let before = |&&one: &&usize| if exclusive { one < i } else { one <= i };
                assert_eq!(
                    found as usize,
                    ones.iter().filter(before).count(),
                    "at {i}, exclusive {exclusive}"
                );
            }
        }
    };
    scan.inclusive_into(&input, &output).expect("a scan");
    check(&output, false);
    scan.exclusive_into(&input, &output).expect("a scan");
    device.wait().expect("done");
    let start = std::time::Instant::now();
    scan.exclusive_into(&input, &output).expect("a scan");
    device.wait().expect("done");
    println!("2^32 elements took {:?}", start.elapsed());
    check(&output, true);
    scan.inclusive_in_place(&input).expect("a scan");
    check(&input, false);
}
