//! Bitwise operators.

use std::{borrow::Cow, ops};

use super::{Monoid, shader, text};
use crate::element::Element;

/// An [`Element`] of bits: `u32`, `i32`, `u64`, `i64`.
pub trait Bits:
    Element + ops::BitAnd<Output = Self> + ops::BitOr<Output = Self> + ops::BitXor<Output = Self>
{
    /// No bit is set.
    const NONE: Self;
    /// Every bit is set.
    const ALL: Self;
}

macro_rules! bits {
    ($($type:ty)*) => {
        $(impl Bits for $type {
            const NONE: Self = 0;
            const ALL: Self = !0;
        })*
    };
}

bits!(u32 i32 u64 i64);

/// Bitwise and.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[7u32, 5, 12, 1])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::BitAnd).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [7, 5, 4, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitAnd;

impl<T: Bits> Monoid<T> for BitAnd {
    #[inline(always)]
    fn identity(&self) -> T {
        T::ALL
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        left & right
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(T::ALL, &[shader!("bit_and.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}

/// Bitwise or.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[1u32, 4, 0, 3])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::BitOr).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [1, 5, 5, 7]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitOr;

impl<T: Bits> Monoid<T> for BitOr {
    #[inline(always)]
    fn identity(&self) -> T {
        T::NONE
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        left | right
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(T::NONE, &[shader!("bit_or.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}

/// Bitwise xor.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[1u32, 3, 0, 3])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::BitXor).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [1, 2, 2, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitXor;

impl<T: Bits> Monoid<T> for BitXor {
    #[inline(always)]
    fn identity(&self) -> T {
        T::NONE
    }

    #[inline(always)]
    fn combine(&self, left: T, right: T) -> T {
        left ^ right
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(T::NONE, &[shader!("bit_xor.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
