//! apt with a state of its own in a folder: it reads the system's configuration and changes nothing,
//! so that any user can look for packages and download them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::sources;
use crate::command::{exists, output};

/// Packages taken from the running system and never unpacked: two C libraries in one process do not work.
const RUNTIME: [&str; 4] = ["libc6", "libgcc-s1", "libstdc++6", "libcrypt1"];

/// Packages that only installation scripts need, and no script is run here.
const SCRIPTS_ONLY: [&str; 4] = ["python3", "dpkg", "debconf", "debconf-2.0"];

/// A private apt: lists, downloads and package status in one folder.
pub struct Apt {
    folder: PathBuf,
    config: PathBuf,
    /// The release's code name, which is also its suite.
    pub codename: String,
    /// Whether every package list was downloaded: only then is a missing package really missing.
    pub is_complete: bool,
}

/// One package of a release, as apt names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    pub version: String,
}

/// Why this machine has no apt to use, or nothing if it has one.
pub fn missing() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some(format!("no driver packages are known for {}", std::env::consts::OS));
    }
    let program = ["apt-get", "apt-cache", "dpkg", "dpkg-deb"].into_iter().find(|name| !exists(name))?;
    Some(format!("this is not Debian or Ubuntu (`{program}` is missing)"))
}

impl Apt {
    /// Prepares the folder and downloads the package lists.
    pub fn open(folder: &Path, say: &dyn Fn(&str)) -> Result<Self> {
        let codename =
            codename(&fs::read_to_string("/etc/os-release").context("cannot read /etc/os-release")?)
                .context("/etc/os-release names no release")?;
        let configured = sources::configured(Path::new("/etc/apt"))?;
        let Some(wanted) = sources::with_backports(&configured, &codename) else {
            bail!("no package source under /etc/apt serves the release `{codename}`");
        };
        for part in ["lists/partial", "cache/archives/partial", "sources", "empty", "downloads"] {
            fs::create_dir_all(folder.join(part))?;
        }
        fs::write(folder.join("sources/release.sources"), wanted)?;
        let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
        let status = fs::read_to_string("/var/lib/dpkg/status").context("cannot read dpkg's status")?;
        fs::write(folder.join("status"), bare_status(&status, &architecture))?;
        let config = folder.join("apt.conf");
        fs::write(&config, configuration(folder, &architecture))?;
        let mut apt = Self { folder: folder.to_owned(), config, codename, is_complete: false };
        apt.is_complete = apt.update(say)?;
        Ok(apt)
    }

    /// Whether every list has come. Fails when too few came to go on with.
    fn update(&self, say: &dyn Fn(&str)) -> Result<bool> {
        say("downloading the package lists");
        // By itself apt counts a list that could not be downloaded as a success.
        let update =
            || output(self.command("apt-get").args(["update", "-qq", "-o", "APT::Update::Error-Mode=any"]));
        let Err(first) = update() else {
            return Ok(true);
        };
        say(&format!("that failed, trying once more: {first:#}"));
        let Err(second) = update() else {
            return Ok(true);
        };
        // One source without backports, say, fails the update although all other lists have come.
        if self.candidate("libvulkan1", None).is_none() {
            return Err(second.context("the package lists could not be downloaded"));
        }
        say(&format!("going on with the lists that did come: {second:#}"));
        Ok(false)
    }

    /// The version that apt would install, if it knows the package.
    ///
    /// `suite` is preferred when given, as with `apt-get --target-release`.
    pub fn candidate(&self, package: &str, suite: Option<&str>) -> Option<String> {
        let mut command = self.command("apt-cache");
        command.args(target_release(suite)).args(["policy", package]);
        let policy = output(&mut command).ok()?;
        let line = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate:"))?;
        Some(line.trim().to_owned()).filter(|version| version != "(none)")
    }

    /// The packages and all that they depend on, less the C and C++ runtime.
    pub fn closure(&self, packages: &[&str], suite: Option<&str>) -> Result<Vec<Package>> {
        let mut command = self.command("apt-get");
        command.args(target_release(suite));
        command.args(["install", "--print-uris", "--yes", "-qq", "--no-install-recommends"]);
        let listed = output(command.args(packages))?;
        let closure: Vec<_> = listed.lines().filter_map(package_of_uri_line).collect();
        if let Some(package) = closure.iter().find(|package| RUNTIME.contains(&package.name.as_str())) {
            bail!("it needs {} {}, newer than this system's", package.name, package.version);
        }
        Ok(closure)
    }

    /// Downloads the packages and returns their files.
    pub fn download(&self, packages: &[Package]) -> Result<Vec<PathBuf>> {
        let downloads = self.folder.join("downloads");
        let names = packages.iter().map(|package| format!("{}={}", package.name, package.version));
        output(self.command("apt-get").current_dir(&downloads).args(["download", "-qq"]).args(names))?;
        let files: Vec<_> = fs::read_dir(&downloads)?.flatten().map(|entry| entry.path()).collect();
        packages
            .iter()
            .map(|package| {
                let start = format!("{}_{}_", package.name, package.version.replace(':', "%3a"));
                let found = files.iter().find(|file| {
                    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
                });
                found.cloned().with_context(|| format!("{start}….deb was not downloaded"))
            })
            .collect()
    }

