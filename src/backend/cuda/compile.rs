//! NVRTC: CUDA C++ to the machine code of one architecture.
#![allow(unsafe_code)]

use std::{
    ffi::{CString, c_char},
    ptr,
};

use cudarc::nvrtc::{result, sys};

use crate::{error::Error, kernel::Source};

/// Multiplications and additions are not fused, for other devices do not fuse them, and bits would differ. Functions
/// of translated kernels do not say where they run.
pub(super) const OPTIONS: [&str; 4] =
    ["--std=c++17", "--fmad=false", "--device-as-default-execution-space", "--diag-suppress=177"];

/// A program of NVRTC's.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `nvrtcCreateProgram`, and destroyed only here.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

/// The machine code for `architecture` (`sm_90`). NVRTC has to be there.
pub(super) fn compile(name: &'static str, source: &Source, architecture: &str) -> Result<Vec<u8>, Error> {
    let failed = |message: String| Error::Driver { what: "compiling with NVRTC", message };
    let text = CString::new(source.text.as_str())
        .map_err(|_| failed("expected a text without zero bytes, found one".into()))?;
    let program = Program(result::create_program(&text, Some(c"kernel")).map_err(|e| failed(e.to_string()))?);
    let mut options: Vec<String> = OPTIONS.map(String::from).to_vec();
    options.push(format!("--gpu-architecture={architecture}"));
    // SAFETY: the program is there until the end of this function, and so is its text.
    let compiled = unsafe { result::compile_program(program.0, &options) };
    if let Err(error) = compiled {
        let log = log_of(&program);
        if error.0 != sys::nvrtcResult::NVRTC_ERROR_COMPILATION {
            return Err(failed(format!("{error}: {log}")));
        }
        let (place, message) = first_error(&log, source);
        return Err(Error::Shader { kernel: name, place, message });
    }
    let mut size = 0;
    // SAFETY: the program was compiled; the pointer is to a local.
    let asked = unsafe { sys::nvrtcGetCUBINSize(program.0, &mut size) };
    asked.result().map_err(|e| failed(e.to_string()))?;
    let mut code = vec![0u8; size];
    // SAFETY: `code` has the size that NVRTC has just asked for.
    let got = unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast::<c_char>()) };
    got.result().map_err(|e| failed(e.to_string()))?;
    match code.is_empty() {
        true => Err(failed(format!("no machine code for {architecture}"))),
        false => Ok(code),
    }
}

fn log_of(program: &Program) -> String {
    let mut size = 0;
    // SAFETY: the program is there, and the pointer is to a local.
    if unsafe { sys::nvrtcGetProgramLogSize(program.0, ptr::from_mut(&mut size)) }.result().is_err() {
        return String::new();
    }
    let mut log = vec![0u8; size];
    // SAFETY: `log` has the size that NVRTC has just asked for.
    if unsafe { sys::nvrtcGetProgramLog(program.0, log.as_mut_ptr().cast::<c_char>()) }.result().is_err() {
        return String::new();
    }
    String::from_utf8_lossy(&log).trim_end_matches('\0').into()
}

/// Where the first error is, and what it says: a line of the log is `kernel(12): error: …`.
fn first_error(log: &str, source: &Source) -> (String, String) {
    let found = log.lines().find_map(|line| {
        let (place, message) = line.split_once("): error")?;
        let number = place.rsplit_once('(')?.1.parse::<usize>().ok()?;
        Some((source.locate(number), message.trim_start_matches([':', ' ']).to_owned()))
    });
    found.unwrap_or_else(|| ("an unknown line".into(), log.trim().into()))
}
