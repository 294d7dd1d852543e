//! Named steps with their times, and the table of them that closes a run.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// What a step that went well has to say for the table.
#[derive(Default)]
pub struct Done {
    /// Tests that passed and failed, where the step ran tests.
    pub tests: Option<TestCount>,
    /// One short remark.
    pub note: String,
}

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCount {
    pub passed: u64,
    pub failed: u64,
}

enum Outcome {
    Passed,
    Failed,
    Skipped,
}

struct Row {
    name: String,
    outcome: Outcome,
    took: Duration,
    note: String,
}

/// Runs steps one after another and remembers how each went.
pub struct Steps {
    started: Instant,
    keep_going: bool,
    rows: Vec<Row>,
    tests: TestCount,
}

impl Steps {
    /// Without `keep_going`, the steps after the first failed one are skipped.
    pub fn new(keep_going: bool) -> Self {
        Self { started: Instant::now(), keep_going, rows: Vec::new(), tests: TestCount::default() }
    }

    /// Runs one step, unless an earlier one failed. `tests` is filled in also when the step fails.
    pub fn step(&mut self, name: &str, body: impl FnOnce(&mut Done) -> Result<()>) {
        if self.stopped() {
            return self.skip(name, "an earlier step failed");
        }
        self.say(format_args!("{name} …"));
        let started = Instant::now();
        let mut done = Done::default();
        let result = body(&mut done);
        let took = started.elapsed();
        let counted = done.tests.map(|count| {
            self.tests.passed += count.passed;
            self.tests.failed += count.failed;
            format!("{} tests passed, {} failed", count.passed, count.failed)
        });
        let (outcome, remark) = match result {
            Ok(()) => (Outcome::Passed, done.note),
            Err(error) => (Outcome::Failed, format!("{error:#}")),
        };
        let remarks = counted.into_iter().chain(Some(remark));
        let note = remarks.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
        let word = outcome.word();
        let separator = if note.is_empty() { "" } else { ": " };
        self.say(format_args!("{name}: {word} after {:.1} s{separator}{note}", took.as_secs_f64()));
        self.rows.push(Row { name: name.to_owned(), outcome, took, note });
    }

    /// Notes a step that is not run, and why.
    pub fn skip(&mut self, name: &str, reason: &str) {
        self.say(format_args!("{name}: skipped, {reason}"));
        self.rows.push(Row {
            name: name.to_owned(),
            outcome: Outcome::Skipped,
            took: Duration::ZERO,
            note: reason.to_owned(),
        });
    }

    /// Prints one line that starts with the seconds since the beginning.
    pub fn say(&self, what: fmt::Arguments) {
        println!("[{:7.1} s] {what}", self.started.elapsed().as_secs_f64());
    }

    /// Whether the remaining steps are skipped.
    pub fn stopped(&self) -> bool {
        self.failed() && !self.keep_going
    }

    fn failed(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.outcome, Outcome::Failed))
    }

    /// Prints the table, and fails when a step did.
    pub fn finish(self) -> Result<()> {
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        println!();
        for row in &self.rows {
            // Only the first line: the step itself has shown the rest.
            let note = row.note.lines().next().unwrap_or("");
            let line = format!(
                "{:width$}  {:7}  {:7.1} s  {note}",
                row.name,
                row.outcome.word(),
                row.took.as_secs_f64()
            );
            println!("{}", line.trim_end());
        }
        let TestCount { passed, failed } = self.tests;
        println!("\n{passed} passed, {failed} failed");
        if self.failed() {
            bail!("not every step passed");
        }
        Ok(())
    }
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "ok",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        }
    }
}
