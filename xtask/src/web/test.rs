//! The tests in headless Chromium.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::browser::Browser;
use super::build;
use super::toolchain::Toolchain;
use crate::command::{exists, output, run};
use crate::drivers;
use crate::steps::Steps;
use crate::test::run_tests;

/// The web's features of the crate.
const FEATURES: [&str; 3] = ["--no-default-features", "--features", "webgpu"];

/// The steps of `cargo xtask test` that need a browser. Where none is to be had, the table says so.
pub fn steps(steps: &mut Steps, install: bool) {
    let started = std::time::Instant::now();
    let say = move |what: &str| println!("[{:7.1} s]   {what}", started.elapsed().as_secs_f64());
    let mut found = None;
    let mut missing = None;
    steps.step("browser and compiler for the web", |done| {
        match (Browser::find(install, &say)?, Toolchain::find(None, install, &say)?) {
            (Ok(browser), Ok(toolchain)) => {
                done.note = format!("{}, {} compiler", browser.version, toolchain.name);
                found = Some((browser, toolchain));
            }
            (Err(reason), _) | (_, Err(reason)) => {
                done.note.clone_from(&reason);
                missing = Some(reason);
            }
        }
        Ok(())
    });
    if let Some(reason) = missing {
        return steps.skip("web", &reason);
    }
    if let Some((browser, toolchain)) = found {
        with(steps, &toolchain, &browser);
    }
}

/// The same for the command line alone.
pub fn all(toolchain: &Toolchain, browser: &Browser) -> Result<()> {
    let mut steps = Steps::new(false);
    with(&mut steps, toolchain, browser);
    steps.finish()
}

fn with(steps: &mut Steps, toolchain: &Toolchain, browser: &Browser) {
    steps.step("web tools", |_| build::tools().map(drop));
    steps.step("web clippy", |_| {
        let lints = ["--lib", "--test", "web", "--", "-D", "warnings"];
        run(toolchain.cargo("clippy", FEATURES).args(lints))
    });
    steps.step("web tests", |done| run_tests(&mut crate_tests(toolchain, browser)?, done));
    steps.step("web build", |done| {
        build::site(toolchain)?;
        done.note = build::size()?;
        Ok(())
    });
    if exists("npm") {
        steps.step("npm pack", |_| build::pack());
        steps.step("npm types", |done| {
            done.note = build::types()?.err().unwrap_or_default();
            Ok(())
        });
    } else {
        steps.skip("npm pack", "there is no npm");
    }
    steps.step("web pages", |done| run_tests(&mut page_tests(browser)?, done));
}

/// The crate's tests, compiled for the browser: one command for all of their modules.
fn crate_tests(toolchain: &Toolchain, browser: &Browser) -> Result<Command> {
    let mut build = toolchain.cargo("test", FEATURES);
    build.args(["--lib", "--test", "web", "--no-run", "--message-format", "json-render-diagnostics"]);
    // What is wrong with the code goes to the terminal, where the other steps' messages go.
    let messages = output(build.stderr(Stdio::inherit()))?;
    let modules: Vec<_> = messages.lines().filter_map(executable).collect();
    if modules.is_empty() {
        bail!("cargo built no tests for the browser");
    }
    // The runner takes the browser's settings from a file in its folder.
    let folder = super::folder().join("run");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("webdriver.json"), browser.capabilities().to_string())?;
    let mut command = build::tools()?;
    command.arg("test-modules").args(modules).current_dir(folder);
    command.env("CHROMEDRIVER", &browser.chromedriver);
    drivers::apply(&browser.variables, &mut command);
    Ok(command)
}

/// The module in a line of cargo's messages that announces one.
fn executable(line: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(message.get("executable")?.as_str()?.into())
}

/// The tests of the package and the page.
fn page_tests(browser: &Browser) -> Result<Command> {
    let mut command = build::tools()?;
    command.arg("pages").arg(build::site_folder()).arg(&browser.chromedriver);
    command.arg(browser.capabilities().to_string());
    let screenshots = super::folder().join("screenshots");
    fs::create_dir_all(&screenshots).context("no folder for screenshots")?;
    command.arg(screenshots);
    drivers::apply(&browser.variables, &mut command);
    Ok(command)
}
