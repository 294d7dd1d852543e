//! Load balancing: work that comes in segments of very different lengths, shared out evenly.

use crate::{
    buffer::GpuBuffer,
    device::Device,
    error::Error,
    kernel::Operator,
    plan::{
        Plan,
        balance::{self as plan, Ends},
    },
    scan::GpuScan,
    tuning::Capabilities,
};

/// The most workers that [`GpuBalance::split`] splits tasks among.
const MOST_WORKERS: u64 = 65_535;

/// Shares out work that comes in segments, such as the edges of a graph's vertices, on one device.
///
/// Segments are given by their **ends**: the inclusive sums of their lengths, which
/// [`GpuScan::inclusive`] makes; or CSR offsets without their leading 0, which is a slice
/// (`offsets.slice(1..)`). Segments may be empty, and all together hold fewer than 2^32 items.
///
/// * [`GpuBalance::search`] finds each item's segment and its rank in it, so that one lane can handle one item
///   whatever the segments' lengths. (Load-balancing search: S. Baxter, "Modern GPU", 2013.)
/// * [`GpuBalance::split`] cuts a list of tasks into one run for each of some workers.
///
/// **Cost.** A search is two dispatches. The first finds the segment of every 2,048th item, by a binary search
/// each. In the second every workgroup has 2,048 items, brings the ends among them to workgroup memory, and
/// each item is found there by a binary search; where more than 2,048 segments, nearly all of them empty, end
/// among the items, in device memory. It reads the ends once or twice and writes two words an item. A split is
/// one binary search for each worker.
///
/// Ends that decrease give wrong results, but no others are touched and nothing hangs: the device does not look
/// for them. [`GpuBalance::ends_of`] does, on the host.
///
/// ```
/// use gpuscan::{Device, GpuBalance};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let balance = GpuBalance::new(&device);
/// let ends = balance.ends_of(&[0, 2, 2, 5])?; // CSR offsets: segments of 2, 0 and 3 items
/// let (segments, ranks) = balance.search(&ends, 5)?;
/// assert_eq!(segments.to_vec()?, [0, 0, 2, 2, 2]);
/// assert_eq!(ranks.to_vec()?, [0, 1, 0, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuBalance {
    device: Device,
}

