//! The Vulkan drivers that the tests run on, and the environment that selects each.

mod apt;
pub mod install;
mod sources;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use install::{Part, State};

/// A driver that the tests can run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Driver {
    /// Mesa's Vulkan driver for the CPU, 25 or later
    Lavapipe,
    /// Chromium's Vulkan driver for the CPU
    Swiftshader,
    /// The distribution's own Mesa, where it is older than 25
    OldMesa,
    /// Whatever wgpu finds on this machine: a real GPU, Metal, DirectX 12
    System,
}

/// One environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    pub value: OsString,
    /// A search path: what is in the environment already stays, after this value.
    pub is_search_path: bool,
}

/// The folder of all drivers. Not in CARGO_TARGET_DIR: each checkout has its own.
pub fn folder() -> PathBuf {
    crate::root().join("target").join("drivers")
}

/// Installs what is missing and possible here.
pub fn install(say: &dyn Fn(&str)) -> Result<()> {
    install::install(&Part::DRIVERS, &folder(), say)
}

impl Driver {
    pub const SOFTWARE: [Self; 3] = [Self::Lavapipe, Self::Swiftshader, Self::OldMesa];

    /// The name in `GPUSCAN_TEST_DRIVER` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Lavapipe | Self::Swiftshader | Self::OldMesa => self.part().map_or("system", Part::name),
        }
    }

    fn part(self) -> Option<Part> {
        match self {
            Self::Lavapipe => Some(Part::Lavapipe),
            Self::Swiftshader => Some(Part::Swiftshader),
            Self::OldMesa => Some(Part::OldMesa),
            Self::System => None,
        }
    }

    /// Why the driver cannot be used, or nothing if it can.
    pub fn missing(self) -> Option<String> {
        match self.part()?.state(&folder()) {
            State::Ready(_) => None,
            State::Unavailable(reason) => Some(format!("not available here, {reason}")),
            State::Absent => Some("not installed".to_owned()),
        }
    }

    /// What was installed, for the summary.
    pub fn version(self) -> String {
        match self.part().map(|part| part.state(&folder())) {
            Some(State::Ready(packages)) => packages.lines().last().unwrap_or("").to_owned(),
            _ => String::new(),
        }
    }

    /// The variables that select this driver, and nothing else that is installed.
    pub fn environment(self) -> Result<Vec<Variable>> {
        self.environment_under(&folder())
    }

    fn environment_under(self, drivers: &Path) -> Result<Vec<Variable>> {
        let mut variables = vec![variable("GPUSCAN_TEST_DRIVER", self.name())];
        let Some(part) = self.part() else {
            return Ok(variables);
        };
        let Some(library) = part.library_path(drivers) else {
            bail!("{} is not installed; `cargo xtask drivers` installs it where it can", self.name());
        };
        let manifest = write_manifest(drivers, part, "ICD", "", &library)?;
        variables.push(variable("WGPU_BACKEND", "vulkan"));
        variables.push(variable("VK_DRIVER_FILES", &manifest));
        // The name that loaders before 1.3.207 read.
        variables.push(variable("VK_ICD_FILENAMES", &manifest));
        // Layers of the system bring the system's libraries along.
        variables.push(variable("VK_LOADER_LAYERS_DISABLE", "~implicit~"));
        // For each driver its own libraries: the two Mesas need different versions of the same ones.
        variables.push(Variable {
            name: "LD_LIBRARY_PATH",
            value: env::join_paths(part.library_folders(drivers))?,
            is_search_path: true,
        });
        if let Some(layer) = Part::Validation.library_path(drivers) {
            let manifest = write_manifest(drivers, Part::Validation, "layer", LAYER, &layer)?;
            let folder = manifest.parent().context("the manifest lies in a folder")?;
            variables.push(variable("VK_LAYER_PATH", folder));
            variables.push(variable("VK_ADD_LAYER_PATH", folder));
            variables.push(variable("GPUSCAN_TEST_VALIDATION", "1"));
            // Print each error as well: what wgpu logs may be lost in the output of a test that passes.
            variables.push(variable("VK_KHRONOS_VALIDATION_DEBUG_ACTION", "VK_DBG_LAYER_ACTION_LOG_MSG"));
            // Except one that wgpu 30 causes in every shader with an array in workgroup memory, and does
            // not log either (gfx-rs/wgpu#7696).
            variables
                .push(variable("VK_KHRONOS_VALIDATION_MESSAGE_ID_FILTER", "VUID-StandaloneSpirv-None-10684"));
        }
        Ok(variables)
    }
}

