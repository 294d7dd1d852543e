//! Stable radix sorts.

use std::ops::{Bound, Range, RangeBounds};

use crate::{
    backend::{self, Backend, GpuMemory, Memory, cpu},
    buffer::GpuBuffer,
    device::Device,
    element::Element,
    error::Error,
    kernel::{
        Operator,
        sort::{Code, Order, Payload},
    },
    plan::sort::{self as plan, Job},
};

/// A type that [`GpuRadixSort`] sorts by.
///
/// Integers are ordered by value. Floats run from −∞ to +∞, with −0 and +0 as equals; then come all NaNs, of
/// either sign, in the order of their bits as unsigned integers. Equal keys stay in the order of the input,
/// and every key keeps its own bits: zeros their signs, NaNs their payloads.
///
/// A key's *code* is the unsigned number of as many bits that stands for its place in this order.
/// [`GpuRadixSort::bits`] picks bits of it. For unsigned integers it is the key itself.
pub trait SortKey: Element + coded::Coded {}

mod coded {
    use super::Code;

    pub trait Coded: Copy {
        /// How the bits are ordered.
        const CODE: Code;
        /// The key's bits.
        fn bits(self) -> u64;
    }
}

macro_rules! sort_key {
    ($($key:ty: $order:ident by $bits:expr;)*) => {
        $(impl SortKey for $key {}
        impl coded::Coded for $key {
            const CODE: Code = Code { order: Order::$order, bits: 8 * size_of::<$key>() as u32 };
            fn bits(self) -> u64 {
                $bits(self)
            }
        })*
    };
}

sort_key! {
    u32: Unsigned by u64::from;
    i32: Signed by |key: i32| u64::from(key as u32);
    f32: Float by |key: f32| u64::from(key.to_bits());
}

/// Stable sorts on one device: of keys, of keys with values, or of indices by their keys.
///
/// Least significant digit first, eight bits at a time, each digit in one pass: A. Adinets and D. Merrill,
/// "Onesweep: a faster least significant digit radix sort for GPUs" (2022). Reads all keys once to count, then
/// reads and writes keys and values once for each digit; a digit on which all keys agree is only copied. No
/// wait is unbounded: what another workgroup does not hand on in time is counted again. The order of
/// [`SortKey`] and stability leave one possible result, so every device and every run gives the same bits.
///
/// Takes up to 2^30 − 1 keys whose bytes fit one storage binding, and scratch memory for as many keys and
/// values again. Nothing here waits for the device.
///
/// ```
/// use gpuscan::{Device, GpuRadixSort};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let keys = device.upload(&[3.0f32, -1.0, f32::NAN, 0.5])?;
/// let sorted = GpuRadixSort::new(&device).sort(&keys)?.to_vec()?;
/// assert_eq!(sorted[..3], [-1.0, 0.5, 3.0]);
/// assert_eq!(GpuRadixSort::new(&device).argsort(&keys)?.to_vec()?, [1, 3, 0, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuRadixSort {
    device: Device,
    descending: bool,
    /// None: all bits.
    bits: Option<(Bound<u32>, Bound<u32>)>,
    count: Option<GpuBuffer<u32>>,
    segments: Option<GpuBuffer<u32>>,
}

