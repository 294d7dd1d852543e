//! Times of radix sorts on the device's own clock, in the format of `benches/peers/README.md`.
//!
//! `cargo bench --bench sort -- --help` lists the choices. Each result is compared with the host's, bit for
//! bit, before it is timed.

#[path = "../device/clock.rs"]
mod clock;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../device/copy.rs"]
mod copy;
#[allow(dead_code, reason = "each program uses its part")]
#[path = "../device/input.rs"]
mod input;
#[path = "../device/rows.rs"]
mod rows;

use std::{error::Error, path::PathBuf};

use clap::Parser;
use gpuscan::{Device, GpuRadixSort};
use rayon::prelude::*;

use clock::Clock;
use rows::{Label, Rows};

#[derive(Parser)]
struct Options {
    /// Smallest input, as a power of two.
    #[arg(long, default_value_t = 10)]
    min_log2: u32,
    /// Largest input, as a power of two.
    #[arg(long, default_value_t = 22)]
    max_log2: u32,
    /// Take every so many-th power of two.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Samples in a row of the result.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(3..))]
    samples: u32,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-sort.json")]
    out: PathBuf,
    /// Only random keys.
    #[arg(long)]
    quick: bool,
    /// Only with subgroups, or only without.
    #[arg(long)]
    subgroups: Option<bool>,
    /// `cargo bench` says so.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Inputs, by name: keys from their index and a hash of it.
type Shape = (&'static str, fn(u32, u32) -> u32);
const SHAPES: [Shape; 3] = [("random", |_, hash| hash), ("all equal", |_, _| 7), ("sorted", |i, _| i)];

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut rows = Rows::default();
    let sizes: Vec<usize> =
        (options.min_log2..=options.max_log2).step_by(options.step as usize).map(|log2| 1 << log2).collect();
    let most = *sizes.last().ok_or("no sizes")?;
    let random = input::values::<u32>(most);
    for subgroups in [true, false] {
        if options.subgroups.is_some_and(|only| only != subgroups) {
            continue;
        }
        let device = Device::request().subgroups(subgroups).wait()?;
        println!("{device}");
        let clock = Clock::new(&device, options.samples)?;
        let backend = format!("{}{}", clock.backend(), if subgroups { "" } else { ", no subgroups" });
        let sort = GpuRadixSort::new(&device);
        let indices: Vec<u32> = (0..most as u32).collect();
        let (source, target) = (device.zeros::<u32>(most)?, device.zeros::<u32>(most)?);
        let (values, moved) = (device.upload(&indices)?, device.zeros::<u32>(most)?);
        for (shape, key) in SHAPES {
            if options.quick && shape != "random" {
                continue;
            }
            let keys: Vec<u32> =
                random.par_iter().enumerate().map(|(i, &hash)| key(i as u32, hash)).collect();
            source.write(&keys)?;
            // Indices as values: pairs in order are distinct, and say which result is right.
            let wanted = |n: usize| {
                let mut pairs: Vec<u64> =
                    (0..n).into_par_iter().map(|i| u64::from(keys[i]) << 32 | i as u64).collect();
                pairs.par_sort_unstable();
                pairs
            };
            let right = |n: usize, with_values: bool| -> Result<bool, gpuscan::Error> {
                let wanted = wanted(n);
                let found = target.slice(..n)?.to_vec()?;
                let keys_right =
                    found.par_iter().zip(&wanted).all(|(&key, &pair)| key == (pair >> 32) as u32);
                if !with_values {
                    return Ok(keys_right);
                }
                let found = moved.slice(..n)?.to_vec()?;
                Ok(keys_right && found.par_iter().zip(&wanted).all(|(&value, &pair)| value == pair as u32))
            };
            let poison = |n: usize| target.slice(..n)?.write(&vec![0; n]);
            let label = |primitive| Label {
                primitive,
                element: "u32",
                algorithm: format!("radix, {shape} keys"),
                backend: backend.clone(),
            };
            rows.measure(
                &clock,
                &label("sort_keys"),
                &sizes,
                |encoder, n| sort.encode_sort(encoder, &source.slice(..n)?, &target.slice(..n)?),
                |n| right(n, false),
                poison,
            )?;
            rows.measure(
                &clock,
                &label("sort_pairs"),
                &sizes,
                |encoder, n| {
                    let (keys, values) = (source.slice(..n)?, values.slice(..n)?);
                    sort.encode_sort_pairs(encoder, &keys, &values, &target.slice(..n)?, &moved.slice(..n)?)
                },
                |n| right(n, true),
                poison,
            )?;
        }
    }
    rows.write(&options.out)?;
    println!("{} rows in {}", rows.len(), options.out.display());
    Ok(())
}
