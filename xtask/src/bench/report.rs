//! The result format. `benches/peers/README.md` says what each field means.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Everything measured on one machine in one go: times, unless said otherwise.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Report<R = Row> {
    pub machine: String,
    pub driver: String,
    pub date: String,
    pub commit: String,
    pub rows: Vec<R>,
}

/// What a report has rows of.
pub trait Measurement: DeserializeOwned + Serialize {
    /// What makes two rows the same measurement.
    type Key<'a>: Debug + Ord
    where
        Self: 'a;

    fn key(&self) -> Self::Key<'_>;

    /// Fails on a row that must not be shown to anyone.
    fn validate(&self) -> Result<()>;
}

/// One program's time for one task at one size.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub primitive: String,
    pub element: String,
    pub algorithm: String,
    pub backend: String,
    /// Whose program; none for our own.
    pub peer: Option<String>,
    pub n: u64,
    pub median_us: f64,
    pub min_us: f64,
    pub max_us: f64,
    /// What the task has to read and write, whatever the algorithm moves.
    pub bytes: u64,
    /// Whether the result was compared with the reference before the timing, and equal.
    pub checked: bool,
}

impl Row {
    /// Sums of i32 and of u32 have the same bits: they are shown together.
    pub fn family(&self) -> &str {
        if self.element == "i32" { "u32" } else { &self.element }
    }

    pub fn gigabytes_per_second(&self) -> f64 {
        self.bytes as f64 / (self.median_us * 1e3)
    }
}

impl Measurement for Row {
    type Key<'a> = (&'a str, &'a str, &'a str, &'a str, Option<&'a str>, u64);

    fn key(&self) -> Self::Key<'_> {
        (&self.primitive, &self.element, &self.algorithm, &self.backend, self.peer.as_deref(), self.n)
    }

    fn validate(&self) -> Result<()> {
        ensure!(self.checked, "the result was not checked, or wrong");
        ensure!(self.n > 0 && self.bytes > 0, "no elements or no bytes");
        let times = [self.min_us, self.median_us, self.max_us];
        ensure!(
            times.iter().all(|us| us.is_finite() && *us > 0.0) && times.is_sorted(),
            "impossible times: min {}, median {}, max {}",
            self.min_us,
            self.median_us,
            self.max_us
        );
        Ok(())
    }
}

/// What a JSON file holds.
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    serde_json::from_str(&text).with_context(|| file.display().to_string())
}

/// Writes a file, and the folders that it is to be in.
pub fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::write(file, text).with_context(|| file.display().to_string())
}

impl<R: Measurement> Report<R> {
    pub fn load(file: &Path) -> Result<Self> {
        let report: Self = read(file)?;
        report.validate().with_context(|| file.display().to_string())?;
        Ok(report)
    }

    /// Writes a valid report to its file.
    pub fn save(&self, file: &Path) -> Result<()> {
        self.validate()?;
        write(file, &self.to_json()?)?;
        println!("{}: {} rows", file.display(), self.rows.len());
        Ok(())
    }

    /// Fails on the first bad row.
    pub fn validate(&self) -> Result<()> {
        ensure!(!self.rows.is_empty(), "there are no rows");
        let mut seen = BTreeSet::new();
        for row in &self.rows {
            row.validate().with_context(|| format!("{:?}", row.key()))?;
            ensure!(seen.insert(row.key()), "two rows for {:?}", row.key());
        }
        Ok(())
    }

    /// One row a line: a later run is then a readable diff.
    pub fn to_json(&self) -> Result<String> {
        let rows: Result<Vec<String>, _> = self.rows.iter().map(serde_json::to_string).collect();
        Ok(format!(
            "{{\n\"machine\": {},\n\"driver\": {},\n\"date\": {},\n\"commit\": {},\n\"rows\": [\n{}\n]\n}}\n",
            serde_json::to_string(&self.machine)?,
            serde_json::to_string(&self.driver)?,
            serde_json::to_string(&self.date)?,
            serde_json::to_string(&self.commit)?,
            rows?.join(",\n")
        ))
    }

    /// "machine, driver, date, commit": what stands over every table and plot.
    pub fn origin(&self) -> String {
        format!("{}, {}, {}, commit {}", self.machine, self.driver, self.date, self.commit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::{report, row};
    use super::*;

    #[test]
    fn bad_rows_are_refused() {
        assert!(report(vec![row(None, 256, 10.0)]).validate().is_ok());
        assert!(report::<Row>(vec![]).validate().is_err());
        assert!(report(vec![row(None, 256, 0.0)]).validate().is_err());
        assert!(report(vec![row(None, 256, f64::NAN)]).validate().is_err());
        assert!(report(vec![row(None, 256, f64::INFINITY)]).validate().is_err());

        let mut unchecked = row(Some("CUB"), 256, 10.0);
        unchecked.checked = false;
        assert!(report(vec![unchecked]).validate().is_err());

        let mut disordered = row(None, 256, 10.0);
        disordered.min_us = 11.0;
        assert!(report(vec![disordered]).validate().is_err());
    }

    #[test]
    fn the_same_row_twice_is_refused() {
        let twice = report(vec![row(None, 256, 10.0), row(None, 256, 11.0)]);
        assert!(twice.validate().is_err());
    }

    #[test]
    fn json_comes_back_the_same() {
        let first = report(vec![row(None, 256, 10.25), row(Some("CUB"), 256, 12.5)]);
        let text = first.to_json().unwrap();
        let second: Report = serde_json::from_str(&text).unwrap();
        assert_eq!(second.to_json().unwrap(), text);
    }
}