impl GpuBalance {
    /// Load balancing on a device.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone() }
    }

    /// Uploads the ends of segments from CSR offsets on the host: a 0, and then the end of each segment.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless they begin with 0 and do not decrease; those of an upload.
    pub fn ends_of(&self, offsets: &[u32]) -> Result<GpuBuffer<u32>, Error> {
        let what = "offsets of segments";
        let Some((first, ends)) = offsets.split_first() else {
            return Err(Error::Invalid { what, expected: "at least one".into(), found: "none".into() });
        };
        if *first != 0 {
            return Err(Error::Invalid { what, expected: "0 first".into(), found: first.to_string() });
        }
        if let Some(i) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Error::Invalid {
                what,
                expected: "offsets that do not decrease".into(),
                found: format!("{} at {i}, then {}", offsets[i], offsets[i + 1]),
            });
        }
        self.device.upload(ends)
    }

    /// The segment of each of the first `items` items, and its rank in that segment, in new buffers. An item
    /// behind the last segment has the number of segments for its segment, and a rank from there.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for ends that one binding cannot span, [`Error::WrongDevice`],
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn search(
        &self,
        ends: &GpuBuffer<u32>,
        items: usize,
    ) -> Result<(GpuBuffer<u32>, GpuBuffer<u32>), Error> {
        ends.check_device("the ends", &self.device)?;
        let (segments, ranks) = (self.device.zeros(items)?, self.device.zeros(items)?);
        self.search_into(ends, &segments, &ranks)?;
        Ok((segments, ranks))
    }

    /// The same from the segments' lengths, which are scanned first, into one more new buffer.
    ///
    /// # Errors
    /// As for [`GpuBalance::search`].
    pub fn search_lengths(
        &self,
        lengths: &GpuBuffer<u32>,
        items: usize,
    ) -> Result<(GpuBuffer<u32>, GpuBuffer<u32>), Error> {
        self.search(&GpuScan::new(&self.device).inclusive(lengths)?, items)
    }

    /// Segments and ranks into given buffers of one length, which is the number of items.
    ///
    /// # Errors
    /// [`Error::Length`], and [`Error::Invalid`] if two of the three lie in one buffer, besides those of
    /// [`GpuBalance::search`].
    pub fn search_into(
        &self,
        ends: &GpuBuffer<u32>,
        segments: &GpuBuffer<u32>,
        ranks: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.check_search(ends, segments, ranks)?;
        if let Some(gpu) = self.device.gpu() {
            let plan = self.search_plan(ends, segments, ranks, gpu.capabilities())?;
            let buffers = [ends.on_gpu()?, segments.on_gpu()?, ranks.on_gpu()?];
            return gpu.run(&plan, &Operator::none(), &buffers);
        }
        let found = search_on_host(&ends.on_host()?, segments.len());
        segments.put_on_host(&found.0)?;
        ranks.put_on_host(&found.1)
    }

    /// Records [`GpuBalance::search_into`] into the caller's encoder: no submission, no read-back.
    ///
    /// # Errors
    /// As for [`GpuBalance::search_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the CPU.
    pub fn encode_search(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        ends: &GpuBuffer<u32>,
        segments: &GpuBuffer<u32>,
        ranks: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("recording a search")?;
        self.check_search(ends, segments, ranks)?;
        let plan = self.search_plan(ends, segments, ranks, &context.capabilities)?;
        let buffers = [ends.on_gpu()?, segments.on_gpu()?, ranks.on_gpu()?];
        context.encode(&plan, &Operator::none(), &buffers, encoder)
    }

    /// The first task of each of `workers` workers, and behind the last one the number of tasks, in a new buffer
    /// of `workers + 1`: worker `w` has tasks `bounds[w]..bounds[w + 1]`. `ends` are the inclusive sums of the
    /// tasks' lengths.
    ///
    /// Worker `w` begins with the first task before which there is `w / workers` of all work. So each worker's
    /// load differs from an even share by less than the longest task.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no workers, [`Error::TooLarge`] for more than 65,535, besides those of
    /// [`GpuBalance::search`].
    pub fn split(&self, ends: &GpuBuffer<u32>, workers: usize) -> Result<GpuBuffer<u32>, Error> {
        ends.check_device("the ends", &self.device)?;
        check_workers(workers)?;
        let bounds = self.device.zeros(workers + 1)?;
        self.split_into(ends, &bounds)?;
        Ok(bounds)
    }

    /// The same from the tasks' lengths, which are scanned first, into one more new buffer.
    ///
    /// # Errors
    /// As for [`GpuBalance::split`].
    pub fn split_lengths(&self, lengths: &GpuBuffer<u32>, workers: usize) -> Result<GpuBuffer<u32>, Error> {
        self.split(&GpuScan::new(&self.device).inclusive(lengths)?, workers)
    }

    /// Bounds into a given buffer, which has one more element than there are workers.
    ///
    /// # Errors
    /// As for [`GpuBalance::split`], and [`Error::Invalid`] if both lie in one buffer.
    pub fn split_into(&self, ends: &GpuBuffer<u32>, bounds: &GpuBuffer<u32>) -> Result<(), Error> {
        self.check_split(ends, bounds)?;
        if let Some(gpu) = self.device.gpu() {
            let plan = self.split_plan(ends, bounds, gpu.capabilities())?;
            return gpu.run(&plan, &Operator::none(), &[ends.on_gpu()?, bounds.on_gpu()?]);
        }
        bounds.put_on_host(&split_on_host(&ends.on_host()?, bounds.len() - 1))
    }

    /// Records [`GpuBalance::split_into`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuBalance::split_into`] and [`GpuBalance::encode_search`].
    pub fn encode_split(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        ends: &GpuBuffer<u32>,
        bounds: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("recording a split")?;
        self.check_split(ends, bounds)?;
        let plan = self.split_plan(ends, bounds, &context.capabilities)?;
        context.encode(&plan, &Operator::none(), &[ends.on_gpu()?, bounds.on_gpu()?], encoder)
    }

    fn check_search(
        &self,
        ends: &GpuBuffer<u32>,
        segments: &GpuBuffer<u32>,
        ranks: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        check_ends(ends, &self.device)?;
        segments.check_device("the segments", &self.device)?;
        ranks.check_device("the ranks", &self.device)?;
        ranks.check_len("the ranks", segments.len())?;
        most("the items of a search", "items", u32::MAX.into(), segments.len())?;
        segments.check_apart("the segments", "the ends", ends)?;
        ranks.check_apart("the ranks", "the ends", ends)?;
        ranks.check_apart("the ranks", "the segments", segments)
    }

    fn search_plan(
        &self,
        ends: &GpuBuffer<u32>,
        segments: &GpuBuffer<u32>,
        ranks: &GpuBuffer<u32>,
        capabilities: &Capabilities,
    ) -> Result<Plan, Error> {
        plan::search(&job(ends), segments.len() as u64, segments.place(), ranks.place(), capabilities)
    }

    fn check_split(&self, ends: &GpuBuffer<u32>, bounds: &GpuBuffer<u32>) -> Result<(), Error> {
        check_ends(ends, &self.device)?;
        bounds.check_device("the bounds", &self.device)?;
        check_workers(bounds.len().saturating_sub(1))?;
        bounds.check_apart("the bounds", "the ends", ends)
    }

    fn split_plan(
        &self,
        ends: &GpuBuffer<u32>,
        bounds: &GpuBuffer<u32>,
        capabilities: &Capabilities,
    ) -> Result<Plan, Error> {
        let workers = (bounds.len() - 1) as u32;
        plan::split(&job(ends), workers, bounds.place(), capabilities)
    }
}

