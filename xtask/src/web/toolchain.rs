//! A compiler for `wasm32-unknown-unknown`.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::command::{cargo, exists, output};
use crate::drivers::install::{self, Part, State};
use crate::drivers::{self, Variable, variable};

const TARGET: &str = "wasm32-unknown-unknown";

/// How the crate, its tests and the package are compiled.
const PROFILE: &str = "web";

/// Where the compiler comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// The compiler that runs cargo here, if it has the target or rustup can add it
    Rustup,
    /// Debian's Rust for its browsers, unpacked under target/drivers
    Debian,
}

/// A compiler for the web, as what its cargo is told.
pub struct Toolchain {
    variables: Vec<Variable>,
    arguments: Vec<&'static str>,
    /// For people.
    pub name: &'static str,
}

impl Toolchain {
    /// The compiler from where it is asked for, or from the first place that has one. `Err` with a reason,
    /// inside, where there is none to be had.
    pub fn find(asked: Option<Source>, install: bool, say: &dyn Fn(&str)) -> Result<Result<Self, String>> {
        let mut reason = None;
        if asked != Some(Source::Debian) {
            match rustup(install, say)? {
                None => {
                    return Ok(Ok(Self { variables: Vec::new(), arguments: Vec::new(), name: "rustup's" }));
                }
                Some(why) if asked == Some(Source::Rustup) => return Ok(Err(why)),
                Some(why) => {
                    say(&why);
                    reason = Some(why);
                }
            }
        }
        let folder = drivers::folder();
        if install {
            install::install(&[Part::RustWeb], &folder, say)?;
        }
        Ok(match Part::RustWeb.state(&folder) {
            State::Ready(_) => Ok(Self::debian()?),
            State::Unavailable(why) => Err(format!("no Debian packages either, {why}")),
            State::Absent => Err(reason.unwrap_or("Debian's packages are not unpacked".into())),
        })
    }

    /// The standard library is compiled along: no package has it for this target.
    fn debian() -> Result<Self> {
        let root = Part::RustWeb.folder(&drivers::folder());
        let variables = vec![
            Variable {
                name: "LD_LIBRARY_PATH",
                value: std::env::join_paths(Part::RustWeb.library_folders(&drivers::folder()))?,
                is_search_path: true,
            },
            variable("RUSTC", root.join("usr/bin/rustc")),
            // `build-std` is not stable, nor is this compiler's library for anything but itself.
            variable("RUSTC_BOOTSTRAP", "1"),
            variable("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", root.join("usr/lib/llvm-22/bin/wasm-ld")),
        ];
        let arguments = vec!["-Zbuild-std=std,panic_abort"];
        Ok(Self { variables, arguments, name: "Debian's" })
    }

    /// A cargo command for the web. It has a target folder of its own.
    pub fn cargo<S: AsRef<OsStr>>(
        &self,
        subcommand: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = cargo([subcommand, "--target", TARGET, "--profile", PROFILE, "--locked"]);
        command.args(&self.arguments).args(arguments).env("CARGO_TARGET_DIR", super::folder());
        // Flags for this machine's own programs would be taken for the web's.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        drivers::apply(&self.variables, &mut command);
        command
    }

    /// The folder that cargo leaves its results in.
    pub fn results() -> PathBuf {
        super::folder().join(TARGET).join(PROFILE)
    }
}

/// Why the compiler here cannot do it, or nothing if it can.
fn rustup(install: bool, say: &dyn Fn(&str)) -> Result<Option<String>> {
    if has_target()? {
        return Ok(None);
    }
    if !install || !exists("rustup") {
        return Ok(Some(format!("the compiler lacks {TARGET}, which `rustup target add {TARGET}` adds")));
    }
    say(&format!("adding {TARGET} to the compiler by rustup"));
    if let Err(error) = output(Command::new("rustup").args(["target", "add", TARGET])) {
        return Ok(Some(format!("{error:#}")));
    }
    if !has_target()? {
        bail!("rustup added {TARGET}, but to another compiler than cargo uses here");
    }
    Ok(None)
}

fn has_target() -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = output(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]))?;
    Ok(PathBuf::from(folder.trim()).is_dir())
}
