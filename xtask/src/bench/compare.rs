//! `cargo xtask bench-compare`: what got slower, and by more than the noise?
//!
//! The noise of a row is half its spread, (max - min) / 2 / median; that of a comparison is the sum of
//! both rows' noise. It is taken as at least 3 %, since clocks drift more than one run shows, and at
//! most 25 %, so that a single stray sample cannot hide a real loss.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, ensure};

use super::labels;
use super::report::{Measurement, Report, Row};

const LEAST_NOISE: f64 = 0.03;
const MOST_NOISE: f64 = 0.25;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Slower,
    Faster,
    Noise,
}

struct Line {
    label: String,
    ours: bool,
    ratio: f64,
    noise: f64,
    change: Change,
}

pub struct Comparison {
    lines: Vec<Line>,
    only_old: Vec<String>,
    only_new: Vec<String>,
}

pub fn compare(old: &Report, new: &Report) -> Result<Comparison> {
    ensure!(
        old.machine == new.machine,
        "different machines cannot be compared: {} and {}",
        old.machine,
        new.machine
    );
    let mut left: BTreeMap<_, _> = old.rows.iter().map(|row| (row.key(), row)).collect();
    let mut lines = Vec::new();
    let mut only_new = Vec::new();
    for row in &new.rows {
        match left.remove(&row.key()) {
            Some(before) => lines.push(line(before, row)),
            None => only_new.push(label(row)),
        }
    }
    lines.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    let only_old = left.into_values().map(label).collect();
    Ok(Comparison { lines, only_old, only_new })
}

fn line(old: &Row, new: &Row) -> Line {
    let spread = |row: &Row| (row.max_us - row.min_us) / 2.0 / row.median_us;
    let noise = (spread(old) + spread(new)).clamp(LEAST_NOISE, MOST_NOISE);
    let ratio = new.median_us / old.median_us;
    let change = if ratio > 1.0 + noise {
        Change::Slower
    } else if ratio < 1.0 / (1.0 + noise) {
        Change::Faster
    } else {
        Change::Noise
    };
    Line { label: label(new), ours: new.peer.is_none(), ratio, noise, change }
}

fn label(row: &Row) -> String {
    let who = labels::with_algorithm(row);
    format!("{who}: {} {} {}", row.primitive, row.element, labels::size(row.n))
}

impl Comparison {
    fn slower(&self, ours: bool) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.change == Change::Slower && line.ours == ours)
    }

    /// Fails where something of ours got slower. A peer that did shows that the machine changed.
    pub fn verdict(&self) -> Result<()> {
        let slower = self.slower(true).count();
        ensure!(!self.lines.is_empty(), "the two files have no row in common");
        ensure!(slower == 0, "{slower} of our rows got slower by more than the noise");
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "new / old   noise")?;
        for line in &self.lines {
            let word = match line.change {
                Change::Slower => "slower",
                Change::Faster => "faster",
                Change::Noise => "",
            };
            let noise = line.noise * 100.0;
            writeln!(f, "{:9.3}  ±{noise:4.1} %  {word:6}  {}", line.ratio, line.label)?;
        }
        for (list, file) in [(&self.only_old, "old"), (&self.only_new, "new")] {
            for label in list {
                writeln!(f, "only in the {file} file: {label}")?;
            }
        }
        for (ours, title) in [(true, "slowed down"), (false, "peers that slowed down")] {
            if self.slower(ours).next().is_some() {
                writeln!(f, "\n{title}:")?;
            }
            for line in self.slower(ours) {
                writeln!(f, "  {:.2} times the old time, {}", line.ratio, line.label)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_rows::{report, row};
    use super::*;

    fn change(old: Row, new: Row) -> Change {
        line(&old, &new).change
    }

    #[test]
    fn small_changes_are_noise() {
        assert_eq!(change(row(None, 256, 100.0), row(None, 256, 102.9)), Change::Noise);
        assert_eq!(change(row(None, 256, 102.9), row(None, 256, 100.0)), Change::Noise);
    }

    #[test]
    fn larger_changes_are_not() {
        assert_eq!(change(row(None, 256, 100.0), row(None, 256, 104.0)), Change::Slower);
        assert_eq!(change(row(None, 256, 104.0), row(None, 256, 100.0)), Change::Faster);
    }

    #[test]
    fn a_wide_spread_widens_the_band_but_not_without_end() {
        let wide = Row { max_us: 130.0, ..row(None, 256, 100.0) };
        assert_eq!(change(wide.clone(), row(None, 256, 110.0)), Change::Noise);
        let stray = Row { max_us: 10_000.0, ..wide };
        assert_eq!(change(stray, row(None, 256, 130.0)), Change::Slower);
    }

    #[test]
    fn only_our_own_slowdowns_fail() {
        let old = report(vec![row(None, 256, 100.0), row(Some("CUB"), 256, 100.0)]);
        let peer = report(vec![row(None, 256, 100.0), row(Some("CUB"), 256, 200.0)]);
        let ours = report(vec![row(None, 256, 200.0), row(Some("CUB"), 256, 100.0)]);
        assert!(compare(&old, &old).unwrap().verdict().is_ok());
        assert!(compare(&old, &peer).unwrap().verdict().is_ok());
        assert!(compare(&old, &ours).unwrap().verdict().is_err());
    }

    #[test]
    fn rows_without_a_partner_are_named() {
        let old = report(vec![row(None, 256, 100.0), row(None, 512, 100.0)]);
        let new = report(vec![row(None, 256, 100.0), row(None, 1024, 100.0)]);
        let comparison = compare(&old, &new).unwrap();
        assert_eq!((comparison.only_old.len(), comparison.only_new.len()), (1, 1));
        assert!(comparison.verdict().is_ok());
    }

    #[test]
    fn other_machines_and_disjoint_files_are_refused() {
        let one = report(vec![row(None, 256, 100.0)]);
        let mut other = one.clone();
        other.machine = "another machine".into();
        assert!(compare(&one, &other).is_err());
        let disjoint = report(vec![row(None, 512, 100.0)]);
        assert!(compare(&one, &disjoint).unwrap().verdict().is_err());
    }
}
