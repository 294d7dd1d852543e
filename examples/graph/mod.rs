//! Reads how many entries each row of a graph's or sparse matrix's file has.

mod matrix_market;
mod metis;

use std::fmt;
use std::path::Path;

/// More rows than this are taken for a damaged header, before memory is reserved for them.
const MAX_ROWS: u64 = 1 << 28;

/// Entries are counted in `u32`, as the row offsets of most CSR libraries are.
const MAX_ENTRIES: u64 = u32::MAX as u64;

/// A file whose every line was checked.
#[derive(Debug)]
pub struct Graph {
    /// What the file is written in.
    pub format: &'static str,
    /// The number of entries of each row.
    pub degrees: Vec<u32>,
    /// The number of entries that the file's header declares, both triangles counted. An exclusive scan of
    /// the degrees has to end on it.
    pub entries: u64,
}

/// Why a file cannot be used: what was found where something else was expected.
#[derive(Debug, PartialEq)]
pub struct BadFile {
    line: usize,
    expected: String,
    found: String,
}

impl BadFile {
    fn new(line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        BadFile { line, expected: expected.into(), found: found.into() }
    }
}

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadFile { line, expected, found } = self;
        write!(f, "line {line}: expected {expected}, found {found}")
    }
}

impl std::error::Error for BadFile {}

/// Reads a METIS (`.graph`) or Matrix Market (`.mtx`) file. `name` tells which; a name that does not is
/// settled by the banner that only Matrix Market files begin with.
pub fn read(name: &str, bytes: &[u8]) -> Result<Graph, BadFile> {
    // Comments may be in any encoding; whatever else is not ASCII is refused as a number.
    let text = String::from_utf8_lossy(bytes);
    let extension = Path::new(name)
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    match extension.as_str() {
        "mtx" => matrix_market::read(&text),
        "graph" => metis::read(&text),
        _ if matrix_market::has_banner(&text) => matrix_market::read(&text),
        _ => metis::read(&text),
    }
}

/// The fields of one line, taken one after the other.
struct Fields<'a> {
    line: usize,
    rest: std::str::SplitWhitespace<'a>,
}

impl<'a> Fields<'a> {
    fn new(line: usize, text: &'a str) -> Self {
        Fields { line, rest: text.split_whitespace() }
    }

    fn next(&mut self) -> Option<&'a str> {
        self.rest.next()
    }

    /// A whole number within `range`; `what` names it in the error.
    fn number(&mut self, what: &str, range: std::ops::RangeInclusive<u64>) -> Result<u64, BadFile> {
        let field = self.next();
        self.check(field, what, range)
    }

    /// Like [`number`](Self::number), for a field that was taken already.
    fn check(
        &self,
        field: Option<&str>,
        what: &str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, BadFile> {
        field.and_then(|field| field.parse().ok()).filter(|number| range.contains(number)).ok_or_else(|| {
            let (low, high) = range.into_inner();
            let limits = match high {
                u64::MAX => format!("a whole number from {low} on"),
                _ => format!("a whole number from {low} to {high}"),
            };
            self.bad(format!("{what}, {limits}"), field)
        })
    }

    /// The line has to end here.
    fn end(&mut self, after: &str) -> Result<(), BadFile> {
        match self.next() {
            None => Ok(()),
            field => Err(self.bad(format!("the end of the line after {after}"), field)),
        }
    }

    fn bad(&self, expected: impl Into<String>, field: Option<&str>) -> BadFile {
        let found = field.map_or_else(|| "the end of the line".to_owned(), quoted);
        BadFile::new(self.line, expected, found)
    }
}

