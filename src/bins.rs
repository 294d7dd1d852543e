//! Bins of histograms: where each begins, as integers that sort as samples do.
//!
//! Bin `i` of even bins from `lower` to `upper` holds the samples with
//! `i = ⌊(x − lower) · bins / (upper − lower)⌋`. A sample is at or above a real number exactly if it is at or
//! above the least sample that is. So each edge is rounded *up* to a sample once, on the host, and a bin is
//! found by comparisons alone. They compare keys, integers in the samples' order: devices differ in how they
//! divide, round and flush floats, but not in how they compare integers.

use std::ops::Range;

use half::f16;

use crate::{element::Element, error::Error, histogram::Weight};

/// The most bins of a histogram.
pub(crate) const MOST_BINS: u32 = 1 << 20;

/// What a sample's bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    U8,
    I8,
    U16,
    I16,
    F16,
    U32,
    I32,
    F32,
}

impl Format {
    #[cfg(test)]
    pub const ALL: [Format; 8] = [
        Format::U8,
        Format::I8,
        Format::U16,
        Format::I16,
        Format::F16,
        Format::U32,
        Format::I32,
        Format::F32,
    ];

    /// Bits in a sample.
    pub fn bits(self) -> u32 {
        match self {
            Format::U8 | Format::I8 => 8,
            Format::U16 | Format::I16 | Format::F16 => 16,
            Format::U32 | Format::I32 | Format::F32 => 32,
        }
    }
}

/// What a histogram can count: an [`Element`] that is one number. Sealed.
///
/// Implemented for `u8`, `i8`, `u16`, `i16`, `f16` ([`half::f16`]), `u32`, `i32` and `f32`.
pub trait Sample: Element + sealed::Sample {}

pub(crate) mod sealed {
    /// What the crate has to know of a sample.
    pub trait Sample: Copy {
        const FORMAT: super::Format;

        /// An integer that sorts as the sample does. Zeros are equal, NaNs beyond the infinities.
        fn key(self) -> u32;

        /// The key of the least sample that is at or above `value`, if one is.
        fn key_from(value: f64) -> Option<u32>;

        /// The greatest key of a number, infinity among them.
        fn greatest_key() -> u32;

        /// The sample's value for a key.
        fn of_key(key: u32) -> Self;

        /// The same as a real number.
        fn to_f64(self) -> f64;

        /// Its bits.
        fn bits(self) -> u32;
    }
}

macro_rules! integer_sample {
    ($type:ty, $unsigned:ty, $format:ident) => {
        impl Sample for $type {}
        impl sealed::Sample for $type {
            const FORMAT: Format = Format::$format;
            fn key(self) -> u32 {
                // The distance from the least value, which is the value itself for unsigned types.
                u32::from(self.wrapping_sub(<$type>::MIN) as $unsigned)
            }
            fn key_from(value: f64) -> Option<u32> {
                match value.ceil() {
                    above if above > f64::from(<$type>::MAX) => None,
                    above => Some(sealed::Sample::key(above as $type)),
                }
            }
            fn greatest_key() -> u32 {
                sealed::Sample::key(<$type>::MAX)
            }
            fn of_key(key: u32) -> Self {
                (key as $unsigned as $type).wrapping_add(<$type>::MIN)
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn bits(self) -> u32 {
                u32::from(self as $unsigned)
            }
        }
    };
}

integer_sample!(u32, u32, U32);
integer_sample!(i32, u32, I32);
integer_sample!(u8, u8, U8);
integer_sample!(i8, u8, I8);
integer_sample!(u16, u16, U16);
integer_sample!(i16, u16, I16);

macro_rules! float_sample {
    ($type:ty, $bits:ty, $format:ident, $from_f64:expr) => {
        impl Sample for $type {}
        impl sealed::Sample for $type {
            const FORMAT: Format = Format::$format;
            fn key(self) -> u32 {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                u32::from(match self.to_bits() {
                    SIGN => SIGN,
                    negative if negative & SIGN != 0 => !negative,
                    positive => positive | SIGN,
                })
            }
            fn key_from(value: f64) -> Option<u32> {
                let near = $from_f64(value);
                // The next key is that of the next float; or of -0, which is no sample's, and the next is 0.
                Some(sealed::Sample::key(near) + u32::from(f64::from(near) < value))
            }
            fn greatest_key() -> u32 {
                sealed::Sample::key(<$type>::INFINITY)
            }
            fn of_key(key: u32) -> Self {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                let key = key as $bits;
                <$type>::from_bits(if key & SIGN != 0 { key & !SIGN } else { !key })
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn bits(self) -> u32 {
                u32::from(self.to_bits())
            }
        }
    };
}

float_sample!(f32, u32, F32, |value| value as f32);
float_sample!(f16, u16, F16, f16::from_f64);

/// The bins of one channel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bins {
    /// How many there are.
    pub count: u32,
    /// The least key of each bin, as far as samples can reach; they do not decrease. None if no sample is in
    /// any bin.
    pub edges: Vec<u32>,
    /// The greatest key of the last bin.
    pub last: u32,
    /// How to compute a bin, where that is near enough.
    pub even: Option<Even>,
}

/// A sample `x` is at about `(x − origin) · scale + shift` bins from the first edge, to within `margin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Even {
    /// The bits of the sample with the first key.
    pub origin: u32,
    pub scale: f32,
    pub shift: f32,
    pub margin: f32,
}

