//! Unpacks packages into one folder a purpose: the software drivers, a browser, a compiler. The system is not
//! changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::apt::{self, Apt, Package};
use super::sources;
use crate::command::output;

/// Raise this when what gets unpacked changes, so that older folders are replaced.
const STAMP_HEADING: &str = "gpuscan drivers, recipe 1";

/// The first Mesa whose lavapipe runs every kernel here.
const CURRENT_MESA: u32 = 25;

/// What has a folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A current Mesa with its Vulkan driver for the CPU.
    Lavapipe,
    /// Chromium's Vulkan driver for the CPU.
    Swiftshader,
    /// The release's own Mesa, where that is older.
    OldMesa,
    /// The Khronos validation layer.
    Validation,
    /// Chromium with the program that drives it.
    Chromium,
    /// A Rust compiler with its library's source, for targets that rustup cannot fetch.
    RustWeb,
}

/// What a part's folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Complete: the packages, one a line.
    Ready(String),
    /// This release has no such thing, for this reason.
    Unavailable(String),
    /// Not there, or not complete.
    Absent,
}

/// Packages that together may hold a part.
struct Attempt<'a> {
    suite: Option<&'a str>,
    /// Taken with all that they depend on.
    with_dependencies: &'a [&'a str],
    /// Taken without: a browser's package, for one library in it.
    alone: &'a [&'a str],
}

impl Part {
    /// What the tests on Vulkan drivers need.
    pub const DRIVERS: [Self; 4] = [Self::Lavapipe, Self::Swiftshader, Self::OldMesa, Self::Validation];

    /// The name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lavapipe => "lavapipe",
            Self::Swiftshader => "swiftshader",
            Self::OldMesa => "old-mesa",
            Self::Validation => "validation",
            Self::Chromium => "chromium",
            Self::RustWeb => "rust-web",
        }
    }

    /// The file that all this is about.
    pub fn library(self) -> &'static str {
        match self {
            Self::Lavapipe | Self::OldMesa => "libvulkan_lvp.so",
            Self::Swiftshader => "libvk_swiftshader.so",
            Self::Validation => "libVkLayer_khronos_validation.so",
            Self::Chromium => "chromedriver",
            Self::RustWeb => "rustc",
        }
    }

    pub fn folder(self, drivers: &Path) -> PathBuf {
        drivers.join(self.name())
    }

    /// What its folder under `drivers` holds now.
    pub fn state(self, drivers: &Path) -> State {
        let stamp = fs::read_to_string(self.folder(drivers).join("stamp")).unwrap_or_default();
        let Some((STAMP_HEADING, text)) = stamp.split_once('\n') else {
            return State::Absent;
        };
        match text.strip_prefix("unavailable: ") {
            Some(reason) => State::Unavailable(reason.trim().to_owned()),
            None => State::Ready(text.trim().to_owned()),
        }
    }

    /// The path of its library, when its folder is complete.
    pub fn library_path(self, drivers: &Path) -> Option<PathBuf> {
        let ready = matches!(self.state(drivers), State::Ready(_));
        ready.then(|| find_file(&self.folder(drivers), self.library())).flatten()
    }

    /// The folders in which its libraries lie.
    pub fn library_folders(self, drivers: &Path) -> Vec<PathBuf> {
        let roots = ["usr/lib", "lib"].map(|root| self.folder(drivers).join(root));
        let folders = roots.iter().filter_map(|root| fs::read_dir(root).ok()).flatten().flatten();
        // Debian's and Ubuntu's folders carry the architecture: `x86_64-linux-gnu`.
        let is_library_folder = |path: &PathBuf| path.to_string_lossy().contains("-linux-gnu");
        let mut folders: Vec<_> = folders.map(|entry| entry.path()).filter(is_library_folder).collect();
        folders.sort();
        folders
    }
}

/// Installs each of `parts` that is absent.
pub fn install(parts: &[Part], drivers: &Path, say: &dyn Fn(&str)) -> Result<()> {
    let absent = parts.iter().copied().filter(|part| part.state(drivers) == State::Absent);
    let absent: Vec<_> = absent.collect();
    if absent.is_empty() {
        say("all there already (delete the folder to install them anew)");
        return Ok(());
    }
    if let Some(reason) = apt::missing() {
        say(&format!("cannot install packages: {reason}"));
        return Ok(());
    }
    let apt = Apt::open(&drivers.join("apt"), say)?;
    for part in absent {
        say(&format!("{}: looking for its packages", part.name()));
        install_part(part, &apt, drivers, say).with_context(|| format!("cannot install {}", part.name()))?;
    }
    apt.discard()
}

fn install_part(part: Part, apt: &Apt, drivers: &Path, say: &dyn Fn(&str)) -> Result<()> {
    let temporary = drivers.join(format!("{}.partial", part.name()));
    let found = match attempts(part, apt) {
        Err(reason) => Err(reason),
        Ok(attempts) => try_each(part, &attempts, apt, &temporary, say)?
            .ok_or_else(|| format!("no package of `{}` holds {}", apt.codename, part.library())),
    };
    let stamp = match &found {
        Ok(packages) => {
            let list = packages.iter().map(|package| format!("{} {}\n", package.name, package.version));
            list.collect::<String>()
        }
        Err(reason) => {
            empty_folder(&temporary)?;
            say(&format!("{}: not available here, {reason}", part.name()));
            if !apt.is_complete {
                // The next run may know more.
                return Ok(fs::remove_dir_all(&temporary)?);
            }
            format!("unavailable: {reason}\n")
        }
    };
    // The stamp is written last, and the name that counts is given after it: a run that is cut short
    // leaves nothing that looks complete.
    fs::write(temporary.join("stamp"), format!("{STAMP_HEADING}\n{stamp}"))?;
    let folder = part.folder(drivers);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::rename(&temporary, &folder)?;
    if let Ok(packages) = found {
        let main = packages.last().map_or(String::new(), |p| format!("{} {}", p.name, p.version));
        say(&format!("{}: {} packages unpacked, {main}", part.name(), packages.len()));
    }
    Ok(())
}

