//! Prefix scans.

use crate::{
    backend::{self, Backend, Memory, cpu},
    buffer::GpuBuffer,
    device::Device,
    element::Element,
    error::Error,
    kernel::Operator,
    monoid::{Monoid, Sum},
    plan::{
        Place,
        scan::{self as plan, Algorithm, Job},
    },
    tuning,
};

/// Prefix scans on one device, with one operator.
///
/// `inclusive` makes element `i` the combination of inputs `0..=i`, `exclusive` that of inputs `0..i` (the
/// identity first). All but the textbook algorithms combine in the canonical order ([`crate::order`]), so
/// floats come out with the same bits on every device and in every run.
///
/// Nothing here waits for the device: results are ready for whatever is submitted next, and a download
/// waits for them.
///
/// ```
/// use gpuscan::{Device, GpuScan};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let input = device.upload(&[3u32, 1, 7, 0, 4, 2, 1, 6])?;
/// let output = GpuScan::new(&device).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [3, 4, 11, 11, 15, 17, 18, 24]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuScan<M = Sum> {
    device: Device,
    monoid: M,
    algorithm: Algorithm,
}

impl GpuScan<Sum> {
    /// Prefix sums: wrapping for integers.
    pub fn new(device: &Device) -> Self {
        Self::with_monoid(device, Sum)
    }
}

impl<M> GpuScan<M> {
    /// Scans with another operator.
    pub fn with_monoid(device: &Device, monoid: M) -> Self {
        Self { device: device.clone(), monoid, algorithm: Algorithm::Auto }
    }

    /// The same with an algorithm chosen by name.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// The algorithm a scan of `len` elements takes: what [`Algorithm::Auto`] stands for there.
    pub fn chosen(&self, len: usize) -> Algorithm {
        match self.device.capabilities() {
            Some(capabilities) => plan::choose(self.algorithm, len as u64, capabilities),
            None => self.algorithm,
        }
    }
}

impl<M> GpuScan<M> {
    /// Inclusive scan into a new buffer, the only allocation of a warm call.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::Shader`],
    /// [`Error::DeviceLost`].
    pub fn inclusive<T: Element>(&self, input: &GpuBuffer<T>) -> Result<GpuBuffer<T>, Error>
    where
        M: Monoid<T>,
    {
        self.run_new(input, false)
    }

    /// Exclusive scan into a new buffer, the only allocation of a warm call.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn exclusive<T: Element>(&self, input: &GpuBuffer<T>) -> Result<GpuBuffer<T>, Error>
    where
        M: Monoid<T>,
    {
        self.run_new(input, true)
    }

