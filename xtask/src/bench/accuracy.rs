//! `cargo xtask bench-accuracy`: how far float sums are from the truth, as a file, plots and a table.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::chart::{Chart, Line};
use super::origin::{Origin, file_name};
use super::report::{self, Measurement, Report};
use super::series::Kind;
use super::table::{NONE, write_table};
use super::{labels, marked, plot};

/// What `benches/accuracy` calls this crate's sums, and the best that f32 can hold.
const OURS: &str = "canonical (this crate)";
const LIMIT: &str = "exact, then rounded";

const RESULTS: &str = "benches/results";

#[derive(clap::Args)]
pub struct Options {
    /// The rows that `cargo bench --bench accuracy` wrote
    file: PathBuf,
    #[command(flatten)]
    origin: Origin,
    /// Replace what stands between the accuracy-table comments of this file, instead of printing the tables
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// One method's sums of one input, compared with the exact ones.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Row {
    method: String,
    distribution: String,
    n: u64,
    /// The worst |error| / Σ|x| of all prefixes, in units of 2^-24.
    worst: f64,
    /// How often a prefix is smaller than the one before; only where no input is negative.
    decreasing: Option<u64>,
}

impl Measurement for Row {
    type Key<'a> = (&'a str, &'a str, u64);

    fn key(&self) -> Self::Key<'_> {
        (&self.method, &self.distribution, self.n)
    }

    fn validate(&self) -> Result<()> {
        ensure!(self.n > 0, "no elements");
        ensure!(self.worst.is_finite() && self.worst >= 0.0, "an impossible error: {}", self.worst);
        Ok(())
    }
}

pub fn accuracy(options: Options) -> Result<()> {
    let rows: Vec<Row> = report::read(&options.file)?;
    let report = options.origin.report(rows)?;
    let name = format!("accuracy-{}", file_name(&report.machine));
    report.save(&Path::new(RESULTS).join(format!("{name}.json")))?;
    for distribution in distributions(&report) {
        let file = format!("{RESULTS}/plots/{name}-{distribution}.svg");
        plot::save(&chart(&report, distribution), Path::new(&file))?;
    }
    marked::put(options.write, "accuracy-table", &table(&report))
}

fn chart(report: &Report<Row>, distribution: &str) -> Chart {
    let mut peers = 0..;
    let line = |method| {
        let here = |row: &&Row| row.method == method && row.distribution == distribution;
        let mut points: Vec<_> =
            report.rows.iter().filter(here).map(|row| (row.n as f64, row.worst)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let kind = match method {
            OURS => Kind::Ours(0),
            LIMIT => Kind::Limit,
            _ => Kind::Peer(peers.next().unwrap_or(0)),
        };
        Line { label: method.into(), kind, points }
    };
    Chart {
        title: format!("Worst error of all prefix sums in f32: {distribution}"),
        subtitle: report.origin(),
        y_name: "|error| / Σ|x|, in units of 2⁻²⁴",
        reference: None,
        lines: methods(report).into_iter().map(line).collect(),
    }
}

/// Both tables are about the largest input.
fn table(report: &Report<Row>) -> String {
    let n = report.rows.iter().map(|row| row.n).max().unwrap_or(0);
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.n == n).collect();
    let mut text = format!(
        "{}. Of all prefixes of {} elements the worst |error| / Σ|x|, in units of 2⁻²⁴:\n",
        report.origin(),
        labels::size(n)
    );
    let mut add = |title, value: &dyn Fn(&Row) -> Option<String>| {
        let cell = |method: &str, distribution: &str| {
            rows.iter()
                .find(|row| row.method == method && row.distribution == distribution)
                .and_then(|row| value(row))
        };
        // Only the distributions that have such a value at all.
        let names = distributions(report)
            .into_iter()
            .filter(|&name| methods(report).into_iter().any(|method| cell(method, name).is_some()));
        let head: Vec<String> = names.map(str::to_owned).collect();
        let lines = methods(report).into_iter().map(|method| {
            let cells = head.iter().map(|name| cell(method, name).unwrap_or_else(|| NONE.into()));
            (method.to_owned(), cells.collect())
        });
        write_table(&mut text, title, &head, lines);
    };
    add("worst error", &|row| Some(labels::number(row.worst)));
    add("prefixes smaller than the one before", &|row| row.decreasing.map(labels::count));
    text
}

fn methods(report: &Report<Row>) -> Vec<&str> {
    distinct(report.rows.iter().map(|row| row.method.as_str()))
}

fn distributions(report: &Report<Row>) -> Vec<&str> {
    distinct(report.rows.iter().map(|row| row.distribution.as_str()))
}

/// Each once, in the order of the file.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut list = Vec::new();
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::report;
    use super::*;

    fn row(method: &str, distribution: &str, n: u64, worst: f64) -> Row {
        Row {
            method: method.into(),
            distribution: distribution.into(),
            n,
            worst,
            decreasing: (distribution == "uniform").then_some(1234),
        }
    }

    fn rows() -> Report<Row> {
        report(vec![
            row("sequential", "uniform", 1 << 20, 2048.4),
            row("sequential", "uniform", 1 << 10, 11.0),
            row(OURS, "uniform", 1 << 20, 1.25),
            row(LIMIT, "uniform", 1 << 20, 0.0),
            row("sequential", "normal", 1 << 20, 40.0),
            row(OURS, "normal", 1 << 20, 0.75),
        ])
    }

    #[test]
    fn the_tables_show_the_largest_input() {
        let text = table(&rows());
        let expected = "\
a machine, a driver, 2026-01-01, commit 0000000. Of all prefixes of 2²⁰ elements the worst |error| / Σ|x|, \
in units of 2⁻²⁴:

| worst error | uniform | normal |
|---|--:|--:|
| sequential | 2,048 | 40.0 |
| canonical (this crate) | 1.2 | 0.75 |
| exact, then rounded | 0 | – |

| prefixes smaller than the one before | uniform |
|---|--:|
| sequential | 1,234 |
| canonical (this crate) | 1,234 |
| exact, then rounded | 1,234 |
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_chart_has_a_line_for_every_method() {
        let report = rows();
        let chart = chart(&report, "uniform");
        let points: Vec<_> = chart.lines.iter().map(|line| &line.points[..]).collect();
        let n = f64::from(1 << 20);
        let expected: [&[_]; 3] = [&[(1024.0, 11.0), (n, 2048.4)], &[(n, 1.25)], &[(n, 0.0)]];
        assert_eq!(points, expected);
        let kinds = [Kind::Peer(0), Kind::Ours(0), Kind::Limit];
        assert!(chart.lines.iter().map(|line| line.kind).eq(kinds));
        assert!(chart.svg().is_ok());
    }

    #[test]
    fn bad_rows_are_refused() {
        let good = row(OURS, "uniform", 1, 0.0);
        let valid = |rows: &[&Row]| {
            let rows = rows.iter().map(|&row| row.clone()).collect();
            report::<Row>(rows).validate().is_ok()
        };
        assert!(valid(&[&good]));
        assert!(!valid(&[&good, &good]));
        assert!(!valid(&[&row(OURS, "uniform", 1, f64::INFINITY)]));
        assert!(!valid(&[&row(OURS, "uniform", 0, 1.0)]));
    }
}
