//! `cargo xtask bench-merge`: files of rows in, one result file out.

use std::path::PathBuf;

use anyhow::Result;

use super::origin::{Origin, file_name};
use super::report::{self, Row};

#[derive(clap::Args)]
pub struct Options {
    /// Files that hold a JSON array of rows each: our own, and those of the peers
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    origin: Origin,
    /// The result file; `benches/results/MACHINE.json` unless said
    #[arg(long)]
    out: Option<PathBuf>,
}

pub fn merge(options: Options) -> Result<()> {
    let mut rows = Vec::new();
    for file in &options.files {
        rows.extend(report::read::<Vec<Row>>(file)?);
    }
    let report = options.origin.report(sorted(rows))?;
    let out =
        options.out.unwrap_or_else(|| format!("benches/results/{}.json", file_name(&report.machine)).into());
    report.save(&out)
}

/// Ours first (none sorts before some), then by peer; each series by growing n.
fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| {
        let order =
            |row: &Row| (row.peer.clone(), row.primitive.clone(), row.element.clone(), row.algorithm.clone());
        order(a).cmp(&order(b)).then_with(|| a.backend.cmp(&b.backend)).then(a.n.cmp(&b.n))
    });
    rows
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::report::Report;
    use super::super::test_rows::{origin, row};
    use super::*;

    #[test]
    fn rows_are_ordered_ours_first_and_by_size() {
        let rows = sorted(vec![
            row(Some("CUB"), 512, 1.0),
            row(None, 512, 1.0),
            row(Some("CUB"), 256, 1.0),
            row(None, 256, 1.0),
        ]);
        let order: Vec<_> = rows.iter().map(|row| (row.peer.as_deref(), row.n)).collect();
        assert_eq!(order, [(None, 256), (None, 512), (Some("CUB"), 256), (Some("CUB"), 512)]);
    }

    #[test]
    fn files_are_joined_and_a_bad_row_writes_nothing() {
        let folder = std::env::temp_dir().join(format!("bench-merge-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (ours, theirs) = (folder.join("ours.json"), folder.join("theirs.json"));
        fs::write(&ours, serde_json::to_string(&[row(None, 256, 10.0)]).unwrap()).unwrap();
        let out = folder.join("result.json");
        let merge_with = |peer: Row| {
            fs::write(&theirs, serde_json::to_string(&[peer]).unwrap()).unwrap();
            merge(Options {
                files: vec![ours.clone(), theirs.clone()],
                origin: origin(),
                out: Some(out.clone()),
            })
        };

        let wrong = Row { checked: false, ..row(Some("CUB"), 256, 10.0) };
        assert!(merge_with(wrong).is_err());
        assert!(!out.exists());
        merge_with(row(Some("CUB"), 256, 10.0)).unwrap();
        let report: Report = Report::load(&out).unwrap();
        assert_eq!(report.rows.len(), 2);
        fs::remove_dir_all(folder).unwrap();
    }
}
