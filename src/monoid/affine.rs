//! Chains of affine maps: linear recurrences.

use std::borrow::Cow;

use super::{Monoid, shader, text};

/// Maps x → a·x + b as `[a, b]`, one after the other: the way to solve x₍ᵢ₊₁₎ = aᵢ·xᵢ + bᵢ in parallel
/// (Blelloch, *Prefix Sums and Their Applications*, 1990). `f32`, and `u32` modulo 2^32.
///
/// Products are rounded before they are added to, so the bits are the same everywhere.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[[2.0f32, 1.0], [3.0, 0.5]])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::Affine).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [[2.0, 1.0], [6.0, 3.5]]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Affine;

impl Monoid<[f32; 2]> for Affine {
    fn identity(&self) -> [f32; 2] {
        [1.0, 0.0]
    }

    #[inline(always)]
    fn combine(&self, left: [f32; 2], right: [f32; 2]) -> [f32; 2] {
        [left[0] * right[0], right[0] * left[1] + right[1]]
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text([1.0f32, 0.0], &[shader!("affine_f32.wgsl")])
    }
}

impl Monoid<[u32; 2]> for Affine {
    fn identity(&self) -> [u32; 2] {
        [1, 0]
    }

    #[inline(always)]
    fn combine(&self, left: [u32; 2], right: [u32; 2]) -> [u32; 2] {
        [left[0].wrapping_mul(right[0]), right[0].wrapping_mul(left[1]).wrapping_add(right[1])]
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text([1u32, 0], &[shader!("affine_u32.wgsl")])
    }

    fn regroups(&self) -> bool {
        true
    }
}
