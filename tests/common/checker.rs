//! The one checker: it drives every entry point of a scan, with inputs and outputs lying wherever they may.

use gpuscan::{Algorithm, Device, Element, Error, GpuBuffer, GpuScan, Monoid, Sum, wgpu};

use super::{
    inputs::{Sample, values},
    oracle::{assert_bits, expected},
};

/// What buffers hold where nothing was put: an element that is overwritten by mistake, or never written,
/// shows.
const POISON: u32 = 0xdead_beef;

/// How input and output share buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sharing {
    Separate,
    InPlace,
    /// Two ranges of one buffer, the input's or the output's first.
    InputFirst,
    OutputFirst,
}

/// Where input and output lie.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub sharing: Sharing,
    /// Elements before the input and before the output, in a buffer or after the other range.
    pub before: [usize; 2],
    /// Elements after the last range of each buffer. With none, the buffer ends with the last element: no
    /// kernel may touch what would be the rest of its last quad.
    pub after: usize,
}

const fn placement(sharing: Sharing, before: [usize; 2], after: usize) -> Placement {
    Placement { sharing, before, after }
}

/// Whole buffers; offsets that suit bindings (64 elements), only quads (4), or nothing (1, 3, 5, 7).
const PLACEMENTS: [Placement; 10] = [
    placement(Sharing::Separate, [0, 0], 0),
    placement(Sharing::Separate, [64, 128], 4),
    placement(Sharing::Separate, [4, 12], 0),
    placement(Sharing::Separate, [1, 3], 2),
    placement(Sharing::Separate, [64, 5], 1),
    placement(Sharing::InPlace, [0, 0], 0),
    placement(Sharing::InPlace, [4, 4], 4),
    placement(Sharing::InPlace, [7, 7], 3),
    placement(Sharing::InputFirst, [3, 2], 1),
    placement(Sharing::OutputFirst, [0, 4], 0),
];

/// Checks every entry point for prefix sums. See [`check_monoid_async`].
#[cfg(not(target_arch = "wasm32"))]
pub fn check<T: Sample>(device: &Device, algorithm: Algorithm, values: &[T])
where
    Sum: Monoid<T>,
{
    check_monoid(device, &Sum, algorithm, values);
}

/// Checks every entry point for prefix sums. See [`check_monoid_async`].
pub async fn check_async<T: Sample>(device: &Device, algorithm: Algorithm, values: &[T])
where
    Sum: Monoid<T>,
{
    check_monoid_async(device, &Sum, algorithm, values).await;
}

/// Checks every entry point with an operator. See [`check_monoid_async`].
#[cfg(not(target_arch = "wasm32"))]
pub fn check_monoid<T: Sample, M: Monoid<T>>(device: &Device, monoid: &M, algorithm: Algorithm, input: &[T]) {
    pollster::block_on(check_monoid_async(device, monoid, algorithm, input));
}

/// Checks every entry point on `values`: bits of results, and that nothing else was written.
///
/// Before each run another, longer scan leaves its traces in the device's scratch memory.
pub async fn check_monoid_async<T: Sample, M: Monoid<T>>(
    device: &Device,
    monoid: &M,
    algorithm: Algorithm,
    input: &[T],
) {
    let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(algorithm);
    let dirt = Dirt::new(device, monoid, algorithm, input.len());
    for exclusive in [false, true] {
        let expected = expected(monoid, algorithm, input, exclusive);
        let kind = if exclusive { "exclusive" } else { "inclusive" };
        let what = format!("{algorithm} {kind} scan of {} {} on {device}", input.len(), T::NAME);

        let uploaded = device.upload(input).expect("upload");
        for run in ["first", "second"] {
            dirt.spread();
            let output = match exclusive {
                false => scan.inclusive(&uploaded),
                true => scan.exclusive(&uploaded),
            };
            let output = output.expect(&what).read().await.expect("download");
            assert_bits(&output, &expected, format_args!("{what}, into a new buffer, {run} run"));
        }
        assert_bits(&uploaded.read().await.expect("download"), input, format_args!("{what}: the input"));

        dirt.spread();
        let output = match exclusive {
            false => scan.inclusive_slice(input),
            true => scan.exclusive_slice(input),
        };
        assert_bits(&output.expect(&what), &expected, format_args!("{what}, of a slice"));

        for (i, placement) in PLACEMENTS.into_iter().enumerate() {
            let case =
                Case { device, scan: &scan, exclusive, placement, input, expected: &expected, what: &what };
            // Each placement goes one of the two ways, and the other at a neighbouring length.
            let turn = i + input.len() + usize::from(exclusive);
            let way = match turn.is_multiple_of(2) {
                true => Way::Direct,
                false => Way::Encoded,
            };
            dirt.spread();
            case.check_async(way).await;
        }
    }
}

/// Another scan, whose totals a scan under test must not take for its own.
struct Dirt<T, M> {
    scan: GpuScan<M>,
    data: GpuBuffer<T>,
}

impl<T: Sample, M: Monoid<T>> Dirt<T, M> {
    fn new(device: &Device, monoid: &M, algorithm: Algorithm, len: usize) -> Self {
        let algorithm = match algorithm {
            Algorithm::SingleTile => Algorithm::ThreePass,
            other => other,
        };
        let scan = GpuScan::with_monoid(device, monoid.clone()).algorithm(algorithm);
        Self { scan, data: device.upload(&values::<T>(!0, len + 300)).expect("upload") }
    }

