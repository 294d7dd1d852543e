//! One scan, described step by step: where it starts, which way it goes, what its rows are.

use crate::{
    backend::{self, Backend, Memory, cpu, wgpu},
    buffer::GpuBuffer,
    device::Device,
    element::{Element, Layout},
    error::Error,
    kernel::{self, Operator},
    map::Map,
    monoid::Monoid,
    plan::{
        Place,
        scan::{self as plan, Extra, Job, Walk},
    },
    scan::GpuScan,
    tuning,
};

/// A scan of one input, made by [`GpuScan::of`]; nothing happens until one of [`Scanning::run`],
/// [`Scanning::run_into`] and [`Scanning::encode`].
///
/// ```
/// use gpuscan::{Device, GpuScan};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let scan = GpuScan::new(&device);
/// let input = device.upload(&[1u32, 2, 3, 4, 5, 6])?;
///
/// let behind_ten = scan.of(&input).exclusive().starting_from(10).run()?;
/// assert_eq!(behind_ten.to_vec()?, [10, 11, 13, 16, 20, 25]);
///
/// let backwards = scan.of(&input).reversed().run()?;
/// assert_eq!(backwards.to_vec()?, [21, 20, 18, 15, 11, 6]);
///
/// let rows = scan.of(&input).rows(3).run()?;
/// assert_eq!(rows.to_vec()?, [1, 3, 6, 4, 9, 15]);
///
/// let columns = scan.of(&input).axis(&[2, 3], 0).run()?;
/// assert_eq!(columns.to_vec()?, [1, 2, 3, 5, 7, 9]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is scanned until it is run, or recorded into an encoder"]
#[derive(Clone, Debug)]
pub struct Scanning<'a, A, T, M, I, O> {
    scan: &'a GpuScan<M, I, O>,
    input: GpuBuffer<A>,
    exclusive: bool,
    start: Start<T>,
    shape: Shape,
    reversed: bool,
    segments: Segments,
    counted: Option<GpuBuffer<u32>>,
}

/// Where a scan begins anew.
#[derive(Clone, Debug)]
enum Segments {
    Whole,
    /// At every flag that is not zero.
    Flags(GpuBuffer<u32>),
    /// Where a key of so many words differs from the one before.
    Keys(Keys),
    /// At these elements.
    Offsets(GpuBuffer<u32>),
}

/// What a scan starts from.
#[derive(Clone, Debug)]
enum Start<T> {
    Nothing,
    Value(T),
    Buffer(GpuBuffer<T>),
}

/// Which elements are scanned with which.
#[derive(Clone, Debug)]
enum Shape {
    Flat,
    /// Rows of so many elements.
    Rows(usize),
    Axis(Vec<usize>, usize),
    /// Every so many elements of the input, of the output.
    Steps(usize, usize),
}

/// A shape as plans have it.
struct Geometry {
    len: usize,
    rows: usize,
    inner_rows: usize,
    source: Walk,
    target: Walk,
    /// Elements that the output must have.
    output: usize,
}

