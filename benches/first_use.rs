//! What the first call of a primitive takes, which compiles its kernels, beside the next one.
//!
//! `cargo bench --bench first_use` (with `MESA_SHADER_CACHE_DISABLE=true` on Mesa's drivers, which keep what they have
//! compiled from run to run).

use std::time::Instant;

use gpuscan::{Algorithm, Device, Error, GpuCompact, GpuRadixSort, GpuReduce, GpuRunLength, GpuScan};

fn main() -> Result<(), Error> {
    for subgroups in [true, false] {
        let device = pollster::block_on(async { Device::request().subgroups(subgroups).await })?;
        println!("\n{device}\n\n| | first call, ms | next, ms |\n|---|--:|--:|");
        primitives(&device)?;
    }
    Ok(())
}

fn primitives(device: &Device) -> Result<(), Error> {
    let short = device.upload(&vec![1u32; 20_000])?;
    let long = device.upload(&vec![1u32; 1_000_000])?;
    let wide = device.upload(&vec![1u64; 20_000])?;
    for algorithm in Algorithm::ALL {
        let scan = GpuScan::new(device).algorithm(algorithm);
        let input = if algorithm == Algorithm::SingleTile { short.slice(..4000)? } else { long.clone() };
        row(&format!("scan, {algorithm}"), || scan.inclusive(&input)?.to_vec())?;
    }
    let scan = GpuScan::new(device);
    row("scan of u64", || scan.inclusive(&wide)?.to_vec())?;
    row("scan at an odd offset", || scan.inclusive(&short.slice(1..)?)?.to_vec())?;
    row("scan by flags", || scan.of(&short).by_flags(&short).run()?.to_vec())?;
    row("scan by keys", || scan.of(&short).by_key(&short).run()?.to_vec())?;
    row("scan of rows", || scan.of(&short).rows(1000).run()?.to_vec())?;
    row("reduction", || GpuReduce::new(device).reduce::<u32, u32>(&short)?.to_vec())?;
    row("compaction", || GpuCompact::new(device).of(&short).flagged(&short).run()?.to_vec())?;
    row("runs", || GpuRunLength::new(device).runs(&short)?.to_vec())?;
    row("radix sort", || GpuRadixSort::new(device).sort(&short)?.to_vec())
}

fn row<T>(what: &str, call: impl Fn() -> Result<T, Error>) -> Result<(), Error> {
    let timed = || {
        let start = Instant::now();
        call().map(|_| start.elapsed().as_secs_f64() * 1e3)
    };
    let (first, next) = (timed()?, timed()?);
    println!("| {what} | {first:.1} | {next:.2} |");
    Ok(())
}
