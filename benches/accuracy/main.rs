//! How far float sums are from the truth, and whether sums of non-negative floats ever decrease.
//!
//! `cargo bench --bench accuracy` compares what this crate and the host can compute. With `--folder DIR` the
//! inputs are written there first, as raw little-endian floats; run `benches/peers/accuracy.sh DIR` to let
//! CUB and PyTorch write theirs, and again with `--folder DIR --peers` to take those in.

mod distributions;
mod methods;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use clap::Parser;
use gpuscan::{Device, GpuScan};
use serde::Serialize;

use distributions::Distribution;

#[derive(Parser)]
struct Options {
    /// Smallest input, as a power of two.
    #[arg(long, default_value_t = 10)]
    min_log2: u32,
    /// Largest input, as a power of two.
    #[arg(long, default_value_t = 24)]
    max_log2: u32,
    /// Where inputs go, and where the peers' outputs are.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Take in what the peers wrote.
    #[arg(long)]
    peers: bool,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-accuracy.json")]
    out: PathBuf,
    /// `cargo bench` says so.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Serialize)]
struct Row {
    method: String,
    distribution: &'static str,
    n: usize,
    /// The worst |error| / Σ|x| of all prefixes, in units of 2^-24.
    worst: f64,
    /// How often a prefix is smaller than the one before; only where no input is negative.
    decreasing: Option<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let device = Device::new()?;
    println!("{device}");
    let mut rows = Vec::new();
    for distribution in Distribution::ALL {
        let values = distribution.values(1 << options.max_log2);
        let file = |folder: &Path, what: &str| folder.join(format!("{}.{what}.f32", distribution.name()));
        if let Some(folder) = options.folder.as_deref().filter(|_| !options.peers) {
            fs::create_dir_all(folder)?;
            fs::write(file(folder, "input"), bytemuck::cast_slice(&values))?;
        }
        let canonical = GpuScan::new(&device).inclusive(&device.upload(&values)?)?.to_vec()?;
        let mut results = vec![
            ("sequential".to_string(), methods::sequential(&values)),
            ("canonical (this crate)".to_string(), canonical),
            ("compensated".to_string(), methods::compensated(&values)),
            ("exact, then rounded".to_string(), methods::rounded(&values)),
        ];
        if let Some(folder) = options.folder.as_deref().filter(|_| options.peers) {
            for (peer, name) in [("cub", "CUB"), ("torch", "torch.cumsum")] {
                match fs::read(file(folder, peer)) {
                    Ok(bytes) => results.push((name.into(), bytemuck::pod_collect_to_vec(&bytes))),
                    Err(error) => println!("no {name} for {}: {error}", distribution.name()),
                }
            }
        }
        for (method, result) in results {
            if result.len() != values.len() {
                return Err(
                    format!("{method}: expected {} sums, found {}", values.len(), result.len()).into()
                );
            }
            for log2 in options.min_log2..=options.max_log2 {
                let row = Row::new(&method, distribution, &values[..1 << log2], &result);
                if log2 == options.max_log2 {
                    println!(
                        "{:12} {:24} n = 2^{log2}: worst error {:>12.4}, decreasing steps {}",
                        row.distribution,
                        row.method,
                        row.worst,
                        row.decreasing.map_or("–".into(), |steps| steps.to_string()),
                    );
                }
                rows.push(row);
            }
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

impl Row {
    /// Compares the first sums of `result` with the truth.
    fn new(method: &str, distribution: Distribution, values: &[f32], result: &[f32]) -> Self {
        let mut worst = 0.0f64;
        let mut size = 0.0f64;
        for ((&x, truth), &found) in values.iter().zip(methods::exact(values)).zip(result) {
            size += f64::from(x.abs());
            if size > 0.0 {
                worst = worst.max((f64::from(found) - truth).abs() / size);
            }
        }
        let steps = || result[..values.len()].windows(2).filter(|pair| pair[1] < pair[0]).count();
        Self {
            method: method.into(),
            distribution: distribution.name(),
            n: values.len(),
            worst: worst * f64::from(1 << 24),
            decreasing: (!distribution.signed()).then(steps),
        }
    }
}
