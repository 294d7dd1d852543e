//! The browser that the tests drive: Chromium from Debian's packages, or one that is named.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::drivers::install::{self, Part, State};
use crate::drivers::{self, Variable, variable};

/// Chromium and the program that drives it.
pub struct Browser {
    pub chromium: PathBuf,
    pub chromedriver: PathBuf,
    /// What both need in their environment.
    pub variables: Vec<Variable>,
    /// Its version, for people.
    pub version: String,
}

/// Names a browser of one's own, in place of Debian's.
const CHROMIUM: &str = "GPUSCAN_CHROMIUM";
const CHROMEDRIVER: &str = "GPUSCAN_CHROMEDRIVER";

impl Browser {
    /// The browser that the environment names, or Debian's, unpacked on first use. `Err` with a reason, inside,
    /// where there is none to be had.
    pub fn find(install: bool, say: &dyn Fn(&str)) -> Result<Result<Self, String>> {
        match (env::var_os(CHROMIUM), env::var_os(CHROMEDRIVER)) {
            (Some(chromium), Some(chromedriver)) => {
                return Ok(Ok(Self {
                    chromium: chromium.into(),
                    chromedriver: chromedriver.into(),
                    variables: Vec::new(),
                    version: "named by the environment".into(),
                }));
            }
            (None, None) => {}
            _ => bail!("expected both {CHROMIUM} and {CHROMEDRIVER} in the environment, found one of them"),
        }
        let folder = drivers::folder();
        if install {
            install::install(&[Part::Chromium], &folder, say)?;
        }
        match Part::Chromium.state(&folder) {
            State::Ready(packages) => Self::unpacked(&packages).map(Ok),
            State::Unavailable(reason) => Ok(Err(format!("no Chromium here, {reason}"))),
            State::Absent => Ok(Err(format!("no Chromium here; {CHROMIUM} and {CHROMEDRIVER} name one"))),
        }
    }

    fn unpacked(packages: &str) -> Result<Self> {
        let drivers = drivers::folder();
        let root = Part::Chromium.folder(&drivers);
        let mut folders = Part::Chromium.library_folders(&drivers);
        // Libraries that are loaded by name look beside those that are linked.
        for inside in ["nss", "pulseaudio"] {
            folders.extend(folders.clone().iter().map(|folder| folder.join(inside)).filter(|f| f.is_dir()));
        }
        // The packages' own configuration has paths for an installed system.
        let fonts = root.join("fonts.conf");
        let (share, cache) = (root.join("usr/share/fonts"), root.join("fonts-cache"));
        fs::write(&fonts, fonts_conf(&share.display().to_string(), &cache.display().to_string()))
            .with_context(|| format!("cannot write {}", fonts.display()))?;
        let programs = root.join("usr/lib/chromium");
        let version = packages.lines().find(|line| line.starts_with("chromium "));
        let driver = ["usr/lib/chromium/chromedriver", "usr/bin/chromedriver"].map(|path| root.join(path));
        Ok(Self {
            chromium: programs.join("chromium"),
            chromedriver: driver
                .into_iter()
                .find(|path| path.is_file())
                .context("the packages have no chromedriver")?,
            variables: vec![
                Variable { name: "LD_LIBRARY_PATH", value: env::join_paths(folders)?, is_search_path: true },
                variable("FONTCONFIG_FILE", fonts),
            ],
            version: version.unwrap_or("chromium").into(),
        })
    }

    /// What a WebDriver session is asked for, as JSON.
    pub fn capabilities(&self) -> serde_json::Value {
        serde_json::json!({
            "goog:chromeOptions": { "binary": self.chromium, "args": ARGUMENTS },
            // What pages write to the console.
            "goog:loggingPrefs": { "browser": "ALL" },
        })
    }
}

/// How Chromium is started. It draws and computes on the CPU, and talks to nobody but the page's server.
const ARGUMENTS: &[&str] = &[
    "--headless=new",
    // Containers forbid what its sandbox is made of. It loads nothing but pages of this repository.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    // A CPU that is busy elsewhere is not a GPU that hangs.
    "--disable-gpu-watchdog",
    "--hide-scrollbars",
];

fn fonts_conf(folder: &str, cache: &str) -> String {
    format!(
        r#"<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}</dir>
  <cachedir>{cache}</cachedir>
</fontconfig>
"#
    )
}
