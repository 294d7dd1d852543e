//! Programs that `cargo xtask web` runs.

mod driver;
mod pages;
mod serve;

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};
use clap::Parser;

/// What `cargo xtask web` leaves to this program
#[derive(Parser)]
enum Task {
    /// Run the tests in modules that cargo built, each in a browser of its own
    TestModules { modules: Vec<PathBuf> },
    /// Serve a folder on localhost
    Serve { folder: PathBuf, port: u16 },
    /// Test the pages in a folder in a browser
    Pages { folder: PathBuf, chromedriver: PathBuf, capabilities: String, screenshots: PathBuf },
}

/// Seconds for all tests of one module; a software driver compiles each kernel for half a second and more.
const TIMEOUT: &str = "1200";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    // wasm-bindgen's own programs read their arguments themselves.
    let inner = || env::args_os().skip(1);
    match env::args_os().nth(1).as_deref().and_then(|name| name.to_str()) {
        Some("wasm-bindgen") => return wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(inner()),
        Some("test-runner") => return wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(inner()),
        _ => {}
    }
    match Task::parse() {
        Task::TestModules { modules } => test_modules(&modules),
        Task::Serve { folder, port } => {
            let server = serve::Server::start(&folder, port)?;
            println!("http://localhost:{} (ctrl-c ends it)", server.port);
            loop {
                std::thread::park();
            }
        }
        Task::Pages { folder, chromedriver, capabilities, screenshots } => {
            pages::test(&folder, &chromedriver, &capabilities, &screenshots)
        }
    }
}

fn test_modules(modules: &[PathBuf]) -> Result<()> {
    let mut failed = 0;
    for module in modules {
        let mut runner = Command::new(env::current_exe()?);
        runner.arg("test-runner").arg(module).env("WASM_BINDGEN_TEST_TIMEOUT", TIMEOUT);
        failed += usize::from(!runner.status()?.success());
    }
    if failed > 0 {
        bail!("{failed} of {} modules have tests that failed", modules.len());
    }
    Ok(())
}
