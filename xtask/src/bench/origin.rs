//! Where and when rows were measured: the head of a result file.

use std::process::Command;

use anyhow::Result;

use super::report::Report;
use crate::command;

#[derive(clap::Args)]
pub struct Origin {
    /// The machine, as it is to be shown: "NVIDIA H200"
    #[arg(long)]
    pub machine: String,
    /// Driver and what else the numbers depend on: "driver 580.159, CUDA 13.0, wgpu 30.0.2"
    #[arg(long)]
    pub driver: String,
    /// The day of the measurement: 2026-11-30
    #[arg(long)]
    pub date: String,
    /// What was measured; the checkout's own commit unless said
    #[arg(long)]
    pub commit: Option<String>,
}

impl Origin {
    pub fn report<R>(self, rows: Vec<R>) -> Result<Report<R>> {
        Ok(Report {
            machine: self.machine,
            driver: self.driver,
            date: self.date,
            commit: self.commit.map_or_else(checkout, Ok)?,
            rows,
        })
    }
}

/// "NVIDIA H200" as a file's name: nvidia-h200.
pub fn file_name(machine: &str) -> String {
    let words = machine.to_lowercase();
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The commit of the checkout, marked where files differ from it.
fn checkout() -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let text = command::output(Command::new("git").args(arguments))?;
        Ok(text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Ok(if changed { commit + "-changed" } else { commit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_names_its_file() {
        assert_eq!(file_name("NVIDIA H200 (one)"), "nvidia-h200-one");
    }
}
