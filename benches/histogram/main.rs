//! Times of histograms, load balancing and integral images on the device's own clock. CUB's histograms beside
//! them: `benches/peers/histogram.cu`, with the same inputs.
//!
//! `cargo bench --bench histogram -- --help` lists the choices. Each histogram is compared with the CPU's before
//! it is timed. Rows go to a file in the format of `benches/peers/README.md`.

#[path = "../device/clock.rs"]
mod clock;
#[path = "../device/copy.rs"]
#[allow(dead_code, reason = "the clock keeps the device warm with one of its two copies")]
mod copy;

use std::{error::Error, fs, path::PathBuf};

use clap::Parser;
use clock::Clock;
use gpuscan::{Device, GpuBalance, GpuBuffer, GpuHistogram, GpuRangeSum, GpuScan, Sample, wgpu};
use rayon::prelude::*;
use serde::Serialize;

#[derive(Parser)]
struct Options {
    /// Largest input, as a power of two; by default 28, and 22 on a software driver.
    #[arg(long)]
    max_log2: Option<u32>,
    /// Take every so many-th power of two, downwards from the largest to 2^20.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Samples in a row of the result.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(3..))]
    samples: u32,
    /// Only histograms of these elements, or by algorithms whose names have one of these parts.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-histogram.json")]
    out: PathBuf,
    /// `cargo bench` says so.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Serialize)]
struct Row {
    primitive: &'static str,
    element: &'static str,
    algorithm: String,
    backend: String,
    /// Ours.
    peer: Option<String>,
    n: usize,
    median_us: f64,
    min_us: f64,
    max_us: f64,
    bytes: usize,
    checked: bool,
}

/// The input's hash, as `benches/peers/README.md` has it.
fn mix(i: u32) -> u32 {
    let mut x = i.wrapping_mul(0x9E37_79B9).wrapping_add(0x85EB_CA6B);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

fn inputs<T: Send>(n: usize, of: impl Fn(u32) -> T + Sync) -> Vec<T> {
    (0..n as u32).into_par_iter().map(|i| of(mix(i))).collect()
}

fn uniform(hash: u32) -> f32 {
    (hash >> 8) as f32 / (1 << 24) as f32
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let device = Device::new()?;
    let software =
        device.wgpu_device().is_some_and(|device| device.adapter_info().device_type == wgpu::DeviceType::Cpu);
    let largest = options.max_log2.unwrap_or(if software { 22 } else { 28 });
    let mut sizes: Vec<usize> =
        (20.min(largest)..=largest).rev().step_by(options.step as usize).map(|log2| 1 << log2).collect();
    sizes.reverse();
    println!("{device}");
    let clock = Clock::new(&device, options.samples)?;
    let only = options.only.clone();
    let mut bench = Bench { device, clock, sizes, only, rows: Vec::new() };
    let n = 1 << largest;

    let bytes = inputs(n, |hash| hash as u8);
    bench.histogram("256 even bins", &bytes, |d| GpuHistogram::even(d, 256, 0.0..256.0))?;
    bench.histogram("256 even bins, 4 channels", &bytes, |d| {
        GpuHistogram::even(d, 256, 0.0..256.0)?.channels(4)
    })?;
    bench
        .histogram("256 even bins, all alike", &vec![77u8; n], |d| GpuHistogram::even(d, 256, 0.0..256.0))?;
    let floats = inputs(n, uniform);
    for bins in [10, 256, 2048, 4096, 1 << 20] {
        bench.histogram(&format!("{bins} even bins"), &floats, |d| GpuHistogram::even(d, bins, 0.0..1.0))?;
    }
    let edges: Vec<f64> = (0..=256).map(|i| (f64::from(i) / 256.0).powi(2)).collect();
    bench.histogram("256 edges", &floats, |d| GpuHistogram::with_edges(d, &edges))?;
    bench
        .histogram("256 even bins, all alike", &vec![0.3f32; n], |d| GpuHistogram::even(d, 256, 0.0..1.0))?;
    drop(floats);
    if options.only.is_empty() {
        bench.search(n.min(1 << 26))?;
        bench.integral()?;
    }

    let lines: Vec<String> = bench.rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    if let Some(folder) = options.out.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&options.out, format!("[\n{}\n]\n", lines.join(",\n")))?;
    println!("{} rows in {}", bench.rows.len(), options.out.display());
    Ok(())
}

struct Bench {
    device: Device,
    clock: Clock,
    sizes: Vec<usize>,
    /// All, if none is named.
    only: Vec<String>,
    rows: Vec<Row>,
}

impl Bench {
    /// A histogram of the first samples, for each size.
    fn histogram<T: Sample>(
        &mut self,
        algorithm: &str,
        values: &[T],
        bins: impl Fn(&Device) -> Result<GpuHistogram<T>, gpuscan::Error>,
    ) -> Result<(), Box<dyn Error>> {
        let element = if size_of::<T>() == 1 { "u8" } else { "f32" };
        let is_named = |only: &String| only == element || algorithm.contains(&**only);
        if !self.only.is_empty() && !self.only.iter().any(is_named) {
            return Ok(());
        }
        let host = Device::cpu();
        let expected = bins(&host)?;
        let histogram = bins(&self.device)?;
        let samples = self.device.upload(values)?;
        let counts = self.device.zeros::<u32>(histogram.counters())?;
        for n in self.sizes.clone() {
            let samples = samples.slice(..n)?;
            let record =
                |encoder: &mut wgpu::CommandEncoder| histogram.encode_histogram(encoder, &samples, &counts);
            self.clock.once(record)?;
            let wanted = expected.histogram(&host.upload(&values[..n])?)?.to_vec()?;
            if counts.to_vec()? != wanted {
                return Err(format!("wrong counts: {algorithm} of {n}").into());
            }
            self.row("histogram", element, algorithm, n, n * size_of::<T>(), record)?;
        }
        Ok(())
    }