    fn spread(&self) {
        self.scan.inclusive_in_place(&self.data).expect("a scan");
    }
}

/// How a scan is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    Direct,
    /// Into an encoder of ours.
    Encoded,
}

/// One scan with its input and output in one placement.
pub struct Case<'a, T, M> {
    pub device: &'a Device,
    pub scan: &'a GpuScan<M>,
    pub exclusive: bool,
    pub placement: Placement,
    pub input: &'a [T],
    pub expected: &'a [T],
    pub what: &'a str,
}

impl<T: Element, M: Monoid<T>> Case<'_, T, M> {
    #[cfg(not(target_arch = "wasm32"))]
    pub fn check(&self, way: Way) {
        pollster::block_on(self.check_async(way));
    }

    pub async fn check_async(&self, way: Way) {
        let Placement { sharing, before: [a, b], after } = self.placement;
        let len = self.input.len();
        let (source, target) = match sharing {
            Sharing::Separate => (a, b),
            Sharing::InPlace => (a, a),
            Sharing::InputFirst => (a, a + len + b),
            Sharing::OutputFirst => (b + len + a, b),
        };
        let (source, target) = (source..source + len, target..target + len);
        let span = source.end.max(target.end) - source.start.min(target.start);

        // The input lies in the first buffer, the output in the last; they may be the same.
        let poisoned = |end: usize| vec![bytemuck::cast::<u32, T>(POISON); end + after];
        let mut before = match sharing {
            Sharing::Separate => vec![poisoned(source.end), poisoned(target.end)],
            _ => vec![poisoned(source.end.max(target.end))],
        };
        before[0][source.clone()].copy_from_slice(self.input);
        let mut wanted = before.clone();
        let last = wanted.len() - 1;
        let written = target.clone();

        let memory: Vec<_> = before.iter().map(|contents| self.memory(contents)).collect();
        let input = memory[0].slice(source).expect("a slice");
        let output = memory[last].slice(target).expect("a slice");
        match self.run(way, &input, &output) {
            Err(Error::TooLarge { what: "the span of input and output in their buffer", .. })
                if self.may_be_too_wide(span) => {}
            result => {
                result.expect(self.what);
                wanted[last][written].copy_from_slice(self.expected);
            }
        }
        for (memory, wanted) in memory.iter().zip(&wanted) {
            let found = memory.read().await.expect("download");
            assert_bits(&found, wanted, format_args!("{}, {way:?} with {:?}", self.what, self.placement));
        }
    }

    /// Whether input and output are ranges of one buffer that no binding spans, which is an error, and leaves
    /// all as it is. Only devices made that small have such.
    fn may_be_too_wide(&self, span: usize) -> bool {
        let one_buffer = matches!(self.placement.sharing, Sharing::InputFirst | Sharing::OutputFirst);
        // CUDA devices do not tell what they were limited to.
        let limit = self.device.wgpu_device().map_or(0, |device| {
            let limits = device.limits();
            limits.max_storage_buffer_binding_size - u64::from(limits.min_storage_buffer_offset_alignment)
        });
        one_buffer && (span * size_of::<T>()) as u64 > limit
    }

    /// A buffer with these contents and not a byte more.
    fn memory(&self, contents: &[T]) -> GpuBuffer<T> {
        let (Some(device), Some(queue)) = (self.device.wgpu_device(), self.device.wgpu_queue()) else {
            return self.device.upload(contents).expect("upload");
        };
        let size = size_of_val(contents) as u64;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("a caller's buffer"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, bytemuck::cast_slice(contents));
        self.device.wrap(buffer, 0..size).expect("a range of the buffer")
    }

    fn run(&self, way: Way, input: &GpuBuffer<T>, output: &GpuBuffer<T>) -> Result<(), Error> {
        // There are encoders on wgpu only.
        let way = if self.device.wgpu_device().is_none() { Way::Direct } else { way };
        let Self { scan, exclusive, .. } = *self;
        let in_place = self.placement.sharing == Sharing::InPlace;
        match (way, in_place, exclusive) {
            (Way::Direct, true, false) => scan.inclusive_in_place(input),
            (Way::Direct, true, true) => scan.exclusive_in_place(input),
            (Way::Direct, false, false) => scan.inclusive_into(input, output),
            (Way::Direct, false, true) => scan.exclusive_into(input, output),
            (Way::Encoded, ..) => record(self.device, |encoder| match exclusive {
                false => scan.encode_inclusive(encoder, input, output),
                true => scan.encode_exclusive(encoder, input, output),
            }),
        }
    }
}

/// Records into an encoder and submits it.
pub fn record(
    device: &Device,
    commands: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<(), Error>,
) -> Result<(), Error> {
    let (wgpu_device, queue) = (device.wgpu_device().expect("a GPU"), device.wgpu_queue().expect("a GPU"));
    let mut encoder = wgpu_device.create_command_encoder(&Default::default());
    commands(&mut encoder)?;
    queue.submit([encoder.finish()]);
    Ok(())
}

/// A scan there and back, for tests that look at results more than at places.
#[cfg(not(target_arch = "wasm32"))]
#[track_caller]
pub fn scanned<T: Element, M: Monoid<T>>(
    scan: &GpuScan<M>,
    device: &Device,
    exclusive: bool,
    values: &[T],
) -> Vec<T> {
    let input = device.upload(values).expect("upload");
    let output = match exclusive {
        false => scan.inclusive(&input),
        true => scan.exclusive(&input),
    };
    output.expect("a scan").to_vec().expect("download")
}
