//! Intersections of intervals.

use std::borrow::Cow;

use super::{Monoid, Ordered, shader, text};
use crate::element::Element;

/// The intersection of closed intervals `[low, high]`: the largest `low` and the smallest `high`. It is empty
/// where `low` is above `high`. A NaN at an end stays there.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[[0u32, 9], [2, 12], [1, 5]])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::Intersection).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [[0, 9], [2, 9], [2, 5]]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Intersection;

impl<T: Ordered> Monoid<[T; 2]> for Intersection
where
    [T; 2]: Element,
{
    #[inline(always)]
    fn identity(&self) -> [T; 2] {
        [T::LOWEST, T::HIGHEST]
    }

    #[inline(always)]
    fn combine(&self, left: [T; 2], right: [T; 2]) -> [T; 2] {
        [
            if right[0].is_above(left[0]) { right[0] } else { left[0] },
            if right[1].is_below(left[1]) { right[1] } else { left[1] },
        ]
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text([T::LOWEST, T::HIGHEST], &[T::ORDER, shader!("intersection.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