impl<'a, A: Element, T: Element, M: Monoid<T>, I: Map<A, T>, O: 'static> Scanning<'a, A, T, M, I, O> {
    pub(crate) fn new(scan: &'a GpuScan<M, I, O>, input: &GpuBuffer<A>) -> Self {
        Self {
            scan,
            input: input.clone(),
            exclusive: false,
            start: Start::Nothing,
            shape: Shape::Flat,
            reversed: false,
            segments: Segments::Whole,
            counted: None,
        }
    }

    /// Scans only as many elements as the one element of `count` says when the scan runs, which may be as late as an
    /// earlier command of the same encoder has written it, and no more than the input has. Results behind them
    /// stay as they are. Nothing is read back; workgroups for elements that are not there leave at once.
    ///
    /// Takes three passes, in one piece. Not together with rows, or [`Scanning::reversed`].
    pub fn counted_by(self, count: &GpuBuffer<u32>) -> Self {
        Self { counted: Some(count.clone()), ..self }
    }

    /// Begins anew, from the identity, at every element whose flag is not zero; there is a flag for each.
    ///
    /// Segments are scanned as one list of values with their heads: a float's bits depend on where in the
    /// whole input its segment lies, but not on the device. (Use [`Scanning::rows`] for segments that are
    /// alike.) Not together with rows, steps, [`Scanning::reversed`] or a value to start from.
    pub fn by_flags(self, flags: &GpuBuffer<u32>) -> Self {
        Self { segments: Segments::Flags(flags.clone()), ..self }
    }

    /// Begins anew wherever a key differs, in any bit, from the one before it. Otherwise like
    /// [`Scanning::by_flags`]. Keys have whole words.
    pub fn by_key<K: Element>(self, keys: &GpuBuffer<K>) -> Self {
        Self { segments: Segments::Keys(Keys::new(keys)), ..self }
    }

    /// Begins anew at each of these elements, the offsets of a CSR matrix for example: in any order, with any
    /// repeated (empty segments), and those behind the end passed over. Otherwise like
    /// [`Scanning::by_flags`].
    pub fn by_offsets(self, offsets: &GpuBuffer<u32>) -> Self {
        Self { segments: Segments::Offsets(offsets.clone()), ..self }
    }

    /// Every result leaves out its own element: the first is the identity, or what the scan starts from.
    pub fn exclusive(self) -> Self {
        Self { exclusive: true, ..self }
    }

    /// Starts every row from `value`, which is combined into each result from the left.
    pub fn starting_from(self, value: T) -> Self {
        Self { start: Start::Value(value), ..self }
    }

    /// The same with the first element of a buffer, which may be written on the device as late as by an
    /// earlier command of the same encoder.
    pub fn starting_from_buffer(self, value: &GpuBuffer<T>) -> Self {
        Self { start: Start::Buffer(value.clone()), ..self }
    }

    /// Scans from the last element to the first: what comes later in memory is the left operand. Elements
    /// are moved one by one, which is slower.
    pub fn reversed(self) -> Self {
        Self { reversed: true, ..self }
    }

    /// Cuts the input into rows of `len` elements, each scanned by itself: the bits of a row do not depend on
    /// where it is. Rows up to half a tile share workgroups. The rows must fit one binding.
    pub fn rows(self, len: usize) -> Self {
        Self { shape: Shape::Rows(len), ..self }
    }

    /// Scans along one axis of an array of these lengths, the last one contiguous. Along any other axis
    /// memory is not read in order, which is slower.
    pub fn axis(self, lens: &[usize], axis: usize) -> Self {
        Self { shape: Shape::Axis(lens.to_vec(), axis), ..self }
    }

    /// Scans elements 0, `input`, 2·`input`, … and writes to 0, `output`, 2·`output`, …; what lies between is
    /// neither read nor written.
    pub fn steps(self, input: usize, output: usize) -> Self {
        Self { shape: Shape::Steps(input, output), ..self }
    }

    /// Scans into a new buffer.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`], and [`Error::Length`] for a shape that does not match the input.
    pub fn run<B: Element>(self) -> Result<GpuBuffer<B>, Error>
    where
        O: Map<T, B>,
    {
        self.input.check_device("the input", &self.scan.device)?;
        let output = self.scan.device.zeros(self.geometry()?.output)?;
        self.run_into(&output)?;
        Ok(output)
    }

    /// Scans into a buffer of the length that [`Scanning::run`] would return. Pass the input itself to scan
    /// in place.
    ///
    /// # Errors
    /// As for [`Scanning::run`], [`Error::Length`] and [`Error::Overlap`].
    pub fn run_into<B: Element>(self, output: &GpuBuffer<B>) -> Result<(), Error>
    where
        O: Map<T, B>,
    {
        let job = self.checked(output)?;
        let input = &self.input;
        match (self.scan.device.backend(), input.memory(), output.memory()) {
            (Backend::Wgpu(context), Memory::Wgpu(source), Memory::Wgpu(target)) => {
                let planned = self.planned(context, job, source, target)?;
                context.run(&planned.plan, &planned.operator, &planned.buffers())
            }
            (Backend::Cuda(context), Memory::Cuda(source), Memory::Cuda(target)) => {
                if !job.is_basic() || !is_same::<I>() {
                    return Err(Error::Combination { what: "anything but a scan of one row", with: "CUDA" });
                }
                let plan = plan::scan(&job, context.capabilities())?;
                context.run(&plan, &context.operator::<T, M>(&self.scan.monoid)?, &[source, target])
            }
            (_, Memory::Host(source), Memory::Host(target)) => {
                let twin = self.twin();
                // Neither lock is held while the operator, a caller's code, runs.
                let values = backend::read(source, input.offset()..input.offset() + input.len());
                let mut job = job;
                if let Some(count) = &self.counted {
                    job.len = job.len.min(count.on_host()?[0].into());
                }
                let results = match self.heads_on_host()? {
                    None => cpu::scan(&twin, &job, self.start_on_host()?, &values),
                    Some(heads) => cpu::scan_segments(&twin, &job, &heads, &values[..job.len as usize]),
                };
                backend::write_each(target, output.offset(), cpu::places(&job), &results);
                Ok(())
            }
            _ => Err(Error::mixed(&self.scan.device)),
        }
    }

    /// Records the scan into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`Scanning::run_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the CPU.
    pub fn encode<B: Element>(
        self,
        encoder: &mut ::wgpu::CommandEncoder,
        output: &GpuBuffer<B>,
    ) -> Result<(), Error>
    where
        O: Map<T, B>,
    {
        let context = self.scan.device.gpu("recording a scan")?;
        let job = self.checked(output)?;
        let (Memory::Wgpu(source), Memory::Wgpu(target)) = (self.input.memory(), output.memory()) else {
            return Err(Error::mixed(&self.scan.device));
        };
        let planned = self.planned(context, job, source, target)?;
        context.encode(&planned.plan, &planned.operator, &planned.buffers(), encoder)
    }

    pub(crate) fn of_slice<B: Element>(
        scan: &GpuScan<M, I, O>,
        values: &[A],
        exclusive: bool,
    ) -> Result<Vec<B>, Error>
    where
        O: Map<T, B>,
    {
        // The textbook algorithms are asked for to be seen at work where the user wants them.
        let small = scan.algorithm.is_canonical() && values.len() < tuning::HOST_CROSSOVER;
        // In a browser nothing can wait for a device.
        if small || scan.device.is_cpu() || cfg!(target_arch = "wasm32") {
            let types = types::<A, T, B>()?;
            let job = Job::new(scan.algorithm, exclusive, values.len() as u64, types);
            let twin = cpu::Twin { monoid: &scan.monoid, map_in: &scan.map_in, map_out: &scan.map_out };
            return Ok(cpu::scan(&twin, &job, None, values));
        }
        let input = scan.device.upload(values)?;
        let scanning = Scanning { exclusive, ..Scanning::new(scan, &input) };
        pollster::block_on(scanning.run()?.read())
    }

    /// The job, if both buffers are fit for it.
    fn checked<B: Element>(&self, output: &GpuBuffer<B>) -> Result<Job, Error> {
        let device = &self.scan.device;
        self.input.check_device("the input", device)?;
        output.check_device("the output", device)?;
        let geometry = self.geometry()?;
        let length = |what, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(Error::Length { what, expected: expected as u64, found: found as u64 }),
        };
        length("the output", geometry.output, output.len())?;
        if let Start::Buffer(start) = &self.start {
            start.check_device("the value to start from", device)?;
            length("the value to start from", 1, start.len())?;
        }
        let extra = self.extra(geometry.len)?;
        if let Some(count) = &self.counted {
            is_same_device("the count", count.device(), device)?;
            length("the count", 1, count.len())?;
            let with = match self.shape {
                Shape::Rows(_) | Shape::Axis(..) => Some("rows"),
                _ if self.reversed => Some("the way backwards"),
                _ => None,
            };
            if let Some(with) = with {
                return Err(Error::Combination { what: "a count on the device", with });
            }
        }
        let same_buffer = self.input.memory_id() == output.memory_id();
        let (source, target) = (self.input.byte_range(), output.byte_range());
        let apart = source.end <= target.start || target.end <= source.start;
        let in_place = source == target && geometry.source == geometry.target;
        if same_buffer && !apart && !in_place {
            return Err(Error::Overlap { input: source, output: target });
        }
        Ok(Job {
            rows: geometry.rows as u64,
            inner_rows: geometry.inner_rows as u64,
            input: self.input.place(),
            output: output.place(),
            source: geometry.source,
            target: geometry.target,
            same_buffer,
            counted: self.counted.as_ref().map(GpuBuffer::place),
            extra,
            maps_results: !is_same::<O>() || extra != Extra::Nothing,
            ..Job::new(self.scan.algorithm, self.exclusive, geometry.len as u64, self.types::<B>()?)
        })
    }

    /// The layouts of what is read, combined and written, if they are what scans can work with.
    fn types<B: Element>(&self) -> Result<[Layout; 3], Error> {
        let [input, element, output] = types::<A, T, B>()?;
        let combined = match self.segments {
            Segments::Whole => element,
            _ => kernel::segment_of::<T>()?,
        };
        Ok([input, combined, output])
    }

    /// What the segments are made from, if it is fit for an input of `len`.
    fn extra(&self, len: usize) -> Result<Extra, Error> {
        let what = "the segments of a scan";
        let (buffer_device, extra, found) = match &self.segments {
            Segments::Whole => return Ok(Extra::Nothing),
            Segments::Flags(flags) => {
                (flags.device(), Extra::Words { place: flags.place(), per_element: 1 }, Some(flags.len()))
            }
            Segments::Keys(keys) => {
                keys.check()?;
                let extra = Extra::Words { place: keys.place, per_element: keys.words.into() };
                (&keys.device, extra, Some(keys.len))
            }
            Segments::Offsets(offsets) => {
                let extra = Extra::Offsets { place: offsets.place(), segments: offsets.len() as u64 };
                (offsets.device(), extra, None)
            }
        };
        is_same_device("the flags, keys or offsets", buffer_device, &self.scan.device)?;
        let with = match (&self.shape, &self.start) {
            _ if !self.scan.algorithm.is_canonical() => Some("a textbook algorithm"),
            (Shape::Rows(_) | Shape::Axis(..), _) => Some("rows"),
            (Shape::Steps(..), _) => Some("steps"),
            (_, Start::Value(_) | Start::Buffer(_)) => Some("a value to start from"),
            _ if self.reversed => Some("the way backwards"),
            _ => None,
        };
        if let Some(with) = with {
            return Err(Error::Combination { what, with });
        }
        if let Some(found) = found.filter(|&found| found != len) {
            return Err(Error::Length {
                what: "the flags or keys",
                expected: len as u64,
                found: found as u64,
            });
        }
        Ok(extra)
    }

    /// Whether a segment begins at each element.
    fn heads_on_host(&self) -> Result<Option<Vec<bool>>, Error> {
        Ok(match &self.segments {
            Segments::Whole => None,
            Segments::Flags(flags) => Some(flags.on_host()?.iter().map(|&flag| flag != 0).collect()),
            Segments::Keys(keys) => Some(keys.heads()?),
            Segments::Offsets(offsets) => Some(cpu::heads(&offsets.on_host()?, self.input.len())),
        })
    }

    fn geometry(&self) -> Result<Geometry, Error> {
        let n = self.input.len();
        let rows_of = |len: usize, inner: usize| -> Geometry {
            let rows = n.checked_div(len).unwrap_or(0);
            let walk = Walk {
                origin: 0,
                step: inner as i64,
                outer: (len * inner) as u64,
                inner: u64::from(inner > 1),
            };
            Geometry { len, rows, inner_rows: inner, source: walk, target: walk, output: n }
        };
        let mut geometry = match &self.shape {
            Shape::Flat => rows_of(n, 1),
            Shape::Rows(len) => {
                if n.checked_rem(*len).unwrap_or(n) != 0 {
                    return Err(Error::Length {
                        what: "the input (a multiple of the length of a row)",
                        expected: (n / (*len).max(1) * len) as u64,
                        found: n as u64,
                    });
                }
                rows_of(*len, 1)
            }
            Shape::Axis(lens, axis) => {
                let whole: usize = lens.iter().product();
                let Some(&len) = lens.get(*axis) else {
                    return Err(Error::Range {
                        range: *axis as u64..*axis as u64 + 1,
                        unit: "axes",
                        len: lens.len() as u64,
                    });
                };
                if whole != n {
                    return Err(Error::Length {
                        what: "the input (the product of the lengths of all axes)",
                        expected: whole as u64,
                        found: n as u64,
                    });
                }
                rows_of(len, lens[axis + 1..].iter().product())
            }
            &Shape::Steps(input, output) => {
                for (what, step) in [("the step of the input", input), ("the step of the output", output)] {
                    if step == 0 {
                        return Err(Error::Length { what, expected: 1, found: 0 });
                    }
                }
                let len = n.div_ceil(input);
                let walk = |step: usize| Walk { step: step as i64, ..Walk::PLAIN };
                let output_len = if len == 0 { 0 } else { (len - 1) * output + 1 };
                Geometry {
                    len,
                    rows: 1,
                    inner_rows: 1,
                    source: walk(input),
                    target: walk(output),
                    output: output_len,
                }
            }
        };
        if self.reversed && geometry.len > 0 {
            for walk in [&mut geometry.source, &mut geometry.target] {
                walk.origin = (geometry.len as u64 - 1) * walk.step as u64;
                walk.step = -walk.step;
            }
        }
        Ok(geometry)
    }

    fn planned<'b, B: Element>(
        &self,
        context: &wgpu::Context,
        mut job: Job,
        source: &'b ::wgpu::Buffer,
        target: &'b ::wgpu::Buffer,
    ) -> Result<Planned<'b>, Error>
    where
        O: Map<T, B>,
    {
        let start = match &self.start {
            Start::Nothing => None,
            Start::Value(value) => Some(context.constant(bytemuck::cast_slice(&[*value]))?),
            Start::Buffer(buffer) => {
                buffer.wgpu_buffer().map(|memory| (memory.clone(), buffer.byte_range().start))
            }
        };
        job.starts = start.as_ref().map(|(memory, offset)| Place { offset: *offset, buffer: memory.size() });
        let plan = plan::scan(&job, &context.capabilities)?;
        let GpuScan { monoid, map_in, map_out, .. } = self.scan;
        let head = match &self.segments {
            Segments::Whole => None,
            Segments::Flags(_) => Some(include_str!("../shaders/hooks/head_flags.wgsl").into()),
            Segments::Keys(keys) => Some(keys.head()),
            Segments::Offsets(_) => Some(include_str!("../shaders/hooks/head_bits.wgsl").into()),
        };
        let operator = match head {
            None => Operator::new::<A, T, B, _, _, _>(monoid, map_in, map_out),
            Some(head) => Operator::segmented::<A, T, B, _, _, _>(monoid, map_in, map_out, head),
        };
        let extra = match &self.segments {
            Segments::Whole => None,
            Segments::Flags(words) | Segments::Offsets(words) => words.wgpu_buffer().cloned(),
            Segments::Keys(keys) => keys.memory.clone(),
        };
        let count = self.counted.as_ref().and_then(GpuBuffer::wgpu_buffer).cloned();
        Ok(Planned { plan, operator, source, target, start: start.map(|(memory, _)| memory), extra, count })
    }

    fn twin(&self) -> cpu::Twin<'_, M, I, O> {
        cpu::Twin { monoid: &self.scan.monoid, map_in: &self.scan.map_in, map_out: &self.scan.map_out }
    }

    fn start_on_host(&self) -> Result<Option<T>, Error> {
        Ok(match &self.start {
            Start::Nothing => None,
            Start::Value(value) => Some(*value),
            Start::Buffer(buffer) => Some(buffer.on_host()?[0]),
        })
    }
}

