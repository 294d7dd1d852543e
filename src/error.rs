//! The one error type.

use std::ops::Range;

#[cfg(not(target_arch = "wasm32"))]
const WHERE_ADAPTERS_COME_FROM: &str = "expected a Vulkan, Metal or DirectX 12 driver. On Linux install your GPU's Vulkan driver, or Mesa's \
     software one (Debian and Ubuntu: mesa-vulkan-drivers and libvulkan1; Fedora: mesa-vulkan-drivers; Arch: \
     vulkan-swrast); `gpuscan::Device::cpu()` needs none";
#[cfg(target_arch = "wasm32")]
const WHERE_ADAPTERS_COME_FROM: &str = "expected a browser with WebGPU (Chrome or Edge 113, Firefox 141, Safari 26, or later) on a page from https \
     or localhost; `gpuscan::Device::cpu()` needs none";

/// What can go wrong. Nothing of the caller's data has been touched when one of these is returned, unless
/// its text says otherwise.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No usable GPU or software driver was found.
    #[error("no GPU adapter found ({searched}): {WHERE_ADAPTERS_COME_FROM}")]
    NoAdapter {
        /// Where it was looked for, and what was found there but could not be used.
        searched: String,
    },

    /// An element type is not what its layout says, or not one that kernels can work with.
    #[error("{element} cannot be scanned: expected {expected} {what}, found {found}")]
    Layout {
        /// The Rust type.
        element: &'static str,
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },

    /// Two wishes that no kernel fulfils together.
    #[error("{what} cannot be combined with {with}")]
    Combination {
        /// The one.
        what: &'static str,
        /// The other.
        with: &'static str,
    },

    /// The adapter refused to make a device.
    #[error("the adapter {adapter} gave no device: {reason}")]
    NoDevice {
        /// The adapter's name.
        adapter: String,
        /// What the driver said.
        reason: String,
    },

    /// The device was lost (driver reset, unplugged, or destroyed by its owner). Buffers on it are gone.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// What the driver said.
        reason: String,
    },

    /// The device has no room for an allocation.
    #[error("out of device memory: {bytes} bytes were asked for ({what})")]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How much was asked for.
        bytes: u64,
    },

    /// Something is larger than the device's limits allow.
    #[error("{what} is too large: expected at most {expected} {unit}, found {found}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// What is counted.
        unit: &'static str,
        /// The most that the device, or the algorithm, takes.
        expected: u64,
        /// What was needed.
        found: u64,
    },

    /// Two lengths that must agree do not.
    #[error("{what} has the wrong length: expected {expected} elements, found {found}")]
    Length {
        /// Which buffer.
        what: &'static str,
        /// The length it should have.
        expected: u64,
        /// The length it has.
        found: u64,
    },

    /// A range reaches beyond what it is a range of.
    #[error("the range {}..{} reaches beyond the {len} {unit} that are there", range.start, range.end)]
    Range {
        /// The range asked for.
        range: Range<u64>,
        /// What is counted.
        unit: &'static str,
        /// How many there are.
        len: u64,
    },

    /// A byte range of a caller's buffer does not start or end on an element.
    #[error("{what} is misaligned: expected a multiple of {expected} bytes, found {found}")]
    Misaligned {
        /// What is misaligned.
        what: &'static str,
        /// The alignment it needs.
        expected: u64,
        /// Where it is.
        found: u64,
    },

    /// Input and output overlap without being the same range.
    #[error(
        "input bytes {}..{} and output bytes {}..{} of one buffer overlap: expected ranges that are apart, or \
         the same range twice",
        input.start, input.end, output.start, output.end
    )]
    Overlap {
        /// The input's bytes in the buffer.
        input: Range<u64>,
        /// The output's bytes in the buffer.
        output: Range<u64>,
    },

    /// A caller's buffer was made without a usage that is needed.
    #[error("{what} lacks a buffer usage: expected {expected}, found {found}")]
    Usage {
        /// Which buffer.
        what: &'static str,
        /// The usages it needs.
        expected: String,
        /// The usages it has.
        found: String,
    },

    /// Two things belong to different devices, or to another backend than the call works on.
    #[error("{what} is on the wrong device: expected {expected}, found {found}")]
    WrongDevice {
        /// What is on the wrong device.
        what: &'static str,
        /// The device it should be on.
        expected: String,
        /// The device it is on.
        found: String,
    },

    /// An argument is outside what a call takes.
    #[error("{what}: expected {expected}, found {found}")]
    Invalid {
        /// Which argument.
        what: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },

    /// The device lacks something that every kernel needs.
    #[error("the device is too small: expected {what} of at least {expected}, found {found}")]
    Unsupported {
        /// The limit.
        what: &'static str,
        /// The least that works.
        expected: u64,
        /// What the device has.
        found: u64,
    },

    /// A kernel did not compile. With a caller's own operator the fault is most likely in its WGSL.
    #[error("the kernel {kernel} did not compile, at {place}: {message}")]
    Shader {
        /// The kernel's entry point.
        kernel: &'static str,
        /// Which of the texts the kernel is made of, and the line and column in it: `operator:3:14`.
        place: String,
        /// What the compiler said.
        message: String,
    },

    /// A library that is looked for when a program runs is not there.
    #[error("the library {library} was not found: {help}")]
    MissingLibrary {
        /// Its usual file name.
        library: &'static str,
        /// What brings it.
        help: &'static str,
    },

    /// A driver is older than what it should run.
    #[error("the {driver} driver is too old: expected {expected} or later, found {found}")]
    OldDriver {
        /// Whose driver.
        driver: &'static str,
        /// The first version that will do.
        expected: String,
        /// The version that is there.
        found: String,
    },

    /// An operator or a map is not what it has to be: its text is more than functions, or, found by
    /// [`Monoid::check`](crate::Monoid::check), it breaks a law.
    #[error("{operator} cannot be used: {what}")]
    Operator {
        /// Its type, or the line and column of its text.
        operator: String,
        /// What was expected and what was found.
        what: String,
    },

    /// A driver does not keep the canonical order, found by [`Device::self_test`](crate::Device::self_test).
    #[error(
        "{device} does not keep the canonical order: {algorithm} gave bits {found:#010x} at {index}, expected \
         {expected:#010x}. Results that have to agree with other devices need another driver, another algorithm \
         that passes, or `gpuscan::Device::cpu()`; please report this one"
    )]
    WrongBits {
        /// The device.
        device: String,
        /// Which algorithm was tried.
        algorithm: crate::Algorithm,
        /// The first element that differs.
        index: u64,
        /// Its bits on the CPU.
        expected: u32,
        /// Its bits on the device.
        found: u32,
    },

    /// wgpu and CUDA can share no memory here.
    #[error("wgpu and CUDA share no memory here: {missing}")]
    NotShared {
        /// What it takes, and what is there.
        missing: String,
    },

    /// The driver refused a call for a reason this crate did not foresee.
    #[error("the driver refused {what}: {message}")]
    Driver {
        /// What was being done.
        what: &'static str,
        /// What the driver said.
        message: String,
    },
}

impl Error {
    /// Only where a buffer's memory contradicts its device, which no constructor allows.
    pub(crate) fn mixed(device: &crate::Device) -> Self {
        Error::WrongDevice {
            what: "a buffer's memory",
            expected: device.describe(),
            found: "memory of another backend".into(),
        }
    }
}
