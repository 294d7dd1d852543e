//! Measurements as files: join them, draw them, tabulate them, compare two of them. And two that need no
//! clock: how far float sums are from the truth, and what a call costs the host in instructions.
//!
//! No number in README.md or in a plot is typed by hand, and none comes from an unchecked row.

mod accuracy;
mod chart;
mod compare;
mod instructions;
mod labels;
mod marked;
mod merge;
mod origin;
mod plot;
mod report;
mod series;
mod table;
#[cfg(test)]
mod test_rows;

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use report::Report;

#[derive(Subcommand)]
pub enum Task {
    /// Join files of measured rows into one result file of a machine
    #[command(name = "bench-merge")]
    Merge(merge::Options),
    /// Draw throughput and the ratio to CUB, one SVG each, from result files
    #[command(name = "bench-plot")]
    Plot {
        /// Result files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where the plots go
        #[arg(long, default_value = "benches/results/plots")]
        out: PathBuf,
    },
    /// Print result files as a Markdown table
    #[command(name = "bench-table")]
    Table {
        /// Result files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Replace what stands between the bench-table comments of this file instead
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Say what got slower between two result files of one machine, and fail if anything of ours did
    #[command(name = "bench-compare")]
    Compare {
        /// The earlier result file
        old: PathBuf,
        /// The later result file
        new: PathBuf,
    },
    /// Keep, draw and tabulate how far float sums are from the truth
    #[command(name = "bench-accuracy")]
    Accuracy(accuracy::Options),
    /// Count the instructions of the host's part of a call, under valgrind
    #[command(name = "bench-instructions")]
    Instructions(instructions::Options),
}

pub fn run(task: Task) -> Result<()> {
    match task {
        Task::Merge(options) => merge::merge(options),
        Task::Plot { files, out } => {
            for report in load(&files)? {
                plot::plot(&report, &out)?;
            }
            Ok(())
        }
        Task::Table { files, write } => {
            let tables: Vec<String> = load(&files)?.iter().map(table::table).collect();
            let tables = tables.join("\n");
            marked::put(write, "bench-table", &tables)
        }
        Task::Compare { old, new } => {
            let comparison = compare::compare(&Report::load(&old)?, &Report::load(&new)?)?;
            print!("{comparison}");
            comparison.verdict()
        }
        Task::Accuracy(options) => accuracy::accuracy(options),
        Task::Instructions(options) => instructions::instructions(&options),
    }
}

fn load(files: &[PathBuf]) -> Result<Vec<Report>> {
    files.iter().map(|file| Report::load(file)).collect()
}
