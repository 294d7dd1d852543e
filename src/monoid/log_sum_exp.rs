//! Sums of numbers that are known by their logarithms.

use std::borrow::Cow;

use super::{Monoid, Ordered, shader, text};

/// log(exp(x₀) + exp(x₁) + …), without overflow: probabilities by their logarithms.
///
/// The one built-in operator whose bits differ between devices: their `exp` and `log` do. WGSL lets each
/// combination be off by some 2^-21 where the logarithm is near 0. Infinities and NaN are the same everywhere:
/// −∞ changes nothing, ∞ stays, NaN stays.
///
/// ```
/// # fn main() -> Result<(), gpuscan::Error> {
/// # let device = gpuscan::Device::cpu();
/// let input = device.upload(&[0.0f32, f32::NEG_INFINITY, f32::INFINITY])?;
/// let output = gpuscan::GpuScan::with_monoid(&device, gpuscan::LogSumExp).inclusive(&input)?;
/// assert_eq!(output.to_vec()?, [0.0, 0.0, f32::INFINITY]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogSumExp;

impl Monoid<f32> for LogSumExp {
    fn identity(&self) -> f32 {
        f32::NEG_INFINITY
    }

    fn combine(&self, left: f32, right: f32) -> f32 {
        let (high, low) = if right.is_above(left) { (right, left) } else { (left, right) };
        match high.is_finite() && low.is_finite() {
            true => high + (low - high).exp().ln_1p(),
            false => high,
        }
    }

    fn wgsl(&self) -> Cow<'static, str> {
        text(f32::NEG_INFINITY, &[f32::ORDER, shader!("log_sum_exp.wgsl")])
    }
}
