//! `cargo xtask bench-instructions`: what a call costs the host, counted instead of timed.
//!
//! A time depends on the machine and on its mood; a count of instructions comes out the same within a third
//! of a percent, so that one committed file can be compared with. Each case runs twice, the second time
//! with twice the calls: the difference is what the calls cost, and the program's start is not in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::{labels, report};
use crate::command::{self, cargo};

/// More than this is a loss: several times the noise.
const TOLERANCE: f64 = 0.02;

#[derive(clap::Args)]
pub struct Options {
    /// Compare with the committed file and fail on what grew by more than 2 %, instead of writing it
    #[arg(long)]
    check: bool,
}

/// What the committed file holds.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    /// What the counts depend on besides the checkout.
    compiler: String,
    target: String,
    /// By case.
    instructions_per_call: BTreeMap<String, u64>,
}

pub fn instructions(options: &Options) -> Result<()> {
    if !command::exists("valgrind") {
        bail!("skipped: there is no valgrind here (Debian, Ubuntu and Fedora: package valgrind)");
    }
    let file = crate::root().join("benches/results/instructions.json");
    let old = match options.check || file.exists() {
        true => Some(report::read::<Counts>(&file)?),
        false => None,
    };
    println!("building …");
    let program = build()?;
    let new = Counts { instructions_per_call: count_all(&program)?, ..here()? };
    print!("{}", table(old.as_ref(), &new));
    if let Some(old) = old.filter(|_| options.check) {
        return verdict(&old, &new);
    }
    report::write(&file, &(serde_json::to_string_pretty(&new)? + "\n"))?;
    println!("{}", file.display());
    Ok(())
}

fn build() -> Result<PathBuf> {
    let messages = command::output(&mut cargo([
        "bench",
        "--no-run",
        "--bench",
        "instructions",
        "--message-format=json-render-diagnostics",
    ]))?;
    executable(&messages).context("cargo named no executable")
}

/// The bench's program among cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Artifact {
        target: Target,
        executable: Option<PathBuf>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Artifact>(line).ok())
        .filter(|artifact| artifact.target.name == "instructions")
        .find_map(|artifact| artifact.executable)
}

/// Everything but the counts.
fn here() -> Result<Counts> {
    let text = command::output(Command::new("rustc").arg("-vV"))?;
    let field = |name| {
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.map(str::to_owned).context("an answer of rustc -vV")
    };
    Ok(Counts {
        compiler: field("release: ")?,
        target: field("host: ")?,
        instructions_per_call: BTreeMap::new(),
    })
}

fn count_all(program: &Path) -> Result<BTreeMap<String, u64>> {
    // Without arguments it lists its cases, each with a number of calls.
    let cases = command::output(&mut Command::new(program))?;
    let mut counts = BTreeMap::new();
    for line in cases.lines() {
        let (case, calls) = line.split_once('\t').context("a case without a number")?;
        let calls: u64 = calls.parse()?;
        let (once, twice) = (count(program, case, calls)?, count(program, case, 2 * calls)?);
        ensure!(twice > once, "{case}: twice the calls took no more");
        counts.insert(case.to_owned(), (twice - once) / calls);
    }
    ensure!(!counts.is_empty(), "there are no cases");
    Ok(counts)
}

fn count(program: &Path, case: &str, calls: u64) -> Result<u64> {
    let mut command = Command::new("valgrind");
    // The profile is not wanted, only the total, which is in the log.
    let log = std::env::temp_dir().join(format!("bench-instructions-{}", std::process::id()));
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--log-file={}", log.display()))
        .arg(program)
        .args([case, &calls.to_string()]);
    command::output(&mut command)?;
    let text = std::fs::read_to_string(&log)?;
    std::fs::remove_file(&log)?;
    collected(&text).with_context(|| format!("callgrind's total is not in:\n{text}"))
}

/// The number in `==123== Collected : 456`.
fn collected(log: &str) -> Option<u64> {
    let number = log.lines().find_map(|line| line.split_once("Collected :"));
    number?.1.trim().parse().ok()
}

fn table(old: Option<&Counts>, new: &Counts) -> String {
    let mut text = String::new();
    let differs = |old: &&Counts| (&old.compiler, &old.target) != (&new.compiler, &new.target);
    if let Some(old) = old.filter(differs) {
        text += &format!(
            "The file's counts are of Rust {} on {}, these of {} on {}.\n",
            old.compiler, old.target, new.compiler, new.target
        );
    }
    text += "instructions a call   change\n";
    for (case, &count) in &new.instructions_per_call {
        let change = match old.and_then(|old| old.instructions_per_call.get(case)) {
            Some(&before) => format!("{:+.2} %", (growth(before, count) - 1.0) * 100.0),
            None => "new".into(),
        };
        text += &format!("{:>19}  {change:>8}   {case}\n", labels::count(count));
    }
    text
}

fn growth(before: u64, after: u64) -> f64 {
    after as f64 / before as f64
}

fn verdict(old: &Counts, new: &Counts) -> Result<()> {
    let (old, new) = (&old.instructions_per_call, &new.instructions_per_call);
    ensure!(old.keys().eq(new.keys()), "the file has other cases: run without --check to write it anew");
    let grown = old.iter().filter(|(case, before)| growth(**before, new[*case]) > 1.0 + TOLERANCE).count();
    ensure!(grown == 0, "{grown} of the counts grew by more than 2 %");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(list: &[(&str, u64)]) -> Counts {
        Counts {
            compiler: "1.95.0".into(),
            target: "a-target".into(),
            instructions_per_call: list.iter().map(|&(case, n)| (case.into(), n)).collect(),
        }
    }

    #[test]
    fn growth_beyond_the_tolerance_fails() {
        let old = counts(&[("a", 1000), ("b", 1000)]);
        let fails = |a, b| verdict(&old, &counts(&[("a", a), ("b", b)])).is_err();
        assert!(!fails(1000, 1020));
        assert!(!fails(500, 1000));
        assert!(fails(500, 1021));
    }

    #[test]
    fn a_case_that_only_one_has_fails() {
        let (one, two) = (counts(&[("a", 1)]), counts(&[("a", 1), ("b", 1)]));
        assert!(verdict(&one, &two).is_err());
        assert!(verdict(&two, &one).is_err());
    }

    #[test]
    fn the_table_says_what_changed() {
        let old = counts(&[("a", 1000)]);
        let new = Counts { compiler: "1.96.0".into(), ..counts(&[("a", 1010), ("b", 70000)]) };
        let expected = "\
The file's counts are of Rust 1.95.0 on a-target, these of 1.96.0 on a-target.
instructions a call   change
              1,010   +1.00 %   a
             70,000       new   b
";
        assert_eq!(table(Some(&old), &new), expected);
    }

    #[test]
    fn the_programs_are_understood() {
        let log = "==7== \n==7== Events    : Ir\n==7== Collected : 6227937\n";
        assert_eq!(collected(log), Some(6227937));
        assert_eq!(collected("==7== Events    : Ir"), None);

        let messages = r#"{"reason":"compiler-artifact","target":{"name":"gpuscan"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"instructions"},"executable":"deps/instructions-1"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some("deps/instructions-1".into()));
    }
}
