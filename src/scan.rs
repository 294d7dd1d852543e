//! Prefix scans.

use crate::{
    backend::{Backend, Gpu},
    buffer::GpuBuffer,
    device::Device,
    element::Element,
    error::Error,
    map::{Map, Same},
    monoid::{Monoid, Sum},
    plan::scan::{self as plan, Algorithm},
    scanning::Scanning,
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
pub struct GpuScan<M = Sum, I = Same, O = Same> {
    pub(crate) device: Device,
    pub(crate) monoid: M,
    pub(crate) map_in: I,
    pub(crate) map_out: O,
    pub(crate) algorithm: Algorithm,
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
        Self { device: device.clone(), monoid, map_in: Same, map_out: Same, algorithm: Algorithm::Auto }
    }
}

impl<M, I, O: 'static> GpuScan<M, I, O> {
    /// The same with an algorithm chosen by name.
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Applies `map` to every input before it is combined. In the same pass: no memory, hardly any time.
    pub fn mapping<J>(self, map: J) -> GpuScan<M, J, O> {
        let Self { device, monoid, map_out, algorithm, .. } = self;
        GpuScan { device, monoid, map_in: map, map_out, algorithm }
    }

    /// Applies `map` to every result before it is written. Not for the textbook algorithms.
    pub fn mapping_results<P>(self, map: P) -> GpuScan<M, I, P> {
        let Self { device, monoid, map_in, algorithm, .. } = self;
        GpuScan { device, monoid, map_in, map_out: map, algorithm }
    }

    /// The algorithm a scan of `len` four-byte elements takes: what [`Algorithm::Auto`] stands for there.
    pub fn chosen(&self, len: usize) -> Algorithm {
        match self.device.capabilities() {
            Some(capabilities) => plan::choose(self.algorithm, 1, len as u64, capabilities),
            None => self.algorithm,
        }
    }

    /// A scan of `input` that is yet to be described: from a value, backwards, by rows, by segments.
    /// See [`Scanning`].
    pub fn of<A: Element, T: Element>(&self, input: &GpuBuffer<A>) -> Scanning<'_, A, T, M, I, O>
    where
        M: Monoid<T>,
        I: Map<A, T>,
    {
        Scanning::new(self, input)
    }

    /// Inclusive scan into a new buffer, the only allocation of a warm call.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::Shader`],
    /// [`Error::Layout`], [`Error::DeviceLost`].
    pub fn inclusive<A: Element, T: Element, B: Element>(
        &self,
        input: &GpuBuffer<A>,
    ) -> Result<GpuBuffer<B>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.of(input).run()
    }

    /// Exclusive scan into a new buffer, the only allocation of a warm call.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn exclusive<A: Element, T: Element, B: Element>(
        &self,
        input: &GpuBuffer<A>,
    ) -> Result<GpuBuffer<B>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.of(input).exclusive().run()
    }

    /// Inclusive scan into a buffer of the same length. Both may be ranges of one buffer if they are apart,
    /// or the same.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Overlap`] besides those of [`GpuScan::inclusive`].
    pub fn inclusive_into<A: Element, T: Element, B: Element>(
        &self,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<B>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.of(input).run_into(output)
    }

    /// Exclusive scan into a buffer of the same length.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_into`].
    pub fn exclusive_into<A: Element, T: Element, B: Element>(
        &self,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<B>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.of(input).exclusive().run_into(output)
    }

    /// Inclusive scan that overwrites its input.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn inclusive_in_place<A: Element, T: Element>(&self, data: &GpuBuffer<A>) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, A>,
    {
        self.of(data).run_into(data)
    }

    /// Exclusive scan that overwrites its input.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`].
    pub fn exclusive_in_place<A: Element, T: Element>(&self, data: &GpuBuffer<A>) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, A>,
    {
        self.of(data).exclusive().run_into(data)
    }

    /// Records an inclusive scan into the caller's encoder: no submission, no read-back. Pass the same
    /// buffer twice to scan in place. May be recorded any number of times, with any lengths.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the CPU.
    pub fn encode_inclusive<A: Element, T: Element, B: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<B>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.of(input).encode(encoder, output)
    }

    /// Records an exclusive scan into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuScan::encode_inclusive`].
    pub fn encode_exclusive<A: Element, T: Element, B: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuBuffer<A>,
        output: &GpuBuffer<B>,
    ) -> Result<(), Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.of(input).exclusive().encode(encoder, output)
    }

    /// Inclusive scans of several buffers, the columns of a table, in one submission; each into a new buffer.
    ///
    /// ```
    /// # fn main() -> Result<(), gpuscan::Error> {
    /// # let device = gpuscan::Device::cpu();
    /// let (x, y) = (device.upload(&[1u32, 2])?, device.upload(&[3u32, 4, 5])?);
    /// let sums = gpuscan::GpuScan::new(&device).inclusive_columns(&[&x, &y])?;
    /// assert_eq!((sums[0].to_vec()?, sums[1].to_vec()?), (vec![1, 3], vec![3, 7, 12]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`]; nothing has been submitted then.
    pub fn inclusive_columns<A: Element, T: Element, B: Element>(
        &self,
        columns: &[&GpuBuffer<A>],
    ) -> Result<Vec<GpuBuffer<B>>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.columns(columns, false)
    }

    /// Exclusive scans of several buffers in one submission.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_columns`].
    pub fn exclusive_columns<A: Element, T: Element, B: Element>(
        &self,
        columns: &[&GpuBuffer<A>],
    ) -> Result<Vec<GpuBuffer<B>>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        self.columns(columns, true)
    }

    fn columns<A: Element, T: Element, B: Element>(
        &self,
        columns: &[&GpuBuffer<A>],
        exclusive: bool,
    ) -> Result<Vec<GpuBuffer<B>>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        let scanning = |column| match exclusive {
            false => self.of(column),
            true => self.of(column).exclusive(),
        };
        let Backend::Gpu(Gpu::Wgpu(context)) = self.device.backend() else {
            return columns.iter().map(|&column| scanning(column).run()).collect();
        };
        let mut results = Vec::with_capacity(columns.len());
        context.submit(|encoder| {
            for &column in columns {
                column.check_device("a column", &self.device)?;
                let result = self.device.zeros(column.len())?;
                scanning(column).encode(encoder, &result)?;
                results.push(result);
            }
            Ok(())
        })?;
        Ok(results)
    }

    /// Inclusive scan of a slice on the host: on the CPU where that is faster, else there and back.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive`], and those of a transfer.
    pub fn inclusive_slice<A: Element, T: Element, B: Element>(&self, values: &[A]) -> Result<Vec<B>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        Scanning::of_slice(self, values, false)
    }

    /// Exclusive scan of a slice on the host.
    ///
    /// # Errors
    /// As for [`GpuScan::inclusive_slice`].
    pub fn exclusive_slice<A: Element, T: Element, B: Element>(&self, values: &[A]) -> Result<Vec<B>, Error>
    where
        M: Monoid<T>,
        I: Map<A, T>,
        O: Map<T, B>,
    {
        Scanning::of_slice(self, values, true)
    }
}
