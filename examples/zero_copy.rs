//! One buffer for wgpu and CUDA: a shader in WGSL fills it, CUDA scans it, wgpu reads it, and nothing is copied. Linux,
//! with an NVIDIA GPU. Elsewhere it says what is missing.
//!
//! `cargo run --features cuda --example zero_copy`

use std::{error::Error, time::Instant};

use gpuscan::{Device, GpuScan, SharedBuffer, wgpu};

const LEN: usize = 1 << 22;
const ROUNDS: usize = 20;

/// How many divisors each number has that are at most 8: counts, as a renderer might have of what its tiles hold.
const COUNTS: &str = "
    @group(0) @binding(0) var<storage, read_write> counts: array<u32>;
    @compute @workgroup_size(256) fn count(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x >= arrayLength(&counts) { return; }
        var count = 0u;
        for (var divisor = 1u; divisor <= 8u; divisor++) { count += u32(id.x % divisor == 0u); }
        counts[id.x] = count;
    }";

fn main() -> Result<(), Box<dyn Error>> {
    let wgpu = match Device::new() {
        Ok(device) => device,
        Err(error) => return without(&error),
    };
    let cuda = match wgpu.cuda_beside() {
        Ok(device) => device,
        Err(error) => return without(&error),
    };
    println!("wgpu: {wgpu}\nCUDA: {cuda}");

    let shared = SharedBuffer::<u32>::new(&wgpu, &cuda, LEN)?;
    let (device, queue) = (wgpu.wgpu_device().ok_or("no device")?, wgpu.wgpu_queue().ok_or("no queue")?);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("counts"),
        source: wgpu::ShaderSource::Wgsl(COUNTS.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("counts"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let view = shared.wgpu()?;
    let buffer = view.wgpu_buffer().ok_or("no buffer")?;
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("counts"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
    });

    let scan = GpuScan::new(&cuda);
    let start = Instant::now();
    for _ in 0..ROUNDS {
        shared.to_wgpu()?;
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((LEN as u32).div_ceil(256), 1, 1);
        drop(pass);
        queue.submit([encoder.finish()]);
        scan.exclusive_in_place(&shared.to_cuda()?)?;
    }
    let offsets = shared.to_wgpu()?;
    wgpu.wait()?;
    let took = start.elapsed() / ROUNDS as u32;
    let how = if shared.blocks() { "the host waits" } else { "timeline semaphores" };
    println!("{LEN} counts, from a shader to CUDA and back: {took:?} a round, {how}");

    let found = offsets.to_vec()?;
    let mut expected = 0;
    for (i, &found) in (0u32..).zip(&found) {
        if found != expected {
            return Err(format!("offset {i}: expected {expected}, found {found}").into());
        }
        expected += (1..=8).filter(|divisor| i % divisor == 0).count() as u32;
    }
    println!("all offsets are those of a loop on the host");
    Ok(())
}

/// Says why there is nothing to show.
fn without(error: &gpuscan::Error) -> Result<(), Box<dyn Error>> {
    println!("nothing to share here: {error}");
    Ok(())
}