/// Whether the tests run under the validation layer.
pub fn has_validation() -> bool {
    matches!(Part::Validation.state(&folder()), State::Ready(_))
}

pub fn variable(name: &'static str, value: impl Into<OsString>) -> Variable {
    Variable { name, value: value.into(), is_search_path: false }
}

/// The layer's fields besides its library.
const LAYER: &str = r#"
    "name": "VK_LAYER_KHRONOS_validation",
    "type": "GLOBAL",
    "implementation_version": "1",
    "description": "Khronos validation layer",
    "instance_extensions": [
      { "name": "VK_EXT_debug_report", "spec_version": "10" },
      { "name": "VK_EXT_debug_utils", "spec_version": "2" },
      { "name": "VK_EXT_validation_features", "spec_version": "6" }
    ],"#;

/// Writes the file through which the Vulkan loader finds a library.
///
/// Written at each use: the packages' own manifests have paths for an installed system, and an absolute
/// path written once would be wrong after the checkout moved.
fn write_manifest(
    drivers: &Path,
    part: Part,
    section: &str,
    fields: &str,
    library: &Path,
) -> Result<PathBuf> {
    let folder = drivers.join(part.name()).join("manifest");
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{}.json", part.name()));
    let library = library.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!(
        r#"{{
  "file_format_version": "1.0.0",
  "{section}": {{{fields}
    "library_path": "{library}",
    "api_version": "1.3.0"
  }}
}}
"#
    );
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// The variables as lines for a POSIX shell.
pub fn as_exports(variables: &[Variable]) -> String {
    let line = |variable: &Variable| {
        let value = variable.value.to_string_lossy().replace('\'', r"'\''");
        let name = variable.name;
        let rest = if variable.is_search_path { format!("${{{name}:+:${name}}}") } else { String::new() };
        format!("export {name}='{value}'{rest}\n")
    };
    variables.iter().map(line).collect()
}

/// Sets the variables for one command.
pub fn apply(variables: &[Variable], command: &mut std::process::Command) {
    for variable in variables {
        let mut value = variable.value.clone();
        if variable.is_search_path
            && let Some(present) = env::var_os(variable.name).filter(|present| !present.is_empty())
        {
            value.push(":");
            value.push(present);
        }
        command.env(variable.name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_quoted_and_extend_search_paths() {
        let plain = variable("NAME", "it's");
        let path = Variable { name: "LD_LIBRARY_PATH", value: "/a:/b".into(), is_search_path: true };
        assert_eq!(
            as_exports(&[plain, path]),
            "export NAME='it'\\''s'\nexport LD_LIBRARY_PATH='/a:/b'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n"
        );
    }

    #[test]
    fn the_system_driver_selects_nothing() {
        let variables = Driver::System.environment().unwrap();
        assert_eq!(variables, [variable("GPUSCAN_TEST_DRIVER", "system")]);
    }

    #[test]
    fn an_absent_driver_has_no_environment() {
        let nowhere = Path::new("/nonexistent");
        assert!(Driver::Lavapipe.environment_under(nowhere).is_err());
    }

    #[test]
    fn names_are_the_same_on_the_command_line() {
        for driver in Driver::value_variants() {
            let value = driver.to_possible_value().unwrap();
            assert_eq!(value.get_name(), driver.name());
        }
    }
}
