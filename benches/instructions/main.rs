//! What a warm call costs the host, made to be counted in instructions.
//!
//! `cargo xtask bench-instructions` runs it under valgrind. wgpu's noop backend stands in for a driver: it
//! does nothing, so what remains is this crate's and wgpu's own work, the same on every run.
//!
//! `instructions` lists the cases, each with a number of calls that is worth counting; `instructions CASE
//! CALLS` sets the case up and makes that many calls.

use std::{error::Error, hint::black_box};

use gpuscan::{Algorithm, Device, GpuScan, Sum, order, wgpu};

type Outcome = Result<(), Box<dyn Error>>;

struct Case {
    name: &'static str,
    calls: usize,
    run: fn(calls: usize) -> Outcome,
}

const CASES: [Case; 5] = [
    // What the next two need besides the scan.
    Case { name: "encoder without commands", calls: 2000, run: empty_encoder },
    Case {
        name: "encode_inclusive, single tile, 2^12 f32",
        calls: 2000,
        run: |calls| encode(Algorithm::SingleTile, 1 << 12, calls),
    },
    Case {
        name: "encode_inclusive, three-pass, 2^20 f32",
        calls: 2000,
        run: |calls| encode(Algorithm::ThreePass, 1 << 20, calls),
    },
    Case {
        name: "encode_inclusive, single-pass, 2^20 f32",
        calls: 2000,
        run: |calls| encode(Algorithm::SinglePass, 1 << 20, calls),
    },
    Case { name: "order::scan, one thread, 2^16 f32", calls: 50, run: |calls| scan_on_host(1 << 16, calls) },
];

fn main() -> Outcome {
    // `cargo bench` passes `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match &arguments[..] {
        [] => {
            for case in CASES {
                println!("{}\t{}", case.name, case.calls);
            }
            Ok(())
        }
        [name, calls] => {
            let case = CASES.iter().find(|case| case.name == name);
            (case.ok_or("there is no such case")?.run)(calls.parse()?)
        }
        _ => Err("expected a case and a number of calls".into()),
    }
}

/// A device with wgpu's default limits, whatever runs this.
fn device() -> Result<Device, gpuscan::Error> {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_features: wgpu::Features::SUBGROUP,
        ..Default::default()
    });
    Device::from_wgpu(device.adapter_info(), device, queue)
}

fn empty_encoder(calls: usize) -> Outcome {
    let device = device()?;
    record(&device, calls, |_| Ok(()))
}

/// The warm path from the call to the finished command buffer: checks, plan, parameters, pipelines, bind
/// groups, commands.
fn encode(algorithm: Algorithm, len: usize, calls: usize) -> Outcome {
    let device = device()?;
    let (input, output) = (device.zeros::<f32>(len)?, device.zeros::<f32>(len)?);
    let scan = GpuScan::new(&device).algorithm(algorithm);
    let call = |encoder: &mut wgpu::CommandEncoder| scan.encode_inclusive(encoder, &input, &output);
    record(&device, 1, call)?;
    // Writes what the first call left to be written; the later ones leave nothing.
    if let Some(queue) = device.wgpu_queue() {
        queue.submit([]);
    }
    device.wait()?;

    let made = device.counters();
    record(&device, calls, call)?;
    match device.counters() == made {
        true => Ok(()),
        false => Err("a warm call made something anew".into()),
    }
}

/// Makes each call in an encoder of its own. wgpu does part of its work when that is finished.
fn record(
    device: &Device,
    calls: usize,
    call: impl Fn(&mut wgpu::CommandEncoder) -> Result<(), gpuscan::Error>,
) -> Outcome {
    let wgpu_device = device.wgpu_device().ok_or("expected a wgpu device")?;
    for _ in 0..calls {
        let mut encoder = wgpu_device.create_command_encoder(&Default::default());
        call(&mut encoder)?;
        black_box(encoder.finish());
    }
    Ok(())
}

fn scan_on_host(len: usize, calls: usize) -> Outcome {
    // Zeros stay what they are, so that the input need not be restored between the calls.
    let mut values = vec![0f32; len];
    for _ in 0..calls {
        order::scan(&Sum, black_box(&mut values));
    }
    Ok(())
}
