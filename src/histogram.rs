//! Histograms.

use std::{marker::PhantomData, ops::Range, sync::Arc};

use crate::{
    backend::GpuMemory,
    bins::{self, Bins, Sample},
    buffer::GpuBuffer,
    device::Device,
    element::Number,
    error::Error,
    kernel::{Operator, histogram::Search},
    plan::histogram::{self as plan, Job},
};

/// The most channels that samples can be interleaved in.
const MOST_CHANNELS: u32 = 1024;

/// Counts how many samples fall into each of a row of bins, on one device.
///
/// **Edges.** A bin holds its lower edge and not its upper one, as in CUB: a sample equal to the last bin's upper
/// edge is in no bin, and neither is one outside of the range. NaN is in no bin; both zeros are in zero's.
/// Even bin `i` of `n` from `lower` to `upper` holds exactly the samples with
/// `i = ⌊(x − lower) · n / (upper − lower)⌋`: edges are computed once, in `f64`, and rounded up to samples, and
/// bins are found by comparing integers. So counts are the same on every device, for floats too.
///
/// **Counts** wrap around at 2^32.
///
/// **Cost.** One read of the samples and one dispatch, after one that clears the counts. Up to 4,096 bins (all
/// channels together) are counted in workgroup memory, up to 2,048 in four or more copies side by side, which
/// lie in different memory banks: samples that are all alike take no longer than others. Of more bins, each
/// sample is an atomic addition in device memory, but for runs of one bin. Even bins are computed by
/// multiplication, others by a binary search; of 8-bit samples the 256 values are counted, whatever the bins.
/// (Privatised counters: V. Podlozhnyuk, "Histogram calculation in CUDA", 2007; copies against contention: J.
/// Gómez-Luna and others, "An optimized approach to histogram computation on GPU", 2013.)
///
/// ```
/// use gpuscan::{Device, GpuHistogram};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let samples = device.upload(&[-2i32, -1, 0, 1, 1, 7])?;
/// let counts = GpuHistogram::even(&device, 4, -2.0..2.0)?.histogram(&samples)?;
/// assert_eq!(counts.to_vec()?, [1, 1, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuHistogram<T> {
    device: Device,
    bins: Arc<Bins>,
    channels: u32,
    /// What kernels look up.
    edges: GpuBuffer<u32>,
    sample: PhantomData<T>,
}

/// What samples can be weighted by: integers, which add up to the same in any order. Sealed.
///
/// Floats do not: their sum would depend on the device and the run. Scale them to integers first.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot weight samples: expected `u32` or `i32`",
    note = "sums of floats depend on their order, and so on the device; scale them to integers"
)]
pub trait Weight: Number + sealed::Weight {
    /// What a sample counts for that has no weight.
    #[doc(hidden)]
    const ONE: Self;
}

mod sealed {
    pub trait Weight {}
}

macro_rules! weight {
    ($type:ty) => {
        impl sealed::Weight for $type {}
        impl Weight for $type {
            const ONE: Self = 1;
        }
    };
}

weight!(u32);
weight!(i32);

impl<T: Sample> GpuHistogram<T> {
    /// `bins` bins of one width, from `range.start` up to but not including `range.end`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no bins, and for a range that is not finite or has no width;
    /// [`Error::TooLarge`] for more than 2^20 bins; those of an upload.
    pub fn even(device: &Device, bins: u32, range: Range<f64>) -> Result<Self, Error> {
        Self::new(device, Bins::even::<T>(bins, range.start, range.end)?.into(), 1)
    }

    /// Bins between neighbouring edges, which must not decrease. Equal neighbours enclose an empty bin;
    /// infinite edges are allowed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for edges that decrease or are NaN, and for fewer than two;
    /// [`Error::TooLarge`] for more than 2^20 bins; those of an upload.
    pub fn with_edges(device: &Device, edges: &[f64]) -> Result<Self, Error> {
        Self::new(device, Bins::between::<T>(edges)?.into(), 1)
    }

