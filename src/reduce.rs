//! Totals.

use crate::{
    backend::{GpuMemory, cpu},
    buffer::GpuBuffer,
    device::{Device, check_usage},
    element::Element,
    error::Error,
    kernel::{self, Operator, scan::Sink, segment_of},
    map::{Map, Same},
    monoid::{Monoid, Sum},
    order,
    plan::{
        Plan, rows,
        scan::{self as plan, Algorithm, Extra, Job, Walk},
    },
    scanning::{is_same_device, types},
    tuning::Capabilities,
};

/// The combination of all elements, on the device and left there.
///
/// The result is the last element of an inclusive scan in the canonical order, to the bit: the same on every device and in
/// every run, also for floats, and for operators that do not commute. The total of nothing is the identity. Moves n
/// elements, in one dispatch.
///
/// ```
/// use gpuscan::{Device, GpuReduce};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let input = device.upload(&[3u32, 1, 7, 0, 4, 2, 1, 6])?;
/// let reduce = GpuReduce::new(&device);
/// assert_eq!(reduce.reduce(&input)?.to_vec()?, [24]);
/// assert_eq!(reduce.reduce_rows(&input, 4)?.to_vec()?, [11, 13]);
///
/// let offsets = device.upload(&[0u32, 3, 3, 8])?; // segments of 3, 0 and 5 elements
/// assert_eq!(reduce.reduce_segments(&input, &offsets)?.to_vec()?, [11, 0, 13]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuReduce<M = Sum, I = Same> {
    device: Device,
    monoid: M,
    map: I,
    algorithm: Algorithm,
}

impl GpuReduce<Sum> {
    /// Sums: wrapping for integers.
    pub fn new(device: &Device) -> Self {
        Self::with_monoid(device, Sum)
    }
}

impl<M> GpuReduce<M> {
    /// Totals under another operator.
    pub fn with_monoid(device: &Device, monoid: M) -> Self {
        Self { device: device.clone(), monoid, map: Same, algorithm: Algorithm::Auto }
    }
}

impl<M, I> GpuReduce<M, I> {
    /// The same with an algorithm chosen by name, for [`GpuReduce::reduce`]: [`Algorithm::SinglePass`] takes one
    /// dispatch in which whoever is done last combines what the others found, [`Algorithm::ThreePass`] up to three.
    /// [`Algorithm::SinglePass`] takes [`Algorithm::ThreePass`] for elements of more than 16 bytes (12 without
    /// subgroups), for more than one binding spans, and for a buffer that ends inside the last four elements. The
    /// textbook algorithms have orders of their own, which totals have not.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Applies `map` to every input before it is combined.
    pub fn mapping<J>(self, map: J) -> GpuReduce<M, J> {
        GpuReduce { device: self.device, monoid: self.monoid, map, algorithm: self.algorithm }
    }

