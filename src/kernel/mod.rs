//! Kernels as plain data, and their text from the snippets under `shaders/`.
//!
//! WGSL declarations may stand in any order, so a generic kernel is a concatenation: the element's alias,
//! the operator's functions, the constants, the snippets a kernel calls, and the kernel itself. A name
//! declared twice is an error that naga reports. Each primitive has a file here that says which snippets
//! its kernels are made of.

pub(crate) mod access;
pub(crate) mod balance;
pub(crate) mod histogram;
mod layout;
pub(crate) mod range;
pub(crate) mod rows;
pub(crate) mod scan;
mod scan_text;
pub(crate) mod sort;
mod text;
mod unroll;
mod unroll_runs;
#[cfg(not(target_arch = "wasm32"))]
mod validate;

use std::{borrow::Cow, sync::Arc};

use crate::{
    element::{Element, Layout, MOST_WORDS},
    error::Error,
    map::{Map, Same},
    monoid::{Monoid, Sum},
};

pub(crate) use scan::ScanKernel;
pub(crate) use sort::SortKernel;
pub(crate) use text::is_heavy;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use validate::check_operator;

/// Lanes in a workgroup, everywhere: the most that every WebGPU implementation takes.
pub(crate) const LANES: u32 = 256;

/// Everything that decides a kernel's text, but for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    Scan(ScanKernel),
    Histogram(histogram::HistogramKernel),
    Balance(balance::BalanceKernel),
    Range(range::RangeKernel),
    Rows(rows::RowsKernel),
    Sort(SortKernel),
}

impl Kernel {
    /// The entry point.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Scan(kernel) => kernel.pass.name(),
            Kernel::Histogram(kernel) => kernel.name(),
            Kernel::Balance(kernel) => kernel.name(),
            Kernel::Range(kernel) => kernel.name(),
            Kernel::Rows(kernel) => kernel.name(),
            Kernel::Sort(kernel) => kernel.name(),
        }
    }

    /// The whole text for `operator`.
    pub fn assemble(&self, operator: &Operator) -> Source {
        match self {
            Kernel::Scan(kernel) => scan_text::assemble(operator, kernel),
            Kernel::Histogram(kernel) => histogram::assemble(kernel),
            Kernel::Balance(kernel) => balance::assemble(kernel),
            Kernel::Range(kernel) => range::assemble(kernel),
            Kernel::Rows(kernel) => rows::assemble(operator, kernel),
            Kernel::Sort(kernel) => sort::assemble(kernel),
        }
    }
}

impl From<ScanKernel> for Kernel {
    fn from(kernel: ScanKernel) -> Self {
        Kernel::Scan(kernel)
    }
}

