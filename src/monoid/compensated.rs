//! Sums of two floats each.

use std::borrow::Cow;

use super::{Monoid, shader};
use crate::{device::Device, map::Map, scan::GpuScan};

/// Sums of `f32` that carry what rounding took away in a second float, and round once, at the end: the
/// operator and both maps of [`GpuScan::compensated`].
///
/// Each combination adds exactly (Knuth, *The Art of Computer Programming* 4.2.2, Theorem B) and adds what is left over
/// to a second float (Ogita, Rump and Oishi, "Accurate sum and dot product", 2005). So a sum is off by its one rounding
/// and by about 2^-48 of the magnitudes of all that was added, where nothing is subnormal or overflows. It is not quite
/// associative, so the order counts here, too: scans go [by runs](Monoid::by_runs), with the same bits on every device.
///
/// Cost: on an NVIDIA H200, 2^26 elements take 259 µs where plain sums take 184: 1.4 times as long, for each of about two
/// combinations for an element is eight operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compensated;

impl GpuScan<Compensated, Compensated, Compensated> {
    /// Prefix sums of `f32` that are off by one rounding, and hardly more: see [`Compensated`]. Not for the
    /// textbook algorithms.
    ///
    /// ```
    /// # fn main() -> Result<(), gpuscan::Error> {
    /// # let device = gpuscan::Device::cpu();
    /// let input = device.upload(&[1e8f32, 1.0, 1.0, -1e8])?;
    /// let output = gpuscan::GpuScan::compensated(&device).inclusive(&input)?;
    /// assert_eq!(output.to_vec()?, [1e8, 1e8, 1e8, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compensated(device: &Device) -> Self {
        GpuScan::with_monoid(device, Compensated).mapping(Compensated).mapping_results(Compensated)
    }
}

/// `[sum, error]`: what the sum is, and what rounding took away on the way.
impl Monoid<[f32; 2]> for Compensated {
    fn identity(&self) -> [f32; 2] {
        [0.0, 0.0]
    }

    #[inline(always)]
    fn combine(&self, left: [f32; 2], right: [f32; 2]) -> [f32; 2] {
        let sum = left[0] + right[0];
        let of_right = sum - left[0];
        let of_left = sum - of_right;
        let lost = (left[0] - of_left) + (right[0] - of_right);
        [sum, lost + (left[1] + right[1])]
    }

    fn wgsl(&self) -> Cow<'static, str> {
        shader!("compensated.wgsl").into()
    }

    fn by_runs(&self) -> bool {
        true
    }
}

impl Map<f32, [f32; 2]> for Compensated {
    #[inline(always)]
    fn apply(&self, value: f32) -> [f32; 2] {
        [value, 0.0]
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "return T(value, 0.0);".into()
    }
}

/// Both together, rounded. An endless sum has no error, and 0.0 would take the sign from -0.0.
impl Map<[f32; 2], f32> for Compensated {
    #[inline(always)]
    fn apply(&self, [sum, error]: [f32; 2]) -> f32 {
        if sum.is_finite() && error != 0.0 { sum + error } else { sum }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        "let is_endless = (bitcast<u32>(value.x) & 0x7f800000u) == 0x7f800000u;
         let is_exact = (bitcast<u32>(value.y) << 1u) == 0u;
         return select(rounded_sum(value.x, value.y), value.x, is_endless | is_exact);"
            .into()
    }
}
