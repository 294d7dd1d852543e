//! METIS graphs: a header `vertices edges [format [weights]]`, then one line a vertex with its neighbours.
//!
//! Every edge is listed in both of its rows. The format's digits say what else is there: a size before
//! each row, weights before each row, a weight after each neighbour.

use super::{BadFile, Fields, Graph, MAX_ENTRIES, MAX_ROWS};

struct Header {
    line: usize,
    vertices: u64,
    edges: u64,
    /// Numbers before the neighbours of a vertex.
    sizes: u64,
    weights: u64,
    weighted_edges: bool,
}

pub fn read(text: &str) -> Result<Graph, BadFile> {
    let end = text.lines().count() + 1;
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with('%'))
        .map(|(index, line)| Fields::new(index + 1, line));

    let header = header(
        lines.next().ok_or_else(|| BadFile::new(end, "a header `vertices edges`", "the end of the file"))?,
    )?;

    let mut degrees = Vec::new();
    let mut listed = 0;
    for vertex in 1..=header.vertices {
        // An empty line is a vertex without neighbours.
        let fields = lines.next().ok_or_else(|| {
            let expected = format!("row {vertex} of {}", header.vertices);
            BadFile::new(end, expected, "the end of the file")
        })?;
        let degree = neighbours(fields, &header)?;
        listed += u64::from(degree);
        degrees.push(degree);
    }
    for mut fields in lines {
        if let Some(field) = fields.next() {
            let expected = format!("nothing after row {0} of {0}", header.vertices);
            return Err(fields.bad(expected, Some(field)));
        }
    }

    let entries = 2 * header.edges;
    if listed != entries {
        return Err(BadFile::new(
            header.line,
            format!("the number of edges to be half of the {listed} neighbours listed"),
            header.edges.to_string(),
        ));
    }
    Ok(Graph { format: "METIS", degrees, entries })
}

fn header(mut fields: Fields<'_>) -> Result<Header, BadFile> {
    let vertices = fields.number("the number of vertices", 0..=MAX_ROWS)?;
    let edges = fields.number("the number of edges", 0..=MAX_ENTRIES / 2)?;

    let format = fields.next().unwrap_or("0");
    if format.len() > 3 || !format.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
        return Err(fields.bad("a format of at most three digits 0 or 1", Some(format)));
    }
    // Read from the right: leading zeros may be left out.
    let digit = |place: usize| format.bytes().rev().nth(place) == Some(b'1');

    let weights = match fields.next() {
        None => None,
        count => Some(fields.check(count, "the number of vertex weights", 0..=MAX_ROWS)?),
    };
    fields.end("the header")?;
    if let (false, Some(count @ 1..)) = (digit(1), weights) {
        return Err(
            fields.bad("no number of vertex weights after a format without them", Some(&count.to_string()))
        );
    }
    Ok(Header {
        line: fields.line,
        vertices,
        edges,
        sizes: u64::from(digit(2)),
        // Announced without a number, or with 0: one.
        weights: if digit(1) { weights.unwrap_or(1).max(1) } else { 0 },
        weighted_edges: digit(0),
    })
}

fn neighbours(mut fields: Fields<'_>, header: &Header) -> Result<u32, BadFile> {
    for _ in 0..header.sizes {
        fields.number("a vertex size", 0..=u64::MAX)?;
    }
    for _ in 0..header.weights {
        fields.number("a vertex weight", 0..=u64::MAX)?;
    }
    let mut degree = 0u32;
    while let Some(field) = fields.next() {
        fields.check(Some(field), "a neighbour", 1..=header.vertices)?;
        if header.weighted_edges {
            fields.number("an edge's weight", 0..=u64::MAX)?;
        }
        degree = degree.saturating_add(1);
    }
    Ok(degree)
}
