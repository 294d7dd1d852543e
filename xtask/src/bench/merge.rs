//! `cargo xtask bench-merge`: files of rows in, one result file out.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::report::{Report, Row};

#[derive(clap::Args)]
pub struct Options {
    /// Files that hold a JSON array of rows each: our own, and those of the peers
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The machine, as it is to be shown: "NVIDIA H200"
    #[arg(long)]
    machine: String,
    /// Driver and what else the numbers depend on: "driver 580.159, CUDA 13.0, wgpu 30.0.2"
    #[arg(long)]
    driver: String,
    /// The day of the measurement: 2026-11-30
    #[arg(long)]
    date: String,
    /// What was measured; the checkout's own commit unless said
    #[arg(long)]
    commit: Option<String>,
    /// The result file; benches/results/<machine>.json unless said
    #[arg(long)]
    out: Option<PathBuf>,
}

pub fn merge(options: Options) -> Result<()> {
    let mut rows = Vec::new();
    for file in &options.files {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let more: Vec<Row> =
            serde_json::from_str(&text).with_context(|| file.display().to_string())?;
        rows.extend(more);
    }
    let out = options
        .out
        .unwrap_or_else(|| format!("benches/results/{}.json", file_name(&options.machine)).into());
    let report = Report {
        machine: options.machine,
        driver: options.driver,
        date: options.date,
        commit: options.commit.map_or_else(checkout, Ok)?,
        rows: sorted(rows),
    };
    report.validate()?;
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&out, report.to_json()?).with_context(|| out.display().to_string())?;
    println!("{}: {} rows", out.display(), report.rows.len());
    Ok(())
}

/// Ours first (none sorts before some), then by peer; each series by growing n.
fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| {
        let order = |row: &Row| {
            (
                row.peer.clone(),
                row.primitive.clone(),
                row.element.clone(),
                row.algorithm.clone(),
            )
        };
        order(a)
            .cmp(&order(b))
            .then_with(|| a.backend.cmp(&b.backend))
            .then(a.n.cmp(&b.n))
    });
    rows
}

/// "NVIDIA H200" as a file's name: nvidia-h200.
pub fn file_name(machine: &str) -> String {
    let words = machine.to_lowercase();
    let words = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The commit of the checkout, marked where files differ from it.
fn checkout() -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git")
            .args(arguments)
            .output()
            .context("git")?;
        ensure!(
            output.status.success(),
            "git {} failed: give --commit",
            arguments.join(" ")
        );
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Ok(if changed { commit + "-changed" } else { commit })
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::row;
    use super::*;

    #[test]
    fn rows_are_ordered_ours_first_and_by_size() {
        let rows = sorted(vec![
            row(Some("CUB"), 512, 1.0),
            row(None, 512, 1.0),
            row(Some("CUB"), 256, 1.0),
            row(None, 256, 1.0),
        ]);
        let order: Vec<_> = rows
            .iter()
            .map(|row| (row.peer.as_deref(), row.n))
            .collect();
        assert_eq!(
            order,
            [
                (None, 256),
                (None, 512),
                (Some("CUB"), 256),
                (Some("CUB"), 512)
            ]
        );
    }

    #[test]
    fn files_are_joined_and_a_bad_row_writes_nothing() {
        let folder = std::env::temp_dir().join(format!("bench-merge-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (ours, theirs) = (folder.join("ours.json"), folder.join("theirs.json"));
        fs::write(
            &ours,
            serde_json::to_string(&[row(None, 256, 10.0)]).unwrap(),
        )
        .unwrap();
        let out = folder.join("result.json");
        let merge_with = |peer: Row| {
            fs::write(&theirs, serde_json::to_string(&[peer]).unwrap()).unwrap();
            merge(Options {
                files: vec![ours.clone(), theirs.clone()],
                machine: "A machine".into(),
                driver: "a driver".into(),
                date: "2026-01-01".into(),
                commit: Some("0000000".into()),
                out: Some(out.clone()),
            })
        };

        let wrong = Row {
            checked: false,
            ..row(Some("CUB"), 256, 10.0)
        };
        assert!(merge_with(wrong).is_err());
        assert!(!out.exists());
        merge_with(row(Some("CUB"), 256, 10.0)).unwrap();
        assert_eq!(Report::load(&out).unwrap().rows.len(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_machine_names_its_file() {
        assert_eq!(file_name("NVIDIA H200 (one)"), "nvidia-h200-one");
    }
}