    /// The total in a new buffer of one element.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::Shader`],
    /// [`Error::Layout`], [`Error::DeviceLost`]; [`Error::Invalid`] with a textbook algorithm.
    pub fn reduce<A: Element, T: Element>(&self, input: &GpuBuffer<A>) -> Result<GpuBuffer<T>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        is_same_device("the input", input.device(), &self.device)?;
        let output = self.device.zeros(1)?;
        self.reduce_into(input, &output)?;
        Ok(output)
    }

    /// The total in the one element of `output`.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce`]; [`Error::Length`] unless `output` has one element, [`Error::Overlap`] if
    /// it is in the input's buffer.
    pub fn reduce_into<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        self.check(input, output, 1)?;
        if let Some(gpu) = self.device.gpu() {
            let (plan, operator) = self.plan(input, output, gpu.capabilities())?;
            return gpu.run(&plan, &operator, &[input.on_gpu()?, output.on_gpu()?]);
        }
        output.put_on_host(&[self.total_on_host(self.mapped_on_host(input)?)])
    }

    /// Records it into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce_into`]; [`Error::WrongDevice`] on the CPU.
    pub fn encode<A: Element, T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let context = self.device.wgpu("recording a reduction")?;
        self.check(input, output, 1)?;
        let (plan, operator) = self.plan(input, output, &context.capabilities)?;
        context.encode(&plan, &operator, &[input.on_gpu()?, output.on_gpu()?], encoder)
    }

    /// The total of every row of `len` elements, in a new buffer: what [`Scanning::rows`](crate::Scanning::rows)
    /// ends each row with, to the bit. Rows up to half a tile share workgroups.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce`]; [`Error::Length`] unless the input is whole rows.
    pub fn reduce_rows<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        len: usize,
    ) -> Result<GpuBuffer<T>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        is_same_device("the input", input.device(), &self.device)?;
        let output = self.device.zeros(input.len().checked_div(len).unwrap_or(0))?;
        self.reduce_rows_into(input, len, &output)?;
        Ok(output)
    }

    /// The same into a buffer with an element for each row.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce_rows`]; [`Error::Length`] for other lengths, [`Error::Overlap`] if the output is
    /// in the input's buffer.
    pub fn reduce_rows_into<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        len: usize,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        self.check(input, output, rows(input.len(), len)?)?;
        if let Some(gpu) = self.device.gpu() {
            let (plan, operator) = self.rows_plan(input, len, output, gpu.capabilities())?;
            return gpu.run(&plan, &operator, &[input.on_gpu()?, output.on_gpu()?]);
        }
        let values = self.mapped_on_host(input)?;
        let totals: Vec<T> = values.chunks(len.max(1)).map(|row| self.total_on_host(row.to_vec())).collect();
        output.put_on_host(&totals)
    }

    /// Records [`GpuReduce::reduce_rows_into`] into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce_rows_into`]; [`Error::WrongDevice`] on the CPU.
    pub fn encode_rows<A: Element, T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<A>,
        len: usize,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let context = self.device.wgpu("recording a reduction")?;
        self.check(input, output, rows(input.len(), len)?)?;
        let (plan, operator) = self.rows_plan(input, len, output, &context.capabilities)?;
        context.encode(&plan, &operator, &[input.on_gpu()?, output.on_gpu()?], encoder)
    }

    /// The total of every segment, in a new buffer. `offsets` say where each begins and where the last one ends, as
    /// those of a CSR matrix do: one more than there are segments. Segments of any length share the work evenly;
    /// the total of one without elements is the identity.
    ///
    /// A total is what [`Scanning::by_offsets`](crate::Scanning::by_offsets) ends the segment with, to the bit: for
    /// floats it depends on where in the input the segment lies, but not on the device. The input is read once
    /// (twice for elements of more than two words), and little but totals is written. Elements in front of the first
    /// offset and behind the last belong to no segment. Offsets that decrease give wrong totals, and do no other
    /// harm.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce`]; [`Error::Invalid`] without an offset.
    pub fn reduce_segments<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        offsets: &GpuBuffer<u32>,
    ) -> Result<GpuBuffer<T>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let output = self.device.zeros(segments_of(offsets)?)?;
        self.reduce_segments_into(input, offsets, &output)?;
        Ok(output)
    }

    /// The same into a buffer with an element for each segment.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce_segments`]; [`Error::Length`] for other lengths, [`Error::Overlap`] and
    /// [`Error::Invalid`] if the output is in a buffer that is read.
    pub fn reduce_segments_into<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        offsets: &GpuBuffer<u32>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        self.check_segments(input, offsets, output)?;
        if let Some(gpu) = self.device.gpu() {
            let (plan, operator) = self.segments_plan(input, offsets, output, gpu.capabilities())?;
            return gpu.run(&plan, &operator, &segment_buffers(input, offsets, output)?);
        }
        let values = self.mapped_on_host(input)?;
        output.put_on_host(&cpu::segment_totals(&self.monoid, &offsets.on_host()?, values))
    }

    /// Records [`GpuReduce::reduce_segments_into`] into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuReduce::reduce_segments_into`]; [`Error::WrongDevice`] on the CPU.
    pub fn encode_segments<A: Element, T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<A>,
        offsets: &GpuBuffer<u32>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let context = self.device.wgpu("recording a reduction")?;
        self.check_segments(input, offsets, output)?;
        let (plan, operator) = self.segments_plan(input, offsets, output, &context.capabilities)?;
        context.encode(&plan, &operator, &segment_buffers(input, offsets, output)?, encoder)
    }

    fn mapped_on_host<A: Element, T: Element>(&self, input: &GpuBuffer<A>) -> Result<Vec<T>, Error>
    where
        I: Map<A, T>,
    {
        Ok(input.on_host()?.into_iter().map(|value| self.map.apply(value)).collect())
    }

    fn total_on_host<T: Element>(&self, mut values: Vec<T>) -> T
    where
        M: Monoid<T>,
    {
        order::scan_parallel(&self.monoid, &mut values);
        values.last().copied().unwrap_or_else(|| self.monoid.identity())
    }

    fn check<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<T>,
        totals: usize,
    ) -> Result<(), Error> {
        is_same_device("the input", input.device(), &self.device)?;
        is_same_device("the output", output.device(), &self.device)?;
        output.check_len("the output", totals)?;
        if !self.algorithm.is_canonical() {
            return Err(Error::Invalid {
                what: "the algorithm of a reduction",
                expected: "one of the canonical order".into(),
                found: self.algorithm.to_string(),
            });
        }
        if input.memory_id() == output.memory_id() {
            return Err(Error::Overlap { input: input.byte_range(), output: output.byte_range() });
        }
        Ok(())
    }

    fn plan<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<T>,
        capabilities: &Capabilities,
    ) -> Result<(Plan, Operator), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let [read, _, written] = types::<A, T, T>()?;
        let operator = self.operator::<A, T>();
        if input.is_empty() {
            if let Some(buffer) = output.wgpu_buffer() {
                check_usage("the output of nothing", buffer, wgpu::BufferUsages::COPY_DST)?;
            }
            let identity = [self.monoid.identity()];
            let plan = plan::of_nothing(plan::OUTPUT, output.place(), bytemuck::cast_slice(&identity));
            return Ok((plan, operator));
        }
        let job = Job {
            input: input.place(),
            output: output.place(),
            sink: Sink::Scatter,
            room: 1,
            regroups: self.monoid.regroups(),
            total_only: true,
            ..Job::new(self.algorithm, false, input.len() as u64, [read, operator.element, written])
        };
        Ok((plan::scan(&job, capabilities)?, operator))
    }

    fn rows_plan<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        len: usize,
        output: &GpuBuffer<T>,
        capabilities: &Capabilities,
    ) -> Result<(Plan, Operator), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let [read, _, written] = types::<A, T, T>()?;
        let operator = self.operator::<A, T>();
        let job = Job {
            rows: output.len() as u64,
            input: input.place(),
            output: output.place(),
            source: Walk { outer: len as u64, ..Walk::PLAIN },
            // A row's results all go to one place.
            target: Walk { step: 0, outer: 1, ..Walk::PLAIN },
            sink: Sink::Scatter,
            room: output.len() as u64,
            regroups: self.monoid.regroups(),
            total_only: true,
            ..Job::new(Algorithm::ThreePass, false, len as u64, [read, operator.element, written])
        };
        Ok((plan::scan(&job, capabilities)?, operator))
    }

    fn check_segments<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        offsets: &GpuBuffer<u32>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        offsets.check_device("the offsets", &self.device)?;
        self.check(input, output, segments_of(offsets)?)?;
        output.check_apart("the output", "the offsets", offsets)
    }

    /// Elements that are too wide for kernels of their own are scanned.
    fn segments_plan<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        offsets: &GpuBuffer<u32>,
        output: &GpuBuffer<T>,
        capabilities: &Capabilities,
    ) -> Result<(Plan, Operator), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let [read, element, written] = types::<A, T, T>()?;
        let (rows, len) = (output.len() as u64, input.len() as u64);
        let (offsets, input, output) = (offsets.place(), input.place(), output.place());
        if kernel::rows::takes(&element) {
            let types = [read, element];
            let job = rows::Job { rows, offsets, len, input, output, types, operands: None };
            let operator = Operator::new::<A, T, T, _, _, _>(&self.monoid, &self.map, &Same);
            return Ok((rows::totals(&job, capabilities)?, operator));
        }
        let job = Job {
            input,
            output,
            extra: Extra::Offsets { place: offsets, segments: rows + 1, starts: None },
            sink: Sink::Scatter,
            room: rows,
            regroups: self.monoid.regroups(),
            ..Job::new(Algorithm::ThreePass, false, len, [read, segment_of::<T>()?, written])
        };
        let operator = Operator::segment_totals::<A, T, _, _>(&self.monoid, &self.map);
        Ok((plan::segment_totals(&job, capabilities)?, operator))
    }

    fn operator<A: Element, T: Element>(&self) -> Operator
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let keyed = Operator::on_keys::<A, T, T, _, _, _>(&self.monoid, &self.map, &Same);
        let mut operator = keyed.unwrap_or_else(|| Operator::new(&self.monoid, &self.map, &Same));
        operator.replace_hooks(include_str!("../shaders/hooks/total.wgsl"));
        operator
    }
}

/// How many rows of `len` elements the input of `n` is.
fn rows(n: usize, len: usize) -> Result<usize, Error> {
    match n.checked_rem(len).unwrap_or(n) {
        0 => Ok(n.checked_div(len).unwrap_or(0)),
        rest => Err(Error::Length {
            what: "the input (a multiple of the length of a row)",
            expected: (n - rest) as u64,
            found: n as u64,
        }),
    }
}

/// How many segments the offsets are of.
pub(crate) fn segments_of(offsets: &GpuBuffer<u32>) -> Result<usize, Error> {
    offsets.len().checked_sub(1).ok_or_else(|| Error::Invalid {
        what: "the offsets of segments",
        expected: "where each begins, and where the last one ends".into(),
        found: "none".into(),
    })
}

/// In the order of `plan::scan`, and of `plan::rows`.
fn segment_buffers<'b, A: Element, T: Element>(
    input: &'b GpuBuffer<A>,
    offsets: &'b GpuBuffer<u32>,
    output: &'b GpuBuffer<T>,
) -> Result<[&'b GpuMemory; 4], Error> {
    let output = output.on_gpu()?;
    Ok([input.on_gpu()?, output, output, offsets.on_gpu()?])
}
