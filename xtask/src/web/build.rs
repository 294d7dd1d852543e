//! Builds what a static host serves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::toolchain::Toolchain;
use crate::command::{cargo, output, run};

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
    run(toolchain.cargo("build", ["--manifest-path"]).arg(manifest))?;
    anew(&package)?;
    copy(&root.join("npm/package"), &package)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root.join(licence), &package.join(licence))?;
    }
    let module = Toolchain::results().join("gpuscan_npm.wasm");
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

/// Makes the package's archive in the folder above it, and gives the page what the archive holds: what was left
/// out of it is then missed there.
pub fn pack() -> Result<()> {
    run(npm(["pack", "--pack-destination", ".."]).arg("--offline").current_dir(package_folder()))?;
    let unpacked = site_folder().join("gpuscan");
    anew(&unpacked)?;
    run(Command::new("tar").arg("-xzf").arg(archive()?).args(["--strip-components", "1", "-C"]).arg(unpacked))
}

/// The compiler and the types that the package's own types are checked with.
const TYPESCRIPT: [&str; 2] = ["typescript@5.9.3", "@webgpu/types@0.1.74"];

/// Compiles TypeScript that uses the archive as somebody's project would. `Err` with a reason, inside, where there
/// is no compiler to be had.
pub fn types() -> Result<Result<(), String>> {
    let folder = super::folder().join("types");
    anew(&folder)?;
    let mut install = npm(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]);
    install.arg(&folder).args(TYPESCRIPT).arg(archive()?);
    if let Err(error) = output(&mut install) {
        return Ok(Err(format!("no TypeScript here, {error:#}")));
    }
    copy(&crate::root().join("npm/types.ts"), &folder.join("types.ts"))?;
    let strict = ["--noEmit", "--strict", "--lib", "es2022,dom"];
    let modules = ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
    let mut compiler = Command::new("node");
    compiler.arg("node_modules/typescript/bin/tsc").args(strict).args(modules).arg("types.ts");
    run(compiler.current_dir(folder)).map(Ok)
}

fn npm<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments);
    command
}

fn archive() -> Result<PathBuf> {
    let package: serde_json::Value =
        serde_json::from_slice(&fs::read(package_folder().join("package.json"))?)?;
    let version = package["version"].as_str().context("package.json has no version")?;
    Ok(super::folder().join(format!("gpuscan-{version}.tgz")))
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