    /// The same for interleaved channels, such as the four of an RGBA image: sample `i` belongs to channel
    /// `i % channels`. Each has counts of its own, one channel's behind the other's.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no channels, [`Error::TooLarge`] for more than 1,024.
    pub fn channels(self, channels: u32) -> Result<Self, Error> {
        match channels {
            0 => Err(Error::Invalid {
                what: "a histogram's channels",
                expected: "at least 1".into(),
                found: "0".into(),
            }),
            1..=MOST_CHANNELS => Self::new(&self.device, self.bins, channels),
            _ => Err(Error::TooLarge {
                what: "a histogram's channel count",
                unit: "channels",
                expected: MOST_CHANNELS.into(),
                found: channels.into(),
            }),
        }
    }

    fn new(device: &Device, bins: Arc<Bins>, channels: u32) -> Result<Self, Error> {
        let edges = match plan::search(T::FORMAT, channels, bins.even.is_some()) {
            Search::Values => device.upload(&bins.of_values::<T>())?,
            Search::Even | Search::Edges => device.upload(&bins.edges)?,
        };
        Ok(Self { device: device.clone(), bins, channels, edges, sample: PhantomData })
    }

    /// Counts in a result: bins times channels.
    pub fn counters(&self) -> usize {
        self.bins.count as usize * self.channels as usize
    }

    /// Counts into a new buffer, the only allocation of a warm call.
    ///
    /// # Errors
    /// [`Error::Invalid`] for samples that are not the same number for each channel; [`Error::WrongDevice`],
    /// [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::DeviceLost`].
    pub fn histogram(&self, samples: &GpuBuffer<T>) -> Result<GpuBuffer<u32>, Error> {
        samples.check_device("the samples", &self.device)?;
        let counts = self.device.zeros(self.counters())?;
        self.accumulate(samples, &counts)?;
        Ok(counts)
    }

    /// Counts into a buffer of [`GpuHistogram::counters`] elements, which are overwritten.
    ///
    /// # Errors
    /// [`Error::Length`] for counts of another length, and [`Error::Invalid`] if they lie in the buffer of the
    /// samples, besides those of [`GpuHistogram::histogram`].
    pub fn histogram_into(&self, samples: &GpuBuffer<T>, counts: &GpuBuffer<u32>) -> Result<(), Error> {
        self.run(samples, None, counts, true)
    }

    /// Adds to what is in a buffer: for samples that come in batches.
    ///
    /// # Errors
    /// As for [`GpuHistogram::histogram_into`].
    pub fn accumulate(&self, samples: &GpuBuffer<T>, counts: &GpuBuffer<u32>) -> Result<(), Error> {
        self.run(samples, None, counts, false)
    }

    /// Records [`GpuHistogram::histogram_into`] into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuHistogram::histogram_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the
    /// CPU.
    pub fn encode_histogram(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        samples: &GpuBuffer<T>,
        counts: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.encode(encoder, samples, None, counts, true)
    }

    /// Records [`GpuHistogram::accumulate`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuHistogram::encode_histogram`].
    pub fn encode_accumulate(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        samples: &GpuBuffer<T>,
        counts: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.encode(encoder, samples, None, counts, false)
    }

    /// Adds up the weights of each bin's samples, in place of ones, into a new buffer. Sums wrap around.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a weight for each sample, besides those of
    /// [`GpuHistogram::histogram`].
    pub fn weighted<W: Weight>(
        &self,
        samples: &GpuBuffer<T>,
        weights: &GpuBuffer<W>,
    ) -> Result<GpuBuffer<W>, Error> {
        samples.check_device("the samples", &self.device)?;
        let sums = self.device.zeros(self.counters())?;
        self.accumulate_weighted(samples, weights, &sums)?;
        Ok(sums)
    }

    /// The same into a buffer of [`GpuHistogram::counters`] elements, which are overwritten.
    ///
    /// # Errors
    /// As for [`GpuHistogram::weighted`] and [`GpuHistogram::histogram_into`].
    pub fn weighted_into<W: Weight>(
        &self,
        samples: &GpuBuffer<T>,
        weights: &GpuBuffer<W>,
        sums: &GpuBuffer<W>,
    ) -> Result<(), Error> {
        self.run(samples, Some(weights), sums, true)
    }

    /// Adds weights to what is in a buffer.
    ///
    /// # Errors
    /// As for [`GpuHistogram::weighted_into`].
    pub fn accumulate_weighted<W: Weight>(
        &self,
        samples: &GpuBuffer<T>,
        weights: &GpuBuffer<W>,
        sums: &GpuBuffer<W>,
    ) -> Result<(), Error> {
        self.run(samples, Some(weights), sums, false)
    }

