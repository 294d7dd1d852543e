//! Times of what is built on scans, beside a plain scan of the same run: other elements and operators, rows,
//! segments, totals and compaction. In the format of `benches/peers/README.md`.
//!
//! `cargo bench --bench primitives -- --help` lists the choices. Each result is compared with the CPU's, bit for
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

use std::{borrow::Cow, error::Error, path::PathBuf};

use clap::Parser;
use gpuscan::{
    Affine, Algorithm, Compensated, Device, Element, Exact, GpuBuffer, GpuCompact, GpuReduce, GpuScan, Map,
    Max, Min, Monoid, NonZero, Predicate, Product, Same, Sum, wgpu,
};

use clock::Clock;
use rows::{Label, Rows};

#[derive(Parser)]
struct Options {
    /// Inputs of 2 to these powers.
    #[arg(long, value_delimiter = ',', default_value = "16,20")]
    log2: Vec<u32>,
    /// Samples in a row of the result.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(3..))]
    samples: u32,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-primitives.json")]
    out: PathBuf,
    /// Scans in one pass, in place of what the library picks.
    #[arg(long)]
    single_pass: bool,
    /// Only these: a primitive (scan, rows, by_key, reduce, compact), an element, or a part of an algorithm's name.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Elements in a tile, as a power of two, in place of what the library picks.
    #[arg(long)]
    tile_log2: Option<u32>,
    /// Tiles that a workgroup of a total takes together.
    #[arg(long)]
    tiles_at_once: Option<u32>,
    /// Also without subgroups.
    #[arg(long)]
    plain: bool,
    /// `cargo bench` says so.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Half of all hashes.
#[derive(Clone)]
struct Half;

impl Predicate<u32> for Half {
    fn keeps(&self, value: u32) -> bool {
        value >> 31 == 0
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return (value >> 31u) == 0u;".into()
    }
}

/// One device with its clock.
struct Bench {
    device: Device,
    clock: Clock,
    backend: String,
    sizes: Vec<usize>,
    rows: Rows,
    /// How scans are done.
    way: Algorithm,
    /// Which rows are wanted; all, if none is named.
    only: Vec<String>,
}

impl Bench {
    /// Times `run` on both devices' buffers; its result on the CPU is the right one.
    fn row<A: Element, B: Element>(
        &mut self,
        primitive: &'static str,
        element: &'static str,
        algorithm: &str,
        input: &[A],
        capacity: impl Fn(usize) -> usize,
        run: impl Fn(
            &Device,
            Option<&mut wgpu::CommandEncoder>,
            &GpuBuffer<A>,
            &GpuBuffer<B>,
        ) -> Result<(), gpuscan::Error>,
    ) -> Result<(), Box<dyn Error>> {
        let is_named = |only: &String| only == primitive || only == element || algorithm.contains(&**only);
        if !self.only.is_empty() && !self.only.iter().any(is_named) {
            return Ok(());
        }
        let host = Device::cpu();
        let most = capacity(input.len());
        let (source, target) = (self.device.upload(input)?, self.device.zeros::<B>(most)?);
        let on_host = host.upload(input)?;
        let label = Label { primitive, element, algorithm: algorithm.into(), backend: self.backend.clone() };
        let sizes: Vec<usize> = self.sizes.iter().copied().filter(|&n| n <= input.len()).collect();
        self.rows.measure(
            &self.clock,
            &label,
            &sizes,
            |encoder, n| run(&self.device, Some(encoder), &source.slice(..n)?, &target.slice(..capacity(n))?),
            |n| {
                let wanted = host.zeros::<B>(capacity(n))?;
                run(&host, None, &on_host.slice(..n)?, &wanted)?;
                Ok(input::same_bits(&target.slice(..capacity(n))?.to_vec()?, &wanted.to_vec()?))
            },
            |n| target.slice(..capacity(n))?.write(&vec![B::zeroed(); capacity(n)]),
        )
    }

