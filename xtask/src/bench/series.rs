//! The rows of a report as lines: one program's times for one task over all sizes.

use std::collections::{BTreeMap, BTreeSet};

use super::labels;
use super::report::{Measurement, Report, Row};

/// How a line is to be told from the others; the same in all plots of a report.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Ours(usize),
    Peer(usize),
    /// No contender, but the limit of all: a copy takes as long as a scan at least.
    Limit,
}

pub struct Series<'a> {
    pub label: String,
    pub kind: Kind,
    /// By growing n; never empty.
    pub rows: Vec<&'a Row>,
}

/// Every task of the report as (primitive, element).
pub fn tasks(report: &Report) -> BTreeSet<(String, String)> {
    let scans = report.rows.iter().filter(|row| row.primitive != "copy");
    scans.map(|row| (row.primitive.clone(), row.family().to_owned())).collect()
}

impl<'a> Series<'a> {
    /// The lines of a task, the fastest at its largest size first, and the copies of as many bytes.
    pub fn of_task(report: &'a Report, primitive: &str, family: &str) -> Vec<Self> {
        let rows = report.rows.iter();
        let of_task = |row: &&Row| row.primitive == primitive && row.family() == family;
        let Some(example) = rows.clone().find(of_task) else {
            return Vec::new();
        };
        let bytes_each = example.bytes / example.n;
        let is_copy = |row: &&Row| row.primitive == "copy" && row.bytes == bytes_each * row.n;

        let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        for row in rows.filter(|row| of_task(row) || is_copy(row)) {
            let (primitive, element, algorithm, backend, peer, _) = row.key();
            groups.entry((primitive, element, algorithm, backend, peer)).or_default().push(row);
        }
        let mut series: Vec<_> = groups.into_values().map(|rows| Self::new(report, rows)).collect();
        let pace =
            |line: &Series| line.rows.last().map_or(f64::INFINITY, |row| row.median_us / row.bytes as f64);
        series.sort_by(|a, b| pace(a).total_cmp(&pace(b)));
        series
    }

    fn new(report: &Report, mut rows: Vec<&'a Row>) -> Self {
        rows.sort_by_key(|row| row.n);
        let row = rows[0];
        // The place among all labels of its kind: so a colour means the same in every plot.
        let alike = |other: &&Row| other.primitive != "copy" && other.peer.is_none() == row.peer.is_none();
        let labels: BTreeSet<String> = report.rows.iter().filter(alike).map(style_name).collect();
        let place = labels.iter().position(|label| *label == style_name(row)).unwrap_or(0);
        let kind = match &row.peer {
            _ if row.primitive == "copy" => Kind::Limit,
            None => Kind::Ours(place),
            Some(_) => Kind::Peer(place),
        };
        Series { label: labels::who(row), kind, rows }
    }

    pub fn at(&self, n: u64) -> Option<&'a Row> {
        self.rows.iter().find(|row| row.n == n).copied()
    }
}

fn style_name(row: &Row) -> String {
    row.peer.clone().unwrap_or_else(|| labels::who(row))
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::{report, row};
    use super::*;

    #[test]
    fn rows_become_lines_with_the_copies_that_bound_them() {
        let mut copy = row(Some("CUDA memcpy"), 512, 1.0);
        copy.primitive = "copy".into();
        let mut wide_copy = copy.clone();
        wide_copy.bytes *= 2;
        let mut signed = row(Some("torch.cumsum"), 512, 5.0);
        signed.element = "i32".into();
        let rows = vec![
            row(None, 512, 2.0),
            row(None, 256, 2.0),
            row(Some("CUB"), 512, 4.0),
            copy,
            wide_copy,
            signed,
        ];
        let report = report(rows);

        assert_eq!(tasks(&report).into_iter().collect::<Vec<_>>(), [("inclusive_sum".into(), "u32".into())]);
        let lines = Series::of_task(&report, "inclusive_sum", "u32");
        let labels: Vec<_> = lines.iter().map(|line| line.label.as_str()).collect();
        let expected = ["copy: CUDA memcpy", "gpuscan single pass, vulkan", "CUB", "torch.cumsum (i32)"];
        assert_eq!(labels, expected);
        assert_eq!(lines[1].rows.iter().map(|row| row.n).collect::<Vec<_>>(), [256, 512]);
        assert_eq!(lines[2].at(512).map(|row| row.median_us), Some(4.0));
        assert!(lines[2].at(256).is_none());
    }
}
