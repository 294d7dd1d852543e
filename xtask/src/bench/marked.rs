//! Text between two comments of a Markdown file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::report;

/// Prints `text`, or replaces with it what stands between `<!-- mark -->` and `<!-- /mark -->` of `file`.
pub fn put(file: Option<PathBuf>, mark: &str, text: &str) -> Result<()> {
    match file {
        Some(file) => write(&file, mark, text),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn write(file: &Path, mark: &str, text: &str) -> Result<()> {
    let old = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let new = replaced(&old, mark, text)
        .with_context(|| format!("{} has no <!-- {mark} --> with an end", file.display()))?;
    report::write(file, &new)
}

fn replaced(old: &str, mark: &str, text: &str) -> Option<String> {
    let (start, end) = (format!("<!-- {mark} -->"), format!("<!-- /{mark} -->"));
    let (before, rest) = old.split_once(&start)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{start}\n\n{text}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_is_replaced() {
        let old = "above\n<!-- bench-table -->\nold\n<!-- /bench-table -->\nbelow\n";
        let new = replaced(old, "bench-table", "new\n").unwrap();
        assert_eq!(new, "above\n<!-- bench-table -->\n\nnew\n\n<!-- /bench-table -->\nbelow\n");
        assert_eq!(replaced(&new, "bench-table", "new\n").unwrap(), new);
        assert!(replaced(&new, "accuracy-table", "new\n").is_none());
    }
}
