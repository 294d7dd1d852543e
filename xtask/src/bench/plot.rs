//! `cargo xtask bench-plot`: which numbers go into which chart.

use std::path::Path;

use anyhow::{Context, Result};

use super::chart::{Chart, Line};
use super::labels;
use super::origin::file_name;
use super::report::{self, Report, Row};
use super::series::{Kind, Series, tasks};

/// Two charts for every task: throughput, and the ratio to CUB where CUB was measured.
pub fn plot(report: &Report, folder: &Path) -> Result<()> {
    for (primitive, family) in tasks(report) {
        let series = Series::of_task(report, &primitive, &family);
        let title = labels::task(&primitive, &family);
        let throughput = Chart {
            title: format!("Throughput: {title}"),
            subtitle: report.origin(),
            y_name: "GB/s read and written",
            reference: None,
            lines: series.iter().map(|line| line_of(line, |row| Some(row.gigabytes_per_second()))).collect(),
        };
        let cub = series.iter().find(|line| line.label == "CUB");
        let ratio = Chart {
            title: format!("Time of CUB / time: {title}"),
            subtitle: report.origin(),
            y_name: "times as fast as CUB",
            reference: Some(1.0),
            lines: series
                .iter()
                .filter(|line| line.label != "CUB" && line.kind != Kind::Limit)
                // A hundred times slower or faster: on one scale with them the rest is a flat line.
                .filter(|line| line.rows[0].backend != "cpu")
                .map(|line| line_of(line, |row| Some(cub?.at(row.n)?.median_us / row.median_us)))
                .collect(),
        };
        let machine = file_name(&report.machine);
        for (chart, what) in [(throughput, "throughput"), (ratio, "ratio-to-cub")] {
            let file = folder.join(format!("{machine}-{primitive}-{family}-{what}.svg"));
            save(&chart, &file)?;
        }
    }
    Ok(())
}

/// Draws a chart into a file, unless there is nothing to draw.
pub fn save(chart: &Chart, file: &Path) -> Result<()> {
    if chart.lines.iter().all(|line| line.points.is_empty()) {
        return Ok(());
    }
    let svg = chart.svg().with_context(|| file.display().to_string())?;
    report::write(file, &svg)?;
    println!("{}", file.display());
    Ok(())
}

fn line_of(series: &Series, value: impl Fn(&Row) -> Option<f64>) -> Line {
    let point = |row: &&Row| Some((row.n as f64, value(row)?));
    Line {
        label: series.label.clone(),
        kind: series.kind,
        points: series.rows.iter().filter_map(point).collect(),
    }
}
