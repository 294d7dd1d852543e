//! Totals.

use crate::{
    backend::{self, Backend, Memory},
    buffer::GpuBuffer,
    device::{Device, check_usage},
    element::Element,
    error::Error,
    kernel::Operator,
    map::{Map, Same},
    monoid::{Monoid, Sum},
    order,
    plan::{
        Plan,
        scan::{self as plan, Algorithm, Job},
    },
    scanning::{is_same_device, types},
};

/// The combination of all elements, on the device and left there.
///
/// The result is the last element of an inclusive scan, to the bit: the same on every device and in every run,
/// also for floats, and for operators that do not commute. The total of nothing is the identity. Moves n
/// elements, in one dispatch for a tile, two for a block, three beyond.
///
/// ```
/// use gpuscan::{Device, GpuReduce};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let input = device.upload(&[3u32, 1, 7, 0, 4, 2, 1, 6])?;
/// assert_eq!(GpuReduce::new(&device).reduce(&input)?.to_vec()?, [24]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuReduce<M = Sum, I = Same> {
    device: Device,
    monoid: M,
    map: I,
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
        Self { device: device.clone(), monoid, map: Same }
    }
}

impl<M, I> GpuReduce<M, I> {
    /// Applies `map` to every input before it is combined.
    pub fn mapping<J>(self, map: J) -> GpuReduce<M, J> {
        GpuReduce { device: self.device, monoid: self.monoid, map }
    }

    /// The total in a new buffer of one element.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::Shader`],
    /// [`Error::Layout`], [`Error::DeviceLost`].
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
        self.check(input, output)?;
        match (self.device.backend(), input.memory(), output.memory()) {
            (Backend::Wgpu(context), Memory::Wgpu(source), Memory::Wgpu(target)) => {
                context.run(&self.plan(input, output)?, &self.operator::<A, T>(), &[source, target])
            }
            (_, Memory::Host(source), Memory::Host(target)) => {
                let values = backend::read(source, input.offset()..input.offset() + input.len());
                let mut values: Vec<T> = values.into_iter().map(|value| self.map.apply(value)).collect();
                order::scan_parallel(&self.monoid, &mut values);
                let total = values.last().copied().unwrap_or_else(|| self.monoid.identity());
                backend::write(target, output.offset(), &[total]);
                Ok(())
            }
            _ => Err(Error::mixed(&self.device)),
        }
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
        let context = self.device.gpu("recording a reduction")?;
        self.check(input, output)?;
        let (Memory::Wgpu(source), Memory::Wgpu(target)) = (input.memory(), output.memory()) else {
            return Err(Error::mixed(&self.device));
        };
        context.encode(&self.plan(input, output)?, &self.operator::<A, T>(), &[source, target], encoder)
    }

    fn check<A: Element, T: Element>(
        &self,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<T>,
    ) -> Result<(), Error> {
        is_same_device("the input", input.device(), &self.device)?;
        is_same_device("the output", output.device(), &self.device)?;
        self.device.not_on_cuda("a reduction")?;
        if output.len() != 1 {
            return Err(Error::Length { what: "the output", expected: 1, found: output.len() as u64 });
        }
        if input.memory_id() == output.memory_id() {
            return Err(Error::Overlap { input: input.byte_range(), output: output.byte_range() });
        }
        Ok(())
    }

    fn plan<A: Element, T: Element>(&self, input: &GpuBuffer<A>, output: &GpuBuffer<T>) -> Result<Plan, Error>
    where
        M: Monoid<T>,
    {
        let context = self.device.gpu("a reduction")?;
        let types = types::<A, T, T>()?;
        if input.is_empty() {
            if let Some(buffer) = output.wgpu_buffer() {
                check_usage("the output of nothing", buffer, wgpu::BufferUsages::COPY_DST)?;
            }
            let identity = [self.monoid.identity()];
            return Ok(plan::of_nothing(plan::OUTPUT, output.place(), bytemuck::cast_slice(&identity)));
        }
        let job = Job {
            input: input.place(),
            output: output.place(),
            sink: crate::kernel::scan::Sink::Scatter,
            room: 1,
            total_only: true,
            ..Job::new(Algorithm::ThreePass, false, input.len() as u64, types)
        };
        plan::scan(&job, &context.capabilities)
    }

    fn operator<A: Element, T: Element>(&self) -> Operator
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        let mut operator = Operator::new::<A, T, T, _, _, _>(&self.monoid, &self.map, &Same);
        operator.replace_hooks(include_str!("../shaders/hooks/total.wgsl"));
        operator
    }
}
