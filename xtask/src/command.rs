//! Runs other programs: every failure names the command line that failed.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, bail};

/// The cargo that runs this program, or the one in the path.
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(crate::root());
    command
}

/// Runs a command whose output goes straight to the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and returns its standard output; its standard error is shown when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!(
            "`{}` ended with {}:\n{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, passes each line of its output on as it comes, and shows each to `watch` too.
///
/// The lines are passed on even when the command fails, and the failure is reported after them.
pub fn run_watched(command: &mut Command, mut watch: impl FnMut(&str)) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    forward_lines(&mut child, &mut watch);
    let status = child.wait()?;
    if !status.success() {
        bail!("`{}` ended with {status}", shown(command));
    }
    Ok(())
}

fn forward_lines(child: &mut Child, watch: &mut impl FnMut(&str)) {
    let (sender, lines) = mpsc::channel();
    let streams: [(bool, Option<Box<dyn Read + Send>>); 2] = [
        (false, child.stdout.take().map(|s| Box::new(s) as _)),
        (true, child.stderr.take().map(|s| Box::new(s) as _)),
    ];
    for (is_error, stream) in streams {
        let Some(stream) = stream else { continue };
        let sender = sender.clone();
        // A thread for each stream: reading one to its end first would block a child that fills the other.
        thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while matches!(stream.read_until(b'\n', &mut line), Ok(length) if length > 0) {
                if sender.send((is_error, std::mem::take(&mut line))).is_err() {
                    break;
                }
            }
        });
    }
    drop(sender);
    for (is_error, line) in lines {
        // A closed terminal must not end the tests, so a failed write is ignored.
        let _ =
            if is_error { std::io::stderr().write_all(&line) } else { std::io::stdout().write_all(&line) };
        watch(String::from_utf8_lossy(&line).trim_end());
    }
}

/// Whether a program of this name can be started.
pub fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