/// A field as an error shows it: on one line, however long and strange it is.
fn quoted(field: &str) -> String {
    const SHOWN: usize = 32;
    let shown: String = field.chars().take(SHOWN).collect();
    let more = if field.chars().count() > SHOWN { "…" } else { "" };
    format!("`{}{more}`", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degrees(name: &str, text: &str) -> (Vec<u32>, u64) {
        let graph = read(name, text.as_bytes()).expect("the file is good");
        assert_eq!(graph.degrees.iter().map(|&d| u64::from(d)).sum::<u64>(), graph.entries);
        (graph.degrees, graph.entries)
    }

    fn error(name: &str, text: &str) -> String {
        read(name, text.as_bytes()).expect_err("the file is bad").to_string()
    }

    #[test]
    fn metis_with_every_kind_of_weight() {
        // A path of three, and a row without edges.
        let plain = "% a path\n4 2\n2\n1 3\n% between rows\n2\n\n";
        let edges = "4 2 1\n2 9\n1 9 3 8\n2 8\n\n";
        let vertices = "4 2 10\n5 2\n5 1 3\n5 2\n5\n";
        let two_each = "4 2 010 2\n5 6 2\n5 6 1 3\n5 6 2\n5 6\n";
        let everything = "4 2 111 2\r\n7 5 6 2 9\r\n7 5 6 1 9 3 8\r\n7 5 6 2 8\r\n7 5 6\r\n";
        for text in [plain, edges, vertices, two_each, everything] {
            assert_eq!(degrees("a.graph", text), (vec![1, 2, 1, 0], 4), "{text}");
        }
    }

    #[test]
    fn metis_mistakes_are_named_by_line() {
        for (text, expected) in [
            ("", "line 1: expected a header `vertices edges`, found the end of the file"),
            ("% only a comment\n", "line 2: expected a header `vertices edges`, found the end of the file"),
            (
                "x 2\n",
                "line 1: expected the number of vertices, a whole number from 0 to 268435456, found `x`",
            ),
            (
                "3\n",
                "line 1: expected the number of edges, a whole number from 0 to 2147483647, found the end of the line",
            ),
            (
                "99999999999 1\n",
                "line 1: expected the number of vertices, a whole number from 0 to 268435456, found `99999999999`",
            ),
            ("2 1 12\n2\n1\n", "line 1: expected a format of at most three digits 0 or 1, found `12`"),
            (
                "2 1 1 2\n2\n1\n",
                "line 1: expected no number of vertex weights after a format without them, found `2`",
            ),
            ("2 1 0 0 0\n2\n1\n", "line 1: expected the end of the line after the header, found `0`"),
            ("2 1\n2\n3\n", "line 3: expected a neighbour, a whole number from 1 to 2, found `3`"),
            ("2 1\n2\n0\n", "line 3: expected a neighbour, a whole number from 1 to 2, found `0`"),
            ("2 1\n2\n-1\n", "line 3: expected a neighbour, a whole number from 1 to 2, found `-1`"),
            (
                "2 1 1\n2\n1 1\n",
                "line 2: expected an edge's weight, a whole number from 0 on, found the end of the line",
            ),
            (
                "2 1 10\n\n1 1\n",
                "line 2: expected a vertex weight, a whole number from 0 on, found the end of the line",
            ),
            ("3 1\n2\n1\n", "line 4: expected row 3 of 3, found the end of the file"),
            ("2 1\n2\n1\n\n1\n", "line 5: expected nothing after row 2 of 2, found `1`"),
            (
                "2 2\n2\n1\n",
                "line 1: expected the number of edges to be half of the 2 neighbours listed, found 2",
            ),
        ] {
            assert_eq!(error("a.graph", text), expected);
        }
    }

    #[test]
    fn matrix_market_of_every_kind() {
        let general = "%%MatrixMarket matrix coordinate real general\n% c\n\n3 2 4\n1 1 0.5\n3 2 -1e-3\n\n1 2 7\n3 1 nan\n";
        assert_eq!(degrees("a.mtx", general), (vec![2, 0, 2], 4));
        let pattern = "%%matrixmarket MATRIX Coordinate Pattern General\r\n3 2 1\r\n2 2\r\n";
        assert_eq!(degrees("a.MTX", pattern), (vec![0, 1, 0], 1));
        // Below the diagonal: an entry in either row. On it: one.
        let symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n2 1 -4\n3 2 4\n";
        assert_eq!(degrees("renamed.txt", symmetric), (vec![2, 2, 1], 5));
    }

    #[test]
    fn matrix_market_mistakes_are_named_by_line() {
        let general = "%%MatrixMarket matrix coordinate integer general\n";
        let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
        for (text, expected) in [
            ("1 1 1\n".to_owned(), "line 1: expected the banner `%%MatrixMarket`, found `1`"),
            ("%%MatrixMarket vector\n".to_owned(), "line 1: expected `matrix`, found `vector`"),
            (
                "%%MatrixMarket matrix array real general\n".to_owned(),
                "line 1: expected `coordinate`, found `array`",
            ),
            (
                "%%MatrixMarket matrix coordinate complex general\n".to_owned(),
                "line 1: expected `pattern`, `real` or `integer`, found `complex`",
            ),
            (
                "%%MatrixMarket matrix coordinate real\n".to_owned(),
                "line 1: expected `general` or `symmetric`, found the end of the line",
            ),
            (general.to_owned(), "line 2: expected a size `rows columns entries`, found the end of the file"),
            (
                format!("{general}2 3\n"),
                "line 2: expected the number of entries, a whole number from 0 to 4294967295, found the end of the line",
            ),
            (
                format!("{symmetric}2 3 1\n"),
                "line 2: expected as many columns as the 2 rows of a symmetric matrix, found `3`",
            ),
            // The file that R's Matrix package ships as wrong.mtx.
            (
                format!("{general}2 3 2\n0 1 1\n1 3 4\n"),
                "line 3: expected a row, a whole number from 1 to 2, found `0`",
            ),
            (
                format!("{general}2 3 2\n1 4 1\n"),
                "line 3: expected a column, a whole number from 1 to 3, found `4`",
            ),
            (format!("{general}2 3 1\n1 1 1.5\n"), "line 3: expected an integer value, found `1.5`"),
            (
                format!("{general}2 3 1\n1 1\n"),
                "line 3: expected an integer value, found the end of the line",
            ),
            (
                format!("{general}2 3 1\n1 1 1 1\n"),
                "line 3: expected the end of the line after the entry, found `1`",
            ),
            (
                format!("{symmetric}2 2 1\n1 2 1\n"),
                "line 3: expected a column up to row 1, as a symmetric matrix stores its lower triangle, found `2`",
            ),
            (format!("{symmetric}2 2 1\n2 1 x\n"), "line 3: expected a real value, found `x`"),
            (format!("{general}2 3 2\n1 1 1\n"), "line 4: expected entry 2 of 2, found the end of the file"),
            (
                format!("{general}2 3 1\n1 1 1\n\n2 2 2\n"),
                "line 5: expected nothing after entry 1 of 1, found `2`",
            ),
        ] {
            assert_eq!(error("a.mtx", &text), expected);
        }
    }

    #[test]
    fn strange_bytes_make_a_short_error() {
        let bytes = [0xff, 0x00, b'x'].repeat(1_000);
        let message = read("a.graph", &bytes).expect_err("not a graph").to_string();
        assert!(message.starts_with("line 1: expected the number of vertices"));
        assert!(message.chars().count() < 400 && message.lines().count() == 1);
    }

    #[test]
    fn the_shipped_mesh() {
        let graph = read("4elt.graph", include_bytes!("../data/4elt.graph")).expect("good");
        assert_eq!((graph.degrees.len(), graph.entries), (7_434, 86_062));
    }
}