impl From<SortKernel> for Kernel {
    fn from(kernel: SortKernel) -> Self {
        Kernel::Sort(kernel)
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

/// What browsers want at the top of a text that uses subgroups, and naga does not know.
pub(crate) const ENABLE_SUBGROUPS: &str =
    if cfg!(target_arch = "wasm32") { "enable subgroups;\n" } else { "" };

/// The element types and the operator, as shader text: all that a kernel takes from its user.
///
/// Texts have the names by which errors call them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operator {
    /// What buffers hold that are read.
    pub input: Layout,
    /// What is combined.
    pub element: Layout,
    /// What is written.
    pub output: Layout,
    /// `identity` and `combine`.
    pub combine: Vec<(&'static str, Arc<str>)>,
    /// What becomes of elements on their way in and out: `enter`, and `leave` or `place` and `send`.
    pub hooks: Vec<(&'static str, Arc<str>)>,
    /// What elements are keys of, if they are keys: memory holds such values where a scan starts from one.
    pub keys_of: Option<Layout>,
    /// The operator with its maps for a run of elements at once, if it has a text for that.
    pub windows: Option<&'static str>,
    /// `identity` and `combine` in CUDA C++, where kernels that are written in it do all that is asked for: then there
    /// are no other texts.
    pub cuda: Option<Arc<str>>,
}

impl Operator {
    pub fn new<A, T, B, M, I, O>(monoid: &M, map_in: &I, map_out: &O) -> Self
    where
        A: Element,
        T: Element,
        B: Element,
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        let (into, out_of) = (map_in.wgsl(), map_out.wgsl());
        let windows = monoid.windows(&into, &out_of);
        let plain = Self::of([A::LAYOUT, T::LAYOUT, B::LAYOUT], [monoid.wgsl(), into, out_of]);
        Self { windows, ..plain }
    }

    /// The same of the layouts of what is read, combined and written, and of the texts of the operator, the input map
    /// and the result map.
    pub fn of([input, element, output]: [Layout; 3], texts: [Cow<'static, str>; 3]) -> Self {
        let [combine, map_in, map_out] = texts.map(Arc::from);
        let mut hooks =
            map_functions(["map_in(value: In) -> T", "map_out(value: T) -> Out"], [map_in, map_out]);
        hooks.push(("hooks", include_str!("../../shaders/hooks/maps.wgsl").into()));
        Self {
            input,
            element,
            output,
            combine: vec![(text::OPERATOR, combine)],
            hooks,
            keys_of: None,
            windows: None,
            cuda: None,
        }
    }

    /// The same for an operator that has keys: kernels hold and combine these in place of values.
    pub fn on_keys<A, T, B, M, I, O>(monoid: &M, map_in: &I, map_out: &O) -> Option<Self>
    where
        A: Element,
        T: Element,
        B: Element,
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        let keys = monoid.keyed()?;
        Some(Self::keyed([A::LAYOUT, T::LAYOUT, B::LAYOUT], [keys, map_in.wgsl(), map_out.wgsl()]))
    }

    fn keyed([input, value, output]: [Layout; 3], texts: [Cow<'static, str>; 3]) -> Self {
        // The maps' texts speak of values as `T`, which is what kernels call keys.
        let [keys, map_in, map_out] = texts;
        let maps = [map_in, map_out].map(|text| text::rename(&text, &[("T", "Value")]).into());
        let mut hooks =
            map_functions(["value_in(value: In) -> Value", "value_out(value: Value) -> Out"], maps);
        hooks.push(("keyed", include_str!("../../shaders/hooks/keyed.wgsl").into()));
        hooks.push(("hooks", include_str!("../../shaders/hooks/maps.wgsl").into()));
        Self {
            input,
            element: u32::LAYOUT,
            output,
            combine: vec![
                ("keys", keys.into()),
                ("value", format!("alias Value = {};\n", value.wgsl()).into()),
            ],
            hooks,
            keys_of: Some(value),
            windows: None,
            cuda: None,
        }
    }

    /// The same for scans that begin anew at every head. What is combined is a value with the last head
    /// up to it, laid out as `segment`; `head` is the text of `fn head(i: u32) -> bool`.
    pub fn segmented(
        [input, value, output]: [Layout; 3],
        segment: Layout,
        texts: [Cow<'static, str>; 3],
        head: Arc<str>,
    ) -> Self {
        // The user's texts speak of values as `T`, kernels of values with their heads.
        let [combine, map_in, map_out] =
            texts.map(|text| text::rename(&text, &[("T", "Value"), text::WANTED[0], text::WANTED[1]]).into());
        let mut hooks =
            map_functions(["map_in(value: In) -> Value", "map_out(value: Value) -> Out"], [map_in, map_out]);
        hooks.push(("heads", head));
        hooks.push(("hooks", include_str!("../../shaders/hooks/segmented.wgsl").into()));
        Self {
            input,
            element: segment,
            output,
            combine: vec![
                (text::OPERATOR, combine),
                ("value", format!("alias Value = {};\n", value.wgsl()).into()),
                ("segments", include_str!("../../shaders/hooks/segments.wgsl").into()),
            ],
            hooks,
            keys_of: None,
            windows: None,
            cuda: None,
        }
    }

    /// The same where `head` comes with `heads_of_quad`, for four values at once.
    pub fn enter_quads(&mut self) {
        self.hooks.push((QUADS_OF_SEGMENTS, include_str!("../../shaders/hooks/segmented_quads.wgsl").into()));
    }

    /// Whether the hooks have quads enter.
    fn enters_quads(&self) -> bool {
        self.hooks.last().is_some_and(|&(name, _)| name == QUADS_OF_SEGMENTS)
    }

    /// The same with results that go to places of their segment's.
    pub fn scatter_segments(&mut self) {
        let hooks = include_str!("../../shaders/hooks/scattered_segments.wgsl");
        self.replace_hooks(&format!("const OUT_WORDS = {}u;\n{hooks}", self.output.word_count()));
    }

    /// Totals of the segments that offsets name.
    pub fn segment_totals<A, T, M, I>(monoid: &M, map_in: &I) -> Self
    where
        A: Element,
        T: Element,
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let head = include_str!("../../shaders/hooks/head_bits.wgsl").into();
        let mut operator = Self::segmented(
            [A::LAYOUT, T::LAYOUT, T::LAYOUT],
            Segment::<T>::LAYOUT,
            [monoid.wgsl(), map_in.wgsl(), <Same as Map<T, T>>::wgsl(&Same)],
            head,
        );
        operator.hooks.push(("totals", include_str!("../../shaders/hooks/segment_totals.wgsl").into()));
        operator
    }

    /// Products of a sparse matrix's values and a vector's elements, added up.
    pub fn products() -> Self {
        let mut operator = Self::plain::<f32, _>(&Sum);
        operator.replace_hooks(include_str!("../../shaders/hooks/products.wgsl"));
        operator
    }

    /// The same with other hooks, which may call the maps.
    pub fn replace_hooks(&mut self, hooks: &str) {
        self.windows = None;
        self.hooks.pop();
        self.hooks.push(("hooks", hooks.into()));
    }

    /// The hooks where results come from windows.
    fn with_sums(&self) -> Vec<(&'static str, Arc<str>)> {
        let mut hooks = self.hooks.clone();
        hooks.pop();
        hooks.push(("hooks", include_str!("../../shaders/hooks/sums.wgsl").into()));
        hooks
    }

    /// An operator on one type.
    pub fn plain<T: Element, M: Monoid<T>>(monoid: &M) -> Self {
        Self::new::<T, T, T, _, _, _>(monoid, &Same, &Same)
    }

    /// The same for memory that holds what is combined.
    fn without_hooks(&self) -> Self {
        Self {
            input: self.element,
            output: self.element,
            combine: self.combine.clone(),
            hooks: vec![("hooks", include_str!("../../shaders/hooks/none.wgsl").into())],
            windows: None,
            cuda: None,
            ..*self
        }
    }

    /// An operator on one type for the kernels that are written in CUDA C++, if it has a text in it. They move elements
    /// of one word, and are made of nothing else.
    pub fn in_cuda<T: Element, M: Monoid<T>>(monoid: &M) -> Option<Self> {
        let cuda = if T::LAYOUT.is_scalar() { monoid.cuda() } else { None };
        let [input, element, output] = [T::LAYOUT; 3];
        let (combine, hooks) = (Vec::new(), Vec::new());
        cuda.map(|text| Self {
            input,
            element,
            output,
            combine,
            hooks,
            keys_of: None,
            windows: None,
            cuda: Some(text.into()),
        })
    }

    /// For kernels that combine nothing.
    pub fn none() -> Self {
        let word = u32::LAYOUT;
        let (combine, hooks) = (Vec::new(), Vec::new());
        Self {
            input: word,
            element: word,
            output: word,
            combine,
            hooks,
            keys_of: None,
            windows: None,
            cuda: None,
        }
    }
}

/// The texts of the input map and the result map with what makes functions of them.
fn map_functions(
    [into, out_of]: [&str; 2],
    [map_in, map_out]: [Arc<str>; 2],
) -> Vec<(&'static str, Arc<str>)> {
    vec![
        ("engine", format!("fn {into} {{").into()),
        (text::INPUT_MAP, map_in),
        ("engine", format!("}}\n\nfn {out_of} {{").into()),
        (text::RESULT_MAP, map_out),
        ("engine", "}\n".into()),
    ]
}

/// The name of that part.
const QUADS_OF_SEGMENTS: &str = "quads of segments";

/// A value and the last head up to it: what segmented scans combine.
struct Segment<T>(std::marker::PhantomData<T>);

impl<T: Element> Segment<T> {
    const LAYOUT: Layout = Layout::structure("Segment", &[("head", u32::LAYOUT), ("value", T::LAYOUT)]);
}

/// The layout of what segmented scans of `T` combine.
pub(crate) fn segment_of<T: Element>() -> Result<Layout, Error> {
    let layout = Segment::<T>::LAYOUT;
    match layout.word_count() <= MOST_WORDS {
        true => Ok(layout),
        false => Err(Error::Layout {
            element: std::any::type_name::<T>(),
            what: "bytes at most in segments",
            expected: 4 * u64::from(MOST_WORDS - 1),
            found: T::LAYOUT.bytes().into(),
        }),
    }
}

/// The parts of a kernel's text, while they are put together.
#[derive(Default)]
pub(crate) struct Parts(Vec<(&'static str, Cow<'static, str>)>);

impl Parts {
    pub fn add(&mut self, name: &'static str, text: impl Into<String>) {
        self.0.push((name, Cow::Owned(text.into())));
    }

    /// A [`snippet!`].
    pub fn file(&mut self, (name, text): (&'static str, &'static str)) {
        self.0.push((name, Cow::Borrowed(text)));
    }

    pub fn source(&self) -> Source {
        let parts: Vec<_> = self.0.iter().map(|(name, text)| (*name, &**text)).collect();
        Source::new(&parts)
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

    /// Every part's name and text.
    fn parts_with_text(&self) -> Vec<(&'static str, &str)> {
        let lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        let ends = self.parts.iter().skip(1).map(|&(_, first)| first).chain([lines.len()]);
        let starts = self.parts.iter().zip(ends);
        let bytes = |line: usize| lines[..line].iter().map(|line| line.len()).sum::<usize>();
        starts.map(|(&(name, first), end)| (name, &self.text[bytes(first)..bytes(end)])).collect()
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

#[cfg(all(test, target_arch = "wasm32"))]
mod browser;

#[cfg(test)]
pub(crate) mod tests {
    use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

    use super::*;

    /// Every kernel of every primitive with every operator it is tried with: for what has to hold for all.
    #[cfg(any(target_arch = "wasm32", feature = "cuda"))]
    pub(crate) fn every_kernel() -> Vec<(Operator, Kernel)> {
        let scans = scan::tests::every_kernel_with_its_operator();
        let scans = scans.into_iter().map(|(operator, kernel)| (operator, Kernel::from(kernel)));
        let others = sort::tests::every_kernel()
            .into_iter()
            .map(Kernel::Sort)
            .chain(histogram::tests::every_kernel().into_iter().map(Kernel::Histogram))
            .chain(balance::tests::every_kernel().into_iter().map(Kernel::Balance))
            .chain(range::tests::every_kernel().into_iter().map(Kernel::Range))
            .map(|kernel| (Operator::none(), kernel));
        scans.chain(rows::tests::every_kernel_with_its_operator()).chain(others).collect()
    }

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