impl Bins {
    /// Bins of one width.
    pub fn even<T: Sample>(count: u32, lower: f64, upper: f64) -> Result<Self, Error> {
        check_count(u64::from(count))?;
        if !(lower < upper && lower.is_finite() && upper.is_finite()) {
            return Err(Error::Invalid {
                what: "the range of a histogram's bins",
                expected: "two finite numbers, the first below the second".into(),
                found: format!("{lower} and {upper}"),
            });
        }
        let width = upper - lower;
        // The whole part is added last: edges between whole numbers are then exact.
        let (whole, part) = (lower.floor(), lower - lower.floor());
        let edge = |i: u32| match i {
            0 => lower,
            _ if i == count => upper,
            _ if T::FORMAT.is_float() => lower + f64::from(i) * width / f64::from(count),
            _ => whole + (part + f64::from(i) * width / f64::from(count)).ceil(),
        };
        let mut bins = Self::new::<T>(count, edge);
        // Where floats neither overflow nor vanish.
        if let (Some(&first), 1e-30..=1e30) = (bins.edges.first(), width) {
            let origin = T::of_key(first);
            let scale = f64::from(count) / width;
            bins.even = Some(Even {
                origin: origin.bits(),
                scale: scale as f32,
                shift: ((origin.to_f64() - lower) * scale) as f32,
                // Four operations are each off by 2^-23 of the bins at most.
                margin: count as f32 / (1 << 20) as f32,
            });
        }
        Ok(bins)
    }

