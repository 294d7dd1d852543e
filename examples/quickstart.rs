//! Scans eight numbers, then turns a graph's row lengths into CSR row offsets on the device.
//!
//! ```text
//! cargo run --release --example quickstart                 # a mesh that comes with the example
//! cargo run --release --example quickstart -- FILE         # your METIS .graph or Matrix Market .mtx
//! ```

mod graph;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gpuscan::{Algorithm, Device, GpuScan};

const MESH: (&str, &[u8]) = ("examples/data/4elt.graph", include_bytes!("data/4elt.graph"));

/// How many scans the median is taken of.
const WARM_SCANS: usize = 31;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // The file first: a mistake in it should not wait for a driver to start.
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next();
    if let Some(extra) = arguments.next() {
        return Err(format!("expected one file, found a second argument {extra:?}").into());
    }
    let (name, graph) = match file {
        None => (MESH.0.to_owned(), graph::read(MESH.0, MESH.1)),
        Some(path) => {
            let name = path.to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
            let graph = graph::read(&name, &bytes);
            (name, graph)
        }
    };
    let graph = graph.map_err(|error| format!("{name}: {error}"))?;

    let device = Device::new().unwrap_or_else(|error| {
        println!("No GPU, going on with the CPU: {error}\n");
        Device::cpu()
    });
    println!("Device\n  {}", device.describe());

    eight_numbers(&device)?;
    row_offsets(&device, &name, &graph)
}

fn eight_numbers(device: &Device) -> Result<(), Box<dyn Error>> {
    let numbers = [3u32, 1, 7, 0, 4, 2, 1, 6];

    let input = device.upload(&numbers)?;
    let scan = GpuScan::new(device);
    let inclusive = scan.inclusive(&input)?.to_vec()?;
    let exclusive = scan.exclusive(&input)?.to_vec()?;

    println!("\nEight numbers");
    for (name, values) in [("input", &numbers[..]), ("inclusive", &inclusive), ("exclusive", &exclusive)] {
        let row: String = values.iter().map(|value| format!("{value:>4}")).collect();
        println!("  {name:<11}{row}");
    }
    Ok(())
}

/// Row r of a CSR matrix lies at `offsets[r]..offsets[r + 1]`: an exclusive scan of the rows' lengths, with a
/// 0 behind them so that the last row has an end too.
fn row_offsets(device: &Device, name: &str, graph: &graph::Graph) -> Result<(), Box<dyn Error>> {
    let mut degrees = graph.degrees.clone();
    degrees.push(0);

    let scan = GpuScan::new(device).algorithm(Algorithm::Auto);
    let input = device.upload(&degrees)?;
    device.wait()?;

    let start = Instant::now();
    let offsets = scan.exclusive(&input)?;
    device.wait()?;
    let first = start.elapsed();

    // Into the same buffer again and again: what a program with a steady stream of work pays.
    let mut warm = Vec::with_capacity(WARM_SCANS);
    for _ in 0..WARM_SCANS {
        let start = Instant::now();
        scan.exclusive_into(&input, &offsets)?;
        device.wait()?;
        warm.push(start.elapsed());
    }
    warm.sort_unstable();

    let offsets = offsets.to_vec()?;
    check(&degrees, &offsets, graph.entries)?;

    println!("\nCSR row offsets of {name} ({})", graph.format);
    println!("  rows        {:>10}", graph.degrees.len());
    println!("  entries     {:>10}", graph.entries);
    println!("  algorithm   {:>10}", scan.chosen(degrees.len()));
    println!("  first scan  {:>10}   with whatever it is the first to need", milliseconds(first));
    println!(
        "  next scans  {:>10}   from call to finished, the median of {WARM_SCANS}",
        milliseconds(warm[WARM_SCANS / 2])
    );
    println!("  offsets     {}", ends(&offsets));
    println!("  correct: the running sum of the file's rows, and it ends on the entries its header declares");
    Ok(())
}

/// The offsets against a plain sum on the host, and their end against what the file says about itself.
fn check(degrees: &[u32], offsets: &[u32], entries: u64) -> Result<(), Box<dyn Error>> {
    if offsets.len() != degrees.len() {
        return Err(format!("expected {} offsets, found {}", degrees.len(), offsets.len()).into());
    }
    let mut sum = 0u64;
    for (row, (&degree, &offset)) in degrees.iter().zip(offsets).enumerate() {
        if u64::from(offset) != sum {
            return Err(format!("offset of row {row}: expected {sum}, found {offset}").into());
        }
        sum += u64::from(degree);
    }
    match offsets.last() {
        Some(&last) if u64::from(last) == entries => Ok(()),
        last => Err(format!("last offset: expected {entries}, found {last:?}").into()),
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// A list's beginning and its last value.
fn ends(values: &[u32]) -> String {
    const SHOWN: usize = 6;
    let texts = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>();
    let mut shown = texts(&values[..values.len().min(SHOWN)]);
    if values.len() > SHOWN + 1 {
        shown.push("…".to_owned());
    }
    if values.len() > SHOWN {
        shown.extend(texts(&values[values.len() - 1..]));
    }
    shown.join(" ")
}
