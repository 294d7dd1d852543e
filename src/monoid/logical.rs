//! Logic on numbers that are 0 or 1.

use std::borrow::Cow;

use super::{Monoid, shader, text};

/// Whether every value so far is true: 1 or 0. For other inputs than these two, map by [`NonZero`](crate::NonZero).
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let flags = device.upload(&[1u8, 2, 0, 1])?;
/// let scan = gpuscan::GpuScan::with_monoid(&device, gpuscan::LogicalAnd).mapping(gpuscan::NonZero);
/// assert_eq!(scan.inclusive(&flags)?.to_vec()?, [1, 1, 0, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogicalAnd;

impl Monoid<u32> for LogicalAnd {
    #[inline(always)]
    fn identity(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn combine(&self, left: u32, right: u32) -> u32 {
        (left != 0 && right != 0).into()
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(1u32, &[shader!("logical_and.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}

/// Whether any value so far is true: 1 or 0. For other inputs than these two, map by [`NonZero`](crate::NonZero).
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let flags = device.upload(&[0u8, 2, 0, 1])?;
/// let scan = gpuscan::GpuScan::with_monoid(&device, gpuscan::LogicalOr).mapping(gpuscan::NonZero);
/// assert_eq!(scan.inclusive(&flags)?.to_vec()?, [0, 1, 1, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogicalOr;

impl Monoid<u32> for LogicalOr {
    #[inline(always)]
    fn identity(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn combine(&self, left: u32, right: u32) -> u32 {
        (left != 0 || right != 0).into()
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(0u32, &[shader!("logical_or.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
