//! One scan, described step by step: where it starts, which way it goes, what its rows are.

mod keys;
mod request;

use std::sync::RwLock;

use crate::{
    backend::{self, Backend, Gpu, Memory, cpu},
    buffer::GpuBuffer,
    device::Device,
    element::{Element, Layout},
    error::Error,
    kernel::{self, Operator, scan::Sink},
    map::Map,
    monoid::Monoid,
    plan::scan::Job,
    scan::GpuScan,
    tuning,
};

pub(crate) use keys::Keys;
use request::{Planned, Request, Segments, Shape, Sides};

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
///
/// let every_second = scan.of(&input).steps(2, 1).run()?;
/// assert_eq!(every_second.to_vec()?, [1, 4, 9]);
///
/// let flags = device.upload(&[0u32, 0, 1, 0, 1, 0])?;
/// assert_eq!(scan.of(&input).by_flags(&flags).run()?.to_vec()?, [1, 3, 3, 7, 5, 11]);
/// let keys = device.upload(&[7u32, 7, 8, 8, 8, 9])?;
/// assert_eq!(scan.of(&input).by_key(&keys).run()?.to_vec()?, [1, 3, 3, 7, 12, 6]);
/// let offsets = device.upload(&[0u32, 2, 2, 5])?;
/// assert_eq!(scan.of(&input).by_offsets(&offsets).run()?.to_vec()?, [1, 3, 3, 7, 12, 6]);
///
/// // Values that may be written on the device: where to start, how far to go.
/// let two = device.upload(&[2u32])?;
/// assert_eq!(scan.of(&input).starting_from_buffer(&two).run()?.to_vec()?, [3, 5, 8, 12, 17, 23]);
/// assert_eq!(scan.of(&input).counted_by(&two).run()?.to_vec()?, [1, 3, 0, 0, 0, 0]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is scanned until it is run, or recorded into an encoder"]
#[derive(Clone, Debug)]
pub struct Scanning<'a, A, T, M, I, O> {
    scan: &'a GpuScan<M, I, O>,
    input: GpuBuffer<A>,
    start: Start<T>,
    request: Request,
}

/// What a scan starts from.
#[derive(Clone, Debug)]
enum Start<T> {
    Nothing,
    Value(T),
    Buffer(GpuBuffer<T>),
}

