//! How many neighbours the vertices of a mesh have, and how often each byte occurs in its file.
//!
//! ```text
//! cargo run --release --example histogram                # a mesh that comes with the example
//! cargo run --release --example histogram -- FILE        # your METIS .graph or Matrix Market .mtx
//! ```

#[allow(dead_code, reason = "each example uses its part")]
mod graph;

use std::{error::Error, process::ExitCode};

use gpuscan::{Device, GpuHistogram};

const MESH: (&str, &[u8]) = ("examples/data/4elt.graph", include_bytes!("data/4elt.graph"));

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
    let mut arguments = std::env::args_os().skip(1);
    let (name, bytes) = match arguments.next() {
        None => (MESH.0.to_owned(), MESH.1.to_vec()),
        Some(path) => {
            let name = path.to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
            (name, bytes)
        }
    };
    if let Some(extra) = arguments.next() {
        return Err(format!("expected one file, found a second argument {extra:?}").into());
    }
    let graph = graph::read(&name, &bytes).map_err(|error| format!("{name}: {error}"))?;
    let device = Device::new().unwrap_or_else(|error| {
        println!("No GPU, going on with the CPU: {error}\n");
        Device::cpu()
    });
    println!("Device\n  {}", device.describe());

    println!("\nNeighbours of a vertex in {name} ({})", graph.format);
    let longest = graph.degrees.iter().copied().max().unwrap_or_default();
    // A bin for each number up to 20, and wider ones for what is left.
    let mut edges: Vec<f64> = (0..=longest.min(20)).map(f64::from).collect();
    while edges.last().is_some_and(|&last| last <= longest.into()) {
        edges.push(edges.last().map_or(1.0, |last| (last * 1.5).max(last + 1.0).ceil()));
    }
    let degrees = device.upload(&graph.degrees)?;
    let counts = GpuHistogram::<u32>::with_edges(&device, &edges)?.histogram(&degrees)?.to_vec()?;
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    for (edges, &count) in edges.windows(2).zip(&counts).filter(|(_, count)| **count > 0) {
        let range = match edges[1] - edges[0] {
            1.0 => format!("{}", edges[0]),
            _ => format!("{} to {}", edges[0], edges[1] - 1.0),
        };
        // Whatever is there at all can be seen.
        let bar = "█".repeat((u64::from(count) * 50).div_ceil(most.into()) as usize);
        println!("  {range:>12} {count:>8} {bar}");
    }
    check("vertices", &counts, graph.degrees.len(), |bin| {
        graph
            .degrees
            .iter()
            .filter(|&&degree| edges[bin] <= degree.into() && f64::from(degree) < edges[bin + 1])
            .count()
    })?;

    println!("\nThe most frequent bytes of the file");
    let counts = GpuHistogram::<u8>::even(&device, 256, 0.0..256.0)?.histogram(&device.upload(&bytes)?)?;
    let counts = counts.to_vec()?;
    let mut order: Vec<usize> = (0..256).collect();
    order.sort_by_key(|&byte| std::cmp::Reverse(counts[byte]));
    for byte in order.into_iter().take(5).filter(|&byte| counts[byte] > 0) {
        println!("  {:>12} {:>8}", format!("{:?}", byte as u8 as char), counts[byte]);
    }
    check("bytes", &counts, bytes.len(), |bin| bytes.iter().filter(|&&byte| usize::from(byte) == bin).count())
}

/// Every count against counting on the host.
fn check(
    what: &str,
    counts: &[u32],
    all: usize,
    expected: impl Fn(usize) -> usize,
) -> Result<(), Box<dyn Error>> {
    for (bin, &found) in counts.iter().enumerate() {
        let expected = expected(bin);
        if expected != found as usize {
            return Err(format!("{what} in bin {bin}: expected {expected}, found {found}").into());
        }
    }
    println!("  correct: the same counts as on the host, {all} {what} in all");
    Ok(())
}