fn job(ends: &GpuBuffer<u32>) -> Ends {
    Ends { count: ends.len() as u32, place: ends.place() }
}

fn check_ends(ends: &GpuBuffer<u32>, device: &Device) -> Result<(), Error> {
    ends.check_device("the ends", device)?;
    most("the number of segments", "segments", (u32::MAX - 1).into(), ends.len())
}

fn check_workers(workers: usize) -> Result<(), Error> {
    match workers {
        0 => Err(Error::Invalid {
            what: "the workers of a split",
            expected: "at least 1".into(),
            found: "0".into(),
        }),
        _ => most("the workers of a split", "workers", MOST_WORKERS, workers),
    }
}

fn most(what: &'static str, unit: &'static str, expected: u64, found: usize) -> Result<(), Error> {
    match found as u64 {
        found if found <= expected => Ok(()),
        found => Err(Error::TooLarge { what, unit, expected, found }),
    }
}

/// Segment by segment.
fn search_on_host(ends: &[u32], items: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut segments, mut ranks) = (Vec::with_capacity(items), Vec::with_capacity(items));
    let mut start = 0;
    let behind = items as u32;
    for (segment, &end) in ends.iter().chain([&behind]).enumerate() {
        let end = end.min(behind);
        for item in start..end {
            segments.push(segment as u32);
            ranks.push(item - start);
        }
        start = start.max(end);
    }
    (segments, ranks)
}

/// Worker by worker, in 64 bits.
fn split_on_host(ends: &[u32], workers: usize) -> Vec<u32> {
    let total = u64::from(ends.last().copied().unwrap_or_default());
    let bound = |worker: usize| {
        let place = (worker as u64 * total).div_ceil(workers as u64);
        match (place, worker == workers) {
            (_, true) => ends.len(),
            (0, _) => 0,
            _ => ends.partition_point(|&end| u64::from(end) < place) + 1,
        }
    };
    (0..=workers).map(|worker| bound(worker) as u32).collect()
}