/// All that a backend needs.
struct Planned<'b> {
    plan: crate::plan::Plan,
    operator: Operator,
    source: &'b ::wgpu::Buffer,
    target: &'b ::wgpu::Buffer,
    start: Option<::wgpu::Buffer>,
    extra: Option<::wgpu::Buffer>,
    count: Option<::wgpu::Buffer>,
}

impl Planned<'_> {
    /// In the order of `plan::scan`. What is not there is not bound either.
    fn buffers(&self) -> [&::wgpu::Buffer; 5] {
        let nothing = self.target;
        [
            self.source,
            self.target,
            self.start.as_ref().unwrap_or(nothing),
            self.extra.as_ref().unwrap_or(nothing),
            self.count.as_ref().unwrap_or(nothing),
        ]
    }
}

/// Keys, whatever their type: what tells segments and runs apart.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub device: Device,
    pub memory: Option<::wgpu::Buffer>,
    pub place: Place,
    pub len: usize,
    pub words: u32,
    narrow: Option<Error>,
    /// Where a key differs from the one before, on the host.
    heads: HeadsOnHost,
}

/// Looks at keys on the host when it is asked to.
#[derive(Clone)]
struct HeadsOnHost(std::sync::Arc<FindHeads>);

#[cfg(not(target_arch = "wasm32"))]
type FindHeads = dyn Fn() -> Result<Vec<bool>, Error> + Send + Sync;
/// The same in a browser, where buffers stay on their thread.
#[cfg(target_arch = "wasm32")]
type FindHeads = dyn Fn() -> Result<Vec<bool>, Error>;

