//! Once everything is made, a call makes nothing but its result; and whatever is recorded stays right,
//! however many recordings there are, from however many threads, in whatever order they are submitted.

mod common;

use common::{
    algorithms,
    checker::{record, scanned},
    inputs::values,
    on_wgpu as own,
    oracle::{assert_bits, expected},
    sized, wgpu_devices as devices,
};
use gpuscan::{Algorithm, Counters, Device, GpuBuffer, GpuScan, Sum, wgpu};

fn encoder(device: &Device) -> wgpu::CommandEncoder {
    device.wgpu_device().expect("a GPU").create_command_encoder(&Default::default())
}

fn submit(device: &Device, encoder: wgpu::CommandEncoder) {
    device.wgpu_queue().expect("a GPU").submit([encoder.finish()]);
}

/// The right inclusive result.
fn sums(algorithm: Algorithm, values: &[f32]) -> Vec<f32> {
    expected(&Sum, algorithm, values, false)
}

#[test]
fn a_warm_call_makes_only_its_result() {
    for subgroups in [true, false] {
        let device = own(Device::request().subgroups(subgroups));
        assert_eq!(device.counters(), Counters::default());
        for len in [1, 1000, 4096, 30_000] {
            let input = device.upload(&values::<f32>(1, len)).expect("upload");
            let output = device.zeros::<f32>(len).expect("a buffer");
            for algorithm in algorithms(len) {
                let scan = GpuScan::new(&device).algorithm(algorithm);
                let calls = || {
                    scan.inclusive(&input).expect("a scan");
                    scan.exclusive(&input).expect("a scan");
                    scan.inclusive_into(&input, &output).expect("a scan");
                    scan.exclusive_in_place(&output).expect("a scan");
                    record(&device, |encoder| scan.encode_inclusive(encoder, &input, &output))
                        .expect("a scan");
                };
                calls();
                let before = device.counters();
                calls();
                let after = device.counters();
                let what = format!("{algorithm} of {len} on {device}");
                assert_eq!(after.pipelines, before.pipelines, "{what}");
                assert_eq!(after.scratch, before.scratch, "{what}");
                assert_eq!(after.parameters, before.parameters, "{what}");
                assert_eq!(after.buffers, before.buffers + 2, "{what}");
            }
        }
    }
}

/// Another length, offset or operator of the same text compiles nothing either.
#[test]
fn kernels_are_shared_by_all_lengths() {
    let device = own(Device::request());
    let scan = |len: usize| {
        let input = device.zeros::<u32>(len).expect("a buffer");
        GpuScan::new(&device).algorithm(Algorithm::ThreePass).inclusive(&input).expect("a scan");
    };
    // One length for each size of tile that there is.
    [600_000, 100_000].into_iter().for_each(scan);
    let pipelines = device.counters().pipelines;
    [1, 9000, 50_000, 300_000, 700_001].into_iter().for_each(scan);
    assert_eq!(device.counters().pipelines, pipelines);
}

/// What is prepared is compiled, and nothing has happened.
#[test]
fn prepared_scans_compile_nothing() {
    let device = own(Device::request());
    let (input, output) = (device.upload(&[1.0f32; 30_000]).expect("upload"), device.zeros(30_000));
    let output = output.expect("a buffer");
    let scan = GpuScan::new(&device);
    scan.of(&input).prepare(&output).expect("kernels");
    assert_eq!(output.to_vec().expect("download"), [0.0f32; 30_000]);
    let pipelines = device.counters().pipelines;
    assert!(pipelines > 0);
    scan.inclusive_into(&input, &output).expect("a scan");
    assert_eq!(device.counters().pipelines, pipelines);
}

#[test]
fn many_scans_in_one_encoder() {
    for tested in devices() {
        let device = &tested.device;
        for algorithm in algorithms(50_000) {
            let scan = GpuScan::new(device).algorithm(algorithm);
            // Shrinking and growing, each with parameters of its own and the scratch of all.
            let inputs: Vec<_> = [20_000, 300, 70_000, 8193, 70_000, 1]
                .into_iter()
                .map(|len| values::<f32>(len as u64, len))
                .collect();
            let buffers: Vec<_> = inputs.iter().map(|input| device.upload(input).expect("upload")).collect();
            record(device, |encoder| {
                buffers.iter().try_for_each(|buffer| scan.encode_inclusive(encoder, buffer, buffer))
            })
            .expect("scans");
            for (input, buffer) in inputs.iter().zip(&buffers) {
                let found = buffer.to_vec().expect("download");
                assert_bits(&found, &sums(algorithm, input), format_args!("{algorithm} of {}", input.len()));
            }
        }
    }
}

