//! Turns the driver's errors into ours.
use cudarc::driver::{DriverError, sys::CUresult};

use crate::error::Error;

/// What the driver calls an error, and what it says about it. A program may have made its device with another
/// library, so this asks only the driver.
pub(super) fn message(error: DriverError) -> String {
    let text = |text: Result<&std::ffi::CStr, DriverError>| {
        text.map_or(String::new(), |text| text.to_string_lossy().into_owned())
    };
    format!("{} ({})", text(error.error_string()), text(error.error_name()))
}

/// The result of a call. `bytes` is what it allocates, if it does.
pub(super) fn check<R>(what: &'static str, bytes: u64, result: Result<R, DriverError>) -> Result<R, Error> {
    use CUresult::*;
    result.map_err(|error| match error.0 {
        CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory { what, bytes },
        // After these every call on the context fails.
        CUDA_ERROR_ILLEGAL_ADDRESS
        | CUDA_ERROR_LAUNCH_FAILED
        | CUDA_ERROR_LAUNCH_TIMEOUT
        | CUDA_ERROR_MISALIGNED_ADDRESS
        | CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUDA_ERROR_ECC_UNCORRECTABLE
        | CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUDA_ERROR_DEINITIALIZED => Error::DeviceLost { reason: message(error) },
        _ => Error::Driver { what, message: message(error) },
    })
}
