//! Rows of the result format.

use std::{error::Error, fs, path::Path};

use gpuscan::wgpu;
use serde::Serialize;

use crate::clock::Clock;

/// What is measured: all of a row but its size and its times.
#[derive(Clone, Serialize)]
pub struct Label {
    pub primitive: &'static str,
    pub element: &'static str,
    pub algorithm: String,
    pub backend: String,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    label: Label,
    /// Ours.
    peer: Option<String>,
    n: usize,
    median_us: f64,
    min_us: f64,
    max_us: f64,
    bytes: usize,
    checked: bool,
}

#[derive(Default)]
pub struct Rows(Vec<Row>);

impl Rows {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Checks every size, then times every size: a device that idles while the host compares would be timed
    /// at a fraction of its clock. A wrong result ends the run, for its time would mean nothing.
    pub fn measure(
        &mut self,
        clock: &Clock,
        label: &Label,
        sizes: &[usize],
        record: impl Fn(&mut wgpu::CommandEncoder, usize) -> Result<(), gpuscan::Error>,
        is_right: impl Fn(usize) -> Result<bool, gpuscan::Error>,
        poison: impl Fn(usize) -> Result<(), gpuscan::Error>,
    ) -> Result<(), Box<dyn Error>> {
        let Label { primitive, element, algorithm, backend } = label;
        for &n in sizes {
            poison(n)?;
            clock.once(|encoder| record(encoder, n))?;
            if !is_right(n)? {
                let what = format!("{primitive} of {n} {element} by {algorithm} on {backend}");
                return Err(format!("wrong result: {what}").into());
            }
        }
        clock.wake()?;
        for &n in sizes {
            let mut times = clock.time(|encoder| record(encoder, n))?;
            times.sort_by(f64::total_cmp);
            let us = |i: usize| times[i] / 1e3;
            let row = Row {
                label: label.clone(),
                peer: None,
                n,
                median_us: us(times.len() / 2),
                min_us: us(0),
                max_us: us(times.len() - 1),
                bytes: 2 * n * size_of::<u32>(),
                checked: true,
            };
            println!(
                "{primitive:14} {element:4} {algorithm:22} {backend:28} n = {n:>10}  {:>10.1} µs \
                 ({:.1}–{:.1})  {:>7.1} GB/s",
                row.median_us,
                row.min_us,
                row.max_us,
                row.bytes as f64 / row.median_us / 1e3,
            );
            self.0.push(row);
        }
        Ok(())
    }

    /// One row a line.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let lines: Vec<String> = self.0.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, format!("[\n{}\n]\n", lines.join(",\n")))?;
        Ok(())
    }
}
