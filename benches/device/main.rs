//! Times on the device's own clock: every algorithm, element and size, a copy beside them.
//!
//! `cargo bench --bench device -- --help` lists the choices. Each result is compared with the CPU's, bit for
//! bit, before it is timed. Rows go to a file in the format of `benches/peers/README.md`.

mod clock;
mod copy;
mod input;
mod rows;

use std::{error::Error, path::PathBuf};

use clap::Parser;
use gpuscan::{Algorithm, Device, Element, GpuBuffer, GpuScan, Monoid, Sum, wgpu};

use clock::Clock;
use input::Input;
use rows::{Label, Rows};

#[derive(Parser)]
struct Options {
    /// Smallest input, as a power of two.
    #[arg(long, default_value_t = 8)]
    min_log2: u32,
    /// Largest input, as a power of two; by default 30, and 22 on a software driver.
    #[arg(long)]
    max_log2: Option<u32>,
    /// Take every so many-th power of two.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    #[arg(long, value_delimiter = ',', default_value = "u32,i32,f32")]
    elements: Vec<String>,
    /// Samples in a row of the result.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(3..))]
    samples: u32,
    /// Elements in a tile, as a power of two, in place of what the library picks.
    #[arg(long)]
    tile_log2: Option<u32>,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-device.json")]
    out: PathBuf,
    /// Leave out the textbook algorithms and the kernels without subgroups.
    #[arg(long)]
    quick: bool,
    /// `cargo bench` says so.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let request = |subgroups| {
        let request = Device::request().subgroups(subgroups);
        match options.tile_log2 {
            Some(log2) => request.tile_log2(log2),
            None => request,
        }
    };
    let device = request(true).wait()?;
    let software =
        device.wgpu_device().is_some_and(|device| device.adapter_info().device_type == wgpu::DeviceType::Cpu);
    let max_log2 = options.max_log2.unwrap_or(if software { 22 } else { 30 });
    println!("{device}");
    let sizes = sizes(&options, max_log2, &device);
    let mut bench = Bench { plain: request(false).wait()?, device, sizes, rows: Rows::default(), options };
    let wanted = bench.options.elements.clone();
    for element in wanted {
        match element.as_str() {
            "u32" => bench.element::<u32>()?,
            "i32" => bench.element::<i32>()?,
            "f32" => bench.element::<f32>()?,
            other => {
                return Err(format!("unknown element {other}: expected u32, i32 or f32").into());
            }
        }
    }
    bench.rows.write(&bench.options.out)?;
    println!("{} rows in {}", bench.rows.len(), bench.options.out.display());
    Ok(())
}

/// Powers of two, and 10^8 where it falls between them: a size that is no power of two.
/// Sizes that no buffer of the device holds are left out, with a word.
fn sizes(options: &Options, max_log2: u32, device: &Device) -> Vec<usize> {
    let powers = (options.min_log2..=max_log2).step_by(options.step as usize);
    let mut sizes: Vec<usize> = powers.map(|log2| 1 << log2).collect();
    let odd = 100_000_000;
    if sizes.last().is_some_and(|&last| last > odd) {
        sizes.push(odd);
        sizes.sort_unstable();
    }
    let most = device.wgpu_device().map_or(u64::MAX, |device| device.limits().max_buffer_size);
    sizes.retain(|&n| {
        let fits = (n * size_of::<u32>()) as u64 <= most;
        if !fits {
            println!("left out n = {n}: the device's largest buffer has {most} bytes");
        }
        fits
    });
    sizes
}

/// A scan to be timed.
struct Case {
    algorithm: Algorithm,
    exclusive: bool,
    /// Without subgroups.
    plain: bool,
    /// Inputs beyond this size teach nothing new.
    most: usize,
}

impl Case {
    const fn new(algorithm: Algorithm, exclusive: bool) -> Self {
        Self { algorithm, exclusive, plain: false, most: usize::MAX }
    }

    const fn plain(self) -> Self {
        Self { plain: true, ..self }
    }

    const fn up_to(self, most: usize) -> Self {
        Self { most, ..self }
    }
}

const CASES: [Case; 8] = [
    Case::new(Algorithm::Auto, false),
    Case::new(Algorithm::Auto, true),
    Case::new(Algorithm::ThreePass, false),
    Case::new(Algorithm::ThreePass, false).plain(),
    Case::new(Algorithm::SinglePass, false).plain(),
    Case::new(Algorithm::SinglePass, true).plain(),
    Case::new(Algorithm::HillisSteele, false).up_to(1 << 26),
    Case::new(Algorithm::Blelloch, true).up_to(1 << 26),
];