impl GpuRadixSort {
    /// Sorts by all bits, upwards.
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), descending: false, bits: None, count: None, segments: None }
    }

    /// Sorts downwards: the greatest key first, so NaNs before +∞. Equal keys still stay in the order of the
    /// input.
    pub fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// Sorts by these bits of the keys' codes ([`SortKey`]) only, 0 being the lowest: fewer bits take fewer
    /// passes. Keys that agree on them are equal. A range that the key type does not have is an
    /// [`Error::Range`] of the sort.
    pub fn bits(self, range: impl RangeBounds<u32>) -> Self {
        let bits = (range.start_bound().cloned(), range.end_bound().cloned());
        Self { bits: Some(bits), ..self }
    }

    /// Sorts only as many elements as the one element of `count` says when the sort runs on the device, or as
    /// there are, if that is less. Results beyond are left as they are.
    pub fn count(self, count: &GpuBuffer<u32>) -> Self {
        Self { count: Some(count.clone()), ..self }
    }

    /// Sorts each segment for itself. `offsets` holds where each segment starts, in ascending order; a segment
    /// reaches to the start of the next, the last one to the end, and elements before the first are a
    /// segment, too. So the offsets of compressed rows will do, with the total behind them or without. A
    /// segment may be empty, and of any length: the work depends on the lengths of all together.
    ///
    /// Takes passes over the bits of the number of segments besides those over the keys', and 4 words of
    /// scratch memory for each element besides the keys'.
    pub fn segments(self, offsets: &GpuBuffer<u32>) -> Self {
        Self { segments: Some(offsets.clone()), ..self }
    }

    /// The keys in order, in a new buffer, the only allocation of a warm call.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for keys beyond one binding, [`Error::Range`] for bits that the key type does not
    /// have, [`Error::WrongDevice`], [`Error::OutOfMemory`], [`Error::DeviceLost`]; [`Error::Length`] for a
    /// count of not one element.
    pub fn sort<K: SortKey>(&self, keys: &GpuBuffer<K>) -> Result<GpuBuffer<K>, Error> {
        keys.check_device("the keys", &self.device)?;
        let sorted = self.device.zeros(keys.len())?;
        self.sort_into(keys, &sorted)?;
        Ok(sorted)
    }

    /// The keys in order, in a buffer of the same length. Both may be ranges of one buffer if they are apart,
    /// or the same.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Overlap`] besides those of [`GpuRadixSort::sort`].
    pub fn sort_into<K: SortKey>(&self, keys: &GpuBuffer<K>, sorted: &GpuBuffer<K>) -> Result<(), Error> {
        self.run(&Call { sorted_keys: Some(sorted), ..Call::<K, u32>::of(keys) })
    }

    /// Puts the keys in order where they are.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort`].
    pub fn sort_in_place<K: SortKey>(&self, keys: &GpuBuffer<K>) -> Result<(), Error> {
        self.sort_into(keys, keys)
    }

    /// The keys in order and their values with them, in new buffers, the only allocations of a warm call.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort`], and [`Error::Length`] unless there are as many values as keys.
    pub fn sort_pairs<K: SortKey, V: Element>(
        &self,
        keys: &GpuBuffer<K>,
        values: &GpuBuffer<V>,
    ) -> Result<(GpuBuffer<K>, GpuBuffer<V>), Error> {
        keys.check_device("the keys", &self.device)?;
        let sorted = (self.device.zeros(keys.len())?, self.device.zeros(values.len())?);
        self.sort_pairs_into(keys, values, &sorted.0, &sorted.1)?;
        Ok(sorted)
    }

    /// The keys in order and their values with them, in buffers of the same length.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort_into`]; [`Error::Misaligned`] if both results lie in one buffer, so close
    /// that bindings of them would overlap.
    pub fn sort_pairs_into<K: SortKey, V: Element>(
        &self,
        keys: &GpuBuffer<K>,
        values: &GpuBuffer<V>,
        sorted_keys: &GpuBuffer<K>,
        sorted_values: &GpuBuffer<V>,
    ) -> Result<(), Error> {
        self.run(&Call {
            keys,
            sorted_keys: Some(sorted_keys),
            values: Some(values),
            sorted_values: Some(sorted_values),
        })
    }

    /// Puts keys and values in the order of the keys, where they are.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort_pairs_into`].
    pub fn sort_pairs_in_place<K: SortKey, V: Element>(
        &self,
        keys: &GpuBuffer<K>,
        values: &GpuBuffer<V>,
    ) -> Result<(), Error> {
        self.sort_pairs_into(keys, values, keys, values)
    }

    /// The indices of the keys in the keys' order: element `i` is where the `i`-th key is. The keys are left
    /// as they are. With [`GpuRadixSort::segments`], too, indices count from the start of the keys.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort`].
    pub fn argsort<K: SortKey>(&self, keys: &GpuBuffer<K>) -> Result<GpuBuffer<u32>, Error> {
        keys.check_device("the keys", &self.device)?;
        let indices = self.device.zeros(keys.len())?;
        self.argsort_into(keys, &indices)?;
        Ok(indices)
    }

    /// The indices of the keys in the keys' order, in a buffer of the same length.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort_into`].
    pub fn argsort_into<K: SortKey>(
        &self,
        keys: &GpuBuffer<K>,
        indices: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.run(&Call { sorted_values: Some(indices), ..Call::of(keys) })
    }

    /// Records [`GpuRadixSort::sort_into`] into the caller's encoder: no submission, no read-back. Pass the
    /// same buffer twice to sort in place.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort_into`]; nothing has been recorded then. [`Error::WrongDevice`] on the CPU.
    pub fn encode_sort<K: SortKey>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        keys: &GpuBuffer<K>,
        sorted: &GpuBuffer<K>,
    ) -> Result<(), Error> {
        self.encode(encoder, &Call { sorted_keys: Some(sorted), ..Call::<K, u32>::of(keys) })
    }

    /// Records [`GpuRadixSort::sort_pairs_into`] into the caller's encoder. Pass the same buffers twice to
    /// sort in place.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::sort_pairs_into`] and [`GpuRadixSort::encode_sort`].
    pub fn encode_sort_pairs<K: SortKey, V: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        keys: &GpuBuffer<K>,
        values: &GpuBuffer<V>,
        sorted_keys: &GpuBuffer<K>,
        sorted_values: &GpuBuffer<V>,
    ) -> Result<(), Error> {
        let call = Call {
            keys,
            sorted_keys: Some(sorted_keys),
            values: Some(values),
            sorted_values: Some(sorted_values),
        };
        self.encode(encoder, &call)
    }

    /// Records [`GpuRadixSort::argsort_into`] into the caller's encoder.
    ///
    /// # Errors
    /// As for [`GpuRadixSort::argsort_into`] and [`GpuRadixSort::encode_sort`].
    pub fn encode_argsort<K: SortKey>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        keys: &GpuBuffer<K>,
        indices: &GpuBuffer<u32>,
    ) -> Result<(), Error> {
        self.encode(encoder, &Call { sorted_values: Some(indices), ..Call::of(keys) })
    }

    fn run<K: SortKey, V: Element>(&self, call: &Call<'_, K, V>) -> Result<(), Error> {
        let job = self.job(call)?;
        match self.device.backend() {
            Backend::Gpu(gpu) => {
                let plan = plan::sort(&job, gpu.capabilities())?;
                gpu.run(&plan, &Operator::none(), &self.buffers(call)?)
            }
            Backend::Cpu => self.run_on_host(&job, call),
        }
    }

    fn encode<K: SortKey, V: Element>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        call: &Call<'_, K, V>,
    ) -> Result<(), Error> {
        let context = self.device.wgpu("recording a sort")?;
        let job = self.job(call)?;
        let plan = plan::sort(&job, &context.capabilities)?;
        context.encode(&plan, &Operator::none(), &self.buffers(call)?, encoder)
    }

    /// The job, if all buffers are fit for it.
    fn job<K: SortKey, V: Element>(&self, call: &Call<'_, K, V>) -> Result<Job, Error> {
        let Call { keys, sorted_keys, values, sorted_values } = *call;
        self.check("the keys", keys, keys.len())?;
        if let Some(sorted) = sorted_keys {
            self.check("the sorted keys", sorted, keys.len())?;
            apart_or_same(keys, sorted)?;
        }
        if let Some(values) = values {
            self.check("the values", values, keys.len())?;
        }
        if let Some(sorted) = sorted_values {
            self.check("the sorted values", sorted, keys.len())?;
            if let Some(values) = values {
                apart_or_same(values, sorted)?;
            }
            apart(keys, sorted)?;
        }
        if let (Some(values), Some(sorted)) = (values, sorted_keys) {
            apart(values, sorted)?;
        }
        if let (Some(keys), Some(values)) = (sorted_keys, sorted_values) {
            apart(keys, values)?;
            self.check_bindings_apart(keys, values)?;
        }
        let shares = |results: Option<bool>| results.unwrap_or(false);
        let shared = shares(sorted_keys.map(|sorted| same_buffer(keys, sorted)))
            || shares(sorted_values.map(|sorted| same_buffer(keys, sorted)))
            || shares(values.zip(sorted_values).map(|(values, sorted)| same_buffer(values, sorted)))
            || shares(values.zip(sorted_keys).map(|(values, sorted)| same_buffer(values, sorted)));
        if let Some(count) = &self.count {
            self.check("the count", count, 1)?;
        }
        if let Some(offsets) = &self.segments {
            self.check("the segments' offsets", offsets, offsets.len())?;
        }
        Ok(Job {
            code: K::CODE,
            bits: self.bits_of(K::CODE)?,
            descending: self.descending,
            len: keys.len() as u64,
            keys: keys.place(),
            sorted_keys: sorted_keys.map(GpuBuffer::place),
            payload: match (values, sorted_values) {
                (_, None) => Payload::Nothing,
                (None, Some(_)) => Payload::Index,
                (Some(_), Some(_)) => Payload::Words((size_of::<V>() / size_of::<u32>()) as u32),
            },
            values: values.map(GpuBuffer::place),
            sorted_values: sorted_values.map(GpuBuffer::place),
            shared,
            count: self.count.as_ref().map(GpuBuffer::place),
            // Without offsets, all is one segment.
            segments: self
                .segments
                .as_ref()
                .filter(|offsets| !offsets.is_empty())
                .map(|offsets| (offsets.place(), offsets.len() as u64)),
        })
    }

    fn bits_of(&self, code: Code) -> Result<Range<u32>, Error> {
        let Some((start, end)) = self.bits else { return Ok(0..code.bits) };
        let start = match start {
            Bound::Included(start) => start,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match end {
            Bound::Included(last) => last.saturating_add(1),
            Bound::Excluded(end) => end,
            Bound::Unbounded => code.bits,
        };
        match start <= end && end <= code.bits {
            true => Ok(start..end),
            false => Err(Error::Range {
                range: start.into()..end.into(),
                unit: "bits of a key",
                len: code.bits.into(),
            }),
        }
    }

    fn check<T: Element>(&self, what: &'static str, buffer: &GpuBuffer<T>, len: usize) -> Result<(), Error> {
        buffer.check_device(what, &self.device)?;
        match buffer.len() == len {
            true => Ok(()),
            false => Err(Error::Length { what, expected: len as u64, found: buffer.len() as u64 }),
        }
    }

    /// Two results in one buffer are bound beside each other, each from an aligned offset on.
    fn check_bindings_apart<K: Element, V: Element>(
        &self,
        keys: &GpuBuffer<K>,
        values: &GpuBuffer<V>,
    ) -> Result<(), Error> {
        let Some(capabilities) = self.device.capabilities().filter(|_| same_buffer(keys, values)) else {
            return Ok(());
        };
        let (keys, values) = (keys.byte_range(), values.byte_range());
        let (first, second) = if keys.start < values.start { (keys, values) } else { (values, keys) };
        match capabilities.aligned(second.start) >= first.end || first.is_empty() {
            true => Ok(()),
            false => Err(Error::Misaligned {
                what: "the second of two results in one buffer",
                expected: capabilities.binding_alignment,
                found: second.start,
            }),
        }
    }

    /// In the order of `plan::buffers`. One that is not there is never bound, so any stands in for it.
    fn buffers<'a, K: Element, V: Element>(
        &'a self,
        call: &Call<'a, K, V>,
    ) -> Result<[&'a GpuMemory; plan::buffers::NUMBER], Error> {
        let keys = call.keys.on_gpu()?;
        fn or<'a, T: Element>(buffer: Option<&'a GpuBuffer<T>>, keys: &'a GpuMemory) -> &'a GpuMemory {
            buffer.and_then(|buffer| buffer.on_gpu().ok()).unwrap_or(keys)
        }
        Ok([
            keys,
            or(call.sorted_keys, keys),
            or(call.values, keys),
            or(call.sorted_values, keys),
            or(self.count.as_ref(), keys),
            or(self.segments.as_ref(), keys),
        ])
    }

    fn run_on_host<K: SortKey, V: Element>(&self, job: &Job, call: &Call<'_, K, V>) -> Result<(), Error> {
        let mut len = call.keys.len();
        if let Some(count) = &self.count {
            len = len.min(self.on_host(count)?[0] as usize);
        }
        let segments = self.segments.as_ref().map(|offsets| self.on_host(offsets)).transpose()?;
        let keys = self.on_host(call.keys)?;
        let codes = keys[..len].iter().map(|&key| K::CODE.of(key.bits())).collect();
        let order = cpu::sorted_indices(job, codes, &segments.unwrap_or_default());
        if let Some(sorted) = call.sorted_keys {
            self.write_gathered(sorted, &keys, &order)?;
        }
        match (call.values, call.sorted_values) {
            (Some(values), Some(sorted)) => self.write_gathered(sorted, &self.on_host(values)?, &order),
            // Indices are the only values that come from nowhere, so V is u32.
            (None, Some(sorted)) => self.write(sorted, bytemuck::cast_slice(&order)),
            (_, None) => Ok(()),
        }
    }

    fn on_host<T: Element>(&self, buffer: &GpuBuffer<T>) -> Result<Vec<T>, Error> {
        match buffer.memory() {
            Memory::Host(host) => Ok(backend::read(host, buffer.offset()..buffer.offset() + buffer.len())),
            _ => Err(self.mixed()),
        }
    }

    fn write_gathered<T: Element>(
        &self,
        target: &GpuBuffer<T>,
        values: &[T],
        order: &[u32],
    ) -> Result<(), Error> {
        let gathered: Vec<T> = order.iter().map(|&i| values[i as usize]).collect();
        self.write(target, &gathered)
    }

    fn write<T: Element>(&self, target: &GpuBuffer<T>, values: &[T]) -> Result<(), Error> {
        let Memory::Host(host) = target.memory() else { return Err(self.mixed()) };
        backend::write(host, target.offset(), values);
        Ok(())
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

/// The buffers of one sort. Values that are sorted but not given are the keys' indices.
struct Call<'a, K, V> {
    keys: &'a GpuBuffer<K>,
    sorted_keys: Option<&'a GpuBuffer<K>>,
    values: Option<&'a GpuBuffer<V>>,
    sorted_values: Option<&'a GpuBuffer<V>>,
}