#[test]
fn one_scan_feeds_the_next() {
    let input = values::<f32>(2, 20_000);
    for tested in devices() {
        let device = &tested.device;
        let scan = GpuScan::new(device);
        let [a, b, c] = [(); 3].map(|()| device.upload(&input).expect("upload"));
        record(device, |encoder| {
            scan.encode_inclusive(encoder, &a, &b)?;
            scan.encode_exclusive(encoder, &b, &c)?;
            scan.encode_inclusive(encoder, &c, &c)
        })
        .expect("scans");
        let first = sums(Algorithm::Auto, &input);
        let second = expected(&Sum, Algorithm::Auto, &first, true);
        let third = sums(Algorithm::Auto, &second);
        assert_bits(&c.to_vec().expect("download"), &third, format_args!("{device}"));
    }
}

#[test]
fn encoders_submitted_in_the_other_order() {
    let (x, y) = (values::<f32>(3, 50_000), values::<f32>(4, 50_000));
    for tested in devices() {
        let device = &tested.device;
        for algorithm in algorithms(50_000) {
            let scan = GpuScan::new(device).algorithm(algorithm);
            let [from, through] = [&x, &y].map(|values| device.upload(values).expect("upload"));
            let to = device.zeros::<f32>(x.len()).expect("a buffer");
            let [mut first, mut second] = [encoder(device), encoder(device)];
            scan.encode_inclusive(&mut first, &from, &through).expect("a scan");
            scan.encode_inclusive(&mut second, &through, &to).expect("a scan");
            submit(device, second);
            submit(device, first);
            let what = format!("{algorithm} on {device}");
            assert_bits(&to.to_vec().expect("download"), &sums(algorithm, &y), &what);
            assert_bits(&through.to_vec().expect("download"), &sums(algorithm, &x), &what);
        }
    }
}

/// Between recording and submission other scans may make scratch memory grow, and parameters be forgotten.
#[test]
fn a_recording_outlives_what_it_was_made_with() {
    let input = values::<f32>(5, 20_000);
    let lens = sized(4500, 600);
    for algorithm in [Algorithm::Auto, Algorithm::HillisSteele] {
        let device = own(Device::request());
        let scan = GpuScan::new(&device).algorithm(algorithm);
        let data = device.upload(&input).expect("upload");
        let mut recorded = encoder(&device);
        scan.encode_inclusive(&mut recorded, &data, &data).expect("a scan");
        let scratch = device.counters().scratch;

        let other = device.upload(&values::<f32>(6, 1 << 21)).expect("upload");
        for algorithm in [Algorithm::HillisSteele, Algorithm::ThreePass, algorithm] {
            GpuScan::new(&device).algorithm(algorithm).inclusive_in_place(&other).expect("a scan");
        }
        assert!(device.counters().scratch > scratch, "scratch memory grew");
        // More different parameters than are kept; recorded, not run.
        let mut unused = encoder(&device);
        for len in 1..=lens {
            let slice = other.slice(..len).expect("a slice");
            GpuScan::new(&device).encode_inclusive(&mut unused, &slice, &slice).expect("a scan");
        }
        assert!(device.counters().parameters as usize >= lens / 256, "many pages were filled");
        submit(&device, recorded);
        let found = data.to_vec().expect("download");
        assert_bits(&found, &sums(algorithm, &input), format_args!("{algorithm}"));
        // What was forgotten comes back.
        let found = scanned(&scan, &device, false, &input);
        assert_bits(&found, &sums(algorithm, &input), format_args!("{algorithm}, afterwards"));
    }
}

/// Slots of parameters are shared by content: the same scan over and over needs one page.
#[test]
fn the_same_parameters_are_kept_once() {
    let device = own(Device::request());
    let data = device.zeros::<u32>(100).expect("a buffer");
    let scan = GpuScan::new(&device);
    for _ in 0..1000 {
        record(&device, |encoder| scan.encode_inclusive(encoder, &data, &data)).expect("a scan");
    }
    assert_eq!(device.counters().parameters, 1);
    device.wait().expect("the device is there");
}

#[test]
fn threads_share_a_device() {
    for tested in devices() {
        let device = &tested.device;
        std::thread::scope(|threads| {
            for thread in 0..4u64 {
                threads.spawn(move || {
                    for round in 0..sized(6, 2) {
                        let len = [300, 5000, 40_000, 100_001][((thread + round) % 4) as usize];
                        let input = values::<f32>(thread * 100 + round, len);
                        for algorithm in algorithms(len) {
                            let scan = GpuScan::new(device).algorithm(algorithm);
                            let found = scanned(&scan, device, false, &input);
                            let what = format_args!("{algorithm} of {len} in thread {thread} on {device}");
                            assert_bits(&found, &sums(algorithm, &input), what);
                        }
                    }
                });
            }
        });
    }
}

/// The CPU's buffers are shared between threads, too.
#[test]
fn threads_share_the_cpu() {
    let device = Device::cpu();
    let input = values::<f32>(7, 600_000);
    let wanted = sums(Algorithm::Auto, &input);
    let buffer: GpuBuffer<f32> = device.upload(&input).expect("upload");
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let output = GpuScan::new(&device).inclusive(&buffer).expect("a scan");
                assert_bits(&output.to_vec().expect("download"), &wanted, "the CPU");
            });
        }
    });
}