struct Bench {
    options: Options,
    device: Device,
    /// The same adapter without subgroups.
    plain: Device,
    sizes: Vec<usize>,
    rows: Rows,
}

impl Bench {
    fn element<T: Element + Input>(&mut self) -> Result<(), Box<dyn Error>>
    where
        Sum: Monoid<T>,
    {
        let Some(&largest) = self.sizes.last() else {
            return Err("no sizes".into());
        };
        println!("\n{} × {largest}: input", T::NAME);
        let values = input::values::<T>(largest);
        for plain in [false, true] {
            let device = if plain { self.plain.clone() } else { self.device.clone() };
            let clock = Clock::new(&device, self.options.samples)?;
            let source = device.upload(&values)?;
            let target = device.zeros::<T>(largest)?;
            // A copy does not know what it copies.
            if !plain && T::NAME == "u32" {
                self.copies(&device, &clock, &source, &target, &values)?;
            }
            for case in CASES.iter().filter(|case| case.plain == plain) {
                if self.options.quick && (case.plain || !case.algorithm.is_canonical()) {
                    continue;
                }
                self.scans(case, &device, &clock, &source, &target, &values)?;
            }
        }
        Ok(())
    }

    fn scans<T: Element + Input>(
        &mut self,
        case: &Case,
        device: &Device,
        clock: &Clock,
        source: &GpuBuffer<T>,
        target: &GpuBuffer<T>,
        values: &[T],
    ) -> Result<(), Box<dyn Error>>
    where
        Sum: Monoid<T>,
    {
        let scan = GpuScan::new(device).algorithm(case.algorithm);
        let backend = format!("{}{}", clock.backend(), if case.plain { ", no subgroups" } else { "" });
        let most = self.sizes.iter().copied().filter(|&n| n <= case.most).max().unwrap_or(0);
        // Absent elements change nothing before them: the longest input's result serves all.
        let host = GpuScan::new(&Device::cpu()).algorithm(case.algorithm);
        let expected = match case.exclusive {
            false => host.inclusive_slice(&values[..most])?,
            true => host.exclusive_slice(&values[..most])?,
        };
        let exclusive = case.exclusive;
        let record = |encoder: &mut wgpu::CommandEncoder, n: usize| {
            let (from, to) = (source.slice(..n)?, target.slice(..n)?);
            match exclusive {
                false => scan.encode_inclusive(encoder, &from, &to),
                true => scan.encode_exclusive(encoder, &from, &to),
            }
        };
        let primitive = if exclusive { "exclusive_sum" } else { "inclusive_sum" };
        let label = Label { primitive, element: T::NAME, algorithm: case.algorithm.to_string(), backend };
        let sizes: Vec<usize> = self.sizes.iter().copied().filter(|&n| n <= most).collect();
        self.rows.measure(
            clock,
            &label,
            &sizes,
            record,
            |n| Ok(input::same_bits(&target.slice(..n)?.to_vec()?, &expected[..n])),
            |n| target.slice(..n)?.write(&values[..n]),
        )
    }

    fn copies<T: Element + Input>(
        &mut self,
        device: &Device,
        clock: &Clock,
        source: &GpuBuffer<T>,
        target: &GpuBuffer<T>,
        values: &[T],
    ) -> Result<(), Box<dyn Error>> {
        let kernel = copy::Kernel::new(device)?;
        for name in ["kernel", "copy_buffer_to_buffer"] {
            let record = |encoder: &mut wgpu::CommandEncoder, n: usize| {
                let (from, to) = (source.slice(..n)?, target.slice(..n)?);
                match name {
                    "kernel" => kernel.encode(encoder, &from, &to),
                    _ => copy::transfer(encoder, &from, &to),
                }
                Ok(())
            };
            let backend = clock.backend().to_string();
            let label = Label { primitive: "copy", element: T::NAME, algorithm: name.into(), backend };
            let poison = vec![T::zeroed(); values.len()];
            self.rows.measure(
                clock,
                &label,
                &self.sizes,
                record,
                |n| Ok(input::same_bits(&target.slice(..n)?.to_vec()?, &values[..n])),
                |n| target.slice(..n)?.write(&poison[..n]),
            )?;
        }
        Ok(())
    }
}