impl<'a, A: Element, T: Element, M: Monoid<T>, I: Map<A, T>, O: 'static> Scanning<'a, A, T, M, I, O> {
    pub(crate) fn new(scan: &'a GpuScan<M, I, O>, input: &GpuBuffer<A>) -> Self {
        Self { scan, input: input.clone(), start: Start::Nothing, request: Request::default() }
    }

    fn with(self, change: impl FnOnce(&mut Request)) -> Self {
        let mut request = self.request;
        change(&mut request);
        Self { request, ..self }
    }

    /// Scans only as many elements as the one element of `count` says when the scan runs, which may be as late as an
    /// earlier command of the same encoder has written it, and no more than the input has. Results behind them
    /// stay as they are. Nothing is read back; workgroups for elements that are not there leave at once.
    ///
    /// Takes three passes, in one piece. Not together with rows, or [`Scanning::reversed`].
    pub fn counted_by(self, count: &GpuBuffer<u32>) -> Self {
        self.with(|request| request.counted = Some(count.clone()))
    }

    /// Begins anew, from the identity, at every element whose flag is not zero; there is a flag for each.
    ///
    /// Segments are scanned as one list of values with their heads: a float's bits depend on where in the
    /// whole input its segment lies, but not on the device. (Use [`Scanning::rows`] for segments that are
    /// alike.) Not together with rows, steps, [`Scanning::reversed`] or a value to start from.
    pub fn by_flags(self, flags: &GpuBuffer<u32>) -> Self {
        self.with(|request| request.segments = Segments::Flags(flags.clone()))
    }

    /// Begins anew wherever a key differs, in any bit, from the one before it. Otherwise like
    /// [`Scanning::by_flags`]. Keys have whole words.
    pub fn by_key<K: Element>(self, keys: &GpuBuffer<K>) -> Self {
        self.with(|request| request.segments = Segments::Keys(Keys::new(keys)))
    }

    /// Begins anew at each of these elements, the offsets of a CSR matrix for example: in any order, with any
    /// repeated (empty segments), and those behind the end passed over. Otherwise like
    /// [`Scanning::by_flags`].
    pub fn by_offsets(self, offsets: &GpuBuffer<u32>) -> Self {
        self.with(|request| request.segments = Segments::Offsets(offsets.clone()))
    }

    /// Sends the results of each segment of [`Scanning::by_offsets`] to a place of their own: those of segment `s` one
    /// behind the other from element `starts[s]` of the output on, which may have any length ([`Scanning::run_into`],
    /// [`Scanning::encode`]) and lies in another buffer than the input. Elements of the output that no result goes to
    /// stay as they are.
    ///
    /// The segments' own offsets have to be in order here, and there are as many of these: of equal ones, the last has
    /// the elements and the others are empty. What comes before the first has no results. Results that would lie behind
    /// the output are left out; where those of two segments meet, it is open whose are there.
    /// [`Scanning::check_offsets`] finds such mistakes. Results have whole words. Takes four bytes of scratch memory an element more.
    ///
    /// ```
    /// # fn main() -> Result<(), gpuscan::Error> {
    /// # let device = gpuscan::Device::cpu();
    /// let input = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8])?;
    /// let (offsets, starts) = (device.upload(&[0u32, 3, 5])?, device.upload(&[0u32, 4, 7])?);
    /// let output = device.upload(&[99u32; 10])?;
    /// let scan = gpuscan::GpuScan::new(&device);
    /// scan.of(&input).exclusive().by_offsets(&offsets).to_offsets(&starts).run_into(&output)?;
    /// assert_eq!(output.to_vec()?, [0, 1, 3, 99, 0, 4, 99, 0, 6, 13]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_offsets(self, starts: &GpuBuffer<u32>) -> Self {
        self.with(|request| request.starts = Some(starts.clone()))
    }

    /// Reads the offsets of [`Scanning::by_offsets`] and [`Scanning::to_offsets`] back and looks for mistakes that no
    /// scan can report, for debugging: offsets that decrease, or lie behind the input; results that would lie behind
    /// an output of `room` elements, or where those of another segment do. Blocks; not in browsers.
    ///
    /// # Errors
    /// [`Error::Invalid`] for such a mistake, and those of a download.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn check_offsets(&self, room: usize) -> Result<(), Error> {
        self.request.check_offsets(self.input.len(), room)
    }

    /// Every result leaves out its own element: the first is the identity, or what the scan starts from.
    pub fn exclusive(self) -> Self {
        self.with(|request| request.exclusive = true)
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
        self.with(|request| request.reversed = true)
    }

    /// Cuts the input into rows of `len` elements, each scanned by itself: the bits of a row do not depend on
    /// where it is. Rows up to half a tile share workgroups. The rows must fit one binding.
    pub fn rows(self, len: usize) -> Self {
        self.with(|request| request.shape = Shape::Rows(len))
    }

    /// Scans along one axis of an array of these lengths, the last one contiguous. Along any other axis
    /// memory is not read in order, which is slower.
    pub fn axis(self, lens: &[usize], axis: usize) -> Self {
        self.with(|request| request.shape = Shape::Axis(lens.to_vec(), axis))
    }

    /// Scans elements 0, `input`, 2·`input`, … and writes to 0, `output`, 2·`output`, …; what lies between is
    /// neither read nor written.
    pub fn steps(self, input: usize, output: usize) -> Self {
        self.with(|request| request.shape = Shape::Steps(input, output))
    }

    /// Scans into a new buffer.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`], and [`Error::Length`] for a shape that does not match the input;
    /// [`Error::Combination`] for [`Scanning::to_offsets`], and where a method says so.
    pub fn run<B: Element>(self) -> Result<GpuBuffer<B>, Error>
    where
        O: Map<T, B>,
    {
        self.input.check_device("the input", &self.scan.device)?;
        let output = self.scan.device.zeros(self.request.output_len(self.input.len())?)?;
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
            (Backend::Gpu(gpu), ..) => {
                let planned = self.planned(gpu, job, output)?;
                gpu.run(&planned.plan, &planned.operator, &planned.buffers())
            }
            (_, Memory::Host(source), Memory::Host(target)) => {
                self.run_on_host(job, source, target, output.offset())
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
        let context = self.scan.device.wgpu("recording a scan")?;
        let job = self.checked(output)?;
        let Some(gpu) = self.scan.device.gpu() else { return Err(Error::mixed(&self.scan.device)) };
        let planned = self.planned(gpu, job, output)?;
        context.encode(&planned.plan, &planned.operator, &planned.buffers(), encoder)
    }

    /// Compiles the kernels that [`Scanning::run_into`] would need, and runs nothing: for a program that would rather
    /// wait when it starts, and to know early whether an operator's text is right. Another length, alignment or shape
    /// can need other kernels. On the CPU nothing is left to do.
    ///
    /// ```
    /// # use gpuscan::{Device, GpuScan};
    /// # fn main() -> Result<(), gpuscan::Error> {
    /// let device = Device::new()?;
    /// let (input, output) = (device.zeros::<f32>(100_000)?, device.zeros::<f32>(100_000)?);
    /// let scan = GpuScan::new(&device);
    /// scan.of(&input).prepare(&output)?; // tens of milliseconds
    /// scan.inclusive_into(&input, &output)?; // compiles nothing
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`Scanning::run_into`].
    pub fn prepare<B: Element>(self, output: &GpuBuffer<B>) -> Result<(), Error>
    where
        O: Map<T, B>,
    {
        let job = self.checked(output)?;
        let Some(gpu) = self.scan.device.gpu() else { return Ok(()) };
        let planned = self.planned(gpu, job, output)?;
        gpu.prepare(&planned.plan, &planned.operator)
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
        let scanning = Scanning::new(scan, &input).with(|request| request.exclusive = exclusive);
        pollster::block_on(scanning.run()?.read())
    }

    /// The job, if both buffers are fit for it.
    fn checked<B: Element>(&self, output: &GpuBuffer<B>) -> Result<Job, Error> {
        let start = match &self.start {
            Start::Nothing => None,
            Start::Value(_) => Some(None),
            Start::Buffer(buffer) => Some(Some(buffer.view())),
        };
        let sides = Sides { input: self.input.view(), output: output.view(), start };
        let mut job = self.request.job(&self.scan.device, self.scan.algorithm, &sides)?;
        job.types = types::<A, T, B>()?;
        if !matches!(self.request.segments, Segments::Whole) {
            job.types[1] = kernel::segment_of::<T>()?;
        }
        job.maps_results |= !is_same::<O>();
        job.regroups = self.scan.monoid.regroups();
        job.by_runs = self.scan.monoid.by_runs();
        let software = self.scan.device.gpu().is_some_and(|gpu| gpu.capabilities().software);
        job.heavy = software && kernel::is_heavy(&self.scan.monoid.wgsl());
        if job.sink == Sink::Scatter && B::LAYOUT.narrow().is_some() {
            let with = "results narrower than a word";
            return Err(Error::Combination { what: "other offsets for results", with });
        }
        Ok(job)
    }

    fn planned<'b, B: Element>(
        &'b self,
        gpu: &Gpu,
        job: Job,
        output: &'b GpuBuffer<B>,
    ) -> Result<Planned<'b>, Error>
    where
        O: Map<T, B>,
    {
        let start = match &self.start {
            Start::Nothing => None,
            Start::Value(value) => Some(gpu.constant(bytemuck::cast_slice(&[*value]))?),
            Start::Buffer(buffer) => Some((buffer.on_gpu()?.clone(), buffer.byte_range().start)),
        };
        let GpuScan { monoid, map_in, map_out, algorithm, .. } = self.scan;
        let is_basic = start.is_none() && job.is_basic() && is_same::<I>();
        let written = if gpu.takes_cuda() && is_basic { Operator::in_cuda(monoid) } else { None };
        // Segments hold values with their heads; the textbook algorithms add to results where they lie.
        let is_whole = matches!(self.request.segments, Segments::Whole) && algorithm.is_canonical();
        let keyed = || if is_whole { Operator::on_keys(monoid, map_in, map_out) } else { None };
        let operator = written.or_else(keyed).unwrap_or_else(|| match is_whole {
            true => Operator::new::<A, T, B, _, _, _>(monoid, map_in, map_out),
            false => {
                self.request.operator(&job.types, T::LAYOUT, [monoid.wgsl(), map_in.wgsl(), map_out.wgsl()])
            }
        });
        self.request.planned(gpu, job, operator, [self.input.on_gpu()?, output.on_gpu()?], start)
    }

    /// Runs it on the CPU.
    fn run_on_host<B: Element>(
        &self,
        mut job: Job,
        source: &RwLock<Vec<A>>,
        target: &RwLock<Vec<B>>,
        first: usize,
    ) -> Result<(), Error>
    where
        O: Map<T, B>,
    {
        let GpuScan { monoid, map_in, map_out, .. } = self.scan;
        let twin = cpu::Twin { monoid, map_in, map_out };
        let start = match &self.start {
            Start::Nothing => None,
            Start::Value(value) => Some(*value),
            Start::Buffer(buffer) => Some(buffer.on_host()?[0]),
        };
        job.len = self.request.counted_on_host(job.len)?;
        // Neither lock is held while the operator, a caller's code, runs.
        let values = backend::read(source, self.input.offset()..self.input.offset() + self.input.len());
        let results = match self.request.heads_on_host(self.input.len())? {
            None => cpu::scan(&twin, &job, start, &values),
            Some(heads) => cpu::scan_segments(&twin, &job, &heads, &values[..job.len as usize]),
        };
        match self.request.places_on_host(job.len as usize, job.room as usize)? {
            Some(places) => backend::write_each(target, &|i| Some(first + places[i]?), &results),
            None if job.is_plain() => backend::write(target, first, &results),
            None => backend::write_each(target, &|i| Some(first + cpu::place(&job, i)), &results),
        }
        Ok(())
    }
}

/// The layouts of what is read, combined and written, if they are what scans can work with.
pub(crate) fn types<A: Element, T: Element, B: Element>() -> Result<[Layout; 3], Error> {
    A::LAYOUT.check::<A>()?;
    T::LAYOUT.check_words::<T>()?;
    B::LAYOUT.check::<B>()?;
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
