//! Times of sparse products on graphs of the METIS format, beside those of `benches/peers/cusparse.cu`, in the format
//! of `benches/peers/README.md`.
//!
//! `cargo bench --bench spmv -- examples/data/4elt.graph`. Each result is compared with the CPU's, bit for bit, before
//! it is timed.

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

use std::{error::Error, fs, path::Path, path::PathBuf};

use clap::Parser;
use gpuscan::{Csr, Device, GpuCsr};

use clock::Clock;
use rows::{Label, Rows};

#[derive(Parser)]
struct Options {
    /// Graphs as METIS writes them, without weights.
    graphs: Vec<PathBuf>,
    /// How many copies of a graph the matrix has along its diagonal: small graphs only show what a call costs.
    #[arg(long, value_delimiter = ',', default_value = "1,64")]
    copies: Vec<usize>,
    /// Samples in a row of the result.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(3..))]
    samples: u32,
    /// Also without subgroups.
    #[arg(long)]
    plain: bool,
    /// Where the rows go.
    #[arg(long, default_value = "target/rows-spmv.json")]
    out: PathBuf,
    /// `cargo bench` says so.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A matrix with an entry for each of a graph's edges, in both directions.
struct Matrix {
    offsets: Vec<u32>,
    columns: Vec<u32>,
}

impl Matrix {
    fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path)?;
        let mut lines = text.lines().filter(|line| !line.starts_with('%'));
        let header = lines.next().ok_or("an empty file")?;
        let rows: usize = header.split_whitespace().next().ok_or("no number of rows")?.parse()?;
        let mut matrix = Matrix { offsets: vec![0], columns: Vec::new() };
        for line in lines.take(rows) {
            for field in line.split_whitespace() {
                matrix.columns.push(field.parse::<u32>()?.checked_sub(1).ok_or("vertices count from 1")?);
            }
            matrix.offsets.push(matrix.columns.len() as u32);
        }
        match matrix.rows() == rows {
            true => Ok(matrix),
            false => Err(format!("expected {rows} rows, found {}", matrix.rows()).into()),
        }
    }

    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    fn repeated(&self, copies: usize) -> Self {
        let (rows, entries) = (self.rows() as u32, self.columns.len() as u32);
        let copies = 0..copies as u32;
        let offsets = copies.clone().flat_map(|c| self.offsets[1..].iter().map(move |&o| c * entries + o));
        let columns = copies.clone().flat_map(|c| self.columns.iter().map(move |&column| c * rows + column));
        Matrix { offsets: [0].into_iter().chain(offsets).collect(), columns: columns.collect() }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut rows = Rows::default();
    for plain in [false, true].into_iter().filter(|&plain| options.plain || !plain) {
        let device = Device::request().subgroups(!plain).wait()?;
        println!("{device}");
        let clock = Clock::new(&device, options.samples)?;
        for path in &options.graphs {
            let graph = Matrix::read(path)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            for &copies in &options.copies {
                let label = Label {
                    primitive: "spmv",
                    element: "f32",
                    algorithm: format!("{name} x {copies}"),
                    backend: format!("{}{}", clock.backend(), if plain { ", no subgroups" } else { "" }),
                };
                measure(&device, &clock, &label, &graph.repeated(copies), &mut rows)?;
            }
        }
    }
    rows.write(&options.out)?;
    println!("{} rows in {}", rows.len(), options.out.display());
    Ok(())
}

fn measure(
    device: &Device,
    clock: &Clock,
    label: &Label,
    matrix: &Matrix,
    rows: &mut Rows,
) -> Result<(), Box<dyn Error>> {
    let entries = matrix.columns.len();
    let (values, vector) = (input::values::<f32>(entries), input::values::<f32>(matrix.rows()));
    let on = |device: &Device| -> Result<_, gpuscan::Error> {
        let csr = Csr { offsets: device.upload(&matrix.offsets)?, entries: device.upload(&matrix.columns)? };
        Ok((csr, device.upload(&values)?, device.upload(&vector)?))
    };
    let host = Device::cpu();
    let (host_csr, host_values, host_vector) = on(&host)?;
    let wanted = GpuCsr::new(&host).multiply(&host_csr, &host_values, &host_vector)?.to_vec()?;
    let (csr, values, vector) = on(device)?;
    let target = device.zeros::<f32>(matrix.rows())?;
    let product = GpuCsr::new(device);
    rows.measure(
        clock,
        label,
        &[entries],
        |encoder, _| product.encode_multiply(encoder, &csr, &values, &vector, &target),
        |_| Ok(input::same_bits(&target.to_vec()?, &wanted)),
        |_| target.write(&vec![f32::NAN; matrix.rows()]),
    )
}
