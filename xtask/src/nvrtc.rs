//! NVIDIA's compiler from PyPI: it compiles CUDA kernels where there is no GPU.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{exists, run};

/// The package and its versions.
const PACKAGE: &str = "nvidia-cuda-nvrtc==13.0.*";

fn folder() -> PathBuf {
    crate::root().join("target").join("nvrtc")
}

/// Where its library lies, once it is installed.
fn library_folder() -> PathBuf {
    folder().join("nvidia").join("cu13").join("lib")
}

/// Why it cannot be used here, or nothing if it can.
pub fn missing(may_install: bool) -> Option<&'static str> {
    if !cfg!(target_os = "linux") {
        return Some("only on Linux");
    }
    match (library_folder().exists(), may_install) {
        (true, _) => None,
        (false, false) => Some("not installed"),
        (false, true) if !exists("python3") => Some("no python3 to install it with"),
        (false, true) => None,
    }
}

/// Installs it under `target/nvrtc`, unless it is there.
pub fn install() -> Result<()> {
    if library_folder().exists() {
        return Ok(());
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    run(pip.arg(folder()).arg(PACKAGE)).context("pip could not install NVRTC")?;
    if !library_folder().exists() {
        bail!("{PACKAGE} has no folder {}", library_folder().display());
    }
    Ok(())
}

/// Lets a command find it before any other.
pub fn apply(command: &mut Command) -> Result<()> {
    let present = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::iter::once(library_folder()).chain(env::split_paths(&present));
    command.env("LD_LIBRARY_PATH", env::join_paths(folders)?);
    Ok(())
}
