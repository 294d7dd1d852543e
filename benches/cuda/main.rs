//! The CUDA backend on the device's own clock, in the protocol and the rows of `benches/peers/README.md`, so that CUB
//! and the articles' kernels can stand beside it.
//!
//! `cargo bench --features cuda --bench cuda -- --help` lists the choices. Each result is compared with the CPU's, bit
//! for bit, before it is timed.

mod clock;
#[path = "../device/input.rs"]
mod input;

use std::{error::Error, fs, path::PathBuf};

use clap::Parser;
use gpuscan::{Algorithm, Device, GpuScan, Monoid, Sum};
use serde::Serialize;

use clock::Clock;
use input::Input;

#[derive(Parser)]
struct Options {
    /// Smallest input, as a power of two.
    #[arg(long, default_value_t = 8)]
    min_log2: u32,
    /// Largest input, as a power of two.
    #[arg(long, default_value_t = 30)]
    max_log2: u32,
    /// Take every so many-th power of two.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    #[arg(long, value_delimiter = ',', default_value = "u32,f32")]
    elements: Vec<String>,
    /// Samples in a row of the result.
    #[arg(long, default_value_t = 21)]
    samples: usize,
    /// Elements in a tile, as a power of two, in place of what the library picks.
    #[arg(long)]
    tile_log2: Option<u32>,
    /// Only what `Auto` takes.
    #[arg(long)]
    quick: bool,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-cuda.json")]
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
    backend: &'static str,
    /// Ours.
    peer: Option<String>,
    n: usize,
    median_us: f64,
    min_us: f64,
    max_us: f64,
    bytes: usize,
    checked: bool,
}

/// Which scans, and the largest input that still teaches something.
const CASES: [(Algorithm, bool, usize); 6] = [
    (Algorithm::Auto, false, usize::MAX),
    (Algorithm::Auto, true, usize::MAX),
    (Algorithm::SinglePass, false, 1 << 16),
    (Algorithm::ThreePass, false, usize::MAX),
    (Algorithm::HillisSteele, false, 1 << 26),
    (Algorithm::Blelloch, true, 1 << 26),
];

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let request = match options.tile_log2 {
        Some(log2) => Device::request().tile_log2(log2),
        None => Device::request(),
    };
    let device = request.cuda(0)?;
    println!("{device}");
    let mut sizes: Vec<usize> =
        (options.min_log2..=options.max_log2).step_by(options.step as usize).map(|log2| 1 << log2).collect();
    let odd = 100_000_000;
    if options.step == 1 && sizes.last().is_some_and(|&last| last > odd) {
        sizes.push(odd);
        sizes.sort_unstable();
    }
    let mut rows = Vec::new();
    for element in &options.elements {
        match element.as_str() {
            "u32" => measure::<u32>(&options, &device, &sizes, &mut rows)?,
            "i32" => measure::<i32>(&options, &device, &sizes, &mut rows)?,
            "f32" => measure::<f32>(&options, &device, &sizes, &mut rows)?,
            other => return Err(format!("unknown element {other}: expected u32, i32 or f32").into()),
        }
    }
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    if let Some(folder) = options.out.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&options.out, format!("[\n{}\n]\n", lines.join(",\n")))?;
    println!("{} rows in {}", rows.len(), options.out.display());
    Ok(())
}

fn measure<T: Input>(
    options: &Options,
    device: &Device,
    sizes: &[usize],
    rows: &mut Vec<Row>,
) -> Result<(), Box<dyn Error>>
where
    Sum: Monoid<T>,
{
    let clock = Clock::new(device.cuda_stream().ok_or("no stream")?, options.samples)?;
    let largest = sizes.last().copied().unwrap_or(0);
    let values = input::values::<T>(largest);
    let source = device.upload(&values)?;
    let target = device.zeros::<T>(largest)?;
    for (algorithm, exclusive, most) in CASES {
        if options.quick && algorithm != Algorithm::Auto {
            continue;
        }
        let scan = GpuScan::new(device).algorithm(algorithm);
        let here: Vec<usize> = sizes.iter().copied().filter(|&n| n <= most).collect();
        let Some(&longest) = here.last() else { continue };
        // Absent elements change nothing before them: the longest input's result serves all.
        let host = GpuScan::new(&Device::cpu()).algorithm(algorithm);
        let expected = match exclusive {
            false => host.inclusive_slice(&values[..longest])?,
            true => host.exclusive_slice(&values[..longest])?,
        };
        for &n in &here {
            let (from, to) = (source.slice(..n)?, target.slice(..n)?);
            let run = || -> Result<(), Box<dyn Error>> {
                match exclusive {
                    false => scan.inclusive_into(&from, &to)?,
                    true => scan.exclusive_into(&from, &to)?,
                }
                Ok(())
            };
            to.write(&vec![T::zeroed(); n])?;
            run()?;
            let primitive = if exclusive { "exclusive_sum" } else { "inclusive_sum" };
            if !input::same_bits(&to.to_vec()?, &expected[..n]) {
                let found = to.to_vec()?;
                let first = (0..n).find(|&i| !input::same_bits(&found[i..=i], &expected[i..=i]));
                return Err(format!("wrong: {primitive} of {n} by {algorithm}, first at {first:?}").into());
            }
            let times = clock.time(run)?;
            let row = Row {
                primitive,
                element: T::NAME,
                algorithm: algorithm.to_string(),
                backend: "cuda",
                peer: None,
                n,
                median_us: times[times.len() / 2],
                min_us: times[0],
                max_us: times[times.len() - 1],
                bytes: 2 * n * size_of::<T>(),
                checked: true,
            };
            println!(
                "{primitive:14} {:4} {:14} n = {n:>10} {:>10.2} µs ({:.2}–{:.2}) {:>7.1} GB/s",
                row.element,
                row.algorithm,
                row.median_us,
                row.min_us,
                row.max_us,
                row.bytes as f64 / row.median_us / 1e3,
            );
            rows.push(row);
        }
    }
    Ok(())
}