    /// Records [`GpuHistogram::weighted_into`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuHistogram::weighted_into`] and [`GpuHistogram::encode_histogram`].
    pub fn encode_weighted<W: Weight>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        samples: &GpuBuffer<T>,
        weights: &GpuBuffer<W>,
        sums: &GpuBuffer<W>,
    ) -> Result<(), Error> {
        self.encode(encoder, samples, Some(weights), sums, true)
    }

    /// Records [`GpuHistogram::accumulate_weighted`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuHistogram::encode_weighted`].
    pub fn encode_accumulate_weighted<W: Weight>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        samples: &GpuBuffer<T>,
        weights: &GpuBuffer<W>,
        sums: &GpuBuffer<W>,
    ) -> Result<(), Error> {
        self.encode(encoder, samples, Some(weights), sums, false)
    }

    fn run<W: Weight>(
        &self,
        samples: &GpuBuffer<T>,
        weights: Option<&GpuBuffer<W>>,
        counts: &GpuBuffer<W>,
        clear: bool,
    ) -> Result<(), Error> {
        let job = self.checked(samples, weights, counts, clear)?;
        if let Some(gpu) = self.device.gpu() {
            let plan = plan::histogram(&job, gpu.capabilities())?;
            return gpu.run(&plan, &Operator::none(), &self.buffers(samples, weights, counts)?);
        }
        let weights = weights.map(GpuBuffer::on_host).transpose()?;
        let mut sums = if clear { vec![W::ZERO; counts.len()] } else { counts.on_host()? };
        bins::tally(&self.bins, self.channels as usize, &samples.on_host()?, weights.as_deref(), &mut sums);
        counts.put_on_host(&sums)
    }

    fn encode<W: Weight>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        samples: &GpuBuffer<T>,
        weights: Option<&GpuBuffer<W>>,
        counts: &GpuBuffer<W>,
        clear: bool,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("recording a histogram")?;
        let job = self.checked(samples, weights, counts, clear)?;
        let plan = plan::histogram(&job, &context.capabilities)?;
        context.encode(&plan, &Operator::none(), &self.buffers(samples, weights, counts)?, encoder)
    }

    /// The buffers in the plan's order.
    fn buffers<'a, W: Weight>(
        &'a self,
        samples: &'a GpuBuffer<T>,
        weights: Option<&'a GpuBuffer<W>>,
        counts: &'a GpuBuffer<W>,
    ) -> Result<Vec<&'a GpuMemory>, Error> {
        let mut buffers = vec![samples.on_gpu()?, counts.on_gpu()?, self.edges.on_gpu()?];
        if let Some(weights) = weights {
            buffers.push(weights.on_gpu()?);
        }
        Ok(buffers)
    }

    /// The job, if all buffers are fit for it.
    fn checked<W: Weight>(
        &self,
        samples: &GpuBuffer<T>,
        weights: Option<&GpuBuffer<W>>,
        counts: &GpuBuffer<W>,
        clear: bool,
    ) -> Result<Job, Error> {
        samples.check_device("the samples", &self.device)?;
        counts.check_device("the counts", &self.device)?;
        counts.check_len("the counts", self.counters())?;
        counts.check_apart("the counts", "the samples", samples)?;
        if let Some(weights) = weights {
            weights.check_device("the weights", &self.device)?;
            weights.check_len("the weights", samples.len())?;
            counts.check_apart("the counts", "the weights", weights)?;
        }
        if !samples.len().is_multiple_of(self.channels as usize) {
            return Err(Error::Invalid {
                what: "the number of samples",
                expected: format!("a multiple of the {} channels", self.channels),
                found: samples.len().to_string(),
            });
        }
        Ok(Job {
            format: T::FORMAT,
            len: samples.len() as u64,
            channels: self.channels,
            bins: self.bins.count,
            reachable: self.bins.edges.len() as u32,
            keys: [self.bins.edges.first().copied().unwrap_or_default(), self.bins.last],
            even: self.bins.even,
            clear,
            samples: samples.place(),
            counts: counts.place(),
            edges: self.edges.place(),
            weights: weights.map(GpuBuffer::place),
        })
    }
}