    /// Items of segments of 0 to 15 items.
    fn search(&mut self, items: usize) -> Result<(), Box<dyn Error>> {
        let lengths = inputs(items / 8, |hash| hash >> 28);
        let ends = GpuScan::new(&self.device).inclusive(&self.device.upload(&lengths)?)?;
        let items = lengths.iter().sum::<u32>() as usize;
        let balance = GpuBalance::new(&self.device);
        let (segments, ranks) = balance.search(&ends, items)?;
        let right = lengths.iter().enumerate().flat_map(|(i, &length)| (0..length).map(move |_| i as u32));
        if !segments.to_vec()?.into_iter().eq(right) {
            return Err("wrong segments".into());
        }
        let bytes = 8 * items + 4 * lengths.len();
        self.row("load_balancing_search", "u32", "segments of 0 to 15", items, bytes, |encoder| {
            balance.encode_search(encoder, &ends, &segments, &ranks)
        })
    }

    fn integral(&mut self) -> Result<(), Box<dyn Error>> {
        for width in [1024, 4096] {
            let values = inputs(width * width, uniform);
            let sums = GpuRangeSum::new(&self.device);
            let image: GpuBuffer<f32> = self.device.upload(&values)?;
            let table = sums.integral(&image, width)?;
            let host = Device::cpu();
            let wanted = GpuRangeSum::new(&host).integral(&host.upload(&values)?, width)?.to_vec()?;
            if table.to_vec()? != wanted {
                return Err("wrong integral image".into());
            }
            let algorithm = format!("{width} × {width}");
            self.row("integral_image", "f32", &algorithm, width * width, 8 * width * width, |encoder| {
                sums.encode_integral(encoder, &image, width, &table)
            })?;
        }
        Ok(())
    }

    fn row(
        &mut self,
        primitive: &'static str,
        element: &'static str,
        algorithm: &str,
        n: usize,
        bytes: usize,
        record: impl Fn(&mut wgpu::CommandEncoder) -> Result<(), gpuscan::Error>,
    ) -> Result<(), Box<dyn Error>> {
        self.clock.wake()?;
        let mut times = self.clock.time(record)?;
        times.sort_by(f64::total_cmp);
        let us = |i: usize| times[i] / 1e3;
        let row = Row {
            primitive,
            element,
            algorithm: algorithm.into(),
            backend: self.clock.backend().into(),
            peer: None,
            n,
            median_us: us(times.len() / 2),
            min_us: us(0),
            max_us: us(times.len() - 1),
            bytes,
            checked: true,
        };
        println!(
            "{primitive:22} {element:4} {algorithm:28} n = {n:>10}  {:>10.1} µs ({:.1}–{:.1})  {:>7.1} GB/s",
            row.median_us,
            row.min_us,
            row.max_us,
            bytes as f64 / row.median_us / 1e3,
        );
        self.rows.push(row);
        Ok(())
    }
}
