//! `cargo xtask web`: the npm package, the page, and the tests of both in a browser.

mod browser;
mod build;
mod test;
mod toolchain;

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Subcommand;

use crate::command::run;
use browser::Browser;
pub use test::steps;
use toolchain::Toolchain;

/// The web's commands.
#[derive(Subcommand)]
pub enum Task {
    /// Build the npm package into target/web/npm and the page into target/web/site
    Build(Options),
    /// Build both, and serve the page on this machine
    Serve {
        #[command(flatten)]
        options: Options,
        /// The port on localhost
        #[arg(long, default_value_t = 8080)]
        port: u16,
    },
    /// Test the crate, the package and the page in headless Chromium
    Test(Options),
}

/// What to build with.
#[derive(clap::Args)]
pub struct Options {
    /// Where the compiler comes from; by default the first that works
    #[arg(long, value_name = "SOURCE")]
    rust: Option<toolchain::Source>,
}

/// Runs one command.
pub fn run_task(task: Task) -> Result<()> {
    let say = |what: &str| eprintln!("{what}");
    match task {
        Task::Build(options) => build::site(&options.toolchain(&say)?),
        Task::Serve { options, port } => {
            build::site(&options.toolchain(&say)?)?;
            run(build::tools()?.arg("serve").arg(build::site_folder()).arg(port.to_string()))
        }
        Task::Test(options) => {
            let browser = Browser::find(true, &say)?.map_err(|reason| anyhow!("{reason}"))?;
            test::all(&options.toolchain(&say)?, &browser)
        }
    }
}

impl Options {
    fn toolchain(&self, say: &dyn Fn(&str)) -> Result<Toolchain> {
        Toolchain::find(self.rust, true, say)?.map_err(|reason| anyhow!("{reason}"))
    }
}

/// Everything that is built for the web. Native builds have other settings, and neither shall undo the other's.
fn folder() -> PathBuf {
    crate::root().join("target").join("web")
}
