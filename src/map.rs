//! Maps between element types, fused into a scan: no pass of their own, no memory.

use std::borrow::Cow;

use half::f16;

use crate::element::Element;

/// A function from `A` to `B`, its Rust and its WGSL as one object.
///
/// [`GpuScan::mapping`](crate::GpuScan::mapping) applies one to every input, and
/// [`GpuScan::mapping_results`](crate::GpuScan::mapping_results) to every result.
///
/// ```
/// use std::borrow::Cow;
///
/// /// 1 where a value is above the limit.
/// #[derive(Clone)]
/// struct Above(f32);
///
/// impl gpuscan::Map<f32, u32> for Above {
///     fn apply(&self, value: f32) -> u32 {
///         u32::from(value > self.0)
///     }
///     fn wgsl(&self) -> Cow<'static, str> {
///         format!("return select(0u, 1u, value > {:?}f);", self.0).into()
///     }
/// }
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = gpuscan::Device::new()?;
/// let input = device.upload(&[0.5f32, 2.5, 3.5, 1.0])?;
/// let counts = gpuscan::GpuScan::new(&device).mapping(Above(2.0)).inclusive(&input)?;
/// assert_eq!(counts.to_vec()?, [0, 1, 2, 2]);
/// # Ok(())
/// # }
/// ```
pub trait Map<A: Element, B: Element>: Clone + Send + Sync + 'static {
    /// The image of `value`.
    fn apply(&self, value: A) -> B;

    /// The body of a WGSL function of `value` that returns its image. An element narrower than 32 bits comes
    /// as the 32-bit type of its kind: `u32`, `i32` or `f32`. For input maps the types are called `In` and `T`,
    /// for result maps `T` and `Out`. Of a narrower result the lower bits are stored, as Rust's `as` takes them;
    /// an `f16` is made of the `f32` by rounding to nearest, ties to even.
    fn wgsl(&self) -> Cow<'static, str>;
}

/// The map that changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Same;

impl<T: Element> Map<T, T> for Same {
    #[inline(always)]
    fn apply(&self, value: T) -> T {
        value
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return value;".into()
    }
}

/// Every number as the 32-bit number of its kind: `u8` and `u16` as `u32`, `i8` and `i16` as `i32`, `f16` as
/// `f32`. Exact.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let bytes = device.upload(&[200u8, 100, 0])?;
/// let sums = gpuscan::GpuScan::new(&device).mapping(gpuscan::Widen).inclusive(&bytes)?;
/// assert_eq!(sums.to_vec()?, [200, 300, 300]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widen;

macro_rules! widen {
    ($($from:ty => $to:ty),*) => {
        $(impl Map<$from, $to> for Widen {
            #[inline(always)]
            fn apply(&self, value: $from) -> $to {
                value.into()
            }

            fn wgsl(&self) -> Cow<'static, str> {
                "return value;".into()
            }
        })*
    };
}

widen!(u8 => u32, u16 => u32, i8 => i32, i16 => i32, f16 => f32);

/// Every number as a narrower one, as Rust's `as` does: integers keep their lower bits, so they wrap around; `f16` is
/// the nearest, ties to the even one, infinite from 65,520 on, and a NaN stays one. (Subnormal `f16` are kept: the
/// rounding is done in integers.) For results:
///
/// ```
/// use gpuscan::{Device, GpuBuffer, GpuScan, Narrow, Widen};
///
/// # fn main() -> Result<(), gpuscan::Error> {
/// let device = Device::new()?;
/// let input = device.upload(&[200u8, 50, 7])?;
/// let sums: GpuBuffer<u8> = GpuScan::new(&device).mapping(Widen).mapping_results(Narrow).inclusive(&input)?;
/// assert_eq!(sums.to_vec()?, [200, 250, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Narrow;

macro_rules! narrow {
    ($($from:ty => $to:ty: $apply:expr),*) => {
        $(impl Map<$from, $to> for Narrow {
            #[inline(always)]
            fn apply(&self, value: $from) -> $to {
                $apply(value)
            }

            fn wgsl(&self) -> Cow<'static, str> {
                "return value;".into()
            }
        })*
    };
}

narrow!(
    u32 => u8: |value| value as u8,
    u32 => u16: |value| value as u16,
    i32 => i8: |value| value as i8,
    i32 => i16: |value| value as i16,
    f32 => f16: f16::from_f32
);

/// `u32` as `u64`, `i32` as `i64`: sums that do not wrap before 2^64.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[u32::MAX, 1])?;
/// let sums = gpuscan::GpuScan::new(&device).mapping(gpuscan::Double).inclusive(&input)?;
/// assert_eq!(sums.to_vec()?, [0xffff_ffff, 0x1_0000_0000]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Double;

impl Map<u32, u64> for Double {
    #[inline(always)]
    fn apply(&self, value: u32) -> u64 {
        value.into()
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return vec2(value, 0u);".into()
    }
}

impl Map<i32, i64> for Double {
    #[inline(always)]
    fn apply(&self, value: i32) -> i64 {
        value.into()
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return bitcast<vec2<u32>>(vec2(value, value >> 31u));".into()
    }
}

/// 1 for every number that is not zero (NaN is not), 0 for the others: what sums count.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let flags = device.upload(&[1u8, 0, 7, 0])?; // bytes that are zero or not: a bool is one
/// let counts = gpuscan::GpuScan::new(&device).mapping(gpuscan::NonZero).exclusive(&flags)?;
/// assert_eq!(counts.to_vec()?, [0, 1, 1, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonZero;

macro_rules! non_zero {
    ($($type:ty: $zero:expr),*) => {
        $(impl Map<$type, u32> for NonZero {
            #[inline(always)]
            fn apply(&self, value: $type) -> u32 {
                (value != $zero).into()
            }

            fn wgsl(&self) -> Cow<'static, str> {
                // A narrow number is zero as its wider one is.
                "return select(0u, 1u, value != 0);".into()
            }
        })*
    };
}

non_zero!(u8: 0, u16: 0, i8: 0, i16: 0, u32: 0, i32: 0);

impl Map<f32, u32> for NonZero {
    #[inline(always)]
    fn apply(&self, value: f32) -> u32 {
        (value != 0.0).into()
    }

    fn wgsl(&self) -> Cow<'static, str> {
        // By its bits: compilers may take it that there is no NaN.
        "return select(0u, 1u, (bitcast<u32>(value) << 1u) != 0u);".into()
    }
}
