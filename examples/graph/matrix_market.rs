//! Matrix Market coordinate files: a banner, comments, a size `rows columns entries`, then one entry a line.
//!
//! A symmetric matrix stores its lower triangle only: an entry off the diagonal stands for two.

use super::{BadFile, Fields, Graph, MAX_ENTRIES, MAX_ROWS};

const BANNER: &str = "%%MatrixMarket";

#[derive(Clone, Copy)]
enum Value {
    Pattern,
    Real,
    Integer,
}

pub fn has_banner(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(BANNER))
}

pub fn read(text: &str) -> Result<Graph, BadFile> {
    let end = text.lines().count() + 1;
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));

    let (line, first) = lines.next().unwrap_or((1, ""));
    let (value, symmetric) = banner(Fields::new(line, first))?;

    let mut lines = lines
        .filter(|(_, line)| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with('%')
        })
        .map(|(line, text)| Fields::new(line, text));

    let mut size = lines
        .next()
        .ok_or_else(|| BadFile::new(end, "a size `rows columns entries`", "the end of the file"))?;
    let rows = size.number("the number of rows", 0..=MAX_ROWS)?;
    let columns = size.number("the number of columns", 0..=u64::MAX)?;
    let stored = size.number("the number of entries", 0..=MAX_ENTRIES)?;
    size.end("the size")?;
    if symmetric && rows != columns {
        let expected = format!("as many columns as the {rows} rows of a symmetric matrix");
        return Err(size.bad(expected, Some(&columns.to_string())));
    }

    let mut degrees = vec![0u32; rows as usize];
    let mut entries = 0;
    for entry in 1..=stored {
        let mut fields = lines.next().ok_or_else(|| {
            let expected = format!("entry {entry} of {stored}");
            BadFile::new(end, expected, "the end of the file")
        })?;
        let row = fields.number("a row", 1..=rows)?;
        let column = fields.number("a column", 1..=columns)?;
        skip_value(&mut fields, value)?;
        fields.end("the entry")?;

        let mirrored = symmetric && row != column;
        if mirrored && column > row {
            let expected =
                format!("a column up to row {row}, as a symmetric matrix stores its lower triangle");
            return Err(fields.bad(expected, Some(&column.to_string())));
        }
        entries += 1 + u64::from(mirrored);
        if entries > MAX_ENTRIES {
            let expected = format!("at most {MAX_ENTRIES} entries in both triangles");
            return Err(BadFile::new(fields.line, expected, "more"));
        }
        degrees[row as usize - 1] += 1;
        if mirrored {
            degrees[column as usize - 1] += 1;
        }
    }
    if let Some(mut fields) = lines.next() {
        let field = fields.next();
        return Err(fields.bad(format!("nothing after entry {stored} of {stored}"), field));
    }
    Ok(Graph { format: "Matrix Market", degrees, entries })
}

/// What each entry carries, and whether the matrix is symmetric. The banner's words may have any case.
fn banner(mut fields: Fields<'_>) -> Result<(Value, bool), BadFile> {
    expect(&mut fields, "the banner `%%MatrixMarket`", &[(BANNER, ())])?;
    expect(&mut fields, "`matrix`", &[("matrix", ())])?;
    expect(&mut fields, "`coordinate`", &[("coordinate", ())])?;
    let value = expect(
        &mut fields,
        "`pattern`, `real` or `integer`",
        &[("pattern", Value::Pattern), ("real", Value::Real), ("integer", Value::Integer)],
    )?;
    let symmetric =
        expect(&mut fields, "`general` or `symmetric`", &[("general", false), ("symmetric", true)])?;
    fields.end("the banner")?;
    Ok((value, symmetric))
}

fn expect<T: Copy>(fields: &mut Fields<'_>, expected: &str, words: &[(&str, T)]) -> Result<T, BadFile> {
    let field = fields.next();
    words
        .iter()
        .find(|(word, _)| field.is_some_and(|field| field.eq_ignore_ascii_case(word)))
        .map(|&(_, meaning)| meaning)
        .ok_or_else(|| fields.bad(expected, field))
}

fn skip_value(fields: &mut Fields<'_>, value: Value) -> Result<(), BadFile> {
    let (expected, is_good): (&str, fn(&str) -> bool) = match value {
        Value::Pattern => return Ok(()),
        Value::Real => ("a real value", |field| field.parse::<f64>().is_ok()),
        Value::Integer => ("an integer value", |field| field.parse::<i64>().is_ok()),
    };
    let field = fields.next();
    if field.is_some_and(is_good) { Ok(()) } else { Err(fields.bad(expected, field)) }
}