const MESA: &[&str] = &["mesa-vulkan-drivers"];

/// Where a part may be found, or why it is not wanted on this release.
fn attempts(part: Part, apt: &Apt) -> Result<Vec<Attempt<'static>>, String> {
    // The Vulkan loader comes first, so that the driver's own package closes the list.
    const MESA_AND_LOADER: &[&str] = &["libvulkan1", MESA[0]];
    let own = apt.candidate(MESA[0], None);
    let own_is_old = own.as_deref().and_then(major).is_some_and(|major| major < CURRENT_MESA);
    let with_dependencies = |packages, suite| Attempt { suite, with_dependencies: packages, alone: &[] };
    let attempts = match part {
        Part::Lavapipe => {
            let backports: &'static str = sources::backports(&apt.codename).leak();
            let newer = apt.candidate(MESA[0], Some(backports));
            let newer_is_current = newer.as_deref().and_then(major) >= Some(CURRENT_MESA);
            if own_is_old && !newer_is_current {
                let own = own.unwrap_or_default();
                return Err(format!(
                    "neither `{}` nor its backports have Mesa {CURRENT_MESA} (but {own})",
                    apt.codename
                ));
            }
            let suite = own_is_old.then_some(backports);
            vec![with_dependencies(MESA_AND_LOADER, suite)]
        }
        Part::OldMesa if own_is_old => vec![with_dependencies(MESA_AND_LOADER, None)],
        Part::OldMesa => {
            return Err(match own {
                Some(own) => format!("the release's own Mesa is not old ({own})"),
                None => "the release has no Mesa".to_owned(),
            });
        }
        Part::Swiftshader => [&["chromium-common"], &["chromium"]]
            .map(|alone| Attempt { suite: None, with_dependencies: &["libvulkan1"], alone })
            .into(),
        Part::Validation => vec![
            Attempt { suite: None, with_dependencies: &[], alone: &["chromium-common"] },
            with_dependencies(&["vulkan-validationlayers"], None),
        ],
        // Ubuntu's package of this name is empty and has no driver.
        Part::Chromium => {
            vec![with_dependencies(&["fontconfig-config", "libvulkan1", "chromium", "chromium-driver"], None)]
        }
        // Debian's Rust for its browsers: newer than its other one.
        Part::RustWeb => vec![with_dependencies(&["lld-22", "rust-web-src", "rustc-web"], None)],
    };
    Ok(attempts)
}

/// Unpacks the first attempt that holds the part's library, and returns its packages.
fn try_each(
    part: Part,
    attempts: &[Attempt],
    apt: &Apt,
    temporary: &Path,
    say: &dyn Fn(&str),
) -> Result<Option<Vec<Package>>> {
    for attempt in attempts {
        let mut names = attempt.with_dependencies.iter().chain(attempt.alone);
        if names.any(|name| apt.candidate(name, attempt.suite).is_none()) {
            continue;
        }
        let mut packages = match attempt.with_dependencies {
            [] => Vec::new(),
            names => apt.closure(names, attempt.suite)?,
        };
        for name in attempt.alone {
            let version = apt.candidate(name, attempt.suite).unwrap_or_default();
            packages.push(Package { name: (*name).to_owned(), version });
        }
        say(&format!("{}: downloading {} packages", part.name(), packages.len()));
        let files = apt.download(&packages)?;
        empty_folder(temporary)?;
        for file in files {
            output(Command::new("dpkg-deb").arg("-x").arg(file).arg(temporary))?;
        }
        if find_file(temporary, part.library()).is_some() {
            return Ok(Some(packages));
        }
    }
    Ok(None)
}

fn empty_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// The number before the first full stop of a package version, after the epoch.
fn major(version: &str) -> Option<u32> {
    let upstream = version.split_once(':').map_or(version, |(_, rest)| rest);
    upstream.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A file of this name anywhere below the folder.
fn find_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().collect();
    let here = entries.iter().find(|entry| entry.file_name() == name).map(|entry| entry.path());
    here.or_else(|| {
        let is_folder = |entry: &&fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        entries.iter().filter(is_folder).find_map(|entry| find_file(&entry.path(), name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_stands_after_the_epoch() {
        assert_eq!(major("25.0.7-2~bpo12+1"), Some(25));
        assert_eq!(major("1:22.3.6-1+deb12u2"), Some(22));
        assert_eq!(major("unknown"), None);
    }

    #[test]
    fn an_incomplete_folder_is_absent() {
        let drivers = std::env::temp_dir().join(format!("gpuscan-xtask-{}", std::process::id()));
        let folder = Part::Lavapipe.folder(&drivers);
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(Part::Lavapipe.state(&drivers), State::Absent);
        fs::write(folder.join("stamp"), "gpuscan drivers, recipe 0\nmesa 1\n").unwrap();
        assert_eq!(Part::Lavapipe.state(&drivers), State::Absent);
        fs::write(folder.join("stamp"), format!("{STAMP_HEADING}\nmesa 1\n")).unwrap();
        assert_eq!(Part::Lavapipe.state(&drivers), State::Ready("mesa 1".into()));
        assert_eq!(Part::Lavapipe.library_path(&drivers), None);
        fs::write(folder.join("stamp"), format!("{STAMP_HEADING}\nunavailable: too new\n")).unwrap();
        assert_eq!(Part::Lavapipe.state(&drivers), State::Unavailable("too new".into()));
        fs::remove_dir_all(&drivers).unwrap();
    }
}