    /// Bins between edges that do not decrease.
    pub fn between<T: Sample>(edges: &[f64]) -> Result<Self, Error> {
        let what = "the edges of a histogram's bins";
        if edges.len() < 2 {
            return Err(Error::Invalid {
                what,
                expected: "at least 2".into(),
                found: format!("{}", edges.len()),
            });
        }
        check_count(edges.len() as u64 - 1)?;
        if let Some(i) = edges.iter().position(|edge| edge.is_nan()) {
            return Err(Error::Invalid { what, expected: "numbers".into(), found: format!("NaN at {i}") });
        }
        if let Some(i) = edges.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Error::Invalid {
                what,
                expected: "edges that do not decrease".into(),
                found: format!("{} at {i}, then {}", edges[i], edges[i + 1]),
            });
        }
        Ok(Self::new::<T>(edges.len() as u32 - 1, |i| edges[i as usize]))
    }

    fn new<T: Sample>(count: u32, edge: impl Fn(u32) -> f64) -> Self {
        // The first key beyond the last bin. Edges that no sample reaches end the list.
        let end = T::key_from(edge(count)).map_or(u64::from(T::greatest_key()) + 1, u64::from);
        let mut edges: Vec<u32> = (0..count).map_while(|i| T::key_from(edge(i))).collect();
        if edges.first().is_some_and(|&first| u64::from(first) >= end) {
            edges.clear();
        }
        Self { count, edges, last: end.saturating_sub(1) as u32, even: None }
    }

    /// The bin of a sample, if it is in one: the definition, as every device follows it.
    pub fn find<T: Sample>(&self, sample: T) -> Option<usize> {
        let key = sample.key();
        let reached = self.edges.partition_point(|&edge| edge <= key);
        reached.checked_sub(1).filter(|_| key <= self.last)
    }

    /// The bin of each value of an 8-bit sample, in the order of their keys; `count` if there is none.
    pub fn of_values<T: Sample>(&self) -> Vec<u32> {
        (0..256).map(|key| self.find(T::of_key(key)).map_or(self.count, |bin| bin as u32)).collect()
    }
}

impl Format {
    fn is_float(self) -> bool {
        matches!(self, Format::F16 | Format::F32)
    }
}

fn check_count(found: u64) -> Result<(), Error> {
    match found {
        0 => Err(Error::Invalid {
            what: "a histogram's bins",
            expected: "at least 1".into(),
            found: "0".into(),
        }),
        1..=0x10_0000 => Ok(()),
        _ => Err(Error::TooLarge {
            what: "a histogram's bin count",
            unit: "bins",
            expected: MOST_BINS.into(),
            found,
        }),
    }
}

/// Adds the weight of each sample, or one, to its bin's sum: what the kernels do, on the host's cores.
pub(crate) fn tally<T: Sample, W: Weight>(
    bins: &Bins,
    channels: usize,
    samples: &[T],
    weights: Option<&[W]>,
    sums: &mut [W],
) {
    let of_values = match T::FORMAT.bits() {
        8 => bins.of_values::<T>(),
        _ => Vec::new(),
    };
    let part = |range: Range<usize>, sums: &mut [W]| {
        for i in range {
            let bin = match of_values.get(samples[i].key() as usize) {
                Some(&bin) => Some(bin as usize).filter(|&bin| bin < bins.count as usize),
                None => bins.find(samples[i]),
            };
            if let Some(bin) = bin {
                let sum = &mut sums[i % channels * bins.count as usize + bin];
                *sum = sum.plus(weights.map_or(W::ONE, |weights| weights[i]));
            }
        }
    };
    // Each part has counters of its own, so it should be much longer than they are many.
    let step = (4 * sums.len()).max(1 << 18);
    for_parts(samples.len(), step, part, sums);
}

/// Calls `part` for every `step` of `len`, on all cores, and adds up their sums.
#[cfg(not(target_arch = "wasm32"))]
fn for_parts<W: Weight>(
    len: usize,
    step: usize,
    part: impl Fn(Range<usize>, &mut [W]) + Sync,
    sums: &mut [W],
) {
    use rayon::prelude::*;
    if len <= step {
        return part(0..len, sums);
    }
    let counters = sums.len();
    let step = step.max(len.div_ceil(2 * rayon::current_num_threads()));
    let parts: Vec<Vec<W>> = (0..len.div_ceil(step))
        .into_par_iter()
        .map(|i| {
            let mut sums = vec![W::ZERO; counters];
            part(i * step..((i + 1) * step).min(len), &mut sums);
            sums
        })
        .collect();
    for part in parts {
        for (sum, more) in sums.iter_mut().zip(part) {
            *sum = sum.plus(more);
        }
    }
}

/// One thread is all there is in a browser.
#[cfg(target_arch = "wasm32")]
fn for_parts<W: Weight>(len: usize, _step: usize, part: impl Fn(Range<usize>, &mut [W]), sums: &mut [W]) {
    part(0..len, sums)
}