    /// Removes lists and downloads, some 150 MB.
    pub fn discard(self) -> Result<()> {
        Ok(fs::remove_dir_all(self.folder)?)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // Words such as `Candidate:` are translated otherwise.
        command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive").arg("-c").arg(&self.config);
        command
    }
}

fn target_release(suite: Option<&str>) -> Vec<&str> {
    suite.map_or(Vec::new(), |suite| vec!["-t", suite])
}

/// apt's settings. They come on top of the system's own, which may name a proxy.
fn configuration(folder: &Path, architecture: &str) -> String {
    let folder = folder.display();
    format!(
        r#"Dir::State "{folder}";
Dir::State::lists "{folder}/lists/";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache/";
// Container images switch these off, and each question then takes a second.
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{folder}/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{folder}/empty";
Debug::NoLocking "true";
// The sandbox user may not be able to enter this folder.
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
#clear APT::Architectures;
APT::Architectures:: "{architecture}";
#clear Acquire::Languages;
Acquire::Languages:: "none";
// Hooks of the system would change the system.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
"#
    )
}

/// A package status in which hardly more than the C library is installed.
///
/// Resolving against it gives each driver a complete set of libraries whatever this machine has installed
/// or will remove later, and is what allows two Mesas side by side.
fn bare_status(status: &str, architecture: &str) -> String {
    let mut bare = String::new();
    for stanza in status.split("\n\n") {
        let field = |name: &str| stanza.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("").trim();
        let package = field("Package:");
        let is_runtime =
            RUNTIME.contains(&package) || (package.starts_with("gcc-") && package.ends_with("-base"));
        if is_runtime && field("Architecture:") == architecture && field("Status:").ends_with(" installed") {
            bare += &format!("{}\n\n", stanza.trim());
        }
    }
    for package in SCRIPTS_ONLY {
        bare += &format!(
            "Package: {package}\nStatus: install ok installed\nVersion: 9999\nArchitecture: {architecture}\n\
             Multi-Arch: allowed\nMaintainer: none\nDescription: stands in for the system's own\n\n"
        );
    }
    bare
}

/// `'uri' name_version_architecture.deb size hash`, as `--print-uris` writes it.
fn package_of_uri_line(line: &str) -> Option<Package> {
    let file = line.strip_prefix('\'')?.split_once("' ")?.1.split_whitespace().next()?;
    let mut parts = file.strip_suffix(".deb")?.split('_');
    let (name, version) = (parts.next()?, parts.next()?);
    Some(Package { name: name.to_owned(), version: version.replace("%3a", ":") })
}

/// The release whose packages this system uses. Derivatives name the distribution that they stand on.
fn codename(os_release: &str) -> Option<String> {
    ["UBUNTU_CODENAME=", "DEBIAN_CODENAME=", "VERSION_CODENAME="].into_iter().find_map(|field| {
        let value = os_release.lines().find_map(|line| line.strip_prefix(field))?;
        Some(value.trim().trim_matches('"').to_owned()).filter(|value| !value.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_line_gives_name_and_version() {
        let line = "'http://mirror.example/l/libz_1.2-1_amd64.deb' libz_1%3a1.2-1_amd64.deb 86684 SHA256:00";
        let package = Package { name: "libz".into(), version: "1:1.2-1".into() };
        assert_eq!(package_of_uri_line(line), Some(package));
        assert_eq!(package_of_uri_line("Reading package lists..."), None);
    }

    #[test]
    fn a_derivative_uses_the_release_below_it() {
        let mint = "ID=linuxmint\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n";
        assert_eq!(codename(mint).as_deref(), Some("noble"));
        assert_eq!(codename("VERSION_CODENAME=\"bookworm\"\n").as_deref(), Some("bookworm"));
        assert_eq!(codename("ID=arch\n"), None);
    }

    #[test]
    fn the_bare_status_keeps_the_runtime_of_one_architecture() {
        let stanza = |name: &str, architecture: &str| {
            format!("Package: {name}\nStatus: install ok installed\nArchitecture: {architecture}\nVersion: 1")
        };
        let all = [
            stanza("libc6", "amd64"),
            stanza("libc6", "i386"),
            stanza("gcc-12-base", "amd64"),
            stanza("zlib1g", "amd64"),
        ];
        let bare = bare_status(&(all.join("\n\n") + "\n"), "amd64");
        let real = bare.split("\n\n").filter(|stanza| stanza.contains("Version: 1")).count();
        assert_eq!(real, 2);
        assert!(!bare.contains("zlib1g"));
    }
}
