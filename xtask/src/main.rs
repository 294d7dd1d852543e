//! The project's own commands: `cargo xtask --help` lists them.

mod bench;
mod command;
mod drivers;
mod nvrtc;
mod steps;
mod test;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Commands for working on gpuscan
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    #[command(flatten)]
    Bench(bench::Task),
    /// Check and test everything, on several GPU drivers
    Test(test::Options),
    /// Install the software GPU drivers under target/drivers, and show how to use them
    Drivers {
        /// Print only the lines to set this driver's environment: eval "$(cargo xtask drivers --env NAME)"
        #[arg(long = "env", value_name = "NAME")]
        driver: Option<drivers::Driver>,
    },
    /// Build, serve and test what runs in a browser
    #[command(subcommand)]
    Web(web::Task),
    /// Run the soak test for a while
    Soak {
        /// How long
        #[arg(long, default_value_t = 10)]
        minutes: u32,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Bench(task) => bench::run(task),
        Task::Test(options) => test::test(&options),
        Task::Drivers { driver } => show_drivers(driver),
        Task::Web(task) => web::run_task(task),
        Task::Soak { minutes } => test::soak(minutes),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not as `main`'s result: that adds a backtrace, which says nothing about a failed command.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's root.
fn root() -> PathBuf {
    // Cargo sets it also at run time; the value at compile time is that of another checkout when the
    // two share a target folder.
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().map_or(package.clone(), PathBuf::from)
}

fn show_drivers(only: Option<drivers::Driver>) -> Result<()> {
    let started = Instant::now();
    // On standard error, since the lines on standard output may be evaluated by a shell.
    let say = |what: &str| eprintln!("[{:7.1} s] {what}", started.elapsed().as_secs_f64());
    drivers::install(&say)?;
    if let Some(driver) = only {
        print!("{}", drivers::as_exports(&driver.environment()?));
        return Ok(());
    }
    for driver in drivers::Driver::SOFTWARE {
        println!("\n# {}", driver.name());
        match driver.missing() {
            Some(reason) => println!("# {reason}"),
            None => print!("# {}\n{}", driver.version(), drivers::as_exports(&driver.environment()?)),
        }
    }
    if !drivers::has_validation() {
        println!("\n# There is no Vulkan validation layer.");
    }
    Ok(())
}
