//! Run-length encoding.

use crate::{
    backend::Backend, buffer::GpuBuffer, compact::GpuCompact, device::Device, element::Element, error::Error,
    kernel::Operator, plan::scan as plan,
};

/// Runs of equal elements as their values, starts and lengths. Elements are equal if all their bits are: NaN
/// equals the same NaN, and −0.0 is not 0.0.
///
/// Two compactions and a pass over the runs.
///
/// ```
/// use gpuscan::{Device, GpuRunLength};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let input = device.upload(&[7u32, 7, 7, 2, 9, 9])?;
/// let runs = GpuRunLength::new(&device).runs(&input)?;
/// assert_eq!(runs.to_vec()?, [(7, 0, 3), (2, 3, 1), (9, 4, 2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuRunLength {
    device: Device,
}

/// Runs, on the device: only the first [`Runs::count`] elements of each buffer have been written.
#[derive(Clone, Debug)]
pub struct Runs<T> {
    /// The element that is repeated.
    pub values: GpuBuffer<T>,
    /// The index of its first occurrence.
    pub starts: GpuBuffer<u32>,
    /// How often it stands there.
    pub lengths: GpuBuffer<u32>,
    /// One element: how many runs there are.
    pub count: GpuBuffer<u32>,
}

impl<T: Element> Runs<T> {
    /// Downloads the runs: value, start and length of each. Blocks; in browsers use [`Runs::read`].
    ///
    /// # Errors
    /// As for [`GpuBuffer::to_vec`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_vec(&self) -> Result<Vec<(T, u32, u32)>, Error> {
        pollster::block_on(self.read())
    }

    /// The same, to be awaited.
    ///
    /// # Errors
    /// As for [`GpuBuffer::to_vec`].
    pub async fn read(&self) -> Result<Vec<(T, u32, u32)>, Error> {
        let count = self.count.read().await?[0] as usize;
        let values = self.values.slice(..count)?.read().await?;
        let starts = self.starts.slice(..count)?.read().await?;
        let lengths = self.lengths.slice(..count)?.read().await?;
        Ok(values.into_iter().zip(starts).zip(lengths).map(|((v, s), l)| (v, s, l)).collect())
    }
}

impl GpuRunLength {
    /// For this device.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone() }
    }

    /// The runs of `input`, in new buffers as long as it.
    ///
    /// # Errors
    /// [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::Layout`],
    /// [`Error::DeviceLost`].
    pub fn runs<T: Element>(&self, input: &GpuBuffer<T>) -> Result<Runs<T>, Error> {
        let compact = GpuCompact::new(&self.device);
        let values = compact.of(input).unique().run()?;
        let starts = compact.of(input).unique().indices()?;
        let lengths = self.device.zeros(input.len())?;
        let runs = Runs { values: values.values, starts: starts.values, lengths, count: starts.count };
        self.measure(&runs, input.len())?;
        Ok(runs)
    }

    /// Fills in the lengths.
    fn measure<T: Element>(&self, runs: &Runs<T>, len: usize) -> Result<(), Error> {
        let Runs { starts, lengths, count, .. } = runs;
        match self.device.backend() {
            Backend::Gpu(gpu) => {
                let places = [starts.place(), lengths.place(), count.place()];
                let plan = plan::gaps(places, len as u64, len as u64, gpu.capabilities())?;
                let (starts, lengths, count) = (starts.on_gpu()?, lengths.on_gpu()?, count.on_gpu()?);
                gpu.run(&plan, &Operator::none(), &[starts, lengths, lengths, lengths, count])
            }
            Backend::Cpu => {
                let runs = count.on_host()?[0] as usize;
                let mut ends = starts.slice(..runs)?.on_host()?;
                ends.push(len as u32);
                let gaps: Vec<u32> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
                lengths.slice(..runs)?.write(&gaps)
            }
        }
    }
}
