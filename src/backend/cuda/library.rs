//! Whether the driver and NVRTC are there, and new enough. cudarc ends the program where a library is missing, so
//! everything here comes before its first call.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use cudarc::{driver, nvrtc};

use super::guard;
use crate::error::Error;

/// The first driver that reads what kernels are compiled to: 128-bit accesses came with CUDA 12.3.
const OLDEST_DRIVER: i32 = 12_030;

/// Makes sure of the driver, and returns the CUDA version that it supports: 1000 · major + 10 · minor.
pub(super) fn driver() -> Result<i32, Error> {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loads the driver's library and lets go of it. The initialisers of NVIDIA's driver have no conditions.
    if !*PRESENT.get_or_init(|| unsafe { driver::sys::is_culib_present() }) {
        return Err(Error::MissingLibrary {
            library: if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" },
            help: "NVIDIA's display driver brings it, and a machine without an NVIDIA GPU has none; \
                   `gpuscan::Device::new()` takes any GPU, `gpuscan::Device::cpu()` none",
        });
    }
    let mut version = 0;
    // SAFETY: the library is there, the pointer is to a local, and the call needs no initialisation.
    let asked = unsafe { driver::sys::cuDriverGetVersion(&mut version) };
    guard::check("asking for the driver's version", 0, asked.result())?;
    if version < OLDEST_DRIVER {
        return Err(too_old(shown(OLDEST_DRIVER), version));
    }
    driver::result::init().map_err(|error| Error::NoDevice {
        adapter: "NVIDIA's driver".into(),
        reason: guard::message(error),
    })?;
    Ok(version)
}

/// Makes sure of NVRTC, for a driver of `driver`'s version.
pub(super) fn nvrtc(driver: i32) -> Result<(), Error> {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: as above; NVRTC is a compiler and touches no device.
    if !*PRESENT.get_or_init(|| unsafe { nvrtc::sys::is_culib_present() }) {
        return Err(Error::MissingLibrary {
            library: if cfg!(windows) { "nvrtc64_130_0.dll" } else { "libnvrtc.so.13" },
            help: "the CUDA toolkit brings it, or the package nvidia-cuda-nvrtc of PyPI; its folder has to be in the \
                   search path for libraries (LD_LIBRARY_PATH, or PATH on Windows)",
        });
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is there, and both pointers are to locals.
    let asked = unsafe { nvrtc::sys::nvrtcVersion(&mut major, &mut minor) };
    asked
        .result()
        .map_err(|error| Error::Driver { what: "asking for NVRTC's version", message: error.to_string() })?;
    // Machine code runs on drivers of the compiler's own major version and later ones.
    if major > driver / 1000 {
        return Err(too_old(format!("CUDA {major}.0, for NVRTC {major}.{minor}"), driver));
    }
    Ok(())
}

fn too_old(expected: String, found: i32) -> Error {
    Error::OldDriver { driver: "NVIDIA", expected, found: shown(found) }
}

/// A version as people write it.
pub(super) fn shown(version: i32) -> String {
    format!("CUDA {}.{}", version / 1000, version % 1000 / 10)
}
