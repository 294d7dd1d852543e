//! Shows the two textbook scans at work: what the GPU's workgroup memory held after every round, beside
//! what the same round gives on the CPU.
//!
//! ```text
//! cargo run --release --example trace -- 3 1 7 0 4 2 1 6
//! ```

use std::error::Error;
use std::process::ExitCode;

use gpuscan::Device;
use gpuscan::trace::{self, Round};

/// What one workgroup of the smaller of the two kernels scans.
const MOST: usize = 256;

/// Columns that a table may fill.
const WIDTH: usize = 100;

/// What stands between two rounds that agree, and between two that do not.
const AGREE: &str = "=";
const DIFFER: &str = "DIFFERS";

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
    let values = numbers(std::env::args_os().skip(1))?;

    let cpu = Device::cpu();
    let gpu = Device::new().unwrap_or_else(|error| {
        println!("No GPU, both sides are the CPU: {error}\n");
        Device::cpu()
    });
    println!("{}", gpu.describe());
    println!("Sums are taken modulo 2^32.");

    let tables = [
        Table {
            title: "Hillis–Steele, inclusive: every value takes in the one `offset` places before it",
            gpu: trace::hillis_steele(&gpu, &values)?,
            cpu: trace::hillis_steele(&cpu, &values)?,
        },
        Table {
            title: "Blelloch, exclusive: a tree of sums on the way up, what lies before on the way down",
            gpu: trace::blelloch(&gpu, &values)?,
            cpu: trace::blelloch(&cpu, &values)?,
        },
    ];
    let mut rounds = 0;
    let mut differing = 0;
    for table in &tables {
        print!("\n{}", table.text());
        rounds += table.rows().count();
        differing += table.differing();
    }
    if differing > 0 {
        println!();
        return Err(format!("GPU and CPU differ in {differing} of {rounds} rounds, marked {DIFFER}").into());
    }
    println!("\nGPU and CPU agree in all {rounds} rounds.");
    Ok(())
}

/// The arguments as numbers; without any, the eight of the textbook example.
fn numbers(arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<Vec<u32>, String> {
    let arguments: Vec<_> = arguments.collect();
    if arguments.is_empty() {
        return Ok(vec![3, 1, 7, 0, 4, 2, 1, 6]);
    }
    if arguments.len() > MOST {
        return Err(format!(
            "expected at most {MOST} numbers, as one workgroup scans, found {}",
            arguments.len()
        ));
    }
    arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| {
            let number = argument.to_str().and_then(|text| text.parse().ok());
            number.ok_or_else(|| {
                format!(
                    "argument {}: expected a whole number from 0 to {}, found {argument:?}",
                    index + 1,
                    u32::MAX
                )
            })
        })
        .collect()
}

/// One algorithm's rounds on both sides.
struct Table {
    title: &'static str,
    gpu: Vec<Round<u32>>,
    cpu: Vec<Round<u32>>,
}

impl Table {
    /// The rounds in pairs; `None` where one side has fewer of them.
    fn rows(&self) -> impl Iterator<Item = (Option<&Round<u32>>, Option<&Round<u32>>)> {
        (0..self.gpu.len().max(self.cpu.len())).map(|i| (self.gpu.get(i), self.cpu.get(i)))
    }

    fn differing(&self) -> usize {
        self.rows().filter(|(gpu, cpu)| gpu != cpu).count()
    }

    fn text(&self) -> String {
        let rounds = || self.gpu.iter().chain(&self.cpu);
        let names = rounds().map(|round| round.name.len()).max().unwrap_or(0);
        let cell =
            rounds().flat_map(|round| &round.values).map(|value| value.to_string().len()).max().unwrap_or(0);
        let longest = rounds().map(|round| round.values.len()).max().unwrap_or(0);

        // "  name  GPU…  marker  CPU…"
        let marker = if self.differing() == 0 { AGREE } else { DIFFER }.len();
        let side = longest * (cell + 1);
        let beside = 2 + names + 1 + side + 2 + marker + 1 + side <= WIDTH;

        let mut text = format!("{}\n", self.title);
        if beside {
            let header = format!(
                "  {:names$} {:>cell$}{:rest$}  {:marker$} {:>cell$}",
                "",
                "GPU",
                "",
                "",
                "CPU",
                cell = cell + 1,
                rest = side.saturating_sub(cell.max(2) + 1)
            );
            text += header.trim_end();
            text.push('\n');
        }
        for (gpu, cpu) in self.rows() {
            let name = gpu.or(cpu).map_or("", |round| &round.name);
            let mark = if gpu == cpu { AGREE } else { DIFFER };
            let row = |round: Option<&Round<u32>>, width| {
                round.map_or_else(|| " no such round".to_owned(), |round| line(&round.values, cell, width))
            };
            if beside {
                let (gpu, cpu) = (row(gpu, side), row(cpu, side));
                text += &format!("  {name:names$} {gpu:side$}  {mark:marker$} {cpu}\n");
            } else {
                let width = WIDTH - (2 + names + 2 + 3 + 1 + marker);
                let (gpu, cpu) = (row(gpu, width), row(cpu, width));
                text += &format!("  {name:names$}  GPU {:marker$}{gpu}\n", "");
                text += &format!("  {:names$}  CPU {mark:marker$}{cpu}\n", "");
            }
            if let Some(place) = first_difference(gpu, cpu) {
                text += &format!("  {:names$}  {place}\n", "");
            }
        }
        text
    }
}

/// Values in cells as wide as the widest; the middle is left out of a line that does not fit.
fn line(values: &[u32], cell: usize, width: usize) -> String {
    let cells =
        |values: &[u32]| -> String { values.iter().map(|value| format!(" {value:>cell$}")).collect() };
    let room = width / (cell + 1);
    if values.len() <= room {
        return cells(values);
    }
    let omitted = format!(" … {} more …", values.len());
    let shown = (width.saturating_sub(omitted.chars().count()) / (cell + 1)).max(2);
    let (head, tail) = (shown.div_ceil(2), shown / 2);
    format!(
        "{} … {} more …{}",
        cells(&values[..head]),
        values.len() - shown,
        cells(&values[values.len() - tail..])
    )
}

/// Where two sides of a round part, in words; a difference in the middle that a line leaves out included.
fn first_difference(gpu: Option<&Round<u32>>, cpu: Option<&Round<u32>>) -> Option<String> {
    let (gpu, cpu) = (gpu?, cpu?);
    if gpu.name != cpu.name {
        return Some(format!("GPU: {}, CPU: {}", gpu.name, cpu.name));
    }
    if gpu.values.len() != cpu.values.len() {
        let (gpu, cpu) = (gpu.values.len(), cpu.values.len());
        return Some(format!("GPU: {gpu} values, CPU: {cpu} values"));
    }
    let index = (0..gpu.values.len()).find(|&i| gpu.values[i] != cpu.values[i])?;
    let count = gpu.values.iter().zip(&cpu.values).filter(|(a, b)| a != b).count();
    let (gpu, cpu) = (gpu.values[index], cpu.values[index]);
    Some(format!("first of {count} at index {index}: GPU {gpu}, CPU {cpu}"))
}
