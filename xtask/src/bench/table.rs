//! `cargo xtask bench-table`: the medians as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::labels;
use super::report::{Report, Row};
use super::series::{Series, tasks};

/// The sizes shown: enough to see the shape of the curve, few enough for a page.
const POWERS: [u32; 8] = [8, 12, 16, 20, 22, 24, 26, 28];
const OTHERS: [u64; 1] = [100_000_000];

const START: &str = "<!-- bench-table -->";
const END: &str = "<!-- /bench-table -->";

/// One table for every task, fastest at the largest size first.
pub fn table(report: &Report) -> String {
    let mut text = format!("{}. Medians in microseconds.\n", report.origin());
    for (primitive, family) in tasks(report) {
        let series = Series::of_task(report, &primitive, &family);
        let shown =
            |n: &u64| OTHERS.contains(n) || n.is_power_of_two() && POWERS.contains(&n.ilog2());
        let sizes: BTreeSet<u64> = series
            .iter()
            .flat_map(|line| line.rows.iter().map(|row| row.n))
            .filter(shown)
            .collect();
        write_table(
            &mut text,
            &labels::task(&primitive, &family),
            &series,
            &sizes,
        );
    }
    text
}

fn write_table(text: &mut String, title: &str, series: &[Series], sizes: &BTreeSet<u64>) {
    let cells: Vec<String> = sizes.iter().map(|&n| labels::size(n)).collect();
    let _ = writeln!(text, "\n| {title} | {} |", cells.join(" | "));
    let _ = writeln!(text, "|---|{}", "--:|".repeat(sizes.len()));
    for line in series {
        let cells: Vec<String> = sizes.iter().map(|&n| cell(line, series, n)).collect();
        let _ = writeln!(
            text,
            "| {} | {} |",
            labels::with_algorithm(line.rows[0]),
            cells.join(" | ")
        );
    }
}

/// The median, bold where no scan of the column is faster. A copy is the limit, no contender.
fn cell(line: &Series, all: &[Series], n: u64) -> String {
    let Some(row) = line.at(n) else {
        return "–".into();
    };
    let us = labels::microseconds(row.median_us);
    let contender = |row: &&Row| row.primitive != "copy";
    let fastest = all.iter().filter_map(|line| line.at(n)).filter(contender);
    let fastest = fastest
        .map(|row| row.median_us)
        .fold(f64::INFINITY, f64::min);
    if contender(&row) && row.median_us <= fastest {
        format!("**{us}**")
    } else {
        us
    }
}

/// Replaces what stands between the two comments of `file`.
pub fn write(file: &Path, tables: &str) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let text = replaced(&text, tables)
        .with_context(|| format!("{} has no {START} … {END}", file.display()))?;
    fs::write(file, text).with_context(|| file.display().to_string())
}

fn replaced(text: &str, tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{START}\n\n{tables}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::{report, row};
    use super::*;

    #[test]
    fn a_table_has_a_line_for_every_series() {
        let copy = Row {
            primitive: "copy".into(),
            ..row(Some("CUDA memcpy"), 1 << 20, 8.6)
        };
        let rows = vec![
            row(None, 1 << 20, 15.0),
            row(Some("CUB"), 1 << 20, 18.6),
            copy,
        ];
        let text = table(&report(rows));
        assert!(text.contains("| inclusive sum, u32 | 2²⁰ |"), "{text}");
        assert!(
            text.contains("| gpuscan single pass, vulkan | **15.0** |"),
            "{text}"
        );
        assert!(text.contains("| CUB (single pass) | 18.6 |"), "{text}");
        assert!(
            text.contains("| copy: CUDA memcpy (single pass) | 8.6 |"),
            "{text}"
        );
    }

    #[test]
    fn only_the_marked_part_is_replaced() {
        let text = "above\n<!-- bench-table -->\nold\n<!-- /bench-table -->\nbelow\n";
        let new = replaced(text, "new\n").unwrap();
        assert_eq!(
            new,
            "above\n<!-- bench-table -->\n\nnew\n\n<!-- /bench-table -->\nbelow\n"
        );
        assert_eq!(replaced(&new, "new\n").unwrap(), new);
        assert!(replaced("no marks", "new").is_none());
    }
}