    /// Inclusive scan into a buffer of the same length. Both may be ranges of one buffer if they are apart,
    /// or the same.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Overlap`] besides those of [`GpuScan::inclusive`].
    pub fn inclusive_into<T: Element>(&self, input: &GpuBuffer<T>, output: &GpuBuffer<T>) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        self.run(input, output, false)
    }

    /// Exclusive scan into a buffer of the same length.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_into`].
    pub fn exclusive_into<T: Element>(&self, input: &GpuBuffer<T>, output: &GpuBuffer<T>) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        self.run(input, output, true)
    }

    /// Inclusive scan that overwrites its input.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn inclusive_in_place<T: Element>(&self, data: &GpuBuffer<T>) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        self.run(data, data, false)
    }

    /// Exclusive scan that overwrites its input.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn exclusive_in_place<T: Element>(&self, data: &GpuBuffer<T>) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        self.run(data, data, true)
    }

    /// Records an inclusive scan into the caller's encoder: no submission, no read-back. Pass the same
    /// buffer twice to scan in place. May be recorded any number of times, with any lengths.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the CPU.
    pub fn encode_inclusive<T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<T>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        self.encode(encoder, input, output, false)
    }

    /// Records an exclusive scan into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuScan::encode_inclusive`].
    pub fn encode_exclusive<T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<T>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        self.encode(encoder, input, output, true)
    }

    /// Inclusive scan of a slice on the host: on the CPU where that is faster, else there and back.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`], and those of a transfer.
    pub fn inclusive_slice<T: Element>(&self, values: &[T]) -> Result<Vec<T>, Error>
    where
        M: Monoid<T>,
    {
        self.run_slice(values, false)
    }

    /// Exclusive scan of a slice on the host.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_slice`].
    pub fn exclusive_slice<T: Element>(&self, values: &[T]) -> Result<Vec<T>, Error>
    where
        M: Monoid<T>,
    {
        self.run_slice(values, true)
    }

    fn run_slice<T: Element>(&self, values: &[T], exclusive: bool) -> Result<Vec<T>, Error>
    where
        M: Monoid<T>,
    {
        // The textbook algorithms are asked for to be seen at work where the user wants them.
        let small = self.algorithm.is_canonical() && values.len() < tuning::HOST_CROSSOVER;
        if small || self.device.is_cpu() {
            let place = Place { offset: 0, buffer: 0 };
            let job = self.job(values.len(), exclusive, place, place, false);
            return Ok(cpu::scan(&self.monoid, &job, values.to_vec()));
        }
        let data = self.device.upload(values)?;
        self.run(&data, &data, exclusive)?;
        data.to_vec()
    }

    fn run_new<T: Element>(&self, input: &GpuBuffer<T>, exclusive: bool) -> Result<GpuBuffer<T>, Error>
    where
        M: Monoid<T>,
    {
        input.check_device("the input", &self.device)?;
        let output = self.device.zeros(input.len())?;
        self.run(input, &output, exclusive)?;
        Ok(output)
    }

    fn run<T: Element>(
        &self,
        input: &GpuBuffer<T>,
        output: &GpuBuffer<T>,
        exclusive: bool,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        let job = self.checked(input, output, exclusive)?;
        match (self.device.backend(), input.memory(), output.memory()) {
            (Backend::Wgpu(context), Memory::Wgpu(source), Memory::Wgpu(target)) => {
                let plan = plan::scan(&job, &context.capabilities)?;
                context.run(&plan, &Operator::new(&self.monoid), &[source, target])
            }
            (Backend::Cuda(context), Memory::Cuda(source), Memory::Cuda(target)) => {
                let plan = plan::scan(&job, context.capabilities())?;
                context.run(&plan, &context.operator::<T, M>(&self.monoid)?, &[source, target])
            }
            (_, Memory::Host(source), Memory::Host(target)) => {
                let range = input.offset()..input.offset() + input.len();
                // Neither lock is held while the operator, a caller's code, runs.
                let result = cpu::scan(&self.monoid, &job, backend::read(source, range));
                backend::write(target, output.offset(), &result);
                Ok(())
            }
            _ => Err(self.mixed()),
        }
    }

    fn encode<T: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<T>,
        output: &GpuBuffer<T>,
        exclusive: bool,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
    {
        let context = self.device.gpu("recording a scan")?;
        let job = self.checked(input, output, exclusive)?;
        let (Memory::Wgpu(source), Memory::Wgpu(target)) = (input.memory(), output.memory()) else {
            return Err(self.mixed());
        };
        let plan = plan::scan(&job, &context.capabilities)?;
        context.encode(&plan, &Operator::new(&self.monoid), &[source, target], encoder)
    }

    /// The job, if both buffers are fit for it.
    fn checked<T: Element>(
        &self,
        input: &GpuBuffer<T>,
        output: &GpuBuffer<T>,
        exclusive: bool,
    ) -> Result<Job, Error> {
        input.check_device("the input", &self.device)?;
        output.check_device("the output", &self.device)?;
        if input.len() != output.len() {
            return Err(Error::Length {
                what: "the output",
                expected: input.len() as u64,
                found: output.len() as u64,
            });
        }
        let same_buffer = input.memory().is(output.memory());
        let (source, target) = (input.byte_range(), output.byte_range());
        let apart = source.end <= target.start || target.end <= source.start;
        if same_buffer && !apart && source != target {
            return Err(Error::Overlap { input: source, output: target });
        }
        Ok(self.job(input.len(), exclusive, input.place(), output.place(), same_buffer))
    }

    fn job(&self, len: usize, exclusive: bool, input: Place, output: Place, same_buffer: bool) -> Job {
        Job {
            algorithm: self.algorithm,
            exclusive,
            len: len as u64,
            input,
            output,
            same_buffer,
            trace: false,
        }
    }

    /// Only reached if a buffer's memory contradicts its device, which no constructor allows.
    fn mixed(&self) -> Error {
        Error::WrongDevice {
            what: "a buffer's memory",
            expected: self.device.describe(),
            found: "memory of another backend".into(),
        }
    }
}
