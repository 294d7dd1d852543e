//! Rows of the result format.

use std::{error::Error, fs, path::Path};

use serde::Serialize;

#[derive(Serialize)]
pub struct Row {
    primitive: &'static str,
    element: &'static str,
    algorithm: String,
    backend: String,
    /// Ours.
    peer: Option<String>,
    n: usize,
    median_us: f64,
    min_us: f64,
    max_us: f64,
    bytes: usize,
    checked: bool,
}

impl Row {
    /// `times` are nanoseconds, at least one.
    pub fn new(
        primitive: &'static str,
        element: &'static str,
        algorithm: String,
        backend: String,
        n: usize,
        mut times: Vec<f64>,
        checked: bool,
    ) -> Self {
        times.sort_by(f64::total_cmp);
        let us = |i: usize| times[i] / 1e3;
        Self {
            primitive,
            element,
            algorithm,
            backend,
            peer: None,
            n,
            median_us: us(times.len() / 2),
            min_us: us(0),
            max_us: us(times.len() - 1),
            bytes: 2 * n * size_of::<u32>(),
            checked,
        }
    }
}

#[derive(Default)]
pub struct Rows(Vec<Row>);

impl Rows {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Shows the row and keeps it. A wrong result ends the run: its time would mean nothing.
    pub fn push(&mut self, row: Row) -> Result<(), Box<dyn Error>> {
        println!(
            "{:14} {:4} {:22} {:28} n = {:>10}  {:>10.1} µs ({:.1}–{:.1})  {:>7.1} GB/s",
            row.primitive,
            row.element,
            row.algorithm,
            row.backend,
            row.n,
            row.median_us,
            row.min_us,
            row.max_us,
            row.bytes as f64 / row.median_us / 1e3,
        );
        if !row.checked {
            return Err(format!(
                "wrong result: {} of {} {} by {} on {}",
                row.primitive, row.n, row.element, row.algorithm, row.backend
            )
            .into());
        }
        self.0.push(row);
        Ok(())
    }

    /// One row a line.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let lines: Vec<String> = self
            .0
            .iter()
            .map(serde_json::to_string)
            .collect::<Result<_, _>>()?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, format!("[\n{}\n]\n", lines.join(",\n")))?;
        Ok(())
    }
}