impl<'a, K, V> Call<'a, K, V> {
    fn of(keys: &'a GpuBuffer<K>) -> Self {
        Self { keys, sorted_keys: None, values: None, sorted_values: None }
    }
}

/// Whether both are ranges of one device buffer. Host memory is never shared by types.
fn same_buffer<A: Element, B: Element>(a: &GpuBuffer<A>, b: &GpuBuffer<B>) -> bool {
    a.on_gpu().is_ok() && a.memory_id() == b.memory_id()
}

fn apart<A: Element, B: Element>(input: &GpuBuffer<A>, output: &GpuBuffer<B>) -> Result<(), Error> {
    let (source, target) = (input.byte_range(), output.byte_range());
    match source.end <= target.start || target.end <= source.start || !same_buffer(input, output) {
        true => Ok(()),
        false => Err(Error::Overlap { input: source, output: target }),
    }
}

fn apart_or_same<T: Element>(input: &GpuBuffer<T>, output: &GpuBuffer<T>) -> Result<(), Error> {
    let (source, target) = (input.byte_range(), output.byte_range());
    let is_apart = source.end <= target.start || target.end <= source.start;
    match is_apart || source == target || input.memory_id() != output.memory_id() {
        true => Ok(()),
        false => Err(Error::Overlap { input: source, output: target }),
    }
}
