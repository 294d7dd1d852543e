//! Host-side times by criterion: the CPU scans, and whole calls on whatever device there is.
//!
//! `cargo bench --bench host`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gpuscan::{Device, GpuScan, Sum, order, wgpu};

fn values(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i % 1000) as f32 / 1000.0).collect()
}

/// The canonical order on one core and on all, beside the plain running sum it competes with.
fn cpu(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cpu inclusive f32");
    for log2 in [10, 14, 18, 22, 26] {
        let input = values(1 << log2);
        let mut output = input.clone();
        group.throughput(Throughput::Elements(1 << log2)).sample_size(20);
        group.bench_function(BenchmarkId::new("running sum", 1 << log2), |b| {
            b.iter(|| {
                let mut sum = 0.0;
                for (out, x) in output.iter_mut().zip(&input) {
                    sum += x;
                    *out = sum;
                }
                black_box(&output);
            })
        });
        group.bench_function(BenchmarkId::new("canonical, one core", 1 << log2), |b| {
            b.iter(|| {
                output.copy_from_slice(&input);
                order::scan(&Sum, black_box(&mut output));
            })
        });
        group.bench_function(BenchmarkId::new("canonical, all cores", 1 << log2), |b| {
            b.iter(|| {
                output.copy_from_slice(&input);
                order::scan_parallel(&Sum, black_box(&mut output));
            })
        });
    }
}

/// Whole calls: from data on the device to data on the device, and from host to host.
fn calls(criterion: &mut Criterion) {
    let device = match Device::new() {
        Ok(device) => device,
        Err(error) => {
            eprintln!("only the CPU is measured: {error}");
            return;
        }
    };
    println!("{device}");
    let scan = GpuScan::new(&device);
    let mut group = criterion.benchmark_group("calls inclusive f32");
    for log2 in [8, 12, 16, 20, 22] {
        let input = values(1 << log2);
        let (Ok(source), Ok(target)) = (device.upload(&input), device.upload(&input)) else {
            return;
        };
        group.throughput(Throughput::Elements(1 << log2)).sample_size(20);
        group.bench_function(BenchmarkId::new("into, waited for", 1 << log2), |b| {
            b.iter(|| scan.inclusive_into(&source, &target).and_then(|()| device.wait()))
        });
        group.bench_function(BenchmarkId::new("host to host, GPU", 1 << log2), |b| {
            b.iter(|| {
                device.upload(&input).and_then(|data| scan.inclusive(&data)).and_then(|out| out.to_vec())
            })
        });
        group.bench_function(BenchmarkId::new("host to host, CPU", 1 << log2), |b| {
            let host = GpuScan::new(&Device::cpu());
            b.iter(|| host.inclusive_slice(&input))
        });
    }
}

/// What recording a warm scan costs the host, beside a command encoder with nothing in it.
fn recording(criterion: &mut Criterion) {
    let Ok(device) = Device::new() else { return };
    let Some(raw) = device.wgpu_device() else { return };
    let encoder = || raw.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let scan = GpuScan::new(&device);
    let mut group = criterion.benchmark_group("recording inclusive f32");
    group.bench_function("an empty encoder", |b| b.iter(|| encoder().finish()));
    for log2 in [12, 16, 20] {
        let input = values(1 << log2);
        let (Ok(source), Ok(target)) = (device.upload(&input), device.upload(&input)) else {
            return;
        };
        group.bench_function(BenchmarkId::new("encode_inclusive", 1 << log2), |b| {
            b.iter(|| {
                let mut encoder = encoder();
                scan.encode_inclusive(&mut encoder, &source, &target).map(|()| encoder.finish())
            })
        });
    }
}

criterion_group!(benches, cpu, calls, recording);
criterion_main!(benches);
