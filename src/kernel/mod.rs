//! Kernels as plain data, and their text from the snippets under `shaders/`.
//!
//! WGSL declarations may stand in any order, so a generic kernel is a concatenation: the element's alias,
//! the operator's functions, the constants, the snippets a kernel calls, and the kernel itself. A name
//! declared twice is an error that naga reports. Each primitive has a file here that says which snippets
//! its kernels are made of.

pub(crate) mod scan;
mod unroll;

use std::sync::Arc;

use crate::{element::Element, monoid::Monoid};

pub(crate) use scan::ScanKernel;

/// Lanes in a workgroup, everywhere: the most that every WebGPU implementation takes.
pub(crate) const LANES: u32 = 256;

/// Everything that decides a kernel's text, but for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    Scan(ScanKernel),
}

impl Kernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Scan(kernel) => kernel.pass.name(),
        }
    }

    /// The whole text for `operator`.
    pub fn assemble(&self, operator: &Operator) -> Source {
        match self {
            Kernel::Scan(kernel) => scan::assemble(operator, kernel),
        }
    }
}

impl From<ScanKernel> for Kernel {
    fn from(kernel: ScanKernel) -> Self {
        Kernel::Scan(kernel)
    }
}

/// The uniform parameters of a dispatch: the bytes of a struct that [`params!`] declares.
pub(crate) type ParamWords = Vec<u32>;

/// Declares the uniform parameters of a primitive's kernels once, for Rust, WGSL and CUDA: `u32` fields, a
/// multiple of four of them, for uniform structs are a multiple of 16 bytes.
macro_rules! params {
    ($($(#[doc = $doc:literal])* $name:ident),* $(,)?) => {
        /// What a dispatch is told, as every kernel of this file reads it.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
        pub(crate) struct Params {
            $($(#[doc = $doc])* pub $name: u32,)*
        }

        const _: () = assert!(size_of::<Params>().is_multiple_of(16));

        impl Params {
            /// The same struct in WGSL.
            pub(crate) const WGSL: &'static str = concat!(
                "struct Params {\n",
                $("    ", stringify!($name), ": u32,\n",)*
                "}\n",
            );

            /// The same struct in CUDA C++.
            #[allow(dead_code)] // if the CUDA backend is not compiled in
            pub(crate) const CUDA: &'static str = concat!(
                "struct Params {\n",
                $("    u32 ", stringify!($name), ";\n",)*
                "};\n",
            );
        }

        impl From<Params> for $crate::kernel::ParamWords {
            fn from(params: Params) -> Self {
                bytemuck::cast_slice(std::slice::from_ref(&params)).to_vec()
            }
        }
    };
}
pub(crate) use params;

/// A file under `shaders/` with its name.
macro_rules! snippet {
    ($path:literal) => {
        ($path, include_str!(concat!("../../shaders/", $path)))
    };
}
pub(crate) use snippet;

/// The element type and the operator, as shader text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operator {
    pub element: &'static str,
    pub monoid: Arc<str>,
}

impl Operator {
    pub fn new<T: Element, M: Monoid<T>>(monoid: &M) -> Self {
        Self { element: T::WGSL, monoid: monoid.wgsl().into() }
    }
}

/// A kernel's text, and which line came from where.
pub(crate) struct Source {
    pub text: String,
    /// Each part's name and its first line in `text`, counted from 0.
    parts: Vec<(&'static str, usize)>,
}

impl Source {
    pub fn new(parts: &[(&'static str, &str)]) -> Self {
        let mut source = Source { text: String::new(), parts: Vec::new() };
        let mut lines = 0;
        for &(name, text) in parts {
            source.parts.push((name, lines));
            source.text.push_str(text);
            source.text.push('\n');
            lines += text.matches('\n').count() + 1;
        }
        source
    }

    /// The part and the line in it, both as a reader counts, for a line of the whole text (from 1).
    pub fn locate(&self, line: usize) -> String {
        let line = line.saturating_sub(1);
        match self.parts.iter().rev().find(|(_, first)| *first <= line) {
            Some((name, first)) => format!("{name}:{}", line - first + 1),
            None => format!("line {}", line + 1),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

    use super::*;

    /// Parses and validates a kernel as wgpu does, without a device.
    pub(crate) fn validated(operator: &Operator, kernel: &Kernel) -> (naga::Module, ModuleInfo) {
        let source = kernel.assemble(operator);
        let module = naga::front::wgsl::parse_str(&source.text)
            .unwrap_or_else(|error| panic!("{kernel:?}: {}", error.emit_to_string(&source.text)));
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{kernel:?}: {}", error.emit_to_string(&source.text)));
        (module, info)
    }

    /// The storage bindings that a kernel makes use of, which are those it has to be given.
    pub(crate) fn storage_bindings(operator: &Operator, kernel: &Kernel) -> Vec<u32> {
        let (module, info) = validated(operator, kernel);
        let used = info.get_entry_point(0);
        let mut slots: Vec<u32> = module
            .global_variables
            .iter()
            .filter(|(handle, global)| {
                matches!(global.space, naga::AddressSpace::Storage { .. }) && !used[*handle].is_empty()
            })
            .filter_map(|(_, global)| global.binding.map(|binding| binding.binding))
            .collect();
        slots.sort_unstable();
        slots
    }

    /// Bytes of workgroup memory that a module declares.
    pub(crate) fn workgroup_memory(module: &naga::Module) -> u32 {
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(module.to_ctx()).expect("sizes of types");
        let shared = module.global_variables.iter().filter(|(_, g)| g.space == naga::AddressSpace::WorkGroup);
        shared.map(|(_, global)| layouter[global.ty].size).sum()
    }

    #[test]
    fn lines_are_traced_to_their_part() {
        let source = Source::new(&[("one", "a\nb\n"), ("two", "c")]);
        assert_eq!(source.text, "a\nb\n\nc\n");
        assert_eq!(source.locate(2), "one:2");
        assert_eq!(source.locate(4), "two:1");
    }
}
