//! The smallest and the largest.

use std::borrow::Cow;

use super::{Monoid, shader, text};
use crate::element::Element;

/// An [`Element`] with an order: `u32`, `i32`, `f32`, `u64`, `i64`, `f64`.
///
/// In both directions, for a NaN is above and below every number: it wins, whatever is looked for. Of two NaNs their
/// bits decide. −0.0 is below 0.0.
pub trait Ordered: Element {
    /// Nothing is below it; −∞ for floats.
    const LOWEST: Self;

    /// Nothing is above it; ∞ for floats.
    const HIGHEST: Self;

    /// Whether `self` wins over `other` where the largest is looked for.
    fn is_above(self, other: Self) -> bool;

    /// Whether `self` wins over `other` where the smallest is looked for.
    fn is_below(self, other: Self) -> bool;

    /// The same in WGSL: `fn above(x, y) -> bool` and `fn below(x, y) -> bool` of the WGSL type.
    #[doc(hidden)]
    const ORDER: &'static str;

    /// For types whose [`ORDER`](Ordered::ORDER) compares words that were made of values, where these are worth keeping:
    /// `fn value_of_order_key(key: u32) -> f32`.
    #[doc(hidden)]
    const KEYS: Option<&'static str> = None;
}

macro_rules! integers {
    ($($type:ident)*) => {
        $(impl Ordered for $type {
            const LOWEST: Self = $type::MIN;
            const HIGHEST: Self = $type::MAX;
            const ORDER: &'static str = shader!(concat!("order/", stringify!($type), ".wgsl"));

            #[inline(always)]
            fn is_above(self, other: Self) -> bool {
                self > other
            }

            #[inline(always)]
            fn is_below(self, other: Self) -> bool {
                self < other
            }
        })*
    };
}

/// Unsigned keys of floats are in their order, with NaNs at both ends: `nans` at each. Moved on by as many, around all
/// numbers, they are all at one.
macro_rules! floats {
    ($($type:ident: $signed:ident, $unsigned:ident, nans: $nans:literal, keys: $keys:expr;)*) => {
        $(impl Ordered for $type {
            const LOWEST: Self = $type::NEG_INFINITY;
            const HIGHEST: Self = $type::INFINITY;
            const ORDER: &'static str = shader!(concat!("order/", stringify!($type), ".wgsl"));
            const KEYS: Option<&'static str> = $keys;

            #[inline(always)]
            fn is_above(self, other: Self) -> bool {
                let key = |x: Self| order_key!(x: $signed, $unsigned).wrapping_sub($nans);
                key(self) > key(other)
            }

            #[inline(always)]
            fn is_below(self, other: Self) -> bool {
                let key = |x: Self| order_key!(x: $signed, $unsigned).wrapping_add($nans);
                key(self) < key(other)
            }
        })*
    };
}

/// The bits of a float, turned over if it is negative, else above those of all that are.
macro_rules! order_key {
    ($x:ident: $signed:ident, $unsigned:ident) => {{
        let bits = $x.to_bits();
        bits ^ (((bits as $signed) >> ($unsigned::BITS - 1)) as $unsigned | 1 << ($unsigned::BITS - 1))
    }};
}

integers!(u32 i32 u64 i64);
floats! {
    f32: i32, u32, nans: 0x007f_ffff, keys: Some(shader!("keys/f32.wgsl"));
    f64: i64, u64, nans: 0x000f_ffff_ffff_ffff, keys: None;
}

/// See [`Monoid::keyed`].
fn keyed<T: Ordered>(combine: &str) -> Option<Cow<'static, str>> {
    T::KEYS.map(|keys| [T::ORDER, keys, combine].concat().into())
}

/// The largest value so far.
///
/// A NaN wins over every number, and −0.0 is less than 0.0, on the CPU and on every GPU (IEEE 754-2019's
/// `maximum`). Of several NaNs their bits decide, not their places.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[1.0f32, 3.0, 2.0, 4.0])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::Max).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [1.0, 3.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Max;

impl<T: Ordered> Monoid<T> for Max {
    #[inline(always)]
    fn identity(&self) -> T {
        T::LOWEST
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        if right.is_above(left) { right } else { left }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(T::LOWEST, &[T::ORDER, shader!("max.wgsl")])
    }

    fn keyed(&self) -> Option<Cow<'static, str>> {
        keyed::<T>(shader!("keys/max.wgsl"))
    }

    fn regroups(&self) -> bool {
        true
    }
}

/// The smallest value so far.
///
/// A NaN wins over every number, and −0.0 is less than 0.0, on the CPU and on every GPU (IEEE 754-2019's
/// `minimum`). Of several NaNs their bits decide, not their places.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[3.0f32, -0.0, 0.0, 1.0])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::Min).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [3.0, -0.0, -0.0, -0.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Min;

impl<T: Ordered> Monoid<T> for Min {
    #[inline(always)]
    fn identity(&self) -> T {
        T::HIGHEST
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        if right.is_below(left) { right } else { left }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(T::HIGHEST, &[T::ORDER, shader!("min.wgsl")])
    }

    fn keyed(&self) -> Option<Cow<'static, str>> {
        keyed::<T>(shader!("keys/min.wgsl"))
    }

    fn regroups(&self) -> bool {
        true
    }
}