    fn scan<A: Element, T: Element, B: Element, M, I, O>(
        &mut self,
        element: &'static str,
        algorithm: &str,
        input: &[A],
        (monoid, map_in, map_out): (M, I, O),
    ) -> Result<(), Box<dyn Error>>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        let way = self.way;
        self.row::<A, B>(
            "scan",
            element,
            algorithm,
            input,
            |n| n,
            |device, encoder, source, target| {
                let scan = GpuScan::with_monoid(device, monoid.clone())
                    .algorithm(way)
                    .mapping(map_in.clone())
                    .mapping_results(map_out.clone());
                match encoder {
                    Some(encoder) => scan.encode_inclusive(encoder, source, target),
                    None => scan.inclusive_into(source, target),
                }
            },
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let sizes: Vec<usize> = options.log2.iter().map(|&log2| 1 << log2).collect();
    let most = sizes.iter().copied().max().ok_or("no sizes")?;
    let words = input::values::<u32>(most);
    let floats = input::values::<f32>(most);
    let mut rows = Rows::default();
    for plain in [false, true].into_iter().filter(|&plain| options.plain || !plain) {
        let request = Device::request().subgroups(!plain);
        let device = match options.tile_log2 {
            Some(log2) => request.tile_log2(log2),
            None => request,
        };
        let device = match options.tiles_at_once {
            Some(tiles) => device.tiles_at_once(tiles),
            None => device,
        };
        let device = device.wait()?;
        println!("{device}");
        let clock = Clock::new(&device, options.samples)?;
        let backend = format!("{}{}", clock.backend(), if plain { ", no subgroups" } else { "" });
        let way = if options.single_pass { Algorithm::SinglePass } else { Algorithm::Auto };
        let only = options.only.clone();
        let mut bench = Bench { device, clock, backend, sizes: sizes.clone(), rows, way, only };
        every_row(&mut bench, &words, &floats)?;
        rows = bench.rows;
    }
    rows.write(&options.out)?;
    println!("{} rows in {}", rows.len(), options.out.display());
    Ok(())
}

fn every_row(bench: &mut Bench, words: &[u32], floats: &[f32]) -> Result<(), Box<dyn Error>> {
    bench.scan::<u32, u32, u32, _, _, _>("u32", "sum", words, (Sum, Same, Same))?;
    bench.scan::<f32, f32, f32, _, _, _>("f32", "sum", floats, (Sum, Same, Same))?;
    bench.scan::<f32, f32, f32, _, _, _>("f32", "min", floats, (Min, Same, Same))?;
    bench.scan::<u32, u32, u32, _, _, _>("u32", "max", words, (Max, Same, Same))?;
    bench.scan::<u32, u32, u32, _, _, _>("u32", "product", words, (Product, Same, Same))?;
    let wide: Vec<u64> = words.iter().map(|&word| u64::from(word) << 20 | 1).collect();
    bench.scan::<u64, u64, u64, _, _, _>("u64", "sum", &wide, (Sum, Same, Same))?;
    let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
    // No factor makes anything subnormal, which devices may flush to zero.
    let maps: Vec<[f32; 2]> =
        floats.iter().map(|&value| [if value < 0.5 { 1.0 } else { -1.0 }, value]).collect();
    bench.scan::<[f32; 2], [f32; 2], [f32; 2], _, _, _>("f32x2", "affine", &maps, (Affine, Same, Same))?;
    bench.scan::<u8, u32, u32, _, _, _>("u8", "count of those not zero", &bytes, (Sum, NonZero, Same))?;
    bench.scan::<f32, [f32; 2], f32, _, _, _>(
        "f32",
        "compensated",
        floats,
        (Compensated, Compensated, Compensated),
    )?;
    bench.scan("f32", "exact", floats, (Exact, Exact, Exact))?;
    let way = bench.way;
    bench.row::<f32, f32>(
        "rows",
        "f32",
        "sum, rows of 1000",
        floats,
        |n| n / 1000 * 1000,
        |device, encoder, from, to| {
            let scan = GpuScan::new(device);
            let from = from.slice(..to.len())?;
            match encoder {
                Some(encoder) => scan.of(&from).rows(1000).encode(encoder, to),
                None => scan.of(&from).rows(1000).run_into(to),
            }
        },
    )?;
    let keys: Vec<u32> = (0..words.len() as u32).map(|i| i / 100).collect();
    let (on_device, on_host) = (bench.device.upload(&keys)?, Device::cpu());
    let host_device = on_host.clone();
    let on_host = on_host.upload(&keys)?;
    bench.row::<u32, u32>(
        "by_key",
        "u32",
        "sum, runs of 100",
        words,
        |n| n,
        |device, encoder, from, to| {
            // The host's keys are on a device of their own.
            let device = if device.is_cpu() { &host_device } else { device };
            let scan = GpuScan::new(device).algorithm(way);
            match encoder {
                Some(encoder) => scan.of(from).by_key(&on_device.slice(..from.len())?).encode(encoder, to),
                None => {
                    let from = device.upload(&from.to_vec()?)?;
                    let sums: GpuBuffer<u32> = scan.of(&from).by_key(&on_host.slice(..from.len())?).run()?;
                    to.write(&sums.to_vec()?)
                }
            }
        },
    )?;
    bench.row::<u32, u32>(
        "reduce",
        "u32",
        "sum",
        words,
        |_| 1,
        |device, encoder, from, to| match encoder {
            Some(encoder) => GpuReduce::new(device).encode(encoder, from, to),
            None => GpuReduce::new(device).reduce_into(from, to),
        },
    )?;
    let count = bench.device.zeros::<u32>(1)?;
    bench.row::<u32, u32>(
        "compact",
        "u32",
        "half kept",
        words,
        |n| n,
        |device, encoder, from, to| {
            let compact = GpuCompact::new(device);
            match encoder {
                Some(encoder) => compact.of(from).keeping(&Half).encode(encoder, to, &count),
                None => compact.of(from).keeping(&Half).run_into(to, &device.zeros(1)?),
            }
        },
    )
}