impl std::fmt::Debug for HeadsOnHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("heads")
    }
}

impl Keys {
    pub fn new<K: Element>(keys: &GpuBuffer<K>) -> Self {
        let on_host = keys.clone();
        Self {
            device: keys.device().clone(),
            memory: keys.wgpu_buffer().cloned(),
            place: keys.place(),
            len: keys.len(),
            words: K::LAYOUT.word_count(),
            narrow: K::LAYOUT.check_words::<K>().err(),
            heads: HeadsOnHost(std::sync::Arc::new(move || {
                let keys = on_host.on_host()?;
                let differs = |i: usize| bytemuck::bytes_of(&keys[i - 1]) != bytemuck::bytes_of(&keys[i]);
                Ok((0..keys.len()).map(|i| i == 0 || differs(i)).collect())
            })),
        }
    }

    /// The text of `head`.
    pub fn head(&self) -> std::sync::Arc<str> {
        let text = include_str!("../shaders/hooks/head_keys.wgsl");
        format!("const KEY_WORDS = {}u;\n{text}", self.words).into()
    }

    pub fn heads(&self) -> Result<Vec<bool>, Error> {
        (self.heads.0)()
    }

    /// An error for keys narrower than a word.
    pub fn check(&self) -> Result<(), Error> {
        self.narrow.clone().map_or(Ok(()), Err)
    }
}

/// The layouts of what is read, combined and written, if they are what scans can work with.
pub(crate) fn types<A: Element, T: Element, B: Element>() -> Result<[Layout; 3], Error> {
    A::LAYOUT.check::<A>()?;
    for layout in [T::LAYOUT.check_words::<T>(), B::LAYOUT.check_words::<B>()] {
        layout?;
    }
    Ok([A::LAYOUT, T::LAYOUT, B::LAYOUT])
}

/// An error unless both are the same device.
pub(crate) fn is_same_device(what: &'static str, found: &Device, expected: &Device) -> Result<(), Error> {
    match found.is(expected) {
        true => Ok(()),
        false => Err(Error::WrongDevice {
            what,
            expected: expected.describe(),
            found: format!("another context on {found}"),
        }),
    }
}

/// Whether a map changes nothing.
fn is_same<O: 'static>() -> bool {
    std::any::TypeId::of::<O>() == std::any::TypeId::of::<crate::map::Same>()
}
