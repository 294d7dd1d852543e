//! `cargo xtask bench-table`: the medians as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::labels;
use super::report::{Report, Row};
use super::series::{Series, tasks};

/// The sizes shown: enough to see the shape of the curve, few enough for a page.
const POWERS: [u32; 8] = [8, 12, 16, 20, 22, 24, 26, 28];
const OTHERS: [u64; 1] = [100_000_000];

/// A cell without a measurement.
pub const NONE: &str = "–";

/// One table for every task, fastest at the largest size first.
pub fn table(report: &Report) -> String {
    let mut text = format!("{}. Medians in microseconds.\n", report.origin());
    for (primitive, family) in tasks(report) {
        let series = Series::of_task(report, &primitive, &family);
        let shown = |n: &u64| OTHERS.contains(n) || n.is_power_of_two() && POWERS.contains(&n.ilog2());
        let sizes: BTreeSet<u64> =
            series.iter().flat_map(|line| line.rows.iter().map(|row| row.n)).filter(shown).collect();
        let head: Vec<String> = sizes.iter().map(|&n| labels::size(n)).collect();
        let lines = series.iter().map(|line| {
            let cells = sizes.iter().map(|&n| cell(line, &series, n)).collect();
            (labels::with_algorithm(line.rows[0]), cells)
        });
        write_table(&mut text, &labels::task(&primitive, &family), &head, lines);
    }
    text
}

/// A line's name, and its cells: as many as `head` has.
pub fn write_table(
    text: &mut String,
    title: &str,
    head: &[String],
    lines: impl IntoIterator<Item = (String, Vec<String>)>,
) {
    let _ = writeln!(text, "\n| {title} | {} |", head.join(" | "));
    let _ = writeln!(text, "|---|{}", "--:|".repeat(head.len()));
    for (name, cells) in lines {
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
}

/// The median, bold where no scan of the column is faster. A copy is the limit, no contender.
fn cell(line: &Series, all: &[Series], n: u64) -> String {
    let Some(row) = line.at(n) else {
        return NONE.into();
    };
    let us = labels::number(row.median_us);
    let contender = |row: &&Row| row.primitive != "copy";
    let fastest = all.iter().filter_map(|line| line.at(n)).filter(contender);
    let fastest = fastest.map(|row| row.median_us).fold(f64::INFINITY, f64::min);
    if contender(&row) && row.median_us <= fastest { format!("**{us}**") } else { us }
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::{report, row};
    use super::*;

    #[test]
    fn a_table_has_a_line_for_every_series() {
        let copy = Row { primitive: "copy".into(), ..row(Some("CUDA memcpy"), 1 << 20, 8.6) };
        let rows = vec![row(None, 1 << 20, 15.0), row(Some("CUB"), 1 << 20, 18.6), copy];
        let text = table(&report(rows));
        assert!(text.contains("| inclusive sum, u32 | 2²⁰ |"), "{text}");
        assert!(text.contains("| gpuscan single pass, vulkan | **15.0** |"), "{text}");
        assert!(text.contains("| CUB (single pass) | 18.6 |"), "{text}");
        assert!(text.contains("| copy: CUDA memcpy (single pass) | 8.6 |"), "{text}");
    }
}
