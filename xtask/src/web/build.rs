//! Builds what a static host serves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::toolchain::Toolchain;
use crate::command::{cargo, run};

/// The npm package, ready to be packed.
pub fn package_folder() -> PathBuf {
    super::folder().join("npm")
}

/// The page with the package inside.
pub fn site_folder() -> PathBuf {
    super::folder().join("site")
}

/// The program for what is not compiling: bindings, serving, driving a browser. Built on first use.
pub fn tools() -> Result<Command> {
    let folder = super::folder().join("tools");
    let manifest = crate::root().join("xtask/web-tools/Cargo.toml");
    run(cargo(["build", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_TARGET_DIR", &folder))?;
    Ok(Command::new(folder.join("debug").join(format!("web-tools{}", std::env::consts::EXE_SUFFIX))))
}

/// Builds the package and the page.
pub fn site(toolchain: &Toolchain) -> Result<()> {
    package(toolchain)?;
    let (site, root) = (site_folder(), crate::root());
    anew(&site)?;
    copy(&root.join("examples/web"), &site)?;
    copy(&package_folder(), &site.join("gpuscan"))?;
    println!("{}", site.display());
    Ok(())
}

/// Builds the package.
fn package(toolchain: &Toolchain) -> Result<()> {
    let (package, root) = (package_folder(), crate::root());
    let manifest = root.join("npm/Cargo.toml");
    run(toolchain.cargo("build", ["--release", "--manifest-path"]).arg(manifest))?;
    anew(&package)?;
    copy(&root.join("npm/package"), &package)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root.join(licence), &package.join(licence))?;
    }
    let module = Toolchain::results("release").join("gpuscan_npm.wasm");
    let lean = ["--no-typescript", "--remove-name-section", "--remove-producers-section"];
    let bindings = ["--target", "web", "--out-name", "gpuscan", "--out-dir"];
    run(tools()?.arg("wasm-bindgen").arg(module).args(lean).args(bindings).arg(package.join("wasm")))
}

fn anew(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// Copies a file, or a folder with all in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Makes the package's archive in the folder above it.
pub fn pack() -> Command {
    let mut command = Command::new("npm");
    command.args(["pack", "--offline", "--pack-destination", ".."]).current_dir(package_folder());
    command
}

/// The most that a page's visitors shall have to fetch, in KiB.
const MOST_KIB: usize = 400;

/// How large the package's module is as a server sends it; an error if that is too much.
pub fn size() -> Result<String> {
    let module = package_folder().join("wasm/gpuscan_bg.wasm");
    let zipped = Command::new("gzip").args(["-9", "--stdout"]).arg(&module).output().context("gzip")?;
    let (whole, sent) = (fs::metadata(&module)?.len() >> 10, zipped.stdout.len() >> 10);
    anyhow::ensure!(zipped.status.success() && sent > 0, "gzip failed on {}", module.display());
    anyhow::ensure!(sent <= MOST_KIB, "expected a module of at most {MOST_KIB} KiB gzipped, found {sent}");
    Ok(format!("the package's module has {whole} KiB, {sent} KiB gzipped"))
}
